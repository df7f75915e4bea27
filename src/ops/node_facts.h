/* What follows from a node and what it is made of, whoever asks. */
#ifndef OPS_NODE_FACTS_H
#define OPS_NODE_FACTS_H

#include "graph/module.h"

/* The constant whose elements alone N shows, seen through what repeats and moves them; NULL: there
 * is none. */
const literal *node_shown_literal(const function *f, const node *n);

/* Are the extents, steps and padding of the windows of N numbers, no sizes? */
bool node_has_known_windows(const node *n);

/* May N, of F, stop the run with an error? */
bool node_may_fail(const function *f, const node *n);

#endif
