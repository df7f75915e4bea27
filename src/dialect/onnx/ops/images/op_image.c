/* Images and their coordinates: AffineGrid, CenterCropPad, Col2Im. */
#include <inttypes.h>

#include "base/memory/checked.h"
#include "dialect/onnx/ops/images/op_window.h"

/* ---- AffineGrid ---- */

/* Coordinates of the N places along an axis, from -1 to 1: of the corners of the outer elements, or
 * with ALIGN of their centres; as f of places [DIMS] along axis AXIS. */
static tn_value coordinates(onnx_call *c, tn_dtype d, tn_ints dims, int64_t axis, bool align)
{
    const int64_t n = dims.at[axis];
    const tn_value i = tn_iota(c->b, d, dims, axis);
    const double steps = (double)(align ? n - 1 : n);
    if (align && n == 1)
        return tn_splat(c->b, d, dims, 0);
    const tn_value twice = onnx_plus(c, onnx_scaled(c, i, 2), align ? 0 : 1);
    return onnx_plus(c, tn_div(c->b, twice, tn_scalar(c->b, d, steps)), -1);
}

/* The positions of a transformed image, for GridSample: (x y z 1) times the matrices. */
bool onnx_op_affine_grid(onnx_call *c)
{
    tn_builder *b = c->b;
    const tn_value matrices = onnx_in(c, 0);
    const type *t = onnx_type_of(c, matrices);
    int64_t size[TN_MAX_RANK], places;
    uint32_t n;
    if (!t || !onnx_in_ints(c, 1, false, TN_MAX_RANK, size, &n))
        return false;
    const uint32_t axes = n - 2;
    if (t->rank != 3 || n < 4 || n > 5 || t->dims[1] != axes || t->dims[2] != axes + 1)
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "it takes matrices [batch, 2, 3] and a size of four extents, or "
                           "[batch, 3, 4] and five");
    for (uint32_t i = 2; i < n; i++)
        if (size[i] < 1)
            return onnx_refuse(c, DIAG_InvalidDimension, "extents must be positive");
    if (!product_i64(size + 2, axes, &places))
        return onnx_refuse(c, DIAG_InvalidDimension, "its extents are too large together");
    const tn_ints dims = {size + 2, axes};
    tn_value parts[4];
    for (uint32_t i = 0; i < axes; i++) { /* the last axis is x */
        const bool align = onnx_attr_int(c, "align_corners", 0);
        const tn_value one = coordinates(c, t->dtype, dims, axes - 1 - i, align);
        parts[i] = tn_expand_dims(b, one, TN_INTS((int64_t)axes));
    }
    parts[axes] = tn_expand_dims(b, tn_splat(b, t->dtype, dims, 1), TN_INTS((int64_t)axes));
    const tn_value all = tn_concat(b, (tn_values){parts, axes + 1}, axes);
    const tn_value rows = tn_reshape(b, all, TN_INTS(places, (int64_t)axes + 1));
    const tn_value y = tn_matmul(b, rows, tn_transpose(b, matrices, TN_INTS(0, 2, 1)));
    int64_t out[5] = {t->dims[0]};
    memcpy(out + 1, size + 2, axes * sizeof *out);
    out[axes + 1] = axes;
    return onnx_give(c, 0, tn_reshape(b, tn_cast(b, y, t->dtype), (tn_ints){out, n}));
}

/* ---- CenterCropPad ---- */

bool onnx_op_center_crop_pad(onnx_call *c)
{
    tn_builder *b = c->b;
    tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t wanted[TN_MAX_RANK], axes[TN_MAX_RANK], low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0},
                                                    inner[TN_MAX_RANK] = {0};
    uint32_t n, n_axes;
    if (!t || !onnx_in_ints(c, 1, false, TN_MAX_RANK, wanted, &n))
        return false;
    const int64_t *given = onnx_attr_ints(c, "axes", &n_axes);
    for (uint32_t i = 0; i < n && i < TN_MAX_RANK; i++)
        axes[i] = given && i < n_axes ? given[i] : i;
    if (n != (given ? n_axes : t->rank))
        return onnx_refuse(c, DIAG_SliceLength, "its lists do not have the same length");
    if (!onnx_axes(c, axes, n, t->rank))
        return false;
    const uint32_t rank = t->rank;
    for (uint32_t i = 0; i < n; i++) {
        const dim have = onnx_type_of(c, x) ? onnx_type_of(c, x)->dims[axes[i]] : 0;
        if (dim_is_symbolic(have))
            return onnx_refuse(c, DIAG_ShapeUnknown, "axis %" PRId64 " is a size", axes[i]);
        if (wanted[i] < 0 || wanted[i] > INT32_MAX)
            return onnx_refuse(c, DIAG_InvalidDimension, "an extent of %" PRId64 " is out of range",
                               wanted[i]);
        if (wanted[i] < have)
            x = tn_slice_axis(b, x, axes[i], (have - wanted[i]) / 2, wanted[i]);
        else {
            low[axes[i]] = (wanted[i] - have) / 2;
            high[axes[i]] = wanted[i] - have - low[axes[i]];
        }
    }
    return onnx_give(
        c, 0, tn_pad(b, x, (tn_ints){low, rank}, (tn_ints){high, rank}, (tn_ints){inner, rank}, 0));
}

/* ---- Col2Im ---- */

/* Blocks, whose elements stand in a column each, added where they lie in the image. */
typedef struct columns {
    onnx_call *c;
    tn_value x; /* [batch, channels, elements of a block.., places..] */
    uint32_t n; /* axes of the image */
    dim batch, channels;
    int64_t image[TN_MAX_RANK], block[TN_MAX_RANK], strides[TN_MAX_RANK], dilations[TN_MAX_RANK];
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], places[TN_MAX_RANK];
} columns;

/* Element K of each block, where it lies in the padded image. */
static tn_value spread(const columns *s, const int64_t *k)
{
    int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0}, inner[TN_MAX_RANK] = {0};
    tn_builder *b = s->c->b;
    const uint32_t rank = s->n + 2;
    tn_value x = s->x;
    for (uint32_t i = 0; i < s->n; i++) {
        x = tn_squeeze(b, tn_slice_axis(b, x, 2, k[i], 1), TN_INTS(2));
        const int64_t all = s->image[i] + s->low[i] + s->high[i];
        low[2 + i] = k[i] * s->dilations[i];
        inner[2 + i] = s->strides[i] - 1;
        high[2 + i] = all - low[2 + i] - ((s->places[i] - 1) * s->strides[i] + 1);
    }
    return tn_pad(b, x, (tn_ints){low, rank}, (tn_ints){high, rank}, (tn_ints){inner, rank}, 0);
}

static bool read_columns(onnx_call *c, columns *s)
{
    uint32_t n_block;
    int64_t pads[2 * TN_MAX_RANK] = {0}, elements = 1, places = 1;
    const type *t = onnx_in_type(c, 0);
    *s = (columns){.c = c};
    if (!t || !onnx_in_ints(c, 1, false, TN_MAX_RANK - 2, s->image, &s->n) ||
        !onnx_in_ints(c, 2, false, TN_MAX_RANK, s->block, &n_block) ||
        !onnx_window_list(c, "strides", s->n, 1, 1, s->strides) ||
        !onnx_window_list(c, "dilations", s->n, 1, 1, s->dilations) ||
        !onnx_window_list(c, "pads", 2 * s->n, 0, 0, pads))
        return false;
    bool ok = t->rank == 3 && s->n > 0 && n_block == s->n && 2 * s->n + 2 <= TN_MAX_RANK;
    for (uint32_t i = 0; ok && i < s->n; i++) {
        s->low[i] = pads[i];
        s->high[i] = pads[s->n + i];
        ok = s->block[i] > 0 && s->block[i] < INT16_MAX && s->image[i] > 0 &&
             s->image[i] < INT32_MAX && s->low[i] < INT32_MAX && s->high[i] < INT32_MAX &&
             s->dilations[i] < INT32_MAX;
        if (!ok)
            break;
        const int64_t all = s->image[i] + s->low[i] + s->high[i];
        const int64_t reach = (s->block[i] - 1) * s->dilations[i] + 1;
        s->places[i] = all < reach ? 0 : (all - reach) / s->strides[i] + 1;
        ok = all >= reach && mul_i64(elements, s->block[i], &elements) &&
             mul_i64(places, s->places[i], &places);
    }
    s->batch = t->dims[0];
    s->channels = ok && !dim_is_symbolic(t->dims[1]) ? t->dims[1] / elements : 0;
    ok = ok && s->channels * elements == t->dims[1] &&
         (t->dims[2] == places || dim_is_symbolic(t->dims[2]));
    return ok || onnx_refuse(c, DIAG_DimensionMismatch,
                             "its columns are not those of blocks of such an image");
}

bool onnx_op_col2im(onnx_call *c)
{
    columns s;
    tn_builder *b = c->b;
    if (!read_columns(c, &s))
        return false;
    int64_t dims[TN_MAX_RANK] = {s.batch, s.channels}, k[TN_MAX_RANK] = {0};
    int64_t starts[TN_MAX_RANK] = {0};
    uint32_t rank = 2;
    for (uint32_t i = 0; i < s.n; i++)
        dims[rank++] = s.block[i];
    for (uint32_t i = 0; i < s.n; i++)
        dims[rank++] = s.places[i];
    s.x = tn_reshape(b, onnx_in(c, 0), (tn_ints){dims, rank});
    tn_value sum = spread(&s, k);
    for (;;) { /* each element of a block, the last axis first */
        uint32_t i = s.n;
        while (i > 0 && ++k[i - 1] == s.block[i - 1])
            k[--i] = 0;
        if (i == 0 || !tn_is_value(sum))
            break;
        sum = tn_add(b, sum, spread(&s, k));
    }
    for (uint32_t i = 0; i < s.n; i++) {
        starts[2 + i] = s.low[i];
        dims[2 + i] = s.image[i];
    }
    return onnx_give(c, 0, tn_slice(b, sum, (tn_ints){starts, s.n + 2}, (tn_ints){dims, s.n + 2}));
}
