/* The pass functions named in passes.def, for passes that are made of passes. */
#ifndef PASS_PASSES_H
#define PASS_PASSES_H

#include "pass/pass.h"

#define PASS(id, function, name, class, level, contract) pass_fn pass_##function;
#include "pass/passes.def"
#undef PASS

/* How often each value of F is used, outputs and gradients included. In the scratch memory of CX;
 * NULL without memory. */
uint32_t *pass_count_uses(pass_context *cx, const function *f);
/* How many nodes of M run each of its functions; likewise. */
uint32_t *pass_count_runs(pass_context *cx, const module *m);
/* Drop the nodes of F that nothing needs, as dce does. */
tn_status pass_sweep(pass_context *cx, function *f);

#endif
