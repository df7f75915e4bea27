/* Executables: a flat list of steps over buffers whose places are known before the run.
 *
 * A tape is made of blocks: block 0 is the program, the others are regions of control flow. A block
 * has buffers and steps that run in order. Building never fails loudly: lack of memory is sticky
 * and tape_finish tells. After that a tape does not change, and any number of threads may run it.
 */
#ifndef RUNTIME_TAPE_H
#define RUNTIME_TAPE_H

#include "base/memory.h"
#include "runtime/workers.h"

/* Of scratch memory; and of temporaries where they have memory of their own, which steps must not
 * rely on: buffers are aligned for their elements. */
enum { TAPE_ALIGN = 64 };

/* Round up to TAPE_ALIGN; false when that does not fit. */
static inline bool tape_rounded(uint64_t bytes, uint64_t *out)
{
    *out = (bytes + TAPE_ALIGN - 1) / TAPE_ALIGN * TAPE_ALIGN;
    return bytes <= PTRDIFF_MAX / 2;
}

/* Work items [BEGIN, END) on the buffers of a step; 0, or a status that stops the run. */
typedef int32_t tape_kernel(char *const *buffers, int64_t begin, int64_t end, char *scratch);
/* A step in C: WHAT is the step's, HOST the run's. */
typedef tn_status tape_host(const void *what, char *const *buffers, void *host);

/* What tells a kernel that takes long to stop; 0: go on. */
typedef struct tape_watch tape_watch;
struct tape_watch {
    int32_t (*stop)(const tape_watch *self);
    int64_t deadline;
    bool (*cancel)(void *user);
    void *user;
};

typedef uint32_t tape_buffer; /* numbers count in a block */
#define TAPE_NO_BUFFER UINT32_MAX

typedef enum tape_kind {
    TAPE_KERNEL, /* machine code, shared out over threads */
    TAPE_HOST,   /* a C function, once */
    TAPE_COPY,   /* buffer 0 to buffer 1: `bytes` bytes */
    TAPE_COND,   /* buffer 0 selects the region; then operands and results */
    TAPE_WHILE,  /* operands; results */
    TAPE_SCAN    /* operands, the carries first; results, the carries first */
} tape_kind;

/* What a step is; everything is copied by tape_step_add but `name`, `what` and what they lead to.
 */
typedef struct tape_step {
    tape_kind kind;
    bool may_fail;       /* KERNEL: can return a status; others are known to be able to */
    bool is_certain;     /* HOST: returns TN_OK, unless the rest of the run is of no use */
    bool polls;          /* KERNEL: its buffers are followed by a tape_watch, whose `stop` it calls
                            every millisecond or so, and returns what that gives when it is not 0 */
    const void *numbers; /* KERNEL: follow its buffers, before the watch; they outlive the tape and
                            are only read. NULL: none do */
    const char *name;    /* for profiles; NULL: none */
    const void *what;    /* where it comes from: for HOST, and for whoever runs the tape */
    /* Buffers that are read, then those that are written. */
    const tape_buffer *buffers;
    uint32_t n_read, n_written;

    tape_kernel *kernel;
    int64_t extent;   /* work items of the kernel */
    int64_t grain;    /* fewest items worth a thread; 0 counts as 1 */
    uint64_t scratch; /* bytes that each thread needs */
    tape_host *host;
    uint64_t bytes; /* COPY; else what it moves, for profiles */
    uint64_t flops; /* for profiles */

    /* COND: the regions for true and false. WHILE: the condition, whose outputs are the predicate
     * and the values that go on, and the body. SCAN: the body. */
    uint32_t region[2];
    /* SCAN */
    uint32_t n_carries;
    int64_t iterations;

    /* Pairs of positions in `buffers`: a written buffer that may have the memory of a read one, if
     * nothing reads that afterwards. A kernel must allow this however its work is split. Used where
     * both are temporaries and it fits; where an output is made from a temporary; and where the
     * body of a loop updates a carry, which then stays in place. */
    const uint32_t (*in_place)[2];
    uint32_t n_in_place;
} tape_step;

typedef struct tape tape;

/* ---- building ---- */

tape *tape_new(const tn_allocator *allocator);
/* T may be NULL; nothing runs it. */
void tape_free(tape *t);
/* Call RELEASE on USER when T is freed; once for a tape. */
void tape_keep(tape *t, void (*release)(void *user), void *user);
/* Memory that lives as long as the tape: for names, descriptions and constants. */
arena *tape_memory(tape *t);
/* BYTES of it, aligned to TAPE_ALIGN, for data that runs read from end to end. */
char *tape_large(tape *t, uint64_t bytes);

/* A new block with its number of inputs and outputs; the first is the program. Blocks may be added
 * in any order, also those that steps name before they exist. */
uint32_t tape_block_add(tape *t, uint32_t n_inputs, uint32_t n_outputs);

/* The buffers of a block. Sizes are those of their whole tensors. Inputs and outputs are asked for
 * once each. An output is filled by steps of the block; or it is the same as an input (below). */
tape_buffer tape_input(tape *t, uint32_t block, uint32_t index, uint64_t bytes);
tape_buffer tape_output(tape *t, uint32_t block, uint32_t index, uint64_t bytes);
/* DATA outlives the tape and is only read. */
tape_buffer tape_constant(tape *t, uint32_t block, const void *data, uint64_t bytes);
/* Lives from the first step that names it to the last; the tape finds its place. */
tape_buffer tape_temp(tape *t, uint32_t block, uint64_t bytes);
/* Part of OF from byte OFFSET; OF may itself be a view. */
tape_buffer tape_view(tape *t, uint32_t block, tape_buffer of, uint64_t offset, uint64_t bytes);
/* Output OUTPUT has no buffer: it has the bytes of input INPUT. */
void tape_pass(tape *t, uint32_t block, uint32_t output, uint32_t input);

void tape_step_add(tape *t, uint32_t block, const tape_step *step);
/* Make tape_finish false: what was to be added could not be. */
void tape_fail(tape *t);

/* Find places for everything. False when memory was lacking, or sizes overflow, or regions contain
 * themselves; then only tape_free is of use. */
bool tape_finish(tape *t);

/* ---- what is known before the run ---- */

uint64_t tape_bytes(const tape *t, uint32_t threads); /* that a run holds, but for its outputs */
/* Is there a step whose work can be shared out? */
bool tape_uses_threads(const tape *t);
uint32_t tape_step_count(const tape *t, uint32_t block);
const tape_step *tape_step_at(const tape *t, uint32_t block, uint32_t index);
/* The place of a temporary in the block of memory that all share; UINT64_MAX for others. */
uint64_t tape_place_of(const tape *t, uint32_t block, tape_buffer b);

/* Buffers with their places, and steps, one a line, for dumps. */
struct text_buffer;
void tape_print(const tape *t, struct text_buffer *out);

/* ---- running ---- */

typedef enum tape_outcome {
    TAPE_DONE,
    TAPE_KERNEL_FAILED, /* a kernel gave a status */
    TAPE_HOST_FAILED,   /* a host step gave another status than TN_OK */
    TAPE_STOPPED,       /* the time was up, or the run was cancelled */
    TAPE_NO_MEMORY
} tape_outcome;

/* Called after each step, on the thread that runs the tape; times in ns of CLOCK_MONOTONIC. */
typedef struct tape_profile {
    void *user;
    void (*step)(void *user, const tape_step *step, int64_t begin, int64_t end, uint32_t threads);
} tape_profile;

typedef struct tape_run_options {
    workers *workers; /* NULL: the calling thread only */
    uint32_t threads; /* at most; 0: all of the workers */
    void *host;       /* for host steps */
    int64_t deadline; /* of CLOCK_MONOTONIC, in ns; 0: none. Checked before each step and iteration,
                         and every few milliseconds in a kernel */
    bool (*cancel)(void *user); /* asked as often, on any thread of the run: is it to stop? NULL:
                                   it is not */
    void *cancel_user;
    /* By output: true for memory in which nothing may be written when the run fails (but for a
     * timeout), and which may overlap inputs. NULL: no output is such. */
    const bool *guarded;
    const tape_profile *profile; /* NULL: none */
} tape_run_options;

/* How a run ended. */
typedef struct tape_result {
    tape_outcome outcome;
    tn_status status;      /* HOST_FAILED */
    int32_t code;          /* KERNEL_FAILED */
    const tape_step *step; /* that failed, or was next; NULL: none */
} tape_result;

/* Run T on INPUTS into OUTPUTS, which are aligned for their elements and do not overlap each other.
 */
tape_result tape_run(tape *t, const void *const *inputs, void *const *outputs,
                     const tape_run_options *options);

#endif
