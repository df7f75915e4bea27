/* The steps of optimizers, as programs of the vocabulary. */
#include <math.h>
#include <string.h>

#include "base/context/context.h"
#include "base/context/options.h"
#include "scalar/dtype.h"
#include "tenon/build.h"
#include "tenon/train.h"

/* What every optimizer starts with, in the type that it computes in. */
typedef struct step {
    tn_builder *b;
    const tn_optimizer *o;
    tn_dtype dtype; /* of the weight */
    tn_value weight, gradient, rate;
} step;

enum { MOST_OUTPUTS = 3 };

static tn_value number(const step *s, double x)
{
    return tn_scalar(s->b, dtype_compute(s->dtype), x);
}

static tn_value times(const step *s, tn_value x, double factor)
{
    const tn_value y = number(s, factor);
    return tn_mul(s->b, x, y);
}

/* The next input that has the shape of the weight. */
static tn_value vector(const step *s, const char *name, tn_dtype dtype)
{
    return tn_input(s->b, name, dtype, TN_INTS(tn_dim(s->b, "n")));
}

/* keep X + (1 - keep) Y */
static tn_value blend(const step *s, double keep, tn_value x, tn_value y)
{
    const tn_value kept = times(s, x, keep), added = times(s, y, 1 - keep);
    return tn_add(s->b, kept, added);
}

static void descend(step *s, tn_value direction)
{
    const tn_value move = tn_mul(s->b, direction, s->rate);
    s->weight = tn_sub(s->b, s->weight, move);
}

static void decay_gradient(step *s)
{
    if (s->o->weight_decay == 0)
        return;
    const tn_value pull = times(s, s->weight, s->o->weight_decay);
    s->gradient = tn_add(s->b, s->gradient, pull);
}

static void decay_weight(step *s)
{
    if (s->o->weight_decay == 0)
        return;
    const tn_value pull = times(s, s->rate, s->o->weight_decay), one = number(s, 1);
    const tn_value kept = tn_sub(s->b, one, pull);
    s->weight = tn_mul(s->b, s->weight, kept);
}

/* 1 - beta^step, precisely also where beta is almost 1. */
static tn_value correction(const step *s, tn_value count, double beta)
{
    const tn_value log = tn_log1p(s->b, number(s, -(1 - beta)));
    const tn_value power = tn_mul(s->b, count, log);
    return tn_neg(s->b, tn_expm1(s->b, power));
}

static size_t sgd(step *s, tn_value *state)
{
    (void)state;
    decay_gradient(s);
    descend(s, s->gradient);
    return 0;
}

static size_t momentum(step *s, tn_value *state)
{
    const tn_value velocity = vector(s, "velocity", dtype_compute(s->dtype));
    decay_gradient(s);
    const tn_value kept = times(s, velocity, s->o->momentum);
    state[0] = tn_add(s->b, kept, s->gradient);
    descend(s, state[0]);
    return 1;
}

static size_t moments(step *s, tn_value *state)
{
    const tn_dtype dtype = dtype_compute(s->dtype);
    const tn_value count = tn_input(s->b, "step", dtype, TN_INTS());
    const tn_value mean = vector(s, "mean", dtype);
    const tn_value square = vector(s, "square", dtype);
    const tn_value fix1 = correction(s, count, s->o->beta1);
    const tn_value fix2 = correction(s, count, s->o->beta2);
    const tn_value squared = tn_mul(s->b, s->gradient, s->gradient);
    state[0] = blend(s, s->o->beta1, mean, s->gradient);
    state[1] = blend(s, s->o->beta2, square, squared);
    const tn_value up = tn_div(s->b, state[0], fix1);
    const tn_value inverse = tn_rsqrt(s->b, tn_div(s->b, state[1], fix2));
    const tn_value size = tn_reciprocal(s->b, inverse); /* PTIR has no other square root */
    const tn_value epsilon = number(s, s->o->epsilon);
    const tn_value down = tn_add(s->b, size, epsilon);
    descend(s, tn_div(s->b, up, down));
    return 2;
}

static size_t adam(step *s, tn_value *state)
{
    decay_gradient(s);
    return moments(s, state);
}

static size_t adamw(step *s, tn_value *state)
{
    decay_weight(s);
    return moments(s, state);
}

static const struct {
    const char *name;
    size_t (*append)(step *s, tn_value *state); /* returns how many tensors of state there are */
    bool has_momentum, has_moments; /* the settings that it uses: beta1, beta2, epsilon */
} optimizers[] = {{"adam", adam, false, true},
                  {"adamw", adamw, false, true},
                  {"momentum", momentum, true, false},
                  {"sgd", sgd, false, false}};
enum { N_OPTIMIZERS = sizeof optimizers / sizeof *optimizers };

static tn_status build(context *cx, const tn_optimizer *o, size_t which, tn_dtype dtype,
                       tn_module **update)
{
    step s = {.b = tn_builder_new(cx), .o = o, .dtype = dtype};
    const tn_dtype compute = dtype_compute(dtype);
    tn_builder_name(s.b, optimizers[which].name);
    s.weight = tn_cast(s.b, vector(&s, "weight", dtype), compute);
    s.gradient = vector(&s, "gradient", compute);
    s.rate = tn_input(s.b, "rate", compute, TN_INTS());
    tn_value outputs[MOST_OUTPUTS];
    const size_t n = optimizers[which].append(&s, outputs + 1);
    outputs[0] = tn_cast(s.b, s.weight, dtype);
    return tn_builder_finish(s.b, outputs, 1 + n, update);
}

static tn_status bad_setting(context *cx, const char *name, double have, const char *range)
{
    return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                       "the setting '%s' of an optimizer is %g; it lies %s", name, have, range);
}

static tn_status unused_setting(context *cx, const char *setting, const char *name)
{
    return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                       "the optimizer '%s' does not use the setting '%s'", name, setting);
}

/* Is X in [0, 1)? */
static bool is_share(double x)
{
    return x >= 0 && x < 1;
}

/* TN_OPTIMIZER_ZERO is 0. */
static double setting_of(double given, double usual)
{
    return given != 0 ? given : signbit(given) ? 0 : usual;
}

static tn_status check(context *cx, tn_optimizer *o, tn_dtype dtype, size_t *which)
{
    const tn_optimizer given = *o;
    o->name = o->name ? o->name : "adam";
    o->momentum = setting_of(given.momentum, 0.9);
    o->beta1 = setting_of(given.beta1, 0.9);
    o->beta2 = setting_of(given.beta2, 0.999);
    o->epsilon = setting_of(given.epsilon, 1e-8);
    *which = 0;
    while (*which < N_OPTIMIZERS && strcmp(optimizers[*which].name, o->name) != 0)
        ++*which;
    if (*which == N_OPTIMIZERS)
        return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "there is no optimizer '%s': there are adam, adamw, momentum and sgd",
                           o->name);
    if (given.momentum != 0 && !optimizers[*which].has_momentum)
        return unused_setting(cx, "momentum", o->name);
    if ((given.beta1 != 0 || given.beta2 != 0) && !optimizers[*which].has_moments)
        return unused_setting(cx, "beta", o->name);
    if (given.epsilon != 0 && !optimizers[*which].has_moments)
        return unused_setting(cx, "epsilon", o->name);
    if (dtype >= TN_DTYPE_COUNT || !dtype_is_float(dtype))
        return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN, "only floats can be trained");
    if (!(o->weight_decay >= 0 && isfinite(o->weight_decay)))
        return bad_setting(cx, "weight_decay", o->weight_decay, "in [0, inf)");
    if (!is_share(o->momentum))
        return bad_setting(cx, "momentum", o->momentum, "in [0, 1)");
    if (!is_share(o->beta1) || !is_share(o->beta2))
        return bad_setting(cx, "beta", is_share(o->beta1) ? o->beta2 : o->beta1, "in [0, 1)");
    if (!(o->epsilon > 0 && isfinite(o->epsilon)))
        return bad_setting(cx, "epsilon", o->epsilon, "above 0");
    return TN_OK;
}

tn_status tn_optimizer_program(tn_context *cx, const tn_optimizer *options, tn_dtype dtype,
                               tn_module **update)
{
    tn_optimizer o;
    size_t which = 0;
    *update = NULL;
    tn_status s = OPTIONS_READ(&cx->diag, tn_optimizer, epsilon, &o, options);
    if (s == TN_OK)
        s = check(cx, &o, dtype, &which);
    return s == TN_OK ? build(cx, &o, which, dtype, update) : context_done(cx, s);
}
