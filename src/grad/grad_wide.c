/* Derivatives of functions of floats narrower than f32. As the functions are, they are computed in
 * f32 and rounded once: what several steps come to is a number of the type more often than each of
 * them is. */
#include <assert.h>

#include "grad/derivatives.h"
#include "graph/literal.h"

enum { MOST_OPERANDS = 3 };

/* The ops that are functions of numbers. */
static const bool is_function[OP_COUNT] = {
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)
#define ELEMENTWISE(id, text, n_in, attrs, traits, infer, kernel, cost, grad, help)
#define MATH(id, text, n_in, infer, cost, grad, help) [OP_##id] = true,
#include "graph/ops.def"
    [OP_SQRT] = true, [OP_RECIPROCAL] = true};

/* Has RULE several steps? */
static bool has_steps(grad_fn *rule)
{
    return rule != grad_stop && rule != grad_exp && rule != grad_log;
}

/* V in the type in which it is computed. A constant stays one: rules look at them. */
static value_id widened(grad_call *c, value_id v)
{
    if (c->b.status != TN_OK || v == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, v);
    const literal *l = literal_of(node_of(c->b.f, v));
    const tn_dtype wide = dtype_is_float(t->dtype) ? dtype_compute(t->dtype) : t->dtype;
    if (wide != t->dtype && l && literal_is_uniform(l))
        return build_splat(&c->b, wide, t->dims, t->rank, scalar_load(t->dtype, l->data));
    return build_cast(&c->b, v, wide);
}

tn_status grad_wide(grad_call *c, grad_fn *rule)
{
    const tn_dtype own = grad_type(c, grad_in(c, c->operand))->dtype;
    value_id in[MOST_OPERANDS], g, sum = NO_VALUE;
    if (dtype_compute(own) == own || c->core_only || !grad_has(c, OP_CAST))
        return rule(c);
    assert(c->n.n_in <= MOST_OPERANDS && c->n.n_results == 1);
    for (uint32_t k = 0; k < c->n.n_in; k++)
        in[k] = widened(c, grad_in(c, k));
    g = widened(c, c->g[0]);
    grad_call wide = *c;
    wide.n.in = in;
    wide.n.first_value = widened(&wide, grad_y(c));
    wide.g = &g;
    wide.out = &sum;
    if (wide.b.status != TN_OK)
        return wide.b.status;
    const tn_status s = rule(&wide);
    c->b = wide.b;
    return s == TN_OK && sum != NO_VALUE ? grad_gives(c, build_cast(&c->b, sum, own)) : s;
}

tn_status grad_by_rule(grad_call *c)
{
    grad_fn *rule = op_derivatives[c->n.op];
    return is_function[c->n.op] && has_steps(rule) ? grad_wide(c, rule) : rule(c);
}
