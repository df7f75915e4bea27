/* Operators that ONNX called experimental until version 9, and that converters for Core ML and
 * Windows wrote into models. */
#include <inttypes.h>

#include "dialect/onnx/ops/op.h"

static tn_value affine(onnx_call *c, tn_value x, double scale, double offset)
{
    return onnx_plus(c, onnx_scaled(c, x, scale), offset);
}

/* alpha * x + beta */
bool onnx_op_affine(onnx_call *c)
{
    return onnx_give(
        c, 0,
        affine(c, onnx_in(c, 0), onnx_attr_float(c, "alpha", 1), onnx_attr_float(c, "beta", 0)));
}

/* alpha * tanh(beta * x) */
bool onnx_op_scaled_tanh(onnx_call *c)
{
    const tn_value x = onnx_scaled(c, onnx_in(c, 0), onnx_attr_float(c, "beta", 1));
    return onnx_give(c, 0, onnx_scaled(c, tn_tanh(c->b, x), onnx_attr_float(c, "alpha", 1)));
}

/* scale * x + bias[channel] */
bool onnx_op_image_scaler(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    const onnx_attribute *bias = onnx_attr_of(c, "bias", ONNX_FLOATS);
    const tn_value y = onnx_scaled(c, x, onnx_attr_float(c, "scale", 1));
    if (!t)
        return false;
    if (t->rank != 4 || t->dtype != TN_F32)
        return onnx_refuse(c, DIAG_RankMismatch,
                           "it takes images f32[batch, channels, rows, columns]");
    if (!bias)
        return onnx_give(c, 0, y);
    if (t->dims[1] != bias->floats.n)
        return onnx_refuse(c, DIAG_DimensionMismatch, "'bias' has %" PRIu32 " entries",
                           bias->floats.n);
    const tn_value b = tn_constant(c->b, TN_F32, TN_INTS(bias->floats.n), bias->floats.at);
    return onnx_give(c, 0, tn_add(c->b, y, onnx_along(c, b, 1, t->rank)));
}

/* The rows and columns without `border`, or as many as `scale` says. */
bool onnx_op_crop(onnx_call *c)
{
    enum { LEFT, TOP, RIGHT, BOTTOM, ROWS = 2, COLUMNS };
    tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    uint32_t n, n_extents;
    const int64_t *border = onnx_attr_ints(c, "border", &n);
    const int64_t *extents = onnx_attr_ints(c, "scale", &n_extents);
    if (!t)
        return false;
    if (t->rank != 4 || dim_is_symbolic(t->dims[ROWS]) || dim_is_symbolic(t->dims[COLUMNS]))
        return onnx_refuse(c, DIAG_ShapeUnknown, "it takes images of rank 4, whose size is known");
    if (n != 4 || (extents && n_extents != 2))
        return onnx_refuse(c, DIAG_InvalidAttribute, "'border' has four entries, and 'scale' two");
    for (uint32_t i = 0; i < n + n_extents; i++) {
        const int64_t one = i < n ? border[i] : extents[i - n];
        if (one < 0 || one > INT32_MAX)
            return onnx_refuse(c, DIAG_InvalidAttribute,
                               "'border' or 'scale' has an entry of %" PRId64, one);
    }
    const int64_t first[] = {border[TOP], border[LEFT]};
    const int64_t last[] = {extents ? first[0] + extents[0] : t->dims[ROWS] - border[BOTTOM],
                            extents ? first[1] + extents[1] : t->dims[COLUMNS] - border[RIGHT]};
    for (uint32_t i = 0; i < 2; i++) {
        if (last[i] < first[i] || last[i] > t->dims[ROWS + i])
            return onnx_refuse(c, DIAG_InvalidAttribute, "it would take more than there is");
        x = tn_slice_axis(c->b, x, ROWS + i, first[i], last[i] - first[i]);
    }
    return onnx_give(c, 0, x);
}
