/* The axes of the operands of dot_general, by what they are there for. */
#ifndef OPS_DOT_AXES_H
#define OPS_DOT_AXES_H

#include "graph/module.h"
#include "ops/shape.h"

/* Of one operand: batch and contracted in the order of their lists, and the free ones, ascending.
 */
typedef struct dot_axes {
    uint32_t n_batch, n_contract, n_free;
    uint32_t batch[TN_MAX_RANK], contract[TN_MAX_RANK], free[TN_MAX_RANK];
} dot_axes;

/* Of the LEFT operand or the right one, which has rank RANK. SHAPE_OK, or what is wrong with the
 * list *KEY. */
shape_fault resolve_dot_axes(const attrs *given, bool left, uint32_t rank, dot_axes *out,
                             attr_key *key);
/* The same for attributes that the type rule has accepted. */
dot_axes dot_axes_of(const attrs *given, bool left, uint32_t rank);

#endif
