/* From the kernels of a plan to the steps of an executable. */
#ifndef COMPILE_JIT_STEPS_H
#define COMPILE_JIT_STEPS_H

#include "compile/jit_executable.h"
#include "compile/jit_plan.h"

/* For executable_of_module: makes the kernels of PLAN steps, whose code has the number of its unit.
 */
typedef struct jit_steps {
    const jit_plan *plan;
    bool checks; /* compare kernels with the evaluator (compile/check.h) */
} jit_steps;

/* USER is a jit_steps. What has no kernels runs by reference kernels. */
exe_steps_fn jit_add_steps;

#endif
