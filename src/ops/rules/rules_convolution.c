/* Type rule of convolution. */
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "ops/attr_rules.h"
#include "ops/convolution.h"
#include "ops/rules/rules.h"

/* Ranks and lists; [convolution/C1]. */
static tn_status read_attributes(const infer_call *call, convolution *c)
{
    const uint32_t rank = call->in[0]->rank;
    attr_key fault;
    TN_TRY(rule_rank(call, 0, 3, 2 + CONVOLUTION_SPATIAL));
    TN_TRY(rule_rank(call, 1, rank, rank));
    TN_TRY(rule_sizes(call, KEY_STRIDES, rank - 2, 1));
    TN_TRY(rule_sizes(call, KEY_PADS, 2 * (rank - 2), 0));
    TN_TRY(rule_sizes(call, KEY_BASE_DILATION, rank - 2, 1));
    TN_TRY(rule_sizes(call, KEY_DILATION, rank - 2, 1));
    if (!convolution_resolve(call->attrs, rank, c, &fault))
        return infer_reject(call, DIAG_InvalidPermutation,
                            "'%s' %s of '%s' is no order of %" PRIu32 " ax%s",
                            attr_keys[fault].name, rule_ints_text(call, fault), rule_op(call), rank,
                            plural_as(rank, "is", "es"));
    if (c->groups < 1 || c->batch_groups < 1 || (c->groups > 1 && c->batch_groups > 1))
        return infer_reject(call, DIAG_InvalidAttribute,
                            "%" PRId64 " group%s of channels and %" PRId64
                            " of images: each must be 1 or more, and one of them 1",
                            c->groups, plural((uint64_t)c->groups), c->batch_groups);
    return TN_OK;
}

/* EXTENT as equal groups: [convolution/C2]. */
static tn_status split(const infer_call *call, const char *what, dim extent, int64_t groups,
                       dim *each)
{
    if (groups == 1) {
        *each = extent;
        return TN_OK;
    }
    if (!dim_is_symbolic(extent) && extent % groups != 0)
        return infer_reject(call, DIAG_ChannelMismatch,
                            "'%s' of %s and %s: %" PRId64 " %s in %" PRId64 " equal group%s",
                            rule_op(call), rule_shape_text(call, 0), rule_shape_text(call, 1),
                            extent, what, groups, plural((uint64_t)groups));
    return rule_extent(call, DIM_FLOORDIV, extent, groups, each);
}

static tn_status check_channels(const infer_call *call, const convolution *c)
{
    const dim from = call->in[1]->dims[c->rhs[CONVOLUTION_FROM]];
    dim channels, unused;
    TN_TRY(split(call, "input channels", call->in[0]->dims[c->lhs[CONVOLUTION_CHANNEL]], c->groups,
                 &channels));
    TN_TRY(split(call, "output channels", call->in[1]->dims[c->rhs[CONVOLUTION_TO]],
                 c->groups * c->batch_groups, &unused)); /* one of them is 1 */
    if (dims_may_equal(channels, from))
        return TN_OK;
    tn_status s =
        infer_reject(call, DIAG_ChannelMismatch,
                     "'%s' of %s and %s in %" PRId64 " group%s: each has %" PRId64
                     " input channel%s, the filter takes %" PRId64,
                     rule_op(call), rule_shape_text(call, 0), rule_shape_text(call, 1), c->groups,
                     plural((uint64_t)c->groups), channels, plural((uint64_t)channels), from);
    rule_hint(call, "the input channels of the filter are those of one group");
    return s;
}

tn_status infer_convolution(infer_call *call)
{
    const type *x = call->in[0], *w = call->in[1];
    tn_dtype sum, out;
    convolution c;
    shape s = {.rank = x->rank};
    TN_TRY(rule_same_dtype(call, 0));
    TN_TRY(rule_dtype(call, 0, ALLOW_NUMBER));
    TN_TRY(rule_accumulator(call, x->dtype, &sum));
    TN_TRY(rule_attr_dtype(call, KEY_OUT_DTYPE, x->dtype, &out));
    if (!dtype_can_cast(sum, out))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot give %s from %s",
                            rule_op(call), dtype_name(out), dtype_name(sum));
    TN_TRY(read_attributes(call, &c));
    TN_TRY(check_channels(call, &c));
    TN_TRY(split(call, "images", x->dims[c.lhs[CONVOLUTION_BATCH]], c.batch_groups,
                 &s.dims[c.out[CONVOLUTION_BATCH]]));
    s.dims[c.out[CONVOLUTION_CHANNEL]] = w->dims[c.rhs[CONVOLUTION_TO]];
    for (uint32_t i = 0; i < c.spatial; i++) {
        const uint32_t own = CONVOLUTION_FIRST + i, axis = c.lhs[own];
        const convolution_axis *a = &c.at[i];
        const dim window = w->dims[c.rhs[own]];
        const window_axis moves = {window, a->stride, a->dilation, a->low, a->high, a->base};
        if (window == 0 || x->dims[axis] == 0) /* [convolution/C3] */
            return infer_reject(call, DIAG_InvalidDimension,
                                "'%s' of %s and %s: a spatial axis without elements", rule_op(call),
                                rule_shape_text(call, 0), rule_shape_text(call, 1));
        TN_TRY(rule_window(call, &moves, x->dims[axis], axis, &s.dims[c.out[own]]));
    }
    return rule_result(call, out, &s);
}
