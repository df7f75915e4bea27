/* Numbers of 128 bits, for machines with and without a type for them. */
#ifndef BASE_MEMORY_WIDE_H
#define BASE_MEMORY_WIDE_H

#include <stdint.h>

typedef struct wide128 {
    uint64_t high, low;
} wide128;

static inline wide128 wide_add(wide128 a, uint64_t b)
{
    const uint64_t low = a.low + b;
    return (wide128){a.high + (low < b), low};
}

/* The whole product. */
static inline wide128 wide_multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    const __uint128_t product = (__uint128_t)a * b;
    return (wide128){(uint64_t)(product >> 64), (uint64_t)product};
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t low = a0 * b0, left = a1 * b0 + (low >> 32); /* below 2^64 */
    const uint64_t right = a0 * b1 + (uint32_t)left;
    return (wide128){a1 * b1 + (left >> 32) + (right >> 32), right << 32 | (uint32_t)low};
#endif
}

#endif
