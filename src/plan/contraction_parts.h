/* A contraction on its way from a node to loops over memory. */
#ifndef PLAN_CONTRACTION_PARTS_H
#define PLAN_CONTRACTION_PARTS_H

#include "index/access.h"
#include "plan/contraction.h"

/* Node N of F as the contraction P. */
typedef struct form {
    const function *f;
    const node *n;
    arena *memory;
    contraction p;
    access_map map[2]; /* from the loops to the operands' memory */
} form;

/* Where the operands of an op are read: axis i at constant[i] + the sum of by[i][loop] * loop. */
typedef struct reading {
    int64_t constant[TN_MAX_RANK];
    int64_t by[TN_MAX_RANK][TN_MAX_RANK];
} reading;

/* Another loop of P, whose number is returned. */
uint32_t contraction_add_loop(contraction *p, contraction_part part, int64_t extent, int64_t c);
/* The loops of S as its op has them, and where they read the operands. False: the op has none. */
bool contraction_find_loops(form *s, reading r[2]);

#endif
