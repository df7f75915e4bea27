/* Nodes of the gradient that take the place of primal ones: a loop that also records what the
 * gradient needs, instead of the loop that does not. */
#ifndef GRAD_GRAD_REPLACE_H
#define GRAD_GRAD_REPLACE_H

#include "graph/module.h"

/* The nodes of F from FIRST_NODE up to the one of NOW move to where the node of OLD stands, which
 * goes away: its results are NOW, NOW + 1, ... from then on. */
typedef struct replacement {
    function *f;
    value_id old;
    uint32_t first_node;
    value_id now;
} replacement;

typedef VECTOR(replacement) replacement_list;

/* Do what LIST says about F, and take it off the list. Values of F are renumbered, so nobody may
 * hold any but its inputs and outputs. */
tn_status replacements_apply(replacement_list *list, function *f);

#endif
