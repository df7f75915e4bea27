/* From a module to a tape: a block for each function, and steps that run nodes by their reference
 * kernels. What has compiled kernels for a function adds their steps in place of these. */
#ifndef COMPILE_JIT_TAPE_H
#define COMPILE_JIT_TAPE_H

#include "eval/eval.h"
#include "runtime/tape.h"

/* Where a step comes from: `what` of every step. */
typedef struct step_origin {
    const function *f;
    const node *n;
    uint32_t unit;     /* of a kernel: its program in the plan */
    const void *check; /* of a step that compares: what (compile/check.c); else NULL */
} step_origin;

/* What reference steps run with: the `host` of a run. */
typedef struct jit_host {
    eval_run *run;
    arena scratch;
    struct checker *checker; /* NULL: the tape has no steps that compare */
} jit_host;

typedef struct tape_maker {
    tape *t;
    const module *m;
    uint32_t *block_of; /* by function: 1 + its block; 0: nothing runs it */
} tape_maker;

/* One function on its way to a tape. */
typedef struct tape_block {
    tape_maker *maker;
    tape *t;
    const function *f;
    uint32_t block;
    const value_id *same_as; /* by value: whose memory it is */
    tape_buffer *buffer;     /* by value; TAPE_NO_BUFFER: none yet */
    uint32_t *parameter;     /* by value: 1 + its number */
    uint32_t seed;           /* 1 + the buffer that holds the seed of the run; 0: none yet */
} tape_block;

/* Adds the steps of B. SAME_AS of B is set by tape_block_begin, which comes first. False when there
 * is no memory. */
typedef bool tape_steps_fn(void *user, tape_block *b);

/* A tape that does what M's entry does; M is static and outlives the tape. STEPS NULL: reference
 * steps only. NULL when there is no memory, or the evaluator needs much less of it. */
tape *tape_of_module(const module *m, const tn_allocator *allocator, tape_steps_fn *steps,
                     void *user);

/* SAME_AS (by value; lives as long as the tape): a value with the same bytes, itself for most.
 * Values of outputs get their buffers. */
bool tape_block_begin(tape_block *b, const value_id *same_as);
/* The buffer of a value. Constants are ready in it; others hold what steps put there. */
tape_buffer tape_block_value(tape_block *b, value_id v);
/* The buffer of the seed, 8 bytes. N: a node that wants it. */
tape_buffer tape_block_seed(tape_block *b, const node *n);
/* Is S the step that puts it there? */
bool tape_is_seed(const tape_step *s);
/* Run N, control flow included, by its reference kernel. */
void tape_block_reference(tape_block *b, const node *n);
/* A step of B as it stands, with its origin; fields may be changed before it is added. UNIT: of a
 * kernel, its program. */
tape_step tape_block_step(tape_block *b, tape_kind kind, const node *n, uint32_t unit);

/* All steps of B by reference kernels; USER is not used. */
tape_steps_fn tape_reference_steps;

/* For tape_block_begin: what only changes a shape is the same. NULL when there is no memory. */
value_id *tape_plain_aliases(const function *f, arena *memory);

#endif
