/* Inverse trigonometric functions of f32. Each is an angle that is taken off exactly, in two parts,
 * more or less an odd polynomial. */
#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* An angle in two parts */
typedef struct known_angle {
    float hi, lo;
} known_angle;
static const known_angle half_pi = {0x1.921fb6p0f, -0x1.777a5cp-25f};
static const known_angle whole_pi = {0x1.921fb6p1f, -0x1.777a5cp-24f};

static math_pair pair_of(builder *b, known_angle a)
{
    return (math_pair){sb_f32(b, a.hi), sb_f32(b, a.lo)};
}

static math_pair no_angle(builder *b)
{
    return (math_pair){sb_f32(b, 0), sb_f32(b, 0)};
}

static math_pair choose(builder *b, value mask, math_pair yes, math_pair no)
{
    return (math_pair){sb_select(b, mask, yes.hi, no.hi), sb_select(b, mask, yes.lo, no.lo)};
}

/* base + x + TAIL, where base is 0 or |x| is less; TAIL has the low part of base. */
static value added(builder *b, value base, value x, value tail)
{
    const math_pair sum = math_fast_two_sum(b, base, x);
    return sb_fadd(b, sum.hi, sb_fadd(b, sum.lo, tail));
}

/* X with the sign turned where MASK is true */
static value turned(builder *b, value mask, value x)
{
    return sb_select(b, mask, sb_fneg(b, x), x);
}

/* ---- atan and atan2 ---- */

/* p of atan(t) = t + t z p(z), z = t^2, for |t| <= 1 (test/long/math_fit.py atan_f32); the last is
 * moved a little, so that atan(1) is pi/4, rounded */
static const double atan_tail[] = {-0x1.55553ep-2, 0x1.9991e4p-3,  -0x1.242084p-3,
                                   0x1.c08c1ap-4,  -0x1.580814p-4, 0x1.da24cap-5,
                                   -0x1.fd6fbcp-6, 0x1.6410e6p-7,  -0x1.d32d86p-10};

/* atan(t) - t, and MORE; Z is t^2. p is in two parts, for its rounding counts where t is near 1. */
static value atan_rest(builder *b, value t, value z, value more)
{
    const value first = sb_f32(b, (float)atan_tail[0]);
    const value others = math_poly(b, z, atan_tail + 1, COUNT(atan_tail) - 1);
    const value p = sb_fma(b, z, others, first), tz = sb_fmul(b, t, z);
    const value rest = sb_fma(b, z, others, sb_fsub(b, first, p));
    return sb_fma(b, tz, p, sb_fma(b, tz, rest, more));
}

/* Above 1 it is pi/2 less the arctangent of the inverse. [atan/C1] */
value math_atan_f32(builder *b, value x)
{
    const value one = sb_f32(b, 1), size = sb_fabs(b, x), end = sb_f32(b, 0x1p60f);
    const value above = sb_flt(b, one, size), most = sb_select(b, sb_flt(b, end, size), end, size);
    const value inverse = sb_fdiv(b, sb_f32(b, -1), most);
    const value t = sb_select(b, above, inverse, size), z = sb_fmul(b, t, t);
    /* What the quotient lost, times a slope that suits t near 1: elsewhere it is nothing beside
     * pi/2. */
    const value slope = sb_fmul(b, inverse, sb_f32(b, 0.515625f));
    math_pair turn = pair_of(b, half_pi);
    turn.lo = sb_fma(b, sb_fma(b, inverse, most, one), slope, turn.lo);
    const math_pair base = choose(b, above, turn, no_angle(b));
    const value tail = atan_rest(b, t, z, base.lo);
    return math_copy_sign(b, added(b, base.hi, t, tail), x);
}

/* [atan2/C1] */
value math_atan2_f32(builder *b, value y, value x)
{
    const value v = sb_fabs(b, y), u = sb_fabs(b, x), zero = sb_i32(b, 0);
    const value steep = sb_flt(b, u, v);
    const value left = sb_ilt(b, sb_bitcast(b, SCALAR_I32, x), zero);
    const value under = sb_select(b, steep, v, u);
    const value over = turned(b, sb_xor(b, steep, left), sb_select(b, steep, u, v));
    const value t = sb_fdiv(b, over, under), z = sb_fmul(b, t, t);
    /* What the quotient lost, and with it the angle, whose slope is 1 / (1 + z). */
    const value lost =
        sb_fmul(b, sb_fma(b, sb_fneg(b, t), under, over), math_rough_inverse(b, under));
    const value slope = sb_fma(b, z, sb_f32(b, -0.5f), sb_f32(b, 1));
    const math_pair flat = choose(b, left, pair_of(b, whole_pi), no_angle(b));
    const math_pair base = choose(b, steep, pair_of(b, half_pi), flat);
    const value tail = atan_rest(b, t, z, sb_fma(b, lost, slope, base.lo));
    return math_copy_sign(b, sb_fabs(b, added(b, base.hi, t, tail)), y);
}

/* ---- asin and acos ---- */

/* p of asin(s) = s + s z p(z), z = s^2, for |s| <= 1/2 (asin_f32) */
static const double asin_tail[] = {0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bbap-5, 0x1.8c3e2ap-6,
                                   0x1.595c8cp-5};

/* Up to 1/2: asin(size) = root + tail. Above: asin(size) = pi/2 - (root + tail), twice the arcsine
 * of the square root of (1 - size) / 2. */
typedef struct arc {
    value above, root, tail;
} arc;

static arc arc_of(builder *b, value size)
{
    const value half = sb_f32(b, 0.5f);
    arc a = {.above = sb_flt(b, half, size)};
    const value rest = sb_fma(b, size, sb_f32(b, -0.5f), half), root = sb_fsqrt(b, rest);
    const value z = sb_select(b, a.above, rest, sb_fmul(b, size, size));
    /* What twice the square root is more than twice the rounded one. */
    const value lost =
        sb_fmul(b, sb_fma(b, sb_fneg(b, root), root, rest), math_rough_inverse(b, root));
    a.root = sb_select(b, a.above, sb_fadd(b, root, root), size);
    a.tail = sb_fma(b, sb_fmul(b, a.root, z), math_poly(b, z, asin_tail, COUNT(asin_tail)),
                    sb_select(b, a.above, lost, sb_f32(b, 0)));
    return a;
}

/* [asin/C1] */
value math_asin_f32(builder *b, value x)
{
    const arc a = arc_of(b, sb_fabs(b, x));
    const math_pair base = choose(b, a.above, pair_of(b, half_pi), no_angle(b));
    const value tail = sb_fadd(b, turned(b, a.above, a.tail), base.lo);
    const value angle = added(b, base.hi, turned(b, a.above, a.root), tail);
    return math_copy_sign(b, angle, x);
}

/* [acos/C1] */
value math_acos_f32(builder *b, value x)
{
    const arc a = arc_of(b, sb_fabs(b, x));
    const value left = sb_flt(b, x, sb_f32(b, 0));
    const math_pair end = choose(b, left, pair_of(b, whole_pi), no_angle(b));
    const math_pair base = choose(b, a.above, end, pair_of(b, half_pi));
    const value less = sb_not(b, sb_xor(b, a.above, left));
    const value tail = sb_fadd(b, turned(b, less, a.tail), base.lo);
    return added(b, base.hi, turned(b, less, a.root), tail);
}
