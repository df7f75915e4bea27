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

/* From here down e^x and 2^x are less than half the least number, and the two factors of sb_scale
 * are 0, also with k - 1. Where they were powers of two, the product would be the 0 that it rounds
 * to, which takes processors tens of cycles: scores that a mask has made -1e9 are such x. */
#define FARTHEST_F32 -253
#define FARTHEST_F64 -2045
#define LOG_2 0x1.62e42fefa39efp-1

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

    x = wide ? math_clamp(b, x, FARTHEST_F64 * LOG_2, 710 + halvings)
             : math_clamp(b, x, FARTHEST_F32 * LOG_2, 89);
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

    x = type == SCALAR_F64 ? math_clamp(b, x, FARTHEST_F64, 1030)
                           : math_clamp(b, x, FARTHEST_F32, 133);
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

/* ---- e^x - 1, and what is made of it, for f32 ---- */

/* x = k log 2 + r and r = high + low, where HIGH is exact and LOW far smaller. */
typedef struct split_f32 {
    value rounded; /* k + scalar_magic */
    value k, high, r;
} split_f32;

/* log 2 less its f32, negative */
static const double minus_low_f32 = 0x1.05c610p-29;

static split_f32 split_by_log2(builder *b, value x)
{
    split_f32 s = {.rounded = sb_fma(b, x, sb_f32(b, 0x1.715476p0f), sb_f32(b, 0x1.8p23f))};
    s.k = sb_fsub(b, s.rounded, sb_f32(b, 0x1.8p23f));
    s.high = sb_fma(b, s.k, sb_f32(b, -0x1.62e430p-1f), x);
    s.r = sb_fma(b, s.k, math_float(b, SCALAR_F32, minus_low_f32), s.high);
    return s;
}

/* TAIL and what S.R has more than S.HIGH */
static value with_low(builder *b, split_f32 s, value tail)
{
    return sb_fma(b, s.k, math_float(b, SCALAR_F32, minus_low_f32), tail);
}

/* 2^(k + more) for a normal number */
static value power_f32(builder *b, split_f32 s, int more)
{
    const value bits = sb_bitcast(b, SCALAR_I32, s.rounded);
    const value biased = sb_iadd(b, bits, sb_i32(b, 127 + more));
    return sb_bitcast(b, SCALAR_F32, sb_shl(b, biased, sb_i32(b, 23)));
}

/* Twice base (1 + MORE) + FACTOR (s + TAIL) with base = FIRST + SECOND, where |base| is not below
 * |FACTOR s| if it is not 0: only the last sum rounds what matters. */
static value twice_sum(builder *b, math_pair base, value factor, value s, value tail, value more)
{
    const value sum = sb_fma(b, factor, s, base.hi);
    const value lost = sb_fma(b, factor, s, sb_fsub(b, base.hi, sum));
    value rest = sb_fma(b, factor, tail, sb_fadd(b, lost, base.lo));
    rest = sb_fma(b, base.hi, more, rest);
    const value half = sb_fadd(b, sum, rest);
    return sb_fadd(b, half, half);
}

/* q of e^r - 1 = r + r^2 q(r) for |r| <= log(2)/2 (expm1_f32) */
static const double exp_near[] = {0x1.fffffep-2, 0x1.5554a8p-3, 0x1.555796p-5, 0x1.122e28p-7,
                                  0x1.6ac05ap-10};

/* p of sinh(r) = r + r z p(z) and cosh(r) = 1 + z p(z), z = r^2 (sinh_f32) */
static const double sinh_near_f32[] = {0x1.555556p-3, 0x1.110fbep-7, 0x1.a2e288p-13};
static const double cosh_near_f32[] = {0x1p-1, 0x1.5554e6p-5, 0x1.6d4f54p-10};

/* The hyperbolic sine, or cosine, of SIZE = |x|: with p, q = 2^(k-1), 2^(-k-1), it is (p -+ q)
 * cosh(r) + (p +- q) sinh(r), halved, for 2^128 is no number. */
static value hyperbolic_f32(builder *b, value size, bool cosine)
{
    const value end = sb_f32(b, 89.5f);
    const split_f32 s = split_by_log2(b, sb_select(b, sb_flt(b, end, size), end, size));
    const value p = power_f32(b, s, -2);
    /* 2^(-k-2), or 0 where it is nothing beside p */
    const value zero = sb_i32(b, 0);
    const value inverse = sb_isub(b, sb_i32(b, 250 << 23), sb_bitcast(b, SCALAR_I32, p));
    const value q =
        sb_bitcast(b, SCALAR_F32, sb_select(b, sb_ilt(b, inverse, zero), zero, inverse));
    const math_pair difference = math_fast_two_sum(b, p, sb_fneg(b, q)),
                    sum = math_fast_two_sum(b, p, q);

    const value z = sb_fmul(b, s.r, s.r);
    const value odd = math_poly(b, z, sinh_near_f32, COUNT(sinh_near_f32));
    const value even = sb_fmul(b, z, math_poly(b, z, cosh_near_f32, COUNT(cosh_near_f32)));
    const value tail = with_low(b, s, sb_fmul(b, sb_fmul(b, s.r, z), odd));
    return cosine ? twice_sum(b, sum, difference.hi, s.high, tail, even)
                  : twice_sum(b, difference, sum.hi, s.high, tail, even);
}

static value sinh_f32(builder *b, value x)
{
    const value size = sb_fabs(b, x), result = hyperbolic_f32(b, size, false);
    const value tiny = sb_flt(b, size, sb_f32(b, 0x1p-30f));
    return math_copy_sign(b, sb_select(b, tiny, size, result), x);
}

/* ---- the same for f64 ---- */

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

/* q of e^r - 1 = r + r^2 q(r) for |r| <= log(2)/2, in f64 for an f32 result (expm1_f32): the even
 * coefficients and the odd ones */
static const double expm1_even[] = {0x1.0000000000005p-1, 0x1.5555555551c64p-5,
                                    0x1.6c16c180cfacbp-10, 0x1.a019a131652acp-16,
                                    0x1.28a8338218ac1p-22};
static const double expm1_odd[] = {0x1.55555555553ebp-3, 0x1.1111111184a74p-7,
                                   0x1.a019fec5de3b9p-13, 0x1.71e543a8a1400p-19,
                                   0x1.a2ceef5e16c63p-26};

/* In f64, one part of which is enough: the result is that of two parts for every f32
 * (test/long/math_exhaustive.c). */
static value expm1_f32(builder *b, value x)
{
    /* Up to where e^x is infinite in f32; the integer in ROUNDED is k + 1023. */
    const value wide = math_widen(b, math_clamp(b, x, -FAR, 128));
    const value magic = sb_f64(b, scalar_magic(SCALAR_F64) + 1023);
    const value rounded = sb_fma(b, wide, sb_f64(b, 0x1.71547652b82fep0), magic);
    const value k = sb_fsub(b, rounded, magic);
    value r = sb_fma(b, k, sb_f64(b, -0x1.62e42feep-1), wide);
    r = sb_fma(b, k, sb_f64(b, -0x1.a39ef35793c76p-33), r);
    const value z = sb_fmul(b, r, r);
    const value odd = math_poly(b, z, expm1_odd, COUNT(expm1_odd));
    const value q = sb_fma(b, odd, r, math_poly(b, z, expm1_even, COUNT(expm1_even)));
    const value near = sb_fma(b, z, q, r);
    const value bits = sb_shl(b, sb_bitcast(b, SCALAR_I64, rounded), sb_i64(b, 52));
    const value power = sb_bitcast(b, SCALAR_F64, bits);
    const value result = sb_fma(b, power, near, sb_fsub(b, power, sb_f64(b, 1)));
    /* The sum of 0 and -0 is 0. */
    return math_copy_sign(b, sb_fabs(b, math_narrow(b, SCALAR_F32, result)), x);
}

/* [expm1/C1] */
value math_expm1(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return expm1_f32(b, x);
    const math_pair near = exp_pair(b, math_clamp(b, x, -FAR, FAR), 1);
    const value is_far = sb_flt(b, sb_f64(b, FAR), x);
    const value result = sb_seldom(b, is_far, math_exp(b, x), sb_fadd(b, near.hi, near.lo));
    return math_copy_sign(b, sb_fabs(b, result), x);
}

static value minimum(builder *b, value x, double most)
{
    const value limit = sb_f64(b, most);
    return sb_select(b, sb_flt(b, limit, x), limit, x);
}

/* (E + E / (E + 1)) / 2 with E = e^|x| - 1. [sinh/C1] */
value math_sinh(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return sinh_f32(b, x);
    const value size = sb_fabs(b, x), one = sb_f64(b, 1);
    const math_pair e = exp_pair(b, minimum(b, size, FAR), 1);
    math_pair e1 = math_two_sum(b, one, e.hi);
    e1.lo = sb_fadd(b, e1.lo, e.lo);
    const math_pair q = math_quotient(b, e, e1), sum = math_fast_two_sum(b, e.hi, q.hi);
    const value lost = sb_fadd(b, sum.lo, sb_fadd(b, e.lo, q.lo));
    const value near = sb_fmul(b, sb_fadd(b, sum.hi, lost), sb_f64(b, 0.5));
    const value is_far = sb_flt(b, sb_f64(b, FAR), size);
    const value result = sb_seldom(b, is_far, math_exp_half(b, size), near);
    return math_copy_sign(b, sb_fabs(b, result), x);
}

/* (e^|x| + 1 / e^|x|) / 2. [cosh/C1] */
value math_cosh(builder *b, value x)
{
    const value size = sb_fabs(b, x);
    if (sb_type(b, x) == SCALAR_F32)
        return hyperbolic_f32(b, size, true);
    const value one = sb_f64(b, 1);
    const math_pair e = exp_pair(b, minimum(b, size, FAR), 1);
    math_pair e1 = math_two_sum(b, one, e.hi);
    e1.lo = sb_fadd(b, e1.lo, e.lo);
    const math_pair q = math_quotient(b, (math_pair){one, sb_f64(b, 0)}, e1);
    const math_pair sum = math_fast_two_sum(b, e1.hi, q.hi);
    const value lost = sb_fadd(b, sum.lo, sb_fadd(b, e1.lo, q.lo));
    const value near = sb_fmul(b, sb_fadd(b, sum.hi, lost), sb_f64(b, 0.5));
    const value is_far = sb_flt(b, sb_f64(b, FAR), size);
    return sb_seldom(b, is_far, math_exp_half(b, size), near);
}

/* e^r = 1 + near + lost, with |lost| below an ulp of the sum */
static math_pair exp_of_split(builder *b, split_f32 s)
{
    const value q = math_poly(b, s.r, exp_near, COUNT(exp_near));
    const value tail = with_low(b, s, sb_fmul(b, sb_fmul(b, s.r, s.r), q));
    return math_fast_two_sum(b, sb_f32(b, 1), sb_fadd(b, s.high, tail));
}

/* From here down 1 + e^-x is nothing more than e^-x, but for what it rounds. */
#define SIGMOID_LOW -16

/* Below SIGMOID_LOW e^x (1 - e^x), which may be denormal */
static value low_sigmoid_f32(builder *b, value x)
{
    const split_f32 s = split_by_log2(b, math_clamp(b, x, FARTHEST_F32 * LOG_2, SIGMOID_LOW));
    const math_pair e = exp_of_split(b, s);
    const value power = sb_scale(b, e.hi, s.rounded), minus = sb_fneg(b, e.hi);
    return sb_scale(b, sb_fadd(b, e.hi, sb_fma(b, minus, power, e.lo)), s.rounded);
}

/* 1 / (1 + 2^k e^r) with k log 2 + r = -x, the sum in two parts, and the quotient mended once. */
static value sigmoid_f32(builder *b, value x)
{
    const value one = sb_f32(b, 1);
    const split_f32 s = split_by_log2(b, sb_fneg(b, math_clamp(b, x, SIGMOID_LOW, 40)));
    const math_pair e = exp_of_split(b, s);
    const value power = power_f32(b, s, 0), under = sb_fma(b, power, e.hi, one);
    const value rest = sb_fma(b, power, e.hi, sb_fsub(b, one, under));
    const value lost = sb_fma(b, power, e.lo, rest);
    const value inverse = sb_fdiv(b, one, under), minus = sb_fneg(b, inverse);
    const value wrong = sb_fma(b, minus, lost, sb_fma(b, minus, under, one));
    const value result = sb_fma(b, inverse, wrong, inverse);
    const value is_low = sb_flt(b, x, sb_f32(b, SIGMOID_LOW));
    return sb_seldom(b, is_low, low_sigmoid_f32(b, x), result);
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
    e.hi = sb_seldom(b, is_far, math_exp(b, sb_fneg(b, size)), e.hi);
    e.lo = sb_select(b, is_far, zero, e.lo);
    math_pair under = math_two_sum(b, one, e.hi);
    under.lo = sb_fadd(b, under.lo, e.lo);
    const value is_below = sb_flt(b, wide, zero);
    const math_pair over = {sb_select(b, is_below, e.hi, one), sb_select(b, is_below, e.lo, zero)};
    const math_pair q = math_quotient(b, over, under);
    return math_narrow(b, type, sb_fadd(b, q.hi, q.lo));
}
