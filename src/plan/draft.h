/* Kernels while nodes are still being added to them; private to the grouping. */
#ifndef PLAN_DRAFT_H
#define PLAN_DRAFT_H

#include "plan/kernel.h"

enum {
    MOST_NODES = 64,   /* in one kernel: bounds recursion and the time to compile */
    MOST_MAPS = 3,     /* maps under which one value may be computed in one kernel, */
    MOST_PARTS = 16,   /* and where they lead to no more elements than it has */
    LONG_ROW = 1 << 16 /* elements of a row that is distributed over threads */
};

/* Kernel KERNEL needs V: at the positions of MAP or, when that is NULL, all of it in memory. */
typedef struct demand {
    value_id v;
    uint32_t kernel;
    const access_map *map;
    uint32_t next_of_value, next_of_kernel; /* 1 + index; 0 ends */
} demand;

typedef struct draft_output {
    kernel_output out;
    uint32_t kernel;
    uint32_t next_of_value; /* others that write to the same value: 1 + index */
} draft_output;

typedef struct draft {
    kernel_kind kind;
    uint32_t rank;
    int64_t dims[TN_MAX_RANK];
    uint32_t reduced;
    uint32_t node; /* of which it was made: for the order, and for REFERENCE and CONTRACT */
    bool is_split;
    uint32_t n_nodes, n_reductions, n_out;
    uint32_t demands; /* 1 + index of the last */
} draft;

typedef struct member {
    uint32_t kernel, node;
} member;

typedef struct grouping {
    const function *f;
    arena *memory;
    const tn_allocator *allocator;
    bool failed; /* no memory */
    VECTOR(draft) drafts;
    VECTOR(demand) demands;
    VECTOR(draft_output) outputs;
    VECTOR(member) members;
    uint32_t *by_value;         /* demands of each value */
    uint32_t *stored;           /* outputs into each value */
    uint32_t *uses;             /* of each value, by nodes and outputs of the function */
    bool *is_output;            /* of the function, by value */
    const access_map *identity; /* the last one made: many parts of a value have the same extents */
    value_id *same_as;
    const char **why; /* by value: why it is in memory */
    uint32_t *next;   /* by kernel, at the end: the stage that follows it, or UINT32_MAX */
    bool *draws;      /* by kernel: it has random generators */
    bool *looks_up;   /* by kernel: it reads at positions that are data */
} grouping;

/* A new kernel for node MADE_OF over these positions; its number. */
uint32_t draft_new(grouping *g, kernel_kind kind, uint32_t made_of, const int64_t *dims,
                   uint32_t rank);
/* K needs V. */
void draft_demand(grouping *g, uint32_t k, value_id v, const access_map *map);
void draft_store(grouping *g, uint32_t k, const kernel_output *out);
void draft_contain(grouping *g, uint32_t k, uint32_t which);
/* A copy of MAP in the grouping's memory; NULL, and failed, without memory. */
const access_map *draft_map(grouping *g, const access_map *map);
const access_map *draft_identity(grouping *g, const int64_t *dims, uint32_t rank);
/* Does kernel FROM depend, however indirectly, on what kernel TO stores? True when that takes too
 * long to find out. */
bool draft_reaches(grouping *g, uint32_t from, uint32_t to);
/* In an order that can run. */
bool draft_finish(grouping *g, kernel_list *out);

#endif
