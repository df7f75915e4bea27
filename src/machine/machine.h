/* The machine that code is made for: what schedules and code generators ask about it. Every program
 * is right on any machine of its architecture; this says which one it is to be fast on. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum machine_arch { ARCH_X86_64, ARCH_AARCH64, ARCH_COUNT } machine_arch;

/* What decides how some instructions are written; whatever is chosen, the results are the same. */
typedef enum cpu_level {
    LEVEL_BASIC = 0,
    LEVEL_AVX,   /* no FMA */
    LEVEL_AVX2,  /* with FMA, and masked loads and stores of elements of 4 and 8 bytes */
    LEVEL_AVX512 /* masked loads and stores of all elements */
} cpu_level;

/* Memory that kernels can address. A device brings one of its own, and steps that copy. */
typedef enum memory_space { MEMORY_HOST, MEMORY_SPACES } memory_space;

typedef struct machine {
    machine_arch arch;
    cpu_level level;
    uint32_t vector_bytes; /* 16, 32, 64 */
    uint32_t registers;    /* vector registers */
    uint32_t l1, l2;       /* bytes of cache a core */
    uint32_t line;         /* bytes of a cache line */
    uint32_t cached;       /* bytes of a result that the caches keep: larger ones are written by
                              non-temporal stores */
    bool has_byte_dots;    /* products of bytes, four summed by one instruction */
    bool has_bf16_dots;    /* ... of bf16, two, with its own rounding: for relaxed numerics only */
    memory_space memory;   /* where its kernels read and write */
} machine;

/* A row of cpus.def. */
typedef struct cpu_info {
    const char *name;
    machine_arch arch;
    cpu_level level;
    bool has_byte_dots, has_bf16_dots;
} cpu_info;

/* The CPU called NAME, as LLVM spells it; NULL for a name that is not known. */
const cpu_info *cpu_by_name(machine_arch arch, const char *name);
/* Number I of its names; NULL behind the last. */
const char *cpu_name(machine_arch arch, uint32_t i);
/* The architecture that TRIPLE begins with: false when there is no code generator for it. */
bool arch_of_triple(const char *triple, machine_arch *arch);

/* The machine that this process runs on, with all that it has. */
machine machine_host(void);
/* The machine that TRIPLE (NULL: of this process) and CPU (NULL: this one, or any of a foreign
 * TRIPLE; or "native", or a name of cpus.def) stand for. Names that are not known count as a
 * machine in the middle: whoever generates code refuses them. */
machine machine_of(const char *triple, const char *cpu);
/* The same for programs that may round otherwise, or, !IS_RELAXED, may not. */
machine machine_for(const char *triple, const char *cpu, bool is_relaxed);

#endif
