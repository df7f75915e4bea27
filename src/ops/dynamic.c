/* Windows whose start is data: dynamic_slice, dynamic_update_slice. A start is clamped so that the
 * window lies inside. */
#include <inttypes.h>
#include <string.h>

#include "ops/attr_rules.h"
#include "ops/cells.h"
#include "ops/pieces.h"
#include "ops/positions.h"
#include "ops/view.h"

/* Type rules. */

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

/* Kernels. */

/* The window of type WINDOW in DATA, a tensor of type T, at START. */
static void window_view(view *v, const type *t, const void *data, const type *window,
                        const tensor *start)
{
    const size_t size = dtype_bytes(t->dtype);
    int64_t strides[TN_MAX_RANK], first = 0;
    type_strides(t, strides);
    for (uint32_t i = 0; i < t->rank; i++) {
        const int64_t wanted = position_at(start, i), last = t->dims[i] - window->dims[i];
        first += (wanted < 0 ? 0 : wanted > last ? last : wanted) * strides[i];
    }
    view_init(v, (const char *)data + (size_t)first * size, size, window->dims, strides, t->rank);
}

tn_status eval_dynamic_slice(eval_call *call)
{
    const type *t = call->out->type;
    view v;
    if (t->count == 0)
        return TN_OK;
    window_view(&v, call->in[0].type, call->in[0].data, t, &call->in[1]);
    return view_read_all(call, &v, t->count, call->out->data);
}

tn_status eval_dynamic_update_slice(eval_call *call)
{
    const type *t = call->out->type, *update = call->in[1].type;
    view v;
    if (t->count == 0)
        return TN_OK;
    if (call->out->data != call->in[0].data) /* it may be made in place */
        TN_TRY(eval_copy_bytes(call, call->out->data, call->in[0].data,
                               (size_t)t->count * dtype_bytes(t->dtype)));
    if (update->count == 0)
        return TN_OK;
    window_view(&v, t, call->out->data, update, &call->in[2]);
    return view_write_all(call, &v, update->count, call->in[1].data);
}
