/* arg_max (docs/numerics.md, section 9): which loops search, and the search along one line. */
#include <math.h>

#include "loop/nest/loops/arg_max.h"
#include "ops/attr_rules.h"

enum {
    LANES_32 = 32, /* of keys with 4 bytes or fewer and positions with 4 */
    LANES_64 = 16,
    BLOCK_BYTES = 4096, /* of the keys of a part of a long line */
    LEAST_BLOCKS = 4,
    CHAINS = 4 /* extrema of such a part that go on side by side */
};

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

loop_value arg_max_worst(const search *s, uint32_t lanes)
{
    loop_builder *b = &s->l->b;
    const loop_type t = loop_type_of(s->key, lanes);
    const unsigned bits = 8 * (unsigned)loop_elem_bytes(s->key);
    return s->is_plain ? loop_float(b, t, -(double)INFINITY)
                       : loop_const(b, t, (UINT64_C(1) << (bits - 1)) - 1);
}

loop_value arg_max_position(const search *s, uint32_t lanes, loop_value i64)
{
    loop_builder *b = &s->l->b;
    const loop_value x = s->index == LOOP_I64 ? i64 : loop_convert(b, LOOP_TRUNCATE, s->index, i64);
    return loop_splat(b, lanes, x);
}

loop_value arg_max_key(const search *s, element x)
{
    return s->is_plain ? x.re : loops_order_key(&s->l->b, x, true);
}

static loop_value comes_before(const search *s, loop_value x, loop_value y)
{
    return s->is_plain ? loop_binary(&s->l->b, LOOP_FLT, y, x)
                       : loop_binary(&s->l->b, LOOP_ILT, x, y);
}

best arg_max_better(const search *s, best old, loop_value key, loop_value index, loop_value counts)
{
    loop_builder *b = &s->l->b;
    loop_value is = comes_before(s, key, old.key);
    if (counts != LOOP_NO_VALUE)
        is = loop_binary(b, LOOP_AND, is, counts);
    return (best){loop_select(b, is, key, old.key), loop_select(b, is, index, old.index)};
}

void arg_max_store(const search *s, loop_value at, loop_value index)
{
    loop_builder *b = &s->l->b;
    if (s->index != LOOP_I64)
        index = loop_convert(b, LOOP_SEXT, LOOP_I64, index);
    loops_store_position(s->l, 0, at, index);
}

loop_value arg_max_found_none(const search *s, loop_value key)
{
    return loop_binary(&s->l->b, LOOP_FEQ, key, arg_max_worst(s, loop_lanes(&s->l->b, key)));
}

/* Of the two halves of all lanes the better one, until one is left. */
best arg_max_best_lane(const search *s, best x)
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

/* ---- along a line ---- */

/* All N elements from FIRST on. */
static best search_all(const search *s, loop_value first, int64_t n, bool any)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const uint32_t lanes = any || n >= s->lanes ? s->lanes : 1;
    const int64_t whole = any ? (n - 1) / lanes * lanes : n - n % lanes;
    const loop_value end = nest_number(b, any, LINE_WHOLE, whole);
    const loop_value ramp = loop_ramp(b, s->index, lanes);
    const loop_value start = arg_max_position(s, lanes, loop_i64(b, 0));
    const best vars = {loop_var(b, arg_max_worst(s, lanes)), loop_var(b, start)};
    const loop_value k = loop_for(b, loop_i64(b, 0), end, lanes);
    element x = loops_read(l, 0, loops_add(l, first, k), lanes, LOOP_NO_VALUE);
    const best old = {loop_get(b, vars.key), loop_get(b, vars.index)};
    const loop_value index = loop_binary(b, LOOP_IADD, ramp, arg_max_position(s, lanes, k));
    const best now = arg_max_better(s, old, arg_max_key(s, x), index, LOOP_NO_VALUE);
    loop_set(b, vars.key, now.key);
    loop_set(b, vars.index, now.index);
    loop_end(b);
    best found = {loop_get(b, vars.key), loop_get(b, vars.index)};
    if (whole < n) {
        const loop_value count = nest_number(b, any, LINE_REST, n - whole);
        x = loops_read(l, 0, loops_add(l, first, end), lanes, count);
        const loop_value last = loop_binary(b, LOOP_IADD, ramp, arg_max_position(s, lanes, end));
        found = arg_max_better(s, found, arg_max_key(s, x), last, element_first(b, lanes, count));
    }
    return arg_max_best_lane(s, found);
}

/* The best keys of COUNT elements from FIRST on, lane by lane. */
static loop_value best_keys(const search *s, loop_value first, int64_t count, uint32_t lanes)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    loop_value vars[CHAINS], found;
    for (uint32_t c = 0; c < CHAINS; c++)
        vars[c] = loop_var(b, arg_max_worst(s, lanes));
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, count), CHAINS * lanes);
    for (uint32_t c = 0; c < CHAINS; c++) {
        const loop_value at = loops_add(l, loops_add(l, first, k), loop_i64(b, c * lanes));
        const element x = loops_read(l, 0, at, lanes, LOOP_NO_VALUE);
        const loop_value key = arg_max_key(s, x), old = loop_get(b, vars[c]);
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

/* Lanes for keys without positions. */
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
                     best_of_all = loop_var(b, arg_max_worst(s, lanes));
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
    found.index = loop_binary(b, LOOP_IADD, found.index, arg_max_position(s, 1, found_in));
    return found;
}

/* The line that begins at element FIRST. */
static best search_line(const search *s, loop_value first)
{
    if (!s->lines.any_n && s->lines.n >= LEAST_BLOCKS * block_of(s))
        return search_blocks(s, first);
    return search_all(s, first, s->lines.n, s->lines.any_n);
}

/* ---- truth values: the first true one ends the search ---- */

static bool are_truth_values(const search *s)
{
    return dtype_is_bool(s->d) && !s->lines.any_n && s->lines.n >= LOOP_MAX_LANES;
}

/* The position in the line that begins at element FIRST. Its last vector may begin in the one
 * before. */
static loop_value first_true(const search *s, loop_value first)
{
    enum { LANES = LOOP_MAX_LANES };
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value zero = loop_i64(b, 0), at = loop_var(b, zero);
    const loop_value k = loop_for(b, zero, loop_i64(b, s->lines.n), LANES);
    const loop_value from = loop_min(b, k, loop_i64(b, s->lines.n - LANES));
    loop_set(b, at, from);
    loop_leave(b,
               loop_any(b, loops_read(l, 0, loops_add(l, first, from), LANES, LOOP_NO_VALUE).re));
    loop_end(b);
    const loop_value found = loop_get(b, at);
    const loop_value x = loops_read(l, 0, loops_add(l, first, found), LANES, LOOP_NO_VALUE).re;
    const loop_value none = loop_const(b, loop_type_of(LOOP_I8, LANES), LANES);
    loop_value lane = loop_select(b, x, loop_ramp(b, LOOP_I8, LANES), none);
    for (uint32_t half = LANES / 2; half > 0; half /= 2) {
        const loop_value p = loop_part(b, lane, 0, half), q = loop_part(b, lane, half, half);
        lane = loop_select(b, loop_binary(b, LOOP_ILT, q, p), q, p);
    }
    const loop_value is_none =
        loop_binary(b, LOOP_IEQ, lane, loop_const(b, loop_type_of(LOOP_I8, 1), LANES));
    const loop_value index = loops_add(l, found, loop_convert(b, LOOP_SEXT, LOOP_I64, lane));
    return arg_max_position(s, 1, loop_select(b, is_none, zero, index));
}

static bool along_lines(const search *s, const search *exact)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value item = loops_items(l), first = loops_times_sized(l, item, s->lines.length);
    const best found =
        are_truth_values(s) ? (best){LOOP_NO_VALUE, first_true(s, first)} : search_line(s, first);
    loop_value index = found.index;
    if (s->is_plain) {
        const loop_value var = loop_var(b, index);
        loop_if(b, arg_max_found_none(s, found.key));
        loop_set(b, var, search_line(exact, first).index);
        loop_end(b);
        index = loop_get(b, var);
    }
    arg_max_store(s, item, index);
    loop_end(b);
    return loops_step(l, s->lines.outer, (uint64_t)s->lines.n, "line by line");
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
    if (lines.inner == 1)
        return are_fixed && arg_max_are_short_lines(&s) ? arg_max_short_lines(&s, &exact)
                                                        : along_lines(&s, &exact);
    if (are_fixed && arg_max_are_few_columns(&s))
        return arg_max_few_columns(&s, &exact);
    while (exact.lanes > lines.inner)
        exact.lanes /= 2;
    s.lanes = exact.lanes;
    return arg_max_strips(&s, &exact);
}
