/* The column `eval` of ops.def: the reference kernel of each op. */
#ifndef EVAL_KERNELS_KERNELS_H
#define EVAL_KERNELS_KERNELS_H

#include "eval/parts/eval_call.h"

#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    eval_fn eval_##eval;
#include "graph/ops.def"

extern eval_fn *const op_kernels[OP_COUNT];

#endif
