/* Windows and running totals. */
#include "base/memory/checked.h"
#include "dialect/mlir/hlo/bodies/bodies.h"
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
        if (*axis >= 0 || w->size[i] != x->dims[i])
            return false;
        const int64_t rest = w->size[i] - 1;
        if ((low != 0 || high != rest) && (low != rest || high != 0))
            return false;
        *axis = i;
        *reverse = high == rest;
    }
    return *axis >= 0;
}

/* May padding of input K of N, which holds the initial value, count once or never? What combines it
 * with itself must give it again: it is neutral, or the extremum of both. Of a body that is not
 * known, values that are neutral anywhere are taken to be that. */
static bool may_run(shlo_call *c, uint32_t k, uint32_t n, shlo_combine how)
{
    static const shlo_combine neutral[] = {SHLO_ADD, SHLO_MULTIPLY, SHLO_MAXIMUM, SHLO_MINIMUM};
    scalar s;
    const type *z = shlo_in_type(c, n + k);
    if (how != SHLO_ADD && how != SHLO_MULTIPLY && how != SHLO_OTHER && how != SHLO_XOR &&
        how != SHLO_SECOND && how != SHLO_SUBTRACT)
        return true;
    if (!z || !shlo_uniform(c, n + k, &s))
        return false;
    bool is_one = how != SHLO_OTHER && shlo_is_neutral(how, z->dtype, s);
    for (size_t i = 0; how == SHLO_OTHER && i < sizeof neutral / sizeof *neutral; i++)
        is_one = is_one || shlo_is_neutral(neutral[i], z->dtype, s);
    return is_one;
}

static bool is_maximum(shlo_combine how)
{
    return how == SHLO_MAXIMUM || how == SHLO_MAXIMUM_NUMBER;
}

/* Of elements of D. */
static bool nan_wins(shlo_combine how, tn_dtype d)
{
    return dtype_is_float(d) && (how == SHLO_MAXIMUM || how == SHLO_MINIMUM);
}

static tn_value running(shlo_call *c, shlo_combine how, tn_value x, tn_dtype d, int64_t axis,
                        bool reverse)
{
    const tn_fold fold = how == SHLO_ADD        ? TN_FOLD_SUM
                         : how == SHLO_MULTIPLY ? TN_FOLD_PROD
                         : nan_wins(how, d) ? is_maximum(how) ? TN_FOLD_MAX_NAN : TN_FOLD_MIN_NAN
                         : is_maximum(how)  ? TN_FOLD_MAX
                                            : TN_FOLD_MIN;
    return tn_cumulative(c->b, x, fold, axis, false, reverse);
}

/* The windows of X, whose padding does not count. */
static tn_value windows(shlo_call *c, shlo_combine how, tn_value x, tn_dtype d, const window *w)
{
    const tn_combine combine = how == SHLO_ADD ? TN_COMBINE_ADD
                               : nan_wins(how, d)
                                   ? is_maximum(how) ? TN_COMBINE_MAX_NAN : TN_COMBINE_MIN_NAN
                               : is_maximum(how) ? TN_COMBINE_MAX
                                                 : TN_COMBINE_MIN;
    const tn_window list = {.window = {w->size, w->rank},
                            .strides = {w->strides, w->rank},
                            .pads = {w->pads, 2 * (size_t)w->rank},
                            .base_dilation = {w->base, w->rank},
                            .dilation = {w->dilation, w->rank}};
    return tn_reduce_window(c->b, x, combine, &list,
                            dtype_is_int(d) && how == SHLO_ADD ? d : TN_DTYPE_DEFAULT);
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

/* Has the vocabulary an operation for these windows? */
static bool has_windows(shlo_combine how, tn_dtype d, bool runs)
{
    const bool is_extreme =
        (is_maximum(how) || how == SHLO_MINIMUM || how == SHLO_MINIMUM_NUMBER) &&
        !dtype_is_complex(d);
    return d != TN_I1 && (is_extreme || how == SHLO_ADD || (how == SHLO_MULTIPLY && runs)) &&
           !(dtype_is_complex(d) && !runs);
}

bool shlo_totals(shlo_call *c, shlo_combine how, int64_t axis, bool reverse)
{
    scalar s;
    const type *x = shlo_in_type(c, 0), *z = shlo_in_type(c, 1);
    if (!x || !z)
        return false;
    if (!has_windows(how, x->dtype, true))
        return shlo_refuse_body(c, &c->op->regions[0]);
    if (!may_run(c, 0, 1, how))
        return shlo_unknown_shape(c, "how often the initial value counts");
    tn_value v = running(c, how, shlo_in(c, 0), x->dtype, axis, reverse);
    if (!(shlo_uniform(c, 1, &s) && shlo_is_neutral(how, z->dtype, s)) && tn_is_value(v))
        v = shlo_combined(c, how, v, shlo_spread(c, shlo_in(c, 1), shlo_type_of(c, v)));
    return shlo_give(c, 0, shlo_convert(c, v, shlo_out_type(c, 0)->dtype));
}

/* Input K of N, for which has_windows. */
static bool window_one(shlo_call *c, uint32_t k, uint32_t n, window w, shlo_combine how, tn_dtype d)
{
    scalar s;
    int64_t axis;
    bool reverse = false, cuts = false;
    const type *x = shlo_in_type(c, k), *z = shlo_in_type(c, n + k);
    if (!x || !z)
        return false;
    const bool runs = is_cumulative(&w, x, &axis, &reverse) && may_run(c, k, n, how);
    const bool is_uniform = shlo_uniform(c, n + k, &s);
    const bool is_neutral = is_uniform && shlo_is_neutral(how, z->dtype, s);
    for (uint32_t i = 0; i < 2 * w.rank; i++)
        cuts = cuts || w.pads[i] < 0;
    tn_value v = shlo_convert(c, shlo_in(c, k), d);
    const tn_value init = shlo_convert(c, shlo_in(c, n + k), d);
    if (runs) {
        v = running(c, how, v, d, axis, reverse);
    } else {
        if (w.rank && (cuts || !is_neutral))
            v = filled(c, v, is_uniform ? &s : NULL, init, &w);
        v = windows(c, how, v, d, &w);
    }
    if (!is_neutral && tn_is_value(v))
        v = shlo_combined(c, how, v, shlo_spread(c, init, shlo_type_of(c, v)));
    return shlo_give(c, k, shlo_convert(c, v, shlo_out_type(c, k)->dtype));
}

/* ---- by the loop ---- */

/* The windows of X, of which there are some, as a first axis. */
static tn_value patches(shlo_call *c, tn_value x, const window *w)
{
    int64_t axes[TN_MAX_RANK];
    if (2 * w->rank > TN_MAX_RANK) {
        (void)shlo_refuse(c, DIAG_RankMismatch, "windows of %u axes are not read",
                          (unsigned)w->rank);
        return tn_no_value();
    }
    for (uint32_t i = 0; i < w->rank; i++)
        axes[i] = w->rank + i;
    if (w->rank)
        x = tn_pool(c->b, x, (tn_ints){w->size, w->rank}, (tn_ints){w->strides, w->rank},
                    (tn_ints){w->dilation, w->rank});
    return shlo_axes_in_front(c, x, axes, w->rank);
}

/* AXIS in front, from the end if REVERSE. */
static tn_value line_up(shlo_call *c, tn_value x, int64_t axis, bool reverse)
{
    x = reverse ? tn_reverse(c->b, x, TN_INTS(axis)) : x;
    return shlo_axes_in_front(c, x, &axis, 1);
}

/* The contrary; RANK axes. */
static tn_value line_back(shlo_call *c, tn_value x, uint32_t rank, int64_t axis, bool reverse)
{
    int64_t perm[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        perm[i] = (int64_t)i < axis ? i + 1 : (int64_t)i == axis ? 0 : i;
    x = tn_transpose(c->b, x, (tn_ints){perm, rank});
    return reverse ? tn_reverse(c->b, x, TN_INTS(axis)) : x;
}

/* How many places window W has along each axis of X, where its extent is known. Is there an axis
 * with none? */
static bool is_nowhere(const window *w, const type *x, dim *places)
{
    bool none = false;
    for (uint32_t i = 0; i < w->rank; i++) {
        places[i] = x->dims[i];
        if (dim_is_symbolic(x->dims[i]))
            continue;
        int64_t holes, reach, wide;
        const bool fits =
            mul_i64(x->dims[i] > 0 ? x->dims[i] - 1 : 0, w->base[i] - 1, &holes) &&
            mul_i64(w->size[i] - 1, w->dilation[i], &reach) && add_i64(x->dims[i], holes, &wide) &&
            add_i64(wide, w->pads[2 * i], &wide) && add_i64(wide, w->pads[2 * i + 1], &wide);
        places[i] = fits && wide > reach ? (wide - reach - 1) / w->strides[i] + 1 : 0;
        none = none || places[i] == 0;
    }
    return none;
}

/* All inputs together. Known combinations are those of one reduction of all windows. */
static bool window_all(shlo_call *c, uint32_t n, const window *from)
{
    tn_value *xs = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)3 * n + 1);
    const type *x = shlo_in_type(c, 0);
    int64_t axis;
    bool reverse = false, ok = true;
    if (!xs)
        return shlo_no_memory(c->r);
    if (!shlo_same_shape_of(c, 0, n))
        return false;
    if (!type_is_static(x))
        return shlo_refuse(c, DIAG_ShapeUnknown, "it takes tensors of known extents");
    tn_value *init = xs + n, *out = init + n;
    bool runs = is_cumulative(from, x, &axis, &reverse);
    for (uint32_t k = 0; runs && k < n; k++) {
        tn_dtype d;
        runs = may_run(c, k, n, shlo_body(c, &c->op->regions[0], k, n, &d));
    }
    const shlo_fold f = {
        .region = &c->op->regions[0], .n = n, .xs = xs, .init = init, .stacks = runs};
    for (uint32_t k = 0; k < n; k++) {
        scalar s;
        window w = *from;
        const bool is_uniform = shlo_uniform(c, n + k, &s);
        init[k] = shlo_in(c, n + k);
        xs[k] = shlo_in(c, k);
        if (runs) {
            xs[k] = line_up(c, xs[k], axis, reverse);
        } else {
            xs[k] = w.rank ? filled(c, xs[k], is_uniform ? &s : NULL, init[k], &w) : xs[k];
            xs[k] = patches(c, xs[k], &w);
        }
    }
    ok = tn_is_value(xs[n - 1]) && shlo_folded(c, &f, out);
    for (uint32_t k = 0; ok && k < n; k++) {
        const tn_value y = shlo_convert(c, out[k], shlo_out_type(c, k)->dtype);
        ok = shlo_give(c, k, runs ? line_back(c, y, x->rank, axis, reverse) : y);
    }
    return ok;
}

/* N results of PLACES, one of which is 0; along axes of X that are sizes as many as declared. */
static bool give_nothing(shlo_call *c, uint32_t n, const type *x, dim *places)
{
    for (uint32_t k = 0; k < n; k++) {
        const type *to = shlo_static_type(c->r, shlo_out_type(c, k), c->op->at);
        if (!to)
            return false;
        for (uint32_t i = 0; i < x->rank && i < to->rank; i++)
            places[i] = dim_is_symbolic(x->dims[i]) ? to->dims[i] : places[i];
        if (!shlo_give(c, k, tn_splat(c->b, to->dtype, (tn_ints){places, x->rank}, 0)))
            return false;
    }
    return true;
}

bool shlo_lower_reduce_window(shlo_call *c)
{
    window w;
    const uint32_t n = c->op->n_in / 2;
    const type *x = shlo_in_type(c, 0);
    if (!x || !read_window(c, x->rank, &w))
        return false;
    if (!shlo_takes_reducer(c, n))
        return false;
    dim places[TN_MAX_RANK];
    if (is_nowhere(&w, x, places))
        return give_nothing(c, n, x, places);
    int64_t axis;
    bool reverse, all = true;
    const bool runs = is_cumulative(&w, x, &axis, &reverse);
    tn_dtype d = TN_I1;
    for (uint32_t k = 0; k < n; k++) {
        const shlo_combine how = shlo_body(c, &c->op->regions[0], k, n, &d);
        all = all && has_windows(how, d, runs && may_run(c, k, n, how));
    }
    if (!all)
        return window_all(c, n, &w);
    for (uint32_t k = 0; k < n; k++) {
        const shlo_combine how = shlo_body(c, &c->op->regions[0], k, n, &d);
        if (!window_one(c, k, n, w, how, d))
            return false;
    }
    return true;
}

/* ---- select_and_scatter ---- */

/* The flat position in a tensor of type T of each window's element number AT, of shape TO; behind
 * the end where AT is -1. */
static tn_value flat_places(shlo_call *c, tn_value at, const type *t, const type *to,
                            const window *w)
{
    tn_builder *b = c->b;
    int64_t strides[TN_MAX_RANK];
    type_strides(t, strides);
    const tn_value is_none = tn_compare(b, TN_LT, at, tn_scalar_int(b, TN_SI64, 0));
    tn_value sum = tn_broadcast(b, tn_scalar_int(b, TN_SI64, 0), shlo_dims(to));
    for (uint32_t i = w->rank; i-- > 0;) {
        const tn_value size = tn_scalar_int(b, TN_SI64, w->size[i]);
        const tn_value within = tn_mod(b, at, size);
        at = tn_div(b, at, size);
        const tn_value count = tn_iota(b, TN_SI64, shlo_dims(to), i);
        const tn_value start = tn_mul(b, count, tn_scalar_int(b, TN_SI64, w->strides[i]));
        const tn_value low = tn_scalar_int(b, TN_SI64, w->pads[2 * i]);
        const tn_value place = tn_sub(b, tn_add(b, start, within), low);
        sum = tn_add(b, sum, tn_mul(b, place, tn_scalar_int(b, TN_SI64, strides[i])));
    }
    return tn_select(b, is_none, tn_scalar_int(b, TN_SI64, t->count), sum);
}

bool shlo_lower_select_and_scatter(shlo_call *c)
{
    tn_builder *b = c->b;
    window w;
    const type *t = shlo_in_type(c, 0), *from = shlo_in_type(c, 1);
    if (!t || !from || !read_window(c, t->rank, &w))
        return false;
    if (!type_is_static(t) || !type_is_static(from))
        return shlo_refuse(c, DIAG_ShapeUnknown, "it takes tensors of known extents");
    dim wanted[TN_MAX_RANK];
    bool suits = from->rank == t->rank && from->dtype == t->dtype;
    (void)is_nowhere(&w, t, wanted);
    for (uint32_t i = 0; suits && i < t->rank; i++)
        suits = from->dims[i] == wanted[i];
    if (!suits)
        return shlo_refuse(c, DIAG_ShapeMismatch,
                           "the source does not have one element for "
                           "each window");
    if (!shlo_takes_each(c, &c->op->regions[0], 0, 1, 2) ||
        !shlo_takes_pairs(c, &c->op->regions[1], 2, 1, 1))
        return false;
    const tn_value init = shlo_in(c, 2), given = shlo_in(c, 1);
    tn_value flat = tn_broadcast(b, init, TN_INTS(t->count));
    if (from->count > 0) {
        int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], none[TN_MAX_RANK] = {0};
        const scalar zero = scalar_of_bool(false);
        for (uint32_t i = 0; i < w.rank; i++) {
            low[i] = w.pads[2 * i];
            high[i] = w.pads[2 * i + 1];
        }
        const tn_value all = tn_broadcast(b, tn_scalar_int(b, TN_I1, 1), shlo_dims(t));
        const tn_value x = shlo_in(c, 0);
        const tn_value wide = w.rank ? shlo_padded(c, x, low, high, none, NULL, init) : x;
        const tn_value valid = w.rank ? shlo_padded(c, all, low, high, none, &zero, init) : all;
        const tn_value lines = patches(c, wide, &w), counts = patches(c, valid, &w);
        const tn_value at = shlo_selected(c, &c->op->regions[0], lines, counts);
        const type *to = tn_is_value(at) ? shlo_type_of(c, at) : NULL;
        if (!to)
            return false;
        const tn_value places = flat_places(c, at, t, to, &w);
        const tn_value line = tn_reshape(b, places, TN_INTS(from->count));
        const tn_value updates = tn_reshape(b, given, TN_INTS(from->count));
        if (!shlo_scatter_flat(c, &c->op->regions[1], &flat, line, &updates, 1, t->count, false,
                               &flat))
            return false;
    }
    return shlo_give(c, 0, tn_reshape(b, flat, shlo_dims(t)));
}
