/* Pooling. */
#include <math.h>

#include "base/memory/checked.h"
#include "dialect/onnx/ops/images/op_window.h"

static tn_value reduce_windows(onnx_call *c, tn_value x, tn_combine combine, const onnx_windows *w)
{
    int64_t window[TN_MAX_RANK], strides[TN_MAX_RANK], dilation[TN_MAX_RANK], base[TN_MAX_RANK];
    int64_t pads[2 * TN_MAX_RANK] = {0};
    for (uint32_t i = 0; i < w->n; i++) {
        pads[2 * (i + 2)] = w->low[i];
        pads[2 * (i + 2) + 1] = w->high[i];
    }
    for (uint32_t i = 0; i < w->n + 2; i++)
        base[i] = 1;
    const tn_window how = {.window = onnx_for_all_axes(window, 2, 1, w->kernel, w->n),
                           .strides = onnx_for_all_axes(strides, 2, 1, w->strides, w->n),
                           .dilation = onnx_for_all_axes(dilation, 2, 1, w->dilations, w->n),
                           .base_dilation = {base, w->n + 2},
                           .pads = {pads, 2 * ((size_t)w->n + 2)}};
    return tn_reduce_window(c->b, x, combine, &how, TN_DTYPE_DEFAULT);
}

/* ---- MaxPool ---- */

/* The coordinate, along spatial axis I, of window position AT: where windows start, and how far
 * inside AT lies. Padding is the largest where all else is as small: then that of the first element
 * of the window that is inside. */
static tn_value coordinate(onnx_call *c, tn_value at, const onnx_windows *w, uint32_t i)
{
    const type *t = onnx_type_of(c, at);
    if (!t)
        return at;
    int64_t inner = 1;
    for (uint32_t k = i + 1; k < w->n; k++)
        inner *= w->kernel[k];
    const tn_value one = tn_div(c->b, at, tn_scalar_int(c->b, TN_SI64, inner));
    const tn_value inside = tn_mod(c->b, one, tn_scalar_int(c->b, TN_SI64, w->kernel[i]));
    const tn_value far = onnx_scaled(c, inside, (double)w->dilations[i]);
    const tn_value window = tn_iota(c->b, TN_SI64, onnx_dims(t), 2 + i);
    const tn_value padded = onnx_scaled(c, window, (double)w->strides[i]); /* counts padding, too */
    if (w->low[i] == 0)
        return tn_add(c->b, padded, far);
    const tn_value low = known_size_data(c->b, TN_SI64, w->low[i]);
    const tn_value start = tn_sub(c->b, padded, low);
    const tn_value step = tn_scalar_int(c->b, TN_SI64, w->dilations[i]);
    const tn_value more = onnx_scaled(c, low, (double)w->dilations[i] - 1);
    const tn_value first = tn_mod(c->b, tn_add(c->b, padded, more), step); /* START modulo STEP */
    const tn_value outside = tn_compare(c->b, TN_LT, start, tn_scalar_int(c->b, TN_SI64, 0));
    const tn_value least = tn_select(c->b, outside, first, start);
    const tn_value found = tn_add(c->b, start, far);
    return tn_maximum(c->b, found, least);
}

/* Where the largest elements stand, counted through the whole tensor. */
static bool give_positions(onnx_call *c, tn_value x, const type *t, const onnx_windows *w)
{
    static const int64_t none[TN_MAX_RANK];
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], dims[TN_MAX_RANK], size;
    if (!product_i64(w->kernel, w->n, &size))
        return onnx_refuse(c, DIAG_InvalidDimension,
                           "the window has more elements than can be counted");
    const double least =
        dtype_is_float(t->dtype) ? -(double)INFINITY : (double)dtype_int_min(t->dtype);
    const tn_value padded =
        tn_pad(c->b, x, onnx_for_all_axes(low, 2, 0, w->low, w->n),
               onnx_for_all_axes(high, 2, 0, w->high, w->n), (tn_ints){none, t->rank}, least);
    tn_value windows = tn_pool(c->b, padded, (tn_ints){w->kernel, w->n},
                               (tn_ints){w->strides, w->n}, (tn_ints){w->dilations, w->n});
    memcpy(dims, t->dims, 2 * sizeof *dims);
    memcpy(dims + 2, w->out, w->n * sizeof *dims);
    dims[t->rank] = size;
    windows = tn_reshape(c->b, windows, (tn_ints){dims, t->rank + 1});
    const tn_value at = tn_arg_max(c->b, windows, -1, false, TN_SI64);
    const bool columns_first = onnx_attr_int(c, "storage_order", 0);
    const tn_value image = tn_iota(c->b, TN_SI64, (tn_ints){dims, t->rank}, 0);
    const tn_value channel = tn_iota(c->b, TN_SI64, (tn_ints){dims, t->rank}, 1);
    const tn_value channels = known_size_data(c->b, TN_SI64, t->dims[1]);
    tn_value flat = tn_add(c->b, tn_mul(c->b, image, channels), channel);
    for (uint32_t k = 0; k < w->n; k++) {
        const uint32_t i = columns_first ? w->n - 1 - k : k;
        flat = tn_mul(c->b, flat, known_size_data(c->b, TN_SI64, w->extents[i]));
        flat = tn_add(c->b, flat, coordinate(c, at, w, i));
    }
    return onnx_give(c, 1, flat);
}

tn_value onnx_max_pooled(onnx_call *c, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    onnx_windows w;
    return t && onnx_read_windows(c, t, false, &w) ? reduce_windows(c, x, TN_COMBINE_MAX, &w)
                                                   : tn_no_value();
}

bool onnx_op_max_pool(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    onnx_windows w;
    if (!t || !onnx_read_windows(c, t, false, &w))
        return false;
    const onnx_bytes *outputs = c->node->outputs.at;
    if (onnx_wants_out(c, 1) && outputs[1].n) {
        if (t->rank + w.n > TN_MAX_RANK)
            return onnx_refuse(c, DIAG_RankMismatch, "the rank is too high for positions");
        if (!give_positions(c, x, t, &w))
            return false;
    }
    return onnx_give(c, 0, reduce_windows(c, x, TN_COMBINE_MAX, &w));
}

/* ---- AveragePool ---- */

/* How many elements count for each window along axis I, whose size is symbolic, or large. */
static tn_value counted_along(onnx_call *c, tn_dtype d, const onnx_windows *w, uint32_t i,
                              bool with_pads)
{
    int64_t ones[TN_MAX_RANK], window[TN_MAX_RANK], strides[TN_MAX_RANK], dilations[TN_MAX_RANK];
    dim dims[TN_MAX_RANK], pads[2 * TN_MAX_RANK] = {0};
    for (uint32_t k = 0; k < w->n; k++)
        ones[k] = window[k] = strides[k] = dilations[k] = dims[k] = 1;
    window[i] = w->kernel[i];
    strides[i] = w->strides[i];
    dilations[i] = w->dilations[i];
    dims[i] = w->extents[i];
    pads[2 * i] = with_pads ? 0 : w->low[i];
    pads[2 * i + 1] = w->high[i];
    if (with_pads) {
        const dim both = onnx_dim_of(c, DIM_ADD, w->low[i], w->padding[i]);
        dims[i] = onnx_dim_of(c, DIM_ADD, dims[i], both);
        pads[2 * i + 1] =
            onnx_dim_of(c, DIM_ADD, w->high[i], onnx_dim_of(c, DIM_MUL, w->padding[i], -1));
    }
    const tn_window how = {.window = {window, w->n},
                           .strides = {strides, w->n},
                           .dilation = {dilations, w->n},
                           .base_dilation = {ones, w->n},
                           .pads = {pads, 2 * (size_t)w->n}};
    const tn_value all = tn_splat(c->b, d, (tn_ints){dims, w->n}, 1);
    return tn_reduce_window(c->b, all, TN_COMBINE_ADD, &how, TN_DTYPE_DEFAULT);
}

/* The same along any axis, as a constant where the numbers are known. */
static tn_value counts_along(onnx_call *c, tn_value like, const onnx_windows *w, uint32_t i,
                             bool with_pads)
{
    enum { MUCH = 1 << 20 };
    const type *t = onnx_type_of(c, like);
    if (!t)
        return like;
    int64_t work;
    if (dim_is_symbolic(w->extents[i]) || !mul_i64(w->out[i], w->kernel[i], &work) || work > MUCH)
        return counted_along(c, t->dtype, w, i, with_pads);
    const int64_t first = with_pads ? -w->low[i] : 0;
    const int64_t end = w->extents[i] + (with_pads ? w->padding[i] : 0);
    int64_t dims[TN_MAX_RANK];
    double *counts = onnx_table(c, w->out[i], 1);
    if (!counts)
        return tn_no_value();
    for (int64_t k = 0; k < w->out[i]; k++)
        for (int64_t j = 0; j < w->kernel[i]; j++) {
            const int64_t at = k * w->strides[i] - w->low[i] + j * w->dilations[i];
            counts[k] += at >= first && at < end;
        }
    for (uint32_t k = 0; k < w->n; k++)
        dims[k] = k == i ? w->out[i] : 1;
    return tn_cast(c->b, tn_constant(c->b, TN_F64, (tn_ints){dims, w->n}, counts), t->dtype);
}

static bool is_padded(const onnx_windows *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->low[i] || w->high[i])
            return true;
    return false;
}

tn_value onnx_averaged(onnx_call *c, tn_value given)
{
    const tn_value x = onnx_widened(c, given);
    const type *t = onnx_type_of(c, x);
    const bool with_pads = onnx_attr_int(c, "count_include_pad", 0);
    double size = 1;
    onnx_windows w;
    if (!t || !onnx_read_windows(c, t, false, &w))
        return tn_no_value();
    const tn_value sum = reduce_windows(c, x, TN_COMBINE_ADD, &w);
    for (uint32_t i = 0; i < w.n; i++)
        size *= (double)w.kernel[i];
    if (!is_padded(&w))
        return onnx_as_like(c, tn_div(c->b, sum, tn_scalar_like(c->b, sum, size)), given);
    tn_value counts = tn_no_value();
    for (uint32_t i = 0; i < w.n; i++) {
        const tn_value along = counts_along(c, sum, &w, i, with_pads);
        counts = i == 0 ? along : tn_mul(c->b, counts, along);
    }
    return onnx_as_like(c, tn_div(c->b, sum, counts), given);
}

bool onnx_op_average_pool(onnx_call *c)
{
    return onnx_give(c, 0, onnx_averaged(c, onnx_in(c, 0)));
}

/* (sum |x|^p)^(1/p) */
static tn_value powered(onnx_call *c, tn_value x, double p)
{
    const tn_value size = tn_abs(c->b, x);
    return p == 1   ? size
           : p == 2 ? tn_mul(c->b, x, x)
                    : tn_pow(c->b, size, tn_scalar_like(c->b, x, p));
}

static tn_value rooted(onnx_call *c, tn_value x, double p)
{
    return p == 1 ? x : onnx_root_of_powers(c, x, p);
}

static double order_of(onnx_call *c)
{
    return c->version < 2 ? onnx_attr_float(c, "p", 2) : (double)onnx_attr_int(c, "p", 2);
}

bool onnx_op_lp_pool(onnx_call *c)
{
    const tn_value given = onnx_in(c, 0), x = onnx_widened(c, given);
    const type *t = onnx_type_of(c, x);
    const double p = order_of(c);
    onnx_windows w;
    if (!t || !onnx_read_windows(c, t, false, &w))
        return false;
    const tn_value sum = reduce_windows(c, powered(c, x, p), TN_COMBINE_ADD, &w);
    return onnx_give(c, 0, onnx_as_like(c, rooted(c, sum, p), given));
}

/* ---- over all of an image ---- */

bool onnx_op_global_pool(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t room[TN_MAX_RANK];
    tn_ints all;
    if (!t || !onnx_spatial_axes(c, t, room, &all))
        return false;
    const double p = order_of(c);
    switch ((onnx_pool_kind)c->op->arg) {
    case ONNX_POOL_MAX:
        return onnx_give(c, 0, tn_reduce_max(c->b, x, all, true));
    case ONNX_POOL_AVERAGE:
        return onnx_give(c, 0, tn_mean(c->b, x, all, true));
    case ONNX_POOL_LP:
        break;
    }
    const tn_value sum = tn_sum(c->b, powered(c, onnx_widened(c, x), p), all, true);
    return onnx_give(c, 0, onnx_as_like(c, rooted(c, sum, p), x));
}

/* x divided by its norm along an axis; zeros where that is 0. */
bool onnx_op_lp_normalization(onnx_call *c)
{
    const tn_value given = onnx_in(c, 0), x = onnx_widened(c, given);
    const type *t = onnx_type_of(c, x);
    const double p = (double)onnx_attr_int(c, "p", 2);
    int64_t axis;
    if (!t || !onnx_axis(c, onnx_attr_int(c, "axis", -1), t->rank, &axis))
        return false;
    const tn_value sum = tn_sum(c->b, powered(c, x, p), TN_INTS(axis), true);
    const tn_value norm = rooted(c, sum, p), none = tn_scalar_like(c->b, x, 0);
    const tn_value some = tn_compare(c->b, TN_NE, norm, none);
    const tn_value one = tn_scalar_like(c->b, x, 1);
    const tn_value length = tn_select(c->b, some, norm, one); /* so that slopes are numbers, too */
    const tn_value unit = tn_select(c->b, some, tn_div(c->b, x, length), none);
    return onnx_give(c, 0, onnx_as_like(c, unit, given));
}
