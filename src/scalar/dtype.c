/* The table of element types, and the exact step between storage and compute dtype. */
#include "scalar/dtype.h"

#include <float.h>
#include <string.h>

#include "scalar/minifloat.h"

#define INT(id, text, bits, bytes, kind) [id] = {text, bits, bytes, 0, kind, id, id}

const dtype_info dtype_table[TN_DTYPE_COUNT] = {
    INT(TN_I1, "i1", 1, 1, DTYPE_BOOL),
    INT(TN_SI4, "si4", 4, 1, DTYPE_SIGNED),
    INT(TN_UI4, "ui4", 4, 1, DTYPE_UNSIGNED),
    INT(TN_SI8, "si8", 8, 1, DTYPE_SIGNED),
    INT(TN_UI8, "ui8", 8, 1, DTYPE_UNSIGNED),
    INT(TN_SI16, "si16", 16, 2, DTYPE_SIGNED),
    INT(TN_UI16, "ui16", 16, 2, DTYPE_UNSIGNED),
    INT(TN_SI32, "si32", 32, 4, DTYPE_SIGNED),
    INT(TN_UI32, "ui32", 32, 4, DTYPE_UNSIGNED),
    INT(TN_SI64, "si64", 64, 8, DTYPE_SIGNED),
    INT(TN_UI64, "ui64", 64, 8, DTYPE_UNSIGNED),
    [TN_FP8_E4M3] = {"fp8_e4m3", 8, 1, 4, DTYPE_FLOAT, TN_F32, TN_FP8_E4M3},
    [TN_FP8_E5M2] = {"fp8_e5m2", 8, 1, 3, DTYPE_FLOAT, TN_F32, TN_FP8_E5M2},
    [TN_BF16] = {"bf16", 16, 2, 8, DTYPE_FLOAT, TN_F32, TN_BF16},
    [TN_F16] = {"f16", 16, 2, 11, DTYPE_FLOAT, TN_F32, TN_F16},
    [TN_F32] = {"f32", 32, 4, 24, DTYPE_FLOAT, TN_F32, TN_F32},
    [TN_F64] = {"f64", 64, 8, 53, DTYPE_FLOAT, TN_F64, TN_F64},
    [TN_CF32] = {"cf32", 64, 8, 24, DTYPE_COMPLEX, TN_CF32, TN_F32},
    [TN_CF64] = {"cf64", 128, 16, 53, DTYPE_COMPLEX, TN_CF64, TN_F64},
};

/* Bits that a byte of D has beside those of its elements: 0, or, of a signed integer, copies of its
 * highest bit, that is each equals its neighbour below. */
static uint64_t spare_bits(tn_dtype d)
{
    return (d == TN_I1 ? UINT64_C(0xfe) : UINT64_C(0xf0)) * UINT64_C(0x0101010101010101);
}

/* Eight bytes at P, the bits of each with those below them where NEIGHBOURS are ones. */
static inline uint64_t bits_at(const uint8_t *p, uint64_t neighbours)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w ^ (w << 1 & neighbours);
}

/* The bits that any of N bytes has so. A run looks at all its inputs: several words at once. */
static inline __attribute__((always_inline)) uint64_t bits_of(const uint8_t *bytes, size_t n,
                                                              uint64_t neighbours)
{
    enum { WORD = 8, BLOCK = 8 * WORD };
    uint64_t a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        const uint8_t *p = bytes + i;
        a |= bits_at(p, neighbours) | bits_at(p + 4 * WORD, neighbours);
        b |= bits_at(p + WORD, neighbours) | bits_at(p + 5 * WORD, neighbours);
        c |= bits_at(p + 2 * WORD, neighbours) | bits_at(p + 6 * WORD, neighbours);
        d |= bits_at(p + 3 * WORD, neighbours) | bits_at(p + 7 * WORD, neighbours);
    }
    for (; i + WORD <= n; i += WORD)
        a |= bits_at(bytes + i, neighbours);
    for (; i < n; i++)
        b |= bytes[i] ^ ((uint64_t)bytes[i] << 1 & neighbours);
    return a | b | c | d;
}

static inline __attribute__((always_inline)) bool holds(tn_dtype d, const void *data, size_t n)
{
    const uint64_t bits = d == TN_SI4 ? bits_of(data, n, UINT64_MAX) : bits_of(data, n, 0);
    return (bits & spare_bits(d)) == 0;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool holds_avx2(tn_dtype d, const void *data, size_t n)
{
    return holds(d, data, n);
}

static bool have_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
static bool holds_avx2(tn_dtype d, const void *data, size_t n)
{
    return holds(d, data, n);
}

static bool have_avx2(void)
{
    return false;
}
#endif

bool dtype_holds(tn_dtype d, const void *data, size_t n)
{
    if (!dtype_has_gaps(d))
        return true;
    return have_avx2() ? holds_avx2(d, data, n) : holds(d, data, n);
}

const char *dtype_range(tn_dtype d)
{
    return d == TN_I1    ? "i1 holds 0 and 1"
           : d == TN_SI4 ? "si4 holds -8 to 7"
                         : "ui4 holds 0 to 15";
}

bool dtype_from_name(const char *text, size_t length, tn_dtype *dtype)
{
    for (unsigned d = 0; d < TN_DTYPE_COUNT; d++) {
        const char *name = dtype_table[d].name;
        if (strlen(name) == length && memcmp(name, text, length) == 0) {
            *dtype = (tn_dtype)d;
            return true;
        }
    }
    return false;
}

int64_t dtype_int_min(tn_dtype d)
{
    return dtype_is_signed(d) ? -((int64_t)1 << (dtype_table[d].bits - 2)) * 2 : 0;
}

uint64_t dtype_int_max(tn_dtype d)
{
    const unsigned bits = dtype_table[d].bits;
    switch (dtype_table[d].kind) {
    case DTYPE_SIGNED:
        return UINT64_MAX >> (65 - bits);
    case DTYPE_BOOL:
    case DTYPE_UNSIGNED:
        return UINT64_MAX >> (64 - bits);
    case DTYPE_FLOAT:
    case DTYPE_COMPLEX:
        break;
    }
    return 0;
}

bool dtype_holds_ints(tn_dtype to, tn_dtype from)
{
    return dtype_int_min(from) >= dtype_int_min(to) && dtype_int_max(from) <= dtype_int_max(to);
}

double dtype_float_max(tn_dtype d)
{
    switch (dtype_table[d].part) {
    case TN_FP8_E4M3:
        return 448.0;
    case TN_FP8_E5M2:
        return 57344.0;
    case TN_F16:
        return 65504.0;
    case TN_BF16:
        return 0x1.fep127;
    case TN_F32:
        return (double)FLT_MAX;
    case TN_F64:
        return DBL_MAX;
    case TN_I1:
    case TN_SI4:
    case TN_UI4:
    case TN_SI8:
    case TN_UI8:
    case TN_SI16:
    case TN_UI16:
    case TN_SI32:
    case TN_UI32:
    case TN_SI64:
    case TN_UI64:
    case TN_CF32:
    case TN_CF64:
    case TN_DTYPE_COUNT:
        break;
    }
    return 0;
}

/* For each of N elements: x is read as IN, and OUT written with EXPR. memcpy keeps this free of
 * alignment and aliasing rules; the loops still become vector code. */
#define EACH(in, out, expr)                                                                        \
    for (size_t k = 0; k < n; k++) {                                                               \
        in x;                                                                                      \
        memcpy(&x, from + k * sizeof x, sizeof x);                                                 \
        const out y = (expr);                                                                      \
        memcpy(to + k * sizeof y, &y, sizeof y);                                                   \
    }                                                                                              \
    return

static void copy_bytes(const char *from, char *to, size_t n)
{
    if (from != to && n)
        memcpy(to, from, n);
}

static void normalise_bytes(tn_dtype d, const char *from, char *to, size_t n)
{
    if (d == TN_I1) {
        EACH(uint8_t, uint8_t, x != 0);
    }
    if (d == TN_UI4) {
        EACH(uint8_t, uint8_t, x & 15);
    }
    EACH(uint8_t, uint8_t, (uint8_t)(((x & 15) ^ 8) - 8));
}

/* What takes part in arithmetic as it is stored, but for bits that do not count. */
static void copy_plain(tn_dtype d, const char *from, char *to, size_t n)
{
    if (d == TN_I1 || d == TN_SI4 || d == TN_UI4)
        normalise_bytes(d, from, to, n);
    else
        copy_bytes(from, to, n * dtype_table[d].bytes);
}

void dtype_widen(tn_dtype d, const void *src, void *dst, size_t n)
{
    const char *from = src;
    char *to = dst;
    switch ((int)d) {
    case TN_FP8_E4M3:
        EACH(uint8_t, float, e4m3_to_f32(x));
    case TN_FP8_E5M2:
        EACH(uint8_t, float, e5m2_to_f32(x));
    case TN_BF16:
        EACH(uint16_t, float, bf16_to_f32(x));
    case TN_F16:
        EACH(uint16_t, float, f16_to_f32(x));
    default:
        copy_plain(d, from, to, n);
    }
}

void dtype_narrow(tn_dtype d, const void *src, void *dst, size_t n)
{
    const char *from = src;
    char *to = dst;
    switch ((int)d) {
    case TN_FP8_E4M3:
        EACH(float, uint8_t, (uint8_t)minifloat_encode(MINIFLOAT_E4M3, (double)x));
    case TN_FP8_E5M2:
        EACH(float, uint8_t, (uint8_t)minifloat_encode(MINIFLOAT_E5M2, (double)x));
    case TN_BF16:
        EACH(float, uint16_t, bf16_from_f32(x));
    case TN_F16:
        EACH(float, uint16_t, minifloat_encode(MINIFLOAT_F16, (double)x));
    default:
        copy_plain(d, from, to, n);
    }
}
