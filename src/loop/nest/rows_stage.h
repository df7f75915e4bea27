/* Rows of a kernel as a stage of a larger program. */
#ifndef LOOP_NEST_ROWS_STAGE_H
#define LOOP_NEST_ROWS_STAGE_H

#include "loop/nest/nest.h"

typedef struct rows_stage rows_stage;

/* The kernel K in the program B, outside of loops, for up to MOST rows one after the other.
 * NUMBERS: of the program's buffers, by those of K; UINT32_MAX for its only output: it is left to
 * the next stage. FROM: the value that the stage before left, or NO_VALUE. NULL without memory, or
 * where FROM is not read row by row. */
rows_stage *rows_stage_new(const function *f, const kernel *k, const uint32_t *numbers,
                           value_id from, int64_t most, const nest_options *o, loop_builder *b,
                           arena *memory);
/* How many rows go through its phases together, all of them through one before the next. */
int64_t rows_stage_group(const rows_stage *s);
uint32_t rows_stage_phases(const rows_stage *s);
/* About what a row costs, in cheap operations. */
uint64_t rows_stage_cost(const rows_stage *s);
/* Phase PHASE of row number ROW (i64), which is number IN_GROUP of its group. FROM: the row that
 * the stage before wrote, dense, and may be overwritten, with room for whole vectors of SUM_LANES
 * elements, and to read LOOP_MAX_LANES more; TO: where the next stage reads it. They may be the
 * same address where elements have the same size. */
void rows_stage_emit(rows_stage *s, uint32_t phase, loop_value in_group, loop_value row,
                     loop_value from, loop_value to);
bool rows_stage_failed(const rows_stage *s);

#endif
