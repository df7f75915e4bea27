/* A thread that reads the samples of leaves ahead of the computation. */
#ifndef TRAIN_LOADER_H
#define TRAIN_LOADER_H

#include "train/data/dataset.h"

/* One input that is read from a column. */
typedef struct loader_input {
    const column *column;
    tn_dtype dtype; /* of its elements in memory */
    size_t bytes;   /* of a leaf */
} loader_input;

/* What is read, in which order: leaf after leaf, step after step. */
typedef struct loader_plan {
    const loader_input *inputs;
    size_t n_inputs;
    uint64_t samples, batch, leaves, seed;
    uint64_t first, n; /* the leaves of each step that are read, at least one */
} loader_plan;

typedef struct loader loader;

/* Begin with step STEP. Everything in PLAN stays until the loader is freed. NULL
 * when there is no memory, or no thread. */
loader *loader_new(const tn_allocator *memory, const loader_plan *plan, uint64_t step);
void loader_free(loader *l); /* NULL is fine */
/* Wait for the next leaf: its inputs, in the order of the plan; they stay until loader_done. NULL
 * when they could not be read, for the reason in FAULT. */
void *const *loader_next(loader *l, dataset_fault *fault);
void loader_done(loader *l);

#endif
