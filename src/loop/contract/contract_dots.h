/* What the files share that multiply rows of both operands. */
#ifndef LOOP_CONTRACT_CONTRACT_DOTS_H
#define LOOP_CONTRACT_CONTRACT_DOTS_H

#include "loop/contract/contract_multiply.h"

typedef struct dots {
    problem *p;
    loop_builder *b;
    multiplier g; /* which finishes the results */
    uint32_t nv;  /* vectors of chains */
    bool by_rows; /* a lane is a row, else a block of products */
    int64_t rows;
    sized a_step, b_step;
    loop_value a_at[2 * LOOP_MAX_LANES], b_at[2 * LOOP_MAX_LANES]; /* where the chains begin, see
                                                                      `dots_place` */
    element sums[2];                                               /* variables */
    element total;      /* a variable: what the sums of blocks join, ... */
    loop_value sums_at; /* ... unless they are stored there */
} dots;

/* Element AT (i64) of FROM: an address, or its number where a callback loads it. */
loop_value dots_place(dots *d, const factors *from, loop_value at);
/* UNITS (i64) elements behind AT. */
loop_value dots_behind(dots *d, const factors *from, loop_value at, loop_value units);
void dots_start_sums(dots *d);
/* COUNT products of all chains from product K (i64) on. */
void dots_add_products(dots *d, loop_value k, uint32_t count);
/* -0, or 0 of integers: x + it is x, bit for bit. */
element dots_start_of_total(dots *d, uint32_t lanes);

/* ---- contract_dot_blocks.c: the blocks of a single result ---- */

/* Are they items of their own, whose sums lie in memory until a second program adds them? */
bool dots_are_apart(const problem *p);
int64_t dots_items(const dots *d);      /* of each result, ... */
uint64_t dots_sum_bytes(const dots *d); /* ... and what it has between the programs */
void dots_emit_blocks(dots *d, loop_value item);
void dots_emit_total(dots *d, loop_value batch);
/* Both at once. */
void dots_emit_batch(dots *d, loop_value batch);

#endif
