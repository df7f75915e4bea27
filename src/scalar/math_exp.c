/* exp and exp2: the argument is k log 2 + r with an integer k, the power of e (or 2) of r is a
 * polynomial, and 2^k is multiplied in two exact steps and one rounded one, so that denormal
 * results are right. */
#include "scalar/math_parts.h"

/* q of e^r = 1 + r + r^2 q(r) for |r| <= log(2)/2 (test/long/math_fit.py exp_f32 exp_f64) */
static const double exp_f32[] = {0x1.fffffcp-2, 0x1.55548ap-3, 0x1.555850p-5, 0x1.123ebep-7,
                                 0x1.6ac286p-10};
static const double exp_f64[] = {0x1p-1,
                                 0x1.555555555555dp-3,
                                 0x1.555555555556cp-5,
                                 0x1.111111110e548p-7,
                                 0x1.6c16c16c0a3f4p-10,
                                 0x1.a01a01b5f428bp-13,
                                 0x1.a01a01e32e898p-16,
                                 0x1.71ddeaa4d7882p-19,
                                 0x1.27e46f27dd4eap-22,
                                 0x1.af746a760f634p-26,
                                 0x1.1fe3d1d60e7f6p-29};

/* q of 2^f = 1 + f q(f) for |f| <= 1/2 (exp2_f32 exp2_f64) */
static const double exp2_f32[] = {0x1.62e432p-1, 0x1.ebfbe6p-3,  0x1.c6ada6p-5,
                                  0x1.3b21c8p-7, 0x1.5fc046p-10, 0x1.4bc0bep-13};
static const double exp2_f64[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58ep-3,  0x1.c6b08d704a1c3p-5,  0x1.3b2ab6fba5266p-7,
    0x1.5d87fe787c1efp-10, 0x1.430912f6d29e5p-13, 0x1.ffcbfd180b6f0p-17, 0x1.62c02b172813bp-20,
    0x1.b523a473f78d8p-24, 0x1.e4a4e08dff315p-28, 0x1.ebbcf1c67a942p-32, 0x1.05fb28e4b0cb6p-35};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* e^x 2^-halvings */
static value exp_of(builder *b, value x, unsigned halvings)
{
    const scalar_type type = sb_type(b, x);
    const bool wide = type == SCALAR_F64;
    const value one = math_float(b, type, 1), magic = math_float(b, type, scalar_magic(type));
    /* The high part of log 2 has enough zeros at its end for k times it to be exact. */
    const value log2_e = math_float(b, type, wide ? 0x1.71547652b82fep0 : 0x1.715476p0);
    const value minus_high = math_float(b, type, wide ? -0x1.62e42feep-1 : -0x1.62e4p-1);
    const value minus_low = math_float(b, type, wide ? -0x1.a39ef35793c76p-33 : -0x1.7f7d1cp-20);

    x = wide ? math_clamp(b, x, -746, 710 + halvings) : math_clamp(b, x, -104, 89);
    const value rounded = sb_fma(b, x, log2_e, magic);
    const value k = sb_fsub(b, rounded, magic);
    value r = sb_fma(b, k, minus_high, x);
    r = sb_fma(b, k, minus_low, r);
    value p =
        wide ? math_poly(b, r, exp_f64, COUNT(exp_f64)) : math_poly(b, r, exp_f32, COUNT(exp_f32));
    p = sb_fma(b, p, r, one);
    p = sb_fma(b, p, r, one);
    const value less = math_float(b, type, halvings);
    return sb_scale(b, p, halvings ? sb_fsub(b, rounded, less) : rounded);
}

value math_exp(builder *b, value x)
{
    return exp_of(b, x, 0);
}

value math_exp_half(builder *b, value x)
{
    return exp_of(b, x, 1);
}

/* 2^r for |r| <= 1/2 */
static value exp2_fraction(builder *b, value r)
{
    const scalar_type type = sb_type(b, r);
    const value q = type == SCALAR_F64 ? math_poly(b, r, exp2_f64, COUNT(exp2_f64))
                                       : math_poly(b, r, exp2_f32, COUNT(exp2_f32));
    return sb_fma(b, q, r, math_float(b, type, 1));
}

/* 2^(x + *rest), or 2^x when REST is NULL */
static value exp2_of(builder *b, value x, const value *rest)
{
    const scalar_type type = sb_type(b, x);
    const value magic = math_float(b, type, scalar_magic(type));

    x = type == SCALAR_F64 ? math_clamp(b, x, -1080, 1030) : math_clamp(b, x, -155, 133);
    const value rounded = sb_fadd(b, x, magic);
    value r = sb_fsub(b, x, sb_fsub(b, rounded, magic)); /* exact */
    if (rest)
        r = sb_fadd(b, r, *rest);
    return sb_scale(b, exp2_fraction(b, r), rounded);
}

value math_exp2(builder *b, value x)
{
    return exp2_of(b, x, NULL);
}

value math_exp2_sum(builder *b, value x, value rest)
{
    return exp2_of(b, x, &rest);
}

value math_exp2_near(builder *b, value x, double high, double low)
{
    const scalar_type type = sb_type(b, x);
    const math_format f = format_of(type);
    const value magic = math_float(b, type, scalar_magic(type));
    value rounded, r;
    if (high == 1) {
        rounded = sb_fadd(b, x, magic);
        r = sb_fsub(b, x, sb_fsub(b, rounded, magic));
    } else {
        const value factor = math_float(b, type, high);
        rounded = sb_fma(b, x, factor, magic);
        r = sb_fma(b, x, factor, sb_fsub(b, magic, rounded));
    }
    if (low != 0)
        r = sb_fma(b, x, math_float(b, type, low), r);
    const value k = sb_shl(b, sb_bitcast(b, f.integer, rounded), math_int(b, type, f.mantissa));
    return sb_bitcast(b, type, sb_iadd(b, sb_bitcast(b, f.integer, exp2_fraction(b, r)), k));
}

/* ---- e^x - 1, and what is made of it; f32 is done in f64 ---- */

/* e^x - LESS, which is 1 or 0, for |x| <= 40: (2^k - LESS) + 2^k (e^r - 1), kept in two parts. */
static math_pair exp_pair(builder *b, value x, double less)
{
    const value magic = sb_f64(b, scalar_magic(SCALAR_F64));
    const value rounded = sb_fma(b, x, sb_f64(b, 0x1.71547652b82fep0), magic);
    const value k = sb_fsub(b, rounded, magic);
    const value high = sb_fma(b, k, sb_f64(b, -0x1.62e42feep-1), x);
    const math_pair r =
        math_fast_two_sum(b, high, sb_fmul(b, k, sb_f64(b, -0x1.a39ef35793c76p-33)));
    const value square = sb_fmul(b, r.hi, r.hi);
    const value tail = sb_fma(b, square, math_poly(b, r.hi, exp_f64, COUNT(exp_f64)), r.lo);

    const value biased = sb_iadd(b, sb_bitcast(b, SCALAR_I64, rounded), sb_i64(b, 1023));
    const value power = sb_bitcast(b, SCALAR_F64, sb_shl(b, biased, sb_i64(b, 52)));
    const math_pair sum =
        math_two_sum(b, sb_fsub(b, power, sb_f64(b, less)), sb_fmul(b, power, r.hi));
    return math_fast_two_sum(b, sum.hi, sb_fma(b, power, tail, sum.lo));
}

/* From here on e^x - 1 is e^x, and e^-x nothing beside it. */
enum { FAR = 40 };

/* [expm1/C1] */
value math_expm1(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const value wide = math_widen(b, x);
    const math_pair near = exp_pair(b, math_clamp(b, wide, -FAR, FAR), 1);
    const value is_far = sb_flt(b, sb_f64(b, FAR), wide);
    const value result = sb_select(b, is_far, math_exp(b, wide), sb_fadd(b, near.hi, near.lo));
    return math_narrow(b, type, math_copy_sign(b, sb_fabs(b, result), wide));
}

static value minimum(builder *b, value x, double most)
{
    const value limit = sb_f64(b, most);
    return sb_select(b, sb_flt(b, limit, x), limit, x);
}

/* (E + E / (E + 1)) / 2 with E = e^|x| - 1. [sinh/C1] */
value math_sinh(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const value wide = math_widen(b, x), size = sb_fabs(b, wide), one = sb_f64(b, 1);
    const math_pair e = exp_pair(b, minimum(b, size, FAR), 1);
    math_pair e1 = math_two_sum(b, one, e.hi);
    e1.lo = sb_fadd(b, e1.lo, e.lo);
    const math_pair q = math_quotient(b, e, e1), sum = math_fast_two_sum(b, e.hi, q.hi);
    const value lost = sb_fadd(b, sum.lo, sb_fadd(b, e.lo, q.lo));
    const value near = sb_fmul(b, sb_fadd(b, sum.hi, lost), sb_f64(b, 0.5));
    const value is_far = sb_flt(b, sb_f64(b, FAR), size);
    const value result = sb_select(b, is_far, math_exp_half(b, size), near);
    return math_narrow(b, type, math_copy_sign(b, sb_fabs(b, result), wide));
}

/* (e^|x| + 1 / e^|x|) / 2. [cosh/C1] */
value math_cosh(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const value size = sb_fabs(b, math_widen(b, x)), one = sb_f64(b, 1);
    const math_pair e = exp_pair(b, minimum(b, size, FAR), 1);
    math_pair e1 = math_two_sum(b, one, e.hi);
    e1.lo = sb_fadd(b, e1.lo, e.lo);
    const math_pair q = math_quotient(b, (math_pair){one, sb_f64(b, 0)}, e1);
    const math_pair sum = math_fast_two_sum(b, e1.hi, q.hi);
    const value lost = sb_fadd(b, sum.lo, sb_fadd(b, e1.lo, q.lo));
    const value near = sb_fmul(b, sb_fadd(b, sum.hi, lost), sb_f64(b, 0.5));
    const value is_far = sb_flt(b, sb_f64(b, FAR), size);
    return math_narrow(b, type, sb_select(b, is_far, math_exp_half(b, size), near));
}

/* e^x for an f32 x up to 0, in two parts: 1 + (r + r^2 q(r)), and what that sum and r lose. */
static math_pair exp_pair_f32(builder *b, value x)
{
    const value one = math_float(b, SCALAR_F32, 1),
                magic = math_float(b, SCALAR_F32, scalar_magic(SCALAR_F32));
    x = math_clamp(b, x, -104, 0);
    const value rounded = sb_fma(b, x, math_float(b, SCALAR_F32, 0x1.715476p0), magic);
    const value k = sb_fsub(b, rounded, magic);
    const value minus_low = math_float(b, SCALAR_F32, -0x1.7f7d1cp-20);
    const value high = sb_fma(b, k, math_float(b, SCALAR_F32, -0x1.62e4p-1), x);
    const value r = sb_fma(b, k, minus_low, high);
    const value lost = sb_fma(b, k, minus_low, sb_fsub(b, high, r));
    const value q = math_poly(b, r, exp_f32, COUNT(exp_f32));
    const math_pair p = math_fast_two_sum(b, one, sb_fma(b, sb_fmul(b, r, r), q, r));
    const value low = sb_fma(b, p.hi, lost, p.lo);
    return (math_pair){sb_scale(b, p.hi, rounded), sb_scale(b, low, rounded)};
}

/* The same formula as for f64, in f32: the quotient gets one correction. */
static value sigmoid_f32(builder *b, value x)
{
    const value zero = math_float(b, SCALAR_F32, 0), one = math_float(b, SCALAR_F32, 1);
    const math_pair e = exp_pair_f32(b, sb_fneg(b, sb_fabs(b, x)));
    math_pair under = math_fast_two_sum(b, one, e.hi);
    under.lo = sb_fadd(b, under.lo, e.lo);
    const value is_below = sb_flt(b, x, zero);
    const math_pair over = {sb_select(b, is_below, e.hi, one), sb_select(b, is_below, e.lo, zero)};
    const value inverse = sb_fdiv(b, one, under.hi), q = sb_fmul(b, over.hi, inverse);
    const value minus_q = sb_fneg(b, q);
    value rest = sb_fma(b, minus_q, under.hi, over.hi);
    rest = sb_fma(b, minus_q, under.lo, sb_fadd(b, rest, over.lo));
    return sb_fma(b, rest, inverse, q);
}

/* 1 / (1 + e^-x), and e^x / (1 + e^x) below 0. [sigmoid/C1] */
value math_sigmoid(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    if (type == SCALAR_F32)
        return sigmoid_f32(b, x);
    const value wide = math_widen(b, x), size = sb_fabs(b, wide);
    const value zero = sb_f64(b, 0), one = sb_f64(b, 1);
    const value is_far = sb_flt(b, sb_f64(b, FAR), size);
    math_pair e = exp_pair(b, sb_fneg(b, minimum(b, size, FAR)), 0);
    e.hi = sb_select(b, is_far, math_exp(b, sb_fneg(b, size)), e.hi);
    e.lo = sb_select(b, is_far, zero, e.lo);
    math_pair under = math_two_sum(b, one, e.hi);
    under.lo = sb_fadd(b, under.lo, e.lo);
    const value is_below = sb_flt(b, wide, zero);
    const math_pair over = {sb_select(b, is_below, e.hi, one), sb_select(b, is_below, e.lo, zero)};
    const math_pair q = math_quotient(b, over, under);
    return math_narrow(b, type, sb_fadd(b, q.hi, q.lo));
}
