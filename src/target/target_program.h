/* A planned program as data, for everything that is made ahead of time: C files, objects, archives,
 * shared objects. */
#ifndef TARGET_TARGET_PROGRAM_H
#define TARGET_TARGET_PROGRAM_H

#include "target/target.h"

/* An input or output, as the caller sees it. */
typedef struct target_port {
    const char *name; /* any text; NULL: none */
    tn_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    uint64_t bytes;
    uint32_t align; /* that the entry asks of its address, a power of 2; 0 as 1 */
} target_port;

typedef struct target_constant {
    const void *bytes;
    uint64_t n_bytes;
    const char *note; /* one line of any text, or NULL */
} target_constant;

typedef enum target_place {
    TARGET_INPUT = 0, /* of the block that uses the buffer */
    TARGET_OUTPUT,    /* likewise */
    TARGET_CONSTANT,
    TARGET_WORKSPACE,
    TARGET_POINTER, /* where a pointer variable of the block leads */
    TARGET_NOTHING  /* NULL: a kernel does not look at it */
} target_place;

typedef struct target_buffer {
    target_place place;
    uint32_t index;  /* which input, output, constant or variable; 0 for the workspace */
    uint64_t offset; /* bytes from its start */
} target_buffer;

/* What a step does; LOOP and IF go up to their END and may nest. */
typedef enum target_kind {
    TARGET_KERNEL = 0, /* function `index` on [0, extent) */
    TARGET_BLOCK,      /* block `index`: its inputs, then its outputs */
    TARGET_COPY,       /* `bytes` from buffer 0 to 1: the same place, or they do not overlap */
    TARGET_POINT,      /* pointer variable `index` leads to buffer 0 now */
    TARGET_LOOP,       /* `extent` times; for ever when that is negative */
    TARGET_LEAVE,      /* the loop ends when the byte at buffer 0 is 0 */
    TARGET_IF,         /* when the byte at buffer 0 is not 0 */
    TARGET_ELSE,
    TARGET_END
} target_kind;

typedef struct target_step {
    uint32_t index;
    uint32_t n_buffers;
    const uint32_t *buffers; /* in the program's table; of a kernel in its order */
    int64_t extent;
    int64_t pieces;   /* KERNEL: that its work can be cut into, at most */
    const char *note; /* as for constants */
    target_kind kind;
    uint64_t bytes;
} target_step;

/* Steps in order. Block 0 is the program, the others are what its loops and branches run; none
 * runs itself. */
typedef struct target_block {
    const target_step *steps;
    uint32_t n_steps, n_inputs, n_outputs, n_pointers;
    const char *note; /* as for constants */
} target_block;

enum { TARGET_ALIGN = 64 }; /* of the workspace and of constants */
/* What the entry returns, with nothing done: where an address is not aligned, where its C was
 * compiled so that products and sums round once, where the weights are not its own, and where an
 * input has bytes that are no elements of its type. */
enum {
    TARGET_MISALIGNED = -1,
    TARGET_CONTRACTED = -2,
    TARGET_OTHER_WEIGHTS = -3,
    TARGET_OUT_OF_RANGE = -4
};

/* The weights of a program: "tenon-w1", a hash of what follows (the mark), and each constant at a
 * multiple of TARGET_ALIGN. */
enum { TARGET_MARK_AT = 8 };

typedef struct target_program {
    const char *name; /* a C identifier: the entry is NAME_run */
    const char *note; /* what it was made from; as for constants */
    const target_function *functions;
    const target_port *inputs, *outputs; /* of block 0 */
    const target_constant *constants;
    const target_buffer *buffers;
    const target_block *blocks;
    uint32_t n_functions, n_inputs, n_outputs, n_constants, n_buffers, n_blocks;
    /* The workspace: this for temporaries, a multiple of TARGET_ALIGN, and behind it scratch memory
     * of one kernel; where work is shared out, of one for each thread, behind its status. */
    uint64_t temporary_bytes, scratch_bytes;
    bool takes_weights; /* constants are not in the code: the entry is told where they lie */
    bool shares_work;   /* the entry is given threads, which kernels are shared out over */
} target_program;

/* What block 0 runs in the end, which is all that is written. With `takes_weights`, the constants
 * of it lie at these offsets of the weights, which begin with `mark` (target_weights). */
typedef struct target_used {
    bool *blocks, *functions, *constants;
    uint64_t *offsets, weights_bytes, mark;
    bool shares; /* some kernel is shared out */
} target_used;
/* In MEMORY; false without memory. */
bool target_find_used(const target_program *program, arena *memory, target_used *used);
/* Of one thread, where work is shared out: TARGET_ALIGN bytes that begin with the status of a
 * kernel, and its scratch memory. */
static inline uint64_t target_slot(const target_program *p)
{
    return TARGET_ALIGN + p->scratch_bytes;
}
/* The bytes of the workspace of a run on THREADS threads. */
static inline uint64_t target_workspace(const target_program *p, uint32_t threads)
{
    return p->temporary_bytes + (p->shares_work ? threads * target_slot(p) : p->scratch_bytes);
}
/* Is the work of S, a kernel, shared out? */
static inline bool target_is_shared(const target_program *p, const target_step *s)
{
    return p->shares_work && s->pieces > 1;
}
/* Does a step of B call something, so that there is a status? */
bool target_block_calls(const target_block *b);

/* One C file that needs nothing else but a C library. Its entry is
 *
 *     int NAME_run(const void *const *inputs, void *const *outputs, void *workspace)
 *
 * with `, const void *weights` behind where it takes weights, aligned to TARGET_ALIGN, and
 * `, const struct tenon_threads *threads` where work is shared out. It returns 0, one of the above
 * or the status of the first kernel that failed. The arrays of inputs and outputs are in the
 * program's order; the workspace has target_workspace bytes, aligned to TARGET_ALIGN. It may be
 * called by several threads at once with workspaces of their own. */
void target_c_file(const target_program *program, text_buffer *out);
/* The constants of a program that takes weights, as the entry wants them in memory. */
void target_weights(const target_program *program, text_buffer *out);
/* The header that declares the entry and says what it takes. */
void target_c_header(const target_program *program, text_buffer *out);

/* The same as an object, assembly or LLVM IR, as target_llvm: the one symbol that others see is
 * NAME_run. */
tn_status target_llvm_program(context *cx, const target_program *program,
                              const target_options *options, text_buffer *out);

#endif
