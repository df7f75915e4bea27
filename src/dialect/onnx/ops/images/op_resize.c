/* Resize and Upsample: what is asked for. */
#include "dialect/onnx/ops/images/op_resize.h"

static bool read_resizing(onnx_call *c, resizing *r)
{
    static const char *const modes[] = {"nearest", "linear", "cubic"};
    static const char *const places[] = {
        "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
        "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
    static const char *const roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                            "ceil"};
    int how = 0, from = 0, nearest = 0;
    const bool old = c->version < 11; /* as Upsample */
    if (!onnx_choose(c, "mode", modes, 3, NEAREST, &how) ||
        !onnx_choose(c, "coordinate_transformation_mode", places, 7, old ? ASYMMETRIC : HALF_PIXEL,
                     &from) ||
        !onnx_choose(c, "nearest_mode", roundings, 4, old ? FLOOR : PREFER_FLOOR, &nearest))
        return false;
    *r = (resizing){.how = (interpolation)how,
                    .from = (coordinates)from,
                    .nearest = (rounding)nearest,
                    .exclude_outside = onnx_attr_int(c, "exclude_outside", 0),
                    .antialias = onnx_attr_int(c, "antialias", 0),
                    .cubic = onnx_attr_float(c, "cubic_coeff_a", -0.75),
                    .outside = onnx_attr_float(c, "extrapolation_value", 0)};
    return true;
}

/* Known floats of input K, or of the attribute NAME. */
static bool read_floats(onnx_call *c, uint32_t k, const char *name, double *out, uint32_t *n)
{
    const known_value *known = onnx_in_known(c, k);
    const onnx_attribute *a = name ? onnx_attr_of(c, name, ONNX_FLOATS) : NULL;
    *n = 0;
    if (!a && !onnx_has_in(c, k))
        return true;
    if (!a && !known)
        return onnx_refuse(c, DIAG_DataDependentShape, "what it scales by must be known");
    *n = a ? a->floats.n : known->n;
    if (*n > 2 * TN_MAX_RANK)
        return onnx_refuse(c, DIAG_InvalidAttribute, "a list has too many entries");
    for (uint32_t i = 0; i < *n; i++) {
        if (!a && known->at[i].is_size)
            return onnx_refuse(c, DIAG_ShapeUnknown, "what it scales by depends on a size");
        out[i] = a                              ? (double)((const float *)a->floats.at)[i]
                 : dtype_is_float(known->dtype) ? known->at[i].f
                                                : (double)known->at[i].i;
    }
    return true;
}

static bool is_symbolic(onnx_call *c, dim extent)
{
    if (!dim_is_symbolic(extent))
        return false;
    (void)onnx_refuse(c, DIAG_ShapeUnknown, "the extent '%s' needs a value",
                      dims_text(&c->im->memory, &c->im->m->types, &extent, 1));
    return true;
}

/* Is the axis A taken from all of its elements? */
static bool is_whole(const resizing *r, const axis_resize *a)
{
    return r->from != TF_CROP || (a->first == 0 && a->last == 1);
}

/* Is the axis A, of a symbolic size, made TIMES as long by repeating its elements? */
static bool repeats_size(onnx_call *c, const resizing *r, const axis_resize *a, double times)
{
    const type *t = onnx_in_type(c, 0);
    return t && t->rank < TN_MAX_RANK && dim_is_symbolic(a->n) && times >= 1 && times < INT16_MAX &&
           times == floor(times) && onnx_only_repeats(r, (int64_t)times);
}

/* Can the program find out where elements of the axis A come from? Refused otherwise. */
static bool follows_size(onnx_call *c, const resizing *r, const axis_resize *a)
{
    if (r->from != TF_CROP && (!r->antialias || r->how == NEAREST || a->scale >= 1))
        return true;
    return !is_symbolic(c, a->n) && !is_symbolic(c, a->m);
}

/* The axis A, of a symbolic size, by SCALE. */
static bool scale_size(onnx_call *c, const resizing *r, axis_resize *a, double scale)
{
    enum { PARTS = 8, MOST_TIMES = 1024 }; /* so that f32 holds N * SCALE */
    const double parts = scale * PARTS;
    if (!(scale > 0 && scale <= MOST_TIMES) || parts != floor(parts))
        return !is_symbolic(c, a->n);
    const dim all = onnx_dim_of(c, DIM_MUL, a->n, (int64_t)parts);
    a->scale = scale;
    a->repeats = repeats_size(c, r, a, scale);
    a->m = a->repeats ? onnx_dim_of(c, DIM_MUL, a->n, (int64_t)scale)
                      : onnx_dim_of(c, DIM_FLOORDIV, all, PARTS);
    return follows_size(c, r, a);
}

/* How many times as long as N the extent M is, if that is a whole number; else 0. */
static double times_of(onnx_call *c, dim n, dim m)
{
    enum { MOST_TIMES = 8 };
    for (int64_t times = 2; times <= MOST_TIMES; times++)
        if (onnx_dim_of(c, DIM_MUL, n, times) == m)
            return (double)times;
    return 0;
}

/* By factors; axes by 1 may have any extent. */
static bool by_scales(onnx_call *c, const resizing *r, const double *scales, axis_resize *list,
                      uint32_t n, uint32_t *n_out)
{
    *n_out = 0;
    for (uint32_t i = 0; i < n; i++) {
        axis_resize a = list[i];
        if (scales[i] == 1 && is_whole(r, &a))
            continue;
        if (dim_is_symbolic(a.n)) {
            if (!scale_size(c, r, &a, scales[i]))
                return false;
            list[(*n_out)++] = a;
            continue;
        }
        const double part = r->from == TF_CROP ? a.last - a.first : 1;
        const double length = onnx_as_f32((double)a.n * part * scales[i]), m = floor(length);
        if (!(scales[i] > 0) || !(m < (double)INT32_MAX))
            return onnx_refuse(c, DIAG_InvalidAttribute, "a scale is not above 0, or too large");
        a.scale = scales[i];
        a.m = (int64_t)m;
        a.length = length;
        list[(*n_out)++] = a;
    }
    return true;
}

/* To extents, one scale for all of them where the policy keeps the ratio. */
static bool by_sizes(onnx_call *c, const type *t, const resizing *r, const int64_t *sizes,
                     axis_resize *list, uint32_t n, uint32_t *n_out)
{
    static const char *const policies[] = {"stretch", "not_smaller", "not_larger"};
    int policy = 0;
    if (!onnx_choose(c, "keep_aspect_ratio_policy", policies, 3, 0, &policy))
        return false;
    const bool larger = policy == 1, keeps = policy != 0;
    double scale = larger ? 0 : (double)INFINITY;
    *n_out = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (sizes[i] == t->dims[list[i].axis] && !keeps && is_whole(r, &list[i]))
            continue;
        if (!keeps && (dim_is_symbolic(list[i].n) || dim_is_symbolic(sizes[i]))) {
            const double times = times_of(c, list[i].n, sizes[i]);
            list[i].m = sizes[i];
            list[i].repeats = repeats_size(c, r, &list[i], times);
            list[i].scale = times;
            if (!follows_size(c, r, &list[i]))
                return false;
            list[(*n_out)++] = list[i];
            continue;
        }
        if (is_symbolic(c, list[i].n) || is_symbolic(c, sizes[i]))
            return false;
        if (sizes[i] < 0 || sizes[i] > INT32_MAX || list[i].n == 0)
            return onnx_refuse(c, DIAG_InvalidDimension, "an extent of the result is out of range");
        list[i].m = sizes[i];
        list[i].scale = (double)sizes[i] / (double)list[i].n;
        list[i].length = (double)sizes[i];
        scale = (list[i].scale > scale) == larger ? list[i].scale : scale;
        list[(*n_out)++] = list[i];
    }
    for (uint32_t i = 0; keeps && i < *n_out; i++) {
        const double m = floor(scale * (double)list[i].n + 0.5);
        if (!(m < (double)INT32_MAX))
            return onnx_refuse(c, DIAG_InvalidDimension,
                               "the scale of one axis makes another too large");
        list[i].scale = scale;
        list[i].m = (int64_t)m;
        list[i].length = m;
    }
    return true;
}

/* The axes that the lists are about: all, or those of the attribute `axes`. */
static bool resized_axes(onnx_call *c, const type *t, axis_resize *list, uint32_t *n)
{
    const onnx_attribute *given = onnx_attr_of(c, "axes", ONNX_INTS);
    int64_t axes[TN_MAX_RANK];
    *n = given ? given->ints.n : t->rank;
    if (*n > TN_MAX_RANK)
        return onnx_refuse(c, DIAG_InvalidAxis, "'axes' has too many entries");
    for (uint32_t i = 0; i < *n; i++)
        axes[i] = given ? ((const int64_t *)given->ints.at)[i] : i;
    if (!onnx_axes(c, axes, *n, t->rank))
        return false;
    for (uint32_t i = 0; i < *n; i++)
        list[i] = (axis_resize){.axis = (uint32_t)axes[i],
                                .n = t->dims[axes[i]],
                                .m = t->dims[axes[i]],
                                .scale = 1,
                                .last = 1};
    return true;
}

bool onnx_op_resize(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    const uint32_t at = c->version < 11 ? 1 : 2;
    axis_resize list[TN_MAX_RANK];
    double scales[2 * TN_MAX_RANK], part[2 * TN_MAX_RANK];
    int64_t sizes[TN_MAX_RANK];
    uint32_t n, n_scales, n_sizes, n_part = 0, n_used;
    resizing r;
    if (!t || !read_resizing(c, &r) || !resized_axes(c, t, list, &n) ||
        !read_floats(c, at, NULL, scales, &n_scales) ||
        !onnx_in_ints(c, 3, true, TN_MAX_RANK, sizes, &n_sizes))
        return false;
    if (r.from == TF_CROP && !read_floats(c, 1, NULL, part, &n_part))
        return false;
    if (n_sizes && n_scales)
        return onnx_refuse(c, DIAG_ArityMismatch,
                           "both scales and sizes are given; it takes one of them");
    if ((n_sizes ? n_sizes : n_scales) != n || (r.from == TF_CROP && n_part != 2 * n))
        return onnx_refuse(c, DIAG_InvalidAttribute, "it needs a scale or an extent for each axis");
    for (uint32_t i = 0; i < n_part; i++)
        if (!(fabs(part[i]) <= INT32_MAX))
            return onnx_refuse(c, DIAG_InvalidAttribute,
                               "a bound of the region, %g, is not a number or too large", part[i]);
    for (uint32_t i = 0; i < n && n_part; i++) {
        list[i].first = part[i];
        list[i].last = part[n + i];
    }
    return (n_sizes ? by_sizes(c, t, &r, sizes, list, n, &n_used)
                    : by_scales(c, &r, scales, list, n, &n_used)) &&
           onnx_give_resized(c, &r, list, n_used);
}

bool onnx_op_upsample(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    axis_resize list[TN_MAX_RANK];
    double scales[2 * TN_MAX_RANK];
    uint32_t n, n_scales, n_used;
    resizing r;
    if (!t || !read_resizing(c, &r) || !resized_axes(c, t, list, &n) ||
        !read_floats(c, 1, "scales", scales, &n_scales))
        return false;
    if (n_scales != n)
        return onnx_refuse(c, DIAG_InvalidAttribute, "it needs a scale for each axis");
    return by_scales(c, &r, scales, list, n, &n_used) && onnx_give_resized(c, &r, list, n_used);
}
