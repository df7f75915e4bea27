/* What Core IR and the surface language have in common about errors. */
#ifndef DIALECT_MIND_CODES_H
#define DIALECT_MIND_CODES_H

#include "base/memory/memory.h"
#include "tenon/types.h"

/* The code for one of the library's error kinds, or NULL. */
const char *mind_code_of(int kind);
/* Let the message of an error begin with the name that its code has in the catalogue, which
 * conformance files look for. */
void mind_entitle(int kind, tn_diagnostic *d, arena *memory);

#endif
