/* reduce_window: a reduction over the elements that a sliding window covers, in row-major order of
 * the window. Positions on padding and in holes take part with the value that an empty reduction
 * has. */
#include <inttypes.h>
#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/fold_line.h"
#include "eval/parts/scratch.h"
#include "eval/parts/window.h"

typedef struct windows {
    const eval_call *call;
    fold_kind kind;
    tn_dtype in, sum;
    uint32_t rank;
    window_walk axes[TN_MAX_RANK];
    int64_t strides[TN_MAX_RANK];
    const char *data;
    size_t stored, size; /* bytes of an element of `in`, of `sum` */
    _Alignas(16) char empty[16];
    char *line, *to; /* elements of one window as `sum`, and where the next goes */
} windows;

/* Append the elements of the window at PLACE, from axis AXIS on; OFFSET is negative on padding. */
static tn_status append_window(windows *w, const int64_t *place, uint32_t axis, int64_t offset)
{
    if (axis == w->rank) {
        if (offset < 0)
            memcpy(w->to, w->empty, w->size);
        else
            (void)dtype_cast(w->in, w->data + (size_t)offset * w->stored, w->sum, w->to, 1);
        w->to += w->size;
        return eval_tick(w->call, 1);
    }
    for (int64_t k = 0; k < w->axes[axis].window; k++) {
        const int64_t at = window_element(&w->axes[axis], place[axis], k);
        TN_TRY(append_window(w, place, axis + 1,
                             offset < 0 || at < 0 ? -1 : offset + at * w->strides[axis]));
    }
    return TN_OK;
}

/* [reduce_window/C1] */
tn_status eval_reduce_window(eval_call *call)
{
    const type *x = call->in[0].type, *t = call->out->type;
    int64_t place[TN_MAX_RANK] = {0}, covered = 1;
    _Alignas(16) char total[16];
    uint32_t n;
    windows w = {.call = call,
                 .kind = fold_kind_of(attr_int(call->attrs, KEY_COMBINE, COMBINE_ADD)),
                 .in = x->dtype,
                 .sum = (tn_dtype)attr_int(call->attrs, KEY_ACCUM_DTYPE, accumulator_of(x->dtype)),
                 .rank = x->rank,
                 .data = call->in[0].data,
                 .stored = dtype_bytes(x->dtype)};
    const int64_t *window = attr_ints(call->attrs, KEY_WINDOW, &n);
    const int64_t *strides = attr_ints(call->attrs, KEY_STRIDES, &n);
    const int64_t *pads = attr_ints(call->attrs, KEY_PADS, &n);
    const int64_t *base = attr_ints(call->attrs, KEY_BASE_DILATION, &n);
    const int64_t *dilation = attr_ints(call->attrs, KEY_DILATION, &n);

    w.size = dtype_bytes(w.sum);
    fold_empty(w.kind, w.sum, t->dtype, w.empty);
    type_strides(x, w.strides);
    for (uint32_t i = 0; i < x->rank; i++) {
        w.axes[i] = (window_walk){x->dims[i],  t->dims[i],  window[i], strides[i],
                                  dilation[i], pads[2 * i], base[i]};
        covered *= window[i];
    }
    w.line = scratch_array(call, (size_t)covered, w.size);
    if (!w.line)
        return eval_no_memory(call);
    char *out = call->out->data;
    for (int64_t k = 0; k < t->count; k++, out += dtype_bytes(t->dtype)) {
        w.to = w.line;
        TN_TRY(append_window(&w, place, 0, 0));
        TN_TRY(fold_line(call, w.kind, w.sum, t->dtype, w.line, covered, total));
        if (dtype_table[w.sum].bits < 8)
            dtype_narrow(w.sum, total, total, 1); /* 4-bit integers wrap */
        (void)dtype_cast(w.sum, total, t->dtype, out, 1);
        for (uint32_t i = t->rank; i-- > 0;) {
            if (++place[i] < t->dims[i])
                break;
            place[i] = 0;
        }
    }
    return TN_OK;
}
