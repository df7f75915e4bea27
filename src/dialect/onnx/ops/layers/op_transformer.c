/* Normalisation and activations of transformers: RMSNormalization, and what ONNX Runtime's
 * exporters and optimiser use (domain com.microsoft; one of them stands in the default domain,
 * too). */
#include "dialect/onnx/ops/op.h"

/* ---- normalisation ---- */

/* X / sqrt(mean(x^2) + epsilon) over AXES in the type D, computed in f32 at least; *INVERSE is what
 * X is multiplied by. */
static tn_value unit_rms(onnx_call *c, tn_value x, tn_ints axes, tn_dtype d, tn_value *inverse)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x);
    if (!t)
        return x;
    const tn_value wide = tn_cast(b, x, t->dtype == TN_F64 ? TN_F64 : TN_F32);
    const tn_value squares = tn_mean(b, tn_mul(b, wide, wide), axes, true);
    const tn_value moved = onnx_plus(c, squares, onnx_attr_float(c, "epsilon", (double)1e-5F));
    *inverse = tn_reciprocal(b, tn_sqrt(b, moved));
    return tn_cast(b, tn_mul(b, wide, *inverse), d);
}

/* The axes from `axis` on. */
static bool last_axes(onnx_call *c, const type *t, int64_t *axes, uint32_t *n)
{
    int64_t axis;
    if (!onnx_axis(c, onnx_attr_int(c, "axis", -1), t->rank, &axis))
        return false;
    *n = t->rank - (uint32_t)axis;
    for (uint32_t i = 0; i < *n; i++)
        axes[i] = axis + i;
    return true;
}

/* The result has the type of the scale. */
bool onnx_op_rms_normalization(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x), *u = onnx_in_type(c, 1);
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    tn_value inverse;
    if (!t || !u || !last_axes(c, t, axes, &n) || !onnx_spreads(c, onnx_in(c, 1), onnx_dims(t)))
        return false;
    const tn_value unit = unit_rms(c, x, (tn_ints){axes, n}, u->dtype, &inverse);
    return onnx_give(c, 0, tn_mul(c->b, unit, onnx_in(c, 1))) &&
           (!onnx_wants_out(c, 1) || onnx_give(c, 1, inverse));
}

/* Normalises the sum of inputs 0 and 1, and of the bias in input BIAS, which is result 3. */
static tn_value skipped(onnx_call *c, uint32_t bias)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    for (uint32_t k = 1; t && k < c->n_in; k++)
        if (onnx_has_in(c, k) && !onnx_spreads(c, onnx_in(c, k), onnx_dims(t)))
            return tn_no_value();
    tn_value sum = tn_add(c->b, x, onnx_in(c, 1));
    if (onnx_has_in(c, bias))
        sum = tn_add(c->b, sum, onnx_in(c, bias));
    (void)onnx_give(c, 3, sum);
    return sum;
}

/* The statistics, results 1 and 2, are for training. */
static bool no_statistics(onnx_call *c)
{
    const onnx_bytes *names = c->node->outputs.at;
    for (uint32_t i = 1; i < 3 && i < c->n_out; i++)
        if (names[i].n)
            return onnx_refuse(c, DIAG_NotImplemented, "its statistics are not computed");
    return true;
}

bool onnx_op_skip_rms_normalization(onnx_call *c)
{
    tn_value inverse;
    if (!no_statistics(c))
        return false;
    const tn_value x = skipped(c, 3);
    const type *t = onnx_type_of(c, x);
    if (!t)
        return false;
    const tn_value unit = unit_rms(c, x, TN_INTS(-1), t->dtype, &inverse);
    return onnx_give(c, 0, tn_mul(c->b, unit, onnx_in(c, 2)));
}

bool onnx_op_skip_layer_normalization(onnx_call *c)
{
    if (!no_statistics(c))
        return false;
    const tn_value x = skipped(c, 4), gamma = onnx_in(c, 2);
    if (!tn_is_value(x))
        return false;
    const tn_value beta = onnx_has_in(c, 3) ? onnx_in(c, 3) : tn_no_value();
    const double epsilon = onnx_attr_float(c, "epsilon", (double)1e-12F);
    return onnx_give(c, 0, tn_nn_layer_norm(c->b, x, gamma, beta, epsilon));
}

/* ---- activations ---- */

/* Input 0, and input 1 added where it is there. */
static tn_value with_bias(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    if (t && onnx_has_in(c, 1) && !onnx_spreads(c, onnx_in(c, 1), onnx_dims(t)))
        return tn_no_value();
    return onnx_has_in(c, 1) ? tn_add(c->b, x, onnx_in(c, 1)) : x;
}

bool onnx_op_bias_gelu(onnx_call *c)
{
    const tn_value x = with_bias(c);
    if (!tn_is_value(x))
        return false;
    return onnx_give(c, 0, c->op->arg ? tn_nn_gelu_tanh(c->b, x) : tn_nn_gelu(c->b, x));
}

bool onnx_op_quick_gelu(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const tn_value scaled = onnx_scaled(c, x, onnx_attr_float(c, "alpha", (double)1.702F));
    return onnx_give(c, 0, tn_mul(c->b, x, tn_sigmoid(c->b, scaled)));
}
