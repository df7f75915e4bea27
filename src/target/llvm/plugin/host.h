/* The machine at hand. */
#ifndef TARGET_LLVM_PLUGIN_HOST_H
#define TARGET_LLVM_PLUGIN_HOST_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

/* Has the machine at hand every instruction that code for CPU may contain? TRIPLE is its own, and
 * MACHINE makes code for both. False also without memory. */
bool host_runs(const char *triple, const char *cpu, LLVMTargetMachineRef machine);

#endif
