/* Can this machine run code for a CPU? LLVM has no function that says so, so its inlining rules are
 * asked. */
#include "target/llvm/plugin/host.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

/* What code for a CPU never contains, because it is tuning, or takes an intrinsic that we do not
 * use: the machine may lack it. Of x86. */
static const char unused[] =
    "+branch-hint,+ermsb,+fast-7bytenop,+fast-imm16,+fast-movbe,+fsrm,+prefer-movmsk-over-vtest,"
    "+prefer-no-gather,+prefer-no-scatter,+sbb-dep-breaking,"
    "+adx,+aes,+amx-bf16,+amx-complex,+amx-fp16,+amx-int8,+amx-tile,+cldemote,+clflushopt,+clwb,"
    "+clzero,+cmpccxadd,+crc32,+enqcmd,+fsgsbase,+hreset,+invpcid,+kl,+lwp,+movdir64b,+movdiri,"
    "+mwaitx,+pclmul,+pconfig,+pku,+prefetchi,+ptwrite,+raoint,+rdpid,+rdpru,+rdrnd,+rdseed,+rtm,"
    "+serialize,+sgx,+sha,+sha512,+shstk,+sm3,+sm4,+tsxldtrk,+uintr,+usermsr,+vaes,+vpclmulqdq,"
    "+waitpkg,+wbnoinvd,+widekl,+xsave,+xsavec,+xsaveopt,+xsaves";

enum { TEXT_BYTES = 16384 };

/* A function for CPU within one for this machine. */
static LLVMModuleRef parse(LLVMContextRef context, const char *triple, const char *cpu)
{
    char text[TEXT_BYTES];
    char *own = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures(), *error = NULL;
    const bool is_x86 = strncmp(triple, "x86_64", 6) == 0;
    const int n = snprintf(text, sizeof text,
                           "target triple = \"%s\"\n"
                           "define internal i32 @inner(i32 %%x) #0 {\n  ret i32 %%x\n}\n"
                           "define i32 @outer(i32 %%x) #1 {\n"
                           "  %%y = call i32 @inner(i32 %%x)\n  ret i32 %%y\n}\n"
                           "attributes #0 = { \"target-cpu\"=\"%s\" }\n"
                           "attributes #1 = { \"target-cpu\"=\"%s\" \"target-features\"=\"%s%s%s\" "
                           "}\n",
                           triple, cpu, own, features, is_x86 ? "," : "", is_x86 ? unused : "");
    LLVMModuleRef module = NULL;
    LLVMDisposeMessage(own);
    LLVMDisposeMessage(features);
    if (n < 0 || n >= TEXT_BYTES)
        return NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)n, "host");
    if (LLVMParseIRInContext(context, buffer, &module, &error)) /* takes the buffer */
        LLVMDisposeMessage(error);
    return module;
}

/* LLVM moves code into a function only where that has all the features that the code may use. */
bool host_runs(const char *triple, const char *cpu, LLVMTargetMachineRef machine)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse(context, triple, cpu);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    bool runs = false;
    if (module) {
        LLVMErrorRef error = LLVMRunPasses(module, "inline", machine, options);
        LLVMConsumeError(error);
        runs = !error && !LLVMGetNamedFunction(module, "inner");
        LLVMDisposeModule(module);
    }
    LLVMDisposePassBuilderOptions(options);
    LLVMContextDispose(context);
    return runs;
}
