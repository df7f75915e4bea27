/* Generators: what src/eval/kernels/generate.c and random.h compute. */
#include <math.h>

#include "loop/element/element_parts.h"
#include "scalar/math.h"

element element_iota(loop_builder *b, tn_dtype d, loop_value coordinate)
{
    return element_cast(b, element_of(TN_SI64, coordinate), d);
}

static loop_value high_half(loop_builder *b, loop_value x)
{
    return loop_binary(b, LOOP_LSHR, x, const_like(b, x, 32));
}
static loop_value low_half(loop_builder *b, loop_value x)
{
    return loop_binary(b, LOOP_AND, x, const_like(b, x, UINT32_MAX));
}

/* Words in the low halves of i64; the high halves are anything. */
typedef struct words {
    loop_value at[4];
} words;

/* Philox 4x32-10, see eval/parts/random.h. In lanes of 64 bits, where a product of words needs no
 * packing and unpacking. */
static words philox_words(loop_builder *b, const element_draws *from, loop_value position)
{
    static const uint32_t factor[2] = {0xd2511f53, 0xcd9e8d57}, step[2] = {0x9e3779b9, 0xbb67ae85};
    const uint32_t lanes = loop_lanes(b, position);
    words c = {{position, high_half(b, position), const_like(b, position, from->stream),
                const_like(b, position, from->function)}};
    const loop_value seed[2] = {from->seed, high_half(b, from->seed)};
    for (uint32_t round = 0; round < 10; round++) {
        loop_value product[2], key[2];
        for (size_t k = 0; k < 2; k++) {
            const loop_value word = low_half(b, c.at[2 * k]);
            const loop_value round_key = const_like(b, seed[k], (uint64_t)round * step[k]);
            product[k] = loop_binary(b, LOOP_IMUL, word, const_like(b, word, factor[k]));
            key[k] = loop_splat(b, lanes, loop_binary(b, LOOP_IADD, seed[k], round_key));
        }
        for (size_t k = 0; k < 2; k++) {
            const loop_value high = high_half(b, product[1 - k]);
            const loop_value mixed = loop_binary(b, LOOP_XOR, high, c.at[2 * k + 1]);
            c.at[2 * k] = loop_binary(b, LOOP_XOR, mixed, key[k]);
        }
        c.at[1] = product[1];
        c.at[3] = product[0];
    }
    return c;
}

/* The top P bits of the words HIGH, LOW as an integer: an i32, for P > 32 an i64. */
static loop_value top_bits(loop_builder *b, loop_value high, loop_value low, unsigned p)
{
    if (p <= 32) {
        const loop_value word = loop_convert(b, LOOP_TRUNCATE, LOOP_I32, high);
        return loop_binary(b, LOOP_LSHR, word, const_like(b, word, 32 - p));
    }
    const loop_value top = loop_binary(b, LOOP_SHL, high, const_like(b, high, 32));
    const loop_value both = loop_binary(b, LOOP_OR, top, low_half(b, low));
    return loop_binary(b, LOOP_LSHR, both, const_like(b, both, 64 - p));
}

/* X * 2^-P, exact. */
static loop_value fraction(loop_builder *b, loop_value x, unsigned p)
{
    const loop_value f = loop_convert(b, LOOP_S_TO_F, p > 32 ? LOOP_F64 : LOOP_F32, x);
    return loop_binary(b, LOOP_FMUL, f, float_like(b, f, ldexp(1.0, -(int)p)));
}

element element_uniform(loop_builder *b, tn_dtype d, const element_draws *from, loop_value position)
{
    const unsigned p = dtype_table[d].precision;
    const words w = philox_words(b, from, position);
    return element_of(d, fraction(b, top_bits(b, w.at[0], w.at[1], p), p));
}

static loop_value function_of(loop_builder *b, math_fn fn, bool wide, loop_value x)
{
    const scalar_program *p = scalar_math_program(b->arena, fn, wide ? SCALAR_F64 : SCALAR_F32);
    if (!p && !b->fault)
        b->fault = "no memory";
    return p ? loop_inline(b, p, &x) : 0;
}

element element_normal(loop_builder *b, tn_dtype d, const element_draws *from, loop_value position)
{
    const bool is_wide = d == TN_F64;
    const unsigned p = is_wide ? 53 : 24;
    const words w = philox_words(b, from, position);
    const loop_value n = top_bits(b, w.at[0], w.at[1], p);
    const loop_value u = fraction(b, loop_binary(b, LOOP_IADD, n, const_like(b, n, 1)), p);
    const loop_value v = fraction(b, top_bits(b, w.at[2], w.at[3], p), p);
    const loop_value log = function_of(b, MATH_LOG, is_wide, u);
    const loop_value radius =
        loop_unary(b, LOOP_FSQRT, loop_binary(b, LOOP_FMUL, float_like(b, u, -2), log));
    const loop_value angle = loop_binary(b, LOOP_FMUL, v, float_like(b, v, 6.28318530717958647692));
    const loop_value cos = function_of(b, MATH_COS, is_wide, angle);
    return element_of(d, element_round(b, d, loop_binary(b, LOOP_FMUL, radius, cos)));
}
