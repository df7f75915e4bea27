/* Products with weights that are stored in another form: cast, scaled by row, column or block, and
 * moved to where their zero is. */
#ifndef TEST_GRAPH_RANDOM_WEIGHTS_H
#define TEST_GRAPH_RANDOM_WEIGHTS_H

#include "graph_random_contract.h"

/* A new input of shape FROM along the axes AXES of DIMS, repeated along the others. */
static inline value_id weights_spread(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank,
                                      uint32_t axes)
{
    int64_t from[TN_MAX_RANK], kept[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (axes >> i & 1) {
            kept[n] = i;
            from[n++] = dims[i];
        }
    attr e[] = {attr_of_ints(KEY_SHAPE, dims, rank), attr_of_ints(KEY_DIMS, kept, n)};
    return put1(g, OP_BROADCAST, add_input(g, d, from, n), e, 2);
}

/* A new input, perhaps with its axes in another order. */
static inline value_id weights_stored(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    int64_t perm[TN_MAX_RANK], from[TN_MAX_RANK];
    if (!one_in(g->c, 6))
        return add_input(g, d, dims, rank);
    any_order(g, perm, rank);
    for (uint32_t i = 0; i < rank; i++)
        from[perm[i]] = dims[i];
    attr a = attr_of_ints(KEY_PERM, perm, rank);
    return put1(g, OP_TRANSPOSE, add_input(g, d, from, rank), &a, 1);
}

static inline value_id weights_decoded(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    static const tn_dtype stored[] = {TN_BF16, TN_F16, TN_FP8_E4M3, TN_SI8, TN_UI8,
                                      TN_SI4,  TN_UI4, TN_F32,      TN_SI16};
    value_id x = cast_to(g, weights_stored(g, stored[pick(g->c, 9)], dims, rank), d);
    if (one_in(g->c, 3))
        x = put2(g, OP_SUB, x, weights_spread(g, d, dims, rank, pick(g->c, UINT32_C(1) << rank)));
    if (!one_in(g->c, 3))
        x = put2(g, OP_MUL, x, weights_spread(g, d, dims, rank, pick(g->c, UINT32_C(1) << rank)));
    return x;
}

/* Weights of shape ROWS x COLUMNS in each of BATCH, perhaps in blocks along the last axis. */
static inline value_id weights_of(graph *g, tn_dtype d, int64_t batch, int64_t rows,
                                  int64_t columns)
{
    static const int64_t blocks[] = {1, 3, 16, 32};
    const int64_t block = blocks[pick(g->c, 4)];
    const int64_t plain[] = {batch, rows, columns}, cut[] = {batch, rows, columns / block, block};
    if (block == 1 || columns % block != 0)
        return weights_decoded(g, d, plain, 3);
    attr shape = attr_of_ints(KEY_SHAPE, plain, 3);
    return put1(g, OP_RESHAPE, weights_decoded(g, d, cut, 4), &shape, 1);
}

static inline value_id random_weights(graph *g)
{
    static const tn_dtype sums[] = {TN_F32, TN_F32, TN_F64, TN_BF16, TN_SI32};
    static const int64_t rows[] = {1, 1, 2, 3, 4, 5, 8, 9, 16, 17};
    static const int64_t columns[] = {1, 7, 16, 33, 48, 70, 130, 300};
    static const int64_t products[] = {1, 3, 5, 16, 32, 64, 96, 257, 288, 520};
    const tn_dtype d = sums[pick(g->c, 5)];
    const int64_t batch = 1 + pick(g->c, one_in(g->c, 4) ? 9 : 2), m = rows[pick(g->c, 10)];
    const int64_t n = columns[pick(g->c, 8)], k = products[pick(g->c, 10)];
    const bool is_turned = one_in(g->c, 2), is_left = m == 1 && one_in(g->c, 4);
    const int64_t x_dims[] = {batch, m, k}, bias[] = {n};
    value_id x = one_in(g->c, 4) ? weights_decoded(g, d, x_dims, 3) : add_input(g, d, x_dims, 3);
    const value_id w = is_turned ? weights_of(g, d, batch, n, k) : weights_of(g, d, batch, k, n);
    int64_t zero = 0, of_x = 2, of_w = is_turned ? 2 : 1;
    const value_id in[] = {is_left ? w : x, is_left ? x : w};
    attr e[] = {attr_of_ints(KEY_BATCH_LHS, &zero, 1), attr_of_ints(KEY_BATCH_RHS, &zero, 1),
                attr_of_ints(KEY_CONTRACT_LHS, is_left ? &of_w : &of_x, 1),
                attr_of_ints(KEY_CONTRACT_RHS, is_left ? &of_x : &of_w, 1)};
    x = put_many(g, OP_DOT_GENERAL, in, 2, e, 4);
    if (!is_left && one_in(g->c, 2))
        x = put2(g, OP_ADD, x, add_input(g, d, bias, 1));
    if (x != NO_VALUE && w != NO_VALUE && one_in(g->c, 8)) /* also wanted in memory */
        (void)function_add_output(g->f, w);
    return x;
}

#endif
