/* reduce-stacks: a reduction of values that were stacked for it combines these in one pass.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every output: few elements combine by halving
 *         (docs/numerics.md, section 5), which the ops say here one by one
 * breaks  use counts: the stack becomes dead; dce removes it
 *
 * Maxima of windows of a line, say, are written as those of a stack of its slices. The stack is as
 * often as large as there are slices, and would be written and read.
 */
#include <math.h>

#include "ops/attr_rules.h"
#include "ops/fold_ops.h"
#include "ops/shape.h"
#include "pass/expand/substitute.h"
#include "pass/passes.h"

/* Does N reduce one axis alone, in the dtype of its operand X, which is not widened for it? */
static bool is_plain(const node *n, const type *x, int64_t *axis)
{
    uint32_t n_axes;
    if (!(op_table[n->op].traits & T_REDUCES) || n->op == OP_ARG_MAX ||
        dtype_is_complex(x->dtype) || x->dtype == TN_I1 ||
        (n->op == OP_MEAN && !dtype_is_float(x->dtype)))
        return false;
    const int64_t *axes = attr_ints(n->attrs, KEY_AXES, &n_axes);
    const bool one = n_axes == 1 || (x->rank == 1 && !attr_find(n->attrs, KEY_AXES));
    *axis = n_axes == 1 ? axes[0] : 0;
    return one && *axis >= 0 && !attr_find(n->attrs, KEY_INIT) &&
           dtype_compute(x->dtype) == x->dtype &&
           attr_int(n->attrs, KEY_ACCUM_DTYPE, x->dtype) == (int64_t)x->dtype &&
           attr_int(n->attrs, KEY_OUT_DTYPE, x->dtype) == (int64_t)x->dtype;
}

/* Are the operands of the concatenation STACK single positions along AXIS, all of its result? */
static bool is_stack(const function *f, const node *stack, int64_t axis)
{
    if (stack->op != OP_CONCAT || stack->n_in < 2 || stack->n_in > SUM_LANES ||
        attr_int(stack->attrs, KEY_AXIS, -1) != axis)
        return false;
    for (uint32_t k = 0; k < stack->n_in; k++)
        if (value_type(f, stack->in[k])->dims[axis] != 1)
            return false;
    return true;
}

/* What the reduction does to X, which combines all COUNT elements: a maximum or minimum of nothing
 * but NaN is that of nothing. */
static value_id completed(expand_call *c, value_id x, uint32_t count)
{
    const op_id op = (op_id)c->n->op;
    const type *t = build_type(c->b, x);
    if (op == OP_MEAN)
        return build_binary(c->b, OP_DIV, x, expand_filled(c, t, count));
    if (!dtype_is_float(t->dtype) || (op != OP_REDUCE_MAX && op != OP_REDUCE_MIN))
        return x;
    const double end = op == OP_REDUCE_MAX ? -(double)INFINITY : (double)INFINITY;
    return build_binary(c->b, fold_pair(fold_of_reduction(op)), x, expand_filled(c, t, end));
}

static tn_status unstacked(expand_call *c, value_id *result)
{
    const node *n = c->n, *stack = n->n_in ? node_of(c->f, n->in[0]) : n;
    const uint32_t *uses = c->user;
    value_id lanes[SUM_LANES];
    int64_t axis;
    if (stack->op != OP_CONCAT || uses[n->in[0]] != 1 ||
        !is_plain(n, value_type(c->f, n->in[0]), &axis) || !is_stack(c->f, stack, axis))
        return TN_OK;
    const op_id pair = fold_pair(fold_of_reduction((op_id)n->op));
    const uint32_t count = stack->n_in;
    for (uint32_t k = 0; k < count; k++)
        lanes[k] = c->now[stack->in[k]];
    for (uint32_t half = SUM_LANES / 2; half > 0; half /= 2)
        for (uint32_t k = 0; k < half && k + half < count; k++)
            lanes[k] = build_binary(c->b, pair, lanes[k], lanes[k + half]);
    *result = expand_to_result(c, completed(c, lanes[0], count));
    return c->b->status;
}

tn_status pass_reduce_stacks(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        const uint32_t *uses = pass_count_uses(cx, f);
        if (!uses)
            return module_no_memory(m);
        TN_TRY(function_substitute(f, unstacked, uses, &cx->n_changed));
    }
    return TN_OK;
}
