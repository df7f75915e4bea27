/* The compiler, all together: from a module to a tape whose steps run machine code. */
#ifndef COMPILE_JIT_H
#define COMPILE_JIT_H

#include "compile/engine.h"
#include "loop/ir/loop.h"
#include "runtime/code.h"

/* The tape of M, which is static and optimised, for E's CPU; OTHERS, which may be NULL, is M
 * with other sizes. What has no kernels runs by reference kernels. NULL when code cannot be made
 * here (no LLVM and nothing in the cache) or without memory; nothing is reported. EVENTS may be
 * NULL. */
tape *jit_compile(engine *e, const module *m, other_sizes *others, const tn_profiler *events);

/* Code for PROGRAM alone; *OUT owns it. NULL when PROGRAM is, or when it cannot be made. */
code_function *jit_compile_one(const engine *e, const loop_program *program, code **out);

#endif
