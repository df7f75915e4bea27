/* The derivative of a loop over slices, which while uses too. */
#ifndef GRAD_REGIONS_GRAD_CONTROL_H
#define GRAD_REGIONS_GRAD_CONTROL_H

#include "grad/regions/grad_regions.h"

typedef struct scan_job {
    const function *body;
    uint32_t carries, scanned; /* operands */
    const value_id *in;        /* operands: carries, then scanned */
    /* The operands as the primal computed them: `in`, unless they are recomputed. */
    const value_id *primal_in;
    uint32_t first_node; /* of the gradients that need the recording scan */
    const value_id *g;   /* by result: its gradient, or NO_VALUE */
    const bool *wanted;  /* by operand */
    value_id *out;       /* by operand: its gradient, for those that are wanted */
} scan_job;

/* The gradients of the operands, from two scans: one that records, and takes the place of the
 * primal node, and one that goes back. */
void grad_scan_job(grad_call *c, const scan_job *j);

#endif
