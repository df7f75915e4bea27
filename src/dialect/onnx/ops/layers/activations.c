/* The functions that RNN, GRU and LSTM name as their activations. */
#include "dialect/onnx/ops/layers/activations.h"

#include <inttypes.h>

#include "base/text/text.h"

static tn_value act_affine(onnx_call *c, tn_value x, const activation *a)
{
    return onnx_plus(c, onnx_scaled(c, x, a->alpha), a->beta);
}

static tn_value act_relu(onnx_call *c, tn_value x, const activation *a)
{
    (void)a;
    return tn_relu(c->b, x);
}

static tn_value act_tanh(onnx_call *c, tn_value x, const activation *a)
{
    (void)a;
    return tn_tanh(c->b, x);
}

static tn_value act_sigmoid(onnx_call *c, tn_value x, const activation *a)
{
    (void)a;
    return tn_sigmoid(c->b, x);
}

static tn_value act_leaky_relu(onnx_call *c, tn_value x, const activation *a)
{
    const tn_value above = tn_compare(c->b, TN_GE, x, tn_scalar_like(c->b, x, 0));
    return tn_select(c->b, above, x, onnx_scaled(c, x, a->alpha));
}

static tn_value act_thresholded_relu(onnx_call *c, tn_value x, const activation *a)
{
    const tn_value above = tn_compare(c->b, TN_GT, x, tn_scalar_like(c->b, x, a->alpha));
    return tn_select(c->b, above, x, tn_scalar_like(c->b, x, 0));
}

static tn_value act_scaled_tanh(onnx_call *c, tn_value x, const activation *a)
{
    return onnx_scaled(c, tn_tanh(c->b, onnx_scaled(c, x, a->beta)), a->alpha);
}

static tn_value act_hard_sigmoid(onnx_call *c, tn_value x, const activation *a)
{
    return onnx_limited(c, act_affine(c, x, a), 0, 1);
}

static tn_value act_elu(onnx_call *c, tn_value x, const activation *a)
{
    return onnx_elu(c, x, a->alpha);
}

static tn_value act_softsign(onnx_call *c, tn_value x, const activation *a)
{
    (void)a;
    return tn_div(c->b, x, onnx_plus(c, tn_abs(c->b, x), 1));
}

static tn_value act_softplus(onnx_call *c, tn_value x, const activation *a)
{
    (void)a;
    return onnx_softplus(c, x);
}

typedef struct activation_rule {
    const char *name;
    tn_value (*apply)(onnx_call *c, tn_value x, const activation *a);
    bool has_alpha, has_beta;
    double alpha, beta; /* where the file gives none */
} activation_rule;

static const activation_rule rules[] = {
    {"Affine", act_affine, true, true, 1, 0},
    {"Relu", act_relu, false, false, 0, 0},
    {"LeakyRelu", act_leaky_relu, true, false, 0.01, 0},
    {"ThresholdedRelu", act_thresholded_relu, true, false, 1, 0},
    {"Tanh", act_tanh, false, false, 0, 0},
    {"ScaledTanh", act_scaled_tanh, true, true, 1, 1},
    {"Sigmoid", act_sigmoid, false, false, 0, 0},
    {"HardSigmoid", act_hard_sigmoid, true, true, 0.2, 0.5},
    {"Elu", act_elu, true, false, 1, 0},
    {"Softsign", act_softsign, false, false, 0, 0},
    {"Softplus", act_softplus, false, false, 0, 0},
};

static const activation_rule *rule_named(onnx_bytes name)
{
    for (uint32_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const char *own = rules[i].name;
        size_t n = 0;
        while (n < name.n && own[n] && (own[n] | 32) == (name.at[n] | 32))
            n++;
        if (n == name.n && !own[n])
            return &rules[i];
    }
    return NULL;
}

/* The next of the factors that the list NAME has for activations that take one. */
static double next_factor(const onnx_call *c, const char *name, uint32_t *at, double otherwise)
{
    const onnx_attribute *a = onnx_attr_of(c, name, ONNX_FLOATS);
    return a && *at < a->floats.n ? (double)((const float *)a->floats.at)[(*at)++] : otherwise;
}

bool onnx_activations_read(onnx_call *c, onnx_cell_kind kind, uint32_t n_cells, uint32_t n,
                           activation *out)
{
    static const char *const usual[][MOST_ACTIVATIONS] = {
        [ONNX_CELL_RNN] = {"Tanh"},
        [ONNX_CELL_GRU] = {"Sigmoid", "Tanh"},
        [ONNX_CELL_LSTM] = {"Sigmoid", "Tanh", "Tanh"}};
    const onnx_attribute *given = onnx_attr_of(c, "activations", ONNX_STRINGS);
    uint32_t alphas = 0, betas = 0;
    if (given && given->strings.n != n * n_cells)
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "'activations' must name %" PRIu32 " function%s", n * n_cells,
                           plural((uint64_t)n * n_cells));
    for (uint32_t k = 0; k < n * n_cells; k++) {
        const char *own = usual[kind][k % n];
        const onnx_bytes name =
            given ? ((const onnx_bytes *)given->strings.at)[k] : (onnx_bytes){own, strlen(own)};
        activation *a = &out[k];
        a->rule = rule_named(name);
        if (!a->rule)
            return onnx_refuse(c, DIAG_InvalidAttribute, "there is no activation '%.*s'",
                               ONNX_TEXT(name));
        a->alpha = a->rule->alpha;
        a->beta = a->rule->beta;
        if (a->rule->has_alpha)
            a->alpha = next_factor(c, "activation_alpha", &alphas, a->alpha);
        if (a->rule->has_beta)
            a->beta = next_factor(c, "activation_beta", &betas, a->beta);
    }
    return true;
}

tn_value onnx_activated(onnx_call *c, const activation *a, tn_value x)
{
    return a->rule->apply(c, x, a);
}
