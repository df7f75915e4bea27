/* Operators of ONNX Runtime on quantised tensors (domain com.microsoft). Where they lie between
 * others, values are floats: x = (q - zero) * scale. */
#include <inttypes.h>

#include "dialect/onnx/ops/images/op_window.h"
#include "dialect/onnx/ops/op_quantize.h"

/* The scale and zero point in inputs K and K + 1, along AXIS of a tensor of rank RANK. */
static onnx_quantised triple(onnx_call *c, uint32_t k, int64_t axis, uint32_t rank)
{
    onnx_quantised q = {.scale = onnx_along(c, onnx_in(c, k), axis, rank)};
    q.zero = onnx_along(c, onnx_in(c, k + 1), axis, rank);
    return q;
}

/* Input K, which is quantised as the two inputs behind it say, as f32. */
static tn_value plain(onnx_call *c, uint32_t k)
{
    const tn_value x = onnx_in(c, k);
    const type *t = onnx_type_of(c, x);
    if (!t)
        return x;
    const onnx_quantised q = triple(c, k + 1, 0, t->rank);
    return onnx_dequantise(c, x, &q, TN_F32);
}

/* Result 0 is Y, quantised as inputs K and K + 1 say, in the type of input 0. */
static bool give_quantised(onnx_call *c, tn_value y, uint32_t k)
{
    const type *t = onnx_type_of(c, y), *z = onnx_in_type(c, onnx_has_in(c, k + 1) ? k + 1 : 0);
    if (!t || !z)
        return false;
    const onnx_quantised q = triple(c, k, 0, t->rank);
    return onnx_give(c, 0, onnx_quantise(c, y, &q, z->dtype));
}

bool onnx_op_qlinear_binary(onnx_call *c)
{
    const tn_value x = plain(c, 0), y = plain(c, 3);
    return give_quantised(c, c->op->arg ? tn_mul(c->b, x, y) : tn_add(c->b, x, y), 6);
}

bool onnx_op_qlinear_where(onnx_call *c)
{
    const tn_value x = plain(c, 1), y = plain(c, 4);
    return give_quantised(c, tn_select(c->b, onnx_in(c, 0), x, y), 7);
}

bool onnx_op_qlinear_sigmoid(onnx_call *c)
{
    return give_quantised(c, tn_sigmoid(c->b, plain(c, 0)), 3);
}

bool onnx_op_qlinear_leaky_relu(onnx_call *c)
{
    tn_builder *b = c->b;
    const tn_value x = plain(c, 0), none = tn_scalar_like(b, x, 0);
    const tn_value low = onnx_scaled(c, x, onnx_attr_float(c, "alpha", (double)0.01F));
    return give_quantised(c, tn_select(b, tn_compare(b, TN_GE, x, none), x, low), 3);
}

bool onnx_op_qlinear_global_average_pool(onnx_call *c)
{
    const tn_value x = plain(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axes[TN_MAX_RANK];
    if (!t)
        return false;
    if (t->rank < 3)
        return onnx_refuse(c, DIAG_RankMismatch,
                           "it takes a batch, channels and further axes, not rank %" PRIu32,
                           t->rank);
    for (uint32_t i = 2; i < t->rank; i++)
        axes[i - 2] = onnx_attr_int(c, "channels_last", 0) ? i - 1 : i;
    return give_quantised(c, tn_mean(c->b, x, (tn_ints){axes, t->rank - 2}, true), 3);
}

/* X with its channels, the second axis, behind all others; BACK: the other way. */
static tn_value channels_moved(onnx_call *c, tn_value x, bool back)
{
    const type *t = onnx_type_of(c, x);
    int64_t perm[TN_MAX_RANK] = {0};
    if (!t || t->rank < 3)
        return x;
    for (uint32_t i = 1; i < t->rank; i++)
        perm[i] = back ? (i == 1 ? (int64_t)t->rank - 1 : i - 1) : (i + 1 == t->rank ? 1 : i + 1);
    return tn_transpose(c->b, x, (tn_ints){perm, t->rank});
}

bool onnx_op_qlinear_average_pool(onnx_call *c)
{
    const bool is_last = onnx_attr_int(c, "channels_last", 0);
    tn_value x = plain(c, 0);
    x = onnx_averaged(c, is_last ? channels_moved(c, x, true) : x);
    return tn_is_value(x) && give_quantised(c, is_last ? channels_moved(c, x, false) : x, 3);
}

bool onnx_op_nhwc_max_pool(onnx_call *c)
{
    const tn_value x = onnx_max_pooled(c, channels_moved(c, onnx_in(c, 0), true));
    return tn_is_value(x) && onnx_give(c, 0, channels_moved(c, x, false));
}

/* The first inputs are those of the result; three follow for each operand. */
bool onnx_op_qlinear_concat(onnx_call *c)
{
    tn_builder *b = c->b;
    const uint32_t n = c->n_in < 5 || (c->n_in - 2) % 3 ? 0 : (c->n_in - 2) / 3;
    const type *t = onnx_in_type(c, 2), *z = onnx_in_type(c, 1);
    int64_t axis;
    if (n == 0)
        return onnx_refuse(c, DIAG_ArityMismatch, "it takes three inputs for each operand");
    tn_value *parts = ARENA_ARRAY(&c->im->memory, tn_value, n);
    if (!parts)
        return onnx_no_memory(c->im);
    if (!t || !z || !onnx_axis(c, onnx_attr_int(c, "axis", 0), t->rank, &axis))
        return false;
    const onnx_quantised q = triple(c, 0, 0, t->rank);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = onnx_quantise(c, plain(c, 2 + 3 * i), &q, z->dtype);
    return onnx_give(c, 0, tn_concat(b, (tn_values){parts, n}, axis));
}

/* Along one axis, or since `opset` is below 13 over all axes from that on. */
bool onnx_op_qlinear_softmax(onnx_call *c)
{
    tn_builder *b = c->b;
    const tn_value x = plain(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axis, axes[TN_MAX_RANK];
    if (!t || !onnx_axis(c, onnx_attr_int(c, "axis", -1), t->rank, &axis))
        return false;
    if (onnx_attr_int(c, "opset", 13) >= 13)
        return give_quantised(c, tn_nn_softmax(b, x, axis), 3);
    for (uint32_t i = (uint32_t)axis; i < t->rank; i++)
        axes[i - axis] = i;
    const tn_ints all = {axes, t->rank - (size_t)axis};
    const tn_value powers = tn_exp(b, tn_sub(b, x, tn_reduce_max(b, x, all, true)));
    return give_quantised(c, tn_div(b, powers, tn_sum(b, powers, all, true)), 3);
}

/* ---- products ---- */

/* The product of X and Y, integers without their zero points. */
static tn_value sums(onnx_call *c, tn_value x, tn_value x_zero, tn_value y, tn_value y_zero)
{
    const tn_value left = onnx_centred(c, x, x_zero, -2);
    const tn_value right = onnx_centred(c, y, y_zero, -1);
    return tn_is_value(left) && tn_is_value(right) ? onnx_product(c, left, right) : tn_no_value();
}

/* SUM times the scales of the operands; no value where they do not fit. */
static tn_value real_of(onnx_call *c, tn_value sum, tn_value left, tn_value right)
{
    const type *t = onnx_type_of(c, sum);
    if (!t)
        return tn_no_value();
    const int64_t rank = t->rank, row = rank >= 2 ? rank - 2 : 0;
    const tn_value rows = onnx_along(c, left, row, t->rank);
    const tn_value columns = onnx_along(c, right, rank ? rank - 1 : 0, t->rank);
    const tn_value by = tn_mul(c->b, rows, columns);
    if (!onnx_spreads(c, by, onnx_dims(t)))
        return tn_no_value();
    return tn_mul(c->b, tn_cast(c->b, sum, TN_F32), by);
}

/* Result 0: Y plus the bias in input K where it is there. */
static bool give_real(onnx_call *c, tn_value y, uint32_t k)
{
    if (tn_is_value(y) && onnx_has_in(c, k))
        y = tn_add(c->b, y, onnx_in(c, k));
    return onnx_give(c, 0, y);
}

tn_value onnx_real_product(onnx_call *c, uint32_t scales, uint32_t zeros)
{
    const tn_value x = onnx_in(c, 0), y = onnx_in(c, 1), zero = onnx_in(c, zeros);
    const tn_value sum = sums(c, x, zero, y, onnx_in(c, zeros + 1)), left = onnx_in(c, scales);
    return real_of(c, sum, left, onnx_in(c, scales + 1));
}

bool onnx_op_matmul_integer_to_float(onnx_call *c)
{
    return give_real(c, onnx_real_product(c, 2, 4), 6);
}

bool onnx_op_dynamic_quantize_matmul(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0), y = onnx_in(c, 1);
    const onnx_quantised q = onnx_dynamic_range(c, x);
    const tn_value small = onnx_quantise(c, x, &q, TN_UI8);
    const tn_value sum = sums(c, small, q.zero, y, onnx_in(c, 3));
    return give_real(c, real_of(c, sum, q.scale, onnx_in(c, 2)), 4);
}

static tn_value transposed(onnx_call *c, tn_value x, const char *attribute)
{
    return onnx_attr_int(c, attribute, 0) ? tn_transpose(c->b, x, TN_INTS(1, 0)) : x;
}

/* alpha A' B' + C with a bias of si32, which has the scale of the sums; quantised where inputs 7
 * and 8 say how. */
bool onnx_op_qgemm(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0), *u = onnx_in_type(c, 3);
    if (!t || !u)
        return false;
    if (t->rank != 2 || u->rank != 2)
        return onnx_refuse(c, DIAG_RankMismatch, "it takes matrices");
    const tn_value x = transposed(c, onnx_in(c, 0), "transA");
    const tn_value y = transposed(c, onnx_in(c, 3), "transB"), zero = onnx_in(c, 2);
    tn_value sum = sums(c, x, zero, y, onnx_in(c, 5));
    if (!tn_is_value(sum))
        return false;
    if (onnx_has_in(c, 6))
        sum = tn_add(b, sum, onnx_in(c, 6));
    const tn_value left = onnx_along(c, onnx_in(c, 1), 0, 2);
    const tn_value right = onnx_along(c, onnx_in(c, 4), 1, 2);
    const tn_value by = onnx_scaled(c, tn_mul(b, left, right), onnx_attr_float(c, "alpha", 1));
    const tn_value real = tn_mul(b, tn_cast(b, sum, TN_F32), by);
    return onnx_has_in(c, 7) ? give_quantised(c, real, 7) : onnx_give(c, 0, real);
}
