/* The column `grad` of ops.def: the derivative of each op. */
#ifndef GRAD_DERIVATIVES_H
#define GRAD_DERIVATIVES_H

#include "grad/grad.h"

#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    grad_fn grad_##grad;
#include "graph/ops.def"

extern grad_fn *const op_derivatives[OP_COUNT];

#endif
