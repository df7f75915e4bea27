/* Contractions as parts of larger programs: blocks of rows, computed on demand. */
#include "loop/contract/contract_multiply.h"

int64_t contract_stage_rows(const contract_stage *s)
{
    return s->rows;
}

int64_t contract_stage_batches(const contract_stage *s)
{
    return s->p.batch;
}

int64_t contract_stage_blocks(const contract_stage *s)
{
    return s->p.outer * s->p.split;
}

int64_t contract_stage_height(const contract_stage *s)
{
    return most_rows(&s->p);
}

uint64_t contract_stage_operand(const contract_stage *s)
{
    return (uint64_t)panel_bytes(&s->p) * (uint64_t)s->p.panels;
}

void contract_stage_open(contract_stage *s, loop_builder *b, const loop_value *at)
{
    const problem *p = &s->p;
    s->g = (multiplier){.b = b,
                        .p = &s->p,
                        .row_at = s->row_at,
                        .sums = s->sums,
                        .all_a = at[p->a.buffer],
                        .all_b = at[p->b.buffer],
                        .c = at[CONTRACT_C]};
    multiplier_begin(&s->g);
}

loop_value contract_stage_end(const contract_stage *s, loop_builder *b)
{
    return size_of(b, &s->p, SIZE_BLOCKS, contract_stage_blocks(s));
}

loop_value contract_stage_items(const contract_stage *s, loop_builder *b, int64_t items)
{
    return size_of(b, &s->p, SIZE_ITEMS, items);
}

loop_value contract_stage_group(const contract_stage *s, loop_builder *b, int64_t group)
{
    return size_of(b, &s->p, SIZE_GROUP, group);
}

sized contract_stage_sized(const contract_stage *s, int64_t x)
{
    /* Beside the number stands any other: nothing is known of how many there are with other sizes.
     */
    return (sized){x, s->p.is_dynamic ? -x - 1 : x};
}

loop_value contract_stage_row(contract_stage *s, loop_value block)
{
    return multiplier_row(&s->g, block);
}

void contract_stage_emit(contract_stage *s, loop_value batch, loop_value low, loop_value high,
                         loop_value first_row)
{
    multiplier *g = &s->g;
    loop_builder *b = g->b;
    g->batch = batch;
    g->first_row = first_row;
    const loop_value panels = s->p.has_dynamic_n ? loop_size(b, SIZE_PANELS, s->p.panels)
                                                 : loop_sized(b, all_panels(&s->p));
    const loop_value panel = loop_for(b, loop_i64(b, 0), panels, 1);
    multiplier_panel(g, panel);
    multiplier_block(g, loop_for(b, low, high, 1), panel);
    loop_end(b);
    loop_end(b);
}
