/* Two tiers of machine code with the same bits: baseline code is compiled in a third of the time
 * and takes about twice as long to run, so a first run may end sooner with it; optimised code takes
 * its place when the program runs again. */
#ifndef COMPILE_TIERS_H
#define COMPILE_TIERS_H

#include "compile/jit_plan.h"

struct engine;

typedef enum code_tier { TIER_OPTIMIZED, TIER_BASELINE, TIERS } code_tier;

/* Does E compile in tiers at all? Not where it was asked for optimised code alone, and not where
 * the threads or the memory are the caller's. */
bool tiers_are_used(const struct engine *e);

/* By unit of PLAN, in MEMORY: the tier with which compiling and one run together take less time, as
 * far as is known. NULL without memory. */
code_tier *tiers_choose(const struct engine *e, const jit_plan *plan, arena *memory);

#endif
