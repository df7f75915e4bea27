#include "ways.h"

#include <string.h>

#ifdef __x86_64__
static const char *const cpus[] = {NULL, "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
#else
static const char *const cpus[] = {NULL};
#endif

size_t ways_cpus(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return 5;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return 4;
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") ? 3 : 2;
#else
    return 1;
#endif
}

const char *ways_cpu(size_t number)
{
    return cpus[number];
}

bool ways_has_level(const ways *w, int level)
{
    return strchr(w->levels, '0' + level) != NULL;
}

/* The processors with equal vectors, and the number of CPU among them. */
typedef struct width {
    size_t number, n, place;
} width;

static width width_of(size_t cpu)
{
    enum { NATIVE, BASIC, BASIC_V2, AVX2, AVX512 };
    const size_t n = ways_cpus();
    const bool is_best = cpu == NATIVE || cpu == n - 1;
    if (n <= AVX2) /* vectors of 16 bytes only */
        return (width){0, n, cpu};
    if (cpu == BASIC || cpu == BASIC_V2)
        return (width){0, 2, cpu - BASIC};
    return is_best ? (width){n - AVX2, 2, cpu == NATIVE} : (width){1, 1, 0};
}

bool ways_takes(const ways *w, int level, size_t cpu, bool is_baseline)
{
    const size_t levels = strlen(w->levels);
    const width of = width_of(cpu);
    const uint64_t turn = w->seed / levels;
    return !w->is_spread || (w->levels[(w->seed + of.number) % levels] == '0' + level &&
                             (turn + of.number) % 2 == is_baseline && turn / 2 % of.n == of.place);
}
