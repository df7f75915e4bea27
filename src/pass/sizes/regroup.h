/* Finding the unknown extents of a reshape. */
#ifndef PASS_SIZES_REGROUP_H
#define PASS_SIZES_REGROUP_H

#include "graph/type.h"

/* One extent as the program writes it and as a number; unknown ones are -1. */
typedef struct grouped {
    dim written;
    int64_t extent;
} grouped;

/* Split FROM and TO, from left to right, into groups of equal product, and set every unknown extent
 * of TO that is alone in its group to what makes the products equal. Of all splits the one is taken
 * that pairs the most extents with themselves as written, then leaves the fewest groups with
 * several unknown extents, then has the most groups; of equals the one whose first groups are the
 * longest. No extent of FROM is unknown or 0. */
void regroup(const grouped *from, uint32_t n_from, grouped *to, uint32_t n_to);

#endif
