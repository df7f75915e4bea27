/* Random steps that move elements, and values from nothing. */
#ifndef TEST_GRAPH_RANDOM_MOVES_H
#define TEST_GRAPH_RANDOM_MOVES_H

#include "graph_random_base.h"

static inline void add_reshape(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    int64_t dims[TN_MAX_RANK], left = t->count;
    uint32_t rank = 0;
    while (left > 1 && rank + 1 < GRAPH_MOST_RANK) {
        int64_t by = 1 + pick(g->c, 9);
        if (one_in(g->c, 3))
            by = left;
        while (left % by != 0)
            by--;
        if (by == 1 && !one_in(g->c, 3))
            by = left % 2 == 0 ? 2 : left;
        dims[rank++] = by;
        left /= by;
    }
    if (left > 1 || one_in(g->c, 3))
        dims[rank++] = left;
    attr a = attr_of_ints(KEY_SHAPE, dims, rank);
    (void)put1(g, OP_RESHAPE, x, &a, 1);
}

static inline void add_broadcast(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    int64_t dims[TN_MAX_RANK], axes[TN_MAX_RANK], count = 1;
    const uint32_t more = t->rank < 5 ? pick(g->c, 3) : 0;
    for (uint32_t i = 0; i < more + t->rank; i++) {
        dims[i] = i < more ? any_extent(g) : t->dims[i - more];
        if (i >= more && dims[i] == 1 && one_in(g->c, 2))
            dims[i] = any_extent(g);
        if (dims[i] * count > g->most.elements)
            dims[i] = i < more ? 1 : t->dims[i - more];
        count *= dims[i];
    }
    for (uint32_t i = 0; i < t->rank; i++)
        axes[i] = more + i;
    if (more > 0 && one_in(g->c, 2)) { /* new axes behind */
        for (uint32_t i = 0; i < t->rank; i++)
            axes[i] = i;
        int64_t turned[TN_MAX_RANK];
        for (uint32_t i = 0; i < more + t->rank; i++)
            turned[i] = dims[(i + more) % (more + t->rank)];
        memcpy(dims, turned, (more + t->rank) * sizeof *dims);
    }
    attr entries[] = {attr_of_ints(KEY_SHAPE, dims, more + t->rank),
                      attr_of_ints(KEY_DIMS, axes, t->rank)};
    (void)put1(g, OP_BROADCAST, x, entries, 2);
}

static inline void add_slice(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        const uint32_t extent = (uint32_t)t->dims[i];
        starts[i] = one_in(g->c, 2) ? pick(g->c, extent) : 0;
        ends[i] = one_in(g->c, 2) ? t->dims[i] : starts[i] + pick(g->c, extent + 1);
        if (ends[i] > t->dims[i])
            ends[i] = t->dims[i];
        if (ends[i] == starts[i] && !one_in(g->c, 30))
            ends[i] = t->dims[i];
        steps[i] = one_in(g->c, 3) ? 1 + pick(g->c, 3) : 1;
    }
    attr entries[] = {attr_of_ints(KEY_STARTS, starts, t->rank),
                      attr_of_ints(KEY_ENDS, ends, t->rank),
                      attr_of_ints(KEY_STEPS, steps, t->rank)};
    (void)put1(g, OP_SLICE, x, entries, 3);
}

static inline void add_pad(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        low[i] = one_in(g->c, 3) ? pick(g->c, 4) : 0;
        high[i] = one_in(g->c, 3) ? pick(g->c, 4) : 0;
        interior[i] = one_in(g->c, 6) ? pick(g->c, 3) : 0;
        if (one_in(g->c, 10) && t->dims[i] > 2)
            low[i] = -1;
    }
    const scalar value = dtype_is_float(t->dtype) ? scalar_of_float(special_number(g->c))
                                                  : scalar_of_int(pick(g->c, 3));
    attr entries[] = {attr_of_ints(KEY_LOW, low, t->rank), attr_of_ints(KEY_HIGH, high, t->rank),
                      attr_of_ints(KEY_INTERIOR, interior, t->rank),
                      attr_of_scalar(KEY_PAD_VALUE, &value)};
    scalar held;
    if (scalar_cast(value, t->dtype, &held) && scalar_is_exact(value, t->dtype))
        (void)put1(g, OP_PAD, x, entries, 4);
}

static inline void add_view(graph *g, value_id x)
{
    static const char *const texts[] = {
        "i0",          "i1", "i0 // 2", "i1 % 2",       "i0 + i1",   "2*i0",
        "i0 // 3 % 2", "0",  "3 - i0",  "(i0 + 1) % 3", "2*i0 + i1", "i1 // 2 + i0 % 2"};
    const type *t = type_in(g, x);
    char text[400];
    int64_t dims[2] = {1 + pick(g->c, 6), 1 + pick(g->c, 40)};
    const uint32_t rank = 1 + pick(g->c, 2);
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < t->rank && n + 40 < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ";" : "",
                              texts[pick(g->c, sizeof texts / sizeof *texts)]);
    attr entries[] = {
        attr_of_ints(KEY_SHAPE, dims, rank),
        {.key = KEY_INDEX_MAP, .v.s = module_string(g->f->module, text, strlen(text))}};
    (void)put1(g, OP_VIEW, x, entries, 2);
}

static inline void step_move(graph *g)
{
    const value_id x = any_value(g);
    const type *t = type_in(g, x);
    int64_t a[TN_MAX_RANK], b[TN_MAX_RANK], d[TN_MAX_RANK];
    uint32_t n = 0;
    switch (pick(g->c, 13)) {
    case 0:
    case 1:
        add_reshape(g, x);
        break;
    case 2:
    case 3: {
        for (uint32_t i = 0; i < t->rank; i++)
            a[i] = i;
        for (uint32_t i = t->rank; i > 1; i--) {
            const uint32_t k = pick(g->c, i);
            const int64_t swap = a[i - 1];
            a[i - 1] = a[k];
            a[k] = swap;
        }
        attr e = attr_of_ints(KEY_PERM, a, t->rank);
        (void)put1(g, OP_TRANSPOSE, x, &e, 1);
        break;
    }
    case 4:
    case 5:
        add_broadcast(g, x);
        break;
    case 6:
    case 7:
        add_slice(g, x);
        break;
    case 8: {
        n = any_axes(g, t, a);
        attr e = attr_of_ints(KEY_AXES, a, n);
        (void)put1(g, OP_REVERSE, x, &e, 1);
        break;
    }
    case 9:
        add_pad(g, x);
        break;
    case 10: {
        for (uint32_t i = 0; i < t->rank; i++)
            a[i] = one_in(g->c, 3) ? 1 + pick(g->c, 3) : 1;
        attr e = attr_of_ints(KEY_REPEATS, a, t->rank);
        (void)put1(g, OP_TILE, x, &e, 1);
        break;
    }
    case 11: {
        for (n = 0; n < t->rank && n < 2 && t->rank + n < GRAPH_MOST_RANK; n++) {
            a[n] = 1 + pick(g->c, 3);
            b[n] = 1 + pick(g->c, 2);
            d[n] = 1 + pick(g->c, 2);
        }
        attr e[] = {attr_of_ints(KEY_WINDOW, a, n), attr_of_ints(KEY_STRIDES, b, n),
                    attr_of_ints(KEY_DILATION, d, n)};
        (void)put1(g, OP_POOL, x, e, 3);
        break;
    }
    default:
        add_view(g, x);
    }
}

static inline void step_concat(graph *g)
{
    value_id in[4] = {any_value(g)};
    const type *t = type_in(g, in[0]);
    if (t->rank == 0)
        return;
    const uint32_t axis = pick(g->c, t->rank);
    uint32_t n = 1;
    for (uint32_t i = 0; i < 12 && n < 4; i++) {
        const value_id v = any_value(g);
        const type *u = type_in(g, v);
        bool fits = u->rank == t->rank;
        for (uint32_t k = 0; k < t->rank && fits; k++)
            fits = k == axis || u->dims[k] == t->dims[k];
        if (fits)
            in[n++] = cast_to(g, v, t->dtype);
    }
    if (n == 1)
        in[n++] = one_in(g->c, 2) ? in[0] : put1(g, OP_NEG, in[0], NULL, 0);
    attr a = attr_of_int(KEY_AXIS, axis);
    (void)put_many(g, OP_CONCAT, in, n, &a, 1);
}

static inline void add_constant(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    const type *t = type_of(&g->f->module->types, d, dims, rank);
    size_t bytes;
    if (!t || !type_bytes(t, &bytes))
        return;
    void *data = malloc(bytes + 1);
    builder b = builder_on(g->f, NO_SPAN);
    if (data) {
        random_data(g->c, d, (data_style)pick(g->c, DATA_STYLES), data, t->count);
        pool_put(g, build_constant(&b, d, dims, rank, data));
    }
    free(data);
}

static inline void step_source(graph *g)
{
    int64_t dims[TN_MAX_RANK];
    const uint32_t rank = any_shape(g, dims, GRAPH_MOST_RANK), kind = pick(g->c, 4);
    if (kind == 0 && rank > 0) {
        attr e[] = {attr_of_ints(KEY_SHAPE, dims, rank), attr_of_int(KEY_DTYPE, any_dtype(g)),
                    attr_of_int(KEY_AXIS, pick(g->c, rank))};
        (void)put_many(g, OP_IOTA, NULL, 0, e, 3);
    } else if (kind == 1) {
        pool_put(g, splat_of(g, any_dtype(g), dims, rank, special_number(g->c)));
    } else if (kind == 2) {
        attr e[] = {attr_of_ints(KEY_SHAPE, dims, rank), attr_of_int(KEY_DTYPE, TN_F32)};
        (void)put_many(g, one_in(g->c, 2) ? OP_RNG_UNIFORM : OP_RNG_NORMAL, NULL, 0, e, 2);
    } else {
        add_constant(g, any_dtype(g), dims, rank);
    }
}

#endif
