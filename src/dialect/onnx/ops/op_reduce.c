/* Reductions. */
#include "dialect/onnx/ops/op.h"

/* The axes, which became an input in version 13 (ReduceSum) and 18 (all others). Where there are
 * none, all are meant, unless an attribute says that nothing is to be reduced. */
static bool reduced_axes(onnx_call *c, uint32_t rank, int64_t *axes, uint32_t *n)
{
    bool given;
    if (!onnx_ints_of(c, "axes", 1, TN_MAX_RANK, axes, n, &given) || !onnx_axes(c, axes, *n, rank))
        return false;
    if (*n == 0 && onnx_attr_int(c, "noop_with_empty_axes", 0))
        return true;
    for (uint32_t i = 0; *n == 0 && i < rank; i++)
        axes[i] = (int64_t)i;
    *n = *n ? *n : rank;
    return true;
}

/* Over no axes X itself: what is computed of elements and of sums remains. */
static tn_value reduced(onnx_call *c, tn_reduction how, tn_value x, tn_ints axes, bool keep)
{
    const type *t = onnx_type_of(c, x);
    if (!t)
        return x;
    if (axes.n == 0)
        return x;
    return tn_cast(c->b,
                   tn_reduce(c->b, how, x, axes, keep, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT, NULL),
                   t->dtype);
}

/* log(sum(exp(x - m))) + m; where m is infinite, that is not taken away. */
static tn_value log_sum_exp(onnx_call *c, tn_value x, tn_ints axes, bool keep)
{
    tn_builder *b = c->b;
    const tn_value top = reduced(c, TN_REDUCE_MAX, x, axes, true);
    const tn_value is_finite = tn_is_finite(b, top);
    const tn_value m = tn_select(b, is_finite, top, tn_scalar_like(b, top, 0));
    const tn_value sum = reduced(c, TN_REDUCE_SUM, tn_exp(b, tn_sub(b, x, m)), axes, true);
    const tn_value y = tn_add(b, tn_log(b, sum), m);
    return keep || axes.n == 0 ? y : tn_squeeze(b, y, axes);
}

tn_value onnx_root_of_powers(onnx_call *c, tn_value sum, double p)
{
    tn_builder *b = c->b;
    const tn_value zero = tn_scalar_like(b, sum, 0), one = tn_scalar_like(b, sum, 1);
    const tn_value is_zero = tn_compare(b, TN_EQ, sum, zero);
    const tn_value some = tn_select(b, is_zero, one, sum);
    const tn_value root =
        p == 2 ? tn_sqrt(b, some) : tn_pow(b, some, tn_scalar_like(b, some, 1 / p));
    return tn_select(b, is_zero, zero, root);
}

static tn_value reduce_of(onnx_call *c, tn_value x, tn_ints axes, bool keep)
{
    tn_builder *b = c->b;
    switch ((onnx_reduce_kind)c->op->arg) {
    case ONNX_REDUCE_SUM:
        return reduced(c, TN_REDUCE_SUM, x, axes, keep);
    case ONNX_REDUCE_MEAN:
        return reduced(c, TN_REDUCE_MEAN, x, axes, keep);
    case ONNX_REDUCE_MAX:
        return reduced(c, TN_REDUCE_MAX, x, axes, keep);
    case ONNX_REDUCE_MIN:
        return reduced(c, TN_REDUCE_MIN, x, axes, keep);
    case ONNX_REDUCE_PROD:
        return reduced(c, TN_REDUCE_PROD, x, axes, keep);
    case ONNX_REDUCE_L1:
        return reduced(c, TN_REDUCE_SUM, tn_abs(b, x), axes, keep);
    case ONNX_REDUCE_L2:
        return onnx_root_of_squares(c, reduced(c, TN_REDUCE_SUM, tn_mul(b, x, x), axes, keep));
    case ONNX_REDUCE_LOG_SUM:
        return tn_log(b, reduced(c, TN_REDUCE_SUM, x, axes, keep));
    case ONNX_REDUCE_LOG_SUM_EXP:
        return log_sum_exp(c, x, axes, keep);
    case ONNX_REDUCE_SUM_SQUARE:
        return reduced(c, TN_REDUCE_SUM, tn_mul(b, x, x), axes, keep);
    }
    return x;
}

/* Roots and logarithms of integers are computed in f64, and cut off; those of narrow floats in f32,
 * which holds what they are of. */
static tn_value of_wide(onnx_call *c, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    const onnx_reduce_kind kind = (onnx_reduce_kind)c->op->arg;
    if (!t || (kind != ONNX_REDUCE_L2 && kind != ONNX_REDUCE_LOG_SUM &&
               kind != ONNX_REDUCE_LOG_SUM_EXP && kind != ONNX_REDUCE_SUM_SQUARE))
        return x;
    if (dtype_is_int(t->dtype))
        return kind == ONNX_REDUCE_SUM_SQUARE ? x : tn_cast(c->b, x, TN_F64);
    return onnx_widened(c, x);
}

bool onnx_op_reduce(onnx_call *c)
{
    const tn_value given = onnx_in(c, 0);
    const type *t = onnx_type_of(c, given);
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    if (!t || !reduced_axes(c, t->rank, axes, &n))
        return false;
    const bool keep = onnx_attr_int(c, "keepdims", 1);
    const tn_value y = reduce_of(c, of_wide(c, given), (tn_ints){axes, n}, keep);
    return onnx_give(c, 0, onnx_as_like(c, y, given));
}

/* The least element is the largest of what has the opposite order. */
static tn_value opposite(onnx_call *c, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    return t && dtype_is_float(t->dtype) ? tn_neg(c->b, x) : tn_not(c->b, x);
}

bool onnx_op_arg_max(onnx_call *c)
{
    tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axis;
    if (!t || !onnx_axis(c, onnx_attr_int(c, "axis", 0), t->rank, &axis))
        return false;
    const bool keep = onnx_attr_int(c, "keepdims", 1);
    const bool last = onnx_attr_int(c, "select_last_index", 0);
    if (!c->op->arg)
        x = opposite(c, x);
    if (!last)
        return onnx_give(c, 0, tn_arg_max(c->b, x, axis, keep, TN_SI64));
    x = tn_arg_max(c->b, tn_reverse(c->b, x, TN_INTS(axis)), axis, keep, TN_SI64);
    const dim end = onnx_dim_plus(c, t->dims[axis], -1);
    return onnx_give(c, 0, tn_sub(c->b, known_size_data(c->b, TN_SI64, end), x));
}
