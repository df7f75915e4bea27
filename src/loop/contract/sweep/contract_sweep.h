/* A sweep, while its program is made. */
#ifndef LOOP_CONTRACT_SWEEP_CONTRACT_SWEEP_H
#define LOOP_CONTRACT_SWEEP_CONTRACT_SWEEP_H

#include "loop/contract/contract_multiply.h"

/* Rows of B at a time: so many lines that fall into one set stay in a cache. */
enum { SWEEP_STREAMS = 8 };

typedef struct sweep {
    multiplier *g;
    loop_value sums, totals; /* row by row */
    loop_value room;    /* for the factors of A of a block of the law, where these are copied */
    loop_value factors; /* the factor of row 0 of A and the first product of a block */
    loop_value b_at;    /* B's row 0: see b_moved; in memory, at the first column of the item */
    loop_value columns; /* that are swept, i64 */
    /* Variables: the line of B that is fetched next lies FETCHED_AT bytes after FETCHED, where a
     * row of the item begins. */
    loop_value fetched, fetched_at;
} sweep;

/* Some rows of B, which all rows of A meet. */
typedef struct sweep_group {
    uint32_t n;         /* rows of B */
    loop_value from;    /* the first row */
    loop_value factors; /* of row 0 of A, the first product */
} sweep_group;

/* A block of the law: products FIRST .. FIRST + LENGTH - 1 (i64). */
typedef struct sweep_block {
    loop_value first, length;
} sweep_block;

/* ---- contract_sweep_form.c ---- */

/* Are the columns of B contiguous, not the rows? */
bool sweep_has_columns(const problem *p);
/* Are the factors of a product side by side in A, as those of a column are? Then they are read
 * where they are; others are copied, so that those of a group are. */
bool sweep_reads_factors(const problem *p);
/* Columns of an item: whole lines of memory. Where factors are copied for each item, an item has
 * more columns or all are better multiplied otherwise. */
int64_t sweep_tile(const problem *p);
/* Columns that are swept at a time, at most: those of as many items as a call is given and the sums
 * have room for. */
int64_t sweep_columns(const problem *p);

/* ---- contract_sweep.c ---- */

/* Where ROW (i64) and COLUMN (i64) of the sums at BASE are. */
loop_value sweep_place(sweep *s, loop_value base, loop_value row, loop_value column);
element sweep_load_sum(sweep *s, loop_value at, uint32_t lanes);
/* WORK on every vector of the item's columns, of LANES lanes or fewer; the last may be partial. */
typedef void sweep_work(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count);
void sweep_each_vector(sweep *s, uint32_t lanes, sweep_work *work, void *user);

/* Where the factor of row 0 of A and product K (i64) of the block of the law is. */
loop_value sweep_factors(sweep *s, loop_value k);
/* The products of row ROW (i64) of A with the vectors OF_B of a group. */
void sweep_add_row(sweep *s, const sweep_group *x, const element *of_b, loop_value column,
                   uint32_t lanes, loop_value row);

/* ---- contract_sweep_columns.c ---- */

/* The vector of columns at COLUMN gets the products of a block of the law, USER. */
void sweep_add_columns(sweep *s, void *user, loop_value column, uint32_t lanes, loop_value count);

#endif
