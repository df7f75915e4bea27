/* Computing values again where they are needed, instead of keeping them until then. */
#ifndef PLAN_RECOMPUTE_H
#define PLAN_RECOMPUTE_H

#include "plan/kernel.h"

/* Change the entry function of M, which is static and without composite ops, so that the values
 * that its kernels pass on take at most LIMIT bytes at any time, or as little as is found. What is
 * computed again are copies of nodes, which stand where they are needed: every result has the bits
 * that it had. *CHANGED: there are such copies. */
tn_status recompute(module *m, uint64_t limit, bool *changed);

/* ---- between choosing and changing; private ---- */

/* Value V, of memory of its own, is computed again before kernel AT, by copies of the nodes of
 * kernel FROM that it is made of. */
typedef struct recomputation {
    value_id v;
    uint32_t from, at;
} recomputation;

typedef VECTOR(recomputation) recomputations;

/* The nodes of K that its output V is made of: *N of them, ascending, in MEMORY. NULL without
 * memory. */
const uint32_t *recompute_nodes(const function *f, const kernel *k, value_id v, arena *memory,
                                uint32_t *n);

/* What is computed again, so that kernels need at most LIMIT bytes; by kernel, and in the order in
 * which it is computed there. */
tn_status recompute_choose(const function *f, const kernel_list *list, uint64_t limit,
                           arena *memory, recomputations *out);
/* Bring the nodes of F into the order of its kernels, each with nodes of its own, and add those. */
tn_status recompute_apply(function *f, const kernel_list *list, const recomputations *what,
                          arena *memory);

#endif
