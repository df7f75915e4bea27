/* What a tape is made of: shared by the builder, the placement of buffers and the run. */
#ifndef RUNTIME_TAPE_PARTS_H
#define RUNTIME_TAPE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/context.h"
#include "runtime/tape.h"

typedef enum buffer_kind { IS_INPUT, IS_OUTPUT, IS_CONSTANT, IS_TEMP, IS_VIEW } buffer_kind;

#define NEVER UINT32_MAX

typedef struct buffer_info {
    buffer_kind kind;
    uint32_t index;  /* of the input or output; of the buffer that a view is part of */
    uint64_t offset; /* VIEW: in that; TEMP: in the memory that all temporaries share */
    uint64_t bytes;
    const void *data;
    uint32_t first, last; /* steps that name it or a view of it */
    uint64_t room;        /* TEMP: bytes held for it; 0: another took them over */
    uint32_t next_first;  /* TEMP: the next one of the same `first` */
    uint32_t next_last;
} buffer_info;

typedef struct step_info {
    tape_step as;
    uint32_t table;   /* where its pointers begin in the table of the block */
    uint32_t n_extra; /* buffers of the step's own behind the others */
    tape_buffer *extra;
    uint32_t n_slots; /* pointers without a buffer, behind those */
    int64_t pieces;   /* that the work can be cut into, at most */
} step_info;

/* Where an input or output of a region goes. */
typedef struct port {
    uint32_t at; /* in the block's table */
    uint32_t index;
    bool is_output;
    uint64_t offset;
} port;

typedef struct block_info {
    uint32_t n_inputs, n_outputs;
    uint64_t *input_bytes, *output_bytes; /* UINT64_MAX: not told yet */
    uint32_t *pass, *update;              /* by output: an input, or NEVER */
    uint32_t *over;                       /* by output: the input that it may exactly lie over */
    bool has_passes, has_updates;
    VECTOR(buffer_info) buffers;
    VECTOR(step_info) steps;
    VECTOR(port) ports;
    uint32_t table; /* where the block's pointers begin in the table of a run */
    uint32_t n_table;
    uint64_t own;   /* bytes of the block's own temporaries */
    uint64_t frame; /* where they begin */
    bool may_fail;
    uint8_t mark;       /* while regions are followed */
    bool is_other;      /* it is a region of something else than the body of a loop */
    uint32_t n_carries; /* at most, of the loops whose body it is */
} block_info;

/* The memory of one run at a time. Kept for the next, since the first touch of memory is slow. */
typedef struct run_state {
    struct run_state *next;
    tape_watch watch; /* of the run that has it */
    size_t bytes;     /* of this block, with the table */
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

struct tape {
    tn_allocator allocator;
    arena arena;
    bool failed;                 /* to get memory, or to make sense */
    void (*release)(void *user); /* of what the caller wants kept as long; NULL: nothing */
    void *kept;
    VECTOR(block_info) blocks;
    uint32_t n_table;
    uint64_t memory;  /* bytes of all temporaries */
    uint64_t scratch; /* most bytes that one thread needs */
    bool uses_threads;
    bool *is_early; /* by output of the program: written before a step that can fail */
    pthread_mutex_t lock;
    bool has_lock;
    _Atomic(run_state *) spare; /* the fast way to a state */
    run_state *states;          /* the others; guarded by the lock */
    uint32_t n_states;
};

enum { COPY_GRAIN = 1 << 19 }; /* bytes that are worth a thread */
enum { MOST_SPARE_STATES = 8, MOST_REGIONS_DEEP = 2 * LIMIT_MOST_NESTING };

/* The buffer that V is part of in the end, and from which byte on. */
static inline tape_buffer tape_root(const block_info *b, tape_buffer v, uint64_t *offset)
{
    *offset = 0;
    while (b->buffers.at[v].kind == IS_VIEW) {
        *offset += b->buffers.at[v].offset;
        v = b->buffers.at[v].index;
    }
    return v;
}

/* ---- tape_place.c ---- */

/* From where to where each buffer of BLOCK is used, and which outputs are made in place: of
 * temporaries, or of carries. */
void tape_find_lives(block_info *block);
/* Give the temporaries of BLOCK places from 0 on. False when there is no memory. */
bool tape_place_block(tape *t, block_info *block);

/* ---- tape_state.c ---- */

/* A state with room for THREADS; NULL when there is no memory. */
run_state *tape_state_take(tape *t, uint32_t threads);
void tape_state_give_back(tape *t, run_state *s);
void tape_states_free(tape *t);

#endif
