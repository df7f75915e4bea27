/* Descriptions of machines by triple and CPU. */
#include "machine/machine.h"

#include <string.h>

#include "check.h"

/* In all fields: what is between them may hold anything. */
static bool is_same(const machine *a, const machine *b)
{
    return a->arch == b->arch && a->level == b->level && a->vector_bytes == b->vector_bytes &&
           a->registers == b->registers && a->l1 == b->l1 && a->l2 == b->l2 && a->line == b->line &&
           a->cached == b->cached && a->has_byte_dots == b->has_byte_dots &&
           a->has_bf16_dots == b->has_bf16_dots && a->memory == b->memory;
}

static bool is_like(const char *triple, const char *cpu, uint32_t vector_bytes, uint32_t registers)
{
    const machine m = machine_of(triple, cpu);
    return m.vector_bytes == vector_bytes && m.registers == registers && m.l1 > 0 && m.l2 > m.l1;
}

int main(void)
{
    CHECK(is_like("x86_64-linux-gnu", "x86-64", 16, 16));
    CHECK(is_like("x86_64-linux-gnu", "nehalem", 16, 16));
    CHECK(is_like("x86_64-linux-gnu", "ivybridge", 32, 16));
    CHECK(is_like("x86_64-linux-gnu", "x86-64-v3", 32, 16));
    CHECK(is_like("x86_64-linux-gnu", "rocketlake", 64, 32));
    CHECK(is_like("x86_64-linux-gnu", "znver5", 64, 32));
    CHECK(is_like("x86_64-linux-gnu", NULL, 32, 16));
    CHECK(is_like("aarch64-linux-gnu", NULL, 16, 32));
    CHECK(is_like("aarch64-linux-gnu", "cortex-a72", 16, 32));
    CHECK(is_like("aarch64-linux-gnu", "native", 16, 32));

    CHECK(machine_of("x86_64-linux-gnu", "cascadelake").has_byte_dots);
    CHECK(machine_of("x86_64-linux-gnu", "alderlake").has_byte_dots);
    CHECK(!machine_of("x86_64-linux-gnu", "x86-64-v4").has_byte_dots);
    CHECK(!machine_of("aarch64-linux-gnu", NULL).has_byte_dots);
    CHECK(machine_of("x86_64-linux-gnu", "sapphirerapids").has_bf16_dots);
    CHECK(machine_of("x86_64-linux-gnu", "znver4").has_bf16_dots);
    CHECK(!machine_of("x86_64-linux-gnu", "icelake-server").has_bf16_dots);

    const machine host = machine_host(), native = machine_of(NULL, "native");
    CHECK(is_same(&host, &native));

    machine_arch arch;
    CHECK(arch_of_triple("aarch64-linux-gnu", &arch) && arch == ARCH_AARCH64);
    CHECK(!arch_of_triple("riscv64-linux-gnu", &arch));
    CHECK(!arch_of_triple("x86_64", &arch)); /* the name of an architecture is no triple */

    CHECK(cpu_by_name(ARCH_X86_64, "znver4") != NULL);
    CHECK(cpu_by_name(ARCH_AARCH64, "znver4") == NULL);
    CHECK(cpu_by_name(ARCH_X86_64, "") == NULL);
    return check_result();
}
