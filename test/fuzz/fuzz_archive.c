/* Any bytes as a file of named arrays, .npz or .safetensors by their start; every array in it is
 * found by its name and loaded. */
#include <stdlib.h>

#include "io/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    context *cx = context_new(NULL, NULL);
    archive *a;
    if (!cx)
        return 0;
    cx->limits.run_bytes = 1 << 24;
    if (archive_open_memory(cx, "input", data, size, &a) == TN_OK) {
        for (uint32_t i = 0; i < archive_count(a); i++) {
            uint32_t found;
            array x, y;
            if (!archive_find(a, archive_name(a, i), &found) || found != i)
                abort();
            if (archive_load(cx, a, i, &x) == TN_OK &&
                (archive_describe(cx, a, i, &y) != TN_OK || x.dtype != y.dtype || x.rank != y.rank))
                abort();
            array_release(cx, &x);
        }
        archive_close(cx, a);
    }
    context_free(cx);
    return 0;
}
