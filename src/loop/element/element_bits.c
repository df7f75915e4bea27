/* Integers as rows of bits, and what sort of number a float is: what src/eval/kernels/bits.c
 * computes. */
#include <math.h>

#include "loop/element/element_parts.h"

static uint32_t bits_of(element x)
{
    return dtype_table[x.dtype].bits;
}

/* X without the extension of 4-bit integers. */
static loop_value low_bits(loop_builder *b, element x)
{
    return bits_of(x) < 8 ? loop_binary(b, LOOP_AND, x.re, const_like(b, x.re, 0xf)) : x.re;
}

static loop_value shifted(loop_builder *b, loop_op op, loop_value x, uint32_t by)
{
    return loop_binary(b, op, x, const_like(b, x, by));
}

static loop_value is_amount(loop_builder *b, element x, element y)
{
    return loop_binary(b, LOOP_IULT, y.re, const_like(b, y.re, bits_of(x)));
}

/* Nothing is left of X after a shift by its width or more. */
static element shifted_out(loop_builder *b, loop_op op, element x, loop_value bits, element y)
{
    const loop_value r = loop_binary(b, op, bits, y.re);
    x.re = element_wrap(b, x.dtype, loop_select(b, is_amount(b, x, y), r, const_like(b, x.re, 0)));
    return x;
}

element form_shift_left(loop_builder *b, const element_call *c)
{
    return shifted_out(b, LOOP_SHL, c->in[0], c->in[0].re, c->in[1]);
}

element form_shift_right_logical(loop_builder *b, const element_call *c)
{
    const loop_value bits = low_bits(b, c->in[0]);
    return shifted_out(b, LOOP_LSHR, c->in[0], bits, c->in[1]);
}

element form_shift_right_arithmetic(loop_builder *b, const element_call *c)
{
    element x = c->in[0];
    const element y = c->in[1];
    const loop_value most = const_like(b, y.re, bits_of(x) - 1);
    const loop_value by = loop_select(b, is_amount(b, x, y), y.re, most);
    if (x.dtype == TN_UI4)
        x.re = shifted(b, LOOP_ASHR, shifted(b, LOOP_SHL, x.re, 4), 4);
    x.re = element_wrap(b, x.dtype, loop_binary(b, LOOP_ASHR, x.re, by));
    return x;
}

/* A byte repeated over the lanes of the type of LIKE. */
static loop_value bytes_like(loop_builder *b, loop_value like, uint64_t byte)
{
    const uint32_t bits = loop_value_bits(b, like);
    return const_like(b, like, (byte * UINT64_C(0x0101010101010101)) >> (64 - bits));
}

/* Sums of 2, 4 and 8 neighbouring bits, then of bytes, which the highest byte of a product is. */
static loop_value ones_of(loop_builder *b, loop_value x)
{
    const uint32_t bits = loop_value_bits(b, x);
    const loop_value odd =
        loop_binary(b, LOOP_AND, shifted(b, LOOP_LSHR, x, 1), bytes_like(b, x, 0x55));
    x = loop_binary(b, LOOP_ISUB, x, odd);
    const loop_value high =
        loop_binary(b, LOOP_AND, shifted(b, LOOP_LSHR, x, 2), bytes_like(b, x, 0x33));
    x = loop_binary(b, LOOP_IADD, loop_binary(b, LOOP_AND, x, bytes_like(b, x, 0x33)), high);
    x = loop_binary(b, LOOP_IADD, x, shifted(b, LOOP_LSHR, x, 4));
    x = loop_binary(b, LOOP_AND, x, bytes_like(b, x, 0x0f));
    if (bits > 8)
        x = shifted(b, LOOP_LSHR, loop_binary(b, LOOP_IMUL, x, bytes_like(b, x, 1)), bits - 8);
    return x;
}

element form_popcount(loop_builder *b, const element_call *c)
{
    element x = c->in[0];
    x.re = element_wrap(b, x.dtype, ones_of(b, low_bits(b, x)));
    return x;
}

/* The bits below the highest one are set, so that those above it can be counted. */
element form_count_leading_zeros(loop_builder *b, const element_call *c)
{
    element x = c->in[0];
    loop_value filled = low_bits(b, x);
    for (uint32_t by = 1; by < bits_of(x); by *= 2)
        filled = loop_binary(b, LOOP_OR, filled, shifted(b, LOOP_LSHR, filled, by));
    const loop_value all = const_like(b, x.re, bits_of(x));
    x.re = element_wrap(b, x.dtype, loop_binary(b, LOOP_ISUB, all, ones_of(b, filled)));
    return x;
}

/* ---- floats ---- */

static element against_infinity(loop_builder *b, loop_op op, element x)
{
    const loop_value size = loop_unary(b, LOOP_FABS, x.re);
    return element_of(TN_I1, loop_binary(b, op, size, float_like(b, size, (double)INFINITY)));
}

element form_is_finite(loop_builder *b, const element_call *c)
{
    return against_infinity(b, LOOP_FLT, c->in[0]);
}

element form_is_inf(loop_builder *b, const element_call *c)
{
    return against_infinity(b, LOOP_FEQ, c->in[0]);
}

element form_is_nan(loop_builder *b, const element_call *c)
{
    return element_of(TN_I1, loop_binary(b, LOOP_FUNO, c->in[0].re, c->in[0].re));
}
