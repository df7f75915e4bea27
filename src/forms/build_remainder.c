/* The exact remainder of floats. */
#include <math.h>

#include "forms/forms.h"

/* Does any element of X hold? */
static tn_value any(tn_builder *b, tn_value x)
{
    int64_t axes[TN_MAX_RANK];
    const type *t = builder_type(b, x);
    for (uint32_t i = 0; t && i < t->rank; i++)
        axes[i] = i;
    return t && t->rank ? tn_reduce_max(b, x, (tn_ints){axes, t->rank}, false) : x;
}

/* How a remainder is computed, in f64. */
typedef struct method {
    int bits;      /* of quotients that one division is enough for */
    bool is_short; /* products of these and a divisor have at most 53 bits */
    bool is_all;   /* there are no larger quotients */
} method;

/* ---- small quotients ---- */

/* The upper 26 of the 53 bits of Y, rounded so that the rest of Y has 26 bits, too (Veltkamp). */
static tn_value upper_half(tn_builder *b, tn_value y)
{
    const tn_value scaled = tn_mul(b, y, tn_scalar_like(b, y, 0x1p27 + 1));
    return tn_sub(b, scaled, tn_sub(b, scaled, y));
}

/* REST - Q * Y for a Q that is REST / Y rounded to a whole number in some way, and has BITS bits.
 * The difference is then a number of f64, and so is everything on the way:
 *
 * Y has at most 53 - BITS bits: the product is exact.
 * Otherwise BITS is 26, and the products of Q and both halves of Y are exact. Their sum, rounded,
 * is as large as REST or nearly so that the difference to REST is exact, and what rounding took
 * away is a number, too. */
static tn_value minus_product(tn_builder *b, tn_value rest, tn_value q, tn_value y, bool is_short)
{
    const tn_value product = tn_mul(b, q, y);
    const tn_value left = tn_sub(b, rest, product);
    if (is_short)
        return left;
    const tn_value upper = upper_half(b, y), lower = tn_sub(b, y, upper);
    const tn_value upper_product = tn_mul(b, q, upper), lower_product = tn_mul(b, q, lower);
    const tn_value lost = tn_add(b, tn_sub(b, upper_product, product), lower_product);
    return tn_sub(b, left, lost);
}

/* REST modulo Y, which are not negative, where the quotient has at most as many bits as HOW says;
 * elsewhere REST. */
static tn_value near_remainder(tn_builder *b, tn_value rest, tn_value y, method how)
{
    const tn_value zero = tn_scalar_like(b, rest, 0);
    tn_value quotient = tn_div(b, rest, y), divisor = y;
    if (!how.is_all) {
        const tn_value end = tn_scalar_like(b, rest, ldexp(1, how.bits));
        tn_value is_near = tn_compare(b, TN_LT, quotient, end);
        if (!how.is_short) { /* what is larger overflows on the way */
            const tn_value is_small = tn_compare(b, TN_LT, y, tn_scalar_like(b, y, 0x1p995));
            const tn_value large = tn_scalar_like(b, rest, 0x1p1023);
            const tn_value both_small = tn_and(b, is_small, tn_compare(b, TN_LT, rest, large));
            is_near = tn_and(b, is_near, both_small);
            divisor = tn_select(b, is_near, y, zero);
        }
        quotient = tn_select(b, is_near, quotient, zero);
    }
    const tn_value q = tn_trunc(b, quotient);
    const tn_value r = minus_product(b, rest, q, divisor, how.is_short);
    /* the division may have rounded up to a whole number */
    const tn_value is_below = tn_compare(b, TN_LT, r, zero);
    return tn_select(b, is_below, tn_add(b, r, y), r);
}

/* ---- large quotients: the divisor is doubled until it is more than half of the dividend, and
 * subtracted where it fits on its way back. Every step is exact. ---- */

/* Is twice STEP at most REST? */
static tn_value fits_twice(tn_builder *b, tn_value rest, tn_value step)
{
    return tn_compare(b, TN_GE, tn_sub(b, rest, step), step);
}

/* LEAST times the largest power of 2 so that it is at most REST, or LEAST itself. */
static tn_value largest_step(tn_builder *b, tn_value rest, tn_value least)
{
    tn_region test, body;
    tn_value in[2], out[2];
    tn_region_begin(b, NULL);
    in[0] = tn_param_like(b, rest);
    in[1] = tn_param_like(b, least);
    const tn_value goes_on = any(b, fits_twice(b, in[0], in[1]));
    test = tn_region_end(b, TN_VALUES(goes_on, in[0], in[1]));
    tn_region_begin(b, NULL);
    in[0] = tn_param_like(b, rest);
    in[1] = tn_param_like(b, least);
    const tn_value fits = fits_twice(b, in[0], in[1]);
    const tn_value next = tn_select(b, fits, tn_add(b, in[1], in[1]), in[1]);
    body = tn_region_end(b, TN_VALUES(in[0], next));
    tn_while(b, test, body, TN_VALUES(rest, least), out, 2);
    return out[1];
}

/* REST without as many times STEP, half of it, and so on down to LEAST as fit. */
static tn_value reduced(tn_builder *b, tn_value rest, tn_value step, tn_value least)
{
    tn_region test, body;
    tn_value in[3], out[3];
    const tn_value outer[] = {rest, step, least};
    tn_region_begin(b, NULL);
    for (int i = 0; i < 3; i++)
        in[i] = tn_param_like(b, outer[i]);
    const tn_value goes_on = any(b, tn_compare(b, TN_GE, in[0], in[2]));
    test = tn_region_end(b, TN_VALUES(goes_on, in[0], in[1], in[2]));
    tn_region_begin(b, NULL);
    for (int i = 0; i < 3; i++)
        in[i] = tn_param_like(b, outer[i]);
    const tn_value counts = tn_compare(b, TN_GE, in[1], in[2]);
    const tn_value fits = tn_and(b, counts, tn_compare(b, TN_GE, in[0], in[1]));
    const tn_value next = tn_select(b, fits, tn_sub(b, in[0], in[1]), in[0]);
    const tn_value half = tn_mul(b, in[1], tn_scalar_like(b, in[1], 0.5));
    body = tn_region_end(b, TN_VALUES(next, half, in[2]));
    tn_while(b, test, body, (tn_values){outer, 3}, out, 3);
    return out[0];
}

/* REST modulo LEAST. The loops are entered only where REST is too large anywhere. */
static tn_value far_remainder(tn_builder *b, tn_value rest, tn_value least)
{
    const tn_value is_far = any(b, tn_compare(b, TN_GE, rest, least));
    tn_value in[2], out;
    tn_region_begin(b, NULL);
    in[0] = tn_param_like(b, rest);
    in[1] = tn_param_like(b, least);
    const tn_value step = largest_step(b, in[0], in[1]);
    const tn_region yes = tn_region_end(b, TN_VALUES(reduced(b, in[0], step, in[1])));
    tn_region_begin(b, NULL);
    in[0] = tn_param_like(b, rest);
    (void)tn_param_like(b, least);
    const tn_region no = tn_region_end(b, TN_VALUES(in[0]));
    tn_cond(b, is_far, yes, no, TN_VALUES(rest, least), &out, 1);
    return out;
}

/* ---- all together ---- */

static method method_of(tn_dtype d)
{
    if (d == TN_F64)
        return (method){26, false, false};
    if (d == TN_F32)
        return (method){53 - 24, true, false};
    if (d == TN_BF16)
        return (method){53 - 8, true, false};
    /* f16 and narrower: at most 11 bits, and exponents from -24 to 15 */
    return (method){53 - 11, true, true};
}

/* Are X and Y finite, and is Y not 0? */
static tn_value has_quotient(tn_builder *b, tn_value x, tn_value y)
{
    const tn_value x_ends = tn_is_finite(b, x), y_ends = tn_is_finite(b, y);
    const tn_value divides = tn_and(b, y_ends, tn_compare(b, TN_NE, y, tn_scalar_like(b, y, 0)));
    return tn_and(b, x_ends, divides);
}

/* |X| modulo |Y|, f64 that are divided so, where IS_PLAIN: X and Y have a quotient. */
static tn_value size_of_rest(tn_builder *b, method how, tn_value is_plain, tn_value x, tn_value y)
{
    const tn_value zero = tn_scalar_like(b, x, 0), one = tn_scalar_like(b, x, 1);
    const tn_value size = tn_select(b, is_plain, tn_abs(b, x), zero);
    const tn_value least = tn_select(b, is_plain, tn_abs(b, y), one);
    const tn_value near = near_remainder(b, size, least, how);
    return how.is_all ? near : far_remainder(b, near, least);
}

/* R, which is not negative, with the sign of X. */
static tn_value with_sign(tn_builder *b, tn_value r, tn_value x)
{
    const tn_value zero = tn_scalar_like(b, x, 0);
    const tn_value is_below = tn_compare(b, TN_LT, x, zero);
    const tn_value signed_rest = tn_select(b, is_below, tn_neg(b, r), r);
    const tn_value none = tn_compare(b, TN_EQ, r, zero);
    return tn_select(b, none, tn_mul(b, x, zero), signed_rest);
}

/* The remainder as C's fmod defines it, without a derivative. R is |X| modulo |Y| where IS_PLAIN.
 */
static tn_value flat_remainder(tn_builder *b, tn_value is_plain, tn_value x, tn_value y, tn_value r)
{
    const tn_value x_ends = tn_is_finite(b, x);
    const tn_value stays = tn_and(b, x_ends, tn_is_inf(b, y));
    const tn_value odd = tn_select(b, stays, x, tn_scalar_like(b, x, (double)NAN));
    return tn_select(b, is_plain, with_sign(b, r, x), odd);
}

/* X where it is finite, else 0. */
static tn_value finite_or_zero(tn_builder *b, tn_value x)
{
    const tn_value is_finite = tn_is_finite(b, x);
    return tn_select(b, is_finite, x, tn_scalar_like(b, x, 0));
}

/* R with the derivatives of X - QUOTIENT * Y, in which the quotient is constant. */
static tn_value with_slopes(tn_builder *b, tn_value r, tn_value x, tn_value y, tn_value quotient)
{
    const tn_value fixed_x = tn_stop_gradient(b, x), fixed_y = tn_stop_gradient(b, y);
    const tn_value q = tn_stop_gradient(b, finite_or_zero(b, quotient));
    const tn_value of_y = tn_mul(b, q, finite_or_zero(b, tn_sub(b, y, fixed_y)));
    const tn_value slopes = tn_add(b, tn_sub(b, fixed_x, x), of_y);
    /* r - (+0) is r, also for -0 */
    return tn_sub(b, tn_stop_gradient(b, r), slopes);
}

/* X modulo Y, of dtype D, divided so. */
static tn_value any_remainder(tn_builder *b, tn_dtype d, method how, tn_value x, tn_value y)
{
    const tn_value wide_x = tn_cast(b, x, TN_F64), wide_y = tn_cast(b, y, TN_F64);
    const tn_value is_plain = has_quotient(b, wide_x, wide_y);
    const tn_value size = size_of_rest(b, how, is_plain, wide_x, wide_y);
    const tn_value r = flat_remainder(b, is_plain, wide_x, wide_y, size);
    const tn_value fixed_x = tn_stop_gradient(b, wide_x), fixed_y = tn_stop_gradient(b, wide_y);
    const tn_value quotient = tn_trunc(b, tn_div(b, fixed_x, fixed_y));
    return tn_cast(b, with_slopes(b, r, wide_x, wide_y, quotient), d);
}

/* ---- quotients that f32 holds ---- */

/* Has any quotient of X and Y more than 24 bits? */
static tn_value any_is_large(tn_builder *b, tn_value x, tn_value y)
{
    const tn_value size = tn_abs(b, x), least = tn_abs(b, y);
    const tn_value end = tn_mul(b, least, tn_scalar_like(b, least, 0x1p24));
    const tn_value divides = tn_compare(b, TN_GT, least, tn_scalar_like(b, least, 0));
    const tn_value is_large = tn_and(b, divides, tn_compare(b, TN_GE, size, end));
    return any(b, tn_and(b, tn_is_finite(b, x), is_large));
}

/* X modulo Y, f32, where no quotient is large: f32 divides much faster than f64. The product of
 * quotient and divisor is a number of f64, and what it leaves of the dividend one of f32. */
static tn_value small_remainder(tn_builder *b, tn_value x, tn_value y)
{
    const tn_value zero = tn_scalar_like(b, x, 0);
    const tn_value quotient = tn_stop_gradient(b, tn_div(b, x, y));
    const tn_value whole = tn_trunc(b, quotient), times = tn_abs(b, whole);
    /* nothing is taken where Y is infinite, and NaN comes of itself */
    const tn_value is_endless = tn_is_inf(b, y), divisor = tn_abs(b, y);
    const tn_value least = tn_select(b, is_endless, zero, divisor);
    const tn_value wide_size = tn_cast(b, tn_abs(b, x), TN_F64);
    const tn_value wide_times = tn_cast(b, times, TN_F64), wide_least = tn_cast(b, least, TN_F64);
    const tn_value taken = tn_mul(b, wide_times, wide_least);
    const tn_value left = tn_cast(b, tn_sub(b, wide_size, taken), TN_F32);
    /* the division may have rounded up to a whole number */
    const tn_value is_over = tn_compare(b, TN_LT, left, zero);
    const tn_value rest = tn_select(b, is_over, tn_add(b, left, least), left);
    const tn_value fewer = tn_sub(b, times, tn_scalar_like(b, times, 1));
    const tn_value is_below = tn_compare(b, TN_LT, quotient, zero);
    const tn_value signed_fewer = tn_select(b, is_below, tn_neg(b, fewer), fewer);
    const tn_value q = tn_select(b, is_over, signed_fewer, whole);
    return with_slopes(b, with_sign(b, rest, x), x, y, q);
}

/* Is there a quotient of X and Y, f64, for which one division may not be enough? */
static tn_value any_is_far(tn_builder *b, tn_value x, tn_value y)
{
    const tn_value size = tn_abs(b, x), least = tn_abs(b, y);
    const tn_value end = tn_mul(b, least, tn_scalar_like(b, least, 0x1p25));
    const tn_value is_large = tn_compare(b, TN_GE, size, end);
    const tn_value x_overflows = tn_compare(b, TN_GE, size, tn_scalar_like(b, size, 0x1p1023));
    const tn_value y_overflows = tn_compare(b, TN_GE, least, tn_scalar_like(b, least, 0x1p995));
    const tn_value overflows = tn_or(b, x_overflows, y_overflows);
    const tn_value is_far = tn_or(b, is_large, overflows);
    return any(b, tn_and(b, has_quotient(b, x, y), is_far));
}

/* The remainder of D, f32 or f64, however large quotients are; or where all are small. */
static tn_value remainder_where(tn_builder *b, tn_dtype d, bool is_small, tn_value x, tn_value y)
{
    method how = method_of(d);
    if (is_small && d == TN_F32)
        return small_remainder(b, x, y);
    how.is_all = is_small;
    return any_remainder(b, d, how, x, y);
}

/* Quotients of every day have one way, so that nothing is kept for the other one. */
static tn_value chosen_remainder(tn_builder *b, tn_dtype d, tn_value x, tn_value y)
{
    const tn_value is_large = d == TN_F32 ? any_is_large(b, x, y) : any_is_far(b, x, y);
    tn_value out, p, q;
    tn_region_begin(b, NULL);
    p = tn_param_like(b, x);
    q = tn_param_like(b, y);
    const tn_region large = tn_region_end(b, TN_VALUES(remainder_where(b, d, false, p, q)));
    tn_region_begin(b, NULL);
    p = tn_param_like(b, x);
    q = tn_param_like(b, y);
    const tn_region small = tn_region_end(b, TN_VALUES(remainder_where(b, d, true, p, q)));
    tn_cond(b, is_large, large, small, TN_VALUES(x, y), &out, 1);
    return out;
}

tn_value tn_fmod(tn_builder *b, tn_value x, tn_value y)
{
    const type *t = form_operand(b, "fmod", x), *u = form_operand(b, "fmod", y);
    if (!t || !u)
        return tn_no_value();
    if (!dtype_is_float(t->dtype) || u->dtype != t->dtype) {
        builder_fail(b, t->dtype == u->dtype ? DIAG_DTypeNotSupported : DIAG_DTypeMismatch, "fmod",
                     "'fmod' takes floats of one type, not %s and %s", dtype_name(t->dtype),
                     dtype_name(u->dtype));
        return tn_no_value();
    }
    const tn_dtype d = t->dtype;
    return d == TN_F32 || d == TN_F64 ? chosen_remainder(b, d, x, y)
                                      : any_remainder(b, d, method_of(d), x, y);
}
