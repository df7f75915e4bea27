/* Resizing an axis from or to a symbolic size: where elements come from, and with which weights, is
 * computed by the program, by the formulas of resize_axes.c and with their results. */
#include "dialect/onnx/ops/images/op_resize.h"

/* The axis as data: f64 of rank 0. */
typedef struct sized_axis {
    onnx_call *c;
    const resizing *r;
    const axis_resize *a;
    tn_value n, m, scale, length;
} sized_axis;

static sized_axis sized_axis_of(onnx_call *c, const resizing *r, const axis_resize *a)
{
    tn_builder *b = c->b;
    sized_axis s = {.c = c, .r = r, .a = a, .n = known_size_data(b, TN_F64, a->n)};
    s.m = known_size_data(b, TN_F64, a->m);
    s.scale = a->scale > 0 ? tn_scalar(b, TN_F64, a->scale) : tn_div(b, s.m, s.n);
    s.length = a->scale > 0 ? tn_mul(b, s.n, s.scale) : s.m;
    return s;
}

/* (I + 0.5) / scale - 0.5 */
static tn_value half_pixel(const sized_axis *s, tn_value i)
{
    return onnx_plus(s->c, tn_div(s->c->b, onnx_plus(s->c, i, 0.5), s->scale), -0.5);
}

static tn_value exact_source_of(const sized_axis *s, tn_value i)
{
    tn_builder *b = s->c->b;
    const tn_value one = tn_scalar(b, TN_F64, 1), zero = tn_scalar(b, TN_F64, 0);
    switch (s->r->from) {
    case HALF_PIXEL_SYMMETRIC: {
        const tn_value part = tn_sub(b, one, tn_div(b, s->m, s->length));
        const tn_value moved = tn_mul(b, onnx_scaled(s->c, s->n, 0.5), part);
        const tn_value at = tn_div(b, onnx_plus(s->c, i, 0.5), s->scale);
        return onnx_plus(s->c, tn_add(b, moved, at), -0.5);
    }
    case PYTORCH_HALF_PIXEL: {
        const tn_value is_long = tn_compare(b, TN_GT, s->m, one);
        return tn_select(b, is_long, half_pixel(s, i), zero);
    }
    case ALIGN_CORNERS: {
        const tn_value way = tn_mul(b, i, onnx_plus(s->c, s->n, -1));
        const tn_value at = tn_div(b, way, onnx_plus(s->c, s->length, -1));
        return tn_select(b, tn_compare(b, TN_NE, s->length, one), at, zero);
    }
    case ASYMMETRIC:
        return tn_div(b, i, s->scale);
    case TF_HALF_PIXEL_NN:
        return tn_div(b, onnx_plus(s->c, i, 0.5), s->scale);
    case HALF_PIXEL:
    case TF_CROP: /* is not read with sizes */
        break;
    }
    return half_pixel(s, i);
}

/* X rounded to f32, as onnx_as_f32. */
static tn_value as_f32(const sized_axis *s, tn_value x)
{
    tn_builder *b = s->c->b;
    const tn_value size = tn_abs(b, x), most = tn_scalar(b, TN_F64, 0x1p20);
    const tn_value is_small = tn_compare(b, TN_LT, size, most);
    return tn_select(b, is_small, tn_cast(b, tn_cast(b, x, TN_F32), TN_F64), x);
}

static tn_value nearest_of(const sized_axis *s, tn_value x)
{
    switch (s->r->nearest) {
    case PREFER_FLOOR:
        return tn_ceil(s->c->b, onnx_plus(s->c, x, -0.5));
    case PREFER_CEIL:
        return tn_floor(s->c->b, onnx_plus(s->c, x, 0.5));
    case FLOOR:
        return tn_floor(s->c->b, x);
    case CEIL:
        return tn_ceil(s->c->b, x);
    }
    return x;
}

/* The elements of X at the whole numbers AT, or the next ones inside. */
static tn_value take(const sized_axis *s, tn_value x, tn_value at)
{
    tn_builder *b = s->c->b;
    const tn_value last = onnx_plus(s->c, s->n, -1);
    const tn_value inside = tn_clamp(b, at, tn_scalar(b, TN_F64, 0), last);
    return onnx_take_along(s->c, x, tn_cast(b, inside, TN_SI64), s->a->axis);
}

/* The weight of an element at DISTANCE. */
static tn_value kernel_at(const sized_axis *s, tn_value distance)
{
    onnx_call *c = s->c;
    tn_builder *b = c->b;
    const double a = s->r->cubic;
    const tn_value x = tn_abs(b, distance), none = tn_scalar(b, TN_F64, 0);
    const tn_value one = tn_scalar(b, TN_F64, 1), two = tn_scalar(b, TN_F64, 2);
    if (s->r->how == LINEAR) {
        const tn_value is_near = tn_compare(b, TN_LT, x, one);
        const tn_value rest = tn_sub(b, one, x);
        return tn_select(b, is_near, rest, none);
    }
    tn_value near = onnx_plus(c, onnx_scaled(c, x, a + 2), -(a + 3));
    near = onnx_plus(c, tn_mul(b, tn_mul(b, near, x), x), 1);
    tn_value far = onnx_plus(c, onnx_scaled(c, x, a), -(5 * a));
    far = onnx_plus(c, tn_mul(b, far, x), 8 * a);
    far = onnx_plus(c, tn_mul(b, far, x), -(4 * a));
    far = tn_select(b, tn_compare(b, TN_LT, x, two), far, none);
    return tn_select(b, tn_compare(b, TN_LE, x, one), near, far);
}

/* The weights of the elements at the N whole numbers AT, for samples at X. */
static void weights_at(const sized_axis *s, tn_value x, const tn_value *at, uint32_t n,
                       tn_value *weights)
{
    tn_builder *b = s->c->b;
    const tn_value none = tn_scalar(b, TN_F64, 0), last = onnx_plus(s->c, s->n, -1);
    tn_value sum = none;
    for (uint32_t k = 0; k < n; k++) {
        weights[k] = kernel_at(s, tn_sub(b, at[k], x));
        if (!s->r->exclude_outside)
            continue;
        const tn_value before = tn_compare(b, TN_LT, at[k], none);
        const tn_value outside = tn_or(b, before, tn_compare(b, TN_GT, at[k], last));
        weights[k] = tn_select(b, outside, none, weights[k]);
        sum = tn_add(b, sum, weights[k]);
    }
    const tn_value some = tn_compare(b, TN_NE, sum, none);
    for (uint32_t k = 0; s->r->exclude_outside && k < n; k++) {
        const tn_value part = tn_div(b, weights[k], sum);
        weights[k] = tn_select(b, some, part, weights[k]);
    }
}

tn_value onnx_resize_sized(onnx_call *c, tn_value x, const resizing *r, const axis_resize *a)
{
    enum { MOST_TAPS = 4 };
    tn_builder *b = c->b;
    const type *u = onnx_type_of(c, x);
    const sized_axis s = sized_axis_of(c, r, a);
    const tn_value from = exact_source_of(&s, tn_iota(b, TN_F64, (tn_ints){&a->m, 1}, 0));
    const uint32_t n = r->how == LINEAR ? 2 : MOST_TAPS;
    tn_value at[MOST_TAPS], weights[MOST_TAPS], y = tn_no_value();
    dim dims[TN_MAX_RANK];
    if (!u)
        return y;
    if (r->how == NEAREST)
        return take(&s, x, nearest_of(&s, as_f32(&s, from)));
    const tn_value first = tn_floor(b, from);
    for (uint32_t k = 0; k < n; k++)
        at[k] = onnx_plus(c, first, (double)k - (n / 2 - 1));
    weights_at(&s, from, at, n, weights);
    const uint32_t rank = u->rank - a->axis;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == 0 ? a->m : 1;
    for (uint32_t k = 0; k < n; k++) {
        const tn_value w = tn_reshape(b, weights[k], (tn_ints){dims, rank});
        const tn_value by = tn_cast(b, w, u->dtype);
        const tn_value part = tn_mul(b, take(&s, x, at[k]), by);
        y = k == 0 ? part : tn_add(b, y, part);
    }
    return y;
}
