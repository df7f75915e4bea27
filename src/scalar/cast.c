/* Casts between element types: each chunk is read into the widest form of its class without loss,
 * then written with the single rounding of the destination. The holder of one value uses the same
 * path. */
#include <float.h>
#include <string.h>

#include "scalar/dtype.h"
#include "scalar/minifloat.h"

enum { CHUNK = 128 };

/* Up to CHUNK values of one class; booleans are 0 or 1 in `u`. */
typedef struct wide {
    union {
        int64_t i[CHUNK];
        uint64_t u[CHUNK];
        double f[CHUNK];
    };
    double im[CHUNK];
} wide;

/* For each of N elements: x is read as TYPE, and the result of EXPR goes to FIELD. */
#define READ(type, field, expr)                                                                    \
    for (size_t k = 0; k < n; k++) {                                                               \
        type x;                                                                                    \
        memcpy(&x, from + k * sizeof x, sizeof x);                                                 \
        w->field[k] = (expr);                                                                      \
    }                                                                                              \
    return
#define READ_PAIR(type)                                                                            \
    for (size_t k = 0; k < n; k++) {                                                               \
        type x[2];                                                                                 \
        memcpy(x, from + k * sizeof x, sizeof x);                                                  \
        w->f[k] = (double)x[0];                                                                    \
        w->im[k] = (double)x[1];                                                                   \
    }                                                                                              \
    return

static void read_chunk(tn_dtype d, const char *from, wide *w, size_t n)
{
    switch (d) {
    case TN_I1:
        READ(uint8_t, u, x != 0);
    case TN_SI4:
        READ(uint8_t, i, ((x & 15) ^ 8) - 8);
    case TN_UI4:
        READ(uint8_t, u, x & 15);
    case TN_SI8:
        READ(uint8_t, i, (x ^ 0x80) - 0x80);
    case TN_UI8:
        READ(uint8_t, u, x);
    case TN_SI16:
        READ(int16_t, i, x);
    case TN_UI16:
        READ(uint16_t, u, x);
    case TN_SI32:
        READ(int32_t, i, x);
    case TN_UI32:
        READ(uint32_t, u, x);
    case TN_SI64:
        READ(int64_t, i, x);
    case TN_UI64:
        READ(uint64_t, u, x);
    case TN_FP8_E4M3:
        READ(uint8_t, f, (double)e4m3_to_f32(x));
    case TN_FP8_E5M2:
        READ(uint8_t, f, (double)e5m2_to_f32(x));
    case TN_BF16:
        READ(uint16_t, f, (double)bf16_to_f32(x));
    case TN_F16:
        READ(uint16_t, f, (double)f16_to_f32(x));
    case TN_F32:
        READ(float, f, (double)x);
    case TN_F64:
        READ(double, f, x);
    case TN_CF32:
        READ_PAIR(float);
    case TN_CF64:
        READ_PAIR(double);
    case TN_DTYPE_COUNT:
        return;
    }
}

/* U as a double rounded to odd: exact below 2^53, otherwise with the lost bits left in the last
 * one, so that one more rounding to a narrower format is as good as rounding U itself. */
static inline double odd_from_u64(uint64_t u)
{
    const uint64_t low = u & 0x7ff;
    return (double)(u >> 53 == 0 || low == 0 ? u : (u - low) | 0x800);
}

static inline double odd_from_i64(int64_t i)
{
    const double a = odd_from_u64(i < 0 ? 0 - (uint64_t)i : (uint64_t)i);
    return i < 0 ? -a : a;
}

static inline int64_t i64_from_f64(double x)
{
    if (x >= 0x1p63)
        return INT64_MAX;
    if (x < -0x1p63)
        return INT64_MIN;
    return x == x ? (int64_t)x : 0;
}

static inline uint64_t u64_from_f64(double x)
{
    if (x >= 0x1p64)
        return UINT64_MAX;
    return x > 0 ? (uint64_t)x : 0;
}

static void to_bool(dtype_class from, wide *w, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (from == DTYPE_FLOAT)
            w->u[k] = w->f[k] != 0;
        else if (from == DTYPE_COMPLEX)
            w->u[k] = w->f[k] != 0 || w->im[k] != 0;
        else
            w->u[k] = w->u[k] != 0;
    }
}

static void to_signed(dtype_class from, tn_dtype d, wide *w, size_t n)
{
    const int64_t low = dtype_int_min(d), high = (int64_t)dtype_int_max(d);
    if (from == DTYPE_UNSIGNED || from == DTYPE_BOOL) {
        for (size_t k = 0; k < n; k++)
            w->i[k] = w->u[k] > (uint64_t)high ? high : (int64_t)w->u[k];
        return;
    }
    for (size_t k = 0; k < n; k++) {
        const int64_t x = from == DTYPE_FLOAT ? i64_from_f64(w->f[k]) : w->i[k];
        w->i[k] = x < low ? low : x > high ? high : x;
    }
}

static void to_unsigned(dtype_class from, tn_dtype d, wide *w, size_t n)
{
    const uint64_t high = dtype_int_max(d);
    for (size_t k = 0; k < n; k++) {
        uint64_t x = w->u[k];
        if (from == DTYPE_FLOAT)
            x = u64_from_f64(w->f[k]);
        else if (from == DTYPE_SIGNED)
            x = w->i[k] < 0 ? 0 : x;
        w->u[k] = x > high ? high : x;
    }
}

/* Integers become doubles: rounded to nearest for f64 itself, to odd for what is narrower. */
static void to_float(dtype_class from, bool nearest, wide *w, size_t n)
{
    if (from == DTYPE_FLOAT || from == DTYPE_COMPLEX)
        return;
    for (size_t k = 0; k < n; k++) {
        if (from == DTYPE_SIGNED)
            w->f[k] = nearest ? (double)w->i[k] : odd_from_i64(w->i[k]);
        else
            w->f[k] = nearest ? (double)w->u[k] : odd_from_u64(w->u[k]);
    }
}

/* Bring a chunk of class FROM to the class and range of D; floats still have to be rounded. */
static void convert_chunk(dtype_class from, tn_dtype d, wide *w, size_t n)
{
    switch (dtype_table[d].kind) {
    case DTYPE_BOOL:
        to_bool(from, w, n);
        break;
    case DTYPE_SIGNED:
        to_signed(from, d, w, n);
        break;
    case DTYPE_UNSIGNED:
        to_unsigned(from, d, w, n);
        break;
    case DTYPE_COMPLEX:
        if (from != DTYPE_COMPLEX)
            memset(w->im, 0, sizeof w->im);
        to_float(from, dtype_table[d].part == TN_F64, w, n);
        break;
    case DTYPE_FLOAT:
        to_float(from, d == TN_F64, w, n);
        break;
    }
}

#define WRITE(type, expr)                                                                          \
    for (size_t k = 0; k < n; k++) {                                                               \
        const type y = (type)(expr);                                                               \
        memcpy(to + k * sizeof y, &y, sizeof y);                                                   \
    }                                                                                              \
    return
#define WRITE_PAIR(type)                                                                           \
    for (size_t k = 0; k < n; k++) {                                                               \
        const type y[2] = {(type)w->f[k], (type)w->im[k]};                                         \
        memcpy(to + k * sizeof y, y, sizeof y);                                                    \
    }                                                                                              \
    return

static void write_chunk(tn_dtype d, const wide *w, char *to, size_t n)
{
    switch (d) {
    case TN_I1:
    case TN_UI4:
    case TN_UI8:
        WRITE(uint8_t, w->u[k]);
    case TN_SI4:
    case TN_SI8:
        WRITE(int8_t, w->i[k]);
    case TN_SI16:
        WRITE(int16_t, w->i[k]);
    case TN_UI16:
        WRITE(uint16_t, w->u[k]);
    case TN_SI32:
        WRITE(int32_t, w->i[k]);
    case TN_UI32:
        WRITE(uint32_t, w->u[k]);
    case TN_SI64:
        WRITE(int64_t, w->i[k]);
    case TN_UI64:
        WRITE(uint64_t, w->u[k]);
    case TN_FP8_E4M3:
        WRITE(uint8_t, minifloat_encode(MINIFLOAT_E4M3, w->f[k]));
    case TN_FP8_E5M2:
        WRITE(uint8_t, minifloat_encode(MINIFLOAT_E5M2, w->f[k]));
    case TN_BF16:
        WRITE(uint16_t, minifloat_encode(MINIFLOAT_BF16, w->f[k]));
    case TN_F16:
        WRITE(uint16_t, minifloat_encode(MINIFLOAT_F16, w->f[k]));
    case TN_F32:
        WRITE(float, w->f[k]);
    case TN_F64:
        WRITE(double, w->f[k]);
    case TN_CF32:
        WRITE_PAIR(float);
    case TN_CF64:
        WRITE_PAIR(double);
    case TN_DTYPE_COUNT:
        return;
    }
}

bool dtype_can_cast(tn_dtype from, tn_dtype to)
{
    return !dtype_is_complex(from) || dtype_is_complex(to) || to == TN_I1;
}

bool dtype_cast(tn_dtype from, const void *src, tn_dtype to, void *dst, size_t n)
{
    if (!dtype_can_cast(from, to))
        return false;
    const size_t step_in = dtype_bytes(from), step_out = dtype_bytes(to);
    if (from == to) {
        /* Only the byte-wide integers can be stored in more than one way. */
        if (from == TN_I1 || from == TN_SI4 || from == TN_UI4)
            dtype_narrow(from, src, dst, n);
        else if (src != dst && n)
            memcpy(dst, src, n * step_in);
        return true;
    }
    if (to == TN_F32 && dtype_compute(from) == TN_F32) {
        dtype_widen(from, src, dst, n);
        return true;
    }
    if (from == TN_F32 && dtype_compute(to) == TN_F32) {
        dtype_narrow(to, src, dst, n);
        return true;
    }
    wide w;
    const char *in = src;
    char *out = dst;
    while (n) {
        const size_t count = n < CHUNK ? n : CHUNK;
        read_chunk(from, in, &w, count);
        convert_chunk(dtype_table[from].kind, to, &w, count);
        write_chunk(to, &w, out, count);
        in += count * step_in;
        out += count * step_out;
        n -= count;
    }
    return true;
}

void dtype_wrap(tn_dtype from, const void *src, tn_dtype to, void *dst, size_t n)
{
    const size_t step_in = dtype_bytes(from), step_out = dtype_bytes(to);
    wide w;
    const char *in = src;
    char *out = dst;
    while (n) {
        const size_t count = n < CHUNK ? n : CHUNK;
        read_chunk(from, in, &w, count);
        for (size_t k = 0; to == TN_UI4 && k < count; k++)
            w.u[k] &= 15;
        for (size_t k = 0; to == TN_SI4 && k < count; k++)
            w.i[k] = ((w.i[k] & 15) ^ 8) - 8;
        write_chunk(to, &w, out, count);
        in += count * step_in;
        out += count * step_out;
        n -= count;
    }
}

/* The bits of a NaN, without the sign, are above those of infinity (of the largest number where
 * there is no infinity); NAN takes their place. */
#define PLAIN_NANS(type, infinity, nan)                                                            \
    for (size_t k = 0; k < n; k++) {                                                               \
        type bits;                                                                                 \
        memcpy(&bits, (char *)dst + k * sizeof bits, sizeof bits);                                 \
        if ((type)(bits << 1) > (type)((infinity) << 1))                                           \
            bits = (nan);                                                                          \
        memcpy((char *)dst + k * sizeof bits, &bits, sizeof bits);                                 \
    }                                                                                              \
    break

static void plain_nans(tn_dtype d, void *dst, size_t n)
{
    switch ((int)d) {
    case TN_FP8_E4M3:
        PLAIN_NANS(uint8_t, 0x7e, 0x7f);
    case TN_FP8_E5M2:
        PLAIN_NANS(uint8_t, 0x7c, 0x7e);
    case TN_BF16:
        PLAIN_NANS(uint16_t, 0x7f80, 0x7fc0);
    case TN_F16:
        PLAIN_NANS(uint16_t, 0x7c00, 0x7e00);
    case TN_F32:
        PLAIN_NANS(uint32_t, UINT32_C(0x7f800000), 0x7fc00000);
    case TN_F64:
        PLAIN_NANS(uint64_t, UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000));
    }
}

void dtype_bitcast(tn_dtype from, const void *src, tn_dtype to, void *dst, size_t n)
{
    if (dtype_table[from].bits < 8) {
        dtype_wrap(from, src, to, dst, n);
        return;
    }
    if (n && src != dst)
        memcpy(dst, src, n * dtype_bytes(from));
    if (dtype_is_float(from) && from != to)
        plain_nans(from, dst, n);
}

static scalar from_wide(dtype_class kind, const wide *w)
{
    scalar s = {.kind = kind, .u = w->u[0]};
    if (kind == DTYPE_COMPLEX)
        s.im = w->im[0];
    return s;
}

static void into_wide(scalar s, wide *w)
{
    w->u[0] = s.u;
    w->im[0] = s.im;
}

scalar scalar_load(tn_dtype d, const void *src)
{
    wide w;
    w.u[0] = 0;
    w.im[0] = 0;
    read_chunk(d, src, &w, 1);
    return from_wide(dtype_table[d].kind, &w);
}

static bool same_float(double a, double b)
{
    return f64_bits(a) == f64_bits(b) || (a != a && b != b);
}

/* VALUE as a real number when it has no imaginary part and D is no complex dtype. */
static scalar as_real_for(scalar value, tn_dtype d)
{
    const bool is_real = value.kind == DTYPE_COMPLEX && same_float(value.im, 0.0);
    return is_real && !dtype_is_complex(d) ? scalar_of_float(value.f) : value;
}

bool scalar_store(scalar value, tn_dtype d, void *dst)
{
    value = as_real_for(value, d);
    if (value.kind == DTYPE_COMPLEX && !dtype_can_cast(TN_CF64, d))
        return false;
    wide w;
    into_wide(value, &w);
    convert_chunk(value.kind, d, &w, 1);
    write_chunk(d, &w, dst, 1);
    return true;
}

bool scalar_cast(scalar value, tn_dtype d, scalar *result)
{
    char element[16];
    if (!scalar_store(value, d, element))
        return false;
    *result = scalar_load(d, element);
    return true;
}

bool scalar_equal(scalar a, scalar b)
{
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case DTYPE_FLOAT:
        return same_float(a.f, b.f);
    case DTYPE_COMPLEX:
        return same_float(a.f, b.f) && same_float(a.im, b.im);
    case DTYPE_BOOL:
    case DTYPE_SIGNED:
    case DTYPE_UNSIGNED:
        break;
    }
    return a.u == b.u;
}

/* The integer B equals the real A, of any class. */
static bool is_integer(scalar a, scalar b)
{
    if (a.kind == DTYPE_FLOAT) {
        const bool fits =
            b.kind == DTYPE_SIGNED ? a.f >= -0x1p63 && a.f < 0x1p63 : a.f >= 0 && a.f < 0x1p64;
        if (!fits || same_float(a.f, -0.0))
            return false;
        return b.kind == DTYPE_SIGNED ? (double)(int64_t)a.f == a.f && (int64_t)a.f == b.i
                                      : (double)(uint64_t)a.f == a.f && (uint64_t)a.f == b.u;
    }
    const bool a_negative = a.kind == DTYPE_SIGNED && a.i < 0;
    const bool b_negative = b.kind == DTYPE_SIGNED && b.i < 0;
    return a_negative == b_negative && a.u == b.u;
}

bool scalar_is_exact(scalar value, tn_dtype d)
{
    scalar other;
    value = as_real_for(value, d);
    if (!scalar_cast(value, d, &other))
        return false;
    if (value.kind == DTYPE_COMPLEX)
        return other.kind == DTYPE_COMPLEX && scalar_equal(value, other);
    if (other.kind == DTYPE_FLOAT || other.kind == DTYPE_COMPLEX) {
        const scalar real = scalar_of_float(other.f);
        return value.kind == DTYPE_FLOAT ? same_float(value.f, real.f) : is_integer(real, value);
    }
    return is_integer(value, other);
}
