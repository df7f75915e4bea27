/* Squares of a B that is swept, whose columns are contiguous: see contract_sweep.c. */
#include "loop/contract/sweep/contract_sweep.h"

static sized column_step(const problem *p)
{
    return sized_mul(walk_sized_step(&p->b_n), sized_of(b_unit(p)));
}

/* Square number K / lanes of those of a vector of columns is multiplied; as many bytes of what lies
 * at NEXT, the same of the next columns, are fetched, of one column after the other. */
static void fetch_square(sweep *s, loop_value next, loop_value k)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const int64_t lanes = p->lanes, lines = lanes * lanes * b_unit(p) / LOOP_ALIGN;
    const int64_t in_column = CONTRACT_BLOCK * b_unit(p) / LOOP_ALIGN;
    const loop_value number = int_times(b, int_divided(b, k, lanes), lines);
    const loop_value column = int_times_sized(b, int_divided(b, number, in_column), column_step(p));
    const loop_value line = int_times(b, int_modulo(b, number, in_column), LOOP_ALIGN);
    const loop_value at = loop_offset(b, loop_offset(b, next, column), line);
    for (int64_t i = 0; i < lines; i++)
        loop_prefetch_far(b, loop_at(b, at, i * LOOP_ALIGN));
}

/* The products of a square of N products from product K (i64) of the block X on, and of COLUMNS
 * columns that exist from the address FROM on, where product 0 of the block is. */
static void add_square(sweep *s, loop_value from, loop_value k, uint32_t n, int64_t columns,
                       loop_value column)
{
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    loop_value at[LOOP_MAX_LANES], of_k[LOOP_MAX_LANES];
    element of_b[LOOP_MAX_LANES];
    const loop_value here = loop_offset(b, from, int_times(b, k, b_unit(p)));
    for (uint32_t r = 0; r < p->lanes; r++) {
        /* Columns that do not exist repeat the last one; their sums are not stored. */
        const int64_t i = r < columns ? r : columns - 1;
        at[r] = int_behind(b, here, sized_mul(column_step(p), sized_of(i)));
        of_k[r] = n == p->lanes
                      ? loop_load(b, loop_type_of(p->elem, p->lanes), at[r], (uint32_t)p->bytes)
                      : loop_load_first(b, loop_type_of(p->elem, p->lanes), at[r], loop_i64(b, n),
                                        (uint32_t)p->bytes);
    }
    transpose_square(b, of_k, p->lanes, p->bytes);
    for (uint32_t i = 0; i < n; i++)
        of_b[i] = (element){p->form, of_k[i], LOOP_NO_VALUE};
    const sweep_group x = {.n = n, .from = here, .factors = sweep_factors(s, k)};
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, p->m), 1);
    sweep_add_row(s, &x, of_b, column, p->lanes, row);
    loop_end(b);
}

void sweep_add_columns(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count)
{
    const sweep_block *x = user;
    const problem *p = s->g->p;
    loop_builder *b = s->g->b;
    const int64_t columns = count == LOOP_NO_VALUE ? lanes : p->n % lanes, rest = p->k % lanes;
    const loop_value from =
        loop_offset(b, loop_offset(b, s->b_at, int_times_sized(b, column, column_step(p))),
                    int_times(b, x->first, b_unit(p)));
    /* Next are the columns beside, then those of the next block, then those of the next item. */
    const loop_value beside = int_add(b, column, loop_i64(b, lanes));
    const loop_value has_more = loop_binary(b, LOOP_ILT, beside, s->columns);
    const loop_value further = int_add(b, x->first, x->length);
    const loop_value goes_on = loop_binary(b, LOOP_ILT, further, loop_i64(b, p->k));
    const loop_value none = loop_i64(b, 0);
    const loop_value next_column =
        loop_select(b, has_more, beside, loop_select(b, goes_on, none, s->columns));
    const loop_value next_first =
        loop_select(b, has_more, x->first, loop_select(b, goes_on, further, none));
    const loop_value next =
        loop_offset(b, loop_offset(b, s->b_at, int_times_sized(b, next_column, column_step(p))),
                    int_times(b, next_first, b_unit(p)));
    const loop_value whole = loop_binary(b, LOOP_AND, x->length, loop_i64(b, -(int64_t)lanes));
    const loop_value k = loop_for(b, none, whole, lanes);
    fetch_square(s, next, k);
    add_square(s, from, k, lanes, columns, column);
    loop_end(b);
    if (rest == 0)
        return;
    loop_if(b, loop_binary(b, LOOP_ILT, whole, x->length));
    add_square(s, from, whole, (uint32_t)rest, columns, column);
    loop_end(b);
}
