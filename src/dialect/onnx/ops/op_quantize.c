/* Quantised tensors: integers with a scale and a zero point. */
#include <inttypes.h>

#include "dialect/onnx/ops/images/op_window.h"
#include "dialect/onnx/ops/op_quantize.h"

tn_value onnx_for_blocks(onnx_call *c, tn_value v, const type *t, int64_t axis, int64_t size)
{
    const type *u = onnx_type_of(c, v);
    dim dims[TN_MAX_RANK];
    if (!u || u->rank != t->rank || t->rank == TN_MAX_RANK || size <= 0)
        return v;
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->rank; i++) {
        dims[n++] = u->dims[i];
        if (i == axis)
            dims[n++] = size;
    }
    const tn_value wide =
        tn_broadcast(c->b, tn_expand_dims(c->b, v, TN_INTS(axis + 1)), (tn_ints){dims, n});
    memcpy(dims, u->dims, u->rank * sizeof *dims);
    dims[axis] = tn_dim_mul(c->b, u->dims[axis], size);
    const tn_value all = tn_reshape(c->b, wide, (tn_ints){dims, u->rank});
    return dims[axis] == t->dims[axis] || dim_is_symbolic(t->dims[axis])
               ? all
               : tn_slice_axis(c->b, all, axis, 0, t->dims[axis]);
}

static bool read_quantised(onnx_call *c, uint32_t k, const type *t, onnx_quantised *out)
{
    int64_t axis = onnx_attr_int(c, "axis", 1);
    const int64_t block = onnx_attr_int(c, "block_size", 0);
    *out = (onnx_quantised){.scale = onnx_in(c, k)};
    out->zero = onnx_in(c, k + 1);
    const type *s = onnx_type_of(c, out->scale);
    if (!s)
        return false;
    if (s->rank == 1 && s->dims[0] != 1 && !onnx_axis(c, axis, t->rank, &axis))
        return false;
    if (block && (!onnx_axis(c, axis, t->rank, &axis) || s->rank != t->rank))
        return onnx_refuse(c, DIAG_RankMismatch, "blocks need a scale of the tensor's rank");
    out->scale = block ? onnx_for_blocks(c, out->scale, t, axis, block)
                       : onnx_along(c, out->scale, axis, t->rank);
    if (tn_is_value(out->zero))
        out->zero = block ? onnx_for_blocks(c, out->zero, t, axis, block)
                          : onnx_along(c, out->zero, axis, t->rank);
    return onnx_in_fits(c, k + 1, onnx_dims(s)) && onnx_spreads(c, out->scale, onnx_dims(t));
}

/* The type in which quantised numbers are computed beside scales of type D: narrow floats do not
 * hold integers of 16 bits. */
static tn_dtype wide_of(tn_dtype d)
{
    return d == TN_F64 ? TN_F64 : TN_F32;
}

tn_value onnx_quantise(onnx_call *c, tn_value x, const onnx_quantised *q, tn_dtype d)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, q->scale);
    if (!t)
        return x;
    const tn_dtype in = q->precision ? q->precision : t->dtype, wide = wide_of(in);
    const tn_value number = tn_cast(b, x, in), scale = tn_cast(b, q->scale, in);
    tn_value y = tn_div(b, number, scale);
    if (dtype_is_float(d))
        return onnx_as_float(c, y, d);
    y = tn_cast(b, tn_round_even(b, y), wide);
    if (tn_is_value(q->zero))
        y = tn_add(b, y, tn_cast(b, q->zero, wide));
    return tn_cast(b, y, d); /* which saturates */
}

tn_value onnx_dequantise(onnx_call *c, tn_value x, const onnx_quantised *q, tn_dtype d)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, q->scale);
    if (!t)
        return x;
    const tn_dtype wide = wide_of(t->dtype);
    tn_value y = tn_cast(b, x, wide);
    if (tn_is_value(q->zero))
        y = tn_sub(b, y, tn_cast(b, q->zero, wide));
    return tn_cast(b, tn_mul(b, y, tn_cast(b, q->scale, wide)), d);
}

bool onnx_op_quantize_linear(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x), *z = onnx_in_type(c, 2);
    const int64_t named = onnx_attr_int(c, "output_dtype", 0);
    tn_dtype d = z ? z->dtype : TN_UI8;
    onnx_quantised q;
    if (!t || !read_quantised(c, 1, t, &q))
        return false;
    if (named && !z && !onnx_dtype(named, &d))
        return onnx_refuse(c, DIAG_UnknownDType, "'output_dtype' is not read");
    const int64_t precision = onnx_attr_int(c, "precision", 0);
    if (precision && (!onnx_dtype(precision, &q.precision) || !dtype_is_float(q.precision)))
        return onnx_refuse(c, DIAG_UnknownDType, "'precision' is no float that is read");
    if (d == TN_I1 || d == TN_F64 || d == TN_F32 || d == TN_F16 || d == TN_BF16)
        return onnx_refuse(c, DIAG_DTypeNotSupported,
                           "it gives integers and floats of 8 bits, not %s", dtype_name(d));
    return onnx_give(c, 0, onnx_quantise(c, x, &q, d));
}

static bool give_integers(onnx_call *c, const onnx_integers *from)
{
    onnx_integers *own = ARENA_NEW(&c->im->memory, onnx_integers);
    if (!own)
        return onnx_no_memory(c->im);
    *own = *from;
    if (c->n_out > 0)
        c->out[0].integers = own;
    return true;
}

/* Result 0 has integers of type T, with scales of type S. */
static bool note_integers(onnx_call *c, const type *t, const type *s)
{
    int64_t axis = onnx_attr_int(c, "axis", 1);
    const bool is_one = s->rank == 0 || (s->rank == 1 && s->dims[0] == 1);
    if ((t->dtype != TN_SI8 && t->dtype != TN_UI8) || s->dtype != TN_F32 || s->rank > 1 ||
        onnx_attr_int(c, "block_size", 0))
        return true;
    if (!is_one && !onnx_axis(c, axis, t->rank, &axis))
        return false;
    return give_integers(c, &(onnx_integers){.x = onnx_in(c, 0),
                                             .scale = onnx_in(c, 1),
                                             .zero = onnx_in(c, 2),
                                             .axis = is_one ? -1 : axis});
}

bool onnx_transpose_integers(onnx_call *c, tn_ints perm)
{
    const onnx_integers *from = c->in[0]->integers;
    if (!from)
        return true;
    onnx_integers own = *from;
    own.x = tn_transpose(c->b, from->x, perm);
    for (size_t i = 0; i < perm.n; i++)
        if (perm.at[i] == from->axis)
            own.axis = (int64_t)i;
    return give_integers(c, &own);
}

bool onnx_has_integers(onnx_call *c, int64_t column, dim products, onnx_integer_pair *out)
{
    enum { MOST = INT32_MAX / (UINT8_MAX * UINT8_MAX) };
    const onnx_integers *p = onnx_has_in(c, 0) ? c->in[0]->integers : NULL;
    const onnx_integers *q = onnx_has_in(c, 1) ? c->in[1]->integers : NULL;
    if (!p || !q || p->axis >= 0 || (q->axis >= 0 && q->axis != column) ||
        dim_is_symbolic(products) || products > MOST)
        return false;
    *out = (onnx_integer_pair){.left = onnx_centred(c, p->x, p->zero, 0),
                               .right = onnx_centred(c, q->x, q->zero, column),
                               .left_scale = p->scale,
                               .right_scale = q->scale};
    return true;
}

tn_value onnx_scaled_sums(onnx_call *c, tn_value sums, const onnx_integer_pair *p, int64_t axis)
{
    const type *t = onnx_type_of(c, sums);
    if (!t)
        return sums;
    const tn_value left = onnx_along(c, p->left_scale, axis, t->rank);
    const tn_value right = onnx_along(c, p->right_scale, axis, t->rank);
    const tn_value scale = tn_mul(c->b, left, right);
    return tn_mul(c->b, tn_cast(c->b, sums, TN_F32), scale);
}

bool onnx_op_dequantize_linear(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x), *s = onnx_in_type(c, 1);
    const int64_t named = onnx_attr_int(c, "output_dtype", 0);
    onnx_quantised q;
    if (!t || !s || !read_quantised(c, 1, t, &q))
        return false;
    tn_dtype d = s->dtype;
    if (named && !onnx_dtype(named, &d))
        return onnx_refuse(c, DIAG_UnknownDType, "'output_dtype' is not read");
    return onnx_give(c, 0, onnx_dequantise(c, x, &q, d)) && (d != TN_F32 || note_integers(c, t, s));
}

onnx_quantised onnx_dynamic_range(onnx_call *c, tn_value x)
{
    tn_builder *b = c->b;
    const tn_value none = tn_scalar_like(b, x, 0);
    const tn_value top = tn_maximum(b, tn_reduce_max(b, x, tn_all_axes(), false), none);
    const tn_value bottom = tn_minimum(b, tn_reduce_min(b, x, tn_all_axes(), false), none);
    const tn_value steps = tn_scalar_like(b, x, 255), range = tn_sub(b, top, bottom);
    const tn_value is_flat = tn_compare(b, TN_EQ, range, none);
    const tn_value one = tn_scalar_like(b, x, 1); /* of zeros, as ONNX Runtime has it */
    onnx_quantised q = {.scale = tn_select(b, is_flat, one, tn_div(b, range, steps))};
    const tn_value first = tn_div(b, tn_sub(b, none, bottom), q.scale);
    q.zero = tn_cast(b, tn_round_even(b, tn_clamp(b, first, none, steps)), TN_UI8);
    return q;
}

bool onnx_op_dynamic_quantize_linear(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const onnx_quantised q = onnx_dynamic_range(c, x);
    return onnx_give(c, 0, onnx_quantise(c, x, &q, TN_UI8)) && onnx_give(c, 1, q.scale) &&
           onnx_give(c, 2, q.zero);
}

/* ---- sums of integers ---- */

tn_value onnx_centred(onnx_call *c, tn_value x, tn_value zero, int64_t axis)
{
    const type *t = onnx_type_of(c, x);
    const tn_value wide = tn_cast(c->b, x, TN_SI32);
    if (!t || !tn_is_value(zero))
        return wide;
    axis += axis < 0 ? (int64_t)t->rank : 0;
    if (axis < 0) /* of a vector, which is one row */
        zero = tn_reshape(c->b, zero, (tn_ints){0});
    const tn_value spread = onnx_along(c, zero, axis, t->rank);
    if (!onnx_spreads(c, spread, onnx_dims(t)))
        return tn_no_value();
    return tn_sub(c->b, wide, tn_cast(c->b, spread, TN_SI32));
}

static tn_value product(onnx_call *c, uint32_t k, uint32_t zero_k, uint32_t m, uint32_t zero_m)
{
    const tn_value a = onnx_in(c, k), x = onnx_centred(c, a, onnx_in(c, zero_k), -2);
    const tn_value b = onnx_in(c, m), y = onnx_centred(c, b, onnx_in(c, zero_m), -1);
    return tn_is_value(x) && tn_is_value(y) ? onnx_product(c, x, y) : tn_no_value();
}

/* IS_LAST: input K, and the result, have their channels behind all other axes. */
static tn_value convolved(onnx_call *c, uint32_t k, uint32_t zero_k, uint32_t m, uint32_t zero_m,
                          bool is_last)
{
    const tn_value a = onnx_in(c, k), b = onnx_in(c, m);
    const type *t = onnx_type_of(c, a);
    const int64_t last = t && is_last ? (int64_t)t->rank - 1 : 1;
    tn_value x = onnx_centred(c, a, onnx_in(c, zero_k), 0);
    const tn_value f = onnx_centred(c, b, onnx_in(c, zero_m), 0);
    if (!t || !tn_is_value(x) || !tn_is_value(f))
        return tn_no_value();
    if (last < 1) {
        (void)onnx_refuse(c, DIAG_RankMismatch, "it takes a batch and channels");
        return tn_no_value();
    }
    x = onnx_convolved(c, onnx_move_axis(c, x, last, 1), f, TN_SI32);
    return tn_is_value(x) ? onnx_move_axis(c, x, 1, last) : x;
}

bool onnx_op_matmul_integer(onnx_call *c)
{
    return onnx_give(c, 0, product(c, 0, 2, 1, 3));
}

bool onnx_op_conv_integer(onnx_call *c)
{
    return onnx_give(c, 0, convolved(c, 0, 2, 1, 3, false));
}

/* SUMS with the scales of both operands, inputs 1 and 4, quantised as inputs 6 and 7 say. Scales of
 * the left lie along axis ROW, those of the right along COLUMN, those of the result along OUT. */
static bool give_requantised(onnx_call *c, tn_value sums, int64_t row, int64_t column, int64_t out)
{
    const type *t = onnx_type_of(c, sums), *z = onnx_in_type(c, 7), *s = onnx_in_type(c, 1);
    if (!t || !z || !s)
        return false;
    const tn_value left = onnx_along(c, onnx_in(c, 1), row, t->rank);
    const tn_value right = onnx_along(c, onnx_in(c, 4), column, t->rank);
    onnx_quantised q = {.scale = onnx_along(c, onnx_in(c, 6), out, t->rank)};
    q.zero = onnx_along(c, onnx_in(c, 7), out, t->rank);
    const tn_value own[] = {left, right, q.scale, q.zero};
    for (uint32_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (!onnx_spreads(c, own[i], onnx_dims(t)))
            return false;
    const tn_value whole = tn_cast(c->b, sums, s->dtype);
    const tn_value real = tn_mul(c->b, whole, tn_mul(c->b, left, right));
    return onnx_give(c, 0, onnx_quantise(c, real, &q, z->dtype));
}

bool onnx_op_qlinear_matmul(onnx_call *c)
{
    const tn_value sums = product(c, 0, 2, 3, 5);
    const type *t = onnx_type_of(c, sums);
    const int64_t rank = t ? t->rank : 0, row = rank >= 2 ? rank - 2 : 0;
    return t && give_requantised(c, sums, row, rank ? rank - 1 : 0, row);
}

/* With a bias of si32, which has the scale of the sums. */
bool onnx_op_qlinear_conv(onnx_call *c)
{
    const bool is_last = c->op->arg && onnx_attr_int(c, "channels_last", 0);
    tn_value sums = convolved(c, 0, 2, 3, 5, is_last);
    const type *t = onnx_type_of(c, sums);
    if (!t)
        return false;
    const int64_t axis = is_last ? (int64_t)t->rank - 1 : 1;
    if (!onnx_in_fits(c, 8, TN_INTS(t->dims[axis])))
        return false;
    if (onnx_has_in(c, 8))
        sums = tn_add(c->b, sums, onnx_along(c, onnx_in(c, 8), axis, t->rank));
    return tn_is_value(sums) && give_requantised(c, sums, axis, axis, axis);
}
