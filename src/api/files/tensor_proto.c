/* One TensorProto in a file of its own, as an array. */
#include "api/files/tensor_proto.h"

#include <inttypes.h>
#include <string.h>

#include "dialect/onnx/tensors.h"

bool tensor_proto_is_called(const char *name)
{
    const size_t n = strlen(name);
    return n > 3 && strcmp(name + n - 3, ".pb") == 0;
}

/* T as an array, which gets memory of its own. */
static tn_status to_array(context *cx, const char *name, const onnx_tensor *t, array *out)
{
    onnx_tensor_facts facts;
    const char *other = onnx_dtype_name(t->data_type);
    const char *why = onnx_tensor_type_of(t, &facts);
    if (!why && onnx_tensor_is_external(t))
        why = "its data lies in another file";
    if (why && other)
        return io_error(cx, name, "the tensor, of %s, cannot be read: %s", other, why);
    if (why)
        return io_error(cx, name, "the tensor cannot be read: %s", why);
    array a = {.dtype = facts.dtype, .rank = facts.rank};
    memcpy(a.dims, facts.dims, facts.rank * sizeof facts.dims[0]);
    TN_TRY(array_alloc(cx, name, &a));
    why = onnx_tensor_store(t, &facts, a.data);
    if (!why) {
        *out = a;
        return TN_OK;
    }
    array_release(cx, &a);
    return io_error(cx, name, "the tensor cannot be read: %s", why);
}

/* T's name, up to a NUL in it. */
static tn_status copy_name(context *cx, const onnx_tensor *t, char **name, size_t *size)
{
    const size_t n = t->name.n ? strnlen(t->name.at, t->name.n) : 0;
    char *own = memory_alloc(&cx->allocator, n + 1);
    if (!own)
        return diag_no_memory(&cx->diag);
    if (n)
        memcpy(own, t->name.at, n);
    own[n] = '\0';
    *name = own;
    *size = n + 1;
    return TN_OK;
}

static tn_status take(context *cx, const char *file, const onnx_tensor *t, array *out, char **name,
                      size_t *size)
{
    TN_TRY(to_array(cx, file, t, out));
    const tn_status s = copy_name(cx, t, name, size);
    if (s != TN_OK)
        array_release(cx, out);
    return s;
}

static tn_status parse(context *cx, const char *name, onnx_bytes bytes, array *out, char **own,
                       size_t *size)
{
    onnx_fault fault = {0};
    arena memory;
    tn_status s;
    arena_init(&memory, &cx->allocator);
    const onnx_tensor *t = onnx_tensor_read(&memory, bytes, &fault);
    if (t)
        s = take(cx, name, t, out, own, size);
    else if (fault.what)
        s = io_error(cx, name, "is no tensor of ONNX: %s (%s, byte %zu)", fault.what, fault.message,
                     (size_t)(fault.at - bytes.at));
    else
        s = diag_no_memory(&cx->diag);
    arena_release(&memory);
    return s;
}

tn_status tensor_proto_read(context *cx, input *in, array *out, char **name, size_t *size)
{
    *out = (array){0};
    *name = NULL;
    *size = 0;
    if (in->size > cx->limits.run_bytes)
        return diag_report(&cx->diag, DIAG_AllocationFailure, NULL, NO_SPAN,
                           "%s: a file of %" PRIu64 " bytes exceeds the limit run_bytes=%" PRIu64,
                           in->name, in->size, cx->limits.run_bytes);
    const size_t n = (size_t)in->size;
    char *text = memory_alloc(&cx->allocator, n + 1);
    if (!text)
        return diag_no_memory(&cx->diag);
    tn_status s = input_read(cx, in, text, n);
    if (s == TN_OK)
        s = parse(cx, in->name, (onnx_bytes){text, n}, out, name, size);
    memory_free(&cx->allocator, text, n + 1);
    return s;
}
