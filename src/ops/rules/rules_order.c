/* Type rules of what goes along an axis in order: arg_max, sort, argsort,
 * top_k, cumulative. */
#include <inttypes.h>
#include <string.h>

#include "ops/attr_rules.h"
#include "ops/law.h"
#include "ops/rules/rules.h"

/* Elements that have an order, along an axis. */
static tn_status ordered_axis(const infer_call *call, uint32_t *axis)
{
    TN_TRY(rule_dtype(call, 0, ALLOW_BOOL | ALLOW_REAL));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    return rule_axis(call, KEY_AXIS, call->in[0]->rank, axis);
}

/* The same, and the element type of positions there. */
static tn_status ordered_positions(const infer_call *call, uint32_t *axis, tn_dtype *index)
{
    TN_TRY(ordered_axis(call, axis));
    return rule_result_index(call, call->in[0]->dims[*axis], index);
}

tn_status infer_arg_max(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t axis;
    tn_dtype index;
    shape s;
    TN_TRY(ordered_positions(call, &axis, &index));
    if (x->dims[axis] == 0)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "'%s' along axis %" PRIu32 " of shape %s has nothing to choose from",
                            rule_op(call), axis, rule_shape_text(call, 0));
    const axis_list axes = {1, {axis}, (uint32_t)1 << axis};
    reduced_shape(x->dims, x->rank, &axes, attr_int(call->attrs, KEY_KEEPDIMS, 0) != 0, &s);
    return rule_result(call, index, &s);
}

tn_status infer_sort(infer_call *call)
{
    const type *x = call->in[0], **results;
    uint32_t axis;
    TN_TRY(ordered_axis(call, &axis));
    for (uint32_t k = 1; k < call->n_in; k++) { /* [sort/C1] */
        bool same = call->in[k]->rank == x->rank;
        for (uint32_t i = 0; same && i < x->rank; i++)
            same = dims_may_equal(call->in[k]->dims[i], x->dims[i]);
        if (!same)
            return infer_reject(call, DIAG_ShapeMismatch, "'%s' cannot order %s by %s",
                                rule_op(call), rule_shape_text(call, k), rule_shape_text(call, 0));
    }
    results = ARENA_ARRAY(&call->module->arena, const type *, call->n_in);
    if (!results)
        return module_no_memory(call->module);
    for (uint32_t k = 0; k < call->n_in; k++)
        results[k] = call->in[k];
    call->out = results;
    call->n_out = call->n_in;
    return TN_OK;
}

tn_status infer_argsort(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t axis;
    tn_dtype index;
    TN_TRY(ordered_positions(call, &axis, &index));
    return infer_result(call, type_with_dtype(&call->module->types, x, index));
}

tn_status infer_top_k(infer_call *call)
{
    const type *x = call->in[0];
    const int64_t k = attr_int(call->attrs, KEY_K, 0);
    module *m = call->module;
    uint32_t axis;
    tn_dtype index;
    shape s;
    TN_TRY(ordered_positions(call, &axis, &index));
    if (k < 0 || (!dim_is_symbolic(x->dims[axis]) && k > x->dims[axis]))
        return infer_reject(call, DIAG_InvalidAttribute,
                            "'%s' cannot keep %" PRId64 " of axis %" PRIu32 " of shape %s",
                            rule_op(call), k, axis, rule_shape_text(call, 0));
    s.rank = x->rank;
    memcpy(s.dims, x->dims, x->rank * sizeof *s.dims);
    s.dims[axis] = k;
    const type **results = ARENA_ARRAY(&m->arena, const type *, 2);
    if (!results)
        return module_no_memory(m);
    call->out = results;
    call->n_out = 2;
    TN_TRY(rule_result(call, x->dtype, &s));
    results[1] = type_with_dtype(&m->types, results[0], index);
    return results[1] ? TN_OK : module_no_memory(m);
}

tn_status infer_cumulative(infer_call *call)
{
    const int64_t fold = attr_int(call->attrs, KEY_FOLD, -1);
    uint32_t axis;
    if (fold < FOLD_SUM || fold > FOLD_MIN_NAN) /* [cumulative/C1] */
        return infer_reject(call, DIAG_InvalidAttribute,
                            "'%s' forms sum, prod, max, min, max_nan or min_nan only",
                            rule_op(call));
    TN_TRY(rule_dtype(call, 0,
                      fold_nan_wins((fold_kind)fold)      ? ALLOW_FLOAT
                      : fold_is_extremum((fold_kind)fold) ? ALLOW_REAL | ALLOW_BOOL
                                                          : ALLOW_NUMBER));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_axis(call, KEY_AXIS, call->in[0]->rank, &axis));
    return infer_result(call, call->in[0]);
}
