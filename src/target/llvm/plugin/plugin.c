/* One request: loop programs to LLVM IR, a few passes, machine code. All that is shared between
 * requests is LLVM's own list of targets, filled while the module is loaded. */
#include "target/llvm/plugin.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdarg.h>
#include <stdio.h>

#include "target/llvm/plugin/translate.h"

llvm_plugin_entry tenon_llvm_plugin;

typedef struct session {
    llvm_request *request;
    translation t;
    char *triple;
    char *cpu_text, *features_text; /* of the machine, from LLVM */
    LLVMTargetMachineRef machine;
} session;

static llvm_outcome say(llvm_request *r, llvm_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static llvm_outcome say(llvm_request *r, llvm_outcome outcome, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(r->message, sizeof r->message, format, args);
    va_end(args);
    return outcome;
}

/* Report and free a text made by LLVM. */
static llvm_outcome say_text(llvm_request *r, llvm_outcome outcome, char *text)
{
    const llvm_outcome result = say(r, outcome, "%s", text ? text : "LLVM gives no reason");
    LLVMDisposeMessage(text);
    return result;
}

/* ---- targets ---- */

/* The dynamic linker runs this once, before anyone can call in. */
__attribute__((constructor)) static void add_targets(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

typedef struct known_cpu {
    const char *name;
    cpu_level level;
} known_cpu;

static const known_cpu x86_cpus[] = {
#define X86(name, level) {name, level},
#define ARM(name)
#include "target/llvm/plugin/cpus.def"
#undef X86
#undef ARM
};

static const known_cpu arm_cpus[] = {
#define X86(name, level)
#define ARM(name) {name, LEVEL_BASIC},
#include "target/llvm/plugin/cpus.def"
#undef X86
#undef ARM
};

/* NULL for a name that is not known; LLVM itself would only print a warning and go on. */
static const known_cpu *find_cpu(bool is_x86, const char *name)
{
    const known_cpu *at = is_x86 ? x86_cpus : arm_cpus;
    const size_t n =
        is_x86 ? sizeof x86_cpus / sizeof x86_cpus[0] : sizeof arm_cpus / sizeof arm_cpus[0];
    for (size_t k = 0; k < n; k++)
        if (strcmp(at[k].name, name) == 0)
            return &at[k];
    return NULL;
}

static cpu_level level_of_features(bool is_x86, const char *features)
{
    if (!is_x86 || !strstr(features, "+avx2,") || !strstr(features, "+fma,"))
        return LEVEL_BASIC;
    const bool has_masks = strstr(features, "+avx512bw,") && strstr(features, "+avx512vl,");
    return has_masks ? LEVEL_AVX512 : LEVEL_AVX2;
}

static llvm_outcome choose_cpu(session *s, bool is_own_machine)
{
    llvm_request *r = s->request;
    const char *cpu = r->options->cpu ? r->options->cpu : "native";
    s->t.features = "";
    if (strcmp(cpu, "native") != 0) {
        s->t.cpu = cpu;
    } else if (is_own_machine) {
        s->t.cpu = s->cpu_text = LLVMGetHostCPUName();
        s->t.features = s->features_text = LLVMGetHostCPUFeatures();
        s->t.level = level_of_features(s->t.is_x86, s->t.features);
        return LLVM_DONE;
    } else {
        s->t.cpu = s->t.is_x86 ? "x86-64" : "generic";
    }
    const known_cpu *known = find_cpu(s->t.is_x86, s->t.cpu);
    if (!known)
        return say(r, LLVM_UNAVAILABLE, "the CPU '%s' is not known for the triple '%s'", s->t.cpu,
                   s->triple);
    s->t.level = known->level;
    return LLVM_DONE;
}

/* The part of a triple that names the architecture is the same. */
static bool same_machine(const char *a, const char *b)
{
    const size_t n = strcspn(a, "-");
    return n == strcspn(b, "-") && strncmp(a, b, n) == 0;
}

static llvm_outcome open_machine(session *s)
{
    llvm_request *r = s->request;
    char *own = LLVMGetDefaultTargetTriple();
    char *error = NULL;
    LLVMTargetRef target;
    s->triple = r->options->triple ? LLVMNormalizeTargetTriple(r->options->triple)
                                   : LLVMNormalizeTargetTriple(own);
    const bool is_own = same_machine(own, s->triple);
    LLVMDisposeMessage(own);
    s->t.is_x86 = starts_with(s->triple, "x86_64-");
    if (!s->t.is_x86 && !starts_with(s->triple, "aarch64-"))
        return say(r, LLVM_UNAVAILABLE, "there is no code generator for the triple '%s'",
                   s->triple);
    if (LLVMGetTargetFromTriple(s->triple, &target, &error))
        return say_text(r, LLVM_UNAVAILABLE, error);
    const llvm_outcome outcome = choose_cpu(s, is_own);
    if (outcome != LLVM_DONE)
        return outcome;
    s->machine = LLVMCreateTargetMachine(target, s->triple, s->t.cpu, s->t.features,
                                         LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    return s->machine ? LLVM_DONE
                      : say(r, LLVM_UNAVAILABLE, "no code can be made for '%s'", s->triple);
}

/* ---- code ---- */

/* Remarks and warnings are not for our users; errors reach them as a failed emission. */
static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    (void)info;
    (void)user;
}

static llvm_outcome make_module(session *s)
{
    translation *t = &s->t;
    llvm_request *r = s->request;
    t->context = LLVMContextCreate();
    LLVMContextSetDiscardValueNames(t->context, true);
    LLVMContextSetDiagnosticHandler(t->context, ignore_diagnostic, NULL);
    t->module = LLVMModuleCreateWithNameInContext("tenon", t->context);
    t->builder = LLVMCreateBuilderInContext(t->context);
    t->heads = LLVMCreateBuilderInContext(t->context);
    t->allocator = r->allocator;
    LLVMSetTarget(t->module, s->triple);
    t->layout = LLVMCreateTargetDataLayout(s->machine);
    LLVMSetModuleDataLayout(t->module, t->layout);
    translation_init(t);
    if (r->program && !translate_program(t, r->program, r->used))
        return say(r, LLVM_NO_MEMORY, "no memory");
    for (size_t k = 0; k < r->n; k++)
        if (!translate(t, &r->functions[k]))
            return say(r, LLVM_NO_MEMORY, "no memory");
#ifndef NDEBUG
    char *error = NULL;
    if (LLVMVerifyModule(t->module, LLVMReturnStatusAction, &error))
        return say_text(r, LLVM_BROKEN, error);
    LLVMDisposeMessage(error);
#endif
    return LLVM_DONE;
}

static llvm_outcome run_passes(session *s)
{
    static const char passes[] =
        "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
        "loop-mssa(licm),early-cse)";
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(s->t.module, passes, s->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return LLVM_DONE;
    char *message = LLVMGetErrorMessage(error);
    (void)say(s->request, LLVM_BROKEN, "%s", message);
    LLVMDisposeErrorMessage(message);
    return LLVM_BROKEN;
}

static llvm_outcome emit(const session *s)
{
    llvm_request *r = s->request;
    char *error = NULL;
    LLVMMemoryBufferRef code = NULL;
    if (r->options->form == TARGET_LLVM_IR) {
        char *text = LLVMPrintModuleToString(s->t.module);
        r->put(r->user, text, strlen(text));
        LLVMDisposeMessage(text);
        return LLVM_DONE;
    }
    const LLVMCodeGenFileType type =
        r->options->form == TARGET_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(s->machine, s->t.module, type, &error, &code))
        return say_text(r, LLVM_BROKEN, error);
    r->put(r->user, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
    LLVMDisposeMemoryBuffer(code);
    return LLVM_DONE;
}

static llvm_outcome make_code(session *s)
{
    llvm_outcome outcome = open_machine(s);
    if (outcome == LLVM_DONE)
        outcome = make_module(s);
    if (outcome == LLVM_DONE)
        outcome = run_passes(s);
    if (outcome == LLVM_DONE)
        outcome = emit(s);
    return outcome;
}

static llvm_outcome compile(llvm_request *r)
{
    session s = {.request = r};
    const llvm_outcome outcome = make_code(&s);
    if (s.t.builder)
        LLVMDisposeBuilder(s.t.builder);
    if (s.t.heads)
        LLVMDisposeBuilder(s.t.heads);
    if (s.t.module)
        LLVMDisposeModule(s.t.module);
    if (s.t.layout)
        LLVMDisposeTargetData(s.t.layout);
    if (s.machine)
        LLVMDisposeTargetMachine(s.machine);
    if (s.t.context)
        LLVMContextDispose(s.t.context);
    LLVMDisposeMessage(s.triple);
    LLVMDisposeMessage(s.cpu_text);
    LLVMDisposeMessage(s.features_text);
    return outcome;
}

__attribute__((visibility("default"))) const llvm_plugin *tenon_llvm_plugin(void)
{
    static const llvm_plugin plugin = {LLVM_PLUGIN_VERSION, sizeof(loop_inst), LOOP_OP_COUNT,
                                       compile};
    return &plugin;
}
