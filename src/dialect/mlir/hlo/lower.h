/* The functions that the table of operations names. */
#ifndef DIALECT_MLIR_HLO_LOWER_H
#define DIALECT_MLIR_HLO_LOWER_H

#include "dialect/mlir/hlo/shlo.h"

typedef bool shlo_lower(shlo_call *c);
#define HLO(name, form, min_in, max_in, n_out, n_regions, attrs, lower, arg)                       \
    shlo_lower shlo_lower_##lower;
#include "dialect/mlir/hlo/ops.def"
/* An elementwise operation that is one of the vocabulary. */
shlo_lower shlo_lower_elementwise;

#endif
