/* RoiAlign: means, or largest, of samples in boxes that are data. */
#include "dialect/onnx/ops/images/op_sample.h"

typedef struct align {
    onnx_call *c;
    double scale, offset;
    int64_t out[2], per; /* bins, and samples of a bin along each axis; 0: by the size of the box */
    bool largest;
} align;

/* The bins of the boxes along one axis. */
typedef struct bins {
    tn_value from, size; /* [boxes]: where a box begins, and the size of each of its bins */
} bins;

/* Column K of the boxes: x1, y1, x2, y2. */
static tn_value edge_of(const align *a, tn_value boxes, int64_t k)
{
    tn_builder *b = a->c->b;
    const tn_value x = tn_squeeze(b, tn_slice_axis(b, boxes, 1, k, 1), TN_INTS(1));
    return onnx_plus(a->c, onnx_scaled(a->c, x, a->scale), -a->offset);
}

/* AXIS 0: rows. */
static bins bins_of(const align *a, tn_value boxes, int64_t axis)
{
    tn_builder *b = a->c->b;
    const tn_value from = edge_of(a, boxes, 1 - axis), to = edge_of(a, boxes, 3 - axis);
    tn_value size = tn_sub(b, to, from);
    if (a->offset == 0)
        size = tn_maximum(b, size, tn_scalar_like(b, size, 1));
    return (bins){from, tn_div(b, size, tn_scalar_like(b, size, (double)a->out[axis]))};
}

/* The two taps of the samples at Y along an axis of N elements; without weight outside of it, or
 * where NOT_THERE holds, which may be no value. */
static void taps_at(onnx_call *c, tn_value y, int64_t n, tn_value not_there, onnx_tap *taps)
{
    tn_builder *b = c->b;
    const tn_value far = tn_compare(b, TN_GT, y, tn_scalar_like(b, y, (double)n));
    tn_value outside = tn_or(b, tn_compare(b, TN_LT, y, tn_scalar_like(b, y, -1)), far);
    if (tn_is_value(not_there))
        outside = tn_or(b, outside, not_there);
    const tn_value near = onnx_limited(c, y, 0, (double)(n - 1));
    const tn_value first = tn_floor(b, near), part = tn_sub(b, near, first);
    const tn_value none = tn_scalar_like(b, y, 0);
    const tn_value rest = tn_sub(b, tn_scalar_like(b, part, 1), part);
    const tn_value second = onnx_limited(c, onnx_plus(c, first, 1), 0, (double)(n - 1));
    taps[0] = (onnx_tap){tn_cast(b, first, TN_SI64), tn_select(b, outside, none, rest)};
    taps[1] = (onnx_tap){tn_cast(b, second, TN_SI64), tn_select(b, outside, none, part)};
}

/* TAPS[2], of the samples along axis I of two, in a shape that broadcasts. */
static void reshape_taps(onnx_call *c, onnx_tap *taps, tn_ints dims)
{
    for (int k = 0; k < 2; k++) {
        taps[k].at = tn_reshape(c->b, taps[k].at, dims);
        taps[k].weight = tn_reshape(c->b, taps[k].weight, dims);
    }
}

/* ---- as many samples in each bin ---- */

/* The positions of the samples along AXIS: [boxes, bins, samples]. */
static tn_value positions(const align *a, const bins *at, int64_t axis)
{
    onnx_call *c = a->c;
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, at->from);
    if (!t)
        return tn_no_value();
    const int64_t dims[] = {t->dims[0], a->out[axis], a->per};
    const tn_value number = tn_iota(b, t->dtype, (tn_ints){dims, 3}, 1);
    const tn_value sample = tn_iota(b, t->dtype, (tn_ints){dims, 3}, 2);
    const tn_value within =
        tn_div(b, onnx_plus(c, sample, 0.5), tn_scalar_like(b, sample, (double)a->per));
    const tn_value steps = tn_add(b, number, within);
    const tn_value inside = tn_mul(b, tn_expand_dims(b, at->size, TN_INTS(1, 2)), steps);
    return tn_add(b, tn_expand_dims(b, at->from, TN_INTS(1, 2)), inside);
}

/* [boxes, rows, columns, channels] */
static tn_value align_fixed(const align *a, onnx_sampler *s, const bins *at, dim n)
{
    tn_builder *b = a->c->b;
    const int64_t per = a->per;
    for (int64_t i = 0; i < 2; i++) { /* boxes, rows, samples, columns, samples */
        taps_at(a->c, positions(a, &at[i], i), s->extents[i], tn_no_value(), s->taps[i]);
        reshape_taps(a->c, s->taps[i],
                     i ? TN_INTS(n, 1, 1, a->out[1], per) : TN_INTS(n, a->out[0], per, 1, 1));
    }
    const tn_value batch = tn_cast(b, onnx_in(a->c, 2), TN_SI64);
    const tn_value image =
        tn_broadcast_axes(b, batch, TN_INTS(n, a->out[0], per, a->out[1], per), TN_INTS(0));
    const tn_value all = onnx_sampled(s, image);
    return a->largest ? tn_reduce_max(b, all, TN_INTS(2, 4), false)
                      : tn_mean(b, all, TN_INTS(2, 4), false);
}

/* ---- as many samples as a bin is long ---- */

/* What a turn of the loop is given, in this order: its number, the sum so far, the number of turns,
 * samples of a row, the rows of the images, which image each box is in, and for both axes where
 * bins begin and the numbers of their first samples [boxes, bins], the size of bins and their
 * samples [boxes, 1]. */
enum {
    TURN,
    SUM,
    TURNS,
    ACROSS,
    ROWS,
    IMAGE,
    AXES,
    BEGIN = 0,
    FIRST,
    SIZE,
    COUNT,
    OF_AXIS,
    CARRIED = AXES + 2 * OF_AXIS
};

/* The samples of bins along an axis of N elements, in OUT[OF_AXIS], and the most that a bin has
 * from the first one that can lie inside of the axis on: two samples are at least half an element
 * apart. */
static tn_value count_samples(const align *a, const bins *at, int64_t axis, int64_t n,
                              tn_value *out)
{
    onnx_call *c = a->c;
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, at->from);
    if (!t)
        return tn_no_value();
    const tn_value number = tn_iota(b, t->dtype, TN_INTS(t->dims[0], a->out[axis]), 1);
    const tn_value size = tn_expand_dims(b, at->size, TN_INTS(1));
    const tn_value before = tn_mul(b, number, size);
    const tn_value begin = tn_add(b, tn_expand_dims(b, at->from, TN_INTS(1)), before);
    const tn_value none = tn_scalar_like(b, size, 0);
    const tn_value count = tn_maximum(b, tn_ceil(b, size), none);
    const tn_value some = tn_compare(b, TN_GT, count, none);
    const tn_value safe = tn_select(b, some, size, tn_scalar_like(b, size, 1));
    const tn_value parts = tn_select(b, some, count, tn_scalar_like(b, size, 1));
    const tn_value step = tn_div(b, safe, parts);
    const tn_value way = tn_sub(b, tn_scalar_like(b, begin, -1), begin);
    const tn_value skipped = tn_floor(b, onnx_plus(c, tn_div(b, way, step), -1.5));
    const tn_value first = tn_maximum(b, skipped, none);
    const tn_value left = onnx_limited(c, tn_sub(b, count, first), 0, 2 * (double)n + 8);
    const tn_value all = tn_select(b, some, left, none);
    const tn_value most = tn_reduce_max(b, all, tn_all_axes(), false);
    out[BEGIN] = begin;
    out[FIRST] = first;
    out[SIZE] = size;
    out[COUNT] = count;
    return tn_cast(b, onnx_limited(c, most, 0, 2 * (double)n + 8), TN_SI64);
}

/* The taps of sample NUMBER of each bin along AXIS. */
static void taps_of_turn(const align *a, const tn_value *of, tn_value number, int64_t axis, dim n,
                         onnx_sampler *s)
{
    onnx_call *c = a->c;
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, of[FIRST]);
    if (!t)
        return;
    const tn_value i = tn_add(b, of[FIRST], tn_cast(b, number, t->dtype));
    const tn_value none = tn_compare(b, TN_GE, i, of[COUNT]);
    const tn_value way = tn_mul(b, onnx_plus(c, i, 0.5), of[SIZE]);
    const tn_value y = tn_add(b, of[BEGIN], tn_div(b, way, of[COUNT]));
    taps_at(c, y, s->extents[axis], none, s->taps[axis]);
    reshape_taps(c, s->taps[axis], axis ? TN_INTS(n, 1, a->out[1]) : TN_INTS(n, a->out[0], 1));
}

static tn_region loop_test(tn_builder *b, const tn_value *carry)
{
    tn_value results[1 + CARRIED], *own = results + 1;
    tn_region_begin(b, "RoiAlign");
    for (uint32_t k = 0; k < CARRIED; k++)
        own[k] = tn_param_like(b, carry[k]);
    results[0] = tn_compare(b, TN_LT, own[TURN], own[TURNS]);
    return tn_region_end(b, (tn_values){results, 1 + CARRIED});
}

static tn_region loop_body(const align *a, onnx_sampler *s, const tn_value *carry, dim n)
{
    tn_builder *b = a->c->b;
    tn_value own[CARRIED];
    tn_region_begin(b, "RoiAlign");
    for (uint32_t k = 0; k < CARRIED; k++)
        own[k] = tn_param_like(b, carry[k]);
    s->image = own[ROWS];
    const tn_value row = tn_div(b, own[TURN], own[ACROSS]);
    taps_of_turn(a, own + AXES, row, 0, n, s);
    taps_of_turn(a, own + AXES + OF_AXIS, tn_mod(b, own[TURN], own[ACROSS]), 1, n, s);
    const tn_value image =
        tn_broadcast_axes(b, own[IMAGE], TN_INTS(n, a->out[0], a->out[1]), TN_INTS(0));
    own[SUM] = tn_add(b, own[SUM], onnx_sampled(s, image));
    own[TURN] = tn_add(b, own[TURN], tn_scalar_int(b, TN_SI64, 1));
    return tn_region_end(b, (tn_values){own, CARRIED});
}

/* [boxes, rows, columns, channels]: one sample of each bin after the other. */
static tn_value align_by_size(const align *a, onnx_sampler *s, const bins *at, dim n)
{
    tn_builder *b = a->c->b;
    tn_value carry[CARRIED], out[CARRIED], turns[2];
    const type *t = onnx_in_type(a->c, 0);
    if (!t)
        return tn_no_value();
    for (int64_t i = 0; i < 2; i++)
        turns[i] = count_samples(a, &at[i], i, s->extents[i], carry + AXES + i * OF_AXIS);
    carry[TURN] = tn_scalar_int(b, TN_SI64, 0);
    const tn_value none = tn_scalar_like(b, at->from, 0);
    carry[SUM] = tn_broadcast(b, none, TN_INTS(n, a->out[0], a->out[1], t->dims[1]));
    carry[TURNS] = tn_mul(b, turns[0], turns[1]);
    carry[ACROSS] = tn_maximum(b, turns[1], tn_scalar_int(b, TN_SI64, 1));
    carry[ROWS] = s->image;
    carry[IMAGE] = tn_cast(b, onnx_in(a->c, 2), TN_SI64);
    const tn_region test = loop_test(b, carry), body = loop_body(a, s, carry, n);
    tn_while(b, test, body, (tn_values){carry, CARRIED}, out, CARRIED);
    const tn_value rows = out[AXES + COUNT], columns = out[AXES + OF_AXIS + COUNT];
    const tn_value samples = tn_mul(b, rows, columns);
    const tn_value least = tn_maximum(b, samples, tn_scalar_like(b, samples, 1));
    return tn_div(b, out[SUM], tn_expand_dims(b, least, TN_INTS(2, 3)));
}

/* ---- the operator ---- */

static bool read_align(onnx_call *c, align *a)
{
    static const char *const modes[] = {"output_half_pixel", "half_pixel"};
    int half = 0;
    if (c->version >= 16 && !onnx_choose(c, "coordinate_transformation_mode", modes, 2, 1, &half))
        return false;
    *a = (align){.c = c,
                 .scale = onnx_attr_float(c, "spatial_scale", 1),
                 .offset = half ? 0.5 : 0,
                 .out = {onnx_attr_int(c, "output_height", 1), onnx_attr_int(c, "output_width", 1)},
                 .per = onnx_attr_int(c, "sampling_ratio", 0),
                 .largest = onnx_attr_is(c, "mode", "max", false)};
    if (!a->largest && !onnx_attr_is(c, "mode", "avg", true))
        return onnx_refuse(c, DIAG_InvalidAttribute, "'mode' is avg or max");
    if (a->largest && a->per == 0)
        return onnx_refuse(c, DIAG_NotImplemented,
                           "the largest sample is read with a 'sampling_ratio' only");
    return (a->per >= 0 && a->per < INT16_MAX && a->out[0] > 0 && a->out[0] < INT32_MAX &&
            a->out[1] > 0 && a->out[1] < INT32_MAX) ||
           onnx_refuse(c, DIAG_InvalidAttribute, "sizes must be positive");
}

bool onnx_op_roi_align(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    dim n;
    align a;
    if (!t || !read_align(c, &a) || !onnx_images_and_boxes(c, &n))
        return false;
    onnx_sampler s = {.c = c,
                      .image = onnx_rows_of(c, onnx_in(c, 0)),
                      .n = 2,
                      .n_taps = 2,
                      .largest = a.largest,
                      .extents = t->dims + 2};
    const tn_value list = onnx_positions_of(c, onnx_in(c, 1), t->dtype);
    const bins rows = bins_of(&a, list, 0), both[] = {rows, bins_of(&a, list, 1)};
    const tn_value y = a.per ? align_fixed(&a, &s, both, n) : align_by_size(&a, &s, both, n);
    const tn_value own = tn_cast(c->b, y, t->dtype);
    return onnx_give(c, 0, tn_transpose(c->b, own, TN_INTS(0, 3, 1, 2)));
}
