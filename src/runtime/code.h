/* Machine code in memory: loads a relocatable object as compilers write it. */
#ifndef RUNTIME_CODE_H
#define RUNTIME_CODE_H

#include "base/memory/memory.h"
#include "base/text/text.h"

/* As in runtime/tape.h and loop/ir/loop.h. */
typedef int32_t code_function(char *const *buffers, int64_t begin, int64_t end, char *scratch);

typedef struct code code;

/* Load the ELF object of N BYTES for this machine; it may call a few functions of the C library
 * (fma, memcpy, ...). The bytes may be anything: TN_ERR_IO when they are no object or hold what
 * kernels never do (writable data, other calls); but what they compute is not examined.
 * TN_ERR_UNAVAILABLE when this machine cannot load or run code. */
tn_status code_load(const tn_allocator *a, const void *bytes, size_t n, code **out);
/* Append to OUT the object of N BYTES with FUNCTION alone of its global functions, each of which
 * lies in a section of its own. False where there is none, or no memory. */
bool code_part(const tn_allocator *a, const void *bytes, size_t n, const char *function,
               text_buffer *out);
/* The global function NAME, or NULL. */
code_function *code_find(const code *c, const char *name);
/* The only global function; NULL where there is none, or more than one. */
code_function *code_only(const code *c);
/* Free C, which may be NULL. Its functions must not be called afterwards. */
void code_free(code *c);

#endif
