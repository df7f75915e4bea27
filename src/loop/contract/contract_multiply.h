/* The multiplier of a contraction, while its program is made. */
#ifndef LOOP_CONTRACT_CONTRACT_MULTIPLY_H
#define LOOP_CONTRACT_CONTRACT_MULTIPLY_H

#include "loop/contract/contract_parts.h"

enum { MULTIPLIER_SUMS = CONTRACT_MOST_SUMS + CONTRACT_MOST_VECTORS };

typedef struct multiplier {
    loop_builder *b;
    problem *p;
    loop_value all_a, all_b, c; /* the addresses of the operands */
    /* A condition that is always true, which the compiler does not know. It hides how the addresses
     * of a block are computed; otherwise the compiler spends most of its time on simplifying them.
     */
    loop_value always;
    bool finishes_columns; /* vectors of results go along M */
    loop_value transposed; /* room for a square of totals, then */
    loop_value totals; /* where they are in memory; LOOP_NO_VALUE: they are finished in registers */
    int64_t total_step; /* bytes from row to row */
    /* A chunk at a time: products FIRST .. FIRST + LENGTH - 1 (i64) are at `a` and `b_at`. */
    bool is_tiled;
    loop_value first, length;
    /* The item. */
    loop_value batch, row, column; /* the block's first row and column */
    loop_value a,
        b_at; /* where product 0 of column 0 of the panel is, in the units of `b_at`; see b_moved */
    loop_value c_batch; /* elements */
    /* Prefetching of the panel that the next item packs, one row of it in each iteration. */
    int64_t next_row; /* bytes from row to row of B; 0: nothing is fetched */
    loop_value next;  /* the address of its first row */
    loop_value block; /* which block of rows this is */
    loop_value ahead; /* the address for the first iteration */
    /* Fetching of what the next block of rows reads and writes. */
    bool fetches_a, fetches_columns, fetches_c;
    loop_value fetched;      /* the address for the first product of a run; LOOP_NO_VALUE: none */
    loop_value fetched_each; /* bytes for each product (i64), ... */
    int64_t fetched_most;    /* ... at most */
    /* The block. */
    uint32_t rows;
    uint32_t nv;     /* vectors that have columns */
    uint32_t step;   /* the products of this iteration, all of which begin at multiples of it; 0: it
                        is no power of two */
    int64_t columns; /* that exist, unless there are fewer: FEWER (i64) of them, one at least */
    bool has_fewer;
    loop_value fewer;
    /* Where all blocks are computed as high: do the results of the first unit of rows belong to
     * this one? */
    loop_value belongs;
    sized *row_at;        /* bytes from the first row of A */
    element *sums;        /* variables, rows by vectors */
    loop_value first_row; /* in a stage: the one at the start of scratch memory */
} multiplier;

struct contract_stage {
    problem p;
    int64_t rows; /* at most in a block */
    multiplier g;
    sized row_at[64];
    element sums[MULTIPLIER_SUMS];
};

/* ---- contract_places.c ---- */

/* The number of block BLOCK in its part of the rows, and its first row. */
loop_value multiplier_part(multiplier *g, loop_value block);
loop_value multiplier_row(multiplier *g, loop_value block);
/* BY times the number of panels, and the number of the last one. */
loop_value multiplier_panels(const multiplier *g, int64_t by);
loop_value multiplier_last_panel(const multiplier *g);
/* X times the packed panels that a block meets. */
loop_value multiplier_times_side(const multiplier *g, loop_value x);
/* Begin with the block at row ROW. */
void multiplier_begin_block(multiplier *g, loop_value row);
/* Begin with B's panel, for the blocks of rows that follow; G->batch is the item's. */
void multiplier_panel(multiplier *g, loop_value panel);

/* ---- contract_totals.c ---- */

int64_t multiplier_total_bytes(const problem *p); /* of a vector */
void multiplier_set_total(multiplier *g, uint32_t row, uint32_t v, element x);
/* All totals of the block become what sums join without a change. */
void multiplier_start_totals(multiplier *g);
/* All sums of the block become totals, if ARE_FIRST, or join them. */
void multiplier_join_totals(multiplier *g, bool are_first);
/* The same of a chunk, of the block's own rows. */
void multiplier_join_chunk(multiplier *g);
/* Fetch every line of the block's totals, which its sums join later. */
void multiplier_fetch_totals(multiplier *g);
/* Are the sums of a block of HEIGHT units finished where they are, in registers? */
bool multiplier_keeps_sums(const multiplier *g, int64_t height);
/* Finish these, ... */
void multiplier_finish_sums(multiplier *g);
/* ... or the totals of ROWS rows (i64) and COLUMNS columns (i64). */
void multiplier_finish_totals(multiplier *g, loop_value rows, loop_value columns);
/* Store or pass on the vector of results from row ROW and column COLUMN on, of which COUNT exist
 * (LOOP_NO_VALUE: all). */
void contract_finish_vector(multiplier *g, element total, loop_value row, loop_value column,
                            loop_value count);

/* ---- contract_fetch.c ---- */

/* Are blocks to fetch what the next one reads, and the lines that it writes? */
void multiplier_choose_fetches(multiplier *g);
/* Begin with the products from number FIRST on (i64) of a block, which are contiguous. */
void multiplier_begin_fetch(multiplier *g, loop_value first);
/* The same for a chunk of a tile that meets the panel of a constant at G->b_at: with it N blocks
 * (i64), of which this is number IN, fetch what comes NEXT bytes (i64) after the panel. */
void multiplier_begin_panel_fetch(multiplier *g, loop_value in, loop_value n, loop_value next);
/* Fetch what belongs to COUNT products, K products (i64) further. */
void multiplier_fetch(const multiplier *g, loop_value k, uint32_t count);
/* How many elements of C after its own ones the results of the next block are; 0: they are not
 * fetched. */
int64_t multiplier_next_results(const multiplier *g);

/* ---- contract_multiply.c ---- */

/* Room for the totals of G's blocks, where they need any. Outside of loops. */
void multiplier_begin(multiplier *g);
/* Results of block BLOCK of the rows in that panel. */
void multiplier_block(multiplier *g, loop_value block, loop_value panel);

/* The chunk's products of BLOCK in panel PANEL, from the addresses `a` and `b_at` on, join the
 * totals, which are finished after the last ones. */
void multiplier_tile(multiplier *g, loop_value block, loop_value panel);

/* The size of a unit of `b_at` in bytes; 1 when it counts elements. */
int64_t b_unit(const problem *p);
/* Does what computes B, of each product whose number is a multiple of OF, have a row whose number
 * is that too, and all columns of a block in it? */
bool contract_has_rows(const problem *p, uint32_t of);
/* Are the next columns of B, which is read in columns in place, fetched in the order of their
 * addresses while those of a block are read? */
bool contract_fetches_columns(const problem *p);
/* UNITS (i64) after AT. */
loop_value b_moved(multiplier *g, loop_value at, loop_value units);
/* A's element BYTES after AT, ROW rows further, in every lane. */
element contract_load_a(multiplier *g, loop_value at, uint32_t row, sized bytes);

/* The chains of one block of products, FIRST .. FIRST + LENGTH - 1, from +0 into the sums. */
void emit_block(multiplier *g, loop_value first, loop_value length);
/* The same of the chunk. */
void emit_chunk(multiplier *g);

/* Columns of B that are contiguous: COUNT products, so many of them at most, from the addresses A
 * and B_AT on, join the sums. */
uint32_t contract_square_products(const problem *p);
void contract_square(multiplier *g, loop_value a, loop_value b_at, uint32_t count);
/* All products of the only row and a vector of columns; the totals of these. */
element contract_block_pair(multiplier *g);

/* Are the columns of C contiguous, so that it is better written along them? */
bool contract_finishes_columns(const problem *p);
/* With more products than that, storing columns takes little of the time. */
enum { CONTRACT_FEW_FOR_COLUMNS = 3 * CONTRACT_BLOCK };
/* The totals of ROWS rows (i64) and COLUMNS columns (i64) of a block, column by column. */
void contract_finish_columns(multiplier *g, loop_value rows, loop_value columns);

#endif
