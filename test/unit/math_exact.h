/* What the elementary functions should be: those of the C library, in more digits. A function of
 * math.def that the C library calls otherwise is written here. */
#ifndef TEST_MATH_EXACT_H
#define TEST_MATH_EXACT_H

#include <math.h>

#include "scalar/math.h"

#define EXACT(type, suffix)                                                                        \
    static inline type rsqrt##suffix(type x)                                                       \
    {                                                                                              \
        return 1 / sqrt##suffix(x);                                                                \
    }                                                                                              \
    static inline type round_even##suffix(type x)                                                  \
    {                                                                                              \
        return rint##suffix(x);                                                                    \
    }                                                                                              \
    static inline type sigmoid##suffix(type x)                                                     \
    {                                                                                              \
        return x < 0 ? exp##suffix(x) / (1 + exp##suffix(x)) : 1 / (1 + exp##suffix(-x));          \
    }                                                                                              \
    static inline type sign##suffix(type x)                                                        \
    {                                                                                              \
        return x > 0 ? 1 : x < 0 ? -1 : x;                                                         \
    }
EXACT(double, )
EXACT(long double, l)
#undef EXACT

#define CALL_1(function) function(x)
#define CALL_2(function) function(x, y)

/* For f32, by functions of f64, whose own error is below 10^-8 of an f32 ulp. */
static inline double exact_f64(math_fn fn, double x, double y)
{
    switch (fn) {
#define MATH_FN(id, text, operands)                                                                \
    case MATH_##id:                                                                                \
        return CALL_##operands(text);
#include "scalar/math.def"
    case MATH_FN_COUNT:
        break;
    }
    return y;
}

/* For f64, in 64 bits of significand. */
static inline long double exact_long(math_fn fn, long double x, long double y)
{
    switch (fn) {
#define MATH_FN(id, text, operands)                                                                \
    case MATH_##id:                                                                                \
        return CALL_##operands(text##l);
#include "scalar/math.def"
    case MATH_FN_COUNT:
        break;
    }
    return y;
}

#endif
