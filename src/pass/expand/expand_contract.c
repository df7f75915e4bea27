/* Contractions, expressed by other ops. The products of a result stay in their order, so the exact
 * expansions keep every bit (docs/numerics.md, section 6). */
#include "base/memory/checked.h"
#include "ops/shape.h"
#include "pass/expand/expand.h"

static value_id dot_general(expand_call *c, value_id a, value_id b, const int64_t *batch,
                            uint32_t n_batch, const int64_t *left, const int64_t *right, uint32_t n)
{
    value_id in[] = {a, b};
    attr entries[] = {
        attr_of_ints(KEY_BATCH_LHS, batch, n_batch), attr_of_ints(KEY_BATCH_RHS, batch, n_batch),
        attr_of_ints(KEY_CONTRACT_LHS, left, n), attr_of_ints(KEY_CONTRACT_RHS, right, n)};
    return build_node(c->b, OP_DOT_GENERAL, in, 2, entries, 4);
}

value_id expand_dot_as_dot_general(expand_call *c)
{
    const int64_t left = (int64_t)operand_type_of(c, 0)->rank - 1, right = 0;
    return dot_general(c, c->in[0], c->in[1], NULL, 0, &left, &right, 1);
}

/* X with the N leading axes BATCH before its last two. */
static value_id with_batch(expand_call *c, value_id x, const dim *batch, uint32_t n)
{
    const type *t = build_type(c->b, x);
    dim dims[TN_MAX_RANK];
    if (n)
        memcpy(dims, batch, n * sizeof *dims);
    dims[n] = t->dims[t->rank - 2];
    dims[n + 1] = t->dims[t->rank - 1];
    return build_broadcast(c->b, x, dims, n + 2);
}

value_id expand_matmul_as_dot_general(expand_call *c)
{
    const uint32_t n = c->out->rank - 2;
    int64_t batch[TN_MAX_RANK];
    const int64_t left = (int64_t)n + 1, right = n;
    for (uint32_t i = 0; i < n; i++)
        batch[i] = i;
    const value_id a = with_batch(c, c->in[0], c->out->dims, n);
    const value_id b = with_batch(c, c->in[1], c->out->dims, n);
    return dot_general(c, a, b, batch, n, &left, &right, 1);
}

/* A vector is a row on the left and a column on the right. */
value_id expand_dot_as_matmul(expand_call *c)
{
    value_id in[2];
    for (uint32_t k = 0; k < 2; k++) {
        const type *t = operand_type_of(c, k);
        dim dims[2] = {k == 0 ? 1 : t->dims[0], k == 0 ? t->dims[0] : 1};
        in[k] = t->rank == 2 ? c->in[k] : build_reshape(c->b, c->in[k], dims, 2);
    }
    return expand_to_result(c, build_binary(c->b, OP_MATMUL, in[0], in[1]));
}

/* ---- dot_general as batch, rows, columns --------------------------------------------------- */

static void axes_of(const expand_call *c, attr_key key, uint32_t rank, uint32_t *mask, int64_t *out,
                    uint32_t *n)
{
    const int64_t *axes = attr_ints(c->n->attrs, key, n);
    for (uint32_t i = 0; i < *n; i++) {
        out[i] = axes[i] < 0 ? axes[i] + rank : axes[i];
        *mask |= 1U << out[i];
    }
}

/* An operand as [batch, free, contracted], or [batch, contracted, free] where that comes first;
 * each is a product of extents. Without batch axes the first is left away where FLAT. */
typedef struct matrix {
    value_id x;
    int64_t batch, free, contracted;
} matrix;

static bool matrix_of(expand_call *c, uint32_t k, bool contracted_first, bool flat, matrix *out)
{
    const type *t = operand_type_of(c, k);
    int64_t batch[TN_MAX_RANK], contract[TN_MAX_RANK], perm[TN_MAX_RANK], extents[TN_MAX_RANK];
    uint32_t mask = 0, n_batch, n_contract, n = 0;
    axes_of(c, k ? KEY_BATCH_RHS : KEY_BATCH_LHS, t->rank, &mask, batch, &n_batch);
    axes_of(c, k ? KEY_CONTRACT_RHS : KEY_CONTRACT_LHS, t->rank, &mask, contract, &n_contract);
    for (uint32_t i = 0; i < n_batch; i++)
        perm[n++] = batch[i];
    for (uint32_t i = 0; contracted_first && i < n_contract; i++)
        perm[n++] = contract[i];
    for (uint32_t i = 0; i < t->rank; i++)
        if (!(mask >> i & 1))
            perm[n++] = i;
    for (uint32_t i = 0; !contracted_first && i < n_contract; i++)
        perm[n++] = contract[i];
    for (uint32_t i = 0; i < n; i++)
        extents[i] = t->dims[perm[i]];
    const uint32_t n_second = contracted_first ? n_contract : n - n_batch - n_contract;
    int64_t *second = contracted_first ? &out->contracted : &out->free;
    int64_t *third = contracted_first ? &out->free : &out->contracted;
    if (!product_i64(extents, n_batch, &out->batch) ||
        !product_i64(extents + n_batch, n_second, second) ||
        !product_i64(extents + n_batch + n_second, n - n_batch - n_second, third))
        return false;
    const dim dims[] = {out->batch, *second, *third};
    flat = flat && n_batch == 0;
    out->x = build_reshape(c->b, build_transpose(c->b, c->in[k], perm, n), flat ? dims + 1 : dims,
                           flat ? 2 : 3);
    return true;
}

/* Does the node sum and return in the usual dtypes? */
static bool is_usual(const expand_call *c)
{
    tn_dtype d = operand_type_of(c, 0)->dtype;
    return attr_int(c->n->attrs, KEY_ACCUM_DTYPE, dtype_compute(d)) == (int64_t)dtype_compute(d) &&
           c->out->dtype == d;
}

value_id expand_dot_general_as_matmul(expand_call *c)
{
    matrix a, b;
    if (!is_static_call(c) || !is_usual(c) || !matrix_of(c, 0, false, true, &a) ||
        !matrix_of(c, 1, true, true, &b))
        return NO_VALUE;
    return expand_to_result(c, build_binary(c->b, OP_MATMUL, a.x, b.x));
}

/* The products of A[batch, m, k] and B[batch, n, k], formed and summed over k in SUM, which
 * computes in itself, and rounded to ROUNDED before they become the result. */
static value_id sum_of_products(expand_call *c, const matrix *a, const matrix *b, tn_dtype sum,
                                tn_dtype rounded)
{
    const dim left[] = {a->batch, a->free, 1, a->contracted};
    const dim right[] = {b->batch, 1, b->free, b->contracted};
    const dim all[] = {a->batch, a->free, b->free, a->contracted};
    const int64_t axis = 3;
    value_id x =
        build_broadcast(c->b, build_reshape(c->b, build_cast(c->b, a->x, sum), left, 4), all, 4);
    value_id y =
        build_broadcast(c->b, build_reshape(c->b, build_cast(c->b, b->x, sum), right, 4), all, 4);
    value_id total = build_reduce(c->b, OP_SUM, build_binary(c->b, OP_MUL, x, y), &axis, 1, false);
    total = build_cast(c->b, build_cast(c->b, total, rounded), c->out->dtype);
    return expand_to_result(c, total);
}

value_id expand_dot_general_as_sum(expand_call *c)
{
    const tn_dtype usual = dtype_compute(operand_type_of(c, 0)->dtype);
    const tn_dtype accumulator = (tn_dtype)attr_int(c->n->attrs, KEY_ACCUM_DTYPE, usual);
    matrix a, b;
    if (!is_static_call(c) || !matrix_of(c, 0, false, false, &a) ||
        !matrix_of(c, 1, false, false, &b))
        return NO_VALUE;
    return sum_of_products(c, &a, &b, dtype_compute(accumulator), accumulator);
}

value_id expand_matmul_as_sum(expand_call *c)
{
    const uint32_t n = c->out->rank - 2;
    const type *ta = operand_type_of(c, 0), *tb = operand_type_of(c, 1);
    int64_t perm[TN_MAX_RANK];
    matrix a = {0}, b = {0};
    if (!is_static_call(c) || !product_i64(c->out->dims, n, &a.batch))
        return NO_VALUE;
    for (uint32_t i = 0; i < n; i++)
        perm[i] = i;
    perm[n] = (int64_t)n + 1;
    perm[n + 1] = n;
    b.batch = a.batch;
    a.free = ta->dims[ta->rank - 2];
    a.contracted = b.contracted = ta->dims[ta->rank - 1];
    b.free = tb->dims[tb->rank - 1];
    a.x = with_batch(c, c->in[0], c->out->dims, n);
    b.x = build_transpose(c->b, with_batch(c, c->in[1], c->out->dims, n), perm, n + 2);
    return sum_of_products(c, &a, &b, dtype_compute(c->out->dtype), c->out->dtype);
}

/* A contraction of nothing is 0. */
value_id expand_nothing_as_zeros(expand_call *c)
{
    const bool nothing = c->out->count == 0 || operand_type_of(c, 0)->count == 0 ||
                         operand_type_of(c, 1)->count == 0;
    return is_static_call(c) && nothing ? expand_filled(c, c->out, 0) : NO_VALUE;
}

/* ---- convolutions -------------------------------------------------------------------------- */

/* The windows that a convolution looks at. */
static value_id windows(expand_call *c, value_id x, const conv_geometry *g)
{
    const int64_t window[] = {g->kh, g->kw}, strides[] = {g->stride_h, g->stride_w};
    const int64_t dilation[] = {1, 1}, pads[] = {g->top, g->bottom, g->left, g->right};
    tn_dtype d = build_type(c->b, x)->dtype;
    const scalar zero = dtype_is_float(d) ? scalar_of_float(0) : scalar_of_int(0);
    attr entries[] = {attr_of_ints(KEY_WINDOW, window, 2), attr_of_ints(KEY_STRIDES, strides, 2),
                      attr_of_ints(KEY_DILATION, dilation, 2), attr_of_ints(KEY_PADS, pads, 4),
                      attr_of_scalar(KEY_PAD_VALUE, &zero)};
    return build_node(c->b, OP_EXTRACT_PATCHES, &x, 1, entries, 5);
}

value_id expand_conv2d_as_patches(expand_call *c)
{
    const type *x = operand_type_of(c, 0), *w = operand_type_of(c, 1);
    conv_geometry g;
    if (!is_static_call(c) || x->count == 0 || w->count == 0 || c->out->count == 0 ||
        resolve_conv(c->n->attrs, x->dims, w->dims, &g).kind != SHAPE_OK)
        return NO_VALUE;
    const dim rows[] = {g.kh * g.kw * g.ci, g.co};
    const int64_t left = 3, right = 0;
    return dot_general(c, windows(c, c->in[0], &g), build_reshape(c->b, c->in[1], rows, 2), NULL, 0,
                       &left, &right, 1);
}

value_id expand_conv2d_grad_filter_as_patches(expand_call *c)
{
    const type *x = operand_type_of(c, 0);
    conv_geometry g;
    if (!is_static_call(c) || x->count == 0 || c->out->count == 0 ||
        operand_type_of(c, 1)->count == 0 ||
        resolve_conv(c->n->attrs, x->dims, c->out->dims, &g).kind != SHAPE_OK)
        return NO_VALUE;
    const int64_t places[] = {0, 1, 2};
    return expand_to_result(
        c, dot_general(c, windows(c, c->in[0], &g), c->in[1], NULL, 0, places, places, 3));
}
