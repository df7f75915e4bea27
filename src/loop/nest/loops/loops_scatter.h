/* What nests share that add or put elements at positions that are data. */
#ifndef LOOP_NEST_LOOPS_LOOPS_SCATTER_H
#define LOOP_NEST_LOOPS_LOOPS_SCATTER_H

#include "eval/parts/fold_line.h"
#include "loop/nest/loops/loops.h"

enum { SCATTER_TILE = 128 /* columns of one work item */ };

typedef struct scatter {
    loops *l;
    fold_kind kind;
    bool replaces;
    tn_dtype dtype, sum;
    loop_value to; /* what is changed: elements of `sum` */
    uint32_t lanes;
    bool is_whole; /* no vector of columns is partial */
} scatter;

static inline int64_t scatter_smallest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Where sums form: in the result itself, unless they have a wider dtype. */
void scatter_open(scatter *s, loops *l, tn_dtype sum, int64_t columns);
/* Vectors over the columns LOW .. HIGH: the first column is returned, and how many count. The loop
 * is open. */
loop_value scatter_columns(const scatter *s, loop_value low, loop_value high, loop_value *count);
/* Elements of operand NUMBER from INDEX on, as they are added up. */
element scatter_read(const scatter *s, uint32_t number, loop_value index, loop_value count);
/* What is at TO meets X. */
void scatter_join(const scatter *s, loop_value at, element x, loop_value count);
/* Columns LOW .. HIGH of ROWS rows of WIDTH elements, from element FIRST on: copied from the
 * first operand, or X. */
void scatter_fill(const scatter *s, loop_value first, loop_value rows, int64_t width,
                  loop_value low, loop_value high, const element *x);
/* The sums become the result. */
void scatter_finish(const scatter *s, loop_value first, loop_value rows, int64_t width,
                    loop_value low, loop_value high);
/* Open what depends on POSITION being one of EXTENT; else the run stops. */
void scatter_open_checked(loops *l, loop_value position, int64_t extent);
/* WIDTH columns are so many work items. */
int64_t scatter_tiles(int64_t width);
/* The columns of the item number ITEM of tiles: all, if there is one, so that loops over them are
 * of known length. */
void scatter_open_tile(loops *l, loop_value tile, int64_t width, loop_value *low, loop_value *high);

#endif
