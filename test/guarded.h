/* Running kernels between guard pages: each operand, result and scratch memory of each call has
 * pages beside it that end the run when they are touched. */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include "guards.h"
#include "runtime/tape_parts.h"

/* What is wrong with a kernel, in a text of its own, or the empty one. */
typedef struct guarded_tape {
    guards memory;
    bool in_pieces; /* kernels do their work item by item */
    char fault[256];
} guarded_tape;

/* Have all kernels of T, which nothing runs yet or any more in another way, called through G. What
 * this allocates lives as long as T. */
bool guarded_tape_init(guarded_tape *g, tape *t);

#endif
