/* The table of reference kernels made from ops.def. */
#include "eval/kernels/kernels.h"

eval_fn *const op_kernels[OP_COUNT] = {
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    [OP_##id] = eval_##eval,
#include "graph/ops.def"
};
