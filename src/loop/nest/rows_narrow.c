/* Sums of the few columns of a long matrix. The elements of SUM_LANES neighbouring rows lie one
 * after the other in memory, and so do the lanes of the law for all columns: vectors run over both
 * as over one line, whatever the number of columns. */
#include "eval/eval.h"
#include "loop/nest/rows_parts.h"

typedef struct narrow {
    rows *s;               /* over the kernel as one line */
    int64_t columns, line; /* elements of SUM_LANES rows */
    loop_value lanes;      /* scratch memory of a line */
} narrow;

static loop_value lane_at(narrow *w, loop_value number)
{
    const int64_t size = (int64_t)dtype_bytes(w->s->r[0].sum);
    loop_builder *b = w->s->e.b;
    return loop_offset(b, w->lanes, loop_binary(b, LOOP_IMUL, number, loop_i64(b, size)));
}

static uint32_t align_of(const narrow *w)
{
    return (uint32_t)loop_elem_bytes(element_storage(w->s->r[0].sum));
}

static loop_value between(loop_builder *b, loop_value x, int64_t low, int64_t high)
{
    const loop_value least = loop_i64(b, low);
    x = loop_select(b, loop_binary(b, LOOP_ILT, x, least), least, x);
    return loop_min(b, x, loop_i64(b, high));
}

/* The lanes of COUNT rows, of which FIRST is the number of the first element. */
static void fill_lanes(narrow *w, loop_value first, int64_t count)
{
    emitter *e = &w->s->e;
    loop_builder *b = e->b;
    reduction *r = &w->s->r[0];
    const int64_t whole = count / SUM_LANES * w->line, rest = count % SUM_LANES * w->columns;
    const loop_value v = loop_for(b, loop_i64(b, 0), loop_i64(b, w->line), e->lanes);
    const loop_value low = loop_binary(b, LOOP_IADD, first, v);
    const loop_value high = loop_binary(b, LOOP_IADD, low, loop_i64(b, whole));
    r->acc = element_var(b, rows_identity(w->s, r, e->lanes));
    if (whole) {
        e->at[0] = loop_for(b, low, high, w->line);
        rows_join_vector(w->s, 1);
        loop_end(b);
    }
    if (rest) {
        e->at[0] = high;
        e->count = between(b, loop_binary(b, LOOP_ISUB, loop_i64(b, rest), v), 0, e->lanes);
        rows_join_vector(w->s, 1);
        e->count = LOOP_NO_VALUE;
    }
    element_store(b, lane_at(w, v), element_get(b, r->acc), align_of(w));
    loop_end(b);
}

/* LANES elements at number AT of the lanes and those APART elements behind them become one. */
static void halve_at(narrow *w, loop_value at, int64_t apart, uint32_t lanes)
{
    loop_builder *b = w->s->e.b;
    const reduction *r = &w->s->r[0];
    const loop_value there = loop_binary(b, LOOP_IADD, at, loop_i64(b, apart));
    const element x = element_load(b, r->sum, lane_at(w, at), lanes, align_of(w));
    const element y = element_load(b, r->sum, lane_at(w, there), lanes, align_of(w));
    element_store(b, lane_at(w, at), element_combine(b, r->kind, x, y), align_of(w));
}

static void halve_lanes(narrow *w)
{
    enum { WIDE = 16 };
    loop_builder *b = w->s->e.b;
    for (int64_t half = SUM_LANES / 2; half > 0; half /= 2) {
        const int64_t n = half * w->columns, whole = n / WIDE * WIDE;
        if (whole) {
            halve_at(w, loop_for(b, loop_i64(b, 0), loop_i64(b, whole), WIDE), n, WIDE);
            loop_end(b);
        }
        int64_t at = whole;
        for (uint32_t lanes = WIDE / 2; lanes > 0; lanes /= 2)
            if ((n - whole) & lanes) {
                halve_at(w, loop_i64(b, at), n, lanes);
                at += lanes;
            }
    }
}

/* The COUNT rows of BLOCK; their results, column by column, go to the slots of that block. */
static void emit_block(narrow *w, loop_value block, int64_t blocks, int64_t count)
{
    loop_builder *b = w->s->e.b;
    reduction *r = &w->s->r[0];
    const int64_t elements = SUM_BLOCK * w->columns;
    fill_lanes(w, loop_binary(b, LOOP_IMUL, block, loop_i64(b, elements)), count);
    halve_lanes(w);
    const loop_value c = loop_for(b, loop_i64(b, 0), loop_i64(b, w->columns), 1);
    const loop_value slot =
        loop_binary(b, LOOP_IADD, loop_binary(b, LOOP_IMUL, c, loop_i64(b, blocks)), block);
    rows_store_slot(w->s, r, r->partials, slot,
                    element_load(b, r->sum, lane_at(w, c), 1, align_of(w)));
    loop_end(b);
}

int64_t rows_emit_narrow(rows *s, int64_t columns)
{
    enum { FEW_LANES = 16, MANY_LANES = 64 };
    emitter *e = &s->e;
    loop_builder *b = e->b;
    narrow w = {s, columns, SUM_LANES * columns, LOOP_NO_VALUE};
    const int64_t length = s->length / columns, blocks = (length + SUM_BLOCK - 1) / SUM_BLOCK,
                  last = length - (blocks - 1) * SUM_BLOCK;
    w.lanes = loop_scratch(b, (uint64_t)w.line * dtype_bytes(s->r[0].sum));
    s->r[0].partials = loop_buffer(b, emit_buffer_count(s->k));
    e->vector_axis = 0;
    e->lanes = nest_lanes(e->f, s->k, w.line);
    e->lanes = s->is_costly ? FEW_LANES : w.line % MANY_LANES ? SUM_LANES : 2 * e->lanes;
    const loop_value block =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    const uint32_t mark = emit_mark(e);
    rows_hoist_operands(s, 1);
    if (last != SUM_BLOCK) {
        const uint32_t inner = emit_mark(e);
        loop_if(b, loop_binary(b, LOOP_IEQ, block, loop_i64(b, blocks - 1)));
        emit_block(&w, block, blocks, last);
        emit_forget(e, inner);
        loop_else(b);
    }
    emit_block(&w, block, blocks, SUM_BLOCK);
    if (last != SUM_BLOCK)
        loop_end(b);
    emit_forget(e, mark);
    loop_end(b);
    return blocks;
}
