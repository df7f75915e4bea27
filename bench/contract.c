/* Speed of contractions as the compiler makes them, against the multiply-adds that this machine can
 * do in registers, measured in the same run.
 *
 *     contract [NAME [CPU]]     only cases whose names contain NAME; for another CPU than this one
 *
 * Prints, for each case, the best time on the clock of many runs, with one thread and with two when
 * there are two processors: on a busy machine that is too long, never too short. A constant right
 * operand is packed beforehand. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "loop/contract/contract.h"
#include "runtime/code.h"
#include "target/target.h"

/* In a loop that waits for another thread. */
static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static bool has_wide_vectors(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") != 0;
#else
    return false;
#endif
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of this thread, for compiling only: where time is stolen from the machine it
 * counts too little now and then, and the best of many would be too good. */
static double busy(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "contract: %s\n", what);
    exit(1);
}

/* ---- two threads ---- */

typedef struct job {
    code_function *f;
    char **buffers;
    int64_t work;
    char *scratch[2];
} job;

static struct {
    atomic_int turn, done;
    job job;
    pthread_t thread;
    bool have;
} helper;

static void *help(void *unused)
{
    int seen = 0;
    (void)unused;
    for (;;) {
        while (atomic_load_explicit(&helper.turn, memory_order_acquire) == seen)
            relax();
        seen++;
        const job *j = &helper.job;
        if (!j->f)
            return NULL;
        (void)j->f(j->buffers, j->work / 2, j->work, j->scratch[1]);
        atomic_store_explicit(&helper.done, seen, memory_order_release);
    }
}

static void run_step(const job *j, int threads)
{
    if (threads == 1 || j->work < 2) {
        (void)j->f(j->buffers, 0, j->work, j->scratch[0]);
        return;
    }
    helper.job = *j;
    const int turn = atomic_fetch_add(&helper.turn, 1) + 1;
    (void)j->f(j->buffers, 0, j->work / 2, j->scratch[0]);
    while (atomic_load_explicit(&helper.done, memory_order_acquire) != turn)
        relax();
}

/* ---- the limit ---- */

/* Sixteen independent chains of multiply-adds, in the widest vectors. */
static code_function *peak_code(context *cx, arena *memory, const char *cpu, uint32_t lanes,
                                code **keep)
{
    enum { CHAINS = 12, TURNS = 64 };
    loop_builder b;
    loop_value sum[CHAINS];
    text_buffer out;
    loop_init(&b, memory);
    const loop_type t = loop_type_of(LOOP_F32, lanes);
    const loop_value at = loop_buffer(&b, 0), x = loop_load(&b, t, at, 4);
    for (int i = 0; i < CHAINS; i++)
        sum[i] = loop_var(&b, loop_load(&b, t, loop_at(&b, at, 64 * i), 4));
    (void)loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), TURNS);
    loop_value now_at[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        now_at[i] = loop_get(&b, sum[i]);
    for (int k = 0; k < TURNS; k++)
        for (int i = 0; i < CHAINS; i++)
            now_at[i] = loop_fma(&b, x, x, now_at[i]);
    for (int i = 0; i < CHAINS; i++)
        loop_set(&b, sum[i], now_at[i]);
    loop_end(&b);
    for (int i = 0; i < CHAINS; i++)
        loop_store(&b, loop_at(&b, at, 64 * i), loop_get(&b, sum[i]), 4);
    text_init(&out, &cx->allocator);
    const loop_program *p = loop_finish(&b);
    const target_options options = {.cpu = cpu};
    if (!p || target_llvm(cx, &(target_function){"peak", p}, 1, &options, &out) != TN_OK ||
        code_load(&cx->allocator, out.at, out.n, keep) != TN_OK)
        fail("no code for the peak");
    text_release(&out);
    return code_find(*keep, "peak");
}

static double peak_of(code_function *f, uint32_t lanes)
{
    static float data[16 * 16];
    char *buffers[] = {(char *)data};
    double best = 0;
    for (int i = 0; i < 20; i++) {
        const int64_t n = 1 << 18;
        const double t = now();
        (void)f(buffers, 0, n, NULL);
        const double flops = (double)n * 12 * lanes * 2 / (now() - t);
        best = flops > best ? flops : best;
    }
    return best;
}

/* ---- cases ---- */

typedef struct bench_case {
    const char *name;
    int64_t batch, m, n, k; /* of a product; M 0: a convolution */
    bool is_b_transposed;   /* B lies as [n, k] */
    bool is_constant;       /* B */
    bool is_a_transposed;   /* A lies as [k, m] */
    bool is_c_transposed;   /* C lies as [n, m] */
    int64_t heads;          /* N is two axes with K between them: B lies as [heads, k, n / heads] */
    int64_t side, ci, window, stride, co;
    tn_dtype dtype;
} bench_case;

static const bench_case cases[] = {
    {"gemm 64", 1, 64, 64, 64, .dtype = TN_F32},
    {"gemm 128", 1, 128, 128, 128, .dtype = TN_F32},
    {"gemm 256", 1, 256, 256, 256, .dtype = TN_F32},
    {"gemm 512", 1, 512, 512, 512, .dtype = TN_F32},
    {"gemm 1024", 1, 1024, 1024, 1024, .dtype = TN_F32},
    {"gemm 2048", 1, 2048, 2048, 2048, .dtype = TN_F32},
    {"gemm 1000", 1, 1000, 1000, 1000, .dtype = TN_F32},
    {"gemm 1024 b'", 1, 1024, 1024, 1024, true, .dtype = TN_F32},
    {"gemm 1023", 1, 1023, 1023, 1023, .dtype = TN_F32},
    {"gemm 1000x777x333", 1, 1000, 777, 333, .dtype = TN_F32},
    {"gemm 1024 a'", 1, 1024, 1024, 1024, .is_a_transposed = true, .dtype = TN_F32},
    {"gemm 1024 c'", 1, 1024, 1024, 1024, .is_c_transposed = true, .dtype = TN_F32},
    {"gemm 1024 heads 16", 1, 1024, 1024, 1024, .heads = 16, .dtype = TN_F32},
    {"gemm 1024 heads 100", 1, 1024, 1000, 1024, .heads = 100, .dtype = TN_F32},
    {"gemm 1024 heads 16 b'", 1, 1024, 1024, 1024, true, .heads = 16, .dtype = TN_F32},
    {"gemm 4096x16x1024", 1, 4096, 16, 1024, .dtype = TN_F32},
    {"gemm 4096x5x1024", 1, 4096, 5, 1024, .dtype = TN_F32},
    {"gemm 16x4096x1024", 1, 16, 4096, 1024, .dtype = TN_F32},
    {"gemm 5x4096x1024", 1, 5, 4096, 1024, .dtype = TN_F32},
    {"gemm 64 x 32x32x32", 64, 32, 32, 32, .dtype = TN_F32},
    {"gemm 256 x 8x8x8", 256, 8, 8, 8, .dtype = TN_F32},
    {"gemm 512x512x16", 1, 512, 512, 16, .dtype = TN_F32},
    {"gemm 512 f64", 1, 512, 512, 512, .dtype = TN_F64},
    {"gemm 512 bf16", 1, 512, 512, 512, .dtype = TN_BF16},
    {"gemm 512 f16", 1, 512, 512, 512, .dtype = TN_F16},
    {"gemm 512 i32", 1, 512, 512, 512, .dtype = TN_SI32},
    {"gemm 512 i8", 1, 512, 512, 512, .dtype = TN_SI8},
    {"gemm 512 i64", 1, 512, 512, 512, .dtype = TN_SI64},
    {"gemm 256 cf32", 1, 256, 256, 256, .dtype = TN_CF32},
    {"dense 128x768x3072", 1, 128, 3072, 768, .dtype = TN_F32},
    {"dense 128x768x3072 w", 1, 128, 3072, 768, .is_constant = true, .dtype = TN_F32},
    {"dense 128x3072x768 w", 1, 128, 768, 3072, .is_constant = true, .dtype = TN_F32},
    {"dense 8x768x3072", 1, 8, 3072, 768, .dtype = TN_F32},
    {"vector 768x3072", 1, 1, 3072, 768, .dtype = TN_F32},
    {"vector 768x3072 b'", 1, 1, 3072, 768, true, .dtype = TN_F32},
    {"vector 768x3072 bf16", 1, 1, 3072, 768, .dtype = TN_BF16},
    {"matrix 3072x768 vector", 1, 3072, 1, 768, .dtype = TN_F32},
    {"qk' 12x128x64", 12, 128, 128, 64, true, .dtype = TN_F32},
    {"pv  12x128x64", 12, 128, 64, 128, .dtype = TN_F32},
    {"qk' 12x512x64", 12, 512, 512, 64, true, .dtype = TN_F32},
    {"pv  12x512x64", 12, 512, 64, 512, .dtype = TN_F32},
    {"qk' 12x1x512", 12, 1, 512, 64, true, .dtype = TN_F32},
    {"conv 3x3 56 64", .side = 56, .ci = 64, .window = 3, .stride = 1, .co = 64, .dtype = TN_F32},
    {"conv 7x7/2 224 3-64", .side = 224, .ci = 3, .window = 7, .stride = 2, .co = 64,
     .dtype = TN_F32},
    {"conv 1x1 56 256-64", .side = 56, .ci = 256, .window = 1, .stride = 1, .co = 64,
     .dtype = TN_F32},
    {"conv 3x3 14 256", .side = 14, .ci = 256, .window = 3, .stride = 1, .co = 256,
     .dtype = TN_F32},
    {"conv 3x3 7 512", .side = 7, .ci = 512, .window = 3, .stride = 1, .co = 512, .dtype = TN_F32},
    {"conv 3x3 7 512 w", .side = 7, .ci = 512, .window = 3, .stride = 1, .co = 512,
     .is_constant = true, .dtype = TN_F32},
};

static void make_spec(const bench_case *c, contract_spec *s, size_t *n_a, size_t *n_b, size_t *n_c)
{
    *s = (contract_spec){.a = c->dtype,
                         .b = c->dtype,
                         .sum = dtype_compute(c->dtype),
                         .c = c->dtype,
                         .b_is_constant = c->is_constant};
    if (c->m > 0) {
        contract_axis_add(s->batch, &s->n_batch, c->batch, c->m * c->k, c->n * c->k, c->m * c->n);
        contract_axis_add(s->m, &s->n_m, c->m, c->is_a_transposed ? 1 : c->k, 0,
                          c->is_c_transposed ? 1 : c->n);
        const int64_t step = c->is_c_transposed ? c->m : 1, own = c->heads ? c->n / c->heads : c->n;
        if (c->heads) /* a gap between them, so that they cannot be one when B is transposed */
            contract_axis_add(s->n, &s->n_n, c->heads, 0, (own + c->is_b_transposed) * c->k,
                              own * step);
        contract_axis_add(s->n, &s->n_n, own, 0, c->is_b_transposed ? c->k : 1, step);
        contract_axis_add(s->k, &s->n_k, c->k, c->is_a_transposed ? c->m : 1,
                          c->is_b_transposed ? 1 : own, 0);
        *n_a = (size_t)(c->batch * c->m * c->k);
        *n_b = (size_t)(c->batch * (c->n + c->heads) * c->k);
        *n_c = (size_t)(c->batch * c->m * c->n);
        return;
    }
    const int64_t w = c->side, low = c->window / 2, out = (w + 2 * low - c->window) / c->stride + 1;
    contract_axis_add(s->m, &s->n_m, out, 0, 0, out * c->co);
    contract_axis_add(s->m, &s->n_m, out, 0, 0, c->co);
    contract_axis_add(s->n, &s->n_n, c->co, 0, 1, 1);
    contract_axis_add(s->k, &s->n_k, c->window, 0, c->window * c->ci * c->co, 0);
    contract_axis_add(s->k, &s->n_k, c->window, 0, c->ci * c->co, 0);
    contract_axis_add(s->k, &s->n_k, c->ci, 1, c->co, 0);
    s->windows[s->n_windows++] = contract_window_of(0, 0, c->stride, 1, low, w, w * c->ci);
    s->windows[s->n_windows++] = contract_window_of(1, 1, c->stride, 1, low, w, c->ci);
    *n_a = (size_t)(w * w * c->ci);
    *n_b = (size_t)(c->window * c->window * c->ci * c->co);
    *n_c = (size_t)(out * out * c->co);
}

static char *fresh(size_t bytes)
{
    const size_t page = (size_t)1 << 21, all = (bytes + page) / page * page;
    char *p = aligned_alloc(bytes < page / 4 ? 64 : page, all);
    if (!p)
        fail("no memory");
    if (bytes >= page / 4)
        (void)madvise(p, all, MADV_HUGEPAGE); /* as the runtime does */
    memset(p, 0, bytes);
    return p;
}

static char *numbers(tn_dtype d, size_t n)
{
    char *p = fresh(n * dtype_bytes(d));
    for (size_t i = 0; i < n; i++)
        (void)scalar_store(scalar_of_float((double)((i * 7919) % 1000) / 500.0 - 1), d,
                           p + i * dtype_bytes(d));
    return p;
}

static double best_time(const contract_plan *plan, const job *jobs, int threads, bool skips_b)
{
    double best = 1e9, spent = 0;
    int times = 1; /* short ones several times for each look at the clock */
    for (int i = 0; i < 2000 && (i < 20 || spent < 0.4); i++) {
        const double t = now();
        for (int n = 0; n < times; n++)
            for (uint32_t k = 0; k < plan->n_steps; k++)
                if (!skips_b || plan->steps[k].role != CONTRACT_PACKS_B)
                    run_step(&jobs[k], jobs[k].work < 2 * plan->steps[k].grain ? 1 : threads);
        const double all = now() - t, took = all / times;
        spent += all;
        if (all < 5e-5)
            times *= 2;
        best = took < best ? took : best;
    }
    return best;
}

static void measure(context *cx, const bench_case *c, code_function *peak, const char *cpu,
                    const machine *on)
{
    static const char *const names[] = {"f0", "f1", "f2"};
    contract_spec *s = calloc(1, sizeof *s);
    size_t n_a, n_b, n_c;
    arena memory;
    contract_plan plan;
    const char *fault;
    target_function functions[3];
    text_buffer out;
    code *made = NULL;
    job jobs[3];
    if (!s)
        fail("no memory");
    make_spec(c, s, &n_a, &n_b, &n_c);
    arena_init(&memory, &cx->allocator);
    text_init(&out, &cx->allocator);
    if (!contract_build(s, on, &memory, &plan, &fault))
        fail(fault ? fault : "no programs");
    for (uint32_t i = 0; i < plan.n_steps; i++)
        functions[i] = (target_function){names[i], plan.steps[i].program};
    const target_options options = {.cpu = cpu};
    const double start = busy();
    if (target_llvm(cx, functions, plan.n_steps, &options, &out) != TN_OK ||
        code_load(&cx->allocator, out.at, out.n, &made) != TN_OK)
        fail("no code");
    const double compiled = busy() - start;
    char *buffers[] = {numbers(c->dtype, n_a), numbers(c->dtype, n_b),
                       fresh(n_c * dtype_bytes(c->dtype)), fresh((size_t)plan.packed_a_bytes),
                       fresh((size_t)plan.packed_b_bytes)};
    const contract_step *last = &plan.steps[plan.n_steps - 1];
    for (uint32_t i = 0; i < plan.n_steps; i++) {
        const size_t scratch = (size_t)plan.steps[i].program->scratch_bytes;
        jobs[i] = (job){code_find(made, names[i]),
                        buffers,
                        plan.steps[i].work,
                        {fresh(scratch), fresh(scratch)}};
        run_step(&jobs[i], 1);
    }
    const double limit = peak_of(peak, on->vector_bytes / 4) * (c->dtype == TN_F64 ? 0.5 : 1);
    const double one = best_time(&plan, jobs, 1, c->is_constant);
    const double flops = (double)last->flops, gbs = (double)n_b * (double)dtype_bytes(c->dtype);
    printf("%-24s %9.4f ms %7.1f GFLOP/s %5.1f %% of %5.1f  B %5.1f GB/s", c->name, one * 1e3,
           flops / one * 1e-9, 100 * flops / one / limit, limit * 1e-9, gbs / one * 1e-9);
    if (helper.have) {
        const double two = best_time(&plan, jobs, 2, c->is_constant);
        printf("  two: %9.4f ms x%.2f", two * 1e3, one / two);
    }
    printf("  [%s%s, %.0f ms to compile, %zu bytes]\n", plan.how,
           plan.packed_a_bytes ? ", A copied" : "", compiled * 1e3, out.n);
    fflush(stdout);
    for (int i = 0; i < 5; i++)
        free(buffers[i]);
    for (uint32_t i = 0; i < plan.n_steps; i++) {
        free(jobs[i].scratch[0]);
        free(jobs[i].scratch[1]);
    }
    code_free(made);
    text_release(&out);
    arena_release(&memory);
    free(s);
}

int main(int argc, char **argv)
{
    context *cx = context_new(NULL, NULL);
    arena memory;
    code *peak_made = NULL;
    if (!cx)
        fail("no memory");
    arena_init(&memory, &cx->allocator);
    const bool is_wide = has_wide_vectors();
    const char *cpu = argc > 2 ? argv[2] : "native";
    const machine on = machine_of(NULL, cpu);
    code_function *peak = peak_code(cx, &memory, cpu, on.vector_bytes / 4, &peak_made);
    helper.have = sysconf(_SC_NPROCESSORS_ONLN) > 1 && !getenv("ONE") &&
                  pthread_create(&helper.thread, NULL, help, NULL) == 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 2 || strstr(cases[i].name, argv[1]))
            measure(cx, &cases[i], peak, cpu, &on);
    if (helper.have) {
        helper.job.f = NULL;
        atomic_fetch_add(&helper.turn, 1);
        (void)pthread_join(helper.thread, NULL);
    }
    code_free(peak_made);
    arena_release(&memory);
    context_free(cx);
    return 0;
}
