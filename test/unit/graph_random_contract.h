/* Random contractions, and what follows them. */
#ifndef TEST_GRAPH_RANDOM_CONTRACT_H
#define TEST_GRAPH_RANDOM_CONTRACT_H

#include "graph_random_operands.h"

/* A value of dtype D and this shape: something from the pool brought there, or made. */
static inline value_id shaped(graph *g, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    const type *want = type_of(&g->f->module->types, d, dims, rank);
    for (uint32_t i = 0; i < 10; i++) {
        const value_id v = any_value(g);
        const type *t = type_in(g, v);
        if (t->rank == rank && (!rank || memcmp(t->dims, dims, rank * sizeof *dims) == 0))
            return cast_to(g, v, d);
        if (want && t->count == want->count && dtype_can_cast(t->dtype, d)) {
            attr a = attr_of_ints(KEY_SHAPE, dims, rank);
            return put1(g, OP_RESHAPE, cast_to(g, v, d), &a, 1);
        }
    }
    const uint32_t before = g->n;
    if (one_in(g->c, 5))
        return splat_of(g, d, dims, rank, 0.5);
    if (one_in(g->c, 3))
        return new_operand(g, d, dims, rank, 1 + pick(g->c, 3));
    if (rank == 2 && one_in(g->c, 3)) { /* a transposed operand */
        const int64_t turned[] = {dims[1], dims[0]}, perm[] = {1, 0};
        attr a = attr_of_ints(KEY_PERM, perm, 2);
        return put1(g, OP_TRANSPOSE, add_input(g, d, turned, 2), &a, 1);
    }
    if (!g->f->is_region && one_in(g->c, 2))
        return add_input(g, d, dims, rank);
    add_constant(g, d, dims, rank);
    return g->n > before ? g->pool[g->n - 1] : NO_VALUE;
}

static inline int64_t smaller_extent(graph *g, int64_t most)
{
    const int64_t e = any_extent(g);
    return e > most ? 1 + pick(g->c, (uint32_t)most) : e;
}

/* Wide sums of short integers of dtype D, perhaps: more entries E, of which there are N. */
static inline uint32_t wide_sums(graph *g, tn_dtype d, attr *e, uint32_t n)
{
    const tn_dtype sum = one_in(g->c, 3) ? TN_UI32 : TN_SI32;
    if (!dtype_is_int(d) || dtype_table[d].bits > 16 || one_in(g->c, 3))
        return n;
    e[n] = attr_of_int(KEY_ACCUM_DTYPE, (int)sum);
    e[n + 1] = attr_of_int(KEY_OUT_DTYPE, (int)(one_in(g->c, 4) ? d : sum));
    return n + 2;
}

static inline value_id add_conv(graph *g)
{
    const int64_t n = 1 + pick(g->c, 2), h = 1 + pick(g->c, 9), w = 1 + pick(g->c, 9),
                  ci = smaller_extent(g, 9), co = smaller_extent(g, 20), kh = 1 + pick(g->c, 3),
                  kw = 1 + pick(g->c, 3);
    const int64_t x[] = {n, h, w, ci}, k[] = {kh, kw, ci, co},
                  strides[] = {1 + pick(g->c, 2), 1 + pick(g->c, 2)};
    const tn_dtype d = any_dtype(g);
    const value_id in[] = {shaped(g, d, x, 4), shaped(g, d, k, 4)};
    attr e[] = {attr_of_ints(KEY_STRIDES, strides, 2), attr_of_int(KEY_PADDING, pick(g->c, 2)),
                attr_of_ints(KEY_FILTER_SHAPE, k, 4)};
    const value_id y = put_many(g, OP_CONV2D, in, 2, e, 2);
    if (y == NO_VALUE || !one_in(g->c, 3))
        return y;
    attr e2[] = {attr_of_ints(KEY_STRIDES, strides, 2), e[1], attr_of_ints(KEY_FILTER_SHAPE, k, 4)};
    for (uint32_t i = 0; i < 3; i++)
        if (e[i].key == KEY_PADDING)
            e2[1] = e[i];
    const value_id both[] = {in[0], y};
    return put_many(g, OP_CONV2D_GRAD_FILTER, both, 2, e2, 3);
}

/* A random order of the numbers below N. */
static inline void any_order(graph *g, int64_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1 && one_in(g->c, 2); i--) {
        const uint32_t k = pick(g->c, i);
        const int64_t swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
}

/* In groups, dilated, over one or two axes, with any layout of the operands and the result. */
static inline value_id add_convolution(graph *g)
{
    const uint32_t spatial = 1 + one_in(g->c, 3), rank = 2 + spatial;
    const int64_t n = 1 + pick(g->c, 2), groups = 1 + pick(g->c, 3), ci = 1 + pick(g->c, 4),
                  co = smaller_extent(g, 9);
    const bool by_images = one_in(g->c, 4);
    int64_t x[4], k[4], lhs[4], rhs[4], out[4], strides[2], base[2], dilation[2], pads[4];
    any_order(g, lhs, rank);
    any_order(g, rhs, rank);
    any_order(g, out, rank);
    x[lhs[0]] = by_images ? n * groups : n;
    x[lhs[1]] = by_images ? ci : groups * ci;
    k[rhs[0]] = groups * co;
    k[rhs[1]] = ci;
    for (uint32_t i = 0; i < spatial; i++) {
        const int64_t h = one_in(g->c, 20) ? 0 : 1 + pick(g->c, 9), taps = 1 + pick(g->c, 3);
        x[lhs[2 + i]] = h;
        k[rhs[2 + i]] = taps;
        strides[i] = 1 + pick(g->c, 3);
        base[i] = one_in(g->c, 3) ? 1 + pick(g->c, 3) : 1;
        dilation[i] = 1 + pick(g->c, 2);
        pads[2 * i] = pick(g->c, 4);
        pads[2 * i + 1] = pick(g->c, 4);
        if ((h - 1) * base[i] + pads[2 * i] + pads[2 * i + 1] < (taps - 1) * dilation[i])
            return NO_VALUE;
    }
    const tn_dtype d = any_dtype(g);
    value_id in[2];
    in[0] = shaped(g, d, x, rank);
    in[1] = shaped(g, d, k, rank);
    attr e[] = {attr_of_ints(KEY_STRIDES, strides, spatial),
                attr_of_ints(KEY_PADS, pads, 2 * spatial),
                attr_of_ints(KEY_BASE_DILATION, base, spatial),
                attr_of_ints(KEY_DILATION, dilation, spatial),
                attr_of_int(KEY_GROUPS, by_images ? 1 : groups),
                attr_of_int(KEY_BATCH_GROUPS, by_images ? groups : 1),
                attr_of_ints(KEY_LHS_AXES, lhs, rank),
                attr_of_ints(KEY_RHS_AXES, rhs, rank),
                attr_of_ints(KEY_OUT_AXES, out, rank),
                {0},
                {0}};
    return put_many(g, OP_CONVOLUTION, in, 2, e, wide_sums(g, d, e, 9));
}

/* Windows of an image, of which the channels may be in groups, times a filter; either comes first.
 */
static inline value_id add_patches(graph *g)
{
    const int64_t n = 1 + pick(g->c, 2), h = 1 + pick(g->c, 9), w = 1 + pick(g->c, 9),
                  ci = 1 + pick(g->c, 5), co = smaller_extent(g, 20), kh = 1 + pick(g->c, 3),
                  kw = 1 + pick(g->c, 3), groups = one_in(g->c, 3) ? 1 + pick(g->c, 3) : 1;
    const int64_t x[] = {n, h, w, groups * ci}, turned[] = {n, groups * ci, h, w},
                  perm[] = {0, 2, 3, 1}, window[] = {kh, kw};
    const int64_t strides[] = {1 + pick(g->c, 2), 1 + pick(g->c, 2)},
                  dilation[] = {1 + pick(g->c, 2), 1 + pick(g->c, 2)},
                  pads[] = {pick(g->c, 4), pick(g->c, 4), pick(g->c, 4), pick(g->c, 4)};
    const tn_dtype d = any_dtype(g);
    const int64_t border = one_in(g->c, 6);
    const scalar fill = dtype_is_float(d) ? scalar_of_float((double)border) : scalar_of_int(border);
    attr a = attr_of_ints(KEY_PERM, perm, 4);
    attr e[] = {attr_of_ints(KEY_WINDOW, window, 2), attr_of_ints(KEY_STRIDES, strides, 2),
                attr_of_ints(KEY_DILATION, dilation, 2), attr_of_ints(KEY_PADS, pads, 4),
                attr_of_scalar(KEY_PAD_VALUE, &fill)};
    if (h + pads[0] + pads[1] <= (kh - 1) * dilation[0] ||
        w + pads[2] + pads[3] <= (kw - 1) * dilation[1])
        return NO_VALUE;
    const value_id image = one_in(g->c, 3) ? put1(g, OP_TRANSPOSE, shaped(g, d, turned, 4), &a, 1)
                                           : shaped(g, d, x, 4);
    value_id rows = put_many(g, OP_EXTRACT_PATCHES, &image, 1, e, 5);
    if (rows == NO_VALUE)
        return NO_VALUE;
    const type *t = type_in(g, rows);
    const bool whole = groups == 1 && one_in(g->c, 2);
    const int64_t parts[] = {n, t->dims[1], t->dims[2], kh, kw, groups, ci},
                  k[] = {kh * kw * ci, co}, filter[] = {co, groups, ci, kh, kw}, group_rows[] = {5},
                  group_filter[] = {1}, by_rows[] = {6, 3, 4}, by_filter[] = {2, 3, 4},
                  last[] = {3}, first[] = {0};
    if (!whole) {
        a = attr_of_ints(KEY_SHAPE, parts, 7);
        rows = put1(g, OP_RESHAPE, rows, &a, 1);
    }
    const value_id w_in = whole ? shaped(g, d, k, 2) : shaped(g, d, filter, 5);
    const bool swap = one_in(g->c, 3);
    const value_id in[] = {swap ? w_in : rows, swap ? rows : w_in};
    const attr lists[2][2] = {
        {attr_of_ints(KEY_BATCH_LHS, group_rows, !whole),
         attr_of_ints(KEY_CONTRACT_LHS, whole ? last : by_rows, whole ? 1 : 3)},
        {attr_of_ints(KEY_BATCH_LHS, group_filter, !whole),
         attr_of_ints(KEY_CONTRACT_LHS, whole ? first : by_filter, whole ? 1 : 3)}};
    attr all[6] = {lists[swap][0], lists[!swap][0], lists[swap][1], lists[!swap][1]};
    all[1].key = KEY_BATCH_RHS;
    all[3].key = KEY_CONTRACT_RHS;
    return rows == NO_VALUE || w_in == NO_VALUE
               ? NO_VALUE
               : put_many(g, OP_DOT_GENERAL, in, 2, all, wide_sums(g, d, all, 4));
}

static inline value_id add_general(graph *g)
{
    const int64_t m = smaller_extent(g, 40), n = smaller_extent(g, 70), k = smaller_extent(g, 300),
                  b = 1 + pick(g->c, 3), j = 1 + pick(g->c, 4);
    const int64_t x[] = {m, b, k, j}, y[] = {j, k, b, n}, one[] = {1}, two[] = {2}, xk[] = {2, 3},
                  yk[] = {1, 0};
    const tn_dtype d = any_dtype(g);
    const value_id in[] = {shaped(g, d, x, 4), shaped(g, d, y, 4)};
    attr e[6] = {attr_of_ints(KEY_BATCH_LHS, one, 1), attr_of_ints(KEY_BATCH_RHS, two, 1),
                 attr_of_ints(KEY_CONTRACT_LHS, xk, 2), attr_of_ints(KEY_CONTRACT_RHS, yk, 2)};
    uint32_t n_entries = wide_sums(g, d, e, 4);
    if (n_entries == 4 && one_in(g->c, 4))
        e[n_entries++] = attr_of_int(KEY_OUT_DTYPE, any_dtype(g));
    if (n_entries < 6 && one_in(g->c, 4))
        e[n_entries++] = attr_of_int(KEY_ACCUM_DTYPE, one_in(g->c, 2) ? (int)d : (int)any_dtype(g));
    return put_many(g, OP_DOT_GENERAL, in, 2, e, n_entries);
}

static inline value_id add_matrix(graph *g)
{
    const tn_dtype d = any_dtype(g);
    int64_t m = smaller_extent(g, 130), n = smaller_extent(g, 130), k = smaller_extent(g, 600);
    const int64_t a[] = {1 + pick(g->c, 3), m, k}, b[] = {one_in(g->c, 2) ? 1 : a[0], k, n};
    if (m * n * k > 40 * g->most.elements)
        return NO_VALUE;
    if (one_in(g->c, 8)) { /* the same operand twice */
        const int64_t square[] = {m, m};
        const value_id x = shaped(g, d, square, 2);
        return put2(g, OP_DOT, x, x);
    }
    switch (pick(g->c, 6)) {
    case 0: { /* batches */
        const value_id x = shaped(g, d, a, 3);
        return put2(g, OP_MATMUL, x, one_in(g->c, 2) ? shaped(g, d, b, 3) : shaped(g, d, b + 1, 2));
    }
    case 1: {
        const value_id x = shaped(g, d, a + 1, 2);
        return put2(g, OP_DOT, x, shaped(g, d, &k, 1));
    }
    case 2: {
        const value_id x = shaped(g, d, &k, 1);
        return put2(g, OP_DOT, x, shaped(g, d, b + 1, 2));
    }
    case 3: {
        const value_id x = shaped(g, d, &k, 1);
        return put2(g, OP_DOT, x, shaped(g, d, &k, 1));
    }
    default: {
        const value_id x = shaped(g, d, a + 1, 2);
        return put2(g, OP_DOT, x, shaped(g, d, b + 1, 2));
    }
    }
}

static inline void step_contract(graph *g)
{
    const uint32_t kind = pick(g->c, 6);
    const value_id y = kind == 0   ? add_conv(g)
                       : kind == 1 ? add_general(g)
                       : kind == 2 ? add_patches(g)
                       : kind == 3 ? add_convolution(g)
                                   : add_matrix(g);
    if (y == NO_VALUE)
        return;
    const type *t = type_in(g, y);
    switch (pick(g->c, 6)) { /* what follows */
    case 0:
        if (t->rank > 0)
            (void)put1(g, OP_RELU,
                       put2(g, OP_ADD, y, shaped(g, t->dtype, t->dims + t->rank - 1, 1)), NULL, 0);
        break;
    case 1:
        (void)put2(g, OP_ADD, y, partner(g, y, t->dtype));
        break;
    case 2: {
        const value_id z = put2(g, OP_MUL, y, y);
        (void)put1(g, OP_ABS, z, NULL, 0);
        break;
    }
    case 3:
        if (t->rank == 2) {
            const int64_t perm[] = {1, 0};
            attr a = attr_of_ints(KEY_PERM, perm, 2);
            (void)put1(g, OP_TRANSPOSE, one_in(g->c, 2) ? put1(g, OP_NEG, y, NULL, 0) : y, &a, 1);
        }
        break;
    case 4:
        add_reshape(g, y);
        break;
    default:
        break;
    }
}

/* One contraction of operands that are computed or moved, in a theme of its own: complex numbers,
 * few bits, integers, short ones with wide sums, or any. */
static inline value_id random_product(graph *g)
{
    static const tn_dtype themes[][3] = {{TN_CF32, TN_CF64, TN_CF32},
                                         {TN_BF16, TN_F16, TN_F32},
                                         {TN_FP8_E4M3, TN_FP8_E5M2, TN_BF16},
                                         {TN_SI4, TN_UI4, TN_SI8},
                                         {TN_UI8, TN_SI32, TN_UI64},
                                         {TN_F32, TN_F64, TN_F32},
                                         {TN_SI8, TN_SI16, TN_UI8}};
    memcpy(g->dtypes, themes[pick(g->c, 7)], sizeof g->dtypes);
    const int64_t one = 1;
    (void)add_input(g, any_dtype(g), &one, 1);
    const uint32_t before = g->n;
    for (uint32_t i = 1 + pick(g->c, 2); i > 0; i--)
        step_contract(g);
    return g->n > before ? g->pool[g->n - 1] : NO_VALUE;
}

#endif
