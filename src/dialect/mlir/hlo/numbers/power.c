/* Powers of integers, by squaring. */
#include "dialect/mlir/hlo/numbers/numbers.h"

/* X to the power N. */
static tn_value fixed_power(tn_builder *b, tn_value x, uint64_t n)
{
    tn_value square = x, y = tn_no_value();
    for (; n; n >>= 1) {
        if (n & 1)
            y = tn_is_value(y) ? tn_mul(b, y, square) : square;
        square = n > 1 ? tn_mul(b, square, square) : square;
    }
    return y;
}

/* The same where N is data, of BITS bits without a sign. */
static tn_value power(tn_builder *b, tn_value x, tn_value n, uint32_t bits, tn_dtype d)
{
    const type *t = builder_type(b, x);
    if (!t)
        return x;
    const tn_value one = tn_scalar_int(b, d, 1);
    const tn_value carry[] = {tn_broadcast(b, one, (tn_ints){t->dims, t->rank}), x, n};
    tn_value in[3], out[3];
    const tn_value places = tn_iota(b, TN_SI64, TN_INTS((int64_t)bits), 0);
    tn_region_begin(b, NULL);
    for (int i = 0; i < 3; i++)
        in[i] = tn_param_like(b, carry[i]);
    (void)tn_param_slice(b, places);
    const tn_value first = tn_scalar_int(b, d, 1);
    const tn_value is_set = tn_compare(b, TN_EQ, tn_and(b, in[2], first), first);
    const tn_value next = tn_select(b, is_set, tn_mul(b, in[0], in[1]), in[0]);
    const tn_value square = tn_mul(b, in[1], in[1]);
    const tn_value rest = tn_shift_right_logical(b, in[2], first);
    const tn_region body = tn_region_end(b, TN_VALUES(next, square, rest));
    tn_scan(b, body, (tn_values){carry, 3}, TN_VALUES(places), 0, out, 3);
    return out[0];
}

tn_value shlo_integer_power(shlo_call *c, tn_value x, tn_value y)
{
    tn_builder *b = c->b;
    scalar s;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const tn_dtype d = t->dtype;
    const bool is_signed = dtype_is_signed(d);
    if (shlo_uniform(c, 1, &s) && s.u > 0 && (!is_signed || s.i > 0))
        return fixed_power(b, x, s.u);
    const tn_value all = power(b, x, y, dtype_table[d].bits, d);
    if (!is_signed)
        return all;
    /* 1 / x^-y, rounded toward zero */
    const tn_value zero = tn_scalar_int(b, d, 0), one = tn_scalar_int(b, d, 1);
    const tn_value less = tn_scalar_int(b, d, -1);
    const tn_value is_even = tn_compare(b, TN_EQ, tn_and(b, y, one), zero);
    const tn_value of_less = tn_select(b, is_even, one, less);
    const tn_value is_less = tn_compare(b, TN_EQ, x, less);
    const tn_value rest = tn_select(b, is_less, of_less, zero);
    const tn_value is_one = tn_compare(b, TN_EQ, x, one);
    const tn_value below = tn_select(b, is_one, one, rest);
    return tn_select(b, tn_compare(b, TN_LT, y, zero), below, all);
}
