/* The upper half of products of integers, which have twice as many bits. */
#include "dialect/mlir/hlo/numbers/numbers.h"

static tn_value bits_of(tn_builder *b, int64_t value)
{
    return tn_scalar_int(b, TN_UI64, value);
}

/* The low and the high 32 bits of X, of ui64. */
static tn_value low_half(tn_builder *b, tn_value x)
{
    return tn_and(b, x, bits_of(b, UINT32_MAX));
}
static tn_value high_half(tn_builder *b, tn_value x)
{
    return tn_shift_right_logical(b, x, bits_of(b, 32));
}

/* Of X and Y of ui64: four products of halves, and what they carry. */
static tn_value of_64_bits(tn_builder *b, tn_value x, tn_value y)
{
    const tn_value x0 = low_half(b, x), x1 = high_half(b, x);
    const tn_value y0 = low_half(b, y), y1 = high_half(b, y);
    const tn_value lowest = high_half(b, tn_mul(b, x0, y0));
    const tn_value first = tn_add(b, tn_mul(b, x1, y0), lowest);
    const tn_value second = tn_mul(b, x0, y1);
    const tn_value middle = tn_add(b, second, low_half(b, first));
    const tn_value upper = tn_mul(b, x1, y1);
    const tn_value carried = high_half(b, first);
    const tn_value more = tn_add(b, carried, high_half(b, middle));
    return tn_add(b, upper, more);
}

/* Y where X is negative, else 0. */
static tn_value where_negative(tn_builder *b, tn_value x, tn_value y)
{
    const tn_value zero = tn_scalar_int(b, TN_SI64, 0);
    return tn_select(b, tn_compare(b, TN_LT, x, zero), y, zero);
}

tn_value shlo_upper_product(shlo_call *c, tn_value x, tn_value y)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const tn_dtype d = t->dtype;
    const bool is_signed = dtype_is_signed(d);
    if (dtype_table[d].bits < 64) {
        const tn_dtype wide = is_signed ? TN_SI64 : TN_UI64;
        const tn_value wide_x = tn_cast(b, x, wide);
        const tn_value both = tn_mul(b, wide_x, tn_cast(b, y, wide));
        const tn_value by = tn_scalar_int(b, wide, dtype_table[d].bits);
        return tn_wrap(b, tn_shift_right_logical(b, both, by), d);
    }
    if (!is_signed)
        return of_64_bits(b, x, y);
    /* a negative number is read as 2^64 more than it is */
    const tn_value bits_x = tn_wrap(b, x, TN_UI64);
    const tn_value bits = of_64_bits(b, bits_x, tn_wrap(b, y, TN_UI64));
    const tn_value more_x = where_negative(b, x, y);
    const tn_value more = tn_add(b, more_x, where_negative(b, y, x));
    return tn_sub(b, tn_wrap(b, bits, TN_SI64), more);
}
