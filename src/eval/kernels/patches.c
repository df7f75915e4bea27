/* Sliding windows as new elements: pool, extract_patches. */
#include <inttypes.h>
#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/fill.h"
#include "eval/parts/scratch.h"
#include "eval/parts/view.h"
#include "eval/parts/window.h"

tn_status eval_pool(eval_call *call)
{
    const type *in = call->in->type, *t = call->out->type;
    int64_t own[TN_MAX_RANK], strides[TN_MAX_RANK];
    uint32_t n;
    view v;
    const int64_t *step = attr_ints(call->attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(call->attrs, KEY_DILATION, &n);
    if (t->count == 0)
        return TN_OK;
    type_strides(in, own);
    for (uint32_t i = 0; i < in->rank; i++) {
        const bool slides = i + n >= in->rank;
        const uint32_t k = slides ? i + n - in->rank : 0;
        /* A stride matters only where there is more than one position; then it is in range. */
        strides[i] = slides && t->dims[i] > 1 ? own[i] * step[k] : own[i];
        if (slides)
            strides[in->rank + k] = t->dims[in->rank + k] > 1 ? own[i] * dilation[k] : 0;
    }
    view_init(&v, call->in->data, dtype_bytes(t->dtype), t->dims, strides, t->rank);
    return view_read_all(call, &v, t->count, call->out->data);
}

typedef struct patches {
    window_walk axes[TN_MAX_RANK];
    uint32_t n;
    size_t row; /* bytes of the channels of one position */
    const char *padding;
    char *out;
} patches;

/* Append the window at PLACE, from window axis AXIS on; FROM is the position in the image so far,
 * or NULL when it is on padding. */
static void append_window(patches *p, const char *from, const int64_t *place, uint32_t axis)
{
    if (axis == p->n) {
        memcpy(p->out, from ? from : p->padding, p->row);
        p->out += p->row;
        return;
    }
    const window_walk *w = &p->axes[axis];
    size_t stride = p->row;
    for (uint32_t i = axis + 1; i < p->n; i++)
        stride *= (size_t)p->axes[i].extent;
    for (int64_t k = 0; k < w->window; k++) {
        const int64_t at = window_element(w, place[axis], k);
        append_window(p, from && at >= 0 ? from + (size_t)at * stride : NULL, place, axis + 1);
    }
}

tn_status eval_extract_patches(eval_call *call)
{
    const type *in = call->in->type, *t = call->out->type;
    uint32_t n;
    const int64_t *window = attr_ints(call->attrs, KEY_WINDOW, &n);
    const int64_t *strides = attr_ints(call->attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(call->attrs, KEY_DILATION, &n);
    const int64_t *pads = attr_ints(call->attrs, KEY_PADS, &n);
    const uint32_t spatial = in->rank - 2;
    const size_t size = dtype_bytes(t->dtype), channels = (size_t)in->dims[in->rank - 1];
    int64_t place[TN_MAX_RANK] = {0};
    char element[16];
    patches p = {.n = spatial, .row = size * channels, .out = call->out->data};
    size_t image = p.row;

    if (t->count == 0)
        return TN_OK;
    char *padding = scratch_array(call, channels, size);
    if (!padding)
        return eval_no_memory(call);
    (void)scalar_store(*attr_find(call->attrs, KEY_PAD_VALUE)->v.scalar, t->dtype, element);
    fill_elements(padding, element, size, channels);
    p.padding = padding;
    int64_t places = 1;
    for (uint32_t i = 0; i < spatial; i++) {
        p.axes[i] = (window_walk){in->dims[i + 1], t->dims[i + 1], window[i], strides[i],
                                  dilation[i],     pads[2 * i],    1};
        image *= (size_t)in->dims[i + 1];
        places *= t->dims[i + 1];
    }
    for (int64_t b = 0; b < t->dims[0]; b++)
        for (int64_t k = 0; k < places; k++) {
            TN_TRY(eval_tick(call, (uint64_t)(t->count / t->dims[0] / places)));
            append_window(&p, (const char *)call->in->data + (size_t)b * image, place, 0);
            for (uint32_t i = spatial; i-- > 0;) {
                if (++place[i] < t->dims[i + 1])
                    break;
                place[i] = 0;
            }
        }
    return TN_OK;
}
