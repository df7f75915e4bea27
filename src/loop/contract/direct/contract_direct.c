/* Contractions of few products: vectors of results go along an axis that A has, too, and a block of
 * them stays in registers while A streams past.
 *
 * The vectors go along the last axis of N where A has a step there (depthwise convolution, channels
 * last), or along the axis of M that is contiguous in results (channels first). Another axis of M
 * gives the rows of a block, and where vectors go along N a third one lines of rows. Where their
 * windows overlap, each vector of A is loaded once and takes part in all of the results that have a
 * product there. Blocks that reach beyond a window have code of their own. */
#include "loop/contract/direct/contract_direct_parts.h"

/* ---- loading ---- */

/* P moves by N results of SIDE. */
static void move_along(const direct *d, const direct_side *side, int64_t n, direct_place *p)
{
    if (side->axis == NO_AXIS)
        return;
    p->at += n * d->s->m[side->axis].a;
    if (side->in < d->s->n_windows)
        p->in[side->in] += n * side->by;
}

/* Where product K of row ROW of line LINE is, from the block's first element. */
static direct_place place_of(const direct *d, const int64_t *k, int64_t line, int64_t row)
{
    const contract_spec *s = d->s;
    direct_place p = {0, {0}};
    for (uint32_t i = 0; i < s->n_k; i++) {
        int64_t by;
        const uint32_t w = direct_window_of(s, CONTRACT_K, i, &by);
        p.at += k[i] * s->k[i].a;
        if (w < s->n_windows)
            p.in[w] += k[i] * by;
    }
    move_along(d, &d->lines, line, &p);
    move_along(d, &d->rows, row, &p);
    for (uint32_t w = 0; w < s->n_windows; w++)
        p.at += p.in[w] * s->windows[w].step;
    return p;
}

/* Does P lie inside of all windows but that of the vectors? LOOP_NO_VALUE: always. */
static loop_value is_inside(const direct *d, const direct_place *p)
{
    loop_builder *b = d->b;
    loop_value all = LOOP_NO_VALUE;
    for (uint32_t w = 0; w < d->s->n_windows; w++) {
        if (w == d->vector_in || !d->is_bounded[w])
            continue;
        const loop_value at = int_add(b, d->in[w], loop_i64(b, p->in[w]));
        const loop_value here = loop_binary(b, LOOP_IULT, at, loop_i64(b, d->s->windows[w].extent));
        all = all == LOOP_NO_VALUE ? here : loop_binary(b, LOOP_AND, all, here);
    }
    return all;
}

/* Lanes whose coordinate FIRST + lane * 1 lies in the window of the vectors. */
static loop_value lanes_inside(const direct *d, loop_value first)
{
    loop_builder *b = d->b;
    const loop_value at =
        loop_binary(b, LOOP_IADD, loop_splat(b, d->lanes, first), loop_ramp(b, LOOP_I64, d->lanes));
    const loop_value end = loop_i64(b, d->s->windows[d->vector_in].extent);
    return loop_binary(b, LOOP_IULT, at, loop_splat(b, d->lanes, end));
}

/* Every second of the elements of X and Y, from element FIRST on. */
static element every_second(const direct *d, element x, element y, uint32_t first)
{
    uint8_t table[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < d->lanes; i++)
        table[i] = (uint8_t)(2 * i + first);
    return element_shuffle(d->b, x, y, table, d->lanes);
}

/* N vectors of A from P on, along the axis of M. Which lanes exist is the same for all rows; rows
 * outside are read among zeros. */
static void load_vectors(const direct *d, const direct_place *p, uint32_t n, element *x)
{
    loop_builder *b = d->b;
    const int64_t bytes = (int64_t)dtype_bytes(d->s->a);
    const loop_value inside = d->is_guarded ? is_inside(d, p) : (loop_value)LOOP_NO_VALUE;
    loop_value at = loop_at(b, d->from, p->at * bytes);
    if (inside != LOOP_NO_VALUE)
        at = loop_select(b, inside, at, d->zeros);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t more = (int64_t)i * d->lanes;
        const loop_value here = loop_at(b, at, more * bytes);
        if (!d->is_guarded) {
            x[i] = element_load(b, d->s->a, here, d->lanes, (uint32_t)bytes);
            continue;
        }
        const loop_value first =
            int_add(b, d->in[d->vector_in], loop_i64(b, p->in[d->vector_in] + more));
        x[i] = element_load_where(b, d->s->a, here, lanes_inside(d, first));
    }
}

static bool is_same(const direct *d, const direct_place *p, const direct_place *q)
{
    bool same = p->at == q->at;
    for (uint32_t w = 0; w < d->s->n_windows; w++)
        same = same && p->in[w] == q->in[w];
    return same;
}

/* The vector of A at P, along the axis of M. In steps of two, that of an even place and that of the
 * next one are parts of the same two vectors. */
static element load_along(direct *d, const direct_place *p)
{
    element x;
    if (d->vector_by == 1) {
        load_vectors(d, p, 1, &x);
        return x;
    }
    const uint32_t odd = (uint32_t)p->in[d->vector_in] & 1;
    direct_place even = *p;
    even.at -= odd;
    even.in[d->vector_in] -= odd;
    if (!d->has_pair || !is_same(d, &even, &d->pair_at))
        load_vectors(d, &even, 2, d->pair);
    d->has_pair = true;
    d->pair_at = even;
    return every_second(d, d->pair[0], d->pair[1], odd);
}

/* Element offsets of the lanes, STEP apart, in bytes, and the lanes that exist. */
static loop_value lane_offsets(const direct *d, int64_t step)
{
    loop_builder *b = d->b;
    return loop_binary(b, LOOP_IMUL, loop_ramp(b, LOOP_I64, d->lanes),
                       loop_splat(b, d->lanes, loop_i64(b, step)));
}

/* COUNT (LOOP_NO_VALUE: all) elements STEP apart from AT on. */
static element load_columns(const direct *d, tn_dtype dtype, loop_value at, int64_t step,
                            loop_value count)
{
    loop_builder *b = d->b;
    const int64_t bytes = (int64_t)dtype_bytes(dtype);
    const uint32_t align = (uint32_t)bytes;
    if (step == 1)
        return count == LOOP_NO_VALUE ? element_load(b, dtype, at, d->lanes, align)
                                      : element_load_first(b, dtype, at, d->lanes, count, align);
    return element_gather(
        b, dtype, at, lane_offsets(d, step * bytes),
        element_first(b, d->lanes, count == LOOP_NO_VALUE ? loop_i64(b, d->lanes) : count));
}

/* The vector of A at P, along the axis of N. */
static element load_across(const direct *d, const direct_place *p, loop_value count)
{
    loop_builder *b = d->b;
    loop_value at = loop_at(b, d->from, p->at * (int64_t)dtype_bytes(d->s->a));
    if (d->is_guarded) {
        const loop_value inside = is_inside(d, p);
        if (inside != LOOP_NO_VALUE)
            at = loop_select(b, inside, at, d->zeros);
    }
    return load_columns(d, d->s->a, at, d->vector_by, count);
}

static element load_factor_of_a(direct *d, const direct_place *p, loop_value count)
{
    const element x = d->by_columns ? load_across(d, p, count) : load_along(d, p);
    return element_cast(d->b, x, d->form);
}

/* ---- the factors of B ---- */

static bool next_position(int64_t *at, const contract_axis *axes, uint32_t low, uint32_t high)
{
    for (uint32_t i = high; i-- > low;) {
        if (++at[i] < axes[i].extent)
            return true;
        at[i] = 0;
    }
    return false;
}

/* That of product K and of the columns at N, from the address FROM on. */
static element load_factor(const direct *d, loop_value from, const int64_t *k, const int64_t *n,
                           loop_value count)
{
    const contract_spec *s = d->s;
    loop_builder *b = d->b;
    const int64_t bytes = (int64_t)dtype_bytes(s->b);
    int64_t at = 0;
    for (uint32_t i = 0; i < s->n_n && !d->by_columns; i++)
        at += n[i] * s->n[i].b;
    for (uint32_t i = 0; i < s->n_k; i++)
        at += k[i] * s->k[i].b;
    const loop_value p = loop_at(b, from, at * bytes);
    const element x = d->by_columns ? load_columns(d, s->b, p, s->n[d->vector].b, count)
                                    : element_load(b, s->b, p, 1, (uint32_t)bytes);
    return element_splat(b, d->lanes, element_cast(b, x, d->form));
}

/* All of them, before the loops over the results: COLUMN by product. */
static void load_factors(direct *d, loop_value from, loop_value count)
{
    const contract_spec *s = d->s;
    const int64_t products = axes_positions(s->k, s->n_k);
    int64_t n[CONTRACT_MAX_AXES] = {0};
    memset(d->is_loaded, true, sizeof d->is_loaded);
    for (int64_t column = 0; column < d->columns; column++) {
        int64_t k[CONTRACT_MAX_AXES] = {0};
        for (int64_t number = 0; number < products; number++) {
            d->factor[column * products + number] = load_factor(d, from, k, n, count);
            (void)next_position(k, s->k, 0, s->n_k);
        }
        (void)next_position(n, s->n, 0, s->n_n);
    }
}

/* ---- a block ---- */

static int64_t number_of(const int64_t *at, const contract_axis *axes, uint32_t n)
{
    int64_t number = 0;
    for (uint32_t i = 0; i < n; i++)
        number = number * axes[i].extent + at[i];
    return number;
}

/* The product K of result NUMBER of the block. */
static void add_product(direct *d, const int64_t *k, int64_t result, element x)
{
    const int64_t products = axes_positions(d->s->k, d->s->n_k),
                  number = number_of(k, d->s->k, d->s->n_k);
    if (!d->is_loaded[number]) {
        d->factor[number] = load_factor(d, d->factors_at, k, NULL, d->factors_count);
        d->is_loaded[number] = true;
    }
    for (int64_t column = 0; column < d->columns; column++) {
        element *sum = &d->sums[result * d->columns + column];
        *sum = element_fma(d->b, x, d->factor[column * products + number], *sum);
    }
}

/* Which position along its axis of K makes result N of SIDE meet place AT of the window; -1: none.
 */
static int64_t tap_of(const direct *d, const direct_side *side, int64_t at, int64_t n)
{
    const int64_t left = at - n * side->by;
    const bool is_met = left >= 0 && left % side->slide_by == 0 &&
                        left / side->slide_by < d->s->k[side->slides].extent;
    return is_met ? left / side->slide_by : -1;
}

/* The element of A at place Y of the lines and X of the rows meets all results that have a product
 * there; K has the position along the other axes. */
static void meet(direct *d, int64_t *k, int64_t y, int64_t x, int64_t rows, loop_value count)
{
    bool is_loaded = false;
    element a = {0};
    for (int64_t line = 0; line < d->lines.extent; line++) {
        const int64_t outer = d->lines.slides == NO_AXIS ? 0 : tap_of(d, &d->lines, y, line);
        for (int64_t row = 0; row < rows && outer >= 0; row++) {
            const int64_t inner = tap_of(d, &d->rows, x, row);
            if (inner < 0)
                continue;
            if (d->lines.slides != NO_AXIS)
                k[d->lines.slides] = outer;
            k[d->rows.slides] = inner;
            if (!is_loaded) {
                const direct_place p = place_of(d, k, line, row);
                a = load_factor_of_a(d, &p, count);
                is_loaded = true;
            }
            add_product(d, k, line * rows + row, a);
        }
    }
}

/* The products of ROWS rows of each line, those of each result in order. */
static void add_products(direct *d, int64_t rows, loop_value count)
{
    const contract_spec *s = d->s;
    int64_t k[CONTRACT_MAX_AXES] = {0};
    const uint32_t slides = d->rows.slides;
    if (slides == NO_AXIS) {
        do
            for (int64_t row = 0; row < rows; row++) {
                const direct_place p = place_of(d, k, 0, row);
                add_product(d, k, row, load_factor_of_a(d, &p, count));
            }
        while (next_position(k, s->k, 0, s->n_k));
        return;
    }
    const uint32_t outside = d->lines.slides == NO_AXIS ? slides : d->lines.slides;
    const uint32_t between = d->lines.slides == NO_AXIS ? slides : outside + 1;
    do /* the axes outside of those that slide */
        for (int64_t y = 0; y < direct_places(d, &d->lines, d->lines.extent); y++)
            do /* those between them */
                for (int64_t x = 0; x < direct_places(d, &d->rows, rows); x++)
                    do /* those inside */
                        meet(d, k, y, x, rows, count);
                    while (next_position(k, s->k, slides + 1, s->n_k));
            while (next_position(k, s->k, between, slides));
    while (next_position(k, s->k, 0, outside));
}

static void finish_vector(direct *d, element total, int64_t line, int64_t row, const int64_t *n,
                          loop_value count)
{
    const contract_spec *s = d->s;
    loop_builder *b = d->b;
    loop_value m = LOOP_NO_VALUE, column = loop_i64(b, 0), at = loop_i64(b, s->c_first);
    if (s->sum != d->form)
        total = (element){s->sum, element_round(b, s->sum, total.re), LOOP_NO_VALUE};
    for (uint32_t i = 0; i < s->n_m; i++) {
        loop_value here = i == d->rows.axis    ? int_add(b, d->row, loop_i64(b, row))
                          : i == d->lines.axis ? int_add(b, d->m[i], loop_i64(b, line))
                          : !d->by_columns && i == d->vector ? d->at
                                                             : d->m[i];
        m = m == LOOP_NO_VALUE ? here : int_add(b, int_times(b, m, s->m[i].extent), here);
        at = int_add(b, at, int_times(b, here, s->m[i].c));
    }
    for (uint32_t i = 0; i < s->n_n; i++) {
        const loop_value here = d->by_columns && i == d->vector ? d->at : loop_i64(b, n[i]);
        column = int_add(b, int_times(b, column, s->n[i].extent), here);
        at = int_add(b, at, int_times(b, here, s->n[i].c));
    }
    m = m == LOOP_NO_VALUE ? loop_i64(b, 0) : m;
    walk c;
    walk_init(&c);
    for (uint32_t i = 0; i < s->n_batch; i++)
        walk_add(&c, axis_extent(&s->batch[i]), axis_c(&s->batch[i]));
    const uint32_t bytes = (uint32_t)dtype_bytes(s->c);
    const contract_part part = {.value = element_cast(b, total, s->c),
                                .is_column = s->is_transposed == d->by_columns,
                                .lanes = d->lanes,
                                .count = count,
                                .batch = d->batch,
                                .m = s->is_transposed ? column : m,
                                .n = s->is_transposed ? m : column,
                                .at = int_add(b, at, walk_emit(b, &c, d->batch)),
                                .step = {1, 1},
                                .align = bytes};
    if (s->finish) {
        s->finish(s->user_finish, b, &part);
        return;
    }
    const loop_value to = loop_offset(b, d->c, int_times(b, part.at, bytes));
    if (count == LOOP_NO_VALUE)
        element_store(b, to, part.value, bytes);
    else
        element_store_first(b, to, part.value, count, bytes);
}

/* The results of a block of ROWS rows a line, of which COUNT lanes exist, are finished. */
static void finish_block(direct *d, int64_t rows, loop_value count)
{
    for (int64_t i = 0; i < d->lines.extent * rows; i++) {
        int64_t n[CONTRACT_MAX_AXES] = {0};
        for (int64_t column = 0; column < d->columns; column++) {
            finish_vector(d, d->sums[i * d->columns + column], i / rows, i % rows, n, count);
            (void)next_position(n, d->s->n, 0, d->by_columns ? 0 : d->s->n_n);
        }
    }
}

/* The results of such a block. Only the last vector of a row is partial. */
static void emit_results(direct *d, int64_t rows, loop_value count)
{
    loop_builder *b = d->b;
    const element zero = element_zero(b, d->form, d->lanes);
    if (d->streams)
        memset(d->is_loaded, false, sizeof d->is_loaded);
    for (int64_t i = 0; i < d->lines.extent * rows * d->columns; i++)
        d->sums[i] = zero;
    d->has_pair = false;
    add_products(d, rows, count);
    const int64_t extent = d->by_columns ? d->s->n[d->vector].extent : d->s->m[d->vector].extent;
    const bool may_be_whole = d->stores_parts_slowly && count != LOOP_NO_VALUE && extent > d->lanes;
    if (may_be_whole) {
        loop_if(b, loop_binary(b, LOOP_IEQ, count, loop_i64(b, d->lanes)));
        finish_block(d, rows, LOOP_NO_VALUE);
        loop_else(b);
        count = loop_i64(b, extent % d->lanes);
    }
    finish_block(d, rows, count);
    if (may_be_whole)
        loop_end(b);
}

/* How many places a block of ROWS rows can have in window W so that all is inside. */
static int64_t room_in(const direct *d, uint32_t w, int64_t rows)
{
    const contract_spec *s = d->s;
    int64_t reach = 0;
    for (uint32_t i = 0; i < s->windows[w].n; i++)
        if (s->windows[w].walkers[i].list == CONTRACT_K)
            reach += (s->k[s->windows[w].walkers[i].axis].extent - 1) * s->windows[w].walkers[i].by;
    if (w == d->rows.in)
        reach += (rows - 1) * d->rows.by;
    if (w == d->lines.in)
        reach += (d->lines.extent - 1) * d->lines.by;
    if (w == d->vector_in)
        reach += (int64_t)d->lanes * d->vector_by - 1;
    const int64_t room = s->windows[w].extent - reach;
    return room > 0 ? room : 0;
}

/* Is there a block of ROWS rows that lies inside of their window? */
static bool is_ever_inside(const direct *d, int64_t rows)
{
    const direct_side *side = &d->rows;
    const uint32_t w = side->in;
    if (side->axis == NO_AXIS || w == d->s->n_windows || !d->is_bounded[w] ||
        d->s->windows[w].n != 2)
        return true;
    const int64_t extent = d->s->m[side->axis].extent, whole = extent - extent % side->extent;
    const int64_t low = d->s->windows[w].low, room = room_in(d, w, rows);
    bool any = false;
    for (int64_t row = rows == side->extent ? 0 : whole; row < extent; row += side->extent) {
        const int64_t at = row * side->by - low;
        any = any || (at >= 0 && at < room);
    }
    return any;
}

/* Is all that a block of ROWS rows reads inside of the windows? LOOP_NO_VALUE: it always is. */
static loop_value is_all_inside(const direct *d, int64_t rows)
{
    loop_builder *b = d->b;
    loop_value all = LOOP_NO_VALUE;
    for (uint32_t w = 0; w < d->s->n_windows; w++) {
        if (w != d->vector_in && !d->is_bounded[w])
            continue;
        const loop_value here =
            loop_binary(b, LOOP_IULT, d->in[w], loop_i64(b, room_in(d, w, rows)));
        all = all == LOOP_NO_VALUE ? here : loop_binary(b, LOOP_AND, all, here);
    }
    return all;
}

static void emit_block(direct *d, int64_t rows, loop_value count)
{
    const contract_spec *s = d->s;
    loop_builder *b = d->b;
    loop_value from =
        int_add(b, int_times(b, d->at, d->by_columns ? d->vector_by : 0), loop_i64(b, s->a_first));
    walk batch;
    walk_init(&batch);
    for (uint32_t i = 0; i < s->n_batch; i++)
        walk_add(&batch, axis_extent(&s->batch[i]), axis_a(&s->batch[i]));
    from = int_add(b, from, walk_emit(b, &batch, d->batch));
    for (uint32_t w = 0; w < s->n_windows; w++)
        d->in[w] = loop_i64(b, -s->windows[w].low);
    for (uint32_t i = 0; i < s->n_m; i++) {
        int64_t by;
        const uint32_t w = direct_window_of(s, CONTRACT_M, i, &by);
        const loop_value here = i == d->rows.axis                  ? d->row
                                : !d->by_columns && i == d->vector ? d->at
                                                                   : d->m[i];
        from = int_add(b, from, int_times(b, here, s->m[i].a));
        if (w < s->n_windows)
            d->in[w] = int_add(b, d->in[w], int_times(b, here, by));
    }
    for (uint32_t w = 0; w < s->n_windows; w++) {
        for (uint32_t i = 0; i < s->windows[w].n; i++)
            if (s->windows[w].walkers[i].list == CONTRACT_BATCH)
                d->in[w] = int_add(b, d->in[w],
                                   int_times(b, d->batch_at[s->windows[w].walkers[i].axis],
                                             s->windows[w].walkers[i].by));
        from = int_add(b, from, int_times(b, d->in[w], s->windows[w].step));
    }
    d->from = loop_offset(b, d->a, int_times(b, from, (int64_t)dtype_bytes(s->a)));
    if (d->plane_size > 0) {
        emit_results(d, rows, count);
        return;
    }
    d->is_guarded = !is_ever_inside(d, rows);
    const loop_value inside = d->is_guarded ? (loop_value)LOOP_NO_VALUE : is_all_inside(d, rows);
    if (inside == LOOP_NO_VALUE) {
        emit_results(d, rows, count);
        return;
    }
    loop_if(b, inside);
    emit_results(d, rows, count);
    loop_else(b);
    d->is_guarded = true;
    emit_results(d, rows, count);
    loop_end(b);
}

/* WORK for all rows, by blocks. */
static void each_rows(direct *d, loop_value count, void (*work)(direct *, int64_t, loop_value))
{
    loop_builder *b = d->b;
    const int64_t extent = d->rows.axis == NO_AXIS ? 1 : d->s->m[d->rows.axis].extent;
    const int64_t whole = extent - extent % d->rows.extent;
    d->row = loop_for(b, loop_i64(b, 0), loop_i64(b, whole), d->rows.extent);
    work(d, d->rows.extent, count);
    loop_end(b);
    if (extent > whole) {
        d->row = loop_i64(b, whole);
        work(d, extent - whole, count);
    }
}

static void each_vector(direct *d, int64_t rows, loop_value count)
{
    loop_builder *b = d->b;
    const int64_t extent = d->s->m[d->vector].extent, rest = extent % d->lanes;
    (void)count;
    d->at = loop_for(b, loop_i64(b, 0), loop_i64(b, extent), d->lanes);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, extent), d->at);
    emit_block(d, rows,
               rest == 0 ? (loop_value)LOOP_NO_VALUE : loop_min(b, left, loop_i64(b, d->lanes)));
    loop_end(b);
}

/* Begin a loop over the vectors of columns; how many lanes exist. */
static loop_value begin_columns(direct *d)
{
    loop_builder *b = d->b;
    const int64_t extent = d->s->n[d->vector].extent;
    d->at = loop_for(b, loop_i64(b, 0), loop_i64(b, extent), d->lanes);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, extent), d->at);
    return extent % d->lanes ? loop_min(b, left, loop_i64(b, d->lanes)) : (loop_value)LOOP_NO_VALUE;
}

static void each_column(direct *d, int64_t rows, loop_value count)
{
    const int64_t step = d->s->n[d->vector].b * (int64_t)dtype_bytes(d->s->b);
    const loop_value all = d->factors_at;
    (void)count;
    d->factors_count = begin_columns(d);
    d->factors_at = loop_offset(d->b, all, int_times(d->b, d->at, step));
    emit_block(d, rows, d->factors_count);
    loop_end(d->b);
    d->factors_at = all;
}

/* The first element of A that the item has. */
static loop_value first_of_item(const direct *d)
{
    const contract_spec *s = d->s;
    loop_builder *b = d->b;
    walk batch;
    walk_init(&batch);
    for (uint32_t i = 0; i < s->n_batch; i++)
        walk_add(&batch, axis_extent(&s->batch[i]), axis_a(&s->batch[i]));
    loop_value from = int_add(b, loop_i64(b, s->a_first), walk_emit(b, &batch, d->batch));
    for (uint32_t i = 0; i < s->n_m; i++)
        if (i != d->rows.axis && i != d->vector)
            from = int_add(b, from, int_times(b, d->m[i], s->m[i].a));
    return from;
}

/* From here on the blocks of the item read what is copied. */
static void read_plane(direct *d)
{
    direct_copy_plane(d, first_of_item(d));
    d->s = &d->plane;
    d->a = d->plane_at;
}

static void emit_item(direct *d, loop_value item)
{
    const contract_spec *s = d->s;
    loop_builder *b = d->b;
    for (uint32_t i = s->n_m; i-- > 0;) {
        if (i == d->rows.axis || (!d->by_columns && i == d->vector))
            continue;
        const int64_t each = i == d->lines.axis ? d->lines.extent : 1, n = s->m[i].extent / each;
        d->m[i] = int_times(b, int_modulo(b, item, n), each);
        item = int_divided(b, item, n);
    }
    d->batch = item;
    for (uint32_t i = s->n_batch; i-- > 0;) {
        d->batch_at[i] = int_modulo(b, item, s->batch[i].extent);
        item = int_divided(b, item, s->batch[i].extent);
    }
    walk batch;
    walk_init(&batch);
    for (uint32_t i = 0; i < s->n_batch; i++)
        walk_add(&batch, axis_extent(&s->batch[i]), axis_b(&s->batch[i]));
    const loop_value from = int_add(b, loop_i64(b, s->b_first), walk_emit(b, &batch, d->batch));
    const int64_t bytes = (int64_t)dtype_bytes(s->b);
    if (!d->by_columns) {
        if (d->plane_size > 0)
            read_plane(d);
        load_factors(d, loop_offset(b, d->b_at, int_times(b, from, bytes)), LOOP_NO_VALUE);
        each_rows(d, LOOP_NO_VALUE, each_vector);
        return;
    }
    d->factors_at = loop_offset(b, d->b_at, int_times(b, from, bytes));
    if (d->streams) {
        each_rows(d, LOOP_NO_VALUE, each_column);
        return;
    }
    const loop_value all = d->factors_at;
    const loop_value count = begin_columns(d);
    load_factors(d, loop_offset(b, all, int_times(b, d->at, s->n[d->vector].b * bytes)), count);
    each_rows(d, count, emit_block);
    loop_end(b);
}

const loop_program *contract_direct(const contract_spec *s, const machine *on, arena *memory,
                                    int64_t *work, const char **fault)
{
    direct *d = ARENA_NEW(memory, direct);
    loop_builder b;
    if (!d || !direct_init(d, s, on))
        return NULL;
    *work = axes_positions(s->batch, s->n_batch);
    for (uint32_t i = 0; i < s->n_m; i++)
        if (i != d->rows.axis && (d->by_columns || i != d->vector))
            *work *= s->m[i].extent / (i == d->lines.axis ? d->lines.extent : 1);
    loop_init(&b, memory);
    d->b = &b;
    d->a = loop_buffer(&b, CONTRACT_A);
    d->b_at = loop_buffer(&b, CONTRACT_B);
    d->c = s->finish ? 0 : loop_buffer(&b, CONTRACT_C);
    d->streams = d->by_columns && s->n[d->vector].b == 1;
    const int64_t room = (int64_t)d->lanes * d->vector_by * (int64_t)dtype_bytes(s->a);
    if (direct_choose_plane(d, on)) {
        direct_open_plane(d);
    } else {
        d->plane_size = 0;
        d->zeros = loop_scratch(&b, (uint64_t)(room + 8));
        for (int64_t i = 0; i < room; i += 8)
            loop_store(&b, loop_at(&b, d->zeros, i), loop_i64(&b, 0), 8);
    }
    emit_item(d,
              loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1));
    loop_end(&b);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
