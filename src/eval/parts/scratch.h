/* Memory for the length of one kernel. */
#ifndef EVAL_PARTS_SCRATCH_H
#define EVAL_PARTS_SCRATCH_H

#include "base/memory/checked.h"
#include "eval/parts/eval_call.h"

/* COUNT * SIZE bytes, aligned for vectors; NULL when there is no memory, or when this alone would
 * go beyond the limit of the run. */
static inline void *scratch_array(const eval_call *call, size_t count, size_t size)
{
    const eval_run *run = call->run;
    size_t bytes;
    if (!mul_size(count, size, &bytes) || bytes > PTRDIFF_MAX / 2 ||
        bytes > run->bytes_limit - run->bytes_alive)
        return NULL;
    return arena_alloc_aligned(call->scratch, bytes, 64);
}

#endif
