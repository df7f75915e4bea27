/* Batch normalisation. */
#include "dialect/mlir/hlo/lower.h"

/* The operand X, which axis is that of features, and the others. */
typedef struct features {
    const type *type;
    tn_value x;
    int64_t axis, others[TN_MAX_RANK];
    uint32_t n;
    int64_t count; /* elements of each feature */
    double epsilon;
} features;

static bool read_features(shlo_call *c, features *f)
{
    const type *t = shlo_in_type(c, 0);
    *f = (features){.type = t, .count = 1};
    if (!t || !shlo_int(c, "feature_index", 0, &f->axis) ||
        !shlo_are_axes(c, "feature_index", &f->axis, 1, t->rank))
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if ((int64_t)i != f->axis) {
            f->others[f->n++] = i;
            f->count *= t->dims[i];
        }
    if (!type_is_static(t))
        return shlo_refuse(c, DIAG_ShapeUnknown, "it takes tensors of known extents");
    for (uint32_t k = 1; k < c->op->n_in; k++) {
        const type *own = shlo_in_type(c, k);
        const bool is_vector = own && own->rank == 1 && own->dims[0] == t->dims[f->axis];
        const bool is_like = own && own == t && k == 4; /* the gradient */
        if (!is_vector && !is_like)
            return shlo_refuse(c, DIAG_ShapeMismatch,
                               "operand %u does not have one element for "
                               "each feature",
                               (unsigned)k);
    }
    f->epsilon = shlo_float(c, "epsilon", 0);
    f->x = shlo_in(c, 0);
    return true;
}

/* V, one element for each feature, in the shape of X. */
static tn_value spread(shlo_call *c, const features *f, tn_value v)
{
    return tn_broadcast_axes(c->b, v, shlo_dims(f->type), (tn_ints){&f->axis, 1});
}

static tn_value sum(shlo_call *c, const features *f, tn_value v)
{
    return f->n ? tn_sum(c->b, v, (tn_ints){f->others, f->n}, false) : v;
}

static tn_value mean(shlo_call *c, const features *f, tn_value v)
{
    const tn_value all = sum(c, f, v);
    return tn_div(c->b, all, tn_scalar_like(c->b, all, (double)f->count));
}

/* sqrt(VARIANCE + epsilon) */
static tn_value deviation(shlo_call *c, const features *f, tn_value variance)
{
    return tn_sqrt(c->b, tn_add(c->b, variance, tn_scalar_like(c->b, variance, f->epsilon)));
}

static tn_value normalised(shlo_call *c, const features *f, tn_value scale, tn_value offset,
                           tn_value middle, tn_value variance)
{
    tn_builder *b = c->b;
    const tn_value centred = tn_sub(b, f->x, spread(c, f, middle));
    const tn_value unit = tn_div(b, centred, spread(c, f, deviation(c, f, variance)));
    const tn_value scaled = tn_mul(b, unit, spread(c, f, scale));
    return tn_add(b, scaled, spread(c, f, offset));
}

bool shlo_lower_batch_norm_inference(shlo_call *c)
{
    features f;
    if (!read_features(c, &f))
        return false;
    const tn_value scale = shlo_in(c, 1), offset = shlo_in(c, 2);
    const tn_value middle = shlo_in(c, 3), variance = shlo_in(c, 4);
    return shlo_give(c, 0, normalised(c, &f, scale, offset, middle, variance));
}

bool shlo_lower_batch_norm_training(shlo_call *c)
{
    features f;
    if (!read_features(c, &f))
        return false;
    const tn_value scale = shlo_in(c, 1), offset = shlo_in(c, 2);
    const tn_value middle = mean(c, &f, f.x);
    const tn_value centred = tn_sub(c->b, f.x, spread(c, &f, middle));
    const tn_value variance = mean(c, &f, tn_mul(c->b, centred, centred));
    const bool ok = shlo_give(c, 0, normalised(c, &f, scale, offset, middle, variance));
    return shlo_give(c, 1, middle) && shlo_give(c, 2, variance) && ok;
}

/* (scale / sqrt(s) / n) * ((n dy - sum(dy)) - c sum(dy c) / s), with c = x - mean and s = variance
 * + epsilon. */
bool shlo_lower_batch_norm_grad(shlo_call *c)
{
    tn_builder *b = c->b;
    features f;
    if (!read_features(c, &f))
        return false;
    const tn_value scale = shlo_in(c, 1), variance = shlo_in(c, 3), dy = shlo_in(c, 4);
    const tn_value centred = tn_sub(b, f.x, spread(c, &f, shlo_in(c, 2)));
    const tn_value root = deviation(c, &f, variance);
    const tn_value s = tn_add(b, variance, tn_scalar_like(b, variance, f.epsilon));
    const tn_value n = tn_scalar_like(b, dy, (double)f.count);
    const tn_value doffset = sum(c, &f, dy);
    const tn_value products = sum(c, &f, tn_mul(b, dy, centred));
    const tn_value dscale = tn_div(b, products, root);
    const tn_value all = tn_mul(b, dy, n);
    const tn_value first = tn_sub(b, all, spread(c, &f, doffset));
    const tn_value second = tn_mul(b, centred, spread(c, &f, tn_div(b, products, s)));
    const tn_value factor = tn_div(b, tn_div(b, scale, root), n);
    const tn_value rest = tn_sub(b, first, second);
    const bool ok = shlo_give(c, 0, tn_mul(b, rest, spread(c, &f, factor)));
    return shlo_give(c, 1, dscale) && shlo_give(c, 2, doffset) && ok;
}
