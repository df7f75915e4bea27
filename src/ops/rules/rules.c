/* What the type rules share: checks that reject with a kind, the numbers, and a hint. */
#include "ops/rules/rules.h"

#include <inttypes.h>
#include <stdio.h>

const char *rule_shape_text(const infer_call *call, uint32_t k)
{
    return infer_dims_text(call, call->in[k]->dims, call->in[k]->rank);
}

const char *rule_ints_text(const infer_call *call, attr_key key)
{
    uint32_t n;
    const int64_t *ints = attr_ints(call->attrs, key, &n);
    return infer_dims_text(call, ints, n);
}

void rule_hint(const infer_call *call, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_fix(&call->module->cx->diag, call->at, NULL, "%s", text);
}

tn_status rule_dtype(const infer_call *call, uint32_t k, unsigned allowed)
{
    static const struct {
        unsigned one;
        const char *text;
    } names[] = {{ALLOW_BOOL, "i1"},
                 {ALLOW_SIGNED, "signed integers"},
                 {ALLOW_UNSIGNED, "unsigned integers"},
                 {ALLOW_FLOAT, "floats"},
                 {ALLOW_COMPLEX, "complex numbers"}};
    const tn_dtype d = call->in[k]->dtype;
    char list[96];
    size_t n = 0;

    if (allowed >> dtype_table[d].kind & 1)
        return TN_OK;
    list[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (allowed & names[i].one)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", names[i].text);
    tn_status s = infer_reject(call, DIAG_DTypeNotSupported, "'%s' does not take %s, only %s",
                               rule_op(call), dtype_name(d), list);
    rule_hint(call, "cast the operand to a dtype that '%s' takes", rule_op(call));
    return s;
}

tn_status rule_same_dtype(const infer_call *call, uint32_t from)
{
    const tn_dtype a = call->in[from]->dtype, b = call->in[from + 1]->dtype;
    if (a == b)
        return TN_OK;
    tn_status s = infer_reject(call, DIAG_DTypeMismatch,
                               "operands of '%s' have different element types, %s and %s",
                               rule_op(call), dtype_name(a), dtype_name(b));
    rule_hint(call, "give both operands the same element type");
    return s;
}

tn_status rule_rank(const infer_call *call, uint32_t k, uint32_t fewest, uint32_t most)
{
    const uint32_t rank = call->in[k]->rank;
    if (rank > TN_MAX_RANK)
        return infer_reject(call, DIAG_LimitExceeded, "rank %" PRIu32 " is above the limit of %d",
                            rank, TN_MAX_RANK);
    if (rank >= fewest && rank <= most)
        return TN_OK;
    if (fewest == most)
        return infer_reject(call, DIAG_RankMismatch,
                            "'%s' takes a tensor of rank %" PRIu32 " as operand %" PRIu32
                            ", not one of rank %" PRIu32 " with shape %s",
                            rule_op(call), fewest, k, rank, rule_shape_text(call, k));
    if (most == TN_MAX_RANK)
        return infer_reject(call, DIAG_RankMismatch,
                            "'%s' takes a tensor of rank %" PRIu32 " or more as operand %" PRIu32
                            ", not one of rank %" PRIu32 " with shape %s",
                            rule_op(call), fewest, k, rank, rule_shape_text(call, k));
    return infer_reject(call, DIAG_RankMismatch,
                        "'%s' takes a tensor of rank %" PRIu32 " to %" PRIu32 " as operand %" PRIu32
                        ", not one of rank %" PRIu32 " with shape %s",
                        rule_op(call), fewest, most, k, rank, rule_shape_text(call, k));
}

tn_status rule_index_dtype(const infer_call *call, uint32_t k)
{
    const tn_dtype d = call->in[k]->dtype;
    if (d == TN_SI32 || d == TN_SI64)
        return TN_OK;
    return infer_reject(call, DIAG_IndexDType, "indices of '%s' must be si32 or si64, not %s",
                        rule_op(call), dtype_name(d));
}

tn_status rule_extents(const infer_call *call, attr_key key)
{
    uint32_t n;
    const int64_t *ints = attr_ints(call->attrs, key, &n);
    if (n > TN_MAX_RANK)
        return infer_reject(call, DIAG_LimitExceeded, "rank %" PRIu32 " is above the limit of %d",
                            n, TN_MAX_RANK);
    for (uint32_t i = 0; i < n; i++)
        if (ints[i] < 0 && !dim_is_expr(&call->module->types, ints[i]))
            return infer_reject(call, DIAG_InvalidDimension,
                                "entry %" PRIu32 " of '%s' %s is %" PRId64 ", not an extent", i,
                                attr_keys[key].name, rule_ints_text(call, key), ints[i]);
    return TN_OK;
}

tn_status rule_broadcast(const infer_call *call, const dim *a, uint32_t rank_a, const dim *b,
                         uint32_t rank_b, shape *out)
{
    const shape_fault f = broadcast_shapes(a, rank_a, b, rank_b, out);
    if (f.kind == SHAPE_OK)
        return TN_OK;
    if (f.kind == SHAPE_RANK_LIMIT)
        return infer_reject(call, DIAG_LimitExceeded, "rank %" PRId64 " is above the limit of %d",
                            f.value, TN_MAX_RANK);
    const uint32_t rank = rank_a > rank_b ? rank_a : rank_b;
    tn_status s =
        infer_reject(call, DIAG_BroadcastMismatch,
                     "broadcasting failed at dimension %" PRIu32
                     ": shape %s is incompatible with %s, %" PRId64 " against %" PRId64,
                     f.at, infer_dims_text(call, a, rank_a), infer_dims_text(call, b, rank_b),
                     a[f.at + rank_a - rank], b[f.at + rank_b - rank]);
    rule_hint(call, "make dimension %" PRIu32 " equal or 1 in both operands", f.at);
    return s;
}

tn_status rule_result(infer_call *call, tn_dtype dtype, const shape *s)
{
    return infer_result(call, type_of(&call->module->types, dtype, s->dims, s->rank));
}

tn_status rule_axis_fault(const infer_call *call, shape_fault f, attr_key key, uint32_t rank)
{
    switch (f.kind) {
    case SHAPE_AXIS_RANGE:
        return infer_reject(call, DIAG_InvalidAxis,
                            "axis %" PRId64 " of '%s' is out of range for rank %" PRIu32, f.value,
                            rule_op(call), rank);
    case SHAPE_AXIS_TWICE:
        return infer_reject(call, DIAG_DuplicateAxis,
                            "axis %" PRId64 " stands twice in '%s' %s of '%s'", f.value,
                            attr_keys[key].name, rule_ints_text(call, key), rule_op(call));
    case SHAPE_RANK_LIMIT:
        return infer_reject(call, DIAG_LimitExceeded, "rank %" PRId64 " is above the limit of %d",
                            f.value, TN_MAX_RANK);
    case SHAPE_OK:
    case SHAPE_EXTENT:
    case SHAPE_COUNT:
    case SHAPE_LENGTH:
    case SHAPE_MISMATCH:
    case SHAPE_STEP:
    case SHAPE_CHANNELS:
    case SHAPE_STRIDES:
    case SHAPE_PADDING:
    case SHAPE_UNKNOWN:
        break;
    }
    return infer_reject(call, DIAG_InvalidAttribute, "'%s' %s does not suit rank %" PRIu32,
                        attr_keys[key].name, rule_ints_text(call, key), rank);
}
