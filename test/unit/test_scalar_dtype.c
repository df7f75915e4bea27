/* Element types: the table, every pattern of the small floats, rounding at every midpoint, casts.
 */
#include "scalar/dtype.h"

#include <math.h>

#include "check.h"
#include "scalar/minifloat.h"

typedef struct format {
    tn_dtype d;
    int mantissa, bias;
    bool has_inf;
} format;

static const format formats[] = {
    {TN_FP8_E4M3, 3, 7, false},
    {TN_FP8_E5M2, 2, 15, true},
    {TN_BF16, 7, 127, true},
    {TN_F16, 10, 15, true},
};

/* The value of a non-negative pattern by the definition of the format; NaN where it is one. */
static double by_definition(const format *f, unsigned pattern)
{
    const int bits = dtype_table[f->d].bits;
    const unsigned fraction = pattern & ((1u << f->mantissa) - 1);
    const int exponent = (int)(pattern >> f->mantissa);
    const int last = (1 << (bits - 1 - f->mantissa)) - 1;
    if (f->has_inf && exponent == last)
        return fraction ? (double)NAN : (double)INFINITY;
    if (!f->has_inf && exponent == last && fraction == (1u << f->mantissa) - 1)
        return (double)NAN;
    if (exponent == 0)
        return ldexp(fraction, 1 - f->bias - f->mantissa);
    return ldexp(fraction + (1u << f->mantissa), exponent - f->bias - f->mantissa);
}

static double read_pattern(tn_dtype d, unsigned pattern)
{
    const uint8_t one = (uint8_t)pattern;
    const uint16_t two = (uint16_t)pattern;
    float x = 0;
    dtype_widen(d, dtype_bytes(d) == 1 ? (const void *)&one : (const void *)&two, &x, 1);
    return (double)x;
}

static unsigned cast_to_pattern(tn_dtype from, const void *src, tn_dtype d)
{
    uint8_t one = 0;
    uint16_t two = 0;
    CHECK(dtype_cast(from, src, d, dtype_bytes(d) == 1 ? (void *)&one : (void *)&two, 1));
    return dtype_bytes(d) == 1 ? one : two;
}

static unsigned round_f64(tn_dtype d, double x)
{
    return cast_to_pattern(TN_F64, &x, d);
}

/* Every pattern reads as defined, and writes back to itself from f32, f64 and the holder. */
static void test_patterns(const format *f)
{
    const unsigned count = 1u << dtype_table[f->d].bits, sign = count / 2;
    unsigned wrong = 0;
    for (unsigned p = 0; p < count; p++) {
        const double want = by_definition(f, p & (sign - 1));
        const double have = read_pattern(f->d, p);
        if (isnan(want)) {
            wrong += !isnan(have) || !isnan(read_pattern(f->d, round_f64(f->d, have)));
            continue;
        }
        wrong += f64_bits(have) != f64_bits(p & sign ? -want : want);
        const float narrow = (float)have;
        wrong += round_f64(f->d, have) != p;
        wrong += cast_to_pattern(TN_F32, &narrow, f->d) != p;
        wrong += !scalar_is_exact(scalar_of_float(have), f->d);
    }
    CHECK_INT(wrong, 0);
}

/* Between neighbours the nearer one wins and the even one at the midpoint, seen from f64 and, where
 * the midpoint and what is beside it are f32 values, from f32. */
static void test_midpoints(const format *f)
{
    const unsigned sign = 1u << (dtype_table[f->d].bits - 1);
    unsigned wrong = 0, p = 0;
    for (; !(by_definition(f, p + 1) > dtype_float_max(f->d)) && p + 1 < sign; p++) {
        const double a = by_definition(f, p), b = by_definition(f, p + 1);
        if (isnan(b))
            break;
        const double mid = a + (b - a) / 2;
        const unsigned even = p & 1 ? p + 1 : p;
        wrong += round_f64(f->d, mid) != even;
        wrong += round_f64(f->d, nextafter(mid, a)) != p;
        wrong += round_f64(f->d, nextafter(mid, b)) != p + 1;
        wrong += round_f64(f->d, -mid) != (even | sign);
        const float mid32 = (float)mid, below = nextafterf(mid32, 0),
                    above = nextafterf(mid32, INFINITY);
        wrong += cast_to_pattern(TN_F32, &mid32, f->d) != even;
        wrong += cast_to_pattern(TN_F32, &below, f->d) != p;
        wrong += cast_to_pattern(TN_F32, &above, f->d) != p + 1;
    }
    CHECK_INT(wrong, 0);
    CHECK(by_definition(f, p) == dtype_float_max(f->d));
    /* Past the largest value: half a step more is the first to overflow (the odd last pattern of
     * the IEEE-like formats), and in e4m3 the tie goes to the even 448. */
    const double step = by_definition(f, p) - by_definition(f, p - 1);
    const double edge = by_definition(f, p) + step / 2;
    const unsigned over = f->has_inf ? p + 1 : 0x7f;
    CHECK_BITS(round_f64(f->d, nextafter(edge, 0)), p);
    CHECK_BITS(round_f64(f->d, edge), f->has_inf ? over : p);
    CHECK_BITS(round_f64(f->d, nextafter(edge, (double)INFINITY)), over);
    CHECK_BITS(round_f64(f->d, 1e300), over);
    CHECK_BITS(round_f64(f->d, -1e300), over | sign);
    CHECK_BITS(round_f64(f->d, (double)INFINITY), over);
    CHECK_BITS(round_f64(f->d, 5e-324), 0);
    CHECK_BITS(round_f64(f->d, -5e-324), sign);
}

static void test_table(void)
{
    static const char *const names[] = {
        "i1",   "si4",      "ui4",      "si8",  "ui8", "si16", "ui16", "si32", "ui32", "si64",
        "ui64", "fp8_e4m3", "fp8_e5m2", "bf16", "f16", "f32",  "f64",  "cf32", "cf64"};
    static const unsigned char bytes[] = {1, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 1, 1, 2, 2, 4, 8, 8, 16};
    for (unsigned k = 0; k < TN_DTYPE_COUNT; k++) {
        const tn_dtype d = (tn_dtype)k;
        tn_dtype found = TN_DTYPE_COUNT;
        CHECK_TEXT(dtype_name(d), names[k]);
        CHECK_INT((int)dtype_bytes(d), bytes[k]);
        CHECK(dtype_from_name(names[k], strlen(names[k]), &found) && found == d);
        CHECK(dtype_is_bool(d) + dtype_is_int(d) + dtype_is_float(d) + dtype_is_complex(d) == 1);
    }
    tn_dtype unused;
    CHECK(!dtype_from_name("f3", 2, &unused) && !dtype_from_name("f322", 4, &unused));
    CHECK(!dtype_from_name("", 0, &unused));
    CHECK(dtype_compute(TN_BF16) == TN_F32 && dtype_compute(TN_F64) == TN_F64);
    CHECK(dtype_compute(TN_SI4) == TN_SI4 && dtype_compute(TN_FP8_E4M3) == TN_F32);
    CHECK_INT(dtype_int_min(TN_SI4), -8);
    CHECK_INT((int)dtype_int_max(TN_SI4), 7);
    CHECK_INT((int)dtype_int_max(TN_UI4), 15);
    CHECK_INT((int)dtype_int_max(TN_I1), 1);
    CHECK_INT(dtype_int_min(TN_SI64), INT64_MIN);
    CHECK(dtype_int_max(TN_SI64) == INT64_MAX && dtype_int_max(TN_UI64) == UINT64_MAX);
    CHECK(dtype_int_min(TN_UI8) == 0 && dtype_int_max(TN_F32) == 0);
    CHECK(dtype_float_max(TN_F16) == 65504 && dtype_float_max(TN_SI8) == 0);
}

static void test_bytes(void)
{
    const uint8_t raw[4] = {0, 1, 2, 0xff};
    uint8_t out[4];
    dtype_widen(TN_I1, raw, out, 4);
    CHECK(out[0] == 0 && out[1] == 1 && out[2] == 1 && out[3] == 1);
    unsigned wrong = 0;
    for (unsigned b = 0; b < 256; b++) {
        const uint8_t in = (uint8_t)b;
        uint8_t u = 0;
        int8_t s = 0;
        dtype_narrow(TN_UI4, &in, &u, 1);
        dtype_narrow(TN_SI4, &in, &s, 1);
        wrong += u != b % 16;
        wrong += s != (b % 16 < 8 ? (int)(b % 16) : (int)(b % 16) - 16);
    }
    CHECK_INT(wrong, 0);
}

/* FROM holds one value of dtype D; it must become WANT, spelled as in the holder. */
#define CAST(type, value, d, to, want)                                                             \
    do {                                                                                           \
        const type in_ = (value);                                                                  \
        char out_[16];                                                                             \
        CHECK(dtype_cast((d), &in_, (to), out_, 1));                                               \
        CHECK(scalar_equal(scalar_load((to), out_), (want)));                                      \
    } while (0)
#define F(x) scalar_of_float((double)(x))
#define I(x) scalar_of_int(x)
#define U(x) scalar_of_uint(x)
#define B(x) scalar_of_bool(x)

static void test_casts_to_int(void)
{
    CAST(float, 2.9f, TN_F32, TN_SI32, I(2));
    CAST(float, -2.9f, TN_F32, TN_SI32, I(-2));
    CAST(float, 3e9f, TN_F32, TN_SI32, I(INT32_MAX));
    CAST(float, -3e9f, TN_F32, TN_SI32, I(INT32_MIN));
    CAST(float, NAN, TN_F32, TN_SI32, I(0));
    CAST(float, INFINITY, TN_F32, TN_SI64, I(INT64_MAX));
    CAST(float, -INFINITY, TN_F32, TN_SI64, I(INT64_MIN));
    CAST(float, -INFINITY, TN_F32, TN_UI64, U(0));
    CAST(float, INFINITY, TN_F32, TN_UI64, U(UINT64_MAX));
    CAST(float, NAN, TN_F32, TN_UI64, U(0));
    CAST(double, 0x1p63, TN_F64, TN_UI64, U((uint64_t)1 << 63));
    CAST(double, 0x1p63, TN_F64, TN_SI64, I(INT64_MAX));
    CAST(double, -0x1p63, TN_F64, TN_SI64, I(INT64_MIN));
    CAST(double, 7.99, TN_F64, TN_SI4, I(7));
    CAST(double, 8, TN_F64, TN_SI4, I(7));
    CAST(double, -9, TN_F64, TN_SI4, I(-8));
    CAST(double, 99, TN_F64, TN_UI4, U(15));
    CAST(double, -0.99, TN_F64, TN_UI8, U(0));
    CAST(uint16_t, 0x7c00, TN_F16, TN_SI16, I(INT16_MAX));
    CAST(int32_t, 300, TN_SI32, TN_UI8, U(255));
    CAST(int32_t, -1, TN_SI32, TN_UI64, U(0));
    CAST(int64_t, INT64_MIN, TN_SI64, TN_SI32, I(INT32_MIN));
    CAST(uint64_t, UINT64_MAX, TN_UI64, TN_SI64, I(INT64_MAX));
    CAST(uint8_t, 0x0f, TN_SI4, TN_SI32, I(-1));
    CAST(uint8_t, 0xf8, TN_UI4, TN_SI8, I(8));
    CAST(uint8_t, 7, TN_I1, TN_SI32, I(1));
    CAST(uint8_t, 7, TN_I1, TN_UI4, U(1));
    CAST(uint8_t, 7, TN_I1, TN_I1, B(true));
}

static void test_casts_to_bool(void)
{
    CAST(float, -0.0f, TN_F32, TN_I1, B(false));
    CAST(float, 1e-45f, TN_F32, TN_I1, B(true));
    CAST(float, NAN, TN_F32, TN_I1, B(true));
    CAST(float, INFINITY, TN_F32, TN_I1, B(true));
    CAST(uint16_t, 0x8000, TN_BF16, TN_I1, B(false));
    CAST(int64_t, INT64_MIN, TN_SI64, TN_I1, B(true));
    CAST(uint8_t, 0xf0, TN_UI4, TN_I1, B(false));
}

static void test_casts_to_float(void)
{
    CAST(uint8_t, 9, TN_I1, TN_F16, F(1));
    CAST(int64_t, INT64_MAX, TN_SI64, TN_F64, F(0x1p63));
    CAST(int64_t, 16777217, TN_SI64, TN_F32, F(16777216));
    CAST(int64_t, 16777219, TN_SI64, TN_F32, F(16777220));
    CAST(int64_t, 65520, TN_SI64, TN_F16, F(INFINITY));
    CAST(int64_t, 65519, TN_SI64, TN_F16, F(65504));
    CAST(int64_t, -65520, TN_SI64, TN_F16, F(-INFINITY));
    CAST(int64_t, 464, TN_SI64, TN_FP8_E4M3, F(448));
    CAST(int64_t, 465, TN_SI64, TN_FP8_E4M3, F(NAN));
    CAST(int64_t, 61439, TN_SI64, TN_FP8_E5M2, F(57344));
    CAST(int64_t, 61440, TN_SI64, TN_FP8_E5M2, F(INFINITY));
    /* A tie that a first rounding to 53 (then 24) bits would make, and one it would break. */
    const int64_t tie_bf16 = ((int64_t)0x101 << 54) + 1, tie_f32 = ((int64_t)0x1000001 << 38) + 1;
    CAST(int64_t, tie_bf16, TN_SI64, TN_BF16, F(0x1.02p62));
    CAST(int64_t, tie_bf16 - 1, TN_SI64, TN_BF16, F(0x1.0p62));
    CAST(int64_t, -tie_bf16, TN_SI64, TN_BF16, F(-0x1.02p62));
    CAST(uint64_t, (uint64_t)tie_bf16 * 2, TN_UI64, TN_BF16, F(0x1.02p63));
    CAST(int64_t, tie_f32, TN_SI64, TN_F32, F(0x1.000002p62));
    CAST(int64_t, tie_f32 - 1, TN_SI64, TN_F32, F(0x1p62));
    CAST(uint64_t, UINT64_MAX, TN_UI64, TN_F32, F(0x1p64));
    CAST(uint64_t, UINT64_MAX, TN_UI64, TN_F64, F(0x1p64));
    /* f64 to f16 must not pass through f32. */
    CAST(double, 1 + 0x1p-11 + 0x1p-40, TN_F64, TN_F16, F(1 + 0x1p-10));
    CAST(double, 1 + 0x1p-11, TN_F64, TN_F16, F(1));
    CAST(double, 0x1p-25 + 0x1p-60, TN_F64, TN_F16, F(0x1p-24));
    CAST(double, 0x1p-25, TN_F64, TN_F16, F(0));
    CAST(double, -1e-300, TN_F64, TN_F32, F(-0.0));
    CAST(double, 1e300, TN_F64, TN_F32, F(INFINITY));
    CAST(double, 0x1p-149, TN_F64, TN_F32, F(0x1p-149));
    CAST(float, NAN, TN_F32, TN_FP8_E4M3, F(NAN));
    CAST(uint16_t, 0x7f80, TN_BF16, TN_F16, F(INFINITY));
    CAST(uint16_t, 0x0001, TN_F16, TN_BF16, F(0x1p-24));
    CAST(uint8_t, 0x7f, TN_FP8_E4M3, TN_FP8_E5M2, F(NAN));
    CAST(float, 0x1.fffffep127f, TN_F32, TN_BF16, F(INFINITY));
}

static void test_complex(void)
{
    const float pair[2] = {1.5f, -2.0f};
    const double wide_pair[2] = {0, (double)NAN};
    float narrow[2];
    double real[2];
    CHECK(dtype_cast(TN_CF32, pair, TN_CF64, real, 1) && real[0] == 1.5 && real[1] == -2);
    CHECK(dtype_cast(TN_CF64, wide_pair, TN_CF32, narrow, 1) && narrow[0] == 0 && isnan(narrow[1]));
    CHECK(dtype_cast(TN_F32, pair, TN_CF64, real, 1) && real[0] == 1.5 && real[1] == 0);
    CHECK(!dtype_cast(TN_CF32, pair, TN_F32, narrow, 1));
    CHECK(!dtype_cast(TN_CF32, pair, TN_SI32, narrow, 1));
    uint8_t truth = 2;
    CHECK(dtype_cast(TN_CF64, wide_pair, TN_I1, &truth, 1) && truth == 1);
    CHECK(dtype_cast(TN_I1, &truth, TN_CF32, narrow, 1) && narrow[0] == 1 && narrow[1] == 0);
    scalar s;
    CHECK(!scalar_cast(scalar_of_complex(1, 1), TN_F64, &s));
    CHECK(scalar_cast(scalar_of_complex(1, 0), TN_F64, &s) && s.kind == DTYPE_FLOAT && s.f == 1);
    CHECK(scalar_is_exact(scalar_of_complex(-3, 0), TN_SI4));
    CHECK(!scalar_is_exact(scalar_of_complex(9, 0), TN_SI4));
    CHECK(!scalar_is_exact(scalar_of_complex(1, -0.0), TN_F32));
    CHECK(scalar_cast(scalar_of_complex(1, 0.1), TN_CF32, &s) && s.im == (double)0.1f);
    CHECK(!scalar_is_exact(scalar_of_complex(1, 0.1), TN_CF32));
    CHECK(scalar_is_exact(scalar_of_complex(1, 0.1), TN_CF64));
}

static void test_exactness(void)
{
    CHECK(scalar_is_exact(I(127), TN_SI8) && !scalar_is_exact(I(128), TN_SI8));
    CHECK(!scalar_is_exact(I(-1), TN_UI64) && scalar_is_exact(I(-8), TN_SI4));
    CHECK(scalar_is_exact(U(UINT64_MAX), TN_UI64) && !scalar_is_exact(U(UINT64_MAX), TN_F64));
    CHECK(!scalar_is_exact(U(UINT64_MAX), TN_SI64) && scalar_is_exact(I(16777216), TN_F32));
    CHECK(!scalar_is_exact(I(16777217), TN_F32) && scalar_is_exact(I(INT64_MIN), TN_BF16));
    CHECK(!scalar_is_exact(I(INT64_MAX), TN_F64));
    CHECK(!scalar_is_exact(F(0.1), TN_F32) && scalar_is_exact(F(0.5), TN_FP8_E4M3));
    CHECK(scalar_is_exact(F(NAN), TN_BF16) && !scalar_is_exact(F(NAN), TN_SI32));
    CHECK(scalar_is_exact(F(INFINITY), TN_F16) && !scalar_is_exact(F(INFINITY), TN_FP8_E4M3));
    CHECK(scalar_is_exact(F(3), TN_UI4) && !scalar_is_exact(F(3.5), TN_UI4));
    CHECK(!scalar_is_exact(F(-0.0), TN_SI32) && scalar_is_exact(F(-0.0), TN_F16));
    CHECK(scalar_is_exact(B(true), TN_F16) && scalar_is_exact(I(1), TN_I1));
    CHECK(!scalar_is_exact(I(2), TN_I1) && !scalar_is_exact(F(0x1p64), TN_UI64));
    CHECK(scalar_is_exact(F(3), TN_CF32) && !scalar_is_exact(F(0x1p63), TN_SI64));
}

/* Longer than a chunk, into itself, and at an odd address. */
static void test_bulk(void)
{
    enum { N = 1000 };
    static int32_t in[N];
    static char odd[N * 4 + 1], back[N * 8];
    for (int k = 0; k < N; k++)
        in[k] = k * 37 - 5000;
    CHECK(dtype_cast(TN_SI32, in, TN_F32, odd + 1, N));
    CHECK(dtype_cast(TN_F32, odd + 1, TN_SI32, odd + 1, N));
    CHECK(memcmp(odd + 1, in, sizeof in) == 0);
    CHECK(dtype_cast(TN_SI32, in, TN_SI64, back, N));
    CHECK(dtype_cast(TN_SI64, back, TN_SI32, odd, N));
    CHECK(memcmp(odd, in, sizeof in) == 0);
    CHECK(dtype_cast(TN_SI32, NULL, TN_F32, NULL, 0));
}

/* One byte that is no element, wherever it stands, is seen, and no other is taken for one. */
static void test_bytes_that_are_none(void)
{
    enum { N = 200 };
    static const struct {
        tn_dtype d;
        uint8_t good[2], bad;
    } kinds[] = {{TN_I1, {0, 1}, 2}, {TN_UI4, {0, 15}, 16}, {TN_SI4, {0xf8, 7}, 8}};
    uint8_t x[N];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t n = 0; n <= N; n++) {
            for (size_t i = 0; i < n; i++)
                x[i] = kinds[k].good[i % 3 == 0];
            CHECK(dtype_holds(kinds[k].d, x, n));
            for (size_t i = 0; i < n; i++) {
                const uint8_t own = x[i];
                x[i] = kinds[k].bad;
                CHECK(!dtype_holds(kinds[k].d, x, n));
                x[i] = own;
            }
        }
    memset(x, 255, sizeof x);
    CHECK(dtype_holds(TN_UI8, x, N) && !dtype_holds(TN_I1, x, N) && dtype_holds(TN_SI4, x, N));
}

int main(void)
{
    test_table();
    test_bytes();
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        test_patterns(&formats[k]);
        test_midpoints(&formats[k]);
    }
    test_casts_to_int();
    test_casts_to_bool();
    test_casts_to_float();
    test_complex();
    test_exactness();
    test_bulk();
    test_bytes_that_are_none();
    return check_result();
}
