/* Parts of tensors, and what is put around them: Slice, Gather, Pad. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/op.h"

/* ---- Slice ---- */

typedef struct bounds {
    int64_t start, end, step; /* start and end may be sizes */
} bounds;

/* A bound counted from the front, inside the axis. */
static int64_t clamp_bound(int64_t at, int64_t extent, int64_t low, int64_t high)
{
    at += at < 0 ? extent : 0;
    return at < low ? low : at > high ? high : at;
}

void onnx_resolve_bounds(int64_t extent, int64_t *start, int64_t *end, int64_t step)
{
    const int64_t high = step < 0 ? extent - 1 : extent;
    *start = clamp_bound(*start, extent, 0, high);
    *end = clamp_bound(*end, extent, step < 0 ? -1 : 0, high);
}

static dim difference(onnx_call *c, dim x, dim y)
{
    return onnx_dim_of(c, DIM_ADD, x, onnx_dim_of(c, DIM_MUL, y, -1));
}

/* The last COUNT elements of X along AXIS. */
static tn_value last_part(onnx_call *c, tn_value x, int64_t axis, dim count)
{
    const tn_value back = tn_reverse(c->b, x, TN_INTS(axis));
    const tn_value part = known_part(c->b, back, axis, 0, 1, count);
    return tn_reverse(c->b, part, TN_INTS(axis));
}

/* AT, inside an axis of EXTENT where both are numbers. */
static dim inside(dim at, dim extent)
{
    return dim_is_symbolic(at) || dim_is_symbolic(extent) ? at : clamp_bound(at, extent, 0, extent);
}

/* Along an axis where a bound or the extent is a size. Bounds are taken to lie inside of it, unless
 * both are numbers. */
static bool slice_size(onnx_call *c, tn_value *x, int64_t axis, const bounds *by)
{
    const type *t = onnx_type_of(c, *x);
    if (!t)
        return false;
    const dim extent = t->dims[axis];
    dim start = by->step > 0 ? inside(by->start, extent) : by->start;
    dim end = by->step > 0 ? inside(by->end, extent) : by->end;
    const bool to_end = end == extent || (!dim_is_symbolic(end) && end >= INT32_MAX);
    if (by->step == 1 && start == 0 && to_end)
        return true;
    if (by->step < 0 && start == -1 && end < INT32_MIN && !dim_is_symbolic(end)) {
        const bounds forwards = {0, INT64_MAX, by->step > INT32_MIN ? -by->step : INT32_MAX};
        *x = tn_reverse(c->b, *x, TN_INTS(axis));
        return tn_is_value(*x) && slice_size(c, x, axis, &forwards);
    }
    if (by->step < 0 || by->step > INT32_MAX)
        return onnx_refuse(c, DIAG_ShapeUnknown,
                           "the part along axis %" PRId64 " depends on a size", axis);
    if (to_end)
        end = extent;
    else if (!dim_is_symbolic(end) && end < 0)
        end = onnx_dim_plus(c, extent, end);
    if (dim_is_symbolic(start) || start < 0) { /* from there to the end, first */
        if (!dim_is_symbolic(start))
            start = onnx_dim_plus(c, extent, start);
        *x = last_part(c, *x, axis, difference(c, extent, start));
        if ((to_end && by->step == 1) || !tn_is_value(*x))
            return tn_is_value(*x);
        end = difference(c, end, start);
        start = 0;
    }
    const dim way = onnx_dim_plus(c, difference(c, end, start), by->step - 1);
    const dim count = by->step == 1 ? way : onnx_dim_of(c, DIM_FLOORDIV, way, by->step);
    *x = known_part(c->b, *x, axis, start, by->step, count);
    return tn_is_value(*x);
}

static bool read_bounds(onnx_call *c, uint32_t rank, int64_t *axes, bounds *out, uint32_t *n)
{
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    uint32_t n_ends, n_axes = 0, n_steps = 0;
    if (c->version < 10) {
        bool given;
        if (!onnx_ints_of(c, "starts", 1, TN_MAX_RANK, starts, n, &given) ||
            !onnx_ints_of(c, "ends", 1, TN_MAX_RANK, ends, &n_ends, &given) ||
            !onnx_ints_of(c, "axes", 1, TN_MAX_RANK, axes, &n_axes, &given))
            return false;
    } else if (!onnx_in_ints(c, 1, true, TN_MAX_RANK, starts, n) ||
               !onnx_in_ints(c, 2, true, TN_MAX_RANK, ends, &n_ends) ||
               !onnx_in_ints(c, 3, false, TN_MAX_RANK, axes, &n_axes) ||
               !onnx_in_ints(c, 4, false, TN_MAX_RANK, steps, &n_steps)) {
        return false;
    }
    if (n_ends != *n || (n_axes && n_axes != *n) || (n_steps && n_steps != *n) || *n > rank)
        return onnx_refuse(c, DIAG_SliceLength, "its lists do not have the same length");
    for (uint32_t i = 0; i < *n; i++) {
        if (!n_axes)
            axes[i] = i;
        out[i] = (bounds){starts[i], ends[i], n_steps ? steps[i] : 1};
        if (out[i].step == 0)
            return onnx_refuse(c, DIAG_SliceStep, "a step is 0");
    }
    return onnx_axes(c, axes, *n, rank);
}

bool onnx_op_slice(onnx_call *c)
{
    tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axes[TN_MAX_RANK], starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    bounds by[TN_MAX_RANK];
    uint32_t n;
    if (!t || !read_bounds(c, t->rank, axes, by, &n))
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        starts[i] = 0;
        ends[i] = INT64_MAX;
        steps[i] = 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        const dim extent = t->dims[axes[i]];
        if (dim_is_symbolic(extent) || dim_is_symbolic(by[i].start) || dim_is_symbolic(by[i].end)) {
            if (!slice_size(c, &x, axes[i], &by[i]))
                return false;
            continue;
        }
        starts[axes[i]] = by[i].start;
        ends[axes[i]] = by[i].end;
        steps[axes[i]] = by[i].step;
        onnx_resolve_bounds(extent, &starts[axes[i]], &ends[axes[i]], by[i].step);
    }
    const tn_ints from = {starts, t->rank}, to = {ends, t->rank}, step = {steps, t->rank};
    return onnx_give(c, 0, tn_slice_steps(c->b, x, from, to, step));
}

/* ---- Gather ---- */

/* Positions counted from the front. Repeated ones still are afterwards. */
tn_value onnx_from_front(onnx_call *c, tn_value i, dim extent)
{
    const type *t = onnx_type_of(c, i);
    const tn_value once = builder_repeated(c->b, i);
    if (!t)
        return i;
    if (tn_is_value(once))
        return tn_broadcast(c->b, onnx_from_front(c, once, extent), onnx_dims(t));
    const tn_value size = known_size_data(c->b, t->dtype, extent);
    const tn_value negative = tn_compare(c->b, TN_LT, i, tn_scalar_int(c->b, t->dtype, 0));
    return tn_select(c->b, negative, tn_add(c->b, i, size), i);
}

/* Input K as positions along an axis of EXTENT. */
tn_value onnx_positions(onnx_call *c, uint32_t k, dim extent)
{
    const known_value *known = onnx_in_known(c, k);
    bool negative = !known;
    for (uint32_t i = 0; known && i < known->n; i++)
        negative = negative || known->at[i].is_size || known->at[i].i < 0;
    return negative ? onnx_from_front(c, onnx_in(c, k), extent) : onnx_in(c, k);
}

tn_value onnx_take_along(onnx_call *c, tn_value x, tn_value i, uint32_t axis)
{
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, i);
    int64_t perm[2 * TN_MAX_RANK];
    if (!t || !u)
        return tn_no_value();
    if (axis == 0)
        return tn_take(c->b, x, i);
    perm[0] = axis;
    for (uint32_t k = 0, n = 1; k < t->rank; k++)
        if (k != axis)
            perm[n++] = k;
    x = tn_take(c->b, tn_transpose(c->b, x, (tn_ints){perm, t->rank}), i);
    uint32_t n = 0; /* the positions' axes stand in front */
    for (uint32_t k = 0; k < axis; k++)
        perm[n++] = u->rank + k;
    for (uint32_t k = 0; k < u->rank; k++)
        perm[n++] = k;
    for (uint32_t k = axis; k + 1 < t->rank; k++)
        perm[n++] = u->rank + k;
    return u->rank > 0 ? tn_transpose(c->b, x, (tn_ints){perm, n}) : x;
}

bool onnx_op_gather(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x), *u = onnx_in_type(c, 1);
    int64_t axis;
    if (!t || !u || !onnx_axis(c, onnx_attr_int(c, "axis", 0), t->rank, &axis))
        return false;
    if (t->rank + u->rank > TN_MAX_RANK + 1)
        return onnx_refuse(c, DIAG_RankMismatch, "the rank of the result is too high");
    const tn_value i = onnx_positions(c, 1, t->dims[axis]);
    return onnx_give(c, 0, onnx_take_along(c, x, i, (uint32_t)axis));
}

/* ---- Pad ---- */

typedef enum pad_mode { PAD_CONSTANT, PAD_REFLECT, PAD_EDGE, PAD_WRAP } pad_mode;

static bool pad_mode_of(onnx_call *c, pad_mode *out)
{
    static const char *const names[] = {"constant", "reflect", "edge", "wrap"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (onnx_attr_is(c, "mode", names[i], i == PAD_CONSTANT)) {
            *out = (pad_mode)i;
            return true;
        }
    return onnx_refuse(c, DIAG_InvalidAttribute, "'mode' is constant, reflect, edge or wrap");
}

static bool is_amount(int64_t n)
{
    return dim_is_symbolic(n) || (n <= INT32_MAX && n >= INT32_MIN);
}

/* How much is put before and behind each axis; SIZES: also as much as a size. */
static bool read_pads(onnx_call *c, uint32_t rank, bool sizes, int64_t *low, int64_t *high)
{
    int64_t pads[2 * TN_MAX_RANK], axes[TN_MAX_RANK];
    uint32_t n, n_axes = 0;
    bool given;
    const bool ok = onnx_attr(c, "pads") || !onnx_has_in(c, 1)
                        ? onnx_ints_of(c, "pads", 1, 2 * TN_MAX_RANK, pads, &n, &given)
                        : onnx_in_ints(c, 1, sizes, 2 * TN_MAX_RANK, pads, &n);
    if (!ok || !onnx_in_ints(c, 3, false, TN_MAX_RANK, axes, &n_axes) ||
        !onnx_axes(c, axes, n_axes, rank))
        return false;
    const uint32_t count = onnx_has_in(c, 3) ? n_axes : rank;
    if (n != 2 * count)
        return onnx_refuse(c, DIAG_InvalidPadding,
                           "'pads' has %" PRIu32 " amount%s for %" PRIu32
                           " ax%s, which need two each",
                           n, plural(n), count, plural_as(count, "is", "es"));
    for (uint32_t i = 0; i < rank; i++)
        low[i] = high[i] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t axis = onnx_has_in(c, 3) ? axes[i] : i;
        low[axis] = pads[i];
        high[axis] = pads[count + i];
        if (!is_amount(pads[i]) || !is_amount(pads[count + i]))
            return onnx_refuse(c, DIAG_InvalidPadding, "an amount is too large");
    }
    return true;
}

static int64_t negative_part(int64_t n)
{
    return n < 0 && !dim_is_symbolic(n) ? -n : 0;
}

/* Negative amounts cut away; what is left of them is 0. */
static tn_value cut_away(onnx_call *c, tn_value x, int64_t *low, int64_t *high)
{
    const type *t = onnx_type_of(c, x);
    for (uint32_t i = 0; t && i < t->rank; i++) {
        const int64_t from = negative_part(low[i]), cut = negative_part(high[i]);
        if (from == 0 && cut == 0)
            continue;
        if (dim_is_symbolic(t->dims[i]))
            x = known_part(c->b, x, i, from, 1, onnx_dim_plus(c, t->dims[i], -from - cut));
        else
            x = tn_slice_axis(c->b, x, i, from,
                              t->dims[i] - from - cut > 0 ? t->dims[i] - from - cut : 0);
        low[i] = from ? 0 : low[i];
        high[i] = cut ? 0 : high[i];
        t = onnx_type_of(c, x);
    }
    return x;
}

/* The same as border, along an axis of a symbolic size, which is taken to be long enough. */
static tn_value open_border(onnx_call *c, tn_value x, const type *t, int64_t axis, int64_t n,
                            bool before, pad_mode mode)
{
    dim dims[TN_MAX_RANK];
    if (mode == PAD_WRAP)
        return before ? last_part(c, x, axis, n) : known_part(c->b, x, axis, 0, 1, n);
    const tn_value from = before ? x : tn_reverse(c->b, x, TN_INTS(axis));
    if (mode == PAD_REFLECT) {
        const tn_value part = known_part(c->b, from, axis, 1, 1, n);
        return before ? tn_reverse(c->b, part, TN_INTS(axis)) : part;
    }
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[axis] = n;
    const tn_value last = known_part(c->b, from, axis, 0, 1, 1);
    return tn_broadcast(c->b, last, (tn_ints){dims, t->rank});
}

/* N elements that continue X, of type T, along AXIS, before its first or behind its last. */
static tn_value border(onnx_call *c, tn_value x, const type *t, int64_t axis, int64_t n,
                       bool before, pad_mode mode)
{
    const int64_t extent = t->dims[axis];
    dim dims[TN_MAX_RANK];
    if (dim_is_symbolic(extent))
        return open_border(c, x, t, axis, n, before, mode);
    if (mode == PAD_EDGE) {
        memcpy(dims, t->dims, t->rank * sizeof *dims);
        dims[axis] = n;
        const tn_value last = tn_slice_axis(c->b, x, axis, before ? 0 : extent - 1, 1);
        return tn_broadcast(c->b, last, (tn_ints){dims, t->rank});
    }
    if (mode == PAD_WRAP)
        return tn_slice_axis(c->b, x, axis, before ? extent - n : 0, n);
    const tn_value part = tn_slice_axis(c->b, x, axis, before ? 1 : extent - 1 - n, n);
    return tn_reverse(c->b, part, TN_INTS(axis));
}

/* Along one axis; longer borders than the axis allows take several rounds. */
static tn_value pad_axis(onnx_call *c, tn_value x, int64_t axis, int64_t low, int64_t high,
                         pad_mode mode)
{
    enum { MOST_ROUNDS = 64 };
    for (uint32_t round = 0; low + high > 0; round++) {
        const type *t = onnx_type_of(c, x);
        if (!t)
            return x;
        const dim extent = t->dims[axis];
        const int64_t most = dim_is_symbolic(extent)              ? INT64_MAX
                             : mode == PAD_REFLECT || extent == 0 ? extent - 1
                             : mode == PAD_WRAP                   ? extent
                                                                  : INT64_MAX;
        if (most <= 0 || round == MOST_ROUNDS) {
            (void)onnx_refuse(c, DIAG_InvalidPadding, "axis %" PRId64 " cannot be continued so far",
                              axis);
            return tn_no_value();
        }
        const int64_t n_low = low < most ? low : most, n_high = high < most ? high : most;
        tn_value parts[3];
        uint32_t n = 0;
        if (n_low)
            parts[n++] = border(c, x, t, axis, n_low, true, mode);
        parts[n++] = x;
        if (n_high)
            parts[n++] = border(c, x, t, axis, n_high, false, mode);
        x = tn_concat(c->b, (tn_values){parts, n}, axis);
        low -= n_low;
        high -= n_high;
    }
    return x;
}

/* Is K one number that a double holds? */
static bool is_double(const known_value *k)
{
    const int64_t most = INT64_C(1) << 53;
    return k && k->n == 1 && !k->at[0].is_size &&
           (dtype_is_float(k->dtype) || (k->at[0].i <= most && k->at[0].i >= -most));
}

/* With one value around X: a number, or an element of input 2 that is not known. */
static tn_value pad_with_value(onnx_call *c, tn_value x, const int64_t *low, const int64_t *high)
{
    static const int64_t none[TN_MAX_RANK];
    const type *t = onnx_type_of(c, x);
    const known_value *known = onnx_in_known(c, 2);
    if (!t)
        return tn_no_value();
    const tn_ints from = {low, t->rank}, to = {high, t->rank}, between = {none, t->rank};
    double value = onnx_attr_float(c, "value", 0);
    if (is_double(known))
        value = dtype_is_float(known->dtype) ? known->at[0].f : (double)known->at[0].i;
    else if (onnx_has_in(c, 2)) {
        const tn_value inside = tn_splat(c->b, TN_I1, onnx_dims(t), 1);
        const tn_value where = tn_pad(c->b, inside, from, to, between, 0);
        const tn_value zeros = tn_pad(c->b, x, from, to, between, 0);
        const tn_value one = tn_reshape(c->b, onnx_in(c, 2), (tn_ints){0});
        return tn_select(c->b, where, zeros, one);
    }
    return tn_pad(c->b, x, from, to, between, value);
}

bool onnx_op_pad(onnx_call *c)
{
    tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK];
    pad_mode mode = PAD_CONSTANT;
    if (!t || !pad_mode_of(c, &mode) || !read_pads(c, t->rank, mode == PAD_CONSTANT, low, high))
        return false;
    x = cut_away(c, x, low, high);
    if (!tn_is_value(x))
        return false;
    if (mode == PAD_CONSTANT)
        return onnx_give(c, 0, pad_with_value(c, x, low, high));
    for (uint32_t i = 0; i < t->rank && tn_is_value(x); i++)
        x = pad_axis(c, x, i, low[i], high[i], mode);
    return onnx_give(c, 0, x);
}
