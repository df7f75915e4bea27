/* Vectors in memory that a network of exchanges sorts lane by lane: so many lists at once, without
 * a branch (K. E. Batcher, "Sorting networks and their applications", 1968). */
#ifndef LOOP_NEST_LOOPS_NETWORK_H
#define LOOP_NEST_LOOPS_NETWORK_H

#include "loop/ir/loop.h"

enum { NETWORK_MOST_HELD = 16 };

typedef struct network {
    loop_builder *b;
    loop_value at;  /* memory of the vectors */
    loop_type type; /* of one: integers, which ascend as signed ones */
    int64_t n;      /* how many there are, a multiple of HELD */
    uint32_t held;  /* how many are in registers at a time: a power of two */
} network;

/* X, `held` vectors, in ascending order. */
void network_sort_held(const network *w, loop_value *x);
/* All vectors in memory, of which each `held` that begin at a multiple of `held` are in order. */
void network_merge(const network *w);
/* Vectors FIRST (a multiple of `held`) .. FIRST + `held` - 1. */
void network_load(const network *w, loop_value first, loop_value *x);
void network_store(const network *w, loop_value first, const loop_value *x);

#endif
