/* Type rules of sources: input, constant, iota, random numbers. */
#include <inttypes.h>

#include "base/text/text.h"
#include "ops/attr_rules.h"
#include "ops/rules/rules.h"

static tn_status shape_of_attribute(infer_call *call, tn_dtype d)
{
    uint32_t n;
    const int64_t *dims = attr_ints(call->attrs, KEY_SHAPE, &n);
    TN_TRY(rule_extents(call, KEY_SHAPE));
    return infer_result(call, type_of(&call->module->types, d, dims, n));
}

tn_status infer_iota(infer_call *call)
{
    uint32_t rank, axis;
    tn_dtype d;
    (void)attr_ints(call->attrs, KEY_SHAPE, &rank);
    TN_TRY(rule_attr_dtype(call, KEY_DTYPE, TN_I1, &d));
    if (d == TN_I1)
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' does not make i1", rule_op(call));
    TN_TRY(rule_axis(call, KEY_AXIS, rank, &axis));
    return shape_of_attribute(call, d);
}

tn_status infer_random(infer_call *call)
{
    tn_dtype d;
    TN_TRY(rule_attr_dtype(call, KEY_DTYPE, TN_I1, &d));
    if (!dtype_is_float(d))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' makes floats, not %s",
                            rule_op(call), dtype_name(d));
    return shape_of_attribute(call, d);
}

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
                            "the constant holds %zu byte%s, its type needs %zu", l->bytes,
                            plural(l->bytes), bytes);
    return TN_OK;
}
