/* Combining rows of elements one by one. */
#include "eval/parts/fold.h"

#include <math.h>

#include "eval/parts/extremum.h"

enum { NARROW_CHUNK = 256 };

#define ROW(dtype, type, expr)                                                                     \
    case dtype: {                                                                                  \
        type *restrict a = acc;                                                                    \
        const type *b = x;                                                                         \
        for (size_t i = 0; i < n; i++)                                                             \
            a[i] = (type)(expr);                                                                   \
        break;                                                                                     \
    }

static void sum_rows(tn_dtype d, void *acc, const void *x, size_t n)
{
    switch ((int)d) {
        ROW(TN_SI4, uint8_t, a[i] + b[i])
        ROW(TN_UI4, uint8_t, a[i] + b[i])
        ROW(TN_SI8, uint8_t, a[i] + b[i])
        ROW(TN_UI8, uint8_t, a[i] + b[i])
        ROW(TN_SI16, uint16_t, a[i] + b[i])
        ROW(TN_UI16, uint16_t, a[i] + b[i])
        ROW(TN_SI32, uint32_t, a[i] + b[i])
        ROW(TN_UI32, uint32_t, a[i] + b[i])
        ROW(TN_SI64, uint64_t, a[i] + b[i])
        ROW(TN_UI64, uint64_t, a[i] + b[i])
        ROW(TN_F32, float, a[i] + b[i])
        ROW(TN_F64, double, a[i] + b[i])
    case TN_CF32:
        sum_rows(TN_F32, acc, x, 2 * n);
        break;
    case TN_CF64:
        sum_rows(TN_F64, acc, x, 2 * n);
        break;
    }
}

#define COMPLEX_PROD(dtype, type)                                                                  \
    case dtype: {                                                                                  \
        type *a = acc;                                                                             \
        const type *b = x;                                                                         \
        for (size_t i = 0; i < 2 * n; i += 2) {                                                    \
            const type re = a[i] * b[i] - a[i + 1] * b[i + 1];                                     \
            a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];                                          \
            a[i] = re;                                                                             \
        }                                                                                          \
        break;                                                                                     \
    }

static void prod_rows(tn_dtype d, void *acc, const void *x, size_t n)
{
    switch ((int)d) {
        ROW(TN_SI4, uint8_t, a[i] * b[i])
        ROW(TN_UI4, uint8_t, a[i] * b[i])
        ROW(TN_SI8, uint8_t, a[i] * b[i])
        ROW(TN_UI8, uint8_t, a[i] * b[i])
        ROW(TN_SI16, uint16_t, (uint32_t)a[i] * b[i])
        ROW(TN_UI16, uint16_t, (uint32_t)a[i] * b[i])
        ROW(TN_SI32, uint32_t, a[i] * b[i])
        ROW(TN_UI32, uint32_t, a[i] * b[i])
        ROW(TN_SI64, uint64_t, a[i] * b[i])
        ROW(TN_UI64, uint64_t, a[i] * b[i])
        ROW(TN_F32, float, a[i] * b[i])
        ROW(TN_F64, double, a[i] * b[i])
        COMPLEX_PROD(TN_CF32, float)
        COMPLEX_PROD(TN_CF64, double)
    }
}

/* On i1 the larger is "or", the smaller "and". */
static void max_rows(tn_dtype d, void *acc, const void *x, size_t n)
{
    switch ((int)d) {
        ROW(TN_I1, uint8_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_SI4, int8_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_UI4, uint8_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_SI8, int8_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_UI8, uint8_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_SI16, int16_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_UI16, uint16_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_SI32, int32_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_UI32, uint32_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_SI64, int64_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_UI64, uint64_t, a[i] > b[i] ? a[i] : b[i])
        ROW(TN_F32, float, max_f32(a[i], b[i]))
        ROW(TN_F64, double, max_f64(a[i], b[i]))
    }
}

static void min_rows(tn_dtype d, void *acc, const void *x, size_t n)
{
    switch ((int)d) {
        ROW(TN_I1, uint8_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_SI4, int8_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_UI4, uint8_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_SI8, int8_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_UI8, uint8_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_SI16, int16_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_UI16, uint16_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_SI32, int32_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_UI32, uint32_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_SI64, int64_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_UI64, uint64_t, a[i] < b[i] ? a[i] : b[i])
        ROW(TN_F32, float, min_f32(a[i], b[i]))
        ROW(TN_F64, double, min_f64(a[i], b[i]))
    }
}

static void max_nan_rows(tn_dtype d, void *acc, const void *x, size_t n)
{
    switch ((int)d) {
        ROW(TN_F32, float, max_nan_f32(a[i], b[i]))
        ROW(TN_F64, double, max_nan_f64(a[i], b[i]))
    }
}

static void min_nan_rows(tn_dtype d, void *acc, const void *x, size_t n)
{
    switch ((int)d) {
        ROW(TN_F32, float, min_nan_f32(a[i], b[i]))
        ROW(TN_F64, double, min_nan_f64(a[i], b[i]))
    }
}

static void compute_rows(fold_kind kind, tn_dtype d, void *acc, const void *x, size_t n)
{
    switch (kind) {
    case FOLD_SUM:
        sum_rows(d, acc, x, n);
        break;
    case FOLD_PROD:
        prod_rows(d, acc, x, n);
        break;
    case FOLD_MAX:
        max_rows(d, acc, x, n);
        break;
    case FOLD_MIN:
        min_rows(d, acc, x, n);
        break;
    case FOLD_MAX_NAN:
        max_nan_rows(d, acc, x, n);
        break;
    case FOLD_MIN_NAN:
        min_nan_rows(d, acc, x, n);
        break;
    }
}

void fold_rows(fold_kind kind, tn_dtype d, void *acc, const void *x, size_t n)
{
    const tn_dtype compute = dtype_compute(d);
    if (compute == d) {
        compute_rows(kind, d, acc, x, n);
        return;
    }
    float a[NARROW_CHUNK], b[NARROW_CHUNK];
    char *at = acc;
    const char *from = x;
    const size_t size = dtype_bytes(d);
    while (n > 0) {
        const size_t chunk = n < NARROW_CHUNK ? n : NARROW_CHUNK;
        dtype_widen(d, at, a, chunk);
        dtype_widen(d, from, b, chunk);
        compute_rows(kind, compute, a, b, chunk);
        dtype_narrow(d, a, at, chunk);
        at += chunk * size;
        from += chunk * size;
        n -= chunk;
    }
}

void fold_empty(fold_kind kind, tn_dtype d, tn_dtype out, void *dst)
{
    scalar s = scalar_of_int(kind == FOLD_PROD);
    if (fold_is_extremum(kind)) {
        const bool low = fold_is_largest(kind);
        if (dtype_is_float(out)) {
            const double most = out == TN_FP8_E4M3 ? dtype_float_max(out) : (double)INFINITY;
            s = scalar_of_float(low ? -most : most);
        } else {
            s = low ? scalar_of_int(dtype_int_min(out)) : scalar_of_uint(dtype_int_max(out));
        }
    }
    (void)scalar_store(s, d, dst);
}

#define DIVIDE(dtype, type, wide)                                                                  \
    case dtype: {                                                                                  \
        type *a = x;                                                                               \
        for (size_t i = 0; i < n; i++)                                                             \
            a[i] = (type)(count ? (wide)a[i] / (wide)count : 0);                                   \
        break;                                                                                     \
    }
#define DIVIDE_FLOAT(dtype, type, parts)                                                           \
    case dtype: {                                                                                  \
        type *a = x;                                                                               \
        for (size_t i = 0; i < (parts)*n; i++)                                                     \
            a[i] = a[i] / (type)count;                                                             \
        break;                                                                                     \
    }

void fold_divide(tn_dtype d, void *x, int64_t count, size_t n)
{
    switch ((int)d) {
        DIVIDE(TN_SI4, int8_t, int64_t)
        DIVIDE(TN_UI4, uint8_t, uint64_t)
        DIVIDE(TN_SI8, int8_t, int64_t)
        DIVIDE(TN_UI8, uint8_t, uint64_t)
        DIVIDE(TN_SI16, int16_t, int64_t)
        DIVIDE(TN_UI16, uint16_t, uint64_t)
        DIVIDE(TN_SI32, int32_t, int64_t)
        DIVIDE(TN_UI32, uint32_t, uint64_t)
        DIVIDE(TN_SI64, int64_t, int64_t)
        DIVIDE(TN_UI64, uint64_t, uint64_t)
        DIVIDE_FLOAT(TN_F32, float, 1)
        DIVIDE_FLOAT(TN_F64, double, 1)
        DIVIDE_FLOAT(TN_CF32, float, 2)
        DIVIDE_FLOAT(TN_CF64, double, 2)
    default: /* narrow floats */
        for (size_t i = 0; i < n; i++) {
            float wide;
            char *at = (char *)x + i * dtype_bytes(d);
            dtype_widen(d, at, &wide, 1);
            wide = wide / (float)count;
            dtype_narrow(d, &wide, at, 1);
        }
        break;
    }
}
