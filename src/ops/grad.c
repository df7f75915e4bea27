/* What derivative rules share. */
#include "ops/grad.h"

value_id grad_scalar(grad_call *c, value_id like, double x)
{
    return build_scalar(&c->b, grad_type(c, like)->dtype, scalar_of_float(x));
}

value_id grad_ones(grad_call *c, value_id like, const dim *dims, uint32_t rank)
{
    return build_splat(&c->b, grad_type(c, like)->dtype, dims, rank, scalar_of_float(1));
}

value_id grad_sum_to(grad_call *c, value_id g, const dim *to, uint32_t rank)
{
    if (c->b.status != TN_OK || g == NO_VALUE)
        return NO_VALUE;
    const type *from = grad_type(c, g);
    uint32_t lead = from->rank - rank, n = 0;
    int64_t axes[TN_MAX_RANK];
    for (uint32_t i = 0; i < from->rank; i++)
        if (i < lead || (to[i - lead] == 1 && from->dims[i] != 1))
            axes[n++] = i;
    if (n == 0)
        return g;
    if (rank == 0) {
        attr keep = attr_of_int(KEY_KEEPDIMS, false); /* without axes: all of them */
        return build_node(&c->b, OP_SUM, &g, 1, &keep, 1);
    }
    value_id sum = build_reduce(&c->b, OP_SUM, g, axes, n, false);
    return build_reshape(&c->b, sum, to, rank);
}

value_id grad_unbroadcast(grad_call *c, value_id g, value_id v)
{
    const type *t = grad_type(c, v);
    return grad_sum_to(c, g, t->dims, t->rank);
}

tn_status grad_refuse(grad_call *c, const char *why)
{
    return node_report(c->b.f, &c->n, DIAG_NoDerivative, "no derivative of '%s' here: %s",
                       op_table[c->n.op].text, why);
}
