/* Passes: graph to graph, in place. passes.def lists them with their contracts. */
#ifndef PASS_PASS_H
#define PASS_PASS_H

#include "graph/module.h"

typedef enum pass_id {
#define PASS(id, function, name, class, level, contract) PASS_##id,
#include "pass/passes.def"
#undef PASS
    PASS_COUNT
} pass_id;

/* What a pass may change about results. */
typedef enum pass_class {
    PASS_EXACT,         /* nothing */
    PASS_REASSOCIATING, /* rounding, within the bound in docs/numerics.md */
    PASS_RELAXED        /* what docs/numerics.md says; only runs with relaxed numerics */
} pass_class;

/* -O2 for a program that is to run, whatever its dialect can spell. */
enum { PASS_LEVEL_RUN = 3 };

/* What one run of a pass shares with its caller. */
typedef struct pass_context {
    arena scratch; /* emptied after every pass */
    uint32_t n_changed;
} pass_context;

typedef tn_status pass_fn(pass_context *cx, module *m);

typedef struct pass_info {
    const char *name;
    pass_class class;
    uint8_t level; /* lowest -O level that runs it, or PASS_LEVEL_RUN; 9: only on request */
    const char *contract;
    pass_fn *run;
} pass_info;

extern const pass_info pass_table[PASS_COUNT];

/* The pass called NAME, or PASS_COUNT. */
pass_id pass_by_name(const char *name, size_t length);

/* Called after each pass with the module as it stands; NULL for none. */
typedef struct pass_observer {
    void (*after)(void *user, const module *m, pass_id id, uint32_t n_changed);
    void *user;
} pass_observer;

/* Run one pass, then verify when VERIFY is set, and in development builds always: a broken module
 * names the pass that broke it. */
tn_status pass_run(module *m, pass_id id, bool verify, const pass_observer *observer);
/* Run the passes of an -O level, or of PASS_LEVEL_RUN, in the order of passes.def; RELAXED: also,
 * unless the level is 0, those of that class. */
tn_status pass_run_level(module *m, int level, bool relaxed, bool verify,
                         const pass_observer *observer);

#endif
