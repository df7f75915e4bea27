/* Moving elements about: reverse, pad, concat, tile. */
#include <inttypes.h>
#include <string.h>

#include "ops/attr_rules.h"
#include "ops/cells.h"
#include "ops/fill.h"
#include "ops/pieces.h"
#include "ops/view.h"

/* Type rules. */

tn_status infer_reverse(infer_call *call)
{
    uint32_t n;
    const int64_t *axes = attr_ints(call->attrs, KEY_AXES, &n);
    axis_list list;
    const shape_fault f = resolve_axes(axes, n, call->in[0]->rank, &list);
    if (f.kind != SHAPE_OK)
        return rule_axis_fault(call, f, KEY_AXES, call->in[0]->rank);
    return infer_result(call, call->in[0]);
}

tn_status infer_pad(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t n;
    shape s = {.rank = x->rank};
    TN_TRY(rule_scalar(call, KEY_PAD_VALUE, x->dtype));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_sizes(call, KEY_LOW, x->rank, 0));
    TN_TRY(rule_sizes(call, KEY_HIGH, x->rank, 0));
    TN_TRY(rule_sizes(call, KEY_INTERIOR, x->rank, 0));
    const int64_t *low = attr_ints(call->attrs, KEY_LOW, &n);
    const int64_t *high = attr_ints(call->attrs, KEY_HIGH, &n);
    const int64_t *interior = attr_ints(call->attrs, KEY_INTERIOR, &n);
    for (uint32_t i = 0; i < x->rank; i++) {
        dim d = x->dims[i], between;
        if (d != 0 && interior[i] != 0) { /* a symbolic extent counts as 1 or more */
            TN_TRY(rule_extent(call, DIM_ADD, d, -1, &between));
            TN_TRY(rule_extent(call, DIM_MUL, between, interior[i], &between));
            TN_TRY(rule_extent(call, DIM_ADD, d, between, &d));
        }
        TN_TRY(rule_extent(call, DIM_ADD, d, low[i], &d));
        TN_TRY(rule_extent(call, DIM_ADD, d, high[i], &s.dims[i]));
    }
    return rule_result(call, x->dtype, &s);
}

tn_status infer_concat(infer_call *call)
{
    const type *first = call->in[0];
    uint32_t axis;
    shape s = {.rank = first->rank};
    for (uint32_t k = 0; k + 1 < call->n_in; k++)
        TN_TRY(rule_same_dtype(call, k));
    TN_TRY(rule_rank(call, 0, 1, TN_MAX_RANK));
    for (uint32_t k = 1; k < call->n_in; k++)
        TN_TRY(rule_rank(call, k, first->rank, first->rank));
    TN_TRY(rule_axis(call, KEY_AXIS, first->rank, &axis));

    memcpy(s.dims, first->dims, first->rank * sizeof *s.dims);
    for (uint32_t k = 1; k < call->n_in; k++) {
        const type *t = call->in[k];
        for (uint32_t i = 0; i < first->rank; i++) {
            if (i == axis) {
                TN_TRY(rule_extent(call, DIM_ADD, s.dims[i], t->dims[i], &s.dims[i]));
                continue;
            }
            if (!dims_may_equal(s.dims[i], t->dims[i]))
                return infer_reject(call, DIAG_DimensionMismatch,
                                    "operand %" PRIu32 " of '%s' along axis %" PRIu32
                                    " has shape %s, which differs from %s at axis %" PRIu32,
                                    k, rule_op(call), axis, rule_shape_text(call, k),
                                    rule_shape_text(call, 0), i);
            s.dims[i] = dims_join(s.dims[i], t->dims[i]);
        }
    }
    return rule_result(call, first->dtype, &s);
}

tn_status infer_tile(infer_call *call)
{
    const type *x = call->in[0];
    uint32_t n;
    shape s = {.rank = x->rank};
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_sizes(call, KEY_REPEATS, x->rank, 0));
    const int64_t *repeats = attr_ints(call->attrs, KEY_REPEATS, &n);
    for (uint32_t i = 0; i < x->rank; i++)
        TN_TRY(rule_extent(call, DIM_MUL, x->dims[i], repeats[i], &s.dims[i]));
    return rule_result(call, x->dtype, &s);
}

/* Kernels. */

tn_status eval_reverse(eval_call *call)
{
    const type *t = call->in->type;
    const size_t size = dtype_bytes(t->dtype);
    int64_t strides[TN_MAX_RANK], first = 0;
    uint32_t n;
    axis_list list;
    view v;
    const int64_t *axes = attr_ints(call->attrs, KEY_AXES, &n);
    if (t->count == 0 || resolve_axes(axes, n, t->rank, &list).kind != SHAPE_OK)
        return TN_OK;
    type_strides(t, strides);
    for (uint32_t i = 0; i < list.n; i++) {
        const uint32_t axis = list.at[i];
        first += (t->dims[axis] - 1) * strides[axis];
        strides[axis] = -strides[axis];
    }
    view_init(&v, (const char *)call->in->data + (size_t)first * size, size, t->dims, strides,
              t->rank);
    return view_read_all(call, &v, t->count, call->out->data);
}

tn_status eval_pad(eval_call *call)
{
    const type *in = call->in->type, *t = call->out->type;
    const size_t size = dtype_bytes(t->dtype);
    char *out = call->out->data, element[16];
    int64_t strides[TN_MAX_RANK], first = 0;
    uint32_t n;
    view v;
    const int64_t *low = attr_ints(call->attrs, KEY_LOW, &n);
    const int64_t *interior = attr_ints(call->attrs, KEY_INTERIOR, &n);

    (void)scalar_store(*attr_find(call->attrs, KEY_PAD_VALUE)->v.scalar, t->dtype, element);
    for (size_t at = 0, end; at < (size_t)t->count; at = end) {
        TN_TRY(eval_piece(call, at, (size_t)t->count, &end));
        fill_elements(out + at * size, element, size, end - at);
    }
    if (in->count == 0)
        return TN_OK;
    type_strides(t, strides);
    for (uint32_t i = 0; i < t->rank; i++) {
        first += low[i] * strides[i];
        if (in->dims[i] > 1) /* so the distance is smaller than the result */
            strides[i] *= interior[i] + 1;
    }
    view_init(&v, out + (size_t)first * size, size, in->dims, strides, in->rank);
    return view_write_all(call, &v, in->count, call->in->data);
}

tn_status eval_concat(eval_call *call)
{
    const type *t = call->out->type;
    const uint32_t axis = resolve_axis(call->attrs, KEY_AXIS, t->rank);
    char *out = call->out->data;
    if (t->count == 0)
        return TN_OK;
    size_t row = dtype_bytes(t->dtype), outer = 1, done = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i < axis)
            outer *= (size_t)t->dims[i];
        else if (i > axis)
            row *= (size_t)t->dims[i];
    }
    const size_t step = row * (size_t)t->dims[axis];
    for (uint32_t k = 0; k < call->n_in; k++) {
        const char *in = call->in[k].data;
        const size_t piece = row * (size_t)call->in[k].type->dims[axis];
        for (size_t o = 0; piece > 0 && o < outer; o++)
            TN_TRY(eval_copy_bytes(call, out + o * step + done, in + o * piece, piece));
        done += piece;
    }
    return TN_OK;
}

tn_status eval_tile(eval_call *call)
{
    const type *in = call->in->type, *t = call->out->type;
    const size_t size = dtype_bytes(t->dtype);
    const char *data = call->in->data;
    char *out = call->out->data;
    int64_t at[TN_MAX_RANK] = {0};
    if (t->count == 0)
        return TN_OK;

    /* Rows along the last axis; the others are walked by coordinates of the result. */
    const uint32_t last = t->rank ? t->rank - 1 : 0;
    const size_t row_in = size * (size_t)(t->rank ? in->dims[last] : 1);
    const size_t row_out = size * (size_t)(t->rank ? t->dims[last] : 1);
    for (size_t done = 0, all = (size_t)t->count * size; done < all; done += row_out) {
        int64_t from = 0;
        for (uint32_t i = 0; i < last; i++)
            from = from * in->dims[i] + at[i] % in->dims[i];
        for (size_t k = 0; k < row_out; k += row_in) {
            TN_TRY(eval_tick(call, 1));
            TN_TRY(eval_copy_bytes(call, out + done + k, data + (size_t)from * row_in, row_in));
        }
        for (uint32_t i = last; i-- > 0;) {
            if (++at[i] < t->dims[i])
                break;
            at[i] = 0;
        }
    }
    return TN_OK;
}
