/* CropAndResize of ONNX Runtime: parts of images, named by boxes that are data, in one size. */
#include "dialect/onnx/ops/images/op_sample.h"

typedef struct crop {
    onnx_call *c;
    int64_t out[2];
    bool nearest;
} crop;

/* Where the samples of the boxes[n, 4] (y1, x1, y2, x2, as parts of the image) lie along AXIS,
 * which has EXTENT elements: [n, out]. */
static tn_value positions(const crop *s, tn_value boxes, int64_t axis, int64_t extent)
{
    onnx_call *c = s->c;
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, boxes);
    const tn_value from = tn_slice_axis(b, boxes, 1, axis, 1);
    const tn_value to = tn_slice_axis(b, boxes, 1, axis + 2, 1);
    const double last = (double)(extent - 1);
    const int64_t n = s->out[axis];
    if (!t)
        return tn_no_value();
    if (n == 1)
        return onnx_scaled(c, onnx_scaled(c, tn_add(b, from, to), 0.5), last);
    const tn_value way = onnx_scaled(c, tn_sub(b, to, from), last);
    const tn_value step = tn_div(b, way, tn_scalar_like(b, way, (double)(n - 1)));
    const tn_value number = tn_iota(b, t->dtype, TN_INTS(1, n), 1);
    return tn_add(b, onnx_scaled(c, from, last), tn_mul(b, number, step));
}

/* The elements that the samples AT are made of; how many there are. */
static uint32_t taps_at(const crop *s, tn_value at, int64_t extent, onnx_tap *taps)
{
    onnx_call *c = s->c;
    tn_builder *b = c->b;
    const double last = (double)(extent - 1);
    const tn_value inside = onnx_limited(c, at, 0, last);
    const tn_value first = tn_floor(b, inside), part = tn_sub(b, inside, first);
    const tn_value next = onnx_limited(c, onnx_plus(c, first, 1), 0, last);
    if (s->nearest) { /* halves go away from 0 */
        const tn_value up = tn_compare(b, TN_GE, part, tn_scalar_like(b, part, 0.5));
        taps[0] = (onnx_tap){tn_cast(b, tn_select(b, up, next, first), TN_SI64), tn_no_value()};
        return 1;
    }
    const tn_value rest = tn_sub(b, tn_scalar_like(b, part, 1), part);
    taps[0] = (onnx_tap){tn_cast(b, first, TN_SI64), rest};
    taps[1] = (onnx_tap){tn_cast(b, next, TN_SI64), part};
    return 2;
}

static bool read_crop(onnx_call *c, crop *s)
{
    uint32_t n;
    *s = (crop){.c = c, .nearest = onnx_attr_is(c, "mode", "nearest", false)};
    if (!s->nearest && !onnx_attr_is(c, "mode", "bilinear", true))
        return onnx_refuse(c, DIAG_InvalidAttribute, "'mode' is bilinear or nearest");
    if (!onnx_in_ints(c, 3, false, 2, s->out, &n))
        return false;
    return (n == 2 && s->out[0] > 0 && s->out[0] < INT32_MAX && s->out[1] > 0 &&
            s->out[1] < INT32_MAX) ||
           onnx_refuse(c, DIAG_InvalidAttribute, "the size is two positive numbers");
}

bool onnx_op_crop_and_resize(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0);
    dim n;
    crop how;
    if (!t || !read_crop(c, &how) || !onnx_images_and_boxes(c, &n))
        return false;
    onnx_sampler s = {
        .c = c, .image = onnx_rows_of(c, onnx_in(c, 0)), .n = 2, .extents = t->dims + 2};
    const tn_value list = onnx_in(c, 1);
    tn_value outside = tn_no_value();
    for (uint32_t i = 0; i < 2; i++) {
        const tn_value flat = positions(&how, list, i, t->dims[2 + i]);
        const tn_value at = tn_expand_dims(b, flat, TN_INTS(i ? 1 : 2));
        const tn_value low = tn_compare(b, TN_LT, at, tn_scalar_like(b, at, 0));
        const tn_value last = tn_scalar_like(b, at, (double)(t->dims[2 + i] - 1));
        const tn_value out = tn_or(b, low, tn_compare(b, TN_GT, at, last));
        outside = i ? tn_or(b, outside, out) : out;
        s.n_taps = taps_at(&how, at, t->dims[2 + i], s.taps[i]);
    }
    const tn_value which = tn_cast(b, onnx_in(c, 2), TN_SI64);
    const tn_value image =
        tn_broadcast_axes(b, which, TN_INTS(n, how.out[0], how.out[1]), TN_INTS(0));
    const tn_value y = onnx_sampled(&s, image);
    const tn_value fill = tn_scalar_like(b, y, onnx_attr_float(c, "extrapolation_value", 0));
    const tn_value all = tn_select(b, tn_expand_dims(b, outside, TN_INTS(3)), fill, y);
    return onnx_give(c, 0, tn_transpose(b, all, TN_INTS(0, 3, 1, 2)));
}
