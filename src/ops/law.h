/* The constants and choices of the law of bits (docs/numerics.md) that every engine follows. */
#ifndef OPS_LAW_H
#define OPS_LAW_H

#include "scalar/dtype.h"

/* The constants of the law of bits; part of the format version. */
enum {
    SUM_LANES = 32,       /* interleaved accumulators of a sum */
    SUM_BLOCK = 1024,     /* elements summed before partials are combined pairwise */
    CONTRACT_BLOCK = 256, /* products in one chain of fused multiply-adds */
    /* elements that combine among themselves before what precedes them joins */
    CUMULATIVE_BLOCK = 16
};

typedef enum fold_kind {
    FOLD_SUM,
    FOLD_PROD,
    FOLD_MAX,
    FOLD_MIN,
    FOLD_MAX_NAN, /* NaN wins; of floats only */
    FOLD_MIN_NAN
} fold_kind;

static inline bool fold_is_extremum(fold_kind kind)
{
    return kind >= FOLD_MAX;
}

static inline bool fold_is_largest(fold_kind kind)
{
    return kind == FOLD_MAX || kind == FOLD_MAX_NAN;
}

static inline bool fold_nan_wins(fold_kind kind)
{
    return kind == FOLD_MAX_NAN || kind == FOLD_MIN_NAN;
}

/* The dtype in which sums over D are formed when nothing else is asked for: f32 for the narrower
 * floats, else D itself. */
static inline tn_dtype accumulator_of(tn_dtype d)
{
    return dtype_compute(d);
}

#endif
