/* What derivative rules share. */
#include "grad/grad.h"

value_id grad_scalar(grad_call *c, value_id like, double x)
{
    if (c->b.status != TN_OK || like == NO_VALUE)
        return NO_VALUE;
    return build_scalar(&c->b, grad_type(c, like)->dtype, scalar_of_float(x));
}

value_id grad_splat(grad_call *c, value_id like, const dim *dims, uint32_t rank, double x)
{
    if (c->b.status != TN_OK || like == NO_VALUE)
        return NO_VALUE;
    return build_splat(&c->b, grad_type(c, like)->dtype, dims, rank, scalar_of_float(x));
}

value_id grad_zeros(grad_call *c, value_id like)
{
    if (c->b.status != TN_OK || like == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, like);
    return grad_splat(c, like, t->dims, t->rank, 0);
}

value_id grad_indices(grad_call *c, const int64_t *at, int64_t n)
{
    return build_constant(&c->b, TN_SI64, &n, 1, at);
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
    if (rank == 0 && !c->b.plain) {
        attr keep = attr_of_int(KEY_KEEPDIMS, false); /* without axes: all of them */
        return build_node(&c->b, OP_SUM, &g, 1, &keep, 1);
    }
    return build_reshape(&c->b, grad_sum_over(c, g, axes, n), to, rank);
}

value_id grad_unbroadcast(grad_call *c, value_id g, value_id v)
{
    const type *t = grad_type(c, v);
    return grad_sum_to(c, g, t->dims, t->rank);
}

value_id grad_where_less(grad_call *c, value_id x, value_id y, value_id g)
{
    return build_select(&c->b, build_compare(&c->b, DIR_LT, x, y), g, grad_zeros(c, g));
}

value_id grad_one_of(grad_call *c, tn_dtype dtype, const dim *dims, uint32_t n)
{
    double count = 1;
    bool known = true;
    int64_t axes[TN_MAX_RANK];
    for (uint32_t i = 0; i < n; i++) {
        known = known && !dim_is_symbolic(dims[i]);
        count *= (double)dims[i];
        axes[i] = i;
    }
    if (known)
        return build_scalar(&c->b, dtype, scalar_of_float(1 / count));
    if (c->core_only) {
        c->b.status = grad_refuse_symbolic(c, "the number of elements");
        return NO_VALUE;
    }
    const scalar one = scalar_of_float(1);
    const value_id all =
        build_reduce(&c->b, OP_SUM, build_splat(&c->b, TN_F64, dims, n, one), axes, n, false);
    return build_cast(&c->b, build_binary(&c->b, OP_DIV, build_scalar(&c->b, TN_F64, one), all),
                      dtype);
}

value_id grad_where_equal(grad_call *c, value_id x, value_id y, value_id g)
{
    return build_select(&c->b, build_compare(&c->b, DIR_EQ, x, y), g, grad_zeros(c, g));
}

value_id grad_unless_equal(grad_call *c, value_id x, value_id y, value_id g)
{
    return build_select(&c->b, build_compare(&c->b, DIR_EQ, x, y), grad_zeros(c, g), g);
}

value_id grad_countable(grad_call *c, value_id x)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    return build_cast(&c->b, x, dtype_compute(grad_type(c, x)->dtype));
}

value_id grad_share(grad_call *c, value_id g, value_id hits)
{
    if (c->b.status != TN_OK || g == NO_VALUE || hits == NO_VALUE)
        return NO_VALUE;
    const tn_dtype own = grad_type(c, g)->dtype, wide = grad_type(c, hits)->dtype;
    const value_id some = build_binary(&c->b, OP_MAXIMUM, hits, grad_scalar(c, hits, 1));
    const value_id whole = build_cast(&c->b, g, wide);
    return build_cast(&c->b, build_binary(&c->b, OP_DIV, whole, some), own);
}

tn_status grad_refuse(grad_call *c, const char *why)
{
    return node_report(c->b.f, &c->n, DIAG_NoDerivative, "no derivative of '%s' at '%s': %s",
                       op_table[c->n.op].text, value_called(c->b.f, c->n.first_value), why);
}

tn_status grad_refuse_symbolic(grad_call *c, const char *what)
{
    tn_status s = node_report(c->b.f, &c->n, DIAG_NoDerivative,
                              "no derivative of '%s' at '%s': %s is symbolic",
                              op_table[c->n.op].text, value_called(c->b.f, c->n.first_value), what);
    diag_channel *d = &c->b.f->module->cx->diag;
    diag_fix(d, NO_SPAN, NULL, "give its sizes values (%s)",
             diag_setting_name(d, SETTING_BINDINGS));
    return s;
}

tn_status grad_refuse_axes(grad_call *c)
{
    module *m = c->b.f->module;
    uint32_t n;
    const int64_t *axes = attr_ints(c->n.attrs, KEY_AXES, &n);
    const type *x = grad_type(c, grad_in(c, 0));
    const char *axes_text = dims_text(&m->cx->diag.text, &m->types, axes, n);
    const char *shape = dims_text(&m->cx->diag.text, &m->types, x->dims, x->rank);
    return node_report(c->b.f, &c->n, DIAG_GradientAxis,
                       "gradient of '%s': axes %s do not suit shape %s", op_table[c->n.op].text,
                       axes_text, shape);
}

tn_status grad_unsupported(const function *f, const node *n)
{
    return node_report(f, n, DIAG_NoDerivative, "Autodiff unsupported operation '%s' at '%s'",
                       op_table[n->op].text, value_called(f, n->first_value));
}
