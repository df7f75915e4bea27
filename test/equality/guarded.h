/* Running kernels between guard pages: each operand, result and scratch memory of each call has
 * pages beside it that end the run when they are touched. */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include "compile/jit_executable.h"
#include "guards.h"
#include "runtime/tape_parts.h"

typedef struct guarded_tape {
    guards memory;
    exe_host *calls[CALL_COUNT + 1]; /* those of the library, and of guarded kernels */
    bool in_pieces;                  /* kernels do their work item by item */
    char fault[256];                 /* what a kernel did wrong; else empty */
} guarded_tape;

/* Have all kernels of T, which nothing runs yet or any more in another way, called through G. What
 * this allocates lives as long as T, which G must outlive. */
bool guarded_tape_init(guarded_tape *g, tape *t);

#endif
