/* Regions of reductions, windows, scatters and sorts whose combination is not a known one: their
 * operations on single numbers are lowered on whole tensors, or once for each element in a loop. */
#ifndef DIALECT_MLIR_HLO_BODIES_BODIES_H
#define DIALECT_MLIR_HLO_BODIES_BODIES_H

#include "dialect/mlir/hlo/shlo.h"

/* ---- patterns.c ---- */

/* The operation NAME with N operands in REGION that makes V; NULL: it is another. */
const mir_op *shlo_made_by(const mir_region *region, const mir_value *v, const char *name,
                           uint32_t n);

/* Does REGION compute V as PATTERN says: `(select (compare.NE a a) b (maximum a b))`, where letters
 * stand for ARGS? Patterns are closed, and each operation has its operands in one order. */
bool shlo_matches(const mir_region *region, const mir_value *v, const char *pattern,
                  const mir_value *const *args);

/* ---- lift.c ---- */

/* Can REGION, which computes with single numbers, do so on tensors? */
bool shlo_can_lift(const shlo_call *c, const mir_region *region);
/* Lower REGION here. Its arguments are ARGS: tensors of the extents SHAPE, or of rank 0 if that is
 * empty. OUT gets its N results, of the same extents. What cannot be lifted is refused. */
bool shlo_apply(shlo_call *c, const mir_region *region, const tn_value *args, tn_ints shape,
                tn_value *out, uint32_t n);

/* ---- arguments.c: refused is what REGION cannot be given ---- */

/* TIMES arguments for each of N operands from FIRST on, of its element type. */
bool shlo_takes_each(shlo_call *c, const mir_region *region, uint32_t first, uint32_t n,
                     uint32_t times);
/* What N operands from OWN on have come to, then elements of N operands from OTHER on; the types of
 * the region may be wider. */
bool shlo_takes_pairs(shlo_call *c, const mir_region *region, uint32_t own, uint32_t other,
                      uint32_t n);

/* The operation has N inputs, N initial values and N results, and a region that combines elements
 * of the former. */
bool shlo_takes_reducer(shlo_call *c, uint32_t n);

/* The N results of the operation have the element types of REGION's first arguments. */
bool shlo_gives_own(shlo_call *c, const mir_region *region, uint32_t n);

/* ---- fold.c ---- */

/* Accumulators of N inputs, and in front of each position what it has come to. */
typedef struct shlo_fold {
    const mir_region *region;
    uint32_t n;
    const tn_value *xs;   /* [count, kept..], what is combined along its first axis in order */
    const tn_value *init; /* of rank 0 */
    bool stacks;          /* give what each position comes to, in the shape of XS */
} shlo_fold;

/* OUT gets N values [kept..], or [count, kept..]. Types are those of the region's arguments. */
bool shlo_folded(shlo_call *c, const shlo_fold *f, tn_value *out);
/* X, the operand of a reduction, with the N axes AXES in front as one. */
tn_value shlo_axes_in_front(shlo_call *c, tn_value x, const int64_t *axes, uint32_t n);

/* ---- select.c ---- */

/* Of each line along the first axis of X, [count, kept..], the position of the element that REGION
 * selects from those where VALID, of the same shape and i1, holds; -1: none. [kept..], si64. */
tn_value shlo_selected(shlo_call *c, const mir_region *region, tn_value x, tn_value valid);

/* ---- sort.c ---- */

/* The lines along the first axis of N tensors XS of one shape in the order of REGION; equal ones
 * stay in theirs. */
bool shlo_sorted(shlo_call *c, const mir_region *region, const tn_value *xs, uint32_t n,
                 tn_value *out);

/* ---- scatter.c ---- */

/* N vectors XS with the vectors UPDATES combined in at the positions AT by REGION, one after the
 * other. */
bool shlo_scattered(shlo_call *c, const mir_region *region, const tn_value *xs, tn_value at,
                    const tn_value *updates, uint32_t n, tn_value *out);

#endif
