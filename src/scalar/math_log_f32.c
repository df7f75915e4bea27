/* log1p, atanh, asinh and acosh of f32. Each brings its argument to 2^k (1 + f) without rounding
 * what matters, or takes a polynomial where that would cancel. */
#include <math.h>

#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* p of log(1 + f) = f + f^2 p(f) for -1/4 <= f <= 1/2, with p(0) = -1/2 (test/long/math_fit.py
 * log1p_f32) */
static const double log1p_near[] = {-0.5,           0x1.5555a4p-2,  -0x1.00002cp-2,
                                    0x1.9968c6p-3,  -0x1.54f5b0p-3, 0x1.28a1b2p-3,
                                    -0x1.0d6856p-3, 0x1.aa6a52p-4,  -0x1.6cb0fep-5};

/* log 2 in two parts, the first so short that a multiple is exact, both times 2^-23: exponents are
 * counted in the place where they stand in a number. */
#define LOG2_HIGH (0x1.62e4p-1 * 0x1p-23)
#define LOG2_LOW (0x1.7f7d1cp-20 * 0x1p-23)

/* E HIGH + f + rest, where E HIGH and f may cancel to half their size; LOW belongs to HIGH. E and
 * HIGH have opposite signs to what is meant where E may be 0 and f be -0. */
static value sum_of(builder *b, value e, double high, double low, value f, value rest)
{
    const value sum = sb_fma(b, e, math_float(b, SCALAR_F32, high), f);
    const value lost = sb_fsub(b, f, sb_fma(b, e, math_float(b, SCALAR_F32, -high), sum));
    rest = sb_fma(b, e, math_float(b, SCALAR_F32, low), rest);
    return sb_fadd(b, sum, sb_fadd(b, rest, lost));
}

/* 1 + x = 2^k (1 + f), with k from the rounded sum and f from x itself: exact but where 1 is
 * nothing beside x. x is between -1 and 2^100. */
typedef struct one_and {
    value sum;            /* 1 + x, rounded */
    value minus_k, power; /* -k in place, as a float; 2^-k */
    value f;
} one_and;

static one_and split_one_and(builder *b, value x)
{
    const value one = sb_f32(b, 1);
    one_and s = {.sum = sb_fadd(b, one, x)};
    /* The least pattern of 1 + f is that of 0.75. */
    const value bits =
        sb_isub(b, sb_i32(b, 0x3f400000 + 0x7fffff), sb_bitcast(b, SCALAR_I32, s.sum));
    const value minus_k = sb_and(b, bits, sb_i32(b, -0x800000));
    s.minus_k = sb_convert(b, SCALAR_F32, minus_k);
    s.power = sb_bitcast(b, SCALAR_F32, sb_iadd(b, minus_k, sb_i32(b, 0x3f800000)));
    s.f = sb_fma(b, x, s.power, sb_fneg(b, sb_fsub(b, one, s.power)));
    return s;
}

/* log(1 + f) - f */
static value bend(builder *b, value f)
{
    return sb_fmul(b, sb_fmul(b, f, f), math_poly(b, f, log1p_near, COUNT(log1p_near)));
}

/* [log1p/C1] */
value math_log1p_f32(builder *b, value x)
{
    const one_and s = split_one_and(b, x);
    const value result = sum_of(b, s.minus_k, -LOG2_HIGH, -LOG2_LOW, s.f, bend(b, s.f));
    const value plain = sb_and(b, sb_flt(b, sb_f32(b, -1), x), sb_flt(b, x, sb_f32(b, 0x1p100f)));
    return sb_seldom(b, sb_not(b, plain), math_log_any(b, s.sum), result);
}

/* p of atanh(s) = s + s z p(z), z = s^2, for |s| <= 1/3 (atanh_f32) */
static const double atanh_near[] = {0x1.555502p-2, 0x1.99d1ccp-3, 0x1.1ec03ep-3, 0x1.1eca32p-3};

/* (1 + a) / (1 - a) = 2^k (1 + s) / (1 - s) with a = |x|: atanh(a) is half k log 2 + atanh(s). s is
 * (a (1 + 2^k) + (1 - 2^k)) / (a (1 - 2^k) + (1 + 2^k)), which is a itself where k is 0, up to 1/4;
 * from there on 2^k is above 1 / (1 - a), but not by more than twice. [atanh/C1] */
value math_atanh_f32(builder *b, value x)
{
    const value size = sb_fabs(b, x), one = sb_f32(b, 1), one_bits = sb_i32(b, 0x3f800000);
    const value below = sb_bitcast(b, SCALAR_I32, sb_fsub(b, one, size));
    const value inverse =
        sb_isub(b, sb_i32(b, 0x7f000000), sb_and(b, below, sb_i32(b, 0x7f800000)));
    const value near = sb_flt(b, size, sb_f32(b, 0.25f));
    const value power = sb_select(b, near, one_bits, inverse);
    /* 1 + 2^k may be rounded: the sum of both factors must be 2. */
    const value more = sb_fadd(b, sb_bitcast(b, SCALAR_F32, power), one);
    const value less = sb_fsub(b, sb_f32(b, 2), more);
    const value over = sb_fma(b, size, more, less), under = sb_fma(b, size, less, more);
    const value s = sb_fdiv(b, over, under), z = sb_fmul(b, s, s);
    const value lost =
        sb_fmul(b, sb_fma(b, sb_fneg(b, s), under, over), math_rough_inverse(b, under));
    const value rest =
        sb_fma(b, sb_fmul(b, s, z), math_poly(b, z, atanh_near, COUNT(atanh_near)), lost);
    const value k = sb_convert(b, SCALAR_F32, sb_isub(b, power, one_bits));
    const value result = sum_of(b, k, LOG2_HIGH / 2, LOG2_LOW / 2, s, rest);
    const value end = sb_select(b, sb_feq(b, size, one), sb_f32(b, INFINITY), sb_f32(b, NAN));
    return math_copy_sign(b, sb_select(b, sb_flt(b, size, one), result, end), x);
}

/* log(2 (x + rest)) for a positive normal x, and a REST that is at most of the size of its rounding
 * error. */
static value log_of_twice(builder *b, value x, value rest)
{
    const value bits = sb_bitcast(b, SCALAR_I32, x);
    /* k + 1, and x 2^-k / 2 with the least pattern of 0.375 */
    const value k = sb_and(b, sb_isub(b, bits, sb_i32(b, 0x3ec00000)), sb_i32(b, -0x800000));
    const value half = sb_bitcast(b, SCALAR_F32, sb_isub(b, bits, k));
    const value f = sb_fma(b, half, sb_f32(b, 2), sb_f32(b, -1));
    /* REST is 0 where x is so large that it has no normal inverse. */
    const value end = sb_f32(b, 0x1p100f), most = sb_select(b, sb_flt(b, x, end), x, end);
    const value low = sb_fma(b, rest, math_rough_inverse(b, most), bend(b, f));
    return sum_of(b, sb_convert(b, SCALAR_F32, k), LOG2_HIGH, LOG2_LOW, f, low);
}

/* What the square root of X + REST is more than ROOT, the rounded one of X. */
static value missing_of(builder *b, value x, value rest, value root)
{
    const value more = sb_fadd(b, sb_fma(b, sb_fneg(b, root), root, x), rest);
    return sb_fmul(b, more, math_rough_inverse(b, sb_fadd(b, root, root)));
}

/* From here on the square root of (x/2)^2 +- 1/4 is x/2. */
#define LARGE_HALF 0x1p11f

/* p of asinh(x) = x + x z p(z), z = x^2, for |x| <= 1/2 (asinh_f32) */
static const double asinh_near[] = {-0x1.555536p-3, 0x1.3324f2p-4, -0x1.6b95c0p-5, 0x1.cd625ap-6,
                                    -0x1.b1433ap-7};

/* From 1/2 on log(2 (h + sqrt(h^2 + 1/4))) with h = |x| / 2. [asinh/C1] */
value math_asinh_f32(builder *b, value x)
{
    const value size = sb_fabs(b, x), half = sb_f32(b, 0.5f), quarter = sb_f32(b, 0.25f);
    const value z = sb_fmul(b, size, size);
    const value near =
        sb_fma(b, sb_fmul(b, size, z), math_poly(b, z, asinh_near, COUNT(asinh_near)), size);

    const value h = sb_fmul(b, size, half);
    const value square = sb_fma(b, h, h, quarter);
    const value lost = sb_fma(b, h, h, sb_fsub(b, quarter, square));
    const value large = sb_fle(b, sb_f32(b, LARGE_HALF), h);
    value root = sb_fsqrt(b, square);
    value rest = missing_of(b, square, lost, root);
    root = sb_select(b, large, h, root);
    rest = sb_select(b, large, sb_f32(b, 0), rest);
    const math_pair sum = math_fast_two_sum(b, root, h);
    value far = log_of_twice(b, sum.hi, sb_fadd(b, sum.lo, rest));
    far = sb_select(b, sb_flt(b, size, sb_f32(b, INFINITY)), far, size);
    return math_copy_sign(b, sb_select(b, sb_flt(b, size, half), near, far), x);
}

/* log(1 + (t + sqrt(t^2 + 2 t))) with t = x - 1, the sum in two parts. [acosh/C1] */
value math_acosh_f32(builder *b, value x)
{
    const value one = sb_f32(b, 1), t = sb_fsub(b, x, one), twice = sb_fadd(b, t, t);
    const value square = sb_fma(b, t, t, twice), root = sb_fsqrt(b, square);
    const value lost = sb_fma(b, t, t, sb_fsub(b, twice, square));
    math_pair u = math_fast_two_sum(b, root, t);
    u.lo = sb_fadd(b, u.lo, missing_of(b, square, lost, root));

    const one_and s = split_one_and(b, u.hi);
    /* 1 / (1 + f), good to a ninth */
    const value slope = sb_fma(b, s.f, sb_f32(b, -0.75f), one);
    const value rest = sb_fma(b, sb_fmul(b, u.lo, s.power), slope, bend(b, s.f));
    const value result = sum_of(b, s.minus_k, -LOG2_HIGH, -LOG2_LOW, s.f, rest);
    const value plain = sb_and(b, sb_fle(b, one, x), sb_flt(b, x, sb_f32(b, 0x1p60f)));
    const value other = math_narrow(b, SCALAR_F32, math_acosh(b, math_widen(b, x)));
    return sb_seldom(b, sb_not(b, plain), other, result);
}
