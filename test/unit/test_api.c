/* The public interface: what it promises about results, errors and threads. */
#include <pthread.h>

#include "api_fixture.h"

static tn_module *read_ok(tn_context *cx, const char *text)
{
    tn_module *m = NULL;
    CHECK_INT(tn_module_read(cx, NULL, text, strlen(text), &m), TN_OK);
    return m;
}

static tn_buffer buffer_of(void *data, size_t bytes, tn_dtype dtype, uint32_t rank,
                           const int64_t *dims)
{
    tn_buffer b = {.data = data, .bytes = bytes, .type = {.dtype = dtype, .rank = rank}};
    for (uint32_t i = 0; i < rank; i++)
        b.type.dims[i] = dims[i];
    return b;
}

/* ---- tests --------------------------------------------------------------------------------------
 */

static void test_context(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    meter m = {0};
    tn_allocator counting = {metered, &m};
    tn_context *cx = tn_context_new(&counting, &sink);
    CHECK(cx != NULL);
    CHECK_INT(tn_context_set_limit(cx, "nodes", 2), TN_OK);
    CHECK_INT(tn_context_set_limit(cx, "nodes", (uint64_t)1 << 32), TN_ERR_USAGE);
    CHECK_INT(tn_context_set_limit(cx, "no such", 1), TN_ERR_USAGE);
    CHECK_INT(r.n, 2);
    CHECK_INT(tn_context_set_limit(cx, "nesting", 256), TN_OK);
    CHECK_INT(tn_context_set_limit(cx, "nesting", 257), TN_ERR_USAGE);
    CHECK_INT(tn_context_set_limit(cx, "errors", 0), TN_OK);
    const tn_cache_options other = {.size = 3};
    tn_cache_state state = {.size = 2}; /* less than its first layout */
    CHECK_INT(tn_cache_get_state(cx, NULL, &state), TN_ERR_USAGE);
    CHECK_INT(tn_cache_clear(cx, NULL, &state), TN_ERR_USAGE);
    CHECK_INT(tn_cache_get_state(cx, &other, NULL), TN_ERR_USAGE);
    CHECK_INT(r.n, 6); /* each is told before the call returns */
    tn_module *module = NULL;
    CHECK_INT(tn_module_read(cx, NULL, add_text, strlen(add_text), &module), TN_ERR_REJECTED);
    CHECK_TEXT(r.kind, "LimitExceeded");
    CHECK(module == NULL);
    tn_context_free(cx);
    tn_context_free(NULL);
    tn_module_free(NULL);
    tn_program_free(NULL);
    CHECK_INT(m.alive, 0);
    CHECK_INT(m.wrong, 0);

    CHECK(strcmp(tn_version(), "") != 0);
    CHECK_TEXT(tn_dtype_name(TN_BF16), "bf16");
    CHECK_INT(tn_dtype_size(TN_BF16), 2);
    CHECK(tn_dtype_name((tn_dtype)99) == NULL);
}

/* Says yes after so many questions. */
static bool after_some(void *user)
{
    unsigned *left = user;
    return *left == 0 || --*left == 0;
}

/* What modules take in a context is counted, and asked for as long as the work may go on. */
static void test_context_bounds(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    meter m = {0};
    tn_allocator counting = {metered, &m};
    tn_context *cx = tn_context_new(&counting, &sink);
    tn_module *module = NULL, *gradient = NULL;

    CHECK_INT(tn_context_set_limit(cx, "memory_bytes", 100), TN_OK);
    CHECK_INT(tn_module_read(cx, NULL, add_text, strlen(add_text), &module), TN_ERR_REJECTED);
    CHECK_TEXT(r.kind, "LimitExceeded");
    CHECK_INT(tn_context_set_limit(cx, "memory_bytes", 1 << 20), TN_OK);
    /* all of it can be had again each time that a module is freed */
    for (unsigned i = 0; i < 1000; i++) {
        if (!CHECK_INT(tn_module_read(cx, NULL, add_text, strlen(add_text), &module), TN_OK))
            break;
        tn_module_free(module);
    }

    tn_context_set_timeout(cx, 1);
    CHECK_INT(tn_module_read(cx, NULL, add_text, strlen(add_text), &module), TN_ERR_RUN);
    CHECK_TEXT(r.kind, "Timeout");
    tn_context_set_timeout(cx, UINT64_MAX);
    CHECK_INT(tn_module_read(cx, NULL, add_text, strlen(add_text), &module), TN_OK);
    tn_context_set_timeout(cx, 0);

    const tn_gradient_options o = {.seed = 1};
    tn_status s = TN_ERR_RUN;
    for (unsigned n = 1; s == TN_ERR_RUN && n < 1000; n++) {
        unsigned left = n;
        tn_context_set_cancel(cx, after_some, &left);
        s = tn_module_gradient(module, &o, &gradient);
        CHECK(s == TN_OK ? left != 0 : strcmp(r.kind, "Cancelled") == 0);
    }
    CHECK_INT(s, TN_OK);
    tn_context_set_cancel(cx, NULL, NULL);
    tn_module_free(gradient);
    tn_module_free(module);
    tn_context_free(cx);
    CHECK_INT(m.alive, 0);
    CHECK_INT(m.wrong, 0);
}

static void test_module(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    char text[sizeof add_text];
    tn_module *m = NULL;
    tn_port port;
    page p = {0};
    tn_writer writer = {put, &p};

    memcpy(text, add_text, sizeof text);
    CHECK_INT(tn_module_read(cx, NULL, text, strlen(text), &m), TN_OK);
    memset(text, '!', sizeof text); /* the text is the caller's again */
    CHECK_INT(tn_module_verify(m), TN_OK);
    CHECK_INT(tn_module_input_count(m), 2);
    CHECK_INT(tn_module_output_count(m), 2);
    CHECK_INT(tn_module_input(m, 1, &port), TN_OK);
    CHECK_TEXT(port.name, "y");
    CHECK_INT(port.type.rank, 1);
    CHECK_INT(port.type.dims[0], 3);
    CHECK_INT(port.type.dtype, TN_F32);
    CHECK_INT(tn_module_output(m, 0, &port), TN_OK);
    CHECK_TEXT(port.name, "%2");
    CHECK_INT(tn_module_output(m, 1, &port), TN_OK);
    CHECK_TEXT(port.name, "x");
    CHECK_INT(tn_module_output(m, 2, &port), TN_ERR_USAGE);

    CHECK_INT(tn_module_write(m, NULL, NULL, &writer), TN_OK);
    CHECK_TEXT(p.text, add_text);
    CHECK_INT(tn_module_write(m, "no such", NULL, &writer), TN_ERR_USAGE);
    CHECK_INT(tn_module_write(m, NULL, "no such", &writer), TN_ERR_USAGE);
    CHECK_INT(tn_module_write(m, NULL, "", &writer), TN_ERR_USAGE);
    p.refuses = true;
    CHECK_INT(tn_module_write(m, "mind", "canonical", &writer), TN_ERR_IO);
    CHECK_TEXT(r.kind, "FileError");
    tn_module_free(m);

    r.n = 0;
    tn_read_options o = {.dialect = "no such"};
    CHECK_INT(tn_module_read(cx, &o, add_text, strlen(add_text), &m), TN_ERR_USAGE);
    CHECK(m == NULL);
    CHECK_INT(tn_module_read(cx, NULL, "what is this?", 13, &m), TN_ERR_USAGE);
    CHECK_INT(r.n, 2);
    tn_context_free(cx);
}

static void test_rejection(void)
{
    static const char bad[] = "%0 = Input () {name=\"x\"} : tensor<f32>[2, 3]\n"
                              "%1 = Reshape (%0) {new_shape=[4, 2]} : tensor<f32>[4, 2]\n"
                              "outputs: %1\n";
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = NULL;
    tn_read_options o = {.file = "bad.ir"};
    CHECK_INT(tn_module_read(cx, &o, bad, strlen(bad), &m), TN_ERR_REJECTED);
    CHECK(m == NULL);
    CHECK_INT(r.n, 1);
    CHECK_TEXT(r.kind, "ElementCountMismatch");
    CHECK_TEXT(r.code, "E3007");
    CHECK_INT(r.line, 2);
    CHECK_INT(r.column, 6);
    CHECK_TEXT(r.node, "%1");
    tn_context_free(cx);
}

typedef struct pass_log {
    unsigned n;
    char names[256];
} pass_log;

static void log_pass(void *user, const tn_module *m, const char *pass, uint32_t n_changed)
{
    pass_log *log = user;
    page p = {0};
    tn_writer writer = {put, &p};
    (void)n_changed;
    log->n++;
    (void)snprintf(log->names + strlen(log->names), sizeof log->names - strlen(log->names), "%s ",
                   pass);
    CHECK_INT(tn_module_write(m, NULL, NULL, &writer), TN_OK);
}

static void test_passes(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = read_ok(cx, network_text);
    pass_log log = {0};
    tn_pass_observer observer = {log_pass, &log};
    CHECK_INT(tn_module_run_passes(m, "no such", &observer), TN_ERR_USAGE);
    CHECK_INT(tn_module_run_passes(m, "dce,,cse", &observer), TN_ERR_USAGE);
    CHECK_INT(tn_module_run_passes(m, "", &observer), TN_ERR_USAGE);
    CHECK_INT(log.n, 0);
    CHECK_INT(tn_module_run_passes(m, "cse,dce", &observer), TN_OK);
    CHECK_TEXT(log.names, "cse dce ");
    CHECK_INT(tn_module_optimize(m, TN_LEVEL_0, &observer), TN_OK);
    CHECK_INT(log.n, 2);
    CHECK_INT(tn_module_optimize(m, (tn_level)(TN_LEVEL_2 + 1), &observer), TN_ERR_USAGE);
    CHECK_INT(tn_module_optimize_relaxed(m, (tn_level)-1, &observer), TN_ERR_USAGE);
    CHECK_INT(log.n, 2);
    CHECK_INT(tn_module_optimize(m, TN_LEVEL_1, NULL), TN_OK);
    CHECK_INT(tn_module_verify(m), TN_OK);
    tn_module_free(m);
    tn_context_free(cx);
}

static void test_run(void)
{
    static const int64_t matrix[] = {2, 3}, row[] = {3};
    float x[6] = {1, 2, 3, 4, 5, 6}, y[3] = {10, 20, 30}, z[6] = {0};
    record r = {0}, other = {0};
    tn_diagnostic_sink sink = {remember, &r}, own_sink = {remember, &other};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = read_ok(cx, add_text);
    tn_program *p = NULL;
    tn_port port;

    CHECK_INT(tn_program_compile(m, &(tn_compile_options){.device = "gpu"}, &p),
              TN_ERR_UNAVAILABLE);
    CHECK(p == NULL);
    CHECK_TEXT(r.code, "E6002");
    CHECK_TEXT(r.message, "Backend unavailable: no backend available for target gpu");
    CHECK_TEXT(r.note, "available: cpu");
    CHECK_INT(tn_program_compile(m, &(tn_compile_options){.engine = "other"}, &p),
              TN_ERR_UNAVAILABLE);
    tn_binding binding = {"N", 3};
    CHECK_INT(
        tn_program_compile(m, &(tn_compile_options){.bindings = &binding, .n_bindings = 1}, &p),
        TN_ERR_USAGE);
    CHECK_INT(tn_program_compile(m, NULL, &p), TN_OK);
    tn_module_free(m);
    tn_context_free(cx); /* the program stands alone */

    CHECK_INT(tn_program_input_count(p), 2);
    CHECK_INT(tn_program_output_count(p), 2);
    CHECK_INT(tn_program_output(p, 1, &port), TN_OK);
    CHECK_TEXT(port.name, "x");
    CHECK_INT(tn_program_output(p, 2, &port), TN_ERR_USAGE);
    CHECK_INT(tn_program_input(p, 2, &port), TN_ERR_USAGE);

    tn_buffer in[2] = {buffer_of(x, sizeof x, TN_F32, 2, matrix),
                       buffer_of(y, sizeof y, TN_F32, 1, row)};
    tn_buffer out[2] = {buffer_of(z, sizeof z, TN_F32, 2, matrix), {0}};
    tn_run_options o = {.sink = &own_sink};
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_OK);
    CHECK(z[0] == 11 && z[4] == 25 && z[5] == 36);
    if (CHECK(out[1].data != NULL))
        CHECK(memcmp(out[1].data, x, sizeof x) == 0 && out[1].data != x);
    CHECK_INT(out[1].bytes, sizeof x);
    CHECK_INT(out[1].type.dims[1], 3);
    tn_buffer_release(p, &out[1]);
    CHECK(out[1].data == NULL);

    /* an output over an input */
    out[0].data = x;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_OK);
    CHECK(x[0] == 11 && ((float *)out[1].data)[0] == 1);
    tn_buffer_release(p, &out[1]);

    r.n = 0;
    CHECK_INT(tn_program_run(p, in, 1, out, 2, &o), TN_ERR_INPUT);
    CHECK_TEXT(other.kind, "MissingInput");
    CHECK_INT(tn_program_run(p, in, 2, out, 1, &o), TN_ERR_INPUT);
    in[1].type.dims[0] = 2;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, &o), TN_ERR_INPUT);
    CHECK_TEXT(other.kind, "InputMismatch");
    in[1].type.dims[0] = 3;
    in[1].bytes--;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, &o), TN_ERR_INPUT);
    in[1].bytes++;
    in[1].data = (char *)y + 1;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, &o), TN_ERR_INPUT);
    in[1].data = y;
    in[1].type.rank = 77;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, &o), TN_ERR_INPUT);
    in[1].type.rank = 1;
    in[1].type.dtype = (tn_dtype)1000;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, &o), TN_ERR_INPUT);
    in[1].type.dtype = TN_F32;
    out[1] = out[0];
    out[1].data = x + 1;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, &o), TN_ERR_INPUT);
    CHECK_INT(other.n, 8);
    CHECK_INT(r.n, 0);
    tn_program_free(p);
}

static void test_dump(void)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module *m = read_ok(cx, add_text);
    tn_program *p = NULL;
    page out = {.n = 0};
    const tn_writer writer = {put, &out};
    CHECK_INT(tn_program_compile(m, NULL, &p), TN_OK);
    CHECK_INT(tn_program_dump(p, "kernels", -1, &writer), TN_OK);
    CHECK_INT(tn_program_dump(p, "kernels", 0, &writer), TN_OK);
    const size_t n = out.n;
    CHECK_INT(tn_program_dump(p, "kernels", -2, &writer), TN_ERR_USAGE);
    CHECK_INT(tn_program_dump(p, "kernels", INT64_MIN, &writer), TN_ERR_USAGE);
    CHECK_INT(tn_program_dump(p, "kernels", 1, &writer), TN_ERR_USAGE);
    CHECK_INT(tn_program_dump(p, "kernel", 0, &writer), TN_ERR_USAGE);
    CHECK(n > 0 && out.n == n);
    tn_program_free(p);
    tn_module_free(m);
    tn_context_free(cx);
}

static void test_run_error(void)
{
    static const int64_t table_dims[] = {4, 2}, index_dims[] = {3}, out_dims[] = {3, 2};
    float table[8] = {0}, z[6] = {7, 7, 7, 7, 7, 7};
    int64_t index[3] = {0, 4, 1};
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = read_ok(cx, index_text);
    tn_program *p = NULL;
    CHECK_INT(tn_program_compile(m, NULL, &p), TN_OK);
    tn_module_free(m);
    tn_buffer in[2] = {buffer_of(table, sizeof table, TN_F32, 2, table_dims),
                       buffer_of(index, sizeof index, TN_SI64, 1, index_dims)};
    tn_buffer out = buffer_of(z, sizeof z, TN_F32, 2, out_dims);
    CHECK_INT(tn_program_run(p, in, 2, &out, 1, NULL), TN_ERR_RUN);
    CHECK_TEXT(r.code, "E6001");
    CHECK_INT(r.line, 3); /* the program still knows its text */
    CHECK(z[0] == 7 && z[5] == 7);

    /* random positions are positions that exist */
    for (uint64_t seed = 0; seed < 20; seed++) {
        CHECK_INT(tn_program_random_input(p, 1, seed, &in[1]), TN_OK);
        CHECK_INT(tn_program_run(p, in, 2, &out, 1, NULL), TN_OK);
    }
    CHECK_INT(tn_program_random_input(p, 2, 1, &in[1]), TN_ERR_USAGE);
    CHECK_INT(tn_program_random_input(p, 0, 1, &in[1]), TN_ERR_USAGE);

    /* the numbers themselves are part of the contract */
    CHECK_INT(tn_program_random_input(p, 0, 1, &in[0]), TN_OK);
    for (int i = 0; i < 8; i++)
        CHECK(table[i] >= -1 && table[i] < 1);
    float again[8];
    memcpy(again, table, sizeof again);
    CHECK_INT(tn_program_random_input(p, 0, 1, &in[0]), TN_OK);
    CHECK(memcmp(again, table, sizeof again) == 0);
    CHECK_INT(tn_program_random_input(p, 0, 2, &in[0]), TN_OK);
    CHECK(memcmp(again, table, sizeof again) != 0);
    tn_program_free(p);
    tn_context_free(cx);
}

/* ---- one program, several threads ---- */

typedef struct worker {
    const tn_program *p;
    const tn_buffer *in;
    float want[21];
    unsigned n_wrong, n_reports;
} worker;

static void count_report(void *user, const tn_diagnostic *d)
{
    worker *w = user;
    (void)d;
    w->n_reports++;
}

static void *work(void *user)
{
    worker *w = user;
    tn_diagnostic_sink sink = {count_report, w};
    tn_run_options o = {.sink = &sink};
    for (int i = 0; i < 50; i++) {
        tn_buffer out[2] = {{0}, {0}};
        if (tn_program_run(w->p, w->in, 2, out, 2, &o) != TN_OK ||
            memcmp(out[0].data, w->want, 15 * sizeof(float)) != 0 ||
            memcmp(out[1].data, w->want + 15, 6 * sizeof(float)) != 0)
            w->n_wrong++;
        tn_buffer_release(w->p, &out[0]);
        tn_buffer_release(w->p, &out[1]);
        if (tn_program_run(w->p, w->in, 1, out, 2, &o) != TN_ERR_INPUT)
            w->n_wrong++;
    }
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 4 };
    static const int64_t x_dims[] = {3, 4}, w_dims[] = {4, 5};
    float x[12], w[20];
    pthread_t threads[THREADS];
    worker workers[THREADS];
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module *m = read_ok(cx, network_text);
    tn_program *p = NULL, *plain = NULL;
    CHECK_INT(tn_program_compile(m, NULL, &p), TN_OK);
    CHECK_INT(tn_program_compile(m, &(tn_compile_options){.level = TN_LEVEL_0}, &plain), TN_OK);
    tn_module_free(m);
    tn_buffer in[2] = {buffer_of(x, sizeof x, TN_F32, 2, x_dims),
                       buffer_of(w, sizeof w, TN_F32, 2, w_dims)};
    CHECK_INT(tn_program_random_input(p, 0, 5, &in[0]), TN_OK);
    CHECK_INT(tn_program_random_input(p, 1, 5, &in[1]), TN_OK);
    tn_buffer out[2] = {{0}, {0}};
    if (!CHECK_INT(tn_program_run(plain, in, 2, out, 2, NULL), TN_OK))
        return;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.p = p, .in = in};
        memcpy(workers[i].want, out[0].data, 15 * sizeof(float));
        memcpy(workers[i].want + 15, out[1].data, 6 * sizeof(float));
        CHECK_INT(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
        CHECK_INT(workers[i].n_wrong, 0);
        CHECK_INT(workers[i].n_reports, 50);
    }
    tn_buffer_release(plain, &out[0]);
    tn_buffer_release(plain, &out[1]);
    tn_program_free(p);
    tn_program_free(plain);
    tn_context_free(cx);
}

/* ---- the shape engine ---- */

static void test_infer(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_type in[2] = {{TN_F32, 3, {2, 1, 4}}, {TN_F32, 2, {3, 1}}}, out[1];
    size_t n = 0;
    CHECK_INT(tn_infer(cx, "add", in, 2, NULL, 0, out, 1, &n), TN_OK);
    CHECK_INT(n, 1);
    CHECK_INT(out[0].rank, 3);
    CHECK(out[0].dims[0] == 2 && out[0].dims[1] == 3 && out[0].dims[2] == 4);

    in[1].dims[1] = 3;
    CHECK_INT(tn_infer(cx, "add", in, 2, NULL, 0, out, 1, &n), TN_ERR_REJECTED);
    CHECK_TEXT(r.kind, "BroadcastMismatch");
    in[1].dtype = TN_F64;
    CHECK_INT(tn_infer(cx, "add", in, 2, NULL, 0, out, 1, &n), TN_ERR_REJECTED);
    CHECK_TEXT(r.kind, "DTypeMismatch");
    CHECK_INT(tn_infer(cx, "add", in, 1, NULL, 0, out, 1, &n), TN_ERR_REJECTED);
    CHECK_TEXT(r.kind, "ArityMismatch");
    /* how many operands an op takes, as its row says */
    static const struct {
        const char *op;
        size_t n_in;
        const char *says;
    } counts[] = {
        {"add", 1, "'add' takes 2 operands, not 1"},
        {"neg", 2, "'neg' takes 1 operand, not 2"},
        {"quantize", 4, "'quantize' takes 1 to 3 operands, not 4"},
        {"concat", 0, "'concat' takes at least 1 operand, not 0"},
    };
    const tn_type four[4] = {in[0], in[0], in[0], in[0]};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        CHECK_INT(tn_infer(cx, counts[i].op, four, counts[i].n_in, NULL, 0, out, 1, &n),
                  TN_ERR_REJECTED);
        CHECK(strstr(r.message, counts[i].says) != NULL);
    }
    CHECK_INT(tn_infer(cx, "addd", in, 2, NULL, 0, out, 1, &n), TN_ERR_USAGE);

    static const int64_t axes[] = {-1, 0};
    tn_attribute a[2] = {{.name = "axes", .ints = axes, .n = 2}, {.name = "keepdims", .i = 1}};
    CHECK_INT(tn_infer(cx, "sum", in, 1, a, 2, out, 1, &n), TN_OK);
    CHECK(out[0].rank == 3 && out[0].dims[0] == 1 && out[0].dims[1] == 1 && out[0].dims[2] == 1);
    CHECK_INT(tn_infer(cx, "sum", in, 1, a, 1, out, 1, &n), TN_OK);
    CHECK(out[0].rank == 1 && out[0].dims[0] == 1);
    CHECK_INT(tn_infer(cx, "transpose", in, 1, NULL, 0, out, 1, &n), TN_ERR_REJECTED);
    CHECK_TEXT(r.kind, "MissingAttribute");
    CHECK_INT(tn_infer(cx, "neg", in, 1, a, 1, out, 1, &n), TN_ERR_REJECTED);
    CHECK_TEXT(r.kind, "InvalidAttribute");
    a[1] = a[0];
    CHECK_INT(tn_infer(cx, "sum", in, 1, a, 2, out, 1, &n), TN_ERR_USAGE);
    a[0].name = "no such";
    CHECK_INT(tn_infer(cx, "sum", in, 1, a, 1, out, 1, &n), TN_ERR_REJECTED);

    tn_attribute word = {.name = "direction", .text = "lt"};
    CHECK_INT(tn_infer(cx, "compare", (tn_type[2]){in[0], in[0]}, 2, &word, 1, out, 1, &n), TN_OK);
    CHECK_INT(out[0].dtype, TN_I1);
    word.text = "sideways";
    CHECK_INT(tn_infer(cx, "compare", (tn_type[2]){in[0], in[0]}, 2, &word, 1, out, 1, &n),
              TN_ERR_REJECTED);
    tn_attribute dtype = {.name = "dtype", .i = TN_SI8};
    CHECK_INT(tn_infer(cx, "cast", in, 1, &dtype, 1, out, 1, &n), TN_OK);
    CHECK_INT(out[0].dtype, TN_SI8);
    dtype.i = 1000;
    CHECK_INT(tn_infer(cx, "cast", in, 1, &dtype, 1, out, 1, &n), TN_ERR_USAGE);

    in[0].dims[0] = TN_DIM_UNKNOWN;
    CHECK_INT(tn_infer(cx, "neg", in, 1, NULL, 0, out, 1, &n), TN_OK);
    CHECK_INT(out[0].dims[0], TN_DIM_UNKNOWN);
    CHECK_INT(out[0].dims[2], 4);
    CHECK_INT(tn_infer(cx, "neg", in, 1, NULL, 0, out, 0, &n), TN_ERR_USAGE);
    CHECK_INT(n, 1);
    in[0].dims[0] = -7;
    CHECK_INT(tn_infer(cx, "neg", in, 1, NULL, 0, out, 1, &n), TN_ERR_USAGE);
    in[0].dims[0] = 1;
    in[0].rank = TN_MAX_RANK + 1;
    CHECK_INT(tn_infer(cx, "neg", in, 1, NULL, 0, out, 1, &n), TN_ERR_USAGE);
    tn_context_free(cx);
}

static void test_tables(void)
{
    tn_op_info op;
    tn_op_attribute_info a;
    tn_pass_info pass;
    tn_dialect_info dialect;
    bool has_add = false;
    CHECK(tn_op_count() > 50);
    for (size_t i = 0; i < tn_op_count(); i++) {
        CHECK(tn_op_at(i, &op));
        CHECK(op.name[0] && op.help[0] && op.type_rule[0] && op.kernel[0] && op.derivative[0] &&
              op.lowering[0]);
        CHECK(op.min_operands <= op.max_operands);
        for (size_t k = 0; k < op.n_attributes; k++)
            CHECK(tn_op_attribute(i, k, &a) && a.name[0] && a.kind_name[0] &&
                  (a.kind == TN_ATTRIBUTE_WORD) == (a.words != NULL));
        CHECK(!tn_op_attribute(i, op.n_attributes, &a));
        if (strcmp(op.name, "add") != 0)
            continue;
        has_add = true;
        CHECK_TEXT(tn_op_trait(i, 0), "elementwise");
        CHECK_TEXT(tn_op_trait(i, 1), "commutes");
        CHECK(tn_op_trait(i, 2) == NULL);
        CHECK(tn_op_spelling(i, "mind") != NULL);
        CHECK(tn_op_spelling(i, "no such") == NULL && tn_op_spelling(i, NULL) == NULL);
        CHECK(!tn_op_field(i, NULL, 0, &(tn_op_field_info){0}));
    }
    CHECK(has_add);
    CHECK(!tn_op_at(tn_op_count(), &op));
    CHECK(tn_op_trait(tn_op_count(), 0) == NULL);
    for (size_t i = 0; i < tn_pass_count(); i++)
        CHECK(tn_pass_at(i, &pass) && pass.name[0] && pass.contract[0]);
    CHECK(!tn_pass_at(tn_pass_count(), &pass));
    CHECK(tn_dialect_at(0, &dialect) && tn_dialect_count() >= 1);
    CHECK(!tn_dialect_at(tn_dialect_count(), &dialect));
}

/* ---- diagnostics as text ---- */

static void check_written(tn_context *cx, const tn_diagnostic *d, tn_diagnostic_style style,
                          const char *want)
{
    page p = {0};
    tn_writer writer = {put, &p};
    CHECK_INT(tn_diagnostic_write(cx, d, style, &writer), TN_OK);
    CHECK_TEXT(p.text, want);
}

static void test_diagnostics(void)
{
    tn_context *cx = tn_context_new(NULL, NULL);
    static const char line[] = "\t%\xc3\xa4 = Foo (%1)\x1b[2J";
    tn_note notes[2] = {{"it is \"here\"", {"a.ir", 1, 6, 2}}, {"no place", {"", 0, 0, 0}}};
    tn_diagnostic d = {
        .severity = TN_ERROR,
        .kind = "UnknownOp",
        .code = "E4013",
        .message = "no op\n",
        .place = {"a.ir", 2, 7, 3},
        .source_line = line,
        .source_line_length = sizeof line - 1,
        .node = "%\xc3\xa4",
        .notes = notes,
        .n_notes = 2,
        .fix = {"write Bar", 9, 3, "Bar"},
    };
    check_written(cx, &d, TN_DIAGNOSTIC_TEXT,
                  "a.ir:2:7: error: no op? [E4013]\n"
                  "    \t%\xc3\xa4 = Foo (%1)?[2J\n"
                  "    \t     ^~~\n"
                  "a.ir:1:6: note: it is \"here\"\n"
                  "a.ir:2:7: note: no place\n"
                  "fix: write Bar\n");
    check_written(cx, &d, TN_DIAGNOSTIC_JSON,
                  "{\"severity\":\"error\",\"kind\":\"UnknownOp\",\"code\":\"E4013\",\"message\":"
                  "\"no op\\n\",\"file\":\"a.ir\",\"line\":2,\"column\":7,\"length\":3,\"node\":"
                  "\"%\xc3\xa4\",\"notes\":[{\"message\":\"it is \\\"here\\\"\",\"file\":\"a.ir\","
                  "\"line\":1,\"column\":6},{\"message\":\"no place\",\"file\":\"\",\"line\":0,"
                  "\"column\":0}],\"fix\":{\"title\":\"write Bar\",\"offset\":9,\"length\":3,"
                  "\"replacement\":\"Bar\"}}\n");

    tn_diagnostic bare = {.severity = TN_WARNING,
                          .kind = "Advice",
                          .code = "Advice",
                          .message = "m",
                          .place = {"", 0, 0, 0},
                          .node = ""};
    check_written(cx, &bare, TN_DIAGNOSTIC_TEXT, "tenon: warning: m [Advice]\n");
    check_written(
        cx, &bare, TN_DIAGNOSTIC_JSON,
        "{\"severity\":\"warning\",\"kind\":\"Advice\",\"code\":\"Advice\",\"message\":"
        "\"m\",\"file\":\"\",\"line\":0,\"column\":0,\"length\":0,\"node\":\"\",\"notes\":"
        "[],\"fix\":null}\n");

    /* a line of which only the surroundings of the place are shown */
    char longest[2000];
    memset(longest, 'a', sizeof longest);
    longest[1000] = 'X';
    tn_diagnostic wide = bare;
    wide.place = (tn_place){"w", 1, 1001, 5000};
    wide.source_line = longest;
    wide.source_line_length = sizeof longest;
    page p = {0};
    tn_writer writer = {put, &p};
    CHECK_INT(tn_diagnostic_write(cx, &wide, TN_DIAGNOSTIC_TEXT, &writer), TN_OK);
    CHECK(p.n < 500);
    const char *shown = strstr(p.text, "\n    ...aaa");
    if (CHECK(shown != NULL)) {
        const char *mark = strchr(shown + 1, '\n') + 1;
        CHECK_INT(strchr(shown, 'X') - (shown + 1), strchr(mark, '^') - mark);
    }
    /* the same of a part of the line */
    page whole = p;
    p.n = 0;
    wide.source_line = longest + 500;
    wide.source_line_length -= 500;
    wide.source_line_column = 501;
    CHECK_INT(tn_diagnostic_write(cx, &wide, TN_DIAGNOSTIC_TEXT, &writer), TN_OK);
    CHECK(p.n == whole.n && memcmp(p.text, whole.text, p.n) == 0);
    wide.source_line = longest;
    wide.source_line_length = sizeof longest;
    wide.source_line_column = 1;
    /* one at the very end of a line, and one past it */
    wide.place.column = sizeof longest + 1;
    p.n = 0;
    CHECK_INT(tn_diagnostic_write(cx, &wide, TN_DIAGNOSTIC_TEXT, &writer), TN_OK);
    p.refuses = true;
    CHECK_INT(tn_diagnostic_write(cx, &wide, TN_DIAGNOSTIC_TEXT, &writer), TN_ERR_IO);
    tn_context_free(cx);
}

int main(void)
{
    test_context();
    test_context_bounds();
    test_module();
    test_rejection();
    test_passes();
    test_run();
    test_dump();
    test_run_error();
    test_threads();
    test_infer();
    test_tables();
    test_diagnostics();
    return check_result();
}
