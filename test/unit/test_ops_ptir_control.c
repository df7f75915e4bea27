/* Regions: cond, while, scan, nesting, limits on memory; custom calls. */
#include "eval/custom.h"
#include "ops_ptir_case.h"

static value_id parameter(builder *b, tn_dtype d, const dim *dims, uint32_t rank)
{
    module *m = b->f->module;
    char name[16];
    (void)snprintf(name, sizeof name, "%u", (unsigned)b->f->inputs.n);
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(m, name, strlen(name))},
                      {.key = KEY_TYPE, .v.type = type_of(&m->types, d, dims, rank)}};
    return build_node(b, OP_INPUT, NULL, 0, entries, 2);
}

static builder region(use *u, int64_t *index)
{
    char name[16];
    *index = u->m->functions.n;
    (void)snprintf(name, sizeof name, "r%u", (unsigned)*index);
    function *f = module_add_function(u->m, name, strlen(name));
    f->is_region = true;
    return builder_on(f, NO_SPAN);
}

static void yield_value(builder *b, value_id v)
{
    CHECK_INT(b->status, TN_OK);
    CHECK_INT(function_add_output(b->f, v), TN_OK);
}

static value_id number(builder *b, int64_t i)
{
    return build_scalar(b, TN_SI64, scalar_of_int(i));
}

/* A region of si64[] parameters that gives `op` of the first two. */
static int64_t binary_region(use *u, op_id op)
{
    int64_t index;
    builder b = region(u, &index);
    const value_id x = parameter(&b, TN_SI64, RANK0), y = parameter(&b, TN_SI64, RANK0);
    yield_value(&b, build_binary(&b, op, x, y));
    return index;
}

static int64_t result(const use *u, uint32_t k)
{
    return *(int64_t *)u->out[k].data;
}

static void test_cond(void)
{
    const int64_t seven = 7, three = 3;
    for (uint8_t p = 0; p < 2; p++) {
        use u;
        use_init(&u);
        operand(&u, TN_I1, &p, RANK0);
        operand(&u, TN_SI64, &seven, RANK0);
        operand(&u, TN_SI64, &three, RANK0);
        with_int(&u, KEY_TRUE_REGION, binary_region(&u, OP_SUB));
        with_int(&u, KEY_FALSE_REGION, binary_region(&u, OP_MUL));
        if (CHECK(run(&u, OP_COND)))
            CHECK_INT(result(&u, 0), p ? 4 : 21);
        use_free(&u);
    }
}

static void test_cond_rules(void)
{
    const int64_t seven = 7;
    const uint8_t yes = 1;
    use u;
    use_init(&u);
    operand(&u, TN_I1, &yes, RANK0);
    operand(&u, TN_SI64, &seven, RANK0);
    with_int(&u, KEY_TRUE_REGION, binary_region(&u, OP_SUB)); /* wants two */
    with_int(&u, KEY_FALSE_REGION, binary_region(&u, OP_SUB));
    REJECTS(&u, OP_COND, "RegionSignature");
    operand(&u, TN_I1, &yes, RANK0);
    with_int(&u, KEY_TRUE_REGION, 0); /* no region */
    with_int(&u, KEY_FALSE_REGION, 99);
    REJECTS(&u, OP_COND, "RegionSignature");
    operand(&u, TN_SI64, &seven, RANK0);
    operand(&u, TN_SI64, &seven, RANK0);
    operand(&u, TN_SI64, &seven, RANK0);
    with_int(&u, KEY_TRUE_REGION, binary_region(&u, OP_SUB));
    with_int(&u, KEY_FALSE_REGION, binary_region(&u, OP_SUB));
    REJECTS(&u, OP_COND, "DTypeNotSupported");
    use_free(&u);
}

/* while (i < n) { i += 1; x *= i }, with i = 1 added by the condition's own carry: the loop returns
 * what the condition made. */
static void test_while(int64_t n, int64_t want)
{
    const int64_t zero = 0, one = 1;
    int64_t cond, body;
    use u;
    use_init(&u);
    builder c = region(&u, &cond);
    value_id i = parameter(&c, TN_SI64, RANK0), x = parameter(&c, TN_SI64, RANK0);
    const value_id limit = parameter(&c, TN_SI64, RANK0);
    yield_value(&c, build_compare(&c, DIR_LT, i, limit));
    yield_value(&c, build_binary(&c, OP_ADD, i, number(&c, 1)));
    yield_value(&c, x);
    yield_value(&c, limit);
    builder b = region(&u, &body);
    i = parameter(&b, TN_SI64, RANK0);
    x = parameter(&b, TN_SI64, RANK0);
    const value_id same = parameter(&b, TN_SI64, RANK0);
    yield_value(&b, i);
    yield_value(&b, build_binary(&b, OP_MUL, x, i));
    yield_value(&b, same);
    operand(&u, TN_SI64, &zero, RANK0);
    operand(&u, TN_SI64, &one, RANK0);
    operand(&u, TN_SI64, &n, RANK0);
    with_int(&u, KEY_COND_REGION, cond);
    with_int(&u, KEY_BODY_REGION, body);
    if (CHECK(run(&u, OP_WHILE)) && CHECK_INT(u.n_out, 3)) {
        CHECK_INT(result(&u, 0), n + 1); /* incremented by the last, failing test too */
        CHECK_INT(result(&u, 1), want);
        CHECK_INT(result(&u, 2), n);
    }
    use_free(&u);
}

/* A condition that is false at once, without any carry. */
static void test_while_without_carry(void)
{
    const uint8_t no = 0;
    int64_t cond, body;
    use u;
    use_init(&u);
    builder c = region(&u, &cond);
    yield_value(&c, build_constant(&c, TN_I1, RANK0, &no));
    builder b = region(&u, &body);
    CHECK_INT(b.status, TN_OK);
    with_int(&u, KEY_COND_REGION, cond);
    with_int(&u, KEY_BODY_REGION, body);
    CHECK(run(&u, OP_WHILE));
    CHECK_INT(u.n_out, 0);
    use_free(&u);
}

/* Running sums: carry (sum), scanned x[T, 2] and k[T], stacked sum * k. */
static void test_scan(int64_t length)
{
    const dim two = 2;
    float x[10], first[2] = {100, 200};
    int32_t k[5];
    int64_t body;
    use u;
    for (int i = 0; i < 10; i++)
        x[i] = (float)(i * i);
    for (int i = 0; i < 5; i++)
        k[i] = i - 2;
    use_init(&u);
    builder b = region(&u, &body);
    const value_id sum = parameter(&b, TN_F32, &two, 1), now = parameter(&b, TN_F32, &two, 1);
    const value_id factor = parameter(&b, TN_SI32, RANK0);
    const value_id next = build_binary(&b, OP_ADD, sum, now);
    yield_value(&b, next);
    yield_value(&b, build_binary(&b, OP_MUL, next, build_cast(&b, factor, TN_F32)));
    yield_value(&b, factor); /* a parameter as a result */
    operand(&u, TN_F32, first, DIMS(2));
    operand(&u, TN_F32, x, DIMS(length, 2));
    operand(&u, TN_SI32, k, DIMS(length));
    with_int(&u, KEY_BODY_REGION, body);
    with_int(&u, KEY_CARRY_COUNT, 1);
    with_int(&u, KEY_OUTPUT_COUNT, 2);
    if (CHECK(run(&u, OP_SCAN)) && CHECK_INT(u.n_out, 3) &&
        CHECK(shape_is(&u.out[1], TN_F32, DIMS(length, 2))) &&
        CHECK(shape_is(&u.out[2], TN_SI32, DIMS(length)))) {
        float want[2] = {first[0], first[1]};
        for (int64_t t = 0; t < length; t++) {
            for (int c = 0; c < 2; c++) {
                want[c] += x[t * 2 + c];
                CHECK(((float *)u.out[1].data)[t * 2 + c] == want[c] * (float)k[t]);
            }
            CHECK_INT(((int32_t *)u.out[2].data)[t], k[t]);
        }
        CHECK(same_numbers(&u.out[0], want));
    }
    use_free(&u);
}

static void test_scan_rules(void)
{
    const int64_t x[2] = {1, 2};
    use u;
    use_init(&u);
    operand(&u, TN_SI64, x, RANK0);
    operand(&u, TN_SI64, x, RANK0); /* nothing to scan along */
    with_int(&u, KEY_BODY_REGION, binary_region(&u, OP_ADD));
    with_int(&u, KEY_CARRY_COUNT, 1);
    with_int(&u, KEY_OUTPUT_COUNT, 0);
    REJECTS(&u, OP_SCAN, "RankMismatch");
    operand(&u, TN_SI64, x, RANK0);
    operand(&u, TN_SI64, x, DIMS(2));
    with_int(&u, KEY_BODY_REGION, binary_region(&u, OP_ADD));
    with_int(&u, KEY_CARRY_COUNT, 2); /* no scanned operand */
    with_int(&u, KEY_OUTPUT_COUNT, 0);
    REJECTS(&u, OP_SCAN, "InvalidAttribute");
    operand(&u, TN_SI64, x, DIMS(2));
    operand(&u, TN_SI64, x, DIMS(1));
    with_int(&u, KEY_BODY_REGION, binary_region(&u, OP_ADD));
    with_int(&u, KEY_CARRY_COUNT, 0);
    with_int(&u, KEY_OUTPUT_COUNT, 1);
    REJECTS(&u, OP_SCAN, "RegionSignature");
    operand(&u, TN_SI64, x, DIMS(2));
    operand(&u, TN_SI64, x, DIMS(2));
    with_int(&u, KEY_BODY_REGION, binary_region(&u, OP_ADD));
    with_int(&u, KEY_CARRY_COUNT, 0);
    with_int(&u, KEY_OUTPUT_COUNT, 1);
    if (CHECK(run(&u, OP_SCAN)))
        CHECK(same_numbers(u.out, (const int64_t[]){2, 4}));
    use_free(&u);
}

/* Conditions inside conditions, DEPTH of them. */
static void test_nesting(int64_t depth, bool fits)
{
    const uint8_t yes = 1;
    const int64_t seven = 7;
    int64_t inner = 0, index;
    use u;
    use_init(&u);
    for (int64_t k = 0; k < depth; k++) {
        builder b = region(&u, &index);
        const value_id p = parameter(&b, TN_I1, RANK0), x = parameter(&b, TN_SI64, RANK0);
        const value_id in[] = {p, p, x};
        attr entries[] = {attr_of_int(KEY_TRUE_REGION, inner),
                          attr_of_int(KEY_FALSE_REGION, inner)};
        yield_value(&b, k == 0 ? build_binary(&b, OP_ADD, x, number(&b, 1))
                               : build_node(&b, OP_COND, in, 3, entries, 2));
        inner = index;
    }
    operand(&u, TN_I1, &yes, RANK0);
    operand(&u, TN_I1, &yes, RANK0);
    operand(&u, TN_SI64, &seven, RANK0);
    with_int(&u, KEY_TRUE_REGION, inner);
    with_int(&u, KEY_FALSE_REGION, inner);
    if (fits && CHECK(run(&u, OP_COND)))
        CHECK_INT(result(&u, 0), 8);
    if (!fits)
        REJECTS(&u, OP_COND, "LimitExceeded");
    use_free(&u);
}

/* Loops hold a bounded number of buffers: what is alive at most does not grow with the turns. */
static uint64_t peak_of_loop(int64_t turns, uint64_t limit, tn_status want)
{
    const dim n = 1000;
    int64_t cond, body, zero = 0;
    double x[1000] = {0};
    uint64_t peak = 0;
    use u;
    use_init(&u);
    builder c = region(&u, &cond);
    value_id i = parameter(&c, TN_SI64, RANK0), v = parameter(&c, TN_F64, &n, 1);
    yield_value(&c, build_compare(&c, DIR_LT, i, number(&c, turns)));
    yield_value(&c, i);
    yield_value(&c, v);
    builder b = region(&u, &body);
    i = parameter(&b, TN_SI64, RANK0);
    v = parameter(&b, TN_F64, &n, 1);
    yield_value(&b, build_binary(&b, OP_ADD, i, number(&b, 1)));
    yield_value(&b, build_binary(&b, OP_ADD, v, v));
    operand(&u, TN_SI64, &zero, RANK0);
    operand(&u, TN_F64, x, DIMS(n));
    attr entries[] = {attr_of_int(KEY_COND_REGION, cond), attr_of_int(KEY_BODY_REGION, body)};
    const value_id loop = build_node(&u.b, OP_WHILE, u.in, 2, entries, 2);
    if (CHECK_INT(u.b.status, TN_OK) && CHECK_INT(function_add_output(u.b.f, loop + 1), TN_OK)) {
        eval_run r = {.cx = u.cx, .bytes_limit = limit};
        CHECK_INT(evaluate(&r, u.b.f, NULL, u.out), want);
        CHECK_INT(r.bytes_alive, 0);
        u.n_out = want == TN_OK;
        peak = r.bytes_peak;
    }
    use_free(&u);
    return peak;
}

static const char *check_scale(void *user, const custom_use *call)
{
    (void)user;
    const dict_entry *by = custom_attribute(call, "by");
    if (!by || by->kind != ATTR_FLOAT || by->is_array)
        return "needs the number 'by'";
    return call->n_in == 1 && call->n_out == 1 && call->in[0].type == call->out[0].type
               ? NULL
               : "takes one tensor and gives one like it";
}

static const char *run_scale(void *user, const custom_use *call)
{
    const double by = *(const double *)custom_attribute(call, "by")->values;
    const float *x = call->in[0].data;
    float *y = call->out[0].data;
    for (int64_t i = 0; i < call->out[0].type->count; i++) {
        if (x[i] != x[i])
            return "met a NaN";
        y[i] = x[i] * (float)by;
    }
    ++*(int *)user;
    return NULL;
}

static void call_custom(use *u, const char *target, const char *key, float x)
{
    static const double three = 3;
    use_init(u);
    operand(u, TN_F32, (const float[]){x, 2}, DIMS(2));
    const type *const types[] = {type_of(&u->m->types, TN_F32, DIMS(2))};
    const dict_entry dict = {
        .key = module_string(u->m, key, strlen(key)), .kind = ATTR_FLOAT, .n = 1, .values = &three};
    attr *entries = u->attrs;
    with_text(u, KEY_TARGET, target);
    entries[u->n_attrs++] = (attr){.key = KEY_TYPES, .n = 1, .v.types = types};
    entries[u->n_attrs++] = (attr){.key = KEY_DICT, .n = 1, .v.dict = &dict};
    /* The lists above must live until the node is made: make it here. */
    const value_id v = build_node(&u->b, OP_CUSTOM_CALL, u->in, u->n_in, entries, u->n_attrs);
    CHECK_INT(u->b.status, TN_OK);
    CHECK_INT(function_add_output(u->b.f, v), TN_OK);
}

static tn_status run_custom(use *u, const custom_registry *r)
{
    eval_run run = {.cx = u->cx, .bytes_limit = UINT64_MAX, .custom = r};
    const tn_status s = evaluate(&run, u->b.f, NULL, u->out);
    diag_flush(&u->cx->diag);
    u->n_out = s == TN_OK;
    return s;
}

static void test_custom(void)
{
    int calls = 0;
    custom_registry r;
    const custom_kernel scale = {"test.scale.f32.v1", check_scale, run_scale, &calls};
    custom_registry_init(&r, &memory_system);
    CHECK(custom_register(&r, &scale) && custom_register(&r, &scale));
    CHECK_INT(r.kernels.n, 1);
    use u;
    call_custom(&u, "test.scale.f32.v1", "by", 5);
    if (CHECK_INT(run_custom(&u, &r), TN_OK))
        CHECK(same_numbers(u.out, (const float[]){15, 6}));
    CHECK_INT(calls, 1);
    use_free(&u);
    call_custom(&u, "test.other.f32.v1", "by", 5);
    CHECK_INT(run_custom(&u, &r), TN_ERR_UNAVAILABLE);
    CHECK_TEXT(u.message, "no kernel is registered for the custom call 'test.other.f32.v1'");
    CHECK_INT(run_custom(&u, NULL), TN_ERR_UNAVAILABLE);
    use_free(&u);
    call_custom(&u, "test.scale.f32.v1", "times", 5);
    CHECK_INT(run_custom(&u, &r), TN_ERR_REJECTED);
    CHECK_TEXT(u.kind, "InvalidAttribute");
    use_free(&u);
    call_custom(&u, "test.scale.f32.v1", "by", NAN);
    CHECK_INT(run_custom(&u, &r), TN_ERR_RUN);
    CHECK_TEXT(u.kind, "InvalidValue");
    use_free(&u);
    custom_registry_release(&r);
}

int main(void)
{
    test_cond();
    test_cond_rules();
    test_while(0, 1);
    test_while(1, 1);
    test_while(10, 3628800);
    test_while_without_carry();
    for (int64_t length = 0; length <= 5; length++)
        test_scan(length);
    test_scan_rules();
    test_nesting(20, true);
    test_nesting(128, true);
    test_nesting(129, false);
    CHECK_INT(peak_of_loop(1000, UINT64_MAX, TN_OK), peak_of_loop(3, UINT64_MAX, TN_OK));
    (void)peak_of_loop(3, 30000, TN_ERR_NOMEM);
    test_custom();
    return check_result();
}
