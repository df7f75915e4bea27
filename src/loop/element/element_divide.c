/* Quotients and remainders of integers. */
#include "loop/element/element_parts.h"

/* 64 bits: X and Y are between -2^51 and 2^51, so that the quotient is never closer to an
 * integer above it than f64 can tell. */
static loop_value near_quotient_64(loop_builder *b, loop_value x, loop_value y)
{
    /* Added to the bits of 1.5 * 2^52, an integer becomes its last digits. */
    const loop_value bits = const_like(b, x, 0x4338000000000000);
    loop_value in[] = {x, y}, magic = 0;
    for (unsigned k = 0; k < 2; k++) {
        in[k] = loop_convert(b, LOOP_BITCAST, LOOP_F64, loop_binary(b, LOOP_IADD, in[k], bits));
        magic = float_like(b, in[k], 0x1.8p52);
        in[k] = loop_binary(b, LOOP_FSUB, in[k], magic);
    }
    const loop_value q = loop_unary(b, LOOP_FTRUNC, loop_binary(b, LOOP_FDIV, in[0], in[1]));
    const loop_value moved = loop_binary(b, LOOP_FADD, q, magic);
    return loop_binary(b, LOOP_ISUB, loop_convert(b, LOOP_BITCAST, LOOP_I64, moved), bits);
}

/* 64 bits, any numbers. Processors divide these one by one and slowly, so what f64 holds is divided
 * there, while all lanes are so. */
static loop_value quotient_64(loop_builder *b, bool is_signed, loop_value x, loop_value y)
{
    const loop_value one = const_like(b, y, 1), half = const_like(b, x, UINT64_C(1) << 51);
    /* From -2^51 to 2^51, plus 2^51: nothing is left above 52 bits. */
    const loop_value over = is_signed ? loop_binary(b, LOOP_OR, loop_binary(b, LOOP_IADD, x, half),
                                                    loop_binary(b, LOOP_IADD, y, half))
                                      : loop_binary(b, LOOP_OR, x, y);
    const loop_value above =
        loop_binary(b, LOOP_LSHR, over, const_like(b, over, is_signed ? 52 : 51));
    const loop_value is_near = loop_binary(b, LOOP_IEQ, above, const_like(b, above, 0));
    const loop_value q = loop_var(b, near_quotient_64(b, x, y));
    loop_if(b, loop_any(b, invert(b, is_near)));
    if (is_signed) { /* the smallest integer / -1 must not be computed */
        const loop_value minus = loop_binary(b, LOOP_IEQ, y, const_like(b, y, UINT64_MAX));
        const loop_value negative = loop_binary(b, LOOP_ISUB, const_like(b, x, 0), x);
        const loop_value some = loop_binary(b, LOOP_SDIV, x, loop_select(b, minus, one, y));
        loop_set(b, q, loop_select(b, minus, negative, some));
    } else {
        loop_set(b, q, loop_binary(b, LOOP_UDIV, x, y));
    }
    loop_end(b);
    return loop_get(b, q);
}

/* Integer quotients toward zero; X and Y are of dtype D. Y is not 0. Divisions of up to 32 bits are
 * done in floats: the quotient of such integers is never closer to an integer above it than a float
 * of twice their precision can tell. */
static loop_value int_quotient(loop_builder *b, tn_dtype d, loop_value x, loop_value y)
{
    const bool is_signed = dtype_is_signed(d);
    const loop_elem own = element_compute(d);
    const size_t bytes = loop_elem_bytes(own);
    loop_value q;
    if (bytes == 8)
        return quotient_64(b, is_signed, x, y);
    if (bytes == 4) {
        const loop_value minus = loop_binary(b, LOOP_IEQ, y, const_like(b, y, UINT64_MAX));
        const loop_value negative = loop_binary(b, LOOP_ISUB, const_like(b, x, 0), x);
        if (is_signed) /* the smallest integer / -1 must not be computed */
            y = loop_select(b, minus, const_like(b, y, 1), y);
        const loop_op to = is_signed ? LOOP_S_TO_F : LOOP_U_TO_F;
        q = loop_binary(b, LOOP_FDIV, loop_convert(b, to, LOOP_F64, x),
                        loop_convert(b, to, LOOP_F64, y));
        q = loop_convert(b, is_signed ? LOOP_F_TO_S : LOOP_F_TO_U, LOOP_I32, q);
        if (is_signed)
            q = loop_select(b, minus, negative, q);
    } else {
        const loop_op wide = is_signed ? LOOP_SEXT : LOOP_ZEXT;
        x = loop_convert(b, LOOP_S_TO_F, LOOP_F32, loop_convert(b, wide, LOOP_I32, x));
        y = loop_convert(b, LOOP_S_TO_F, LOOP_F32, loop_convert(b, wide, LOOP_I32, y));
        q = loop_convert(b, LOOP_F_TO_S, LOOP_I32, loop_binary(b, LOOP_FDIV, x, y));
        q = loop_convert(b, LOOP_TRUNCATE, own, q);
    }
    return q;
}

/* The bits of I, a constant, as wide as its type. */
static uint64_t bits_of(const loop_inst *i)
{
    return i->imm & (UINT64_MAX >> (64 - 8 * loop_elem_bytes((loop_elem)i->type.elem)));
}

static bool is_not_zero(const loop_builder *b, loop_value y)
{
    const loop_inst *i = known_number(b, y);
    return i && bits_of(i) != 0;
}

/* Is Y one known number by which compilers divide without a division: with a product and shifts,
 * or, of 64 bits, for which vectors have no such product, with shifts alone? */
static bool divides_by_product(const loop_builder *b, tn_dtype d, loop_value y)
{
    const loop_inst *i = known_number(b, y);
    if (!i)
        return false;
    const size_t bytes = loop_elem_bytes((loop_elem)i->type.elem);
    const uint64_t bits = bits_of(i), sign = UINT64_C(1) << (8 * bytes - 1);
    return bits >= 2 && (!dtype_is_signed(d) || bits < sign) &&
           (bytes < 8 || (bits & (bits - 1)) == 0);
}

element element_divide_int(loop_builder *b, bool remainder, element x, element y, loop_value *zero)
{
    const tn_dtype d = x.dtype;
    const loop_value none = const_like(b, x.re, 0);
    loop_value divisor = y.re, r;
    *zero = is_not_zero(b, y.re) ? LOOP_NO_VALUE : loop_binary(b, LOOP_IEQ, y.re, none);
    if (*zero != LOOP_NO_VALUE)
        divisor = loop_select(b, *zero, const_like(b, y.re, 1), y.re);
    if (divides_by_product(b, d, y.re))
        r = loop_binary(b, dtype_is_signed(d) ? LOOP_SDIV : LOOP_UDIV, x.re, divisor);
    else
        r = int_quotient(b, d, x.re, divisor);
    if (remainder) /* x mod 1 is 0 already */
        r = loop_binary(b, LOOP_ISUB, x.re, loop_binary(b, LOOP_IMUL, r, divisor));
    else if (*zero != LOOP_NO_VALUE)
        r = loop_select(b, *zero, none, r);
    x.re = element_wrap(b, d, r);
    return x;
}
