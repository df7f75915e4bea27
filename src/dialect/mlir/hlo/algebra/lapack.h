/* Calls of LAPACK and BLAS. */
#ifndef DIALECT_MLIR_HLO_ALGEBRA_LAPACK_H
#define DIALECT_MLIR_HLO_ALGEBRA_LAPACK_H

#include "dialect/mlir/hlo/shlo.h"

/* The custom call TARGET, if it is one of LAPACK or BLAS that is known. */
bool shlo_lapack(shlo_call *c, mir_text target, bool *is_known);

/* ---- solve.c: matrices as [n, m, batch] ---- */

/* Is T, of operand K, matrices of floats; square if SQUARE; with elements? */
bool shlo_are_matrices(shlo_call *c, const type *t, bool square);
/* A's last two axes in front, the first of them last if TURNED, and all others as one behind. */
tn_value shlo_matrices_in_front(shlo_call *c, tn_value a, bool turned);
/* The contrary, for the result of type T. */
tn_value shlo_matrices_back(shlo_call *c, tn_value a, const type *t, bool turned);

/* ---- lu.c ---- */

/* `(a)`: the factors, the rows exchanged with each in turn, from 1 on, and the first pivot that is
 * 0. */
bool shlo_lower_getrf(shlo_call *c);

/* ---- qr.c ---- */

/* `(a)`: R above the vectors v, and their factors tau. */
bool shlo_lower_geqrf(shlo_call *c);
/* `(a, taus)`: the first columns of the product of those reflections. */
bool shlo_lower_orgqr(shlo_call *c);
/* The same of A[n, m, batch] with the extents DIMS and elements of D: the factor, and [steps,
 * batch] numbers tau. */
void shlo_make_qr(shlo_call *c, tn_dtype d, tn_ints dims, tn_value a, tn_value out[2]);
/* Q of the extents DIMS from the first STEPS reflections. */
tn_value shlo_make_q(shlo_call *c, tn_dtype d, tn_ints dims, tn_value a, tn_value taus,
                     int64_t steps);

/* ---- jacobi.c ---- */

/* `(a)`: eigenvectors, eigenvalues in ascending order, and 0 where that came to an end. Only the
 * lower, or else the upper triangle is read. */
bool shlo_lower_eigh(shlo_call *c, bool lower);
/* `(a)`: a, singular values in descending order, U, V' and 0 where that came to an end. */
bool shlo_lower_svd(shlo_call *c);

#endif
