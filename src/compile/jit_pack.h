/* What kernels read of constants in another order: it is packed once, when a program is made, and
 * each piece once for all bindings of the program's sizes. */
#ifndef COMPILE_JIT_PACK_H
#define COMPILE_JIT_PACK_H

#include "compile/engine.h"
#include "compile/jit_plan.h"
#include "graph/derived.h"

/* What keeps packed constants; zero before. */
typedef struct jit_packs {
    VECTOR(payload *) held;
    const tn_allocator *allocator;
} jit_packs;

/* Pack the constants of the kernels of PLAN by the functions RUN, by unit, on threads of E: what is
 * packed is noted in the plan (step_plan.packed), for as long as PACKS is not released. What
 * cannot be packed now, such as without memory, the kernels pack in each run. *MADE: how many were
 * not there yet. */
void jit_pack(const engine *e, jit_plan *plan, exe_kernel *const *run, jit_packs *packs,
              uint32_t *made);
void jit_packs_release(jit_packs *packs);

#endif
