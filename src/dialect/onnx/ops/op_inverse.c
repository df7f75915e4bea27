/* Inverses of matrices, by elimination with the largest pivot of each column: one turn of a scan
 * for each, so that the program is as short for any number of rows. */
#include "dialect/onnx/ops/op.h"

/* Position K along AXIS of X, which keeps extent 1. */
static tn_value at_turn(onnx_call *c, tn_value x, tn_value k, uint32_t axis)
{
    return onnx_take_along(c, x, tn_reshape(c->b, k, TN_INTS(1)), axis);
}

/* A[batch, n, 2n], whose columns before K are those of the identity, with column K as well. */
static tn_value eliminated(onnx_call *c, tn_value a, tn_value k, dim batch, int64_t n)
{
    tn_builder *b = c->b;
    const tn_value row = tn_iota(b, TN_SI64, TN_INTS(1, n, 1), 1);
    const tn_value size = tn_abs(b, at_turn(c, a, k, 2));
    const tn_value done = tn_compare(b, TN_LT, row, k);
    const tn_value left = tn_select(b, done, tn_scalar_like(b, size, -1), size);
    const tn_value p = tn_arg_max(b, left, 1, true, TN_SI64);
    const tn_value pivots = tn_gather(b, a, tn_broadcast(b, p, TN_INTS(batch, 1, 2 * n)), 1);
    const tn_value moved = tn_select(b, tn_compare(b, TN_EQ, row, p), at_turn(c, a, k, 1), a);
    const tn_value unit = tn_div(b, pivots, at_turn(c, pivots, k, 2));
    const tn_value others = tn_sub(b, moved, tn_mul(b, at_turn(c, moved, k, 2), unit));
    return tn_select(b, tn_compare(b, TN_EQ, row, k), unit, others);
}

bool onnx_op_inverse(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0);
    if (!t)
        return false;
    const int64_t n = t->rank < 2 ? 0 : t->dims[t->rank - 1];
    if (t->rank < 2 || t->dims[t->rank - 2] != n || dim_is_symbolic(n) || n < 1 || n > INT32_MAX)
        return onnx_refuse(c, DIAG_DimensionMismatch, "it takes square matrices of known size");
    const tn_dtype d = dtype_compute(t->dtype);
    dim batch = 1;
    for (uint32_t i = 0; i + 2 < t->rank; i++)
        batch = tn_dim_mul(b, batch, t->dims[i]);
    const tn_value given = tn_reshape(b, tn_cast(b, onnx_in(c, 0), d), TN_INTS(batch, n, n));
    const tn_value rows = tn_iota(b, TN_SI64, TN_INTS(n, n), 0);
    const tn_value columns = tn_iota(b, TN_SI64, TN_INTS(n, n), 1);
    const tn_value unit = tn_cast(b, tn_compare(b, TN_EQ, rows, columns), d);
    const tn_value wide = tn_broadcast(b, unit, TN_INTS(batch, n, n));
    const tn_value both = tn_concat(b, TN_VALUES(given, wide), 2);
    const tn_value turns = tn_iota(b, TN_SI64, TN_INTS(n), 0);
    tn_value out;
    tn_region_begin(b, "Inverse");
    const tn_value a = tn_param_like(b, both), k = tn_param_slice(b, turns);
    const tn_value next = eliminated(c, a, k, batch, n);
    const tn_region body = tn_region_end(b, TN_VALUES(next));
    tn_scan(b, body, TN_VALUES(both), TN_VALUES(turns), 0, &out, 1);
    const tn_value inverse = tn_cast(b, tn_slice_axis(b, out, 2, n, n), t->dtype);
    return onnx_give(c, 0, tn_reshape(b, inverse, onnx_dims(t)));
}
