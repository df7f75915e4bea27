/* Derivatives of convolution, which are convolutions again. */
#include <string.h>

#include "grad/derivatives.h"
#include "ops/convolution.h"

/* What both derivatives begin with. */
typedef struct work {
    grad_call *c;
    convolution from; /* the primal */
    const type *x, *w, *g;
    attr
        dtypes[1]; /* the accumulator of the primal, where that is not narrower than the gradient */
    uint32_t n_dtypes;
    bool is_symbolic[CONVOLUTION_SPATIAL]; /* the extent of the input is symbolic */
} work;

static int64_t extent(const type *t, const uint32_t *axes, uint32_t i)
{
    return t->dims[axes[CONVOLUTION_FIRST + i]];
}

/* COUNT elements from FIRST on, along the spatial axes of a result whose axes are AXES. */
static value_id part_of(work *k, value_id v, const uint32_t *axes, const int64_t *first,
                        const int64_t *count)
{
    int64_t starts[TN_MAX_RANK] = {0}, ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    bool changes = false;
    if (k->c->b.status != TN_OK)
        return NO_VALUE;
    const type *t = grad_type(k->c, v);
    for (uint32_t i = 0; i < t->rank; i++) {
        ends[i] = dim_is_symbolic(t->dims[i]) ? INT64_MAX : t->dims[i];
        steps[i] = 1;
    }
    for (uint32_t i = 0; i < k->from.spatial; i++) {
        const uint32_t axis = axes[CONVOLUTION_FIRST + i];
        if (k->is_symbolic[i] && dim_is_symbolic(t->dims[axis]))
            continue;
        starts[axis] = first[i];
        ends[axis] = first[i] + count[i];
        changes = changes || first[i] != 0 || count[i] != t->dims[axis];
    }
    return changes ? build_slice(&k->c->b, v, starts, ends, steps, t->rank) : v;
}

/* ---- by the input ---- */

/* The filter with its spatial axes backwards. */
static value_id backwards(work *k, value_id w)
{
    for (uint32_t i = 0; i < k->from.spatial; i++)
        if (extent(k->w, k->from.rhs, i) > 1)
            w = grad_flip(k->c, w, k->from.rhs[CONVOLUTION_FIRST + i]);
    return w;
}

/* The filter of GROUPS groups with input and output channels exchanged within each: its axes come
 * in order, channels of the input first. */
static value_id exchanged(work *k, value_id w, int64_t groups)
{
    builder *b = &k->c->b;
    const uint32_t n = k->from.spatial;
    const int64_t to = k->w->dims[k->from.rhs[CONVOLUTION_TO]];
    const int64_t from = k->w->dims[k->from.rhs[CONVOLUTION_FROM]];
    int64_t perm[3 + CONVOLUTION_SPATIAL];
    dim dims[3 + CONVOLUTION_SPATIAL];
    for (uint32_t i = 0; i < 2 + n; i++)
        perm[i] = k->from.rhs[i];
    w = build_transpose(b, w, perm, 2 + n);
    dims[0] = groups;
    dims[1] = to / groups;
    dims[2] = from;
    for (uint32_t i = 0; i < n; i++)
        dims[3 + i] = extent(k->w, k->from.rhs, i);
    w = build_reshape(b, w, dims, 3 + n);
    for (uint32_t i = 0; i < 3 + n; i++)
        perm[i] = i;
    perm[1] = 2;
    perm[2] = 1;
    w = build_transpose(b, w, perm, 3 + n);
    dims[1] = groups * from;
    dims[2] = to / groups;
    return build_reshape(b, w, dims + 1, 2 + n);
}

/* Y[images of a group, groups and channels, spatial..] in the layout of X[groups and images,
 * channels, spatial..]. */
static value_id groups_to_images(work *k, value_id y)
{
    builder *b = &k->c->b;
    const uint32_t n = k->from.spatial;
    const int64_t groups = k->from.batch_groups;
    int64_t perm[3 + CONVOLUTION_SPATIAL];
    dim dims[3 + CONVOLUTION_SPATIAL];
    dims[0] = k->g->dims[k->from.out[CONVOLUTION_BATCH]];
    dims[1] = groups;
    dims[2] = k->x->dims[k->from.lhs[CONVOLUTION_CHANNEL]];
    for (uint32_t i = 0; i < 3 + n; i++)
        perm[i] = i;
    for (uint32_t i = 0; i < n; i++)
        dims[3 + i] = extent(k->x, k->from.lhs, i);
    y = build_reshape(b, y, dims, 3 + n);
    perm[0] = 1;
    perm[1] = 0;
    y = build_transpose(b, y, perm, 3 + n);
    dims[1] = k->x->dims[k->from.lhs[CONVOLUTION_BATCH]];
    y = build_reshape(b, y, dims + 1, 2 + n);
    for (uint32_t i = 0; i < 2 + n; i++)
        perm[k->from.lhs[i]] = i;
    return build_transpose(b, y, perm, 2 + n);
}

/* [convolution/G1]: dy with holes for the strides, by the filter backwards. */
static value_id by_input(work *k)
{
    const convolution *p = &k->from;
    const int64_t groups = p->groups * p->batch_groups;
    const bool by_images = p->batch_groups > 1;
    convolution d = {.spatial = p->spatial, .groups = groups, .batch_groups = 1};
    int64_t skip[CONVOLUTION_SPATIAL], count[CONVOLUTION_SPATIAL];
    convolution_in_order(&d);
    memcpy(d.lhs, p->out, sizeof d.lhs);
    if (!by_images)
        memcpy(d.out, p->lhs, sizeof d.out);
    for (uint32_t i = 0; i < p->spatial; i++) {
        const convolution_axis *a = &p->at[i];
        const int64_t covers = (extent(k->w, p->rhs, i) - 1) * a->dilation;
        if (k->is_symbolic[i]) {
            d.at[i] = (convolution_axis){1, covers - a->low, covers - a->high, 1, a->dilation};
            continue;
        }
        const int64_t length = (extent(k->g, p->out, i) - 1) * a->stride + 1;
        int64_t low = covers - a->low;
        count[i] = extent(k->x, p->lhs, i);
        /* Elements that only padding comes before: more of them, which are cut off. */
        skip[i] = low < 0 ? (-low - 1) / a->base + 1 : 0;
        low += skip[i] * a->base;
        const int64_t high = (count[i] - 1 + skip[i]) * a->base + covers + 1 - length - low;
        d.at[i] = (convolution_axis){.stride = a->base,
                                     .low = low,
                                     .high = high > 0 ? high : 0,
                                     .base = a->stride,
                                     .dilation = a->dilation};
    }
    value_id w = backwards(k, build_cast(&k->c->b, grad_in(k->c, 1), k->g->dtype));
    if (groups > 1) {
        w = exchanged(k, w, groups);
    } else {
        memcpy(d.rhs, p->rhs, sizeof d.rhs);
        d.rhs[CONVOLUTION_TO] = p->rhs[CONVOLUTION_FROM];
        d.rhs[CONVOLUTION_FROM] = p->rhs[CONVOLUTION_TO];
    }
    value_id dx = build_convolution(&k->c->b, k->c->g[0], w, &d, k->dtypes, k->n_dtypes);
    dx = part_of(k, dx, d.out, skip, count);
    return by_images ? groups_to_images(k, dx) : dx;
}

/* ---- by the filter ---- */

/* [convolution/G2]: the input with channels for images, by dy, whose elements are as far apart as
 * the strides were. */
static value_id by_filter(work *k)
{
    const convolution *p = &k->from;
    convolution d = {.spatial = p->spatial, .groups = p->batch_groups, .batch_groups = p->groups};
    int64_t none[CONVOLUTION_SPATIAL] = {0}, count[CONVOLUTION_SPATIAL], used[CONVOLUTION_SPATIAL];
    for (uint32_t i = 0; i < p->spatial; i++) {
        const convolution_axis *a = &p->at[i];
        const uint32_t own = CONVOLUTION_FIRST + i;
        d.lhs[own] = p->lhs[own];
        d.rhs[own] = p->out[own];
        d.out[own] = p->rhs[own];
        count[i] = extent(k->w, p->rhs, i);
        if (k->is_symbolic[i]) {
            d.at[i] = (convolution_axis){a->dilation, a->low, a->high, 1, 1};
            continue;
        }
        used[i] = extent(k->x, p->lhs, i);
        const int64_t reach =
            (count[i] - 1) * a->dilation + (extent(k->g, p->out, i) - 1) * a->stride + 1;
        int64_t high = reach - ((used[i] - 1) * a->base + 1) - a->low;
        /* Elements behind the last window are left out. */
        const int64_t spare = high < 0 ? -high / a->base : 0;
        const int64_t left_out = spare < used[i] ? spare : used[i] - 1;
        used[i] -= left_out;
        high += left_out * a->base;
        d.at[i] = (convolution_axis){.stride = a->dilation,
                                     .low = a->low,
                                     .high = high > 0 ? high : 0,
                                     .base = a->base,
                                     .dilation = a->stride};
    }
    d.lhs[CONVOLUTION_BATCH] = p->lhs[CONVOLUTION_CHANNEL];
    d.lhs[CONVOLUTION_CHANNEL] = p->lhs[CONVOLUTION_BATCH];
    d.rhs[CONVOLUTION_FROM] = p->out[CONVOLUTION_BATCH];
    d.rhs[CONVOLUTION_TO] = p->out[CONVOLUTION_CHANNEL];
    d.out[CONVOLUTION_BATCH] = p->rhs[CONVOLUTION_FROM];
    d.out[CONVOLUTION_CHANNEL] = p->rhs[CONVOLUTION_TO];
    value_id x = build_cast(&k->c->b, grad_in(k->c, 0), k->g->dtype);
    x = part_of(k, x, p->lhs, none, used);
    value_id dw = build_convolution(&k->c->b, x, k->c->g[0], &d, k->dtypes, k->n_dtypes);
    return part_of(k, dw, d.out, none, count);
}

/* ---- */

/* Is the gradient along spatial axis I the same for every extent of the input? Without strides, and
 * with less padding than a window, as there usually is, nothing is left out or over. */
static bool is_plain(const work *k, uint32_t i)
{
    const convolution_axis *a = &k->from.at[i];
    const int64_t covers = (extent(k->w, k->from.rhs, i) - 1) * a->dilation;
    return a->stride == 1 && a->base == 1 && a->low >= 0 && a->low <= covers && a->high >= 0 &&
           a->high <= covers;
}

/* Are the extents known, or not needed? */
static bool knows_extents(work *k)
{
    const convolution *p = &k->from;
    bool known = type_is_static(k->w);
    for (uint32_t i = 0; known && i < p->spatial; i++) {
        const convolution_axis *a = &p->at[i];
        const dim all[] = {a->stride, a->low, a->high, a->base, a->dilation};
        for (uint32_t j = 0; j < sizeof all / sizeof *all; j++)
            known = known && !dim_is_symbolic(all[j]);
        k->is_symbolic[i] = dim_is_symbolic(extent(k->x, p->lhs, i));
        known = known && dim_is_symbolic(extent(k->g, p->out, i)) == k->is_symbolic[i];
        known = known && (!k->is_symbolic[i] || (is_plain(k, i) && p->batch_groups == 1));
    }
    return known;
}

tn_status grad_convolution(grad_call *c)
{
    work k = {.c = c,
              .x = grad_type(c, grad_in(c, 0)),
              .w = grad_type(c, grad_in(c, 1)),
              .g = grad_type(c, c->g[0])};
    const attr *sum = attr_find(c->n.attrs, KEY_ACCUM_DTYPE);
    if (c->core_only)
        return grad_none(c);
    k.from = convolution_of_attrs(c->n.attrs, k.x->rank);
    if (!knows_extents(&k))
        return grad_refuse_symbolic(c, "an extent");
    if (sum && dtype_table[sum->v.i].bits >= dtype_table[k.g->dtype].bits)
        k.dtypes[k.n_dtypes++] = *sum;
    const value_id d = c->operand == 0 ? by_input(&k) : by_filter(&k);
    return grad_gives(c, build_cast(&c->b, d, grad_type(c, grad_in(c, c->operand))->dtype));
}
