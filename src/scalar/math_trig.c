/* sin, cos and tan. Where |x| is not large, a multiple of pi/2 is taken from x, with as many digits
 * as that needs; math_trig_f32.c does so for f32. Otherwise |x| is brought to quarter turns, n + u
 * with |u| <= 1/2, with enough of the digits of 1/(2 pi) for every finite x, so that one polynomial
 * in u for the sine and one for the cosine finish the work. Whole turns are dropped from exact
 * products, so nothing is lost where u is nearly 0. */
#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The angle is n + hi + lo quarter turns; n is a small integer held as f64. */
typedef struct reduced {
    value n;
    value hi;
    value lo; /* f64 only */
} reduced;

/* x without its nearest integer: exact, between -1/2 and 1/2 */
static value fraction(builder *b, value x)
{
    return sb_fsub(b, x, sb_frint(b, x));
}

/* Move the nearest integer of r->hi to r->n. */
static void take_integer(builder *b, reduced *r)
{
    const value whole = sb_frint(b, r->hi);
    r->hi = sb_fsub(b, r->hi, whole);
    r->n = sb_fadd(b, r->n, whole);
}

/* X is an f32 number held as f64, not negative. Products with pieces of at most 26 bits are exact,
 * and a sum of two of them fits 53 bits as long as whole turns are dropped in between. Pieces that
 * matter little at the end of the range need no exact product. */
static reduced reduce_f32(builder *b, value x)
{
    static const double pieces[] = {0x1.45f3068p-3,        0x1.7272208p-29, 0x1.4a7f09p-56,
                                    0x1.abe8fa8p-81,       0x1.a6ee06p-109, 0x1.b62959p-134,
                                    0x1.278872083fca3p-159};
    const value four = sb_f64(b, 4);
    reduced r = {.n = 0, .hi = 0, .lo = 0};
    for (unsigned k = 0; k < COUNT(pieces); k++) {
        if (k < 5) {
            const value turn = fraction(b, sb_fmul(b, x, sb_f64(b, pieces[k])));
            r.hi = k == 0 ? sb_fmul(b, turn, four) : sb_fma(b, turn, four, r.hi);
        } else {
            r.hi = sb_fma(b, x, sb_f64(b, pieces[k] * 4), r.hi);
        }
        if (k == 1) {
            r.n = sb_frint(b, r.hi);
            r.hi = sb_fsub(b, r.hi, r.n);
        } else if (k > 1 && k < 6) {
            take_integer(b, &r);
        }
    }
    return r;
}

/* 1 / (2 pi) in chunks of 53 bits after the binary point (test/long/math_fit.py parts) */
enum { CHUNKS = 24, WINDOW = 5 };
static const double chunks[CHUNKS] = {
    0x0517cc1b727220p-53, 0x1529fc2757d1f5p-53, 0x069bb81b6c52b3p-53, 0x04f10e4107f945p-53,
    0x11d5ef5de2b0dbp-53, 0x1246e3a424dd2ep-53, 0x000c925dd413a3p-53, 0x04873f877ac72cp-53,
    0x094d39f74411afp-53, 0x152ebb4484e99cp-53, 0x0e04d68befc827p-53, 0x064758e60d4ce7p-53,
    0x1a4e422fc5defcp-53, 0x1283b1ff897ffdp-53, 0x1c0b301fde5e23p-53, 0x02d6829b47db4dp-53,
    0x13f6793e584dbap-53, 0x0f463f669e5feap-53, 0x05aea4f758fd7cp-53, 0x17c5ecf41ce7dep-53,
    0x0529497535fdafp-53, 0x1b11f8d5d08560p-53, 0x06608df8f6d757p-53, 0x1c33ef0826bd0dp-53};

/* The chunks from number W on into OUT, and X times 2^(-53 W) as the result. W is the number of
 * leading chunks whose product with X is a multiple of whole turns, so that they can be left out.
 */
static value choose_chunks(builder *b, value x, value out[WINDOW])
{
    const value magic = sb_f64(b, 0x1.8p52);
    const value exponent = sb_lshr(b, sb_bitcast(b, SCALAR_I64, x), sb_i64(b, 52));
    const value biased =
        sb_bitcast(b, SCALAR_F64, sb_iadd(b, exponent, sb_i64(b, 0x4338000000000000)));
    /* Biased exponents 1075 + 53 w ... 1075 + 53 w + 52 give w. */
    const value middle = sb_fsub(b, biased, sb_f64(b, 0x1.8p52 + 1075 + 26));
    const value zero = sb_f64(b, 0);
    const value from = sb_select(b, sb_flt(b, middle, zero), zero, middle);
    const value rounded = sb_fma(b, from, sb_f64(b, 1.0 / 53), magic);
    const value w = sb_bitcast(b, SCALAR_I64, rounded);
    const value scale =
        sb_fma(b, sb_fsub(b, rounded, magic), sb_f64(b, -53), sb_f64(b, 0x1.8p52 + 1023));

    value row[CHUNKS + 16];
    for (unsigned k = 0; k < CHUNKS + 16; k++)
        row[k] = sb_f64(b, k < CHUNKS ? chunks[k] : 0);
    for (unsigned bit = 16; bit; bit /= 2) {
        const value clear = sb_ieq(b, sb_and(b, w, sb_i64(b, (int64_t)bit)), sb_i64(b, 0));
        for (unsigned k = 0; k < WINDOW + bit - 1; k++)
            row[k] = sb_select(b, clear, row[k], row[k + bit]);
    }
    for (unsigned k = 0; k < WINDOW; k++)
        out[k] = row[k];
    return sb_fmul(
        b, x,
        sb_bitcast(b, SCALAR_F64, sb_shl(b, sb_bitcast(b, SCALAR_I64, scale), sb_i64(b, 52))));
}

/* X is not negative. Five chunks, each product in two parts: what is left out is below 2^-155
 * turns, and no finite X is nearer than about 2^-61 to a whole number of quarter turns. */
static reduced reduce_f64(builder *b, value x)
{
    value c[WINDOW], p[WINDOW], e[WINDOW];
    const value four = sb_f64(b, 4);
    x = choose_chunks(b, x, c);
    for (unsigned k = 0; k < WINDOW; k++) {
        p[k] = sb_fmul(b, x, c[k]);
        e[k] = sb_fma(b, x, c[k], sb_fneg(b, p[k]));
        x = sb_fmul(b, x, sb_f64(b, 0x1p-53));
    }
    /* In turns: up to 2^105, 2^52, 1/2, 2^-54, 2^-107 for p; 2^-53 of that for e. */
    const math_pair turn = math_fast_two_sum(b, fraction(b, p[0]), fraction(b, e[0]));
    const math_pair more = math_two_sum(b, turn.hi, fraction(b, p[1]));
    const value low[] = {sb_fmul(b, turn.lo, four), sb_fmul(b, e[2], four), sb_fmul(b, p[3], four)};

    reduced r = {.hi = sb_fmul(b, more.hi, four)};
    value rest = sb_fmul(b, more.lo, four);
    r.n = sb_frint(b, r.hi);
    r.hi = sb_fsub(b, r.hi, r.n);
    value tail = sb_fmul(b, sb_fadd(b, e[3], p[4]), four);
    const value middle[] = {sb_fmul(b, p[2], four), sb_fmul(b, e[1], four)};
    for (unsigned k = 0; k < COUNT(middle); k++) {
        const math_pair sum = math_two_sum(b, r.hi, middle[k]);
        r.hi = sum.hi;
        take_integer(b, &r);
        const math_pair lower = math_two_sum(b, rest, sum.lo);
        rest = lower.hi;
        tail = sb_fadd(b, tail, lower.lo);
    }
    for (unsigned k = 0; k < COUNT(low); k++) {
        const math_pair lower = math_two_sum(b, rest, low[k]);
        rest = lower.hi;
        tail = sb_fadd(b, tail, lower.lo);
    }
    const math_pair sum = math_two_sum(b, r.hi, rest);
    const math_pair last = math_fast_two_sum(b, sum.hi, sb_fadd(b, sum.lo, tail));
    r.hi = last.hi;
    r.lo = last.lo;
    return r;
}

/* sin(pi/2 u) = u p(z) and cos(pi/2 u) = p(z), z = u^2, in f64 for an f32 result (sin_f32) */
static const double sin_f32[] = {0x1.921fb544393e1p+0, -0x1.4abbce543d2c7p-1, 0x1.466bb90d76e03p-4,
                                 -0x1.32c9d80c822a8p-8, 0x1.4b922a859c303p-13};
static const double cos_f32[] = {0x1.ffffffff68fb4p-1, -0x1.3bd3cc668cbd6p+0, 0x1.03c1d7e339e27p-2,
                                 -0x1.55c3adc167aabp-6, 0x1.d948fa3186962p-11};
/* sin(pi/2 u) = pi/2 u + u z p(z) and cos(pi/2 u) = 1 + z p(z) (sin_f64) */
static const double sin_f64[] = {
    -0x1.4abbce625be53p-1,  0x1.466bc6775ab7cp-4,  -0x1.32d2cce63af80p-8, 0x1.5078349d9de22p-13,
    -0x1.e3076ec8afcefp-19, 0x1.e908d7501f65dp-25, -0x1.73d4d2281e0ffp-31};
static const double cos_f64[] = {
    -0x1.3bd3cc9be45dep+0,  0x1.03c1f081b5a38p-2,  -0x1.55d3c7e3b99d5p-6,  0x1.e1f506643f3f3p-11,
    -0x1.a6d1cafa410d4p-16, 0x1.f9a48801011a9p-22, -0x1.99f1abf118d1ap-28, -0x1.8696a7130b9c4p-32};

/* pi/2 in two parts */
#define QUARTER_HIGH 0x1.921fb54442d18p0
#define QUARTER_LOW 0x1.1a62633145c07p-54

static value sine_of(builder *b, reduced r)
{
    const value z = sb_fmul(b, r.hi, r.hi);
    return sb_fmul(b, r.hi, math_poly(b, z, sin_f32, COUNT(sin_f32)));
}

static value cosine_of(builder *b, reduced r)
{
    return math_poly(b, sb_fmul(b, r.hi, r.hi), cos_f32, COUNT(cos_f32));
}

/* The sine of u = R where EVEN, else the cosine, for f64. Both are sums of products of the same
 * form, of which what differs is chosen: that is less work than both. sine    (u z) p(z) + (pi/2 u,
 * its low part), and the high part of pi/2 u added cosine  z p(z) + 1 */
static value either_of(builder *b, value even, reduced r)
{
    const value high = sb_f64(b, QUARTER_HIGH), low = sb_f64(b, QUARTER_LOW);
    const value one = sb_f64(b, 1), zero = sb_f64(b, 0);
    /* The square is that of both parts for the cosine alone. */
    const value rest = sb_fmul(b, sb_fadd(b, r.hi, r.hi), r.lo);
    const value z = sb_fma(b, r.hi, r.hi, sb_select(b, even, zero, rest));
    const unsigned last = COUNT(sin_f64) - 1;
    value p = sb_fma(b, sb_f64(b, cos_f64[last + 1]), z, sb_f64(b, cos_f64[last]));
    p = sb_select(b, even, sb_f64(b, sin_f64[last]), p);
    for (unsigned k = last; k-- > 0;)
        p = sb_fma(b, p, z, sb_select(b, even, sb_f64(b, sin_f64[k]), sb_f64(b, cos_f64[k])));
    const value of_sine = sb_fma(b, r.hi, low, sb_fmul(b, r.lo, high));
    const value tail =
        sb_fma(b, sb_select(b, even, sb_fmul(b, r.hi, z), z), p, sb_select(b, even, of_sine, one));
    return sb_select(b, even, sb_fma(b, r.hi, high, tail), tail);
}

/* ---- arguments that are not large ---- */

/* |x| is not large up to here: products of the first two pieces of pi/2 with the multiple are
 * exact, or, for f32, the multiple is still near enough to x. */
#define LARGE_F64 0x1p20
#define LARGE_F32 0x1p18

/* X in quarter turns, as reduce_f64 gives it, but for the sign, which X may have; not large. */
static reduced reduce_near_f64(builder *b, value x)
{
    const value magic = sb_f64(b, 0x1.8p52);
    reduced r = {.n = sb_fsub(b, sb_fma(b, x, sb_f64(b, 0x1.45f306dc9c883p-1), magic), magic)};
    /* pi/2 in pieces of 33, 33 and 53 bits. What the first leaves of x is exact, and a multiple of
     * 2^-53 where n is not 0, which the last place of the second product is not. */
    const value first = sb_fma(b, r.n, sb_f64(b, -0x1.921fb544p0), x);
    const value second = sb_fmul(b, r.n, sb_f64(b, -0x1.0b4611a6p-34));
    math_pair angle = math_fast_two_sum(b, first, second);
    angle.lo = sb_fma(b, r.n, sb_f64(b, -0x1.3198a2e037073p-69), angle.lo);
    angle = math_fast_two_sum(b, angle.hi, angle.lo);
    const value high = sb_f64(b, 0x1.45f306dc9c883p-1),
                low = sb_f64(b, -0x1.6b01ec5417056p-55); /* 2/pi */
    const math_pair u = math_two_product(b, angle.hi, high);
    const value rest = sb_fma(b, angle.lo, high, sb_fma(b, angle.hi, low, u.lo));
    const math_pair sum = math_fast_two_sum(b, u.hi, rest);
    r.hi = sum.hi;
    r.lo = sum.lo;
    return r;
}

/* ---- the functions ---- */

/* The sine of the angle R and QUARTERS quarter turns. */
static value sine_at(builder *b, scalar_type type, reduced r, int64_t quarters)
{
    const value rounded = sb_fadd(b, r.n, sb_f64(b, 0x1.8p52 + (double)quarters));
    const value n = sb_bitcast(b, SCALAR_I64, rounded);
    const value even = sb_ieq(b, sb_and(b, n, sb_i64(b, 1)), sb_i64(b, 0));
    const value size = type == SCALAR_F64 ? either_of(b, even, r)
                                          : sb_select(b, even, sine_of(b, r), cosine_of(b, r));
    const value sign = sb_shl(b, sb_and(b, n, sb_i64(b, 2)), sb_i64(b, 62));
    return sb_bitcast(b, SCALAR_F64, sb_xor(b, sb_bitcast(b, SCALAR_I64, size), sign));
}

/* The sine and the cosine of an angle of f64 between -1/2 and 1/2 quarter turns, in two parts. */
static void parts_of(builder *b, reduced r, math_pair *sine, math_pair *cosine)
{
    const value high = sb_f64(b, QUARTER_HIGH), low = sb_f64(b, QUARTER_LOW);
    value z = sb_fmul(b, r.hi, r.hi);
    const math_pair angle = math_two_product(b, r.hi, high);
    value rest = sb_fma(b, r.hi, low, sb_fma(b, r.lo, high, angle.lo));
    rest = sb_fma(b, sb_fmul(b, r.hi, z), math_poly(b, z, sin_f64, COUNT(sin_f64)), rest);
    *sine = math_fast_two_sum(b, angle.hi, rest);
    z = sb_fma(b, r.hi, r.hi, sb_fmul(b, sb_fadd(b, r.hi, r.hi), r.lo));
    const value less = sb_fmul(b, z, math_poly(b, z, cos_f64, COUNT(cos_f64)));
    *cosine = math_fast_two_sum(b, sb_f64(b, 1), less);
}

/* Sine by cosine after an even number of quarter turns, else the negative of its inverse. */
static value tangent_at(builder *b, scalar_type type, reduced r)
{
    const bool is_wide = type == SCALAR_F64;
    math_pair s, c;
    if (is_wide) {
        parts_of(b, r, &s, &c);
    } else {
        s = (math_pair){sine_of(b, r), sb_f64(b, 0)};
        c = (math_pair){cosine_of(b, r), sb_f64(b, 0)};
    }
    const value n = sb_bitcast(b, SCALAR_I64, sb_fadd(b, r.n, sb_f64(b, 0x1.8p52)));
    const value even = sb_ieq(b, sb_and(b, n, sb_i64(b, 1)), sb_i64(b, 0));
    const math_pair over = {sb_select(b, even, s.hi, sb_fneg(b, c.hi)),
                            sb_select(b, even, s.lo, sb_fneg(b, c.lo))};
    const math_pair under = {sb_select(b, even, c.hi, s.hi), sb_select(b, even, c.lo, s.lo)};
    const math_pair q = math_quotient(b, over, under);
    return is_wide ? sb_fadd(b, q.hi, q.lo) : q.hi;
}

/* RESULT for |x|, held as f64, as the odd function of x. */
static value odd_of(builder *b, scalar_type type, value size, value result, value x)
{
    /* Below 2^-27 it is x itself; products on the way might be denormal. */
    if (type == SCALAR_F64)
        result = sb_select(b, sb_flt(b, size, sb_f64(b, 0x1p-27)), size, result);
    const value sign = sb_and(b, sb_bitcast(b, SCALAR_I64, x), sb_i64(b, INT64_MIN));
    return sb_bitcast(b, SCALAR_F64, sb_xor(b, sb_bitcast(b, SCALAR_I64, result), sign));
}

/* RESULT, which is odd, but X itself where that is small, as above. */
static value or_small(builder *b, value x, value result)
{
    return sb_select(b, sb_flt(b, sb_fabs(b, x), sb_f64(b, 0x1p-27)), x, result);
}

/* FAR where X is large or no number, else NEAR. */
static value by_size(builder *b, value x, value far, value near)
{
    const scalar_type type = sb_type(b, x);
    const value large = math_float(b, type, type == SCALAR_F64 ? LARGE_F64 : LARGE_F32);
    return sb_seldom(b, sb_not(b, sb_flt(b, sb_fabs(b, x), large)), far, near);
}

static reduced reduce_far(builder *b, scalar_type type, value size)
{
    return type == SCALAR_F64 ? reduce_f64(b, size) : reduce_f32(b, size);
}

/* [tan/C1] */
value math_tan(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const value wide = math_widen(b, x), size = sb_fabs(b, wide);
    value far = tangent_at(b, type, reduce_far(b, type, size));
    far = math_narrow(b, type, odd_of(b, type, size, far, wide));
    if (type == SCALAR_F32)
        return by_size(b, x, far, math_near_tan_f32(b, x));
    const value near = tangent_at(b, type, reduce_near_f64(b, x));
    return by_size(b, x, far, or_small(b, x, near));
}

value math_sin(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const value wide = math_widen(b, x), size = sb_fabs(b, wide);
    value far = sine_at(b, type, reduce_far(b, type, size), 0);
    far = math_narrow(b, type, odd_of(b, type, size, far, wide));
    if (type == SCALAR_F32)
        return by_size(b, x, far, math_near_sin_f32(b, x));
    const value near = sine_at(b, type, reduce_near_f64(b, x), 0);
    /* As or_small, but a branch: AVX-512 has too few masks for four vectors at once. */
    const value is_small = sb_flt(b, size, sb_f64(b, 0x1p-27));
    return by_size(b, x, far, sb_seldom(b, is_small, math_copy_sign(b, size, x), near));
}

value math_cos(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const value size = sb_fabs(b, math_widen(b, x));
    const value far = math_narrow(b, type, sine_at(b, type, reduce_far(b, type, size), 1));
    if (type == SCALAR_F32)
        return by_size(b, x, far, math_near_cos_f32(b, x));
    return by_size(b, x, far, sine_at(b, type, reduce_near_f64(b, size), 1));
}
