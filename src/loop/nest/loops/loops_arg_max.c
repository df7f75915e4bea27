/* arg_max (docs/numerics.md, section 9): the best so far and its position, lane by lane, along one
 * line or over many lines side by side. */
#include <math.h>

#include "loop/nest/loops/loops.h"
#include "ops/attr_rules.h"

enum {
    LANES_32 = 32, /* of keys with 4 bytes or fewer and positions with 4 */
    LANES_64 = 16,
    ITERATIONS = 4, /* positions along the axis that a strip takes at a time */
    LEAST_COLUMNS = 256,
    MOST_COLUMNS = 1024, /* of a strip */
    PARTS = 4,           /* strips that are left for threads */
    BLOCK_BYTES = 4096,  /* of the keys of a part of a long line */
    LEAST_BLOCKS = 4,
    CHAINS = 4 /* extrema of such a part that go on side by side */
};

/* Elements in the order of arg_max: as keys, or floats as they are, of which none but numbers above
 * -infinity are ever better than the start. */
typedef struct search {
    loops *l;
    tn_dtype d;
    loops_lines lines;
    bool is_plain;
    loop_elem key, index;
    uint32_t lanes;
} search;

static search search_of(loops *l, const loops_lines *lines, bool is_plain)
{
    search s = {.l = l, .d = loops_type(l, 0)->dtype, .lines = *lines, .is_plain = is_plain};
    const element none = element_zero(&l->b, s.d, 1);
    s.key = is_plain ? element_compute(s.d)
                     : (loop_elem)loop_value_type(&l->b, loops_order_key(&l->b, none, true)).elem;
    if (loop_failed(&l->b))
        s.key = LOOP_I64; /* a value without memory has no type */
    const bool wide = lines->n > INT32_MAX || loop_elem_bytes(s.key) > 4;
    s.index = wide ? LOOP_I64 : LOOP_I32;
    s.lanes = wide ? LANES_64 : LANES_32;
    return s;
}

static loop_value worst(const search *s, uint32_t lanes)
{
    loop_builder *b = &s->l->b;
    const loop_type t = loop_type_of(s->key, lanes);
    const unsigned bits = 8 * (unsigned)loop_elem_bytes(s->key);
    return s->is_plain ? loop_float(b, t, -(double)INFINITY)
                       : loop_const(b, t, (UINT64_C(1) << (bits - 1)) - 1);
}

static loop_value number(const search *s, uint32_t lanes, loop_value i64)
{
    loop_builder *b = &s->l->b;
    const loop_value x = s->index == LOOP_I64 ? i64 : loop_convert(b, LOOP_TRUNCATE, s->index, i64);
    return loop_splat(b, lanes, x);
}

static loop_value key_of(const search *s, element x)
{
    return s->is_plain ? x.re : loops_order_key(&s->l->b, x, true);
}

static loop_value comes_before(const search *s, loop_value x, loop_value y)
{
    return s->is_plain ? loop_binary(&s->l->b, LOOP_FLT, y, x)
                       : loop_binary(&s->l->b, LOOP_ILT, x, y);
}

/* The best so far. */
typedef struct best {
    loop_value key, index;
} best;

static best better(const search *s, best old, loop_value key, loop_value index, loop_value counts)
{
    loop_builder *b = &s->l->b;
    loop_value is = comes_before(s, key, old.key);
    if (counts != LOOP_NO_VALUE)
        is = loop_binary(b, LOOP_AND, is, counts);
    return (best){loop_select(b, is, key, old.key), loop_select(b, is, index, old.index)};
}

static void store_index(const search *s, loop_value at, loop_value index)
{
    loop_builder *b = &s->l->b;
    if (s->index != LOOP_I64)
        index = loop_convert(b, LOOP_SEXT, LOOP_I64, index);
    loops_store_position(s->l, 0, at, index);
}

/* A search among floats as they are that found no number above -infinity is no answer. */
static loop_value found_none(const search *s, loop_value key)
{
    return loop_binary(&s->l->b, LOOP_FEQ, key, worst(s, loop_lanes(&s->l->b, key)));
}

/* ---- along a line ---- */

/* Of the two halves of all lanes the better one, until one is left; of equal ones the first. */
static best best_lane(const search *s, best x)
{
    loop_builder *b = &s->l->b;
    for (uint32_t half = loop_lanes(b, x.key) / 2; half > 0; half /= 2) {
        const best p = {loop_part(b, x.key, 0, half), loop_part(b, x.index, 0, half)};
        const best q = {loop_part(b, x.key, half, half), loop_part(b, x.index, half, half)};
        const loop_op same = s->is_plain ? LOOP_FEQ : LOOP_IEQ;
        const loop_value equal = loop_binary(b, same, p.key, q.key);
        const loop_value earlier =
            loop_binary(b, LOOP_AND, equal, loop_binary(b, LOOP_ILT, q.index, p.index));
        const loop_value is = loop_binary(b, LOOP_OR, comes_before(s, q.key, p.key), earlier);
        x.key = loop_select(b, is, q.key, p.key);
        x.index = loop_select(b, is, q.index, p.index);
    }
    return x;
}

/* All N elements from FIRST on. */
static best search_all(const search *s, loop_value first, int64_t n, bool any)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const uint32_t lanes = any || n >= s->lanes ? s->lanes : 1;
    const int64_t whole = any ? (n - 1) / lanes * lanes : n - n % lanes;
    const loop_value end = nest_number(b, any, LINE_WHOLE, whole);
    const loop_value ramp = loop_ramp(b, s->index, lanes), base = loops_in(l, 0);
    const loop_value start = number(s, lanes, loop_i64(b, 0));
    const best vars = {loop_var(b, worst(s, lanes)), loop_var(b, start)};
    const loop_value k = loop_for(b, loop_i64(b, 0), end, lanes);
    element x = loops_load(l, s->d, base, loops_add(l, first, k), lanes, LOOP_NO_VALUE);
    const best old = {loop_get(b, vars.key), loop_get(b, vars.index)};
    const loop_value index = loop_binary(b, LOOP_IADD, ramp, number(s, lanes, k));
    const best now = better(s, old, key_of(s, x), index, LOOP_NO_VALUE);
    loop_set(b, vars.key, now.key);
    loop_set(b, vars.index, now.index);
    loop_end(b);
    best found = {loop_get(b, vars.key), loop_get(b, vars.index)};
    if (whole < n) {
        const loop_value count = nest_number(b, any, LINE_REST, n - whole);
        x = loops_load(l, s->d, base, loops_add(l, first, end), lanes, count);
        const loop_value last = loop_binary(b, LOOP_IADD, ramp, number(s, lanes, end));
        found = better(s, found, key_of(s, x), last, element_first(b, lanes, count));
    }
    return best_lane(s, found);
}

/* The best keys of COUNT elements from FIRST on, lane by lane. */
static loop_value best_keys(const search *s, loop_value first, int64_t count, uint32_t lanes)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    loop_value vars[CHAINS], found;
    for (uint32_t c = 0; c < CHAINS; c++)
        vars[c] = loop_var(b, worst(s, lanes));
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, count), CHAINS * lanes);
    for (uint32_t c = 0; c < CHAINS; c++) {
        const loop_value at = loops_add(l, loops_add(l, first, k), loop_i64(b, c * lanes));
        const element x = loops_load(l, s->d, loops_in(l, 0), at, lanes, LOOP_NO_VALUE);
        const loop_value key = key_of(s, x), old = loop_get(b, vars[c]);
        loop_set(b, vars[c], loop_select(b, comes_before(s, key, old), key, old));
    }
    loop_end(b);
    found = loop_get(b, vars[0]);
    for (uint32_t c = 1; c < CHAINS; c++) {
        const loop_value other = loop_get(b, vars[c]);
        found = loop_select(b, comes_before(s, other, found), other, found);
    }
    return found;
}

/* Lanes for keys without positions */
static uint32_t key_lanes(const search *s)
{
    const uint32_t lanes = 2 * LOOP_ALIGN / (uint32_t)loop_elem_bytes(s->key);
    return lanes > LOOP_MAX_LANES ? LOOP_MAX_LANES : lanes;
}

static int64_t block_of(const search *s)
{
    return BLOCK_BYTES / (int64_t)loop_elem_bytes(s->key);
}

/* The line that begins at element FIRST, in parts of equal length, of which the last one may begin
 * in the one before: first which of them has the best key, then where that is. */
static best search_blocks(const search *s, loop_value first)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const int64_t block = block_of(s), n = s->lines.n;
    const uint32_t lanes = key_lanes(s);
    const loop_value start = loop_var(b, loop_i64(b, 0)),
                     best_of_all = loop_var(b, worst(s, lanes));
    const loop_value at = loop_for(b, loop_i64(b, 0), loop_i64(b, n), block);
    const loop_value from = loop_min(b, at, loop_i64(b, n - block));
    const loop_value keys = best_keys(s, loops_add(l, first, from), block, lanes);
    loop_if(b, loop_any(b, comes_before(s, keys, loop_get(b, best_of_all))));
    loop_value one = keys;
    for (uint32_t half = lanes / 2; half > 0; half /= 2) {
        const loop_value p = loop_part(b, one, 0, half), q = loop_part(b, one, half, half);
        one = loop_select(b, comes_before(s, q, p), q, p);
    }
    loop_set(b, best_of_all, loop_splat(b, lanes, one));
    loop_set(b, start, from);
    loop_end(b);
    loop_end(b);
    const loop_value found_in = loop_get(b, start);
    best found = search_all(s, loops_add(l, first, found_in), block, false);
    found.index = loop_binary(b, LOOP_IADD, found.index, number(s, 1, found_in));
    return found;
}

/* The line that begins at element FIRST. */
static best search_line(const search *s, loop_value first)
{
    if (!s->lines.any_n && s->lines.n >= LEAST_BLOCKS * block_of(s))
        return search_blocks(s, first);
    return search_all(s, first, s->lines.n, s->lines.any_n);
}

static bool along_lines(const search *s, const search *exact)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value item = loops_items(l), first = loops_times_sized(l, item, s->lines.length);
    const best found = search_line(s, first);
    loop_value index = found.index;
    if (s->is_plain) {
        const loop_value var = loop_var(b, index);
        loop_if(b, found_none(s, found.key));
        loop_set(b, var, search_line(exact, first).index);
        loop_end(b);
        index = loop_get(b, var);
    }
    store_index(s, item, index);
    loop_end(b);
    return loops_step(l, s->lines.outer, (uint64_t)s->lines.n, "line by line");
}

/* ---- lines of few elements, several of which vectors hold ---- */

enum { MOST_ELEMENTS = 8, LONG = 4 };

/* Number J of every N elements that the vectors X[0 .. n-1] hold one after the other. */
static loop_value every_nth(loop_builder *b, const loop_value *x, uint32_t n, uint32_t j)
{
    const uint32_t lanes = loop_lanes(b, x[0]);
    loop_value y = x[0];
    for (uint32_t v = 1; v < n && lanes > 0; v++) { /* lanes of vectors to come are anything */
        uint8_t table[LOOP_MAX_LANES];
        for (uint32_t l = 0; l < lanes; l++) {
            const uint32_t at = l * n + j, own = v == 1 ? at % lanes : l;
            table[l] = (uint8_t)(at / lanes == v ? lanes + at % lanes : own);
        }
        y = loop_shuffle(b, y, x[v], table, lanes);
    }
    return y;
}

/* The best of each of LANES lines, whose elements number J are X[j]. */
static best best_of_lines(const search *s, const element *x, uint32_t lanes)
{
    best found = {worst(s, lanes), number(s, lanes, loop_i64(&s->l->b, 0))};
    for (int64_t j = 0; j < s->lines.n; j++)
        found = better(s, found, key_of(s, x[j]), number(s, lanes, loop_i64(&s->l->b, j)),
                       LOOP_NO_VALUE);
    return found;
}

static uint32_t lanes_of_lines(const search *s)
{
    return s->index == LOOP_I64 ? LANES_64 / 2 : LANES_32 / 2;
}

/* Lines are in two groups where the last of these would not be whole. */
static bool several_lines(const search *s, const search *exact)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const uint32_t lanes = lanes_of_lines(s), n = (uint32_t)s->lines.n;
    const int64_t groups = (s->lines.outer + lanes - 1) / lanes;
    loop_value vectors[MOST_ELEMENTS];
    element x[MOST_ELEMENTS];
    const loop_value last = loop_i64(b, s->lines.outer - lanes);
    const loop_value line = loop_min(b, loops_times(l, loops_items(l), lanes), last);
    const loop_value first = loops_times(l, line, n);
    for (uint32_t v = 0; v < n; v++)
        vectors[v] = loops_load(l, s->d, loops_in(l, 0),
                                loops_add(l, first, loop_i64(b, v * lanes)), lanes, LOOP_NO_VALUE)
                         .re;
    for (uint32_t j = 0; j < n; j++)
        x[j] = (element){s->d, every_nth(b, vectors, n, j), LOOP_NO_VALUE};
    const best found = best_of_lines(s, x, lanes);
    loop_value index = found.index;
    if (s->is_plain) {
        const loop_value var = loop_var(b, index);
        loop_if(b, loop_any(b, found_none(s, found.key)));
        loop_set(b, var, best_of_lines(exact, x, lanes).index);
        loop_end(b);
        index = loop_get(b, var);
    }
    store_index(s, line, index);
    loop_end(b);
    return loops_step(l, groups, (uint64_t)(s->lines.n * lanes), "several lines in vectors");
}

/* ---- few long lines side by side, whose vectors hold some elements of each ---- */

static uint32_t lanes_of_columns(const search *s)
{
    return s->l->on->vector_bytes / (s->index == LOOP_I64 ? 8 : 4);
}

/* The best of each column, of the line after line from element FIRST on. */
static void search_columns(const search *s, loop_value first, best *found)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const uint32_t lanes = lanes_of_columns(s), n = (uint32_t)s->lines.inner;
    const int64_t whole = s->lines.n - s->lines.n % lanes;
    const loop_type t = loop_type_of(s->index, lanes);
    const loop_value zero = number(s, lanes, loop_i64(b, 0));
    loop_value keys[MOST_ELEMENTS], indices[MOST_ELEMENTS], rows[MOST_ELEMENTS];
    for (uint32_t v = 0; v < n; v++) {
        const loop_value place = loop_binary(b, LOOP_IADD, loop_ramp(b, s->index, lanes),
                                             loop_const(b, t, (uint64_t)v * lanes));
        rows[v] = loop_binary(b, LOOP_UDIV, place, loop_const(b, t, n));
        keys[v] = loop_var(b, worst(s, lanes));
        indices[v] = loop_var(b, zero);
    }
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, whole), lanes);
    const loop_value at = loops_add(l, first, loops_times(l, row, n));
    for (uint32_t v = 0; v < n; v++) {
        const element x =
            loops_load(l, s->d, loops_in(l, 0), loops_add(l, at, loop_i64(b, v * lanes)), lanes,
                       LOOP_NO_VALUE);
        const loop_value index = loop_binary(b, LOOP_IADD, rows[v], number(s, lanes, row));
        const best old = {loop_get(b, keys[v]), loop_get(b, indices[v])};
        const best now = better(s, old, key_of(s, x), index, LOOP_NO_VALUE);
        loop_set(b, keys[v], now.key);
        loop_set(b, indices[v], now.index);
    }
    loop_end(b);
    for (uint32_t v = 0; v < n; v++) {
        keys[v] = loop_get(b, keys[v]);
        indices[v] = loop_get(b, indices[v]);
    }
    for (uint32_t j = 0; j < n; j++) {
        found[j] = best_lane(s, (best){every_nth(b, keys, n, j), every_nth(b, indices, n, j)});
        for (int64_t r = whole; r < s->lines.n; r++) {
            const loop_value of_row = loops_add(l, first, loop_i64(b, r * n + j));
            const element x = loops_load(l, s->d, loops_in(l, 0), of_row, 1, LOOP_NO_VALUE);
            found[j] =
                better(s, found[j], key_of(s, x), number(s, 1, loop_i64(b, r)), LOOP_NO_VALUE);
        }
    }
}

static bool few_columns(const search *s, const search *exact)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const uint32_t n = (uint32_t)s->lines.inner;
    best found[MOST_ELEMENTS];
    loop_value index[MOST_ELEMENTS];
    const loop_value item = loops_items(l);
    const loop_value first = loops_times(l, item, s->lines.n * n);
    search_columns(s, first, found);
    for (uint32_t j = 0; j < n; j++)
        index[j] = found[j].index;
    if (s->is_plain) {
        loop_value none = found_none(s, found[0].key);
        for (uint32_t j = 1; j < n; j++)
            none = loop_binary(b, LOOP_OR, none, found_none(s, found[j].key));
        for (uint32_t j = 0; j < n; j++)
            index[j] = loop_var(b, index[j]);
        loop_if(b, none);
        search_columns(exact, first, found);
        for (uint32_t j = 0; j < n; j++)
            loop_set(b, index[j], found[j].index);
        loop_end(b);
        for (uint32_t j = 0; j < n; j++)
            index[j] = loop_get(b, index[j]);
    }
    for (uint32_t j = 0; j < n; j++)
        store_index(s, loops_add(l, loops_times(l, item, n), loop_i64(b, j)), index[j]);
    loop_end(b);
    return loops_step(l, s->lines.outer, (uint64_t)(s->lines.n * n), "a few columns in vectors");
}

/* ---- lines side by side ---- */

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
        const element x = loops_load(l, s->d, loops_in(l, 0), place, s->lanes, LOOP_NO_VALUE);
        const loop_value index = number(s, s->lanes, loops_add(l, at, loop_i64(b, k)));
        now = better(s, now, key_of(s, x), index, LOOP_NO_VALUE);
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
    const loop_value zero = number(s, s->lanes, loop_i64(b, 0));
    store_best(s, t, v, (best){worst(s, s->lanes), zero});
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
    store_index(s, to, load_best(s, t, v).index);
    loop_end(b);
}

/* Whether any line of the strip has no number above -infinity. */
static loop_value any_found_none(const search *s, const strip *t)
{
    loop_builder *b = &s->l->b;
    const loop_value any = loop_var(b, loop_const(b, loop_type_of(LOOP_MASK, 1), 0));
    const loop_value v = loop_for(b, loop_i64(b, 0), t->n_vectors, 1);
    const loop_value none = loop_any(b, found_none(s, load_best(s, t, v).key));
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

static bool across_lines(const search *s, const search *exact)
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

bool loops_of_arg_max(loops *l)
{
    const type *t = loops_type(l, 0);
    const loops_lines lines = loops_lines_of(l, 0, resolve_axis(l->n->attrs, KEY_AXIS, t->rank));
    search exact = search_of(l, &lines, false), s = exact;
    if (dtype_is_float(t->dtype)) {
        s = search_of(l, &lines, true);
        s.index = exact.index;
        s.lanes = exact.lanes;
    }
    const bool are_fixed = !lines.any_n && !lines.any_inner && !l->k->is_generic;
    const bool are_short =
        are_fixed && lines.n > 1 && lines.n <= MOST_ELEMENTS && lines.outer >= lanes_of_lines(&s);
    const bool are_few = are_fixed && lines.inner > 1 && lines.inner < MOST_ELEMENTS &&
                         lines.n >= LONG * (int64_t)lanes_of_columns(&s);
    if (lines.inner == 1)
        return are_short ? several_lines(&s, &exact) : along_lines(&s, &exact);
    if (are_few)
        return few_columns(&s, &exact);
    while (exact.lanes > lines.inner)
        exact.lanes /= 2;
    s.lanes = exact.lanes;
    return across_lines(&s, &exact);
}
