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
    PARTS = 4,           /* strips that are left for threads */
    /* Bytes of a strip whose blocks of the law are items, at most; where there are no lanes: */
    APART = 8 << 10,
    APART_IN_ANY_ORDER = 64 << 10
};

bool rows_have_strips(const rows *s)
{
    return s->is_any_order || (s->stores_early && (s->is_dynamic || s->length >= GROUP));
}

/* The positions of the axes before the columns, where they are known. */
static int64_t positions_before(const rows *s)
{
    int64_t n = 1;
    for (uint32_t i = 0; i + 1 < s->axis; i++)
        n *= nest_is_dynamic(s->k, i) ? 1 : s->k->dims[i];
    return n;
}

int64_t rows_strip(const rows *s, int64_t width, int64_t lanes)
{
    const int64_t before = positions_before(s), parts = before < PARTS ? PARTS : 1;
    int64_t columns = width / parts;
    columns = columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
    columns = columns > MOST_COLUMNS ? MOST_COLUMNS : columns;
    columns = columns > width ? width : columns;
    return rows_have_strips(s) && columns >= lanes ? columns / lanes : 1;
}

int64_t rows_most_strip(const rows *s)
{
    return rows_have_strips(s) && s->e.lanes < MOST_COLUMNS ? MOST_COLUMNS / s->e.lanes : 1;
}

/* Full vectors of columns, the last of which may overlap the one before. */
static int64_t all_vectors(const rows *s)
{
    return (s->k->dims[s->e.vector_axis] + s->e.lanes - 1) / s->e.lanes;
}

bool rows_may_split_strips(const rows *s)
{
    enum { LEAST_BLOCKS = 3 };
    bool is_one = true;
    for (uint32_t i = 0; i + 1 < s->axis; i++)
        is_one = is_one && s->k->dims[i] == 1 && !nest_is_dynamic(s->k, i);
    return is_one && s->columns && !s->is_dynamic && rows_have_strips(s) &&
           rows_blocks(s) >= LEAST_BLOCKS && !nest_is_dynamic(s->k, s->e.vector_axis) &&
           !s->is_costly && s->k->dims[s->e.vector_axis] >= (int64_t)s->e.lanes;
}

int64_t rows_wide_strips(rows *s)
{
    int64_t vector = 0;
    for (uint32_t i = 0; i < s->n; i++)
        vector += (int64_t)s->e.lanes * (int64_t)dtype_bytes(s->r[i].sum);
    const int64_t bytes = s->is_any_order ? APART_IN_ANY_ORDER : APART;
    const int64_t most = bytes > vector ? bytes / vector : 1;
    const int64_t all = all_vectors(s), strips = (all + most - 1) / most;
    s->strip = (all + strips - 1) / strips;
    return (all + s->strip - 1) / s->strip;
}

rows_columns rows_wide_strip(const rows *s, loop_value number)
{
    loop_builder *b = s->e.b;
    const int64_t width = s->k->dims[s->e.vector_axis], lanes = s->e.lanes;
    const loop_value first = loop_binary(b, LOOP_IMUL, number, loop_i64(b, s->strip));
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, all_vectors(s)), first);
    return (rows_columns){loop_binary(b, LOOP_IMUL, first, loop_i64(b, lanes)),
                          loop_min(b, left, loop_i64(b, s->strip)),
                          width % lanes ? loop_i64(b, width - lanes) : (loop_value)LOOP_NO_VALUE};
}

loop_value rows_of_strip(const rows *s, int64_t times)
{
    loop_builder *b = s->e.b;
    if (s->strip_size == LOOP_NO_VALUE)
        return loop_i64(b, times * s->strip);
    return times == 1 ? s->strip_size
                      : loop_binary(b, LOOP_IMUL, s->strip_size, loop_i64(b, times));
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
    return loop_binary(b, LOOP_IADD, loop_binary(b, LOOP_IMUL, number, rows_of_strip(s, 1)), v);
}

void rows_move_to(rows *s, const rows_columns *c, loop_value v)
{
    emitter *e = &s->e;
    const loop_value at = loop_binary(e->b, LOOP_IADD, c->low,
                                      loop_binary(e->b, LOOP_IMUL, v, loop_i64(e->b, e->lanes)));
    e->at[e->vector_axis] = c->last == LOOP_NO_VALUE ? at : loop_min(e->b, at, c->last);
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
static void join_lanes(rows *s, const rows_columns *c, loop_value first, loop_value lanes,
                       uint32_t iterations)
{
    loop_builder *b = s->e.b;
    const loop_value lane = loop_for(b, loop_i64(b, 0), lanes, 1);
    const loop_value row = loop_binary(b, LOOP_IADD, first, lane);
    const loop_value v = loop_for(b, loop_i64(b, 0), c->full, 1);
    rows_move_to(s, c, v);
    join_vector(s, row, iterations, place(s, lane, v));
    loop_end(b);
    loop_end(b);
}

/* PART joins the lanes. */
static void join_rows(rows *s, const rows_columns *c, const row_part *part)
{
    loop_builder *b = s->e.b;
    loop_value rest;
    const loop_value whole = rows_whole(s, part, SUM_LANES, &rest);
    loop_value after_groups = part->first;
    const loop_value lanes = loop_i64(b, SUM_LANES);
    if (!s->is_costly && (part->n != LOOP_NO_VALUE || part->count >= GROUP)) {
        loop_value apart;
        after_groups = rows_whole(s, part, GROUP, &apart);
        join_lanes(s, c, loop_for(b, part->first, after_groups, GROUP), lanes, ITERATIONS);
        loop_end(b);
    }
    const int64_t alone = s->is_costly ? part->count : part->count % GROUP;
    if (part->n != LOOP_NO_VALUE || alone >= SUM_LANES) {
        join_lanes(s, c, loop_for(b, after_groups, whole, SUM_LANES), lanes, 1);
        loop_end(b);
    }
    if (rest != LOOP_NO_VALUE)
        join_lanes(s, c, whole, rest, 1);
}

/* The rows of PART, a block at most; the results are in lane 0. */
static void reduce_block(rows *s, const rows_columns *c, const row_part *part)
{
    loop_builder *b = s->e.b;
    const bool is_short = part->n == LOOP_NO_VALUE && part->count < SUM_LANES;
    const int64_t used = is_short ? part->count : SUM_LANES;
    loop_value i = loop_for(b, loop_i64(b, 0), rows_of_strip(s, used), 1);
    for (uint32_t r = 0; r < s->n; r++)
        rows_store_slot(s, &s->r[r], s->r[r].lanes, i, rows_identity(s, &s->r[r], s->e.lanes));
    loop_end(b);
    join_rows(s, c, part);
    int64_t have = used;
    for (int64_t half = SUM_LANES / 2; half > 0; half /= 2) {
        if (have <= half)
            continue;
        i = loop_for(b, loop_i64(b, 0), rows_of_strip(s, have - half), 1);
        const loop_value partner = loop_binary(b, LOOP_IADD, i, rows_of_strip(s, half));
        for (uint32_t r = 0; r < s->n; r++)
            combine(s, &s->r[r], s->r[r].lanes, i, i, partner);
        loop_end(b);
        have = half;
    }
}

/* Block FROM of the partial results becomes block TO. */
static void move_block(rows *s, loop_value to, loop_value from)
{
    loop_builder *b = s->e.b;
    const loop_value v = loop_for(b, loop_i64(b, 0), rows_of_strip(s, 1), 1);
    const loop_value up = place(s, to, v), down = place(s, from, v);
    for (uint32_t i = 0; i < s->n; i++)
        copy(s, &s->r[i], s->r[i].partials, up, s->r[i].partials, down);
    loop_end(b);
}

/* What R came to in vector V of the columns of a block, or of all rows. */
static element block_result(rows *s, const reduction *r, loop_value v)
{
    return s->is_any_order ? rows_any_order_result(s, r, v) : rows_load_slot(s, r, r->lanes, v);
}

/* This becomes the partial result of BLOCK. */
static void keep_block(rows *s, loop_value block)
{
    loop_builder *b = s->e.b;
    const loop_value v = loop_for(b, loop_i64(b, 0), rows_of_strip(s, 1), 1);
    const loop_value to = place(s, block, v);
    for (uint32_t i = 0; i < s->n; i++)
        rows_store_slot(s, &s->r[i], s->r[i].partials, to, block_result(s, &s->r[i], v));
    loop_end(b);
}

/* Blocks 0 .. 2 * HALF - 1 combine in pairs. */
static void combine_pairs(rows *s, loop_value half)
{
    loop_builder *b = s->e.b;
    const loop_value i = loop_for(b, loop_i64(b, 0), half, 1);
    const loop_value v = loop_for(b, loop_i64(b, 0), rows_of_strip(s, 1), 1);
    const loop_value x = place(s, loop_binary(b, LOOP_IADD, i, i), v),
                     y = loop_binary(b, LOOP_IADD, x, rows_of_strip(s, 1)), to = place(s, i, v);
    for (uint32_t k = 0; k < s->n; k++)
        combine(s, &s->r[k], s->r[k].partials, to, x, y);
    loop_end(b);
    loop_end(b);
}

/* Blocks combine pairwise by index, level by level, in their place. */
static void combine_blocks(rows *s)
{
    loop_builder *b = s->e.b;
    for (int64_t n = rows_blocks(s); n > 1; n = (n + 1) / 2) {
        combine_pairs(s, loop_i64(b, n / 2));
        if (n % 2)
            move_block(s, loop_i64(b, n / 2), loop_i64(b, n - 1));
    }
}

/* The same for a number of blocks that is known when the program runs. */
static void combine_dynamic_blocks(rows *s)
{
    rows_level level = rows_open_level(s);
    combine_pairs(s, level.half);
    rows_open_odd(s, &level);
    move_block(s, level.half, level.last);
    rows_close_level(s, &level);
}

/* All rows, where there may be any number of blocks. */
static void reduce_dynamic(rows *s, const rows_columns *c)
{
    loop_builder *b = s->e.b;
    const loop_value block_rows = loop_i64(b, SUM_BLOCK);
    const loop_value i = loop_for(b, loop_i64(b, 0), rows_all_blocks(s), 1);
    row_part part = {.first = loop_binary(b, LOOP_IMUL, i, block_rows)};
    part.n = loop_min(b, loop_binary(b, LOOP_ISUB, rows_all(s).n, part.first), block_rows);
    reduce_block(s, c, &part);
    keep_block(s, i);
    loop_end(b);
    combine_dynamic_blocks(s);
}

static void reduce_static(rows *s, const rows_columns *c)
{
    loop_builder *b = s->e.b;
    const int64_t blocks = rows_blocks(s);
    if (blocks > 1) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, blocks - 1), 1);
        const row_part block = rows_block(s, i);
        reduce_block(s, c, &block);
        keep_block(s, i);
        loop_end(b);
    }
    const row_part last = rows_last_block(s);
    reduce_block(s, c, &last);
    if (blocks > 1) {
        keep_block(s, loop_i64(b, blocks - 1));
        combine_blocks(s);
    }
}

/* What the columns C came to is stored; it is in block 0, or there were no blocks. */
static void store_results(rows *s, const rows_columns *c, bool had_blocks, void (*store)(rows *s))
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const loop_value v = loop_for(b, loop_i64(b, 0), c->full, 1);
    rows_move_to(s, c, v);
    for (uint32_t i = 0; i < s->n; i++) {
        const reduction *r = &s->r[i];
        const element x = had_blocks ? rows_load_slot(s, r, r->partials, v) : block_result(s, r, v);
        emit_know(e, r->n->first_value, NULL, rows_finish(s, r, x));
    }
    store(s);
    loop_end(b);
}

void rows_reduce_strip(rows *s, const rows_columns *c, void (*store)(rows *s))
{
    const uint32_t mark = emit_mark(&s->e);
    rows_hoist_operands(s, 1);
    const row_part all = rows_all(s);
    if (s->is_any_order)
        rows_reduce_any_order(s, c, &all);
    else if (s->is_dynamic)
        reduce_dynamic(s, c);
    else
        reduce_static(s, c);
    store_results(s, c, !s->is_any_order && !rows_are_one_block(s), store);
    emit_forget(&s->e, mark);
}

static void reduce_part(rows *s, const rows_columns *c, const row_part *part)
{
    if (s->is_any_order)
        rows_reduce_any_order(s, c, part);
    else
        reduce_block(s, c, part);
}

void rows_reduce_strip_block(rows *s, const rows_columns *c, loop_value block)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const bool has_rest = s->length % SUM_BLOCK != 0;
    const uint32_t mark = emit_mark(e);
    rows_hoist_operands(s, 1);
    if (has_rest) {
        const uint32_t inner = emit_mark(e);
        loop_if(b, loop_binary(b, LOOP_IEQ, block, loop_i64(b, rows_blocks(s) - 1)));
        const row_part last = rows_last_block(s);
        reduce_part(s, c, &last);
        emit_forget(e, inner);
        loop_else(b);
    }
    const row_part whole = rows_block(s, block);
    reduce_part(s, c, &whole);
    if (has_rest)
        loop_end(b);
    keep_block(s, block);
    emit_forget(e, mark);
}

void rows_finish_strip(rows *s, const rows_columns *c, void (*store)(rows *s))
{
    const uint32_t mark = emit_mark(&s->e);
    combine_blocks(s);
    store_results(s, c, true, store);
    emit_forget(&s->e, mark);
}
