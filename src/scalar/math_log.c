/* log and log2: x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). The part e log 2 is added
 * with its rounding error carried along, because the two parts may cancel to half their size. */
#include <math.h>

#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* p of log(1 + f) = f + f^2 p(f), with p(0) = -1/2 (test/long/math_fit.py log_f32) */
static const double log_f32[] = {-0.5,           0x1.555554p-2,  -0x1.000228p-2,
                                 0x1.99a036p-3,  -0x1.547226p-3, 0x1.22d60ep-3,
                                 -0x1.0d8312p-3, 0x1.05789ep-3,  -0x1.390978p-4};
/* r of log((1 + s) / (1 - s)) = 2 s + s z r(z), z = s^2 (log_f64) */
static const double log_f64[] = {0x1.5555555555592p-1, 0x1.999999997ff1ap-2, 0x1.24924941e13d6p-2,
                                 0x1.c71c52146bf60p-3, 0x1.74663ce68b8e9p-3, 0x1.39a1e99a49ebcp-3,
                                 0x1.2f03b0ccf813bp-3};

/* The pattern of sqrt(1/2) */
#define ROOT_HALF_F32 0x3f3504f3

/* The split of a positive normal X; OFFSET is what E is counted from. */
static math_split_result split_from(builder *b, value x, value offset)
{
    const scalar_type type = sb_type(b, x);
    const math_format m = format_of(type);
    const bool wide = type == SCALAR_F64;
    /* So the exponent never is negative: AVX2 lacks the shift of signed 64-bit integers. */
    const int64_t root_half = wide ? 0x3fe6a09e667f3bcd : ROOT_HALF_F32;
    const value i = sb_iadd(b, sb_bitcast(b, m.integer, x), math_int(b, type, m.one - root_half));
    const value e = sb_lshr(b, i, math_int(b, type, m.mantissa));
    const value mask = math_int(b, type, wide ? 0xfffffffffffff : 0x7fffff);
    const value near_one = sb_iadd(b, sb_and(b, i, mask), math_int(b, type, root_half));
    const value with_magic = sb_bitcast(b, type, sb_iadd(b, e, math_int(b, type, m.magic_bits)));
    return (math_split_result){
        .e = sb_fsub(b, with_magic, offset),
        .f = sb_fsub(b, sb_bitcast(b, type, near_one), math_float(b, type, 1)),
    };
}

/* What the exponent has too much in split_from, as a number. */
static double exponent_offset(scalar_type type)
{
    const math_format m = format_of(type);
    return scalar_magic(type) + (double)(m.one >> m.mantissa);
}

math_split_result math_split_normal(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    return split_from(b, x, math_float(b, type, exponent_offset(type)));
}

math_split_result math_split(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const bool wide = type == SCALAR_F64;
    const double offset = exponent_offset(type), mantissa = format_of(type).mantissa;
    const value least_normal = math_float(b, type, wide ? 0x1p-1022 : 0x1p-126);
    const value lift = math_float(b, type, wide ? 0x1p52 : 0x1p23);
    const value tiny = sb_flt(b, x, least_normal);
    const value lifted = sb_select(b, tiny, sb_fmul(b, x, lift), x);
    return split_from(
        b, lifted,
        sb_select(b, tiny, math_float(b, type, offset + mantissa), math_float(b, type, offset)));
}

/* The limits of a logarithm: -inf at zero, NaN below, +inf and NaN unchanged. */
static value finish(builder *b, value x, value result)
{
    const scalar_type type = sb_type(b, x);
    const value zero = math_float(b, type, 0), infinity = math_float(b, type, (double)INFINITY);
    const value nan = math_float(b, type, (double)NAN),
                below = math_float(b, type, -(double)INFINITY);
    result = sb_select(b, sb_flt(b, x, infinity), result, x);
    return sb_select(b, sb_fle(b, x, zero), sb_select(b, sb_feq(b, x, zero), below, nan), result);
}

/* s with log(1 + f) = f - f^2/2 + s, for f64; HALF_SQUARE gets f^2/2. */
static value log_rest_f64(builder *b, value f, value *half_square)
{
    const scalar_type type = sb_type(b, f);
    const value s = sb_fdiv(b, f, sb_fadd(b, f, math_float(b, type, 2)));
    const value z = sb_fmul(b, s, s);
    *half_square = sb_fmul(b, sb_fmul(b, f, f), math_float(b, type, 0.5));
    return sb_fmul(b, s, sb_fma(b, z, math_poly(b, z, log_f64, COUNT(log_f64)), *half_square));
}

/* The logarithm of 2^e (1 + f) */
static value log_of(builder *b, math_split_result x)
{
    const value f = x.f, e = x.e;
    const scalar_type type = sb_type(b, f);
    const bool wide = type == SCALAR_F64;
    const double high = wide ? 0x1.62e42feep-1 : 0x1.62e4p-1; /* e times it is exact */
    value low, half_square;
    if (wide) {
        low = log_rest_f64(b, f, &half_square);
        low = sb_fsub(b, low, half_square);
    } else {
        low = sb_fmul(b, sb_fmul(b, f, f), math_poly(b, f, log_f32, COUNT(log_f32)));
    }
    const value sum = sb_fma(b, e, math_float(b, type, high), f);
    const value lost = sb_fsub(b, f, sb_fma(b, e, math_float(b, type, -high), sum));
    low = sb_fma(b, e, math_float(b, type, wide ? 0x1.a39ef35793c76p-33 : 0x1.7f7d1cp-20), low);
    return sb_fadd(b, sum, sb_fadd(b, low, lost));
}

value math_log_any(builder *b, value x)
{
    return finish(b, x, log_of(b, math_split(b, x)));
}

/* p of log2(1 + f) = f / log 2 + f^2 p(f) (log2_f32) */
static const double log2_f32[] = {-0x1.715470p-1, 0x1.ec7094p-2,  -0x1.715af6p-2,
                                  0x1.277f54p-2,  -0x1.eaa622p-3, 0x1.a2c464p-3,
                                  -0x1.87c198p-3, 0x1.7f6fdcp-3,  -0x1.c6086cp-4};

/* The logarithm of base 2 of 2^e (1 + f) */
static value log2_of(builder *b, math_split_result x)
{
    const value f = x.f, e = x.e;
    const scalar_type type = sb_type(b, f);
    const bool wide = type == SCALAR_F64;
    /* 1 / log 2 in two parts */
    const value high = math_float(b, type, wide ? 0x1.71547652b82fep0 : 0x1.715476p0);
    const value low = math_float(b, type, wide ? 0x1.777d0ffda0d24p-56 : 0x1.4ae0bep-26);
    value main_part = f, half_square = 0, s = 0;
    if (wide) { /* 1 + f has the logarithm main_part + s, less the error of main_part */
        s = log_rest_f64(b, f, &half_square);
        main_part = sb_fsub(b, f, half_square);
        s = sb_fadd(b, sb_fsub(b, sb_fsub(b, f, main_part), half_square), s);
    }
    const value product = sb_fmul(b, main_part, high);
    value rest = sb_fma(b, main_part, high, sb_fneg(b, product));
    rest = sb_fma(b, main_part, low, rest);
    if (wide)
        rest = sb_fma(b, s, high, rest);
    else
        rest = sb_fma(b, f, sb_fmul(b, f, math_poly(b, f, log2_f32, COUNT(log2_f32))), rest);
    const value sum = sb_fadd(b, e, product);
    const value lost = sb_fadd(b, sb_fsub(b, e, sum), product);
    return sb_fadd(b, sum, sb_fadd(b, rest, lost));
}

static value log2_any(builder *b, value x)
{
    return finish(b, x, log2_of(b, math_split(b, x)));
}

/* ---- the same for normal numbers, with fewer operations ---- */

/* x = 2^e (1 + f) as above, for positive normal f32; E is counted in the place where it stands
 * in a number, which is 2^23 e. */
static math_split_result split_normal_f32(builder *b, value x)
{
    const value bits = sb_bitcast(b, SCALAR_I32, x);
    const value above = sb_isub(b, bits, sb_i32(b, ROOT_HALF_F32));
    const value e = sb_and(b, above, sb_i32(b, -0x800000));
    const value near_one = sb_bitcast(b, SCALAR_F32, sb_isub(b, bits, e));
    return (math_split_result){
        .e = sb_convert(b, SCALAR_F32, e),
        .f = sb_fsub(b, near_one, sb_f32(b, 1)),
    };
}

math_outside math_outside_normal(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const math_format m = format_of(type);
    const int64_t first = INT64_C(1) << m.mantissa; /* the pattern of the least normal number */
    const int64_t infinity = (2 * (m.one >> m.mantissa) + 1) << m.mantissa;
    const value below = sb_isub(b, sb_bitcast(b, m.integer, x), math_int(b, type, 1));
    return (math_outside){
        .is_denormal = sb_iult(b, below, math_int(b, type, first - 1)),
        .is_limit = sb_iult(b, math_int(b, type, infinity - 2), below),
    };
}

/* RESULT, which holds for positive normal X, and what else there is: for denormal numbers OTHER,
 * which takes long. */
static value finish_seldom(builder *b, value x, value result, value other)
{
    const math_outside outside = math_outside_normal(b, x);
    result = sb_seldom(b, outside.is_denormal, other, result);
    return sb_seldom(b, outside.is_limit, finish(b, x, result), result);
}

value math_log(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F64)
        return finish_seldom(b, x, log_of(b, math_split_normal(b, x)), math_log_any(b, x));
    const math_split_result x2 = split_normal_f32(b, x);
    const value f = x2.f, e = x2.e, high = sb_f32(b, 0x1.62e4p-24f);
    const value tail = sb_fmul(b, sb_fmul(b, f, f), math_poly(b, f, log_f32, COUNT(log_f32)));
    const value sum = sb_fma(b, e, high, f);
    const value lost = sb_fsub(b, f, sb_fma(b, e, sb_fneg(b, high), sum));
    const value low = sb_fma(b, e, sb_f32(b, 0x1.7f7d1cp-43f), tail);
    const value result = sb_fadd(b, sum, sb_fadd(b, low, lost));
    return finish_seldom(b, x, result, math_log_any(b, x));
}

value math_log2(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F64)
        return finish_seldom(b, x, log2_of(b, math_split_normal(b, x)), log2_any(b, x));
    const math_split_result x2 = split_normal_f32(b, x);
    const value f = x2.f, e = x2.e, high = sb_f32(b, 0x1.715476p0f), unit = sb_f32(b, 0x1p-23f);
    const value product = sb_fmul(b, f, high);
    value rest = sb_fma(b, f, high, sb_fneg(b, product));
    rest = sb_fma(b, f, sb_f32(b, 0x1.4ae0bep-26f), rest);
    const value tail = math_poly(b, f, log2_f32, COUNT(log2_f32));
    rest = sb_fma(b, f, sb_fmul(b, f, tail), rest);
    const value sum = sb_fma(b, e, unit, product);
    const value lost = sb_fadd(b, sb_fma(b, e, unit, sb_fneg(b, sum)), product);
    const value result = sb_fadd(b, sum, sb_fadd(b, rest, lost));
    return finish_seldom(b, x, result, log2_any(b, x));
}

/* ---- log(1 + x), and what is made of it; f64; those of f32 are in math_log_f32.c ---- */

/* log(1 + x + rest) for a REST that is small beside X; U = 1 + x is a positive finite number, which
 * is normal then. */
static value near_log1p(builder *b, value x, value u, value rest)
{
    const value lost = sb_fadd(b, sb_fsub(b, x, sb_fsub(b, u, sb_f64(b, 1))), rest);
    return sb_fadd(b, log_of(b, math_split_normal(b, u)), sb_fdiv(b, lost, u));
}

/* The same for every X. */
static value log1p_of(builder *b, value x, value rest)
{
    const value zero = sb_f64(b, 0), infinity = sb_f64(b, (double)INFINITY);
    const value u = sb_fadd(b, x, sb_f64(b, 1)), near = near_log1p(b, x, u, rest);
    const value is_number = sb_and(b, sb_flt(b, zero, u), sb_flt(b, u, infinity));
    return sb_seldom(b, sb_not(b, is_number), finish(b, u, near), near);
}

/* [log1p/C1] */
value math_log1p(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return math_log1p_f32(b, x);
    const value result = log1p_of(b, x, sb_f64(b, 0));
    return math_copy_sign(b, sb_fabs(b, result), x);
}

/* log(1 + 2a / (1 - a)) / 2 with a = |x|. [atanh/C1] */
value math_atanh(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return math_atanh_f32(b, x);
    const value size = sb_fabs(b, x), zero = sb_f64(b, 0);
    const math_pair twice = {sb_fadd(b, size, size), zero};
    const math_pair rest = math_two_sum(b, sb_f64(b, 1), sb_fneg(b, size));
    const math_pair q = math_quotient(b, twice, rest);
    const value result = sb_fmul(b, log1p_of(b, q.hi, q.lo), sb_f64(b, 0.5));
    return math_copy_sign(b, sb_fabs(b, result), x);
}

/* From here on sqrt(x^2 +- 1) is x. */
#define LARGE 0x1p28

/* log(x + sqrt(x^2 + ONE)) where that is defined and x >= 0, and above 1 where ONE is -1. For large
 * x it is log(2 x). */
static value log_of_sum(builder *b, value x, double one)
{
    const value unit = sb_f64(b, one), minus = sb_f64(b, -1);
    const math_pair square = math_two_product(b, x, x);
    const math_pair under = math_two_sum(b, square.hi, unit);
    const value root = sb_fsqrt(b, under.hi);
    /* What the root of both parts of the square is more than ROOT. */
    const value rest = sb_fma(b, sb_fneg(b, root), root, under.hi);
    const value missing = sb_fadd(b, rest, sb_fadd(b, under.lo, square.lo));
    const value more = sb_fdiv(b, missing, sb_fadd(b, root, root));
    /* Of x + root one is taken off: of the root, which is above 1, or of x. */
    const math_pair sum = one > 0 ? math_two_sum(b, x, sb_fadd(b, root, minus))
                                  : math_two_sum(b, sb_fadd(b, x, minus), root);
    const value u = sb_fadd(b, sum.hi, sb_f64(b, 1));
    const value near = near_log1p(b, sum.hi, u, sb_fadd(b, sum.lo, more));
    const value far = sb_fadd(b, math_log_any(b, x), sb_f64(b, 0x1.62e42fefa39efp-1));
    return sb_seldom(b, sb_not(b, sb_flt(b, x, sb_f64(b, LARGE))), far, near);
}

/* [asinh/C1] */
value math_asinh(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return math_asinh_f32(b, x);
    const value result = log_of_sum(b, sb_fabs(b, x), 1);
    return math_copy_sign(b, sb_fabs(b, result), x);
}

/* [acosh/C1] */
value math_acosh(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return math_acosh_f32(b, x);
    const value one = sb_f64(b, 1);
    const value edge = sb_select(b, sb_feq(b, x, one), sb_f64(b, 0), sb_f64(b, (double)NAN));
    const value is_edge = sb_not(b, sb_flt(b, one, x));
    return sb_seldom(b, is_edge, edge, log_of_sum(b, x, -1));
}
