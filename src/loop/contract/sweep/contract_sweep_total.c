/* What the blocks of a sweep come to, where these are its items: their sums are added in order. */
#include "loop/contract/sweep/contract_sweep.h"

static void add_blocks(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count)
{
    multiplier *g = s->g;
    const problem *p = g->p;
    loop_builder *b = g->b;
    (void)user;
    const loop_value at = int_add(b, g->column, column);
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, p->m), 1);
    element identity = {0};
    (void)element_identity(b, FOLD_SUM, p->form, lanes, &identity);
    const element total = element_var(b, identity);
    const loop_value block = loop_for(b, loop_i64(b, 0), loop_i64(b, contract_sweep_blocks(p)), 1);
    const loop_value sums =
        loop_offset(b, s->sums, int_times(b, block, (int64_t)contract_sweep_sum_bytes(p)));
    const element sum = sweep_load_sum(s, sweep_place(s, sums, row, at), lanes);
    element_set(b, total, element_combine(b, FOLD_SUM, element_get(b, total), sum));
    loop_end(b);
    contract_finish_vector(g, element_get(b, total), row, at, count);
    loop_end(b);
}

const loop_program *contract_sweep_total(problem *p, arena *memory, const char **fault)
{
    loop_builder b;
    multiplier g = {.b = &b, .p = p, .totals = LOOP_NO_VALUE};
    sweep s = {.g = &g};
    loop_init(&b, memory);
    g.c = p->spec.finish ? 0 : loop_buffer(&b, CONTRACT_C);
    s.sums = loop_buffer(&b, CONTRACT_PACKED_A);
    g.batch = loop_i64(&b, 0);
    g.c_batch = loop_i64(&b, p->spec.c_first);
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    g.column = int_times(&b, item, sweep_tile(p));
    s.columns = loop_min(&b, loop_i64(&b, sweep_tile(p)),
                         loop_binary(&b, LOOP_ISUB, loop_i64(&b, p->n), g.column));
    sweep_each_vector(&s, p->lanes, add_blocks, NULL);
    loop_end(&b);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
