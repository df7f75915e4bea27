/* Lack of memory at every request, one after the other: the op reports it and nothing leaks. */
#include "ops_ptir_case.h"
#include "pass/sizes/bind.h"

/* An allocator that fails its request number `left` counted down to 0. */
typedef struct failing {
    int64_t left;
    int64_t blocks;
} failing;

static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = user;
    (void)old_size;
    if (new_size == 0) {
        f->blocks -= block != NULL;
        free(block);
        return NULL;
    }
    if (f->left-- <= 0)
        return NULL;
    void *fresh = realloc(block, new_size);
    f->blocks += fresh && !block;
    return fresh;
}

typedef tn_status scenario(module *m, builder *b);

static const float numbers[24] = {3, 1, 2, 5, 4, 0, 7, 6, 9, 8, 2, 1, 3, 3, 3, 1, 2};

static tn_status run_last(builder *b, value_id v)
{
    module *m = b->f->module;
    eval_run r = {.cx = m->cx, .bytes_limit = UINT64_MAX};
    tensor out[4] = {{0}};
    size_t bytes;
    if (b->status != TN_OK)
        return b->status;
    const uint32_t n = node_of(b->f, v)->n_results;
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(function_add_output(b->f, v + i));
    TN_TRY(evaluate(&r, b->f, NULL, out));
    for (uint32_t i = 0; i < b->f->outputs.n; i++)
        if (type_bytes(out[i].type, &bytes))
            memory_free(&m->cx->allocator, out[i].data, bytes);
    return r.bytes_alive == 0 ? TN_OK : TN_ERR_INTERNAL;
}

static tn_status try_top_k(module *m, builder *b)
{
    (void)m;
    const value_id x = build_constant(b, TN_F32, DIMS(2, 3, 4), numbers);
    attr entries[] = {attr_of_int(KEY_K, 2), attr_of_int(KEY_AXIS, 1), attr_of_int(KEY_LARGEST, 1),
                      attr_of_int(KEY_INDEX_DTYPE, TN_SI32)};
    return run_last(b, build_node(b, OP_TOP_K, &x, 1, entries, 4));
}

static tn_status try_dot_general(module *m, builder *b)
{
    (void)m;
    const value_id x = build_constant(b, TN_F32, DIMS(2, 3, 4), numbers);
    const value_id y = build_cast(b, x, TN_BF16), in[] = {y, y};
    const int64_t zero = 0, one = 1;
    attr entries[] = {attr_of_ints(KEY_BATCH_LHS, &zero, 1), attr_of_ints(KEY_BATCH_RHS, &zero, 1),
                      attr_of_ints(KEY_CONTRACT_LHS, &one, 1),
                      attr_of_ints(KEY_CONTRACT_RHS, &one, 1)};
    return run_last(b, build_node(b, OP_DOT_GENERAL, in, 2, entries, 4));
}

static tn_status try_view(module *m, builder *b)
{
    const value_id x = build_constant(b, TN_F32, DIMS(24), numbers);
    const int64_t n = 9;
    const char *map = module_string(m, "i0 // 2 + 3", 11);
    attr entries[] = {attr_of_ints(KEY_SHAPE, &n, 1), {.key = KEY_INDEX_MAP, .v.s = map}};
    return map ? run_last(b, build_node(b, OP_VIEW, &x, 1, entries, 2)) : TN_ERR_NOMEM;
}

static tn_status try_layer_norm(module *m, builder *b)
{
    (void)m;
    const value_id x = build_constant(b, TN_F32, DIMS(6, 4), numbers);
    const value_id g = build_constant(b, TN_F32, DIMS(4), numbers), in[] = {x, g, g};
    attr entries[] = {{.key = KEY_EPSILON, .v.f = 1e-5}, attr_of_int(KEY_AXIS, -1)};
    return run_last(b, build_node(b, OP_LAYER_NORM, in, 3, entries, 2));
}

static tn_status try_random(module *m, builder *b)
{
    (void)m;
    const int64_t n = 10;
    attr entries[] = {attr_of_ints(KEY_SHAPE, &n, 1), attr_of_int(KEY_DTYPE, TN_F16)};
    return run_last(b, build_node(b, OP_RNG_NORMAL, NULL, 0, entries, 2));
}

static tn_status try_scatter(module *m, builder *b)
{
    (void)m;
    const int64_t at[] = {1, 0, 1};
    const value_id x = build_cast(b, build_constant(b, TN_F32, DIMS(3), numbers), TN_F16);
    const value_id i = build_constant(b, TN_SI64, DIMS(3), at), in[] = {x, i, x}, rows[] = {x, i};
    attr entries[] = {attr_of_int(KEY_AXIS, 0), attr_of_int(KEY_COMBINE, COMBINE_ADD)};
    attr segments[] = {attr_of_int(KEY_SEGMENTS, 3), attr_of_int(KEY_COMBINE, COMBINE_MAX)};
    TN_TRY(run_last(b, build_node(b, OP_SEGMENT_REDUCE, rows, 2, segments, 2)));
    return run_last(b, build_node(b, OP_SCATTER_REDUCE, in, 3, entries, 2));
}

static value_id parameter(builder *b, const char *name, const type *t)
{
    module *m = b->f->module;
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(m, name, strlen(name))},
                      {.key = KEY_TYPE, .v.type = t}};
    if (!t || !entries[0].v.s)
        b->status = TN_ERR_NOMEM;
    return build_node(b, OP_INPUT, NULL, 0, entries, 2);
}

static tn_status try_scan(module *m, builder *b)
{
    function *f = module_add_function(m, "body", 4);
    if (!f)
        return TN_ERR_NOMEM;
    f->is_region = true;
    builder body = builder_on(f, NO_SPAN);
    const type *t = type_of(&m->types, TN_F32, DIMS(4));
    const value_id c = parameter(&body, "0", t), x = parameter(&body, "1", t);
    const value_id sum = build_binary(&body, OP_ADD, c, x);
    if (body.status != TN_OK)
        return body.status;
    TN_TRY(function_add_output(f, sum));
    TN_TRY(function_add_output(f, sum));
    const value_id in[] = {build_constant(b, TN_F32, DIMS(4), numbers),
                           build_constant(b, TN_F32, DIMS(5, 4), numbers)};
    attr entries[] = {attr_of_int(KEY_BODY_REGION, 1), attr_of_int(KEY_CARRY_COUNT, 1),
                      attr_of_int(KEY_OUTPUT_COUNT, 1)};
    return run_last(b, build_node(b, OP_SCAN, in, 2, entries, 3));
}

static tn_status try_bind(module *m, builder *b)
{
    const char *name = module_string(m, "A", 1), *map = module_string(m, "i0 % A", 6);
    const int64_t n = 3;
    if (!name || !map)
        return TN_ERR_NOMEM;
    const dim a = dim_symbol(&m->types, name);
    if (a == DIM_NO_MEMORY)
        return TN_ERR_NOMEM;
    const value_id x = parameter(b, "x", type_of(&m->types, TN_F32, &a, 1));
    attr entries[] = {attr_of_ints(KEY_SHAPE, &n, 1), {.key = KEY_INDEX_MAP, .v.s = map}};
    const value_id v = build_node(b, OP_VIEW, &x, 1, entries, 2);
    if (b->status != TN_OK)
        return b->status;
    TN_TRY(function_add_output(b->f, v));
    arena memory;
    arena_init(&memory, m->allocator);
    dim_values *values = dim_values_new(&m->types, &memory);
    const given_shape given[] = {{1, &n}};
    module *copy = NULL;
    tn_status s = values ? sizes_from_inputs(m, given, values) : TN_ERR_NOMEM;
    if (s == TN_OK)
        s = module_bind(m, values, &copy);
    module_free(copy);
    arena_release(&memory);
    return s;
}

static tn_status attempt(scenario *one, failing *f)
{
    const tn_allocator a = {failing_resize, f};
    context *cx = context_new(&a, NULL);
    module *m = cx ? module_new(cx) : NULL;
    function *main_function = m ? module_add_function(m, "main", 4) : NULL;
    tn_status s = TN_ERR_NOMEM;
    if (main_function) {
        builder b = builder_on(main_function, NO_SPAN);
        s = one(m, &b);
    }
    module_free(m);
    context_free(cx);
    return s;
}

static void exhaust(scenario *one)
{
    tn_status s = TN_ERR_NOMEM;
    for (int64_t n = 0; s != TN_OK && n < 10000; n++) {
        failing f = {n, 0};
        s = attempt(one, &f);
        if (!CHECK(s == TN_OK || s == TN_ERR_NOMEM) || !CHECK_INT(f.blocks, 0))
            return;
    }
    CHECK_INT(s, TN_OK);
}

int main(void)
{
    static scenario *const all[] = {try_top_k,  try_dot_general, try_view, try_layer_norm,
                                    try_random, try_scatter,     try_scan, try_bind};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        exhaust(all[i]);
    return check_result();
}
