/* Composed forms: activations, distributions, normalisation, linear layers. */
#include "forms/forms.h"

#include <inttypes.h>

/* ---- shared --------------------------------------------------------------------------------- */

bool form_options(tn_builder *b, const char *form, void *to, size_t n, const void *from,
                  size_t first)
{
    const tn_status s = options_read(&b->m->cx->diag, to, n, from, first);
    if (s != TN_OK)
        builder_failed(b, form, s);
    return s == TN_OK;
}

const type *form_operand(tn_builder *b, const char *form, tn_value x)
{
    value_id id;
    const type *t;
    return builder_operand(b, form, x, &id, &t) ? t : NULL;
}

tn_value form_wide(tn_builder *b, const char *form, tn_value x)
{
    const type *t = form_operand(b, form, x);
    if (t && !dtype_is_float(t->dtype)) {
        builder_fail(b, DIAG_DTypeNotSupported, form, "'%s' takes floats, not %s", form,
                     dtype_name(t->dtype));
        t = NULL;
    }
    return t ? tn_cast(b, x, dtype_compute(t->dtype)) : tn_no_value();
}

/* Y in the element type of X. */
static tn_value as(tn_builder *b, tn_value y, tn_value x)
{
    const type *t = builder_type(b, x);
    return t ? tn_cast(b, y, t->dtype) : tn_no_value();
}

tn_value form_scaled(tn_builder *b, tn_value x, double c)
{
    return is_building(b) ? tn_mul(b, x, tn_scalar_like(b, x, c)) : tn_no_value();
}

tn_value form_plus(tn_builder *b, tn_value x, double c)
{
    return is_building(b) ? tn_add(b, x, tn_scalar_like(b, x, c)) : tn_no_value();
}

tn_value form_mean(tn_builder *b, tn_value x, tn_ints axes, bool keepdims)
{
    tn_value total = tn_sum(b, x, axes, keepdims);
    const type *in = builder_type(b, x);
    if (!in || !tn_is_value(total))
        return tn_no_value();
    bool known = true;
    double n = 1;
    for (size_t i = 0; i < axes.n; i++) { /* the sum accepted them */
        int64_t axis = axes.at[i] < 0 ? axes.at[i] + (int64_t)in->rank : axes.at[i];
        known = known && !dim_is_symbolic(in->dims[axis]);
        n *= (double)in->dims[axis];
    }
    if (known)
        return tn_div(b, total, tn_scalar_like(b, x, n));
    tn_value ones = tn_splat(b, in->dtype, (tn_ints){in->dims, in->rank}, 1);
    return tn_div(b, total, tn_sum(b, ones, axes, keepdims));
}

/* ---- activations ---------------------------------------------------------------------------- */

/* FACTOR / (1 + exp(-x)), by exp(SIZE) with SIZE = -|x|, which is never too large: the slope of an
 * exp(-x) that is infinite is no number. */
static tn_value gate(tn_builder *b, tn_value factor, tn_value x, tn_value size)
{
    if (!is_building(b))
        return tn_no_value();
    const tn_value is_below = tn_compare(b, TN_LT, x, tn_scalar_like(b, x, 0));
    const tn_value power = tn_exp(b, size), below = tn_mul(b, factor, power);
    const tn_value over = tn_select(b, is_below, below, factor);
    return tn_div(b, over, form_plus(b, power, 1));
}

/* The size has the slope of -x at 0. */
tn_value tn_nn_sigmoid(tn_builder *b, tn_value x)
{
    tn_value wide = form_wide(b, "sigmoid", x);
    const tn_value size = tn_minimum(b, tn_neg(b, wide), wide);
    const tn_value one = is_building(b) ? tn_scalar_like(b, wide, 1) : tn_no_value();
    return as(b, gate(b, one, wide, size), x);
}

/* At 0 the slope of the size does not count. */
tn_value tn_nn_silu(tn_builder *b, tn_value x)
{
    tn_value wide = form_wide(b, "silu", x);
    const tn_value size = tn_neg(b, tn_abs(b, wide));
    return as(b, gate(b, wide, wide, size), x);
}

/* x / 2 * (1 + y). */
static tn_value gated(tn_builder *b, tn_value x, tn_value y)
{
    const tn_value half = form_scaled(b, x, 0.5);
    return tn_mul(b, half, form_plus(b, y, 1));
}

tn_value tn_nn_gelu(tn_builder *b, tn_value x)
{
    const double sqrt_half = 0.70710678118654752440;
    tn_value wide = form_wide(b, "gelu", x);
    return as(b, gated(b, wide, tn_erf(b, form_scaled(b, wide, sqrt_half))), x);
}

tn_value tn_nn_gelu_tanh(tn_builder *b, tn_value x)
{
    const double sqrt_2_over_pi = 0.79788456080286535588;
    tn_value wide = form_wide(b, "gelu_tanh", x);
    tn_value cube = tn_mul(b, tn_mul(b, wide, wide), wide);
    tn_value inner = tn_add(b, wide, form_scaled(b, cube, 0.044715));
    return as(b, gated(b, wide, tn_tanh(b, form_scaled(b, inner, sqrt_2_over_pi))), x);
}

/* ---- distributions -------------------------------------------------------------------------- */

/* The reduction as the contract of PTIR writes it, with its element types. */
static tn_value reduced(tn_builder *b, tn_reduction how, tn_value x, int64_t axis)
{
    const type *t = builder_type(b, x);
    return t ? tn_reduce(b, how, x, (tn_ints){&axis, 1}, true, t->dtype, t->dtype, NULL)
             : tn_no_value();
}

/* x - max(x) along AXIS. */
static tn_value shifted(tn_builder *b, tn_value x, int64_t axis)
{
    return tn_sub(b, x, reduced(b, TN_REDUCE_MAX, x, axis));
}

tn_value tn_nn_softmax(tn_builder *b, tn_value x, int64_t axis)
{
    tn_value e = tn_exp(b, shifted(b, form_wide(b, "softmax", x), axis));
    return as(b, tn_div(b, e, reduced(b, TN_REDUCE_SUM, e, axis)), x);
}

static tn_value log_softmax(tn_builder *b, tn_value wide, int64_t axis)
{
    tn_value d = shifted(b, wide, axis);
    return tn_sub(b, d, tn_log(b, reduced(b, TN_REDUCE_SUM, tn_exp(b, d), axis)));
}

tn_value tn_nn_log_softmax(tn_builder *b, tn_value x, int64_t axis)
{
    return as(b, log_softmax(b, form_wide(b, "log_softmax", x), axis), x);
}

tn_value tn_nn_cross_entropy(tn_builder *b, tn_value logits, tn_value targets)
{
    int64_t column[TN_MAX_RANK];
    const type *t = form_operand(b, "cross_entropy", logits);
    const type *i = form_operand(b, "cross_entropy", targets);
    if (!t || !i)
        return tn_no_value();
    if (t->rank != i->rank + 1) {
        builder_fail(b, DIAG_RankMismatch, "cross_entropy",
                     "logits of rank %" PRIu32 " need targets of one rank less, not %" PRIu32,
                     t->rank, i->rank);
        return tn_no_value();
    }
    memcpy(column, i->dims, i->rank * sizeof *column);
    column[i->rank] = 1;
    tn_value log_p = log_softmax(b, form_wide(b, "cross_entropy", logits), -1);
    tn_value chosen = tn_gather(b, log_p, tn_reshape(b, targets, (tn_ints){column, t->rank}), -1);
    int64_t all[TN_MAX_RANK];
    for (uint32_t k = 0; k < t->rank; k++)
        all[k] = k;
    return tn_neg(b, form_mean(b, chosen, (tn_ints){all, t->rank}, false));
}

/* ---- normalisation -------------------------------------------------------------------------- */

/* Y * gamma, which has the element type of X and may be absent. */
static tn_value scaled_by(tn_builder *b, const char *form, tn_value y, tn_value gamma)
{
    return tn_is_value(gamma) ? tn_mul(b, y, form_wide(b, form, gamma)) : y;
}

/* D / sqrt(mean(d^2) + epsilon) along the last axis. */
static tn_value unit_variance(tn_builder *b, tn_value d, double epsilon)
{
    tn_value variance = form_mean(b, tn_mul(b, d, d), TN_INTS(-1), true);
    return tn_mul(b, d, tn_rsqrt(b, form_plus(b, variance, epsilon)));
}

tn_value tn_nn_layer_norm(tn_builder *b, tn_value x, tn_value gamma, tn_value beta, double epsilon)
{
    tn_value wide = form_wide(b, "layer_norm", x);
    tn_value d = tn_sub(b, wide, form_mean(b, wide, TN_INTS(-1), true));
    tn_value y = scaled_by(b, "layer_norm", unit_variance(b, d, epsilon), gamma);
    if (tn_is_value(beta))
        y = tn_add(b, y, form_wide(b, "layer_norm", beta));
    return as(b, y, x);
}

tn_value tn_nn_rms_norm(tn_builder *b, tn_value x, tn_value gamma, double epsilon)
{
    tn_value wide = form_wide(b, "rms_norm", x);
    return as(b, scaled_by(b, "rms_norm", unit_variance(b, wide, epsilon), gamma), x);
}

/* ---- layers --------------------------------------------------------------------------------- */

tn_value tn_nn_linear(tn_builder *b, tn_value x, tn_value w, tn_value bias, tn_weights layout)
{
    const type *t = form_operand(b, "linear", w);
    if (!t)
        return tn_no_value();
    if (t->rank != 2) {
        builder_fail(b, DIAG_RankMismatch, "linear", "weights of rank %" PRIu32 ", not 2", t->rank);
        return tn_no_value();
    }
    tn_value y = tn_dot_general(b, x, w, TN_INTS(), TN_INTS(), TN_INTS(-1),
                                TN_INTS(layout == TN_WEIGHTS_OUT_IN ? 1 : 0), TN_DTYPE_DEFAULT,
                                TN_DTYPE_DEFAULT);
    return tn_is_value(bias) ? tn_add(b, y, bias) : y;
}

tn_value tn_nn_embedding(tn_builder *b, tn_value table, tn_value ids)
{
    return tn_take(b, table, ids);
}
