/* Casts, by the table in docs/numerics.md section 2. */
#include "loop/element/element_parts.h"

static unsigned bits_in(loop_elem e)
{
    return 8 * (unsigned)loop_elem_bytes(e);
}

/* X as an integer of at least BYTES bytes. */
static loop_value extend(loop_builder *b, tn_dtype d, loop_value x, loop_elem to)
{
    if (loop_elem_bytes(to) <= loop_elem_bytes((loop_elem)loop_value_type(b, x).elem))
        return x;
    return loop_convert(b, dtype_is_signed(d) ? LOOP_SEXT : LOOP_ZEXT, to, x);
}

static loop_value shorten(loop_builder *b, loop_value x, loop_elem to)
{
    if (loop_elem_bytes(to) >= loop_elem_bytes((loop_elem)loop_value_type(b, x).elem))
        return x;
    return loop_convert(b, LOOP_TRUNCATE, to, x);
}

/* LESS(x, low) ? low : x, and so on; BOUND is of the type of X. */
static loop_value at_least(loop_builder *b, loop_op less, loop_value x, loop_value bound)
{
    return loop_select(b, loop_binary(b, less, x, bound), bound, x);
}
static loop_value at_most(loop_builder *b, loop_op less, loop_value x, loop_value bound)
{
    return loop_select(b, loop_binary(b, less, bound, x), bound, x);
}

static loop_value int_to_int(loop_builder *b, tn_dtype from, loop_value x, tn_dtype to)
{
    const loop_elem e = element_compute(to);
    loop_value y = extend(b, from, x, e);
    if (dtype_int_min(to) > dtype_int_min(from))
        y = at_least(b, LOOP_ILT, y, const_like(b, y, (uint64_t)dtype_int_min(to)));
    if (dtype_int_max(to) < dtype_int_max(from))
        y = at_most(b, dtype_is_signed(from) ? LOOP_ILT : LOOP_IULT, y,
                    const_like(b, y, dtype_int_max(to)));
    return shorten(b, y, e);
}

/* An integer of 64 bits as an f64 that is rounded to odd, see odd_from_u64 in scalar/cast.c. */
static loop_value odd_from_int(loop_builder *b, bool is_signed, loop_value x)
{
    const loop_value zero = const_like(b, x, 0);
    const loop_value negative = loop_binary(b, LOOP_ILT, x, zero);
    const loop_value a =
        is_signed ? loop_select(b, negative, loop_binary(b, LOOP_ISUB, zero, x), x) : x;
    const loop_value low = loop_binary(b, LOOP_AND, a, const_like(b, a, 0x7ff));
    const loop_value exact =
        loop_binary(b, LOOP_OR, loop_binary(b, LOOP_IEQ, low, zero),
                    loop_binary(b, LOOP_IULT, a, const_like(b, a, UINT64_C(1) << 53)));
    const loop_value odd =
        loop_binary(b, LOOP_OR, loop_binary(b, LOOP_ISUB, a, low), const_like(b, a, 0x800));
    const loop_value f = loop_convert(b, LOOP_U_TO_F, LOOP_F64, loop_select(b, exact, a, odd));
    return is_signed ? loop_select(b, negative, loop_unary(b, LOOP_FNEG, f), f) : f;
}

static loop_value int_to_float(loop_builder *b, tn_dtype from, loop_value x, tn_dtype to)
{
    const bool is_signed = dtype_is_signed(from);
    const loop_value y = extend(b, from, x, LOOP_I32);
    const unsigned bits = bits_in(element_compute(from));
    const loop_op op = is_signed || bits < 32 ? LOOP_S_TO_F : LOOP_U_TO_F;
    if (!element_is_narrow(to))
        return loop_convert(b, op, element_compute(to), y);
    if (bits < 32) /* exact in f32 */
        return element_round(b, to, loop_convert(b, op, LOOP_F32, y));
    return element_round_f64(
        b, to, bits == 32 ? loop_convert(b, op, LOOP_F64, y) : odd_from_int(b, is_signed, y));
}

/* Where the float has both bounds of the integer type. */
static loop_value float_to_int_clamped(loop_builder *b, loop_value x, tn_dtype to)
{
    const loop_value low = float_like(b, x, (double)dtype_int_min(to));
    const loop_value high = float_like(b, x, (double)dtype_int_max(to));
    x = loop_select(b, loop_binary(b, LOOP_FUNO, x, x), float_like(b, x, 0), x);
    x = at_most(b, LOOP_FLT, at_least(b, LOOP_FLT, x, low), high);
    const loop_value i = loop_convert(b, to == TN_UI32 ? LOOP_F_TO_U : LOOP_F_TO_S, LOOP_I32, x);
    return shorten(b, i, element_compute(to));
}

static loop_value float_to_int(loop_builder *b, loop_value x, tn_dtype to)
{
    const loop_elem e = element_compute(to);
    const unsigned bits = bits_in(e);
    const bool is_signed = dtype_is_signed(to);
    if (bits < (loop_value_type(b, x).elem == LOOP_F64 ? 64u : 32u))
        return float_to_int_clamped(b, x, to);
    const double top = (is_signed ? 0x1p31 : 0x1p32) * (bits == 64 ? 0x1p32 : 1);
    loop_value i = loop_convert(b, is_signed ? LOOP_F_TO_S : LOOP_F_TO_U, e, x);
    const loop_value zero = const_like(b, i, 0);
    i = loop_select(b, loop_binary(b, LOOP_FLE, float_like(b, x, top), x),
                    const_like(b, i, dtype_int_max(to)), i);
    if (!is_signed)
        return loop_select(b, loop_binary(b, LOOP_FLT, float_like(b, x, 0), x), i, zero);
    i = loop_select(b, loop_binary(b, LOOP_FLT, x, float_like(b, x, -top)),
                    const_like(b, i, (uint64_t)dtype_int_min(to)), i);
    return loop_select(b, loop_binary(b, LOOP_FUNO, x, x), zero, i);
}

static bool holds_all(tn_dtype to, tn_dtype from) /* of floats that are held as f32 */
{
    return to == from || !element_is_narrow(to) ||
           ((from == TN_FP8_E4M3 || from == TN_FP8_E5M2) && (to == TN_BF16 || to == TN_F16));
}

static loop_value float_to_float(loop_builder *b, tn_dtype from, loop_value x, tn_dtype to)
{
    if (from == TN_F64)
        return element_round_f64(b, to, x);
    if (to == TN_F64)
        return loop_convert(b, LOOP_FCONVERT, LOOP_F64, x);
    return holds_all(to, from) ? x : element_round(b, to, x);
}

static loop_value mask_to(loop_builder *b, loop_value x, tn_dtype to)
{
    const loop_type t = loop_type_of(element_compute(to), loop_lanes(b, x));
    if (dtype_is_int(to))
        return loop_convert(b, LOOP_ZEXT, (loop_elem)t.elem, x);
    return loop_select(b, x, loop_float(b, t, 1), loop_float(b, t, 0));
}

static loop_value is_true(loop_builder *b, tn_dtype d, loop_value x)
{
    if (d == TN_I1)
        return x;
    return invert(b, dtype_is_int(d) ? loop_binary(b, LOOP_IEQ, x, const_like(b, x, 0))
                                     : loop_binary(b, LOOP_FEQ, x, float_like(b, x, 0)));
}

/* Neither dtype is complex. */
static loop_value cast_part(loop_builder *b, tn_dtype from, loop_value x, tn_dtype to)
{
    if (from == to)
        return x;
    if (to == TN_I1)
        return is_true(b, from, x);
    if (from == TN_I1)
        return mask_to(b, x, to);
    if (dtype_is_int(from))
        return dtype_is_int(to) ? int_to_int(b, from, x, to) : int_to_float(b, from, x, to);
    return dtype_is_int(to) ? float_to_int(b, x, to) : float_to_float(b, from, x, to);
}

element element_cast(loop_builder *b, element x, tn_dtype to)
{
    const tn_dtype from = dtype_table[x.dtype].part, part = dtype_table[to].part;
    if (!dtype_can_cast(x.dtype, to))
        return element_zero(b, to, element_lanes(b, x));
    element y = element_of(to, cast_part(b, from, x.re, part));
    if (dtype_is_complex(to))
        y.im = dtype_is_complex(x.dtype) ? cast_part(b, from, x.im, part)
                                         : loop_const(b, loop_value_type(b, y.re), 0);
    else if (dtype_is_complex(x.dtype)) /* to i1 */
        y.re = loop_binary(b, LOOP_OR, y.re, cast_part(b, from, x.im, part));
    return y;
}

element form_wrap(loop_builder *b, const element_call *c)
{
    const element x = c->in[0];
    const loop_elem e = element_compute(c->out);
    const loop_value y = shorten(b, extend(b, x.dtype, x.re, e), e);
    return element_of(c->out, element_wrap(b, c->out, y));
}

static uint64_t plain_nan(tn_dtype d)
{
    switch ((int)d) {
    case TN_FP8_E4M3:
        return 0x7f;
    case TN_FP8_E5M2:
        return 0x7e;
    case TN_BF16:
        return 0x7fc0;
    case TN_F16:
        return 0x7e00;
    case TN_F32:
        return 0x7fc00000;
    default:
        return UINT64_C(0x7ff8000000000000);
    }
}

/* The bits as stored, as an integer: see dtype_bitcast. */
static loop_value bits_of_float(loop_builder *b, element x)
{
    const loop_value bits =
        element_is_narrow(x.dtype)
            ? element_encode(b, x.dtype, x.re)
            : loop_convert(b, LOOP_BITCAST, x.dtype == TN_F64 ? LOOP_I64 : LOOP_I32, x.re);
    return loop_select(b, loop_binary(b, LOOP_FUNO, x.re, x.re),
                       const_like(b, bits, plain_nan(x.dtype)), bits);
}

element form_bitcast(loop_builder *b, const element_call *c)
{
    const element x = c->in[0];
    if (x.dtype == c->out)
        return x;
    const loop_value bits = dtype_is_float(x.dtype) ? bits_of_float(b, x) : x.re;
    if (c->out == TN_F32 || c->out == TN_F64)
        return element_of(c->out, loop_convert(b, LOOP_BITCAST, element_compute(c->out), bits));
    return element_of(c->out, element_decode(b, c->out, bits));
}

element form_real(loop_builder *b, const element_call *c)
{
    (void)b;
    return element_of(dtype_table[c->in[0].dtype].part, c->in[0].re);
}

element form_imag(loop_builder *b, const element_call *c)
{
    (void)b;
    return element_of(dtype_table[c->in[0].dtype].part, c->in[0].im);
}

element form_complex(loop_builder *b, const element_call *c)
{
    (void)b;
    return (element){c->out, c->in[0].re, c->in[1].re};
}
