/* The dimension numbers of gather and scatter. */
#ifndef DIALECT_MLIR_HLO_LOWER_INDEX_AXES_H
#define DIALECT_MLIR_HLO_LOWER_INDEX_AXES_H

#include "dialect/mlir/hlo/shlo.h"

/* What the dimension numbers of both say. B stands for the shape of the indices without the axis of
 * their components; its axes are those of the result, or of the updates, that are no window axes.
 */
typedef struct index_axes {
    int64_t window[TN_MAX_RANK]; /* of the result or the updates: the axes that run over a window */
    int64_t dropped[TN_MAX_RANK];  /* of the operand: those that windows lack */
    int64_t batch[TN_MAX_RANK];    /* of the operand: those that run with the indices */
    int64_t batch_in[TN_MAX_RANK]; /* of the indices: what they run with */
    int64_t map[TN_MAX_RANK];      /* of the operand: the axis of each component */
    uint32_t n_window, n_dropped, n_batch, n_batch_in, n_map;
    int64_t vector; /* the axis of components; the rank of the indices: none */
} index_axes;

typedef struct index_words {
    const char *window, *dropped, *batch, *batch_in, *map;
} index_words;

/* The structure NAME of C, whose lists are called W, into A. X: the type of the operand, IN of the
 * indices, WIDE: the rank of the result or the updates. */
bool index_axes_read(shlo_call *c, const char *name, const index_words *w, const type *x,
                     const type *in, uint32_t wide, index_axes *a);
/* Are the updates, of type U, one window for each vector of indices, which fits into X? */
bool index_axes_take(shlo_call *c, const index_axes *a, const type *x, const type *in,
                     const type *u);
/* Is AXIS one of the N of LIST? */
bool index_axes_hold(const int64_t *list, uint32_t n, int64_t axis);
/* Does operand axis AXIS have no axis in a window? */
bool index_axes_lack(const index_axes *a, int64_t axis);

#endif
