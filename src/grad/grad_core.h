/* What Core v1 lacks for derivatives, said in Core v1 instructions. */
#ifndef GRAD_GRAD_CORE_H
#define GRAD_GRAD_CORE_H

#include "grad/grad.h"
#include "ops/shape.h"

/* AXIS of G, the slice R of an axis of extent EXTENT, put back among zeros: gather along the axis,
 * then multiply what the slice left out by 0. */
value_id grad_core_unslice(grad_call *c, value_id g, uint32_t axis, slice_range r, int64_t extent);

/* The rule of conv2d by convolutions of its gradient. */
tn_status grad_core_conv2d(grad_call *c);

#endif
