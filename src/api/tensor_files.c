/* Tensor files for users of the library. */
#include "api/api.h"
#include "base/checked.h"
#include "io/archive.h"
#include "tenon/files.h"

struct tn_tensor_file {
    context *cx;
    archive *archive;
    size_t n;
    array *loaded; /* by index; those without data are not loaded */
};

tn_status tn_tensor_file_open(tn_context *cx, const char *path, tn_tensor_file **out)
{
    size_t bytes;
    *out = NULL;
    tn_tensor_file *f = memory_alloc(&cx->allocator, sizeof *f);
    if (!f)
        return context_done(cx, diag_no_memory(&cx->diag));
    *f = (tn_tensor_file){.cx = cx};
    tn_status s = archive_open(cx, path, &f->archive);
    if (s == TN_OK) {
        size_t n = archive_count(f->archive);
        if (mul_size(n, sizeof *f->loaded, &bytes) &&
            (n == 0 || (f->loaded = memory_alloc(&cx->allocator, bytes)))) {
            f->n = n;
            for (size_t i = 0; i < n; i++)
                f->loaded[i] = (array){.dtype = TN_I1};
        } else {
            s = diag_no_memory(&cx->diag);
        }
    }
    if (s == TN_OK)
        *out = f;
    else
        tn_tensor_file_close(f);
    return context_done(cx, s);
}

void tn_tensor_file_close(tn_tensor_file *f)
{
    if (!f)
        return;
    context *cx = f->cx;
    for (size_t i = 0; i < f->n; i++)
        tn_tensor_file_unload(f, i);
    memory_free(&cx->allocator, f->loaded, f->n * sizeof *f->loaded);
    archive_close(cx, f->archive);
    memory_free(&cx->allocator, f, sizeof *f);
}

size_t tn_tensor_file_count(const tn_tensor_file *f)
{
    return f->n;
}

const char *tn_tensor_file_name(const tn_tensor_file *f, size_t index)
{
    return index < f->n ? archive_name(f->archive, (uint32_t)index) : NULL;
}

bool tn_tensor_file_find(const tn_tensor_file *f, const char *name, size_t *index)
{
    uint32_t found;
    if (!archive_find(f->archive, name, &found))
        return false;
    *index = found;
    return true;
}

static tn_status past_the_last(const tn_tensor_file *f, size_t index)
{
    return diag_report(&f->cx->diag, DIAG_Usage, NULL, NO_SPAN, "tensor %zu of a file with %zu",
                       index, f->n);
}

static void type_of_array(const array *a, tn_type *t)
{
    *t = (tn_type){.dtype = a->dtype, .rank = a->rank};
    memcpy(t->dims, a->dims, a->rank * sizeof a->dims[0]);
}

tn_status tn_tensor_file_type(tn_tensor_file *f, size_t index, tn_type *t)
{
    array a;
    if (index >= f->n)
        return context_done(f->cx, past_the_last(f, index));
    tn_status s = archive_describe(f->cx, f->archive, (uint32_t)index, &a);
    if (s == TN_OK)
        type_of_array(&a, t);
    return context_done(f->cx, s);
}

tn_status tn_tensor_file_load(tn_tensor_file *f, size_t index, tn_buffer *out)
{
    if (index >= f->n)
        return context_done(f->cx, past_the_last(f, index));
    array *a = &f->loaded[index];
    if (!a->data) {
        array fresh;
        tn_status s = archive_load(f->cx, f->archive, (uint32_t)index, &fresh);
        if (s != TN_OK)
            return context_done(f->cx, s);
        *a = fresh;
    }
    *out = (tn_buffer){.data = a->data, .bytes = a->bytes};
    type_of_array(a, &out->type);
    return TN_OK;
}

void tn_tensor_file_unload(tn_tensor_file *f, size_t index)
{
    if (f->loaded && index < f->n && f->loaded[index].data)
        array_release(f->cx, &f->loaded[index]);
}
