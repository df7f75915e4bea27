/* Derivative rules: what one node contributes to the gradient of one of its operands. */
#ifndef OPS_GRAD_H
#define OPS_GRAD_H

#include "graph/build.h"

/* The question a rule answers. It appends nodes to call->b.f with the sticky builder and sets *out;
 * NO_VALUE says that the contribution is zero by definition (a barrier). The driver adds
 * contributions up, and reports for rules that return a status without a report of their own:
 * `grad_none` and `grad_later`, or a case that a rule refuses through grad_refuse.
 *
 * source: MIND autodiff, "Gradient rules"; reference forms of its section 6 */
struct grad_call {
    builder b;
    node n;            /* the primal node, in b.f; a copy, for appending moves the original */
    uint32_t operand;  /* whose contribution is asked for; it is a float and depends on an input */
    const value_id *g; /* gradient of each result; NO_VALUE where there is none */
    bool core_only;    /* use Core v1 instructions only */
    value_id *out;
};

/* Shorthands for rules. */
static inline value_id grad_in(const grad_call *c, uint32_t k)
{
    return c->n.in[k];
}
static inline value_id grad_y(const grad_call *c)
{
    return c->n.first_value;
}
static inline const type *grad_type(const grad_call *c, value_id v)
{
    return value_type(c->b.f, v);
}
/* A rank-0 constant of the dtype of V. */
value_id grad_scalar(grad_call *c, value_id like, double x);
/* Ones of the dtype of V. */
value_id grad_ones(grad_call *c, value_id like, const dim *dims, uint32_t rank);

/* Sum G, which has the shape of a broadcast, back to the shape of operand V. */
value_id grad_unbroadcast(grad_call *c, value_id g, value_id v);
/* The shape arithmetic of the same: sum over the axes that TO lacks or has as 1. */
value_id grad_sum_to(grad_call *c, value_id g, const dim *to, uint32_t rank);

/* Finish a rule: *out = V, with the builder's status. */
static inline tn_status grad_gives(grad_call *c, value_id v)
{
    *c->out = v;
    return c->b.status;
}

/* "No derivative here", with a reason; reported as such. */
tn_status grad_refuse(grad_call *c, const char *why);

#endif
