/* The geometry of scatter_add. */
#ifndef OPS_SCATTER_H
#define OPS_SCATTER_H

#include "graph/attr.h"

/* How the axes of a scatter_add go together. */
typedef struct scatter_axes {
    uint32_t vector;        /* axis of `indices` that holds index vectors; their rank: none */
    uint32_t n_window;      /* update axes that are window axes */
    uint32_t window_mask;   /* of the updates */
    uint32_t inserted_mask; /* of the operand */
    uint32_t n_components;  /* of an index vector */
    uint32_t component_axis[TN_MAX_RANK];
} scatter_axes;

/* Of attributes that passed the type rule. */
void find_scatter_axes(const attrs *given, const type *x, const type *indices, const type *updates,
                       scatter_axes *out);

#endif
