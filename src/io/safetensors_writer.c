/* Writing .safetensors: the length of a JSON header, the header, the data in its order. */
#include <fcntl.h>
#include <string.h>

#include "base/memory/hash.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "io/input.h"
#include "io/safetensors.h"

enum { PREFIX = 8, ALIGNMENT = 8 };

/* Of the type itself, or of the integer that carries it; NULL: there is none. */
static const char *name_of(tn_dtype d)
{
    switch (d) {
#define DTYPE(dtype, name)                                                                         \
    case dtype:                                                                                    \
        return name;
#include "io/safetensors_dtypes.def"
#undef DTYPE
    case TN_SI4:
    case TN_UI4:
        return name_of(array_carrier(d));
    case TN_CF64:
    case TN_DTYPE_COUNT:
        break;
    }
    return NULL;
}

static tn_status check_name(context *cx, const char *path, const char *const *names, size_t i,
                            hash_index *seen)
{
    const size_t n = strlen(names[i]);
    const uint64_t h = hash_bytes(0, names[i], n);
    const io_text shown = io_printable(names[i], n);
    if (utf8_invalid_at(names[i], n) != n || strcmp(names[i], "__metadata__") == 0)
        return io_error(cx, path, "cannot hold a tensor named '%s'", shown.text);
    uint32_t at = hash_first(seen, h);
    for (uint32_t k; (k = hash_at(seen, h, &at)) != HASH_NONE;)
        if (strcmp(names[k], names[i]) == 0)
            return io_error(cx, path, "cannot hold two tensors named '%s'", shown.text);
    return hash_add(&cx->allocator, seen, h, (uint32_t)i) ? TN_OK : diag_no_memory(&cx->diag);
}

static tn_status check_names(context *cx, const char *path, const char *const *names, size_t n)
{
    hash_index seen = {0};
    tn_status s = n < HASH_NONE ? TN_OK : io_error(cx, path, "cannot hold so many tensors");
    for (size_t i = 0; i < n && s == TN_OK; i++)
        s = check_name(cx, path, names, i, &seen);
    hash_release(&cx->allocator, &seen);
    return s;
}

static void put_entry(text_buffer *to, const char *name, const array *a, uint64_t begin)
{
    text_json_string(to, name, strlen(name));
    text_printf(to, ":{\"dtype\":\"%s\",\"shape\":[", name_of(a->dtype));
    for (uint32_t k = 0; k < a->rank; k++) {
        if (k > 0)
            text_putc(to, ',');
        text_i64(to, a->dims[k]);
    }
    text_puts(to, "],\"data_offsets\":[");
    text_u64(to, begin);
    text_putc(to, ',');
    text_u64(to, begin + a->bytes);
    text_puts(to, "]}");
}

static tn_status put_header(context *cx, const char *path, const char *const *names,
                            const array *arrays, size_t n, text_buffer *to)
{
    uint64_t begin = 0;
    text_putc(to, '{');
    for (size_t i = 0; i < n; i++) {
        if (!name_of(arrays[i].dtype))
            return io_error(cx, path, "cannot hold elements of type %s",
                            dtype_name(arrays[i].dtype));
        if (i > 0)
            text_putc(to, ',');
        put_entry(to, names[i], &arrays[i], begin);
        begin += arrays[i].bytes;
    }
    text_putc(to, '}');
    text_fill(to, ' ', -to->n & (ALIGNMENT - 1));
    return to->failed ? diag_no_memory(&cx->diag) : TN_OK;
}

/* Where one value has several stored forms, it is written in one. */
static bool put_data(const array *a, const safetensors_sink *sink)
{
    char chunk[4096];
    if (a->dtype != TN_I1 && a->dtype != TN_SI4 && a->dtype != TN_UI4)
        return sink->put(sink->user, a->data, a->bytes);
    for (size_t at = 0; at < a->bytes; at += sizeof chunk) {
        const size_t n = a->bytes - at < sizeof chunk ? a->bytes - at : sizeof chunk;
        dtype_narrow(a->dtype, (const char *)a->data + at, chunk, n);
        if (!sink->put(sink->user, chunk, n))
            return false;
    }
    return true;
}

static bool put_all(const text_buffer *header, const array *arrays, size_t n,
                    const safetensors_sink *sink)
{
    unsigned char prefix[PREFIX];
    for (int i = 0; i < PREFIX; i++)
        prefix[i] = (unsigned char)((uint64_t)header->n >> (8 * i));
    bool ok = sink->put(sink->user, prefix, PREFIX) && sink->put(sink->user, header->at, header->n);
    for (size_t i = 0; i < n && ok; i++)
        ok = put_data(&arrays[i], sink);
    return ok;
}

tn_status safetensors_emit(context *cx, const char *path, const char *const *names,
                           const array *arrays, size_t n, const safetensors_sink *sink)
{
    text_buffer header;
    TN_TRY(check_names(cx, path, names, n));
    text_init(&header, &cx->allocator);
    tn_status s = put_header(cx, path, names, arrays, n, &header);
    if (s == TN_OK && !put_all(&header, arrays, n, sink))
        s = io_unwritten(cx, path);
    text_release(&header);
    return s;
}

typedef struct target {
    const output_set *set;
    const output *file;
} target;

static bool put_to_file(void *user, const void *bytes, size_t n)
{
    const target *t = user;
    return output_write(t->set, t->file, bytes, n);
}

tn_status safetensors_write(context *cx, output_set *set, const char *path,
                            const char *const *names, const array *arrays, size_t n)
{
    output *o = output_open(set, AT_FDCWD, path);
    target t = {set, o};
    const safetensors_sink sink = {put_to_file, &t};
    if (!o)
        return io_unwritten(cx, path);
    TN_TRY(safetensors_emit(cx, path, names, arrays, n, &sink));
    return output_close(o) ? TN_OK : io_unwritten(cx, path);
}
