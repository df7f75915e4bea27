/* What the operations of a program demand of its extents. */
#ifndef PASS_SIZES_EQUATIONS_H
#define PASS_SIZES_EQUATIONS_H

#include "pass/sizes/solver.h"

/* An equation, or an inequality A <= B, between products of extents. */
typedef struct equation {
    const dim *a, *b;
    uint32_t n_a, n_b;
    bool at_most;
} equation;

typedef struct equations {
    VECTOR(equation) list;
    hash_index known; /* each stands in the list once */
    bool no_memory;
} equations;

/* Collect those of M that hold for extents with symbols; E is all zero. What index maps demand is
 * not among them, nor what only some operations do: binding has the last word. */
void equations_of(const module *m, equations *e);
void equations_release(const module *m, equations *e);

/* Find all values that follow from those that are set. False: they contradict each other. */
bool equations_follow(const equations *e, solver *s);

#endif
