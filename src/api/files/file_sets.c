/* Files that appear together, for users of the library. */
#include <errno.h>
#include <fcntl.h>

#include "api/api.h"
#include "io/npy.h"
#include "io/npz_writer.h"
#include "io/safetensors.h"
#include "tenon/files.h"

struct tn_file_set {
    context *cx;
    output_set files;
};

tn_status tn_file_set_begin(tn_context *cx, tn_file_set **out)
{
    tn_file_set *set = *out = memory_alloc(&cx->allocator, sizeof *set);
    if (!set)
        return context_done(cx, diag_no_memory(&cx->diag));
    set->cx = cx;
    output_set_init(&set->files, &cx->allocator);
    set->files.deadline = cx->deadline;
    return TN_OK;
}

tn_status tn_file_set_folder(tn_file_set *set, const char *path)
{
    if (output_set_folder(&set->files, path))
        return TN_OK;
    const tn_status s =
        errno == ENOMEM ? diag_no_memory(&set->cx->diag)
                        : io_error(set->cx, path, "the folder cannot be made: %s", strerror(errno));
    return context_done(set->cx, s);
}

/* A second file of one name would be put over the first. Devices and pipes take several. */
static tn_status check_path(tn_file_set *set, const char *path)
{
    for (uint32_t i = 0; i < set->files.files.n; i++) {
        const output *o = set->files.files.at[i];
        if (o->temporary && strcmp(o->path, path) == 0)
            return diag_report(&set->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                               "%s: the set has a file of this name already", path);
    }
    return TN_OK;
}

tn_status tn_file_set_add(tn_file_set *set, const char *path, const void *bytes, size_t n)
{
    if (options_list(&set->cx->diag, "bytes", bytes, n) != TN_OK || check_path(set, path) != TN_OK)
        return context_done(set->cx, TN_ERR_USAGE);
    output *o = output_open(&set->files, AT_FDCWD, path);
    const bool ok = o && output_write(&set->files, o, bytes, n) && output_close(o);
    return context_done(set->cx, ok ? TN_OK : io_unwritten(set->cx, path));
}

/* ---- tensors ---- */

static tn_status array_from(context *cx, const char *path, const tn_buffer *b, array *a)
{
    size_t bytes;
    *a = (array){.dtype = b->type.dtype, .rank = b->type.rank, .data = b->data};
    if (!public_type_is_valid(&b->type, false))
        return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "%s: a tensor with an unknown extent cannot be written", path);
    memcpy(a->dims, b->type.dims, a->rank * sizeof a->dims[0]);
    if (!array_measure(a, &bytes) || b->bytes < bytes || (bytes && !b->data))
        return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "%s: a tensor has fewer bytes than its type needs", path);
    a->bytes = bytes;
    return TN_OK;
}

static tn_status add_members(tn_file_set *set, npz_writer *w, const char *path,
                             const char *const *names, const tn_buffer *tensors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char number[DECIMAL_MAX];
        array a;
        (void)decimal_print_u64(i, number);
        TN_TRY(array_from(set->cx, path, &tensors[i], &a));
        TN_TRY(npz_writer_add(set->cx, w, names ? names[i] : number, &a));
    }
    return TN_OK;
}

static tn_status add_archive(tn_file_set *set, const char *path, const char *const *names,
                             const tn_buffer *tensors, size_t n)
{
    npz_writer *w;
    TN_TRY(npz_writer_open(set->cx, &set->files, path, false, &w));
    const tn_status s = add_members(set, w, path, names, tensors, n);
    if (s == TN_OK)
        return npz_writer_close(set->cx, w);
    npz_writer_discard(set->cx, w);
    return s;
}

static tn_status add_array(tn_file_set *set, const char *path, const tn_buffer *b)
{
    array a;
    TN_TRY(array_from(set->cx, path, b, &a));
    return npy_write(set->cx, &set->files, path, &a);
}

/* The tensors in a .safetensors file, called by their position where they have no names. */
static tn_status add_safetensors(tn_file_set *set, const char *path, const char *const *names,
                                 const tn_buffer *tensors, size_t n)
{
    context *cx = set->cx;
    arena *memory = &set->files.memory;
    array *arrays = ARENA_ARRAY(memory, array, n);
    const char **own = ARENA_ARRAY(memory, const char *, n);
    if (!arrays || !own)
        return diag_no_memory(&cx->diag);
    for (size_t i = 0; i < n; i++) {
        TN_TRY(array_from(cx, path, &tensors[i], &arrays[i]));
        own[i] = names ? names[i] : arena_printf(memory, "%zu", i);
        if (!own[i])
            return diag_no_memory(&cx->diag);
    }
    return safetensors_write(cx, &set->files, path, own, arrays, n);
}

static bool ends_with(const char *path, const char *extension)
{
    const size_t n = strlen(path), length = strlen(extension);
    return n > length && strcmp(path + n - length, extension) == 0;
}

tn_status tn_file_set_add_tensors(tn_file_set *set, const char *path, const char *const *names,
                                  const tn_buffer *tensors, size_t n)
{
    tn_status s = options_list(&set->cx->diag, "tensors", tensors, n);
    s = s == TN_OK ? check_path(set, path) : s;
    if (s != TN_OK)
        return context_done(set->cx, s);
    if (ends_with(path, ".npz"))
        s = add_archive(set, path, names, tensors, n);
    else if (ends_with(path, ".safetensors"))
        s = add_safetensors(set, path, names, tensors, n);
    else if (n == 1)
        s = add_array(set, path, tensors);
    else
        s = diag_report(&set->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                        "%s: an .npy file takes one tensor, not %zu", path, n);
    return context_done(set->cx, s);
}

tn_status tn_file_set_end(tn_file_set *set, tn_status status)
{
    if (!set)
        return status;
    context *cx = set->cx;
    if (!output_set_end(&set->files, status == TN_OK) && status == TN_OK)
        status = diag_report(&cx->diag, DIAG_FileError, NULL, NO_SPAN,
                             "the results cannot be put in place: %s", strerror(errno));
    memory_free(&cx->allocator, set, sizeof *set);
    return context_done(cx, status);
}
