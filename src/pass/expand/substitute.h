/* Nodes replaced by others, one at a time. */
#ifndef PASS_EXPAND_SUBSTITUTE_H
#define PASS_EXPAND_SUBSTITUTE_H

#include "pass/expand/expand.h"

/* *RESULT becomes what stands for the one result of C->n, of the same type; it is NO_VALUE before,
 * and stays so when the node stays. */
typedef tn_status substitute_fn(expand_call *c, value_id *result);

/* CHOOSE for each node of F with one result, in order, with USER in its calls. Values keep no
 * numbers, nodes their order. Returns in *CHANGED how many were replaced. */
tn_status function_substitute(function *f, substitute_fn *choose, const void *user,
                              uint32_t *changed);

#endif
