/* pow: 2 to the y log2|x|, with the logarithm in more digits than the result has: in f64 for f32,
 * as a sum of two f64 for f64. Signs and limits follow C, annex F. */
#include <math.h>

#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* log2((1 + s) / (1 - s)) = s p(z), z = s^2, and 2^f = 1 + f q(f), in f64 for an f32 result
 * (test/long/math_fit.py pow_f32) */
static const double log2_short[] = {0x1.71547652b8251p+1, 0x1.ec709dc53c7acp-1,
                                    0x1.2776c293263c4p-1, 0x1.a61a2ede89adfp-2,
                                    0x1.479552a3c6628p-2, 0x1.21b120c556687p-2};
/* half of it */
static const double exp2_short[] = {
    0x1.62e4300b9d425p-2,  0x1.ebfbe0456dd4fp-4,  0x1.c6b0551e6a1b9p-6, 0x1.3b2a1bf96928ap-8,
    0x1.5dc0504621cd6p-11, 0x1.443f9209da5f1p-14, 0x1.c048d69263801p-18};
/* q of atanh(s) = s + s z / 3 + s z^2 q(z) (pow_f64) */
static const double atanh_tail[] = {
    0x1.9999999999996p-3, 0x1.2492492492f51p-3, 0x1.c71c71c5968f7p-4, 0x1.745d18295696ap-4,
    0x1.3b1364c947b47p-4, 0x1.11206f2d6ea39p-4, 0x1.de3d70dbb0a7dp-5, 0x1.eac5ba4b11c41p-5};

/* log2 of an X that was a positive finite f32, good to about 2^-44 */
static value log2_for_f32(builder *b, value x)
{
    const math_split_result x2 = math_split_normal(b, x);
    const value s = sb_fdiv(b, x2.f, sb_fadd(b, x2.f, sb_f64(b, 2)));
    const value z = sb_fmul(b, s, s);
    return sb_fma(b, s, math_poly(b, z, log2_short, COUNT(log2_short)), x2.e);
}

/* a b, rounded to a pair: the product of the low parts is left out */
static math_pair multiply(builder *b, math_pair x, math_pair y)
{
    math_pair p = math_two_product(b, x.hi, y.hi);
    p.lo = sb_fma(b, x.hi, y.lo, sb_fma(b, x.lo, y.hi, p.lo));
    return p;
}

/* log2 of 2^e (1 + f), good to about 2^-65 */
static math_pair log2_for_f64(builder *b, math_split_result x)
{
    const value f = x.f;
    /* s = f / (2 + f), the divisor being a pair too */
    const math_pair d = math_fast_two_sum(b, sb_f64(b, 2), f);
    const value inverse = sb_fdiv(b, sb_f64(b, 1), d.hi);
    math_pair s = {.hi = sb_fmul(b, f, inverse)};
    const value minus_s = sb_fneg(b, s.hi);
    s.lo = sb_fma(b, minus_s, d.lo, sb_fma(b, minus_s, d.hi, f));
    s.lo = sb_fmul(b, s.lo, inverse);

    const math_pair z = multiply(b, s, s);
    const math_pair third = {sb_f64(b, 0x1.5555555555555p-2), sb_f64(b, 0x1.5555555555555p-56)};
    math_pair v = multiply(b, z, third);
    const value tail = math_poly(b, z.hi, atanh_tail, COUNT(atanh_tail));
    const math_pair sum = math_fast_two_sum(b, v.hi, sb_fmul(b, sb_fmul(b, z.hi, z.hi), tail));
    v = (math_pair){sum.hi, sb_fadd(b, sum.lo, v.lo)};
    const math_pair sv = multiply(b, s, v);
    math_pair a = math_fast_two_sum(b, s.hi, sv.hi);
    a.lo = sb_fadd(b, a.lo, sb_fadd(b, s.lo, sv.lo));

    const math_pair two_over_ln2 = {sb_f64(b, 0x1.71547652b82fep1),
                                    sb_f64(b, 0x1.777d0ffda0d24p-55)};
    const math_pair l = multiply(b, a, two_over_ln2);
    math_pair result = math_fast_two_sum(b, x.e, l.hi);
    result.lo = sb_fadd(b, result.lo, l.lo);
    return result;
}

/* The limits of log2|x| outside the positive finite numbers; |x| is SIZE. */
static value limits(builder *b, value size, value logarithm)
{
    const value infinity = sb_f64(b, (double)INFINITY), zero = sb_f64(b, 0);
    logarithm = sb_select(b, sb_flt(b, size, infinity), logarithm, size);
    return sb_select(b, sb_feq(b, size, zero), sb_f64(b, -(double)INFINITY), logarithm);
}

/* y log2|x| is 0 wherever one factor is 0: x^0 = 1 and 1^y = 1 whatever the other operand is. */
static value product(builder *b, value y, value logarithm)
{
    const value zero = sb_f64(b, 0);
    const value is_zero = sb_or(b, sb_feq(b, y, zero), sb_feq(b, logarithm, zero));
    return sb_select(b, is_zero, zero, sb_fmul(b, y, logarithm));
}

/* 2^t in f64 for an f32 result, T clamped to where that result still changes: half of the power of
 * the fraction, times 2^(k + 1). 1024 is even, so that a t in the middle of two integers goes to
 * the even one. */
static value power_for_f32(builder *b, value t)
{
    const value magic = sb_f64(b, scalar_magic(SCALAR_F64) + 1024);
    t = math_clamp(b, t, -160, 160);
    const value rounded = sb_fadd(b, t, magic);
    const value f = sb_fsub(b, t, sb_fsub(b, rounded, magic));
    const value p = sb_fma(b, f, math_poly(b, f, exp2_short, COUNT(exp2_short)), sb_f64(b, 0.5));
    const value scale = sb_shl(b, sb_bitcast(b, SCALAR_I64, rounded), sb_i64(b, 52));
    /* A product, so that NaN stays NaN. */
    return sb_fmul(b, p, sb_bitcast(b, SCALAR_F64, scale));
}

/* Negative X: NaN unless Y is an integer, and the sign of X when it is odd; zeros keep their sign
 * likewise. */
static value apply_sign(builder *b, value x, value y, value size)
{
    const value half = sb_fmul(b, y, sb_f64(b, 0.5)), zero = sb_f64(b, 0);
    const value whole = sb_feq(b, y, sb_frint(b, y));
    const value odd = sb_and(b, whole, sb_not(b, sb_feq(b, half, sb_frint(b, half))));
    const value sign = sb_and(b, sb_bitcast(b, SCALAR_I64, x), sb_i64(b, INT64_MIN));
    const value bits =
        sb_or(b, sb_bitcast(b, SCALAR_I64, size), sb_select(b, odd, sign, sb_i64(b, 0)));
    const value undefined = sb_and(b, sb_flt(b, x, zero), sb_not(b, whole));
    /* -inf is above every power: only its sign counts. */
    const value finite = sb_flt(b, sb_f64(b, -(double)INFINITY), x);
    return sb_select(b, sb_and(b, undefined, finite), sb_f64(b, (double)NAN),
                     sb_bitcast(b, SCALAR_F64, bits));
}

/* In f64; signs and limits apart, for they are seldom. */
static value pow_f32(builder *b, value x, value y)
{
    const value one = sb_i32(b, 1), bits = sb_bitcast(b, SCALAR_I32, x);
    const value is_positive = sb_iult(b, sb_isub(b, bits, one), sb_i32(b, 0x7f7fffff));
    const value is_finite = sb_flt(b, sb_fabs(b, y), sb_f32(b, INFINITY));
    const value plain = sb_and(b, is_positive, is_finite);
    const value size = math_widen(b, sb_fabs(b, x)), wide_y = math_widen(b, y);
    const value l = log2_for_f32(b, size);
    const value near = power_for_f32(b, sb_fmul(b, wide_y, l));
    const value power = power_for_f32(b, product(b, wide_y, limits(b, size, l)));
    const value other = apply_sign(b, math_widen(b, x), wide_y, power);
    return sb_seldom(b, sb_not(b, plain), math_narrow(b, SCALAR_F32, other),
                     math_narrow(b, SCALAR_F32, near));
}

/* (2^e (1 + f))^y; *T becomes about its logarithm. What the product with Y lost is nothing beside T
 * where 2^T is 0 or infinite, as it is from 1100 on. */
static value power_for_f64(builder *b, math_split_result x, value y, value *t)
{
    const math_pair l = log2_for_f64(b, x);
    *t = sb_fmul(b, y, l.hi);
    const value rest = sb_fma(b, y, l.lo, sb_fma(b, y, l.hi, sb_fneg(b, *t)));
    const value near = sb_fle(b, sb_fabs(b, *t), sb_f64(b, 1100));
    return math_exp2_sum(b, *t, sb_select(b, near, rest, sb_f64(b, 0)));
}

/* |x|^y, which is POWER where neither 0, an infinity nor NaN is concerned; |x| is SIZE. */
static value power_at_limits(builder *b, value size, value y, value power)
{
    const value zero = sb_f64(b, 0), one = sb_f64(b, 1), infinity = sb_f64(b, (double)INFINITY);
    /* Of the logarithm's numbers only the sign counts. */
    value l = sb_select(b, sb_flt(b, size, one), sb_f64(b, -1), one);
    l = limits(b, size, sb_select(b, sb_feq(b, size, one), zero, l));
    const value t = product(b, y, l), far = sb_select(b, sb_flt(b, zero, t), infinity, zero);
    power = sb_select(b, sb_feq(b, sb_fabs(b, t), infinity), far, power);
    power = sb_select(b, sb_feq(b, t, zero), one, power);
    return sb_select(b, sb_funo(b, t, t), t, power);
}

value math_pow(builder *b, value x, value y)
{
    if (sb_type(b, x) == SCALAR_F32)
        return pow_f32(b, x, y);
    const value size = sb_fabs(b, x);
    const math_outside outside = math_outside_normal(b, size);
    value t, other_t, power = power_for_f64(b, math_split_normal(b, size), y, &t);
    const value other = power_for_f64(b, math_split(b, size), y, &other_t);
    power = sb_seldom(b, outside.is_denormal, other, power);
    /* T is NaN where Y is, and for 1^inf. */
    const value is_limit = sb_or(b, outside.is_limit, sb_funo(b, t, t));
    power = sb_seldom(b, is_limit, power_at_limits(b, size, y, power), power);
    const value is_negative = sb_ilt(b, sb_bitcast(b, SCALAR_I64, x), sb_i64(b, 0));
    return sb_seldom(b, is_negative, apply_sign(b, x, y, power), power);
}
