/* Derivatives of reductions. */
#include "grad/derivatives.h"
#include "graph/literal.h"
#include "ops/shape.h"

/* The axes that a reduction removes or keeps as 1, and which of the two. */
static bool reduction_of(const grad_call *c, axis_list *axes, bool *keep)
{
    uint32_t n;
    const int64_t *list = attr_ints(c->n.attrs, KEY_AXES, &n);
    bool keepdims = attr_int(c->n.attrs, KEY_KEEPDIMS, 0) != 0;
    uint32_t rank = grad_type(c, grad_in(c, 0))->rank;
    if (!attr_find(c->n.attrs, KEY_AXES))
        list = NULL;
    return resolve_reduction(list, n, keepdims, rank, axes, keep).kind == SHAPE_OK;
}

/* G with the reduced axes back as extent 1, in the dtype of the operand. */
static value_id restore_axes(grad_call *c, value_id g, const axis_list *axes, bool keep)
{
    const type *x = grad_type(c, grad_in(c, 0));
    int64_t list[TN_MAX_RANK];
    for (uint32_t i = 0; i < axes->n; i++)
        list[i] = axes->at[i];
    g = build_cast(&c->b, g, x->dtype);
    /* A rank-0 gradient broadcasts as it is. */
    return keep || axes->n == x->rank ? g : build_expand_dims(&c->b, g, list, axes->n);
}

/* Is V a constant with one value everywhere? Then *S is that value. */
static bool is_uniform(const grad_call *c, value_id v, scalar *s)
{
    const literal *l = literal_of(node_of(c->b.f, v));
    if (!l || !literal_is_single(l))
        return false;
    *s = scalar_load(l->type->dtype, l->data);
    return true;
}

/* G, with 1 at the reduced axes, spread over the operand's shape and multiplied by FACTOR. In Core
 * v1 by multiplying with ones, one axis at a time: exact, and the constants stay small. */
static value_id spread(grad_call *c, value_id g, const axis_list *axes, double factor)
{
    scalar s;
    if (c->b.status != TN_OK || g == NO_VALUE)
        return NO_VALUE;
    const type *x = grad_type(c, grad_in(c, 0));
    if (factor == 1 && is_uniform(c, g, &s))
        return build_splat(&c->b, x->dtype, x->dims, x->rank, s);
    if (!c->core_only) {
        if (factor != 1)
            g = build_binary(&c->b, OP_MUL, g, grad_scalar(c, grad_in(c, 0), factor));
        return build_broadcast(&c->b, g, x->dims, x->rank);
    }
    for (uint32_t i = 0; i < axes->n; i++) {
        dim dims[TN_MAX_RANK];
        uint32_t axis = axes->at[i];
        if (x->dims[axis] == 1)
            continue;
        for (uint32_t k = 0; k < x->rank; k++)
            dims[k] = k == axis ? x->dims[k] : 1;
        value_id ones = build_splat(&c->b, x->dtype, dims, x->rank, scalar_of_float(factor));
        g = build_binary(&c->b, OP_MUL, g, ones);
        factor = 1;
    }
    if (factor != 1)
        g = build_binary(&c->b, OP_MUL, g, grad_scalar(c, grad_in(c, 0), factor));
    /* All reduced extents may be 1 while G is rank 0. */
    return build_reshape(&c->b, g, x->dims, x->rank);
}

static tn_status grad_sum_or_mean(grad_call *c, bool is_mean)
{
    axis_list axes;
    bool keep;
    const type *x = grad_type(c, grad_in(c, 0));
    dim reduced[TN_MAX_RANK];
    double count = 1;
    bool is_symbolic = false;
    if (!reduction_of(c, &axes, &keep))
        return grad_refuse_axes(c);
    for (uint32_t i = 0; is_mean && i < axes.n; i++) {
        reduced[i] = x->dims[axes.at[i]];
        is_symbolic = is_symbolic || dim_is_symbolic(reduced[i]);
        count *= (double)reduced[i];
    }
    const tn_dtype wide = dtype_compute(grad_type(c, c->g[0])->dtype);
    const bool is_narrow = wide != x->dtype; /* a share may be no normal number of f16 */
    value_id g = is_narrow ? c->g[0] : restore_axes(c, c->g[0], &axes, keep);
    if (is_symbolic || (is_narrow && count != 1)) {
        g = build_cast(&c->b, g, wide);
        g = build_binary(&c->b, OP_MUL, g, grad_one_of(c, wide, reduced, axes.n));
        count = 1;
    }
    if (is_narrow)
        g = restore_axes(c, g, &axes, keep);
    return grad_gives(c, spread(c, g, &axes, 1 / count));
}

tn_status grad_sum(grad_call *c)
{
    return grad_sum_or_mean(c, false);
}

tn_status grad_mean(grad_call *c)
{
    return grad_sum_or_mean(c, true);
}

/* What the rules that compare elements start with. */
typedef struct choice {
    value_id x, zeros, ones, g; /* of the operand's shape; the gradient with the axes in place */
    axis_list axes;
    bool keep;
    int64_t list[TN_MAX_RANK];
} choice;

static bool choice_of(grad_call *c, choice *of)
{
    of->x = grad_in(c, 0);
    if (!reduction_of(c, &of->axes, &of->keep))
        return false;
    const type *t = grad_type(c, of->x);
    for (uint32_t i = 0; i < of->axes.n; i++)
        of->list[i] = of->axes.at[i];
    of->g = restore_axes(c, c->g[0], &of->axes, of->keep);
    of->zeros = grad_zeros(c, of->x);
    of->ones = grad_splat(c, of->x, t->dims, t->rank, 1);
    return true;
}

/* The elements equal to the extremum share the gradient equally; a NaN is equal to none.
 * [reduce_max_nan/G1] [reduce_min_nan/G1] */
tn_status grad_extremum(grad_call *c)
{
    choice of;
    if (!choice_of(c, &of))
        return grad_refuse_axes(c);
    value_id x = of.x, y = restore_axes(c, grad_y(c), &of.axes, of.keep);
    const value_id is_hit = build_compare(&c->b, DIR_EQ, x, y);
    const value_id hit = grad_countable(c, build_select(&c->b, is_hit, of.ones, of.zeros));
    const value_id hits = build_reduce(&c->b, OP_SUM, hit, of.list, of.axes.n, true);
    const value_id share = grad_share(c, of.g, hits); /* none is equal where `init` wins */
    const type *t = grad_type(c, x);
    const value_id wide = build_broadcast(&c->b, share, t->dims, t->rank);
    return grad_gives(c, build_select(&c->b, is_hit, wide, of.zeros));
}

/* The product of the other elements: that of all divided by x, unless there is a zero; where there
 * is exactly one, only it has a gradient, the product of the rest. */
static tn_status product(grad_call *c)
{
    choice of;
    if (!choice_of(c, &of))
        return grad_refuse_axes(c);
    value_id x = of.x, is_zero = build_compare(&c->b, DIR_EQ, x, grad_scalar(c, x, 0));
    value_id zero = build_select(&c->b, is_zero, of.ones, of.zeros);
    value_id count = build_reduce(&c->b, OP_SUM, zero, of.list, of.axes.n, true);
    value_id others = build_select(&c->b, is_zero, of.ones, x);
    value_id rest = build_reduce(&c->b, OP_REDUCE_PROD, others, of.list, of.axes.n, true);
    const attr *init = attr_find(c->n.attrs, KEY_INIT);
    if (init) {
        value_id factor = build_scalar(&c->b, grad_type(c, x)->dtype, *init->v.scalar);
        rest = build_binary(&c->b, OP_MUL, rest, factor);
    }
    rest = build_binary(&c->b, OP_MUL, of.g, rest);
    value_id none = build_compare(&c->b, DIR_EQ, count, grad_scalar(c, x, 0));
    value_id single = build_compare(&c->b, DIR_EQ, count, grad_scalar(c, x, 1));
    value_id at_zero = build_select(&c->b, is_zero, rest, of.zeros);
    value_id lone = build_select(&c->b, single, at_zero, of.zeros);
    value_id quotient = build_binary(&c->b, OP_DIV, rest, others);
    return grad_gives(c, build_select(&c->b, none, quotient, lone));
}

tn_status grad_reduce_prod(grad_call *c)
{
    return grad_wide(c, product);
}
