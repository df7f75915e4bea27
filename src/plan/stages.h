/* Kernels as stages of one: private to the grouping. */
#ifndef PLAN_STAGES_H
#define PLAN_STAGES_H

#include "plan/draft.h"

/* Which kernels are better stages of one: G->next. Why others are not is noted with the values that
 * stay in memory. False without memory. */
bool stages_find(grouping *g);
/* Make them one, in the place of the last: *N kernels in SORTED, made of the drafts ORDER. */
bool stages_join(grouping *g, const uint32_t *order, kernel *sorted, uint32_t *n);

#endif
