/* What an integer value can be, from the ops that make it. */
#ifndef PASS_BOUNDS_H
#define PASS_BOUNDS_H

#include "graph/module.h"

/* Every element is between these, both included. */
typedef struct int_bounds {
    int64_t low, high;
} int_bounds;

/* The bounds of V, of F: an integer value of at most 32 bits, or a truth value. They are those of
 * its dtype where no more is known. Looks at a limited number of nodes before V, and at the numbers
 * of constants. */
int_bounds integer_bounds(const function *f, value_id v);

#endif
