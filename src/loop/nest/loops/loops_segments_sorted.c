/* Single numbers whose segments are in order. Each sum is a chain, in which a number waits for the
 * one before it; so the rows are cut into parts at the ends of segments, and the chains of all
 * parts go on beside each other. */
#include "loop/nest/loops/loops_segments.h"

enum {
    PARTS = 8,
    BLOCK = 8, /* rows of a part, one after the other */
    LANES = 16,
    LEAST = 2048, /* rows, and ... */
    SHORT = 4     /* ... a power of two of rows of a segment, below which this does not pay */
};

static loop_value id_at(const segments *g, loop_value r)
{
    return segments_ids(g, r, 1);
}

/* The first row that the parts number K and more would have if all were equally long. */
static loop_value even_place(const segments *g, loop_value n, int64_t k)
{
    loop_value each, rest;
    loops_split(g->s.l, n, PARTS, &each, &rest);
    return loops_times(g->s.l, each, k);
}

static loop_value is_inside(const segments *g, loop_value id)
{
    loop_builder *b = &g->s.l->b;
    return loop_binary(b, LOOP_IULT, id, loop_i64(b, g->rows));
}

/* Is there a row among the LANES from R on that is of an earlier segment than the one before it? */
static loop_value go_back(const segments *g, loop_value r)
{
    loops *l = g->s.l;
    const loop_value before = segments_ids(g, loops_add(l, r, loop_i64(&l->b, -1)), LANES);
    return loop_binary(&l->b, LOOP_ILT, segments_ids(g, r, LANES), before);
}

/* A look at a few rows, which mostly tells where they are in no order or in too many segments. */
static loop_value seem_sorted(const segments *g, loop_value n)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    const loop_value first = id_at(g, loop_i64(b, 0));
    loop_value before = first, ok = is_inside(g, first);
    for (int64_t k = 1; k <= PARTS; k++) {
        const loop_value last = loops_add(l, n, loop_i64(b, -1));
        const loop_value id = id_at(g, k < PARTS ? even_place(g, n, k) : last);
        const loop_value less = loop_binary(b, LOOP_ILT, id, before);
        ok = loop_binary(b, LOOP_AND, ok, loop_unary(b, LOOP_NOT, less));
        before = id;
    }
    ok = loop_binary(b, LOOP_AND, ok, is_inside(g, before));
    const loop_value most = loop_binary(b, LOOP_LSHR, n, loop_i64(b, SHORT));
    return loop_binary(b, LOOP_AND, ok,
                       loops_less(l, loop_binary(b, LOOP_ISUB, before, first), most));
}

/* Is no row of an earlier segment than the one before it? */
static loop_value are_all_sorted(const segments *g, loop_value n)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    const loop_value last = loops_add(l, n, loop_i64(b, -LANES));
    const loop_value bad = loop_var(b, loop_const(b, loop_type_of(LOOP_MASK, LANES), 0));
    const loop_value r = loop_for(b, loop_i64(b, 1), last, LANES);
    loop_set(b, bad, loop_binary(b, LOOP_OR, loop_get(b, bad), go_back(g, r)));
    loop_end(b);
    const loop_value all = loop_binary(b, LOOP_OR, loop_get(b, bad), go_back(g, last));
    return loop_unary(b, LOOP_NOT, loop_any(b, all));
}

loop_value segments_are_sorted(const segments *g, loop_value n, sized length)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    if (length.now < LEAST && sized_is_fixed(length))
        return LOOP_NO_VALUE;
    const loop_value are = loop_var(b, loop_const(b, loop_type_of(LOOP_MASK, 1), 0));
    loop_if(b, loops_less(l, loop_i64(b, LEAST - 1), n));
    loop_if(b, seem_sorted(g, n));
    loop_set(b, are, are_all_sorted(g, n));
    loop_end(b);
    loop_end(b);
    return loop_get(b, are);
}

/* The first row whose segment is that of row R, or a later one. */
static loop_value first_like(const segments *g, loop_value r, sized length)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    int64_t steps = 1; /* each halves what is left */
    while (steps < 62 && !(sized_is_fixed(length) && length.now >> steps == 0))
        steps++;
    const loop_value wanted = id_at(g, r), low = loop_var(b, loop_i64(b, 0)), high = loop_var(b, r);
    (void)loop_for(b, loop_i64(b, 0), loop_i64(b, steps), 1);
    const loop_value from = loop_get(b, low), to = loop_get(b, high);
    const loop_value middle = loop_binary(b, LOOP_LSHR, loops_add(l, from, to), loop_i64(b, 1));
    const loop_value is_before = loops_less(l, id_at(g, middle), wanted);
    loop_set(b, low, loop_select(b, is_before, loops_add(l, middle, loop_i64(b, 1)), from));
    loop_set(b, high, loop_select(b, is_before, to, middle));
    loop_end(b);
    return loop_get(b, low);
}

typedef struct part {
    segments g; /* with a register of its own */
    loop_value first, end;
} part;

static void join_number(const part *p, loop_value r)
{
    loop_builder *b = &p->g.s.l->b;
    const element x = scatter_read(&p->g.s, 0, r, LOOP_NO_VALUE);
    element_set(b, p->g.sum, element_combine(b, p->g.s.kind, element_get(b, p->g.sum), x));
}

/* Row R, perhaps of another segment than the one before it. */
static void join_row(part *p, loop_value r)
{
    loop_builder *b = &p->g.s.l->b;
    const loop_value segment = id_at(&p->g, r);
    const loop_value is_same = loop_binary(b, LOOP_IEQ, loop_get(b, p->g.segment), segment);
    loop_if(b, loop_unary(b, LOOP_NOT, is_same));
    segments_store_sum(&p->g);
    segments_mark(&p->g, segment);
    segments_load_sum(&p->g, segment);
    loop_end(b);
    join_number(p, r);
}

/* The BLOCK rows from R on, all of one segment if the last one is still of that. */
static void join_block(part *p, loop_value r)
{
    loops *l = p->g.s.l;
    loop_builder *b = &l->b;
    const loop_value last = id_at(&p->g, loops_add(l, r, loop_i64(b, BLOCK - 1)));
    loop_if(b, loop_binary(b, LOOP_IEQ, loop_get(b, p->g.segment), last));
    for (int64_t k = 0; k < BLOCK; k++)
        join_number(p, loops_add(l, r, loop_i64(b, k)));
    loop_else(b);
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, BLOCK), 1);
    join_row(p, loops_add(l, r, k));
    loop_end(b);
    loop_end(b);
}

/* What P has behind its first ROWS rows. The segment of a part without rows is that of the next
 * one, which stores its sum after it. */
static void join_rest(part *p, loop_value rows)
{
    loop_builder *b = &p->g.s.l->b;
    join_row(p, loop_for(b, loops_add(p->g.s.l, p->first, rows), p->end, 1));
    loop_end(b);
    segments_store_sum(&p->g);
}

static void begin(part *p)
{
    loop_builder *b = &p->g.s.l->b;
    const loop_value segment = id_at(&p->g, p->first);
    p->g.segment = loop_var(b, segment);
    p->g.sum = element_var(b, element_zero(b, p->g.s.sum, 1));
    segments_mark(&p->g, segment);
    segments_load_sum(&p->g, segment);
}

void segments_join_sorted(const segments *g, loop_value n, sized length)
{
    loops *l = g->s.l;
    loop_builder *b = &l->b;
    part parts[PARTS];
    for (int64_t k = 0; k < PARTS; k++)
        parts[k] = (part){*g, k ? first_like(g, even_place(g, n, k), length) : loop_i64(b, 0), n};
    for (int k = 0; k + 1 < PARTS; k++)
        parts[k].end = parts[k + 1].first;
    loop_value shortest = n;
    for (int k = 0; k < PARTS; k++) {
        begin(&parts[k]);
        shortest = loop_min(b, shortest, loop_binary(b, LOOP_ISUB, parts[k].end, parts[k].first));
    }
    shortest = loop_binary(b, LOOP_AND, shortest, loop_i64(b, -BLOCK));
    const loop_value r = loop_for(b, loop_i64(b, 0), shortest, BLOCK);
    for (int k = 0; k < PARTS; k++)
        join_block(&parts[k], loops_add(l, parts[k].first, r));
    loop_end(b);
    for (int k = 0; k < PARTS; k++)
        join_rest(&parts[k], shortest);
}
