/* What one user of the library owns: allocator, diagnostics, limits. Used by one thread at a time.
 */
#ifndef BASE_CONTEXT_CONTEXT_H
#define BASE_CONTEXT_CONTEXT_H

#include <stdatomic.h>

#include "base/context/diag.h"
#include "base/context/names.h"

enum { LIMIT_MOST_NESTING = 256 };

/* Bounds on what an untrusted program may ask for; each has a flag. */
typedef struct limits {
    uint32_t nodes;         /* instructions in a module */
    uint32_t nesting;       /* of literals, objects, regions; at most LIMIT_MOST_NESTING */
    uint32_t errors;        /* reported before a reader gives up */
    uint64_t literal_bytes; /* all constants together */
    uint64_t output_bytes;  /* of a program that is written */
    uint64_t run_bytes;     /* all tensors alive at once during a run */
    uint64_t memory_bytes;  /* all modules of a context together, with what passes need */
} limits;

struct tn_context {
    tn_allocator allocator;
    /* The same for modules and passes: counts, and refuses memory above the limit, or when the work
     * is to stop. Whatever takes long also takes memory, so cancellation is checked only here. */
    tn_allocator metered;
    _Atomic uint64_t metered_bytes;
    diag_channel diag;
    uint64_t n_texts;  /* that have a number */
    name_table *names; /* what readers note of the text they read; NULL: nothing */
    limits limits;
    int64_t deadline; /* of clock_now; 0: none */
    bool (*cancel)(void *user);
    void *cancel_user;
    bool has_told_llvm;        /* that LLVM is missing: said once */
    bool has_told_cache;       /* that TENON_CACHE_BYTES is no number: likewise */
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
/* Give TO the limits of FROM, its deadline, who may cancel, and the names of settings. */
void context_limits_from(context *to, const context *from);
/* The limits and the names alone, for work that has its own time. */
void context_bounds_from(context *to, const context *from);
/* The number of another source text, from 1 on. */
static inline uint64_t context_new_text(context *cx)
{
    return ++cx->n_texts;
}
/* Is the work to stop, because the time is up or it was cancelled? Then the reason is given
 * (diag_refuse), and module_no_memory or diag_no_memory reports it. */
bool context_is_stopped(context *cx);

/* Every public function ends with this: it delivers what was reported. */
static inline tn_status context_done(context *cx, tn_status status)
{
    const tn_status refused = cx->diag.refused_with;
    diag_flush(&cx->diag);
    cx->diag.refused_with = TN_OK;
    return status == TN_ERR_NOMEM && refused != TN_OK ? refused : status; /* a limit, not memory */
}

#endif
