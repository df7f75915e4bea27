/* Executables as data: a flat list of steps over buffers whose places are known before the run. The
 * runtime loads them, C and objects are printed from them.
 *
 * An executable is made of blocks: block 0 is the program, the others are regions of control flow.
 * A block has buffers and steps that run in order. Code is named by numbers: whoever loads the
 * executable says which function each stands for. Building never fails loudly: lack of memory is
 * sticky and exe_finish tells. After that an executable does not change. */
#ifndef PROGRAM_EXECUTABLE_H
#define PROGRAM_EXECUTABLE_H

#include "base/memory/memory.h"
#include "machine/machine.h"

/* Of scratch memory; and of temporaries where they have memory of their own, which steps must not
 * rely on: buffers are aligned for their elements. */
enum { EXE_ALIGN = 64 };

/* Round up to EXE_ALIGN; false when that does not fit. */
static inline bool exe_rounded(uint64_t bytes, uint64_t *out)
{
    *out = (bytes + EXE_ALIGN - 1) / EXE_ALIGN * EXE_ALIGN;
    return bytes <= PTRDIFF_MAX / 2;
}

/* Work items [BEGIN, END) on the buffers of a step; 0, or a status that stops the run. */
typedef int32_t exe_kernel(char *const *buffers, int64_t begin, int64_t end, char *scratch);
/* A step in C: WHAT is the step's, HOST the run's. */
typedef tn_status exe_host(const void *what, char *const *buffers, void *host);

/* What tells a kernel that takes long to stop; 0: go on. */
typedef struct exe_watch exe_watch;
struct exe_watch {
    int32_t (*stop)(const exe_watch *self);
    int64_t deadline;
    bool (*cancel)(void *user);
    void *user;
};

typedef uint32_t exe_buffer; /* numbers count in a block */
#define EXE_NO_BUFFER UINT32_MAX

typedef enum exe_kind {
    EXE_KERNEL, /* machine code, shared out over threads */
    EXE_HOST,   /* a function of the process that loads it, once */
    EXE_COPY,   /* buffer 0 to buffer 1: `bytes` bytes */
    EXE_COND,   /* buffer 0 selects the region; then operands and results */
    EXE_WHILE,  /* operands; results */
    EXE_SCAN    /* operands, the carries first; results, the carries first */
} exe_kind;

/* What a step is; everything is copied by exe_step_add but `name`, `what` and what they lead to.
 */
typedef struct exe_step {
    exe_kind kind;
    bool may_fail;       /* KERNEL: can return a status; others are known to be able to */
    bool is_certain;     /* HOST: returns TN_OK, unless the rest of the run is of no use */
    bool polls;          /* KERNEL: its buffers are followed by a exe_watch, whose `stop` it calls
                            every millisecond or so, and returns what that gives when it is not 0 */
    const void *numbers; /* KERNEL: follow its buffers, before the watch; they outlive the
                            executable and are only read. NULL: none do */
    const char *name;    /* for profiles; NULL: none */
    const void *what;    /* where it comes from: for HOST, and for whoever runs the tape */
    /* Buffers that are read, then those that are written, among which a kernel may have some that
     * it only reads, such as operands packed ahead of time. */
    const exe_buffer *buffers;
    uint32_t n_read, n_written;

    uint32_t code;    /* KERNEL: the number of its function */
    int64_t extent;   /* work items of the kernel */
    int64_t grain;    /* fewest items worth a thread; 0 counts as 1 */
    uint64_t scratch; /* bytes that each thread needs */
    uint32_t call;    /* HOST: the number of its function */
    uint64_t bytes;   /* COPY; else what it moves, for profiles */
    uint64_t flops;   /* for profiles */

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
} exe_step;

typedef struct executable executable;

/* ---- what an executable is made of ---- */

typedef enum exe_buffer_kind { IS_INPUT, IS_OUTPUT, IS_CONSTANT, IS_TEMP, IS_VIEW } exe_buffer_kind;

#define NEVER UINT32_MAX

typedef struct exe_buffer_info {
    exe_buffer_kind kind;
    memory_space space; /* where its bytes are */
    uint32_t index;     /* of the input or output; of the buffer that a view is part of */
    uint64_t offset;    /* VIEW: in that; TEMP: in the memory that all temporaries share */
    uint64_t bytes;
    const void *data;
    uint32_t first, last; /* steps that name it or a view of it */
    uint64_t room;        /* TEMP: bytes held for it; 0: another took them over */
    uint32_t next_first;  /* TEMP: the next one of the same `first` */
    uint32_t next_last;
} exe_buffer_info;

typedef struct exe_step_info {
    exe_step as;
    uint32_t table;   /* where its pointers begin in the table of the block */
    uint32_t n_extra; /* buffers of the step's own behind the others */
    exe_buffer *extra;
    uint32_t n_slots; /* pointers without a buffer, behind those */
    int64_t pieces;   /* that the work can be cut into, at most */
} exe_step_info;

/* Where an input or output of a region goes. */
typedef struct exe_port {
    uint32_t at; /* in the block's table */
    uint32_t index;
    bool is_output;
    uint64_t offset;
} exe_port;

typedef struct exe_block_info {
    uint32_t n_inputs, n_outputs;
    uint64_t *input_bytes, *output_bytes; /* UINT64_MAX: not told yet */
    uint32_t *pass, *update;              /* by output: an input, or NEVER */
    uint64_t *over; /* by output: the inputs that it may exactly lie over, as a mask (exe_input_bit)
                     */
    bool has_passes, has_updates;
    VECTOR(exe_buffer_info) buffers;
    VECTOR(exe_step_info) steps;
    VECTOR(exe_port) ports;
    uint32_t table; /* where the block's pointers begin in the table of a run */
    uint32_t n_table;
    uint64_t own;   /* bytes of the block's own temporaries */
    uint64_t frame; /* where they begin */
    bool may_fail;
    uint8_t mark;       /* while regions are followed; then 0: nothing runs it */
    bool is_other;      /* it is a region of something else than the body of a loop */
    uint32_t n_carries; /* at most, of the loops whose body it is */
} exe_block_info;

struct executable {
    tn_allocator allocator;
    arena arena;
    bool failed;
    tn_status why; /* it failed: as exe_finish */
    VECTOR(exe_block_info) blocks;
    uint32_t n_table; /* pointers of all blocks */
    uint64_t memory;  /* bytes of all temporaries */
    uint64_t scratch; /* most bytes that one thread needs */
    bool uses_threads;
    bool *is_early;      /* by output of the program: written before a step that can fail */
    uint32_t *last_step; /* by output of the program: that names it; NEVER: none does */
};

/* The bit of an input in masks; 0 of those behind the first 64. */
static inline uint64_t exe_input_bit(uint32_t input)
{
    return input < 64 ? UINT64_C(1) << input : 0;
}

/* The buffer that V is part of in the end, and from which byte on. */
static inline exe_buffer exe_root(const exe_block_info *b, exe_buffer v, uint64_t *offset)
{
    *offset = 0;
    while (b->buffers.at[v].kind == IS_VIEW) {
        *offset += b->buffers.at[v].offset;
        v = b->buffers.at[v].index;
    }
    return v;
}

enum { COPY_GRAIN = 1 << 19 }; /* bytes that are worth a thread */

/* ---- building ---- */

executable *exe_new(const tn_allocator *allocator);
/* X may be NULL; nothing has it loaded. */
void exe_free(executable *x);
/* Memory that lives as long as the executable: for names, descriptions and constants. */
arena *exe_memory(executable *x);

/* A new block with its number of inputs and outputs; the first is the program. Blocks may be added
 * in any order, also those that steps name before they exist. */
uint32_t exe_block_add(executable *x, uint32_t n_inputs, uint32_t n_outputs);

/* The buffers of a block. Sizes are those of their whole tensors. Inputs and outputs are asked for
 * once each. An output is filled by steps of the block; or it is the same as an input (below). */
exe_buffer exe_input(executable *x, uint32_t block, uint32_t index, uint64_t bytes);
exe_buffer exe_output(executable *x, uint32_t block, uint32_t index, uint64_t bytes);
/* DATA outlives the executable and is only read. */
exe_buffer exe_constant(executable *x, uint32_t block, const void *data, uint64_t bytes);
/* Lives from the first step that names it to the last; its place is found by exe_finish. */
exe_buffer exe_temp(executable *x, uint32_t block, uint64_t bytes);
/* Part of OF from byte OFFSET; OF may itself be a view. */
exe_buffer exe_view(executable *x, uint32_t block, exe_buffer of, uint64_t offset, uint64_t bytes);
/* Output OUTPUT has no buffer: it has the bytes of input INPUT. */
void exe_pass(executable *x, uint32_t block, uint32_t output, uint32_t input);

void exe_step_add(executable *x, uint32_t block, const exe_step *step);
/* Make exe_finish fail: what was to be added could not be, for lack of memory. */
void exe_fail(executable *x);

/* Find places for everything. TN_ERR_NOMEM, TN_ERR_UNAVAILABLE when sizes are larger than memory
 * can be or regions are too deep, or TN_ERR_INTERNAL when what was added makes no sense: a step
 * names what does not exist, an output has no buffer, regions contain themselves. Then only
 * exe_free is of use. */
tn_status exe_finish(executable *x);

/* ---- what is known before the run ---- */

uint64_t exe_bytes(const executable *x,
                   uint32_t threads); /* that a run holds, but for its outputs */
/* That values take in a run on one thread: what users are told. */
uint64_t exe_value_bytes(const executable *x);
/* Is there a step whose work can be shared out? */
bool exe_uses_threads(const executable *x);
uint32_t exe_step_count(const executable *x, uint32_t block);
const exe_step *exe_step_at(const executable *x, uint32_t block, uint32_t index);
/* The place of a temporary in the block of memory that all share; UINT64_MAX for others. */
uint64_t exe_place_of(const executable *x, uint32_t block, exe_buffer b);

/* What is wrong with X, which was finished, as a text of the library's own; NULL: nothing. For
 * development builds and tests. */
const char *exe_verify(const executable *x);
/* Buffers with their places, and steps, one a line, for dumps. */
struct text_buffer;
void exe_print(const executable *x, struct text_buffer *out);

#endif
