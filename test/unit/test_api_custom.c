/* Kernels for custom calls: registered in a context, found by the programs compiled there. */
#include <math.h>
#include <pthread.h>

#include "api_fixture.h"
#include "tenon/convert.h"

static const char text[] =
    "func @main(%x: tensor<f32, ?A>) -> tensor<f32, ?A> {\n"
    "  %y = custom_call(%x) target[\"test.scale.v1\"] attrs[by = 3.0, flags = [true, false], "
    "name = \"n\", shift = [1, -2]] -> tensor<f32, ?A>\n"
    "  return %y\n"
    "}\n";
static const char bad_text[] =
    "func @main(%x: tensor<f32, ?A>) -> tensor<f32, ?A> {\n"
    "  %y = custom_call(%x) target[\"test.scale.v1\"] attrs[by = 3] -> tensor<f32, ?A>\n"
    "  return %y\n"
    "}\n";

static const tn_custom_attribute *find(const tn_custom_use *use, const char *name)
{
    for (size_t i = 0; i < use->n_attributes; i++)
        if (strcmp(use->attributes[i].name, name) == 0)
            return &use->attributes[i];
    return NULL;
}

static const char *check(void *user, const tn_custom_use *use)
{
    (void)user;
    if (use->n_in != 1 || use->n_out != 1 || use->in[0].data || use->out[0].data ||
        use->in[0].type.dtype != TN_F32 || use->in[0].type.dims[0] != use->out[0].type.dims[0])
        return "takes one f32 tensor and gives one like it";
    const tn_custom_attribute *by = find(use, "by");
    return by && by->kind == TN_ATTRIBUTE_FLOAT && !by->is_array && by->n == 1
               ? NULL
               : "'by' must be a float";
}

static const char *run(void *user, const tn_custom_use *use)
{
    const double by = find(use, "by")->floats[0];
    const float *x = use->in[0].data;
    float *y = use->out[0].data;
    (void)user;
    for (int64_t i = 0; i < use->in[0].type.dims[0]; i++) {
        if (x[i] != x[i])
            return "met a NaN";
        y[i] = x[i] * (float)by;
    }
    return NULL;
}

/* Sees every kind of attribute, and counts. */
static const char *run_shifted(void *user, const tn_custom_use *use)
{
    const tn_custom_attribute *shift = find(use, "shift"), *flags = find(use, "flags");
    const tn_custom_attribute *name = find(use, "name");
    const float *x = use->in[0].data;
    float *y = use->out[0].data;
    if (!shift || shift->kind != TN_ATTRIBUTE_INT || !shift->is_array || shift->n != 2 || !flags ||
        flags->kind != TN_ATTRIBUTE_BOOL || !flags->bools[0] || flags->bools[1] || !name ||
        name->kind != TN_ATTRIBUTE_STRING || strcmp(name->strings[0], "n") != 0 ||
        strcmp(use->target, "test.scale.v1") != 0)
        return "sees other attributes than the program has";
    ++*(int *)user;
    for (int64_t i = 0; i < use->in[0].type.dims[0]; i++)
        y[i] = x[i] + (float)shift->ints[1];
    return NULL;
}

static tn_program *compile_as(tn_context *cx, const char *dialect, const char *from)
{
    tn_module *m = NULL;
    tn_program *p = NULL;
    tn_read_options o = {.dialect = dialect};
    tn_status s = tn_module_read(cx, &o, from, strlen(from), &m);
    if (s == TN_OK)
        s = tn_program_compile(m, NULL, &p);
    tn_module_free(m);
    return p;
}

static tn_program *compile(tn_context *cx, const char *from)
{
    return compile_as(cx, "ptir-text", from);
}

static tn_buffer row(float *data, int64_t n)
{
    return (tn_buffer){data, (size_t)n * sizeof *data, {TN_F32, 1, {n}}};
}

static void test_kernels(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    char target[] = "test.scale.v1";
    int calls = 0;
    float x[3] = {1, 2, 3}, y[3] = {0};
    tn_buffer in = row(x, 3), out = row(y, 3);

    /* a program compiled before does not know it */
    tn_program *without = compile(cx, text);
    tn_custom_kernel k = {0, target, check, run, NULL};
    CHECK_INT(tn_context_register_custom(cx, &k), TN_OK);
    target[0] = '!'; /* it is the caller's again */
    tn_program *p = compile(cx, text), *bad = compile(cx, bad_text);
    k = (tn_custom_kernel){0, "test.scale.v1", NULL, run_shifted, &calls};
    CHECK_INT(tn_context_register_custom(cx, &k), TN_OK); /* instead of the other */
    tn_program *shifted = compile(cx, text);
    CHECK_INT(tn_context_register_custom(cx, &(tn_custom_kernel){.target = "t"}), TN_ERR_USAGE);
    CHECK_INT(tn_context_register_custom(cx, &(tn_custom_kernel){.run = run}), TN_ERR_USAGE);
    tn_context_free(cx); /* programs keep their kernels */
    if (!CHECK(without && p && bad && shifted))
        return;

    CHECK_INT(tn_program_run(without, &in, 1, &out, 1, NULL), TN_ERR_UNAVAILABLE);
    CHECK_TEXT(r.kind, "NotImplemented");
    CHECK(strncmp(r.message, "test.scale.v1 is not implemented: ", 34) == 0);
    CHECK_INT(r.line, 2);
    CHECK_INT(tn_program_run(bad, &in, 1, &out, 1, NULL), TN_ERR_REJECTED);
    CHECK_TEXT(r.kind, "InvalidAttribute");
    CHECK_TEXT(r.code, "InvalidAttributeValue");
    CHECK(strstr(r.message, "'by' must be a float"));
    CHECK(y[0] == 0);

    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_OK);
    CHECK(y[0] == 3 && y[2] == 9);
    CHECK_INT(tn_program_run(shifted, &in, 1, &out, 1, NULL), TN_OK);
    CHECK(y[0] == -1 && y[2] == 1);
    CHECK_INT(calls, 1);
    x[1] = nanf("");
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_ERR_RUN);
    CHECK_TEXT(r.kind, "InvalidValue");
    CHECK(strstr(r.message, "met a NaN"));
    tn_program_free(without);
    tn_program_free(p);
    tn_program_free(bad);
    tn_program_free(shifted);
}

/* Registering, compiling and running, with each request failing once. */
/* Calls of StableHLO: a name that nobody knows waits for a kernel; one of LAPACK's that Tenon does
 * not know needs it when the text is read. */
static void test_stablehlo(void)
{
    static const char format[] =
        "func.func @main(%%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %%y = stablehlo.custom_call @%s(%%x) {backend_config = {by = 3.0 : f64, "
        "flags = array<i1: true, false>, name = \"n\", shift = array<i64: 1, -2>}, "
        "api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>\n"
        "  return %%y : tensor<3xf32>\n"
        "}\n";
    char own[512], lapack[512];
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    int calls = 0;
    float x[3] = {1, 2, 3}, y[3] = {0};
    tn_buffer in = row(x, 3), out = row(y, 3);
    (void)snprintf(own, sizeof own, format, "test.scale.v1");
    (void)snprintf(lapack, sizeof lapack, format, "lapack_sgeev_ffi");
    tn_program *without = compile_as(cx, "stablehlo", own);
    CHECK(without && tn_program_run(without, &in, 1, &out, 1, NULL) == TN_ERR_UNAVAILABLE);
    CHECK(!compile_as(cx, "stablehlo", lapack));
    CHECK_TEXT(r.kind, "UnknownTarget");
    tn_custom_kernel k = {0, "test.scale.v1", NULL, run_shifted, &calls};
    CHECK_INT(tn_context_register_custom(cx, &k), TN_OK);
    k = (tn_custom_kernel){0, "lapack_sgeev_ffi", check, run, NULL};
    CHECK_INT(tn_context_register_custom(cx, &k), TN_OK);
    tn_program *with = compile_as(cx, "stablehlo", own);
    CHECK(with && tn_program_run(with, &in, 1, &out, 1, NULL) == TN_OK);
    CHECK(calls == 1 && y[0] == -1 && y[2] == 1);
    tn_program_free(with);
    with = compile_as(cx, "stablehlo", lapack);
    CHECK(with && tn_program_run(with, &in, 1, &out, 1, NULL) == TN_OK && y[2] == 9);
    tn_program_free(with);
    tn_program_free(without);
    tn_context_free(cx);
}

static void test_no_memory(void)
{
    for (unsigned n = 1; n < 100000; n++) {
        record r = {0};
        tn_diagnostic_sink sink = {remember, &r};
        meter m = {.fail_at = n, .fail_once = true};
        tn_allocator counting = {metered, &m};
        tn_context *cx = tn_context_new(&counting, &sink);
        const tn_custom_kernel k = {0, "test.scale.v1", check, run, NULL};
        float x[3] = {1, 2, 3}, y[3] = {0};
        tn_buffer in = row(x, 3), out = row(y, 3);
        tn_status s = cx ? tn_context_register_custom(cx, &k) : TN_ERR_NOMEM;
        tn_program *p = s == TN_OK ? compile(cx, text) : NULL;
        if (p)
            s = tn_program_run(p, &in, 1, &out, 1, NULL);
        CHECK((p && s == TN_OK) || m.failed);
        CHECK(s == TN_OK || s == TN_ERR_NOMEM);
        CHECK(s != TN_OK || !p || y[1] == 6);
        tn_program_free(p);
        tn_context_free(cx);
        CHECK_INT(m.alive, 0);
        CHECK_INT(m.wrong, 0);
        if (!m.failed)
            break;
    }
}

static void *work(void *user)
{
    const tn_program *p = user;
    float x[40], y[40];
    uintptr_t wrong = 0;
    for (int i = 0; i < 40; i++)
        x[i] = (float)i;
    for (int64_t n = 1; n < 40; n++) {
        tn_buffer in = row(x, n), out = row(y, n);
        wrong += tn_program_run(p, &in, 1, &out, 1, NULL) != TN_OK || y[n - 1] != 3 * x[n - 1];
    }
    return (void *)wrong;
}

static void test_threads(void)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    tn_context *cx = tn_context_new(NULL, NULL);
    CHECK_INT(
        tn_context_register_custom(cx, &(tn_custom_kernel){0, "test.scale.v1", check, run, NULL}),
        TN_OK);
    tn_program *p = compile(cx, text);
    tn_context_free(cx);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, work, p), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        CHECK_INT(pthread_join(threads[i], &wrong), 0);
        CHECK(wrong == NULL);
    }
    tn_program_free(p);
}

/* Comparing programs runs their kernels, also where each run has sizes of its own. */
static void test_compare(void)
{
    int calls = 0;
    tn_module *m = NULL;
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_read_options o = {.dialect = "ptir-text"};
    tn_equiv_result r = {0};
    const tn_custom_kernel kernel = {0, "test.scale.v1", NULL, run_shifted, &calls};
    CHECK_INT(tn_context_register_custom(cx, &kernel), TN_OK);
    CHECK_INT(tn_module_read(cx, &o, text, strlen(text), &m), TN_OK);
    CHECK_INT(tn_modules_compare(m, m, &(tn_equiv_options){.runs = 3}, &r), TN_OK);
    CHECK(r.equal && calls == 6);
    tn_equiv_result_release(cx, &r);
    tn_module_free(m);
    tn_context_free(cx);
}

/* What cannot fit is refused before anything runs. */
static void test_limit(void)
{
    static const char wide[] =
        "func @main(%x: tensor<f32, 3>) -> tensor<f32, 100000x3> {\n"
        "  %y = custom_call(%x) target[\"test.scale.v1\"] attrs[by = 3.0, flags = [true, false], "
        "name = \"n\", shift = [1, -2]] -> tensor<f32, 3>\n"
        "  %z = broadcast_to(%y) shape[100000, 3] -> tensor<f32, 100000x3>\n"
        "  return %z\n"
        "}\n";
    static const char *const engines[] = {"ref", NULL};
    const tn_read_options o = {.dialect = "ptir-text"};
    record r = {0};
    const tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    float x[3] = {1, 2, 3};
    tn_buffer in = row(x, 3);
    int calls = 0;
    tn_module *m = NULL;
    const tn_custom_kernel k = {0, "test.scale.v1", NULL, run_shifted, &calls};
    CHECK_INT(tn_context_register_custom(cx, &k), TN_OK);
    CHECK_INT(tn_context_set_limit(cx, "run_bytes", 1000000), TN_OK);
    CHECK_INT(tn_module_read(cx, &o, wide, strlen(wide), &m), TN_OK);
    for (size_t e = 0; e < 2; e++) {
        const tn_compile_options c = {.engine = engines[e]};
        tn_program *p = NULL;
        tn_buffer out = {0};
        CHECK_INT(tn_program_compile(m, &c, &p), TN_OK);
        CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_ERR_NOMEM);
        CHECK(strcmp(r.kind, "AllocationFailure") == 0 && calls == 0);
        tn_program_free(p);
    }
    tn_module_free(m);
    tn_context_free(cx);
}

int main(void)
{
    test_limit();
    test_compare();
    test_kernels();
    test_stablehlo();
    test_no_memory();
    test_threads();
    return check_result();
}
