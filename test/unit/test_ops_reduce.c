/* Reductions against the written order of evaluation. */
#include <math.h>

#include "ops_case.h"
#include "ops_law.h"

/* Reduce x[a, b, c] over the axes in MASK and compare each result with the law. */
static void check_sum(size_t a, size_t b, size_t c, unsigned mask, uint64_t seed)
{
    const size_t n = a * b * c, extents[] = {a, b, c};
    float *x = malloc((n + 1) * sizeof *x), *line = malloc((n + 1) * sizeof *line);
    float *want = malloc((n + 1) * sizeof *want);
    int64_t axes[3];
    uint32_t n_axes = 0;
    size_t done = 0;
    ops_case t;
    if (!CHECK(x && line && want))
        return;
    random_f32(&seed, x, n);
    for (uint32_t i = 0; i < 3; i++)
        if (mask >> i & 1)
            axes[n_axes++] = i % 2 ? (int64_t)i - 3 : i; /* also negative ones */
    size_t kept[3], reduced[3];
    for (size_t i = 0; i < 3; i++) {
        kept[i] = mask >> i & 1 ? 1 : extents[i];
        reduced[i] = mask >> i & 1 ? extents[i] : 1;
    }
    for (size_t i = 0; i < kept[0]; i++)
        for (size_t j = 0; j < kept[1]; j++)
            for (size_t k = 0; k < kept[2]; k++) {
                size_t m = 0;
                for (size_t p = 0; p < reduced[0]; p++)
                    for (size_t q = 0; q < reduced[1]; q++)
                        for (size_t r = 0; r < reduced[2]; r++)
                            line[m++] = x[((i + p) * b + j + q) * c + k + r];
                want[done++] = law_sum(line, m);
            }
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS((dim)a, (dim)b, (dim)c));
    ops_case_ints(&t, KEY_AXES, axes, n_axes);
    if (CHECK(ops_case_run(&t, OP_SUM)))
        CHECK(same_f32(t.out.data, want, done));
    ops_case_free(&t);
    free(x);
    free(line);
    free(want);
}

static void test_order(void)
{
    static const size_t shapes[][3] = {{1, 1, 1},    {2, 3, 4},    {5, 1, 700},  {3, 17, 100},
                                       {300, 2, 70}, {1, 1, 5000}, {4000, 1, 3}, {2, 600, 65},
                                       {1, 1797, 1}, {7, 16, 16},  {9001, 1, 2}, {1, 257, 33},
                                       {9, 31, 128}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (unsigned mask = 1; mask < 8; mask++)
            check_sum(shapes[i][0], shapes[i][1], shapes[i][2], mask, i * 8 + mask);
}

static float f32_result(op_id op, const float *x, dim n, int64_t accum)
{
    ops_case t;
    float result = 12345;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS(n));
    ops_case_ints(&t, KEY_AXES, (const int64_t[]){0}, 1);
    if (accum >= 0)
        ops_case_int(&t, KEY_ACCUM_DTYPE, accum);
    if (CHECK(ops_case_run(&t, op)))
        memcpy(&result, t.out.data, sizeof result);
    ops_case_free(&t);
    return result;
}

static void test_edges(void)
{
    const float zeros[] = {-0.0f, -0.0f, -0.0f}, nans[] = {NAN, NAN}, mixed[] = {NAN, -3, NAN, 2};
    const float signs[] = {-0.0f, 0.0f, -0.0f}, big[] = {1e30f, 1, -1e30f};
    CHECK(signbit(f32_result(OP_SUM, zeros, 3, -1)));
    CHECK(!signbit(f32_result(OP_SUM, zeros, 0, -1))); /* nothing sums to +0 */
    CHECK(isnan(f32_result(OP_MEAN, zeros, 0, -1)));
    CHECK(f32_result(OP_REDUCE_PROD, zeros, 0, -1) == 1);
    CHECK(f32_result(OP_REDUCE_MAX, zeros, 0, -1) == -INFINITY);
    CHECK(f32_result(OP_REDUCE_MIN, zeros, 0, -1) == INFINITY);
    CHECK(f32_result(OP_REDUCE_MAX, nans, 2, -1) == -INFINITY);
    CHECK(f32_result(OP_REDUCE_MAX, mixed, 4, -1) == 2);
    CHECK(f32_result(OP_REDUCE_MIN, mixed, 4, -1) == -3);
    CHECK(isnan(f32_result(OP_SUM, mixed, 4, -1)));
    CHECK(!signbit(f32_result(OP_REDUCE_MAX, signs, 3, -1)));
    CHECK(signbit(f32_result(OP_REDUCE_MIN, signs, 3, -1)));
    CHECK(f32_result(OP_SUM, big, 3, TN_F64) == 1); /* a wider accumulator is really wider */
}

/* One reduction over everything of an integer or narrow tensor, as raw bytes. */
static uint64_t bits_result(op_id op, tn_dtype d, const void *x, dim n, const scalar *init,
                            int64_t accum, int64_t out)
{
    ops_case t;
    uint64_t bits = 0;
    ops_case_init(&t);
    ops_case_operand(&t, d, x, DIMS(n));
    ops_case_ints(&t, KEY_AXES, (const int64_t[]){0}, 1);
    if (init)
        t.attrs[t.n_attrs++] = attr_of_scalar(KEY_INIT, init);
    if (accum >= 0)
        ops_case_int(&t, KEY_ACCUM_DTYPE, accum);
    if (out >= 0)
        ops_case_int(&t, KEY_OUT_DTYPE, out);
    if (CHECK(ops_case_run(&t, op)))
        memcpy(&bits, t.out.data, dtype_bytes(t.out.type->dtype));
    ops_case_free(&t);
    return bits;
}

static void test_dtypes(void)
{
    const int8_t bytes[] = {100, 100, -3}, nibbles[] = {7, 7, 7}, none[] = {0};
    const uint8_t flags[] = {0, 3, 0}, unsigned4[] = {15, 15, 2};
    const scalar five = scalar_of_int(5);
    CHECK_INT((int8_t)bits_result(OP_SUM, TN_SI8, bytes, 3, NULL, -1, -1), -59);
    CHECK_INT((int8_t)bits_result(OP_SUM, TN_SI8, bytes, 3, &five, -1, -1), -54);
    CHECK_INT((int32_t)bits_result(OP_SUM, TN_SI8, bytes, 3, NULL, TN_SI32, TN_SI32), 197);
    CHECK_INT((int8_t)bits_result(OP_SUM, TN_SI8, bytes, 3, NULL, TN_SI32, -1), 127); /* cast */
    CHECK_INT((int8_t)bits_result(OP_MEAN, TN_SI8, bytes, 3, NULL, TN_SI32, -1), 65);
    CHECK_INT((int8_t)bits_result(OP_MEAN, TN_SI8, bytes, 3, NULL, -1, -1), -19); /* -59 / 3 */
    CHECK_INT((int8_t)bits_result(OP_MEAN, TN_SI8, none, 0, NULL, -1, -1), 0);
    CHECK_INT((int8_t)bits_result(OP_REDUCE_MAX, TN_SI8, none, 0, NULL, -1, -1), -128);
    CHECK_INT((uint8_t)bits_result(OP_REDUCE_MIN, TN_UI8, none, 0, NULL, -1, -1), 255);
    CHECK_INT((int8_t)bits_result(OP_SUM, TN_SI4, nibbles, 3, NULL, -1, -1), 5);
    CHECK_INT((int8_t)bits_result(OP_MEAN, TN_SI4, nibbles, 3, NULL, -1, -1), 1);
    CHECK_INT((int8_t)bits_result(OP_REDUCE_PROD, TN_SI4, nibbles, 3, NULL, -1, -1), 7);
    CHECK_INT((uint8_t)bits_result(OP_SUM, TN_UI4, unsigned4, 3, NULL, -1, -1), 0);
    CHECK_INT((uint8_t)bits_result(OP_REDUCE_MAX, TN_I1, flags, 3, NULL, -1, -1), 1);
    CHECK_INT((uint8_t)bits_result(OP_REDUCE_MIN, TN_I1, flags, 3, NULL, -1, -1), 0);
    CHECK_INT((uint8_t)bits_result(OP_REDUCE_MIN, TN_I1, none, 0, NULL, -1, -1), 1);

    /* 2049 ones: f16 cannot hold the running sum 2049, f32 can; the result rounds to 2048. In f16
     * itself the lanes and their sums are exact until the last. */
    static uint16_t ones[2049];
    for (size_t i = 0; i < 2049; i++)
        ones[i] = 0x3c00;
    CHECK_BITS(bits_result(OP_SUM, TN_F16, ones, 2049, NULL, -1, -1), 0x6800);
    CHECK_BITS(bits_result(OP_SUM, TN_F16, ones, 2049, NULL, -1, TN_F32), 0x45001000);
    CHECK_BITS(bits_result(OP_SUM, TN_F16, ones, 2049, NULL, TN_F16, -1), 0x6800);
    const uint8_t e4m3[] = {0x7f, 0xff}; /* NaN, NaN; this dtype has no infinity */
    CHECK_BITS(bits_result(OP_REDUCE_MAX, TN_FP8_E4M3, e4m3, 2, NULL, -1, -1), 0xfe);
}

static void rejects(tn_dtype d, op_id op, const int64_t *axes, uint32_t n, int64_t accum,
                    const char *kind)
{
    const char zeros[16] = {0};
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, d, zeros, DIMS(1, 1));
    ops_case_ints(&t, KEY_AXES, axes, n);
    if (accum >= 0)
        ops_case_int(&t, KEY_ACCUM_DTYPE, accum);
    CHECK(!ops_case_run(&t, op));
    CHECK_TEXT(t.kind, kind);
    ops_case_free(&t);
}

static void test_rejections(void)
{
    const int64_t far[] = {2}, twice[] = {1, -1}, low[] = {-3};
    rejects(TN_F32, OP_SUM, far, 1, -1, "InvalidAxis");
    rejects(TN_F32, OP_SUM, low, 1, -1, "InvalidAxis");
    rejects(TN_F32, OP_SUM, twice, 2, -1, "DuplicateAxis");
    rejects(TN_I1, OP_SUM, NULL, 0, -1, "DTypeNotSupported");
    rejects(TN_CF32, OP_REDUCE_MAX, NULL, 0, -1, "DTypeNotSupported");
    rejects(TN_F32, OP_SUM, NULL, 0, TN_F16, "InvalidAccumDType");
    rejects(TN_SI32, OP_SUM, NULL, 0, TN_F64, "InvalidAccumDType");
    rejects(TN_SI32, OP_SUM, NULL, 0, 200, "InvalidAttribute");
}

static void test_complex(void)
{
    const float x[] = {1, 2, 3, -4, -0.5f, 8};
    float sum[2], prod[2];
    uint64_t bits = bits_result(OP_SUM, TN_CF32, x, 3, NULL, -1, -1);
    memcpy(sum, &bits, sizeof sum);
    CHECK(sum[0] == 3.5f && sum[1] == 6);
    bits = bits_result(OP_REDUCE_PROD, TN_CF32, x, 3, NULL, -1, -1);
    memcpy(prod, &bits, sizeof prod); /* (1+2i)(3-4i) = 11+2i, times -0.5+8i */
    CHECK(prod[0] == -21.5f && prod[1] == 87);
}

/* An empty list of axes reduces nothing; no list reduces all, even with keepdims. */
static void test_axes(void)
{
    const float x[] = {1, 2, 3, 4, 5, 6};
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS(2, 3));
    ops_case_ints(&t, KEY_AXES, (const int64_t[]){0}, 0);
    ops_case_int(&t, KEY_KEEPDIMS, 1);
    if (CHECK(ops_case_run(&t, OP_SUM)) && CHECK_INT(t.out.type->rank, 2))
        CHECK(same_f32(t.out.data, x, 6));
    ops_case_free(&t);
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS(2, 3));
    ops_case_int(&t, KEY_KEEPDIMS, 1);
    if (CHECK(ops_case_run(&t, OP_MEAN)) && CHECK_INT(t.out.type->rank, 0))
        CHECK(*(float *)t.out.data == 3.5f);
    ops_case_free(&t);
}

int main(void)
{
    test_axes();
    test_order();
    test_edges();
    test_dtypes();
    test_rejections();
    test_complex();
    return check_result();
}
