/* Reductions of rows that are not contiguous, many of them at once: memory is read in pieces long
 * enough for the hardware prefetcher. The lanes of the law of bits are strips in scratch memory;
 * several elements join a lane at a time, so that it is rarely loaded and stored. */
#include "eval/eval.h"
#include "loop/nest/rows_parts.h"

enum {
    ITERATIONS = 8,                 /* elements that join a lane at a time */
    GROUP = ITERATIONS * SUM_LANES, /* rows that do so together */
    LEAST_COLUMNS = 256,
    MOST_COLUMNS = 1024, /* of a strip */
    PARTS = 4            /* strips that are left for threads */
};

int64_t rows_strip(const rows *s)
{
    const int64_t width = s->k->dims[s->e.vector_axis];
    const bool is_plain = s->stores_early && s->length >= GROUP;
    int64_t columns = width / PARTS;
    columns = columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
    columns = columns > MOST_COLUMNS ? MOST_COLUMNS : columns;
    columns = columns > width ? width : columns;
    return is_plain && columns >= s->e.lanes ? columns / s->e.lanes : 1;
}

/* The vectors at X and Y of what lies at BASE become one at TO. */
static void combine(rows *s, const reduction *r, loop_value base, loop_value to, loop_value x,
                    loop_value y)
{
    const element first = rows_load_slot(s, r, base, x);
    const element second = rows_load_slot(s, r, base, y);
    rows_store_slot(s, r, base, to, element_combine(s->e.b, r->kind, first, second));
}

static void copy(rows *s, const reduction *r, loop_value to_base, loop_value to, loop_value base,
                 loop_value from)
{
    rows_store_slot(s, r, to_base, to, rows_load_slot(s, r, base, from));
}

/* The number of vector V in lane, or block, NUMBER. */
static loop_value place(const rows *s, loop_value number, loop_value v)
{
    loop_builder *b = s->e.b;
    return loop_binary(b, LOOP_IADD, loop_binary(b, LOOP_IMUL, number, loop_i64(b, s->strip)), v);
}

/* The vectors of ITERATIONS rows, ROW and every SUM_LANES-th after it, join LANE at the emitter's
 * position. */
static void join_vector(rows *s, loop_value row, uint32_t iterations, loop_value at)
{
    emitter *e = &s->e;
    element acc[KERNEL_REDUCTIONS];
    for (uint32_t i = 0; i < s->n; i++)
        acc[i] = rows_load_slot(s, &s->r[i], s->r[i].lanes, at);
    for (uint32_t t = 0; t < iterations; t++) {
        const uint32_t mark = emit_mark(e);
        e->at[s->axis] = loop_binary(e->b, LOOP_IADD, row, loop_i64(e->b, (int64_t)t * SUM_LANES));
        for (uint32_t i = 0; i < s->n; i++)
            acc[i] = element_combine(e->b, s->r[i].kind, acc[i], rows_operand(s, &s->r[i]));
        rows_store_vector(s, false);
        emit_forget(e, mark);
    }
    for (uint32_t i = 0; i < s->n; i++)
        rows_store_slot(s, &s->r[i], s->r[i].lanes, at, acc[i]);
}

/* ITERATIONS rows join each of the first LANES lanes, FIRST the first of lane 0. */
static void join_lanes(rows *s, loop_value first, int64_t lanes, uint32_t iterations,
                       loop_value low, loop_value full)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const loop_value lane = loop_for(b, loop_i64(b, 0), loop_i64(b, lanes), 1);
    const loop_value row = loop_binary(b, LOOP_IADD, first, lane);
    const loop_value v = loop_for(b, loop_i64(b, 0), full, 1);
    e->at[e->vector_axis] =
        loop_binary(b, LOOP_IADD, low, loop_binary(b, LOOP_IMUL, v, loop_i64(b, e->lanes)));
    join_vector(s, row, iterations, place(s, lane, v));
    loop_end(b);
    loop_end(b);
}

/* The rows from FIRST on, COUNT of them; the results are in lane 0. */
static void reduce_block(rows *s, loop_value first, int64_t count, loop_value low, loop_value full)
{
    loop_builder *b = s->e.b;
    const int64_t used = count < SUM_LANES ? count : SUM_LANES,
                  groups = s->is_costly ? 0 : count / GROUP * GROUP,
                  whole = count / SUM_LANES * SUM_LANES;
    loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, used * s->strip), 1);
    for (uint32_t r = 0; r < s->n; r++)
        rows_store_slot(s, &s->r[r], s->r[r].lanes, i, rows_identity(s, &s->r[r], s->e.lanes));
    loop_end(b);
    const loop_value after_groups = loop_binary(b, LOOP_IADD, first, loop_i64(b, groups)),
                     after_whole = loop_binary(b, LOOP_IADD, first, loop_i64(b, whole));
    if (groups) {
        i = loop_for(b, first, after_groups, GROUP);
        join_lanes(s, i, SUM_LANES, ITERATIONS, low, full);
        loop_end(b);
    }
    if (whole > groups) {
        i = loop_for(b, after_groups, after_whole, SUM_LANES);
        join_lanes(s, i, SUM_LANES, 1, low, full);
        loop_end(b);
    }
    if (count > whole)
        join_lanes(s, after_whole, count - whole, 1, low, full);
    int64_t have = used;
    for (int64_t half = SUM_LANES / 2; half > 0; half /= 2) {
        if (have <= half)
            continue;
        i = loop_for(b, loop_i64(b, 0), loop_i64(b, (have - half) * s->strip), 1);
        const loop_value partner = loop_binary(b, LOOP_IADD, i, loop_i64(b, half * s->strip));
        for (uint32_t r = 0; r < s->n; r++)
            combine(s, &s->r[r], s->r[r].lanes, i, i, partner);
        loop_end(b);
        have = half;
    }
}

/* Lane 0 becomes the partial result of BLOCK. */
static void keep_block(rows *s, loop_value block)
{
    loop_builder *b = s->e.b;
    const loop_value v = loop_for(b, loop_i64(b, 0), loop_i64(b, s->strip), 1);
    const loop_value to = place(s, block, v);
    for (uint32_t i = 0; i < s->n; i++)
        copy(s, &s->r[i], s->r[i].partials, to, s->r[i].lanes, v);
    loop_end(b);
}

/* Blocks combine pairwise by index, level by level, in their place. */
static void combine_blocks(rows *s)
{
    loop_builder *b = s->e.b;
    const int64_t width = s->strip;
    for (int64_t n = rows_blocks(s); n > 1; n = (n + 1) / 2) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, n / 2), 1);
        const loop_value v = loop_for(b, loop_i64(b, 0), loop_i64(b, width), 1);
        const loop_value x = place(s, loop_binary(b, LOOP_IADD, i, i), v),
                         y = loop_binary(b, LOOP_IADD, x, loop_i64(b, width)), to = place(s, i, v);
        for (uint32_t k = 0; k < s->n; k++)
            combine(s, &s->r[k], s->r[k].partials, to, x, y);
        loop_end(b);
        loop_end(b);
        if (n % 2 == 0)
            continue;
        const loop_value odd = loop_for(b, loop_i64(b, 0), loop_i64(b, width), 1);
        const loop_value up = place(s, loop_i64(b, n / 2), odd),
                         from = place(s, loop_i64(b, n - 1), odd);
        for (uint32_t r = 0; r < s->n; r++)
            copy(s, &s->r[r], s->r[r].partials, up, s->r[r].partials, from);
        loop_end(b);
    }
}

void rows_reduce_strip(rows *s, loop_value low, loop_value full, void (*store)(rows *s))
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const int64_t blocks = rows_blocks(s), last = s->length - (blocks - 1) * SUM_BLOCK;
    const uint32_t mark = emit_mark(e);
    rows_hoist_operands(s, 1);
    if (blocks > 1) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, blocks - 1), 1);
        reduce_block(s, loop_binary(b, LOOP_IMUL, i, loop_i64(b, SUM_BLOCK)), SUM_BLOCK, low, full);
        keep_block(s, i);
        loop_end(b);
    }
    reduce_block(s, loop_i64(b, (blocks - 1) * SUM_BLOCK), last, low, full);
    if (blocks > 1) {
        keep_block(s, loop_i64(b, blocks - 1));
        combine_blocks(s);
    }
    const loop_value v = loop_for(b, loop_i64(b, 0), full, 1);
    e->at[e->vector_axis] =
        loop_binary(b, LOOP_IADD, low, loop_binary(b, LOOP_IMUL, v, loop_i64(b, e->lanes)));
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        emit_know(e, r->n->first_value, NULL,
                  rows_finish(s, r, rows_load_slot(s, r, blocks > 1 ? r->partials : r->lanes, v)));
    }
    store(s);
    loop_end(b);
    emit_forget(e, mark);
}
