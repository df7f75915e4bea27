/* Sources: inputs and constants. */
#include <inttypes.h>
#include <string.h>

#include "ops/cells.h"
#include "ops/rules.h"

/* What a declared type must be for every rule and kernel to be safe. */
static tn_status declared(infer_call *call, const type *t)
{
    if (!t)
        return infer_reject(call, DIAG_InvalidAttribute, "'%s' needs a type", rule_op(call));
    if (t->rank > TN_MAX_RANK)
        return infer_reject(call, DIAG_LimitExceeded, "rank %" PRIu32 " is above the limit of %d",
                            t->rank, TN_MAX_RANK);
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] < 0 && !dim_is_expr(&call->module->types, t->dims[i]))
            return infer_reject(call, DIAG_InvalidDimension,
                                "dimension %" PRIu32 " of shape %s is %" PRId64 ", not an extent",
                                i, infer_dims_text(call, t->dims, t->rank), t->dims[i]);
    return infer_result(call, t);
}

tn_status infer_input(infer_call *call)
{
    const attr *a = attr_find(call->attrs, KEY_TYPE);
    return declared(call, a ? a->v.type : NULL);
}

tn_status infer_constant(infer_call *call)
{
    const attr *a = attr_find(call->attrs, KEY_VALUE);
    const literal *l = a ? a->v.literal : NULL;
    size_t bytes;
    TN_TRY(declared(call, l ? l->type : NULL));
    if (l->splat)
        bytes = dtype_bytes(l->type->dtype);
    else if (!type_bytes(l->type, &bytes))
        return infer_reject(call, DIAG_InvalidConstant, "a constant needs a known shape, not %s",
                            infer_dims_text(call, l->type->dims, l->type->rank));
    if (l->bytes < bytes)
        return infer_reject(call, DIAG_InvalidConstant,
                            "the constant holds %zu bytes, its type needs %zu", l->bytes, bytes);
    return TN_OK;
}

/* Inputs are handed in; the evaluator puts them in place without asking. */
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
