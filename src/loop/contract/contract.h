/* Contractions as loop programs: matrix products and convolutions, with the bits of
 * docs/numerics.md, section 6.
 *
 * A result element is a sum of products over the axes of K. Every axis belongs to the batch, to M
 * (the rows of results), to N (their columns) or to K, and says how far one step along it goes in
 * each operand and in the result. Axes that walk memory alike are joined here, so callers need not.
 *
 * What comes out is up to three programs, to run in order, each over its own number of work items,
 * shared among threads in any way. All take the same list of buffers (enum contract_buffer); those
 * that a program does not use may be NULL. */
#ifndef LOOP_CONTRACT_CONTRACT_H
#define LOOP_CONTRACT_CONTRACT_H

#include "loop/contract/contract_schedule.h"
#include "loop/element/element.h"
#include "machine/machine.h"

enum { CONTRACT_MAX_AXES = 32, CONTRACT_MAX_WINDOWS = 4, CONTRACT_MAX_WALKERS = 4 };

/* Steps in elements of each operand; 0 where an operand does not have the axis. Batch and M axes
 * have b == 0 or a step; M: b == 0 (but see contract_batch_to_rows), N: a == 0, K: c == 0. */
typedef struct contract_axis {
    int64_t extent;
    int64_t a, b, c;
    int64_t extent_other, a_other, b_other, c_other; /* the same with other sizes: see sized.h */
} contract_axis;

typedef enum contract_list { CONTRACT_BATCH, CONTRACT_M, CONTRACT_N, CONTRACT_K } contract_list;

/* An axis of A in memory that several axes walk together, mostly one of M and one of K: its
 * coordinate is the sum of their positions times `by`, less `low`, and outside of 0 .. extent - 1
 * the element is +0, or `a_border`. `step` is that of A's axis, in elements; what the axes have as
 * `a` comes on top. */
typedef struct contract_window {
    uint32_t n;
    struct {
        contract_list list;
        uint32_t axis;
        int64_t by; /* above 0 */
        int64_t by_other;
    } walkers[CONTRACT_MAX_WALKERS];
    int64_t low, extent, step;
    int64_t low_other, extent_other, step_other;
} contract_window;

enum contract_buffer {
    CONTRACT_A = 0,
    CONTRACT_B,
    CONTRACT_C,
    CONTRACT_PACKED_A, /* between the programs: aligned to LOOP_ALIGN */
    CONTRACT_PACKED_B,
    CONTRACT_MORE /* the first of the caller's own */
};

/* Element AT + ALONG of an operand (i64, in elements), ROWS rows further. */
typedef struct contract_place {
    loop_value at;
    loop_value along;  /* LOOP_NO_VALUE: 0; else AT and AT + ALONG lie in one row of the operand */
    uint32_t rows, of; /* the number of AT's row is a multiple of OF, and ROWS is less; OF 0: no */
    /* A load so many elements further follows soon (0: none), whose memory may be fetched; and so
     * many elements directly before these were loaded just now. */
    int64_t ahead;
    uint32_t before;
} contract_place;

/* Where the elements of an operand come from, when they are not simply in its buffer: LANES
 * elements from PLACE on, of which the first COUNT (i64) are asked for when it is not
 * LOOP_NO_VALUE; they have the operand's dtype, and lie in one row where PLACE has `along`. Called
 * while B is being built, perhaps several times; may use the caller's own buffers. Elements outside
 * of the operand are not asked for. */
typedef element contract_load(void *user, loop_builder *b, const contract_place *place,
                              uint32_t lanes, loop_value count);

/* A part of a row or column of results, as `finish` gets it. */
typedef struct contract_part {
    element value;  /* rounded to dtype `c`; LANES neighbours along N */
    bool is_column; /* ... along M */
    uint32_t lanes;
    loop_value count; /* i64: only so many count; LOOP_NO_VALUE: all */
    /* i64: the row-major number of the position among the axes of the batch, of M, of N as the
     * caller has them, for the first lane. */
    loop_value batch, m, n;
    loop_value at;  /* i64: the offset of the first lane in C, in elements */
    sized step;     /* in C, from lane to lane, in elements */
    uint32_t align; /* divides the byte offset of `at` */
    int64_t next;   /* not 0: the lines so many elements after `at` are worth fetching: results of
                       the next block come there */
} contract_part;
typedef void contract_finish(void *user, loop_builder *b, const contract_part *part);

typedef struct contract_spec {
    tn_dtype a, b; /* of the operands' elements */
    /* `sum` is the accumulator as the graph names it: operands are converted to what it computes
     * in, and the total is rounded to it before it is converted to `c`. */
    tn_dtype sum, c;
    uint32_t n_batch, n_m, n_n, n_k; /* outermost first; K in the order of the products */
    contract_axis batch[CONTRACT_MAX_AXES], m[CONTRACT_MAX_AXES], n[CONTRACT_MAX_AXES],
        k[CONTRACT_MAX_AXES];
    uint32_t n_windows;
    contract_window windows[CONTRACT_MAX_WINDOWS];
    int64_t a_border;                  /* an integer, where A is of integers */
    int64_t a_first, b_first, c_first; /* elements before the one at position 0 of every axis */
    int64_t a_first_other, b_first_other;
    bool is_transposed; /* the caller's positions have the axes of N before those of M */
    bool b_is_first; /* products are b * a; of complex numbers that rounds otherwise than a * b */
    bool a_is_constant, b_is_constant; /* what packs a constant runs once, ahead of time, so packing
                                          costs less */
    contract_load *load_a, *load_b;    /* NULL: from the buffer */
    void *user_a, *user_b;
    int64_t row_a, row_b; /* what is loaded so lies in rows of so many elements; 0: is not told */
    contract_finish *finish; /* NULL: store to C */
    void *user_finish;
    bool finish_is_small; /* it is few instructions, which may be repeated for every vector of a
                             block */
    /* A stage: A (C) is in scratch memory, where row 0 is the first row of the item. There batch
     * axes have no steps, and the axes of M are contiguous with each other. */
    bool a_in_scratch, c_in_scratch;
    contract_schedule
        wanted; /* chosen by hand; what it leaves open, or cannot be, is chosen here */
} contract_spec;

/* Products of the right operand that lie side by side: shorter runs are packed element by element.
 */
enum { CONTRACT_LEAST_RUN = 4 };

typedef enum contract_role {
    CONTRACT_PACKS_A,
    CONTRACT_PACKS_B,
    CONTRACT_MULTIPLIES,
    CONTRACT_ADDS /* what blocks of products come to, where they are items of their own */
} contract_role;

typedef struct contract_step {
    contract_role role;
    const loop_program *program;
    int64_t work;          /* items */
    int64_t grain;         /* fewest items worth a thread */
    bool is_once;          /* it packs a constant */
    uint64_t flops, bytes; /* for profiles; bytes are those that must move */
} contract_step;

typedef struct contract_plan {
    contract_step steps[3];
    uint32_t n_steps;
    uint64_t packed_a_bytes, packed_b_bytes; /* 0: that buffer is not used */
    contract_schedule schedule;              /* what was chosen */
    const char *how;                         /* the same in a few words for people */
} contract_plan;

/* Each batch has one result, a sum over elements that are contiguous in both operands? Then the
 * batches become rows, the only ones that have steps in both. Not of a stage. */
void contract_batch_to_rows(contract_spec *spec);

/* The programs for SPEC, in MEMORY. False without memory, when sizes overflow, or when a callback
 * fails, which *FAULT then names (else NULL). */
bool contract_build(const contract_spec *spec, const machine *on, arena *memory,
                    contract_plan *plan, const char **fault);

/* The fewest of ITEMS that are worth a thread where all of them take so many OPERATIONS, additions
 * and multiplications. */
int64_t contract_grain(uint64_t operations, int64_t items);

/* What step I of a plan does, in a few words. */
const char *contract_how(const contract_plan *plan, uint32_t i);

/* Axis M of the rows, STRIDE at a time, and axis K of the products, by DILATION. */
static inline contract_window contract_window_of(uint32_t m, uint32_t k, int64_t stride,
                                                 int64_t dilation, int64_t low, int64_t extent,
                                                 int64_t step)
{
    return (contract_window){
        .n = 2,
        .walkers = {{CONTRACT_M, m, stride, stride}, {CONTRACT_K, k, dilation, dilation}},
        .low = low,
        .extent = extent,
        .step = step,
        .low_other = low,
        .extent_other = extent,
        .step_other = step};
}

/* ---- as a part of a larger program ---- */

/* A contraction as part of a larger program, which computes its blocks of rows one by one. A block
 * has all columns; the blocks of one batch are numbered in order. */
typedef struct contract_stage contract_stage;

/* The steps that pack operands are in PLAN and must run before. NULL where contract_build is false,
 * and for contractions that are not products of rows. */
contract_stage *contract_stage_new(const contract_spec *spec, const machine *on, arena *memory,
                                   contract_plan *plan, const char **fault);
/* How many rows of a block stay in registers at most. */
int64_t contract_stage_rows(const contract_stage *s);
/* Blocks of at most ROWS rows; or the same as in OTHER, which must not be larger than that. */
void contract_stage_split(contract_stage *s, int64_t rows);
void contract_stage_split_like(contract_stage *s, const contract_stage *other);
/* Batches, the blocks of each, and the rows of the largest block. */
int64_t contract_stage_batches(const contract_stage *s);
int64_t contract_stage_blocks(const contract_stage *s);
int64_t contract_stage_height(const contract_stage *s);
/* The schedule, once it is cut into blocks; items have GROUP of them. */
contract_schedule contract_stage_schedule(const contract_stage *s, int64_t group);
/* The bytes of right operands that a block meets. */
uint64_t contract_stage_operand(const contract_stage *s);
/* Begin a program that contains the stage. AT: addresses by contract_buffer. Outside of loops. */
void contract_stage_open(contract_stage *s, loop_builder *b, const loop_value *at);
/* The numbers of blocks of a batch, and of ITEMS that they make, in such a program. */
loop_value contract_stage_end(const contract_stage *s, loop_builder *b);
loop_value contract_stage_items(const contract_stage *s, loop_builder *b, int64_t items);
/* ... and of blocks in an item, GROUP, of which a number for memory is sized so. */
loop_value contract_stage_group(const contract_stage *s, loop_builder *b, int64_t group);
sized contract_stage_sized(const contract_stage *s, int64_t x);
/* The first row of block BLOCK (i64, up to the number of blocks), in its batch. */
loop_value contract_stage_row(contract_stage *s, loop_value block);
/* Blocks LOW .. HIGH - 1 of BATCH; FIRST_ROW is the row at the start of scratch memory. All i64. */
void contract_stage_emit(contract_stage *s, loop_value batch, loop_value low, loop_value high,
                         loop_value first_row);

/* Fill in one axis. */
static inline void contract_axis_add(contract_axis *list, uint32_t *n, int64_t extent, int64_t a,
                                     int64_t b, int64_t c)
{
    list[(*n)++] = (contract_axis){.extent = extent,
                                   .a = a,
                                   .b = b,
                                   .c = c,
                                   .extent_other = extent,
                                   .a_other = a,
                                   .b_other = b,
                                   .c_other = c};
}

#endif
