/* Contractions against the written order of evaluation. */
#include <math.h>

#include "ops_case.h"
#include "ops_law.h"

/* law_dot, of f64. */
static double law_f64(const double *a, const double *b, size_t n)
{
    double total = 0;
    for (size_t start = 0; start < n; start += CONTRACT_BLOCK) {
        double p = 0;
        for (size_t k = start; k < n && k < start + CONTRACT_BLOCK; k++)
            p = fma(a[k], b[k], p);
        total = start == 0 ? p : total + p;
    }
    return total;
}

static float *random_tensor(uint64_t *seed, size_t n)
{
    float *x = malloc((n + 1) * sizeof *x);
    if (x)
        random_f32(seed, x, n);
    return x;
}

static void check_matmul(size_t m, size_t k, size_t n, uint64_t seed)
{
    float *a = random_tensor(&seed, m * k), *b = random_tensor(&seed, k * n);
    float *row = random_tensor(&seed, k), *column = random_tensor(&seed, k);
    float *want = random_tensor(&seed, m * n);
    ops_case t;
    if (!CHECK(a && b && row && column && want))
        return;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            for (size_t x = 0; x < k; x++) {
                row[x] = a[i * k + x];
                column[x] = b[x * n + j];
            }
            want[i * n + j] = law_dot(row, column, k);
        }
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, a, DIMS((dim)m, (dim)k));
    ops_case_operand(&t, TN_F32, b, DIMS((dim)k, (dim)n));
    if (CHECK(ops_case_run(&t, OP_MATMUL)))
        CHECK(same_f32(t.out.data, want, m * n));
    ops_case_free(&t);

    /* bf16 operands: exact products and sums in f32, rounded once. */
    uint16_t *na = malloc((m * k + 1) * 2), *nb = malloc((k * n + 1) * 2),
             *nw = malloc(m * n * 2 + 1);
    if (CHECK(na && nb && nw)) {
        (void)dtype_cast(TN_F32, a, TN_BF16, na, m * k);
        (void)dtype_cast(TN_F32, b, TN_BF16, nb, k * n);
        dtype_widen(TN_BF16, na, a, m * k);
        dtype_widen(TN_BF16, nb, b, k * n);
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) {
                for (size_t x = 0; x < k; x++) {
                    row[x] = a[i * k + x];
                    column[x] = b[x * n + j];
                }
                want[i * n + j] = law_dot(row, column, k);
            }
        (void)dtype_cast(TN_F32, want, TN_BF16, nw, m * n);
        ops_case_init(&t);
        ops_case_operand(&t, TN_BF16, na, DIMS((dim)m, (dim)k));
        ops_case_operand(&t, TN_BF16, nb, DIMS((dim)k, (dim)n));
        if (CHECK(ops_case_run(&t, OP_DOT)))
            CHECK(m * n == 0 || memcmp(t.out.data, nw, m * n * 2) == 0);
        ops_case_free(&t);
    }
    free(na);
    free(nb);
    free(nw);
    free(a);
    free(b);
    free(row);
    free(column);
    free(want);
}

static void test_matmul(void)
{
    static const size_t sizes[][3] = {{1, 1, 1},     {3, 0, 2},    {2, 5, 3},    {9, 300, 1},
                                      {1, 700, 1},   {1, 513, 40}, {17, 256, 7}, {70, 257, 130},
                                      {16, 1000, 8}, {8, 3, 5},    {0, 4, 3},    {65, 31, 129}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_matmul(sizes[i][0], sizes[i][1], sizes[i][2], i);
}

static void test_batches(void)
{
    /* [2, 1, 2, 3] times [3, 3, 2] gives [2, 3, 2, 2]; small integers, so any order is exact. */
    double a[12], b[18], want[24];
    ops_case t;
    for (int i = 0; i < 12; i++)
        a[i] = i - 5;
    for (int i = 0; i < 18; i++)
        b[i] = 7 - i;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 3; q++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) {
                    double x[3], y[3];
                    for (int k = 0; k < 3; k++) {
                        x[k] = a[p * 6 + i * 3 + k];
                        y[k] = b[q * 6 + k * 2 + j];
                    }
                    want[((p * 3 + q) * 2 + i) * 2 + j] = law_f64(x, y, 3);
                }
    ops_case_init(&t);
    ops_case_operand(&t, TN_F64, a, DIMS(2, 1, 2, 3));
    ops_case_operand(&t, TN_F64, b, DIMS(3, 3, 2));
    if (CHECK(ops_case_run(&t, OP_MATMUL))) {
        CHECK_INT(t.out.type->rank, 4);
        CHECK(memcmp(t.out.data, want, sizeof want) == 0);
    }
    ops_case_free(&t);
}

static void test_dot(void)
{
    const int32_t m[] = {1, 2, 3, 4, 5, 6}, v2[] = {10, -1}, v3[] = {1, 0, -1};
    const int8_t big[] = {100, 100, 100};
    const int8_t nibbles[] = {7, 7, 7};
    ops_case t;

    ops_case_init(&t);
    ops_case_operand(&t, TN_SI32, m, DIMS(2, 3));
    ops_case_operand(&t, TN_SI32, v3, DIMS(3));
    if (CHECK(ops_case_run(&t, OP_DOT)))
        CHECK(memcmp(t.out.data, (int32_t[]){-2, -2}, 8) == 0);
    ops_case_free(&t);

    ops_case_init(&t);
    ops_case_operand(&t, TN_SI32, v2, DIMS(2));
    ops_case_operand(&t, TN_SI32, m, DIMS(2, 3));
    if (CHECK(ops_case_run(&t, OP_DOT)))
        CHECK(memcmp(t.out.data, (int32_t[]){6, 15, 24}, 12) == 0);
    ops_case_free(&t);

    ops_case_init(&t);
    ops_case_operand(&t, TN_SI8, big, DIMS(3));
    ops_case_operand(&t, TN_SI8, big, DIMS(3));
    if (CHECK(ops_case_run(&t, OP_DOT)))
        CHECK_INT(*(int8_t *)t.out.data, 48); /* 30000 modulo 256 */
    ops_case_free(&t);

    ops_case_init(&t);
    ops_case_operand(&t, TN_SI4, nibbles, DIMS(3));
    ops_case_operand(&t, TN_SI4, nibbles, DIMS(3));
    if (CHECK(ops_case_run(&t, OP_DOT)))
        CHECK_INT(*(int8_t *)t.out.data, 3); /* 147 modulo 16 */
    ops_case_free(&t);

    const float a[] = {1, 2, -3, 0.5f}, b[] = {4, -1, 2, 2};
    ops_case_init(&t);
    ops_case_operand(&t, TN_CF32, a, DIMS(2));
    ops_case_operand(&t, TN_CF32, b, DIMS(2));
    if (CHECK(ops_case_run(&t, OP_DOT))) /* (1+2i)(4-i) + (-3+0.5i)(2+2i) */
        CHECK(same_f32(t.out.data, (float[]){-1, 2}, 2));
    ops_case_free(&t);
}

static void rejects(op_id op, tn_dtype da, const dim *a, uint32_t ra, tn_dtype db, const dim *b,
                    uint32_t rb, const char *kind)
{
    const double zeros[64] = {0};
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, da, zeros, a, ra);
    ops_case_operand(&t, db, zeros, b, rb);
    CHECK(!ops_case_run(&t, op));
    CHECK_TEXT(t.kind, kind);
    ops_case_free(&t);
}

static void test_rejections(void)
{
    rejects(OP_MATMUL, TN_F32, DIMS(2, 3), TN_F32, DIMS(2, 3), "DimensionMismatch");
    rejects(OP_MATMUL, TN_F32, DIMS(2, 3), TN_F64, DIMS(2, 3), "DTypeMismatch");
    rejects(OP_MATMUL, TN_I1, DIMS(2, 3), TN_I1, DIMS(3, 3), "DTypeNotSupported");
    rejects(OP_MATMUL, TN_F32, DIMS(3), TN_F32, DIMS(3, 3), "RankMismatch");
    rejects(OP_MATMUL, TN_F32, DIMS(2, 1, 3), TN_F32, DIMS(3, 3, 2), "BroadcastMismatch");
    rejects(OP_DOT, TN_F32, DIMS(1, 2, 3), TN_F32, DIMS(3), "RankMismatch");
    rejects(OP_DOT, TN_F32, SCALAR_DIMS, TN_F32, DIMS(3), "RankMismatch");
    rejects(OP_DOT, TN_F32, DIMS(2), TN_F32, DIMS(3), "DimensionMismatch");
}

int main(void)
{
    test_matmul();
    test_batches();
    test_dot();
    test_rejections();
    return check_result();
}
