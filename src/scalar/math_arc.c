/* Inverse trigonometric functions of f64, and atan2 of f32 operands that math_arc_f32.c leaves out.
 */
#include <math.h>

#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* pi, pi/2, pi/4 and some arctangents in two parts */
typedef struct constant_pair {
    double hi, lo;
} constant_pair;
static const constant_pair half_pi = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};
static const constant_pair whole_pi = {0x1.921fb54442d18p1, 0x1.1a62633145c07p-53};

/* ---- atan and atan2 ---- */

/* p of atan(t) = t + t z p(z), z = t^2, for |t| <= 7/16 (test/long/math_fit.py atan_f64) */
static const double atan_tail[] = {
    -0x1.555555555550bp-2, 0x1.999999998e7ebp-3, -0x1.2492491ff3723p-3, 0x1.c71c6fdb300ebp-4,
    -0x1.745cdba6b97e3p-4, 0x1.3b0f208075c6ep-4, -0x1.10d602fad335ap-4, 0x1.ddddbfcb2fec0p-5,
    -0x1.97a0cca6b312bp-5, 0x1.2b184ca662c14p-5, -0x1.0a7fdc28ff064p-6};

/* The angle of y/x from 0 to the end of its range is near the arctangent of `slope`, and differs
 * from it by that of (y - slope x) / (x + slope y). */
typedef struct sector {
    double below;   /* y/x is less than this, or in the last sector */
    double slope;   /* of the angle that is taken off; the last one is pi/2 */
    double hi, lo;  /* that angle, */
    double left_lo; /* and the low part of pi less it, whose high part is exactly pi less HI */
} sector;
static const sector sectors[] = {
    {0.4375, 0, 0, 0, 0x1.1a62633145c07p-53},
    {0.6875, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56, 0x1.660b64ece6f4bp-53},
    {1.1875, 1, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55, 0x1.a79394c9e8a0ap-54},
    {2.4375, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56, 0x1.fa53523b6428fp-53},
    {0, 0, 0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, 0x1.1a62633145c07p-54},
};

/* The angle of the point (X, Y), neither of which has a sign, with a finite X, and whose quotient
 * is a number; of (-X, Y) where LEFT, which may be NULL. */
static value angle_of(builder *b, value y, value x, const value *left)
{
    const unsigned last = COUNT(sectors) - 1;
    value hi = sb_f64(b, sectors[last].hi), lo = sb_f64(b, sectors[last].lo);
    value left_lo = sb_f64(b, sectors[last].left_lo), slope = sb_f64(b, sectors[last - 1].slope);
    value is_last = 0;
    for (unsigned k = last; k-- > 0;) {
        const sector *s = &sectors[k];
        const value end = sb_fmul(b, x, sb_f64(b, s->below));
        /* NaN ends in the first sector. */
        const value take = k > 0 ? sb_flt(b, y, end) : sb_not(b, sb_fle(b, end, y));
        if (k == last - 1)
            is_last = sb_not(b, take);
        else
            slope = sb_select(b, take, sb_f64(b, s->slope), slope);
        hi = sb_select(b, take, sb_f64(b, s->hi), hi);
        lo = sb_select(b, take, sb_f64(b, s->lo), lo);
        left_lo = sb_select(b, take, sb_f64(b, s->left_lo), left_lo);
    }
    const value over = sb_select(b, is_last, sb_fneg(b, x), sb_fma(b, sb_fneg(b, slope), x, y));
    const value under = sb_select(b, is_last, y, sb_fma(b, slope, y, x));
    value t = sb_fdiv(b, over, under);
    if (left) {
        hi = sb_select(b, *left, sb_fsub(b, sb_f64(b, whole_pi.hi), hi), hi);
        lo = sb_select(b, *left, left_lo, lo);
        t = sb_select(b, *left, sb_fneg(b, t), t);
    }
    const value z = sb_fmul(b, t, t);
    const value tail =
        sb_fma(b, sb_fmul(b, t, z), math_poly(b, z, atan_tail, COUNT(atan_tail)), lo);
    const math_pair sum = math_fast_two_sum(b, hi, t);
    const value with_hi = sb_fadd(b, sum.hi, sb_fadd(b, sum.lo, tail));
    /* Where nothing was taken off, tail may be denormal, and t is the result. */
    return sb_select(b, sb_feq(b, hi, sb_f64(b, 0)), sb_fadd(b, t, tail), with_hi);
}

/* [atan/C1] */
value math_atan(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return math_atan_f32(b, x);
    const value angle = angle_of(b, sb_fabs(b, x), sb_f64(b, 1), NULL);
    return math_copy_sign(b, sb_fabs(b, angle), x);
}

/* Between these sums do not overflow, and differences are not denormal. */
#define LEAST 0x1p-900
#define MOST 0x1p1020

/* The angle of the point (x, y), whatever its coordinates. */
static value any_atan2(builder *b, value y, value x)
{
    const scalar_type type = sb_type(b, y);
    const value wide_y = math_widen(b, y), wide_x = math_widen(b, x);
    const value zero = sb_f64(b, 0), one = sb_f64(b, 1), infinity = sb_f64(b, (double)INFINITY);
    value v = sb_fabs(b, wide_y), u = sb_fabs(b, wide_x);
    const value left =
        sb_ilt(b, sb_bitcast(b, SCALAR_I64, wide_x), sb_i64(b, 0)); /* also -0, whose angle is pi */
    /* Two zeros are like (1, 0), two infinities like (1, 1), and (infinity, v) like (1, 0). */
    const value no_length = sb_feq(b, sb_fadd(b, u, v), zero);
    const value no_end = sb_feq(b, u, infinity);
    u = sb_select(b, sb_or(b, no_length, no_end), one, u);
    v = sb_select(b, no_end, sb_select(b, sb_feq(b, v, infinity), one, sb_fmul(b, v, zero)), v);
    const value most = sb_select(b, sb_flt(b, u, v), v, u);
    const value large = sb_flt(b, sb_f64(b, MOST), most);
    const value small = sb_flt(b, most, sb_f64(b, LEAST));
    const value scale =
        sb_select(b, large, sb_f64(b, 0x1p-4), sb_select(b, small, sb_f64(b, 0x1p120), one));
    v = sb_fmul(b, v, scale);
    u = sb_fmul(b, u, scale);
    const value angle = angle_of(b, v, u, &left);
    return math_narrow(b, type, math_copy_sign(b, sb_fabs(b, angle), wide_y));
}

/* As above, where the larger coordinate is neither small nor large, or both are 0. */
static value atan2_f64(builder *b, value y, value x)
{
    const value v = sb_fabs(b, y);
    value u = sb_fabs(b, x);
    const value left = sb_ilt(b, sb_bitcast(b, SCALAR_I64, x), sb_i64(b, 0));
    u = sb_select(b, sb_feq(b, sb_fadd(b, u, v), sb_f64(b, 0)), sb_f64(b, 1), u);
    const value most = sb_select(b, sb_flt(b, u, v), v, u);
    const value plain =
        sb_and(b, sb_fle(b, sb_f64(b, LEAST), most), sb_fle(b, most, sb_f64(b, MOST)));
    const value angle = angle_of(b, v, u, &left);
    const value result = math_copy_sign(b, sb_fabs(b, angle), y);
    return sb_seldom(b, sb_not(b, plain), any_atan2(b, y, x), result);
}

/* [atan2/C1] */
value math_atan2(builder *b, value y, value x)
{
    if (sb_type(b, y) != SCALAR_F32)
        return atan2_f64(b, y, x);
    /* The larger coordinate is neither small nor large. */
    const value v = sb_fabs(b, y), u = sb_fabs(b, x), end = sb_f32(b, 0x1p60f);
    const value most = sb_select(b, sb_flt(b, u, v), v, u);
    const value plain = sb_and(b, sb_flt(b, sb_f32(b, 0x1p-60f), most), sb_flt(b, most, end));
    return sb_seldom(b, sb_not(b, plain), any_atan2(b, y, x), math_atan2_f32(b, y, x));
}

/* ---- asin and acos ---- */

/* p of asin(s) = s + s z p(z), z = s^2, for |s| <= 1/2 (test/long/math_fit.py asin_f64) */
static const double asin_tail[] = {
    0x1.5555555555390p-3, 0x1.333333336e82cp-4, 0x1.6db6db4278545p-5,  0x1.f1c72c39cefdap-6,
    0x1.6e89f428da97cp-6, 0x1.1c6be32d61740p-6, 0x1.c6fda0f94dc4ap-7,  0x1.8ec3e14a14f76p-7,
    0x1.abc73a6d449f6p-8, 0x1.3ffa79bf35150p-6, -0x1.09dca16201061p-6, 0x1.0570c7ebdb6d6p-5};

/* Up to 1/2: asin(size) = root + tail. Above: asin(size) = pi/2 - 2 (root + tail), with the root of
 * (1 - size) / 2, which is a little more than `root`. */
typedef struct arc {
    value size, above;
    value root, tail;
} arc;

static arc arc_of(builder *b, value x)
{
    arc a = {.size = sb_fabs(b, x)};
    const value half = sb_f64(b, 0.5), zero = sb_f64(b, 0);
    a.above = sb_flt(b, half, a.size);
    const value rest = sb_fmul(b, sb_fsub(b, sb_f64(b, 1), a.size), half);
    const value z = sb_select(b, a.above, rest, sb_fmul(b, a.size, a.size));
    a.root = sb_select(b, a.above, sb_fsqrt(b, rest), a.size);
    const value missing =
        sb_fdiv(b, sb_fma(b, sb_fneg(b, a.root), a.root, rest), sb_fadd(b, a.root, a.root));
    const value mended = sb_and(b, a.above, sb_flt(b, zero, rest));
    a.tail = sb_fma(b, sb_fmul(b, a.root, z), math_poly(b, z, asin_tail, COUNT(asin_tail)),
                    sb_select(b, mended, missing, zero));
    return a;
}

/* FROM - (X + Y) */
static value taken_from(builder *b, constant_pair from, value x, value y)
{
    const math_pair sum = math_fast_two_sum(b, sb_f64(b, from.hi), sb_fneg(b, x));
    return sb_fadd(b, sum.hi, sb_fadd(b, sum.lo, sb_fsub(b, sb_f64(b, from.lo), y)));
}

/* [asin/C1] */
value math_asin(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return math_asin_f32(b, x);
    const arc a = arc_of(b, x);
    const value far =
        taken_from(b, half_pi, sb_fadd(b, a.root, a.root), sb_fadd(b, a.tail, a.tail));
    const value result = sb_select(b, a.above, far, sb_fadd(b, a.root, a.tail));
    return math_copy_sign(b, sb_fabs(b, result), x);
}

/* [acos/C1] */
value math_acos(builder *b, value x)
{
    if (sb_type(b, x) == SCALAR_F32)
        return math_acos_f32(b, x);
    const arc a = arc_of(b, x);
    const value is_left = sb_flt(b, x, sb_f64(b, 0));
    const value root = sb_fadd(b, a.root, a.root), tail = sb_fadd(b, a.tail, a.tail);
    const value far =
        sb_select(b, is_left, taken_from(b, whole_pi, root, tail), sb_fadd(b, root, tail));
    const value own_root = sb_select(b, is_left, sb_fneg(b, a.root), a.root);
    const value own_tail = sb_select(b, is_left, sb_fneg(b, a.tail), a.tail);
    const value near = taken_from(b, half_pi, own_root, own_tail);
    return sb_select(b, a.above, far, near);
}
