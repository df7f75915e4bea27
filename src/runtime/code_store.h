/* The machine code that the programs of an engine run, each piece once: what several bindings of
 * symbolic sizes have in common is compiled for the first of them. */
#ifndef RUNTIME_CODE_STORE_H
#define RUNTIME_CODE_STORE_H

#include "runtime/code.h"

typedef struct code_store code_store;

/* One piece; it lives as long as somebody uses it. */
typedef struct stored_code stored_code;

/* NULL without memory. */
code_store *code_store_new(const tn_allocator *allocator);
/* S may be NULL; nobody uses what it holds. */
void code_store_free(code_store *s);

/* The code for the KEY of N bytes, with one user more; NULL: there is none. On any thread. */
stored_code *code_store_take(code_store *s, const void *key, size_t n);
/* Keep MADE, which runs at RUN, for KEY. Returns it, with one user, or what another thread has put
 * there since: MADE is freed then. NULL without memory, and MADE is freed. */
stored_code *code_store_put(code_store *s, const void *key, size_t n, code *made,
                            code_function *run);
/* One user of C less; C may be NULL. */
void code_store_give_back(code_store *s, stored_code *c);

code_function *stored_code_run(const stored_code *c);

#endif
