/* Combining rows of elements one by one: what reductions and scatters are made of. */
#ifndef EVAL_PARTS_FOLD_H
#define EVAL_PARTS_FOLD_H

#include "ops/law.h"

/* acc[i] = acc[i] op x[i] for N elements of D as stored, in the arithmetic of the elementwise ops:
 * narrow floats are rounded each time. 4-bit integers are left modulo 256; dtype_narrow makes them
 * proper. */
void fold_rows(fold_kind kind, tn_dtype d, void *acc, const void *x, size_t n);

/* The result for no elements: 0, 1, the lowest or the highest value of OUT (infinite where it has
 * infinities), as an element of D. */
void fold_empty(fold_kind kind, tn_dtype d, tn_dtype out, void *dst);

/* x[i] = x[i] / COUNT for N elements of D as stored; integers truncate, and over 0 they give 0. */
void fold_divide(tn_dtype d, void *x, int64_t count, size_t n);

#endif
