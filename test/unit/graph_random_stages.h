/* Random chains of contractions and reductions over the same rows, which can be stages of one
 * kernel: attention, products of products, normalised products. */
#ifndef TEST_GRAPH_RANDOM_STAGES_H
#define TEST_GRAPH_RANDOM_STAGES_H

#include "graph_random_contract.h"

/* Batches, rows of each, and how long the rows are now. */
typedef struct stage_rows {
    int64_t batch, m, length;
    bool is_matrix; /* no axis for the batch */
} stage_rows;

static inline value_id stage_operand(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    return g->f->is_region || (g->n > 0 && one_in(g->c, 4)) ? shaped(g, d, dims, rank)
                                                            : add_input(g, d, dims, rank);
}

/* X times something with N columns, by one of the ops for it. */
static inline value_id stage_product(graph *g, value_id x, stage_rows *s, int64_t n)
{
    const tn_dtype d = x == NO_VALUE ? TN_F32 : type_in(g, x)->dtype;
    const int64_t k = s->length, plain[] = {s->batch, k, n}, turned[] = {s->batch, n, k};
    s->length = n;
    if (s->is_matrix)
        return put2(g, one_in(g->c, 2) ? OP_DOT : OP_MATMUL, x, stage_operand(g, d, plain + 1, 2));
    if (one_in(g->c, 3)) /* one matrix for all batches */
        return put2(g, OP_MATMUL, x, stage_operand(g, d, plain + 1, 2));
    if (one_in(g->c, 2))
        return put2(g, OP_MATMUL, x, stage_operand(g, d, plain, 3));
    const int64_t zero[] = {0}, two[] = {2};
    const value_id in[] = {x, stage_operand(g, d, turned, 3)};
    attr e[6] = {attr_of_ints(KEY_BATCH_LHS, zero, 1), attr_of_ints(KEY_BATCH_RHS, zero, 1),
                 attr_of_ints(KEY_CONTRACT_LHS, two, 1), attr_of_ints(KEY_CONTRACT_RHS, two, 1)};
    uint32_t n_entries = 4;
    if (one_in(g->c, 6))
        e[n_entries++] = attr_of_int(KEY_OUT_DTYPE, any_dtype(g));
    return put_many(g, OP_DOT_GENERAL, in, 2, e, n_entries);
}

/* Element by element: a scale, a mask of rows and columns, or of columns alone. */
static inline value_id stage_elements(graph *g, value_id x, const stage_rows *s)
{
    const int64_t mask[] = {s->m, s->length};
    if (x == NO_VALUE)
        return x;
    const tn_dtype d = type_in(g, x)->dtype;
    switch (pick(g->c, 7)) {
    case 0:
        return put2(g, OP_MUL, x, splat_of(g, d, NULL, 0, 0.125));
    case 1:
        return put2(g, OP_ADD, x, stage_operand(g, d, mask, 2));
    case 2:
        return put2(g, OP_ADD, x, stage_operand(g, d, mask + 1, 1));
    case 3:
        return put1(g, OP_RELU, put2(g, OP_MUL, x, x), NULL, 0);
    case 4:
        return cast_to(g, x, any_dtype(g));
    default:
        return x;
    }
}

/* Softmax, or what a layer norm is made of. */
static inline value_id stage_normal(graph *g, value_id x, const stage_rows *s)
{
    const int64_t axis = s->is_matrix ? 1 : 2;
    attr keep[] = {attr_of_ints(KEY_AXES, &axis, 1), attr_of_int(KEY_KEEPDIMS, 1)};
    attr again[] = {keep[0], keep[1]};
    switch (pick(g->c, 4)) {
    case 0: {
        const value_id d = put2(g, OP_SUB, x, put1(g, OP_MEAN, x, keep, 2));
        const value_id v = put1(g, OP_MEAN, put2(g, OP_MUL, d, d), again, 2);
        return put2(g, OP_DIV, d, v);
    }
    case 1:
        return put2(g, OP_SUB, x, put1(g, OP_REDUCE_MAX, x, keep, 2));
    default: {
        const value_id d = put2(g, OP_SUB, x, put1(g, OP_REDUCE_MAX, x, keep, 2));
        const value_id e = put1(g, OP_EXP, d, NULL, 0);
        return put2(g, OP_DIV, e, put1(g, OP_SUM, e, again, 2));
    }
    }
}

static inline int64_t stage_extent(graph *g, int64_t most)
{
    static const int64_t extents[] = {1, 2, 7, 13, 14, 15, 16, 28, 29, 33, 64, 65, 257, 300};
    const int64_t e = extents[pick(g->c, 14)];
    return e > most ? 1 + pick(g->c, (uint32_t)most) : e;
}

/* Images instead of rows to begin with. */
static inline value_id stage_images(graph *g, stage_rows *s)
{
    const int64_t h = 2 + pick(g->c, 7), w = 2 + pick(g->c, 7), ci = 1 + pick(g->c, 5),
                  co = stage_extent(g, 33), taps = 1 + pick(g->c, 3);
    const int64_t x[] = {s->batch, h, w, ci}, f[] = {taps, taps, ci, co}, one[] = {1, 1};
    const value_id in[] = {stage_operand(g, TN_F32, x, 4), stage_operand(g, TN_F32, f, 4)};
    attr e[] = {attr_of_ints(KEY_STRIDES, one, 2), attr_of_int(KEY_PADDING, pick(g->c, 2))};
    const value_id y = put_many(g, OP_CONV2D, in, 2, e, 2);
    if (y == NO_VALUE)
        return y;
    const type *t = type_in(g, y);
    s->m = t->dims[1] * t->dims[2];
    s->length = co;
    s->is_matrix = false;
    const int64_t rows[] = {s->batch, s->m, co};
    attr shape = attr_of_ints(KEY_SHAPE, rows, 3);
    return put1(g, OP_RESHAPE, y, &shape, 1);
}

static inline value_id random_stages(graph *g)
{
    const int64_t most = g->most.elements;
    stage_rows s = {.batch = 1 + pick(g->c, 3), .is_matrix = one_in(g->c, 3)};
    s.batch = s.is_matrix ? 1 : s.batch;
    s.m = stage_extent(g, 60);
    s.length = stage_extent(g, most / (s.batch * s.m) > 0 ? most / (s.batch * s.m) : 1);
    const int64_t dims[] = {s.batch, s.m, s.length};
    value_id x = stage_operand(g, one_in(g->c, 4) ? any_dtype(g) : TN_F32, dims + s.is_matrix,
                               3 - (uint32_t)s.is_matrix);
    if (one_in(g->c, 8))
        x = stage_images(g, &s);
    const uint32_t products = 1 + pick(g->c, 3);
    for (uint32_t i = 0; i < products && x != NO_VALUE; i++) {
        if (one_in(g->c, i ? 2 : 4))
            x = stage_normal(g, x, &s);
        const int64_t room = most / (s.batch * s.m), wide = most / (s.batch * s.length);
        x = stage_product(g, x, &s, stage_extent(g, room < wide ? room + !room : wide + !wide));
        x = stage_elements(g, x, &s);
    }
    return one_in(g->c, 3) && x != NO_VALUE ? stage_normal(g, x, &s) : x;
}

static inline void step_stages(graph *g)
{
    (void)random_stages(g);
}

#endif
