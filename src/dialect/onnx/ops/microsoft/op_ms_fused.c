/* Operators into which ONNX Runtime's optimiser joins several (domain com.microsoft), and those
 * that stand there under the name that they have in ONNX. */
#include <inttypes.h>

#include "dialect/onnx/ops/images/op_window.h"

/* ---- activations ---- */

/* Numbers of an activation, in their order. */
typedef struct numbers {
    double at[2];
} numbers;

/* X after the activation of this name; no value when it is refused. */
static tn_value activated(onnx_call *c, tn_value x, numbers n)
{
    static const char *const names[] = {"",          "Relu", "Tanh",       "Sigmoid",
                                        "LeakyRelu", "Clip", "HardSigmoid"};
    tn_builder *b = c->b;
    const tn_value none = tn_scalar_like(b, x, 0), one = tn_scalar_like(b, x, 1);
    uint32_t i = 0;
    while (i < sizeof names / sizeof names[0] && !onnx_attr_is(c, "activation", names[i], i == 0))
        i++;
    switch (i) {
    case 0:
        return x;
    case 1:
        return tn_relu(b, x);
    case 2:
        return tn_tanh(b, x);
    case 3:
        return tn_sigmoid(b, x);
    case 4:
        return tn_select(b, tn_compare(b, TN_GE, x, none), x, onnx_scaled(c, x, n.at[0]));
    case 5: {
        const tn_value low = tn_scalar_like(b, x, n.at[0]);
        return tn_clamp(b, x, low, tn_scalar_like(b, x, n.at[1]));
    }
    case 6:
        return tn_clamp(b, onnx_plus(c, onnx_scaled(c, x, n.at[0]), n.at[1]), none, one);
    default:
        (void)onnx_refuse(c, DIAG_InvalidAttribute, "this 'activation' is not read");
        return tn_no_value();
    }
}

static bool give_activated(onnx_call *c, tn_value x, numbers n)
{
    if (!tn_is_value(x))
        return false;
    const tn_value y = activated(c, x, n);
    return tn_is_value(y) && onnx_give(c, 0, y);
}

/* ---- Conv and Gemm ---- */

bool onnx_op_fused_conv(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    tn_value y = onnx_convolved(c, x, onnx_in(c, 1), TN_DTYPE_DEFAULT);
    const type *t = onnx_type_of(c, y);
    const onnx_attribute *a = onnx_attr(c, "activation_params");
    numbers n = {{0}};
    if (!t || !onnx_in_fits(c, 2, TN_INTS(t->dims[1])) || !onnx_in_fits(c, 3, onnx_dims(t)))
        return false;
    for (uint32_t i = 0; a && i < a->floats.n && i < 2; i++)
        n.at[i] = (double)((const float *)a->floats.at)[i];
    if (onnx_has_in(c, 2))
        y = tn_add(c->b, y, onnx_along(c, onnx_in(c, 2), 1, t->rank));
    if (onnx_has_in(c, 3))
        y = tn_add(c->b, y, onnx_in(c, 3));
    return give_activated(c, y, n);
}

bool onnx_op_fused_gemm(onnx_call *c)
{
    const numbers n = {
        {onnx_attr_float(c, "activation_alpha", 0), onnx_attr_float(c, "activation_beta", 0)}};
    return give_activated(c, onnx_gemm(c), n);
}

/* ---- MatMul ---- */

/* Input K, whose rows lie along the first axis where the attribute BATCHES says so; rows and
 * columns exchanged where ROWS does. */
static tn_value matrices(onnx_call *c, uint32_t k, const char *rows, const char *batches)
{
    const tn_value x = onnx_in(c, k);
    const type *t = onnx_type_of(c, x);
    int64_t perm[TN_MAX_RANK];
    if (!t || t->rank < 2)
        return x;
    for (uint32_t i = 0; i < t->rank; i++)
        perm[i] = i;
    if (onnx_attr_int(c, batches, 0)) {
        for (uint32_t i = 0; i + 2 < t->rank; i++)
            perm[i] = i + 1;
        perm[t->rank - 2] = 0;
    }
    if (onnx_attr_int(c, rows, 0)) {
        const int64_t last = perm[t->rank - 1];
        perm[t->rank - 1] = perm[t->rank - 2];
        perm[t->rank - 2] = last;
    }
    return tn_transpose(c->b, x, (tn_ints){perm, t->rank});
}

bool onnx_op_fused_matmul(onnx_call *c)
{
    const tn_value x = matrices(c, 0, "transA", "transBatchA");
    const tn_value y = matrices(c, 1, "transB", "transBatchB");
    const double alpha = onnx_attr_float(c, "alpha", 1);
    return onnx_give(c, 0, onnx_scaled(c, onnx_product(c, x, y), alpha));
}

/* ---- sums of several ---- */

/* Inputs 0 and 1 and a third, which is the skip; of BiasGelu's kind. */
bool onnx_op_bias_add(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0), sum = tn_add(c->b, x, onnx_in(c, 1));
    return onnx_give(c, 0, tn_add(c->b, sum, onnx_in(c, 2)));
}

/* Halves a and b of the sum along the last axis, a * gelu(b). */
bool onnx_op_bias_split_gelu(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0), sum = tn_add(c->b, x, onnx_in(c, 1));
    const type *t = onnx_type_of(c, sum);
    const int64_t axis = t && t->rank > 0 ? (int64_t)t->rank - 1 : 0;
    if (!t)
        return false;
    if (t->rank == 0 || dim_is_symbolic(t->dims[axis]) || t->dims[axis] % 2)
        return onnx_refuse(c, DIAG_DimensionMismatch, "the last axis has no halves");
    const int64_t half = t->dims[axis] / 2;
    const tn_value a = tn_slice_axis(c->b, sum, axis, 0, half);
    const tn_value b = tn_slice_axis(c->b, sum, axis, half, half);
    return onnx_give(c, 0, tn_mul(c->b, a, tn_nn_gelu(c->b, b)));
}

/* ---- under the names of ONNX ---- */

/* As the operator of ONNX of the version that the row's argument says. */
static bool as_version(onnx_call *c, onnx_lower_fn *lower)
{
    c->version = c->op->arg;
    return lower(c);
}

bool onnx_op_ms_quantize_linear(onnx_call *c)
{
    return as_version(c, onnx_op_quantize_linear);
}

bool onnx_op_ms_dequantize_linear(onnx_call *c)
{
    return as_version(c, onnx_op_dequantize_linear);
}

bool onnx_op_ms_grid_sample(onnx_call *c)
{
    return as_version(c, onnx_op_grid_sample);
}

bool onnx_op_ms_pad(onnx_call *c)
{
    return as_version(c, onnx_op_pad);
}

bool onnx_op_ms_range(onnx_call *c)
{
    return as_version(c, onnx_op_range);
}
