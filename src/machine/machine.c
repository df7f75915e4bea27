/* Descriptions of machines: of this one, and of CPUs by name. */
#include "machine/machine.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <stddef.h>
#include <string.h>

static const cpu_info cpus[] = {
#define X86(name, level) {name, ARCH_X86_64, level, false, false},
#define X86_DOTS(name, level) {name, ARCH_X86_64, level, true, false},
#define X86_BF16(name, level) {name, ARCH_X86_64, level, true, true},
#define ARM(name) {name, ARCH_AARCH64, LEVEL_BASIC, false, false},
#include "machine/cpus.def"
#undef X86
#undef X86_DOTS
#undef X86_BF16
#undef ARM
};

const cpu_info *cpu_by_name(machine_arch arch, const char *name)
{
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        if (cpus[i].arch == arch && strcmp(cpus[i].name, name) == 0)
            return &cpus[i];
    return NULL;
}

const char *cpu_name(machine_arch arch, uint32_t i)
{
    for (size_t k = 0; k < sizeof cpus / sizeof *cpus; k++)
        if (cpus[k].arch == arch && i-- == 0)
            return cpus[k].name;
    return NULL;
}

bool arch_of_triple(const char *triple, machine_arch *arch)
{
    static const char *const names[ARCH_COUNT] = {"x86_64-", "aarch64-"};
    for (int i = 0; i < ARCH_COUNT; i++)
        if (strncmp(triple, names[i], strlen(names[i])) == 0) {
            *arch = (machine_arch)i;
            return true;
        }
    return false;
}

/* Caches are those of common CPUs of each kind. They are not asked of the machine, so that the same
 * program gives the same code, and the same entries of the cache, on all machines of a kind. */
static machine describe(machine_arch arch, cpu_level level, bool has_byte_dots, bool has_bf16_dots)
{
    machine m = {.arch = arch,
                 .level = level,
                 .has_byte_dots = has_byte_dots,
                 .has_bf16_dots = has_bf16_dots,
                 .l1 = 32 << 10,
                 .line = 64,
                 .cached = 24 << 20};
    if (arch == ARCH_AARCH64) {
        m.vector_bytes = 16;
        m.registers = 32;
        m.l2 = 512 << 10;
        return m;
    }
    m.vector_bytes = level == LEVEL_AVX512 ? 64 : level == LEVEL_BASIC ? 16 : 32;
    m.registers = level == LEVEL_AVX512 ? 32 : 16;
    m.l2 = level == LEVEL_AVX512 ? 1 << 20 : level == LEVEL_BASIC ? 256 << 10 : 512 << 10;
    return m;
}

#if defined(__x86_64__)
/* Compilers of some years ago do not know the name "avxvnni". */
static bool has_avx_vnni(void)
{
    enum { LEAF = 7, PART = 1, BIT = 4 };
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(LEAF, PART, &a, &b, &c, &d) && (a >> BIT & 1);
}
#endif

machine machine_host(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return describe(ARCH_X86_64, LEVEL_AVX512, __builtin_cpu_supports("avx512vnni"),
                        __builtin_cpu_supports("avx512bf16"));
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return describe(ARCH_X86_64, LEVEL_AVX2, has_avx_vnni(), false);
    return describe(ARCH_X86_64, __builtin_cpu_supports("avx") ? LEVEL_AVX : LEVEL_BASIC, false,
                    false);
#else
    return describe(ARCH_AARCH64, LEVEL_BASIC, false, false);
#endif
}

machine machine_of(const char *triple, const char *cpu)
{
    const machine host = machine_host();
    machine_arch arch = host.arch;
    const bool is_known = !triple || arch_of_triple(triple, &arch);
    if (!triple && (!cpu || strcmp(cpu, "native") == 0))
        return host;
    const cpu_info *named = cpu && is_known ? cpu_by_name(arch, cpu) : NULL;
    if (named)
        return describe(arch, named->level, named->has_byte_dots, named->has_bf16_dots);
    return describe(arch, arch == ARCH_X86_64 ? LEVEL_AVX2 : LEVEL_BASIC, false, false);
}

machine machine_for(const char *triple, const char *cpu, bool is_relaxed)
{
    machine m = machine_of(triple, cpu);
    m.has_bf16_dots = m.has_bf16_dots && is_relaxed;
    return m;
}
