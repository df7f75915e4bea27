/* Training: one step of an optimizer, and gradients. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/op.h"

/* What the optimizers share: the rate R, the number T of the step, and behind them N tensors, then
 * their N gradients, then N of each kind of state. */
typedef struct step {
    onnx_call *c;
    uint32_t n;
    tn_value rate, number; /* in the type of the tensors */
    tn_value is_later;     /* is the number of the step positive? */
    tn_dtype dtype;
} step;

static bool read_step(onnx_call *c, uint32_t n_kinds, step *s)
{
    if (c->n_in < 2 + n_kinds || (c->n_in - 2) % n_kinds != 0)
        return onnx_refuse(c, DIAG_ArityMismatch,
                           "it takes a rate, a step and %" PRIu32
                           " input%s for each tensor, not %" PRIu32 " input%s in all",
                           n_kinds, plural(n_kinds), c->n_in, plural(c->n_in));
    const uint32_t n = (c->n_in - 2) / n_kinds;
    for (uint32_t i = 0; i < c->n_in; i++)
        if (!onnx_has_in(c, i))
            return onnx_refuse(c, DIAG_ArityMismatch, "input %" PRIu32 " is left out", i);
    if (c->n_out > n * (n_kinds - 1))
        return onnx_refuse(c, DIAG_ArityMismatch,
                           "it has at most %" PRIu32 " output%s, not %" PRIu32, n * (n_kinds - 1),
                           plural(n * (n_kinds - 1)), c->n_out);
    const type *t = onnx_in_type(c, 2);
    if (!t)
        return false;
    *s = (step){.c = c, .n = n, .dtype = t->dtype};
    const tn_value number = tn_reshape(c->b, onnx_in(c, 1), (tn_ints){0});
    s->rate = tn_cast(c->b, tn_reshape(c->b, onnx_in(c, 0), (tn_ints){0}), t->dtype);
    s->number = tn_cast(c->b, number, t->dtype);
    s->is_later = tn_compare(c->b, TN_GT, number, tn_scalar_like(c->b, number, 0));
    for (uint32_t i = 0; i < n; i++) {
        const type *own = onnx_in_type(c, 2 + i);
        for (uint32_t k = 1; own && k < n_kinds; k++)
            if (!onnx_in_fits(c, 2 + k * n + i, onnx_dims(own)))
                return false;
    }
    return true;
}

/* Tensor I of kind K. */
static tn_value given(const step *s, uint32_t k, uint32_t i)
{
    return onnx_in(s->c, 2 + k * s->n + i);
}

static bool give(const step *s, uint32_t k, uint32_t i, tn_value v)
{
    return onnx_give(s->c, k * s->n + i, v);
}

/* The gradient of tensor I and of what `norm_coefficient` punishes. */
static tn_value gradient_of(const step *s, uint32_t i)
{
    const double norm = onnx_attr_float(s->c, "norm_coefficient", 0);
    const tn_value g = given(s, 1, i);
    return norm == 0 ? g : tn_add(s->c->b, onnx_scaled(s->c, given(s, 0, i), norm), g);
}

bool onnx_op_adagrad(onnx_call *c)
{
    tn_builder *b = c->b;
    step s;
    if (!read_step(c, 3, &s))
        return false;
    const tn_value decay =
        onnx_plus(c, onnx_scaled(c, s.number, onnx_attr_float(c, "decay_factor", 0)), 1);
    const tn_value rate = tn_div(b, s.rate, decay);
    for (uint32_t i = 0; i < s.n; i++) {
        const tn_value g = gradient_of(&s, i);
        const tn_value h = tn_add(b, given(&s, 2, i), tn_mul(b, g, g));
        const tn_value scale = onnx_plus(c, tn_sqrt(b, h), onnx_attr_float(c, "epsilon", 0));
        const tn_value by = tn_div(b, tn_mul(b, rate, g), scale);
        if (!give(&s, 0, i, tn_sub(b, given(&s, 0, i), by)) || !give(&s, 1, i, h))
            return false;
    }
    return true;
}

bool onnx_op_momentum(onnx_call *c)
{
    tn_builder *b = c->b;
    const double alpha = onnx_attr_float(c, "alpha", 0), beta = onnx_attr_float(c, "beta", 0);
    const bool nesterov = onnx_attr_is(c, "mode", "nesterov", false);
    step s;
    if (!nesterov && !onnx_attr_is(c, "mode", "standard", false))
        return onnx_refuse(c, DIAG_InvalidAttribute, "'mode' is standard or nesterov");
    if (!read_step(c, 3, &s))
        return false;
    const tn_value one = tn_scalar(b, s.dtype, 1);
    const tn_value by = tn_select(b, s.is_later, tn_scalar_like(b, one, beta), one);
    for (uint32_t i = 0; i < s.n; i++) {
        const tn_value g = gradient_of(&s, i);
        const tn_value kept = onnx_scaled(c, given(&s, 2, i), alpha);
        const tn_value v = tn_add(b, kept, tn_mul(b, by, g));
        const tn_value way = nesterov ? tn_add(b, g, onnx_scaled(c, v, alpha)) : v;
        const tn_value x = tn_sub(b, given(&s, 0, i), tn_mul(b, s.rate, way));
        if (!give(&s, 0, i, x) || !give(&s, 1, i, v))
            return false;
    }
    return true;
}

/* 1 - X to the power of the number of the step. */
static tn_value rest_of_power(const step *s, double x)
{
    tn_builder *b = s->c->b;
    const tn_value power = tn_pow(b, tn_scalar(b, s->dtype, x), s->number);
    return tn_sub(b, tn_scalar(b, s->dtype, 1), power);
}

bool onnx_op_adam(onnx_call *c)
{
    tn_builder *b = c->b;
    const double alpha = onnx_attr_float(c, "alpha", (double)0.9F);
    const double beta = onnx_attr_float(c, "beta", (double)0.999F);
    const double epsilon = onnx_attr_float(c, "epsilon", (double)1e-6F);
    const double after = onnx_attr_float(c, "norm_coefficient_post", 0);
    step s;
    if (!read_step(c, 4, &s))
        return false;
    const tn_value root = tn_sqrt(b, rest_of_power(&s, beta));
    const tn_value later = tn_div(b, tn_mul(b, s.rate, root), rest_of_power(&s, alpha));
    const tn_value rate = tn_select(b, s.is_later, later, s.rate);
    for (uint32_t i = 0; i < s.n; i++) {
        const tn_value g = gradient_of(&s, i);
        const tn_value old_v = onnx_scaled(c, given(&s, 2, i), alpha);
        const tn_value old_h = onnx_scaled(c, given(&s, 3, i), beta);
        const tn_value v = tn_add(b, old_v, onnx_scaled(c, g, 1 - alpha));
        const tn_value h = tn_add(b, old_h, onnx_scaled(c, tn_mul(b, g, g), 1 - beta));
        const tn_value scale = onnx_plus(c, tn_sqrt(b, h), epsilon);
        const tn_value by = tn_div(b, tn_mul(b, rate, v), scale);
        const tn_value x = tn_sub(b, given(&s, 0, i), by);
        if (!give(&s, 0, i, onnx_scaled(c, x, 1 - after)) || !give(&s, 1, i, v) ||
            !give(&s, 2, i, h))
            return false;
    }
    return true;
}

/* Derivatives of the value `y` of the graph by the values `xs`, which are the inputs. */
bool onnx_op_gradient(onnx_call *c)
{
    const onnx_attribute *xs = onnx_attr_of(c, "xs", ONNX_STRINGS),
                         *y = onnx_attr_of(c, "y", ONNX_STRING);
    const onnx_bytes *names = c->node->inputs.at;
    const uint32_t n = xs ? xs->strings.n : 0;
    const onnx_bytes *wanted = n ? xs->strings.at : NULL;
    tn_value *wrt = ARENA_ARRAY(&c->im->memory, tn_value, (size_t)n + 1);
    tn_value *out = ARENA_ARRAY(&c->im->memory, tn_value, (size_t)n + 1);
    if (!wrt || !out)
        return onnx_no_memory(c->im);
    if (n == 0 || !y || n > c->n_in || c->n_out > n)
        return onnx_refuse(c, DIAG_MissingAttribute, "it needs 'xs', one for each output, and 'y'");
    for (uint32_t i = 0; i < n; i++) {
        if (!onnx_same(wanted[i], names[i]))
            return onnx_refuse(c, DIAG_NotImplemented,
                               "input %" PRIu32 " is another value than its name in 'xs'", i);
        wrt[i] = onnx_in(c, i);
    }
    onnx_value *loss = onnx_find(c->scope, y->s);
    if (!loss || (!loss->is_faulty && !onnx_is_tensor(loss)))
        return onnx_refuse(c, DIAG_UndefinedName, "'%.*s' is no tensor before it", ONNX_TEXT(y->s));
    if (loss->is_faulty)
        return false;
    tn_gradient(c->b, onnx_data_of(c->im, loss), tn_no_value(), (tn_values){wrt, n}, out);
    for (uint32_t i = 0; i < c->n_out; i++)
        if (!onnx_give(c, i, out[i]))
            return false;
    return true;
}
