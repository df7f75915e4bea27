/* A strided view: the elements of a tensor read in the order of another shape. Broadcasting,
 * transposes, slices and the operands of reductions are all views. */
#ifndef EVAL_PARTS_VIEW_H
#define EVAL_PARTS_VIEW_H

#include "eval/parts/eval_call.h"

typedef struct view {
    const char *data; /* element of position 0 */
    size_t size;      /* bytes of an element */
    uint32_t rank;
    int64_t dims[TN_MAX_RANK];
    int64_t strides[TN_MAX_RANK]; /* in elements; 0 repeats */
} view;

/* The view of RANK axes over DATA. Axes of extent 1 are dropped, and adjacent axes with compatible
 * strides are merged; positions keep their row-major number. A view without elements has rank 0 and
 * is not read. */
void view_init(view *v, const void *data, size_t size, const int64_t *dims, const int64_t *strides,
               uint32_t rank);
/* The tensor of type T and DATA, broadcast to DIMS. Static shapes only. */
void view_broadcast(view *v, const type *t, const void *data, const int64_t *dims, uint32_t rank);

/* Are the elements in memory as the view orders them? */
static inline bool view_is_dense(const view *v)
{
    return v->rank == 0 || (v->rank == 1 && v->strides[0] == 1);
}

/* Elements at positions START .. START + n - 1, in row-major order, to DST. */
void view_read(const view *v, int64_t start, size_t n, void *dst);
/* All COUNT elements to DST. Fails only with Timeout, as what follows. */
tn_status view_read_all(const eval_call *call, const view *v, int64_t count, void *dst);
/* Elements of SRC, in order, to the places of positions 0 .. of a view over writable memory. */
tn_status view_write_all(const eval_call *call, const view *v, int64_t count, const void *src);

/* Where an element lies, as an offset from data in elements: at one position, at N of them. */
int64_t view_offset(const view *v, int64_t start);
void view_offsets(const view *v, int64_t start, size_t n, int64_t *offsets);

#endif
