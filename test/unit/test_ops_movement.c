/* Movement and indexing: elements must arrive where plain indexing puts them. */
#include "ops_case.h"

enum { A = 3, B = 4, C = 5 };
static int32_t x[A * B * C];

static void test_transpose(void)
{
    static const int64_t perms[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const size_t extents[] = {A, B, C}, strides[] = {B * C, C, 1};
    for (size_t p = 0; p < 6; p++) {
        const int64_t *perm = perms[p];
        ops_case t;
        ops_case_init(&t);
        ops_case_operand(&t, TN_SI32, x, DIMS(A, B, C));
        ops_case_ints(&t, KEY_PERM, perm, 3);
        if (CHECK(ops_case_run(&t, OP_TRANSPOSE))) {
            const int32_t *out = t.out.data;
            for (size_t i = 0; i < extents[perm[0]]; i++)
                for (size_t j = 0; j < extents[perm[1]]; j++)
                    for (size_t k = 0; k < extents[perm[2]]; k++)
                        CHECK_INT(
                            *out++,
                            x[i * strides[perm[0]] + j * strides[perm[1]] + k * strides[perm[2]]]);
        }
        ops_case_free(&t);
    }
}

static void check_slice(const int64_t *s, const int64_t *e, const int64_t *k, dim n0, dim n1)
{
    ops_case t;
    int32_t back[A * B] = {0};
    ops_case_init(&t);
    ops_case_operand(&t, TN_SI32, x, DIMS(A, B));
    ops_case_ints(&t, KEY_STARTS, s, 2);
    ops_case_ints(&t, KEY_ENDS, e, 2);
    ops_case_ints(&t, KEY_STEPS, k, 2);
    if (!CHECK(ops_case_run(&t, OP_SLICE)) || !CHECK_INT(t.out.type->dims[0], n0) ||
        !CHECK_INT(t.out.type->dims[1], n1))
        return;
    const int32_t *out = t.out.data;
    const int64_t s0 = s[0] > A - 1 ? A - 1 : s[0], s1 = s[1] > B - 1 ? B - 1 : s[1];
    for (dim i = 0; i < n0; i++)
        for (dim j = 0; j < n1; j++) {
            const int64_t from = (s0 + i * k[0]) * B + s1 + j * k[1];
            CHECK_INT(*out++, x[from]);
            back[from] = x[from];
        }

    ops_case g; /* the derivative puts the elements back */
    ops_case_init(&g);
    ops_case_operand(&g, TN_SI32, t.out.data, DIMS(n0, n1));
    ops_case_ints(&g, KEY_SHAPE, (const int64_t[]){A, B}, 2);
    ops_case_ints(&g, KEY_STARTS, s, 2);
    ops_case_ints(&g, KEY_ENDS, e, 2);
    ops_case_ints(&g, KEY_STEPS, k, 2);
    if (CHECK(ops_case_run(&g, OP_SLICE_GRAD)))
        CHECK(memcmp(g.out.data, back, sizeof back) == 0);
    ops_case_free(&g);
    ops_case_free(&t);
}

static void test_slices(void)
{
    const int64_t one[] = {1, 1}, two[] = {2, 3}, back[] = {-1, -2}, far[] = {INT64_MIN, INT64_MAX};
    const int64_t zero[] = {0, 0}, all[] = {A, B}, last[] = {A - 1, B - 1}, before[] = {-1, -1};
    const int64_t mid[] = {1, 2}, before_far[] = {-9, 9};
    check_slice(zero, all, one, A, B);
    check_slice(mid, all, one, 2, 2);
    check_slice(zero, all, two, 2, 2);
    check_slice(last, before, back, 3, 2);
    check_slice(zero, zero, one, 0, 0);
    check_slice(last, before_far, far, 1, 1); /* one element each, with wild steps */
}

static void test_broadcast(void)
{
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_SI32, x, DIMS(1, 4));
    ops_case_ints(&t, KEY_SHAPE, (const int64_t[]){2, 3, 4}, 3);
    if (CHECK(ops_case_run(&t, OP_BROADCAST)))
        for (int i = 0; i < 24; i++)
            CHECK_INT(((const int32_t *)t.out.data)[i], x[i % 4]);
    ops_case_free(&t);

    ops_case_init(&t);
    ops_case_operand(&t, TN_SI32, x, DIMS(2, 3));
    ops_case_ints(&t, KEY_SHAPE, (const int64_t[]){3, 4, 2}, 3);
    ops_case_ints(&t, KEY_DIMS, (const int64_t[]){2, 0}, 2);
    if (CHECK(ops_case_run(&t, OP_BROADCAST)))
        for (int i = 0; i < 24; i++)
            CHECK_INT(((const int32_t *)t.out.data)[i], x[i % 2 * 3 + i / 8]);
    ops_case_free(&t);
}

static void test_take(void)
{
    const int32_t rows[] = {2, 0, 2, 1};
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_SI32, x, DIMS(A, B));
    ops_case_operand(&t, TN_SI32, rows, DIMS(2, 2));
    if (CHECK(ops_case_run(&t, OP_TAKE)) && CHECK_INT(t.out.type->rank, 3))
        for (int i = 0; i < 16; i++)
            CHECK_INT(((const int32_t *)t.out.data)[i], x[rows[i / 4] * B + i % 4]);
    ops_case_free(&t);

    /* Rows added in order: f16 sums are formed in f32 and rounded once. */
    const uint16_t g[] = {0x6800, 0x3c00, 0x3c00}; /* 2048, 1, 1 */
    const int64_t same[] = {1, 1, 1};
    ops_case_init(&t);
    ops_case_operand(&t, TN_F16, g, DIMS(3));
    ops_case_operand(&t, TN_SI64, same, DIMS(3));
    ops_case_ints(&t, KEY_SHAPE, (const int64_t[]){2}, 1);
    if (CHECK(ops_case_run(&t, OP_SCATTER_ROWS)))
        CHECK(memcmp(t.out.data, (uint16_t[]){0, 0x6801}, 4) == 0);
    ops_case_free(&t);
}

static void index_fails(op_id op, int64_t at, const char *kind)
{
    const int64_t indices[] = {0, at};
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_SI32, x, DIMS(3, 2));
    if (op == OP_INDEX)
        ops_case_ints(&t, KEY_INDICES, indices, 2);
    else
        ops_case_operand(&t, TN_SI64, &at, DIMS(1));
    CHECK(!ops_case_run(&t, op));
    CHECK_TEXT(t.kind, kind);
    CHECK(strstr(t.message, "[3, 2]") != NULL);
    ops_case_free(&t);
}

static void rejects(op_id op, attr_key key, const int64_t *ints, uint32_t n, const char *kind)
{
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_SI32, x, DIMS(3, 1, 2));
    ops_case_ints(&t, key, ints, n);
    CHECK(!ops_case_run(&t, op));
    CHECK_TEXT(t.kind, kind);
    ops_case_free(&t);
}

static void test_rejections(void)
{
    index_fails(OP_INDEX, 2, "IndexOutOfBounds");
    index_fails(OP_INDEX, -1, "IndexOutOfBounds");
    index_fails(OP_TAKE, 3, "IndexOutOfBounds");
    index_fails(OP_TAKE, INT64_MIN, "IndexOutOfBounds");
    rejects(OP_INDEX, KEY_INDICES, DIMS(0, 0), "IndexLength");
    rejects(OP_SQUEEZE, KEY_AXES, DIMS(0), "SqueezeExtent");
    rejects(OP_SQUEEZE, KEY_AXES, DIMS(1, 1), "DuplicateAxis");
    rejects(OP_SQUEEZE, KEY_AXES, DIMS(3), "InvalidAxis");
    rejects(OP_EXPAND_DIMS, KEY_AXES, DIMS(4), "InvalidAxis");
    rejects(OP_TRANSPOSE, KEY_PERM, DIMS(0, 1), "InvalidPermutation");
    rejects(OP_TRANSPOSE, KEY_PERM, DIMS(0, 1, 1), "InvalidPermutation");
    rejects(OP_RESHAPE, KEY_SHAPE, DIMS(4, 2), "ElementCountMismatch");
    rejects(OP_RESHAPE, KEY_SHAPE, DIMS(INT64_MIN), "InvalidDimension");
    rejects(OP_RESHAPE, KEY_SHAPE, DIMS(0), "InvalidDimension");
    rejects(OP_BROADCAST, KEY_SHAPE, DIMS(3, 4, 3), "BroadcastMismatch");
    rejects(OP_BROADCAST, KEY_SHAPE, DIMS(3, 2), "RankMismatch");
    rejects(OP_BROADCAST, KEY_SHAPE, DIMS(3, 4, -5), "InvalidDimension");
    rejects(OP_BROADCAST, KEY_SHAPE, DIMS(3, 4, INT64_MIN + 3), "InvalidDimension");
}

int main(void)
{
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = (int32_t)(i * 7 + 1);
    test_transpose();
    test_slices();
    test_broadcast();
    test_take();
    test_rejections();
    return check_result();
}
