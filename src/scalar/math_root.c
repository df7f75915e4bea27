/* Roots. rsqrt: the square root and the reciprocal are exact enough together for f64 (1.5 ulp at
 * most). */
#include <math.h>

#include "scalar/math_parts.h"

/* For f32, 1 / sqrt(x) of f64 rounded to f32, bit for bit (test/long/math_exhaustive.c), without
 * f64. r is 1 / sqrt(x) of f32, and e = 1 - x r^2 is found from x r in two parts; the inverse root
 * is r (1 - e)^-1/2 = r + r e (1/2 + 3/8 e + ...). Where r is infinite or 0, that is NaN, and r is
 * right. [rsqrt/C1] */
static value near_rsqrt(builder *b, value x)
{
    const value one = sb_f32(b, 1);
    const value r = sb_fdiv(b, one, sb_fsqrt(b, x));
    const math_pair xr = math_two_product(b, x, r);
    value e = sb_fma(b, sb_fneg(b, xr.hi), r, one);
    e = sb_fma(b, sb_fneg(b, xr.lo), r, e);
    const value more = sb_fma(b, e, sb_f32(b, 0.375f), sb_f32(b, 0.5f));
    const value result = sb_fma(b, sb_fmul(b, r, e), more, r);
    return sb_select(b, sb_funo(b, result, result), r, result);
}

value math_rsqrt(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return near_rsqrt(b, x);
    return sb_fdiv(b, sb_f64(b, 1), sb_fsqrt(b, x));
}

/* A first guess of the cube root of what is between 2^-1.5 and 2^1.5, with 7 right bits
 * (test/long/math_fit.py cbrt_start) */
static const double guess[] = {0x1.ed9646p-2, 0x1.754872p-1, -0x1.f5c666p-3, 0x1.2f3602p-5};

/* 2^k for a whole number k of f64 */
static value power_of_two(builder *b, value k)
{
    const value bits = sb_bitcast(b, SCALAR_I64, sb_fadd(b, k, sb_f64(b, 0x1.8p52 + 1023)));
    return sb_bitcast(b, SCALAR_F64, sb_shl(b, bits, sb_i64(b, 52)));
}

/* Halley's step: three times as many right bits. */
static value closer(builder *b, value t, value m)
{
    const value cube = sb_fmul(b, sb_fmul(b, t, t), t);
    const value over = sb_fadd(b, sb_fadd(b, m, m), cube);
    const value under = sb_fadd(b, sb_fadd(b, cube, cube), m);
    return sb_fmul(b, t, sb_fdiv(b, over, under));
}

/* 1/3 as f32 */
#define THIRD 0x1.555556p-2f

/* The pattern of a number is about its logarithm: minus a third of it gives the inverse cube root
 * y, good to 1/30. e = 1 - a y^3 with a = |x| mends it to 2^-17; then a y^2 is the cube root, to
 * which one step of Newton's with an exact cube gives all digits. Small a are times 2^72, so that
 * products are not denormal. [cbrt/C1] */
static value cbrt_f32(builder *b, value x)
{
    const value size = sb_fabs(b, x), one = sb_f32(b, 1), third = sb_f32(b, THIRD);
    const value tiny = sb_flt(b, size, sb_f32(b, 0x1p-60f));
    const value a = sb_select(b, tiny, sb_fmul(b, size, sb_f32(b, 0x1p72f)), size);
    const value scale = sb_select(b, tiny, sb_f32(b, 0x1p-24f), one);

    const value pattern = sb_convert(b, SCALAR_F32, sb_bitcast(b, SCALAR_I32, a));
    const value first = sb_fma(b, pattern, sb_f32(b, -THIRD), sb_f32(b, (float)0x54a21d2a));
    value y = sb_bitcast(b, SCALAR_F32, sb_convert(b, SCALAR_I32, first));
    const value e = sb_fma(b, sb_fneg(b, sb_fmul(b, a, y)), sb_fmul(b, y, y), one);
    value more = sb_fma(b, e, sb_f32(b, 14.0f / 81), sb_f32(b, 2.0f / 9));
    more = sb_fma(b, e, more, third);
    y = sb_fma(b, sb_fmul(b, y, e), more, y);

    const value square = sb_fmul(b, y, y), t = sb_fmul(b, a, square), minus_t = sb_fneg(b, t);
    const math_pair t2 = math_two_product(b, t, t);
    const value rest = sb_fma(b, t2.lo, minus_t, sb_fma(b, t2.hi, minus_t, a));
    const value root = sb_fma(b, rest, sb_fmul(b, square, third), t);
    const value result =
        sb_select(b, sb_flt(b, size, sb_f32(b, INFINITY)), sb_fmul(b, root, scale), size);
    return math_copy_sign(b, result, x);
}

/* The cube root of a positive number: 2^3n m; two steps of Halley's give the root of m up to
 * rounding, and one of Newton's with an exact cube mends that. */
static value root_of(builder *b, math_split_result split)
{
    const value n = sb_frint(b, sb_fmul(b, split.e, sb_f64(b, 1.0 / 3)));
    const value left = sb_fma(b, sb_f64(b, -3), n, split.e);
    const value m = sb_fmul(b, sb_fadd(b, split.f, sb_f64(b, 1)), power_of_two(b, left));
    value t = math_poly(b, m, guess, sizeof guess / sizeof *guess);
    t = closer(b, t, m);
    t = closer(b, t, m);
    const math_pair square = math_two_product(b, t, t), cube = math_two_product(b, square.hi, t);
    const value more = sb_fadd(b, sb_fma(b, square.lo, t, cube.lo), sb_fsub(b, cube.hi, m));
    t = sb_fsub(b, t, sb_fdiv(b, more, sb_fmul(b, sb_f64(b, 3), square.hi)));
    return sb_fmul(b, t, power_of_two(b, n));
}

/* [cbrt/C1] */
value math_cbrt(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return cbrt_f32(b, x);
    const value size = sb_fabs(b, x);
    const math_outside outside = math_outside_normal(b, size);
    value root = root_of(b, math_split_normal(b, size));
    root = sb_seldom(b, outside.is_denormal, root_of(b, math_split(b, size)), root);
    root = sb_select(b, outside.is_limit, size, root);
    return math_copy_sign(b, sb_fabs(b, root), x);
}
