/* The compiler, all together: from a module to a tape whose steps run machine code. */
#ifndef COMPILE_JIT_H
#define COMPILE_JIT_H

#include "compile/engine.h"
#include "loop/ir/loop.h"
#include "runtime/code.h"

/* *OUT: the tape of M, which is static and optimised, for E's CPU; NULL where the evaluator holds
 * much less than a tape. OTHERS, which may be NULL, is M with other sizes. What has no kernels runs
 * by reference kernels. EVENTS may be NULL. Returns TN_ERR_UNAVAILABLE, with nothing reported, when
 * code cannot be made here (no LLVM and nothing in the cache); and reported, TN_ERR_NOMEM, or
 * TN_ERR_INTERNAL where LLVM refuses code of ours. */
tn_status jit_compile(engine *e, const module *m, other_sizes *others, const tn_profiler *events,
                      tape **out);

/* Code for PROGRAM alone; *OUT owns it. NULL when PROGRAM is, or when it cannot be made. */
code_function *jit_compile_one(const engine *e, const loop_program *program, code **out);

#endif
