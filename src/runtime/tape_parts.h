/* What the loader, the runs and their memory share. */
#ifndef RUNTIME_TAPE_PARTS_H
#define RUNTIME_TAPE_PARTS_H

#include <stdatomic.h>

#include "runtime/tape.h"

/* The memory of one run at a time. Kept for the next, since the first touch of memory is slow. */
typedef struct run_state {
    exe_watch watch; /* of the run that has it */
    size_t bytes;    /* of this block, with the table */
    char **table;
    char **given; /* the inputs and outputs of the run */
    char *memory; /* of the temporaries */
    void *memory_block;
    size_t memory_bytes;
    char *scratch;
    void *scratch_block;
    size_t scratch_bytes;
    void *staged_block;
    size_t staged_bytes;
} run_state;

enum { MOST_SPARE_STATES = 9 };

struct tape {
    executable *exe;
    tn_allocator allocator;
    exe_kernel *_Atomic *code;   /* by number */
    exe_host *const *calls;      /* by number */
    size_t bytes;                /* of this block, with the table of code */
    void (*release)(void *user); /* of what the caller wants kept as long; NULL: nothing */
    void *kept;
    _Atomic(run_state *) spare[MOST_SPARE_STATES]; /* that no run has; NULL: none is there */
};

/* ---- tape_state.c ---- */

/* A state with room for THREADS; NULL when there is no memory. */
run_state *tape_state_take(tape *t, uint32_t threads);
void tape_state_give_back(tape *t, run_state *s);
void tape_states_free(tape *t);

#endif
