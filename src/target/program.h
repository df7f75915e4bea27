/* A planned program as data, for everything that is made ahead of time: C files, objects, archives,
 * shared objects. */
#ifndef TARGET_PROGRAM_H
#define TARGET_PROGRAM_H

#include "target/target.h"

/* An input or output, as the caller sees it. */
typedef struct target_port {
    const char *name; /* any text; NULL: none */
    tn_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    uint64_t bytes;
} target_port;

typedef struct target_constant {
    const void *bytes;
    uint64_t n_bytes;
    const char *note; /* one line of any text, or NULL */
} target_constant;

typedef enum target_place {
    TARGET_INPUT = 0,
    TARGET_OUTPUT,
    TARGET_CONSTANT,
    TARGET_WORKSPACE
} target_place;

typedef struct target_buffer {
    target_place place;
    uint32_t index;  /* which input, output or constant; 0 for the workspace */
    uint64_t offset; /* bytes from its start */
} target_buffer;

/* One call of a kernel on all of its work. */
typedef struct target_step {
    uint32_t function;
    uint32_t n_buffers;
    const uint32_t *buffers; /* in the program's table, in the order of the kernel's */
    int64_t extent;          /* the work is [0, extent) */
    uint64_t scratch;        /* where the kernel's scratch memory lies in the workspace */
    const char *note;        /* as for constants */
} target_step;

enum { TARGET_ALIGN = 64 }; /* of the workspace and of constants */

typedef struct target_program {
    const char *name; /* a C identifier: the entry is NAME_run */
    const char *note; /* what it was made from; as for constants */
    const target_function *functions;
    const target_port *inputs, *outputs;
    const target_constant *constants;
    const target_buffer *buffers;
    const target_step *steps;
    uint32_t n_functions, n_inputs, n_outputs, n_constants, n_buffers, n_steps;
    uint64_t workspace_bytes;
} target_program;

/* One C file that needs nothing else but a C library. Its entry is
 *
 *     int NAME_run(const void *const *inputs, void *const *outputs, void *workspace)
 *
 * which returns 0 or the status of the first kernel that failed. The arrays of inputs and outputs
 * are in the program's order; the workspace has NAME_WORKSPACE_BYTES bytes, aligned to
 * TARGET_ALIGN. It may be called by several threads at once with workspaces of their own. */
void target_c_file(const target_program *program, text_buffer *out);
/* The header that declares the entry and says what it takes. */
void target_c_header(const target_program *program, text_buffer *out);

#endif
