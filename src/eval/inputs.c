/* Sources: inputs and constants. */
#include "eval/kernels/kernels.h"
#include "eval/parts/fill.h"
#include "eval/parts/pieces.h"

/* The caller gives inputs, so the evaluator never calls this. */
tn_status eval_input(eval_call *call)
{
    return eval_report(call, DIAG_MissingInput, "an input has no value of its own");
}

tn_status eval_constant(eval_call *call)
{
    const literal *l = attr_find(call->attrs, KEY_VALUE)->v.literal;
    const size_t size = dtype_bytes(l->type->dtype);
    char *out = call->out->data;
    const size_t count = (size_t)l->type->count;
    if (!l->splat)
        return eval_copy_bytes(call, out, l->data, count * size);
    for (size_t at = 0, end; at < count; at = end) {
        TN_TRY(eval_piece(call, at, count, &end));
        fill_elements(out + at * size, l->data, size, end - at);
    }
    return TN_OK;
}
