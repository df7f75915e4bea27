/* Positions given by data: tensors of si32 or si64. */
#ifndef EVAL_PARTS_POSITIONS_H
#define EVAL_PARTS_POSITIONS_H

#include "eval/parts/eval_call.h"

static inline int64_t position_at(const tensor *indices, int64_t k)
{
    return indices->type->dtype == TN_SI32 ? ((const int32_t *)indices->data)[k]
                                           : ((const int64_t *)indices->data)[k];
}

/* Stop because position AT is outside axis AXIS of a tensor of type T. */
tn_status position_out_of_bounds(const eval_call *call, int64_t at, uint32_t axis, const type *t);

#endif
