/* Products of matrices. */
#include "dialect/onnx/ops/op_quantize.h"

tn_value onnx_product(onnx_call *c, tn_value x, tn_value y)
{
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, y);
    if (!t || !u)
        return tn_no_value();
    if (t->rank == 0 || u->rank == 0) {
        (void)onnx_refuse(c, DIAG_RankMismatch, "it takes no scalars");
        return tn_no_value();
    }
    const bool row = t->rank == 1, column = u->rank == 1;
    const tn_dtype d = t->dtype;
    if (row && column)
        return tn_cast(c->b, tn_dot(c->b, x, y), d);
    if (row)
        x = tn_expand_dims(c->b, x, TN_INTS(0));
    if (column)
        y = tn_expand_dims(c->b, y, TN_INTS(1));
    tn_value z = tn_cast(c->b, tn_matmul(c->b, x, y), d);
    if (row)
        z = tn_squeeze(c->b, z, TN_INTS(-2));
    if (column)
        z = tn_squeeze(c->b, z, TN_INTS(-1));
    return z;
}

bool onnx_op_matmul(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0), y = onnx_in(c, 1);
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, y);
    onnx_integer_pair p;
    if (!t || !u)
        return false;
    if (t->rank > 0 && u->rank > 1 &&
        onnx_has_integers(c, (int64_t)u->rank - 1, t->dims[t->rank - 1], &p)) {
        const tn_value sums = onnx_product(c, p.left, p.right);
        const type *s = onnx_type_of(c, sums);
        return s && onnx_give(c, 0, onnx_scaled_sums(c, sums, &p, (int64_t)s->rank - 1));
    }
    return onnx_give(c, 0, onnx_product(c, x, y));
}

tn_value onnx_gemm(onnx_call *c)
{
    tn_value x = onnx_in(c, 0), y = onnx_in(c, 1);
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, y);
    const int64_t k_x = onnx_attr_int(c, "transA", 0) ? 0 : 1;
    const int64_t k_y = onnx_attr_int(c, "transB", 0) ? 1 : 0;
    if (!t || !u)
        return tn_no_value();
    if (t->rank != 2 || u->rank != 2) {
        (void)onnx_refuse(c, DIAG_RankMismatch, "it takes matrices");
        return tn_no_value();
    }
    onnx_integer_pair p;
    const bool is_integer = onnx_has_integers(c, 1 - k_y, t->dims[k_x], &p);
    if (is_integer) {
        x = p.left;
        y = p.right;
    }
    const double alpha = onnx_attr_float(c, "alpha", 1);
    const bool is_narrow = !is_integer && dtype_is_float(t->dtype) && t->dtype != TN_F64;
    const tn_dtype out = alpha != 1 && is_narrow ? TN_F32 : TN_DTYPE_DEFAULT; /* it may be large */
    tn_value z = tn_dot_general(c->b, x, y, (tn_ints){0}, (tn_ints){0}, TN_INTS(k_x), TN_INTS(k_y),
                                TN_DTYPE_DEFAULT, out);
    if (is_integer)
        z = onnx_scaled_sums(c, z, &p, 1);
    z = tn_cast(c->b, onnx_scaled(c, z, alpha), t->dtype);
    const double beta = onnx_attr_float(c, "beta", 1);
    const type *s = onnx_type_of(c, z);
    if (s && onnx_has_in(c, 2) && !onnx_spreads(c, onnx_in(c, 2), onnx_dims(s)))
        return tn_no_value();
    if (onnx_has_in(c, 2) && beta != 0)
        z = tn_add(c->b, z, onnx_scaled(c, onnx_in(c, 2), beta));
    return z;
}

bool onnx_op_gemm(onnx_call *c)
{
    return onnx_give(c, 0, onnx_gemm(c));
}
