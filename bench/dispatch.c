/* What it costs to run nearly nothing: a tape of one small kernel and of a thousand, handing work
 * to threads, and the public call around it.
 *
 *     dispatch */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/tape.h"
#include "tenon/tenon.h"

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "dispatch: %s\n", what);
    exit(1);
}

static int32_t increase(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    const float *in = (const float *)(const void *)buffers[0];
    float *out = (float *)(void *)buffers[1];
    (void)scratch;
    for (int64_t i = begin; i < end; i++)
        out[i] = in[i] + 1;
    return 0;
}

typedef struct calls {
    void (*one)(void *user);
    void *user;
} calls;

/* The least seconds of one call, over many series. */
static double least(const calls *c, int n)
{
    double best = 1e9;
    for (int series = 0; series < 50; series++) {
        const double start = now();
        for (int i = 0; i < n; i++)
            c->one(c->user);
        const double each = (now() - start) / n;
        best = each < best ? each : best;
    }
    return best;
}

typedef struct tape_job {
    tape *t;
    const void *in[1];
    void *out[1];
} tape_job;

static void run_tape(void *user)
{
    tape_job *j = user;
    if (tape_run(j->t, j->in, j->out, &(tape_run_options){0}).outcome != TAPE_DONE)
        fail("a tape failed");
}

static void measure_tape(int steps)
{
    float x[8] = {0}, y[8];
    executable *e = exe_new(&memory_system);
    const uint32_t block = exe_block_add(e, 1, 1);
    exe_buffer last = exe_input(e, block, 0, sizeof x);
    for (int k = 0; k < steps; k++) {
        const exe_buffer both[] = {last, k + 1 < steps ? exe_temp(e, block, sizeof x)
                                                       : exe_output(e, block, 0, sizeof y)};
        const exe_step s = {.kind = EXE_KERNEL,
                            .buffers = both,
                            .n_read = 1,
                            .n_written = 1,
                            .code = 0,
                            .extent = 8,
                            .grain = 8};
        exe_step_add(e, block, &s);
        last = both[1];
    }
    static exe_kernel *const code[] = {increase};
    tape_job j = {exe_finish(e) ? tape_load(e, code, 1, NULL) : NULL, {x}, {y}};
    if (!j.t)
        fail("no tape");
    const double each = least(&(calls){run_tape, &j}, steps == 1 ? 10000 : 100);
    printf("tape of %4d kernels: %8.0f ns, %5.1f ns a kernel\n", steps, each * 1e9,
           each * 1e9 / steps);
    tape_free(j.t);
}

static void nothing(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    (void)user;
    (void)begin;
    (void)end;
    (void)worker;
}

static void hand_out(void *user)
{
    (void)workers_run(user, 0, nothing, NULL, 16, 1);
}

static void measure_threads(void)
{
    workers *w = workers_new(&memory_system, 2);
    printf("work for 2 threads:   %8.0f ns\n", least(&(calls){hand_out, w}, 1000) * 1e9);
    workers_free(w);
}

typedef struct program_job {
    tn_program *p;
    tn_buffer in, out;
} program_job;

static void run_program(void *user)
{
    program_job *j = user;
    if (tn_program_run(j->p, &j->in, 1, &j->out, 1, NULL) != TN_OK)
        fail("a program failed");
}

static void measure_program(const char *engine)
{
    static const char text[] = "%0 = Input () {name=\"x\"} : tensor<f32>[8]\n"
                               "%1 = Neg (%0) {} : tensor<f32>[8]\noutputs: %1\n";
    float x[8] = {0}, y[8];
    program_job j;
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module *m = NULL;
    if (!cx || tn_module_read(cx, &(tn_read_options){.dialect = "mind"}, text, strlen(text), &m) ||
        tn_program_compile(m,
                           &(tn_compile_options){
                               .size = sizeof(tn_compile_options), .engine = engine, .eager = true},
                           &j.p) != TN_OK)
        fail("no program");
    j.in = (tn_buffer){x, sizeof x, {TN_F32, 1, {8}}};
    j.out = (tn_buffer){y, sizeof y, {TN_F32, 1, {8}}};
    printf("tn_program_run (%s): %8.0f ns\n", engine, least(&(calls){run_program, &j}, 2000) * 1e9);
    tn_program_free(j.p);
    tn_module_free(m);
    tn_context_free(cx);
}

int main(void)
{
    measure_tape(1);
    measure_tape(1000);
    measure_threads();
    measure_program("jit");
    measure_program("ref");
    return 0;
}
