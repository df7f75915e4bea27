/* Kernels for custom calls that a caller registered. */
#ifndef EVAL_CUSTOM_SET_H
#define EVAL_CUSTOM_SET_H

#include "eval/custom.h"
#include "tenon/tenon.h"

/* The kernels that a caller registered, as the evaluator finds them. */
typedef struct custom_set {
    custom_registry registry; /* `user` of each is its tn_custom_kernel */
    arena memory;             /* kernels and names of targets */
} custom_set;

/* A copy that lives by ALLOCATOR, which must outlive it; FROM may be NULL, which gives an empty
 * one. NULL when there is no memory. */
custom_set *custom_set_copy(const tn_allocator *allocator, const custom_set *from);
/* Add a copy of KERNEL to *SET, which is made by ALLOCATOR if it is NULL; false without memory. */
bool custom_set_add(custom_set **set, const tn_allocator *allocator,
                    const tn_custom_kernel *kernel);
void custom_set_free(custom_set *set);

#endif
