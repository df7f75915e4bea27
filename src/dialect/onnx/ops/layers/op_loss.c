/* Losses: log probabilities of classes against the right ones. */
#include "dialect/onnx/ops/op.h"

typedef enum loss_reduction { LOSS_NONE, LOSS_SUM, LOSS_MEAN } loss_reduction;

static bool reduction_of(onnx_call *c, loss_reduction *out)
{
    static const char *const names[] = {"none", "sum", "mean"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (onnx_attr_is(c, "reduction", names[i], i == LOSS_MEAN)) {
            *out = (loss_reduction)i;
            return true;
        }
    return onnx_refuse(c, DIAG_InvalidAttribute, "'reduction' is none, sum or mean");
}

/* The loss for log probabilities LOGP[n, classes, ...], targets in input 1, weights of classes in
 * input 2. */
static bool give_loss(onnx_call *c, tn_value logp)
{
    tn_builder *b = c->b;
    const onnx_attribute *ignored = onnx_attr_of(c, "ignore_index", ONNX_INT);
    const type *t = onnx_type_of(c, logp);
    tn_value target = onnx_in(c, 1), counts = tn_no_value(), weight = tn_no_value();
    const type *u = onnx_type_of(c, target);
    loss_reduction how = LOSS_MEAN;
    if (!t || !u || !reduction_of(c, &how))
        return false;
    if (t->rank < 2 || u->rank + 1 != t->rank)
        return onnx_refuse(c, DIAG_RankMismatch, "targets must lack the axis of classes");
    dim places[TN_MAX_RANK];
    for (uint32_t i = 0; i < u->rank; i++)
        places[i] = t->dims[i ? i + 1 : 0];
    if (!onnx_in_fits(c, 1, (tn_ints){places, u->rank}) || !onnx_in_fits(c, 2, TN_INTS(t->dims[1])))
        return false;
    if (ignored) {
        const tn_value other = tn_scalar_int(b, u->dtype, ignored->i);
        counts = tn_compare(b, TN_NE, target, other);
        target = tn_select(b, counts, target, tn_scalar_int(b, u->dtype, 0));
    }
    const tn_value at = tn_expand_dims(b, target, TN_INTS(1));
    tn_value loss = tn_neg(b, tn_squeeze(b, tn_gather(b, logp, at, 1), TN_INTS(1)));
    if (onnx_has_in(c, 2))
        weight = tn_take(b, onnx_in(c, 2), target);
    else if (ignored)
        weight = tn_splat(b, t->dtype, onnx_dims(u), 1);
    if (ignored)
        weight = tn_select(b, counts, weight, tn_scalar_like(b, weight, 0));
    if (tn_is_value(weight))
        loss = tn_mul(b, loss, weight);
    if (how == LOSS_NONE)
        return onnx_give(c, 0, loss);
    if (how == LOSS_MEAN && !tn_is_value(weight))
        return onnx_give(c, 0, tn_mean(b, loss, tn_all_axes(), false));
    if (how == LOSS_SUM)
        return onnx_give(c, 0, tn_sum(b, loss, tn_all_axes(), false));
    const tn_value sum = tn_sum(b, onnx_widened(c, loss), tn_all_axes(), false);
    const tn_value all = tn_sum(b, onnx_widened(c, weight), tn_all_axes(), false);
    return onnx_give(c, 0, onnx_as_like(c, tn_div(b, sum, all), loss));
}

bool onnx_op_negative_log_likelihood(onnx_call *c)
{
    return give_loss(c, onnx_in(c, 0));
}

bool onnx_op_softmax_cross_entropy(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    if (!t)
        return false;
    if (t->rank < 2)
        return onnx_refuse(c, DIAG_RankMismatch, "scores need an axis of classes");
    const tn_value logp = tn_nn_log_softmax(c->b, onnx_in(c, 0), 1);
    return give_loss(c, logp) && (!onnx_wants_out(c, 1) || onnx_give(c, 1, logp));
}
