/* arg_max of lines side by side: strips of vectors, each lane of which searches a line. */
#include "loop/nest/loops/arg_max.h"

enum {
    ITERATIONS = 4, /* positions along the axis that a strip takes at a time */
    LEAST_COLUMNS = 256,
    MOST_COLUMNS = 1024, /* of a strip */
    PARTS = 4            /* strips that are left for threads */
};

/* Some vectors of neighbouring lines: the first element of each in the first line of memory, their
 * number, and in scratch memory the best of each so far. */
typedef struct strip {
    loop_value base; /* the first element of all lines */
    loop_value first_vector, n_vectors;
    loop_value keys, indices; /* PTR */
} strip;

static loop_value slot(const search *s, loop_value base, loop_elem e, loop_value v)
{
    return loop_offset(&s->l->b, base,
                       loops_times(s->l, v, (int64_t)(s->lanes * loop_elem_bytes(e))));
}

static best load_best(const search *s, const strip *t, loop_value v)
{
    loop_builder *b = &s->l->b;
    const loop_value key = loop_load(b, loop_type_of(s->key, s->lanes), slot(s, t->keys, s->key, v),
                                     (uint32_t)loop_elem_bytes(s->key));
    return (best){key,
                  loop_load(b, loop_type_of(s->index, s->lanes), slot(s, t->indices, s->index, v),
                            (uint32_t)loop_elem_bytes(s->index))};
}

static void store_best(const search *s, const strip *t, loop_value v, best x)
{
    loop_store(&s->l->b, slot(s, t->keys, s->key, v), x.key, (uint32_t)loop_elem_bytes(s->key));
    loop_store(&s->l->b, slot(s, t->indices, s->index, v), x.index,
               (uint32_t)loop_elem_bytes(s->index));
}

/* The first line of vector V. The last vector takes some lines of the one before again. */
static loop_value column_of(const search *s, const strip *t, loop_value v)
{
    loop_builder *b = &s->l->b;
    const loop_value column =
        loops_times(s->l, loop_binary(b, LOOP_IADD, t->first_vector, v), s->lanes);
    return s->lines.any_inner || s->lines.inner % s->lanes
               ? loop_min(b, column,
                          loop_sized(b, sized_add(s->lines.width, sized_of(-(int64_t)s->lanes))))
               : column;
}

/* Positions AT and the next ones, ITERATIONS of them, for all lines of the strip. */
static void take_positions(const search *s, const strip *t, loop_value at, uint32_t iterations)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value row = loops_times_sized(l, at, s->lines.width);
    const loop_value v = loop_for(b, loop_i64(b, 0), t->n_vectors, 1);
    const loop_value first = loops_add(l, loops_add(l, t->base, row), column_of(s, t, v));
    best now = load_best(s, t, v);
    for (uint32_t k = 0; k < iterations; k++) {
        const loop_value place =
            loops_add(l, first, loop_sized(b, sized_mul(sized_of(k), s->lines.width)));
        const element x = loops_read(l, 0, place, s->lanes, LOOP_NO_VALUE);
        const loop_value index = arg_max_position(s, s->lanes, loops_add(l, at, loop_i64(b, k)));
        now = arg_max_better(s, now, arg_max_key(s, x), index, LOOP_NO_VALUE);
    }
    store_best(s, t, v, now);
    loop_end(b);
}

static void search_strip(const search *s, const strip *t)
{
    loop_builder *b = &s->l->b;
    const int64_t n = s->lines.n, whole = n - n % ITERATIONS;
    const loop_value end = nest_number(b, s->lines.any_n, LINE_WHOLE, whole);
    const loop_value v = loop_for(b, loop_i64(b, 0), t->n_vectors, 1);
    const loop_value zero = arg_max_position(s, s->lanes, loop_i64(b, 0));
    store_best(s, t, v, (best){arg_max_worst(s, s->lanes), zero});
    loop_end(b);
    if (s->lines.any_n || whole) {
        take_positions(s, t, loop_for(b, loop_i64(b, 0), end, ITERATIONS), ITERATIONS);
        loop_end(b);
    }
    if (s->lines.any_n || whole < n) {
        take_positions(s, t, loop_for(b, end, loop_sized(b, s->lines.length), 1), 1);
        loop_end(b);
    }
}

static void store_strip(const search *s, const strip *t, loop_value outer)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value v = loop_for(b, loop_i64(b, 0), t->n_vectors, 1);
    const loop_value to =
        loops_add(l, loops_times_sized(l, outer, s->lines.width), column_of(s, t, v));
    arg_max_store(s, to, load_best(s, t, v).index);
    loop_end(b);
}

/* Whether any line of the strip has no number above -infinity. */
static loop_value any_found_none(const search *s, const strip *t)
{
    loop_builder *b = &s->l->b;
    const loop_value any = loop_var(b, loop_const(b, loop_type_of(LOOP_MASK, 1), 0));
    const loop_value v = loop_for(b, loop_i64(b, 0), t->n_vectors, 1);
    const loop_value none = loop_any(b, arg_max_found_none(s, load_best(s, t, v).key));
    loop_set(b, any, loop_binary(b, LOOP_OR, loop_get(b, any), none));
    loop_end(b);
    return loop_get(b, any);
}

/* Vectors of LANES that hold all lines. */
static sized vectors_of(sized lines, int64_t lanes)
{
    return sized_div(sized_add(lines, sized_of(lanes - 1)), sized_of(lanes));
}

/* Vectors of a strip, of all VECTORS of LINES lines. */
static int64_t strip_of(int64_t lines, int64_t vectors, int64_t lanes)
{
    int64_t columns = lines / PARTS;
    columns = columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
    columns = columns > MOST_COLUMNS ? MOST_COLUMNS : columns;
    return columns / lanes < vectors ? columns / lanes : vectors;
}

bool arg_max_strips(const search *s, const search *exact)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const int64_t lanes = s->lanes, inner = s->lines.width.other;
    const sized vectors = vectors_of(s->lines.width, lanes);
    const sized each = {strip_of(s->lines.inner, vectors.now, lanes),
                        inner > 0 ? strip_of(inner, vectors.other, lanes) : 1};
    const int64_t strips = (vectors.now + each.now - 1) / each.now;
    const sized slots = sized_mul(each, sized_of(lanes));
    strip t;
    /* as large as those of EXACT */
    t.keys = loop_sized_scratch(b, sized_mul(slots, sized_of((int64_t)loop_elem_bytes(s->key))));
    t.indices =
        loop_sized_scratch(b, sized_mul(slots, sized_of((int64_t)loop_elem_bytes(s->index))));
    loop_value outer, number_of;
    loops_split_any(l, loops_items(l), strips, s->lines.any_inner, &outer, &number_of);
    t.base = loops_times_sized(l, outer, s->lines.all);
    t.first_vector = loops_times_sized(l, number_of, each);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_sized(b, vectors), t.first_vector);
    t.n_vectors = loop_min(b, left, loop_sized(b, each));
    search_strip(s, &t);
    if (s->is_plain) {
        loop_if(b, any_found_none(s, &t));
        search_strip(exact, &t);
        loop_end(b);
    }
    store_strip(s, &t, outer);
    loop_end(b);
    return loops_step(l, s->lines.outer * strips, (uint64_t)(s->lines.n * each.now * lanes),
                      "strips of lines side by side");
}
