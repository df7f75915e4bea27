/* Kernels as stages of one: private to the grouping. */
#ifndef PLAN_STAGES_H
#define PLAN_STAGES_H

#include "plan/draft.h"

/* Decide which kernels become stages of one: G->next. For values that stay in memory the reason is
 * noted. False without memory. */
bool stages_find(grouping *g);
/* Make them one, in the place of the last: *N kernels in SORTED, made of the drafts ORDER. */
bool stages_join(grouping *g, const uint32_t *order, kernel *sorted, uint32_t *n);

#endif
