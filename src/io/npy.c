/* .npy files to arrays and back. */
#include "io/npy.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "io/layout.h"
#include "io/npy_header.h"

/* The data must be exactly the rest of IN, which is checked before memory is allocated. */
static tn_status check_length(context *cx, const input *in, const array *a)
{
    size_t bytes;
    uint64_t left = in->size - in->at;
    if (!array_measure(a, &bytes))
        return io_error(cx, in->name, "the array has too many elements");
    if (left < bytes)
        return io_error(cx, in->name,
                        "ends too early: the header declares %zu byte%s of data, %" PRIu64
                        " follow it",
                        bytes, plural(bytes), left);
    if (left > bytes)
        return io_error(cx, in->name, "goes on for %" PRIu64 " byte%s after the array",
                        left - bytes, plural(left - bytes));
    return TN_OK;
}

/* Column-major data needs a second array to be reordered from. */
static tn_status read_columns(context *cx, input *in, array *out)
{
    array columns = *out;
    TN_TRY(array_alloc(cx, in->name, &columns));
    tn_status s = input_read(cx, in, columns.data, columns.bytes);
    if (s == TN_OK)
        layout_to_rows(out, columns.data);
    array_release(cx, &columns);
    return s;
}

/* The header, and that the data it declares is there. */
static tn_status read_type(context *cx, input *in, npy_header *h, array *type)
{
    TN_TRY(npy_header_read(cx, in, h, type));
    return check_length(cx, in, type);
}

/* The data behind the header H, which declared TYPE. */
static tn_status read_data(context *cx, input *in, const npy_header *h, const array *type,
                           array *out)
{
    array a = *type;
    TN_TRY(array_alloc(cx, in->name, &a));
    tn_status s = h->columns && layout_order_matters(&a) ? read_columns(cx, in, &a)
                                                         : input_read(cx, in, a.data, a.bytes);
    if (s != TN_OK) {
        array_release(cx, &a);
        return s;
    }
    if (h->swapped)
        layout_swap(&a);
    if (a.dtype == TN_I1)
        dtype_narrow(TN_I1, a.data, a.data, a.bytes);
    *out = a;
    return TN_OK;
}

tn_status npy_read_input(context *cx, input *in, bool with_data, array *out)
{
    npy_header h;
    array type;
    *out = (array){0};
    TN_TRY(read_type(cx, in, &h, &type));
    if (with_data)
        return read_data(cx, in, &h, &type, out);
    *out = type;
    return TN_OK;
}

tn_status npy_open(context *cx, const char *path, npy_file *f)
{
    input in;
    TN_TRY(input_open(cx, path, &in));
    return npy_open_input(cx, &in, f);
}

tn_status npy_open_input(context *cx, const input *in, npy_file *f)
{
    f->in = *in;
    tn_status s = read_type(cx, &f->in, &f->header, &f->type);
    if (s != TN_OK)
        input_close(&f->in);
    return s;
}

tn_status npy_load(context *cx, npy_file *f, array *out)
{
    *out = (array){0};
    return read_data(cx, &f->in, &f->header, &f->type, out);
}

void npy_close(npy_file *f)
{
    input_close(&f->in);
}

tn_status npy_read(context *cx, const char *path, array *out)
{
    npy_file f;
    *out = (array){0};
    TN_TRY(npy_open(cx, path, &f));
    tn_status s = npy_load(cx, &f, out);
    npy_close(&f);
    return s;
}

tn_status npy_read_memory(context *cx, const char *name, const void *bytes, size_t n, array *out)
{
    input in;
    input_from_memory(name, bytes, n, &in);
    return npy_read_input(cx, &in, true, out);
}

static bool may_need_normalising(tn_dtype d)
{
    return d == TN_I1 || d == TN_SI4 || d == TN_UI4;
}

static bool write_data(output_set *set, const output *o, const array *a)
{
    char chunk[4096];
    if (!may_need_normalising(a->dtype))
        return output_write(set, o, a->data, a->bytes);
    for (size_t at = 0; at < a->bytes; at += sizeof chunk) {
        size_t n = a->bytes - at < sizeof chunk ? a->bytes - at : sizeof chunk;
        dtype_narrow(a->dtype, (const char *)a->data + at, chunk, n);
        if (!output_write(set, o, chunk, n))
            return false;
    }
    return true;
}

tn_status npy_write(context *cx, output_set *set, const char *path, const array *a)
{
    char header[NPY_HEADER_ROOM];
    const size_t n = npy_header_write(a, header);
    output *o = output_open(set, AT_FDCWD, path);
    const bool ok = o && output_write(set, o, header, n) && write_data(set, o, a);
    return ok && output_close(o) ? TN_OK : io_unwritten(cx, path);
}

tn_status npy_write_memory(context *cx, const array *a, void **bytes, size_t *n)
{
    char header[NPY_HEADER_ROOM];
    size_t before = npy_header_write(a, header);
    char *file = memory_alloc(&cx->allocator, before + a->bytes);
    *bytes = NULL;
    *n = 0;
    if (!file)
        return diag_no_memory(&cx->diag);
    memcpy(file, header, before);
    if (may_need_normalising(a->dtype))
        dtype_narrow(a->dtype, a->data, file + before, a->bytes);
    else if (a->bytes)
        memcpy(file + before, a->data, a->bytes);
    *bytes = file;
    *n = before + a->bytes;
    return TN_OK;
}
