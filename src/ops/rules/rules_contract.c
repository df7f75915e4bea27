/* Type rules of dot, matmul and dot_general, and the axes of the last one. */
#include <inttypes.h>

#include "ops/attr_rules.h"
#include "ops/dot_axes.h"
#include "ops/rules/rules.h"

static tn_status check_operands(const infer_call *call)
{
    TN_TRY(rule_same_dtype(call, 0));
    return rule_dtype(call, 0, ALLOW_NUMBER);
}

/* The contracted extents: dimension DA of the left operand, DB of the right one. */
static tn_status check_inner(const infer_call *call, uint32_t da, uint32_t db)
{
    const dim a = call->in[0]->dims[da], b = call->in[1]->dims[db];
    if (dims_may_equal(a, b))
        return TN_OK;
    tn_status s = infer_reject(
        call, DIAG_DimensionMismatch,
        "'%s' of shapes %s and %s: dimension %" PRIu32 " of the left is %" PRId64
        ", dimension %" PRIu32 " of the right is %" PRId64,
        rule_op(call), rule_shape_text(call, 0), rule_shape_text(call, 1), da, a, db, b);
    rule_hint(call, "the two contracted extents must be equal");
    return s;
}

static tn_status matrix_product(infer_call *call)
{
    const type *a = call->in[0], *b = call->in[1];
    const uint32_t ra = a->rank - 2, rb = b->rank - 2;
    shape s;
    TN_TRY(check_inner(call, ra + 1, rb));
    TN_TRY(rule_broadcast(call, a->dims, ra, b->dims, rb, &s));
    s.dims[s.rank++] = a->dims[ra]; /* no rank is above that of an operand */
    s.dims[s.rank++] = b->dims[rb + 1];
    return rule_result(call, a->dtype, &s);
}

tn_status infer_matmul(infer_call *call)
{
    TN_TRY(check_operands(call));
    TN_TRY(rule_rank(call, 0, 2, TN_MAX_RANK));
    TN_TRY(rule_rank(call, 1, 2, TN_MAX_RANK));
    return matrix_product(call);
}

tn_status infer_dot(infer_call *call)
{
    const type *a = call->in[0], *b = call->in[1];
    shape s = {.rank = 0};
    TN_TRY(check_operands(call));
    TN_TRY(rule_rank(call, 0, 1, 2));
    TN_TRY(rule_rank(call, 1, 1, 2));
    if (a->rank == 2 && b->rank == 2)
        return matrix_product(call);
    TN_TRY(check_inner(call, a->rank - 1, 0));
    if (a->rank == 2)
        s.dims[s.rank++] = a->dims[0];
    if (b->rank == 2)
        s.dims[s.rank++] = b->dims[1];
    return rule_result(call, a->dtype, &s);
}

/* Entries of the list KEY as axes, which are added to MASK; SHAPE_OK or what is wrong. */
static shape_fault take_axes(const attrs *given, attr_key key, uint32_t rank, uint32_t *mask,
                             uint32_t *axes, uint32_t *n)
{
    const int64_t *list = attr_ints(given, key, n);
    for (uint32_t i = 0; i < *n; i++) {
        if (list[i] < -(int64_t)rank || list[i] >= (int64_t)rank)
            return (shape_fault){SHAPE_AXIS_RANGE, i, list[i]};
        const uint32_t axis = (uint32_t)(list[i] < 0 ? list[i] + rank : list[i]);
        if (*mask >> axis & 1)
            return (shape_fault){SHAPE_AXIS_TWICE, i, axis};
        *mask |= (uint32_t)1 << axis;
        axes[i] = axis;
    }
    return SHAPE_FINE;
}

static attr_key batch_key(bool left)
{
    return left ? KEY_BATCH_LHS : KEY_BATCH_RHS;
}

shape_fault resolve_dot_axes(const attrs *given, bool left, uint32_t rank, dot_axes *out,
                             attr_key *key)
{
    uint32_t mask = 0;
    *key = batch_key(left);
    shape_fault f = take_axes(given, *key, rank, &mask, out->batch, &out->n_batch);
    if (f.kind != SHAPE_OK)
        return f;
    *key = left ? KEY_CONTRACT_LHS : KEY_CONTRACT_RHS;
    f = take_axes(given, *key, rank, &mask, out->contract, &out->n_contract);
    out->n_free = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (!(mask >> i & 1))
            out->free[out->n_free++] = i;
    return f;
}

dot_axes dot_axes_of(const attrs *given, bool left, uint32_t rank)
{
    dot_axes out;
    attr_key key;
    (void)resolve_dot_axes(given, left, rank, &out, &key);
    return out;
}

static tn_status rule_roles(const infer_call *call, uint32_t k, dot_axes *out)
{
    const uint32_t rank = call->in[k]->rank;
    attr_key key;
    TN_TRY(rule_rank(call, k, 0, TN_MAX_RANK));
    const shape_fault f = resolve_dot_axes(call->attrs, k == 0, rank, out, &key);
    if (f.kind == SHAPE_OK)
        return TN_OK;
    for (uint32_t i = 0; f.kind == SHAPE_AXIS_TWICE && i < out->n_batch; i++)
        if (key != batch_key(k == 0) && out->batch[i] == (uint32_t)f.value)
            return infer_reject(
                call, DIAG_DuplicateAxis, "axis %" PRId64 " of '%s' stands in '%s' and in '%s'",
                f.value, rule_op(call), attr_keys[batch_key(k == 0)].name, attr_keys[key].name);
    return rule_axis_fault(call, f, key, rank);
}

static tn_status paired(const infer_call *call, const char *what, uint32_t n_left,
                        const uint32_t *left, uint32_t n_right, const uint32_t *right)
{
    const type *a = call->in[0], *b = call->in[1];
    if (n_left != n_right)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "'%s' pairs %" PRIu32 " %s axes of the left operand with %" PRIu32
                            " of the right",
                            rule_op(call), n_left, what, n_right);
    for (uint32_t i = 0; i < n_left; i++)
        if (!dims_may_equal(a->dims[left[i]], b->dims[right[i]]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "'%s' of shapes %s and %s: %s axis %" PRIu32
                                " of the left and axis %" PRIu32 " of the right differ in extent",
                                rule_op(call), rule_shape_text(call, 0), rule_shape_text(call, 1),
                                what, left[i], right[i]);
    return TN_OK;
}

tn_status infer_dot_general(infer_call *call)
{
    const type *a = call->in[0], *b = call->in[1];
    tn_dtype sum, out;
    dot_axes l, r;
    shape s = {.rank = 0};
    TN_TRY(rule_same_dtype(call, 0));
    TN_TRY(rule_dtype(call, 0, ALLOW_NUMBER));
    TN_TRY(rule_accumulator(call, a->dtype, &sum));
    TN_TRY(rule_attr_dtype(call, KEY_OUT_DTYPE, a->dtype, &out));
    if (!dtype_can_cast(sum, out))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot give %s from %s",
                            rule_op(call), dtype_name(out), dtype_name(sum));
    TN_TRY(rule_roles(call, 0, &l));
    TN_TRY(rule_roles(call, 1, &r));
    TN_TRY(paired(call, "batch", l.n_batch, l.batch, r.n_batch, r.batch));
    TN_TRY(paired(call, "contracted", l.n_contract, l.contract, r.n_contract, r.contract));
    if (l.n_batch + l.n_free + r.n_free > TN_MAX_RANK)
        return infer_reject(call, DIAG_LimitExceeded,
                            "the result of '%s' has rank %" PRIu32 ", above the limit of %d",
                            rule_op(call), l.n_batch + l.n_free + r.n_free, TN_MAX_RANK);
    for (uint32_t i = 0; i < l.n_batch; i++)
        s.dims[s.rank++] = dims_join(a->dims[l.batch[i]], b->dims[r.batch[i]]);
    for (uint32_t i = 0; i < l.n_free; i++)
        s.dims[s.rank++] = a->dims[l.free[i]];
    for (uint32_t i = 0; i < r.n_free; i++)
        s.dims[s.rank++] = b->dims[r.free[i]];
    return rule_result(call, out, &s);
}
