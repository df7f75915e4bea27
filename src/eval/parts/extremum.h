/* Maximum and minimum of floats as IEEE 754-2019 defines maximumNumber and minimumNumber, where a
 * number wins over NaN, and maximum and minimum (here with _nan), where NaN wins. +0 counts as
 * larger than -0. So all commute and associate. */
#ifndef EVAL_PARTS_EXTREMUM_H
#define EVAL_PARTS_EXTREMUM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Equal numbers differ only if they are zeros of different sign: the maximum of those has the AND
 * of the bits, the minimum the OR. */
#define EXTREMUM(name, type, bits, better, join, unordered)                                        \
    static inline type name(type a, type b)                                                        \
    {                                                                                              \
        bits p, q;                                                                                 \
        type equal;                                                                                \
        memcpy(&p, &a, sizeof a);                                                                  \
        memcpy(&q, &b, sizeof b);                                                                  \
        p = p join q;                                                                              \
        memcpy(&equal, &p, sizeof equal);                                                          \
        return a better b ? a : a == b ? equal : a != a || b != b ? (unordered) : b;               \
    }
EXTREMUM(max_f32, float, uint32_t, >, &, a != a ? b : a)
EXTREMUM(min_f32, float, uint32_t, <, |, a != a ? b : a)
EXTREMUM(max_f64, double, uint64_t, >, &, a != a ? b : a)
EXTREMUM(min_f64, double, uint64_t, <, |, a != a ? b : a)
EXTREMUM(max_nan_f32, float, uint32_t, >, &, a != a ? a : b)
EXTREMUM(min_nan_f32, float, uint32_t, <, |, a != a ? a : b)
EXTREMUM(max_nan_f64, double, uint64_t, >, &, a != a ? a : b)
EXTREMUM(min_nan_f64, double, uint64_t, <, |, a != a ? a : b)
#undef EXTREMUM

#endif
