/* dot_general, layer_norm, reduce_window and quantisation against the written order of evaluation.
 */
#include "ops_law.h"
#include "ops_ptir_case.h"
#include "scalar/math.h"

static void random_f32(uint64_t *seed, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((double)next_random(seed) / (double)(1u << 30) - 1);
}

/* lhs [B1, K2, M, B0, K1] with rhs [K1, B0, N, K2, B1]: batch (3, 0) with (1, 4), contracted
 * (1, 4) with (3, 0), so k walks K2 then K1. */
enum { B0 = 2, B1 = 3, M = 4, N = 5, K1 = 13, K2 = 37 };

static float at_left(const float *x, int b0, int b1, int m, int k1, int k2)
{
    return x[(((b1 * K2 + k2) * M + m) * B0 + b0) * K1 + k1];
}
static float at_right(const float *x, int b0, int b1, int n, int k1, int k2)
{
    return x[(((k1 * B0 + b0) * N + n) * K2 + k2) * B1 + b1];
}

static void test_dot_general(void)
{
    enum { LEFT = B0 * B1 * M * K1 * K2, RIGHT = B0 * B1 * N * K1 * K2 };
    static float left[LEFT], right[RIGHT], want[B0 * B1 * M * N];
    static uint16_t narrow_left[LEFT], narrow_right[RIGHT];
    float a[K1 * K2], b[K1 * K2];
    uint64_t seed = 9;
    random_f32(&seed, left, LEFT);
    random_f32(&seed, right, RIGHT);
    for (int narrow = 0; narrow < 2; narrow++) {
        if (narrow) { /* the same numbers rounded to bf16; sums stay f32 and are rounded once */
            dtype_narrow(TN_BF16, left, narrow_left, LEFT);
            dtype_narrow(TN_BF16, right, narrow_right, RIGHT);
            dtype_widen(TN_BF16, narrow_left, left, LEFT);
            dtype_widen(TN_BF16, narrow_right, right, RIGHT);
        }
        int done = 0;
        for (int b0 = 0; b0 < B0; b0++)
            for (int b1 = 0; b1 < B1; b1++)
                for (int m = 0; m < M; m++)
                    for (int n = 0; n < N; n++) {
                        int k = 0;
                        for (int k2 = 0; k2 < K2; k2++)
                            for (int k1 = 0; k1 < K1; k1++, k++) {
                                a[k] = at_left(left, b0, b1, m, k1, k2);
                                b[k] = at_right(right, b0, b1, n, k1, k2);
                            }
                        want[done++] = law_dot(a, b, K1 * K2);
                    }
        for (int wide = 0; wide < 2; wide++) {
            const tn_dtype d = narrow ? TN_BF16 : TN_F32;
            use u;
            use_init(&u);
            operand(&u, d, narrow ? (const void *)narrow_left : left, DIMS(B1, K2, M, B0, K1));
            operand(&u, d, narrow ? (const void *)narrow_right : right, DIMS(K1, B0, N, K2, B1));
            with_ints(&u, KEY_BATCH_LHS, INTS(3, 0));
            with_ints(&u, KEY_BATCH_RHS, INTS(1, -1));
            with_ints(&u, KEY_CONTRACT_LHS, INTS(1, 4));
            with_ints(&u, KEY_CONTRACT_RHS, INTS(3, 0));
            if (wide)
                with_int(&u, KEY_OUT_DTYPE, TN_F32);
            if (CHECK(run(&u, OP_DOT_GENERAL)) &&
                CHECK(shape_is(u.out, wide ? TN_F32 : d, DIMS(B0, B1, M, N)))) {
                uint16_t rounded[B0 * B1 * M * N];
                dtype_narrow(TN_BF16, want, rounded, B0 * B1 * M * N);
                CHECK(same_numbers(u.out, narrow && !wide ? (const void *)rounded : want));
            }
            use_free(&u);
        }
    }
}

static void test_dot_general_edges(void)
{
    const int8_t a[] = {100, 100, 3}, b[] = {2, 1, -1};
    const float big[] = {3, 5};
    use u;
    use_init(&u); /* wraps in si8 */
    operand(&u, TN_SI8, a, DIMS(3));
    operand(&u, TN_SI8, b, DIMS(3));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(0));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    if (CHECK(run(&u, OP_DOT_GENERAL)))
        CHECK_INT(*(int8_t *)u.out->data, (int8_t)(297 - 256));
    use_free(&u);
    use_init(&u); /* summed wide, saturated at the end */
    operand(&u, TN_SI8, a, DIMS(3));
    operand(&u, TN_SI8, b, DIMS(3));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(0));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    with_int(&u, KEY_ACCUM_DTYPE, TN_SI32);
    if (CHECK(run(&u, OP_DOT_GENERAL)))
        CHECK_INT(*(int8_t *)u.out->data, 127);
    use_free(&u);
    use_init(&u); /* outer product */
    operand(&u, TN_F32, big, DIMS(2));
    operand(&u, TN_F32, big, DIMS(2));
    with_ints(&u, KEY_CONTRACT_LHS, NO_INTS);
    with_ints(&u, KEY_CONTRACT_RHS, NO_INTS);
    if (CHECK(run(&u, OP_DOT_GENERAL)))
        CHECK(same_numbers(u.out, (const float[]){9, 15, 15, 25}));
    use_free(&u);
    use_init(&u); /* nothing to add */
    operand(&u, TN_F32, big, DIMS(2, 0));
    operand(&u, TN_F32, big, DIMS(0, 1));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(1));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    if (CHECK(run(&u, OP_DOT_GENERAL)))
        CHECK(same_numbers(u.out, (const float[]){0, 0}));
    use_free(&u);

    /* A narrow accumulator: chains in f32, rounded to it. 2049 is no f16. */
    uint16_t ones[2049], one_and_two[2049];
    for (int i = 0; i < 2049; i++)
        ones[i] = 0x3c00;
    memcpy(one_and_two, ones, sizeof ones);
    use_init(&u);
    operand(&u, TN_F16, ones, DIMS(2049));
    operand(&u, TN_F16, one_and_two, DIMS(2049));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(0));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    with_int(&u, KEY_ACCUM_DTYPE, TN_F16);
    with_int(&u, KEY_OUT_DTYPE, TN_F32);
    if (CHECK(run(&u, OP_DOT_GENERAL)))
        CHECK(*(float *)u.out->data == 2048);
    use_free(&u);

    use_init(&u);
    operand(&u, TN_F32, big, DIMS(2));
    operand(&u, TN_F32, big, DIMS(1));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(0));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    REJECTS(&u, OP_DOT_GENERAL, "DimensionMismatch");
    operand(&u, TN_F32, big, DIMS(2));
    operand(&u, TN_F32, big, DIMS(2));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(0));
    with_ints(&u, KEY_CONTRACT_RHS, NO_INTS);
    REJECTS(&u, OP_DOT_GENERAL, "InvalidAttribute");
    operand(&u, TN_F32, big, DIMS(2, 1));
    operand(&u, TN_F32, big, DIMS(2, 1));
    with_ints(&u, KEY_BATCH_LHS, INTS(0));
    with_ints(&u, KEY_BATCH_RHS, INTS(0));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(-2));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    REJECTS(&u, OP_DOT_GENERAL, "DuplicateAxis");
    operand(&u, TN_F32, big, DIMS(2));
    operand(&u, TN_F32, big, DIMS(2));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(1));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    REJECTS(&u, OP_DOT_GENERAL, "InvalidAxis");
    operand(&u, TN_I1, a, DIMS(2));
    operand(&u, TN_I1, a, DIMS(2));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(0));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    REJECTS(&u, OP_DOT_GENERAL, "DTypeNotSupported");
    operand(&u, TN_F32, big, DIMS(2));
    operand(&u, TN_F32, big, DIMS(2));
    with_ints(&u, KEY_CONTRACT_LHS, INTS(0));
    with_ints(&u, KEY_CONTRACT_RHS, INTS(0));
    with_int(&u, KEY_ACCUM_DTYPE, TN_BF16);
    REJECTS(&u, OP_DOT_GENERAL, "InvalidAccumDType");
    use_free(&u);
}

static float project_rsqrt(float x)
{
    arena memory;
    float out;
    const void *args[1] = {&x};
    arena_init(&memory, &memory_system);
    scalar_run(scalar_math_program(&memory, MATH_RSQRT, SCALAR_F32), args, &out, 1);
    arena_release(&memory);
    return out;
}

static void test_layer_norm(tn_dtype d, int outer, int f, int inner)
{
    const size_t n = (size_t)(outer * f * inner), size = dtype_bytes(d);
    float *x = calloc(n + 1, sizeof *x), *want = calloc(n + 1, sizeof *want);
    float *gamma = calloc((size_t)f, sizeof *gamma), *beta = calloc((size_t)f, sizeof *beta);
    float *line = calloc((size_t)f, sizeof *line), *squares = calloc((size_t)f, sizeof *squares);
    char *stored = calloc(n + 1, 8), *stored_gamma = calloc((size_t)f, 8);
    char *stored_beta = calloc((size_t)f, 8), *rounded = calloc(n + 1, 8);
    uint64_t seed = 17;
    random_f32(&seed, x, n);
    random_f32(&seed, gamma, (size_t)f);
    random_f32(&seed, beta, (size_t)f);
    dtype_narrow(d, x, stored, n);
    dtype_narrow(d, gamma, stored_gamma, (size_t)f);
    dtype_narrow(d, beta, stored_beta, (size_t)f);
    dtype_widen(d, stored, x, n);
    dtype_widen(d, stored_gamma, gamma, (size_t)f);
    dtype_widen(d, stored_beta, beta, (size_t)f);
    for (int o = 0; o < outer; o++)
        for (int i = 0; i < inner; i++) {
            for (int k = 0; k < f; k++)
                line[k] = x[(o * f + k) * inner + i];
            const float mean = law_sum(line, (size_t)f) / (float)f;
            for (int k = 0; k < f; k++) {
                line[k] -= mean;
                squares[k] = line[k] * line[k];
            }
            const float variance = law_sum(squares, (size_t)f) / (float)f;
            const float r = project_rsqrt(variance + 1e-5f);
            for (int k = 0; k < f; k++) {
                const float scaled = line[k] * r * gamma[k];
                want[(o * f + k) * inner + i] = scaled + beta[k];
            }
        }
    dtype_narrow(d, want, rounded, n);
    use u;
    use_init(&u);
    operand(&u, d, stored, DIMS(outer, f, inner));
    operand(&u, d, stored_gamma, DIMS(f));
    operand(&u, d, stored_beta, DIMS(f));
    with_int(&u, KEY_AXIS, -2);
    u.attrs[u.n_attrs++] = (attr){.key = KEY_EPSILON, .v.f = 1e-5};
    if (CHECK(run(&u, OP_LAYER_NORM)))
        CHECK(memcmp(u.out->data, rounded, n * size) == 0);
    use_free(&u);
    void *all[] = {x, want, gamma, beta, line, squares, stored, stored_gamma, stored_beta, rounded};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        free(all[k]);
}

static void test_layer_norm_rules(void)
{
    const float x[6] = {1, 2, 3, 4, 5, 6};
    const int32_t ints[3] = {0};
    use u;
    use_init(&u);
    operand(&u, TN_F32, x, DIMS(2, 3));
    operand(&u, TN_F32, x, DIMS(2));
    operand(&u, TN_F32, x, DIMS(3));
    with_int(&u, KEY_AXIS, 1);
    u.attrs[u.n_attrs++] = (attr){.key = KEY_EPSILON, .v.f = 0};
    REJECTS(&u, OP_LAYER_NORM, "DimensionMismatch");
    operand(&u, TN_SI32, ints, DIMS(3));
    operand(&u, TN_SI32, ints, DIMS(3));
    operand(&u, TN_SI32, ints, DIMS(3));
    with_int(&u, KEY_AXIS, 0);
    u.attrs[u.n_attrs++] = (attr){.key = KEY_EPSILON, .v.f = 0};
    REJECTS(&u, OP_LAYER_NORM, "DTypeNotSupported");
    const double y[] = {1, 3}, ones[] = {1, 1}, zeros[] = {0, 0};
    operand(&u, TN_F64, y, DIMS(2));
    operand(&u, TN_F64, ones, DIMS(2));
    operand(&u, TN_F64, zeros, DIMS(2));
    with_int(&u, KEY_AXIS, 0);
    u.attrs[u.n_attrs++] = (attr){.key = KEY_EPSILON, .v.f = 0};
    if (CHECK(run(&u, OP_LAYER_NORM)))
        CHECK(same_numbers(u.out, (const double[]){-1, 1}));
    use_free(&u);
    use_init(&u);
    operand(&u, TN_F32, x, DIMS(4, 0));
    operand(&u, TN_F32, x, DIMS(0));
    operand(&u, TN_F32, x, DIMS(0));
    with_int(&u, KEY_AXIS, 1);
    u.attrs[u.n_attrs++] = (attr){.key = KEY_EPSILON, .v.f = 0};
    CHECK(run(&u, OP_LAYER_NORM));
    use_free(&u);
}

static void test_reduce_window(combine_mode mode)
{
    enum { H = 4, W = 5, OH = 5, OW = 6 };
    float x[H * W], want[OH * OW];
    uint64_t seed = 21;
    random_elements(&seed, TN_F32, x, H * W, true);
    /* Rows: base dilation 2, so 7 rows, padded by 1 and 2 to 10; window 3, dilation 2, covers 5;
     * stride 1 gives 6, stride ... columns: padded 0 and 3 to 8, window 3, stride 1: 6. */
    for (int oy = 0; oy < OH; oy++)
        for (int ox = 0; ox < OW; ox++) {
            float line[9], best = mode == COMBINE_MAX ? -INFINITY : INFINITY;
            int k = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    const int p = oy + 2 * a - 1, q = ox + b;
                    const bool real = p >= 0 && p % 2 == 0 && p / 2 < H && q < W;
                    const float value = real ? x[p / 2 * W + q] : mode == COMBINE_ADD ? 0 : best;
                    line[k++] = value;
                    if (value == value && (mode == COMBINE_MAX ? value > best : value < best))
                        best = value;
                    if (value == best && value == 0 && real)
                        best = (mode == COMBINE_MAX) == (signbit(best) != 0) ? value : best;
                }
            want[oy * OW + ox] = mode == COMBINE_ADD ? law_sum(line, 9) : best;
        }
    use u;
    use_init(&u);
    operand(&u, TN_F32, x, DIMS(H, W));
    with_ints(&u, KEY_WINDOW, INTS(3, 3));
    with_ints(&u, KEY_STRIDES, INTS(1, 1));
    with_ints(&u, KEY_PADS, INTS(1, 1, 0, 3));
    with_ints(&u, KEY_BASE_DILATION, INTS(2, 1));
    with_ints(&u, KEY_DILATION, INTS(2, 1));
    with_int(&u, KEY_COMBINE, mode);
    if (CHECK(run(&u, OP_REDUCE_WINDOW)) && CHECK(shape_is(u.out, TN_F32, DIMS(OH, OW))))
        CHECK(same_numbers(u.out, want));
    use_free(&u);
}

static void start_window(use *u, tn_dtype d, const void *x, int64_t n)
{
    use_init(u);
    operand(u, d, x, DIMS(n));
}

static void test_reduce_window_edges(void)
{
    const int8_t x[] = {100, 100, -3};
    const float nans[] = {NAN, NAN};
    use u;
    start_window(&u, TN_SI8, x, 3);
    with_ints(&u, KEY_WINDOW, INTS(2));
    with_ints(&u, KEY_STRIDES, INTS(2));
    with_ints(&u, KEY_PADS, INTS(1, 0));
    with_ints(&u, KEY_BASE_DILATION, INTS(1));
    with_ints(&u, KEY_DILATION, INTS(1));
    with_int(&u, KEY_COMBINE, COMBINE_MAX);
    if (CHECK(run(&u, OP_REDUCE_WINDOW)))
        CHECK(memcmp(u.out->data, (const int8_t[]){100, 100}, 2) == 0);
    use_free(&u);
    start_window(&u, TN_SI8, x, 3);
    with_ints(&u, KEY_WINDOW, INTS(2));
    with_ints(&u, KEY_STRIDES, INTS(1));
    with_ints(&u, KEY_PADS, INTS(0, 0));
    with_ints(&u, KEY_BASE_DILATION, INTS(1));
    with_ints(&u, KEY_DILATION, INTS(1));
    with_int(&u, KEY_COMBINE, COMBINE_ADD);
    with_int(&u, KEY_ACCUM_DTYPE, TN_SI16);
    if (CHECK(run(&u, OP_REDUCE_WINDOW)))
        CHECK(memcmp(u.out->data, (const int8_t[]){127, 97}, 2) == 0);
    use_free(&u);
    start_window(&u, TN_F32, nans, 2);
    with_ints(&u, KEY_WINDOW, INTS(1));
    with_ints(&u, KEY_STRIDES, INTS(1));
    with_ints(&u, KEY_PADS, INTS(0, 0));
    with_ints(&u, KEY_BASE_DILATION, INTS(1));
    with_ints(&u, KEY_DILATION, INTS(1));
    with_int(&u, KEY_COMBINE, COMBINE_MIN);
    if (CHECK(run(&u, OP_REDUCE_WINDOW)))
        CHECK(same_numbers(u.out, (const float[]){INFINITY, INFINITY}));
    use_free(&u);
    use_init(&u); /* rank 0: one window of one element */
    operand(&u, TN_F32, (const float[]){5}, RANK0);
    with_ints(&u, KEY_WINDOW, NO_INTS);
    with_ints(&u, KEY_STRIDES, NO_INTS);
    with_ints(&u, KEY_PADS, NO_INTS);
    with_ints(&u, KEY_BASE_DILATION, NO_INTS);
    with_ints(&u, KEY_DILATION, NO_INTS);
    with_int(&u, KEY_COMBINE, COMBINE_ADD);
    if (CHECK(run(&u, OP_REDUCE_WINDOW)))
        CHECK(*(float *)u.out->data == 5);
    use_free(&u);
    start_window(&u, TN_SI8, x, 3);
    with_ints(&u, KEY_WINDOW, INTS(4));
    with_ints(&u, KEY_STRIDES, INTS(1));
    with_ints(&u, KEY_PADS, INTS(0, 0));
    with_ints(&u, KEY_BASE_DILATION, INTS(1));
    with_ints(&u, KEY_DILATION, INTS(1));
    with_int(&u, KEY_COMBINE, COMBINE_ADD);
    REJECTS(&u, OP_REDUCE_WINDOW, "InvalidAttribute");
    use_free(&u);
}

static void test_quantize(void)
{
    const float x[] = {0.5f, 1.5f, 2.5f, -2.5f, 1e9f, -1e9f, NAN, 7};
    const float scale = 1, halves[] = {0.5f, 2};
    const int8_t zero = 10, zeros[] = {1, -1};
    use u;
    use_init(&u); /* one operand is a cast: truncates */
    operand(&u, TN_F32, x, DIMS(8));
    with_int(&u, KEY_DTYPE, TN_SI8);
    if (CHECK(run(&u, OP_QUANTIZE)))
        CHECK(same_numbers(u.out, (const int8_t[]){0, 1, 2, -2, 127, -128, 0, 7}));
    use_free(&u);
    use_init(&u);
    operand(&u, TN_F32, x, DIMS(8));
    operand(&u, TN_F32, &scale, RANK0);
    operand(&u, TN_SI8, &zero, RANK0);
    with_int(&u, KEY_DTYPE, TN_SI8);
    if (CHECK(run(&u, OP_QUANTIZE)))
        CHECK(same_numbers(u.out, (const int8_t[]){10, 12, 12, 8, 127, -128, 0, 17}));
    use_free(&u);
    use_init(&u); /* along an axis */
    operand(&u, TN_F32, (const float[]){1, 2, 3, 4, 5, 6}, DIMS(1, 2, 3));
    operand(&u, TN_F32, halves, DIMS(2));
    operand(&u, TN_SI8, zeros, DIMS(2));
    with_int(&u, KEY_DTYPE, TN_SI8);
    with_int(&u, KEY_AXIS, -2);
    if (CHECK(run(&u, OP_QUANTIZE)))
        CHECK(same_numbers(u.out, (const int8_t[]){3, 5, 7, 1, 1, 2})); /* 2.5 goes to 2 */
    use_free(&u);
    use_init(&u);
    operand(&u, TN_SI8, (const int8_t[]){3, 5, 7, 1, 1, 2}, DIMS(2, 3));
    operand(&u, TN_F32, halves, DIMS(2));
    operand(&u, TN_SI8, zeros, DIMS(2));
    with_int(&u, KEY_AXIS, 0);
    if (CHECK(run(&u, OP_DEQUANTIZE)))
        CHECK(same_numbers(u.out, (const float[]){1, 2, 3, 4, 4, 6}));
    use_free(&u);
    use_init(&u);
    operand(&u, TN_SI8, (const int8_t[]){100, -100, 3}, DIMS(3));
    operand(&u, TN_F32, (const float[]){0.5f}, RANK0);
    operand(&u, TN_SI8, (const int8_t[]){1}, RANK0);
    operand(&u, TN_F32, (const float[]){4}, RANK0);
    operand(&u, TN_UI8, (const uint8_t[]){5}, RANK0);
    with_int(&u, KEY_DTYPE, TN_UI8);
    if (CHECK(run(&u, OP_REQUANTIZE))) /* 49.5/4 = 12.375, -50.5/4, 1/4 */
        CHECK(same_numbers(u.out, (const uint8_t[]){17, 0, 5}));
    use_free(&u);
    use_init(&u); /* fp8: no rounding to integers */
    operand(&u, TN_F32, (const float[]){3, 1e6f}, DIMS(2));
    operand(&u, TN_F32, (const float[]){2}, RANK0);
    with_int(&u, KEY_DTYPE, TN_FP8_E5M2);
    if (CHECK(run(&u, OP_QUANTIZE)))
        CHECK(memcmp(u.out->data, (const uint8_t[]){0x3e, 0x7c}, 2) == 0);
    use_free(&u);

    use_init(&u);
    operand(&u, TN_F32, x, DIMS(8));
    operand(&u, TN_F32, halves, DIMS(2));
    with_int(&u, KEY_DTYPE, TN_SI8);
    REJECTS(&u, OP_QUANTIZE, "MissingAttribute");
    operand(&u, TN_F32, x, DIMS(8));
    operand(&u, TN_F32, halves, DIMS(2));
    with_int(&u, KEY_DTYPE, TN_SI8);
    with_int(&u, KEY_AXIS, 0);
    REJECTS(&u, OP_QUANTIZE, "DimensionMismatch");
    operand(&u, TN_F32, x, DIMS(8));
    operand(&u, TN_F64, (const double[]){1}, RANK0);
    with_int(&u, KEY_DTYPE, TN_SI8);
    REJECTS(&u, OP_QUANTIZE, "DTypeMismatch");
    operand(&u, TN_SI8, zeros, DIMS(2));
    operand(&u, TN_F32, halves, RANK0);
    with_int(&u, KEY_DTYPE, TN_SI8);
    REJECTS(&u, OP_REQUANTIZE, "ArityMismatch");
    use_free(&u);
}

int main(void)
{
    test_dot_general();
    test_dot_general_edges();
    test_layer_norm(TN_F32, 2, 7, 3);
    test_layer_norm(TN_F32, 1, 2100, 1);
    test_layer_norm(TN_F16, 3, 40, 1);
    test_layer_norm(TN_BF16, 2, 33, 2);
    test_layer_norm(TN_FP8_E5M2, 2, 16, 1);
    test_layer_norm_rules();
    test_reduce_window(COMBINE_ADD);
    test_reduce_window(COMBINE_MAX);
    test_reduce_window(COMBINE_MIN);
    test_reduce_window_edges();
    test_quantize();
    return check_result();
}
