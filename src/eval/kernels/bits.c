/* Kernels of integers as rows of bits, and of what sort of number a float is. */
#include <math.h>

#include "eval/kernels/flat.h"

/* X without what lies above its lowest BITS bits; 4-bit integers come extended. */
static uint64_t low_bits(uint64_t x, int64_t bits)
{
    return bits < 64 ? x & ((UINT64_C(1) << bits) - 1) : x;
}

static uint64_t shift_left(uint64_t x, uint64_t by, int64_t bits)
{
    return by < (uint64_t)bits ? x << by : 0;
}

static uint64_t shift_right_logical(uint64_t x, uint64_t by, int64_t bits)
{
    return by < (uint64_t)bits ? low_bits(x, bits) >> by : 0;
}

/* Copies of the highest bit come in. */
static uint64_t shift_right_arithmetic(uint64_t x, uint64_t by, int64_t bits)
{
    const int64_t extended = (int64_t)(x << (64 - bits)) >> (64 - bits);
    return (uint64_t)(extended >> (by < (uint64_t)bits ? (int64_t)by : bits - 1));
}

static uint64_t popcount(uint64_t x, int64_t bits)
{
    return (uint64_t)__builtin_popcountll(low_bits(x, bits));
}

static uint64_t count_leading_zeros(uint64_t x, int64_t bits)
{
    x = low_bits(x, bits);
    return (uint64_t)(x ? __builtin_clzll(x) - (64 - bits) : bits);
}

#define OF_WIDTH(signed_dtype, unsigned_dtype, type, expr)                                         \
    case signed_dtype:                                                                             \
    case unsigned_dtype: {                                                                         \
        const type *x = args->in[0], *y = args->in[1];                                             \
        type *restrict out = args->out;                                                            \
        (void)y;                                                                                   \
        for (size_t i = 0; i < args->n; i++)                                                       \
            out[i] = (type)(expr);                                                                 \
        break;                                                                                     \
    }
#define INTEGERS(kernel, expr)                                                                     \
    bool kernel(const flat_args *args)                                                             \
    {                                                                                              \
        switch ((int)args->dtype) {                                                                \
            OF_WIDTH(TN_SI8, TN_UI8, uint8_t, expr)                                                \
            OF_WIDTH(TN_SI16, TN_UI16, uint16_t, expr)                                             \
            OF_WIDTH(TN_SI32, TN_UI32, uint32_t, expr)                                             \
            OF_WIDTH(TN_SI64, TN_UI64, uint64_t, expr)                                             \
        }                                                                                          \
        return true;                                                                               \
    }

INTEGERS(flat_shift_left, shift_left(x[i], y[i], args->mode)) /* [shift_left/C1] */
INTEGERS(flat_shift_right_logical,
         shift_right_logical(x[i], y[i], args->mode)) /* [shift_right_logical/C1] */
INTEGERS(flat_shift_right_arithmetic,
         shift_right_arithmetic(x[i], y[i], args->mode)) /* [shift_right_arithmetic/C1] */
INTEGERS(flat_popcount, popcount(x[i], args->mode))      /* [popcount/C1] */
INTEGERS(flat_count_leading_zeros,
         count_leading_zeros(x[i], args->mode)) /* [count_leading_zeros/C1] */

#define OF_FLOAT(dtype, type, magnitude, expr)                                                     \
    case dtype: {                                                                                  \
        const type *at = args->in[0];                                                              \
        uint8_t *restrict out = args->out;                                                         \
        for (size_t i = 0; i < args->n; i++) {                                                     \
            const type x = magnitude(at[i]);                                                       \
            out[i] = (expr);                                                                       \
        }                                                                                          \
        break;                                                                                     \
    }
/* EXPR is about x, which has no sign. */
#define FLOATS(kernel, expr)                                                                       \
    bool kernel(const flat_args *args)                                                             \
    {                                                                                              \
        switch ((int)args->dtype) {                                                                \
            OF_FLOAT(TN_F32, float, fabsf, expr)                                                   \
            OF_FLOAT(TN_F64, double, fabs, expr)                                                   \
        }                                                                                          \
        return true;                                                                               \
    }

FLOATS(flat_is_finite, (double)x < (double)INFINITY) /* [is_finite/C1] */
FLOATS(flat_is_nan, x != x)                          /* [is_nan/C1] */
FLOATS(flat_is_inf, (double)x == (double)INFINITY)   /* [is_inf/C1] */
