/* What the parts of the grouping share; private to it. */
#ifndef PLAN_GROUP_H
#define PLAN_GROUP_H

#include "ops/node_facts.h"
#include "plan/draft.h"

/* ---- node.c ---- */

bool node_is_copy(const node *n); /* the same elements in row-major order */
/* Has N one number everywhere: a constant's, seen through what repeats and moves elements? */
bool node_is_splat(const function *f, const node *n);
/* Does N follow from the position of an element in few cheap steps, and from nothing in memory? */
bool node_reads_nothing(const function *f, const node *n);
/* Is computing N again in another kernel no more expensive than reading it there? */
bool node_is_cheap(const function *f, const node *n);
/* Is N a contraction that KERNEL_CONTRACT takes? */
bool node_contracts(const node *n);
bool type_has_elements(const type *t);

/* ---- absorb.c ---- */

enum { FEW_KERNELS = 16 };
/* The kernels that need V at known positions, in *N; true when something needs it in memory. */
bool demanders(const grouping *g, value_id v, uint32_t *kernels, uint32_t *n);
/* The same for any number of kernels, in a list of the grouping's memory. */
bool all_demanders(grouping *g, value_id v, uint32_t **kernels, uint32_t *n);
/* Compute N in kernel K wherever K needs it: then K needs its operands. False, and nothing done,
 * when that cannot be; *WHY may then say why. */
bool absorb(grouping *g, uint32_t k, const node *n, const char **why);
/* K needs V in memory. */
void need_whole(grouping *g, uint32_t k, value_id v, const char *why);
/* A kernel for node I alone, with everything in memory. */
void start_whole(grouping *g, uint32_t i, kernel_kind kind);
/* A kernel over the positions of V, which it stores. */
uint32_t start_map(grouping *g, uint32_t i, value_id v);
/* The identity, if V is needed in K at exactly the positions of K; else NULL. */
const access_map *full_demand(grouping *g, uint32_t k, value_id v);
/* Can K store V, which other kernels need, too? It needs room for one more output, and neither K
 * nor anything that it depends on may depend on V. */
bool can_store_early(grouping *g, uint32_t k, value_id v);

/* ---- contained.c, reduction.c, concat.c ---- */

/* Node I, which kernel_can_contain. */
void place_contained(grouping *g, uint32_t i);
/* Node I, which kernel_is_reduction. */
void place_reduction(grouping *g, uint32_t i);
/* Node I, a concatenation that has elements. */
void place_concat(grouping *g, uint32_t i);

/* Why V, which demanders says is held, is in memory. */
const char *why_held(const grouping *g, value_id v);

/* ---- reasons that several parts give ---- */

#define WHY_OUTPUT "it is a result of the program"
#define WHY_MANY "more kernels need it than are looked at one by one"
#define WHY_SEVERAL "several kernels need it, and computing it again costs more than reading it"
#define WHY_INDEX "its positions have no index map"

#endif
