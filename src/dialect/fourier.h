/* How a discrete Fourier transform is split, for every dialect that has one. */
#ifndef DIALECT_FOURIER_H
#define DIALECT_FOURIER_H

#include <stdint.h>

/* The largest divisor of N, which is positive, that is at most its root, and at most so many that
 * looking for it takes no time that one would notice. */
static inline int64_t fourier_divisor(int64_t n)
{
    enum { MOST = 1 << 18 };
    int64_t i = 1;
    while (i < MOST && (i + 1) * (i + 1) <= n)
        i++;
    while (n % i != 0)
        i--;
    return i;
}

#endif
