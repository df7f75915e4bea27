/* Exact conversions between the small float formats and f32 or f64, in integer arithmetic. */
#ifndef SCALAR_MINIFLOAT_H
#define SCALAR_MINIFLOAT_H

#include <string.h>

#include "tenon/types.h"

static inline uint32_t f32_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline float f32_from_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline uint64_t f64_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline double f64_from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* A format by its numbers: MANTISSA stored bits, exponent bias, and the patterns (without sign) of
 * the largest finite value, of what overflow gives, and of NaN. */
typedef struct minifloat {
    int mantissa;
    int bias;
    uint16_t sign;
    uint16_t largest;
    uint16_t overflow;
    uint16_t nan;
} minifloat;

#define MINIFLOAT_E4M3 ((minifloat){3, 7, 0x80, 0x7e, 0x7f, 0x7f})
#define MINIFLOAT_E5M2 ((minifloat){2, 15, 0x80, 0x7b, 0x7c, 0x7e})
#define MINIFLOAT_BF16 ((minifloat){7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fc0})
#define MINIFLOAT_F16 ((minifloat){10, 15, 0x8000, 0x7bff, 0x7c00, 0x7e00})

/* X rounded once, to nearest even, to format F. Meant to be inlined with a constant F. */
static inline uint16_t minifloat_encode(minifloat f, double x)
{
    const uint64_t bits = f64_bits(x);
    const uint64_t a = bits & 0x7fffffffffffffffu;
    const uint16_t sign = (bits >> 63) ? f.sign : 0;
    const unsigned drop = (unsigned)(52 - f.mantissa);
    const uint64_t least_normal = (uint64_t)(1023 - f.bias + 1); /* biased as in f64 */
    const uint64_t exponent = a >> 52;
    uint64_t keep; /* significand, with the exponent above it where the result is normal */
    uint64_t shift = drop;
    if (exponent >= least_normal) {
        keep = a - ((least_normal - 1) << 52);
    } else {
        keep = (a & 0xfffffffffffffu) | 0x10000000000000u;
        shift += least_normal - exponent;
        if (shift > 60)
            shift = 60;
    }
    uint64_t r = (keep + (((uint64_t)1 << (shift - 1)) - 1) + ((keep >> shift) & 1)) >> shift;
    if (r > f.largest)
        r = f.overflow;
    if (a > 0x7ff0000000000000u)
        r = f.nan;
    return (uint16_t)(sign | r);
}

/* The same from an f32 to bf16, where rounding is one addition. */
static inline uint16_t bf16_from_f32(float x)
{
    const uint32_t u = f32_bits(x);
    const uint32_t rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
    return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? ((u >> 16) & 0x8000) | 0x7fc0 : rounded);
}

static inline float bf16_to_f32(uint16_t h)
{
    return f32_from_bits((uint32_t)h << 16);
}

static inline float f16_to_f32(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    const uint32_t a = h & 0x7fff;
    const uint32_t tiny =
        f32_bits((float)a * 0x1p-24f); /* exact: the denormals of f16 are normal */
    const uint32_t normal = (a << 13) + (112u << 23) + (a >= 0x7c00 ? 112u << 23 : 0);
    return f32_from_bits(sign | (a < 0x400 ? tiny : normal));
}

static inline float e5m2_to_f32(uint8_t b)
{
    return f16_to_f32((uint16_t)(b << 8));
}

static inline float e4m3_to_f32(uint8_t b)
{
    const uint32_t sign = (uint32_t)(b & 0x80) << 24;
    const uint32_t a = b & 0x7f;
    const uint32_t tiny = f32_bits((float)a * 0x1p-9f);
    const uint32_t normal = (a << 20) + (120u << 23);
    return f32_from_bits(sign | (a == 0x7f ? 0x7fc00000 : a < 8 ? tiny : normal));
}

#endif
