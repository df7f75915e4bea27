/* Memory for results that the library hands out: aligned for vectors, so that code which writes
 * them does not cross cache lines. */
#ifndef RUNTIME_RESULT_H
#define RUNTIME_RESULT_H

#include <string.h>

#include "base/memory/memory.h"

enum { RESULT_ALIGN = 64 };

/* BYTES, or NULL. The block that they are part of begins between one and two RESULT_ALIGN before.
 */
static inline void *result_new(const tn_allocator *a, size_t bytes)
{
    if (bytes > PTRDIFF_MAX / 2)
        return NULL;
    char *block = memory_alloc(a, bytes + 2 * RESULT_ALIGN);
    if (!block)
        return NULL;
    char *data = block + RESULT_ALIGN + (-(uintptr_t)block & (RESULT_ALIGN - 1));
    memcpy(data - sizeof block, &block, sizeof block);
    return data;
}

/* DATA may be NULL. */
static inline void result_free(const tn_allocator *a, void *data, size_t bytes)
{
    char *block;
    if (!data)
        return;
    memcpy(&block, (char *)data - sizeof block, sizeof block);
    memory_free(a, block, bytes + 2 * RESULT_ALIGN);
}

#endif
