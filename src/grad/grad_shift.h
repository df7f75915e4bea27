/* Values that a softmax takes away of rows before they are exponentiated. */
#ifndef GRAD_GRAD_SHIFT_H
#define GRAD_GRAD_SHIFT_H

#include "grad/reverse.h"

/* Do all results that a gradient comes from stay the same whatever the right operand of N, a sub,
 * is? Without memory *CANCELS is false. */
tn_status grad_shift_cancels(reverse_walk *w, const node *n, bool *cancels);

#endif
