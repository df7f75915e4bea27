/* Machine code in memory: loads a relocatable object as compilers write it. */
#ifndef RUNTIME_CODE_H
#define RUNTIME_CODE_H

#include "base/memory/memory.h"

/* As in runtime/tape.h and loop/ir/loop.h. */
typedef int32_t code_function(char *const *buffers, int64_t begin, int64_t end, char *scratch);

typedef struct code code;

/* Load the ELF object of N BYTES for this machine; it may call a few functions of the C library
 * (fma, memcpy, ...). The bytes may be anything: TN_ERR_IO when they are no object or hold what
 * kernels never do (writable data, other calls); but what they compute is not examined.
 * TN_ERR_UNAVAILABLE when this machine cannot load or run code. */
tn_status code_load(const tn_allocator *a, const void *bytes, size_t n, code **out);
/* The global function NAME, or NULL. */
code_function *code_find(const code *c, const char *name);
/* Free C, which may be NULL. Its functions must not be called afterwards. */
void code_free(code *c);

#endif
