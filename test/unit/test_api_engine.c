/* The jit engine behind the public interface: the results, errors and promises of the evaluator.
 * Without LLVM here, so that what is tested is the tape; kernels have tests of their own. */
#include <pthread.h>

#include "api/api.h"
#include "api_fixture.h"

static tn_program *compile_with(tn_context *cx, const char *language, const char *text,
                                const tn_compile_options *o)
{
    tn_module *m = NULL;
    tn_program *p = NULL;
    const tn_read_options read = {.dialect = language};
    tn_status s = tn_module_read(cx, &read, text, strlen(text), &m);
    if (s == TN_OK)
        s = tn_program_compile(m, o, &p);
    CHECK_INT(s, TN_OK);
    tn_module_free(m);
    return p;
}

static tn_program *compile(tn_context *cx, const char *language, const char *text, const char *name)
{
    return compile_with(cx, language, text, &(tn_compile_options){.engine = name});
}

/* ---- results ---- */

enum { MOST_PORTS = 4, MOST_BYTES = 4096 };

typedef struct ports {
    char in_data[MOST_PORTS][MOST_BYTES], out_data[MOST_PORTS][MOST_BYTES];
    tn_buffer in[MOST_PORTS], out[MOST_PORTS];
    size_t n_in, n_out;
} ports;

static void fill_ports(const tn_program *p, ports *x)
{
    tn_port port;
    memset(x, 0, sizeof *x);
    x->n_in = tn_program_input_count(p);
    x->n_out = tn_program_output_count(p);
    for (size_t i = 0; i < x->n_in; i++) {
        (void)tn_program_input(p, i, &port);
        x->in[i] = (tn_buffer){x->in_data[i], MOST_BYTES, port.type};
        CHECK_INT(tn_program_random_input(p, i, 5, &x->in[i]), TN_OK);
    }
    for (size_t i = 0; i < x->n_out; i++) {
        (void)tn_program_output(p, i, &port);
        x->out[i] = (tn_buffer){x->out_data[i], MOST_BYTES, port.type};
    }
}

static const char scan_text[] =
    "func @main(%c: tensor<f32, 2>, %x: tensor<f32, 5x2>) -> "
    "(tensor<f32, 2>, tensor<f32, 5x2>, tensor<f32, 2>) {\n"
    "  %r = scan(%c, %x) body_region[1] carry_count[1] scan_output_count[1] -> "
    "(tensor<f32, 2>, tensor<f32, 5x2>)\n"
    "  %d = reshape(%c) new_shape[2] -> tensor<f32, 2>\n"
    "  return %r[0], %r[1], %d\n"
    "}\n"
    "region @1(%c: tensor<f32, 2>, %x: tensor<f32, 2>) -> (tensor<f32, 2>, tensor<f32, 2>) {\n"
    "  %s = add(%c, %x) -> tensor<f32, 2>\n"
    "  %p = mul(%s, %x) -> tensor<f32, 2>\n"
    "  return %s, %p\n"
    "}\n";

static void test_same_results(tn_context *cx)
{
    static const char *const texts[][2] = {
        {"mind", add_text}, {"mind", network_text}, {"mind", index_text}, {"ptir-text", scan_text}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tn_program *ref = compile(cx, texts[i][0], texts[i][1], "ref");
        tn_program *jit = compile(cx, texts[i][0], texts[i][1], "jit");
        ports a, b;
        if (!CHECK(ref && jit))
            return;
        fill_ports(ref, &a);
        fill_ports(jit, &b);
        CHECK_INT(tn_program_run(ref, a.in, a.n_in, a.out, a.n_out, NULL), TN_OK);
        CHECK_INT(tn_program_run(jit, b.in, b.n_in, b.out, b.n_out, NULL), TN_OK);
        CHECK(memcmp(a.out_data, b.out_data, sizeof a.out_data) == 0);
        for (size_t k = 0; k < b.n_out; k++) {
            tn_buffer fresh[MOST_PORTS] = {{0}};
            memcpy(fresh, b.out, sizeof fresh);
            fresh[k].data = NULL;
            CHECK_INT(tn_program_run(jit, b.in, b.n_in, fresh, b.n_out, NULL), TN_OK);
            CHECK(memcmp(fresh[k].data, a.out_data[k], fresh[k].bytes) == 0);
            CHECK_INT(fresh[k].type.rank, b.out[k].type.rank);
            tn_buffer_release(jit, &fresh[k]);
        }
        tn_program_free(ref);
        tn_program_free(jit);
    }
}

/* An output may lie over inputs. */
static void test_overlap(tn_context *cx)
{
    tn_program *p = compile(cx, "mind", add_text, "jit");
    float x[7] = {1, 2, 3, 4, 5, 6, 7}, y[3] = {10, 20, 30}, z[6];
    const tn_type matrix = {TN_F32, 2, {2, 3}}, row = {TN_F32, 1, {3}};
    tn_buffer in[] = {{x, 24, matrix}, {y, 12, row}};
    tn_buffer out[] = {{x + 1, 24, matrix}, {z, 24, matrix}}; /* the sum; x itself */
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_OK);
    CHECK(x[0] == 1 && x[1] == 11 && x[2] == 22 && x[6] == 36);
    CHECK(z[0] == 1 && z[5] == 6);
    tn_program_free(p);
}

/* ---- errors ---- */

static void test_failures(tn_context *cx, record *r)
{
    record first = {0};
    const char *const engines[] = {"ref", "jit"};
    for (int e = 0; e < 2; e++) {
        tn_program *p = compile(cx, "mind", index_text, engines[e]);
        ports x;
        fill_ports(p, &x);
        const int64_t indices[] = {0, 9, 1};
        memcpy(x.in_data[1], indices, sizeof indices);
        memset(x.out_data[0], 0x77, MOST_BYTES);
        *r = (record){0};
        CHECK_INT(tn_program_run(p, x.in, 2, x.out, 1, NULL), TN_ERR_RUN);
        CHECK_INT(r->n, 1);
        CHECK(x.out_data[0][0] == 0x77 && x.out_data[0][23] == 0x77);
        if (e == 0)
            first = *r;
        CHECK(memcmp(&first, r, sizeof first) == 0);
        tn_program_free(p);
    }
}

/* What callers may get wrong is said, and nothing is looked at through NULL. */
static void test_usage(tn_context *cx, record *r)
{
    tn_program *p = compile(cx, "mind", add_text, "ref"), *other = NULL;
    tn_module *m = NULL;
    const tn_read_options read = {.dialect = "mind"};
    ports x;
    fill_ports(p, &x);
    *r = (record){0};
    CHECK_INT(tn_program_run(p, NULL, x.n_in, x.out, x.n_out, NULL), TN_ERR_USAGE);
    CHECK_TEXT(r->message, "the inputs are NULL");
    CHECK_INT(tn_program_run(p, x.in, x.n_in, NULL, x.n_out, NULL), TN_ERR_USAGE);
    CHECK_TEXT(r->message, "the outputs are NULL");
    CHECK_INT(tn_module_read_file(cx, NULL, NULL, &m), TN_ERR_USAGE);
    CHECK_TEXT(r->message, "the path is NULL");
    CHECK_INT(tn_module_read(cx, &read, add_text, strlen(add_text), &m), TN_OK);
    CHECK_INT(tn_module_set_constant(m, 0, NULL), TN_ERR_USAGE);
    CHECK_TEXT(r->message, "the value of input 0 is NULL");
    const tn_compile_options wrong[] = {{.size = sizeof *wrong, .level = (tn_level)77},
                                        {.size = sizeof *wrong, .numerics = (tn_numerics)77},
                                        {.size = sizeof *wrong, .schedule = "foo=1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        *r = (record){0};
        CHECK_INT(tn_program_compile(m, &wrong[i], &other), TN_ERR_USAGE);
        CHECK(r->n == 1 && !other);
    }
    CHECK_INT(tn_program_emit(p, (tn_emit_form)55, NULL, &(tn_writer){0}), TN_ERR_USAGE);
    CHECK_TEXT(r->message, "55 is no form of code");
    tn_module_free(m);
    tn_program_free(p);
}

static void test_timeout(tn_context *cx, record *r)
{
    tn_program *p = compile(cx, "ptir-text", endless_text, "jit");
    float x = 1, y = 7;
    const tn_type number = {TN_F32, 0, {0}};
    tn_buffer in = {&x, 4, number}, out = {&y, 4, number};
    *r = (record){0};
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, &(tn_run_options){.timeout_ns = 1000000}),
              TN_ERR_RUN);
    CHECK_TEXT(r->kind, "Timeout");
    CHECK_INT(r->n, 1);
    x = -1;
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, &(tn_run_options){.timeout_ns = UINT64_MAX}),
              TN_OK);
    CHECK(y == -1);
    tn_program_free(p);
}

/* ---- a defect ---- */

static int32_t write_and_fail(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    (void)begin;
    (void)end;
    (void)scratch;
    memset(buffers[0], 0, 24);
    return 5;
}

/* A kernel that fails where the evaluator finds no fault says that the library is wrong, and has
 * written nothing that the caller sees. */
static void test_defect(tn_context *cx, record *r)
{
    tn_program *p = compile(cx, "mind", add_text, "jit");
    ports x;
    tn_buffer fresh[2] = {{0}, {0}};
    if (!CHECK(p))
        return;
    static exe_kernel *const code[] = {write_and_fail};
    tape_free(p->tape);
    executable *broken = exe_new(&p->allocator);
    const uint32_t block = exe_block_add(broken, 2, 2);
    (void)exe_input(broken, block, 0, 24);
    (void)exe_input(broken, block, 1, 12);
    const exe_buffer sum = exe_output(broken, block, 0, 24);
    exe_pass(broken, block, 1, 0);
    const exe_step step = {.kind = EXE_KERNEL,
                           .may_fail = true,
                           .buffers = &sum,
                           .n_written = 1,
                           .code = 0,
                           .extent = 1};
    exe_step_add(broken, block, &step);
    CHECK(exe_finish(broken) == TN_OK);
    p->tape = tape_load(broken, code, 1, NULL);
    fill_ports(p, &x);
    memset(x.out_data, 0x77, sizeof x.out_data);
    for (int is_fresh = 0; is_fresh < 2; is_fresh++) {
        *r = (record){0};
        CHECK_INT(tn_program_run(p, x.in, 2, is_fresh ? fresh : x.out, 2, NULL), TN_ERR_INTERNAL);
        CHECK_TEXT(r->kind, "InternalError");
    }
    CHECK(x.out_data[0][0] == 0x77 && x.out_data[1][23] == 0x77 && !fresh[0].data);
    tn_program_free(p);
}

/* ---- symbols ---- */

static void test_symbols(tn_context *cx)
{
    static const char text[] = "%0 = Input () {name=\"x\"} : tensor<f32>[N, 2]\n"
                               "%1 = Sum (%0) {axes=[0], keepdims=false} : tensor<f32>[2]\n"
                               "%2 = Neg (%0) : tensor<f32>[N, 2]\n"
                               "outputs: %1, %2\n";
    tn_program *p = compile(cx, "mind", text, "jit");
    for (int64_t n = 0; n < 70; n++) {
        float x[200], sum[2], y[200];
        for (int i = 0; i < 200; i++)
            x[i] = (float)i;
        const tn_type matrix = {TN_F32, 2, {n % 67, 2}}, row = {TN_F32, 1, {2}};
        tn_buffer in = {x, sizeof x, matrix};
        tn_buffer out[] = {{sum, sizeof sum, row}, {y, sizeof y, matrix}};
        CHECK_INT(tn_program_run(p, &in, 1, out, 2, NULL), TN_OK);
        const float rows = (float)(n % 67);
        CHECK(sum[0] == rows * (rows - 1) && (n % 67 < 2 || y[3] == -3));
    }
    tn_program_free(p);
}

/* ---- custom calls ---- */

static const char *twice(void *user, const tn_custom_use *use)
{
    const float *x = use->in[0].data;
    float *y = use->out[0].data;
    ++*(int *)user;
    if (x[0] != x[0])
        return "met a NaN";
    for (int64_t i = 0; i < use->in[0].type.dims[0]; i++)
        y[i] = 2 * x[i];
    return NULL;
}

static void test_custom(tn_context *cx, record *r)
{
    static const char text[] = "func @main(%x: tensor<f32, 3>) -> tensor<f32, 3> {\n"
                               "  %a = custom_call(%x) target[\"test.twice\"] -> "
                               "tensor<f32, 3>\n"
                               "  %b = add(%a, %x) -> tensor<f32, 3>\n"
                               "  return %b\n"
                               "}\n";
    int calls = 0;
    const tn_custom_kernel kernel = {0, "test.twice", NULL, twice, &calls};
    CHECK_INT(tn_context_register_custom(cx, &kernel), TN_OK);
    tn_program *p = compile(cx, "ptir-text", text, "jit");
    if (!p)
        return;
    float x[3] = {1, 2, 3}, y[3];
    const tn_type row = {TN_F32, 1, {3}};
    tn_buffer in = {x, sizeof x, row}, out = {y, sizeof y, row};
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_OK);
    CHECK(calls == 1 && y[2] == 9);
    x[0] /= (float)(calls - 1);
    x[0] -= x[0];
    *r = (record){0};
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_ERR_RUN);
    CHECK(strstr(r->message, "test.twice: met a NaN"));
    CHECK(y[2] == 9);
    tn_program_free(p);
}

/* ---- threads ---- */

typedef struct runner {
    const tn_program *p;
    float first;
    int wrong;
} runner;

static void *run_often(void *user)
{
    runner *r = user;
    const tn_type matrix = {TN_F32, 2, {2, 3}}, row = {TN_F32, 1, {3}};
    for (int k = 0; k < 300; k++) {
        float x[6], y[3] = {1, 2, 3}, z[6];
        for (int i = 0; i < 6; i++)
            x[i] = r->first + (float)(i * k);
        tn_buffer in[] = {{x, sizeof x, matrix}, {y, sizeof y, row}};
        tn_buffer out[] = {{k % 2 ? z : NULL, sizeof z, matrix}, {0}};
        r->wrong += tn_program_run(r->p, in, 2, out, 2, NULL) != TN_OK;
        const float *sum = out[0].data;
        for (int i = 0; sum && i < 6; i++)
            r->wrong += sum[i] != x[i] + y[i % 3];
        if (k % 2 == 0)
            tn_buffer_release(r->p, &out[0]);
        tn_buffer_release(r->p, &out[1]);
    }
    return NULL;
}

static void run_in_turn(void *user, void (*task)(void *, unsigned), void *arg, unsigned n)
{
    (void)user;
    for (unsigned i = 0; i < n; i++)
        task(arg, i);
}

static void test_threads(tn_context *cx)
{
    enum { RUNNERS = 4 };
    const tn_thread_pool pool = {NULL, 3, run_in_turn};
    const tn_compile_options options[] = {
        {.engine = "jit"}, {.engine = "jit", .threads = 3}, {.engine = "jit", .pool = &pool}};
    for (size_t o = 0; o < 3; o++) {
        tn_program *p = compile_with(cx, "mind", add_text, &options[o]);
        pthread_t threads[RUNNERS];
        runner runners[RUNNERS];
        for (int i = 0; i < RUNNERS; i++) {
            runners[i] = (runner){p, (float)i * 100, 0};
            CHECK_INT(pthread_create(&threads[i], NULL, run_often, &runners[i]), 0);
        }
        for (int i = 0; i < RUNNERS; i++) {
            CHECK_INT(pthread_join(threads[i], NULL), 0);
            CHECK_INT(runners[i].wrong, 0);
        }
        tn_program_free(p);
    }
}

/* ---- events ---- */

typedef struct counted {
    int compile, steps, runs;
    bool wrong;
} counted;

static void count_event(void *user, const tn_profile_event *e)
{
    counted *c = user;
    c->wrong = c->wrong || !e->name || !e->kind || e->end_ns < e->begin_ns || e->threads < 1;
    if (strcmp(e->kind, "compile") == 0)
        c->compile++;
    else if (strcmp(e->kind, "run") == 0)
        c->runs++;
    else
        c->steps++;
}

static void test_events(tn_context *cx)
{
    counted c = {0};
    const tn_profiler profiler = {count_event, &c};
    tn_program *p = compile_with(cx, "mind", network_text,
                                 &(tn_compile_options){.engine = "jit", .profiler = &profiler});
    ports x;
    fill_ports(p, &x);
    CHECK(c.compile >= 2 && c.steps == 0);
    CHECK_INT(
        tn_program_run(p, x.in, x.n_in, x.out, x.n_out, &(tn_run_options){.profiler = &profiler}),
        TN_OK);
    CHECK(c.steps >= 2 && c.runs == 1 && !c.wrong);
    tn_program_free(p);
}

/* ---- without memory ---- */

static void test_no_memory(const char *language, const char *text)
{
    for (unsigned n = 1; n < 100000; n++) {
        record r = {0};
        const tn_diagnostic_sink sink = {remember, &r};
        meter m = {.fail_at = n, .fail_once = n % 2};
        const tn_allocator counting = {metered, &m};
        tn_context *cx = tn_context_new(&counting, &sink);
        tn_module *from = NULL;
        tn_program *p = NULL;
        ports x;
        const tn_read_options read = {.dialect = language};
        const tn_compile_options o = {.engine = "jit", .threads = 2};
        tn_status s = cx ? tn_module_read(cx, &read, text, strlen(text), &from) : TN_ERR_NOMEM;
        if (s == TN_OK)
            s = tn_program_compile(from, &o, &p);
        const bool compiled = s == TN_OK;
        if (compiled) {
            fill_ports(p, &x);
            x.out[0].data = NULL;
            s = tn_program_run(p, x.in, x.n_in, x.out, x.n_out, NULL);
        }
        if (compiled && s == TN_OK)
            tn_buffer_release(p, &x.out[0]);
        tn_program_free(p);
        tn_module_free(from);
        tn_context_free(cx);
        if (!CHECK(m.alive == 0 && m.wrong == 0) ||
            !CHECK(s == TN_OK || (s == TN_ERR_NOMEM && m.failed)))
            printf("    request %u\n", n);
        if (!m.failed)
            return;
    }
}

/* One warning in a context, whatever it compiles; none where the evaluator is asked for. */
static void test_told_once(void)
{
    record r = {0};
    const tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_program_free(compile(cx, "mind", add_text, "ref"));
    CHECK_INT(r.n, 0);
    for (int i = 0; i < 3; i++)
        tn_program_free(compile(cx, "mind", i < 2 ? add_text : network_text, NULL));
    tn_program_free(compile(cx, "mind", add_text, "jit"));
    CHECK_INT(r.n, 1);
    CHECK_INT(r.severity, TN_WARNING);
    CHECK_TEXT(r.kind, "BackendUnavailable");
    tn_context_free(cx);
}

int main(void)
{
    record r = {0};
    const tn_diagnostic_sink sink = {remember, &r};
    (void)setenv("TENON_LLVM_PLUGIN", "/nowhere", 1);
    tn_context *cx = tn_context_new(NULL, &sink);
    test_told_once();
    test_same_results(cx);
    test_overlap(cx);
    test_failures(cx, &r);
    test_usage(cx, &r);
    test_timeout(cx, &r);
    test_defect(cx, &r);
    test_symbols(cx);
    test_custom(cx, &r);
    test_threads(cx);
    test_events(cx);
    test_no_memory("mind", network_text);
    test_no_memory("ptir-text", scan_text);
    if (check_failed)
        printf("last report: %s: %s\n", r.kind, r.message);
    tn_context_free(cx);
    return check_result();
}
