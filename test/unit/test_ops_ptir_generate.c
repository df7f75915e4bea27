/* iota and the random generators. */
#include "eval/parts/random.h"
#include "ops_ptir_case.h"
#include "pass/pass.h"

static void check_iota(tn_dtype d, const dim *dims, uint32_t rank, int64_t axis)
{
    use u;
    use_init(&u);
    with_int(&u, KEY_DTYPE, d);
    with_int(&u, KEY_AXIS, axis);
    with_ints(&u, KEY_SHAPE, dims, rank);
    if (CHECK(run(&u, OP_IOTA)) && CHECK(shape_is(u.out, d, dims, rank))) {
        int64_t inner = 1;
        const int64_t a = axis < 0 ? axis + rank : axis;
        for (uint32_t i = (uint32_t)a + 1; i < rank; i++)
            inner *= dims[i];
        bool ok = true;
        for (int64_t i = 0; i < u.out->type->count; i++) {
            unsigned char want[16] = {0};
            (void)scalar_store(scalar_of_int(i / inner % dims[a]), d, want);
            ok = ok && memcmp((char *)u.out->data + (size_t)i * dtype_bytes(d), want,
                              dtype_bytes(d)) == 0;
        }
        CHECK(ok);
    }
    use_free(&u);
}

static void test_iota(void)
{
    for (int d = TN_SI4; d < TN_DTYPE_COUNT; d++) {
        check_iota((tn_dtype)d, DIMS(3, 20, 2), 1); /* saturates in 4 bits */
        check_iota((tn_dtype)d, DIMS(5), -1);
        check_iota((tn_dtype)d, DIMS(2, 0, 3), 0);
        check_iota((tn_dtype)d, DIMS(300), 0); /* in 8 bits */
    }
    use u;
    use_init(&u);
    with_int(&u, KEY_DTYPE, TN_I1);
    with_int(&u, KEY_AXIS, 0);
    with_ints(&u, KEY_SHAPE, INTS(2));
    REJECTS(&u, OP_IOTA, "DTypeNotSupported");
    with_int(&u, KEY_DTYPE, TN_F32);
    with_int(&u, KEY_AXIS, 0);
    with_ints(&u, KEY_SHAPE, NO_INTS);
    REJECTS(&u, OP_IOTA, "InvalidAxis");
    with_int(&u, KEY_DTYPE, TN_F32);
    with_int(&u, KEY_AXIS, 0);
    with_ints(&u, KEY_SHAPE, INTS(-3));
    REJECTS(&u, OP_IOTA, "InvalidDimension");
    use_free(&u);
}

/* The published answers of Philox 4x32-10. */
static void test_philox(void)
{
    static const struct {
        uint64_t seed, position;
        uint32_t stream, group, words[4];
    } known[] = {
        {0, 0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX,
         UINT64_MAX,
         UINT32_MAX,
         UINT32_MAX,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x299f31d0a4093822,
         0x85a308d3243f6a88,
         0x13198a2e,
         0x03707344,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const philox p =
            philox_at(known[i].seed, known[i].group, known[i].stream, known[i].position);
        for (int k = 0; k < 4; k++)
            CHECK_BITS(p.word[k], known[i].words[k]);
    }
}

static void generate(use *u, op_id op, tn_dtype d, uint64_t seed, const dim *dims, uint32_t rank)
{
    use_init(u);
    u->seed = seed;
    with_int(u, KEY_DTYPE, d);
    with_ints(u, KEY_SHAPE, dims, rank);
    CHECK(run(u, op));
}

static double element(const use *u, int64_t i)
{
    const tn_dtype d = u->out->type->dtype;
    return scalar_load(d, (char *)u->out->data + (size_t)i * dtype_bytes(d)).f;
}

static void test_uniform(tn_dtype d)
{
    enum { N = 4000 };
    const int p = dtype_table[d].precision;
    use u;
    double sum = 0;
    generate(&u, OP_RNG_UNIFORM, d, 7, DIMS(2, N / 2));
    for (int64_t i = 0; u.n_out && i < N; i++) {
        const philox w = philox_at(7, 0, 0, (uint64_t)i);
        const uint64_t bits = ((uint64_t)w.word[0] << 32 | w.word[1]) >> (64 - p);
        const double x = element(&u, i);
        if (!CHECK(x == ldexp((double)bits, -p)) || !CHECK(x >= 0 && x < 1))
            break;
        sum += x;
    }
    /* The mean of N numbers: 5 sigma, and what cutting to p bits loses. */
    CHECK(fabs(sum / N - 0.5 + ldexp(1, -p) / 2) < 5 * sqrt(1.0 / 12 / N));
    use_free(&u);
}

static void test_normal(tn_dtype d)
{
    enum { N = 6000 };
    use u;
    double sum = 0, squares = 0, worst = 0;
    generate(&u, OP_RNG_NORMAL, d, 11, DIMS(N));
    for (int64_t i = 0; u.n_out && i < N; i++) {
        const philox w = philox_at(11, 0, 0, (uint64_t)i);
        const int p = d == TN_F64 ? 53 : 24;
        const double a =
            ldexp((double)((((uint64_t)w.word[0] << 32 | w.word[1]) >> (64 - p)) + 1), -p);
        const double b = ldexp((double)(((uint64_t)w.word[2] << 32 | w.word[3]) >> (64 - p)), -p);
        const double want = sqrt(-2 * log(a)) * cos(6.283185307179586 * b), x = element(&u, i);
        const double error = fabs(x - want) / (fabs(want) + 1);
        worst = error > worst ? error : worst;
        sum += x;
        squares += x * x;
    }
    /* The angle, up to 2 pi, is rounded once: half an ulp of it times a radius below 9. */
    CHECK(worst <= ldexp(32, -dtype_table[d].precision));
    CHECK(fabs(sum / N) < 5 / sqrt(N));
    CHECK(fabs(squares / N - 1) < 5 * sqrt(2.0 / N));
    use_free(&u);
}

/* The stream is the number of generators before, so other nodes do not matter and generators differ
 * from each other. */
static void test_streams(void)
{
    const dim n = 64;
    const int64_t zero[64] = {0};
    use plain, u;
    generate(&plain, OP_RNG_UNIFORM, TN_F32, 3, &n, 1);
    use_init(&u);
    u.seed = 3;
    attr shape[2] = {attr_of_int(KEY_DTYPE, TN_F32), attr_of_ints(KEY_SHAPE, &n, 1)};
    (void)build_constant(&u.b, TN_SI64, &n, 1, zero);
    const value_id first = build_node(&u.b, OP_RNG_UNIFORM, NULL, 0, shape, 2);
    with_int(&u, KEY_DTYPE, TN_F32);
    with_ints(&u, KEY_SHAPE, &n, 1);
    CHECK_INT(function_add_output(u.b.f, first), TN_OK);
    eval_run r = {.cx = u.cx, .bytes_limit = UINT64_MAX, .seed = 3};
    const value_id second = build_node(&u.b, OP_RNG_UNIFORM, NULL, 0, u.attrs, u.n_attrs);
    CHECK_INT(function_add_output(u.b.f, second), TN_OK);
    if (CHECK(evaluate(&r, u.b.f, NULL, u.out) == TN_OK) && plain.n_out) {
        u.n_out = 2;
        CHECK(memcmp(u.out[0].data, plain.out[0].data, sizeof(float) * 64) == 0);
        CHECK(memcmp(u.out[1].data, plain.out[0].data, sizeof(float) * 64) != 0);
        CHECK(((float *)u.out[1].data)[5] ==
              (float)(philox_at(3, 0, 1, 5).word[0] >> 8) * 0x1p-24f);
    }
    /* Dead code goes, a generator that nothing uses stays: the second one keeps its numbers. */
    u.b.f->outputs.at[0] = second;
    u.b.f->outputs.n = 1;
    CHECK_INT(pass_run(u.m, PASS_DCE, true, NULL), TN_OK);
    CHECK_INT(u.b.f->nodes.n, 2);
    tensor again = {0};
    r = (eval_run){.cx = u.cx, .bytes_limit = UINT64_MAX, .seed = 3};
    if (CHECK_INT(evaluate(&r, u.b.f, NULL, &again), TN_OK))
        CHECK(memcmp(again.data, u.out[1].data, sizeof(float) * 64) == 0);
    memory_free(&u.cx->allocator, again.data, sizeof(float) * 64);
    use_free(&plain);
    use_free(&u);
}

int main(void)
{
    test_iota();
    test_philox();
    for (int d = TN_FP8_E4M3; d <= TN_F64; d++) {
        test_uniform((tn_dtype)d);
        test_normal((tn_dtype)d);
    }
    test_streams();
    use u;
    use_init(&u);
    with_int(&u, KEY_DTYPE, TN_SI32);
    with_ints(&u, KEY_SHAPE, INTS(2));
    REJECTS(&u, OP_RNG_UNIFORM, "DTypeNotSupported");
    use_free(&u);
    return check_result();
}
