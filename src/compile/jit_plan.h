/* What the compiler is going to do with a module: kernels, their loop programs, and each distinct
 * program once. Code for machines and for C, and what explains it, is made from this. */
#ifndef COMPILE_JIT_PLAN_H
#define COMPILE_JIT_PLAN_H

#include "base/memory/hash.h"
#include "compile/other_sizes.h"
#include "loop/ir/numbers.h"
#include "loop/nest/nest.h"

/* A program that one or several steps run. */
typedef struct jit_unit {
    const loop_program *program;
    const void *key; /* loop_key */
    size_t key_bytes;
} jit_unit;

/* What a kernel has of its own in a step of its nest. */
typedef struct step_plan {
    uint32_t unit; /* its program */
    const loop_program *program;
    const nest_move *moved; /* as many as the nest says */
    /* What the program reads behind its buffers, and the scratch memory of a thread. */
    uint32_t n_numbers;
    const uint64_t *numbers;
    uint64_t scratch;
    /* The program before it was shared, as a key, where it packs a constant: what other plans pack,
     * too, whatever they share. */
    const void *own_key;
    size_t own_key_bytes;
    const void *packed; /* the constant that it would make in each run; NULL: it does
                           (compile/jit_pack.h) */
} step_plan;

/* There may be as many as a text has operations, so all that kernels have alike stands once. */
typedef struct kernel_plan {
    const nest *nest;  /* of many kernels; without programs and what is moved */
    step_plan *steps;  /* as many as those of the nest */
    bool by_reference; /* no nest: the node runs by its reference kernel */
    bool is_generic;   /* its programs are those for other sizes, too */
} kernel_plan;

/* What a run does with a function. */
typedef enum function_role {
    FUNCTION_UNUSED,   /* nothing: the entry does not lead there */
    FUNCTION_IN_LOOPS, /* its nodes are part of kernels that are the loops over it */
    FUNCTION_RUNS
} function_role;

typedef struct function_plan {
    const function *f;
    function_role role; /* others than those that run have no plans */
    kernel_list kernels;
    kernel_plan *plans; /* by kernel; NULL: the function runs by reference kernels */
    const char *why;    /* without plans: what has no loops, and for what reason */
} function_plan;

typedef struct jit_plan {
    const module *m; /* without composite ops: what was given, or a copy */
    nest_options nests;
    bool polls;      /* long programs poll (loop/ir/polls.h), at the buffer behind all of a step */
    module *lowered; /* that copy, in a context of its own; NULL: none was needed */
    const tn_allocator *allocator;
    char why[256]; /* what is not covered, or the defect */
    arena memory;
    other_sizes *others; /* NULL: nothing is known of other sizes */
    module *other; /* without composite ops, until the loops are made; NULL: as OTHERS has it */
    function_plan *functions; /* by function of M */
    VECTOR(jit_unit) units;
    hash_index by_key;
} jit_plan;

/* Free a lowered copy and its context; NULL is nothing. */
void jit_lowered_free(module *lowered);
/* A plan of NESTS. OTHERS, which may be NULL and is not needed after
 * jit_plan_loops, is the same program with other sizes: what is another number there is one that
 * programs read, so that they are those for all such sizes. POLLS: programs may be stopped
 * while they run. Release it in any case. */
void jit_plan_init(jit_plan *p, other_sizes *others, const nest_options *nests, bool polls,
                   const tn_allocator *allocator);
/* The stages of planning, in order (compile/pipeline.c). Each returns TN_ERR_NOMEM, or
 * TN_ERR_INTERNAL for a defect, which P->why says. M is static and outlives the plan. What the
 * loops do not cover is no failure. */
tn_status jit_plan_lower(jit_plan *p, const module *m);
/* After jit_plan_lower: values are computed again where all of them together take more than LIMIT
 * bytes (plan/recompute). */
tn_status jit_plan_recompute(jit_plan *p, uint64_t limit);
tn_status jit_plan_kernels(jit_plan *p);
tn_status jit_plan_loops(jit_plan *p);
void jit_plan_release(jit_plan *p);

/* ---- what the stages share ---- */

/* The number of PROGRAM among the units; UINT32_MAX without memory. */
uint32_t jit_unit_of(jit_plan *j, const loop_program *program);
/* How many buffers STEP has. Behind them are the numbers it reads, if any, and what it polls. */
uint32_t jit_buffers_of(const kernel *k, const nest *n, const nest_step *step);
/* jit_share.c: programs that differ only in constants become one, which reads them from numbers,
 * where that costs nothing. False without memory. */
bool jit_share_programs(jit_plan *j);

/* `sub exp sum div`; in MEMORY, never NULL. */
const char *jit_kernel_name(const function *f, const kernel *k, arena *memory);

#endif
