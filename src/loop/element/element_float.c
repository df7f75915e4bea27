/* Narrow formats: between their bits and f32, and rounding to them. Written without branches, in
 * operations that every vector unit has; each agrees with scalar/minifloat.h on every bit. */
#include "loop/element/element_parts.h"

/* A float format of fewer than 32 bits, other than bf16, by its numbers. */
typedef struct format {
    unsigned bits, mantissa;
    int bias;
    double limit;      /* the least f32 that overflows */
    uint32_t overflow; /* what it gives, as an f32 */
    bool has_infinity;
} format;

static format format_of(tn_dtype d)
{
    if (d == TN_FP8_E4M3)
        return (format){8, 3, 7, 0x1.d00002p8, 0x7fc00000, false};
    if (d == TN_FP8_E5M2)
        return (format){8, 2, 15, 61440.0, 0x7f800000, true};
    return (format){16, 10, 15, 65520.0, 0x7f800000, true};
}

static loop_value f32_of(loop_builder *b, loop_value bits)
{
    return loop_convert(b, LOOP_BITCAST, LOOP_F32, bits);
}
static loop_value bits_of(loop_builder *b, loop_value x)
{
    return loop_convert(b, LOOP_BITCAST, LOOP_I32, x);
}
static loop_value op_const(loop_builder *b, loop_op op, loop_value x, uint32_t bits)
{
    return loop_binary(b, op, x, const_like(b, x, bits));
}

/* 2 to the power E as an f32. */
static uint32_t power(int e)
{
    return (uint32_t)(127 + e) << 23;
}

/* ---- from and to memory ---- */

/* With sign, exponent and significand at the places of an f32's, the pattern is the value times a
 * power of two, also where the format is denormal. */
static loop_value decode_float(loop_builder *b, tn_dtype d, loop_value stored)
{
    const loop_value u = loop_convert(b, LOOP_SEXT, LOOP_I32, stored);
    if (d == TN_BF16)
        return f32_of(b, op_const(b, LOOP_SHL, u, 16));
    const format f = format_of(d);
    const uint32_t magnitude = (UINT32_C(1) << (f.bits - 1)) - 1;
    const uint32_t infinity = magnitude + 1 - (UINT32_C(1) << f.mantissa);
    const unsigned shift = 23 - f.mantissa;
    const loop_value placed = f32_of(
        b, op_const(b, LOOP_AND, op_const(b, LOOP_SHL, u, shift), 0x80000000 | magnitude << shift));
    const loop_value scale = loop_const(b, loop_value_type(b, placed), power(127 - f.bias));
    const loop_value finite = bits_of(b, loop_binary(b, LOOP_FMUL, placed, scale));
    const uint32_t special = f.has_infinity ? infinity : magnitude;
    const loop_value is_special =
        op_const(b, LOOP_IEQ, op_const(b, LOOP_AND, stored, special), special);
    return f32_of(
        b, loop_select(b, is_special,
                       op_const(b, LOOP_OR, finite, f.has_infinity ? 0x7f800000 : 0x7fc00000),
                       finite));
}

/* The inverse, for values of the format only. What is infinite or NaN stays so when scaled, and its
 * exponent is all ones in every format that has infinities. */
static loop_value encode_float(loop_builder *b, tn_dtype d, loop_value x)
{
    if (d == TN_BF16)
        return loop_convert(b, LOOP_TRUNCATE, LOOP_I16, op_const(b, LOOP_LSHR, bits_of(b, x), 16));
    const format f = format_of(d);
    const uint32_t sign_bit = UINT32_C(1) << (f.bits - 1);
    const loop_value scale = loop_const(b, loop_value_type(b, x), power(f.bias - 127));
    const loop_value scaled = bits_of(b, loop_binary(b, LOOP_FMUL, x, scale));
    const loop_value sign =
        op_const(b, LOOP_AND, op_const(b, LOOP_LSHR, scaled, 32 - f.bits), sign_bit);
    loop_value r =
        op_const(b, LOOP_AND, op_const(b, LOOP_LSHR, scaled, 23 - f.mantissa), sign_bit - 1);
    if (!f.has_infinity)
        r = loop_select(b, loop_binary(b, LOOP_FUNO, x, x), const_like(b, r, sign_bit - 1), r);
    return loop_convert(b, LOOP_TRUNCATE, f.bits == 8 ? LOOP_I8 : LOOP_I16,
                        loop_binary(b, LOOP_OR, sign, r));
}

loop_value element_wrap(loop_builder *b, tn_dtype d, loop_value x)
{
    if (d != TN_SI4 && d != TN_UI4)
        return x;
    const loop_value low = op_const(b, LOOP_AND, x, 15);
    return d == TN_UI4 ? low : op_const(b, LOOP_ISUB, op_const(b, LOOP_XOR, low, 8), 8);
}

loop_value element_decode(loop_builder *b, tn_dtype d, loop_value stored)
{
    if (d == TN_I1)
        return invert(b, loop_binary(b, LOOP_IEQ, stored, const_like(b, stored, 0)));
    return element_is_narrow(d) ? decode_float(b, d, stored) : element_wrap(b, d, stored);
}

loop_value element_encode(loop_builder *b, tn_dtype d, loop_value held)
{
    if (d == TN_I1)
        return loop_convert(b, LOOP_ZEXT, LOOP_I8, held);
    return element_is_narrow(d) ? encode_float(b, d, held) : held;
}

/* ---- rounding ---- */

static loop_value round_bf16(loop_builder *b, loop_value x)
{
    const loop_value u = bits_of(b, x);
    const loop_value last = op_const(b, LOOP_AND, op_const(b, LOOP_LSHR, u, 16), 1);
    const loop_value up = loop_binary(b, LOOP_IADD, op_const(b, LOOP_IADD, u, 0x7fff), last);
    const loop_value r = op_const(b, LOOP_AND, up, 0xffff0000);
    return f32_of(b,
                  loop_select(b, loop_binary(b, LOOP_FUNO, x, x), const_like(b, u, 0x7fc00000), r));
}

/* Adding and subtracting a power of two, whose last place is that of the format at the magnitude of
 * x, rounds x there, to nearest even. Above the limit that power is meaningless, but then the
 * result is the overflow; it keeps NaN a NaN, made quiet. */
loop_value element_round(loop_builder *b, tn_dtype d, loop_value x)
{
    if (!element_is_narrow(d))
        return x;
    if (d == TN_BF16)
        return round_bf16(b, x);
    const format f = format_of(d);
    const loop_value u = bits_of(b, x);
    const loop_value a = loop_unary(b, LOOP_FABS, x);
    const loop_value own = op_const(b, LOOP_AND, u, 0x7f800000);
    const loop_value least = const_like(b, u, power(1 - f.bias));
    const loop_value exponent = loop_select(b, loop_binary(b, LOOP_ILT, own, least), least, own);
    const loop_value place =
        f32_of(b, op_const(b, LOOP_IADD, exponent, (uint32_t)(23 - f.mantissa) << 23));
    const loop_value rounded =
        loop_binary(b, LOOP_FSUB, loop_binary(b, LOOP_FADD, a, place), place);
    const loop_value overflows = loop_binary(b, LOOP_FLE, float_like(b, a, f.limit), a);
    const loop_value r =
        loop_select(b, overflows, const_like(b, u, f.overflow), bits_of(b, rounded));
    const loop_value sign = op_const(b, LOOP_AND, u, 0x80000000);
    return f32_of(b, loop_binary(b, LOOP_OR, r, sign));
}

/* X as an f32 rounded to odd: what is inexact has an odd last bit, so that rounding once more to a
 * narrower format is as good as rounding X itself. */
static loop_value odd_from_f64(loop_builder *b, loop_value x)
{
    const loop_value near = loop_convert(b, LOOP_FCONVERT, LOOP_F32, x);
    const loop_value back =
        loop_unary(b, LOOP_FABS, loop_convert(b, LOOP_FCONVERT, LOOP_F64, near));
    const loop_value a = loop_unary(b, LOOP_FABS, x);
    const loop_value above = loop_binary(b, LOOP_FLT, a, back);
    const loop_value inexact = loop_binary(b, LOOP_OR, above, loop_binary(b, LOOP_FLT, back, a));
    const loop_value toward_zero =
        loop_binary(b, LOOP_ISUB, bits_of(b, near), loop_convert(b, LOOP_ZEXT, LOOP_I32, above));
    return f32_of(
        b, loop_binary(b, LOOP_OR, toward_zero, loop_convert(b, LOOP_ZEXT, LOOP_I32, inexact)));
}

loop_value element_round_f64(loop_builder *b, tn_dtype d, loop_value x)
{
    if (d == TN_F64)
        return x;
    if (d == TN_F32)
        return loop_convert(b, LOOP_FCONVERT, LOOP_F32, x);
    return element_round(b, d, odd_from_f64(b, x));
}
