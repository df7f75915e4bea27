/* What the expansions of the elementary functions share: the numbers of the two formats, and short
 * sequences of instructions. */
#ifndef SCALAR_MATH_PARTS_H
#define SCALAR_MATH_PARTS_H

#include "scalar/math.h"

typedef scalar_builder builder;
typedef scalar_value value;

typedef struct math_format {
    scalar_type type;
    scalar_type integer; /* of the same width */
    int mantissa;        /* stored significand bits */
    int64_t one;         /* the pattern of 1.0 */
    int64_t magic_bits;  /* the pattern of scalar_magic; shifted left by `mantissa`, even after one
                            shift right, it is 0 */
} math_format;

static inline math_format format_of(scalar_type type)
{
    static const math_format f32 = {SCALAR_F32, SCALAR_I32, 23, 0x3f800000, 0x4b400000};
    static const math_format f64 = {SCALAR_F64, SCALAR_I64, 52, 0x3ff0000000000000,
                                    0x4338000000000000};
    return type == SCALAR_F64 ? f64 : f32;
}

/* A constant of a float type; VALUE must be one of its numbers. */
value math_float(builder *b, scalar_type type, double number);
/* A constant of the integer type of the same width as float type TYPE. */
value math_int(builder *b, scalar_type type, int64_t number);
/* X as f64, and an f64 as TYPE: for functions of f32 that are done in f64. */
value math_widen(builder *b, value x);
value math_narrow(builder *b, scalar_type type, value x);
/* c[0] + c[1] x + ... + c[n-1] x^(n-1) by fused multiply-adds from the top. */
value math_poly(builder *b, value x, const double *c, size_t n);
/* x limited to [low, high]; NaN stays. */
value math_clamp(builder *b, value x, double low, double high);
/* |x| with the sign of SIGN: x must not be negative. */
value math_copy_sign(builder *b, value x, value sign);

/* 2^(x (high + low)) for a finite x and a result between the least and the largest normal number.
 * HIGH and LOW are numbers of the type of X; LOW is left out when it is 0. */
value math_exp2_near(builder *b, value x, double high, double low);

/* An unevaluated sum of two numbers. */
typedef struct math_pair {
    value hi, lo;
} math_pair;

/* x + y = hi + lo exactly */
math_pair math_two_sum(builder *b, value x, value y);
/* The same when |x| >= |y|, or when hi is exact. */
math_pair math_fast_two_sum(builder *b, value x, value y);
/* x y = hi + lo exactly, barring underflow */
math_pair math_two_product(builder *b, value x, value y);

/* (x.hi + x.lo) / (y.hi + y.lo), to about twice the precision; infinite and NaN where x.hi / y.hi
 * is, with any `lo`. */
math_pair math_quotient(builder *b, math_pair x, math_pair y);

/* e^x / 2 for f64, where e^x may be too large. */
value math_exp_half(builder *b, value x);

typedef struct math_split_result {
    value e; /* as a float */
    value f;
} math_split_result;

/* x = 2^e (1 + f), 1 + f between sqrt(1/2) and sqrt(2), for positive finite x, denormals included;
 * any numbers for other x. f is exact. */
math_split_result math_split(builder *b, value x);
/* The same for normal ones. */
math_split_result math_split_normal(builder *b, value x);

/* Where X, if not negative, is a denormal number, and where it is 0, infinite or NaN; negative ones
 * are limits, too. */
typedef struct math_outside {
    value is_denormal, is_limit;
} math_outside;

math_outside math_outside_normal(builder *b, value x);

/* log(x) without a branch, for what is seldom in other functions */
value math_log_any(builder *b, value x);

/* 2^(x + rest) for f64 and a small REST */
value math_exp2_sum(builder *b, value x, value rest);

/* 1 / x for f32, good to an eighth of it; x and 1 / x are normal numbers, or the result is one. */
value math_rough_inverse(builder *b, value x);

/* f32 results of f32 operations, where other types need other formulas. */
value math_asin_f32(builder *b, value x);
value math_acos_f32(builder *b, value x);
value math_atan_f32(builder *b, value x);
/* Where |x| and |y| are neither both small nor is one large. */
value math_atan2_f32(builder *b, value y, value x);
/* |x| is at most 2^20. */
value math_near_sin_f32(builder *b, value x);
value math_near_cos_f32(builder *b, value x);
value math_near_tan_f32(builder *b, value x);
value math_log1p_f32(builder *b, value x);
value math_atanh_f32(builder *b, value x);
value math_asinh_f32(builder *b, value x);
value math_acosh_f32(builder *b, value x);

#define MATH_ARGUMENTS_1 builder *b, value x
#define MATH_ARGUMENTS_2 builder *b, value x, value y
#define MATH_FN(id, text, operands) value math_##text(MATH_ARGUMENTS_##operands);
#include "scalar/math.def"

#endif
