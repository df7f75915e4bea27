/* Which op forms which fold, and which combines two of its results. */
#ifndef OPS_FOLD_OPS_H
#define OPS_FOLD_OPS_H

#include "graph/op.h"
#include "ops/law.h"

/* What the reduction OP forms; a mean forms a sum. */
static inline fold_kind fold_of_reduction(op_id op)
{
    switch ((int)op) {
    case OP_REDUCE_PROD:
        return FOLD_PROD;
    case OP_REDUCE_MAX:
        return FOLD_MAX;
    case OP_REDUCE_MIN:
        return FOLD_MIN;
    case OP_REDUCE_MAX_NAN:
        return FOLD_MAX_NAN;
    case OP_REDUCE_MIN_NAN:
        return FOLD_MIN_NAN;
    default:
        return FOLD_SUM;
    }
}

/* What combines two results of a fold. */
static inline op_id fold_pair(fold_kind kind)
{
    static const uint16_t ops[] = {[FOLD_SUM] = OP_ADD,
                                   [FOLD_PROD] = OP_MUL,
                                   [FOLD_MAX] = OP_MAXIMUM,
                                   [FOLD_MIN] = OP_MINIMUM,
                                   [FOLD_MAX_NAN] = OP_MAXIMUM_NAN,
                                   [FOLD_MIN_NAN] = OP_MINIMUM_NAN};
    return (op_id)ops[kind];
}

#endif
