/* What is known of values from how they were made, so that what a text guards already is not
 * guarded again: the programs of JAX clamp positions themselves, and so does what Tenon writes. */
#ifndef DIALECT_MLIR_HLO_NUMBERS_RANGES_H
#define DIALECT_MLIR_HLO_NUMBERS_RANGES_H

#include "dialect/mlir/hlo/shlo.h"

/* Do all elements of V, integers, lie from LOW to HIGH? False: it is not known. */
bool shlo_lies_in(const shlo_call *c, tn_value v, int64_t low, int64_t high);
/* Is no element of V, integers, 0? */
bool shlo_never_zero(const shlo_call *c, tn_value v);
/* Where P holds X is read, else Y: is Y, floats as integers that saturate, X there already? */
bool shlo_saturates_to(const shlo_call *c, tn_value p, tn_value x, tn_value y);
/* The vector of RANK si64 whose elements, in their order, are the operands from FIRST on; no value:
 * they are no such elements. */
tn_value shlo_vector_in(const shlo_call *c, uint32_t first, uint32_t rank);
/* X in the shape DIMS, without an operation where it has that, or had it before a reshape. */
tn_value shlo_reshaped(shlo_call *c, tn_value x, tn_ints dims);
/* X with its axes in the order PERM, without an operation where they are. */
tn_value shlo_transposed(shlo_call *c, tn_value x, tn_ints perm);

#endif
