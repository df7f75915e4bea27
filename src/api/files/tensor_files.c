/* Reading tensor files for users of the library. */
#include "api/files/tensor_files.h"
#include "api/api.h"
#include "api/files/tensor_proto.h"
#include "base/memory/checked.h"
#include "io/archive.h"
#include "io/npy.h"
#include "tenon/files.h"

struct tn_tensor_file {
    context *cx;
    char *path;
    size_t path_size;
    archive *archive;  /* NULL: an .npy file */
    npy_file npy;      /* if `is_npy` */
    uint64_t npy_data; /* where it begins in the .npy */
    bool is_npy, is_proto;
    array proto; /* if `is_proto` */
    char *proto_name;
    size_t proto_name_size;
    size_t n;
    array *loaded; /* by index; those without data are not loaded */
};

static bool is_single(const tn_tensor_file *f)
{
    return f->is_npy || f->is_proto;
}

/* Such a file has no list to be read first. */
static tn_status read_proto(tn_tensor_file *f, input *in)
{
    const tn_status s =
        tensor_proto_read(f->cx, in, &f->proto, &f->proto_name, &f->proto_name_size);
    f->is_proto = s == TN_OK;
    input_close(in);
    return s;
}

/* An .npy file says at its start that it is one; all else is an archive, or nothing known. */
static tn_status open_input(tn_tensor_file *f, input *in)
{
    if (tensor_proto_is_called(f->path))
        return read_proto(f, in);
    static const char magic[] = "\x93NUMPY";
    char start[sizeof magic - 1] = {0};
    const size_t n = in->size < sizeof start ? (size_t)in->size : sizeof start;
    const tn_status s = input_read(f->cx, in, start, n);
    in->at = 0;
    if (s != TN_OK) {
        input_close(in);
        return s;
    }
    if (memcmp(start, magic, sizeof start) != 0)
        return archive_open_input(f->cx, in, &f->archive);
    TN_TRY(npy_open_input(f->cx, in, &f->npy));
    f->npy_data = f->npy.in.at;
    f->is_npy = true;
    return TN_OK;
}

static tn_status open_file(tn_tensor_file *f, const char *path)
{
    context *cx = f->cx;
    input in;
    size_t bytes;
    f->path_size = strlen(path) + 1;
    f->path = memory_alloc(&cx->allocator, f->path_size);
    if (!f->path)
        return diag_no_memory(&cx->diag);
    memcpy(f->path, path, f->path_size);
    TN_TRY(input_open(cx, f->path, &in));
    TN_TRY(open_input(f, &in));
    const size_t n = is_single(f) ? 1 : archive_count(f->archive);
    if (!mul_size(n, sizeof *f->loaded, &bytes) ||
        (n > 0 && !(f->loaded = memory_alloc(&cx->allocator, bytes))))
        return diag_no_memory(&cx->diag);
    f->n = n;
    for (size_t i = 0; i < n; i++)
        f->loaded[i] = (array){.dtype = TN_I1};
    return TN_OK;
}

tn_status tn_tensor_file_open(tn_context *cx, const char *path, tn_tensor_file **out)
{
    *out = NULL;
    tn_tensor_file *f = memory_alloc(&cx->allocator, sizeof *f);
    if (!f)
        return context_done(cx, diag_no_memory(&cx->diag));
    *f = (tn_tensor_file){.cx = cx};
    const tn_status s = open_file(f, path);
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
    if (f->is_npy)
        npy_close(&f->npy);
    if (f->is_proto)
        array_release(cx, &f->proto);
    memory_free(&cx->allocator, f->proto_name, f->proto_name_size);
    archive_close(cx, f->archive);
    memory_free(&cx->allocator, f->path, f->path_size);
    memory_free(&cx->allocator, f, sizeof *f);
}

size_t tn_tensor_file_count(const tn_tensor_file *f)
{
    return f->n;
}

const char *tn_tensor_file_name(const tn_tensor_file *f, size_t index)
{
    if (index >= f->n)
        return NULL;
    if (f->is_proto)
        return f->proto_name;
    return f->is_npy ? "" : archive_name(f->archive, (uint32_t)index);
}

bool tn_tensor_file_is_single(const tn_tensor_file *f)
{
    return is_single(f);
}

bool tn_tensor_file_find(const tn_tensor_file *f, const char *name, size_t *index)
{
    uint32_t found = 0;
    if (is_single(f) ? strcmp(name, tn_tensor_file_name(f, 0)) != 0
                     : !archive_find(f->archive, name, &found))
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
    tn_status s = TN_OK;
    if (is_single(f))
        a = f->is_npy ? f->npy.type : f->proto;
    else
        s = archive_describe(f->cx, f->archive, (uint32_t)index, &a);
    if (s == TN_OK)
        type_of_array(&a, t);
    return context_done(f->cx, s);
}

tn_status tn_tensor_file_load(tn_tensor_file *f, size_t index, tn_buffer *out)
{
    if (index >= f->n)
        return context_done(f->cx, past_the_last(f, index));
    array *a = f->is_proto ? &f->proto : &f->loaded[index];
    if (!a->data) {
        array fresh;
        f->npy.in.at = f->npy_data;
        const tn_status s = f->is_npy ? npy_load(f->cx, &f->npy, &fresh)
                                      : archive_load(f->cx, f->archive, (uint32_t)index, &fresh);
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

bool tensor_file_place(const tn_tensor_file *f, size_t index, int *fd, uint64_t *at)
{
    if (f->is_proto || index >= f->n)
        return false;
    if (!f->is_npy)
        return archive_place(f->archive, (uint32_t)index, fd, at);
    *fd = f->npy.in.fd;
    *at = f->npy.in.start + f->npy_data;
    return *fd >= 0 && !f->npy.header.swapped && !(f->npy.header.columns && f->npy.type.rank > 1);
}
