/* Type rules of conv2d and of its two derivatives. */
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "ops/rules/rules.h"

static tn_status conv_fault(const infer_call *call, shape_fault f, const dim *input,
                            const dim *filter)
{
    const char *x = infer_dims_text(call, input, 4), *w = infer_dims_text(call, filter, 4);
    tn_status s;
    switch ((int)f.kind) {
    case SHAPE_CHANNELS:
        s = infer_reject(call, DIAG_ChannelMismatch,
                         "'%s': the input %s has %" PRId64
                         " channel%s, the filter %s takes %" PRId64,
                         rule_op(call), x, input[3], plural((uint64_t)input[3]), w, filter[2]);
        rule_hint(call, "the last extent of the input and the third of the filter must be equal");
        return s;
    case SHAPE_STRIDES:
        return infer_reject(call, DIAG_InvalidStrides,
                            "the strides %s of '%s' are not two positive numbers",
                            rule_ints_text(call, KEY_STRIDES), rule_op(call));
    case SHAPE_PADDING:
        return infer_reject(call, DIAG_InvalidPadding,
                            "the padding %s of '%s' does not suit: custom padding takes "
                            "[top, bottom, left, right], none negative or huge, and valid and same "
                            "take no amounts",
                            rule_ints_text(call, KEY_PADS), rule_op(call));
    case SHAPE_EXTENT:
        return infer_reject(call, DIAG_InvalidDimension,
                            "'%s' of input %s with filter %s gives extent %" PRId64
                            " in dimension %" PRIu32,
                            rule_op(call), x, w, f.value, f.at);
    default:
        return infer_reject(call, DIAG_CannotInfer,
                            "'%s' needs known rows and columns, not input %s and filter %s",
                            rule_op(call), x, w);
    }
}

static tn_status check_operands(const infer_call *call)
{
    TN_TRY(rule_same_dtype(call, 0));
    TN_TRY(rule_dtype(call, 0, ALLOW_NUMBER));
    TN_TRY(rule_rank(call, 0, 4, 4));
    return rule_rank(call, 1, 4, 4);
}

tn_status infer_conv2d(infer_call *call)
{
    const type *x = call->in[0], *w = call->in[1];
    conv_geometry g;
    TN_TRY(check_operands(call));
    const shape_fault f = resolve_conv(call->attrs, x->dims, w->dims, &g);
    if (f.kind != SHAPE_OK)
        return conv_fault(call, f, x->dims, w->dims);
    return rule_result(call, x->dtype, &(shape){4, {g.n, g.ho, g.wo, g.co}});
}

/* A derivative: one shape is an attribute, and the operand DY must have the convolution's shape. */
static tn_status conv_grad(infer_call *call, attr_key key, const dim *input, const dim *filter,
                           const type *dy)
{
    static const char *const axes[] = {"batch", "rows", "columns", "channels"};
    conv_geometry g;
    const shape_fault f = resolve_conv(call->attrs, input, filter, &g);
    if (f.kind != SHAPE_OK)
        return conv_fault(call, f, input, filter);
    const dim y[] = {g.n, g.ho, g.wo, g.co};
    for (uint32_t i = 0; i < 4; i++)
        if (!dims_may_equal(y[i], dy->dims[i]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "'%s': dimension %" PRIu32 " (%s) of the gradient is %" PRId64
                                ", the convolution has %" PRId64,
                                rule_op(call), i, axes[i], dy->dims[i], y[i]);
    uint32_t n;
    const int64_t *dims = attr_ints(call->attrs, key, &n);
    shape s = {.rank = 4};
    memcpy(s.dims, dims, 4 * sizeof *dims);
    return rule_result(call, dy->dtype, &s);
}

static tn_status check_shape(const infer_call *call, attr_key key, const int64_t **dims)
{
    uint32_t n;
    *dims = attr_ints(call->attrs, key, &n);
    TN_TRY(rule_extents(call, key));
    if (n != 4)
        return infer_reject(call, DIAG_RankMismatch, "'%s' %s of '%s' must have rank 4",
                            attr_keys[key].name, rule_ints_text(call, key), rule_op(call));
    return TN_OK;
}

tn_status infer_conv2d_grad_input(infer_call *call)
{
    const int64_t *input;
    TN_TRY(check_shape(call, KEY_INPUT_SHAPE, &input));
    TN_TRY(check_operands(call));
    return conv_grad(call, KEY_INPUT_SHAPE, input, call->in[1]->dims, call->in[0]);
}

tn_status infer_conv2d_grad_filter(infer_call *call)
{
    const int64_t *filter;
    TN_TRY(check_shape(call, KEY_FILTER_SHAPE, &filter));
    TN_TRY(check_operands(call));
    return conv_grad(call, KEY_FILTER_SHAPE, call->in[0]->dims, filter, call->in[1]);
}
