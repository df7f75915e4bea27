/* Windows and running totals. */
#include "dialect/mlir/hlo/lower.h"

#include <math.h>

/* A window, an entry for each axis; two for the padding. */
typedef struct window {
    int64_t size[TN_MAX_RANK], strides[TN_MAX_RANK], base[TN_MAX_RANK], dilation[TN_MAX_RANK],
        pads[2 * TN_MAX_RANK];
    uint32_t rank;
} window;

static bool read_window(shlo_call *c, uint32_t rank, window *w)
{
    w->rank = rank;
    if (!shlo_ints_or(c, "window_dimensions", rank, 1, w->size) ||
        !shlo_ints_or(c, "window_strides", rank, 1, w->strides) ||
        !shlo_ints_or(c, "base_dilations", rank, 1, w->base) ||
        !shlo_ints_or(c, "window_dilations", rank, 1, w->dilation) ||
        !shlo_ints_or(c, "padding", 2 * rank, 0, w->pads))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (w->size[i] < 1 || w->strides[i] < 1 || w->base[i] < 1 || w->dilation[i] < 1 ||
            w->pads[2 * i] < INT32_MIN || w->pads[2 * i + 1] < INT32_MIN)
            return shlo_refuse(c, DIAG_InvalidAttribute, "the window of axis %u is out of range",
                               (unsigned)i);
    return true;
}

/* Is W all elements up to each one along one axis, as JAX writes running totals? */
static bool is_cumulative(const window *w, const type *x, int64_t *axis, bool *reverse)
{
    *axis = -1;
    for (uint32_t i = 0; i < w->rank; i++) {
        const int64_t low = w->pads[2 * i], high = w->pads[2 * i + 1];
        if (w->strides[i] != 1 || w->base[i] != 1 || w->dilation[i] != 1)
            return false;
        if (w->size[i] == 1 && low == 0 && high == 0)
            continue;
        const int64_t rest = x->dims[i] - 1;
        if (*axis >= 0 || w->size[i] != x->dims[i] || low + high != rest || low * high != 0)
            return false;
        *axis = i;
        *reverse = high == rest;
    }
    return *axis >= 0;
}

static tn_value running(shlo_call *c, shlo_combine how, tn_value x, tn_dtype d, int64_t axis,
                        bool reverse)
{
    tn_builder *b = c->b;
    const tn_fold fold = how == SHLO_ADD        ? TN_FOLD_SUM
                         : how == SHLO_MULTIPLY ? TN_FOLD_PROD
                         : how == SHLO_MAXIMUM  ? TN_FOLD_MAX
                                                : TN_FOLD_MIN;
    const tn_value all = tn_cumulative(b, x, fold, axis, false, reverse);
    if (!dtype_is_float(d) || how == SHLO_ADD || how == SHLO_MULTIPLY)
        return all;
    const tn_value nans = tn_cast(b, tn_is_nan(b, x), TN_SI32);
    const tn_value any = tn_cumulative(b, nans, TN_FOLD_MAX, axis, false, reverse);
    const tn_value is_nan = tn_compare(b, TN_NE, any, tn_scalar_int(b, TN_SI32, 0));
    return tn_select(b, is_nan, tn_scalar_like(b, all, (double)NAN), all);
}

/* The windows of X, whose padding does not count. */
static tn_value windows(shlo_call *c, shlo_combine how, tn_value x, tn_dtype d, const window *w)
{
    tn_builder *b = c->b;
    const tn_combine combine = how == SHLO_ADD       ? TN_COMBINE_ADD
                               : how == SHLO_MAXIMUM ? TN_COMBINE_MAX
                                                     : TN_COMBINE_MIN;
    const tn_window list = {.window = {w->size, w->rank},
                            .strides = {w->strides, w->rank},
                            .pads = {w->pads, 2 * (size_t)w->rank},
                            .base_dilation = {w->base, w->rank},
                            .dilation = {w->dilation, w->rank}};
    const tn_value all = tn_reduce_window(
        b, x, combine, &list, dtype_is_int(d) && how == SHLO_ADD ? d : TN_DTYPE_DEFAULT);
    if (!dtype_is_float(d) || how == SHLO_ADD)
        return all;
    const tn_value nans = tn_cast(b, tn_is_nan(b, x), TN_F32);
    const tn_value any = tn_reduce_window(b, nans, TN_COMBINE_MAX, &list, TN_DTYPE_DEFAULT);
    const tn_value is_nan = tn_compare(b, TN_GT, any, tn_scalar_like(b, any, 0));
    return tn_select(b, is_nan, tn_scalar_like(b, all, (double)NAN), all);
}

/* X with its holes and padding in place, which hold the initial value; W has none then. */
static tn_value filled(shlo_call *c, tn_value x, const scalar *s, tn_value init, window *w)
{
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK];
    for (uint32_t i = 0; i < w->rank; i++) {
        low[i] = w->pads[2 * i];
        high[i] = w->pads[2 * i + 1];
        interior[i] = w->base[i] - 1;
        w->pads[2 * i] = w->pads[2 * i + 1] = 0;
        w->base[i] = 1;
    }
    return shlo_padded(c, x, low, high, interior, s, init);
}

/* Input K of N. */
static bool window_one(shlo_call *c, uint32_t k, uint32_t n, window w)
{
    tn_dtype d;
    scalar s;
    int64_t axis;
    bool reverse = false, cuts = false;
    const shlo_combine how = shlo_body(c, &c->op->regions[0], k, n, &d);
    const type *x = shlo_in_type(c, k), *z = shlo_in_type(c, n + k);
    if (!x || !z)
        return false;
    const bool runs = is_cumulative(&w, x, &axis, &reverse);
    const bool is_known = how == SHLO_ADD || how == SHLO_MAXIMUM || how == SHLO_MINIMUM ||
                          (how == SHLO_MULTIPLY && runs);
    if (!is_known || d == TN_I1)
        return shlo_refuse_body(c, &c->op->regions[0]);
    const bool is_uniform = shlo_uniform(c, n + k, &s);
    const bool is_neutral = is_uniform && shlo_is_neutral(how, z->dtype, s);
    for (uint32_t i = 0; i < 2 * w.rank; i++)
        cuts = cuts || w.pads[i] < 0;
    tn_value v = tn_cast(c->b, shlo_in(c, k), d);
    const tn_value init = tn_cast(c->b, shlo_in(c, n + k), d);
    if (runs) {
        v = running(c, how, v, d, axis, reverse);
    } else {
        if (w.rank && (cuts || !is_neutral))
            v = filled(c, v, is_uniform ? &s : NULL, init, &w);
        v = windows(c, how, v, d, &w);
    }
    if (!is_neutral && tn_is_value(v))
        v = shlo_combined(c, how, v, shlo_spread(c, init, shlo_type_of(c, v)));
    return shlo_give(c, k, tn_cast(c->b, v, shlo_out_type(c, k)->dtype));
}

bool shlo_lower_reduce_window(shlo_call *c)
{
    window w;
    const uint32_t n = c->op->n_in / 2;
    const type *x = shlo_in_type(c, 0);
    if (!x || !read_window(c, x->rank, &w))
        return false;
    if (c->op->n_in != 2 * n || c->op->n_out != n)
        return shlo_refuse(c, DIAG_ArityMismatch,
                           "it has as many initial values and results as inputs");
    for (uint32_t k = 0; k < n; k++)
        if (!window_one(c, k, n, w))
            return false;
    return true;
}
