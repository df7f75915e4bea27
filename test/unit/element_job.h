/* Jobs for the tests of elements: a loop program, the memory it works on and what must come out.
 * Jobs are collected first and then run by each engine in turn. */
#ifndef TEST_ELEMENT_JOB_H
#define TEST_ELEMENT_JOB_H

#include <stdlib.h>

#include "loop/element/element.h"
#include "loop_interpreter.h"
#include "ops_ptir_case.h"
#include "runtime/code.h"
#include "scalar/minifloat.h"
#include "target/target.h"

enum { JOB_BUFFERS = 8, JOB_RESULTS = 2, JOB_ALIGN = 512, JOB_BATCH = 64 };

typedef struct job {
    char name[64];
    uint32_t lanes;
    const loop_program *program;
    char *buffers[JOB_BUFFERS]; /* the results are the first */
    uint32_t n_results;
    int64_t n; /* elements of each result */
    int64_t end;
    tn_dtype dtype[JOB_RESULTS];
    const void *want[JOB_RESULTS];
} job;

typedef struct job_list {
    arena memory;
    VECTOR(job) jobs;
} job_list;

static inline void jobs_init(job_list *l)
{
    memset(l, 0, sizeof *l);
    arena_init(&l->memory, &memory_system);
}

static inline void jobs_free(job_list *l)
{
    VECTOR_RELEASE(&memory_system, &l->jobs);
    arena_release(&l->memory);
}

static inline void *jobs_memory(job_list *l, size_t bytes)
{
    /* A vector more than asked for, filled with what no test expects. */
    const size_t all = bytes + 1024;
    void *at = arena_alloc_aligned(&l->memory, all, JOB_ALIGN);
    if (!at)
        exit(2);
    memset(at, 0xee, all);
    return at;
}

static inline const void *jobs_copy(job_list *l, const void *from, size_t bytes)
{
    void *at = jobs_memory(l, bytes);
    if (bytes)
        memcpy(at, from, bytes);
    return at;
}

static inline void jobs_add(job_list *l, const job *j)
{
    if (CHECK(j->program != NULL) && !VECTOR_PUSH(&memory_system, &l->jobs, *j))
        exit(2);
    if (!j->program)
        printf("    no program for %s, %u lanes\n", j->name, j->lanes);
}

/* Equal bits, any two NaNs included. */
static inline bool same_elements(tn_dtype d, const char *have, const char *want, int64_t n,
                                 int64_t *where)
{
    const size_t size = dtype_bytes(d);
    if (memcmp(have, want, (size_t)n * size) == 0)
        return true;
    for (int64_t i = 0; i < n; i++) {
        const char *a = have + (size_t)i * size, *c = want + (size_t)i * size;
        if (memcmp(a, c, size) == 0)
            continue;
        const bool nans = dtype_is_float(d) || dtype_is_complex(d);
        if (!nans || !scalar_equal(scalar_load(d, a), scalar_load(d, c))) {
            *where = i;
            return false;
        }
    }
    return true;
}

static inline void job_check(const job *j, const char *engine)
{
    for (uint32_t k = 0; k < j->n_results; k++) {
        int64_t i = 0;
        if (CHECK(same_elements(j->dtype[k], j->buffers[k], j->want[k], j->n, &i)))
            continue;
        const size_t size = dtype_bytes(j->dtype[k]);
        printf("    %s, %u lanes, %s, result %u, element %" PRId64 ": have", j->name, j->lanes,
               engine, k, i);
        for (size_t p = size; p-- > 0;)
            printf(" %02x", (uint8_t)j->buffers[k][(size_t)i * size + p]);
        printf(", want");
        for (size_t p = size; p-- > 0;)
            printf(" %02x", ((const uint8_t *)j->want[k])[(size_t)i * size + p]);
        printf("\n");
    }
}

static inline void job_clear(const job *j)
{
    for (uint32_t k = 0; k < j->n_results; k++)
        memset(j->buffers[k], 0xee, (size_t)j->n * dtype_bytes(j->dtype[k]));
}

static inline void jobs_interpret(const job_list *l)
{
    for (uint32_t i = 0; i < l->jobs.n; i++) {
        const job *j = &l->jobs.at[i];
        int32_t status = 0;
        job_clear(j);
        const char *fault = loop_interpret(j->program, j->buffers, 0, j->end, NULL, &status);
        if (fault)
            printf("    %s: %s\n", j->name, fault);
        CHECK(fault == NULL);
        CHECK_INT(status, 0);
        job_check(j, "interpreter");
    }
}

/* Compile N jobs for CPU into one object and run them. */
static inline void jobs_run_batch(const job_list *l, context *cx, const uint32_t *which, size_t n,
                                  const char *cpu)
{
    target_function functions[JOB_BATCH];
    char names[JOB_BATCH][16];
    const target_options options = {.cpu = cpu};
    text_buffer object;
    code *c = NULL;
    text_init(&object, &memory_system);
    for (size_t k = 0; k < n; k++) {
        (void)snprintf(names[k], sizeof names[k], "f%u", which[k]);
        functions[k] = (target_function){names[k], l->jobs.at[which[k]].program};
    }
    CHECK_INT(target_llvm(cx, functions, n, &options, &object), TN_OK);
    diag_flush(&cx->diag);
    if (CHECK_INT(code_load(&memory_system, object.at, object.n, &c), TN_OK))
        for (size_t k = 0; k < n; k++) {
            const job *j = &l->jobs.at[which[k]];
            code_function *f = code_find(c, names[k]);
            job_clear(j);
            if (CHECK(f != NULL))
                CHECK_INT(f(j->buffers, 0, j->end, NULL), 0);
            job_check(j, cpu);
        }
    code_free(c);
    text_release(&object);
}

enum { JOB_CPUS = 3 };
static const char *const job_cpus[JOB_CPUS] = {"native", "x86-64-v3", "x86-64-v2"};

/* Whether this machine can compile for CPU and run that. */
static inline bool job_can_run(const char *cpu)
{
    if (!target_llvm_is_installed())
        return false;
    if (strcmp(cpu, "native") == 0)
        return true;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (strcmp(cpu, "x86-64-v3") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return __builtin_cpu_supports("sse4.2");
#else
    return false;
#endif
}

/* Every STEP-th job from FIRST on through LLVM, where that can be. */
static inline void jobs_compile(const job_list *l, const char *cpu, uint32_t first, uint32_t step)
{
    uint32_t which[JOB_BATCH];
    size_t n = 0;
    if (!job_can_run(cpu))
        return;
    context *cx = context_new(NULL, NULL);
    for (uint32_t i = first; i < l->jobs.n; i += step) {
        which[n++] = i;
        if (n == JOB_BATCH || i + step >= l->jobs.n) {
            jobs_run_batch(l, cx, which, n, cpu);
            n = 0;
        }
    }
    context_free(cx);
}

/* ---- data ---- */

static inline uint64_t random_bits(uint64_t *state)
{
    const uint64_t high = next_random(state), low = next_random(state);
    return high << 40 ^ low << 20 ^ next_random(state);
}

/* A double between two neighbours of a narrow dtype, or just beside that. */
static inline double random_tie(uint64_t *state)
{
    static const tn_dtype dtypes[] = {TN_FP8_E4M3, TN_FP8_E5M2, TN_BF16, TN_F16, TN_F32};
    const tn_dtype d = dtypes[next_random(state) % 5];
    char low[8] = {0}, high[8];
    uint64_t bits = random_bits(state);
    if (d == TN_F32) /* many denormals */
        bits = next_random(state) % 2 ? bits & 0x80ffffff : bits;
    memcpy(low, &bits, dtype_bytes(d));
    bits++;
    memcpy(high, &bits, dtype_bytes(d));
    const double middle = (scalar_load(d, low).f + scalar_load(d, high).f) / 2;
    const uint64_t aside = next_random(state) % 3;
    const uint64_t pattern = f64_bits(middle) + aside - 1;
    return isfinite(middle) && middle != 0 ? f64_from_bits(pattern) : middle;
}

static inline double random_special(uint64_t *state)
{
    static const double at[] = {
        0,     -0.0,  1,      -1,       0.5,      1.5,     -2.5,   3,       448, 464, 65504, 65520,
        61440, 57344, 0x1p31, -0x1p31,  0x1p32,   0x1p63,  0x1p64, -0x1p63, 127, 128, -128,  255,
        256,   32767, 32768,  0x1p-149, 0x1p-126, 0x1p-24, 0x1p-9, 0x1p-14, 7,   8,   15,    16};
    const double x = at[next_random(state) % (sizeof at / sizeof at[0])];
    switch (next_random(state) % 8) {
    case 0:
        return (double)INFINITY;
    case 1:
        return -(double)INFINITY;
    case 2:
        return (double)NAN;
    case 3:
        return nextafter(x, (double)INFINITY);
    case 4:
        return nextafter(x, -(double)INFINITY);
    case 5:
        return -x;
    default:
        return x;
    }
}

static inline double random_float(uint64_t *state)
{
    const uint64_t kind = next_random(state) % 4;
    const double moderate = (double)(int64_t)(next_random(state) % 200001) / 1000.0 - 100;
    return kind == 0 ? random_special(state) : kind == 1 ? random_tie(state) : moderate;
}

static inline uint64_t random_integer(uint64_t *state)
{
    static const uint64_t at[] = {0,
                                  1,
                                  2,
                                  7,
                                  8,
                                  15,
                                  127,
                                  128,
                                  255,
                                  32767,
                                  32768,
                                  65504,
                                  65520,
                                  0xffff,
                                  INT32_MAX,
                                  UINT32_MAX,
                                  INT64_MAX,
                                  UINT64_MAX,
                                  UINT64_C(1) << 63,
                                  1 << 24};
    uint64_t x = at[next_random(state) % (sizeof at / sizeof at[0])];
    switch (next_random(state) % 6) {
    case 0:
        return random_bits(state);
    case 1:
        return random_bits(state) >> next_random(state) % 64;
    case 2: /* near a tie of many formats */
        x = (random_bits(state) | UINT64_C(1) << 63) &
            ~(UINT64_MAX >> (next_random(state) % 12 + 3));
        x += UINT64_C(1) << (60 - next_random(state) % 12);
        return (x >> next_random(state) % 40) + next_random(state) % 3 - 1;
    case 3:
        return 0 - x;
    default:
        return x;
    }
}

/* N elements of D as they may lie in memory: bytes of i1 and of 4-bit integers are any bytes unless
 * CLEAN. */
static inline void random_data(uint64_t *state, tn_dtype d, void *to, size_t n, bool clean)
{
    const tn_dtype part = dtype_table[d].part;
    const size_t size = dtype_bytes(part), parts = dtype_bytes(d) / size * n;
    for (size_t i = 0; i < parts; i++) {
        char *at = (char *)to + i * size;
        uint64_t bits = random_integer(state);
        if (!dtype_is_float(part) || next_random(state) % 4 == 0)
            memcpy(at, &bits, size);
        else
            (void)scalar_store(scalar_of_float(random_float(state)), part, at);
        if (d == TN_I1 && next_random(state) % 2)
            *at = 0;
    }
    if (clean)
        dtype_narrow(d, to, to, dtype_compute(d) == d ? n : 0);
}

#endif
