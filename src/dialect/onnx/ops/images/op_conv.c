/* Convolutions, and how their windows move. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/images/op_window.h"
#include "dialect/onnx/ops/op_quantize.h"

/* The list NAME, without its first BEFORE entries. */
static bool window_list(onnx_call *c, const char *name, uint32_t before, uint32_t n,
                        int64_t otherwise, int64_t least, int64_t *out)
{
    uint32_t n_given;
    const int64_t *given = onnx_attr_ints(c, name, &n_given);
    if (given && n_given - before != n)
        return onnx_refuse(c, DIAG_InvalidAttribute, "'%s' has %" PRIu32 " entr%s for %" PRIu32,
                           name, n_given, plural_as(n_given, "y", "ies"), n);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = given ? given[before + i] : otherwise;
        if (out[i] < least || out[i] > INT32_MAX)
            return onnx_refuse(c, DIAG_InvalidAttribute, "'%s' has an entry of %" PRId64, name,
                               out[i]);
    }
    return true;
}

bool onnx_window_list(onnx_call *c, const char *name, uint32_t n, int64_t otherwise, int64_t least,
                      int64_t *out)
{
    return window_list(c, name, 0, n, otherwise, least, out);
}

/* `pads`: first what is before each axis, then what is behind. */
static bool read_pads(onnx_call *c, uint32_t n, int64_t least, int64_t *low, int64_t *high)
{
    int64_t pads[2 * TN_MAX_RANK];
    if (!onnx_window_list(c, "pads", 2 * n, 0, least, pads))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        low[i] = pads[i];
        high[i] = pads[n + i];
    }
    return true;
}

typedef enum auto_pad { PADS_GIVEN, SAME_UPPER, SAME_LOWER, PADS_NONE } auto_pad;

static bool read_auto_pad(onnx_call *c, auto_pad *out)
{
    static const char *const words[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (onnx_attr_is(c, "auto_pad", words[i], i == PADS_GIVEN) ||
            (i == PADS_GIVEN && onnx_attr_is(c, "auto_pad", "", false))) {
            *out = (auto_pad)i;
            return true;
        }
    return onnx_refuse(c, DIAG_InvalidAttribute,
                       "'auto_pad' is NOTSET, SAME_UPPER, SAME_LOWER or VALID");
}

/* X - Y */
static dim less(onnx_call *c, dim x, dim y)
{
    return onnx_dim_of(c, DIM_ADD, x, onnx_dim_of(c, DIM_MUL, y, -1));
}

/* What X lacks to be a multiple of STEP. */
static dim to_multiple(onnx_call *c, dim x, int64_t step)
{
    return onnx_dim_of(c, DIM_MOD, onnx_dim_of(c, DIM_MUL, x, -1), step);
}

/* 1 where X, from 0 to STEP - 1, is LEAST or more, else 0. */
static dim reaches(onnx_call *c, dim x, int64_t least, int64_t step)
{
    if (least <= 0 || least >= step)
        return least <= 0;
    return onnx_dim_of(c, DIM_FLOORDIV, onnx_dim_plus(c, x, step - least), step);
}

/* How much more than EXTENT windows that start at every multiple of STEP inside of it cover. */
static dim overhang(onnx_call *c, dim extent, int64_t reach, int64_t step)
{
    const dim last = to_multiple(c, extent, step); /* the last starts STEP - LAST before the end */
    const dim over = onnx_dim_plus(c, last, reach - step);
    return reach >= step ? over
                         : onnx_dim_of(c, DIM_MUL, over, reaches(c, last, step - reach, step));
}

/* TOTAL at both ends; the odd one stands behind for SAME_UPPER, and in front for all others. */
static void share(onnx_call *c, dim total, auto_pad how, dim *low, dim *high)
{
    const dim half = onnx_dim_of(c, DIM_FLOORDIV, total, 2), rest = less(c, total, half);
    *low = how == SAME_UPPER ? half : rest;
    *high = how == SAME_UPPER ? rest : half;
}

/* The last N extents of T. */
static void take_extents(const type *t, uint32_t n, dim *extents)
{
    for (uint32_t i = 0; i < n; i++)
        extents[i] = t->dims[t->rank - n + i];
}

bool onnx_need_extents(onnx_call *c, const type *t, uint32_t n)
{
    dim extents[TN_MAX_RANK];
    take_extents(t, n, extents);
    for (uint32_t i = 0; i < n; i++)
        if (dim_is_symbolic(extents[i]))
            return onnx_refuse(c, DIAG_ShapeUnknown, "the extent '%s' needs a value",
                               dims_text(&c->im->memory, &c->im->m->types, &extents[i], 1));
    return true;
}

/* `ceil_mode`: a last window that ends behind the padding counts, unless it starts there. Padding
 * that makes room for it, or that takes the room of one that starts there. */
static dim more_behind(onnx_call *c, dim room, int64_t reach, int64_t high, int64_t step)
{
    const dim rest = to_multiple(c, room, step);
    if (high >= reach) /* it always starts there */
        return onnx_dim_plus(c, reaches(c, rest, 1, step), -1);
    const dim starts_behind = reaches(c, rest, reach - high, step);
    return onnx_dim_of(c, DIM_MUL, rest, less(c, 1, starts_behind));
}

bool onnx_read_windows(onnx_call *c, const type *t, bool has_kernel, onnx_windows *w)
{
    auto_pad how = PADS_GIVEN;
    if (t->rank < 3)
        return onnx_refuse(c, DIAG_RankMismatch,
                           "it takes a batch, channels and further axes, not rank %" PRIu32,
                           t->rank);
    w->n = t->rank - 2;
    if (!has_kernel && !onnx_attr(c, "kernel_shape"))
        return onnx_refuse(c, DIAG_MissingAttribute, "it needs 'kernel_shape'");
    if ((!has_kernel && !onnx_window_list(c, "kernel_shape", w->n, 1, 1, w->kernel)) ||
        !onnx_window_list(c, "strides", w->n, 1, 1, w->strides) ||
        !onnx_window_list(c, "dilations", w->n, 1, 1, w->dilations) || !read_auto_pad(c, &how) ||
        !read_pads(c, w->n, 0, w->low, w->high))
        return false;
    take_extents(t, w->n, w->extents);
    const bool ceil_mode = onnx_attr_int(c, "ceil_mode", 0);
    for (uint32_t i = 0; i < w->n; i++) {
        const int64_t reach = (w->kernel[i] - 1) * w->dilations[i] + 1, step = w->strides[i];
        const bool is_same = how == SAME_UPPER || how == SAME_LOWER; /* as many as steps begin */
        if (is_same)
            share(c, overhang(c, w->extents[i], reach, step), how, &w->low[i], &w->high[i]);
        else if (how == PADS_NONE)
            w->low[i] = w->high[i] = 0;
        w->padding[i] = w->high[i];
        const dim pads = onnx_dim_of(c, DIM_ADD, w->low[i], w->high[i]);
        dim room = onnx_dim_plus(c, onnx_dim_of(c, DIM_ADD, w->extents[i], pads), -reach);
        if (ceil_mode && !is_same) {
            const dim more = more_behind(c, room, reach, w->high[i], step);
            w->high[i] = onnx_dim_of(c, DIM_ADD, w->high[i], more);
            room = onnx_dim_of(c, DIM_ADD, room, more);
        }
        w->out[i] = onnx_dim_plus(c, onnx_dim_of(c, DIM_FLOORDIV, room, step), 1);
        if (!dim_is_symbolic(w->out[i]) && w->out[i] < 1)
            return onnx_refuse(c, DIAG_InvalidDimension, "the window is larger than the input");
    }
    return true;
}

tn_ints onnx_for_all_axes(int64_t *room, uint32_t offset, int64_t first, const int64_t *at,
                          uint32_t n)
{
    for (uint32_t i = 0; i < offset + n; i++)
        room[i] = i < offset ? first : at[i - offset];
    return (tn_ints){room, offset + n};
}

/* Low and high for each axis. */
static tn_ints paired(int64_t *room, const int64_t *low, const int64_t *high, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        room[2 * i] = low[i];
        room[2 * i + 1] = high[i];
    }
    return (tn_ints){room, 2 * (size_t)n};
}

bool onnx_give_with_bias(onnx_call *c, tn_value y, uint32_t k)
{
    const type *t = onnx_type_of(c, y);
    if (!t || !onnx_has_in(c, k))
        return onnx_give(c, 0, y);
    if (!onnx_in_fits(c, k, TN_INTS(t->dims[1])))
        return false;
    const tn_value bias = onnx_along(c, onnx_in(c, k), 1, t->rank);
    return onnx_give(c, 0, tn_add(c->b, y, bias));
}

bool onnx_read_kernel(onnx_call *c, const type *t, const type *u, onnx_windows *w)
{
    int64_t given[TN_MAX_RANK];
    const bool is_given = onnx_attr(c, "kernel_shape");
    if (t->rank < 3 || u->rank != t->rank)
        return onnx_refuse(c, DIAG_RankMismatch, "a filter of rank %" PRIu32 " for rank %" PRIu32,
                           u->rank, t->rank);
    w->n = t->rank - 2;
    if (!onnx_need_extents(c, u, w->n) ||
        (is_given && !onnx_window_list(c, "kernel_shape", w->n, 1, 1, given)))
        return false;
    take_extents(u, w->n, w->kernel);
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->kernel[i] < 1 || w->kernel[i] > INT32_MAX)
            return onnx_refuse(c, DIAG_InvalidDimension, "a filter has no elements");
        if (is_given && given[i] != w->kernel[i])
            return onnx_refuse(c, DIAG_DimensionMismatch,
                               "'kernel_shape' has an entry of %" PRId64 ", the filter %" PRId64,
                               given[i], w->kernel[i]);
    }
    return true;
}

tn_value onnx_convolved(onnx_call *c, tn_value x, tn_value f, tn_dtype sums)
{
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, f);
    int64_t pads[2 * TN_MAX_RANK];
    onnx_windows w;
    if (!t || !u || !onnx_read_kernel(c, t, u, &w) || !onnx_read_windows(c, t, true, &w))
        return tn_no_value();
    const tn_convolved how = {.strides = {w.strides, w.n},
                              .pads = paired(pads, w.low, w.high, w.n),
                              .dilation = {w.dilations, w.n},
                              .groups = onnx_attr_int(c, "group", 1)};
    return tn_convolution(c->b, x, f, &how, sums, sums);
}

/* The products of a result, with a filter of type T. */
static dim products_of(onnx_call *c, const type *t)
{
    dim n = 1;
    for (uint32_t i = 1; i < t->rank; i++)
        n = onnx_dim_of(c, DIM_MUL, n, t->dims[i]);
    return n;
}

bool onnx_op_conv(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0), f = onnx_in(c, 1);
    const type *t = onnx_type_of(c, f);
    onnx_integer_pair p;
    if (!t)
        return false;
    if (onnx_has_integers(c, 0, products_of(c, t), &p)) {
        const tn_value sums = onnx_convolved(c, p.left, p.right, TN_SI32);
        return tn_is_value(sums) && onnx_give_with_bias(c, onnx_scaled_sums(c, sums, &p, 1), 2);
    }
    const tn_value y = onnx_convolved(c, x, f, TN_DTYPE_DEFAULT);
    return tn_is_value(y) && onnx_give_with_bias(c, y, 2);
}

/* ---- transposed ---- */

/* How much is cut off at both ends, and the extents of the result. */
static bool transposed_pads(onnx_call *c, const type *t, onnx_windows *w, int64_t *extra)
{
    int64_t shape[TN_MAX_RANK];
    auto_pad how = PADS_GIVEN;
    const onnx_attribute *given = onnx_attr_of(c, "output_shape", ONNX_INTS);
    if (!read_auto_pad(c, &how) || !onnx_window_list(c, "output_padding", w->n, 0, 0, extra) ||
        !read_pads(c, w->n, 0, w->low, w->high) || (given && !onnx_need_extents(c, t, w->n)))
        return false;
    const uint32_t before = given && given->ints.n == t->rank ? 2 : 0; /* batch and channels */
    if (given && !window_list(c, "output_shape", before, w->n, 1, 0, shape))
        return false;
    take_extents(t, w->n, w->extents);
    for (uint32_t i = 0; i < w->n; i++) {
        const int64_t reach = (w->kernel[i] - 1) * w->dilations[i] + 1 + extra[i];
        const dim starts =
            onnx_dim_of(c, DIM_MUL, onnx_dim_plus(c, w->extents[i], -1), w->strides[i]);
        if (how == PADS_NONE)
            w->low[i] = w->high[i] = 0;
        if (given || how == SAME_UPPER || how == SAME_LOWER) {
            const int64_t total =
                given ? less(c, onnx_dim_plus(c, starts, reach), shape[i]) : reach - w->strides[i];
            share(c, total > 0 ? total : 0, how, &w->low[i], &w->high[i]);
            if (total < 0) /* zeros behind */
                w->high[i] = total;
        }
        w->out[i] = onnx_dim_plus(c, starts, reach - w->low[i] - w->high[i]);
        if (!dim_is_symbolic(w->out[i]) && w->out[i] < 0)
            return onnx_refuse(c, DIAG_InvalidDimension, "its padding is more than there is");
    }
    return true;
}

/* The filter [ci, co / groups, ...] as [co, ci / groups, ...], backwards along its windows. */
static tn_value turned(onnx_call *c, tn_value f, const type *u, int64_t groups, uint32_t n)
{
    int64_t dims[TN_MAX_RANK + 1], perm[TN_MAX_RANK + 1], axes[TN_MAX_RANK];
    for (uint32_t i = 0; i < n; i++)
        axes[i] = 2 + i;
    f = tn_reverse(c->b, f, (tn_ints){axes, n});
    if (groups == 1) {
        for (uint32_t i = 0; i < u->rank; i++)
            perm[i] = i < 2 ? 1 - (int64_t)i : i;
        return tn_transpose(c->b, f, (tn_ints){perm, u->rank});
    }
    dims[0] = groups;
    dims[1] = u->dims[0] / groups;
    for (uint32_t i = 1; i < u->rank; i++)
        dims[i + 1] = u->dims[i];
    for (uint32_t i = 0; i <= u->rank; i++)
        perm[i] = i == 1 ? 2 : i == 2 ? 1 : i;
    f = tn_transpose(c->b, tn_reshape(c->b, f, (tn_ints){dims, u->rank + 1}),
                     (tn_ints){perm, u->rank + 1});
    dims[0] = groups * u->dims[1];
    dims[1] = u->dims[0] / groups;
    for (uint32_t i = 2; i < u->rank; i++)
        dims[i] = u->dims[i];
    return tn_reshape(c->b, f, (tn_ints){dims, u->rank});
}

/* What lies in the way of negative padding is cut off the result. */
static tn_value cut_result(onnx_call *c, tn_value y, const int64_t *from, const onnx_windows *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        const type *t = onnx_type_of(c, y);
        if (t && (from[i] || t->dims[2 + i] != w->out[i]))
            y = dim_is_symbolic(w->out[i]) ? known_part(c->b, y, 2 + i, from[i], 1, w->out[i])
                                           : tn_slice_axis(c->b, y, 2 + i, from[i], w->out[i]);
    }
    return y;
}

bool onnx_op_conv_transpose(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0), f = onnx_in(c, 1);
    const type *t = onnx_type_of(c, x), *u = onnx_type_of(c, f);
    const int64_t groups = onnx_attr_int(c, "group", 1);
    int64_t pads[2 * TN_MAX_RANK], extra[TN_MAX_RANK];
    int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
    int64_t from[TN_MAX_RANK];
    onnx_windows w;
    if (!t || !u || !onnx_read_kernel(c, t, u, &w) ||
        !onnx_window_list(c, "strides", w.n, 1, 1, w.strides) ||
        !onnx_window_list(c, "dilations", w.n, 1, 1, w.dilations) ||
        !transposed_pads(c, t, &w, extra))
        return false;
    if (groups < 1 || dim_is_symbolic(u->dims[0]) || dim_is_symbolic(u->dims[1]) ||
        u->dims[0] % groups)
        return onnx_refuse(c, DIAG_InvalidAttribute, "'group' does not divide the channels");
    for (uint32_t i = 0; i < w.n; i++) {
        const int64_t reach = (w.kernel[i] - 1) * w.dilations[i];
        low[i] = reach - w.low[i];
        high[i] = reach - w.high[i] + extra[i];
        from[i] = low[i] < 0 ? -low[i] : 0;
        low[i] = low[i] < 0 ? 0 : low[i];
        high[i] = high[i] < 0 ? 0 : high[i];
    }
    const tn_convolved how = {.pads = paired(pads, low, high, w.n),
                              .base_dilation = {w.strides, w.n},
                              .dilation = {w.dilations, w.n},
                              .groups = groups};
    const tn_value turned_f = turned(c, f, u, groups, w.n);
    const tn_value y = tn_convolution(c->b, x, turned_f, &how, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
    return onnx_give_with_bias(c, cut_result(c, y, from, &w), 2);
}
