/* Any bytes as a file with a TensorProto. */
#include <stdlib.h>
#include <string.h>

#include "api/files/tensor_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    context *cx = context_new(NULL, NULL);
    input in;
    array a;
    size_t bytes, name_bytes;
    char *name;
    if (!cx)
        return 0;
    cx->limits.run_bytes = 1 << 24;
    input_from_memory("input", data, size, &in);
    const tn_status s = tensor_proto_read(cx, &in, &a, &name, &name_bytes);
    if (s == TN_OK && (!array_measure(&a, &bytes) || bytes != a.bytes))
        abort();
    if (s != TN_OK && cx->diag.n_errors == 0)
        abort();
    for (size_t i = 0; s == TN_OK && a.dtype == TN_I1 && i < a.bytes; i++)
        if (((const uint8_t *)a.data)[i] > 1)
            abort();
    if (s == TN_OK)
        array_release(cx, &a);
    memory_free(&cx->allocator, name, name_bytes);
    context_free(cx);
    return 0;
}
