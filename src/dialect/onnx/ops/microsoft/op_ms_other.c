/* Operators of the domain com.microsoft that reshape or compare data: ExpandDims, CDist. */
#include "dialect/onnx/ops/op.h"

/* A new axis at the place in input 1. */
bool onnx_op_expand_dims(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    int64_t axis;
    if (!t || !onnx_in_int(c, 1, false, &axis))
        return false;
    if (t->rank == TN_MAX_RANK)
        return onnx_refuse(c, DIAG_RankMismatch, "the rank of the result is too high");
    return onnx_axis(c, axis, t->rank + 1, &axis) &&
           onnx_give(c, 0, tn_expand_dims(c->b, onnx_in(c, 0), TN_INTS(axis)));
}

/* Distances of the rows of one matrix from those of another. */
bool onnx_op_cdist(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *x = onnx_in_type(c, 0), *y = onnx_in_type(c, 1);
    const bool squared = onnx_attr_is(c, "metric", "sqeuclidean", true);
    if (!x || !y)
        return false;
    if (!squared && !onnx_attr_is(c, "metric", "euclidean", false))
        return onnx_refuse(c, DIAG_InvalidAttribute, "'metric' is euclidean or sqeuclidean");
    if (x->rank != 2 || y->rank != 2)
        return onnx_refuse(c, DIAG_RankMismatch, "it takes matrices");
    if (!onnx_in_fits(c, 1, TN_INTS(y->dims[0], x->dims[1])))
        return false;
    const tn_value left = tn_expand_dims(b, onnx_in(c, 0), TN_INTS(1));
    const tn_value way = tn_sub(b, left, tn_expand_dims(b, onnx_in(c, 1), TN_INTS(0)));
    const tn_value sum = tn_sum(b, tn_mul(b, way, way), TN_INTS(2), false);
    return onnx_give(c, 0, squared ? sum : onnx_root_of_squares(c, sum));
}
