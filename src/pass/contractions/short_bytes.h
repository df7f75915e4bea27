/* Factors of products as bytes. */
#ifndef PASS_CONTRACTIONS_SHORT_BYTES_H
#define PASS_CONTRACTIONS_SHORT_BYTES_H

#include "pass/expand/expand.h"

/* An operand of a contraction as numbers of 8 bits: those of V, cast to DTYPE, less ZERO, or less
 * the only element of OWN_ZERO where that is a value. Values are those of the function that is
 * rewritten. */
typedef struct byte_factor_of {
    value_id v;
    tn_dtype dtype;
    int64_t zero;
    value_id own_zero;
} byte_factor_of;

typedef struct byte_factors {
    byte_factor_of of[2];
    bool has_border; /* the left one, of a convolution, gets it here */
} byte_factors;

/* Has C->n, a contraction of 32-bit integers, a left operand of bytes with a zero point, which can
 * be left out? */
bool find_byte_factors(const expand_call *c, byte_factors *out);
/* Operand K, widened to 16 bits. */
value_id byte_factor(expand_call *c, const byte_factors *x, uint32_t k);
/* The results of C->n, where SUMS are those of products of these factors. */
value_id byte_products(expand_call *c, const byte_factors *x, value_id sums);

#endif
