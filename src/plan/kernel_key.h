/* What a kernel computes, but for where in its function it stands: kernels with equal keys have
 * equal loop programs. Models of many equal layers plan each layer's kernels once. */
#ifndef PLAN_KERNEL_KEY_H
#define PLAN_KERNEL_KEY_H

#include "base/text/text.h"
#include "plan/kernel.h"

/* Numbers of the values of one function in the order in which a key meets them. */
typedef struct value_numbers {
    uint32_t *of; /* by value: 1 + its number; 0: none */
    value_id *met;
    uint32_t n;
} value_numbers;

/* Room for the values of F, in MEMORY. False without memory. */
bool value_numbers_init(value_numbers *numbers, const function *f, arena *memory);
/* Append the key of K, of F, to OUT, whose failure is sticky. Keys of one module can be compared
 * while it does not change: they have addresses of its types and attributes. Equal keys also mean
 * equal types with other sizes (function.like). False: K has no key, because its programs depend on
 * its place (random generators). */
bool kernel_key(const function *f, const kernel *k, value_numbers *numbers, text_buffer *out);

#endif
