/* Where blocks of rows and panels of columns begin, while a multiplier is made. */
#include "loop/contract/contract_multiply.h"

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

loop_value multiplier_times_side(const multiplier *g, loop_value x)
{
    const problem *p = g->p;
    if (p->sides > 1)
        return loop_binary(g->b, LOOP_IMUL, x, loop_size(g->b, SIZE_SIDE, p->side_now));
    return int_times(g->b, x, p->side);
}

loop_value multiplier_part(multiplier *g, loop_value block)
{
    const problem *p = g->p;
    if (p->outer == 1)
        return block;
    return p->is_dynamic
               ? loop_binary(g->b, LOOP_UREM, block, size_of(g->b, p, SIZE_SPLIT, p->split))
               : int_modulo(g->b, block, p->split);
}

/* Blocks number `longer` and after have one unit less. */
loop_value multiplier_row(multiplier *g, loop_value block)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value part = multiplier_part(g, block);
    const loop_value before =
        p->least > 0 ? loop_binary(b, LOOP_IMUL, part, size_of(b, p, SIZE_BASE, p->base))
                     : int_times(b, part, p->base);
    const loop_value units =
        int_add(b, before, loop_min(b, part, size_of(b, p, SIZE_LONGER, p->longer)));
    const int64_t outer_rows = (p->split * p->base + p->longer) * p->unit;
    if (p->outer == 1)
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

void multiplier_begin_block(multiplier *g, loop_value row)
{
    const problem *p = g->p;
    const loop_value at = row_of_a(g, row);
    g->row = row;
    g->a = loop_offset(g->b, g->all_a, int_times(g->b, at, p->bytes * p->parts));
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
        g->column = multiplier_times_side(g, g->column);
    g->c_batch = batch_of_c(g);
    if (p->packs_inside) {
        g->b_at = g->all_b;
        return;
    }
    if (p->b_form == B_PANELS) {
        at = int_times_sized(b, int_add(b, at, multiplier_times_side(g, panel)),
                             panel_sized_bytes(p));
    } else {
        const sized first = {p->spec.b_first, p->spec.b_first_other};
        at = int_add(b, at, walk_emit(b, &p->b_n, g->column));
        at = int_times(b, int_add(b, at, loop_sized(b, first)), b_unit(p));
    }
    g->b_at = p->b.load ? at : loop_offset(b, g->all_b, at);
}
