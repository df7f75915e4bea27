/* What the ways share to combine single numbers by segment. */
#ifndef LOOP_NEST_LOOPS_LOOPS_SEGMENTS_H
#define LOOP_NEST_LOOPS_LOOPS_SEGMENTS_H

#include "loop/nest/loops/loops_scatter.h"

typedef struct segments {
    scatter s;
    loop_value low, high;
    loop_value marks; /* a byte for each segment that has rows; LOOP_NO_VALUE: none are kept */
    int64_t rows, width;
    loop_value segment; /* variables: the segment whose sum is in a register, ... */
    element sum;        /* ... and that */
} segments;

/* The segments (i64) of the LANES rows from R on. */
loop_value segments_ids(const segments *g, loop_value r, uint32_t lanes);
/* A row has come of SEGMENT. */
void segments_mark(const segments *g, loop_value segment);
/* The sum of SEGMENT comes into the register, ... */
void segments_load_sum(segments *g, loop_value segment);
/* ... from where it is stored. */
void segments_store_sum(segments *g);

/* Are the numbers of the N rows (LENGTH) in order, none of them outside, and many? LOOP_NO_VALUE:
 * there are never many. */
loop_value segments_are_sorted(const segments *g, loop_value n, sized length);
/* Combine N rows of which that holds. */
void segments_join_sorted(const segments *g, loop_value n, sized length);

#endif
