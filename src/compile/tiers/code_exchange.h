/* Optimised code that takes the place of baseline code when a program runs again. */
#ifndef COMPILE_TIERS_CODE_EXCHANGE_H
#define COMPILE_TIERS_CODE_EXCHANGE_H

#include "compile/jit.h"

typedef struct code_exchange code_exchange;

/* What is to be exchanged in T, which outlives it: the units of PLAN, copied, of which MADE has
 * baseline code. E outlives it, too. NULL without memory, or when there is nothing. */
code_exchange *exchange_new(const engine *e, tape *t, const jit_plan *plan, const jit_code *made);
/* X may be NULL; nothing runs T. */
void exchange_free(code_exchange *x);

/* T is about to run, on any thread, and has to end by DEADLINE (of clock_now; 0: no time). The
 * second run compiles the optimised code before it begins, or a later one that has the time; others
 * that come meanwhile go on with what there is. X may be NULL. */
void exchange_note_run(code_exchange *x, int64_t deadline);
/* Will nothing be exchanged any more? X may be NULL. */
bool exchange_has_ended(const code_exchange *x);

#endif
