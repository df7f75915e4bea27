/* The order of reductions (docs/numerics.md) for one result whose elements lie side by side. */
#ifndef EVAL_PARTS_FOLD_LINE_H
#define EVAL_PARTS_FOLD_LINE_H

#include "eval/parts/eval_call.h"
#include "eval/parts/fold.h"

/* Fold N elements of D, which computes in itself, to one element of D. OUT is the dtype that the
 * result will have: for no elements, and for a maximum or minimum of NaNs alone, it says which
 * value is the lowest or highest. Fails where the run of CALL has no more time. */
tn_status fold_line(const eval_call *call, fold_kind kind, tn_dtype d, tn_dtype out, const void *x,
                    int64_t n, void *result);

/* The kind for a combine attribute, which must not be COMBINE_REPLACE (FOLD_SUM then). */
fold_kind fold_kind_of(int64_t combine);

#endif
