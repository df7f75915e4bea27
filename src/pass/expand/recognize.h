/* Contractions, recognised in sums of products. */
#ifndef PASS_EXPAND_RECOGNIZE_H
#define PASS_EXPAND_RECOGNIZE_H

#include "pass/expand/expand.h"

/* What the node of C, a sum, is when it adds up products of two values that movement alone brought
 * into one shape: a dot_general, or where one of the two slides a window over the other, a conv2d
 * or extract_patches with a dot_general, as the target spells them. Sums and products are the same,
 * in another order and without rounding the products. NO_VALUE: it is none of these. */
value_id recognize_contraction(expand_call *c);

#endif
