/* Long rows, and matrices of long columns: their blocks of the law of bits are reduced by threads,
 * and the results of these combined in order. */
#include "loop/nest/map.h"
#include "loop/nest/rows_parts.h"

/* The elements of PART, a block of a long row, to slot number ITEM. */
static void split_block(rows *s, const row_part *part, loop_value item)
{
    element result[1];
    if (rows_are_extrema(s, 1))
        rows_reduce_extrema(s, 1, part, result);
    else
        rows_reduce_block(s, 1, part, result);
    rows_store_slot(s, &s->r[0], s->r[0].partials, item, result[0]);
}

bool rows_split_blocks(rows *s, nest *out)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    reduction *r = &s->r[0];
    rows_use_short_lanes(s);
    const int64_t blocks = rows_blocks(s), last = s->length - (blocks - 1) * SUM_BLOCK;
    const loop_value before = rows_size(s, ROWS_BLOCKS, blocks - 1);
    int64_t items = 1;
    for (uint32_t i = 0; i < s->axis; i++)
        items *= s->k->dims[i];
    out->n_temps = 1;
    out->temps[0] = (uint64_t)items * (uint64_t)blocks * dtype_bytes(r->sum);
    r->partials = loop_buffer(b, emit_buffer_count(s->k));
    e->vector_axis = s->axis;
    e->lanes = SUM_LANES;
    const bool has_rest = s->is_dynamic || last != SUM_BLOCK;
    const loop_value n_blocks = rows_size(s, ROWS_ALL_BLOCKS, blocks);
    loop_value first = loop_param_value(b, LOOP_BEGIN);
    const loop_value end = loop_param_value(b, LOOP_END_AT);
    if (rows_may_be_streams(s) && (!has_rest || s->axis == 0))
        first =
            rows_emit_block_streams(s, first, has_rest ? loop_min(b, end, before) : end, n_blocks);
    const loop_value item = loop_for(b, first, end, 1);
    const loop_value block = loop_binary(b, LOOP_UREM, item, n_blocks);
    nest_decode(e, loop_binary(b, LOOP_UDIV, item, n_blocks), s->axis);
    const uint32_t mark = emit_mark(e);
    rows_hoist_operands(s, 1);
    if (has_rest) {
        const uint32_t inner = emit_mark(e);
        loop_if(b, loop_binary(b, LOOP_IEQ, block, before));
        const row_part rest = rows_last_block(s);
        split_block(s, &rest, item);
        emit_forget(e, inner);
        loop_else(b);
    }
    const row_part whole = rows_block(s, block);
    split_block(s, &whole, item);
    if (has_rest)
        loop_end(b);
    emit_forget(e, mark);
    loop_end(b);
    rows_add_step(s, out, items * blocks, (uint64_t)nest_cost(e->f, s->k) * SUM_BLOCK,
                  "the blocks of long rows, over the threads");
    return out->steps[0].program != NULL;
}

bool rows_split_columns(rows *s, nest *out, int64_t columns)
{
    s->is_costly = rows_are_costly(s->e.f, s->k);
    rows_use_keys(&s->r[0]);
    const int64_t blocks = rows_emit_narrow(s, columns);
    out->n_temps = 1;
    out->temps[0] = (uint64_t)(columns * blocks) * dtype_bytes(s->r[0].sum);
    rows_add_step(s, out, blocks,
                  (uint64_t)(nest_cost(s->e.f, s->k) * SUM_BLOCK) * (uint64_t)columns,
                  "the blocks of a few columns, over the threads");
    return out->steps[0].program != NULL;
}

bool rows_split_results(rows *s, nest *out)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    reduction *r = &s->r[0];
    const int64_t blocks = rows_blocks(s);
    int64_t items = 1;
    for (uint32_t i = 0; i < s->axis; i++)
        items *= s->k->dims[i];
    rows_open_buffers(s);
    const loop_value all = loop_buffer(b, emit_buffer_count(s->k));
    e->vector_axis = s->axis;
    const loop_value item =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    nest_decode(e, item, s->axis);
    const loop_value n_blocks = rows_size(s, ROWS_ALL_BLOCKS, blocks);
    r->partials = rows_slot(s, r, all, loop_binary(b, LOOP_IMUL, item, n_blocks));
    emit_know(e, r->n->first_value, NULL, rows_finish(s, r, rows_combine_blocks(s, r)));
    rows_store_row_values(s);
    loop_end(b);
    rows_add_step(s, out, items, (uint64_t)blocks, "the results of the blocks");
    out->steps[1].bytes = out->temps[0];
    return out->steps[1].program != NULL;
}

/* Strip NUMBER of STRIPS has the results of its blocks in the temporary ALL, one reduction after
 * the other. Returns the bytes of ALL. */
static uint64_t place_partials(rows *s, loop_value all, int64_t strips, loop_value number)
{
    loop_builder *b = s->e.b;
    const int64_t vectors = rows_blocks(s) * s->strip;
    const loop_value first = loop_binary(b, LOOP_IMUL, number, loop_i64(b, vectors));
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        reduction *r = &s->r[i];
        r->partials = rows_slot(s, r, loop_at(b, all, (int64_t)bytes), first);
        bytes += (uint64_t)strips * rows_slot_bytes(s, r, vectors);
    }
    return bytes;
}

bool rows_split_strips(rows *s, nest *out)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const int64_t strips = rows_wide_strips(s), blocks = rows_blocks(s);
    rows_plan_kept(s);
    const loop_value all = loop_buffer(b, emit_buffer_count(s->k));
    for (uint32_t i = 0; i < s->n; i++)
        s->r[i].lanes = loop_scratch(b, rows_slot_bytes(s, &s->r[i], s->strip) * rows_places(s));
    rows_keep_room(s);
    const loop_value item =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    const loop_value number = loop_binary(b, LOOP_UREM, item, loop_i64(b, strips));
    nest_decode(e, loop_i64(b, 0), s->axis - 1);
    const rows_columns c = rows_wide_strip(s, number);
    out->n_temps = 1;
    out->temps[0] = place_partials(s, all, strips, number);
    rows_reduce_strip_block(s, &c, loop_binary(b, LOOP_UDIV, item, loop_i64(b, strips)));
    loop_end(b);
    rows_add_step(s, out, strips * blocks,
                  (uint64_t)(nest_cost(e->f, s->k) * SUM_BLOCK) * e->lanes * (uint64_t)s->strip,
                  "the blocks of columns side by side");
    return out->steps[0].program != NULL;
}

bool rows_split_strip_results(rows *s, nest *out)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    rows_open_buffers(s);
    rows_choose_vectors(s);
    const int64_t strips = rows_wide_strips(s);
    const loop_value all = loop_buffer(b, emit_buffer_count(s->k));
    const loop_value item =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    nest_decode(e, loop_i64(b, 0), s->axis - 1);
    const rows_columns c = rows_wide_strip(s, item);
    (void)place_partials(s, all, strips, item);
    rows_finish_strip(s, &c, rows_store_row_values);
    loop_end(b);
    rows_add_step(s, out, strips, (uint64_t)(rows_blocks(s) * s->strip),
                  "the results of the blocks");
    out->steps[1].bytes = out->temps[0];
    return out->steps[1].program != NULL;
}
