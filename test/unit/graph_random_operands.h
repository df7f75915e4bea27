/* Operands of a wanted shape that are computed or moved: what a kernel reads through index maps, or
 * computes where it packs. */
#ifndef TEST_GRAPH_RANDOM_OPERANDS_H
#define TEST_GRAPH_RANDOM_OPERANDS_H

#include "graph_random_moves.h"

static inline value_id new_operand(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                   uint32_t depth);

static inline scalar fill_of(graph *g, tn_dtype d)
{
    return dtype_is_float(d)
               ? scalar_of_float(one_in(g->c, 4) ? (double)INFINITY : (double)pick(g->c, 3))
               : scalar_of_int(pick(g->c, 2));
}

static inline value_id operand_pad(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                   uint32_t depth)
{
    int64_t from[TN_MAX_RANK], low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        low[i] = one_in(g->c, 2) ? pick(g->c, 3) : 0;
        high[i] = one_in(g->c, 2) ? pick(g->c, 3) : 0;
        interior[i] = 0;
        if (low[i] + high[i] > dims[i])
            low[i] = high[i] = 0;
        from[i] = dims[i] - low[i] - high[i];
        if (from[i] % 2 == 1 && one_in(g->c, 3)) {
            interior[i] = 1;
            from[i] = from[i] / 2 + 1;
        }
    }
    const scalar fill = fill_of(g, d);
    attr e[] = {attr_of_ints(KEY_LOW, low, rank), attr_of_ints(KEY_HIGH, high, rank),
                attr_of_ints(KEY_INTERIOR, interior, rank), attr_of_scalar(KEY_PAD_VALUE, &fill)};
    return put1(g, OP_PAD, new_operand(g, d, from, rank, depth), e, 4);
}

static inline value_id operand_slice(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                     uint32_t depth)
{
    int64_t from[TN_MAX_RANK], starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        starts[i] = one_in(g->c, 2) ? pick(g->c, 3) : 0;
        steps[i] = one_in(g->c, 3) ? 2 : 1;
        ends[i] = starts[i] + (dims[i] - (dims[i] > 0)) * steps[i] + (dims[i] > 0);
        from[i] = ends[i] + (one_in(g->c, 2) ? pick(g->c, 3) : 0);
    }
    attr e[] = {attr_of_ints(KEY_STARTS, starts, rank), attr_of_ints(KEY_ENDS, ends, rank),
                attr_of_ints(KEY_STEPS, steps, rank)};
    return put1(g, OP_SLICE, new_operand(g, d, from, rank, depth), e, 3);
}

static inline value_id operand_concat(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                      uint32_t depth)
{
    int64_t from[TN_MAX_RANK];
    value_id in[2];
    const uint32_t axis = pick(g->c, rank);
    const int64_t first = pick(g->c, (uint32_t)dims[axis] + 1);
    memcpy(from, dims, rank * sizeof *dims);
    for (uint32_t i = 0; i < 2; i++) {
        from[axis] = i ? dims[axis] - first : first;
        in[i] = new_operand(g, d, from, rank, depth);
    }
    attr a = attr_of_int(KEY_AXIS, axis);
    return put_many(g, OP_CONCAT, in, 2, &a, 1);
}

static inline value_id operand_transpose(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                         uint32_t depth)
{
    int64_t from[TN_MAX_RANK], perm[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        perm[i] = i;
    for (uint32_t i = rank; i > 1; i--) {
        const uint32_t k = pick(g->c, i);
        const int64_t swap = perm[i - 1];
        perm[i - 1] = perm[k];
        perm[k] = swap;
    }
    for (uint32_t i = 0; i < rank; i++)
        from[perm[i]] = dims[i];
    attr a = attr_of_ints(KEY_PERM, perm, rank);
    return put1(g, OP_TRANSPOSE, new_operand(g, d, from, rank, depth), &a, 1);
}

/* Axes merged with the next, or split. */
static inline value_id operand_reshape(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                       uint32_t depth)
{
    int64_t from[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] % 2 == 0 && dims[i] > 2 && n + 2 < GRAPH_MOST_RANK && one_in(g->c, 2)) {
            from[n++] = 2;
            from[n++] = dims[i] / 2;
        } else if (n > 0 && one_in(g->c, 2)) {
            from[n - 1] *= dims[i];
        } else if (n < GRAPH_MOST_RANK) {
            from[n++] = dims[i];
        }
    }
    attr a = attr_of_ints(KEY_SHAPE, dims, rank);
    return put1(g, OP_RESHAPE, new_operand(g, d, from, n, depth), &a, 1);
}

static inline value_id operand_broadcast(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                         uint32_t depth)
{
    int64_t from[TN_MAX_RANK], axes[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (one_in(g->c, 3))
            continue;
        axes[n] = i;
        from[n++] = one_in(g->c, 3) ? 1 : dims[i];
    }
    attr e[] = {attr_of_ints(KEY_SHAPE, dims, rank), attr_of_ints(KEY_DIMS, axes, n)};
    return put1(g, OP_BROADCAST, new_operand(g, d, from, n, depth), e, 2);
}

static inline value_id operand_take(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                    uint32_t depth)
{
    int64_t from[TN_MAX_RANK], *data = malloc(sizeof *data * ((size_t)dims[0] + 1));
    memcpy(from, dims, rank * sizeof *dims);
    from[0] = 1 + pick(g->c, 7);
    for (int64_t i = 0; data && i < dims[0]; i++)
        data[i] = pick(g->c, (uint32_t)from[0]);
    builder b = builder_on(g->f, NO_SPAN);
    const value_id rows = data ? build_constant(&b, TN_SI64, dims, 1, data) : NO_VALUE;
    free(data);
    return put2(g, OP_TAKE, new_operand(g, d, from, rank, depth), rows);
}

static inline value_id operand_elements(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                        uint32_t depth)
{
    const value_id x = new_operand(g, d, dims, rank, depth);
    attr a = attr_of_int(KEY_DIRECTION, DIR_LT);
    if (x == NO_VALUE)
        return x;
    switch (pick(g->c, 4)) {
    case 0:
        return put1(g, one_in(g->c, 2) ? OP_NEG : OP_ABS, x, NULL, 0);
    case 1:
        return put2(g, OP_MUL, x, new_operand(g, d, dims, rank, 0));
    case 2: {
        const value_id y = splat_of(g, d, NULL, 0, 0), both[] = {x, y};
        const value_id in[] = {put_many(g, OP_COMPARE, both, 2, &a, 1), y, x};
        return put_many(g, OP_SELECT, in, 3, NULL, 0);
    }
    default:
        return put2(g, OP_ADD, x, splat_of(g, d, NULL, 0, 1));
    }
}

/* Steps back from a shape may grow: NO_VALUE where that has gone too far. */
static inline value_id plain_operand(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    const uint32_t before = g->n;
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        n = dims[i] > 0 && n > INT64_MAX / dims[i] ? INT64_MAX : n * dims[i];
    if (n / 8 > g->most.elements)
        return NO_VALUE;
    if (!g->f->is_region && !one_in(g->c, 4))
        return add_input(g, d, dims, rank);
    add_constant(g, d, dims, rank);
    return g->n > before ? g->pool[g->n - 1] : NO_VALUE;
}

/* A new value of dtype D and this shape, at most DEPTH steps from an input or a constant. */
static inline value_id new_operand(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                   uint32_t depth)
{
    value_id x = NO_VALUE;
    if (depth == 0 || rank == 0 || one_in(g->c, 5))
        return plain_operand(g, d, dims, rank);
    depth--;
    switch (pick(g->c, 10)) {
    case 0:
        x = operand_pad(g, d, dims, rank, depth);
        break;
    case 1:
        x = operand_slice(g, d, dims, rank, depth);
        break;
    case 2:
        x = operand_concat(g, d, dims, rank, depth);
        break;
    case 3:
        x = operand_transpose(g, d, dims, rank, depth);
        break;
    case 4:
        x = operand_reshape(g, d, dims, rank, depth);
        break;
    case 5:
        x = operand_broadcast(g, d, dims, rank, depth);
        break;
    case 6:
        x = operand_take(g, d, dims, rank, depth);
        break;
    case 7: {
        const int64_t axis = pick(g->c, rank);
        attr a = attr_of_ints(KEY_AXES, &axis, 1);
        x = put1(g, OP_REVERSE, new_operand(g, d, dims, rank, depth), &a, 1);
        break;
    }
    case 8:
        x = cast_to(g, new_operand(g, any_dtype(g), dims, rank, depth), d);
        break;
    default:
        x = operand_elements(g, d, dims, rank, depth);
    }
    return x == NO_VALUE ? plain_operand(g, d, dims, rank) : x;
}

#endif
