/* The multiplier: blocks of results whose sums stay in registers.
 *
 * A work item is one block of rows times one panel of columns. For each CONTRACT_BLOCK of products
 * the block's chains run in registers, then join the totals, which lie on the stack; when all are
 * done the totals are finished and stored, once. */
#include "loop/contract/contract_multiply.h"

/* The totals of ROWS rows of a block, from row FIRST_ROW of it on, and of COLUMNS columns, which
 * are computed at once. */
static void emit_at_once(multiplier *g, uint32_t first_row, uint32_t rows, int64_t columns)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const bool has_blocks = p->k > CONTRACT_BLOCK || p->has_dynamic_k;
    const loop_value products = products_size(b, p, SIZE_PRODUCTS, p->k);
    g->rows = rows;
    g->columns = columns;
    g->nv = (uint32_t)((columns + p->lanes - 1) / p->lanes);
    for (uint32_t r = 0; r < rows; r++) {
        const int64_t row = first_row + r;
        g->row_at[r] = sized_mul(p->has_any_rows ? walk_along(&p->a_m, row) : walk_at(&p->a_m, row),
                                 sized_of(p->bytes * p->parts));
    }
    if (p->has_block_pairs) {
        multiplier_set_total(g, 0, 0, contract_block_pair(g));
        return;
    }
    const element zero = element_zero(b, p->form, p->lanes);
    for (uint32_t i = 0; i < (rows + (p->offset != 0)) * g->nv; i++)
        g->sums[i] = element_var(b, zero);
    if (g->is_tiled) {
        multiplier_fetch_totals(g);
        emit_chunk(g);
        multiplier_join_chunk(g);
        return;
    }
    if (!has_blocks) {
        if (p->k > 0)
            emit_block(g, loop_i64(b, 0), products);
        if (g->totals == LOOP_NO_VALUE) {
            multiplier_finish_sums(g);
            return;
        }
    } else {
        multiplier_start_totals(g);
        const loop_value first = loop_for(b, loop_i64(b, 0), products, CONTRACT_BLOCK);
        const loop_value left = loop_binary(b, LOOP_ISUB, products, first);
        emit_block(g, first,
                   p->k % CONTRACT_BLOCK == 0 && !p->has_dynamic_k
                       ? loop_i64(b, CONTRACT_BLOCK)
                       : loop_min(b, left, loop_i64(b, CONTRACT_BLOCK)));
    }
    multiplier_join_totals(g, !has_blocks);
    if (has_blocks)
        loop_end(b);
}

/* The same, some rows after the others. */
static void emit_tile(multiplier *g, uint32_t rows, int64_t columns)
{
    const problem *p = g->p;
    const loop_value totals = g->totals;
    const uint32_t most = (uint32_t)p->at_once, n = (rows + most - 1) / most;
    for (uint32_t i = 0, done = 0; i < n; i++) {
        const uint32_t here = rows / n + (i < rows % n);
        if (done > 0)
            g->totals = loop_at(g->b, totals, done * g->total_step);
        emit_at_once(g, done, here, columns);
        done += here;
    }
    g->totals = totals;
    g->rows = rows;
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

/* A block of HEIGHT units. */
static void emit_height(multiplier *g, int64_t height, loop_value panel)
{
    problem *p = g->p;
    const loop_value totals = g->totals;
    const uint32_t nv = p->nv;
    if (multiplier_keeps_sums(g, height))
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
        if (!multiplier_keeps_sums(g, p->most))
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
    const loop_value most = p->sides > 1 ? multiplier_times_side(g, loop_i64(b, columns_of(p)))
                                         : loop_i64(b, columns_of(p));
    multiplier_finish_totals(g, n_rows, loop_min(b, left, most));
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
    g->belongs = loop_binary(b, LOOP_ILT, multiplier_part(g, block), loop_i64(b, p->longer));
    const loop_value before = loop_select(b, g->belongs, loop_i64(b, 0), loop_i64(b, p->unit));
    return (one_height){(uint32_t)rows, before,
                        loop_binary(b, LOOP_ISUB, loop_i64(b, rows), before)};
}

static void emit_one_height(multiplier *g, loop_value block, loop_value panel)
{
    loop_builder *b = g->b;
    const loop_value row = multiplier_row(g, block), totals = g->totals;
    const one_height h = height_of(g, block);
    multiplier_begin_block(g, loop_binary(b, LOOP_ISUB, row, h.before));
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
    multiplier_begin_block(g, multiplier_row(g, block));
    const loop_value n_rows = emit_rows(g, multiplier_part(g, block), panel);
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
        return emit_rows(g, multiplier_part(g, block), panel);
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
    multiplier_finish_totals(g, n_rows, loop_min(b, left, loop_i64(b, columns_of(p))));
    if (p->k > CONTRACT_BLOCK)
        loop_end(b);
}

void multiplier_begin(multiplier *g)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t rows = most_rows(p);
    g->always =
        loop_binary(b, LOOP_ILT, loop_param_value(b, LOOP_BEGIN), loop_i64(b, INT64_C(1) << 62));
    g->totals = g->belongs = LOOP_NO_VALUE;
    g->total_step = p->nv * (p->sides > 1 ? p->sides : 1) * multiplier_total_bytes(p);
    g->finishes_columns = contract_finishes_columns(p);
    if (g->finishes_columns)
        g->transposed = loop_local(b, (uint64_t)(p->lanes * p->lanes * p->bytes));
    multiplier_choose_fetches(g);
    if (!p->is_tiled && !multiplier_keeps_sums(g, 0))
        g->totals = loop_local(b, (uint64_t)(rows * g->total_step));
}
