/* What follows from a node and what it is made of, whoever asks. */
#ifndef OPS_NODE_FACTS_H
#define OPS_NODE_FACTS_H

#include "graph/module.h"

/* The constant whose elements alone N shows, seen through what repeats and moves them; NULL: there
 * is none. */
const literal *node_shown_literal(const function *f, const node *n);

/* Are the extents, steps and padding of the windows of N numbers, no sizes? */
bool node_has_known_windows(const node *n);

/* Is N a random generator? What it makes depends on its place among generators. */
bool node_draws(const node *n);

/* May N, of F, stop the run with an error? */
bool node_may_fail(const function *f, const node *n);

/* By node: do outputs of F need it? Others are not computed, so they cannot stop a run. NULL
 * without memory. */
bool *function_needed_nodes(const function *f, arena *memory);

/* What values are made of that may stop the run: by value a set of nodes, a bit for each of the
 * first 63 and the last for all others. */
typedef struct failing {
    uint64_t *of;
    uint32_t n; /* such nodes so far */
} failing;

/* For the values that F has now; false without memory. */
bool failing_init(failing *x, const function *f, arena *memory);
/* Take note of the results of N, of F, whose operands were noted. */
void failing_add(failing *x, const function *f, const node *n);
/* Does everything of DROPPED that may stop the run still do so where KEPT is computed? */
bool failing_covers(uint64_t kept, uint64_t dropped);

#endif
