/* Many lines that are sorted at once, one in each lane of vectors. */
#ifndef LOOP_NEST_LOOPS_SIDE_BY_SIDE_H
#define LOOP_NEST_LOOPS_SIDE_BY_SIDE_H

#include "loop/nest/loops/loops.h"
#include "loop/nest/loops/network.h"

/* Groups of as many lines as there are lanes. Their records are vectors: the keys of
 * loops_order_key alone, or above their positions. */
typedef struct side_by_side {
    loops *l;
    loops_lines lines;
    tn_dtype dtype;
    bool largest, has_positions, by_columns;
    network net;
    uint32_t lanes;
    loop_value line;   /* the first line of the group, as element 0 of it */
    loop_value unlike; /* of lanes: has it elements that keys do not tell? Or LOOP_NO_VALUE */
} side_by_side;

/* False: these lines are not sorted so. IS_ALONE: only their elements are wanted. */
bool side_by_side_init(side_by_side *s, loops *l, const loops_lines *lines, bool largest,
                       bool is_alone);
/* How many groups there are. Lines may be in two of them. */
int64_t side_by_side_groups(const side_by_side *s);
/* The lines of group NUMBER: their records, `held` of them at a time in order, and all. Sets `line`
 * and `unlike`. */
void side_by_side_read(side_by_side *s, loop_value group);
void side_by_side_sort(const side_by_side *s);
/* Line LANE of the group as its element 0 in a tensor of which lines have LENGTH elements. */
loop_value side_by_side_line(const side_by_side *s, loop_value lane, int64_t length);
/* The position of record INDEX of line LANE. */
loop_value side_by_side_position(const side_by_side *s, loop_value index, loop_value lane);
/* What was sorted to result 0: elements, or where there are positions those. */
void side_by_side_write(const side_by_side *s);

#endif
