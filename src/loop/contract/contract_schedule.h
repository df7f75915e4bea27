/* Schedules of contractions as values: how a matrix product or convolution is cut into blocks, and
 * from where its operands are read. Every schedule gives the same bits (docs/numerics.md, section
 * 6); it decides how fast. */
#ifndef LOOP_CONTRACT_CONTRACT_SCHEDULE_H
#define LOOP_CONTRACT_CONTRACT_SCHEDULE_H

#include "base/text/text.h"

enum {
    CONTRACT_MOST_ROWS = 28,
    CONTRACT_MOST_VECTORS = 16,
    CONTRACT_MOST_UNROLLED = 16,
    CONTRACT_MOST_SUMS = 64
};

typedef enum contract_left {
    LEFT_ANY,
    LEFT_IN_PLACE,
    LEFT_PACKED,   /* copied before, dense and with its border */
    LEFT_CHANNELS, /* ... with the channels of a position side by side */
    LEFT_IM2COL,   /* written out before: a row is what a row of results multiplies */
    CONTRACT_LEFTS
} contract_left;

typedef enum contract_right {
    RIGHT_ANY,
    RIGHT_PANELS,  /* packed before, into panels as wide as a block */
    RIGHT_INSIDE,  /* an item packs a panel, then meets all rows */
    RIGHT_ROWS,    /* in place, columns contiguous */
    RIGHT_COLUMNS, /* in place, products contiguous: squares are transposed in registers */
    RIGHT_TILES,   /* an item packs 256 products of a tile of results at a time, of both sides if
                      needed */
    RIGHT_SWEPT,   /* in place, rows of it from end to end, with sums in scratch memory */
    CONTRACT_RIGHTS
} contract_right;

typedef enum contract_products {
    PRODUCTS_ANY,
    PRODUCTS_SINGLE,
    PRODUCTS_PAIRS, /* of integers of 16 bits, two summed by one instruction; operands are packed */
    PRODUCTS_QUADS, /* of bytes, four by one instruction, on machines that have it */
    CONTRACT_PRODUCTS
} contract_products;

/* What is chosen for one contraction; or what is asked for of all of them, where 0 leaves the
 * choice to each, and so does what one cannot have. */
typedef struct contract_schedule {
    int64_t rows;    /* of a block of results, at most */
    int64_t vectors; /* side by side in a block; rows times vectors is at most CONTRACT_MOST_SUMS */
    int64_t unroll;  /* products in an iteration of the inner loop */
    int64_t group;   /* blocks of rows that meet a panel before the next panel; of a tile */
    contract_left left;
    contract_right right;
    contract_products products;
} contract_schedule;

/* Read TEXT, `rows=14,vectors=2,unroll=4,group=1,left=in-place,right=panels,products=single` or
 * some of these, in any order; NULL and "" ask for nothing. NULL, or why not, as a text of the
 * library's own. */
const char *contract_schedule_read(const char *text, contract_schedule *out);
/* Append S as such a text; what is 0 is left out. */
void contract_schedule_print(const contract_schedule *s, text_buffer *out);

#endif
