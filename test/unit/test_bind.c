/* Symbolic sizes: found from inputs, declared types and reshapes; replaced everywhere. */
#include "ops_ptir_case.h"
#include "pass/sizes/bind.h"

static dim symbol(use *u, const char *name)
{
    return dim_symbol(&u->m->types, module_string(u->m, name, strlen(name)));
}

static value_id input(use *u, const char *name, const dim *dims, uint32_t rank)
{
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(u->m, name, strlen(name))},
                      {.key = KEY_TYPE, .v.type = type_of(&u->m->types, TN_F32, dims, rank)}};
    return build_node(&u->b, OP_INPUT, NULL, 0, entries, 2);
}

static dim combine(use *u, dim_op op, dim a, dim b)
{
    return dim_combine(&u->m->types, op, a, b);
}

/* Find sizes for these input shapes and bind a copy, or say what was reported. */
static module *bound(use *u, const given_shape *given)
{
    module *copy = NULL;
    arena memory;
    arena_init(&memory, u->m->allocator);
    CHECK_INT(u->b.status, TN_OK);
    u->kind[0] = '\0';
    dim_values *values = dim_values_new(&u->m->types, &memory);
    if (CHECK(values) && sizes_from_inputs(u->m, given, values) == TN_OK)
        (void)module_bind(u->m, values, &copy);
    diag_flush(&u->cx->diag);
    arena_release(&memory);
    return copy;
}

#define SHAPE(...)                                                                                 \
    {                                                                                              \
        (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[])          \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void expect_type(const module *m, value_id v, const char *want)
{
    arena memory;
    arena_init(&memory, &memory_system);
    if (CHECK(m))
        CHECK_TEXT(type_text(&memory, &m->types, value_type(module_entry(m), v)), want);
    arena_release(&memory);
}

/* x[A, B*2] and y[B, A+1]: sizes follow from expressions, and every use must agree. */
static void test_solving(void)
{
    use u;
    use_init(&u);
    const dim a = symbol(&u, "A"), b = symbol(&u, "B");
    const value_id x = input(&u, "x", DIMS(a, combine(&u, DIM_MUL, b, 2)));
    (void)input(&u, "y", DIMS(b, combine(&u, DIM_ADD, a, 1)));
    const value_id flat = build_reshape(&u.b, x, DIMS(-1));
    CHECK_INT(function_add_output(u.b.f, flat), TN_OK);

    const given_shape good[] = {SHAPE(3, 8), SHAPE(4, 4)};
    module *m = bound(&u, good);
    expect_type(m, flat, "f32[24]");
    if (m)
        CHECK_INT(module_verify(m, NULL), TN_OK);
    module_free(m);
    const given_shape other_a[] = {SHAPE(3, 8), SHAPE(4, 5)};
    CHECK(!bound(&u, other_a));
    CHECK_TEXT(u.kind, "DimensionBinding");
    const given_shape odd[] = {SHAPE(3, 7), SHAPE(3, 4)};
    CHECK(!bound(&u, odd));
    CHECK_TEXT(u.kind, "DimensionBinding");
    const given_shape negative[] = {SHAPE(3, 8), SHAPE(4, 0)};
    CHECK(!bound(&u, negative));
    CHECK_TEXT(u.kind, "DimensionBinding");
    const given_shape rank[] = {SHAPE(3, 8, 1), SHAPE(4, 4)};
    CHECK(!bound(&u, rank));
    CHECK_TEXT(u.kind, "InputMismatch");
    use_free(&u);
}

static void test_input_faults(void)
{
    use u;
    use_init(&u);
    const dim a = symbol(&u, "A");
    const value_id x = input(&u, "x", DIMS(combine(&u, DIM_FLOORDIV, a, 2), 3));
    CHECK_INT(function_add_output(u.b.f, x), TN_OK);
    const given_shape two[] = {SHAPE(2, 3)};
    CHECK(!bound(&u, two)); /* 4 or 5 */
    CHECK_TEXT(u.kind, "UnboundSymbol");
    const given_shape fixed[] = {SHAPE(2, 4)};
    CHECK(!bound(&u, fixed));
    CHECK_TEXT(u.kind, "InputMismatch");
    use_free(&u);
}

/* Two symbols that met in an elementwise op must be equal; a 1 does not broadcast. */
static void test_elementwise(void)
{
    use u;
    use_init(&u);
    const dim a = symbol(&u, "A"), b = symbol(&u, "B");
    const value_id x = input(&u, "x", &a, 1), y = input(&u, "y", &b, 1);
    const value_id sum = build_binary(&u.b, OP_ADD, x, y);
    CHECK_INT(function_add_output(u.b.f, sum), TN_OK);
    const given_shape same[] = {SHAPE(3), SHAPE(3)};
    module *m = bound(&u, same);
    expect_type(m, sum, "f32[3]");
    module_free(m);
    const given_shape different[] = {SHAPE(3), SHAPE(4)};
    CHECK(!bound(&u, different));
    CHECK_TEXT(u.kind, "DimensionBinding");
    const given_shape one[] = {SHAPE(1), SHAPE(4)};
    CHECK(!bound(&u, one));
    CHECK_TEXT(u.kind, "DimensionBinding");
    use_free(&u);
}

/* Attributes are bound too: pads, tiles, index maps, shapes; empty extents where a symbolic rule
 * assumed at least one. */
static void test_attributes(void)
{
    const scalar zero = scalar_of_float(0);
    use u;
    use_init(&u);
    const dim a = symbol(&u, "A");
    const value_id x = input(&u, "x", &a, 1);
    const dim low = a, none = 0, between = 2;
    attr pad[] = {attr_of_ints(KEY_LOW, &low, 1), attr_of_ints(KEY_HIGH, &none, 1),
                  attr_of_ints(KEY_INTERIOR, &between, 1), attr_of_scalar(KEY_PAD_VALUE, &zero)};
    const value_id padded = build_node(&u.b, OP_PAD, &x, 1, pad, 4);
    const dim count = combine(&u, DIM_ADD, a, 2);
    attr view[] = {attr_of_ints(KEY_SHAPE, &count, 1),
                   {.key = KEY_INDEX_MAP, .v.s = module_string(u.m, "i0 % A", 6)}};
    const value_id viewed = build_node(&u.b, OP_VIEW, &x, 1, view, 2);
    CHECK_INT(function_add_output(u.b.f, padded), TN_OK);
    CHECK_INT(function_add_output(u.b.f, viewed), TN_OK);

    const given_shape three[] = {SHAPE(3)};
    module *m = bound(&u, three);
    expect_type(m, padded, "f32[10]");
    expect_type(m, viewed, "f32[5]");
    if (m) {
        const float data[] = {5, 6, 7};
        const tensor in = {value_type(module_entry(m), x), (void *)(uintptr_t)data};
        tensor out[2] = {{0}};
        eval_run r = {.cx = u.cx, .bytes_limit = UINT64_MAX};
        if (CHECK_INT(evaluate(&r, module_entry(m), &in, out), TN_OK)) {
            CHECK(same_numbers(&out[0], (const float[]){0, 0, 0, 5, 0, 0, 6, 0, 0, 7}));
            CHECK(same_numbers(&out[1], (const float[]){5, 6, 7, 5, 6}));
            memory_free(&u.cx->allocator, out[0].data, 40);
            memory_free(&u.cx->allocator, out[1].data, 20);
        }
    }
    module_free(m);
    /* Nothing to divide by in the index map. */
    const given_shape empty[] = {SHAPE(0)};
    CHECK(!bound(&u, empty));
    CHECK_TEXT(u.kind, "InvalidAttribute");
    use_free(&u);
}

/* Sizes that only a reshape or a declared type names. */
static void test_follows(void)
{
    use u;
    use_init(&u);
    const dim a = symbol(&u, "A"), p = symbol(&u, "P"), q = symbol(&u, "Q");
    const value_id x = input(&u, "x", DIMS(6, a, 4, 5));
    const value_id y = build_reshape(&u.b, x, DIMS(2, 3, 1, p, q, 5));
    const value_id z = build_reshape(&u.b, x, DIMS(-1, 5));
    CHECK_INT(function_add_output(u.b.f, y), TN_OK);
    CHECK_INT(function_add_output(u.b.f, z), TN_OK);
    const dim named[] = {symbol(&u, "N"), 5};
    const declared_type declared = {z, type_of(&u.m->types, TN_F32, named, 2)};
    CHECK(VECTOR_PUSH(u.m->allocator, &u.b.f->declared, declared));
    const given_shape given[] = {SHAPE(6, 7, 4, 5)};
    arena memory;
    arena_init(&memory, &memory_system);
    dim_values *values = dim_values_new(&u.m->types, &memory);
    CHECK_INT(sizes_from_inputs(u.m, given, values), TN_OK);
    CHECK_INT(*size_of_symbol(u.m, values, "P"), 7);
    CHECK_INT(*size_of_symbol(u.m, values, "Q"), 4);
    CHECK_INT(*size_of_symbol(u.m, values, "N"), 168);
    CHECK(!size_of_symbol(u.m, values, "no such"));
    /* The same from the input's own symbol. */
    dim_values *few = dim_values_new(&u.m->types, &memory);
    *size_of_symbol(u.m, few, "A") = 7;
    CHECK_INT(sizes_that_follow(u.m, few), TN_OK);
    CHECK_INT(*size_of_symbol(u.m, few, "Q"), 4);
    CHECK_INT(*size_of_symbol(u.m, few, "N"), 168);
    /* A value that the caller chose must agree. */
    dim_values *chosen = dim_values_new(&u.m->types, &memory);
    *size_of_symbol(u.m, chosen, "N") = 100;
    CHECK_INT(sizes_from_inputs(u.m, given, chosen), TN_ERR_REJECTED);
    diag_flush(&u.cx->diag);
    CHECK_TEXT(u.kind, "DimensionBinding");
    arena_release(&memory);
    module *m = bound(&u, given);
    expect_type(m, y, "f32[2, 3, 1, 7, 4, 5]");
    expect_type(m, z, "f32[168, 5]");
    module_free(m);
    use_free(&u);
}

/* Regions are bound before their uses; a symbol that nothing determines is named. */
static void test_regions(void)
{
    const uint8_t yes = 1;
    use u;
    use_init(&u);
    const dim a = symbol(&u, "A"), b = symbol(&u, "B");
    function *f = module_add_function(u.m, "r", 1);
    f->is_region = true;
    builder main_builder = u.b;
    u.b = builder_on(f, NO_SPAN);
    const value_id t = input(&u, "0", &a, 1);
    CHECK_INT(function_add_output(f, build_binary(&u.b, OP_ADD, t, t)), TN_OK);
    u.b = main_builder;
    const value_id p = build_constant(&u.b, TN_I1, RANK0, &yes), x = input(&u, "x", &b, 1);
    const value_id in[] = {p, x};
    attr entries[] = {attr_of_int(KEY_TRUE_REGION, 1), attr_of_int(KEY_FALSE_REGION, 1)};
    const value_id v = build_node(&u.b, OP_COND, in, 2, entries, 2);
    CHECK_INT(function_add_output(u.b.f, v), TN_OK);
    const given_shape four[] = {SHAPE(4)};
    CHECK(!bound(&u, four));
    CHECK_TEXT(u.kind, "UnboundSymbol");
    CHECK(strstr(u.message, "'A'"));
    arena memory;
    arena_init(&memory, &memory_system);
    dim_values *values = dim_values_new(&u.m->types, &memory);
    module *m = NULL;
    *size_of_symbol(u.m, values, "A") = *size_of_symbol(u.m, values, "B") = 4;
    CHECK_INT(module_bind(u.m, values, &m), TN_OK);
    expect_type(m, v, "f32[4]");
    module_free(m);
    *size_of_symbol(u.m, values, "A") = 5;
    CHECK_INT(module_bind(u.m, values, &m), TN_ERR_REJECTED);
    diag_flush(&u.cx->diag);
    CHECK_TEXT(u.kind, "DimensionBinding");
    CHECK(!m);
    arena_release(&memory);
    use_free(&u);
}

int main(void)
{
    test_solving();
    test_input_faults();
    test_elementwise();
    test_attributes();
    test_follows();
    test_regions();
    return check_result();
}
