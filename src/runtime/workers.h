/* Worker threads: one caller at a time distributes work to them and takes part itself. */
#ifndef RUNTIME_WORKERS_H
#define RUNTIME_WORKERS_H

#include "base/memory/memory.h"

typedef struct workers workers;

/* Work items [begin, end), on the thread with number WORKER: 0 is the caller. */
typedef void workers_task(void *user, int64_t begin, int64_t end, uint32_t worker);

/* Threads for N at a time, the caller of workers_run among them; N 0 counts as 1. Fewer where the
 * system gives no more. NULL when there is no memory. */
workers *workers_new(const tn_allocator *allocator, uint32_t n);
/* The same, on threads of the caller's: POOL is copied. */
workers *workers_on_pool(const tn_allocator *allocator, const tn_thread_pool *pool);
/* W, which may be NULL, is not in use. */
void workers_free(workers *w);

/* How many take part at most. */
uint32_t workers_count(const workers *w);
/* The processors that this process may use; at least 1. */
uint32_t workers_of_machine(void);

/* Do all of [0, EXTENT) in pieces, on at most LIMIT threads and no more than there are pieces of
 * GRAIN items. Nothing about a result may depend on how the items are split. Runs on the calling
 * thread alone when W is NULL or in use: by another thread, or by the task that calls this. Returns
 * how many threads took part. */
uint32_t workers_run(workers *w, uint32_t limit, workers_task *task, void *user, int64_t extent,
                     int64_t grain);

#endif
