/* Arithmetic on elements: type rules and kernels. */
#include <math.h>

#include "eval/kernels/flat.h"
#include "eval/kernels/kernels.h"
#include "eval/parts/extremum.h"
#include "ops/rules/rules.h"

/* Kernels. Integers are computed as unsigned ones, where overflow wraps. */

#define LOOP(type, expr)                                                                           \
    do {                                                                                           \
        const type *x = args->in[0], *y = args->in[1], *z = args->in[2];                           \
        type *restrict out = args->out;                                                            \
        (void)y;                                                                                   \
        (void)z;                                                                                   \
        for (size_t i = 0; i < args->n; i++)                                                       \
            out[i] = (type)(expr);                                                                 \
    } while (0)
#define CASE(dtype, type, expr)                                                                    \
    case dtype:                                                                                    \
        LOOP(type, expr);                                                                          \
        break;
/* A case for each dtype of a sort, all with one expression. */
#define WRAPPING(expr8, expr16, expr32, expr64)                                                    \
    CASE(TN_SI8, uint8_t, expr8)                                                                   \
    CASE(TN_UI8, uint8_t, expr8)                                                                   \
    CASE(TN_SI16, uint16_t, expr16)                                                                \
    CASE(TN_UI16, uint16_t, expr16)                                                                \
    CASE(TN_SI32, uint32_t, expr32)                                                                \
    CASE(TN_UI32, uint32_t, expr32)                                                                \
    CASE(TN_SI64, uint64_t, expr64)                                                                \
    CASE(TN_UI64, uint64_t, expr64)
#define SIGNED(expr)                                                                               \
    CASE(TN_SI8, int8_t, expr)                                                                     \
    CASE(TN_SI16, int16_t, expr)                                                                   \
    CASE(TN_SI32, int32_t, expr)                                                                   \
    CASE(TN_SI64, int64_t, expr)
#define UNSIGNED(expr)                                                                             \
    CASE(TN_UI8, uint8_t, expr)                                                                    \
    CASE(TN_UI16, uint16_t, expr)                                                                  \
    CASE(TN_UI32, uint32_t, expr)                                                                  \
    CASE(TN_UI64, uint64_t, expr)
#define FLOATS(expr)                                                                               \
    CASE(TN_F32, float, expr)                                                                      \
    CASE(TN_F64, double, expr)
/* Complex numbers are pairs. */
#define COMPLEX(type, expr_re, expr_im)                                                            \
    do {                                                                                           \
        const type *x = args->in[0], *y = args->in[1];                                             \
        type *restrict out = args->out;                                                            \
        (void)y;                                                                                   \
        for (size_t i = 0; i < 2 * args->n; i += 2) {                                              \
            out[i] = (expr_re);                                                                    \
            out[i + 1] = (expr_im);                                                                \
        }                                                                                          \
    } while (0)
#define COMPLEXES(expr_re, expr_im)                                                                \
    case TN_CF32:                                                                                  \
        COMPLEX(float, expr_re, expr_im);                                                          \
        break;                                                                                     \
    case TN_CF64:                                                                                  \
        COMPLEX(double, expr_re, expr_im);                                                         \
        break;

bool flat_neg(const flat_args *args)
{
    switch ((int)args->dtype) {
        WRAPPING(-x[i], -x[i], -x[i], -x[i])
        FLOATS(-x[i])
        COMPLEXES(-x[i], -x[i + 1])
    }
    return true;
}

bool flat_abs(const flat_args *args)
{
    switch ((int)args->dtype) {
        CASE(TN_SI8, int8_t, x[i] < 0 ? -x[i] : x[i])
        CASE(TN_SI16, int16_t, x[i] < 0 ? -x[i] : x[i])
        CASE(TN_SI32, int32_t, x[i] < 0 ? (int32_t) - (uint32_t)x[i] : x[i])
        CASE(TN_SI64, int64_t, x[i] < 0 ? (int64_t) - (uint64_t)x[i] : x[i])
        UNSIGNED(x[i])
        CASE(TN_F32, float, fabsf(x[i]))
        CASE(TN_F64, double, fabs(x[i]))
    }
    return true;
}

/* NaN and -0 give +0. [relu/C1] */
bool flat_relu(const flat_args *args)
{
    switch ((int)args->dtype) {
        SIGNED(x[i] > 0 ? x[i] : 0)
        FLOATS(x[i] > 0 ? x[i] : 0)
    }
    return true;
}

bool flat_relu_grad(const flat_args *args)
{
    switch ((int)args->dtype) {
        SIGNED(y[i] > 0 ? x[i] : 0)
        FLOATS(y[i] > 0 ? x[i] : 0)
    }
    return true;
}

bool flat_not(const flat_args *args)
{
    if (args->mode) {
        LOOP(uint8_t, x[i] ^ 1);
        return true;
    }
    switch ((int)args->dtype) {
        WRAPPING(~x[i], ~x[i], ~x[i], ~x[i])
    }
    return true;
}

bool flat_sqrt(const flat_args *args)
{
    switch ((int)args->dtype) {
        CASE(TN_F32, float, sqrtf(x[i]))
        CASE(TN_F64, double, sqrt(x[i]))
    }
    return true;
}

bool flat_reciprocal(const flat_args *args)
{
    switch ((int)args->dtype) {
        FLOATS(1 / x[i])
    }
    return true;
}

bool flat_trunc(const flat_args *args)
{
    switch ((int)args->dtype) {
        CASE(TN_F32, float, truncf(x[i]))
        CASE(TN_F64, double, trunc(x[i]))
    }
    return true;
}

/* exp, log and so on: the operations of the scalar program. */
bool flat_math(const flat_args *args)
{
    scalar_run(args->program, args->in, args->out, args->n);
    return true;
}

bool flat_add(const flat_args *args)
{
    switch ((int)args->dtype) {
        WRAPPING(x[i] + y[i], x[i] + y[i], x[i] + y[i], x[i] + y[i])
        FLOATS(x[i] + y[i])
        COMPLEXES(x[i] + y[i], x[i + 1] + y[i + 1])
    }
    return true;
}

bool flat_sub(const flat_args *args)
{
    switch ((int)args->dtype) {
        WRAPPING(x[i] - y[i], x[i] - y[i], x[i] - y[i], x[i] - y[i])
        FLOATS(x[i] - y[i])
        COMPLEXES(x[i] - y[i], x[i + 1] - y[i + 1])
    }
    return true;
}

bool flat_mul(const flat_args *args)
{
    switch ((int)args->dtype) {
        WRAPPING(x[i] * y[i], (uint32_t)x[i] * y[i], x[i] * y[i], x[i] * y[i])
        FLOATS(x[i] * y[i])
        COMPLEXES(x[i] * y[i] - x[i + 1] * y[i + 1], x[i] * y[i + 1] + x[i + 1] * y[i])
    }
    return true;
}

static bool has_zero(const flat_args *args)
{
    size_t zeros = 0;
#define COUNT(dtype, type)                                                                         \
    case dtype:                                                                                    \
        for (size_t i = 0; i < args->n; i++)                                                       \
            zeros += ((const type *)args->in[1])[i] == 0;                                          \
        break;
    switch ((int)args->dtype) {
        COUNT(TN_SI8, int8_t)
        COUNT(TN_UI8, uint8_t)
        COUNT(TN_SI16, int16_t)
        COUNT(TN_UI16, uint16_t)
        COUNT(TN_SI32, int32_t)
        COUNT(TN_UI32, uint32_t)
        COUNT(TN_SI64, int64_t)
        COUNT(TN_UI64, uint64_t)
    }
#undef COUNT
    return zeros > 0;
}

/* Smith's method: scaled by the larger part of the divisor. */
#define COMPLEX_DIVIDE(type, magnitude)                                                            \
    do {                                                                                           \
        const type *x = args->in[0], *y = args->in[1];                                             \
        type *restrict out = args->out;                                                            \
        for (size_t i = 0; i < 2 * args->n; i += 2) {                                              \
            const type a = x[i], b = x[i + 1], c = y[i], d = y[i + 1];                             \
            if (magnitude(c) >= magnitude(d)) {                                                    \
                const type r = d / c, t = c + d * r;                                               \
                out[i] = (a + b * r) / t;                                                          \
                out[i + 1] = (b - a * r) / t;                                                      \
            } else {                                                                               \
                const type r = c / d, t = c * r + d;                                               \
                out[i] = (a * r + b) / t;                                                          \
                out[i + 1] = (b * r - a) / t;                                                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)

bool flat_div(const flat_args *args)
{
    if (args->mode == ON_ZERO_ERROR && has_zero(args))
        return false;
    switch ((int)args->dtype) {
        /* MIN / -1 is computed as 0 - MIN, which wraps to MIN. [div/C1] */
        CASE(TN_SI8, int8_t, y[i] == 0 ? 0 : x[i] / y[i])
        CASE(TN_SI16, int16_t, y[i] == 0 ? 0 : x[i] / y[i])
        CASE(TN_SI32, int32_t,
             y[i] == 0    ? 0
             : y[i] == -1 ? (int32_t) - (uint32_t)x[i]
                          : x[i] / y[i])
        CASE(TN_SI64, int64_t,
             y[i] == 0    ? 0
             : y[i] == -1 ? (int64_t) - (uint64_t)x[i]
                          : x[i] / y[i])
        UNSIGNED(y[i] == 0 ? 0 : x[i] / y[i])
        FLOATS(x[i] / y[i])
    case TN_CF32:
        COMPLEX_DIVIDE(float, fabsf);
        break;
    case TN_CF64:
        COMPLEX_DIVIDE(double, fabs);
        break;
    }
    return true;
}

/* The sign is that of the dividend; -1 divides everything. */
bool flat_mod(const flat_args *args)
{
    if (has_zero(args))
        return false;
    switch ((int)args->dtype) {
        SIGNED(y[i] == -1 ? 0 : x[i] % y[i])
        UNSIGNED(x[i] % y[i])
    }
    return true;
}

/* [maximum/C1] */
bool flat_maximum(const flat_args *args)
{
    switch ((int)args->dtype) {
        SIGNED(x[i] > y[i] ? x[i] : y[i])
        UNSIGNED(x[i] > y[i] ? x[i] : y[i])
        CASE(TN_F32, float, max_f32(x[i], y[i]))
        CASE(TN_F64, double, max_f64(x[i], y[i]))
    }
    return true;
}

/* [minimum/C1] */
bool flat_minimum(const flat_args *args)
{
    switch ((int)args->dtype) {
        SIGNED(x[i] < y[i] ? x[i] : y[i])
        UNSIGNED(x[i] < y[i] ? x[i] : y[i])
        CASE(TN_F32, float, min_f32(x[i], y[i]))
        CASE(TN_F64, double, min_f64(x[i], y[i]))
    }
    return true;
}

/* [maximum_nan/C1] */
bool flat_maximum_nan(const flat_args *args)
{
    switch ((int)args->dtype) {
        CASE(TN_F32, float, max_nan_f32(x[i], y[i]))
        CASE(TN_F64, double, max_nan_f64(x[i], y[i]))
    }
    return true;
}

/* [minimum_nan/C1] */
bool flat_minimum_nan(const flat_args *args)
{
    switch ((int)args->dtype) {
        CASE(TN_F32, float, min_nan_f32(x[i], y[i]))
        CASE(TN_F64, double, min_nan_f64(x[i], y[i]))
    }
    return true;
}

#define CLAMP(v, low, high)                                                                        \
    ((v) < (low) ? ((low) < (high) ? (low) : (high)) : (v) < (high) ? (v) : (high))

/* min(max(x, low), high): high wins. [clamp/C1] */
bool flat_clamp(const flat_args *args)
{
    switch ((int)args->dtype) {
        SIGNED(CLAMP(x[i], y[i], z[i]))
        UNSIGNED(CLAMP(x[i], y[i], z[i]))
        CASE(TN_F32, float, min_f32(max_f32(x[i], y[i]), z[i]))
        CASE(TN_F64, double, min_f64(max_f64(x[i], y[i]), z[i]))
    }
    return true;
}

bool flat_and(const flat_args *args)
{
    switch ((int)args->dtype) {
        WRAPPING(x[i] & y[i], x[i] & y[i], x[i] & y[i], x[i] & y[i])
    }
    return true;
}

bool flat_or(const flat_args *args)
{
    switch ((int)args->dtype) {
        WRAPPING(x[i] | y[i], x[i] | y[i], x[i] | y[i], x[i] | y[i])
    }
    return true;
}

bool flat_xor(const flat_args *args)
{
    switch ((int)args->dtype) {
        WRAPPING(x[i] ^ y[i], x[i] ^ y[i], x[i] ^ y[i], x[i] ^ y[i])
    }
    return true;
}
