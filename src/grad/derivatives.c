/* The table of derivatives made from ops.def. */
#include "grad/derivatives.h"

grad_fn *const op_derivatives[OP_COUNT] = {
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    [OP_##id] = grad_##grad,
#include "graph/ops.def"
};

tn_status grad_none(grad_call *call)
{
    (void)call;
    return TN_ERR_REJECTED;
}
