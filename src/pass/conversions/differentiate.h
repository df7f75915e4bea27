/* Static reverse-mode differentiation: a module to its gradient module. */
#ifndef PASS_CONVERSIONS_DIFFERENTIATE_H
#define PASS_CONVERSIONS_DIFFERENTIATE_H

#include "grad/grad.h"

typedef struct grad_options {
    uint32_t loss;       /* index of the output to differentiate */
    const uint32_t *wrt; /* indices of inputs, in the order of the gradients; NULL: every float */
    uint32_t n_wrt;
    grad_style style;
    bool skip_verify;   /* the gradient module is not verified */
    bool has_cotangent; /* `cotangent` is an input that is the gradient of the loss, of its type */
    uint32_t cotangent; /* index of that input */
    double seed; /* without a cotangent: gradient of every element of the loss, which may then have
                    any shape; 0: 1, and the loss has one element */
    /* Values that the gradient computes again instead of keeping them. */
    const value_id *recompute;
    uint32_t n_recompute;
} grad_options;

/* *OUT is a new module of M's context: the nodes of M, then the gradient, canonical and verified.
 * Its outputs are those of M, then one gradient for each input of `wrt`, a zero constant where the
 * loss does not depend on it; its `gradients` are the pairs (input, gradient). Contributions to one
 * value are added in the order in which the reverse walk finds them, operands left to right. Every
 * node of the gradient knows the primal value it belongs to.
 *
 * needs   M verified and canonical
 * errors  NoDerivative, GradientShape (the loss has not one element), GradientAxis,
 *         NotDifferentiable (an integer loss or input), GradientVerification
 * source  MIND autodiff, "Model" and "Derivative rules" */
tn_status differentiate(const module *m, const grad_options *options, module **out);

#endif
