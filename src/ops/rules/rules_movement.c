/* Type rules of movement: the same elements in other places. */
#include <inttypes.h>
#include <string.h>

#include "base/memory/checked.h"
#include "base/text/text.h"
#include "ops/attr_rules.h"
#include "ops/rules/rules.h"

/* The symbols among N extents as a product, those that stand in OTHERS too left out once each, and
 * the product of the numbers. */
static dim product_apart(type_table *t, const dim *dims, uint32_t n, const dim *others,
                         uint32_t n_others, int64_t *number)
{
    bool taken[TN_MAX_RANK] = {false};
    dim product = 1;
    *number = 1;
    for (uint32_t i = 0; i < n; i++) {
        bool found = false;
        if (dim_is_symbolic(dims[i])) {
            for (uint32_t k = 0; k < n_others && !found; k++)
                if (!taken[k] && others[k] == dims[i])
                    found = taken[k] = true;
            if (!found)
                product = dim_combine(t, DIM_MUL, product, dims[i]);
        } else if (dims[i] >= 0 && !mul_i64(*number, dims[i], number)) {
            return DIM_NO_MEMORY;
        }
    }
    return product;
}

/* The extent that -1 stands for, as an expression of the symbols: the elements of the operand
 * divided by those of the other entries. */
static dim inferred_extent(infer_call *call, const int64_t *wanted, uint32_t n)
{
    type_table *t = &call->module->types;
    const type *in = call->in[0];
    int64_t have, want;
    const dim above = product_apart(t, in->dims, in->rank, wanted, n, &have);
    const dim below = product_apart(t, wanted, n, in->dims, in->rank, &want);
    if (above == DIM_NO_MEMORY || below == DIM_NO_MEMORY || want == 0 || (above == 1 && below == 1))
        return DIM_NO_MEMORY; /* too large, or numbers that do not divide */
    const int64_t common = common_divisor(have, want);
    const dim top = dim_combine(t, DIM_MUL, above, have / common);
    const dim bottom = dim_combine(t, DIM_MUL, below, want / common);
    return bottom == 1 ? top : dim_combine(t, DIM_FLOORDIV, top, bottom);
}

tn_status infer_reshape(infer_call *call)
{
    uint32_t n;
    const int64_t *wanted = attr_ints(call->attrs, KEY_SHAPE, &n);
    const type *in = call->in[0];
    const dim *dims = in->dims;
    shape s;

    for (uint32_t i = 0; i < n; i++) /* -1 is fine, a number that is not a symbol is not */
        if (dim_is_symbolic(wanted[i]) && !dim_is_expr(&call->module->types, wanted[i]))
            return infer_reject(call, DIAG_InvalidDimension,
                                "entry %" PRIu32 " of the new shape %s is %" PRId64
                                ", not an extent",
                                i, rule_ints_text(call, KEY_SHAPE), wanted[i]);
    const shape_fault f = resolve_reshape(wanted, n, in, &s);
    switch ((int)f.kind) {
    case SHAPE_OK:
        return rule_result(call, in->dtype, &s);
    case SHAPE_EXTENT: {
        const char *text = rule_ints_text(call, KEY_SHAPE);
        if (f.value == -1)
            return infer_reject(call, DIAG_InvalidDimension,
                                "entry %" PRIu32 " of the new shape %s is -1, which may stand once "
                                "and not beside an extent of 0",
                                f.at, text);
        return infer_reject(call, DIAG_InvalidDimension,
                            "entry %" PRIu32 " of the new shape %s is %" PRId64 ", not an extent",
                            f.at, text, f.value);
    }
    case SHAPE_UNKNOWN:
        s.dims[f.at] = inferred_extent(call, wanted, n);
        if (s.dims[f.at] != DIM_NO_MEMORY)
            return rule_result(call, in->dtype, &s);
        return infer_reject(call, DIAG_CannotInfer,
                            "the -1 of the new shape %s does not follow from %s",
                            rule_ints_text(call, KEY_SHAPE), infer_dims_text(call, dims, in->rank));
    case SHAPE_COUNT:
        break;
    default:
        return rule_axis_fault(call, f, KEY_SHAPE, in->rank);
    }

    const char *from = infer_dims_text(call, dims, in->rank);
    const char *to = rule_ints_text(call, KEY_SHAPE);
    if (f.value < 0 || in->count < 0)
        return infer_reject(call, DIAG_ElementCountMismatch,
                            "element count mismatch: %s and %s cannot have equal counts", from, to);
    bool inferred = false;
    for (uint32_t i = 0; i < n; i++)
        inferred = inferred || wanted[i] == -1;
    tn_status status = infer_reject(
        call, DIAG_ElementCountMismatch,
        "element count mismatch: shape %s has %" PRId64 " element%s, %s has %s%" PRId64, from,
        in->count, plural((uint64_t)in->count), to, inferred ? "a multiple of " : "", f.value);
    rule_hint(call, "the extents of the new shape must multiply to %" PRId64, in->count);
    return status;
}

tn_status infer_expand_dims(infer_call *call)
{
    uint32_t n;
    const int64_t *axes = attr_ints(call->attrs, KEY_AXES, &n);
    const type *in = call->in[0];
    axis_list list;
    shape s;
    const shape_fault f = resolve_expand_dims(axes, n, in->rank, &list);
    if (f.kind == SHAPE_AXIS_RANGE)
        return infer_reject(call, DIAG_InvalidAxis,
                            "axis %" PRId64 " of '%s' is out of range for rank %" PRIu32
                            ", which takes 0 to %" PRIu32,
                            f.value, rule_op(call), in->rank + f.at, in->rank + f.at);
    if (f.kind != SHAPE_OK)
        return rule_axis_fault(call, f, KEY_AXES, in->rank);
    expanded_shape(in->dims, in->rank, &list, &s);
    return rule_result(call, in->dtype, &s);
}

tn_status infer_squeeze(infer_call *call)
{
    uint32_t n;
    const int64_t *axes = attr_ints(call->attrs, KEY_AXES, &n);
    const type *in = call->in[0];
    axis_list list;
    shape s;
    const shape_fault f = resolve_squeeze(axes, n, in->dims, in->rank, &list);
    if (f.kind == SHAPE_EXTENT) {
        tn_status status = infer_reject(call, DIAG_SqueezeExtent,
                                        "axis %" PRIu32 " of shape %s has extent %" PRId64
                                        ", only axes of extent 1 can be squeezed",
                                        f.at, rule_shape_text(call, 0), f.value);
        rule_hint(call, "leave axis %" PRIu32 " out, or use a reshape", f.at);
        return status;
    }
    if (f.kind != SHAPE_OK)
        return rule_axis_fault(call, f, KEY_AXES, in->rank);
    reduced_shape(in->dims, in->rank, &list, false, &s);
    return rule_result(call, in->dtype, &s);
}

tn_status infer_transpose(infer_call *call)
{
    uint32_t n;
    const int64_t *perm = attr_ints(call->attrs, KEY_PERM, &n);
    const type *in = call->in[0];
    shape s = {.rank = in->rank};
    const shape_fault f = resolve_permutation(perm, n, in->rank);
    const char *text = f.kind == SHAPE_OK ? "" : rule_ints_text(call, KEY_PERM);
    switch ((int)f.kind) {
    case SHAPE_OK:
        break;
    case SHAPE_LENGTH:
        return infer_reject(call, DIAG_InvalidPermutation,
                            "permutation %s has %" PRIu32 " entr%s for rank %" PRIu32, text, n,
                            plural_as(n, "y", "ies"), in->rank);
    case SHAPE_AXIS_RANGE:
        return infer_reject(call, DIAG_InvalidPermutation,
                            "permutation %s names axis %" PRId64 ", out of range for rank %" PRIu32,
                            text, f.value, in->rank);
    case SHAPE_AXIS_TWICE:
        return infer_reject(call, DIAG_InvalidPermutation,
                            "permutation %s of rank %" PRIu32 " names axis %" PRId64 " twice", text,
                            in->rank, f.value);
    default:
        return rule_axis_fault(call, f, KEY_PERM, in->rank);
    }
    for (uint32_t i = 0; i < n; i++)
        s.dims[i] = in->dims[perm[i]];
    return rule_result(call, in->dtype, &s);
}

tn_status infer_broadcast(infer_call *call)
{
    const type *in = call->in[0];
    uint32_t map[TN_MAX_RANK];
    shape s;
    TN_TRY(rule_extents(call, KEY_SHAPE));
    const shape_fault f = resolve_broadcast(call->attrs, in, &s, map);
    if (f.kind == SHAPE_OK)
        return rule_result(call, in->dtype, &s);

    const bool mapped = attr_find(call->attrs, KEY_DIMS) != NULL;
    if (f.kind == SHAPE_LENGTH)
        return mapped ? infer_reject(call, DIAG_InvalidAttribute,
                                     "'dims' %s has not one entry for each axis of shape %s",
                                     rule_ints_text(call, KEY_DIMS), rule_shape_text(call, 0))
                      : infer_reject(call, DIAG_RankMismatch,
                                     "'%s' cannot lower the rank from %s to %s", rule_op(call),
                                     rule_shape_text(call, 0), rule_ints_text(call, KEY_SHAPE));
    if (f.kind == SHAPE_MISMATCH) {
        tn_status status = infer_reject(
            call, DIAG_BroadcastMismatch,
            "broadcasting failed at dimension %" PRIu32
            ": shape %s does not broadcast to %s, %" PRId64 " against %" PRId64,
            f.at, rule_shape_text(call, 0), rule_ints_text(call, KEY_SHAPE), f.value, s.dims[f.at]);
        rule_hint(call, "only axes of extent 1 are repeated");
        return status;
    }
    return rule_axis_fault(call, f, mapped ? KEY_DIMS : KEY_SHAPE, s.rank);
}

/* The faults of a slice of an operand of the given shape. */
static tn_status slice_fault(const infer_call *call, shape_fault f, const dim *dims, uint32_t rank)
{
    uint32_t starts, ends, steps;
    (void)attr_ints(call->attrs, KEY_STARTS, &starts);
    (void)attr_ints(call->attrs, KEY_ENDS, &ends);
    (void)attr_ints(call->attrs, KEY_STEPS, &steps);
    if (f.kind == SHAPE_LENGTH)
        return infer_reject(call, DIAG_SliceLength,
                            "'%s' of rank %" PRIu32 " has %" PRIu32 " start%s, %" PRIu32
                            " end%s and %" PRIu32 " step%s",
                            rule_op(call), rank, starts, plural(starts), ends, plural(ends), steps,
                            plural(steps));
    if (f.kind == SHAPE_STEP) {
        tn_status status =
            infer_reject(call, DIAG_SliceStep, "the step of dimension %" PRIu32 " of '%s' is 0",
                         f.at, rule_op(call));
        rule_hint(call, "use 1 to take every element");
        return status;
    }
    if (f.kind == SHAPE_UNKNOWN)
        return infer_reject(call, DIAG_CannotInfer,
                            "dimension %" PRIu32 " of shape %s has no known extent to be sliced",
                            f.at, infer_dims_text(call, dims, rank));
    return rule_axis_fault(call, f, KEY_STARTS, rank);
}

tn_status infer_slice(infer_call *call)
{
    const type *in = call->in[0];
    slice_range ranges[TN_MAX_RANK];
    shape s;
    const shape_fault f = resolve_slices(call->attrs, in->dims, in->rank, ranges, &s);
    if (f.kind != SHAPE_OK)
        return slice_fault(call, f, in->dims, in->rank);
    return rule_result(call, in->dtype, &s);
}

tn_status infer_slice_grad(infer_call *call)
{
    const type *g = call->in[0];
    slice_range ranges[TN_MAX_RANK];
    shape whole, part;
    uint32_t n;
    const int64_t *dims = attr_ints(call->attrs, KEY_SHAPE, &n);
    TN_TRY(rule_extents(call, KEY_SHAPE));
    const shape_fault f = resolve_slices(call->attrs, dims, n, ranges, &part);
    TN_TRY(rule_rank(call, 0, n, n));
    if (f.kind != SHAPE_OK)
        return slice_fault(call, f, dims, n);
    for (uint32_t i = 0; i < n; i++)
        if (!dims_may_equal(g->dims[i], part.dims[i]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "dimension %" PRIu32 " of the operand of '%s' has extent %" PRId64
                                ", but this slice of shape %s has extent %" PRId64,
                                i, rule_op(call), g->dims[i], rule_ints_text(call, KEY_SHAPE),
                                part.dims[i]);
    whole.rank = n;
    if (n)
        memcpy(whole.dims, dims, n * sizeof *dims);
    return rule_result(call, g->dtype, &whole);
}

tn_status infer_reverse(infer_call *call)
{
    uint32_t n;
    const int64_t *axes = attr_ints(call->attrs, KEY_AXES, &n);
    axis_list list;
    const shape_fault f = resolve_axes(axes, n, call->in[0]->rank, &list);
    if (f.kind != SHAPE_OK)
        return rule_axis_fault(call, f, KEY_AXES, call->in[0]->rank);
    return infer_result(call, call->in[0]);
}

tn_status infer_pad(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t n;
    shape s = {.rank = x->rank};
    TN_TRY(rule_scalar(call, KEY_PAD_VALUE, x->dtype));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_sizes(call, KEY_LOW, x->rank, 0));
    TN_TRY(rule_sizes(call, KEY_HIGH, x->rank, 0));
    TN_TRY(rule_sizes(call, KEY_INTERIOR, x->rank, 0));
    const int64_t *low = attr_ints(call->attrs, KEY_LOW, &n);
    const int64_t *high = attr_ints(call->attrs, KEY_HIGH, &n);
    const int64_t *interior = attr_ints(call->attrs, KEY_INTERIOR, &n);
    for (uint32_t i = 0; i < x->rank; i++) {
        dim d = x->dims[i], between;
        if (d != 0 && interior[i] != 0) { /* a symbolic extent counts as 1 or more */
            TN_TRY(rule_extent(call, DIM_ADD, d, -1, &between));
            TN_TRY(rule_extent(call, DIM_MUL, between, interior[i], &between));
            TN_TRY(rule_extent(call, DIM_ADD, d, between, &d));
        }
        TN_TRY(rule_extent(call, DIM_ADD, d, low[i], &d));
        TN_TRY(rule_extent(call, DIM_ADD, d, high[i], &s.dims[i]));
    }
    return rule_result(call, x->dtype, &s);
}

tn_status infer_concat(infer_call *call)
{
    const type *first = call->in[0];
    uint32_t axis;
    shape s = {.rank = first->rank};
    for (uint32_t k = 0; k + 1 < call->n_in; k++)
        TN_TRY(rule_same_dtype(call, k));
    TN_TRY(rule_rank(call, 0, 1, TN_MAX_RANK));
    for (uint32_t k = 1; k < call->n_in; k++)
        TN_TRY(rule_rank(call, k, first->rank, first->rank));
    TN_TRY(rule_axis(call, KEY_AXIS, first->rank, &axis));

    memcpy(s.dims, first->dims, first->rank * sizeof *s.dims);
    for (uint32_t k = 1; k < call->n_in; k++) {
        const type *t = call->in[k];
        for (uint32_t i = 0; i < first->rank; i++) {
            if (i == axis) {
                TN_TRY(rule_extent(call, DIM_ADD, s.dims[i], t->dims[i], &s.dims[i]));
                continue;
            }
            if (!dims_may_equal(s.dims[i], t->dims[i]))
                return infer_reject(call, DIAG_DimensionMismatch,
                                    "operand %" PRIu32 " of '%s' along axis %" PRIu32
                                    " has shape %s, which differs from %s at axis %" PRIu32,
                                    k, rule_op(call), axis, rule_shape_text(call, k),
                                    rule_shape_text(call, 0), i);
            s.dims[i] = dims_join(s.dims[i], t->dims[i]);
        }
    }
    return rule_result(call, first->dtype, &s);
}

tn_status infer_tile(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t n;
    shape s = {.rank = x->rank};
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_sizes(call, KEY_REPEATS, x->rank, 0));
    const int64_t *repeats = attr_ints(call->attrs, KEY_REPEATS, &n);
    for (uint32_t i = 0; i < x->rank; i++)
        TN_TRY(rule_extent(call, DIM_MUL, x->dims[i], repeats[i], &s.dims[i]));
    return rule_result(call, x->dtype, &s);
}
