/* Kernels that a caller brings: what custom_call runs, found by target name. */
#ifndef EVAL_CUSTOM_H
#define EVAL_CUSTOM_H

#include "eval/eval.h"

/* What a custom kernel sees of its call. Operands are dense and read-only; results have the types
 * that the program declares, and memory to be filled. */
typedef struct custom_use {
    const tensor *in;
    uint32_t n_in;
    tensor *out;
    uint32_t n_out;
    const dict_entry *attrs; /* the program's free attributes, sorted by key as they were written */
    uint32_t n_attrs;
    arena *scratch; /* emptied after the call */
} custom_use;

/* Whether the use is one that the kernel can run: NULL, or what is wrong with it, in a text that
 * outlives the call. */
typedef const char *custom_check_fn(void *user, const custom_use *use);
/* Fill the results. Must be a pure function of operands and attributes. NULL, or why it failed. */
typedef const char *custom_run_fn(void *user, const custom_use *use);

/* What either returns, by identity, when it had no memory. */
extern const char custom_no_memory[];

typedef struct custom_kernel {
    const char *target;     /* borrowed; must outlive the registry */
    custom_check_fn *check; /* NULL: any use */
    custom_run_fn *run;
    void *user;
} custom_kernel;

/* A set of kernels. Filled first, then only read: then many runs may share it. */
typedef struct custom_registry {
    const tn_allocator *allocator;
    VECTOR(custom_kernel) kernels;
} custom_registry;

void custom_registry_init(custom_registry *r, const tn_allocator *allocator);
void custom_registry_release(custom_registry *r);
/* Add KERNEL, or replace the one of that target; false when there is no memory. */
bool custom_register(custom_registry *r, const custom_kernel *kernel);
/* The kernel for TARGET, or NULL. */
const custom_kernel *custom_find(const custom_registry *r, const char *target);

/* The free attribute KEY, or NULL. */
const dict_entry *custom_attribute(const custom_use *use, const char *key);

#endif
