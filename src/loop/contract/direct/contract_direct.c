/* Contractions of few products: vectors of results go along an axis that A has, too, and a block of
 * them stays in registers while A streams past.
 *
 * The vectors go along the last axis of N where A has a step there (depthwise convolution, channels
 * last), or along the axis of M that is contiguous in results (channels first). Another axis of M
 * gives the rows of a block, and where vectors go along N a third one lines of rows. Where their
 * windows overlap, each vector of A is loaded once and takes part in all of the results that have a
 * product there. Blocks that reach beyond a window have code of their own. */
#include "loop/contract/direct/contract_direct_parts.h"

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
        d->factor[number] = direct_load_factor(d, d->factors_at, k, NULL, d->factors_count);
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
                const direct_place p = direct_place_of(d, k, line, row);
                a = direct_load_a(d, &p, count);
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
                const direct_place p = direct_place_of(d, k, 0, row);
                add_product(d, k, row, direct_load_a(d, &p, count));
            }
        while (direct_next_position(k, s->k, 0, s->n_k));
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
                    while (direct_next_position(k, s->k, slides + 1, s->n_k));
            while (direct_next_position(k, s->k, between, slides));
    while (direct_next_position(k, s->k, 0, outside));
}

/* TOTAL: of the vector at N in row ROW of line LINE of a block of ROWS rows. */
static void finish_vector(direct *d, element total, int64_t line, int64_t row, int64_t rows,
                          const int64_t *n, loop_value count)
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
                                .align = bytes,
                                .next = d->fetches_c ? rows * s->m[d->rows.axis].c : 0};
    if (s->finish) {
        s->finish(s->user_finish, b, &part);
        return;
    }
    const loop_value to = loop_offset(b, d->c, int_times(b, part.at, bytes));
    if (part.next != 0)
        loop_prefetch_far(b, loop_at(b, to, part.next * (int64_t)bytes));
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
            finish_vector(d, d->sums[i * d->columns + column], i / rows, i % rows, rows, n, count);
            (void)direct_next_position(n, d->s->n, 0, d->by_columns ? 0 : d->s->n_n);
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
    if (d->fetches_a)
        direct_fetch_a(d, rows);
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
        direct_load_factors(d, loop_offset(b, d->b_at, int_times(b, from, bytes)), LOOP_NO_VALUE);
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
    direct_load_factors(d, loop_offset(b, all, int_times(b, d->at, s->n[d->vector].b * bytes)),
                        count);
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
    direct_choose_fetches(d);
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
