/* One request: loop programs to LLVM IR, a few passes, machine code. All that is shared between
 * requests is LLVM's own list of targets, filled while the module is loaded, and the machine, where
 * the caller keeps it. */
#include "target/llvm/plugin.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "target/llvm/plugin/host.h"
#include "target/llvm/plugin/translate.h"

llvm_plugin_entry tenon_llvm_plugin;

/* What code is for. */
typedef struct code_machine {
    char *triple;
    const char *cpu, *features;
    char *cpu_text, *features_text; /* of this machine, from LLVM */
    bool is_x86;
    bool is_native; /* code is for all that this machine has */
    cpu_level level;
    bool has_byte_dots, has_bf16_dots, has_halves;
    LLVMTargetMachineRef llvm;
} code_machine;

typedef struct session {
    llvm_request *request;
    translation t;
    code_machine *machine;
} session;

__attribute__((format(printf, 3, 4))) static llvm_outcome say(llvm_request *r, llvm_outcome outcome,
                                                              const char *format, ...)
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

/* What takes much time and gains nothing. Loop strength reduction takes nearly half of what code
 * generation takes: addresses in loop programs already are a pointer and a constant. Promotion of
 * memory in loops compares all accesses of a loop with each other, a fifth of the time of a
 * convolution: loop programs already hold in values what registers shall hold. Both can be turned
 * off for a process only; nothing but the speed of what others there let LLVM compile depends on
 * it. */
__attribute__((constructor)) static void choose_passes(void)
{
    static const char *const arguments[] = {"tenon", "-disable-lsr", "-disable-licm-promotion"};
    LLVMParseCommandLineOptions(sizeof arguments / sizeof *arguments, arguments, NULL);
}

static cpu_level level_of_features(bool is_x86, const char *features)
{
    if (!is_x86 || !strstr(features, "+avx,"))
        return LEVEL_BASIC;
    if (!strstr(features, "+avx2,") || !strstr(features, "+fma,"))
        return LEVEL_AVX;
    const bool has_masks = strstr(features, "+avx512bw,") && strstr(features, "+avx512vl,");
    return has_masks ? LEVEL_AVX512 : LEVEL_AVX2;
}

/* The rule of machine_host (machine/machine.c). */
static bool has_byte_dots(cpu_level level, const char *features)
{
    return (level == LEVEL_AVX512 && strstr(features, "+avx512vnni,")) ||
           (level == LEVEL_AVX2 && strstr(features, "+avxvnni,"));
}

static llvm_outcome choose_cpu(llvm_request *r, code_machine *m, bool is_own_machine)
{
    const char *cpu = r->options->cpu ? r->options->cpu : "native";
    m->features = "";
    if (strcmp(cpu, "native") != 0) {
        m->cpu = cpu;
    } else if (is_own_machine) {
        m->cpu = m->cpu_text = LLVMGetHostCPUName();
        m->features = m->features_text = LLVMGetHostCPUFeatures();
        m->level = level_of_features(m->is_x86, m->features);
        m->has_byte_dots = has_byte_dots(m->level, m->features);
        m->has_bf16_dots = m->level == LEVEL_AVX512 && strstr(m->features, "+avx512bf16,");
        m->has_halves = m->level >= LEVEL_AVX && strstr(m->features, "+f16c,");
        m->is_native = true;
        return LLVM_DONE;
    } else {
        m->cpu = m->is_x86 ? "x86-64" : "generic";
    }
    const cpu_info *known = cpu_by_name(m->is_x86 ? ARCH_X86_64 : ARCH_AARCH64, m->cpu);
    if (!known)
        return say(r, LLVM_UNAVAILABLE, "the CPU '%s' is not known for the triple '%s'", m->cpu,
                   m->triple);
    m->cpu = known->name;
    m->level = known->level;
    m->has_byte_dots = known->has_byte_dots;
    m->has_bf16_dots = known->has_bf16_dots;
    m->has_halves = m->level >= LEVEL_AVX2; /* all of these have F16C */
    return LLVM_DONE;
}

/* The part of a triple that names the architecture is the same. */
static bool same_machine(const char *a, const char *b)
{
    const size_t n = strcspn(a, "-");
    return n == strcspn(b, "-") && strncmp(a, b, n) == 0;
}

static llvm_outcome open_machine(llvm_request *r, code_machine *m)
{
    char *own = LLVMGetDefaultTargetTriple();
    char *error = NULL;
    LLVMTargetRef target;
    m->triple = r->options->triple ? LLVMNormalizeTargetTriple(r->options->triple)
                                   : LLVMNormalizeTargetTriple(own);
    const bool is_own = same_machine(own, m->triple);
    LLVMDisposeMessage(own);
    machine_arch arch;
    if (!arch_of_triple(m->triple, &arch))
        return say(r, LLVM_UNAVAILABLE, "there is no code generator for the triple '%s'",
                   m->triple);
    m->is_x86 = arch == ARCH_X86_64;
    if (LLVMGetTargetFromTriple(m->triple, &target, &error))
        return say_text(r, LLVM_UNAVAILABLE, error);
    const llvm_outcome outcome = choose_cpu(r, m, is_own);
    if (outcome != LLVM_DONE)
        return outcome;
    m->llvm = LLVMCreateTargetMachine(target, m->triple, m->cpu, m->features,
                                      r->options->is_baseline ? LLVMCodeGenLevelNone
                                                              : LLVMCodeGenLevelDefault,
                                      LLVMRelocPIC, LLVMCodeModelSmall);
    if (!m->llvm)
        return say(r, LLVM_UNAVAILABLE, "no code can be made for '%s'", m->triple);
    if (r->options->runs_here && !m->is_native &&
        !(is_own && host_runs(m->triple, m->cpu, m->llvm)))
        return say(r, LLVM_UNAVAILABLE, "this machine cannot run code for the CPU '%s'", m->cpu);
    return LLVM_DONE;
}

static void close_machine(void *user)
{
    code_machine *m = user;
    if (!m)
        return;
    if (m->llvm)
        LLVMDisposeTargetMachine(m->llvm);
    LLVMDisposeMessage(m->triple);
    LLVMDisposeMessage(m->cpu_text);
    LLVMDisposeMessage(m->features_text);
    free(m);
}

/* The machine that was kept, or a new one. */
static llvm_outcome find_machine(session *s)
{
    llvm_request *r = s->request;
    llvm_outcome outcome = LLVM_DONE;
    s->machine = r->machine ? *r->machine : NULL;
    if (!s->machine) {
        s->machine = calloc(1, sizeof *s->machine);
        outcome = s->machine ? open_machine(r, s->machine) : say(r, LLVM_NO_MEMORY, "no memory");
    }
    if (outcome != LLVM_DONE)
        return outcome;
    s->t.cpu = s->machine->cpu;
    s->t.features = s->machine->features;
    s->t.is_x86 = s->machine->is_x86;
    s->t.level = s->machine->level;
    s->t.has_byte_dots = s->machine->has_byte_dots;
    s->t.has_bf16_dots = s->machine->has_bf16_dots;
    s->t.has_halves = s->machine->has_halves;
    return LLVM_DONE;
}

/* ---- code ---- */

/* Remarks and warnings are dropped; errors are reported as a failed emission. */
static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    (void)info;
    (void)user;
}

/* In development builds only: the module is what LLVM takes. */
static llvm_outcome verify(const session *s)
{
#ifndef NDEBUG
    char *error = NULL;
    if (LLVMVerifyModule(s->t.module, LLVMReturnStatusAction, &error))
        return say_text(s->request, LLVM_BROKEN, error);
    LLVMDisposeMessage(error);
#else
    (void)s;
#endif
    return LLVM_DONE;
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
    t->is_apart = r->options->is_apart;
    t->is_baseline = r->options->is_baseline;
    LLVMSetTarget(t->module, s->machine->triple);
    t->layout = LLVMCreateTargetDataLayout(s->machine->llvm);
    LLVMSetModuleDataLayout(t->module, t->layout);
    translation_init(t);
    if (r->program && !translate_program(t, r->program, r->used))
        return say(r, LLVM_NO_MEMORY, "no memory");
    for (size_t k = 0; k < r->n; k++)
        if (!translate(t, &r->functions[k]))
            return say(r, LLVM_NO_MEMORY, "no memory");
    return verify(s);
}

static llvm_outcome run_passes(session *s)
{
    const char *passes = s->request->options->is_baseline
                             ? "function(early-cse)"
                             : "function(sroa,early-cse,instcombine<no-verify-fixpoint>,"
                               "simplifycfg,loop-mssa(licm),early-cse)";
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(s->t.module, passes, s->machine->llvm, options);
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
    if (LLVMTargetMachineEmitToMemoryBuffer(s->machine->llvm, s->t.module, type, &error, &code))
        return say_text(r, LLVM_BROKEN, error);
    r->put(r->user, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
    LLVMDisposeMemoryBuffer(code);
    return LLVM_DONE;
}

static llvm_outcome make_code(session *s)
{
    llvm_outcome outcome = find_machine(s);
    if (outcome == LLVM_DONE)
        outcome = make_module(s);
    if (outcome == LLVM_DONE)
        outcome = run_passes(s);
    if (outcome == LLVM_DONE) {
        write_masks(&s->t);
        outcome = verify(s);
    }
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
    if (s.t.context)
        LLVMContextDispose(s.t.context);
    const bool is_kept = r->machine && outcome == LLVM_DONE;
    if (!is_kept)
        close_machine(s.machine);
    if (r->machine)
        *r->machine = is_kept ? s.machine : NULL;
    return outcome;
}

__attribute__((visibility("default"))) const llvm_plugin *tenon_llvm_plugin(void)
{
    static const llvm_plugin plugin = {LLVM_PLUGIN_VERSION, sizeof(loop_inst), LOOP_OP_COUNT,
                                       compile, close_machine};
    return &plugin;
}
