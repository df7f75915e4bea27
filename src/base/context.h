/* What one user of the library owns: allocator, diagnostics, limits. Used by one thread at a time.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include "base/diag.h"

/* Bounds on what an untrusted program may ask for; each has a flag. */
typedef struct limits {
    uint32_t nodes;         /* instructions in a module */
    uint32_t nesting;       /* of literals, objects, regions */
    uint32_t errors;        /* reported before a reader gives up */
    uint64_t literal_bytes; /* all constants together */
    uint64_t output_bytes;  /* of a program that is written */
    uint64_t run_bytes;     /* all tensors alive at once during a run */
} limits;

struct tn_context {
    tn_allocator allocator;
    diag_channel diag;
    limits limits;
    bool has_told_llvm;        /* that LLVM is missing: said once */
    struct custom_set *custom; /* kernels that the caller registered; NULL: none. Freed with it by
                                  whoever put it here */
    /* Conversion targets that the caller registered, and how they are freed; NULL: none. */
    void *targets;
    void (*release_targets)(struct tn_context *cx);
};
typedef struct tn_context context;

extern const limits limits_default;

/* SINK and ALLOCATOR may be NULL: silence, malloc. NULL when there is no memory. */
context *context_new(const tn_allocator *allocator, const tn_diagnostic_sink *sink);
void context_free(context *cx);

/* Every public function ends with this: what it reported is delivered before it returns. */
static inline tn_status context_done(context *cx, tn_status status)
{
    diag_flush(&cx->diag);
    return status;
}

#endif
