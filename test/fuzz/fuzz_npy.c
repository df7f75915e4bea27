/* Any bytes as an .npy file. What is read is written and read again, and must be the same. */
#include <stdlib.h>
#include <string.h>

#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    context *cx = context_new(NULL, NULL);
    array a, again;
    void *file;
    size_t n;
    if (!cx)
        return 0;
    cx->limits.run_bytes = 1 << 24;
    if (npy_read_memory(cx, "input", data, size, &a) == TN_OK) {
        if (npy_write_memory(cx, &a, &file, &n) == TN_OK) {
            if (npy_read_memory(cx, "copy", file, n, &again) != TN_OK || again.dtype != a.dtype ||
                again.rank != a.rank || again.bytes != a.bytes ||
                memcmp(again.dims, a.dims, sizeof a.dims) != 0 ||
                memcmp(again.data, a.data, a.bytes) != 0)
                abort();
            array_release(cx, &again);
            memory_free(&cx->allocator, file, n);
        }
        for (int d = 0; d < TN_DTYPE_COUNT; d++)
            (void)array_fits(&a, (tn_dtype)d);
        array_release(cx, &a);
    }
    context_free(cx);
    return 0;
}
