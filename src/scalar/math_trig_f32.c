/* sin, cos and tan of f32 where |x| is not large: a multiple of pi/2 is taken off with three f32 of
 * it, and the rest is kept in two parts. */
#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* |x| is n quarter turns and rest.hi + rest.lo. */
typedef struct turns {
    value n; /* in the low bits */
    math_pair rest;
} turns;

/* The first product is taken off exactly: what is left is a multiple of the last digit of pi/2, and
 * of x. */
static turns take_turns(builder *b, value size)
{
    const value magic = sb_f32(b, 0x1.8p23f);
    const value rounded = sb_fma(b, size, sb_f32(b, 0x1.45f306p-1f), magic);
    const value n = sb_fsub(b, rounded, magic);
    const value second = sb_f32(b, 0x1.777a5cp-25f), third = sb_f32(b, 0x1.ee59dap-50f);
    const value first = sb_fma(b, n, sb_f32(b, -0x1.921fb6p0f), size);
    /* `first` may cancel with the product: the sum of the two numbers is what loses nothing. */
    const value hi = sb_fadd(b, first, sb_fmul(b, n, second));
    const value lo = sb_fma(b, n, second, sb_fsub(b, first, hi));
    return (turns){sb_bitcast(b, SCALAR_I32, rounded), {hi, sb_fma(b, n, third, lo)}};
}

static value is_even(builder *b, value n)
{
    return sb_ieq(b, sb_and(b, n, sb_i32(b, 1)), sb_i32(b, 0));
}

/* X with its sign turned where bit SHIFT of N, shifted left by so many bits, is that of a sign. */
static value with_sign_of(builder *b, value x, value sign)
{
    sign = sb_and(b, sign, sb_i32(b, INT32_MIN));
    return sb_bitcast(b, SCALAR_F32, sb_xor(b, sb_bitcast(b, SCALAR_I32, x), sign));
}

/* p of sin(r) = r + r z p(z) and cos(r) = 1 - z/2 + z^2 p(z), z = r^2, for |r| <= pi/4 and a little
 * more (test/long/math_fit.py near_f32) */
static const double sin_tail[] = {-0x1.55553ep-3, 0x1.110484p-7, -0x1.9861aep-13};
static const double cos_tail[] = {0x1.555544p-5, -0x1.6c08b6p-10, 0x1.98fa20p-16};

/* The sine of |x| + QUARTERS quarter turns; the sign bit of FLIP turns its sign. */
static value sine_at(builder *b, value size, int quarters, const value *flip)
{
    const turns t = take_turns(b, size);
    const math_pair r = t.rest;
    const value z = sb_fmul(b, r.hi, r.hi);
    /* 1 - z/2 in two parts, with what z lost */
    const value one = sb_f32(b, 1), minus_half = sb_fmul(b, r.hi, sb_f32(b, -0.5f));
    const value high = sb_fma(b, minus_half, r.hi, one);
    const value sine_rest = sb_fma(
        b, sb_fmul(b, r.hi, z), math_poly(b, z, sin_tail, COUNT(sin_tail)), sb_fmul(b, r.lo, high));
    const value sine = sb_fadd(b, r.hi, sine_rest);

    value rest = sb_fma(b, minus_half, r.hi, sb_fsub(b, one, high));
    rest = sb_fma(b, sb_fneg(b, r.hi), r.lo, rest);
    rest = sb_fma(b, sb_fmul(b, z, z), math_poly(b, z, cos_tail, COUNT(cos_tail)), rest);
    const value cosine = sb_fadd(b, high, rest);

    const value n = quarters ? sb_iadd(b, t.n, sb_i32(b, quarters)) : t.n;
    const value result = sb_select(b, is_even(b, n), sine, cosine);
    const value sign = sb_shl(b, n, sb_i32(b, 30));
    return with_sign_of(b, result, flip ? sb_xor(b, sign, *flip) : sign);
}

value math_near_sin_f32(builder *b, value x)
{
    const value sign = sb_bitcast(b, SCALAR_I32, x);
    return sine_at(b, sb_fabs(b, x), 0, &sign);
}

value math_near_cos_f32(builder *b, value x)
{
    return sine_at(b, sb_fabs(b, x), 1, NULL);
}

/* p of tan(r) = r + r z p(z), z = r^2, for |r| <= pi/4 and a little more (tan_f32) */
static const double tan_tail[] = {0x1.555574p-2, 0x1.110870p-3,   0x1.bbbc1ap-5, 0x1.53f39ep-6,
                                  0x1.8ec236p-7, -0x1.93ae72p-10, 0x1.518f20p-8};

/* The tangent of the rest, and after an odd number of quarter turns the negative of its inverse. */
value math_near_tan_f32(builder *b, value x)
{
    const turns t = take_turns(b, sb_fabs(b, x));
    const math_pair r = t.rest;
    const value one = sb_f32(b, 1), z = sb_fmul(b, r.hi, r.hi);
    /* What z lost counts most at the end of the range, where this is its slope. */
    const value lost = sb_fma(b, r.hi, r.hi, sb_fneg(b, z));
    const value more = sb_fma(b, z, math_poly(b, z, tan_tail, COUNT(tan_tail)),
                              sb_fmul(b, lost, sb_f32(b, 0.625f)));
    math_pair tangent = {.hi = sb_fma(b, r.hi, more, r.hi)};
    tangent.lo = sb_fma(b, r.hi, more, sb_fsub(b, r.hi, tangent.hi));
    /* The slope of the tangent is 1 and its square. */
    tangent.lo = sb_fma(b, sb_fma(b, tangent.hi, tangent.hi, one), r.lo, tangent.lo);
    /* Where the rest nearly vanishes, its parts are of like size. */
    tangent = math_fast_two_sum(b, tangent.hi, tangent.lo);
    const value q = sb_fdiv(b, sb_f32(b, -1), tangent.hi);
    const value wrong = sb_fma(b, q, tangent.lo, sb_fma(b, q, tangent.hi, one));
    const value inverse = sb_fma(b, q, wrong, q);
    const value result = sb_select(b, is_even(b, t.n), tangent.hi, inverse);
    return with_sign_of(b, result, sb_bitcast(b, SCALAR_I32, x));
}
