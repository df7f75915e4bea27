/* The multiplier: blocks of results whose sums stay in registers.
 *
 * A work item is one block of rows times one panel of columns. For each CONTRACT_BLOCK of products
 * the block's chains run in registers, then join the totals, which lie on the stack; when all are
 * done the totals are finished and stored, once. */
#include "loop/contract/contract_multiply.h"

static int64_t total_bytes(const problem *p) /* of a vector */
{
    return p->lanes * p->bytes * p->parts;
}

/* ---- totals ---- */

static loop_value total_at(multiplier *g, uint32_t row, uint32_t v)
{
    return loop_at(g->b, g->totals, row * g->total_step + v * total_bytes(g->p));
}

/* LANES of one row: those of a vector, or of several where totals have one part. */
static element load_totals(multiplier *g, loop_value at, uint32_t lanes)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_type t = loop_type_of(p->elem, lanes);
    const uint32_t align = (uint32_t)p->bytes * p->lanes;
    element x = {p->form, loop_load(b, t, at, align), LOOP_NO_VALUE};
    if (p->parts == 2)
        x.im = loop_load(b, t, loop_at(b, at, (int64_t)lanes * p->bytes), align);
    return x;
}

static element load_total(multiplier *g, loop_value at)
{
    return load_totals(g, at, g->p->lanes);
}

static void store_total(multiplier *g, loop_value at, element x)
{
    const problem *p = g->p;
    const uint32_t align = (uint32_t)p->bytes * p->lanes;
    loop_store(g->b, at, x.re, align);
    if (p->parts == 2)
        loop_store(g->b, loop_at(g->b, at, (int64_t)p->lanes * p->bytes), x.im, align);
}

/* ---- finishing ---- */

static void store_part(multiplier *g, const contract_part *part)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t bytes = (int64_t)dtype_bytes(p->spec.c);
    const loop_value to = loop_offset(b, g->c, int_times(b, part->at, bytes));
    if (part->step.now == 1 || part->lanes == 1) {
        if (part->count == LOOP_NO_VALUE)
            element_store(b, to, part->value, part->align);
        else
            element_store_first(b, to, part->value, part->count, part->align);
        return;
    }
    for (uint32_t i = 0; i < part->lanes; i++) {
        if (part->count != LOOP_NO_VALUE)
            loop_if(b, loop_binary(b, LOOP_ILT, loop_i64(b, i), part->count));
        element_store(b, int_behind(b, to, sized_mul(part->step, sized_of(i * bytes))),
                      element_lane(b, part->value, i), part->align);
        if (part->count != LOOP_NO_VALUE)
            loop_end(b);
    }
}

/* A total as the result's dtype: rounded once, or twice where a narrow accumulator was asked for.
 */
static element as_result(multiplier *g, element total)
{
    const contract_spec *s = &g->p->spec;
    if (s->sum != g->p->form)
        total = (element){s->sum, element_round(g->b, s->sum, total.re), LOOP_NO_VALUE};
    return element_cast(g->b, total, s->c);
}

/* Steps of C along the lanes of finished vectors. */
static sized finished_step(const multiplier *g)
{
    const walk *w = g->finishes_columns ? &g->p->c_m : &g->p->c_n;
    return w->n ? walk_sized_step(w) : sized_of(1);
}

void contract_finish_vector(multiplier *g, element total, loop_value row, loop_value column,
                            loop_value count)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const uint32_t bytes = (uint32_t)dtype_bytes(p->spec.c);
    b->spares_registers = true; /* the loops over products have none to spare */
    contract_part part = {.value = as_result(g, total),
                          .is_column = p->spec.is_transposed != g->finishes_columns,
                          .lanes = element_lanes(b, total),
                          .count = count,
                          .batch = g->batch,
                          .m = p->spec.is_transposed ? column : row,
                          .n = p->spec.is_transposed ? row : column,
                          .step = finished_step(g),
                          .align = dtype_is_complex(p->spec.c) ? bytes / 2 : bytes};
    part.at = int_add(b, g->c_batch, walk_emit(b, &p->c_m, row));
    part.at = int_add(b, part.at, walk_emit(b, &p->c_n, column));
    if (p->spec.finish)
        p->spec.finish(p->spec.user_finish, b, &part);
    else
        store_part(g, &part);
    b->spares_registers = false;
}

/* Where blocks have many heights, that is more code: the highest ones are. */
static bool is_finished_in_registers(const multiplier *g, int64_t height)
{
    const problem *p = g->p;
    return !g->finishes_columns && p->k <= CONTRACT_BLOCK && !has_any_order(p) && !p->is_tiled &&
           (!p->spec.finish || p->spec.finish_is_small) && (p->least == 0 || height >= p->most - 1);
}

/* The sums of rows LOW .. HIGH - 1 of the block, which are their totals. */
static void finish_rows(multiplier *g, uint32_t low, uint32_t high)
{
    loop_builder *b = g->b;
    const uint32_t lanes = g->p->lanes;
    for (uint32_t r = low; r < high; r++)
        for (uint32_t v = 0; v < g->nv; v++) {
            const int64_t left = g->columns - (int64_t)v * lanes;
            contract_finish_vector(g, element_get(b, g->sums[r * g->nv + v]),
                                   int_add(b, g->row, loop_i64(b, r)),
                                   int_add(b, g->column, loop_i64(b, (int64_t)v * lanes)),
                                   left < lanes ? loop_i64(b, left) : (loop_value)LOOP_NO_VALUE);
        }
}

static void finish_registers(multiplier *g)
{
    const bool may_belong = g->belongs != LOOP_NO_VALUE;
    const uint32_t first = may_belong ? (uint32_t)g->p->unit : 0;
    finish_rows(g, first, g->rows);
    if (may_belong) {
        loop_if(g->b, g->belongs);
        finish_rows(g, 0, first);
        loop_end(g->b);
    }
}

/* Pairs of vectors where that comes out even: the operations of one fill the time that those of the
 * other take. */
static uint32_t finished_lanes(const problem *p)
{
    const int64_t pair = 2 * (int64_t)p->lanes;
    const bool is_even = !p->has_dynamic_n && p->n % pair == 0 && columns_of(p) % pair == 0;
    const bool is_plain = p->parts == 1 && p->c_n.n == 1 && walk_step(&p->c_n) == 1;
    return is_even && is_plain && pair <= LOOP_MAX_LANES ? (uint32_t)pair : p->lanes;
}

/* The totals of ROWS rows (i64), of COLUMNS columns (i64). */
static void finish_totals(multiplier *g, loop_value rows, loop_value columns)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (g->finishes_columns) {
        contract_finish_columns(g, rows, columns);
        return;
    }
    const loop_value r = loop_for(b, loop_i64(b, 0), rows, 1);
    const loop_value at = loop_offset(b, g->totals, int_times(b, r, g->total_step));
    const loop_value row = int_add(b, g->row, r);
    const uint32_t lanes = finished_lanes(p);
    const loop_value first = loop_for(b, loop_i64(b, 0), columns, lanes);
    const loop_value column = int_add(b, g->column, first);
    const element total =
        load_totals(g, loop_offset(b, at, int_times(b, first, p->bytes * p->parts)), lanes);
    const loop_value left = loop_binary(b, LOOP_ISUB, columns, first);
    if (p->n % p->lanes == 0 && !p->has_dynamic_n) {
        contract_finish_vector(g, total, row, column, LOOP_NO_VALUE);
    } else if (p->n < p->lanes && !p->has_dynamic_n) {
        contract_finish_vector(g, total, row, column, left);
    } else {
        loop_if(b, loop_binary(b, LOOP_ILT, left, loop_i64(b, p->lanes)));
        contract_finish_vector(g, total, row, column, left);
        loop_else(b);
        contract_finish_vector(g, total, row, column, LOOP_NO_VALUE);
        loop_end(b);
    }
    loop_end(b);
    loop_end(b);
}

/* ---- blocks ---- */

/* -0, or 0 of integers: x + it is x, bit for bit. */
static element start_of_totals(multiplier *g)
{
    element e = {0};
    (void)element_identity(g->b, FOLD_SUM, g->p->form, g->p->lanes, &e);
    return e;
}

/* The sums of rows LOW .. HIGH - 1 of a chunk become totals, or join them. */
static void join_rows(multiplier *g, uint32_t low, uint32_t high, bool are_first)
{
    loop_builder *b = g->b;
    for (uint32_t i = low * g->nv; i < high * g->nv; i++) {
        const loop_value at = total_at(g, i / g->nv, i % g->nv);
        element sum = element_get(b, g->sums[i]);
        if (!are_first)
            sum = element_combine(b, FOLD_SUM, load_total(g, at), sum);
        store_total(g, at, sum);
    }
}

/* The sums of a chunk of the block's own rows. */
static void join_own_rows(multiplier *g, bool are_first)
{
    const bool may_belong = g->belongs != LOOP_NO_VALUE;
    const uint32_t first = may_belong ? (uint32_t)g->p->unit : 0;
    join_rows(g, first, g->rows, are_first);
    if (may_belong) {
        loop_if(g->b, g->belongs);
        join_rows(g, 0, first, are_first);
        loop_end(g->b);
    }
}

static void join_chunk(multiplier *g)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (p->k <= CONTRACT_BLOCK) {
        join_own_rows(g, true);
        return;
    }
    loop_if(b, loop_binary(b, LOOP_IEQ, g->first, loop_i64(b, 0)));
    join_own_rows(g, true);
    loop_else(b);
    join_own_rows(g, false);
    loop_end(b);
}

/* Every line of the block's totals, which its sums join later. */
static void fetch_totals(multiplier *g)
{
    const int64_t vectors = LOOP_ALIGN / total_bytes(g->p); /* of a line */
    const uint32_t step = vectors > 1 ? (uint32_t)vectors : 1;
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t v = 0; v < g->nv; v += step)
            loop_prefetch(g->b, total_at(g, r, v));
}

/* The totals of a block of ROWS rows and COLUMNS columns. */
static void emit_tile(multiplier *g, uint32_t rows, int64_t columns)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const bool has_blocks = p->k > CONTRACT_BLOCK || p->has_dynamic_k;
    const loop_value products = products_size(b, p, SIZE_PRODUCTS, p->k);
    g->rows = rows;
    g->columns = columns;
    g->nv = (uint32_t)((columns + p->lanes - 1) / p->lanes);
    for (uint32_t r = 0; r < rows; r++)
        g->row_at[r] = sized_mul(p->has_any_rows ? walk_along(&p->a_m, r) : walk_at(&p->a_m, r),
                                 sized_of(p->bytes * p->parts));
    if (p->has_block_pairs) {
        store_total(g, total_at(g, 0, 0), contract_block_pair(g));
        return;
    }
    const element zero = element_zero(b, p->form, p->lanes);
    for (uint32_t i = 0; i < (rows + (p->offset != 0)) * g->nv; i++)
        g->sums[i] = element_var(b, zero);
    if (g->is_tiled) {
        fetch_totals(g);
        emit_chunk(g);
        join_chunk(g);
        return;
    }
    if (!has_blocks) {
        if (p->k > 0)
            emit_block(g, loop_i64(b, 0), products);
        if (g->totals == LOOP_NO_VALUE) {
            finish_registers(g);
            return;
        }
    } else {
        const element start = start_of_totals(g);
        for (uint32_t i = 0; i < rows * g->nv; i++)
            store_total(g, total_at(g, i / g->nv, i % g->nv), start);
        const loop_value first = loop_for(b, loop_i64(b, 0), products, CONTRACT_BLOCK);
        const loop_value left = loop_binary(b, LOOP_ISUB, products, first);
        emit_block(g, first,
                   p->k % CONTRACT_BLOCK == 0 && !p->has_dynamic_k
                       ? loop_i64(b, CONTRACT_BLOCK)
                       : loop_min(b, left, loop_i64(b, CONTRACT_BLOCK)));
    }
    for (uint32_t i = 0; i < rows * g->nv; i++) {
        const loop_value at = total_at(g, i / g->nv, i % g->nv);
        element sum = element_get(b, g->sums[i]);
        if (has_blocks)
            sum = element_combine(b, FOLD_SUM, load_total(g, at), sum);
        store_total(g, at, sum);
    }
    if (has_blocks)
        loop_end(b);
}

loop_value multiplier_panels(const multiplier *g, int64_t by)
{
    const problem *p = g->p;
    if (p->sides > 1)
        return int_times(g->b, loop_size(g->b, SIZE_PANELS, p->panels), by);
    return loop_sized(g->b, sized_mul(sized_of(by), all_panels(p)));
}

loop_value multiplier_last_panel(const multiplier *g)
{
    if (g->p->sides > 1)
        return loop_binary(g->b, LOOP_ISUB, multiplier_panels(g, 1), loop_i64(g->b, 1));
    return loop_sized(g->b, sized_add(all_panels(g->p), sized_of(-1)));
}

/* X times the packed panels that a block meets. */
static loop_value times_side(const multiplier *g, loop_value x)
{
    const problem *p = g->p;
    if (p->sides > 1)
        return loop_binary(g->b, LOOP_IMUL, x, loop_size(g->b, SIZE_SIDE, p->side_now));
    return int_times(g->b, x, p->side);
}

/* A panel of columns in place of which their number is dynamic: those that do not exist are not
 * read. */
static void emit_any_columns(multiplier *g, uint32_t rows)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value all = loop_size(b, SIZE_COLUMNS, p->n);
    const loop_value left = loop_binary(b, LOOP_ISUB, all, g->column);
    loop_if(b, loop_binary(b, LOOP_ILT, left, loop_i64(b, columns_of(p))));
    g->fewer = left;
    g->has_fewer = true;
    emit_tile(g, rows, columns_of(p));
    g->has_fewer = false;
    loop_else(b);
    emit_tile(g, rows, columns_of(p));
    loop_end(b);
}

/* The last panel may have fewer columns; where their number is dynamic, what is computed for others
 * is not stored. */
static void emit_panels(multiplier *g, uint32_t rows, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (p->has_dynamic_n && p->b_form == B_COLUMNS) {
        emit_any_columns(g, rows);
        return;
    }
    const int64_t rest = p->has_dynamic_n ? 0 : p->n % columns_of(p);
    if (rest > 0 && p->n > columns_of(p)) {
        loop_if(b, loop_binary(b, LOOP_ILT, panel, multiplier_last_panel(g)));
        emit_tile(g, rows, columns_of(p));
        loop_else(b);
        emit_tile(g, rows, rest);
        loop_end(b);
    } else {
        emit_tile(g, rows, rest > 0 ? rest : columns_of(p));
    }
}

/* The number of BLOCK in its part of the rows. */
static loop_value part_of(multiplier *g, loop_value block)
{
    const problem *p = g->p;
    if (!p->is_dynamic)
        return int_modulo(g->b, block, p->split);
    return p->outer == 1
               ? block
               : loop_binary(g->b, LOOP_UREM, block, size_of(g->b, p, SIZE_SPLIT, p->split));
}

/* Blocks number `longer` and after have one unit less. */
loop_value multiplier_row(multiplier *g, loop_value block)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value part = part_of(g, block);
    const loop_value before =
        p->least > 0 ? loop_binary(b, LOOP_IMUL, part, size_of(b, p, SIZE_BASE, p->base))
                     : int_times(b, part, p->base);
    const loop_value units =
        int_add(b, before, loop_min(b, part, size_of(b, p, SIZE_LONGER, p->longer)));
    const int64_t outer_rows = (p->split * p->base + p->longer) * p->unit;
    if (p->is_dynamic && p->outer == 1)
        return int_times(b, units, p->unit);
    if (p->is_dynamic) {
        const loop_value outer =
            loop_binary(b, LOOP_UDIV, block, size_of(b, p, SIZE_SPLIT, p->split));
        const loop_value rows = size_of(b, p, SIZE_OUTER_ROWS, outer_rows);
        return int_add(b, loop_binary(b, LOOP_IMUL, outer, rows), int_times(b, units, p->unit));
    }
    return int_add(b, int_times(b, int_divided(b, block, p->split), outer_rows),
                   int_times(b, units, p->unit));
}

/* Where A's row ROW of the batch begins, in elements. */
static loop_value row_of_a(multiplier *g, loop_value row)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (p->spec.a_in_scratch)
        return walk_emit(b, &p->a_m, loop_binary(b, LOOP_ISUB, row, g->first_row));
    const loop_value at =
        int_add(b, walk_emit(b, &p->a_batch, g->batch), walk_emit(b, &p->a_m, row));
    return int_add(b, at, loop_sized(b, (sized){p->spec.a_first, p->spec.a_first_other}));
}

/* A block of HEIGHT units. */
static void emit_height(multiplier *g, int64_t height, loop_value panel)
{
    problem *p = g->p;
    const loop_value totals = g->totals;
    const uint32_t nv = p->nv;
    if (is_finished_in_registers(g, height))
        g->totals = LOOP_NO_VALUE;
    if (height <= p->few)
        p->nv *= p->sides;
    emit_panels(g, (uint32_t)(height * p->unit), panel);
    p->nv = nv;
    g->totals = totals;
}

/* A block of UNITS units (i64): from `most` to `least` of them, or from `few` on. */
static void emit_heights(multiplier *g, loop_value units, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t lowest = p->few > 0 ? 1 : p->least;
    uint32_t open = 0;
    for (int64_t n = p->most; n >= lowest; n--) {
        if (n < p->least && n > p->few)
            continue;
        if (n > lowest) {
            loop_if(b, loop_binary(b, LOOP_IEQ, units, loop_i64(b, n)));
            open++;
        }
        emit_height(g, n, panel);
        if (n > lowest)
            loop_else(b);
    }
    while (open-- > 0)
        loop_end(b);
}

/* The block, of which PART says how high it is; how many of its rows are to be finished. */
static loop_value emit_rows(multiplier *g, loop_value part, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const uint32_t rows = (uint32_t)(p->base * p->unit), more = (uint32_t)p->unit;
    const loop_value is_longer =
        loop_binary(b, LOOP_ILT, part, size_of(b, p, SIZE_LONGER, p->longer));
    if (p->least > 0) {
        const loop_value base = size_of(b, p, SIZE_BASE, p->base);
        const loop_value units = loop_select(b, is_longer, int_add(b, base, loop_i64(b, 1)), base);
        emit_heights(g, units, panel);
        const loop_value all = int_times(b, units, p->unit);
        if (!is_finished_in_registers(g, p->most))
            return all;
        return loop_select(b, loop_binary(b, LOOP_ILT, units, loop_i64(b, p->most - 1)), all,
                           loop_i64(b, 0));
    }
    if (p->longer > 0) {
        loop_if(b, is_longer);
        emit_panels(g, rows + more, panel);
        loop_else(b);
        emit_panels(g, rows, panel);
        loop_end(b);
    } else {
        emit_panels(g, rows, panel);
    }
    return loop_select(b, is_longer, loop_i64(b, rows + more), loop_i64(b, rows));
}

/* The totals of the block in memory, of N_ROWS rows, are those of results. */
static void finish_block(multiplier *g, loop_value n_rows)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value columns = columns_size(b, p, SIZE_COLUMNS, p->n);
    const loop_value left = loop_binary(b, LOOP_ISUB, columns, g->column);
    const loop_value most =
        p->sides > 1 ? times_side(g, loop_i64(b, columns_of(p))) : loop_i64(b, columns_of(p));
    finish_totals(g, n_rows, loop_min(b, left, most));
}

static void block_begins_at(multiplier *g, loop_value row)
{
    const problem *p = g->p;
    const loop_value at = row_of_a(g, row);
    g->row = row;
    g->a = loop_offset(g->b, g->all_a, int_times(g->b, at, p->bytes * p->parts));
}

/* A block, where all are computed as high: BEFORE rows (i64) of it belong to the block before, and
 * its own ones are N_ROWS (i64). */
typedef struct one_height {
    uint32_t rows;
    loop_value before, n_rows;
} one_height;

static bool has_one_height(const problem *p)
{
    return p->has_one_height && p->longer > 0;
}

static one_height height_of(multiplier *g, loop_value block)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t rows = (p->base + 1) * p->unit;
    g->belongs = loop_binary(b, LOOP_ILT, part_of(g, block), loop_i64(b, p->longer));
    const loop_value before = loop_select(b, g->belongs, loop_i64(b, 0), loop_i64(b, p->unit));
    return (one_height){(uint32_t)rows, before,
                        loop_binary(b, LOOP_ISUB, loop_i64(b, rows), before)};
}

static void emit_one_height(multiplier *g, loop_value block, loop_value panel)
{
    loop_builder *b = g->b;
    const loop_value row = multiplier_row(g, block), totals = g->totals;
    const one_height h = height_of(g, block);
    block_begins_at(g, loop_binary(b, LOOP_ISUB, row, h.before));
    emit_panels(g, h.rows, panel);
    g->belongs = LOOP_NO_VALUE;
    if (totals == LOOP_NO_VALUE)
        return;
    g->row = row;
    g->totals = loop_offset(b, totals, int_times(b, h.before, g->total_step));
    finish_block(g, h.n_rows);
    g->totals = totals;
}

void multiplier_block(multiplier *g, loop_value block, loop_value panel)
{
    if (has_one_height(g->p)) {
        emit_one_height(g, block, panel);
        return;
    }
    block_begins_at(g, multiplier_row(g, block));
    const loop_value n_rows = emit_rows(g, part_of(g, block), panel);
    if (g->totals != LOOP_NO_VALUE)
        finish_block(g, n_rows);
}

/* The same in a tile, where `a` and `totals` are those of the block's own rows. */
static loop_value emit_tile_rows(multiplier *g, loop_value block, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value totals = g->totals;
    if (!has_one_height(p))
        return emit_rows(g, part_of(g, block), panel);
    const one_height h = height_of(g, block);
    g->a = loop_offset(b, g->a, int_times(b, h.before, -walk_step(&p->a_m) * p->bytes));
    g->totals = loop_offset(b, totals, int_times(b, h.before, -g->total_step));
    emit_panels(g, h.rows, panel);
    g->belongs = LOOP_NO_VALUE;
    g->totals = totals;
    return h.n_rows;
}

void multiplier_tile(multiplier *g, loop_value block, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value n_rows = emit_tile_rows(g, block, panel);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, p->n), g->column);
    if (p->k > CONTRACT_BLOCK)
        loop_if(b, loop_binary(b, LOOP_IEQ, int_add(b, g->first, g->length), loop_i64(b, p->k)));
    finish_totals(g, n_rows, loop_min(b, left, loop_i64(b, columns_of(p))));
    if (p->k > CONTRACT_BLOCK)
        loop_end(b);
}

/* Where row 0 of the batch is in C, in elements; it need not exist. */
static loop_value batch_of_c(multiplier *g)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (p->spec.c_in_scratch)
        return int_times_sized(b, g->first_row, sized_mul(walk_sized_step(&p->c_m), sized_of(-1)));
    return int_add(b, walk_emit(b, &p->c_batch, g->batch), loop_i64(b, p->spec.c_first));
}

void multiplier_panel(multiplier *g, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    loop_value at = walk_emit(b, &p->b_batch, g->batch);
    g->column = int_times(b, panel, columns_of(p));
    if (p->sides > 1)
        g->column = times_side(g, g->column);
    g->c_batch = batch_of_c(g);
    if (p->packs_inside) {
        g->b_at = g->all_b;
        return;
    }
    if (p->b_form == B_PANELS) {
        at = int_times_sized(b, int_add(b, at, times_side(g, panel)), panel_sized_bytes(p));
    } else {
        const sized first = {p->spec.b_first, p->spec.b_first_other};
        at = int_add(b, at, walk_emit(b, &p->b_n, g->column));
        at = int_times(b, int_add(b, at, loop_sized(b, first)), b_unit(p));
    }
    g->b_at = p->b.load ? at : loop_offset(b, g->all_b, at);
}

void multiplier_begin(multiplier *g)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t rows = most_rows(p);
    g->always =
        loop_binary(b, LOOP_ILT, loop_param_value(b, LOOP_BEGIN), loop_i64(b, INT64_C(1) << 62));
    g->totals = g->belongs = LOOP_NO_VALUE;
    g->total_step = p->nv * (p->sides > 1 ? p->sides : 1) * total_bytes(p);
    g->finishes_columns = contract_finishes_columns(p);
    if (g->finishes_columns)
        g->transposed = loop_local(b, (uint64_t)(p->lanes * p->lanes * p->bytes));
    if (!p->is_tiled && !is_finished_in_registers(g, 0))
        g->totals = loop_local(b, (uint64_t)(rows * g->total_step));
}
