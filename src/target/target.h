/* From loop programs to what a machine or a C compiler takes. */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include "base/context/context.h"
#include "loop/ir/loop.h"

/* A program and the name of its function, a C identifier. */
typedef struct target_function {
    const char *name;
    const loop_program *program;
} target_function;

typedef enum target_form { TARGET_OBJECT = 0, TARGET_ASSEMBLY, TARGET_LLVM_IR } target_form;

/* What requests of one thread for the same triple, CPU and time to compile share: zero before the
 * first, and target_forget after the last. */
typedef struct target_kept {
    const struct llvm_plugin *plugin;
    void *machine;
} target_kept;

typedef struct target_options {
    target_kept *kept;  /* NULL: nothing */
    const char *triple; /* NULL: this machine's */
    const char *cpu;    /* "native", "x86-64-v3", ...; NULL: native */
    bool is_pic;        /* for shared objects; LLVM's code always is */
    bool runs_here;     /* this machine is to run the code: what it cannot run is refused */
    bool is_apart;      /* each function is in a section of its own */
    bool is_baseline;   /* compile in little time; the code, with the same bits, is slower */
    target_form form;
} target_options;

/* Compile N functions into one object (or text) through LLVM, which is loaded on the first call:
 * BackendUnavailable when it is not installed, when it does not know the CPU or triple, and where
 * code is to run here and this machine lacks instructions of the CPU. The bytes
 * are appended to OUT. May be called by several threads at once with a context each. */
tn_status target_llvm(context *cx, const target_function *functions, size_t n,
                      const target_options *options, text_buffer *out);

/* Add to the open diagnostic the name that CPU, which may be NULL, was meant to be, unless it is
 * one that is known for TRIPLE (NULL: this machine's). */
void target_suggest_cpu(context *cx, const char *triple, const char *cpu);

void target_forget(target_kept *kept);

/* True when the module that target_llvm loads is there; loads nothing. */
bool target_llvm_is_installed(void);

/* The version of the LLVM that target_llvm uses and the CPU it stands for ("native" resolved, with
 * its features), for keys of caches: known without loading LLVM. In MEMORY; NULL without memory. */
const char *target_llvm_identity(const target_options *options, arena *memory);

/* The same functions as C11 with GNU vector types, `static` unless IS_EXTERN, for gcc and clang.
 * LEVEL is what the compiler is told of the processor: 4 for x86-64-v4, 3 for x86-64-v3, 0 for
 * nothing. What the functions need stands before them, so this is called once a file. */
void target_c(const target_function *functions, size_t n, bool is_extern, int level,
              text_buffer *out);

#endif
