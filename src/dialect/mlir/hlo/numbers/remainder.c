/* The remainder of floats: the divisor is doubled until it is more than half of the dividend, and
 * subtracted where it fits on its way back. Every step is exact. */
#include "dialect/mlir/hlo/numbers/numbers.h"

#include <math.h>

/* Does any element of X hold? */
static tn_value any(tn_builder *b, tn_value x)
{
    int64_t axes[TN_MAX_RANK];
    const type *t = builder_type(b, x);
    for (uint32_t i = 0; t && i < t->rank; i++)
        axes[i] = i;
    return t && t->rank ? tn_reduce_max(b, x, (tn_ints){axes, t->rank}, false) : x;
}

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
    const tn_value goes_on = any(b, tn_compare(b, TN_GE, in[1], in[2]));
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

tn_value shlo_float_remainder(shlo_call *c, tn_value x, tn_value y)
{
    tn_builder *b = c->b;
    const tn_value zero = tn_scalar_like(b, x, 0), one = tn_scalar_like(b, x, 1);
    const tn_value x_ends = tn_is_finite(b, x), y_ends = tn_is_finite(b, y);
    const tn_value divides = tn_and(b, y_ends, tn_compare(b, TN_NE, y, zero));
    const tn_value is_plain = tn_and(b, x_ends, divides);
    const tn_value rest = tn_select(b, is_plain, tn_abs(b, x), zero);
    const tn_value least = tn_select(b, is_plain, tn_abs(b, y), one);
    const tn_value step = largest_step(b, rest, least);
    const tn_value r = reduced(b, rest, step, least);
    const tn_value is_below = tn_compare(b, TN_LT, x, zero);
    const tn_value signed_rest = tn_select(b, is_below, tn_neg(b, r), r);
    const tn_value none = tn_compare(b, TN_EQ, r, zero);
    const tn_value plain = tn_select(b, none, tn_mul(b, x, zero), signed_rest);
    const tn_value stays = tn_and(b, x_ends, tn_is_inf(b, y));
    const tn_value odd = tn_select(b, stays, x, tn_scalar_like(b, x, (double)NAN));
    return tn_select(b, is_plain, plain, odd);
}
