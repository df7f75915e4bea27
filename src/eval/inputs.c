/* Sources: inputs and constants. */
#include <inttypes.h>
#include <string.h>

#include "eval/kernels/kernels.h"
#include "ops/rules/rules.h"

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
    if (!l->splat) {
        memcpy(out, l->data, (size_t)l->type->count * size);
        return TN_OK;
    }
    for (int64_t i = 0; i < l->type->count; i++)
        memcpy(out + (size_t)i * size, l->data, size);
    return TN_OK;
}
