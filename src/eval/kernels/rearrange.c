/* Moving elements about: reverse, pad, concat, tile. */
#include <inttypes.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/fill.h"
#include "eval/parts/pieces.h"
#include "eval/parts/view.h"
#include "ops/attr_rules.h"

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
