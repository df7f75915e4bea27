/* The pass functions named in passes.def, for passes that are made of passes. */
#ifndef PASS_PASSES_H
#define PASS_PASSES_H

#include "pass/pass.h"

#define PASS(id, function, name, class, level, contract) pass_fn pass_##function;
#include "pass/passes.def"
#undef PASS

#endif
