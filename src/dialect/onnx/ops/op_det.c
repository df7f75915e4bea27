/* Determinants, by elimination with the largest pivot of each column. */
#include <inttypes.h>

#include "dialect/onnx/ops/op.h"

enum { MOST_ROWS = 64 }; /* each is some operations of its own */

/* Rows of A[batch, n, n] other than the pivot's, which is row P[batch], without the first column,
 * after elimination; *DET is multiplied by the pivot. */
static tn_value eliminated(onnx_call *c, tn_value a, dim batch, int64_t n, tn_value *det)
{
    tn_builder *b = c->b;
    const tn_value column = tn_squeeze(b, tn_slice_axis(b, a, 2, 0, 1), TN_INTS(2));
    const tn_value p = tn_arg_max(b, tn_abs(b, column), 1, true, TN_SI64);
    const tn_value zero = tn_scalar_int(b, TN_SI64, 0);
    const tn_value moves = tn_compare(b, TN_NE, tn_squeeze(b, p, TN_INTS(1)), zero);
    const tn_value wide = tn_broadcast(b, tn_expand_dims(b, p, TN_INTS(2)), TN_INTS(batch, 1, n));
    const tn_value pivots = tn_gather(b, a, wide, 1); /* [batch, 1, n] */
    const tn_value pivot = tn_reshape(b, tn_slice_axis(b, pivots, 2, 0, 1), TN_INTS(batch));
    *det = tn_mul(b, *det, tn_select(b, moves, tn_neg(b, pivot), pivot));
    if (n == 1)
        return a;
    /* the first row takes the place of the pivot's */
    const tn_value first = tn_slice_axis(b, a, 1, 0, 1), others = tn_slice_axis(b, a, 1, 1, n - 1);
    const tn_value number = tn_iota(b, TN_SI64, TN_INTS(batch, n - 1, n), 1);
    const tn_value at = onnx_plus(c, tn_expand_dims(b, p, TN_INTS(2)), -1);
    const tn_value taken = tn_compare(b, TN_EQ, number, at);
    const tn_value rows = tn_select(b, taken, first, others);
    const tn_value none = tn_scalar_like(b, pivot, 0);
    const tn_value one = tn_scalar_like(b, pivot, 1);
    const tn_value by = tn_select(b, tn_compare(b, TN_EQ, pivot, none), one, pivot);
    const tn_value left = tn_slice_axis(b, rows, 2, 0, 1);
    const tn_value factor = tn_div(b, left, tn_expand_dims(b, by, TN_INTS(1, 2)));
    const tn_value rest = tn_slice_axis(b, rows, 2, 1, n - 1);
    const tn_value top = tn_slice_axis(b, pivots, 2, 1, n - 1);
    return tn_sub(b, rest, tn_mul(b, factor, top));
}

bool onnx_op_det(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    if (!t)
        return false;
    const int64_t n = t->rank < 2 ? 0 : t->dims[t->rank - 1];
    if (t->rank < 2 || t->dims[t->rank - 2] != n || dim_is_symbolic(n) || n < 1)
        return onnx_refuse(c, DIAG_DimensionMismatch, "it takes square matrices of known size");
    if (n > MOST_ROWS)
        return onnx_refuse(c, DIAG_LimitExceeded, "the matrices have more than %d rows", MOST_ROWS);
    dim batch = 1;
    for (uint32_t i = 0; i + 2 < t->rank; i++)
        batch = tn_dim_mul(c->b, batch, t->dims[i]);
    tn_value a = tn_reshape(c->b, onnx_in(c, 0), TN_INTS(batch, n, n));
    tn_value det = tn_splat(c->b, t->dtype, TN_INTS(batch), 1);
    for (int64_t rows = n; rows > 0; rows--)
        a = eliminated(c, a, batch, rows, &det);
    return onnx_give(c, 0, tn_reshape(c->b, det, (tn_ints){t->dims, t->rank - 2}));
}
