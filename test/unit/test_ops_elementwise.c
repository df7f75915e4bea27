/* Elementwise ops: dtypes, wrapping, rounding, NaN and zero rules, broadcasting. */
#include <math.h>

#include "ops_case.h"

/* One op on operands of one element each, as raw bits of the result. */
static uint64_t bits_of(op_id op, tn_dtype d, const void *x, const void *y, int64_t mode)
{
    ops_case t;
    uint64_t bits = 0;
    ops_case_init(&t);
    ops_case_operand(&t, d, x, SCALAR_DIMS);
    if (y)
        ops_case_operand(&t, d, y, SCALAR_DIMS);
    if (op == OP_DIV && mode >= 0)
        ops_case_int(&t, KEY_ON_ZERO, mode);
    else if (op == OP_COMPARE)
        ops_case_int(&t, KEY_DIRECTION, mode);
    else if (op == OP_CAST)
        ops_case_int(&t, KEY_DTYPE, mode);
    if (CHECK(ops_case_run(&t, op)))
        memcpy(&bits, t.out.data, dtype_bytes(t.out.type->dtype));
    ops_case_free(&t);
    return bits;
}

static int64_t of_ints(op_id op, tn_dtype d, int64_t x, int64_t y)
{
    int64_t result = (int64_t)bits_of(op, d, &x, &y, -1); /* little-endian: low bytes first */
    const unsigned unused = 64 - 8 * (unsigned)dtype_bytes(d);
    result = (int64_t)((uint64_t)result << unused);
    return dtype_is_signed(d) ? result >> unused : (int64_t)((uint64_t)result >> unused);
}

static float of_floats(op_id op, float x, float y)
{
    const uint32_t bits = (uint32_t)bits_of(op, TN_F32, &x, &y, -1);
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

static float of_float(op_id op, float x)
{
    const uint32_t bits = (uint32_t)bits_of(op, TN_F32, &x, NULL, -1);
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

static void test_integers(void)
{
    static const tn_dtype dtypes[] = {TN_SI4,  TN_UI4,  TN_SI8,  TN_UI8,  TN_SI16,
                                      TN_UI16, TN_SI32, TN_UI32, TN_SI64, TN_UI64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        const tn_dtype d = dtypes[i];
        const int64_t low = dtype_int_min(d), high = (int64_t)dtype_int_max(d);
        CHECK_INT(of_ints(OP_ADD, d, high, 1), low);
        CHECK_INT(of_ints(OP_SUB, d, low, 1), high);
        CHECK_INT(of_ints(OP_MUL, d, high, high), 1);
        CHECK_INT(of_ints(OP_MAXIMUM, d, low, high), high);
        CHECK_INT(of_ints(OP_MINIMUM, d, low, high), low);
        CHECK_INT(of_ints(OP_DIV, d, 7, 2), 3);
        CHECK_INT(of_ints(OP_MOD, d, 7, 4), 3);
        CHECK_INT(of_ints(OP_AND, d, 6, 3), 2);
        CHECK_INT(of_ints(OP_OR, d, 4, 3), 7);
        CHECK_INT(of_ints(OP_XOR, d, 6, 3), 5);
        if (dtype_is_signed(d)) {
            CHECK_INT(of_ints(OP_DIV, d, -7, 2), -3);
            CHECK_INT(of_ints(OP_MOD, d, -7, 4), -3);
            CHECK_INT(of_ints(OP_DIV, d, low, -1), low);
            CHECK_INT(of_ints(OP_MOD, d, low, -1), 0);
        }
    }
    const uint64_t one = 1, zero = 0;
    CHECK_BITS(bits_of(OP_DIV, TN_SI32, &one, &zero, ON_ZERO_ZERO), 0);
    CHECK_BITS(bits_of(OP_NEG, TN_SI32, (const int32_t[]){INT32_MIN}, NULL, -1), 0x80000000u);
    CHECK_BITS(bits_of(OP_ABS, TN_SI8, (const int8_t[]){-128}, NULL, -1), 0x80);
    CHECK_BITS(bits_of(OP_ABS, TN_UI8, (const uint8_t[]){200}, NULL, -1), 200);
    CHECK_BITS(bits_of(OP_NEG, TN_SI4, (const int8_t[]){-8}, NULL, -1), 0xf8);
    CHECK_BITS(bits_of(OP_NOT, TN_UI4, (const uint8_t[]){5}, NULL, -1), 10);
    CHECK_BITS(bits_of(OP_NOT, TN_I1, (const uint8_t[]){1}, NULL, -1), 0);
    CHECK_BITS(bits_of(OP_NOT, TN_I1, (const uint8_t[]){0}, NULL, -1), 1);
    CHECK_BITS(bits_of(OP_RELU, TN_SI16, (const int16_t[]){-5}, NULL, -1), 0);
    CHECK_BITS(bits_of(OP_COMPARE, TN_UI64, &(uint64_t){UINT64_MAX}, &one, DIR_GT), 1);
    CHECK_BITS(bits_of(OP_COMPARE, TN_SI64, &(uint64_t){UINT64_MAX}, &one, DIR_GT), 0);
    CHECK_BITS(bits_of(OP_COMPARE, TN_I1, (const uint8_t[]){0}, &one, DIR_LT), 1);
}

static void test_floats(void)
{
    CHECK(of_float(OP_RELU, NAN) == 0 && !signbit(of_float(OP_RELU, NAN)));
    CHECK(!signbit(of_float(OP_RELU, -0.0f)));
    CHECK(of_floats(OP_RELU_GRAD, 3, 0) == 0 && of_floats(OP_RELU_GRAD, 3, 1) == 3);
    CHECK(of_floats(OP_RELU_GRAD, INFINITY, NAN) == 0);
    CHECK(of_floats(OP_MAXIMUM, NAN, 1) == 1 && of_floats(OP_MAXIMUM, 1, NAN) == 1);
    CHECK(isnan(of_floats(OP_MINIMUM, NAN, NAN)));
    CHECK(!signbit(of_floats(OP_MAXIMUM, -0.0f, 0)) && !signbit(of_floats(OP_MAXIMUM, 0, -0.0f)));
    CHECK(signbit(of_floats(OP_MINIMUM, -0.0f, 0)) && signbit(of_floats(OP_MINIMUM, 0, -0.0f)));
    CHECK(of_floats(OP_DIV, 1, 0) == INFINITY && isnan(of_floats(OP_DIV, 0, 0)));
    CHECK(of_float(OP_RECIPROCAL, -0.0f) == -INFINITY);
    CHECK(of_float(OP_SQRT, 2) == sqrtf(2) && isnan(of_float(OP_SQRT, -1)));
    CHECK(of_float(OP_TRUNC, -1.5f) == -1 && signbit(of_float(OP_TRUNC, -0.5f)));
    CHECK(of_float(OP_EXP, 0) == 1 && of_float(OP_LOG, 1) == 0);
    CHECK(of_float(OP_EXP2, -149) == 0x1p-149f);
    CHECK(fabsf(of_float(OP_TANH, 0.5f) - tanhf(0.5f)) <= 0x1p-24f);
    CHECK(of_floats(OP_POW, 2, 10) == 1024);
    CHECK(signbit(of_float(OP_NEG, 0)));
    const float nan = NAN, one = 1, minus = -0.0f, plus = 0;
    for (int64_t m = DIR_LT; m <= DIR_NE; m++) {
        CHECK_BITS(bits_of(OP_COMPARE, TN_F32, &nan, &one, m), m == DIR_NE);
        CHECK_BITS(bits_of(OP_COMPARE, TN_F32, &minus, &plus, m),
                   m == DIR_EQ || m == DIR_LE || m == DIR_GE);
    }
}

/* Narrow floats compute in f32 and round once. */
static void test_narrow(void)
{
    const uint16_t big = 0x7bff, sixteen = 0x4c00;                   /* f16: 65504 and 16 */
    CHECK_BITS(bits_of(OP_ADD, TN_F16, &big, &sixteen, -1), 0x7c00); /* 65520 rounds to inf */
    const uint16_t third = 0x3eab, three = 0x4040;                   /* bf16 */
    CHECK_BITS(bits_of(OP_MUL, TN_BF16, &third, &three, -1), 0x3f80);
    const uint8_t most = 0x7e, two = 0x40; /* e4m3: 448 and 2 */
    CHECK_BITS(bits_of(OP_MUL, TN_FP8_E4M3, &most, &two, -1), 0x7f);
    const uint8_t most5 = 0x7b, two5 = 0x40; /* e5m2: 57344 and 2 */
    CHECK_BITS(bits_of(OP_MUL, TN_FP8_E5M2, &most5, &two5, -1), 0x7c);
    const uint16_t one = 0x3f80; /* bf16 e is 2.71875 */
    CHECK_BITS(bits_of(OP_EXP, TN_BF16, &one, NULL, -1), 0x402e);
    const float almost = 65519.996f;
    CHECK_BITS(bits_of(OP_CAST, TN_F32, &almost, NULL, TN_F16), 0x7bff);
    CHECK_BITS(bits_of(OP_CAST, TN_F32, &(const float){-3.9f}, NULL, TN_UI4), 0);
    CHECK_BITS(bits_of(OP_CAST, TN_F32, &(const float){NAN}, NULL, TN_I1), 1);
}

static void test_complex(void)
{
    const float a[] = {1, 2}, b[] = {3, -4};
    const uint64_t product = bits_of(OP_MUL, TN_CF32, a, b, -1);
    const uint64_t quotient = bits_of(OP_DIV, TN_CF32, a, b, -1);
    float p[2], q[2];
    memcpy(p, &product, sizeof p);
    memcpy(q, &quotient, sizeof q);
    CHECK(p[0] == 11 && p[1] == 2);
    CHECK(fabsf(q[0] + 0.2f) < 1e-7f && fabsf(q[1] - 0.4f) < 1e-7f);
    CHECK_BITS(bits_of(OP_COMPARE, TN_CF32, a, a, DIR_EQ), 1);
    CHECK_BITS(bits_of(OP_COMPARE, TN_CF32, a, b, DIR_NE), 1);
}

/* Broadcasting over more than one piece, against plain indexing. */
static void test_broadcast(void)
{
    enum { A = 7, B = 40, C = 33 };
    static float x[A * C], y[B], want[A * B * C];
    uint64_t seed = 3;
    random_f32(&seed, x, A * C);
    random_f32(&seed, y, B);
    for (size_t i = 0; i < A; i++)
        for (size_t j = 0; j < B; j++)
            for (size_t k = 0; k < C; k++)
                want[(i * B + j) * C + k] = x[i * C + k] - y[j];
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS(A, 1, C));
    ops_case_operand(&t, TN_F32, y, DIMS(B, 1));
    if (CHECK(ops_case_run(&t, OP_SUB)))
        CHECK(same_f32(t.out.data, want, A * B * C));
    ops_case_free(&t);

    static uint8_t p[B];
    for (size_t j = 0; j < B; j++)
        p[j] = (uint8_t)(j % 3);
    for (size_t i = 0; i < A; i++)
        for (size_t j = 0; j < B; j++)
            for (size_t k = 0; k < C; k++)
                want[(i * B + j) * C + k] = p[j] ? x[i * C + k] : -1;
    ops_case_init(&t);
    ops_case_operand(&t, TN_I1, p, DIMS(B, 1));
    ops_case_operand(&t, TN_F32, x, DIMS(A, 1, C));
    ops_case_operand(&t, TN_F32, &(const float){-1}, SCALAR_DIMS);
    if (CHECK(ops_case_run(&t, OP_SELECT)))
        CHECK(same_f32(t.out.data, want, A * B * C));
    ops_case_free(&t);

    for (size_t i = 0; i < A * C; i++)
        want[i] = fminf(fmaxf(x[i], -0.5f), 2);
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS(A, C));
    ops_case_operand(&t, TN_F32, &(const float){-0.5f}, SCALAR_DIMS);
    ops_case_operand(&t, TN_F32, &(const float){2}, DIMS(1, 1));
    if (CHECK(ops_case_run(&t, OP_CLAMP)))
        CHECK(same_f32(t.out.data, want, A * C));
    ops_case_free(&t);

    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS(0, 1, C));
    ops_case_operand(&t, TN_F32, y, DIMS(B, 1));
    if (CHECK(ops_case_run(&t, OP_ADD)))
        CHECK_INT(t.out.type->count, 0);
    ops_case_free(&t);
}

static void rejects(op_id op, tn_dtype a, tn_dtype b, const char *kind)
{
    const char zeros[32] = {0};
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, a, zeros, DIMS(2));
    if (b != TN_DTYPE_COUNT)
        ops_case_operand(&t, b, zeros, DIMS(2));
    if (op == OP_COMPARE)
        ops_case_int(&t, KEY_DIRECTION, DIR_LT);
    CHECK(!ops_case_run(&t, op));
    CHECK_TEXT(t.kind, kind);
    ops_case_free(&t);
}

static void test_rejections(void)
{
    const tn_dtype none = TN_DTYPE_COUNT;
    rejects(OP_ADD, TN_F32, TN_SI32, "DTypeMismatch");
    rejects(OP_ADD, TN_I1, TN_I1, "DTypeNotSupported");
    rejects(OP_NEG, TN_UI8, none, "DTypeNotSupported");
    rejects(OP_EXP, TN_SI32, none, "DTypeNotSupported");
    rejects(OP_RELU, TN_UI8, none, "DTypeNotSupported");
    rejects(OP_MOD, TN_F32, TN_F32, "DTypeNotSupported");
    rejects(OP_POW, TN_SI8, TN_SI8, "DTypeNotSupported");
    rejects(OP_MAXIMUM, TN_CF32, TN_CF32, "DTypeNotSupported");
    rejects(OP_COMPARE, TN_CF32, TN_CF32, "DTypeNotSupported");
    rejects(OP_AND, TN_F32, TN_F32, "DTypeNotSupported");
    rejects(OP_DIV, TN_SI32, TN_SI32, "DivideByZero");
    rejects(OP_MOD, TN_UI4, TN_UI4, "DivideByZero");

    const float zeros[12] = {0};
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, zeros, DIMS(3, 4));
    ops_case_operand(&t, TN_F32, zeros, DIMS(2));
    CHECK(!ops_case_run(&t, OP_ADD));
    CHECK_TEXT(t.kind, "BroadcastMismatch");
    CHECK_TEXT(t.message, "broadcasting failed at dimension 1: shape [3, 4] is incompatible with "
                          "[2], 4 against 2");
    ops_case_free(&t);
}

int main(void)
{
    test_integers();
    test_floats();
    test_narrow();
    test_complex();
    test_broadcast();
    test_rejections();
    return check_result();
}
