/* Derivatives of cumulative sums, products and extrema. */
#include "grad/derivatives.h"
#include "ops/law.h"

/* The cumulation by FOLD of X along the axis of the node, with these flags. */
static value_id along(grad_call *c, fold_kind fold, value_id x, bool exclusive, bool reverse)
{
    attr entries[] = {attr_of_int(KEY_AXIS, attr_int(c->n.attrs, KEY_AXIS, 0)),
                      attr_of_int(KEY_FOLD, fold), attr_of_int(KEY_EXCLUSIVE, exclusive),
                      attr_of_int(KEY_REVERSE, reverse)};
    return build_node(&c->b, OP_CUMULATIVE, &x, 1, entries, 4);
}

static value_id number(grad_call *c, value_id like, double x)
{
    const type *t = grad_type(c, like);
    return grad_splat(c, like, t->dims, t->rank, x);
}

/* Every element gets the sum of the g that it reaches times the product of the others, which is
 * what g y comes to from there on, divided by x. Results from the first zero on are 0, so elements
 * before it get what precedes it; the first zero gets the sum of g times the products without it;
 * what comes behind gets nothing. [cumulative/G2] */
static tn_status product(grad_call *c)
{
    const bool excludes = attr_int(c->n.attrs, KEY_EXCLUSIVE, 0) != 0;
    const bool reverses = attr_int(c->n.attrs, KEY_REVERSE, 0) != 0;
    const value_id x = grad_in(c, 0), one = number(c, x, 1), zero = grad_zeros(c, x);
    const value_id is_zero = build_compare(&c->b, DIR_EQ, x, zero);
    const value_id zeros = build_select(&c->b, is_zero, one, zero);
    const value_id before = along(c, FOLD_SUM, zeros, true, reverses); /* zeros before this one */
    const value_id none_before = build_compare(&c->b, DIR_EQ, before, zero);
    const value_id is_first =
        build_select(&c->b, is_zero, build_select(&c->b, none_before, one, zero), zero);
    const value_id first = build_compare(&c->b, DIR_NE, is_first, zero);
    const value_id others = build_select(&c->b, first, one, x);
    const value_id rest = along(c, FOLD_PROD, others, excludes, reverses);
    const value_id at_zero =
        along(c, FOLD_SUM, build_binary(&c->b, OP_MUL, c->g[0], rest), excludes, !reverses);
    const value_id gy = build_binary(&c->b, OP_MUL, c->g[0], grad_y(c));
    const value_id divisor = build_select(&c->b, is_zero, one, x);
    const value_id quotient =
        build_binary(&c->b, OP_DIV, along(c, FOLD_SUM, gy, excludes, !reverses), divisor);
    const value_id passed = build_select(&c->b, none_before, quotient, zero);
    return grad_gives(c, build_select(&c->b, first, at_zero, passed));
}

/* All goes to the element nearest to the result of those that reached the extremum; a NaN reaches
 * none. [cumulative/G3] */
static tn_status extremum(grad_call *c, fold_kind fold, bool excludes, bool reverses)
{
    const value_id x = grad_in(c, 0);
    const type *t = grad_type(c, x);
    const value_id reached =
        build_compare(&c->b, DIR_EQ, x, excludes ? along(c, fold, x, false, reverses) : grad_y(c));
    const value_id ones = build_splat(&c->b, TN_SI64, t->dims, t->rank, scalar_of_int(1));
    const scalar far = scalar_of_int(reverses ? INT64_MAX : -1);
    const value_id none = build_splat(&c->b, TN_SI64, t->dims, t->rank, far);
    const value_id zero = build_splat(&c->b, TN_SI64, t->dims, t->rank, scalar_of_int(0));
    const value_id places = along(c, FOLD_SUM, ones, true, false);
    const value_id marks = build_select(&c->b, reached, places, none);
    const value_id from = along(c, reverses ? FOLD_MIN : FOLD_MAX, marks, excludes, reverses);
    const value_id is_some = reverses ? build_compare(&c->b, DIR_LT, from, none)
                                      : build_compare(&c->b, DIR_GE, from, zero);
    const value_id g = build_select(&c->b, is_some, c->g[0], grad_zeros(c, x));
    value_id in[] = {grad_zeros(c, x), build_select(&c->b, is_some, from, zero), g};
    attr entries[] = {attr_of_int(KEY_AXIS, attr_int(c->n.attrs, KEY_AXIS, 0)),
                      attr_of_int(KEY_COMBINE, COMBINE_ADD)};
    return grad_gives(c, build_node(&c->b, OP_SCATTER_REDUCE, in, 3, entries, 2));
}

tn_status grad_cumulative(grad_call *c)
{
    const fold_kind fold = (fold_kind)attr_int(c->n.attrs, KEY_FOLD, FOLD_SUM);
    const bool excludes = attr_int(c->n.attrs, KEY_EXCLUSIVE, 0) != 0;
    const bool reverses = attr_int(c->n.attrs, KEY_REVERSE, 0) != 0;
    if (fold == FOLD_PROD)
        return grad_wide(c, product);
    if (fold_is_extremum(fold))
        return extremum(c, fold, excludes, reverses);
    return grad_gives(c, along(c, FOLD_SUM, c->g[0], excludes, !reverses)); /* [cumulative/G1] */
}
