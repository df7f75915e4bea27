/* Calls of LAPACK and BLAS. */
#ifndef DIALECT_MLIR_HLO_ALGEBRA_LAPACK_H
#define DIALECT_MLIR_HLO_ALGEBRA_LAPACK_H

#include "dialect/mlir/hlo/shlo.h"

/* The custom call TARGET, if it is one of LAPACK or BLAS that is known. */
bool shlo_lapack(shlo_call *c, mir_text target, bool *is_known);

#endif
