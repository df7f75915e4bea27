/* Random steps that read and write where data says, and other ops of their own. */
#ifndef TEST_GRAPH_RANDOM_INDEX_H
#define TEST_GRAPH_RANDOM_INDEX_H

#include "graph_random_contract.h"

static inline value_id put3(graph *g, op_id op, value_id x, value_id y, value_id z)
{
    const value_id in[] = {x, y, z};
    return put_many(g, op, in, z == NO_VALUE ? 2 : 3, NULL, 0);
}

/* Positions of this shape, nearly always below EXTENT: from data, counted, or computed. */
static inline value_id positions(graph *g, const int64_t *dims, uint32_t rank, int64_t extent)
{
    const tn_dtype d = one_in(g->c, 2) ? TN_SI64 : TN_SI32;
    const type *t = type_of(&g->f->module->types, d, dims, rank);
    const int64_t below = extent + one_in(g->c, 30);
    if (!t || t->count < 0 || t->count > g->most.elements)
        return NO_VALUE;
    if (rank > 0 && one_in(g->c, 3)) {
        attr e[] = {attr_of_ints(KEY_SHAPE, dims, rank), attr_of_int(KEY_DTYPE, d),
                    attr_of_int(KEY_AXIS, pick(g->c, rank))};
        const value_id i = put_many(g, OP_IOTA, NULL, 0, e, 3);
        return put2(g, OP_MINIMUM, i, splat_of(g, d, NULL, 0, (double)(below - 1)));
    }
    if (one_in(g->c, 3))
        return put3(g, OP_CLAMP, shaped(g, d, dims, rank), splat_of(g, d, NULL, 0, 0),
                    splat_of(g, d, NULL, 0, (double)(below - 1)));
    if (one_in(g->c, 4)) { /* none where elements are not there */
        const value_id one = splat_of(g, d, NULL, 0, 1);
        return put2(g, OP_SUB, put2(g, OP_ADD, positions(g, dims, rank, extent), one), one);
    }
    int64_t *data = malloc(sizeof *data * ((size_t)t->count + 1));
    builder b = builder_on(g->f, NO_SPAN);
    value_id v = NO_VALUE;
    choices own = {.state = choice_bits(g->c) | 1};
    for (int64_t i = 0; data && i < t->count; i++)
        data[i] = below > 0 ? (int64_t)pick(&own, (uint32_t)below) : 0;
    if (data)
        v = cast_to(g, build_constant(&b, TN_SI64, dims, rank, data), d);
    free(data);
    return v;
}

static inline void add_rows(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    int64_t dims[TN_MAX_RANK] = {1 + pick(g->c, 6), 1 + pick(g->c, 4)};
    const uint32_t rank = pick(g->c, 3);
    const value_id i = positions(g, dims, rank, t->dims[0]);
    const value_id y = put2(g, OP_TAKE, x, i);
    if (y == NO_VALUE || !one_in(g->c, 3))
        return;
    attr e = attr_of_ints(KEY_SHAPE, t->dims, t->rank);
    const value_id in[] = {one_in(g->c, 2) ? put1(g, OP_NEG, y, NULL, 0) : y, i};
    (void)put_many(g, OP_SCATTER_ROWS, in, 2, &e, 1);
}

static inline void add_along(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    const uint32_t axis = pick(g->c, t->rank);
    int64_t dims[TN_MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[axis] = 1 + pick(g->c, 6);
    const value_id i = positions(g, dims, t->rank, t->dims[axis]);
    attr a[] = {attr_of_int(KEY_AXIS, axis), attr_of_int(KEY_COMBINE, pick(g->c, 7))};
    if (one_in(g->c, 2)) {
        const value_id in[] = {x, i};
        (void)put_many(g, OP_GATHER, in, 2, a, 1);
    } else {
        const value_id in[] = {x, i, shaped(g, t->dtype, dims, t->rank)};
        (void)put_many(g, OP_SCATTER_REDUCE, in, 3, a, 2);
    }
}

static inline void add_window(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    int64_t sizes[TN_MAX_RANK], rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++)
        sizes[i] = one_in(g->c, 3) ? t->dims[i] : 1 + pick(g->c, (uint32_t)t->dims[i]);
    const value_id start = positions(g, &rank, 1, 1 + pick(g->c, 5));
    attr e = attr_of_ints(KEY_SIZES, sizes, t->rank);
    if (one_in(g->c, 2)) {
        const value_id in[] = {x, start};
        (void)put_many(g, OP_DYNAMIC_SLICE, in, 2, &e, 1);
        return;
    }
    value_id update = shaped(g, t->dtype, sizes, t->rank);
    if (update != NO_VALUE && one_in(g->c, 2)) /* made of the window itself */
        update = put2(g, OP_ADD, update, partner(g, update, t->dtype));
    const value_id in[] = {x, update, start};
    const value_id y = put_many(g, OP_DYNAMIC_UPDATE_SLICE, in, 3, &e, 1);
    if (y != NO_VALUE && one_in(g->c, 3)) {
        attr again = attr_of_ints(KEY_SIZES, sizes, t->rank);
        const value_id next[] = {y, put1(g, OP_ABS, update, NULL, 0), start};
        (void)put_many(g, OP_DYNAMIC_UPDATE_SLICE, next, 3, &again, 1);
    }
}

static inline void add_order(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    const uint32_t axis = pick(g->c, t->rank);
    const int64_t most = t->dims[axis] < 9 ? t->dims[axis] : 9;
    if (one_in(g->c, 2)) {
        attr e[] = {attr_of_int(KEY_AXIS, axis), attr_of_int(KEY_KEEPDIMS, pick(g->c, 2)),
                    attr_of_int(KEY_INDEX_DTYPE, one_in(g->c, 2) ? TN_SI64 : TN_SI32)};
        (void)put1(g, OP_ARG_MAX, x, e, 3);
    } else {
        attr e[] = {attr_of_int(KEY_K, 1 + pick(g->c, (uint32_t)most)), attr_of_int(KEY_AXIS, axis),
                    attr_of_int(KEY_LARGEST, pick(g->c, 2)),
                    attr_of_int(KEY_INDEX_DTYPE, one_in(g->c, 2) ? TN_SI64 : TN_SI32)};
        (void)put1(g, OP_TOP_K, x, e, 4);
    }
}

static inline void add_sort(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    attr e[] = {attr_of_int(KEY_AXIS, pick(g->c, t->rank)),
                attr_of_int(KEY_DESCENDING, pick(g->c, 2)),
                attr_of_int(KEY_INDEX_DTYPE, one_in(g->c, 2) ? TN_SI64 : TN_SI32)};
    const value_id in[] = {x, shaped(g, t->dtype, t->dims, t->rank)};
    if (one_in(g->c, 2))
        (void)put1(g, OP_ARGSORT, x, e, 3);
    else
        (void)put_many(g, OP_SORT, in, 1 + pick(g->c, 2), e, 2);
}

static inline void add_cumulative(graph *g, value_id x)
{
    attr e[] = {attr_of_int(KEY_AXIS, pick(g->c, type_in(g, x)->rank)),
                attr_of_int(KEY_FOLD, pick(g->c, 4)), attr_of_int(KEY_EXCLUSIVE, pick(g->c, 2)),
                attr_of_int(KEY_REVERSE, pick(g->c, 2))};
    (void)put1(g, OP_CUMULATIVE, x, e, 4);
}

static inline void add_segments(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    const int64_t n = 1 + pick(g->c, 5);
    const value_id in[] = {x, positions(g, t->dims, 1, n)};
    attr e[] = {attr_of_int(KEY_COMBINE, pick(g->c, 3)), attr_of_int(KEY_SEGMENTS, n)};
    (void)put_many(g, OP_SEGMENT_REDUCE, in, 2, e, 2);
}

static inline void add_quantize(graph *g, value_id x)
{
    const tn_dtype to[] = {TN_SI8, TN_UI8, TN_SI4, TN_SI16};
    const tn_dtype q = to[pick(g->c, 4)], d = type_in(g, x)->dtype;
    const value_id zero = splat_of(g, q, NULL, 0, 1), scale = splat_of(g, d, NULL, 0, 0.25);
    const value_id in[] = {x, scale, zero};
    attr e = attr_of_int(KEY_DTYPE, q), back = attr_of_int(KEY_DTYPE, d);
    const value_id y = put_many(g, OP_QUANTIZE, in, 3, &e, 1);
    const value_id turned[] = {y, scale, zero};
    (void)put_many(g, OP_DEQUANTIZE, turned, 3, &back, 1);
}

static inline void add_norm(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    const uint32_t axis = pick(g->c, t->rank);
    attr e[] = {{.key = KEY_EPSILON, .v.f = 1e-5}, attr_of_int(KEY_AXIS, axis)};
    const value_id in[] = {x, shaped(g, t->dtype, t->dims + axis, 1),
                           shaped(g, t->dtype, t->dims + axis, 1)};
    (void)put_many(g, OP_LAYER_NORM, in, 3, e, 2);
}

static inline void add_pooling(graph *g, value_id x)
{
    const type *t = type_in(g, x);
    int64_t window[TN_MAX_RANK], strides[TN_MAX_RANK], pads[2 * TN_MAX_RANK], one[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        window[i] = 1 + pick(g->c, 3);
        strides[i] = 1 + pick(g->c, 2);
        one[i] = 1;
        pads[2 * i] = pads[2 * i + 1] = pick(g->c, 2);
    }
    attr e[] = {
        attr_of_ints(KEY_WINDOW, window, t->rank), attr_of_ints(KEY_STRIDES, strides, t->rank),
        attr_of_ints(KEY_PADS, pads, 2 * t->rank), attr_of_ints(KEY_BASE_DILATION, one, t->rank),
        attr_of_ints(KEY_DILATION, one, t->rank),  attr_of_int(KEY_COMBINE, pick(g->c, 3))};
    (void)put1(g, OP_REDUCE_WINDOW, x, e, 6);
}

static inline void step_index(graph *g)
{
    static void (*const steps[])(graph *, value_id) = {
        add_rows,     add_along, add_window,  add_window,     add_order, add_segments,
        add_quantize, add_norm,  add_pooling, add_cumulative, add_sort};
    const value_id x = any_value(g);
    const type *t = type_in(g, x);
    if (t->rank > 0 && t->count > 0)
        steps[pick(g->c, sizeof steps / sizeof *steps)](g, x);
}

#endif
