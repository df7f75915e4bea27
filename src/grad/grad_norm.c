/* The derivative of layer_norm: y = h * gamma + beta, where h = (x - mean) * r and
 * r = 1 / sqrt(variance + epsilon). In the dtype in which the norm is computed. */
#include "grad/derivatives.h"
#include "ops/attr_rules.h"

typedef struct norm {
    uint32_t axis, rank;
    tn_dtype dtype;
    value_id x, h, r, g;
    value_id share; /* 1 over the number of elements of a line */
} norm;

static value_id mul(grad_call *c, value_id x, value_id y)
{
    return build_binary(&c->b, OP_MUL, x, y);
}

/* The mean over the axis, which stays. */
static value_id mean(grad_call *c, const norm *m, value_id v)
{
    int64_t axis = m->axis;
    value_id sum = build_reduce(&c->b, OP_SUM, v, &axis, 1, true);
    return mul(c, sum, m->share);
}

static void recompute(grad_call *c, norm *m)
{
    double epsilon = attr_float(c->n.attrs, KEY_EPSILON, 0);
    value_id x = build_cast(&c->b, m->x, m->dtype);
    value_id centred = build_binary(&c->b, OP_SUB, x, mean(c, m, x));
    value_id variance = mean(c, m, mul(c, centred, centred));
    value_id e = build_scalar(&c->b, m->dtype, scalar_of_float(epsilon));
    m->r = build_unary(&c->b, OP_RSQRT, build_binary(&c->b, OP_ADD, variance, e));
    m->h = mul(c, centred, m->r);
    m->g = build_cast(&c->b, c->g[0], m->dtype);
}

/* V summed over every other axis. */
static value_id to_line(grad_call *c, const norm *m, value_id v)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->rank; i++)
        if (i != m->axis)
            axes[n++] = i;
    return n ? build_reduce(&c->b, OP_SUM, v, axes, n, false) : v;
}

tn_status grad_layer_norm(grad_call *c)
{
    value_id x = grad_in(c, 0);
    const type *t = grad_type(c, x);
    norm m = {.axis = resolve_axis(c->n.attrs, KEY_AXIS, t->rank),
              .rank = t->rank,
              .dtype = dtype_compute(t->dtype),
              .x = x};
    if (c->operand == 2) {
        value_id g = build_cast(&c->b, c->g[0], m.dtype);
        return grad_gives(c, build_cast(&c->b, to_line(c, &m, g), t->dtype));
    }
    m.share = grad_one_of(c, m.dtype, &t->dims[m.axis], 1);
    recompute(c, &m);
    if (c->operand == 1)
        return grad_gives(c, build_cast(&c->b, to_line(c, &m, mul(c, m.g, m.h)), t->dtype));
    dim along[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        along[i] = i == m.axis ? t->dims[i] : 1;
    value_id gamma = build_cast(&c->b, grad_in(c, 1), m.dtype);
    value_id scaled = mul(c, m.g, build_reshape(&c->b, gamma, along, t->rank));
    value_id level = build_binary(&c->b, OP_SUB, scaled, mean(c, &m, scaled));
    value_id tilt = mul(c, m.h, mean(c, &m, mul(c, scaled, m.h)));
    value_id dx = mul(c, m.r, build_binary(&c->b, OP_SUB, level, tilt));
    return grad_gives(c, build_cast(&c->b, dx, t->dtype));
}
