/* The compiler, all together: from a module to a tape whose steps run machine code. */
#ifndef DRIVER_JIT_H
#define DRIVER_JIT_H

#include "driver/engine.h"

/* The tape of M, which is static and optimised, for E's CPU. What has no kernels runs by reference
 * kernels. NULL when code cannot be made here (no LLVM and nothing in the cache) or without memory;
 * nothing is reported. EVENTS may be NULL. */
tape *jit_compile(const engine *e, const module *m, const tn_profiler *events);

#endif
