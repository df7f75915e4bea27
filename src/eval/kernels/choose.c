/* Comparing, choosing and converting elements: compare, select, clamp, cast. */
#include <string.h>

#include "eval/kernels/flat.h"
#include "eval/kernels/kernels.h"
#include "ops/rules/rules.h"

#define COMPARE(type, op)                                                                          \
    do {                                                                                           \
        const type *x = args->in[0], *y = args->in[1];                                             \
        uint8_t *restrict out = args->out;                                                         \
        for (size_t i = 0; i < args->n; i++)                                                       \
            out[i] = x[i] op y[i];                                                                 \
    } while (0)
/* IEEE comparisons: all are false with NaN, except ne. */
#define DIRECTIONS(dtype, type)                                                                    \
    case dtype:                                                                                    \
        switch ((direction)args->mode) {                                                           \
        case DIR_LT:                                                                               \
            COMPARE(type, <);                                                                      \
            break;                                                                                 \
        case DIR_LE:                                                                               \
            COMPARE(type, <=);                                                                     \
            break;                                                                                 \
        case DIR_EQ:                                                                               \
            COMPARE(type, ==);                                                                     \
            break;                                                                                 \
        case DIR_GE:                                                                               \
            COMPARE(type, >=);                                                                     \
            break;                                                                                 \
        case DIR_GT:                                                                               \
            COMPARE(type, >);                                                                      \
            break;                                                                                 \
        case DIR_NE:                                                                               \
            COMPARE(type, !=);                                                                     \
            break;                                                                                 \
        }                                                                                          \
        break;
/* Equal when both parts are. */
#define COMPARE_COMPLEX(dtype, type)                                                               \
    case dtype: {                                                                                  \
        const type *x = args->in[0], *y = args->in[1];                                             \
        uint8_t *out = args->out;                                                                  \
        for (size_t i = 0; i < args->n; i++) {                                                     \
            const bool equal = x[2 * i] == y[2 * i] && x[2 * i + 1] == y[2 * i + 1];               \
            out[i] = equal == (args->mode == DIR_EQ);                                              \
        }                                                                                          \
        break;                                                                                     \
    }

bool flat_compare(const flat_args *args)
{
    switch ((int)args->dtype) {
        DIRECTIONS(TN_SI8, int8_t)
        DIRECTIONS(TN_UI8, uint8_t)
        DIRECTIONS(TN_SI16, int16_t)
        DIRECTIONS(TN_UI16, uint16_t)
        DIRECTIONS(TN_SI32, int32_t)
        DIRECTIONS(TN_UI32, uint32_t)
        DIRECTIONS(TN_SI64, int64_t)
        DIRECTIONS(TN_UI64, uint64_t)
        DIRECTIONS(TN_F32, float)
        DIRECTIONS(TN_F64, double)
        COMPARE_COMPLEX(TN_CF32, float)
        COMPARE_COMPLEX(TN_CF64, double)
    }
    return true;
}

/* Elements are moved bit by bit; the element that is not chosen has no effect. */
#define SELECT(size)                                                                               \
    for (size_t i = 0; i < args->n; i++)                                                           \
        memcpy(out + i * (size), (p[i] ? a : b) + i * (size), (size));                             \
    break

bool flat_select(const flat_args *args)
{
    const uint8_t *p = args->in[0];
    const char *a = args->in[1], *b = args->in[2];
    char *restrict out = args->out;
    switch (args->mode) {
    case 1:
        SELECT(1);
    case 2:
        SELECT(2);
    case 4:
        SELECT(4);
    case 8:
        SELECT(8);
    default:
        SELECT(16);
    }
    return true;
}

/* [cast/C1] */
bool flat_cast(const flat_args *args)
{
    return dtype_cast((tn_dtype)(args->mode >> 8), args->in[0], (tn_dtype)(args->mode & 255),
                      args->out, args->n);
}

/* [wrap/C1] */
bool flat_wrap(const flat_args *args)
{
    dtype_wrap((tn_dtype)(args->mode >> 8), args->in[0], (tn_dtype)(args->mode & 255), args->out,
               args->n);
    return true;
}

/* [bitcast/C1] [bitcast/C2] */
bool flat_bitcast(const flat_args *args)
{
    dtype_bitcast((tn_dtype)(args->mode >> 8), args->in[0], (tn_dtype)(args->mode & 255), args->out,
                  args->n);
    return true;
}

/* Every second number of X, from the one at FIRST on. */
#define EVERY_SECOND(type, first)                                                                  \
    do {                                                                                           \
        const type *x = args->in[0];                                                               \
        type *restrict out = args->out;                                                            \
        for (size_t i = 0; i < args->n; i++)                                                       \
            out[i] = x[2 * i + (first)];                                                           \
    } while (0)

static bool part(const flat_args *args, size_t first)
{
    if (args->dtype == TN_CF64)
        EVERY_SECOND(double, first);
    else
        EVERY_SECOND(float, first);
    return true;
}

/* [real/C1] */
bool flat_real(const flat_args *args)
{
    return part(args, 0);
}

/* [imag/C1] */
bool flat_imag(const flat_args *args)
{
    return part(args, 1);
}

#define INTERLEAVE(type)                                                                           \
    do {                                                                                           \
        const type *x = args->in[0], *y = args->in[1];                                             \
        type *restrict out = args->out;                                                            \
        for (size_t i = 0; i < args->n; i++) {                                                     \
            out[2 * i] = x[i];                                                                     \
            out[2 * i + 1] = y[i];                                                                 \
        }                                                                                          \
    } while (0)

/* [complex/C1] */
bool flat_complex(const flat_args *args)
{
    if (args->dtype == TN_F64)
        INTERLEAVE(double);
    else
        INTERLEAVE(float);
    return true;
}
