/* Operators of transformers: those of opset 23, and those that ONNX Runtime's exporters and
 * optimiser use (domain com.microsoft; one of them stands in the default domain, too). */
#include <inttypes.h>
#include <math.h>

#include "dialect/onnx/ops/op.h"

/* ---- normalisation ---- */

/* X / sqrt(mean(x^2) + epsilon) over AXES, computed in f32 at least; *INVERSE is what X is
 * multiplied by. */
static tn_value unit_rms(onnx_call *c, tn_value x, tn_ints axes, tn_value *inverse)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x);
    if (!t)
        return x;
    const tn_value wide = tn_cast(b, x, t->dtype == TN_F64 ? TN_F64 : TN_F32);
    const tn_value squares = tn_mean(b, tn_mul(b, wide, wide), axes, true);
    const tn_value moved = onnx_plus(c, squares, onnx_attr_float(c, "epsilon", (double)1e-5F));
    *inverse = tn_reciprocal(b, tn_sqrt(b, moved));
    return tn_cast(b, tn_mul(b, wide, *inverse), t->dtype);
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

bool onnx_op_rms_normalization(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    tn_value inverse;
    if (!t || !last_axes(c, t, axes, &n) || !onnx_spreads(c, onnx_in(c, 1), onnx_dims(t)))
        return false;
    const tn_value unit = unit_rms(c, x, (tn_ints){axes, n}, &inverse);
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
    if (!tn_is_value(x))
        return false;
    const tn_value unit = unit_rms(c, x, TN_INTS(-1), &inverse);
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

/* ---- activations and products ---- */

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

static tn_value matrices(onnx_call *c, uint32_t k, const char *transposed)
{
    const tn_value x = onnx_in(c, k);
    const type *t = onnx_type_of(c, x);
    int64_t perm[TN_MAX_RANK];
    if (!t || t->rank < 2 || !onnx_attr_int(c, transposed, 0))
        return x;
    for (uint32_t i = 0; i < t->rank; i++)
        perm[i] = i + 2 < t->rank ? i : 2 * (int64_t)t->rank - 3 - i;
    return tn_transpose(c->b, x, (tn_ints){perm, t->rank});
}

bool onnx_op_fused_matmul(onnx_call *c)
{
    if (onnx_attr_int(c, "transBatchA", 0) || onnx_attr_int(c, "transBatchB", 0))
        return onnx_refuse(c, DIAG_NotImplemented, "transposed batches are not read");
    const tn_value x = matrices(c, 0, "transA"), y = matrices(c, 1, "transB");
    return onnx_give(c, 0, onnx_scaled(c, tn_matmul(c->b, x, y), onnx_attr_float(c, "alpha", 1)));
}

/* ---- attention ---- */

/* X[batch, length, heads * width] as [batch, heads, length, width]; X itself with rank 4. */
static tn_value in_heads(onnx_call *c, tn_value x, const char *attribute)
{
    const type *t = onnx_type_of(c, x);
    const int64_t heads = onnx_attr_int(c, attribute, 0);
    if (!t || t->rank == 4)
        return x;
    if (t->rank != 3 || heads < 1 || dim_is_symbolic(t->dims[2]) || t->dims[2] % heads) {
        (void)onnx_refuse(c, DIAG_InvalidAttribute, "'%s' does not divide the width", attribute);
        return tn_no_value();
    }
    const tn_value parts =
        tn_reshape(c->b, x, TN_INTS(t->dims[0], t->dims[1], heads, t->dims[2] / heads));
    return tn_transpose(c->b, parts, TN_INTS(0, 2, 1, 3));
}

/* The mask to add to the scores: truth values become 0 and -inf. */
static tn_value added_mask(onnx_call *c, tn_dtype dtype)
{
    const tn_value mask = onnx_in(c, 3);
    const type *t = onnx_type_of(c, mask);
    if (!t || t->dtype != TN_I1)
        return mask;
    const tn_value zero = tn_scalar(c->b, dtype, 0),
                   none = tn_scalar(c->b, dtype, -(double)INFINITY);
    return tn_select(c->b, mask, zero, none);
}

/* The keys or values so far, input PAST, in front of the new ones, which result OUT shows. */
static tn_value with_past(onnx_call *c, tn_value fresh, uint32_t past, uint32_t out)
{
    tn_value all = fresh;
    if (onnx_has_in(c, past)) {
        const tn_value old = onnx_in(c, past);
        all = tn_concat(c->b, TN_VALUES(old, fresh), 2);
    }
    (void)onnx_give(c, out, all);
    return all;
}

bool onnx_op_attention(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0), *past = onnx_in_type(c, 4);
    if (!t)
        return false;
    if (onnx_attr_float(c, "softcap", 0) != 0 || onnx_wants_out(c, 3))
        return onnx_refuse(c, DIAG_NotImplemented,
                           "'softcap' and the scores as a result are not read");
    const tn_value q = in_heads(c, onnx_in(c, 0), "q_num_heads");
    tn_value k = in_heads(c, onnx_in(c, 1), "kv_num_heads");
    tn_value v = in_heads(c, onnx_in(c, 2), "kv_num_heads");
    if (!tn_is_value(q) || !tn_is_value(k) || !tn_is_value(v))
        return false;
    k = with_past(c, k, 4, 1);
    v = with_past(c, v, 5, 2);
    tn_attention how = {.size = sizeof how,
                        .scale = onnx_attr_float(c, "scale", 0),
                        .causal = onnx_attr_int(c, "is_causal", 0)};
    if (onnx_has_in(c, 3))
        how.mask = added_mask(c, t->dtype);
    if (how.causal) /* query 0 stands behind what is past */
        how.first = known_size_data(c->b, TN_SI64, past && past->rank == 4 ? past->dims[2] : 0);
    tn_value y = tn_nn_attention(b, q, k, v, &how);
    const type *u = onnx_type_of(c, y);
    if (!u)
        return false;
    if (t->rank == 3) {
        const dim width = tn_dim_mul(b, u->dims[1], u->dims[3]);
        y = tn_transpose(b, y, TN_INTS(0, 2, 1, 3));
        y = tn_reshape(b, y, TN_INTS(u->dims[0], u->dims[2], width));
    }
    return onnx_give(c, 0, y);
}

/* Rows of the cosines or sines in input K, for each head: [batch, 1, length, pairs]. */
static tn_value angles(onnx_call *c, uint32_t k)
{
    tn_value v = onnx_in(c, k);
    if (onnx_has_in(c, 3))
        v = tn_take(c->b, v, onnx_in(c, 3));
    return tn_expand_dims(c->b, v, TN_INTS(1));
}

bool onnx_op_rotary_embedding(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0);
    if (!t)
        return false;
    const tn_value x = in_heads(c, onnx_in(c, 0), "num_heads");
    const type *u = onnx_type_of(c, x);
    if (!u)
        return false;
    const int64_t width = u->dims[3], given = onnx_attr_int(c, "rotary_embedding_dim", 0);
    const int64_t turned = given ? given : width;
    if (dim_is_symbolic(width) || turned < 0 || turned > width || turned % 2)
        return onnx_refuse(c, DIAG_InvalidAttribute, "%" PRId64 " elements of a row cannot turn",
                           turned);
    const tn_value part = tn_slice_axis(b, x, 3, 0, turned);
    tn_rotary by = {.cos = angles(c, 1)};
    by.sin = angles(c, 2);
    const bool neighbours = onnx_attr_int(c, "interleaved", 0);
    tn_value y = tn_nn_rotary(b, part, by, neighbours ? TN_ROTARY_NEIGHBOURS : TN_ROTARY_HALVES);
    if (turned < width) {
        const tn_value rest = tn_slice_axis(b, x, 3, turned, width - turned);
        y = tn_concat(b, TN_VALUES(y, rest), 3);
    }
    if (t->rank == 3)
        y = tn_reshape(b, tn_transpose(b, y, TN_INTS(0, 2, 1, 3)), onnx_dims(t));
    return onnx_give(c, 0, y);
}

/* ---- caches ---- */

/* The rows of UPDATE, input 1, in those of the cache from the position on that input 2 has for each
 * element of the batch; in a ring where `mode` says so. */
bool onnx_op_tensor_scatter(onnx_call *c)
{
    tn_builder *b = c->b;
    const tn_value past = onnx_in(c, 0), update = onnx_in(c, 1);
    const type *t = onnx_type_of(c, past), *u = onnx_type_of(c, update);
    int64_t axis, one[TN_MAX_RANK];
    if (!t || !u || !onnx_axis(c, onnx_attr_int(c, "axis", -2), t->rank, &axis))
        return false;
    bool fits = axis > 0 && u->rank == t->rank;
    for (uint32_t i = 0; fits && i < t->rank; i++)
        fits = i == axis || u->dims[i] == t->dims[i];
    if (!fits || !onnx_in_fits(c, 2, TN_INTS(t->dims[0])))
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "the update has the cache's extents, but for one axis behind the batch");
    for (uint32_t i = 0; i < t->rank; i++)
        one[i] = i == 0 ? t->dims[0] : 1;
    tn_value at = tn_iota(b, TN_SI64, onnx_dims(t), axis); /* in the update, after what follows */
    if (onnx_has_in(c, 2)) {
        const tn_value from = tn_cast(b, onnx_in(c, 2), TN_SI64);
        at = tn_sub(b, at, tn_reshape(b, from, (tn_ints){one, t->rank}));
    }
    const tn_value none = tn_scalar_int(b, TN_SI64, 0);
    if (onnx_attr_is(c, "mode", "circular", false)) {
        const tn_value round = tn_add(b, at, known_size_data(b, TN_SI64, t->dims[axis]));
        at = tn_select(b, tn_compare(b, TN_LT, at, none), round, at);
    }
    const tn_value count = known_size_data(b, TN_SI64, u->dims[axis]);
    const tn_value first = tn_compare(b, TN_GE, at, none);
    const tn_value inside = tn_and(b, first, tn_compare(b, TN_LT, at, count));
    const tn_value fresh = tn_gather(b, update, tn_select(b, inside, at, none), axis);
    return onnx_give(c, 0, tn_select(b, inside, fresh, past));
}
