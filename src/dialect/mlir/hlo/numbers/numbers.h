/* Functions of numbers that the vocabulary lacks, composed of those that it has. */
#ifndef DIALECT_MLIR_HLO_NUMBERS_NUMBERS_H
#define DIALECT_MLIR_HLO_NUMBERS_NUMBERS_H

#include "dialect/mlir/hlo/shlo.h"

/* X to the power Y, integers of one shape, by operand 1, which Y is. */
tn_value shlo_integer_power(shlo_call *c, tn_value x, tn_value y);
/* The upper half of the bits of X * Y, integers of one shape. */
tn_value shlo_upper_product(shlo_call *c, tn_value x, tn_value y);
/* X rounded to EXPONENT and MANTISSA bits, without denormals. Both are at most those of X. */
tn_value shlo_precision(shlo_call *c, tn_value x, int64_t exponent, int64_t mantissa);
/* The functions of OP, and powers and angles, of complex numbers; no value: there is none, which is
 * refused.
 */
tn_value shlo_complex_function(shlo_call *c, op_id op, tn_value x);
tn_value shlo_complex_power(shlo_call *c, tn_value x, tn_value y);
tn_value shlo_complex_atan2(shlo_call *c, tn_value y, tn_value x);
/* Complex numbers in the order of their real parts, then of their imaginary ones. */
tn_value shlo_complex_compare(tn_builder *b, tn_direction how, tn_value x, tn_value y);

#endif
