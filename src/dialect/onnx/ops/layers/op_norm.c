/* Normalisation. */
#include <inttypes.h>

#include "dialect/onnx/ops/op.h"

typedef struct moments {
    tn_value mean, variance; /* with the reduced axes of extent 1 */
    tn_value centred;
} moments;

/* Those of X, widened. */
static moments moments_of(onnx_call *c, tn_value given, tn_ints axes)
{
    moments m;
    const tn_value x = onnx_widened(c, given);
    m.mean = tn_mean(c->b, x, axes, true);
    m.centred = tn_sub(c->b, x, m.mean);
    m.variance = tn_mean(c->b, tn_mul(c->b, m.centred, m.centred), axes, true);
    return m;
}

static tn_value inverse_deviation(onnx_call *c, tn_value variance, double epsilon)
{
    return tn_reciprocal(c->b, tn_sqrt(c->b, onnx_plus(c, variance, epsilon)));
}

/* What M is of, in the type D, with mean 0 and deviation 1. */
static tn_value unit_of(onnx_call *c, const moments *m, double epsilon, tn_dtype d)
{
    const tn_value unit = tn_mul(c->b, m->centred, inverse_deviation(c, m->variance, epsilon));
    return tn_cast(c->b, unit, d);
}

/* Have the inputs FIRST to LAST a number for each of N channels? */
static bool are_lists(onnx_call *c, uint32_t first, uint32_t last, dim n)
{
    for (uint32_t k = first; k <= last; k++)
        if (!onnx_in_fits(c, k, TN_INTS(n)))
            return false;
    return true;
}

/* ---- BatchNormalization ---- */

/* OLD * momentum + NOW * (1 - momentum) */
static tn_value moved(onnx_call *c, tn_value old, tn_value now, double momentum)
{
    const tn_value kept = onnx_scaled(c, old, momentum);
    return tn_add(c->b, kept, onnx_scaled(c, now, 1 - momentum));
}

static bool batch_training(onnx_call *c, tn_value x, const type *t, double epsilon)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != 1)
            axes[n++] = i;
    const tn_ints all = {axes, n};
    const double momentum = onnx_attr_float(c, "momentum", (double)0.9F);
    const moments m = moments_of(c, x, all);
    const tn_value unit = unit_of(c, &m, epsilon, t->dtype);
    const tn_value scale = onnx_along(c, onnx_in(c, 1), 1, t->rank);
    const tn_value shift = onnx_along(c, onnx_in(c, 2), 1, t->rank);
    const tn_value y = tn_add(c->b, tn_mul(c->b, unit, scale), shift);
    const type *u = onnx_in_type(c, 3);
    if (!u)
        return false;
    const tn_value mean = tn_cast(c->b, tn_squeeze(c->b, m.mean, all), u->dtype);
    const tn_value variance = tn_cast(c->b, tn_squeeze(c->b, m.variance, all), u->dtype);
    return onnx_give(c, 0, y) && onnx_give(c, 1, moved(c, onnx_in(c, 3), mean, momentum)) &&
           onnx_give(c, 2, moved(c, onnx_in(c, 4), variance, momentum)) && onnx_give(c, 3, mean) &&
           onnx_give(c, 4, variance);
}

/* As one product and one sum, whose operands are constants where the statistics are. */
bool onnx_op_batch_normalization(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    const double epsilon = onnx_attr_float(c, "epsilon", (double)1e-5F);
    if (!t)
        return false;
    if (t->rank < 2)
        return onnx_refuse(c, DIAG_RankMismatch, "it takes a batch and channels");
    if (c->version < 9 && !onnx_attr_int(c, "spatial", 1))
        return onnx_refuse(c, DIAG_NotImplemented, "statistics for each element are not read");
    if (!are_lists(c, 1, 4, t->dims[1]))
        return false;
    if (c->version >= 14 ? onnx_attr_int(c, "training_mode", 0) : c->n_out > 1)
        return batch_training(c, x, t, epsilon);
    const tn_value inverse = inverse_deviation(c, onnx_in(c, 4), epsilon);
    const tn_value scale = tn_mul(c->b, onnx_in(c, 1), inverse);
    const tn_value bias = onnx_in(c, 2);
    const tn_value shift = tn_sub(c->b, bias, tn_mul(c->b, onnx_in(c, 3), scale));
    const tn_value by = tn_cast(c->b, onnx_along(c, scale, 1, t->rank), t->dtype);
    const tn_value plus = tn_cast(c->b, onnx_along(c, shift, 1, t->rank), t->dtype);
    return onnx_give(c, 0, tn_add(c->b, tn_mul(c->b, x, by), plus));
}

/* ---- over parts of one element of the batch ---- */

bool onnx_op_instance_normalization(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t room[TN_MAX_RANK];
    tn_ints axes;
    if (!t || !onnx_spatial_axes(c, t, room, &axes) || !are_lists(c, 1, 2, t->dims[1]))
        return false;
    const moments m = moments_of(c, x, axes);
    const double epsilon = onnx_attr_float(c, "epsilon", (double)1e-5F);
    const tn_value unit = unit_of(c, &m, epsilon, t->dtype);
    const tn_value scale = onnx_along(c, onnx_in(c, 1), 1, t->rank);
    const tn_value shift = onnx_along(c, onnx_in(c, 2), 1, t->rank);
    return onnx_give(c, 0, tn_add(c->b, tn_mul(c->b, unit, scale), shift));
}

/* X with its channels, axis AXIS, in GROUPS, whose elements of one member of the batch have mean 0
 * and deviation 1: of one more axis than X. No value when it is refused. */
static tn_value normal_groups(onnx_call *c, tn_value x, uint32_t axis, int64_t groups)
{
    const type *t = onnx_type_of(c, x);
    int64_t dims[TN_MAX_RANK + 1], axes[TN_MAX_RANK];
    uint32_t n = 0, n_axes = 0;
    if (!t)
        return tn_no_value();
    if (t->rank < 2 || t->rank >= TN_MAX_RANK || groups < 1 || dim_is_symbolic(t->dims[axis]) ||
        t->dims[axis] % groups) {
        (void)onnx_refuse(c, DIAG_InvalidAttribute, "the groups do not divide the channels");
        return tn_no_value();
    }
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i == axis)
            dims[n++] = groups;
        if (i > 0)
            axes[n_axes++] = n;
        dims[n++] = i == axis ? t->dims[i] / groups : t->dims[i];
    }
    const tn_value parts = tn_reshape(c->b, x, (tn_ints){dims, n});
    const moments m = moments_of(c, parts, (tn_ints){axes, n_axes});
    return unit_of(c, &m, onnx_attr_float(c, "epsilon", (double)1e-5F), t->dtype);
}

/* Y times input K along AXIS, plus the input behind it. */
static tn_value scaled_along(onnx_call *c, tn_value y, uint32_t k, int64_t axis, uint32_t rank)
{
    y = tn_mul(c->b, y, onnx_along(c, onnx_in(c, k), axis, rank));
    return tn_add(c->b, y, onnx_along(c, onnx_in(c, k + 1), axis, rank));
}

/* Scale and shift belong to groups before version 21, then to channels. */
bool onnx_op_group_normalization(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    const int64_t groups = onnx_attr_int(c, "num_groups", 0);
    tn_value y = normal_groups(c, onnx_in(c, 0), 1, groups);
    if (!t || !tn_is_value(y))
        return false;
    const bool by_group = c->version < 21;
    if (!are_lists(c, 1, 2, by_group ? groups : t->dims[1]))
        return false;
    if (!by_group)
        y = tn_reshape(c->b, y, onnx_dims(t));
    y = scaled_along(c, y, 1, 1, t->rank + by_group);
    return onnx_give(c, 0, by_group ? tn_reshape(c->b, y, onnx_dims(t)) : y);
}

/* GroupNorm of ONNX Runtime, and SkipGroupNorm, which adds inputs before. */
bool onnx_op_ms_group_norm(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0);
    if (!t)
        return false;
    const uint32_t axis = onnx_attr_int(c, "channels_last", 1) ? t->rank - 1 : 1;
    const int64_t activation = onnx_attr_int(c, "activation", 0);
    if (t->rank < 3 || !are_lists(c, 1, 2, t->dims[axis]) ||
        (onnx_has_in(c, 4) && !onnx_in_fits(c, 4, TN_INTS(t->dims[axis]))))
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "it takes images, and a number for each channel");
    tn_value x = onnx_in(c, 0);
    for (uint32_t k = 4; k >= 3; k--)
        if (onnx_has_in(c, k)) {
            const type *u = onnx_in_type(c, k);
            const tn_value more =
                u && u->rank == 1 ? onnx_along(c, onnx_in(c, k), axis, t->rank) : onnx_in(c, k);
            if (!u || (u->rank == 2 && t->rank > 2)) /* [batch, channels] */
                return onnx_refuse(c, DIAG_NotImplemented, "'skip' has the rank of the input");
            x = tn_add(b, x, more);
        }
    tn_value y = normal_groups(c, tn_cast(b, x, TN_F32), axis, onnx_attr_int(c, "groups", 0));
    if (!tn_is_value(y) || !onnx_give(c, 1, x))
        return false;
    y = tn_reshape(b, y, onnx_dims(t));
    y = scaled_along(c, y, 1, axis, t->rank);
    if (activation)
        y = tn_mul(b, y, tn_sigmoid(b, y));
    return onnx_give(c, 0, tn_cast(b, y, t->dtype));
}

/* Over all axes from `axis` on. */
bool onnx_op_layer_normalization(onnx_call *c)
{
    const tn_value given = onnx_in(c, 0);
    const type *t = onnx_type_of(c, given);
    const double epsilon = onnx_attr_float(c, "epsilon", (double)1e-5F);
    int64_t axis, axes[TN_MAX_RANK];
    if (!t || !onnx_axis(c, onnx_attr_int(c, "axis", -1), t->rank, &axis) ||
        !onnx_spreads(c, onnx_in(c, 1), onnx_dims(t)) ||
        (onnx_has_in(c, 2) && !onnx_spreads(c, onnx_in(c, 2), onnx_dims(t))))
        return false;
    for (uint32_t i = (uint32_t)axis; i < t->rank; i++)
        axes[i - axis] = i;
    const moments m = moments_of(c, given, (tn_ints){axes, t->rank - (size_t)axis});
    const tn_value inverse = inverse_deviation(c, m.variance, epsilon);
    const tn_value unit = tn_cast(c->b, tn_mul(c->b, m.centred, inverse), t->dtype);
    tn_value y = tn_mul(c->b, unit, onnx_in(c, 1));
    if (onnx_has_in(c, 2))
        y = tn_add(c->b, y, onnx_in(c, 2));
    return onnx_give(c, 0, y) && onnx_give(c, 1, tn_cast(c->b, m.mean, TN_F32)) &&
           onnx_give(c, 2, tn_cast(c->b, inverse, TN_F32));
}

/* (x - mean) / deviation over `axes`. */
bool onnx_op_mean_variance_normalization(onnx_call *c)
{
    static const int64_t usual[] = {0, 2, 3};
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    if (!t)
        return false;
    const int64_t *given = onnx_attr_ints(c, "axes", &n);
    if (!given) {
        given = usual;
        n = 3;
    }
    if (n > TN_MAX_RANK)
        return onnx_refuse(c, DIAG_InvalidAxis, "'axes' has too many entries");
    memcpy(axes, given, n * sizeof *axes);
    if (!onnx_axes(c, axes, n, t->rank))
        return false;
    const moments m = moments_of(c, x, (tn_ints){axes, n});
    const tn_value deviation = onnx_plus(c, onnx_root_of_squares(c, m.variance), 1e-9);
    return onnx_give(c, 0, tn_cast(c->b, tn_div(c->b, m.centred, deviation), t->dtype));
}

/* x / (bias + alpha / size * sum of squares over neighbouring channels) ^ beta */
bool onnx_op_lrn(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    const int64_t size = onnx_attr_int(c, "size", 0); /* how many channels meet */
    int64_t window[TN_MAX_RANK], ones[TN_MAX_RANK], pads[2 * TN_MAX_RANK] = {0};
    if (!t)
        return false;
    if (t->rank < 2 || size < 1 || size > INT32_MAX)
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "it takes rank 2 or more, not %" PRIu32
                           ", and a 'size' above 0, not %" PRId64,
                           t->rank, size);
    if (t->dims[1] == 0) /* no element, and a window of channels would find none */
        return onnx_give(c, 0, x);
    for (uint32_t i = 0; i < t->rank; i++) {
        window[i] = i == 1 ? size : 1;
        ones[i] = 1;
    }
    pads[2] = (size - 1) / 2;
    pads[3] = size - 1 - pads[2];
    const tn_ints one = {ones, t->rank};
    const tn_window how = {.window = {window, t->rank},
                           .strides = one,
                           .dilation = one,
                           .base_dilation = one,
                           .pads = {pads, 2 * (size_t)t->rank}};
    const tn_value wide = onnx_widened(c, x), squares = tn_mul(c->b, wide, wide);
    const tn_value sum = tn_reduce_window(c->b, squares, TN_COMBINE_ADD, &how, TN_DTYPE_DEFAULT);
    const double alpha = onnx_attr_float(c, "alpha", (double)1e-4F),
                 beta = onnx_attr_float(c, "beta", 0.75);
    const tn_value base =
        onnx_plus(c, onnx_scaled(c, sum, alpha / (double)size), onnx_attr_float(c, "bias", 1));
    const tn_value power = tn_pow(c->b, base, tn_scalar_like(c->b, base, beta));
    return onnx_give(c, 0, onnx_as_like(c, tn_div(c->b, wide, power), x));
}
