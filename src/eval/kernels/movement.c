/* Movement: the same elements in other places. Type rules, and kernels that walk strided views. */
#include <inttypes.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/pieces.h"
#include "eval/parts/view.h"
#include "ops/rules/rules.h"

tn_status eval_copy(eval_call *call)
{
    size_t bytes;
    return type_bytes(call->out->type, &bytes)
               ? eval_copy_bytes(call, call->out->data, call->in[0].data, bytes)
               : TN_OK;
}

static tn_status read_all(const eval_call *call, const view *v)
{
    return view_read_all(call, v, call->out->type->count, call->out->data);
}

tn_status eval_transpose(eval_call *call)
{
    uint32_t n;
    const int64_t *perm = attr_ints(call->attrs, KEY_PERM, &n);
    const type *in = call->in[0].type, *out = call->out->type;
    int64_t own[TN_MAX_RANK], strides[TN_MAX_RANK];
    view v;
    type_strides(in, own);
    for (uint32_t i = 0; i < n; i++)
        strides[i] = own[perm[i]];
    view_init(&v, call->in[0].data, dtype_bytes(in->dtype), out->dims, strides, n);
    return read_all(call, &v);
}

tn_status eval_broadcast(eval_call *call)
{
    const type *in = call->in[0].type, *out = call->out->type;
    uint32_t map[TN_MAX_RANK];
    int64_t own[TN_MAX_RANK], strides[TN_MAX_RANK] = {0};
    shape s;
    view v;
    (void)resolve_broadcast(call->attrs, in, &s, map);
    type_strides(in, own);
    for (uint32_t i = 0; i < in->rank; i++)
        strides[map[i]] = in->dims[i] == 1 ? 0 : own[i];
    view_init(&v, call->in[0].data, dtype_bytes(in->dtype), out->dims, strides, out->rank);
    return read_all(call, &v);
}

/* The view of the slice of a tensor of type T and DATA. */
static void slice_view(view *v, const eval_call *call, const type *t, const void *data)
{
    slice_range ranges[TN_MAX_RANK];
    int64_t own[TN_MAX_RANK], strides[TN_MAX_RANK], offset = 0;
    shape s;
    (void)resolve_slices(call->attrs, t->dims, t->rank, ranges, &s);
    type_strides(t, own);
    bool empty = false;
    for (uint32_t i = 0; i < t->rank; i++)
        empty = empty || ranges[i].count == 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        /* The step of a single element may be any number, and then so may its product. */
        strides[i] = ranges[i].count > 1 && !empty ? own[i] * ranges[i].step : 0;
        offset += empty ? 0 : own[i] * ranges[i].start;
    }
    const size_t size = dtype_bytes(t->dtype);
    view_init(v, (const char *)data + offset * (int64_t)size, size, s.dims, strides, s.rank);
}

tn_status eval_slice(eval_call *call)
{
    view v;
    slice_view(&v, call, call->in[0].type, call->in[0].data);
    return read_all(call, &v);
}

tn_status eval_slice_grad(eval_call *call)
{
    const type *g = call->in[0].type, *out = call->out->type;
    size_t bytes;
    view v;
    if (type_bytes(out, &bytes))
        TN_TRY(eval_clear_bytes(call, call->out->data, bytes));
    slice_view(&v, call, out, call->out->data);
    return view_write_all(call, &v, g->count, call->in[0].data);
}
