/* Resizing one axis after the other. Where an element comes from, and with which weights, is
 * computed here; what is left are constants. */
#include "base/memory/checked.h"
#include "dialect/onnx/ops/images/op_resize.h"

/* ---- where an element comes from ---- */

static double exact_source_of(const resizing *r, const axis_resize *a, int64_t i)
{
    const double x = (double)i, n = (double)a->n, m = (double)a->m;
    switch (r->from) {
    case HALF_PIXEL:
        return (x + 0.5) / a->scale - 0.5;
    case HALF_PIXEL_SYMMETRIC:
        return n / 2 * (1 - m / a->length) + (x + 0.5) / a->scale - 0.5;
    case PYTORCH_HALF_PIXEL:
        return a->m > 1 ? (x + 0.5) / a->scale - 0.5 : 0;
    case ALIGN_CORNERS:
        return a->length != 1 ? x * (n - 1) / (a->length - 1) : 0;
    case ASYMMETRIC:
        return x / a->scale;
    case TF_CROP:
        return a->m > 1 ? a->first * (n - 1) + x * (a->last - a->first) * (n - 1) / (m - 1)
                        : 0.5 * (a->first + a->last) * (n - 1);
    case TF_HALF_PIXEL_NN:
        return (x + 0.5) / a->scale;
    }
    return x;
}

static double source_of(const resizing *r, const axis_resize *a, int64_t i)
{
    const double x = exact_source_of(r, a, i);
    return r->how == NEAREST ? onnx_as_f32(x) : x;
}

static int64_t inside(double at, int64_t n)
{
    return at < 0 ? 0 : at > (double)(n - 1) ? n - 1 : (int64_t)at;
}

static int64_t nearest_of(const resizing *r, double x, int64_t n)
{
    switch (r->nearest) {
    case PREFER_FLOOR:
        return inside(ceil(x - 0.5), n);
    case PREFER_CEIL:
        return inside(floor(x + 0.5), n);
    case FLOOR:
        return inside(floor(x), n);
    case CEIL:
        return inside(ceil(x), n);
    }
    return 0;
}

/* Beyond so many times, what rounding to f32 does would matter far along an axis. */
bool onnx_only_repeats(const resizing *r, int64_t times)
{
    enum { MOST_TIMES = 8, SOME_EXTENT = 4 };
    if (r->how != NEAREST || r->from == ALIGN_CORNERS || r->from == TF_CROP || times > MOST_TIMES)
        return false;
    const axis_resize a = {.n = SOME_EXTENT,
                           .m = SOME_EXTENT * times,
                           .scale = (double)times,
                           .length = (double)(SOME_EXTENT * times)};
    for (int64_t i = 0; i < a.m; i++)
        if (nearest_of(r, source_of(r, &a, i), a.n) != i / times)
            return false;
    return true;
}

/* The weight of an element at distance X. */
static double kernel_at(const resizing *r, double x)
{
    const double a = r->cubic;
    x = fabs(x);
    if (r->how == LINEAR)
        return x < 1 ? 1 - x : 0;
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* How an axis is computed: result i is the sum over taps k of the element at[k * m + i] times
 * weight[k * m + i]. */
typedef struct taps {
    uint32_t n;
    int64_t *at;
    double *weight;
    bool *is_outside; /* by i */
    bool some_outside;
} taps;

static void fill_taps(const resizing *r, const axis_resize *a, taps *t)
{
    const double squeeze = r->antialias && a->scale < 1 ? a->scale : 1;
    for (int64_t i = 0; i < a->m; i++) {
        const double x = source_of(r, a, i);
        double sum = 0;
        t->is_outside[i] = r->from == TF_CROP && (x < 0 || x > (double)(a->n - 1));
        t->some_outside = t->some_outside || t->is_outside[i];
        if (r->how == NEAREST) {
            t->at[i] = nearest_of(r, x, a->n);
            t->weight[i] = 1;
            continue;
        }
        const double first = floor(x) - (double)(t->n / 2 - 1);
        for (uint32_t k = 0; k < t->n; k++) {
            const double at = first + k;
            const int64_t e = (int64_t)k * a->m + i;
            const bool out = r->exclude_outside && (at < 0 || at > (double)(a->n - 1));
            t->at[e] = inside(at, a->n);
            t->weight[e] = out ? 0 : kernel_at(r, (at - x) * squeeze);
            sum += t->weight[e];
        }
        for (uint32_t k = 0; (r->exclude_outside || squeeze < 1) && sum != 0 && k < t->n; k++)
            t->weight[(int64_t)k * a->m + i] /= sum;
    }
}

static bool make_taps(onnx_call *c, const resizing *r, const axis_resize *a, taps *t)
{
    const double reach = r->how == CUBIC ? 2 : 1;
    const double squeeze = r->antialias && a->scale < 1 ? a->scale : 1;
    if (reach / squeeze > (double)(1 << 20))
        return onnx_refuse(c, DIAG_InvalidAttribute, "a scale is too small");
    *t = (taps){.n = r->how == NEAREST ? 1 : 2 * (uint32_t)ceil(reach / squeeze)};
    t->at = onnx_table(c, t->n, a->m);
    t->weight = t->at ? onnx_table(c, t->n, a->m) : NULL;
    if (!t->weight)
        return false;
    t->is_outside = ARENA_ARRAY(&c->im->memory, bool, (size_t)a->m);
    if (!t->is_outside)
        return onnx_no_memory(c->im);
    fill_taps(r, a, t);
    return true;
}

/* ---- computing it ---- */

/* DATA, of type D, along axis AXIS of RANK axes, as elements of LIKE. */
static tn_value along(onnx_call *c, tn_dtype d, const void *data, const axis_resize *a,
                      uint32_t rank, tn_dtype like)
{
    int64_t dims[TN_MAX_RANK];
    for (uint32_t i = a->axis; i < rank; i++)
        dims[i - a->axis] = i == a->axis ? a->m : 1;
    return tn_cast(c->b, tn_constant(c->b, d, (tn_ints){dims, rank - a->axis}, data), like);
}

/* Each element so often, by movement alone. */
static tn_value repeat(onnx_call *c, tn_value x, const axis_resize *a, int64_t times)
{
    const type *t = onnx_type_of(c, x);
    int64_t dims[TN_MAX_RANK + 1], wide[TN_MAX_RANK + 1], out[TN_MAX_RANK];
    if (!t)
        return x;
    for (uint32_t i = 0; i <= t->rank; i++) {
        dims[i] = i == a->axis + 1 ? 1 : t->dims[i - (i > a->axis)];
        wide[i] = i == a->axis + 1 ? times : dims[i];
    }
    memcpy(out, t->dims, t->rank * sizeof *out);
    out[a->axis] = a->m;
    const tn_value apart = tn_reshape(c->b, x, (tn_ints){dims, t->rank + 1});
    const tn_value spread = tn_broadcast(c->b, apart, (tn_ints){wide, t->rank + 1});
    return tn_reshape(c->b, spread, (tn_ints){out, t->rank});
}

static tn_value take(onnx_call *c, tn_value x, const axis_resize *a, const int64_t *at)
{
    const type *t = onnx_type_of(c, x);
    const int64_t times = a->m / a->n, step = a->n / a->m;
    bool repeats = t && t->rank < TN_MAX_RANK && a->m % a->n == 0, steps = a->n % a->m == 0;
    for (int64_t i = 0; i < a->m; i++) {
        repeats = repeats && at[i] == i / times;
        steps = steps && at[i] == i * step;
    }
    if (repeats)
        return repeat(c, x, a, times);
    if (steps && t) {
        int64_t starts[TN_MAX_RANK] = {0}, ends[TN_MAX_RANK], by[TN_MAX_RANK];
        for (uint32_t i = 0; i < t->rank; i++) {
            ends[i] = INT64_MAX;
            by[i] = i == a->axis ? step : 1;
        }
        return tn_slice_steps(c->b, x, (tn_ints){starts, t->rank}, (tn_ints){ends, t->rank},
                              (tn_ints){by, t->rank});
    }
    const tn_value i = tn_constant(c->b, TN_SI64, (tn_ints){&a->m, 1}, at);
    return onnx_take_along(c, x, i, a->axis);
}

/* By a product with a matrix, where there are many taps. */
static tn_value multiply(onnx_call *c, tn_value x, const axis_resize *a, const taps *t)
{
    const type *u = onnx_type_of(c, x);
    int64_t perm[TN_MAX_RANK];
    double *matrix = u ? onnx_table(c, a->n, a->m) : NULL;
    if (!matrix)
        return tn_no_value();
    for (uint32_t k = 0; k < t->n; k++)
        for (int64_t i = 0; i < a->m; i++)
            matrix[i * a->n + t->at[k * a->m + i]] += t->weight[k * a->m + i];
    const tn_value wide = tn_constant(c->b, TN_F64, TN_INTS(a->m, a->n), matrix);
    const tn_value w = tn_cast(c->b, wide, u->dtype);
    const tn_value y = tn_dot_general(c->b, x, w, (tn_ints){0}, (tn_ints){0}, TN_INTS(a->axis),
                                      TN_INTS(1), TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
    for (uint32_t i = 0; i < u->rank; i++)
        perm[i] = i < a->axis ? i : i == a->axis ? (int64_t)u->rank - 1 : i - 1;
    return tn_cast(c->b, tn_transpose(c->b, y, (tn_ints){perm, u->rank}), u->dtype);
}

static tn_value resize_axis(onnx_call *c, tn_value x, const resizing *r, const axis_resize *a)
{
    enum { FEW_TAPS = 4 };
    const type *u = onnx_type_of(c, x);
    taps t = {0};
    if (!u || !make_taps(c, r, a, &t))
        return tn_no_value();
    tn_value y = tn_no_value();
    if (t.n > FEW_TAPS)
        y = multiply(c, x, a, &t);
    for (uint32_t k = 0; t.n <= FEW_TAPS && k < t.n; k++) {
        tn_value part = take(c, x, a, t.at + k * a->m);
        if (r->how != NEAREST) {
            const tn_value w = along(c, TN_F64, t.weight + k * a->m, a, u->rank, u->dtype);
            part = tn_mul(c->b, part, w);
        }
        y = k == 0 ? part : tn_add(c->b, y, part);
    }
    if (!t.some_outside)
        return y;
    const tn_value out = along(c, TN_I1, t.is_outside, a, u->rank, TN_I1);
    const tn_value value = tn_scalar_like(c->b, y, r->outside);
    return tn_select(c->b, out, value, y);
}

bool onnx_give_resized(onnx_call *c, const resizing *r, const axis_resize *list, uint32_t n)
{
    tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    if (!t)
        return false;
    const tn_dtype d = t->dtype;
    const bool widened = r->how != NEAREST && !dtype_is_float(d);
    if (widened)
        x = tn_cast(c->b, x, TN_F32);
    for (uint32_t i = 0; i < n; i++) {
        const axis_resize *a = &list[i];
        if (a->n == a->m && a->scale == 1 && r->from != TF_CROP)
            continue;
        if (a->repeats || dim_is_symbolic(a->n) || dim_is_symbolic(a->m)) {
            x = a->repeats ? repeat(c, x, a, (int64_t)a->scale) : onnx_resize_sized(c, x, r, a);
            if (!tn_is_value(x))
                return false;
            continue;
        }
        if (a->m < 0 || (a->n <= 0 && a->m > 0))
            return onnx_refuse(c, DIAG_InvalidDimension, "an axis has no elements");
        x = a->m == 0 ? tn_slice_axis(c->b, x, a->axis, 0, 0) : resize_axis(c, x, r, a);
        if (!tn_is_value(x))
            return false;
    }
    return onnx_give(c, 0, widened ? tn_cast(c->b, x, d) : x);
}
