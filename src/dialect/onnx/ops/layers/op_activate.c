/* Activations. */
#include <math.h>

#include "dialect/onnx/ops/op.h"

static tn_value zero_like(onnx_call *c, tn_value x)
{
    return tn_scalar_like(c->b, x, 0);
}

static tn_value is_below(onnx_call *c, tn_value x, double limit)
{
    return tn_compare(c->b, TN_LT, x, tn_scalar_like(c->b, x, limit));
}

/* X, but where it is below zero NEGATIVE. */
static bool give_by_sign(onnx_call *c, tn_value x, tn_value negative)
{
    return onnx_give(c, 0, tn_select(c->b, is_below(c, x, 0), negative, x));
}

bool onnx_op_leaky_relu(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    return give_by_sign(c, x, onnx_scaled(c, x, onnx_attr_float(c, "alpha", (double)0.01F)));
}

/* Before version 7 a slope of rank 1 belonged to the channels. */
bool onnx_op_prelu(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    tn_value slope = onnx_in(c, 1);
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, slope);
    if (t && u && t->rank > 2 && u->rank == 1 && (c->version < 7 || u->dims[0] == t->dims[1]) &&
        u->dims[0] != 1 && (c->version < 7 || t->dims[t->rank - 1] != u->dims[0])) {
        int64_t dims[TN_MAX_RANK] = {u->dims[0]};
        for (uint32_t i = 1; i + 1 < t->rank; i++)
            dims[i] = 1;
        slope = tn_reshape(c->b, slope, (tn_ints){dims, t->rank - 1});
    }
    if (t && u && !onnx_spreads(c, slope, onnx_dims(t)))
        return false;
    return give_by_sign(c, x, tn_mul(c->b, x, slope));
}

/* X where it is below zero, else zero: what is not taken of a large x must be a number, as 0 times
 * its slope is added. */
static tn_value below_zero(onnx_call *c, tn_value x)
{
    return tn_minimum(c->b, x, zero_like(c, x));
}

tn_value onnx_elu(onnx_call *c, tn_value x, double alpha)
{
    const tn_value negative = onnx_scaled(c, tn_expm1(c->b, below_zero(c, x)), alpha);
    return tn_select(c->b, is_below(c, x, 0), negative, x);
}

bool onnx_op_elu(onnx_call *c)
{
    return onnx_give(c, 0, onnx_elu(c, onnx_in(c, 0), onnx_attr_float(c, "alpha", 1)));
}

bool onnx_op_selu(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const bool old = c->version < 6; /* whose numbers are shorter */
    const double alpha =
        onnx_attr_float(c, "alpha", old ? (double)1.6732F : 1.67326319217681884765625);
    const double gamma =
        onnx_attr_float(c, "gamma", old ? (double)1.0507F : 1.05070102214813232421875);
    return onnx_give(c, 0, onnx_scaled(c, onnx_elu(c, x, alpha), gamma));
}

bool onnx_op_celu(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const double alpha = onnx_attr_float(c, "alpha", 1);
    const tn_value scaled = tn_div(c->b, below_zero(c, x), tn_scalar_like(c->b, x, alpha));
    return give_by_sign(c, x, onnx_scaled(c, tn_expm1(c->b, scaled), alpha));
}

/* log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)), where |x| has the slope of the left side at 0, as
 * max(x, 0) has: together they have a half. */
tn_value onnx_softplus(onnx_call *c, tn_value x)
{
    const tn_value is_above = tn_compare(c->b, TN_GT, x, zero_like(c, x));
    const tn_value size = tn_select(c->b, is_above, x, tn_neg(c->b, x));
    const tn_value small = tn_exp(c->b, tn_neg(c->b, size));
    const tn_value above = tn_relu(c->b, x);
    return tn_add(c->b, above, tn_log1p(c->b, small));
}

bool onnx_op_softplus(onnx_call *c)
{
    return onnx_give(c, 0, onnx_softplus(c, onnx_in(c, 0)));
}

/* alpha * log(1 + exp(beta * x)) */
bool onnx_op_parametric_softplus(onnx_call *c)
{
    const tn_value x = onnx_scaled(c, onnx_in(c, 0), onnx_attr_float(c, "beta", 1));
    return onnx_give(c, 0, onnx_scaled(c, onnx_softplus(c, x), onnx_attr_float(c, "alpha", 1)));
}

bool onnx_op_softsign(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    return onnx_give(c, 0, tn_div(c->b, x, onnx_plus(c, tn_abs(c->b, x), 1)));
}

bool onnx_op_mish(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    return onnx_give(c, 0, tn_mul(c->b, x, tn_tanh(c->b, onnx_softplus(c, x))));
}

bool onnx_op_swish(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const tn_value gate = onnx_scaled(c, x, onnx_attr_float(c, "alpha", 1));
    return onnx_give(c, 0, tn_mul(c->b, x, tn_sigmoid(c->b, gate)));
}

static tn_value hard_sigmoid(onnx_call *c, tn_value x, double alpha, double beta)
{
    return onnx_limited(c, onnx_plus(c, onnx_scaled(c, x, alpha), beta), 0, 1);
}

bool onnx_op_hard_sigmoid(onnx_call *c)
{
    return onnx_give(c, 0,
                     hard_sigmoid(c, onnx_in(c, 0), onnx_attr_float(c, "alpha", (double)0.2F),
                                  onnx_attr_float(c, "beta", 0.5)));
}

bool onnx_op_hard_swish(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    return onnx_give(c, 0, tn_mul(c->b, x, hard_sigmoid(c, x, 1.0 / 6, 0.5)));
}

bool onnx_op_thresholded_relu(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const tn_value limit = tn_scalar_like(c->b, x, onnx_attr_float(c, "alpha", 1));
    const tn_value above = tn_compare(c->b, TN_GT, x, limit);
    return onnx_give(c, 0, tn_select(c->b, above, x, zero_like(c, x)));
}

/* Bounds and bias are floats: integers are computed as such, and cut off. */
bool onnx_op_shrink(onnx_call *c)
{
    const tn_value given = onnx_in(c, 0);
    const type *t = onnx_type_of(c, given);
    if (!t)
        return false;
    const tn_value x = dtype_is_float(t->dtype) ? given : tn_cast(c->b, given, TN_F64);
    const double lambda = onnx_attr_float(c, "lambd", 0.5), bias = onnx_attr_float(c, "bias", 0);
    const tn_value below = is_below(c, x, -lambda);
    const tn_value above = tn_compare(c->b, TN_GT, x, tn_scalar_like(c->b, x, lambda));
    const tn_value zero = zero_like(c, x);
    const tn_value high = tn_select(c->b, above, onnx_plus(c, x, -bias), zero);
    const tn_value y = tn_select(c->b, below, onnx_plus(c, x, bias), high);
    return onnx_give(c, 0, tn_cast(c->b, y, t->dtype));
}

bool onnx_op_gelu(onnx_call *c)
{
    static const char *const ways[] = {"none", "tanh"};
    const tn_value x = onnx_in(c, 0);
    int way = 0;
    return onnx_choose(c, "approximate", ways, 2, 0, &way) &&
           onnx_give(c, 0, way ? tn_nn_gelu_tanh(c->b, x) : tn_nn_gelu(c->b, x));
}

/* Input K, a bound for a tensor of rank RANK; one element is that of all, whatever its rank. */
static tn_value bound_in(onnx_call *c, uint32_t k, uint32_t rank)
{
    const tn_value v = onnx_in(c, k);
    const type *t = onnx_type_of(c, v);
    bool is_one = t && t->rank > rank;
    for (uint32_t i = 0; is_one && i < t->rank; i++)
        is_one = t->dims[i] == 1;
    return is_one ? tn_reshape(c->b, v, (tn_ints){0}) : v;
}

/* The bounds are attributes before version 11, then inputs, which may be data. */
bool onnx_op_clip(onnx_call *c)
{
    tn_value x = onnx_in(c, 0);
    if (c->version < 11) {
        const onnx_attribute *low = onnx_attr_of(c, "min", ONNX_FLOAT),
                             *high = onnx_attr_of(c, "max", ONNX_FLOAT);
        if (low && high)
            return onnx_give(c, 0, onnx_limited(c, x, (double)low->f, (double)high->f));
        if (low)
            x = tn_maximum(c->b, x, tn_scalar_like(c->b, x, (double)low->f));
        if (high)
            x = tn_minimum(c->b, x, tn_scalar_like(c->b, x, (double)high->f));
        return onnx_give(c, 0, x);
    }
    const type *t = onnx_type_of(c, x);
    if (!t)
        return false;
    const tn_value low = bound_in(c, 1, t->rank), high = bound_in(c, 2, t->rank);
    if ((onnx_has_in(c, 1) && !onnx_spreads(c, low, onnx_dims(t))) ||
        (onnx_has_in(c, 2) && !onnx_spreads(c, high, onnx_dims(t))))
        return false;
    if (onnx_has_in(c, 1) && onnx_has_in(c, 2))
        return onnx_give(c, 0, tn_clamp(c->b, x, low, high));
    if (onnx_has_in(c, 1))
        x = tn_maximum(c->b, x, low);
    if (onnx_has_in(c, 2))
        x = tn_minimum(c->b, x, high);
    return onnx_give(c, 0, x);
}

/* ---- softmax and its likes ---- */

/* 1 at the first largest element along AXIS, 0 elsewhere. */
static tn_value hardmax(onnx_call *c, tn_value x, int64_t axis)
{
    const type *t = onnx_type_of(c, x);
    if (!t || t->dims[axis] == 0) /* no element, and none is the largest */
        return x;
    const tn_value best = tn_arg_max(c->b, x, axis, true, TN_SI64);
    const tn_value here = tn_iota(c->b, TN_SI64, onnx_dims(t), axis);
    return tn_cast(c->b, tn_compare(c->b, TN_EQ, here, best), t->dtype);
}

static tn_value softmax_of(onnx_call *c, tn_value x, int64_t axis)
{
    switch ((onnx_softmax_kind)c->op->arg) {
    case ONNX_SOFTMAX:
        return tn_nn_softmax(c->b, x, axis);
    case ONNX_LOG_SOFTMAX:
        return tn_nn_log_softmax(c->b, x, axis);
    case ONNX_HARDMAX:
        return hardmax(c, x, axis);
    }
    return x;
}

bool onnx_op_softmax(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axis;
    return t && onnx_axis(c, onnx_attr_int(c, "axis", -1), t->rank, &axis) &&
           onnx_give(c, 0, softmax_of(c, x, axis));
}

/* Before version 13: over all axes from `axis` on, as one. */
bool onnx_op_softmax_flat(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axis, dims[TN_MAX_RANK + 1];
    if (!t || !onnx_axis(c, onnx_attr_int(c, "axis", 1), t->rank, &axis))
        return false;
    if (axis + 1 == (int64_t)t->rank)
        return onnx_give(c, 0, softmax_of(c, x, axis));
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[axis] = 1;
    for (uint32_t i = (uint32_t)axis; i < t->rank; i++)
        dims[axis] = tn_dim_mul(c->b, dims[axis], t->dims[i]);
    const tn_value flat = tn_reshape(c->b, x, (tn_ints){dims, (size_t)axis + 1});
    return onnx_give(c, 0, tn_reshape(c->b, softmax_of(c, flat, axis), onnx_dims(t)));
}
