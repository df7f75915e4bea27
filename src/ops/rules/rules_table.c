/* The column `infer` of ops.def: the type rule of each op. */
#include "ops/rules/rules.h"

infer_fn *const op_rules[OP_COUNT] = {
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    [OP_##id] = infer_##infer,
#include "graph/ops.def"
};
