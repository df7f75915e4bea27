/* Elementwise operators that the vocabulary has, or nearly. */
#include <inttypes.h>
#include <math.h>

#include "dialect/onnx/ops/op.h"

static tn_value unary(onnx_call *c, op_id op, tn_value x)
{
    attr_list l = attrs_for(c->b, op);
    return append_1(&l, x);
}

static tn_value binary(onnx_call *c, op_id op, tn_value x, tn_value y)
{
    attr_list l = attrs_for(c->b, op);
    return append_elementwise(&l, (tn_value[]){x, y}, 2);
}

bool onnx_op_unary(onnx_call *c)
{
    return onnx_give(c, 0, unary(c, (op_id)c->op->arg, onnx_in(c, 0)));
}

/* Integers have a sign, too. */
bool onnx_op_sign(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    if (!t || dtype_is_float(t->dtype))
        return onnx_give(c, 0, tn_sign(c->b, x));
    const tn_value zero = tn_scalar_int(c->b, t->dtype, 0);
    const tn_value above = tn_cast(c->b, tn_compare(c->b, TN_GT, x, zero), t->dtype);
    const tn_value below = tn_cast(c->b, tn_compare(c->b, TN_LT, x, zero), t->dtype);
    return onnx_give(c, 0, tn_sub(c->b, above, below));
}

bool onnx_op_is_inf(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0), inf = tn_is_inf(c->b, x);
    const bool negative = onnx_attr_int(c, "detect_negative", 1);
    const bool positive = onnx_attr_int(c, "detect_positive", 1);
    if (negative && positive)
        return onnx_give(c, 0, inf);
    const tn_value zero = tn_scalar_like(c->b, x, 0);
    const tn_value side = negative   ? tn_compare(c->b, TN_LT, x, zero)
                          : positive ? tn_compare(c->b, TN_GT, x, zero)
                                     : tn_compare(c->b, TN_NE, x, x);
    return onnx_give(c, 0, tn_and(c->b, inf, side));
}

/* Before version 7 the second operand was aligned by attributes: its axes begin at `axis`. */
static tn_value aligned(onnx_call *c, tn_value x, tn_value y)
{
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, y);
    const onnx_attribute *axis = onnx_attr_of(c, "axis", ONNX_INT);
    int64_t from, dims[TN_MAX_RANK];
    if (c->version >= 7 || !axis || !t || !u || u->rank >= t->rank)
        return y;
    if (!onnx_axis(c, axis->i, t->rank, &from))
        return tn_no_value();
    if (from + (int64_t)u->rank > (int64_t)t->rank) {
        (void)onnx_refuse(c, DIAG_InvalidAttribute, "'axis' leaves no room for the second input");
        return tn_no_value();
    }
    const uint32_t n = t->rank - (uint32_t)from;
    for (uint32_t i = 0; i < n; i++)
        dims[i] = i < u->rank ? u->dims[i] : 1;
    return tn_reshape(c->b, y, (tn_ints){dims, n});
}

static bool operands(onnx_call *c, tn_value *x, tn_value *y)
{
    *x = onnx_in(c, 0);
    *y = onnx_in(c, 1);
    if (tn_is_value(*x) && tn_is_value(*y))
        *y = aligned(c, *x, *y);
    return tn_is_value(*x) && tn_is_value(*y);
}

bool onnx_op_binary(onnx_call *c)
{
    tn_value x, y;
    return operands(c, &x, &y) && onnx_give(c, 0, binary(c, (op_id)c->op->arg, x, y));
}

bool onnx_op_compare(onnx_call *c)
{
    tn_value x, y;
    return operands(c, &x, &y) && onnx_give(c, 0, tn_compare(c->b, (tn_direction)c->op->arg, x, y));
}

bool onnx_op_bit_shift(onnx_call *c)
{
    tn_value x, y;
    const bool left = onnx_attr_is(c, "direction", "LEFT", false);
    if (!left && !onnx_attr_is(c, "direction", "RIGHT", false))
        return onnx_refuse(c, DIAG_InvalidAttribute, "'direction' is LEFT or RIGHT");
    return operands(c, &x, &y) &&
           onnx_give(c, 0, left ? tn_shift_left(c->b, x, y) : tn_shift_right_logical(c->b, x, y));
}

bool onnx_op_mod(onnx_call *c)
{
    tn_value x, y;
    const type *t = operands(c, &x, &y) ? onnx_type_of(c, x) : NULL;
    if (!t)
        return false;
    const tn_dtype d = t->dtype;
    const bool is_float = dtype_is_float(d), like_c = onnx_attr_int(c, "fmod", 0);
    if (is_float && !like_c)
        return onnx_refuse(c, DIAG_DTypeNotSupported, "floats need 'fmod'");
    const tn_value r = is_float ? tn_fmod(c->b, x, y) : tn_mod(c->b, x, y);
    if (like_c || dtype_is_unsigned(d))
        return onnx_give(c, 0, r);
    /* the sign is the divisor's */
    const tn_value zero = tn_scalar_int(c->b, d, 0);
    const tn_value some = tn_compare(c->b, TN_NE, r, zero);
    const tn_value left = tn_compare(c->b, TN_LT, r, zero);
    const tn_value right = tn_compare(c->b, TN_LT, y, zero);
    const tn_value other = tn_and(c->b, some, tn_xor(c->b, left, right));
    return onnx_give(c, 0, tn_select(c->b, other, tn_add(c->b, r, y), r));
}

/* Is input K known to be the one number N? */
static bool is_known_as(onnx_call *c, uint32_t k, double n)
{
    const known_value *v = onnx_in_known(c, k);
    if (!v || v->n != 1 || v->at[0].is_size)
        return false;
    return (dtype_is_float(v->dtype) ? v->at[0].f : (double)v->at[0].i) == n;
}

/* X, which was computed with an operand of type T and one element, in the shape of both. */
static bool give_spread(onnx_call *c, tn_value x, const type *t)
{
    const type *u = onnx_type_of(c, x);
    dim dims[TN_MAX_RANK];
    if (!u || t->rank <= u->rank)
        return onnx_give(c, 0, x);
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = i + u->rank < t->rank ? 1 : u->dims[i + u->rank - t->rank];
    return onnx_give(c, 0, tn_reshape(c->b, x, (tn_ints){dims, t->rank}));
}

/* The power of X, of floats, whose exponent is 1/2, or -1/2 if INVERSE: the root, which is NaN at
 * -inf and keeps the sign of -0, where powers are those of inf and 0. */
static tn_value root(onnx_call *c, tn_value x, bool inverse)
{
    const tn_value lowest = tn_compare(c->b, TN_EQ, x, tn_scalar_like(c->b, x, -(double)INFINITY));
    x = tn_select(c->b, lowest, tn_neg(c->b, x), x);
    x = tn_add(c->b, x, tn_scalar_like(c->b, x, 0));
    return inverse ? tn_rsqrt(c->b, x) : tn_sqrt(c->b, x);
}

/* In the type of the base. Squares, cubes and inverses are products and quotients, those of 1/2
 * roots; other powers of integers go through f64. */
bool onnx_op_pow(onnx_call *c)
{
    tn_value x, y;
    if (!operands(c, &x, &y))
        return false;
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, y);
    if (!t || !u)
        return false;
    if (is_known_as(c, 1, 2) || is_known_as(c, 1, 3)) {
        const tn_value square = tn_mul(c->b, x, x);
        const tn_value r = is_known_as(c, 1, 2) ? square : tn_mul(c->b, square, x);
        return give_spread(c, r, u);
    }
    const bool is_float = dtype_is_float(t->dtype), inverts = is_known_as(c, 1, -0.5);
    if (is_float && (inverts || is_known_as(c, 1, 0.5)))
        return give_spread(c, root(c, x, inverts), u);
    if (is_float && is_known_as(c, 1, -1))
        return give_spread(c, tn_reciprocal(c->b, x), u);
    const tn_dtype in = is_float ? t->dtype : TN_F64;
    const tn_value base = tn_cast(c->b, x, in), power = tn_cast(c->b, y, in);
    return onnx_give(c, 0, tn_cast(c->b, tn_pow(c->b, base, power), t->dtype));
}

bool onnx_op_where(onnx_call *c)
{
    const tn_value p = onnx_in(c, 0), x = onnx_in(c, 1), y = onnx_in(c, 2);
    return onnx_give(c, 0, tn_select(c->b, p, x, y));
}

/* WIDE: as floats that hold sums of narrow ones. */
static bool fold_inputs(onnx_call *c, op_id op, bool wide, tn_value *out)
{
    const tn_value first = onnx_in(c, 0);
    *out = wide ? onnx_widened(c, first) : first;
    for (uint32_t i = 1; i < c->n_in; i++) {
        if (!onnx_has_in(c, i))
            return onnx_refuse(c, DIAG_ArityMismatch, "an input is left out");
        const tn_value next = onnx_in(c, i);
        *out = binary(c, op, *out, wide ? onnx_widened(c, next) : next);
    }
    return tn_is_value(*out);
}

bool onnx_op_variadic(onnx_call *c)
{
    tn_value all;
    if (c->n_in == 1)
        return onnx_give_in(c, 0, 0);
    return fold_inputs(c, (op_id)c->op->arg, false, &all) && onnx_give(c, 0, all);
}

bool onnx_op_mean(onnx_call *c)
{
    tn_value all;
    if (!fold_inputs(c, OP_ADD, true, &all))
        return false;
    const tn_value n = tn_scalar_like(c->b, all, (double)c->n_in), mean = tn_div(c->b, all, n);
    return onnx_give(c, 0, onnx_as_like(c, mean, onnx_in(c, 0)));
}

static bool is_float8(tn_dtype d)
{
    return d == TN_FP8_E4M3 || d == TN_FP8_E5M2;
}

tn_value onnx_as_float(onnx_call *c, tn_value x, tn_dtype to)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x);
    if (!t || !is_float8(to) || !onnx_attr_int(c, "saturate", 1))
        return tn_cast(b, x, to);
    if (!dtype_is_float(t->dtype) || is_float8(t->dtype)) /* which may not have the bounds */
        x = tn_cast(b, x, TN_F32);
    const tn_value most = tn_scalar_like(b, x, dtype_float_max(to));
    const tn_value least = tn_scalar_like(b, x, -dtype_float_max(to));
    const tn_value below = tn_select(b, tn_compare(b, TN_GT, x, most), most, x);
    return tn_cast(b, tn_select(b, tn_compare(b, TN_LT, below, least), least, below), to);
}

/* Integers become the integer TO that has their low bits. */
static bool give_cast(onnx_call *c, tn_dtype to)
{
    const type *x = onnx_in_type(c, 0);
    const bool wraps = x && dtype_is_int(x->dtype) && dtype_is_int(to);
    const tn_value v = onnx_in(c, 0);
    return onnx_give(c, 0, wraps ? tn_wrap(c->b, v, to) : onnx_as_float(c, v, to));
}

bool onnx_op_cast(onnx_call *c)
{
    tn_dtype to;
    const int64_t number = onnx_attr_int(c, "to", 0);
    if (onnx_dtype(number, &to))
        return give_cast(c, to);
    if (onnx_dtype_name(number))
        return onnx_refuse(c, DIAG_UnknownDType, "to %s, which is not read",
                           onnx_dtype_name(number));
    return onnx_refuse(c, DIAG_UnknownDType, "there is no element type %" PRId64, number);
}

/* The same bits, of a type as wide. */
bool onnx_op_bit_cast(onnx_call *c)
{
    tn_dtype to;
    const int64_t number = onnx_attr_int(c, "to", 0);
    if (!onnx_dtype(number, &to))
        return onnx_refuse(c, DIAG_UnknownDType, "there is no element type %" PRId64 ", the 'to'",
                           number);
    return onnx_give(c, 0, tn_bitcast(c->b, onnx_in(c, 0), to));
}

bool onnx_op_cast_like(onnx_call *c)
{
    const type *t = onnx_in_type(c, 1);
    return t && give_cast(c, t->dtype);
}
