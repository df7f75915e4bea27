/* The lines along one axis of a tensor: for each pair of outer and inner position, `n` elements. */
#ifndef EVAL_PARTS_LINES_H
#define EVAL_PARTS_LINES_H

#include "graph/type.h"

typedef struct lines {
    int64_t outer, n, inner;
} lines;

static inline lines lines_of(const type *t, uint32_t axis)
{
    lines l = {1, t->dims[axis], 1};
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i < axis)
            l.outer *= t->dims[i];
        else if (i > axis)
            l.inner *= t->dims[i];
    }
    return l;
}

#endif
