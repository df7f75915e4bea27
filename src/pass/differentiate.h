/* Static reverse-mode differentiation: a module to its gradient module. */
#ifndef PASS_DIFFERENTIATE_H
#define PASS_DIFFERENTIATE_H

#include "graph/module.h"

typedef struct grad_options {
    uint32_t loss;       /* index of the output to differentiate */
    const uint32_t *wrt; /* indices of inputs, in the order of the gradients; NULL: every float */
    uint32_t n_wrt;
    bool core_only;     /* Core v1 instructions only; the derivative of Conv2d is refused */
    bool skip_verify;   /* neither the primal nor the gradient module is verified */
    bool has_cotangent; /* `cotangent` is an input that is the gradient of the loss, of its type */
    uint32_t cotangent; /* index of that input */
    double seed;        /* gradient of the loss without a cotangent; 0 means 1 */
} grad_options;

/* *OUT is a new module of M's context: the nodes of M, then the gradient, canonical and verified.
 * Its outputs are those of M, then one gradient for each input of `wrt`, a zero constant where the
 * loss does not depend on it; its `gradients` are the pairs (input, gradient). Contributions to one
 * value are added in the order in which the reverse walk finds them, operands left to right.
 *
 * needs   M verified and canonical
 * errors  NoDerivative, GradientShape (the loss has not one element), NotDifferentiable (an integer
 *         loss or input), GradientVerification
 * source  MIND autodiff, "Reverse-mode algorithm" */
tn_status differentiate(const module *m, const grad_options *options, module **out);

#endif
