/* The evaluator around the kernels: who owns memory, limits, lack of memory, dead nodes. */
#include "ops_case.h"

/* An allocator that fails the n-th request and counts what is alive. */
typedef struct meter {
    int64_t alive;
    uint64_t requests, fail_at; /* 0: never */
} meter;

static void *meter_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    meter *m = user;
    if (new_size > 0 && ++m->requests == m->fail_at)
        return NULL;
    m->alive += (int64_t)new_size - (int64_t)old_size;
    if (new_size > 0)
        return realloc(block, new_size);
    free(block);
    return NULL;
}

static void ignore(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)d;
}

/* y = sum(relu(x @ w) reshaped), and outputs: y, x, y again, the constant w. */
static tn_status build(module *m, value_id *dead)
{
    static const float w[6] = {1, -2, 3, -4, 5, -6};
    builder b = builder_on(module_add_function(m, "main", 4), NO_SPAN);
    if (!b.f)
        return TN_ERR_NOMEM;
    attr entries[] = {{.key = KEY_NAME}, {.key = KEY_TYPE}};
    entries[0].v.s = module_string(m, "x", 1);
    entries[1].v.type = type_of(&m->types, TN_F32, DIMS(4, 2));
    if (!entries[0].v.s || !entries[1].v.type)
        return module_no_memory(m);
    const value_id x = build_node(&b, OP_INPUT, NULL, 0, entries, 2);
    const value_id c = build_constant(&b, TN_F32, DIMS(2, 3), w);
    const value_id r = build_unary(&b, OP_RELU, build_binary(&b, OP_MATMUL, x, c));
    const value_id flat = build_reshape(&b, r, DIMS(12));
    const value_id y = build_reduce(&b, OP_SUM, flat, (const int64_t[]){0}, 1, false);
    attr bad = attr_of_ints(KEY_INDICES, (const int64_t[]){99}, 1);
    *dead = build_node(&b, OP_INDEX, &flat, 1, &bad, 1); /* out of bounds, but nobody asks */
    if (b.status != TN_OK)
        return b.status;
    TN_TRY(function_add_output(b.f, y));
    TN_TRY(function_add_output(b.f, x));
    TN_TRY(function_add_output(b.f, y));
    return function_add_output(b.f, c);
}

static float xs[8] = {1, 0, 0, 1, 2, 2, -1, 0};

static void free_outputs(context *cx, tensor *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        size_t bytes = 0;
        if (out[i].data && type_bytes(out[i].type, &bytes))
            memory_free(&cx->allocator, out[i].data, bytes);
    }
}

static void test_run(void)
{
    context *cx = context_new(NULL, &(tn_diagnostic_sink){ignore, NULL});
    module *m = module_new(cx);
    value_id dead;
    tensor out[4] = {{0}};
    float mine = 0;
    if (!CHECK_INT(build(m, &dead), TN_OK))
        return;
    const function *f = module_entry(m);
    const tensor in = {value_type(f, f->inputs.at[0]), xs};
    eval_run run = {.cx = cx, .bytes_limit = UINT64_MAX};
    CHECK_INT(evaluate(&run, f, &in, out), TN_OK);
    /* rows: [1,-2,3], [-4,5,-6], [-6,6,-6], [-1,2,-3] */
    CHECK(*(float *)out[0].data == 1 + 3 + 5 + 6 + 2);
    CHECK(out[0].data != out[2].data && *(float *)out[2].data == 17);
    CHECK(out[1].data != xs && memcmp(out[1].data, xs, sizeof xs) == 0);
    CHECK_INT(out[3].type->count, 6);
    CHECK_INT(run.bytes_alive, 0);
    CHECK(run.bytes_peak >= 48 && run.bytes_peak <= 200);
    free_outputs(cx, out, 4);

    /* Memory of the caller is filled; the limit is kept. */
    memset(out, 0, sizeof out);
    out[0].data = &mine;
    run = (eval_run){.cx = cx, .bytes_limit = UINT64_MAX};
    CHECK_INT(evaluate(&run, f, &in, out), TN_OK);
    CHECK(out[0].data == &mine && mine == 17);
    out[0].data = NULL;
    free_outputs(cx, out, 4);
    memset(out, 0, sizeof out);
    run = (eval_run){.cx = cx, .bytes_limit = 47};
    CHECK_INT(evaluate(&run, f, &in, out), TN_ERR_NOMEM);
    CHECK_INT(run.bytes_alive, 0);
    CHECK(!out[0].data && !out[3].data);

    /* One node alone, without a report even when it fails. */
    arena memory;
    tensor result;
    const tensor flat = {value_type(f, node_of(f, dead)->in[0]), xs};
    arena_init(&memory, &cx->allocator);
    const uint32_t errors = cx->diag.n_errors;
    CHECK(!evaluate_node_quietly(f, node_of(f, dead), &flat, 1, &result, &memory));
    CHECK_INT(cx->diag.n_errors, errors);
    arena_release(&memory);
    module_free(m);
    context_free(cx);
}

/* With every single request failing in turn: a clean error or a result, and nothing leaks. */
static void test_lack_of_memory(void)
{
    uint64_t failed = 0;
    for (uint64_t at = 1;; at++) {
        meter count = {.fail_at = at};
        const tn_allocator a = {meter_resize, &count};
        tn_status status = TN_ERR_NOMEM;
        context *cx = context_new(&a, &(tn_diagnostic_sink){ignore, NULL});
        module *m = cx ? module_new(cx) : NULL;
        value_id dead;
        if (m)
            status = build(m, &dead);
        if (m && status == TN_OK) {
            const function *f = module_entry(m);
            const tensor in = {value_type(f, f->inputs.at[0]), xs};
            tensor out[4] = {{0}};
            eval_run run = {.cx = cx, .bytes_limit = UINT64_MAX};
            status = evaluate(&run, f, &in, out);
            CHECK_INT(run.bytes_alive, 0);
            free_outputs(cx, out, 4);
        }
        if (m)
            module_free(m);
        context_free(cx);
        CHECK_INT(count.alive, 0);
        CHECK(status == TN_OK || status == TN_ERR_NOMEM);
        failed += status != TN_OK;
        if (count.requests < at)
            break;
    }
    CHECK(failed > 5);
}

int main(void)
{
    test_run();
    test_lack_of_memory();
    return check_result();
}
