/* The written order of evaluation of sums and products (docs/numerics.md), said again as plainly as
 * possible. */
#ifndef TEST_UNIT_OPS_LAW_H
#define TEST_UNIT_OPS_LAW_H

#include <math.h>
#include <stdlib.h>

#include "ops/law.h"

/* Sum of x[0 .. n) by the law: lanes, halving, pairwise blocks. */
static inline float law_block(const float *x, size_t n)
{
    float lane[SUM_LANES];
    for (size_t l = 0; l < SUM_LANES; l++)
        lane[l] = -0.0f;
    for (size_t j = 0; j < n; j++)
        lane[j % SUM_LANES] = lane[j % SUM_LANES] + x[j];
    for (size_t half = SUM_LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] = lane[l] + lane[l + half];
    return lane[0];
}

static inline float law_sum(const float *x, size_t n)
{
    size_t count = (n + SUM_BLOCK - 1) / SUM_BLOCK;
    float *partial = malloc((count + 1) * sizeof *partial);
    float result = 0;
    if (!partial)
        return NAN;
    for (size_t b = 0; b < count; b++)
        partial[b] = law_block(x + b * SUM_BLOCK,
                               n - b * SUM_BLOCK < SUM_BLOCK ? n - b * SUM_BLOCK : SUM_BLOCK);
    while (count > 1) {
        size_t next = 0;
        for (size_t b = 0; b < count; b += 2)
            partial[next++] = b + 1 < count ? partial[b] + partial[b + 1] : partial[b];
        count = next;
    }
    if (count == 1)
        result = partial[0];
    free(partial);
    return result;
}

/* The chain of products a[k] * b[k] by the law: blocks of CONTRACT_BLOCK, each from +0, added in
 * order. */
static inline float law_dot(const float *a, const float *b, size_t n)
{
    float total = 0;
    for (size_t start = 0; start < n; start += CONTRACT_BLOCK) {
        float p = 0;
        for (size_t k = start; k < n && k < start + CONTRACT_BLOCK; k++)
            p = fmaf(a[k], b[k], p);
        total = start == 0 ? p : total + p;
    }
    return total;
}

#endif
