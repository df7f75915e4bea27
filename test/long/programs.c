/* Random programs by the jit engine, for every level of optimisation, several processors and
 * numbers of threads: the bits of the evaluator. Arguments: the first seed (1), how many (2000),
 * the largest number of elements (3000), the most steps (40). */
#include "../unit/jit_run.h"
#include "pass/pass.h"
#include "target/target.h"

typedef struct job {
    uint64_t seed;
    int64_t elements;
    uint32_t steps;
} job;

/* Whether this machine can run code for X86-64-vN. */
static bool can_run(int level)
{
#if defined(__x86_64__)
    return level == 2 ? __builtin_cpu_supports("sse4.2")
           : level == 3
               ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
               : __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
    (void)level;
    return false;
#endif
}

static const char *cpu_for(uint32_t choice)
{
    static const char *const names[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    return choice < 3 && can_run((int)choice + 2) ? names[choice] : NULL;
}

static bool passes(const job *j, jit_counts *counts)
{
    context *cx = context_new(NULL, NULL);
    module *m = cx ? module_new(cx) : NULL;
    function *f = m ? module_add_function(m, "main", 4) : NULL;
    choices c = {.state = j->seed * UINT64_C(0x9e3779b97f4a7c15)};
    graph_limits most = {.elements = j->elements, .depth = 2};
    arena a;
    arena_init(&a, &memory_system);
    most.steps = 1 + pick(&c, j->steps);
    most.has_regions = one_in(&c, 4);
    const char *why = f && random_program(&c, f, &most) ? NULL : "no program";
    const tn_compile_options o = {.engine = "jit",
                                  .threads = 8,
                                  .level = (tn_level)(TN_LEVEL_0 + (int)pick(&c, 3)),
                                  .cpu = cpu_for(pick(&c, 4))};
    if (!why)
        why = judge_jit(m, &o, j->seed, &a, counts);
    if (why) {
        text_buffer t;
        text_init(&t, &memory_system);
        if (m)
            module_print(m, &t);
        printf("seed %llu, level -O%d, cpu %s: %s\n%.*s", (unsigned long long)j->seed,
               (int)o.level - TN_LEVEL_0, o.cpu ? o.cpu : "native", why, (int)t.n,
               t.at ? t.at : "");
        text_release(&t);
    }
    arena_release(&a);
    module_free(m);
    context_free(cx);
    return why == NULL;
}

static uint64_t number(int argc, char **argv, int k, uint64_t otherwise)
{
    return argc > k ? strtoull(argv[k], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    jit_counts counts = {0};
    job j = {number(argc, argv, 1, 1), (int64_t)number(argc, argv, 3, 3000),
             (uint32_t)number(argc, argv, 4, 40)};
    unsigned failed = 0;
    if (!target_llvm_is_installed()) {
        printf("no LLVM: nothing is compiled\n");
        return 0;
    }
    for (const uint64_t end = j.seed + number(argc, argv, 2, 2000); j.seed < end; j.seed++)
        failed += !passes(&j, &counts);
    printf("%u runs of %u kernels and %u other steps, %u failed as they should; %u wrong\n",
           counts.runs, counts.kernels, counts.others, counts.failures_agreed, failed);
    return failed > 0 || counts.kernels == 0;
}
