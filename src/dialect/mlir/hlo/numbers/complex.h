/* Complex numbers as pairs of f64, while a function of them is composed. */
#ifndef DIALECT_MLIR_HLO_NUMBERS_COMPLEX_H
#define DIALECT_MLIR_HLO_NUMBERS_COMPLEX_H

#include "dialect/mlir/hlo/numbers/numbers.h"

typedef struct pair {
    tn_value re, im;
} pair;

pair complex_sqrt(tn_builder *b, pair z);

/* ---- complex_inverse.c ---- */

pair complex_asin(tn_builder *b, pair z);
pair complex_acos(tn_builder *b, pair z);
pair complex_atan(tn_builder *b, pair z);
pair complex_asinh(tn_builder *b, pair z);
pair complex_acosh(tn_builder *b, pair z);
pair complex_atanh(tn_builder *b, pair z);

#endif
