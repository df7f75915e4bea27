/* Padding and sliding windows, written with others. */
#include <math.h>

#include "base/memory/checked.h"
#include "ops/fold_ops.h"
#include "ops/shape.h"
#include "pass/expand/expand.h"

/* A pad node around X. */
static value_id padded(expand_call *c, value_id x, const int64_t *low, const int64_t *high,
                       const int64_t *interior, uint32_t rank, scalar value)
{
    attr entries[] = {attr_of_ints(KEY_LOW, low, rank), attr_of_ints(KEY_HIGH, high, rank),
                      attr_of_ints(KEY_INTERIOR, interior, rank),
                      attr_of_scalar(KEY_PAD_VALUE, &value)};
    bool changes = false;
    for (uint32_t i = 0; i < rank; i++)
        changes = changes || low[i] || high[i] || interior[i];
    return changes ? build_node(c->b, OP_PAD, &x, 1, entries, 4) : x;
}

/* X with FIRST[i] .. FIRST[i] + COUNT[i] - 1 along every axis, holes of INTERIOR and VALUE beyond
 * its ends: what remains of the padding after that of negative amounts is cut off. */
static value_id framed(expand_call *c, value_id x, const int64_t *first, const int64_t *count,
                       const int64_t *interior, uint32_t rank, scalar value)
{
    const type *t = build_type(c->b, x);
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], from[TN_MAX_RANK], to[TN_MAX_RANK];
    int64_t steps[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t length = t->dims[i] + (t->dims[i] ? t->dims[i] - 1 : 0) * interior[i];
        const int64_t end = first[i] + count[i];
        low[i] = first[i] < 0 ? -first[i] : 0;
        high[i] = end > length ? end - length : 0;
        from[i] = first[i] + low[i];
        to[i] = from[i] + count[i];
        steps[i] = 1;
    }
    return build_slice(c->b, padded(c, x, low, high, interior, rank, value), from, to, steps, rank);
}

static scalar zero_of(tn_dtype d)
{
    return dtype_is_float(d)     ? scalar_of_float(0)
           : dtype_is_complex(d) ? scalar_of_complex(0, 0)
                                 : scalar_of_int(0);
}

/* ---- padding -------------------------------------------------------------------------------- */

/* Holes are padding along a new axis behind each element, which then joins the axis. */
static value_id with_holes(expand_call *c, value_id x, uint32_t axis, int64_t holes, scalar value)
{
    const type *t = build_type(c->b, x);
    dim dims[TN_MAX_RANK];
    int64_t none[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0}, ends[TN_MAX_RANK];
    int64_t steps[TN_MAX_RANK];
    const uint32_t rank = t->rank;
    for (uint32_t i = 0; i < rank + 1; i++)
        dims[i] = i <= axis ? t->dims[i] : i == axis + 1 ? 1 : t->dims[i - 1];
    high[axis + 1] = holes;
    value_id v = build_reshape(c->b, x, dims, rank + 1);
    v = padded(c, v, none, high, none, rank + 1, value);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = t->dims[i];
        ends[i] = dim_is_symbolic(dims[i]) ? INT64_MAX : dims[i];
        steps[i] = 1;
    }
    dims[axis] *= holes + 1;
    ends[axis] = dims[axis] - holes;
    return build_slice(c->b, build_reshape(c->b, v, dims, rank), none, ends, steps, rank);
}

value_id expand_pad_between(expand_call *c)
{
    uint32_t rank;
    const int64_t *low = attr_ints(c->n->attrs, KEY_LOW, &rank);
    const int64_t *high = attr_ints(c->n->attrs, KEY_HIGH, &rank);
    const int64_t *interior = attr_ints(c->n->attrs, KEY_INTERIOR, &rank);
    const scalar value = *attr_find(c->n->attrs, KEY_PAD_VALUE)->v.scalar;
    int64_t none[TN_MAX_RANK] = {0};
    value_id v = c->in[0];
    bool any = false;
    for (uint32_t i = 0; i < rank; i++)
        any = any || interior[i] != 0;
    if (!any || rank == TN_MAX_RANK)
        return NO_VALUE;
    for (uint32_t i = 0; i < rank && c->b->status == TN_OK; i++) {
        int64_t most;
        const bool open = dim_is_symbolic(build_type(c->b, v)->dims[i]);
        if (interior[i] == 0 || (!open && build_type(c->b, v)->dims[i] < 2))
            continue;
        if (open || interior[i] < 0 || !add_i64(interior[i], 1, &most) ||
            !mul_i64(most, build_type(c->b, v)->dims[i], &most))
            return NO_VALUE;
        v = with_holes(c, v, i, interior[i], value);
    }
    return padded(c, v, low, high, none, rank, value);
}

/* ---- reductions over windows ---------------------------------------------------------------- */

/* What takes no part in a reduction; for extremes the lowest or highest value. */
static scalar neutral_of(op_id op, tn_dtype d)
{
    const bool lowest = fold_is_largest(fold_of_reduction(op));
    if (op == OP_SUM)
        return zero_of(d);
    if (d == TN_FP8_E4M3) /* it has no infinities */
        return scalar_of_float(lowest ? -dtype_float_max(d) : dtype_float_max(d));
    if (dtype_is_float(d))
        return scalar_of_float(lowest ? -(double)INFINITY : (double)INFINITY);
    if (dtype_is_bool(d))
        return scalar_of_bool(!lowest);
    return lowest ? scalar_of_int(dtype_int_min(d)) : scalar_of_uint(dtype_int_max(d));
}

/* Windows as new axes, reduced in row-major order; leading axes that every window meets once are
 * left alone. */
static value_id reduce_windows(expand_call *c, op_id op)
{
    const type *x = operand_type_of(c, 0);
    uint32_t n, first = 0;
    const int64_t *window = attr_ints(c->n->attrs, KEY_WINDOW, &n);
    const int64_t *strides = attr_ints(c->n->attrs, KEY_STRIDES, &n);
    const int64_t *pads = attr_ints(c->n->attrs, KEY_PADS, &n);
    const int64_t *base = attr_ints(c->n->attrs, KEY_BASE_DILATION, &n);
    const int64_t *dilation = attr_ints(c->n->attrs, KEY_DILATION, &n);
    const tn_dtype usual = dtype_compute(x->dtype);
    const tn_dtype sum = (tn_dtype)attr_int(c->n->attrs, KEY_ACCUM_DTYPE, usual);
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK], axes[TN_MAX_RANK];
    while (first + 1 < x->rank && window[first] == 1 && strides[first] == 1)
        first++;
    const uint32_t rank = x->rank, k = rank - first;
    if (k == 0 || rank + k > TN_MAX_RANK || c->out->count == 0)
        return NO_VALUE;
    for (uint32_t i = 0; i < rank; i++) {
        low[i] = pads[2 * i];
        high[i] = pads[2 * i + 1];
        interior[i] = base[i] - 1;
        axes[i] = (int64_t)rank + i;
    }
    attr places[] = {attr_of_ints(KEY_WINDOW, window + first, k),
                     attr_of_ints(KEY_STRIDES, strides + first, k),
                     attr_of_ints(KEY_DILATION, dilation + first, k)};
    value_id v = padded(c, c->in[0], low, high, interior, rank, neutral_of(op, x->dtype));
    v = build_node(c->b, OP_POOL, &v, 1, places, 3);
    attr entries[] = {attr_of_ints(KEY_AXES, axes, k), attr_of_int(KEY_KEEPDIMS, 0),
                      attr_of_int(KEY_ACCUM_DTYPE, sum)};
    return build_node(c->b, op, &v, 1, entries, sum == usual ? 2 : 3);
}

value_id expand_reduce_window_as_sum(expand_call *c)
{
    const bool adds = attr_int(c->n->attrs, KEY_COMBINE, -1) == COMBINE_ADD;
    return adds ? reduce_windows(c, OP_SUM) : NO_VALUE;
}

op_id expand_extreme_op(int64_t combine)
{
    return combine == COMBINE_MAX       ? OP_REDUCE_MAX
           : combine == COMBINE_MIN     ? OP_REDUCE_MIN
           : combine == COMBINE_MAX_NAN ? OP_REDUCE_MAX_NAN
                                        : OP_REDUCE_MIN_NAN;
}

/* The window of a tensor of rank 0 holds its one element. */
value_id expand_window_of_number(expand_call *c)
{
    const int64_t one = 1, axis = 0, combine = attr_int(c->n->attrs, KEY_COMBINE, -1);
    const attr *sum = attr_find(c->n->attrs, KEY_ACCUM_DTYPE);
    const op_id op = combine == COMBINE_ADD ? OP_SUM : expand_extreme_op(combine);
    attr entries[2] = {attr_of_ints(KEY_AXES, &axis, 1)};
    if (c->out->rank != 0)
        return NO_VALUE;
    value_id x = build_reshape(c->b, c->in[0], &one, 1);
    if (sum)
        entries[1] = *sum;
    return build_node(c->b, op, &x, 1, entries, sum ? 2 : 1);
}

value_id expand_reduce_window_as_extreme(expand_call *c)
{
    const int64_t combine = attr_int(c->n->attrs, KEY_COMBINE, -1);
    return combine != COMBINE_ADD ? reduce_windows(c, expand_extreme_op(combine)) : NO_VALUE;
}

/* The same where no NaN wins, and NaN where a window has one. */
value_id expand_reduce_window_nan(expand_call *c)
{
    const int64_t combine = attr_int(c->n->attrs, KEY_COMBINE, -1);
    if (combine != COMBINE_MAX_NAN && combine != COMBINE_MIN_NAN)
        return NO_VALUE;
    return expand_nan_beside(c, KEY_COMBINE, combine == COMBINE_MAX_NAN ? COMBINE_MAX : COMBINE_MIN,
                             COMBINE_MAX);
}

/* ---- the derivative of convolution by its input --------------------------------------------- */

/* The filter [kh, kw, ci, co] backwards in kh and kw, as [kh * kw * co, ci]. */
static value_id turned_filter(expand_call *c, const conv_geometry *g)
{
    const int64_t axes[] = {0, 1}, perm[] = {0, 1, 3, 2};
    const dim rows[] = {g->kh * g->kw * g->co, g->ci};
    attr entry = attr_of_ints(KEY_AXES, axes, 2);
    value_id w = c->in[1];
    if (g->kh > 1 || g->kw > 1)
        w = build_node(c->b, OP_REVERSE, &w, 1, &entry, 1);
    return build_reshape(c->b, build_transpose(c->b, w, perm, 4), rows, 2);
}

/* A convolution of dy, with holes for the strides, by the filter backwards. Taps that meet no
 * result meet a zero instead, and the taps come in the opposite order. */
value_id expand_conv2d_grad_input_as_patches(expand_call *c)
{
    const type *t = c->out, *dy = operand_type_of(c, 0), *w = operand_type_of(c, 1);
    const scalar zero = zero_of(t->dtype);
    conv_geometry g;
    if (!is_static_call(c) || resolve_conv(c->n->attrs, t->dims, w->dims, &g).kind != SHAPE_OK)
        return NO_VALUE;
    if (dy->count == 0 || w->count == 0 || t->count == 0)
        return expand_filled(c, t, 0);
    const int64_t first[] = {0, g.top - g.kh + 1, g.left - g.kw + 1, 0};
    const int64_t count[] = {g.n, g.h + g.kh - 1, g.w + g.kw - 1, g.co};
    const int64_t interior[] = {0, g.stride_h - 1, g.stride_w - 1, 0};
    const int64_t window[] = {g.kh, g.kw}, ones[] = {1, 1}, none[] = {0, 0, 0, 0};
    const int64_t left = 3, right = 0;
    value_id frame = framed(c, c->in[0], first, count, interior, 4, zero);
    attr places[] = {attr_of_ints(KEY_WINDOW, window, 2), attr_of_ints(KEY_STRIDES, ones, 2),
                     attr_of_ints(KEY_DILATION, ones, 2), attr_of_ints(KEY_PADS, none, 4),
                     attr_of_scalar(KEY_PAD_VALUE, &zero)};
    value_id in[] = {build_node(c->b, OP_EXTRACT_PATCHES, &frame, 1, places, 5),
                     turned_filter(c, &g)};
    attr entries[] = {attr_of_ints(KEY_BATCH_LHS, NULL, 0), attr_of_ints(KEY_BATCH_RHS, NULL, 0),
                      attr_of_ints(KEY_CONTRACT_LHS, &left, 1),
                      attr_of_ints(KEY_CONTRACT_RHS, &right, 1)};
    return build_node(c->b, OP_DOT_GENERAL, in, 2, entries, 4);
}
