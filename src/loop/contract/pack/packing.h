/* The packing of a panel of B, while its program is made. */
#ifndef LOOP_CONTRACT_PACK_PACKING_H
#define LOOP_CONTRACT_PACK_PACKING_H

#include "loop/contract/contract_parts.h"

typedef struct packing {
    loop_builder *b;
    const problem *p;
    loop_value to;      /* pointer to the panel */
    loop_value from;    /* element of product 0 and column 0 of the panel's batch, i64 */
    loop_value first;   /* the product that begins the panel in memory; LOOP_NO_VALUE: 0 */
    loop_value column;  /* the number of the panel's first one */
    loop_value columns; /* of the panel, i64, where that is dynamic; else LOOP_NO_VALUE */
    loop_value rows[LOOP_MAX_LANES]; /* where the products of a square go, pointers */
} packing;

/* Are vectors of neighbouring columns in memory? */
bool packing_has_rows(const problem *p);
/* Elements from the panel's product 0 to its column J. */
loop_value packing_offset(packing *k, loop_value j);
/* Where product I is in the panel, and the bytes from one to the next. */
loop_value packing_row(packing *k, loop_value i);
int64_t packing_row_bytes(const problem *p);
/* Store columns COLUMN and after, as many as X has, of the product at TO. */
void packing_put(packing *k, loop_value to, element x, int64_t column);

/* ---- contract_pack_squares.c ---- */

/* Are squares transposed? */
bool packing_has_squares(const problem *p);
/* The products, and columns, of one. */
uint32_t packing_side(const problem *p);
/* Products LOW .. HIGH - 1 of a panel, of all columns, of which COUNT exist; without those behind
 * the last whole square where the number of products is dynamic. */
void packing_emit_squares(packing *k, loop_value low, loop_value high, int64_t count);
/* Where the whole squares before product HIGH end. */
loop_value packing_whole_squares(const packing *k, loop_value high);

/* ---- contract_channels_a.c ---- */

/* Positions of an image that lie side by side, with their channels. */
typedef struct packing_positions {
    sized width; /* how many there are */
    int64_t channels;
    sized step; /* elements from channel to channel in A */
} packing_positions;

/* Copy X from A's element FROM on to the address TO, where channels lie side by side. */
void packing_copy_channels(loop_builder *b, const problem *p, const packing_positions *x,
                           loop_value from, loop_value to);

#endif
