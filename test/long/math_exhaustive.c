/* The f32 elementary functions over every one of the 2^32 arguments (those of two operands: over as
 * many pairs), as programs that are compiled for this machine, against the f64 functions of the C
 * library, whose own error is below 10^-8 of an f32 ulp.
 *
 *     math_exhaustive [--stride N [--from FIRST]] [--threads N] [FUNCTION...]
 *
 * Where the C library has its f64 functions on vectors (libmvec; at most 4 ulp of f64), those pick
 * the results that are judged: the ones that are not finite, are zero, or come near the largest
 * error so far.
 *
 * Prints the largest error of each function in ulps and where it is; fails above 1 ulp, and when a
 * NaN, an infinity or the sign of a zero is wrong. Error is measured from the exact result, in
 * units of the last place of its own binade; results that do not round to a finite f32 must be
 * equal to the rounded one, and those of rsqrt always, whose formula is exact_f64's. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/math_exact.h"
#include "scalar/minifloat.h"
#include "tenon/build.h"
#include "tenon/tenon.h"

enum { BLOCK = 4096, MAX_THREADS = 64, VECTOR_OF = 4 };

#if defined(__x86_64__)
#define WITH_VECTORS __attribute__((target("avx2,fma")))
#else
#define WITH_VECTORS
#endif
typedef double vector __attribute__((vector_size(VECTOR_OF * sizeof(double))));
typedef union vector_function {
    void *address; /* NULL: the C library has none, or this machine has no such vectors */
    vector (*of_one)(vector);
    vector (*of_two)(vector, vector);
} vector_function;

typedef struct job {
    const tn_program *program;
    math_fn fn;
    vector_function estimate;
    uint64_t first, last, stride; /* argument patterns, LAST excluded */
    double worst;
    float worst_x, worst_y;
    uint64_t wrong; /* NaN, infinity or sign of zero */
    float wrong_x, wrong_y;
} job;

/* 1 over the distance of neighbouring f32 values around X. */
static double per_ulp(double x)
{
    const uint64_t exponent = f64_bits(x) >> 52 & 0x7ff;
    const uint64_t least = exponent < 1023 - 126 ? 1023 - 126 : exponent;
    return f64_from_bits((uint64_t)(2 * 1023 + 23 - least) << 52);
}

static void judge(job *j, float x, float y, float have)
{
    const double want = exact_f64(j->fn, (double)x, (double)y);
    const float rounded = (float)want;
    bool ok;
    if (isnan(rounded) || isnan(have)) {
        ok = isnan(rounded) && isnan(have);
    } else if (isinf(rounded) || isinf(have)) {
        ok = rounded == have;
        /* Near the largest number, one ulp may be the step to infinity or back. */
        if (!ok && fabs(want) > 0x1.fffffcp127 && fabs(want) < 0x1.000001p128)
            ok = (have > 0) == (want > 0) && (double)fabsf(have) >= 0x1.fffffcp127;
    } else {
        const double error = fabs((double)have - want) * per_ulp(want);
        ok = (signbit(have) != 0) == (signbit(want) != 0);
        if (j->fn == MATH_RSQRT) /* is defined by the formula */
            ok = have == rounded;
        if (error > j->worst) {
            j->worst = error;
            j->worst_x = x;
            j->worst_y = y;
        }
    }
    if (!ok && j->wrong++ == 0) {
        j->wrong_x = x;
        j->wrong_y = y;
    }
}

/* Exponents that keep most results of pow finite, with every special value among them. */
static float exponent_for(uint64_t k, float x)
{
    static const float special[] = {0.0f,        -0.0f,       1.0f,  -1.0f,    2.0f,      3.0f,
                                    -3.0f,       0.5f,        -0.5f, INFINITY, -INFINITY, NAN,
                                    16777216.0f, 16777215.0f, 1e30f, -1e30f,   0x1p-149f, 1.5f};
    const uint64_t h = (k + 1) * 0x9e3779b97f4a7c15u;
    if (h >> 62 == 0)
        return special[(h >> 32) % (sizeof special / sizeof *special)];
    const float unit = (float)(int64_t)(h << 2 >> 40) * 0x1p-21f - 4.0f; /* [-4, 4) */
    const float size = fabsf(log2f(fabsf(x)));
    if (h >> 62 == 1 || !(size > 0.0f) || isinf(size))
        return unit;
    return h >> 62 == 2 ? unit * 40.0f / size : floorf(unit * 10.0f);
}

/* What libmvec has for FN. */
static vector_function estimate_of(math_fn fn)
{
    vector_function found = {.address = NULL};
#if defined(__x86_64__)
    char name[64];
    void *library = dlopen("libmvec.so.1", RTLD_NOW); /* stays open */
    (void)snprintf(name, sizeof name, "_ZGVdN4%s_%s", math_fn_operands(fn) > 1 ? "vv" : "v",
                   math_fn_name(fn));
    if (library && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        found.address = dlsym(library, name);
#else
    (void)fn;
#endif
    return found;
}

/* Judge the N results. */
static void judge_all(job *j, const float *x, const float *y, const float *have, size_t n)
{
    for (size_t k = 0; k < n; k++)
        judge(j, x[k], y[k], have[k]);
}

/* Judge those that are not finite, are zero, or are not clearly better than the worst so far. */
WITH_VECTORS static void judge_some(job *j, const float *x, const float *y, const float *have,
                                    size_t n)
{
    const double margin = 1e-4;
    for (size_t k = 0; k < n; k += VECTOR_OF) {
        vector a, b, want;
        for (size_t l = 0; l < VECTOR_OF;
             l++) { /* BLOCK is a multiple, and never short of memory */
            a[l] = (double)x[k + l];
            b[l] = (double)y[k + l];
        }
        want = math_fn_operands(j->fn) > 1 ? j->estimate.of_two(a, b) : j->estimate.of_one(a);
        for (size_t l = 0; l < VECTOR_OF && k + l < n; l++) {
            const double error = fabs((double)have[k + l] - want[l]) * per_ulp(want[l]);
            if (!(error < j->worst - margin) || have[k + l] == 0 || isinf(have[k + l]) ||
                (have[k + l] < 0) != (want[l] < 0))
                judge(j, x[k + l], y[k + l], have[k + l]);
        }
    }
}

static void stop(const char *why)
{
    (void)fprintf(stderr, "math_exhaustive: %s\n", why);
    exit(2);
}

static tn_buffer block(float *data)
{
    return (tn_buffer){.data = data,
                       .bytes = BLOCK * sizeof *data,
                       .type = {.dtype = TN_F32, .rank = 1, .dims = {BLOCK}}};
}

static void *work(void *data)
{
    job *j = data;
    static _Thread_local float x[BLOCK], y[BLOCK], out[BLOCK];
    const tn_buffer in[2] = {block(x), block(y)};
    const tn_run_options here = {.threads = 1};
    tn_buffer result = block(out);
    uint64_t at = j->first;
    while (at < j->last) {
        size_t n = 0;
        for (; n < BLOCK && at < j->last; n++, at += j->stride) {
            x[n] = f32_from_bits((uint32_t)at);
            y[n] = math_fn_operands(j->fn) > 1 ? exponent_for(at, x[n]) : 0;
        }
        if (tn_program_run(j->program, in, math_fn_operands(j->fn), &result, 1, &here) != TN_OK)
            stop("a run failed");
        if (j->estimate.address && j->fn != MATH_RSQRT)
            judge_some(j, x, y, out, n);
        else
            judge_all(j, x, y, out, n);
    }
    return NULL;
}

/* Is NAME, `tn_exp` for example, the builder's function for FN? */
static bool is_called(const char *name, math_fn fn)
{
    return strcmp(name + strlen("tn_"), math_fn_name(fn)) == 0;
}

static tn_value append(tn_builder *b, math_fn fn, tn_value x, tn_value y)
{
#define TN_UNARY(function, op)                                                                     \
    if (is_called(#function, fn))                                                                  \
        return function(b, x);
#define TN_BINARY(function, op)                                                                    \
    if (is_called(#function, fn))                                                                  \
        return function(b, x, y);
#include "tenon/build_elementwise.def"
#undef TN_UNARY
#undef TN_BINARY
    stop("a function is not among those of the builder");
    return x;
}

/* FN of a block, compiled. */
static tn_program *program_of(math_fn fn)
{
    const tn_compile_options options = {.threads = 1};
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_builder *b = cx ? tn_builder_new(cx) : NULL;
    tn_module *m = NULL;
    tn_program *p = NULL;
    if (!b)
        stop("no memory");
    tn_value x = tn_input(b, "x", TN_F32, TN_INTS(BLOCK)), y = x;
    if (math_fn_operands(fn) > 1)
        y = tn_input(b, "y", TN_F32, TN_INTS(BLOCK));
    const tn_value result = append(b, fn, x, y);
    if (tn_builder_finish(b, &result, 1, &m) != TN_OK ||
        tn_program_compile(m, &options, &p) != TN_OK)
        stop("a function does not compile");
    tn_module_free(m);
    tn_context_free(cx);
    return p;
}

/* TOTAL is also that of J. */
static void add(job *total, const job *j)
{
    if (j->worst > total->worst) {
        total->worst = j->worst;
        total->worst_x = j->worst_x;
        total->worst_y = j->worst_y;
    }
    if (j->wrong && !total->wrong) {
        total->wrong_x = j->wrong_x;
        total->wrong_y = j->wrong_y;
    }
    total->wrong += j->wrong;
}

/* The arguments whose pattern is FROM, and every STRIDE-th after it. */
static bool sweep(math_fn fn, uint64_t from, uint64_t stride, unsigned threads)
{
    tn_program *program = program_of(fn);
    const vector_function estimate = estimate_of(fn);
    job jobs[MAX_THREADS], total = {0};
    pthread_t ids[MAX_THREADS];
    const uint64_t share = ((uint64_t)1 << 32) / threads;
    for (unsigned t = 0; t < threads; t++) {
        const uint64_t first = t * share > from ? t * share - from : 0;
        jobs[t] = (job){.program = program, .fn = fn, .estimate = estimate, .stride = stride};
        jobs[t].first = from + (first + stride - 1) / stride * stride;
        jobs[t].last = t + 1 == threads ? (uint64_t)1 << 32 : (t + 1) * share;
        if (pthread_create(&ids[t], NULL, work, &jobs[t]) != 0)
            stop("no thread");
    }
    for (unsigned t = 0; t < threads; t++) {
        (void)pthread_join(ids[t], NULL);
        add(&total, &jobs[t]);
    }
    printf("%-10s %.4f ulp at %a", math_fn_name(fn), total.worst, (double)total.worst_x);
    if (math_fn_operands(fn) > 1)
        printf(", %a", (double)total.worst_y);
    if (total.wrong)
        printf("; %llu wrong, first at %a, %a", (unsigned long long)total.wrong,
               (double)total.wrong_x, (double)total.wrong_y);
    printf("\n");
    (void)fflush(stdout);
    tn_program_free(program);
    return total.worst <= 1 && total.wrong == 0;
}

int main(int argc, char **argv)
{
    unsigned long stride = 1, from = 0, threads = 2;
    bool chosen[MATH_FN_COUNT] = {false}, any = false, ok = true;
    for (int k = 1; k < argc; k++) {
        bool known = false;
        if (k + 1 < argc && strcmp(argv[k], "--stride") == 0) {
            stride = strtoul(argv[++k], NULL, 10);
            continue;
        }
        if (k + 1 < argc && strcmp(argv[k], "--from") == 0) {
            from = strtoul(argv[++k], NULL, 10);
            continue;
        }
        if (k + 1 < argc && strcmp(argv[k], "--threads") == 0) {
            threads = strtoul(argv[++k], NULL, 10);
            continue;
        }
        for (unsigned fn = 0; fn < MATH_FN_COUNT; fn++) {
            if (strcmp(argv[k], math_fn_name((math_fn)fn)) == 0)
                chosen[fn] = any = known = true;
        }
        if (!known) {
            (void)fprintf(stderr, "math_exhaustive: unknown argument '%s'\n", argv[k]);
            return 2;
        }
    }
    if (stride == 0 || threads == 0 || threads > MAX_THREADS)
        return 2;
    for (unsigned fn = 0; fn < MATH_FN_COUNT; fn++) {
        if (!any || chosen[fn])
            ok = sweep((math_fn)fn, from, stride, (unsigned)threads) && ok;
    }
    return ok ? 0 : 1;
}
