/* Compiled programs: what a tn_program holds, and what is made of it for the extents of one run. */
#ifndef COMPILE_COMPILED_H
#define COMPILE_COMPILED_H

#include <pthread.h>

#include "compile/engine.h"
#include "compile/other_sizes.h"
#include "graph/public.h"

struct custom_set;
struct pipeline;

/* A program for one choice of extents; a graph without symbols. Does not change once it is made;
 * its context was used for making it only, and each run brings one of its own. */
typedef struct variant {
    context *cx;
    module *graph; /* optimised */
    tape *tape;    /* NULL: the evaluator runs it */
    tn_port *outputs;
    int64_t *extents; /* of all inputs, one after the other */
    /* guarded by the cache's lock */
    uint32_t users;
    bool is_cached;
    bool is_own;   /* its code is for these extents alone, or will not be replaced by such code */
    int64_t spent; /* nanoseconds, in runs */
    uint64_t last_use;
} variant;

enum { MOST_VARIANTS = 64 };

/* What a program with symbols has made so far. */
typedef struct variant_cache {
    pthread_mutex_t lock;
    uint64_t clock; /* counts uses */
    uint32_t n;
    variant *at[MOST_VARIANTS];
    other_graph other; /* that the next variant is compared with; while one is made it has it */
} variant_cache;

/* Nothing here changes after compilation but `cache` and `engine`, which have locks, and the memory
 * that a tape keeps. The diagnostic channel of `cx` is used during compilation only. */
struct tn_program {
    tn_allocator allocator;
    tn_diagnostic_sink sink; /* of runs that name none */
    sizes_options options;   /* how graphs are optimised */
    struct custom_set *custom;
    context *cx;
    module *graph; /* without a cache what runs; with one the module with its symbols */
    tn_port *inputs, *outputs;
    int64_t *positions; /* by input: values below this are valid positions; 0: it gives none */
    uint32_t n_inputs, n_outputs;
    dim_values *sizes;
    uint32_t *named; /* by input: the axes whose extents the program gives by symbols */
    variant_cache *cache;
    engine *engine;
    tape *tape;            /* without a cache; NULL: the evaluator runs it */
    struct pipeline *made; /* where it is only to be explained: what it would run; else NULL */
    bool makes_own;        /* extents that it often runs with get code for these alone */
    uint64_t turns;        /* that the evaluator lets loops of while take in a run; 0: any number */
    other_sizes others;    /* without a cache: what code is compared with */
};

/* Append the names, in quotes, of the symbols without a value that the extents of N inputs of P
 * from FIRST on depend on. */
void unknown_sizes(const tn_program *p, size_t first, size_t n, text_buffer *names);

/* Report that such symbols have no value; WHAT depends on them. */
tn_status report_unknown_sizes(const tn_program *p, const char *what);

/* The variant of P for the extents of the inputs IN, whose ranks and dtypes fit; made if P does not
 * have it, of which EVENTS, which may be NULL, are told. One whose runs have taken long is made
 * again, for these extents alone, where the run HAS_TIME. Whoever takes it gives it back. Reports
 * to SINK. */
tn_status variant_take(const tn_program *p, const tn_buffer *in, tn_diagnostic_sink sink,
                       const tn_profiler *events, bool has_time, variant **v);
/* SPENT: the nanoseconds that a run of V took. */
void variant_give_back(const tn_program *p, variant *v, int64_t spent);
/* NULL when there is no memory. */
variant_cache *variant_cache_new(const tn_allocator *allocator);
void variant_cache_free(const tn_allocator *allocator, variant_cache *cache);

/* For each input of M's entry: how many positions there are in the tensors that it indexes, as it
 * is or moved, cast or passed through regions; 0 when it indexes none, or only where the extent is
 * not known. POSITIONS is zero before. False when there is no memory. */
bool find_positions(const module *m, int64_t *positions);

/* The values of M's symbols, in M's memory (dim_values): those that bindings name, and what
 * follows. */
tn_status sizes_of_bindings(module *m, const tn_binding *bindings, size_t n, dim_values **sizes);

/* Give every symbol of M the extent that a binding names, everywhere, and check the result. */
tn_status bind_symbols(module *m, const tn_binding *bindings, size_t n);

#endif
