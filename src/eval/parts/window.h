/* The geometry of sliding windows, as kernels need it. */
#ifndef EVAL_PARTS_WINDOW_H
#define EVAL_PARTS_WINDOW_H

#include "graph/attr.h"

/* One axis: place o and window position w read element (o * stride + w * dilation - low) / base
 * where that is a whole number inside [0, extent), and padding or a hole elsewhere. */
typedef struct window_walk {
    int64_t extent, places, window;
    int64_t stride, dilation, low, base;
} window_walk;

static inline int64_t window_element(const window_walk *w, int64_t place, int64_t position)
{
    const int64_t at = place * w->stride + position * w->dilation - w->low;
    if (at < 0 || at % w->base != 0 || at / w->base >= w->extent)
        return -1;
    return at / w->base;
}

#endif
