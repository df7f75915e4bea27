/* Results whose columns are contiguous: squares of totals are transposed before they are finished,
 * so that the stored vectors go along M. */
#include "loop/contract/contract_multiply.h"

bool contract_finishes_columns(const problem *p)
{
    enum { FEW = 4, WIDEST = 16 };
    const bool has_form = p->parts == 1 && p->bytes >= 4 && p->lanes > 1 && p->lanes <= WIDEST;
    const bool is_transposed = p->spec.finish ? p->spec.is_transposed
                                              : p->c_n.n == 1 && walk_step(&p->c_n) != 1 &&
                                                    p->c_m.n == 1 && walk_step(&p->c_m) == 1;
    return has_form && is_transposed && (p->m >= FEW || p->has_any_rows) && p->n > 1;
}

/* Store the square that starts at ROW and COLUMN of the block in g->transposed, transposed. Rows
 * beyond the block repeat the last one. */
static void transpose_totals(multiplier *g, loop_value row, loop_value column, loop_value rows)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const uint32_t lanes = p->lanes;
    const loop_value last = loop_binary(b, LOOP_ISUB, rows, loop_i64(b, 1));
    const loop_value from = loop_offset(b, g->totals, int_times(b, column, p->bytes));
    loop_value at[LOOP_MAX_LANES], transposed[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < lanes; i++) {
        const loop_value here = loop_min(b, int_add(b, row, loop_i64(b, i)), last);
        at[i] = loop_offset(b, from, int_times(b, here, g->total_step));
    }
    load_transposed(b, at, p->elem, lanes, transposed);
    for (uint32_t i = 0; i < lanes; i++)
        loop_store(b, loop_at(b, g->transposed, i * lanes * p->bytes), transposed[i],
                   (uint32_t)p->bytes * lanes);
}

void contract_finish_columns(multiplier *g, loop_value rows, loop_value columns)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const uint32_t lanes = p->lanes;
    const bool may_be_whole = most_rows(p) >= lanes && p->at_once < lanes; /* without masks */
    const loop_value row = loop_for(b, loop_i64(b, 0), rows, lanes);
    const loop_value n_rows = loop_min(b, loop_binary(b, LOOP_ISUB, rows, row), loop_i64(b, lanes));
    const loop_value first = loop_for(b, loop_i64(b, 0), columns, lanes);
    const loop_value n_columns =
        loop_min(b, loop_binary(b, LOOP_ISUB, columns, first), loop_i64(b, lanes));
    transpose_totals(g, row, first, rows);
    const loop_value i = loop_for(b, loop_i64(b, 0), n_columns, 1);
    const element total = {
        p->form,
        loop_load(b, loop_type_of(p->elem, lanes),
                  loop_offset(b, g->transposed, int_times(b, i, lanes * p->bytes)),
                  (uint32_t)p->bytes * lanes),
        LOOP_NO_VALUE};
    const loop_value at_row = int_add(b, g->row, row);
    const loop_value at_column = int_add(b, g->column, int_add(b, first, i));
    if (may_be_whole) {
        loop_if(b, loop_binary(b, LOOP_IEQ, n_rows, loop_i64(b, lanes)));
        contract_finish_vector(g, total, at_row, at_column, LOOP_NO_VALUE);
        loop_else(b);
    }
    contract_finish_vector(g, total, at_row, at_column, n_rows);
    if (may_be_whole)
        loop_end(b);
    loop_end(b);
    loop_end(b);
    loop_end(b);
}
