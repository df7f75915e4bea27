/* Comparing a run with the reference evaluator, kernel by kernel: for whoever doubts a result.
 *
 * A tape that checks has steps beside those of its kernels: one before the first of a block, which
 * has the evaluator compute what all of them are to leave in memory, from what the block is given;
 * and one behind each kernel that completes values, which compares them. So a loop is compared
 * iteration by iteration, and since all kernels before were right, the first that differs is the
 * one at fault. */
#ifndef COMPILE_CHECK_H
#define COMPILE_CHECK_H

#include "compile/jit_executable.h"
#include "compile/jit_plan.h"

/* What is compared in a block; lives as long as the tape. */
typedef struct check_block check_block;

/* The step before the kernels of P, which outlives the tape together with the units of PLAN. NULL
 * without memory. */
const check_block *check_before(exe_block *b, const function_plan *p, const jit_plan *plan);
/* The step behind kernel number INDEX, where there is something to compare. */
void check_behind(exe_block *b, const check_block *c, uint32_t index);

/* What the evaluator says of one block. */
typedef struct check_values check_values;

/* One run that is checked. */
typedef struct checker {
    tn_allocator allocator;
    check_values *values; /* a list */
    const char *cpu;      /* NULL: this one */
    uint32_t threads;
    bool has_found; /* a kernel that differs, which was reported */
    tn_status lack; /* why the evaluator could not say what is right; TN_OK: it could */
} checker;

void checker_release(checker *k);

/* Are A and B, of type T, the same elements? NaNs are. Else *AT is the first that differs, and *N
 * how many do. */
bool check_same(const type *t, const void *a, const void *b, int64_t *at, int64_t *n);
/* The note of such a difference, for the open diagnostic of D. NAME says what differs. */
void check_note(diag_channel *d, const module *m, const char *name, const type *t, const void *have,
                const void *want, int64_t at, int64_t n);

#endif
