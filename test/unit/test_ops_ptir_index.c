/* Positions given by data: gather, scatter_reduce, scatter_add, segment_reduce, dynamic slices. */
#include "ops_ptir_case.h"

static void test_gather(tn_dtype index)
{
    const float x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};                /* [2, 3, 2] */
    const int64_t at64[] = {2, 0, 1, 1, 0, 2, 2, 2, 0, 1, 1, 0, 0, 0, 1, 2}; /* [2, 4, 2] */
    int32_t at32[16];
    use u;
    for (int i = 0; i < 16; i++)
        at32[i] = (int32_t)at64[i];
    use_init(&u);
    operand(&u, TN_F32, x, DIMS(2, 3, 2));
    operand(&u, index, index == TN_SI32 ? (const void *)at32 : at64, DIMS(2, 4, 2));
    with_int(&u, KEY_AXIS, -2);
    if (CHECK(run(&u, OP_GATHER)) && CHECK(shape_is(u.out, TN_F32, DIMS(2, 4, 2))))
        for (int i = 0; i < 16; i++)
            CHECK(((float *)u.out->data)[i] == x[(i / 8 * 3 + at64[i]) * 2 + i % 2]);
    use_free(&u);
}

static void test_gather_faults(void)
{
    const float x[6] = {0};
    const int32_t low[] = {0, -1}, high[] = {0, 3};
    use u;
    use_init(&u);
    operand(&u, TN_F32, x, DIMS(1, 3));
    operand(&u, TN_SI32, low, DIMS(1, 2));
    with_int(&u, KEY_AXIS, 1);
    REJECTS(&u, OP_GATHER, "IndexOutOfBounds");
    operand(&u, TN_F32, x, DIMS(1, 3));
    operand(&u, TN_SI32, high, DIMS(1, 2));
    with_int(&u, KEY_AXIS, 1);
    REJECTS(&u, OP_GATHER, "IndexOutOfBounds");
    operand(&u, TN_F32, x, DIMS(2, 3));
    operand(&u, TN_SI32, low, DIMS(1, 2));
    with_int(&u, KEY_AXIS, 1);
    REJECTS(&u, OP_GATHER, "DimensionMismatch");
    operand(&u, TN_F32, x, DIMS(2, 3));
    operand(&u, TN_SI32, low, DIMS(2));
    with_int(&u, KEY_AXIS, 1);
    REJECTS(&u, OP_GATHER, "RankMismatch");
    operand(&u, TN_F32, x, DIMS(2));
    operand(&u, TN_F32, x, DIMS(2));
    with_int(&u, KEY_AXIS, 0);
    REJECTS(&u, OP_GATHER, "IndexDType");
    operand(&u, TN_F32, x, DIMS(0, 3));
    operand(&u, TN_SI32, low, DIMS(0, 2));
    with_int(&u, KEY_AXIS, 1);
    CHECK(run(&u, OP_GATHER));
    use_free(&u);
}

/* One element folded by the definition: wide arithmetic on the values. */
static scalar folded(combine_mode mode, tn_dtype form, scalar a, scalar b)
{
    scalar r = b;
    if (mode == COMBINE_REPLACE)
        return b;
    if (mode == COMBINE_ADD) {
        if (a.kind == DTYPE_FLOAT || a.kind == DTYPE_COMPLEX) {
            r.f = form == TN_F64 || form == TN_CF64 ? a.f + b.f : (double)((float)a.f + (float)b.f);
            r.im = form == TN_CF64 ? a.im + b.im : (double)((float)a.im + (float)b.im);
        } else {
            const int bits = dtype_table[form].bits;
            r.u = a.u + b.u;
            if (bits < 64) {
                r.u &= ((uint64_t)1 << bits) - 1;
                if (a.kind == DTYPE_SIGNED && r.u >> (bits - 1))
                    r.u |= ~(((uint64_t)1 << bits) - 1);
            }
        }
        return r;
    }
    const bool max = mode == COMBINE_MAX;
    if (a.kind == DTYPE_FLOAT) {
        if (a.f != a.f)
            return b;
        if (b.f != b.f)
            return a;
        if (a.f == b.f)
            return (signbit(a.f) != 0) == max ? b : a;
        return (a.f > b.f) == max ? a : b;
    }
    if (a.kind == DTYPE_SIGNED)
        return (a.i > b.i) == max ? a : b;
    return (a.u > b.u) == max ? a : b;
}

static bool is_defined(tn_dtype d, combine_mode mode)
{
    if (mode == COMBINE_ADD)
        return d != TN_I1;
    return mode == COMBINE_REPLACE || !dtype_is_complex(d);
}

enum { OUTER = 2, EXTENT = 5, INNER = 3, UPDATES = 9 };

static void test_scatter_reduce(tn_dtype d, combine_mode mode, uint64_t seed)
{
    char x[OUTER * EXTENT * INNER * 16], updates[OUTER * UPDATES * INNER * 16], want[sizeof x];
    int64_t at[OUTER * UPDATES * INNER];
    scalar sums[OUTER * EXTENT * INNER];
    const size_t size = dtype_bytes(d);
    use u;
    random_elements(&seed, d, x, OUTER * EXTENT * INNER, true);
    random_elements(&seed, d, updates, OUTER * UPDATES * INNER, true);
    for (int i = 0; i < OUTER * UPDATES * INNER; i++)
        at[i] = (int64_t)(next_random(&seed) % EXTENT);
    for (size_t i = 0; i < OUTER * EXTENT * INNER; i++)
        sums[i] = scalar_load(d, x + i * size);
    for (size_t i = 0; i < OUTER * UPDATES * INNER; i++) {
        const size_t o = i / (UPDATES * INNER),
                     to = (o * EXTENT + (size_t)at[i]) * INNER + i % INNER;
        const scalar value = scalar_load(d, updates + i * size);
        sums[to] = folded(mode, dtype_compute(d), sums[to], value);
    }
    for (size_t i = 0; i < OUTER * EXTENT * INNER; i++)
        (void)scalar_store(sums[i], d, want + i * size);
    use_init(&u);
    operand(&u, d, x, DIMS(OUTER, EXTENT, INNER));
    operand(&u, TN_SI64, at, DIMS(OUTER, UPDATES, INNER));
    operand(&u, d, updates, DIMS(OUTER, UPDATES, INNER));
    with_int(&u, KEY_AXIS, 1);
    with_int(&u, KEY_COMBINE, mode);
    if (!is_defined(d, mode)) {
        REJECTS(&u, OP_SCATTER_REDUCE, "DTypeNotSupported");
    } else if (CHECK(run(&u, OP_SCATTER_REDUCE))) {
        CHECK(same_numbers(u.out, want));
    }
    use_free(&u);
}

static void test_segment_reduce(tn_dtype d, combine_mode mode, uint64_t seed)
{
    enum { ROWS = 11, SEGMENTS = 5, WIDTH = 3 };
    char x[ROWS * WIDTH * 16], want[SEGMENTS * WIDTH * 16];
    int32_t ids[ROWS];
    const size_t size = dtype_bytes(d);
    use u;
    random_elements(&seed, d, x, ROWS * WIDTH, true);
    for (int i = 0; i < ROWS; i++)
        ids[i] = (int32_t)(next_random(&seed) % (SEGMENTS - 1)); /* the last one stays empty */
    for (size_t s = 0; s < SEGMENTS; s++)
        for (size_t c = 0; c < WIDTH; c++) {
            scalar sum = scalar_of_int(0);
            bool any = false;
            for (size_t r = 0; r < ROWS; r++) {
                const scalar value = scalar_load(d, x + (r * WIDTH + c) * size);
                if (ids[r] != (int32_t)s)
                    continue;
                sum = any ? folded(mode, dtype_compute(d), sum, value) : value;
                any = true;
            }
            const bool max = mode == COMBINE_MAX;
            const bool is_float = dtype_is_float(d);
            if (mode != COMBINE_ADD && (!any || (is_float && sum.f != sum.f))) {
                const double most = d == TN_FP8_E4M3 ? 448 : (double)INFINITY;
                sum = is_float ? scalar_of_float(max ? -most : most)
                      : max    ? scalar_of_int(dtype_int_min(d))
                               : scalar_of_uint(dtype_int_max(d));
            }
            (void)scalar_store(sum, d, want + (s * WIDTH + c) * size);
        }
    use_init(&u);
    operand(&u, d, x, DIMS(ROWS, WIDTH));
    operand(&u, TN_SI32, ids, DIMS(ROWS));
    with_int(&u, KEY_SEGMENTS, SEGMENTS);
    with_int(&u, KEY_COMBINE, mode);
    if (!is_defined(d, mode)) {
        REJECTS(&u, OP_SEGMENT_REDUCE, "DTypeNotSupported");
    } else if (CHECK(run(&u, OP_SEGMENT_REDUCE))) {
        CHECK(shape_is(u.out, d, DIMS(SEGMENTS, WIDTH)));
        CHECK(same_numbers(u.out, want));
    }
    use_free(&u);
}

static void test_segment_faults(void)
{
    const int8_t x[] = {100, 100, 100};
    const int64_t ids[] = {1, 1, 1};
    use u;
    use_init(&u);
    operand(&u, TN_SI8, x, DIMS(3));
    operand(&u, TN_SI64, ids, DIMS(3));
    with_int(&u, KEY_SEGMENTS, 1);
    with_int(&u, KEY_COMBINE, COMBINE_ADD);
    REJECTS(&u, OP_SEGMENT_REDUCE, "IndexOutOfBounds");
    operand(&u, TN_SI8, x, DIMS(3));
    operand(&u, TN_SI64, ids, DIMS(3));
    with_int(&u, KEY_SEGMENTS, 2);
    with_int(&u, KEY_COMBINE, COMBINE_ADD);
    with_int(&u, KEY_ACCUM_DTYPE, TN_SI32);
    if (CHECK(run(&u, OP_SEGMENT_REDUCE))) {
        CHECK_INT(((int8_t *)u.out->data)[0], 0);
        CHECK_INT(((int8_t *)u.out->data)[1], 127); /* summed wide, then saturated */
    }
    use_free(&u);
    use_init(&u);
    operand(&u, TN_SI8, x, DIMS(3));
    operand(&u, TN_SI64, ids, DIMS(3));
    with_int(&u, KEY_SEGMENTS, 2);
    with_int(&u, KEY_COMBINE, COMBINE_ADD);
    with_int(&u, KEY_ACCUM_DTYPE, TN_F32);
    REJECTS(&u, OP_SEGMENT_REDUCE, "InvalidAccumDType");
    operand(&u, TN_SI8, x, DIMS(3));
    operand(&u, TN_SI64, ids, DIMS(2));
    with_int(&u, KEY_SEGMENTS, 2);
    with_int(&u, KEY_COMBINE, COMBINE_ADD);
    REJECTS(&u, OP_SEGMENT_REDUCE, "DimensionMismatch");
    operand(&u, TN_SI8, x, DIMS(3));
    operand(&u, TN_SI64, ids, DIMS(3));
    with_int(&u, KEY_SEGMENTS, 2);
    with_int(&u, KEY_COMBINE, COMBINE_REPLACE);
    REJECTS(&u, OP_SEGMENT_REDUCE, "InvalidAttribute");
    use_free(&u);
}

/* x[4, 5, 6]; index vectors (axis 2, axis 0) in [2, 3]; windows along axis 1 of the operand. */
static void test_scatter_add(void)
{
    enum { X = 4 * 5 * 6, U = 2 * 3 * 2 * 2 };
    float x[X], updates[U], want[X];
    int64_t at[2 * 2 * 3]; /* [2, component, 3] */
    uint64_t seed = 5;
    use u;
    for (int i = 0; i < X; i++)
        want[i] = x[i] = (float)i;
    for (int i = 0; i < U; i++)
        updates[i] = (float)(1000 + i * i);
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 3; q++) {
            at[(p * 2 + 0) * 3 + q] = (int64_t)(next_random(&seed) % 5); /* axis 2: window of 2 */
            at[(p * 2 + 1) * 3 + q] = (int64_t)(next_random(&seed) % 4); /* axis 0 */
        }
    /* Updates [2, window axis 1, 3, window axis 2]. */
    for (int p = 0; p < 2; p++)
        for (int b = 0; b < 2; b++)
            for (int q = 0; q < 3; q++)
                for (int c = 0; c < 2; c++) {
                    const int64_t k = at[(p * 2 + 0) * 3 + q] + c, i = at[(p * 2 + 1) * 3 + q];
                    want[(i * 5 + b) * 6 + k] += updates[((p * 2 + b) * 3 + q) * 2 + c];
                }
    use_init(&u);
    operand(&u, TN_F32, x, DIMS(4, 5, 6));
    operand(&u, TN_SI64, at, DIMS(2, 2, 3));
    operand(&u, TN_F32, updates, DIMS(2, 2, 3, 2));
    with_ints(&u, KEY_UPDATE_WINDOW_DIMS, INTS(1, 3));
    with_ints(&u, KEY_INSERTED_WINDOW_DIMS, INTS(0));
    with_ints(&u, KEY_SCATTER_DIMS, INTS(2, 0));
    with_int(&u, KEY_INDEX_VECTOR_DIM, 1);
    if (CHECK(run(&u, OP_SCATTER_ADD)))
        CHECK(same_numbers(u.out, want));
    use_free(&u);
}

static void start_scatter(use *u, const int32_t *at)
{
    static const float x[4] = {1, 2, 3, 4}, updates[3] = {10, 20, 30};
    use_init(u);
    operand(u, TN_F32, x, DIMS(4));
    operand(u, TN_SI32, at, DIMS(3));
    operand(u, TN_F32, updates, DIMS(3));
}

static void test_scatter_scalars(void)
{
    const int32_t at[] = {2, 0, 2}, outside[] = {0, 4, 0}, negative[] = {0, 0, -1};
    const float want[] = {21, 2, 43, 4};
    use u;
    start_scatter(&u, at);
    with_ints(&u, KEY_UPDATE_WINDOW_DIMS, NO_INTS);
    with_ints(&u, KEY_INSERTED_WINDOW_DIMS, INTS(0));
    with_ints(&u, KEY_SCATTER_DIMS, INTS(0));
    if (CHECK(run(&u, OP_SCATTER_ADD)))
        CHECK(same_numbers(u.out, want));
    use_free(&u);
    for (int k = 0; k < 2; k++) {
        start_scatter(&u, k ? outside : negative);
        with_ints(&u, KEY_UPDATE_WINDOW_DIMS, NO_INTS);
        with_ints(&u, KEY_INSERTED_WINDOW_DIMS, INTS(0));
        with_ints(&u, KEY_SCATTER_DIMS, INTS(0));
        with_int(&u, KEY_INDEX_VECTOR_DIM, 1);
        REJECTS(&u, OP_SCATTER_ADD, "IndexOutOfBounds");
        use_free(&u);
    }
    start_scatter(&u, at); /* two components, vectors of one */
    with_ints(&u, KEY_UPDATE_WINDOW_DIMS, NO_INTS);
    with_ints(&u, KEY_INSERTED_WINDOW_DIMS, INTS(0));
    with_ints(&u, KEY_SCATTER_DIMS, NO_INTS);
    REJECTS(&u, OP_SCATTER_ADD, "InvalidAttribute");
    use_free(&u);
    start_scatter(&u, at);
    with_ints(&u, KEY_UPDATE_WINDOW_DIMS, INTS(0));
    with_ints(&u, KEY_INSERTED_WINDOW_DIMS, INTS(0));
    with_ints(&u, KEY_SCATTER_DIMS, INTS(0));
    REJECTS(&u, OP_SCATTER_ADD, "InvalidAttribute");
    use_free(&u);
    start_scatter(&u, at);
    with_ints(&u, KEY_UPDATE_WINDOW_DIMS, NO_INTS);
    with_ints(&u, KEY_INSERTED_WINDOW_DIMS, INTS(0));
    with_ints(&u, KEY_SCATTER_DIMS, INTS(0));
    with_int(&u, KEY_INDEX_VECTOR_DIM, 2);
    REJECTS(&u, OP_SCATTER_ADD, "InvalidAttribute");
    use_free(&u);
}

static void test_dynamic(int64_t y, int64_t x)
{
    enum { H = 4, W = 5, h = 2, w = 3 };
    int16_t data[H * W], update[h * w];
    const int64_t start[] = {y, x};
    const int64_t sy = y < 0 ? 0 : y > H - h ? H - h : y, sx = x < 0 ? 0 : x > W - w ? W - w : x;
    use u;
    for (int i = 0; i < H * W; i++)
        data[i] = (int16_t)i;
    for (int i = 0; i < h * w; i++)
        update[i] = (int16_t)(100 + i);
    use_init(&u);
    operand(&u, TN_SI16, data, DIMS(H, W));
    operand(&u, TN_SI64, start, DIMS(2));
    with_ints(&u, KEY_SIZES, INTS(h, w));
    if (CHECK(run(&u, OP_DYNAMIC_SLICE)) && CHECK(shape_is(u.out, TN_SI16, DIMS(h, w))))
        for (int i = 0; i < h * w; i++)
            CHECK_INT(((int16_t *)u.out->data)[i], data[(sy + i / w) * W + sx + i % w]);
    use_free(&u);
    use_init(&u);
    operand(&u, TN_SI16, data, DIMS(H, W));
    operand(&u, TN_SI16, update, DIMS(h, w));
    operand(&u, TN_SI64, start, DIMS(2));
    with_ints(&u, KEY_SIZES, INTS(h, w));
    if (CHECK(run(&u, OP_DYNAMIC_UPDATE_SLICE)))
        for (int i = 0; i < H * W; i++) {
            const int64_t p = i / W - sy, q = i % W - sx;
            const bool in = p >= 0 && p < h && q >= 0 && q < w;
            CHECK_INT(((int16_t *)u.out->data)[i], in ? update[p * w + q] : data[i]);
        }
    use_free(&u);
}

static void test_dynamic_faults(void)
{
    const int16_t data[6] = {7, 8};
    const int32_t start[] = {0, 0};
    use u;
    use_init(&u);
    operand(&u, TN_SI16, data, DIMS(2, 3));
    operand(&u, TN_SI32, start, DIMS(2));
    with_ints(&u, KEY_SIZES, INTS(3, 1));
    REJECTS(&u, OP_DYNAMIC_SLICE, "InvalidAttribute");
    operand(&u, TN_SI16, data, DIMS(2, 3));
    operand(&u, TN_SI32, start, DIMS(1));
    with_ints(&u, KEY_SIZES, INTS(1, 1));
    REJECTS(&u, OP_DYNAMIC_SLICE, "DimensionMismatch");
    operand(&u, TN_SI16, data, DIMS(2, 3));
    operand(&u, TN_SI16, data, DIMS(1, 2));
    operand(&u, TN_SI32, start, DIMS(2));
    with_ints(&u, KEY_SIZES, INTS(1, 1));
    REJECTS(&u, OP_DYNAMIC_UPDATE_SLICE, "DimensionMismatch");
    operand(&u, TN_SI16, data, RANK0);
    operand(&u, TN_SI32, start, DIMS(0));
    with_ints(&u, KEY_SIZES, NO_INTS);
    if (CHECK(run(&u, OP_DYNAMIC_SLICE)))
        CHECK_INT(*(int16_t *)u.out->data, 7);
    use_free(&u);
}

int main(void)
{
    test_gather(TN_SI32);
    test_gather(TN_SI64);
    test_gather_faults();
    for (int d = 0; d < TN_DTYPE_COUNT; d++)
        for (int mode = COMBINE_ADD; mode <= COMBINE_REPLACE; mode++)
            for (uint64_t seed = 1; seed < 4; seed++) {
                test_scatter_reduce((tn_dtype)d, (combine_mode)mode, seed);
                if (mode != COMBINE_REPLACE)
                    test_segment_reduce((tn_dtype)d, (combine_mode)mode, seed);
            }
    test_segment_faults();
    test_scatter_add();
    test_scatter_scalars();
    for (int64_t i = -2; i < 6; i++)
        test_dynamic(i, 3 - i);
    test_dynamic(INT64_MIN, INT64_MAX);
    test_dynamic_faults();
    return check_result();
}
