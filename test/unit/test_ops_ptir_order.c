/* arg_max, top_k, argsort and sort against a naive search, with ties and NaNs, for every dtype with
 * an order. */
#include "ops_ptir_case.h"

/* Does A come before B? NaN comes last, equal values in the order of their positions. */
static bool comes_before(scalar a, scalar b, bool largest)
{
    switch (a.kind) {
    case DTYPE_FLOAT:
        if (a.f != a.f || b.f != b.f)
            return a.f == a.f && b.f != b.f;
        return largest ? a.f > b.f : a.f < b.f;
    case DTYPE_SIGNED:
        return largest ? a.i > b.i : a.i < b.i;
    case DTYPE_BOOL:
    case DTYPE_UNSIGNED:
    case DTYPE_COMPLEX:
        break;
    }
    return largest ? a.u > b.u : a.u < b.u;
}

static int64_t index_at(const tensor *t, int64_t i)
{
    return t->type->dtype == TN_SI32 ? ((int32_t *)t->data)[i] : ((int64_t *)t->data)[i];
}

enum { A = 3, B = 7, C = 4 };

static scalar at(const void *x, tn_dtype d, int64_t a, int64_t b, int64_t c)
{
    return scalar_load(d, (const char *)x + (size_t)((a * B + b) * C + c) * dtype_bytes(d));
}

static void check_arg_max(tn_dtype d, uint64_t seed, bool keep)
{
    char x[A * B * C * 16];
    use u;
    random_elements(&seed, d, x, A * B * C, true);
    use_init(&u);
    operand(&u, d, x, DIMS(A, B, C));
    with_int(&u, KEY_AXIS, -2);
    with_int(&u, KEY_INDEX_DTYPE, keep ? TN_SI64 : TN_SI32);
    with_int(&u, KEY_KEEPDIMS, keep);
    if (CHECK(run(&u, OP_ARG_MAX))) {
        CHECK(keep ? shape_is(u.out, TN_SI64, DIMS(A, 1, C))
                   : shape_is(u.out, TN_SI32, DIMS(A, C)));
        for (int64_t a = 0; a < A; a++)
            for (int64_t c = 0; c < C; c++) {
                int64_t best = 0;
                for (int64_t b = 1; b < B; b++)
                    if (comes_before(at(x, d, a, b, c), at(x, d, a, best, c), true))
                        best = b;
                CHECK_INT(index_at(u.out, a * C + c), best);
            }
    }
    use_free(&u);
}

static void check_top_k(tn_dtype d, uint64_t seed, int64_t k, bool largest)
{
    char x[A * B * C * 16];
    const size_t size = dtype_bytes(d);
    use u;
    random_elements(&seed, d, x, A * B * C, true);
    use_init(&u);
    operand(&u, d, x, DIMS(A, B, C));
    with_int(&u, KEY_AXIS, 1);
    with_int(&u, KEY_K, k);
    with_int(&u, KEY_LARGEST, largest);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI32);
    if (CHECK(run(&u, OP_TOP_K)) && CHECK_INT(u.n_out, 2) &&
        CHECK(shape_is(&u.out[0], d, DIMS(A, k, C))) &&
        CHECK(shape_is(&u.out[1], TN_SI32, DIMS(A, k, C)))) {
        for (int64_t a = 0; a < A; a++)
            for (int64_t c = 0; c < C; c++) {
                bool used[B] = {false};
                for (int64_t i = 0; i < k; i++) {
                    int64_t best = -1;
                    for (int64_t b = 0; b < B; b++)
                        if (!used[b] && (best < 0 || comes_before(at(x, d, a, b, c),
                                                                  at(x, d, a, best, c), largest)))
                            best = b;
                    used[best] = true;
                    const int64_t to = (a * k + i) * C + c;
                    CHECK_INT(index_at(&u.out[1], to), best);
                    CHECK(memcmp((char *)u.out[0].data + (size_t)to * size,
                                 x + (size_t)((a * B + best) * C + c) * size, size) == 0);
                }
            }
    }
    use_free(&u);
}

/* The order that argsort gives is that of comes_before, and sort moves elements in it. */
static void check_sort(tn_dtype d, uint64_t seed, bool descends)
{
    char x[A * B * C * 16], y[A * B * C];
    const size_t size = dtype_bytes(d);
    use u;
    random_elements(&seed, d, x, A * B * C, true);
    for (int i = 0; i < A * B * C; i++)
        y[i] = (char)(i % 97);
    use_init(&u);
    operand(&u, d, x, DIMS(A, B, C));
    with_int(&u, KEY_AXIS, 1);
    with_int(&u, KEY_DESCENDING, descends);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI64);
    int64_t order[A * B * C];
    if (CHECK(run(&u, OP_ARGSORT)) && CHECK(shape_is(u.out, TN_SI64, DIMS(A, B, C))))
        memcpy(order, u.out->data, sizeof order);
    else
        memset(order, 0, sizeof order);
    use_free(&u);
    for (int64_t a = 0; a < A; a++)
        for (int64_t c = 0; c < C; c++)
            for (int64_t b = 1; b < B; b++) {
                const int64_t p = order[(a * B + b - 1) * C + c], q = order[(a * B + b) * C + c];
                const scalar s = at(x, d, a, p, c), t = at(x, d, a, q, c);
                CHECK(comes_before(s, t, descends) || (!comes_before(t, s, descends) && p < q));
            }
    use_init(&u);
    operand(&u, d, x, DIMS(A, B, C));
    operand(&u, TN_SI8, y, DIMS(A, B, C));
    with_int(&u, KEY_AXIS, -2);
    with_int(&u, KEY_DESCENDING, descends);
    if (CHECK(run(&u, OP_SORT)) && CHECK_INT(u.n_out, 2) &&
        CHECK(shape_is(&u.out[0], d, DIMS(A, B, C))) &&
        CHECK(shape_is(&u.out[1], TN_SI8, DIMS(A, B, C))))
        for (int64_t i = 0; i < A * B * C; i++) {
            const int64_t from = (i / (B * C) * B + order[i]) * C + i % C;
            CHECK(memcmp((char *)u.out[0].data + (size_t)i * size, x + (size_t)from * size, size) ==
                  0);
            CHECK_INT(((char *)u.out[1].data)[i], y[from]);
        }
    use_free(&u);
}

static void test_edges(void)
{
    const float nan2[] = {NAN, NAN}, zeros[] = {-0.0f, 0.0f, -0.0f};
    use u;
    use_init(&u);
    operand(&u, TN_F32, nan2, DIMS(2));
    with_int(&u, KEY_AXIS, 0);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI64);
    if (CHECK(run(&u, OP_ARG_MAX)))
        CHECK_INT(index_at(u.out, 0), 0);
    use_free(&u);
    use_init(&u);
    operand(&u, TN_F32, zeros, DIMS(3));
    with_int(&u, KEY_AXIS, 0);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI64);
    if (CHECK(run(&u, OP_ARG_MAX)))
        CHECK_INT(index_at(u.out, 0), 0); /* zeros are equal */
    use_free(&u);

    /* Nothing to choose from, also when there would be no results. */
    use_init(&u);
    operand(&u, TN_F32, zeros, DIMS(0, 0));
    with_int(&u, KEY_AXIS, 0);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI64);
    REJECTS(&u, OP_ARG_MAX, "InvalidAttribute");
    operand(&u, TN_F32, zeros, RANK0);
    with_int(&u, KEY_AXIS, 0);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI64);
    REJECTS(&u, OP_ARG_MAX, "InvalidAxis");
    operand(&u, TN_F32, zeros, DIMS(3));
    with_int(&u, KEY_AXIS, 0);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI16);
    REJECTS(&u, OP_ARG_MAX, "DTypeNotSupported");
    operand(&u, TN_CF32, (const float[2]){0, 0}, DIMS(1));
    with_int(&u, KEY_AXIS, 0);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI32);
    REJECTS(&u, OP_ARG_MAX, "DTypeNotSupported");
    operand(&u, TN_F32, zeros, DIMS(3));
    with_int(&u, KEY_AXIS, 0);
    with_int(&u, KEY_K, 4);
    with_int(&u, KEY_LARGEST, 1);
    with_int(&u, KEY_INDEX_DTYPE, TN_SI32);
    REJECTS(&u, OP_TOP_K, "InvalidAttribute");
    use_free(&u);
}

int main(void)
{
    for (int d = TN_I1; d <= TN_F64; d++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            check_arg_max((tn_dtype)d, seed, seed % 2 == 1);
            check_sort((tn_dtype)d, seed, seed % 2 == 0);
            check_top_k((tn_dtype)d, seed, B, seed % 2 == 1);
            check_top_k((tn_dtype)d, seed, (int64_t)seed - 1, seed % 2 == 0);
        }
    test_edges();
    return check_result();
}
