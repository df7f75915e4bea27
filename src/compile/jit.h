/* The compiler, all together: from a module to a tape whose steps run machine code. */
#ifndef COMPILE_JIT_H
#define COMPILE_JIT_H

#include "compile/engine.h"
#include "loop/ir/loop.h"
#include "runtime/code.h"

/* Why there is no code: TN_ERR_UNAVAILABLE where it cannot be made here (no LLVM, or too little
 * memory for it, and nothing in the cache), TN_ERR_INTERNAL where LLVM refuses code of ours, or
 * TN_ERR_NOMEM. */
typedef struct jit_failure {
    tn_status status;
    char message[256]; /* the reason; empty for NOMEM */
} jit_failure;

/* *OUT: the tape of M, which is static and optimised, for E's CPU; NULL where the evaluator holds
 * much less than a tape. OTHERS, which may be NULL, is M with other sizes. What has no kernels runs
 * by reference kernels. EVENTS may be NULL. Reports nothing: returns the status of *WHY. */
tn_status jit_compile(engine *e, const module *m, other_sizes *others, const tn_profiler *events,
                      tape **out, jit_failure *why);

/* Code for PROGRAM alone; *OUT owns it. NULL when PROGRAM is, or when it cannot be made. */
code_function *jit_compile_one(const engine *e, const loop_program *program, code **out);

#endif
