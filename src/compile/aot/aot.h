/* Programs as data from which code is made ahead of time: the kernels of a plan, the steps and
 * places of an executable, constants. */
#ifndef COMPILE_AOT_AOT_H
#define COMPILE_AOT_AOT_H

#include "compile/jit_executable.h"
#include "compile/pipeline.h"
#include "target/target_program.h"

typedef struct aot {
    const tn_allocator *allocator;
    engine here;   /* for what runs once, on constants: what it makes is part of the program */
    uint64_t seed; /* of random generators */
    arena memory;
    pipeline made;
    const executable *exe; /* its own */
    VECTOR(target_function) functions;
    VECTOR(target_constant) constants;
    VECTOR(target_buffer) buffers;
    VECTOR(target_step) steps; /* of all blocks, one after the other */
    hash_index by_data;        /* of constants */
    target_program program;    /* made of all these */
} aot;

/* Make A of M, which is static, optimised and outlives A, with such NESTS; `program`
 * lacks only its name, note and ports. NotImplemented, reported for each, when operations have no
 * kernels. A is released in any case. */
tn_status aot_make(aot *a, module *m, const nest_options *nests, uint64_t seed,
                   const tn_allocator *allocator);
void aot_release(aot *a);

/* ---- aot_steps.c ---- */

/* The blocks of A's executable, whose steps know their units (step_origin). What cannot be is
 * reported as M reports. */
tn_status aot_add_blocks(aot *a, const module *m);

/* ---- aot_loops.c ---- */

struct exe_block_info;
struct exe_step_info;

/* A block on its way; failures are sticky. */
typedef struct aot_block {
    aot *a;
    const struct exe_block_info *b;
    uint32_t n_pointers;
    bool failed; /* no memory */
} aot_block;

/* Where buffer V of the block lies. */
target_buffer aot_place(aot_block *k, uint32_t v);
/* Append a step on the N places AT. */
void aot_step(aot_block *k, target_step step, const target_buffer *at, uint32_t n);
void aot_copy(aot_block *k, target_buffer from, target_buffer to, uint64_t bytes);
void aot_copy_buffer(aot_block *k, uint32_t from, uint32_t to, uint64_t bytes);

/* The steps of control flow. */
void aot_cond(aot_block *k, const struct exe_step_info *s);
void aot_while(aot_block *k, const struct exe_step_info *s);
void aot_scan(aot_block *k, const struct exe_step_info *s);

#endif
