/* Reductions, written with others. */
#include <math.h>

#include "base/memory/checked.h"
#include "ops/attr_rules.h"
#include "ops/fold_ops.h"
#include "ops/shape.h"
#include "pass/expand/expand.h"

/* The axes of the node, whether they stay, and the dtypes of sums. */
typedef struct reduction_facts {
    axis_list axes;
    int64_t at[TN_MAX_RANK];
    bool keep;
    tn_dtype sum, usual_sum;
    const scalar *init;
} reduction_facts;

static bool find_facts(const expand_call *c, reduction_facts *r)
{
    uint32_t n;
    const type *x = operand_type_of(c, 0);
    const attr *given = attr_find(c->n->attrs, KEY_AXES);
    const int64_t none = 0, *axes = attr_ints(c->n->attrs, KEY_AXES, &n);
    const attr *init = attr_find(c->n->attrs, KEY_INIT);
    if (given && n == 0)
        axes = &none; /* an empty list is over nothing, an absent one over everything */
    if (resolve_reduction(axes, n, attr_int(c->n->attrs, KEY_KEEPDIMS, 0), x->rank, &r->axes,
                          &r->keep)
            .kind != SHAPE_OK)
        return false;
    for (uint32_t i = 0; i < r->axes.n; i++)
        r->at[i] = r->axes.at[i];
    r->usual_sum = dtype_compute(x->dtype);
    r->sum = (tn_dtype)attr_int(c->n->attrs, KEY_ACCUM_DTYPE, r->usual_sum);
    r->init = init ? init->v.scalar : NULL;
    return true;
}

/* The node's reduction of X, without initial value and dtypes. */
static value_id reduce(expand_call *c, op_id op, value_id x, const reduction_facts *r)
{
    return build_reduce(c->b, op, x, r->at, r->axes.n, r->keep);
}

static value_id over_nothing(expand_call *c)
{
    reduction_facts r;
    bool nothing = find_facts(c, &r) && r.axes.n == 0 && !r.init && r.sum == r.usual_sum;
    return nothing && operand_type_of(c, 0) == c->out ? c->in[0] : NO_VALUE;
}

value_id expand_sum_over_nothing(expand_call *c)
{
    return over_nothing(c);
}

/* x / 1 is x. */
value_id expand_mean_over_nothing(expand_call *c)
{
    return over_nothing(c);
}

/* Without accumulator and result types that are the usual ones, with axes spelt out. */
value_id expand_reduce_plainly(expand_call *c)
{
    reduction_facts r;
    const type *x = operand_type_of(c, 0);
    bool is_said = attr_find(c->n->attrs, KEY_ACCUM_DTYPE) ||
                   attr_find(c->n->attrs, KEY_OUT_DTYPE) ||
                   (!attr_find(c->n->attrs, KEY_AXES) && attr_int(c->n->attrs, KEY_KEEPDIMS, 0));
    if (!is_said || !find_facts(c, &r) || r.init || r.sum != r.usual_sum ||
        x->dtype != c->out->dtype || (r.axes.n == 0 && x->rank))
        return NO_VALUE;
    return reduce(c, (op_id)c->n->op, c->in[0], &r);
}

/* Extremes need no dtype to be formed in, as long as they stay in one. */
value_id expand_extreme_plainly(expand_call *c)
{
    reduction_facts r;
    if (!find_facts(c, &r) || r.init || operand_type_of(c, 0)->dtype != c->out->dtype ||
        !attr_find(c->n->attrs, KEY_ACCUM_DTYPE))
        return NO_VALUE;
    return reduce(c, (op_id)c->n->op, c->in[0], &r);
}

static bool count_reduced(const type *x, const reduction_facts *r, int64_t *count)
{
    int64_t extents[TN_MAX_RANK];
    for (uint32_t i = 0; i < r->axes.n; i++) {
        extents[i] = x->dims[r->axes.at[i]];
        if (dim_is_symbolic(extents[i]))
            return false;
    }
    return product_i64(extents, r->axes.n, count);
}

/* The sum in the accumulator type over the number of elements; for integers only where that number
 * fits. */
value_id expand_mean_as_sum(expand_call *c)
{
    reduction_facts r;
    const type *x = operand_type_of(c, 0);
    int64_t count;
    if (!find_facts(c, &r) || dtype_is_complex(x->dtype) || !count_reduced(x, &r, &count) ||
        dtype_compute(r.sum) != r.sum || (r.axes.n == 0 && x->rank))
        return NO_VALUE;
    if (dtype_is_int(r.sum) && count == 0)
        return expand_filled(c, c->out, 0);
    if (dtype_is_int(r.sum) && (uint64_t)count > dtype_int_max(r.sum))
        return NO_VALUE;
    attr entries[] = {attr_of_ints(KEY_AXES, r.at, r.axes.n), attr_of_int(KEY_KEEPDIMS, r.keep),
                      attr_of_int(KEY_ACCUM_DTYPE, r.sum), attr_of_int(KEY_OUT_DTYPE, r.sum)};
    bool plain = r.sum == r.usual_sum && r.sum == x->dtype;
    value_id sum = build_node(c->b, OP_SUM, c->in, 1, entries, plain ? 2 : 4);
    const scalar n = dtype_is_float(r.sum) ? scalar_of_float((double)count) : scalar_of_int(count);
    value_id mean = build_binary(c->b, OP_DIV, sum, build_scalar(c->b, r.sum, n));
    return build_cast(c->b, mean, c->out->dtype);
}

/* Over extents that are not known: ones are summed too, as integers, so that every count is exact.
 */
value_id expand_mean_by_counting(expand_call *c)
{
    reduction_facts r;
    const type *x = operand_type_of(c, 0);
    dim dims[TN_MAX_RANK];
    int64_t axes[TN_MAX_RANK];
    if (is_static_call(c) || !c->to || !(c->to->can->dtypes >> TN_SI64 & 1) || !find_facts(c, &r) ||
        r.axes.n == 0 || !dtype_is_float(r.sum) || r.sum != r.usual_sum || r.sum != x->dtype)
        return NO_VALUE;
    for (uint32_t i = 0; i < r.axes.n; i++) {
        dims[i] = x->dims[r.axes.at[i]];
        axes[i] = i;
    }
    value_id one = build_scalar(c->b, TN_SI64, scalar_of_int(1));
    value_id ones = build_broadcast(c->b, one, dims, r.axes.n);
    value_id counted = build_reduce(c->b, OP_SUM, ones, axes, r.axes.n, false);
    value_id count = build_cast(c->b, counted, r.sum);
    value_id sum = reduce(c, OP_SUM, c->in[0], &r);
    value_id mean = build_binary(c->b, OP_DIV, sum, count);
    return build_cast(c->b, mean, c->out->dtype);
}

value_id expand_sum_with_init(expand_call *c)
{
    reduction_facts r;
    const type *x = operand_type_of(c, 0);
    if (!find_facts(c, &r) || !r.init || r.sum != x->dtype || c->out->dtype != x->dtype)
        return NO_VALUE;
    const value_id init = build_scalar(c->b, x->dtype, *r.init);
    return build_binary(c->b, OP_ADD, reduce(c, OP_SUM, c->in[0], &r), init);
}

value_id expand_extreme_with_init(expand_call *c)
{
    reduction_facts r;
    const type *x = operand_type_of(c, 0);
    const op_id op = (op_id)c->n->op;
    if (!find_facts(c, &r) || !r.init || c->out->dtype != x->dtype)
        return NO_VALUE;
    const value_id init = build_scalar(c->b, x->dtype, *r.init);
    return build_binary(c->b, fold_pair(fold_of_reduction(op)), reduce(c, op, c->in[0], &r), init);
}

/* NaN where TRUTH, else Y, which is of D. */
static value_id nan_where(expand_call *c, value_id truth, value_id y, tn_dtype d)
{
    const scalar nan = scalar_of_float((double)NAN);
    return build_select(c->b, truth, build_scalar(c->b, d, nan), y);
}

value_id expand_extreme_nan(expand_call *c)
{
    reduction_facts r;
    const tn_dtype d = operand_type_of(c, 0)->dtype;
    const value_id x = c->in[0];
    if (!find_facts(c, &r) || r.init || c->out->dtype != d)
        return NO_VALUE;
    const op_id op = c->n->op == OP_REDUCE_MAX_NAN ? OP_REDUCE_MAX : OP_REDUCE_MIN;
    const value_id any = reduce(c, OP_REDUCE_MAX, build_compare(c->b, DIR_NE, x, x), &r);
    return nan_where(c, any, reduce(c, op, x, &r), d);
}

value_id expand_nan_beside(expand_call *c, attr_key key, int64_t plain, int64_t largest)
{
    const value_id x = c->in[0];
    const tn_dtype d = operand_type_of(c, 0)->dtype;
    const attrs *given = c->n->attrs;
    attr *entries = ARENA_ARRAY(c->memory, attr, given->n);
    if (!entries)
        return NO_VALUE;
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < given->n; i++) {
        at = given->at[i].key == key ? n : at;
        if (given->at[i].key != KEY_ACCUM_DTYPE) /* which no extremum depends on */
            entries[n++] = given->at[i];
    }
    entries[at] = attr_of_int(key, largest);
    const value_id flags = build_cast(c->b, build_compare(c->b, DIR_NE, x, x), d);
    const value_id found = build_node(c->b, (op_id)c->n->op, &flags, 1, entries, n);
    entries[at] = attr_of_int(key, plain);
    const value_id y = build_node(c->b, (op_id)c->n->op, &x, 1, entries, n);
    const value_id zero = build_scalar(c->b, d, scalar_of_float(0));
    return nan_where(c, build_compare(c->b, DIR_GT, found, zero), y, d);
}

value_id expand_cumulative_nan(expand_call *c)
{
    const fold_kind fold = (fold_kind)attr_int(c->n->attrs, KEY_FOLD, FOLD_SUM);
    return fold_nan_wins(fold)
               ? expand_nan_beside(c, KEY_FOLD, fold == FOLD_MAX_NAN ? FOLD_MAX : FOLD_MIN,
                                   FOLD_MAX)
               : NO_VALUE;
}

value_id expand_sum_cast(expand_call *c)
{
    reduction_facts r;
    const type *x = operand_type_of(c, 0);
    if (!find_facts(c, &r) || r.init || dtype_compute(r.sum) != r.sum ||
        (r.sum == x->dtype && c->out->dtype == x->dtype))
        return NO_VALUE;
    value_id wide = build_cast(c->b, c->in[0], r.sum);
    return build_cast(c->b, reduce(c, OP_SUM, wide, &r), c->out->dtype);
}

/* ---- layer normalisation ------------------------------------------------------------------- */

/* The mean of X along AXIS, which stays with extent 1. */
static value_id mean_along(expand_call *c, value_id x, int64_t axis)
{
    if (x == NO_VALUE) /* there was no memory */
        return NO_VALUE;
    const type *t = build_type(c->b, x);
    const scalar n = scalar_of_float((double)t->dims[axis]);
    value_id sum = build_reduce(c->b, OP_SUM, x, &axis, 1, true);
    return build_binary(c->b, OP_DIV, sum, build_scalar(c->b, t->dtype, n));
}

/* Operand K, one number for each position along AXIS, in the shape of the result. */
static value_id along(expand_call *c, uint32_t k, uint32_t axis, tn_dtype form)
{
    dim dims[TN_MAX_RANK];
    value_id v = build_cast(c->b, c->in[k], form);
    for (uint32_t i = 0; i < c->out->rank; i++)
        dims[i] = i == axis ? c->out->dims[i] : 1;
    return build_reshape(c->b, v, dims, c->out->rank);
}

/* The steps of docs/numerics.md, section 10, one node for each. */
value_id expand_layer_norm_in_steps(expand_call *c)
{
    const uint32_t axis = resolve_axis(c->n->attrs, KEY_AXIS, c->out->rank);
    const tn_dtype form = dtype_compute(c->out->dtype);
    const double epsilon = attr_float(c->n->attrs, KEY_EPSILON, 0);
    const scalar e = scalar_of_float(form == TN_F64 ? epsilon : (double)(float)epsilon);
    if (dim_is_symbolic(operand_type_of(c, 0)->dims[axis]))
        return NO_VALUE;
    if (c->out->count == 0) /* of a row of nothing there is no mean */
        return expand_filled(c, c->out, 0);
    value_id x = build_cast(c->b, c->in[0], form);
    value_id d = build_binary(c->b, OP_SUB, x, mean_along(c, x, axis));
    value_id v = mean_along(c, build_binary(c->b, OP_MUL, d, d), axis);
    value_id r =
        build_unary(c->b, OP_RSQRT, build_binary(c->b, OP_ADD, v, build_scalar(c->b, form, e)));
    const value_id gamma = along(c, 1, axis, form); /* one order of nodes, whatever the compiler */
    const value_id y = build_binary(c->b, OP_MUL, build_binary(c->b, OP_MUL, d, r), gamma);
    return build_cast(c->b, build_binary(c->b, OP_ADD, y, along(c, 2, axis, form)), c->out->dtype);
}
