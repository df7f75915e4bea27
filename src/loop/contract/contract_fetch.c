/* What the next block of rows reads and writes is fetched while one is computed, where matrices are
 * so large that they come from memory or the last cache, and a block so few multiply-adds that it
 * waits for it: the hardware does not follow a dozen rows at a time, least of all those that are
 * written.
 *
 * Rows that follow one another are fetched in the order of their addresses, as many bytes for each
 * product as a block has rows. */
#include "loop/contract/contract_multiply.h"

enum {
    LARGE = 1 << 20,  /* bytes: the second-level cache does not keep them */
    FEW_COLUMNS = 256 /* that each element of A meets */
};

/* Are all sizes and steps known, and few enough multiply-adds for each element that is moved? */
static bool may_fetch(const problem *p)
{
    return !p->has_any_rows && !p->is_dynamic && !has_any_order(p) && p->parts == 1 &&
           !p->is_tiled && p->b_form != B_COLUMNS;
}

static bool is_large(double elements, tn_dtype d)
{
    return elements * (double)dtype_bytes(d) >= LARGE;
}

static bool fetches_a(const problem *p)
{
    const bool is_in_order =
        p->products.n == 1 && p->products.a[0] == 1 && p->a_m.n == 1 && p->a_m.step[0] == p->k;
    return may_fetch(p) && is_in_order && !p->spec.a_in_scratch && p->a.buffer == CONTRACT_A &&
           !p->a.load && p->n <= FEW_COLUMNS &&
           is_large((double)p->batch * (double)p->m * (double)p->k, p->a.dtype);
}

static bool fetches_c(const problem *p)
{
    return may_fetch(p) && !p->spec.c_in_scratch && p->k <= CONTRACT_BLOCK && p->c_m.n == 1 &&
           p->c_n.n == 1 && p->c_n.step[0] == 1 && !contract_finishes_columns(p) &&
           is_large((double)p->batch * (double)p->m * (double)p->n, p->spec.c);
}

void multiplier_choose_fetches(multiplier *g)
{
    g->fetches_a = fetches_a(g->p);
    g->fetches_c = fetches_c(g->p);
    g->next_a = LOOP_NO_VALUE;
}

void multiplier_begin_fetch(multiplier *g, loop_value first)
{
    const problem *p = g->p;
    if (!g->fetches_a)
        return;
    const loop_value at = int_add(g->b, loop_i64(g->b, p->k), first);
    g->next_a = loop_offset(g->b, g->a, int_times(g->b, at, g->rows * p->bytes));
}

void multiplier_fetch_a(const multiplier *g, loop_value k, uint32_t count)
{
    if (g->next_a == LOOP_NO_VALUE)
        return;
    loop_builder *b = g->b;
    const int64_t bytes = g->rows * g->p->bytes;
    const loop_value at = loop_offset(b, g->next_a, int_times(b, k, bytes));
    for (int64_t line = 0; line < count * bytes; line += LOOP_ALIGN)
        loop_prefetch_far(b, loop_at(b, at, line));
}

int64_t multiplier_next_results(const multiplier *g)
{
    return g->fetches_c ? g->rows * walk_step(&g->p->c_m) : 0;
}
