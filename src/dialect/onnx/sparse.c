/* Sparse tensors of the file, as dense ones. */
#include <string.h>

#include "dialect/onnx/import.h"

static bool refuse(importer *im, const onnx_sparse *s, diag_kind kind, const char *why)
{
    const onnx_bytes name = onnx_sparse_name(s);
    return onnx_refuse_file(
        im, kind, onnx_text(im, name), "the sparse tensor '%.*s' cannot be read: %s (byte %zu)",
        ONNX_TEXT(name), why, (size_t)(s->message.bytes.at - im->m->source.text));
}

/* The elements of T, whose type is F; NULL: there is no memory, or *WHY says what is wrong. */
static const void *elements(importer *im, const onnx_tensor *t, const onnx_tensor_facts *f,
                            const char **why)
{
    void *data = arena_alloc(&im->memory, f->bytes ? f->bytes : 1);
    if (!data) {
        (void)onnx_no_memory(im);
        return NULL;
    }
    *why = onnx_tensor_store(t, f, data);
    return *why ? NULL : data;
}

/* The flat position in a tensor of type F that the RANK numbers AT say, either that itself or one
 * for each axis; -1: it lies outside. */
static int64_t position(const onnx_tensor_facts *f, const int64_t *at, bool is_flat)
{
    int64_t flat = 0;
    if (is_flat)
        return *at >= 0 && *at < f->count ? *at : -1;
    for (uint32_t i = 0; i < f->rank; i++) {
        if (at[i] < 0 || at[i] >= f->dims[i])
            return -1;
        flat = flat * f->dims[i] + at[i];
    }
    return flat;
}

/* Put N elements of SIZE bytes, FROM, where the numbers AT say. What is wrong, or NULL. */
static const char *put(const onnx_tensor_facts *f, const int64_t *at, bool is_flat,
                       const char *from, int64_t n, char *to)
{
    const size_t size = n ? f->bytes / (size_t)(f->count ? f->count : 1) : 0;
    int64_t last = -1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t flat = position(f, at + i * (is_flat ? 1 : f->rank), is_flat);
        if (flat < 0)
            return "an index lies outside of it";
        if (flat <= last)
            return "its indices do not ascend";
        last = flat;
        memcpy(to + (size_t)flat * size, from + (size_t)i * size, size);
    }
    return NULL;
}

/* Do the indices, of type I, fit N values of a tensor of rank RANK? */
static bool indices_fit(const onnx_tensor_facts *i, int64_t n, uint32_t rank)
{
    return i->dtype == TN_SI64 && i->rank > 0 && i->dims[0] == n &&
           (i->rank == 1 || (i->rank == 2 && i->dims[1] == rank));
}

/* A short file may stand for very large tensors: all together are at most so many times as large as
 * what is written of them, unless they are small. */
static bool is_too_large(importer *im, size_t dense, size_t written)
{
    enum { SMALL = 1 << 26, MOST_TIMES = 1024 };
    im->sparse_bytes = dense > SIZE_MAX - im->sparse_bytes ? SIZE_MAX : im->sparse_bytes + dense;
    im->sparse_written += written;
    return im->sparse_bytes > SMALL && im->sparse_bytes / MOST_TIMES > im->sparse_written;
}

/* The elements of the dense tensor OWN, of type F. */
static bool fill(importer *im, const onnx_sparse *s, const onnx_tensor_facts *f, onnx_tensor *own)
{
    onnx_tensor_facts v, i;
    const onnx_tensor *values = onnx_with_data(im, s->values);
    const onnx_tensor *indices = onnx_with_data(im, s->indices);
    if (!values || !indices)
        return false;
    const char *why = onnx_tensor_type_of(values, &v);
    why = why ? why : onnx_tensor_type_of(indices, &i);
    if (!why && (v.rank != 1 || !indices_fit(&i, v.dims[0], f->rank)))
        why = "its values and indices do not fit its shape: [n] and [n] or [n, rank] of int64";
    if (why)
        return refuse(im, s, DIAG_InvalidConstant, why);
    if (is_too_large(im, f->bytes, v.bytes + i.bytes))
        return refuse(im, s, DIAG_LimitExceeded,
                      "sparse tensors may not stand for more than 1024 times what is written of "
                      "them");
    char *to = arena_alloc(&im->memory, f->bytes ? f->bytes : 1);
    const void *from = elements(im, values, &v, &why);
    const void *at = why ? NULL : elements(im, indices, &i, &why);
    if (to && from && at) {
        memset(to, 0, f->bytes);
        why = put(f, at, i.rank == 1, from, v.count, to);
    }
    own->raw = (onnx_bytes){to, f->bytes};
    return why ? refuse(im, s, DIAG_InvalidConstant, why) : to || onnx_no_memory(im);
}

const onnx_tensor *onnx_dense(importer *im, const onnx_sparse *s)
{
    onnx_tensor_facts f;
    onnx_tensor *own = ARENA_NEW(&im->memory, onnx_tensor);
    if (!own) {
        (void)onnx_no_memory(im);
        return NULL;
    }
    *own = (onnx_tensor){.message = {s->message.bytes, 1u << ONNX_TENSOR_RAW},
                         .dims = s->dims,
                         .data_type = s->values ? s->values->data_type : 0,
                         .name = onnx_sparse_name(s),
                         .is_stored = true};
    bool ok;
    const char *why =
        s->values && s->indices ? onnx_tensor_type_of(own, &f) : "it has no values or no indices";
    if (why)
        ok = refuse(im, s, DIAG_InvalidConstant, why);
    else if (f.bytes > im->m->cx->limits.literal_bytes - im->b.literal_bytes)
        ok = refuse(im, s, DIAG_LimitExceeded,
                    "the constants have more bytes than the limit literal_bytes");
    else
        ok = fill(im, s, &f, own);
    return ok ? own : NULL;
}
