/* Opening data: files, folders of them, and which samples lie where. */
#include "train/data/dataset.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/files/tensor_files.h"
#include "base/context/options.h"
#include "base/memory/checked.h"
#include "io/array.h"
#include "io/input.h"

const column *dataset_column(const tn_dataset *d, const char *name)
{
    for (uint32_t i = 0; i < d->columns.n; i++)
        if (strcmp(d->columns.at[i].name, name) == 0)
            return &d->columns.at[i];
    return NULL;
}

/* ---- columns ---- */

/* What stands in a file name between the last slash and the extension. */
static const char *stem_of(arena *memory, const char *path)
{
    const char *slash = strrchr(path, '/'), *begin = slash ? slash + 1 : path;
    const char *dot = strrchr(begin, '.');
    return arena_copy_text(memory, begin,
                           dot && dot > begin ? (size_t)(dot - begin) : strlen(begin));
}

static bool same_row(const tn_type *a, const tn_type *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->dims + 1, b->dims + 1, (a->rank - 1) * sizeof a->dims[0]) == 0;
}

static tn_status new_column(tn_dataset *d, const char *name, const tn_type *type, column **out)
{
    array row = {.dtype = type->dtype, .rank = type->rank - 1};
    size_t bytes = 0;
    memcpy(row.dims, type->dims + 1, row.rank * sizeof row.dims[0]);
    column c = {.name = arena_copy_text(&d->memory, name, strlen(name)), .type = *type};
    c.type.dims[0] = 0;
    (void)array_measure(&row, &bytes); /* a part of what fitted */
    c.row = bytes;
    if (!c.name || !VECTOR_PUSH(&d->cx->allocator, &d->columns, c))
        return diag_no_memory(&d->cx->diag);
    *out = &d->columns.at[d->columns.n - 1];
    return TN_OK;
}

/* Where the samples of tensor I of FILE lie; in memory where the file holds them in another form.
 */
static tn_status find_rows(tn_tensor_file *file, size_t i, shard *s)
{
    tn_buffer all;
    if (tensor_file_place(file, i, &s->fd, &s->at))
        return TN_OK;
    TN_TRY(tn_tensor_file_load(file, i, &all));
    s->rows = all.data;
    return TN_OK;
}

/* Tensor I of FILE continues the column NAME, or begins it. */
static tn_status add_tensor(tn_dataset *d, const char *path, tn_tensor_file *file, size_t i,
                            const char *name)
{
    tn_type type;
    column *c = (column *)(uintptr_t)dataset_column(d, name);
    const io_text shown = io_printable(name, strlen(name));
    TN_TRY(tn_tensor_file_type(file, i, &type));
    if (type.rank == 0)
        return TN_OK; /* a number is no sequence of samples */
    if (c && !same_row(&c->type, &type))
        return io_error(d->cx, path,
                        "the samples of '%s' have another type or shape than those before",
                        shown.text);
    if (!c)
        TN_TRY(new_column(d, name, &type, &c));
    shard s = {.first = c->samples, .n = (uint64_t)type.dims[0], .fd = -1};
    TN_TRY(find_rows(file, i, &s));
    if (!add_i64(c->type.dims[0], type.dims[0], &c->type.dims[0]) ||
        !VECTOR_PUSH(&d->cx->allocator, &c->shards, s))
        return diag_no_memory(&d->cx->diag);
    c->samples += s.n;
    return TN_OK;
}

/* ---- files ---- */

/* NAME: of the tensor in a file that has one; NULL: that of the file. */
static tn_status add_file(tn_dataset *d, const char *path, const char *name)
{
    tn_tensor_file *file;
    TN_TRY(tn_tensor_file_open(d->cx, path, &file));
    if (!VECTOR_PUSH(&d->cx->allocator, &d->files, file)) {
        tn_tensor_file_close(file);
        return diag_no_memory(&d->cx->diag);
    }
    if (!tn_tensor_file_is_single(file)) {
        if (name)
            return io_error(d->cx, path, "is an archive, which names its tensors itself");
        for (size_t i = 0; i < tn_tensor_file_count(file); i++)
            TN_TRY(add_tensor(d, path, file, i, tn_tensor_file_name(file, i)));
        return TN_OK;
    }
    name = name ? name : stem_of(&d->memory, path);
    return name ? add_tensor(d, path, file, 0, name) : diag_no_memory(&d->cx->diag);
}

static bool is_data(const char *name)
{
    static const char *const extensions[] = {".npy", ".npz", ".safetensors"};
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        const size_t length = strlen(extensions[i]);
        if (name[0] != '.' && n > length && strcmp(name + n - length, extensions[i]) == 0)
            return true;
    }
    return false;
}

typedef struct paths {
    VECTOR(const char *) all;
} paths;

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static tn_status list_folder(tn_dataset *d, const char *path, DIR *dir, paths *list)
{
    const struct dirent *e;
    while ((errno = 0, e = readdir(dir))) {
        if (!is_data(e->d_name))
            continue;
        const char *one = arena_printf(&d->memory, "%s/%s", path, e->d_name);
        if (!one || !VECTOR_PUSH(&d->cx->allocator, &list->all, one))
            return diag_no_memory(&d->cx->diag);
    }
    return errno == 0 ? TN_OK : io_error(d->cx, path, "cannot be read: %s", strerror(errno));
}

/* The files of a folder, in the order of their names. */
static tn_status add_folder(tn_dataset *d, const char *path)
{
    DIR *dir = opendir(path);
    paths list = {{0}};
    if (!dir)
        return io_error(d->cx, path, "cannot be opened: %s", strerror(errno));
    tn_status s = list_folder(d, path, dir, &list);
    (void)closedir(dir);
    if (s == TN_OK && list.all.n == 0)
        s = io_error(d->cx, path, "holds no .npy, .npz or .safetensors file");
    if (s == TN_OK)
        qsort(list.all.at, list.all.n, sizeof *list.all.at, compare);
    for (uint32_t i = 0; s == TN_OK && i < list.all.n; i++)
        s = add_file(d, list.all.at[i], NULL);
    VECTOR_RELEASE(&d->cx->allocator, &list.all);
    return s;
}

/* PATH, or NAME=PATH. */
static tn_status add_path(tn_dataset *d, const char *path)
{
    struct stat info;
    const char *eq = strchr(path, '='), *name = NULL;
    if (eq && stat(path, &info) != 0) {
        name = arena_copy_text(&d->memory, path, (size_t)(eq - path));
        if (!name)
            return diag_no_memory(&d->cx->diag);
        path = eq + 1;
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return name ? io_error(d->cx, path, "is a folder, whose files name their tensors")
                    : add_folder(d, path);
    return add_file(d, path, name);
}

tn_status tn_dataset_open(tn_context *cx, const char *const *list, size_t n, tn_dataset **out)
{
    *out = NULL;
    if (options_list(&cx->diag, "paths", list, n) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    tn_dataset *d = memory_alloc(&cx->allocator, sizeof *d);
    if (!d)
        return context_done(cx, diag_no_memory(&cx->diag));
    *d = (tn_dataset){.cx = cx};
    arena_init(&d->memory, &cx->allocator);
    tn_status s = TN_OK;
    for (size_t i = 0; s == TN_OK && i < n; i++)
        s = add_path(d, list[i]);
    if (s == TN_OK)
        *out = d;
    else
        tn_dataset_close(d);
    return context_done(cx, s);
}

void tn_dataset_close(tn_dataset *d)
{
    if (!d)
        return;
    const tn_allocator *memory = &d->cx->allocator;
    for (uint32_t i = 0; i < d->files.n; i++)
        tn_tensor_file_close(d->files.at[i]);
    for (uint32_t i = 0; i < d->columns.n; i++)
        VECTOR_RELEASE(memory, &d->columns.at[i].shards);
    VECTOR_RELEASE(memory, &d->columns);
    VECTOR_RELEASE(memory, &d->files);
    arena_release(&d->memory);
    memory_free(memory, d, sizeof *d);
}

bool tn_dataset_at(const tn_dataset *d, size_t index, tn_port *port)
{
    if (index >= d->columns.n)
        return false;
    *port = (tn_port){d->columns.at[index].name, d->columns.at[index].type};
    return true;
}
