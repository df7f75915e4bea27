/* Samples between the elements of an image, at positions that are data: GridSample, DeformConv. */
#include <inttypes.h>

#include "dialect/onnx/ops/images/op_sample.h"
#include "dialect/onnx/ops/images/op_window.h"

/* The last N extents of images T, which positions are clamped to. */
static bool need_pixels(onnx_call *c, const type *t, uint32_t n)
{
    if (!onnx_need_extents(c, t, n))
        return false;
    for (uint32_t i = t->rank - n; i < t->rank; i++)
        if (t->dims[i] < 1)
            return onnx_refuse(c, DIAG_InvalidDimension, "images have no elements");
    return true;
}

bool onnx_images_and_boxes(onnx_call *c, dim *n)
{
    const type *t = onnx_in_type(c, 0), *boxes = onnx_in_type(c, 1);
    if (!t || !boxes)
        return false;
    if (t->rank != 4 || boxes->rank != 2 || boxes->dims[1] != 4)
        return onnx_refuse(c, DIAG_RankMismatch,
                           "it takes images [batch, channels, height, width] "
                           "and boxes [number, 4]");
    if (!need_pixels(c, t, 2))
        return false;
    *n = boxes->dims[0];
    return onnx_in_fits(c, 2, TN_INTS(*n));
}

tn_value onnx_positions_of(onnx_call *c, tn_value positions, tn_dtype d)
{
    const type *t = onnx_type_of(c, positions);
    const bool is_wide = t && (t->dtype == TN_F64 || d == TN_F64);
    return tn_cast(c->b, positions, is_wide ? TN_F64 : TN_F32);
}

tn_value onnx_rows_of(onnx_call *c, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    int64_t perm[TN_MAX_RANK];
    dim places;
    if (!t)
        return tn_no_value();
    perm[0] = 0;
    places = t->dims[0];
    for (uint32_t i = 2; i < t->rank; i++) {
        perm[i - 1] = i;
        places = tn_dim_mul(c->b, places, t->dims[i]);
    }
    perm[t->rank - 1] = 1;
    return tn_reshape(c->b, tn_transpose(c->b, x, (tn_ints){perm, t->rank}),
                      TN_INTS(places, t->dims[1]));
}

/* The same for the axes from AXIS on, at PLACE along those before, by WEIGHT. */
static tn_value weighted_rows(const onnx_sampler *s, uint32_t axis, tn_value place, tn_value weight)
{
    tn_builder *b = s->c->b;
    if (axis == s->n || axis == ONNX_MOST_SPATIAL) {
        const tn_value rows = tn_take(b, s->image, place);
        const type *t = onnx_type_of(s->c, place), *u = onnx_type_of(s->c, weight);
        if (!t || !u)
            return rows;
        const tn_value wide = tn_broadcast(b, weight, onnx_dims(t));
        const tn_value own = tn_cast(b, rows, u->dtype);
        return tn_mul(b, own, tn_expand_dims(b, wide, TN_INTS((int64_t)t->rank)));
    }
    tn_value all = tn_no_value();
    const tn_value inner = tn_mul(b, place, tn_scalar_int(b, TN_SI64, s->extents[axis]));
    for (uint32_t i = 0; i < s->n_taps; i++) {
        const onnx_tap *one = &s->taps[axis][i];
        tn_value w = one->weight;
        if (tn_is_value(w) && tn_is_value(weight))
            w = tn_mul(b, weight, w);
        else if (!tn_is_value(w))
            w = weight;
        const tn_value part = weighted_rows(s, axis + 1, tn_add(b, inner, one->at), w);
        all = !tn_is_value(all) ? part
              : s->largest      ? tn_maximum(b, all, part)
                                : tn_add(b, all, part);
    }
    return all;
}

tn_value onnx_sampled(const onnx_sampler *s, tn_value image)
{
    return weighted_rows(s, 0, image, tn_no_value());
}

/* ---- GridSample ---- */

typedef enum padding { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION } padding;
typedef enum mode { MODE_NEAREST, MODE_LINEAR, MODE_CUBIC } mode;

typedef struct grid {
    onnx_call *c;
    padding padding;
    mode mode;
    bool corners; /* -1 and 1 are the centres of the outer elements, not their outer edges */
} grid;

/* X between LOW and LOW + WIDTH, mirrored there as often as needed. */
static tn_value mirrored(onnx_call *c, tn_value x, double low, double width)
{
    tn_builder *b = c->b;
    if (width == 0)
        return tn_mul(b, x, tn_scalar_like(b, x, 0));
    const tn_value from = tn_abs(b, onnx_plus(c, x, -low));
    const tn_value flips = tn_floor(b, tn_div(b, from, tn_scalar_like(b, x, width)));
    const tn_value rest = tn_sub(b, from, onnx_scaled(c, flips, width));
    const tn_value half = tn_floor(b, onnx_scaled(c, flips, 0.5));
    const tn_value odd = tn_compare(b, TN_NE, flips, onnx_scaled(c, half, 2));
    const tn_value back = tn_sub(b, tn_scalar_like(b, x, width), rest);
    return onnx_plus(c, tn_select(b, odd, back, rest), low);
}

/* The position X along an axis of N elements, moved inside where the padding says so. */
static tn_value inside(const grid *g, tn_value x, int64_t n)
{
    const double last = (double)(n - 1);
    if (g->padding == PAD_ZEROS)
        return x;
    if (g->padding == PAD_REFLECTION)
        x = mirrored(g->c, x, g->corners ? 0 : -0.5, g->corners ? last : (double)n);
    return onnx_limited(g->c, x, 0, last);
}

/* The element X, a whole number; without weight outside of the axis. */
static onnx_tap tap_at(const grid *g, tn_value x, tn_value weight, int64_t n)
{
    tn_builder *b = g->c->b;
    const tn_value near = onnx_limited(g->c, x, 0, (double)(n - 1));
    onnx_tap t = {tn_cast(b, near, TN_SI64), weight};
    if (g->padding != PAD_ZEROS && g->mode != MODE_LINEAR)
        return t;
    const tn_value none = tn_scalar_like(b, x, 0);
    if (!tn_is_value(weight))
        weight = tn_scalar_like(b, x, 1);
    t.weight = tn_select(b, tn_compare(b, TN_EQ, near, x), weight, none);
    return t;
}

/* The weight of an element at DISTANCE, at most 1 (near) or from 1 to 2 (far), where a = -0.75. */
static tn_value cubic_weight(onnx_call *c, tn_value distance, bool near)
{
    static const double factors[2][4] = {{-0.75, 3.75, -6, 3}, {1.25, -2.25, 0, 1}};
    const double *f = factors[near];
    tn_value y = onnx_plus(c, onnx_scaled(c, distance, f[0]), f[1]);
    y = onnx_plus(c, tn_mul(c->b, y, distance), f[2]);
    return onnx_plus(c, tn_mul(c->b, y, distance), f[3]);
}

/* The taps of the position X, from -1 to 1, along an axis of N elements; how many there are. */
static uint32_t read_taps(const grid *g, tn_value x, int64_t n, onnx_tap *taps)
{
    onnx_call *c = g->c;
    tn_builder *b = c->b;
    x = onnx_plus(c, x, 1);
    if (g->corners)
        x = onnx_scaled(c, x, (double)(n - 1) / 2);
    else
        x = onnx_scaled(c, onnx_plus(c, onnx_scaled(c, x, (double)n), -1), 0.5);
    if (g->mode != MODE_CUBIC)
        x = inside(g, x, n);
    if (g->mode == MODE_NEAREST) {
        taps[0] = tap_at(g, tn_round_even(b, x), tn_no_value(), n);
        return 1;
    }
    const tn_value first = tn_floor(b, x), t = tn_sub(b, x, first);
    const tn_value rest = tn_sub(b, tn_scalar_like(b, t, 1), t);
    if (g->mode == MODE_LINEAR) {
        taps[0] = tap_at(g, first, rest, n);
        taps[1] = tap_at(g, onnx_plus(c, first, 1), t, n);
        return 2;
    }
    const tn_value distances[ONNX_MOST_TAPS] = {onnx_plus(c, t, 1), t, rest, onnx_plus(c, rest, 1)};
    for (int i = 0; i < ONNX_MOST_TAPS; i++) {
        const tn_value weight = cubic_weight(c, distances[i], i == 1 || i == 2);
        taps[i] = tap_at(g, inside(g, onnx_plus(c, first, i - 1), n), weight, n);
    }
    return ONNX_MOST_TAPS;
}

static bool read_grid(onnx_call *c, grid *g)
{
    *g = (grid){.c = c, .corners = onnx_attr_int(c, "align_corners", 0)};
    if (onnx_attr_is(c, "padding_mode", "border", false))
        g->padding = PAD_BORDER;
    else if (onnx_attr_is(c, "padding_mode", "reflection", false))
        g->padding = PAD_REFLECTION;
    else if (!onnx_attr_is(c, "padding_mode", "zeros", true))
        return onnx_refuse(c, DIAG_InvalidAttribute, "'padding_mode' is not read");
    if (onnx_attr_is(c, "mode", "nearest", false))
        g->mode = MODE_NEAREST;
    else if (onnx_attr_is(c, "mode", "bicubic", false) || onnx_attr_is(c, "mode", "cubic", false))
        g->mode = MODE_CUBIC;
    else if (onnx_attr_is(c, "mode", "bilinear", true) || onnx_attr_is(c, "mode", "linear", false))
        g->mode = MODE_LINEAR;
    else
        return onnx_refuse(c, DIAG_InvalidAttribute, "'mode' is not read");
    return true;
}

/* The numbers 0 .. EXTENT - 1 along the first of RANK axes. */
static tn_value batches(onnx_call *c, dim extent, uint32_t rank)
{
    int64_t dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i ? 1 : extent;
    return tn_iota(c->b, TN_SI64, (tn_ints){dims, rank}, 0);
}

/* Are these different numbers, whatever the symbolic sizes are? */
static bool differ(dim a, dim b)
{
    return a != b && !dim_is_symbolic(a) && !dim_is_symbolic(b);
}

bool onnx_op_grid_sample(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0), *u = onnx_in_type(c, 1);
    tn_builder *b = c->b;
    grid g;
    if (!t || !u || !read_grid(c, &g))
        return false;
    const uint32_t n = t->rank < 2 ? 0 : t->rank - 2;
    if (n < 1 || n > ONNX_MOST_SPATIAL || u->rank != t->rank || u->dims[u->rank - 1] != n ||
        differ(t->dims[0], u->dims[0]))
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "the grid must have a position for each place of the result");
    if (t->dims[0] != u->dims[0])
        return onnx_refuse(c, DIAG_ShapeUnknown, "the numbers of images and of grids may differ");
    if (!need_pixels(c, t, n))
        return false;
    const int64_t last = n + 1;
    onnx_sampler s = {
        .c = c, .image = onnx_rows_of(c, onnx_in(c, 0)), .n = n, .extents = t->dims + 2};
    const tn_value positions = onnx_positions_of(c, onnx_in(c, 1), t->dtype);
    for (uint32_t i = 0; i < n; i++) { /* the last axis comes first */
        const tn_value one = tn_slice_axis(b, positions, last, n - 1 - i, 1);
        s.n_taps = read_taps(&g, tn_squeeze(b, one, TN_INTS(last)), t->dims[2 + i], s.taps[i]);
    }
    const tn_value image =
        tn_broadcast(b, batches(c, t->dims[0], n + 1), (tn_ints){u->dims, n + 1});
    const tn_value y = tn_cast(b, onnx_sampled(&s, image), t->dtype);
    int64_t perm[TN_MAX_RANK] = {0, last};
    for (uint32_t i = 0; i < n; i++)
        perm[2 + i] = 1 + i;
    return onnx_give(c, 0, tn_transpose(b, y, (tn_ints){perm, n + 2}));
}

/* ---- DeformConv ---- */

typedef struct deformed {
    onnx_call *c;
    const type *image, *filter;
    onnx_windows w;
    int64_t groups, n_offsets; /* of channels: for products, and for offsets */
    int64_t size;              /* elements of a window */
} deformed;

/* Part G of input K, whose second axis has one for each group of offsets: [batch, size * EACH,
 * rows, columns]. */
static tn_value offset_part(const deformed *d, uint32_t k, int64_t g, int64_t each)
{
    return tn_slice_axis(d->c->b, onnx_in(d->c, k), 1, g * d->size * each, d->size * each);
}

/* Where the elements of all windows lie along AXIS, for the offsets of group G:
 * [batch, size, rows, columns]. */
static tn_value positions(const deformed *d, int64_t g, int64_t axis)
{
    tn_builder *b = d->c->b;
    const onnx_windows *w = &d->w;
    const int64_t n = w->out[axis];
    double *at = onnx_table(d->c, d->size, n);
    if (!at)
        return tn_no_value();
    for (int64_t e = 0; e < d->size; e++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t inner = axis ? e % w->kernel[1] : e / w->kernel[1];
            at[e * n + i] =
                (double)(i * w->strides[axis] - w->low[axis] + inner * w->dilations[axis]);
        }
    const tn_ints dims = axis ? TN_INTS(d->size, 1, n) : TN_INTS(d->size, n, 1);
    const tn_ints pairs = TN_INTS(d->image->dims[0], d->size, 2, w->out[0], w->out[1]);
    const tn_value given = onnx_positions_of(d->c, offset_part(d, 2, g, 2), d->image->dtype);
    const tn_value both = tn_reshape(b, given, pairs);
    const tn_value one = tn_squeeze(b, tn_slice_axis(b, both, 2, axis, 1), TN_INTS(2));
    const type *t = onnx_type_of(d->c, one);
    if (!t)
        return one;
    return tn_add(b, tn_cast(b, tn_constant(b, TN_F64, dims, at), t->dtype), one);
}

/* What the windows see of the channels of group G of offsets:
 * [batch, size, rows, columns, channels]. */
static tn_value seen(const deformed *d, int64_t g)
{
    onnx_call *c = d->c;
    tn_builder *b = c->b;
    const grid zeros = {.c = c, .padding = PAD_ZEROS, .mode = MODE_LINEAR};
    const int64_t channels = d->image->dims[1] / d->n_offsets;
    const tn_value part = tn_slice_axis(b, onnx_in(c, 0), 1, g * channels, channels);
    const tn_ints dims = TN_INTS(d->image->dims[0], d->size, d->w.out[0], d->w.out[1]);
    onnx_sampler s = {.c = c, .n = 2, .n_taps = 2, .extents = d->image->dims + 2};
    s.image = onnx_rows_of(c, part);
    for (int64_t i = 0; i < 2; i++) {
        const tn_value x = positions(d, g, i);
        const tn_value first = tn_floor(b, x), t = tn_sub(b, x, first);
        const tn_value rest = tn_sub(b, tn_scalar_like(b, t, 1), t);
        s.taps[i][0] = tap_at(&zeros, first, rest, d->image->dims[2 + i]);
        s.taps[i][1] = tap_at(&zeros, onnx_plus(c, first, 1), t, d->image->dims[2 + i]);
    }
    const tn_value sum = weighted_rows(&s, 0, tn_iota(b, TN_SI64, dims, 0), tn_no_value());
    const tn_value y = tn_cast(b, sum, d->image->dtype);
    if (!onnx_has_in(c, 4))
        return y;
    return tn_mul(b, y, tn_expand_dims(b, offset_part(d, 4, g, 1), TN_INTS(4)));
}

static bool read_deformed(deformed *d)
{
    onnx_call *c = d->c;
    const type *t = d->image, *u = d->filter;
    if (t->rank != 4 || u->rank != 4)
        return onnx_refuse(c, DIAG_RankMismatch,
                           "it takes images [batch, channels, height, width]");
    if (!onnx_read_kernel(c, t, u, &d->w) || !onnx_need_extents(c, t, 2) ||
        !onnx_read_windows(c, t, true, &d->w))
        return false;
    const dim channels = t->dims[1], out = u->dims[0];
    if (dim_is_symbolic(channels) || dim_is_symbolic(out) || d->w.extents[0] < 1 ||
        d->w.extents[1] < 1)
        return onnx_refuse(c, DIAG_ShapeUnknown, "channels and extents must be positive numbers");
    if (d->groups < 1 || d->n_offsets < 1 || channels % d->groups || channels % d->n_offsets ||
        out % d->groups || u->dims[1] != channels / d->groups)
        return onnx_refuse(c, DIAG_DimensionMismatch, "the groups do not divide the channels");
    d->size = d->w.kernel[0] * d->w.kernel[1];
    const int64_t n = d->n_offsets * d->size, rows = d->w.out[0], columns = d->w.out[1];
    return onnx_in_fits(c, 2, TN_INTS(t->dims[0], 2 * n, rows, columns)) &&
           onnx_in_fits(c, 4, TN_INTS(t->dims[0], n, rows, columns));
}

bool onnx_op_deform_conv(onnx_call *c)
{
    enum { MOST_OFFSETS = 64 };
    deformed d = {.c = c,
                  .image = onnx_in_type(c, 0),
                  .filter = onnx_in_type(c, 1),
                  .groups = onnx_attr_int(c, "group", 1),
                  .n_offsets = onnx_attr_int(c, "offset_group", 1)};
    tn_builder *b = c->b;
    tn_value parts[MOST_OFFSETS];
    if (!d.image || !d.filter || !read_deformed(&d))
        return false;
    if (d.n_offsets > MOST_OFFSETS)
        return onnx_refuse(c, DIAG_LimitExceeded, "'offset_group' is at most 64");
    for (int64_t g = 0; g < d.n_offsets; g++)
        parts[g] = seen(&d, g);
    const dim batch = d.image->dims[0];
    const int64_t rows = d.w.out[0], columns = d.w.out[1], out = d.filter->dims[0];
    const int64_t each = d.image->dims[1] / d.groups;
    const tn_value all = tn_concat(b, (tn_values){parts, (size_t)d.n_offsets}, 4);
    const tn_value x = tn_reshape(b, all, TN_INTS(batch, d.size, rows, columns, d.groups, each));
    const tn_value f =
        tn_reshape(b, onnx_in(c, 1), TN_INTS(d.groups, out / d.groups, each, d.size));
    tn_value y = tn_dot_general(b, x, f, TN_INTS(4), TN_INTS(0), TN_INTS(1, 5), TN_INTS(3, 2),
                                TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
    y = tn_transpose(b, y, TN_INTS(1, 0, 4, 2, 3)); /* of groups, batch, rows, columns, channels */
    return onnx_give_with_bias(c, tn_reshape(b, y, TN_INTS(batch, out, rows, columns)), 3);
}
