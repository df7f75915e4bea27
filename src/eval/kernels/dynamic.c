/* Windows whose start is data: dynamic_slice, dynamic_update_slice. A start is clamped so that the
 * window lies inside. */
#include <inttypes.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/pieces.h"
#include "eval/parts/positions.h"
#include "eval/parts/view.h"

/* The window of type WINDOW in DATA, a tensor of type T, at START. */
static void window_view(view *v, const type *t, const void *data, const type *window,
                        const tensor *start)
{
    const size_t size = dtype_bytes(t->dtype);
    int64_t strides[TN_MAX_RANK], first = 0;
    type_strides(t, strides);
    for (uint32_t i = 0; i < t->rank; i++) {
        const int64_t wanted = position_at(start, i), last = t->dims[i] - window->dims[i];
        first += (wanted < 0 ? 0 : wanted > last ? last : wanted) * strides[i];
    }
    view_init(v, (const char *)data + (size_t)first * size, size, window->dims, strides, t->rank);
}

tn_status eval_dynamic_slice(eval_call *call)
{
    const type *t = call->out->type;
    view v;
    if (t->count == 0)
        return TN_OK;
    window_view(&v, call->in[0].type, call->in[0].data, t, &call->in[1]);
    return view_read_all(call, &v, t->count, call->out->data);
}

tn_status eval_dynamic_update_slice(eval_call *call)
{
    const type *t = call->out->type, *update = call->in[1].type;
    view v;
    if (t->count == 0)
        return TN_OK;
    if (call->out->data != call->in[0].data) /* it may be made in place */
        TN_TRY(eval_copy_bytes(call, call->out->data, call->in[0].data,
                               (size_t)t->count * dtype_bytes(t->dtype)));
    if (update->count == 0)
        return TN_OK;
    window_view(&v, t, call->out->data, update, &call->in[2]);
    return view_write_all(call, &v, update->count, call->in[1].data);
}
