/* What the next block of rows reads and writes is fetched while one is computed, where matrices are
 * so large that they come from memory or the last cache, and a block so few multiply-adds that it
 * waits for it: the hardware does not follow a dozen rows at a time, least of all those that are
 * written.
 *
 * Rows that follow one another are fetched in the order of their addresses, as many bytes for each
 * product as a block has rows. The blocks of a tile share out the next panel of a constant so. */
#include "loop/contract/contract_multiply.h"

enum { FEW_COLUMNS = 256 /* that each element of A meets */ };

/* Are all sizes and steps known, but for the number of rows? Tiles and squares fetch for
 * themselves. */
static bool may_fetch(const problem *p)
{
    return !p->has_dynamic_k && !p->has_dynamic_n && !has_any_order(p) && p->parts == 1 &&
           !p->is_tiled && p->b_form != B_COLUMNS;
}

/* Has a matrix of P so many bytes, COLUMNS elements of D in each row? It may have, where code
 * serves any number of rows. */
static bool is_large(const problem *p, int64_t columns, tn_dtype d)
{
    return p->has_any_rows || p->is_dynamic ||
           (double)p->batch * (double)p->m * (double)columns * (double)dtype_bytes(d) >=
               CONTRACT_LARGE;
}

static bool fetches_a(const problem *p)
{
    const bool is_in_order =
        p->products.n == 1 && p->products.a[0] == 1 && p->a_m.n == 1 && p->a_m.step[0] == p->k;
    return may_fetch(p) && is_in_order && !p->spec.a_in_scratch && p->a.buffer == CONTRACT_A &&
           !p->a.load && p->n <= FEW_COLUMNS && is_large(p, p->k, p->a.dtype);
}

static bool fetches_c(const problem *p)
{
    const bool columns = contract_finishes_columns(p);
    const walk *along = columns ? &p->c_m : &p->c_n;
    const int64_t most = columns ? CONTRACT_FEW_FOR_COLUMNS : CONTRACT_BLOCK;
    return may_fetch(p) && !p->spec.c_in_scratch && p->k <= most && p->c_m.n == 1 &&
           p->c_n.n == 1 && along->step[0] == 1 && is_large(p, p->n, p->spec.c);
}

void multiplier_choose_fetches(multiplier *g)
{
    g->fetches_a = fetches_a(g->p);
    g->fetches_c = fetches_c(g->p);
    g->fetches_columns = contract_fetches_columns(g->p);
    g->fetched = LOOP_NO_VALUE;
}

/* The next columns, as many bytes of them for each product as a block has columns. */
static void begin_column_fetch(multiplier *g, loop_value first)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t columns = columns_of(p);
    g->fetched_most = columns * p->bytes;
    g->fetched_each = loop_i64(b, g->fetched_most);
    g->fetched = loop_offset(
        b, g->b_at,
        int_add(b, loop_i64(b, columns * p->k * p->bytes), int_times(b, first, g->fetched_most)));
}

void multiplier_begin_fetch(multiplier *g, loop_value first)
{
    const problem *p = g->p;
    if (g->fetches_columns)
        begin_column_fetch(g, first);
    if (!g->fetches_a)
        return;
    const loop_value at = int_add(g->b, loop_i64(g->b, p->k), first);
    g->fetched_most = g->rows * p->bytes;
    g->fetched_each = loop_i64(g->b, g->fetched_most);
    g->fetched = loop_offset(g->b, g->a, int_times(g->b, at, g->fetched_most));
}

void multiplier_begin_panel_fetch(multiplier *g, loop_value in, loop_value n, loop_value next)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t row = columns_of(p) * p->bytes, blocks = p->tiles.near;
    if (p->side > 1)
        return;
    g->fetched_most = (row + blocks - 1) / blocks;
    g->fetched_each =
        loop_binary(b, LOOP_UDIV,
                    loop_binary(b, LOOP_ISUB, int_add(b, n, loop_i64(b, row)), loop_i64(b, 1)), n);
    const loop_value before =
        loop_binary(b, LOOP_IMUL, loop_binary(b, LOOP_IMUL, in, g->length), g->fetched_each);
    g->fetched = loop_offset(b, loop_offset(b, g->b_at, next), before);
}

void multiplier_fetch(const multiplier *g, loop_value k, uint32_t count)
{
    if (g->fetched == LOOP_NO_VALUE)
        return;
    loop_builder *b = g->b;
    const loop_value at = loop_offset(b, g->fetched, loop_binary(b, LOOP_IMUL, k, g->fetched_each));
    for (int64_t line = 0; line < count * g->fetched_most; line += LOOP_ALIGN)
        loop_prefetch_far(b, loop_at(b, at, line));
}

int64_t multiplier_next_results(const multiplier *g)
{
    /* Columns of the next block end there. It begins in a line that this one had, or begins one. */
    const int64_t rows = g->finishes_columns ? 2 * (int64_t)g->rows - 1 : g->rows;
    return g->fetches_c ? rows * walk_step(&g->p->c_m) : 0;
}
