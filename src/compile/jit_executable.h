/* From a module to an executable: a block for each function, and steps that run nodes by their
 * reference kernels. What has compiled kernels for a function adds their steps in place of these.
 */
#ifndef COMPILE_JIT_EXECUTABLE_H
#define COMPILE_JIT_EXECUTABLE_H

#include "eval/eval.h"
#include "program/executable.h"

/* Where a step comes from: `what` of every step. */
typedef struct step_origin {
    const function *f;
    const node *n;
    const void *check; /* of a step that compares: what (compile/check.c); else NULL */
    uint32_t kernel;   /* 1 + its number in the plan of F; 0: it belongs to none */
} step_origin;

/* What reference steps run with: the `host` of a run. */
typedef struct jit_host {
    eval_run *run;
    arena scratch;
    struct checker *checker; /* NULL: the tape has no steps that compare */
} jit_host;

/* The functions of host steps, by the number that an executable has for each: `what` of each step
 * is its step_origin, `host` of the run a jit_host. */
typedef enum host_call {
    CALL_REFERENCE, /* the reference kernel of a node */
    CALL_SEED,      /* puts the seed of the run into a buffer */
    CALL_JUDGE,     /* the evaluator computes what the kernels of a block are to leave (check.c) */
    CALL_COMPARE,   /* compares what one of them left with that */
    CALL_COUNT
} host_call;

exe_host host_reference, host_seed, host_judge, host_compare;

extern exe_host *const host_calls[CALL_COUNT];

typedef struct exe_maker {
    executable *t;
    const module *m;
    uint32_t *block_of; /* by function: 1 + its block; 0: no step runs it so far */
    uint32_t *list, n;  /* by block: its function */
} exe_maker;

/* One function on its way to an executable. */
typedef struct exe_block {
    exe_maker *maker;
    executable *t;
    const function *f;
    uint32_t block;
    const value_id *same_as; /* by value: whose memory it is */
    exe_buffer *buffer;      /* by value; EXE_NO_BUFFER: none yet */
    uint32_t *parameter;     /* by value: 1 + its number */
    uint32_t kernel;         /* that steps are added for: as in their origin */
    uint32_t seed;           /* 1 + the buffer that holds the seed of the run; 0: none yet */
} exe_block;

/* Adds the steps of B. SAME_AS of B is set by exe_block_begin, which comes first. */
typedef tn_status exe_steps_fn(void *user, exe_block *b);

/* *OUT: an executable that does what M's entry does; M is static and outlives it. STEPS NULL:
 * reference steps only. TN_ERR_NOMEM; TN_ERR_UNAVAILABLE where values are too large to hold, which
 * the evaluator computes where they are read; TN_ERR_INTERNAL for a defect (exe_finish). */
tn_status executable_of_module(const module *m, const tn_allocator *allocator, exe_steps_fn *steps,
                               void *user, executable **out);

/* SAME_AS (by value; lives as long as the executable): a value with the same bytes, itself for
 * most. Values of outputs get their buffers. */
bool exe_block_begin(exe_block *b, const value_id *same_as);
/* The buffer of a value. Constants are ready in it; others hold what steps put there. */
exe_buffer exe_block_value(exe_block *b, value_id v);
/* The buffer of the seed, 8 bytes. N: a node that wants it. */
exe_buffer exe_block_seed(exe_block *b, const node *n);
/* Is S the step that puts it there? */
bool exe_is_seed(const exe_step *s);
/* Run N, control flow included, by its reference kernel. */
void exe_block_reference(exe_block *b, const node *n);
/* A step of B as it stands, with its origin; fields may be changed before it is added. */
exe_step exe_block_step(exe_block *b, exe_kind kind, const node *n);

/* All steps of B by reference kernels; USER is not used. */
exe_steps_fn exe_reference_steps;

/* For exe_block_begin: what only changes a shape is the same. NULL when there is no memory. */
value_id *exe_plain_aliases(const function *f, arena *memory);

#endif
