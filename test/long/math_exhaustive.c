/* The f32 elementary functions over every one of the 2^32 arguments (pow: over many pairs), against
 * the f64 functions of the C library, whose own error is below 10^-8 of an f32 ulp.
 *
 *     math_exhaustive [--stride N] [--threads N] [FUNCTION...]
 *
 * Prints the largest error of each function in ulps and where it is; fails above 1 ulp, and when a
 * NaN, an infinity or the sign of a zero is wrong. Error is measured from the exact result, in
 * units of the last place of its own binade; results that do not round to a finite f32 must be
 * equal to the rounded one, and those of rsqrt always, whose formula is exact_f64's. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/math_exact.h"
#include "scalar/minifloat.h"

enum { BLOCK = 4096, MAX_THREADS = 64 };

typedef struct job {
    const scalar_program *program;
    math_fn fn;
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

static void *work(void *data)
{
    job *j = data;
    static _Thread_local float x[BLOCK], y[BLOCK], out[BLOCK];
    const void *args[2] = {x, y};
    uint64_t at = j->first;
    while (at < j->last) {
        size_t n = 0;
        for (; n < BLOCK && at < j->last; n++, at += j->stride) {
            x[n] = f32_from_bits((uint32_t)at);
            y[n] = math_fn_operands(j->fn) > 1 ? exponent_for(at, x[n]) : 0;
        }
        scalar_run(j->program, args, out, n);
        for (size_t k = 0; k < n; k++)
            judge(j, x[k], y[k], out[k]);
    }
    return NULL;
}

static bool sweep(math_fn fn, uint64_t stride, unsigned threads)
{
    arena memory;
    arena_init(&memory, &memory_system);
    const scalar_program *program = scalar_math_program(&memory, fn, SCALAR_F32);
    job jobs[MAX_THREADS], total = {0};
    pthread_t ids[MAX_THREADS];
    const uint64_t share = ((uint64_t)1 << 32) / threads;
    if (!program)
        return false;
    for (unsigned t = 0; t < threads; t++) {
        const uint64_t first = t * share;
        jobs[t] = (job){.program = program, .fn = fn, .stride = stride};
        jobs[t].first = (first + stride - 1) / stride * stride;
        jobs[t].last = t + 1 == threads ? (uint64_t)1 << 32 : first + share;
        if (pthread_create(&ids[t], NULL, work, &jobs[t]) != 0)
            exit(2);
    }
    for (unsigned t = 0; t < threads; t++) {
        (void)pthread_join(ids[t], NULL);
        if (jobs[t].worst > total.worst) {
            total.worst = jobs[t].worst;
            total.worst_x = jobs[t].worst_x;
            total.worst_y = jobs[t].worst_y;
        }
        if (jobs[t].wrong && !total.wrong) {
            total.wrong_x = jobs[t].wrong_x;
            total.wrong_y = jobs[t].wrong_y;
        }
        total.wrong += jobs[t].wrong;
    }
    printf("%-6s %3u instructions, %.4f ulp at %a", math_fn_name(fn), (unsigned)program->n,
           total.worst, (double)total.worst_x);
    if (math_fn_operands(fn) > 1)
        printf(", %a", (double)total.worst_y);
    if (total.wrong)
        printf("; %llu wrong, first at %a, %a", (unsigned long long)total.wrong,
               (double)total.wrong_x, (double)total.wrong_y);
    printf("\n");
    (void)fflush(stdout);
    arena_release(&memory);
    return total.worst <= 1 && total.wrong == 0;
}

int main(int argc, char **argv)
{
    unsigned long stride = 1, threads = 2;
    bool chosen[MATH_FN_COUNT] = {false}, any = false, ok = true;
    for (int k = 1; k < argc; k++) {
        bool known = false;
        if (k + 1 < argc && strcmp(argv[k], "--stride") == 0) {
            stride = strtoul(argv[++k], NULL, 10);
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
            ok = sweep((math_fn)fn, stride, (unsigned)threads) && ok;
    }
    return ok ? 0 : 1;
}
