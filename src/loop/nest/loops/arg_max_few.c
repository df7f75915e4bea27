/* arg_max of short lines, and of a few lines side by side: vectors hold elements of several lines,
 * which are sorted by line. */
#include "loop/nest/loops/arg_max.h"

enum {
    MOST_ELEMENTS = 8, /* of a short line, and lines side by side */
    LONG = 4           /* vectors of each of a few lines */
};

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

/* ---- short lines ---- */

/* The best of each of LANES lines, whose elements number J are X[j]. */
static best best_of_lines(const search *s, const element *x, uint32_t lanes)
{
    best found = {arg_max_worst(s, lanes), arg_max_position(s, lanes, loop_i64(&s->l->b, 0))};
    for (int64_t j = 0; j < s->lines.n; j++)
        found = arg_max_better(s, found, arg_max_key(s, x[j]),
                               arg_max_position(s, lanes, loop_i64(&s->l->b, j)), LOOP_NO_VALUE);
    return found;
}

/* Lines of a vector. */
static uint32_t line_lanes(const search *s)
{
    return s->lanes / 2;
}

bool arg_max_are_short_lines(const search *s)
{
    return s->lines.n > 1 && s->lines.n <= MOST_ELEMENTS && s->lines.outer >= line_lanes(s);
}

/* Lines are in two groups where the last of these would not be whole. */
bool arg_max_short_lines(const search *s, const search *exact)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const uint32_t lanes = line_lanes(s), n = (uint32_t)s->lines.n;
    const int64_t groups = (s->lines.outer + lanes - 1) / lanes;
    loop_value vectors[MOST_ELEMENTS];
    element x[MOST_ELEMENTS];
    const loop_value last = loop_i64(b, s->lines.outer - lanes);
    const loop_value line = loop_min(b, loops_times(l, loops_items(l), lanes), last);
    const loop_value first = loops_times(l, line, n);
    for (uint32_t v = 0; v < n; v++)
        vectors[v] =
            loops_read(l, 0, loops_add(l, first, loop_i64(b, v * lanes)), lanes, LOOP_NO_VALUE).re;
    for (uint32_t j = 0; j < n; j++)
        x[j] = (element){s->d, every_nth(b, vectors, n, j), LOOP_NO_VALUE};
    const best found = best_of_lines(s, x, lanes);
    loop_value index = found.index;
    if (s->is_plain) {
        const loop_value var = loop_var(b, index);
        loop_if(b, loop_any(b, arg_max_found_none(s, found.key)));
        loop_set(b, var, best_of_lines(exact, x, lanes).index);
        loop_end(b);
        index = loop_get(b, var);
    }
    arg_max_store(s, line, index);
    loop_end(b);
    return loops_step(l, groups, (uint64_t)(s->lines.n * lanes), "several lines in vectors");
}

/* ---- a few columns ---- */

static uint32_t column_lanes(const search *s)
{
    return s->l->on->vector_bytes / (s->index == LOOP_I64 ? 8 : 4);
}

bool arg_max_are_few_columns(const search *s)
{
    return s->lines.inner > 1 && s->lines.inner < MOST_ELEMENTS &&
           s->lines.n >= LONG * (int64_t)column_lanes(s);
}

/* The best of each column, of the line after line from element FIRST on. */
static void search_columns(const search *s, loop_value first, best *found)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const uint32_t lanes = column_lanes(s), n = (uint32_t)s->lines.inner;
    const int64_t whole = s->lines.n - s->lines.n % lanes;
    const loop_type t = loop_type_of(s->index, lanes);
    const loop_value zero = arg_max_position(s, lanes, loop_i64(b, 0));
    loop_value keys[MOST_ELEMENTS], indices[MOST_ELEMENTS], rows[MOST_ELEMENTS];
    for (uint32_t v = 0; v < n; v++) {
        const loop_value place = loop_binary(b, LOOP_IADD, loop_ramp(b, s->index, lanes),
                                             loop_const(b, t, (uint64_t)v * lanes));
        rows[v] = loop_binary(b, LOOP_UDIV, place, loop_const(b, t, n));
        keys[v] = loop_var(b, arg_max_worst(s, lanes));
        indices[v] = loop_var(b, zero);
    }
    const loop_value row = loop_for(b, loop_i64(b, 0), loop_i64(b, whole), lanes);
    const loop_value at = loops_add(l, first, loops_times(l, row, n));
    for (uint32_t v = 0; v < n; v++) {
        const element x =
            loops_read(l, 0, loops_add(l, at, loop_i64(b, v * lanes)), lanes, LOOP_NO_VALUE);
        const loop_value index =
            loop_binary(b, LOOP_IADD, rows[v], arg_max_position(s, lanes, row));
        const best old = {loop_get(b, keys[v]), loop_get(b, indices[v])};
        const best now = arg_max_better(s, old, arg_max_key(s, x), index, LOOP_NO_VALUE);
        loop_set(b, keys[v], now.key);
        loop_set(b, indices[v], now.index);
    }
    loop_end(b);
    for (uint32_t v = 0; v < n; v++) {
        keys[v] = loop_get(b, keys[v]);
        indices[v] = loop_get(b, indices[v]);
    }
    for (uint32_t j = 0; j < n; j++) {
        found[j] =
            arg_max_best_lane(s, (best){every_nth(b, keys, n, j), every_nth(b, indices, n, j)});
        for (int64_t r = whole; r < s->lines.n; r++) {
            const loop_value of_row = loops_add(l, first, loop_i64(b, r * n + j));
            const element x = loops_read(l, 0, of_row, 1, LOOP_NO_VALUE);
            found[j] = arg_max_better(s, found[j], arg_max_key(s, x),
                                      arg_max_position(s, 1, loop_i64(b, r)), LOOP_NO_VALUE);
        }
    }
}

bool arg_max_few_columns(const search *s, const search *exact)
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
        loop_value none = arg_max_found_none(s, found[0].key);
        for (uint32_t j = 1; j < n; j++)
            none = loop_binary(b, LOOP_OR, none, arg_max_found_none(s, found[j].key));
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
        arg_max_store(s, loops_add(l, loops_times(l, item, n), loop_i64(b, j)), index[j]);
    loop_end(b);
    return loops_step(l, s->lines.outer, (uint64_t)(s->lines.n * n), "a few columns in vectors");
}
