/* Type rules of windows whose start is data: dynamic_slice, dynamic_update_slice. */
#include <inttypes.h>

#include "ops/attr_rules.h"
#include "ops/rules/rules.h"

/* `sizes` fit into operand 0; operand K holds one start per axis. */
static tn_status check_window(const infer_call *call, uint32_t k, shape *s)
{
    const type *x = call->in[0], *start = call->in[k];
    uint32_t n;
    TN_TRY(rule_index_dtype(call, k));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_rank(call, k, 1, 1));
    if (!dims_may_equal(start->dims[0], x->rank))
        return infer_reject(call, DIAG_DimensionMismatch,
                            "'%s' needs one start per axis of %s, not %s", rule_op(call),
                            rule_shape_text(call, 0), rule_shape_text(call, k));
    TN_TRY(rule_sizes(call, KEY_SIZES, x->rank, 0));
    const int64_t *sizes = attr_ints(call->attrs, KEY_SIZES, &n);
    s->rank = x->rank;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (!dim_is_symbolic(sizes[i]) && !dim_is_symbolic(x->dims[i]) && sizes[i] > x->dims[i])
            return infer_reject(
                call, DIAG_InvalidAttribute, "sizes %s of '%s' exceed shape %s at axis %" PRIu32,
                rule_ints_text(call, KEY_SIZES), rule_op(call), rule_shape_text(call, 0), i);
        s->dims[i] = sizes[i];
    }
    return TN_OK;
}

tn_status infer_dynamic_slice(infer_call *call)
{
    shape s = {0};
    TN_TRY(check_window(call, 1, &s));
    return rule_result(call, call->in[0]->dtype, &s);
}

tn_status infer_dynamic_update_slice(infer_call *call)
{
    const type *update = call->in[1];
    shape s = {0};
    TN_TRY(rule_same_dtype(call, 0));
    TN_TRY(check_window(call, 2, &s));
    TN_TRY(rule_rank(call, 1, s.rank, s.rank));
    for (uint32_t i = 0; i < s.rank; i++)
        if (!dims_may_equal(update->dims[i], s.dims[i]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "the update of '%s' has shape %s, its sizes are %s", rule_op(call),
                                rule_shape_text(call, 1), rule_ints_text(call, KEY_SIZES));
    return infer_result(call, call->in[0]);
}
