/* Baseline code and what takes its place: the same bits in every run, on many threads, while code
 * is exchanged. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/programs/programs.h"
#include "api_fixture.h"
#include "compile/jit.h"

enum { N = 24, RUNNERS = 4, MOST_RUNS = 100000 };

static const char text[] = "%x = Input () {name=\"x\"} : tensor<f32>[24, 24]\n"
                           "%y = Input () {name=\"y\"} : tensor<f32>[24, 24]\n"
                           "%p = MatMul (%x, %y) : tensor<f32>[24, 24]\n"
                           "%e = BinOp (%p, %x) {op=Mul} : tensor<f32>[24, 24]\n"
                           "%s = Sum (%e) {axes=[1], keepdims=false} : tensor<f32>[24]\n"
                           "%t = Transpose (%e) {perm=[1, 0]} : tensor<f32>[24, 24]\n"
                           "outputs: %e, %s, %t\n";

static tn_program *compile(tn_context *cx, tn_compile_options o)
{
    tn_module *m = NULL;
    tn_program *p = NULL;
    const tn_read_options read = {.dialect = "mind"};
    o.size = sizeof o;
    o.cache = &(tn_cache_options){.size = sizeof(tn_cache_options), .off = true};
    CHECK_INT(tn_module_read(cx, &read, text, strlen(text), &m), TN_OK);
    CHECK_INT(tn_program_compile(m, &o, &p), TN_OK);
    tn_module_free(m);
    return p;
}

typedef struct data {
    float in[2][N * N], out[3][N * N];
} data;

static void fill(data *d)
{
    memset(d, 0, sizeof *d);
    for (int k = 0; k < 2 * N * N; k++)
        d->in[k / (N * N)][k % (N * N)] = (float)((k * 37) % 101 - 50) / 64.0F;
}

static tn_status run_within(const tn_program *p, data *d, uint64_t timeout)
{
    const tn_run_options o = {.timeout_ns = timeout};
    tn_buffer in[2], out[3];
    tn_port port;
    for (size_t i = 0; i < 2; i++) {
        TN_TRY(tn_program_input(p, i, &port));
        in[i] = (tn_buffer){d->in[i], sizeof d->in[i], port.type};
    }
    for (size_t i = 0; i < 3; i++) {
        TN_TRY(tn_program_output(p, i, &port));
        out[i] = (tn_buffer){d->out[i], sizeof d->out[i], port.type};
    }
    return tn_program_run(p, in, 2, out, 3, &o);
}

static tn_status run(const tn_program *p, data *d)
{
    return run_within(p, d, 0);
}

typedef struct runner {
    const tn_program *p;
    const data *want;
    bool differs;
} runner;

static void *run_until_settled(void *user)
{
    runner *r = user;
    data *d = malloc(sizeof *d);
    fill(d);
    for (int k = 0; k < MOST_RUNS && !r->differs && !jit_is_settled(r->p->tape); k++)
        r->differs = run(r->p, d) != TN_OK || memcmp(d->out, r->want->out, sizeof d->out) != 0;
    r->differs =
        r->differs || run(r->p, d) != TN_OK || memcmp(d->out, r->want->out, sizeof d->out) != 0;
    free(d);
    return NULL;
}

static void test_exchange(tn_context *cx)
{
    static data want;
    runner runners[RUNNERS];
    pthread_t threads[RUNNERS];
    tn_program *ref = compile(cx, (tn_compile_options){.engine = "ref"});
    tn_program *p = compile(cx, (tn_compile_options){.threads = 2});
    fill(&want);
    CHECK_INT(run(ref, &want), TN_OK);
    CHECK(!jit_is_settled(p->tape));
    for (int k = 0; k < RUNNERS; k++) {
        runners[k] = (runner){p, &want, false};
        CHECK_INT(pthread_create(&threads[k], NULL, run_until_settled, &runners[k]), 0);
    }
    for (int k = 0; k < RUNNERS; k++) {
        (void)pthread_join(threads[k], NULL);
        CHECK(!runners[k].differs);
    }
    tn_program_free(p);
    tn_program_free(ref);
}

/* A run that must end soon does not compile first; a later one does. */
static void test_timeout(tn_context *cx)
{
    static data d;
    tn_program *p = compile(cx, (tn_compile_options){.threads = 1});
    fill(&d);
    CHECK_INT(run(p, &d), TN_OK);
    CHECK_INT(run_within(p, &d, 1), TN_ERR_RUN);
    CHECK(!jit_is_settled(p->tape));
    CHECK_INT(run_within(p, &d, UINT64_MAX), TN_OK);
    CHECK(jit_is_settled(p->tape));
    tn_program_free(p);
}

/* A program is freed before its second run, and after it. */
static void test_freed(tn_context *cx)
{
    static data d;
    fill(&d);
    for (int runs = 0; runs < 4; runs++) {
        tn_program *p = compile(cx, (tn_compile_options){.threads = 1});
        for (int k = 0; k < runs; k++)
            CHECK_INT(run(p, &d), TN_OK);
        tn_program_free(p);
    }
}

static void run_here(void *user, void (*task)(void *arg, unsigned index), void *arg, unsigned n)
{
    (void)user;
    for (unsigned i = 0; i < n; i++)
        task(arg, i);
}

/* Nothing is exchanged where that was not wanted, or threads are the caller's. */
static void test_eager(tn_context *cx)
{
    const tn_thread_pool pool = {.run = run_here, .threads = 1};
    const tn_compile_options all[] = {{.eager = true}, {.check = true}, {.pool = &pool}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        tn_program *p = compile(cx, all[k]);
        CHECK(jit_is_settled(p->tape));
        tn_program_free(p);
    }
}

int main(void)
{
    record r = {0};
    tn_diagnostic_sink sink = {remember, &r};
    tn_context *cx = tn_context_new(NULL, &sink);
    test_exchange(cx);
    test_timeout(cx);
    test_freed(cx);
    test_eager(cx);
    tn_context_free(cx);
    return check_result();
}
