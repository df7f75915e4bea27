/* Integer arithmetic that reports overflow. */
#ifndef BASE_MEMORY_CHECKED_H
#define BASE_MEMORY_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *OUT = A op B; false when that does not fit. */
static inline bool add_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool sub_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_sub_overflow(a, b, out);
}

static inline bool mul_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* A / B rounded down, B > 0. */
static inline int64_t floor_i64(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* What that leaves, in [0, B). B times the quotient may be too large a number. */
static inline int64_t rest_i64(int64_t a, int64_t b)
{
    const int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

static inline bool mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* Product of N extents. A zero extent gives 0 even when the others would overflow. */
static inline bool product_i64(const int64_t *dims, size_t n, int64_t *out)
{
    int64_t product = 1;
    bool fits = true;
    for (size_t i = 0; i < n; i++) {
        if (dims[i] == 0) {
            *out = 0;
            return true;
        }
        fits = fits && mul_i64(product, dims[i], &product);
    }
    *out = product;
    return fits;
}

#endif
