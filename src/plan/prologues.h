/* Operands of contractions and loops that are computed where they are loaded: private to the
 * grouping. */
#ifndef PLAN_PROLOGUES_H
#define PLAN_PROLOGUES_H

#include "plan/kernel.h"

/* Join kernels that compute an operand element by element to the contraction that alone reads it,
 * if that meets each element so few times that reading what it is computed from is cheaper: the
 * weights of a product of few rows, cast or dequantized. Kernels that compute cheaply what loops of
 * single nodes read element by element become part of these: the ones that are counted. LIST is in
 * an order in which it can run; KERNELS are its kernels, which change in place. False without
 * memory. */
bool prologues_join(const function *f, arena *memory, kernel *kernels, kernel_list *list);

#endif
