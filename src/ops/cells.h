/* Declares every function that a row of ops.def names. */
#ifndef OPS_CELLS_H
#define OPS_CELLS_H

#include "ops/eval.h"

#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, help)                \
    infer_fn infer_##infer;                                                                        \
    eval_fn eval_##eval;                                                                           \
    grad_fn grad_##grad;                                                                           \
    lower_fn lower_##lower;
#include "graph/ops.def"
#undef OP

#endif
