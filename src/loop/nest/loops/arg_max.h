/* What the ways of searching share that find the first largest element of lines. */
#ifndef LOOP_NEST_LOOPS_ARG_MAX_H
#define LOOP_NEST_LOOPS_ARG_MAX_H

#include "loop/nest/loops/loops.h"

/* Elements in the order of arg_max: as keys (loops_order_key), or plain. Plain floats are compared
 * as they are: that is faster, and right unless a line has no number above -infinity. */
typedef struct search {
    loops *l;
    tn_dtype d;
    loops_lines lines;
    bool is_plain;
    loop_elem key, index; /* types of what is compared and of positions */
    uint32_t lanes;       /* of vectors of both */
} search;

/* The best so far: its key and its position, in each lane. */
typedef struct best {
    loop_value key, index;
} best;

/* A key that no element comes after; the position I64 and the key of element X as S has them. */
loop_value arg_max_worst(const search *s, uint32_t lanes);
loop_value arg_max_position(const search *s, uint32_t lanes, loop_value i64);
loop_value arg_max_key(const search *s, element x);
/* KEY at position INDEX where it comes before OLD, in the lanes that COUNT (LOOP_NO_VALUE: all). */
best arg_max_better(const search *s, best old, loop_value key, loop_value index, loop_value count);
/* The best of all lanes; of equal ones that of the lowest position. */
best arg_max_best_lane(const search *s, best x);
/* Has a plain search with the best KEY found nothing, so that keys must be searched? */
loop_value arg_max_found_none(const search *s, loop_value key);
/* The position INDEX becomes element AT of the result. */
void arg_max_store(const search *s, loop_value at, loop_value index);

/* Each of these makes the step: a plain search S, if EXACT is another one, and that where S finds
 * nothing. */

/* Lines of few elements, several of which vectors hold. */
bool arg_max_are_short_lines(const search *s);
bool arg_max_short_lines(const search *s, const search *exact);
/* A few long lines side by side, whose vectors hold some elements of each. */
bool arg_max_are_few_columns(const search *s);
bool arg_max_few_columns(const search *s, const search *exact);
/* Lines side by side, of which vectors hold one element each. */
bool arg_max_strips(const search *s, const search *exact);

#endif
