/* Type rules of sliding windows: pool, extract_patches, reduce_window. */
#include <inttypes.h>
#include <string.h>

#include "ops/attr_rules.h"
#include "ops/rules/rules.h"

tn_status infer_pool(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t n;
    shape s;
    const int64_t *window = attr_ints(call->attrs, KEY_WINDOW, &n);
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    if (n > x->rank)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "a window of %" PRIu32 " axes is too many for shape %s", n,
                            rule_shape_text(call, 0));
    TN_TRY(rule_sizes(call, KEY_WINDOW, n, 1));
    TN_TRY(rule_sizes(call, KEY_STRIDES, n, 1));
    TN_TRY(rule_sizes(call, KEY_DILATION, n, 1));
    if (x->rank + n > TN_MAX_RANK)
        return infer_reject(call, DIAG_LimitExceeded, "rank %" PRIu32 " is above the limit of %d",
                            x->rank + n, TN_MAX_RANK);
    const int64_t *strides = attr_ints(call->attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(call->attrs, KEY_DILATION, &n);
    const uint32_t lead = x->rank - n;
    s.rank = x->rank + n;
    memcpy(s.dims, x->dims, lead * sizeof *s.dims);
    for (uint32_t i = 0; i < n; i++) {
        const window_axis w = {
            .window = window[i], .stride = strides[i], .dilation = dilation[i], .base_dilation = 1};
        TN_TRY(rule_window(call, &w, x->dims[lead + i], lead + i, &s.dims[lead + i]));
        s.dims[x->rank + i] = window[i];
    }
    return rule_result(call, x->dtype, &s);
}

tn_status infer_extract_patches(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t n;
    shape s = {.rank = x->rank};
    TN_TRY(rule_scalar(call, KEY_PAD_VALUE, x->dtype));
    TN_TRY(rule_rank(call, 0, 3, TN_MAX_RANK));
    const uint32_t spatial = x->rank - 2;
    TN_TRY(rule_sizes(call, KEY_WINDOW, spatial, 1));
    TN_TRY(rule_sizes(call, KEY_STRIDES, spatial, 1));
    TN_TRY(rule_sizes(call, KEY_DILATION, spatial, 1));
    TN_TRY(rule_sizes(call, KEY_PADS, 2 * spatial, 0));
    const int64_t *window = attr_ints(call->attrs, KEY_WINDOW, &n);
    const int64_t *strides = attr_ints(call->attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(call->attrs, KEY_DILATION, &n);
    const int64_t *pads = attr_ints(call->attrs, KEY_PADS, &n);
    dim depth = x->dims[x->rank - 1];
    s.dims[0] = x->dims[0];
    for (uint32_t i = 0; i < spatial; i++) {
        const window_axis w = {window[i], strides[i], dilation[i], pads[2 * i], pads[2 * i + 1], 1};
        TN_TRY(rule_window(call, &w, x->dims[i + 1], i + 1, &s.dims[i + 1]));
        TN_TRY(rule_extent(call, DIM_MUL, depth, window[i], &depth));
    }
    s.dims[x->rank - 1] = depth;
    return rule_result(call, x->dtype, &s);
}

tn_status infer_reduce_window(infer_call *call)
{
    const type *x = call->in[0];
    const int64_t combine = attr_int(call->attrs, KEY_COMBINE, -1);
    tn_dtype sum;
    uint32_t n;
    shape s = {.rank = x->rank};
    const bool nan_wins = combine == COMBINE_MAX_NAN || combine == COMBINE_MIN_NAN;
    if (!nan_wins && (combine < COMBINE_ADD || combine > COMBINE_MIN))
        return infer_reject(call, DIAG_InvalidAttribute,
                            "'%s' combines by add, max, min, max_nan or min_nan only",
                            rule_op(call));
    TN_TRY(rule_dtype(call, 0,
                      nan_wins                 ? ALLOW_FLOAT
                      : combine == COMBINE_ADD ? ALLOW_NUMBER
                                               : ALLOW_REAL | ALLOW_BOOL));
    TN_TRY(rule_accumulator(call, x->dtype, &sum));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_sizes(call, KEY_WINDOW, x->rank, 1));
    TN_TRY(rule_sizes(call, KEY_STRIDES, x->rank, 1));
    TN_TRY(rule_sizes(call, KEY_PADS, 2 * x->rank, 0));
    TN_TRY(rule_sizes(call, KEY_BASE_DILATION, x->rank, 1));
    TN_TRY(rule_sizes(call, KEY_DILATION, x->rank, 1));
    const int64_t *window = attr_ints(call->attrs, KEY_WINDOW, &n);
    const int64_t *strides = attr_ints(call->attrs, KEY_STRIDES, &n);
    const int64_t *pads = attr_ints(call->attrs, KEY_PADS, &n);
    const int64_t *base = attr_ints(call->attrs, KEY_BASE_DILATION, &n);
    const int64_t *dilation = attr_ints(call->attrs, KEY_DILATION, &n);
    dim covered = 1;
    for (uint32_t i = 0; i < x->rank; i++) {
        const window_axis w = {window[i],   strides[i],      dilation[i],
                               pads[2 * i], pads[2 * i + 1], base[i]};
        TN_TRY(rule_window(call, &w, x->dims[i], i, &s.dims[i]));
        TN_TRY(rule_extent(call, DIM_MUL, covered, window[i], &covered));
    }
    return rule_result(call, x->dtype, &s);
}
