/* Programs with symbolic extents: each run tells the extents by its inputs. */
#include <pthread.h>

#include "api_fixture.h"
#include "target/target.h"

/* x[A, 2] and y[A, 2]; two results, one with an extent that follows. */
static const char text[] =
    "func @main(%x: tensor<f32, ?Ax2>, %y: tensor<f32, ?Ax2>) -> (tensor<f32, ?Ax2>, tensor<f32, "
    "?N>) {\n"
    "  %s = add(%x, %y) -> tensor<f32, ?Ax2>\n"
    "  %n = reshape(%s) new_shape[infer] -> tensor<f32, ?N>\n"
    "  return %s, %n\n"
    "}\n";

/* Nothing tells B. */
static const char loose_text[] = "func @main(%x: tensor<f32, ?A>) -> tensor<f32, ?Bx?A> {\n"
                                 "  %r = broadcast_to(%x) shape[?B, ?A] -> tensor<f32, ?Bx?A>\n"
                                 "  return %r\n"
                                 "}\n";

static tn_module *read_text(tn_context *cx, const char *from)
{
    tn_module *m = NULL;
    tn_read_options o = {.dialect = "ptir-text"};
    CHECK_INT(tn_module_read(cx, &o, from, strlen(from), &m), TN_OK);
    return m;
}

static tn_program *compile(tn_context *cx, const char *from, const tn_compile_options *o)
{
    tn_program *p = NULL;
    tn_module *m = read_text(cx, from);
    if (m)
        CHECK_INT(tn_program_compile(m, o, &p), TN_OK);
    tn_module_free(m);
    return p;
}

static tn_buffer matrix(float *data, int64_t rows)
{
    return (tn_buffer){
        data, (size_t)(rows > 0 ? rows : 0) * 2 * sizeof *data, {TN_F32, 2, {rows, 2}}};
}

/* One run with ROWS rows: right answers in fresh memory. Returns what went wrong. */
static int run_rows(const tn_program *p, int64_t rows, const tn_run_options *o)
{
    enum { MOST = 256 };
    float x[2 * MOST], y[2 * MOST];
    tn_buffer in[2] = {matrix(x, rows), matrix(y, rows)}, out[2] = {{0}, {0}};
    int wrong = 0;
    for (int64_t i = 0; i < 2 * rows; i++) {
        x[i] = (float)i;
        y[i] = (float)(rows + i);
    }
    if (tn_program_run(p, in, 2, out, 2, o) != TN_OK)
        return 1;
    if (out[0].type.rank != 2 || out[0].type.dims[0] != rows || out[1].type.rank != 1 ||
        out[1].type.dims[0] != 2 * rows || out[1].bytes != (size_t)rows * 2 * sizeof(float))
        wrong++;
    for (int64_t i = 0; i < 2 * rows; i++)
        wrong +=
            ((float *)out[0].data)[i] != x[i] + y[i] || ((float *)out[1].data)[i] != x[i] + y[i];
    tn_buffer_release(p, &out[0]);
    tn_buffer_release(p, &out[1]);
    return wrong;
}

static void test_interface(tn_context *cx)
{
    tn_port port;
    tn_program *p = compile(cx, text, NULL);
    CHECK_INT(tn_program_input(p, 1, &port), TN_OK);
    CHECK_INT(port.type.dims[0], TN_DIM_UNKNOWN);
    CHECK_INT(port.type.dims[1], 2);
    CHECK_INT(tn_program_output(p, 1, &port), TN_OK);
    CHECK_INT(port.type.dims[0], TN_DIM_UNKNOWN);
    for (int64_t rows = 0; rows < 5; rows++)
        CHECK_INT(run_rows(p, rows, NULL), 0);
    CHECK_INT(run_rows(p, 3, NULL), 0);

    /* caller's memory, and data to try out */
    float x[6], z[6], n[6];
    tn_buffer in[2] = {matrix(x, 3), matrix(x, 3)};
    tn_buffer out[2] = {matrix(z, 3), {n, sizeof n, {TN_F32, 1, {6}}}};
    CHECK_INT(tn_program_random_input(p, 0, 1, &in[0]), TN_OK);
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_OK);
    CHECK(z[5] == 2 * x[5] && n[4] == 2 * x[4]);
    out[1].type.dims[0] = 5;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_ERR_INPUT);
    tn_program_free(p);
}

static void test_bindings(tn_context *cx, record *r)
{
    tn_port port;
    const tn_binding three = {"A", 3}, six = {"N", 6}, unknown = {"Z", 1};
    tn_program *p = compile(cx, text, &(tn_compile_options){.bindings = &three, .n_bindings = 1});
    CHECK_INT(tn_program_input(p, 0, &port), TN_OK);
    CHECK_INT(port.type.dims[0], 3);
    CHECK_INT(tn_program_output(p, 1, &port), TN_OK);
    CHECK_INT(port.type.dims[0], 6);
    CHECK_INT(run_rows(p, 3, NULL), 0);
    CHECK(run_rows(p, 2, NULL) != 0);
    CHECK_TEXT(r->kind, "DimensionBinding");
    tn_program_free(p);

    /* one that the inputs do not name is kept, and must agree with them */
    p = compile(cx, text, &(tn_compile_options){.bindings = &six, .n_bindings = 1});
    CHECK_INT(run_rows(p, 3, NULL), 0);
    CHECK(run_rows(p, 4, NULL) != 0);
    CHECK_TEXT(r->code, "DynamicDimensionMismatch");
    tn_program_free(p);

    tn_module *m = read_text(cx, text);
    CHECK_INT(
        tn_program_compile(m, &(tn_compile_options){.bindings = &unknown, .n_bindings = 1}, &p),
        TN_ERR_USAGE);
    CHECK(p == NULL);
    tn_module_free(m);
}

static void test_faults(tn_context *cx, record *r)
{
    float x[8] = {0};
    tn_buffer in[2] = {matrix(x, 3), matrix(x, 4)}, out[2] = {{0}, {0}};
    tn_program *p = compile(cx, text, NULL);
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_ERR_INPUT);
    CHECK_TEXT(r->kind, "DimensionBinding");
    CHECK_TEXT(r->code, "DynamicDimensionMismatch");
    in[1] = matrix(x, -1);
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_ERR_INPUT);
    CHECK_TEXT(r->code, "NegativeDimension");
    in[1] = matrix(x, 3);
    in[1].type.dims[1] = 1;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_ERR_INPUT);
    CHECK_TEXT(r->kind, "InputMismatch");
    in[1] = matrix(x, 3);
    in[1].type.rank = TN_MAX_RANK + 1;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_ERR_INPUT);
    in[1] = matrix(x, 3);
    in[1].type.dtype = TN_F64;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_ERR_INPUT);
    in[1] = matrix(x, 3);
    in[1].bytes--;
    CHECK_INT(tn_program_run(p, in, 2, out, 2, NULL), TN_ERR_INPUT);
    CHECK_INT(tn_program_run(p, in, 1, out, 2, NULL), TN_ERR_INPUT);
    CHECK(!out[0].data && !out[1].data);
    tn_program_free(p);
}

static void test_undetermined(tn_context *cx, record *r)
{
    float x[3] = {1, 2, 3};
    tn_buffer in = {x, sizeof x, {TN_F32, 1, {3}}}, out = {0};
    tn_program *p = compile(cx, loose_text, NULL);
    if (!p)
        return;
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_ERR_INPUT);
    CHECK_TEXT(r->kind, "UnboundSymbol");
    CHECK(strstr(r->message, "'B'"));
    tn_program_free(p);

    const tn_binding two = {"B", 2}, all[] = {{"A", 3}, {"B", 2}};
    p = compile(cx, loose_text, &(tn_compile_options){.bindings = &two, .n_bindings = 1});
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_OK);
    CHECK_INT(out.type.dims[0], 2);
    CHECK(((float *)out.data)[5] == 3);
    tn_buffer_release(p, &out);
    tn_program_free(p);
    p = compile(cx, loose_text, &(tn_compile_options){.bindings = all, .n_bindings = 2});
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, NULL), TN_OK);
    tn_buffer_release(p, &out);
    tn_program_free(p);

    /* all inputs are known, so no run can tell B */
    tn_module *m = read_text(cx, loose_text);
    CHECK_INT(tn_program_compile(m, &(tn_compile_options){.bindings = all, .n_bindings = 1}, &p),
              TN_ERR_REJECTED);
    CHECK_TEXT(r->kind, "UnboundSymbol");
    tn_module_free(m);
}

/* ---- memory: what is kept is bounded, and any request may fail ---- */

static void test_bounded(void)
{
    meter m = {0};
    tn_allocator counting = {metered, &m};
    tn_context *cx = tn_context_new(&counting, NULL);
    tn_program *p = compile(cx, text, NULL);
    for (int64_t rows = 1; rows <= 64; rows++)
        CHECK_INT(run_rows(p, rows, NULL), 0);
    const size_t full = m.alive;
    CHECK_INT(run_rows(p, 7, NULL), 0); /* there already */
    CHECK(m.alive == full);
    for (int64_t rows = 65; rows <= 200; rows++)
        CHECK_INT(run_rows(p, rows, NULL), 0);
    CHECK(m.alive <= full + full / 8);
    tn_program_free(p);
    tn_context_free(cx);
    CHECK_INT(m.alive, 0);
    CHECK_INT(m.wrong, 0);
}

static void test_no_memory(void)
{
    for (unsigned n = 1; n < 100000; n++) {
        meter m = {0};
        tn_allocator counting = {metered, &m};
        record r = {0};
        tn_diagnostic_sink sink = {remember, &r};
        tn_context *cx = tn_context_new(&counting, &sink);
        tn_program *p = compile(cx, text, NULL);
        float x[6] = {0};
        tn_buffer in[2] = {matrix(x, 3), matrix(x, 3)}, out[2] = {{0}, {0}};
        m.fail_at = m.requests + n;
        tn_status s = tn_program_run(p, in, 2, out, 2, NULL);
        const bool failed = m.failed;
        CHECK(s == TN_OK || (failed && s == TN_ERR_NOMEM && r.n > 0));
        m.fail_at = 0;
        tn_buffer_release(p, &out[0]);
        tn_buffer_release(p, &out[1]);
        CHECK_INT(run_rows(p, 3, NULL), 0); /* as if nothing had happened */
        tn_program_free(p);
        tn_context_free(cx);
        CHECK_INT(m.alive, 0);
        CHECK_INT(m.wrong, 0);
        if (!failed)
            break;
    }
}

/* ---- threads ---- */

typedef struct worker {
    const tn_program *p;
    int64_t first;
    int wrong;
    unsigned reports;
} worker;

static void count_report(void *user, const tn_diagnostic *d)
{
    worker *w = user;
    (void)d;
    w->reports++;
}

static void *work(void *user)
{
    worker *w = user;
    tn_diagnostic_sink sink = {count_report, w};
    tn_run_options o = {.sink = &sink};
    float x[8] = {0};
    for (int64_t i = 0; i < 160; i++) {
        /* some extents are those of other threads at that moment, some are not */
        w->wrong += run_rows(w->p, 1 + (w->first + i * 7) % 90, &o);
        tn_buffer in[2] = {matrix(x, 3), matrix(x, 4)}, out[2] = {{0}, {0}};
        w->wrong += tn_program_run(w->p, in, 2, out, 2, &o) != TN_ERR_INPUT;
    }
    return NULL;
}

static void test_threads(tn_context *cx)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    worker workers[THREADS];
    tn_program *p = compile(cx, text, NULL);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.p = p, .first = i / 2 * 45};
        CHECK_INT(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
        CHECK_INT(workers[i].wrong, 0);
        CHECK_INT(workers[i].reports, 160);
    }
    tn_program_free(p);
}

/* ---- the time limit ---- */

static void test_timeout(tn_context *cx, record *r)
{
    float x = 1, y = 7;
    tn_buffer in = {&x, sizeof x, {.dtype = TN_F32}}, out = {&y, sizeof y, {.dtype = TN_F32}};
    tn_program *p = compile(cx, endless_text, NULL);
    if (!p)
        return;
    const tn_run_options o = {.timeout_ns = 20000000}, long_o = {.timeout_ns = UINT64_MAX};
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, &o), TN_ERR_RUN);
    CHECK_TEXT(r->kind, "Timeout");
    CHECK(strstr(r->message, "0.020000000 s"));
    CHECK(strstr(r->message, "backend execution failure: "));
    CHECK(y == 7);
    x = -1;
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, &long_o), TN_OK);
    CHECK(y == -1);
    CHECK_INT(tn_program_run(p, &in, 1, &out, 1, &(tn_run_options){.timeout_ns = 1}), TN_ERR_RUN);
    tn_program_free(p);
}

/* ---- code ---- */

/* Three layers; the last one's results are normalised. */
static const char mlp_text[] =
    "func @main(%x: tensor<f32, ?Bx48>, %w: tensor<f32, 48x64>, %v: tensor<f32, 64x32>)"
    " -> (tensor<f32, ?Bx32>, tensor<f32, ?Bx64>) {\n"
    "  %p = dot_general(%x, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, ?Bx64>\n"
    "  %t = tanh(%p) -> tensor<f32, ?Bx64>\n"
    "  %h = mul(%t, %p) -> tensor<f32, ?Bx64>\n"
    "  %q = dot_general(%h, %v) contract_lhs[1] contract_rhs[0] -> tensor<f32, ?Bx32>\n"
    "  %m = reduce_sum(%q) axes[1] keepdims[true] -> tensor<f32, ?Bx1>\n"
    "  %n = broadcast_to(%m) result_shape[?B, 32] -> tensor<f32, ?Bx32>\n"
    "  %d = sub(%q, %n) -> tensor<f32, ?Bx32>\n"
    "  return %d, %h\n"
    "}\n";

enum { INNER = 48, HIDDEN = 64, LAST = 32, MOST_ROWS = 400 };

static void fill(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((int)(i * 37 % 101) - 50) / 64;
}

static void count_compilations(void *user, const tn_profile_event *e)
{
    *(int *)user += strcmp(e->name, "machine code") == 0;
}

/* The results of P with ROWS rows, and how often something was compiled for them. */
static int run_mlp(const tn_program *p, int64_t rows, float *y)
{
    static const size_t sizes[] = {INNER * HIDDEN, HIDDEN * LAST};
    const size_t n = (size_t)rows;
    float *x = malloc(n * INNER * sizeof *x), *w = malloc(sizes[0] * sizeof *w),
          *v = malloc(sizes[1] * sizeof *v);
    int compiled = 0;
    const tn_profiler profiler = {count_compilations, &compiled};
    if (CHECK(x && w && v)) {
        fill(x, n * INNER);
        fill(w, sizes[0]);
        fill(v, sizes[1]);
        const tn_buffer in[] = {{x, n * INNER * sizeof *x, {TN_F32, 2, {rows, INNER}}},
                                {w, sizes[0] * sizeof *w, {TN_F32, 2, {INNER, HIDDEN}}},
                                {v, sizes[1] * sizeof *v, {TN_F32, 2, {HIDDEN, LAST}}}};
        tn_buffer out[] = {{y, n * LAST * sizeof *y, {TN_F32, 2, {rows, LAST}}},
                           {y + n * LAST, n * HIDDEN * sizeof *y, {TN_F32, 2, {rows, HIDDEN}}}};
        const tn_run_options o = {.profiler = &profiler};
        CHECK_INT(tn_program_run(p, in, 3, out, 2, &o), TN_OK);
    }
    free(x);
    free(w);
    free(v);
    return compiled;
}

/* Nearly the same program with twice PAIRS more nodes. */
static void write_long(char *out, size_t size, unsigned pairs)
{
    const char *rest = strstr(mlp_text, "  %d = sub(%q, %n)");
    int n = snprintf(out, size, "%.*s  %%s0 = abs(%%n) -> tensor<f32, ?Bx32>\n",
                     (int)(rest - mlp_text), mlp_text);
    for (unsigned i = 0; i < 2 * pairs; i++)
        n += snprintf(out + n, size - (size_t)n, "  %%s%u = neg(%%s%u) -> tensor<f32, ?Bx32>\n",
                      i + 1, i);
    (void)snprintf(out + n, size - (size_t)n, "  %%d = sub(%%q, %%s%u)%s", 2 * pairs,
                   rest + strlen("  %d = sub(%q, %n)"));
}

/* What was compiled for some rows is what others need, without a cache of files. */
static void test_code(tn_context *cx, const char *mlp)
{
    static const int64_t rows[] = {200, 333, 399, 250};
    static float y[MOST_ROWS * (LAST + HIDDEN)], expected[MOST_ROWS * (LAST + HIDDEN)];
    if (!target_llvm_is_installed())
        return;
    (void)setenv("TENON_CACHE_BYTES", "0", 1);
    tn_program *p = compile(cx, mlp, &(tn_compile_options){.engine = "jit"});
    tn_program *ref = compile(cx, mlp, &(tn_compile_options){.engine = "ref"});
    for (size_t i = 0; p && ref && i < sizeof rows / sizeof rows[0]; i++) {
        memset(y, 1, sizeof y);
        memset(expected, 1, sizeof expected);
        CHECK_INT(run_mlp(p, rows[i], y), i == 0);
        CHECK_INT(run_mlp(ref, rows[i], expected), 0);
        CHECK(memcmp(y, expected, sizeof y) == 0);
    }
    tn_program_free(p);
    tn_program_free(ref);
    (void)unsetenv("TENON_CACHE_BYTES");
}

int main(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    test_interface(cx);
    test_bindings(cx, &r);
    test_faults(cx, &r);
    test_undetermined(cx, &r);
    test_bounded();
    test_no_memory();
    test_threads(cx);
    test_timeout(cx, &r);
    static char large[32768];
    write_long(large, sizeof large, 150);
    test_code(cx, mlp_text);
    test_code(cx, large);
    tn_context_free(cx);
    return check_result();
}
