/* The type rule of custom_call. */

#include "ops/rules/rules.h"

/* The declared types are what the call gives. */
tn_status infer_custom_call(infer_call *call)
{
    const attr *declared = attr_find(call->attrs, KEY_TYPES);
    module *m = call->module;
    const type **types = ARENA_ARRAY(&m->arena, const type *, declared->n);
    if (!types)
        return module_no_memory(m);
    call->out = types;
    for (uint32_t i = 0; i < declared->n; i++) {
        const type *t = declared->v.types[i];
        if (t->rank > TN_MAX_RANK)
            return infer_reject(call, DIAG_LimitExceeded, "rank %u is above the limit of %d",
                                t->rank, TN_MAX_RANK);
        for (uint32_t k = 0; k < t->rank; k++)
            if (t->dims[k] < 0 && !dim_is_expr(&m->types, t->dims[k]))
                return infer_reject(call, DIAG_InvalidDimension,
                                    "dimension %u of result %u is no extent", k, i);
        call->out = &types[i];
        TN_TRY(infer_result(call, t));
    }
    call->out = types;
    call->n_out = declared->n;
    return TN_OK;
}
