/* From the kernels of a plan to the steps of an executable. */
#ifndef COMPILE_JIT_STEPS_H
#define COMPILE_JIT_STEPS_H

#include "compile/jit_executable.h"
#include "compile/jit_plan.h"
#include "runtime/workers.h"

/* For executable_of_module: makes the kernels of PLAN steps, whose code has the number of its unit.
 */
typedef struct jit_steps {
    const jit_plan *plan;
    exe_kernel *const *code; /* by unit, for what is made of constants; NULL: made in each run */
    bool checks;             /* compare kernels with the evaluator (compile/check.h) */
    workers *workers;        /* that pack constants; NULL: the calling thread alone */
    char *room;              /* for what is made of constants, once: zero before */
    uint64_t left;
} jit_steps;

/* Bytes of what is made of constants, once; UINT64_MAX: too many. */
uint64_t jit_packed_bytes(const jit_plan *plan);

/* USER is a jit_steps. What has no kernels runs by reference kernels. */
exe_steps_fn jit_add_steps;

#endif
