/* Machine code for the programs of a plan. */
#ifndef COMPILE_JIT_H
#define COMPILE_JIT_H

#include "compile/engine.h"
#include "compile/jit_pack.h"
#include "compile/tiers/tiers.h"
#include "runtime/code_store.h"

/* Why there is no code: TN_ERR_UNAVAILABLE where it cannot be made here (no LLVM, or too little
 * memory for it, and nothing in the cache), TN_ERR_INTERNAL where LLVM refuses code of ours, or
 * TN_ERR_NOMEM. */
typedef struct jit_failure {
    tn_status status;
    char message[256]; /* the reason; empty for NOMEM */
} jit_failure;

/* The code of a plan, by unit: functions, and what holds them, which is nothing where a unit has
 * none. */
typedef struct jit_code {
    uint32_t n;
    code_tier *tier;
    stored_code **held;
    exe_kernel **run;
} jit_code;

/* Code for every unit of PLAN, for E's CPU: of other programs of E, from the cache, or compiled, on
 * several threads; *COMPILED is how many had to be. MADE is in PLAN's memory, to be released in any
 * case. Reports nothing: returns the status of *WHY. */
tn_status jit_compile(const engine *e, jit_plan *plan, jit_code *made, uint32_t *compiled,
                      jit_failure *why);
void jit_code_release(const engine *e, jit_code *made);

/* A tape of X, which it takes over, with the code in MADE and what PACKS hold, which it takes too,
 * and with what steps name of PLAN. NULL without memory: all but X is left as it was then. */
tape *jit_load(const engine *e, executable *x, jit_plan *plan, jit_code *made, jit_packs *packs);

/* T, which jit_load made or not, is about to run, until DEADLINE (of clock_now; 0: none). */
void jit_note_run(const tape *t, int64_t deadline);
/* Does all of T's code stay what it is? */
bool jit_is_settled(const tape *t);

/* Optimised code for PROGRAM alone; *OUT owns it. NULL when PROGRAM is, or when it cannot be made.
 */
code_function *jit_compile_one(const engine *e, const loop_program *program, code **out);

#endif
