/* Movement against its definition, element by element: reverse, pad, concat, tile, view, pool,
 * extract_patches. */
#include "ops_ptir_case.h"

enum { N = 512 };

static int32_t numbers[N]; /* 100, 101, ...: every element is told apart */

static int32_t *data(const use *u)
{
    return u->out->data;
}

static void start(use *u, const dim *dims, uint32_t rank)
{
    use_init(u);
    operand(u, TN_SI32, numbers, dims, rank);
}

static void test_reverse(void)
{
    use u;
    start(&u, DIMS(2, 3, 4));
    with_ints(&u, KEY_AXES, INTS(-1, 0));
    if (CHECK(run(&u, OP_REVERSE)))
        for (int i = 0; i < 24; i++)
            CHECK_INT(data(&u)[i], numbers[((1 - i / 12) * 3 + i / 4 % 3) * 4 + (3 - i % 4)]);
    use_free(&u);
    start(&u, DIMS(2, 0));
    with_ints(&u, KEY_AXES, INTS(0, 1));
    CHECK(run(&u, OP_REVERSE));
    use_free(&u);
    start(&u, RANK0);
    with_ints(&u, KEY_AXES, NO_INTS);
    if (CHECK(run(&u, OP_REVERSE)))
        CHECK_INT(*data(&u), numbers[0]);
    use_free(&u);
    start(&u, DIMS(2, 2));
    with_ints(&u, KEY_AXES, INTS(0, -2));
    REJECTS(&u, OP_REVERSE, "DuplicateAxis");
    operand(&u, TN_SI32, numbers, DIMS(2, 2));
    with_ints(&u, KEY_AXES, INTS(2));
    REJECTS(&u, OP_REVERSE, "InvalidAxis");
    use_free(&u);
}

static void pad(use *u, const dim *dims, uint32_t rank, const int64_t *low, const int64_t *high,
                const int64_t *interior, const scalar *value)
{
    start(u, dims, rank);
    with_ints(u, KEY_LOW, low, rank);
    with_ints(u, KEY_HIGH, high, rank);
    with_ints(u, KEY_INTERIOR, interior, rank);
    with_scalar(u, KEY_PAD_VALUE, value);
}

static void test_pad(void)
{
    const scalar seven = scalar_of_float(7), half = scalar_of_float(0.5);
    const int64_t low[] = {1, 0}, high[] = {0, 2}, interior[] = {1, 2};
    const int64_t none[] = {0, 0}, minus[] = {-1, 0};
    use u;
    pad(&u, DIMS(2, 3), low, high, interior, &seven);
    if (CHECK(run(&u, OP_PAD)) && CHECK(shape_is(u.out, TN_SI32, DIMS(4, 9))))
        for (int i = 0; i < 36; i++) {
            const int y = i / 9 - 1, x = i % 9;
            const bool real = y >= 0 && y % 2 == 0 && x % 3 == 0 && x / 3 < 3;
            CHECK_INT(data(&u)[i], real ? numbers[y / 2 * 3 + x / 3] : 7);
        }
    use_free(&u);
    pad(&u, DIMS(0, 1), low, high, interior, &seven); /* nothing between nothing */
    if (CHECK(run(&u, OP_PAD)) && CHECK(shape_is(u.out, TN_SI32, DIMS(1, 3))))
        CHECK_INT(data(&u)[2], 7);
    use_free(&u);
    pad(&u, NULL, 0, none, none, none, &seven);
    if (CHECK(run(&u, OP_PAD)))
        CHECK_INT(*data(&u), numbers[0]);
    use_free(&u);
    pad(&u, DIMS(2, 2), minus, none, none, &seven);
    REJECTS(&u, OP_PAD, "InvalidAttribute");
    use_free(&u);
    pad(&u, DIMS(2, 2), low, none, none, &half); /* no integer */
    REJECTS(&u, OP_PAD, "InvalidAttribute");
    use_free(&u);
    const int64_t huge[] = {INT64_MAX, 0};
    pad(&u, DIMS(2, 2), huge, none, none, &seven);
    REJECTS(&u, OP_PAD, "InvalidDimension");
    use_free(&u);
    pad(&u, DIMS(1, 1), none, none, huge, &seven); /* fits: one element has nothing between */
    if (CHECK(run(&u, OP_PAD)))
        CHECK_INT(*data(&u), numbers[0]);
    use_free(&u);
}

static void test_concat(void)
{
    use u;
    start(&u, DIMS(2, 3, 2));
    operand(&u, TN_SI32, numbers + 50, DIMS(2, 0, 2));
    operand(&u, TN_SI32, numbers + 100, DIMS(2, 1, 2));
    with_int(&u, KEY_AXIS, -2);
    if (CHECK(run(&u, OP_CONCAT)) && CHECK(shape_is(u.out, TN_SI32, DIMS(2, 4, 2))))
        for (int i = 0; i < 16; i++) {
            const int a = i / 8, b = i / 2 % 4, c = i % 2;
            CHECK_INT(data(&u)[i], b < 3 ? numbers[(a * 3 + b) * 2 + c] : numbers[100 + a * 2 + c]);
        }
    use_free(&u);
    start(&u, DIMS(3));
    with_int(&u, KEY_AXIS, 0);
    if (CHECK(run(&u, OP_CONCAT)))
        CHECK_INT(data(&u)[2], numbers[2]);
    use_free(&u);
    start(&u, RANK0);
    with_int(&u, KEY_AXIS, 0);
    REJECTS(&u, OP_CONCAT, "RankMismatch");
    operand(&u, TN_SI32, numbers, DIMS(2, 2));
    operand(&u, TN_SI32, numbers, DIMS(3, 3));
    with_int(&u, KEY_AXIS, 0);
    REJECTS(&u, OP_CONCAT, "DimensionMismatch");
    operand(&u, TN_SI32, numbers, DIMS(2, 2));
    operand(&u, TN_UI32, numbers, DIMS(2, 2));
    with_int(&u, KEY_AXIS, 0);
    REJECTS(&u, OP_CONCAT, "DTypeMismatch");
    use_free(&u);
}

static void test_tile(void)
{
    use u;
    start(&u, DIMS(2, 1, 3));
    with_ints(&u, KEY_REPEATS, INTS(2, 3, 2));
    if (CHECK(run(&u, OP_TILE)) && CHECK(shape_is(u.out, TN_SI32, DIMS(4, 3, 6))))
        for (int i = 0; i < 72; i++)
            CHECK_INT(data(&u)[i], numbers[i / 18 % 2 * 3 + i % 6 % 3]);
    use_free(&u);
    start(&u, DIMS(2, 3));
    with_ints(&u, KEY_REPEATS, INTS(2, 0));
    CHECK(run(&u, OP_TILE) && u.out->type->count == 0);
    use_free(&u);
    start(&u, RANK0);
    with_ints(&u, KEY_REPEATS, NO_INTS);
    if (CHECK(run(&u, OP_TILE)))
        CHECK_INT(*data(&u), numbers[0]);
    use_free(&u);
    start(&u, DIMS(2, 3));
    with_ints(&u, KEY_REPEATS, INTS(2));
    REJECTS(&u, OP_TILE, "InvalidAttribute");
    use_free(&u);
}

static void view(use *u, const dim *in, uint32_t rank_in, const char *map, const dim *out,
                 uint32_t rank_out)
{
    start(u, in, rank_in);
    with_ints(u, KEY_SHAPE, out, rank_out);
    with_text(u, KEY_INDEX_MAP, map);
}

static void rejects_view(const char *map, const char *kind)
{
    use u;
    view(&u, DIMS(4, 5), map, DIMS(3, 6));
    REJECTS(&u, OP_VIEW, kind);
    use_free(&u);
}

static void test_view(void)
{
    use u;
    view(&u, DIMS(4, 5), "3 - i1; 2*i0 + 1", DIMS(2, 4)); /* strides */
    if (CHECK(run(&u, OP_VIEW)))
        for (int i = 0; i < 8; i++)
            CHECK_INT(data(&u)[i], numbers[(3 - i % 4) * 5 + 2 * (i / 4) + 1]);
    use_free(&u);
    view(&u, DIMS(4, 6), "(i0*2+i1)//6 ; (i0*2 + i1) % 6", DIMS(12, 2)); /* a reshape */
    if (CHECK(run(&u, OP_VIEW)))
        for (int i = 0; i < 24; i++)
            CHECK_INT(data(&u)[i], numbers[i]);
    use_free(&u);
    view(&u, DIMS(6), "floordiv(i0, 2) - -2 + 0*i1", DIMS(8, 2));
    if (CHECK(run(&u, OP_VIEW)))
        for (int i = 0; i < 16; i++)
            CHECK_INT(data(&u)[i], numbers[i / 2 / 2 + 2]);
    use_free(&u);
    view(&u, DIMS(4), "i0 - 4*(i0 // 4)", DIMS(9)); /* needs a look at each position */
    if (CHECK(run(&u, OP_VIEW)))
        for (int i = 0; i < 9; i++)
            CHECK_INT(data(&u)[i], numbers[i % 4]);
    use_free(&u);
    view(&u, DIMS(4), "(i0 - 5) % 4", DIMS(8)); /* remainders of negative numbers */
    if (CHECK(run(&u, OP_VIEW)))
        for (int i = 0; i < 8; i++)
            CHECK_INT(data(&u)[i], numbers[(i + 3) % 4]);
    use_free(&u);
    view(&u, RANK0, "", DIMS(3));
    if (CHECK(run(&u, OP_VIEW)))
        CHECK_INT(data(&u)[2], numbers[0]);
    use_free(&u);
    view(&u, DIMS(3), "2", RANK0);
    if (CHECK(run(&u, OP_VIEW)))
        CHECK_INT(*data(&u), numbers[2]);
    use_free(&u);
    view(&u, DIMS(3), "i0 + 100", DIMS(0)); /* reads nothing */
    CHECK(run(&u, OP_VIEW));
    use_free(&u);

    rejects_view("i0 + 2; i1", "UnguardedAccess");
    rejects_view("i0; i1 - 1", "UnguardedAccess");
    rejects_view("i0; i1 - 6*((i1 + 1)//6)", "UnguardedAccess");
    rejects_view("i0 * i1; 0", "NonAffine");
    rejects_view("i0 // i1; 0", "NonAffine");
    rejects_view("i0 // 0; 0", "InvalidAttribute");
    rejects_view("i0 % (1 - 2); 0", "InvalidAttribute");
    rejects_view("i2; 0", "InvalidAttribute");
    rejects_view("i0", "InvalidAttribute");
    rejects_view("i0; i1; 0", "InvalidAttribute");
    rejects_view("i0; ", "InvalidAttribute");
    rejects_view("i0 +; 0", "InvalidAttribute");
    rejects_view("(i0; 0", "InvalidAttribute");
    rejects_view("i0 i1; 0", "InvalidAttribute");
    rejects_view("99999999999999999999; 0", "InvalidAttribute");
    rejects_view("i99999999999999999999; 0", "InvalidAttribute");
    rejects_view("9223372036854775807 * i0 * 9223372036854775807; 0", "UnguardedAccess");
    char deep[1000];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    rejects_view(deep, "InvalidAttribute");
    memset(deep, '-', sizeof deep - 1);
    rejects_view(deep, "InvalidAttribute");
    for (size_t i = 0; i + 2 < sizeof deep; i += 2)
        memcpy(deep + i, "1+", 2);
    deep[sizeof deep - 2] = '\0';
    rejects_view(deep, "InvalidAttribute");
}

static void test_pool(void)
{
    use u;
    start(&u, DIMS(2, 7, 6));
    with_ints(&u, KEY_WINDOW, INTS(3, 2));
    with_ints(&u, KEY_STRIDES, INTS(2, 1));
    with_ints(&u, KEY_DILATION, INTS(1, 3));
    if (CHECK(run(&u, OP_POOL)) && CHECK(shape_is(u.out, TN_SI32, DIMS(2, 3, 3, 3, 2)))) {
        int k = 0;
        for (int n = 0; n < 2; n++)
            for (int y = 0; y < 3; y++)
                for (int x = 0; x < 3; x++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 2; b++, k++)
                            CHECK_INT(data(&u)[k], numbers[(n * 7 + y * 2 + a) * 6 + x + 3 * b]);
    }
    use_free(&u);
    start(&u, DIMS(5));
    with_ints(&u, KEY_WINDOW, INTS(6));
    with_ints(&u, KEY_STRIDES, INTS(1));
    with_ints(&u, KEY_DILATION, INTS(1));
    REJECTS(&u, OP_POOL, "InvalidAttribute");
    operand(&u, TN_SI32, numbers, DIMS(5));
    with_ints(&u, KEY_WINDOW, INTS(2));
    with_ints(&u, KEY_STRIDES, INTS(0));
    with_ints(&u, KEY_DILATION, INTS(1));
    REJECTS(&u, OP_POOL, "InvalidAttribute");
    operand(&u, TN_SI32, numbers, DIMS(5));
    with_ints(&u, KEY_WINDOW, INTS(2, 2));
    with_ints(&u, KEY_STRIDES, INTS(1, 1));
    with_ints(&u, KEY_DILATION, INTS(1, 1));
    REJECTS(&u, OP_POOL, "InvalidAttribute");
    use_free(&u);
}

static void test_extract_patches(void)
{
    const scalar minus = scalar_of_int(-1);
    use u;
    start(&u, DIMS(2, 5, 4, 3));
    with_ints(&u, KEY_WINDOW, INTS(3, 2));
    with_ints(&u, KEY_STRIDES, INTS(2, 1));
    with_ints(&u, KEY_DILATION, INTS(1, 2));
    with_ints(&u, KEY_PADS, INTS(1, 1, 0, 3));
    with_scalar(&u, KEY_PAD_VALUE, &minus);
    if (CHECK(run(&u, OP_EXTRACT_PATCHES)) && CHECK(shape_is(u.out, TN_SI32, DIMS(2, 3, 5, 18)))) {
        int k = 0;
        for (int n = 0; n < 2; n++)
            for (int y = 0; y < 3; y++)
                for (int x = 0; x < 5; x++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 2; b++)
                            for (int c = 0; c < 3; c++, k++) {
                                const int p = y * 2 + a - 1, q = x + 2 * b;
                                const bool in = p >= 0 && p < 5 && q < 4;
                                CHECK_INT(data(&u)[k],
                                          in ? numbers[((n * 5 + p) * 4 + q) * 3 + c] : -1);
                            }
    }
    use_free(&u);
    start(&u, DIMS(1, 0, 2)); /* nothing but padding */
    with_ints(&u, KEY_WINDOW, INTS(2));
    with_ints(&u, KEY_STRIDES, INTS(1));
    with_ints(&u, KEY_DILATION, INTS(1));
    with_ints(&u, KEY_PADS, INTS(1, 1));
    with_scalar(&u, KEY_PAD_VALUE, &minus);
    if (CHECK(run(&u, OP_EXTRACT_PATCHES)) && CHECK(shape_is(u.out, TN_SI32, DIMS(1, 1, 4))))
        CHECK_INT(data(&u)[3], -1);
    use_free(&u);
    start(&u, DIMS(4, 4));
    with_ints(&u, KEY_WINDOW, NO_INTS);
    with_ints(&u, KEY_STRIDES, NO_INTS);
    with_ints(&u, KEY_DILATION, NO_INTS);
    with_ints(&u, KEY_PADS, NO_INTS);
    with_scalar(&u, KEY_PAD_VALUE, &minus);
    REJECTS(&u, OP_EXTRACT_PATCHES, "RankMismatch");
    use_free(&u);
}

/* Symbolic extents become expressions. */
static const char *type_of_use(use *u, op_id op)
{
    const value_id v = build_node(&u->b, op, u->in, u->n_in, u->attrs, u->n_attrs);
    diag_flush(&u->cx->diag);
    return v == NO_VALUE ? u->message
                         : type_text(&u->m->arena, &u->m->types, value_type(u->b.f, v));
}

static void start_symbolic(use *u, const char *first, const char *second)
{
    static const char *const names[] = {"x", "y"};
    const char *symbols[] = {first, second};
    use_init(u);
    for (int i = 0; i < 2 && symbols[i]; i++) {
        const dim dims[] = {
            dim_symbol(&u->m->types, module_string(u->m, symbols[i], strlen(symbols[i]))), 4};
        attr entries[2] = {{.key = KEY_NAME, .v.s = module_string(u->m, names[i], 1)},
                           {.key = KEY_TYPE, .v.type = type_of(&u->m->types, TN_F32, dims, 2)}};
        u->in[u->n_in++] = build_node(&u->b, OP_INPUT, NULL, 0, entries, 2);
    }
}

static void test_symbols(void)
{
    const scalar zero = scalar_of_float(0);
    use u;
    start_symbolic(&u, "A", "B");
    with_int(&u, KEY_AXIS, 0);
    CHECK_TEXT(type_of_use(&u, OP_CONCAT), "f32[(A+B), 4]");
    use_free(&u);
    start_symbolic(&u, "A", "B");
    with_int(&u, KEY_AXIS, 1);
    CHECK_TEXT(type_of_use(&u, OP_CONCAT), "f32[B, 8]");
    use_free(&u);
    start_symbolic(&u, "A", NULL);
    with_ints(&u, KEY_LOW, INTS(1, 0));
    with_ints(&u, KEY_HIGH, INTS(2, 0));
    with_ints(&u, KEY_INTERIOR, INTS(1, 0));
    with_scalar(&u, KEY_PAD_VALUE, &zero);
    CHECK_TEXT(type_of_use(&u, OP_PAD), "f32[((A*2)+2), 4]");
    use_free(&u);
    start_symbolic(&u, "A", NULL);
    with_ints(&u, KEY_REPEATS, INTS(3, 2));
    CHECK_TEXT(type_of_use(&u, OP_TILE), "f32[(A*3), 8]");
    use_free(&u);
    start_symbolic(&u, "A", NULL);
    with_ints(&u, KEY_WINDOW, INTS(3, 2));
    with_ints(&u, KEY_STRIDES, INTS(2, 1));
    with_ints(&u, KEY_DILATION, INTS(1, 1));
    CHECK_TEXT(type_of_use(&u, OP_POOL), "f32[(((A+-3)//2)+1), 3, 3, 2]");
    use_free(&u);
    start_symbolic(&u, "A", NULL);
    with_ints(&u, KEY_SHAPE, INTS(-1));
    CHECK_TEXT(type_of_use(&u, OP_RESHAPE), "f32[(A*4)]");
    use_free(&u);
    start_symbolic(&u, "A", NULL);
    with_ints(&u, KEY_SHAPE, INTS(-1, 8));
    CHECK_TEXT(type_of_use(&u, OP_RESHAPE), "f32[(A//2), 8]");
    use_free(&u);
}

int main(void)
{
    for (int i = 0; i < N; i++)
        numbers[i] = 100 + i;
    test_reverse();
    test_pad();
    test_concat();
    test_tile();
    test_view();
    test_pool();
    test_extract_patches();
    test_symbols();
    return check_result();
}
