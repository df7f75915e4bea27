/* Writing .npz through libzip, which copies borrowed data into the archive when it is closed, and
 * writes it through a source of ours into the file of an output set. */
#include "io/npz_writer.h"

#include <errno.h>
#include <string.h>
#include <zip.h>

#include "io/input.h"
#include "io/npy_header.h"

enum { FIRST_OF_JANUARY_1980 = 1 << 5 | 1 }; /* the date of every member: results can be compared */

struct npz_writer {
    output_set *set;
    output *file;
    const char *path;
    zip_t *zip;
    zip_error_t fault;    /* of the source */
    zip_uint64_t at, end; /* where libzip writes, and behind what it has written */
    uint32_t n;           /* members */
    bool deflate;
    arena memory; /* headers, names and what had to be copied; until the archive is closed */
};

static int is_to_stop(zip_t *zip, void *hold)
{
    (void)zip;
    return signals_waiting(hold);
}

/* ---- the file as libzip sees it ---- */

static zip_int64_t failed(npz_writer *w, int code, int reason)
{
    zip_error_set(&w->fault, code, reason);
    return -1;
}

static zip_int64_t write_bytes(npz_writer *w, const void *bytes, zip_uint64_t n)
{
    if (!output_write(w->set, w->file, bytes, (size_t)n))
        return failed(w, ZIP_ER_WRITE, errno);
    w->at += n;
    w->end = w->at > w->end ? w->at : w->end;
    return (zip_int64_t)n;
}

static zip_int64_t seek(npz_writer *w, void *args, zip_uint64_t n)
{
    const zip_int64_t to = zip_source_seek_compute_offset(w->at, w->end, args, n, &w->fault);
    if (to < 0)
        return -1;
    if (!output_seek(w->file, (uint64_t)to))
        return failed(w, ZIP_ER_SEEK, errno);
    w->at = (zip_uint64_t)to;
    return 0;
}

/* A file that is not there yet and can only be written. */
static zip_int64_t file_source(void *user, void *data, zip_uint64_t n, zip_source_cmd_t command)
{
    npz_writer *w = user;
    switch ((int)command) {
    case ZIP_SOURCE_SUPPORTS: /* libzip asks for reading as well before it writes */
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
            ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
            ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE,
            ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_STAT:
        return failed(w, ZIP_ER_READ, ENOENT);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&w->fault, data, n);
    case ZIP_SOURCE_WRITE:
        return write_bytes(w, data, n);
    case ZIP_SOURCE_SEEK_WRITE:
        return seek(w, data, n);
    case ZIP_SOURCE_TELL_WRITE:
        return (zip_int64_t)w->at;
    case ZIP_SOURCE_BEGIN_WRITE: /* the output set begins, ends and tidies up */
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        return failed(w, ZIP_ER_OPNOTSUPP, 0);
    }
}

static tn_status open_zip(context *cx, npz_writer *w)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *to = zip_source_function_create(file_source, w, &error);
    if (to)
        w->zip = zip_open_from_source(to, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (to && !w->zip)
        zip_source_free(to);
    tn_status s = TN_OK;
    if (w->zip)
        (void)zip_register_cancel_callback_with_state(w->zip, is_to_stop, NULL, &w->set->hold);
    else
        s = io_error(cx, w->path, "cannot be written: %s", zip_error_strerror(&error));
    zip_error_fini(&error);
    return s;
}

/* ---- the archive ---- */

static tn_status begin(context *cx, npz_writer *w, const char *path)
{
    w->path = arena_copy_text(&w->memory, path, strlen(path));
    if (!w->path)
        return diag_no_memory(&cx->diag);
    w->file = output_open_sought(w->set, path);
    if (!w->file)
        return errno == ESPIPE ? io_error(cx, path, "cannot be written: it is not a regular file")
                               : io_unwritten(cx, path);
    return open_zip(cx, w);
}

tn_status npz_writer_open(context *cx, output_set *set, const char *path, bool deflate,
                          npz_writer **out)
{
    *out = NULL;
    npz_writer *w = memory_alloc(&cx->allocator, sizeof *w);
    if (!w)
        return diag_no_memory(&cx->diag);
    *w = (npz_writer){.set = set, .deflate = deflate};
    zip_error_init(&w->fault);
    arena_init(&w->memory, &cx->allocator);
    tn_status s = begin(cx, w, path);
    if (s != TN_OK) {
        npz_writer_discard(cx, w);
        return s;
    }
    *out = w;
    return TN_OK;
}

/* The bytes to write for the data of A: its own, or a copy where the stored form is not unique. */
static void *data_to_write(npz_writer *w, const array *a)
{
    if (a->dtype != TN_I1 && a->dtype != TN_SI4 && a->dtype != TN_UI4)
        return a->data;
    void *copy = arena_alloc(&w->memory, a->bytes);
    if (copy)
        dtype_narrow(a->dtype, a->data, copy, a->bytes);
    return copy;
}

static tn_status zip_failed(context *cx, const npz_writer *w)
{
    return io_error(cx, w->path, "cannot be written: %s", zip_strerror(w->zip));
}

tn_status npz_writer_add(context *cx, npz_writer *w, const char *name, const array *a)
{
    char *member = arena_printf(&w->memory, "%s.npy", name);
    char *header = arena_alloc(&w->memory, NPY_HEADER_ROOM);
    void *data = data_to_write(w, a);
    if (!member || !header || !data)
        return diag_no_memory(&cx->diag);
    zip_buffer_fragment_t parts[2] = {
        {.data = (zip_uint8_t *)header, .length = npy_header_write(a, header)},
        {.data = data, .length = a->bytes},
    };
    zip_source_t *from = zip_source_buffer_fragment(w->zip, parts, a->bytes ? 2 : 1, 0);
    if (!from)
        return zip_failed(cx, w);
    zip_int64_t index = zip_file_add(w->zip, member, from, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(from);
        io_text shown = io_printable(name, strlen(name));
        return io_error(cx, w->path, "cannot hold an array named '%s': %s", shown.text,
                        zip_strerror(w->zip));
    }
    zip_int32_t method = w->deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
    if (zip_set_file_compression(w->zip, (zip_uint64_t)index, method, 0) != 0 ||
        zip_file_set_dostime(w->zip, (zip_uint64_t)index, 0, FIRST_OF_JANUARY_1980, 0) != 0)
        return zip_failed(cx, w);
    w->n++;
    return TN_OK;
}

/* libzip writes nothing at all for an archive without members. */
static bool write_empty(npz_writer *w)
{
    static const char directory_end[22] = "PK\5\6";
    return output_write(w->set, w->file, directory_end, sizeof directory_end);
}

tn_status npz_writer_close(context *cx, npz_writer *w)
{
    tn_status s = TN_OK;
    if (w->n > 0 && zip_close(w->zip) != 0)
        s = zip_failed(cx, w);
    else if (w->n > 0)
        w->zip = NULL;
    if (s == TN_OK && ((w->n == 0 && !write_empty(w)) || !output_close(w->file)))
        s = io_unwritten(cx, w->path);
    npz_writer_discard(cx, w);
    return s;
}

void npz_writer_discard(context *cx, npz_writer *w)
{
    if (!w)
        return;
    if (w->zip)
        zip_discard(w->zip);
    zip_error_fini(&w->fault);
    arena_release(&w->memory);
    memory_free(&cx->allocator, w, sizeof *w);
}
