/* Type rules of reductions and of layer_norm. */
#include <inttypes.h>

#include "ops/attr_rules.h"
#include "ops/fold_ops.h"
#include "ops/rules/rules.h"

static bool accumulates(tn_dtype in, tn_dtype sum)
{
    const dtype_info *a = &dtype_table[in], *b = &dtype_table[sum];
    const bool counts = dtype_is_int(in) || in == TN_I1; /* i1 can be counted in integers */
    const bool same_sort = counts ? dtype_is_int(sum) : a->kind == b->kind;
    return in == sum || (same_sort && b->bits > a->bits);
}

static tn_status check_dtypes(const infer_call *call, tn_dtype *out)
{
    const tn_dtype in = call->in[0]->dtype;
    const fold_kind fold = fold_of_reduction(call->op);
    const attr *init = attr_find(call->attrs, KEY_INIT);
    tn_dtype sum;
    scalar s;

    reduce_dtypes(call->attrs, in, &sum, out);
    if ((unsigned)sum >= TN_DTYPE_COUNT || (unsigned)*out >= TN_DTYPE_COUNT)
        return infer_reject(call, DIAG_InvalidAttribute, "'%s' has an unknown element type",
                            rule_op(call));
    const bool counts = in == TN_I1 && dtype_is_int(sum) && dtype_is_int(*out);
    TN_TRY(rule_dtype(call, 0,
                      fold_nan_wins(fold)                ? ALLOW_FLOAT
                      : fold_is_extremum(fold) || counts ? ALLOW_REAL | ALLOW_BOOL
                                                         : ALLOW_NUMBER));
    if (!accumulates(in, sum))
        return infer_reject(call, DIAG_InvalidAccumDType,
                            "'%s' of %s cannot accumulate in %s: that must be %s or a wider dtype "
                            "of its sort",
                            rule_op(call), dtype_name(in), dtype_name(sum), dtype_name(in));
    if (!dtype_can_cast(sum, *out))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot give %s from %s",
                            rule_op(call), dtype_name(*out), dtype_name(sum));
    if (init && !scalar_cast(*init->v.scalar, sum, &s))
        return infer_reject(call, DIAG_InvalidAttribute, "'init' of '%s' is no %s", rule_op(call),
                            dtype_name(sum));
    return TN_OK;
}

tn_status infer_reduce(infer_call *call)
{
    const type *in = call->in[0];
    uint32_t n;
    const int64_t *given = attr_ints(call->attrs, KEY_AXES, &n);
    axis_list axes;
    tn_dtype out;
    bool keep;
    shape s;
    TN_TRY(check_dtypes(call, &out));
    const shape_fault f = resolve_reduction(given, n, attr_int(call->attrs, KEY_KEEPDIMS, 0) != 0,
                                            in->rank, &axes, &keep);
    if (f.kind != SHAPE_OK)
        return rule_axis_fault(call, f, KEY_AXES, in->rank);
    reduced_shape(in->dims, in->rank, &axes, keep, &s);
    return rule_result(call, out, &s);
}

tn_status infer_layer_norm(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t axis;
    TN_TRY(rule_same_dtype(call, 0));
    TN_TRY(rule_same_dtype(call, 1));
    TN_TRY(rule_dtype(call, 0, ALLOW_FLOAT));
    TN_TRY(rule_rank(call, 0, 1, TN_MAX_RANK));
    TN_TRY(rule_rank(call, 1, 1, 1));
    TN_TRY(rule_rank(call, 2, 1, 1));
    TN_TRY(rule_axis(call, KEY_AXIS, x->rank, &axis));
    for (uint32_t k = 1; k < 3; k++)
        if (!dims_may_equal(call->in[k]->dims[0], x->dims[axis]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "operand %" PRIu32 " of '%s' has shape %s, axis %" PRIu32
                                " of %s has another extent",
                                k, rule_op(call), rule_shape_text(call, k), axis,
                                rule_shape_text(call, 0));
    return infer_result(call, x);
}
