/* Reading .npz: a zip archive whose members are .npy files. libzip reads the archive. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "base/text/text.h"
#include "io/members.h"
#include "io/npy.h"

static const char suffix[] = ".npy";
enum { SUFFIX_LENGTH = sizeof suffix - 1 };

/* Bytes that deflate can make of one byte, at most, and what it may make of none: a member that
 * declares more is a lie, found before memory is asked for. */
enum { DEFLATE_RATIO = 1032, DEFLATE_SLACK = 1024 };

/* The archive's bytes as libzip wants them; it closes the duplicate of the file. */
static zip_source_t *source_of(const input *in, zip_error_t *error)
{
    if (in->fd < 0)
        return zip_source_buffer_create(in->bytes, in->size, 0, error);
    int copy = fcntl(in->fd, F_DUPFD_CLOEXEC, 0);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "rb");
    if (!file) {
        zip_error_set(error, ZIP_ER_OPEN, errno);
        if (copy >= 0)
            (void)close(copy);
        return NULL;
    }
    zip_source_t *from = zip_source_filep_create(file, in->start, (zip_int64_t)in->size, error);
    if (!from)
        (void)fclose(file);
    return from;
}

static tn_status open_zip(context *cx, archive *a)
{
    zip_error_t error;
    tn_status s = TN_OK;
    zip_error_init(&error);
    zip_source_t *from = source_of(&a->in, &error);
    if (from) {
        a->zip = zip_open_from_source(from, ZIP_RDONLY, &error);
        if (!a->zip)
            zip_source_free(from);
    }
    if (!a->zip)
        s = io_error(cx, a->in.name, "cannot be read as a zip archive: %s",
                     zip_error_strerror(&error));
    zip_error_fini(&error);
    return s;
}

tn_status npz_list(context *cx, archive *a)
{
    TN_TRY(open_zip(cx, a));
    zip_int64_t n = zip_get_num_entries(a->zip, 0);
    for (zip_int64_t i = 0; i < n; i++) {
        const char *name = zip_get_name(a->zip, (zip_uint64_t)i, ZIP_FL_ENC_GUESS);
        if (!name)
            return io_error(cx, a->in.name, "member %" PRId64 " of the archive has no name", i);
        size_t length = strlen(name);
        if (length < SUFFIX_LENGTH || strcmp(name + length - SUFFIX_LENGTH, suffix) != 0)
            continue;
        archive_member m = {.name = arena_copy_text(&a->text, name, length - SUFFIX_LENGTH),
                            .at = (uint64_t)i};
        if (!m.name)
            return diag_no_memory(&cx->diag);
        TN_TRY(members_add(cx, a, m));
    }
    return TN_OK;
}

void npz_end(archive *a)
{
    if (a->zip)
        zip_discard(a->zip);
    a->zip = NULL;
}

static tn_status fill_from_zip(input *in, context *cx, void *dst, size_t n)
{
    zip_file_t *file = in->member;
    size_t done = 0;
    while (done < n) {
        zip_int64_t got = zip_fread(file, (char *)dst + done, n - done);
        if (got < 0)
            return io_error(cx, in->name, "is damaged: %s", zip_file_strerror(file));
        if (got == 0)
            return io_error(cx, in->name,
                            "ends after %" PRIu64 " byte%s; the archive declares %" PRIu64,
                            in->at + done, plural(in->at + done), in->size);
        done += (size_t)got;
    }
    return TN_OK;
}

/* Only at the end does libzip compare the checksum. */
static tn_status check_end(context *cx, input *in)
{
    char extra;
    zip_int64_t got = zip_fread(in->member, &extra, 1);
    if (got < 0)
        return io_error(cx, in->name, "is damaged: %s", zip_file_strerror(in->member));
    if (got > 0)
        return io_error(cx, in->name,
                        "goes on after the %" PRIu64 " byte%s that the archive declares", in->size,
                        plural(in->size));
    return TN_OK;
}

/* What the directory says of the member must be possible. */
static tn_status check_entry(context *cx, const archive *a, const archive_member *m,
                             const char *name, uint64_t *size)
{
    zip_stat_t st;
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(a->zip, m->at, 0, &st) != 0 || (st.valid & needed) != needed)
        return io_error(cx, name, "is damaged: %s", zip_strerror(a->zip));
    if ((st.valid & ZIP_STAT_ENCRYPTION_METHOD) && st.encryption_method != ZIP_EM_NONE)
        return io_error(cx, name, "is encrypted");
    if (st.comp_method != ZIP_CM_STORE && st.comp_method != ZIP_CM_DEFLATE)
        return io_error(cx, name, "is compressed by method %d; only stored and deflated are read",
                        st.comp_method);
    uint64_t most = st.comp_method == ZIP_CM_STORE ? st.comp_size
                                                   : st.comp_size * DEFLATE_RATIO + DEFLATE_SLACK;
    if (st.comp_size > a->in.size || st.size > most)
        return io_error(cx, name,
                        "cannot hold the %" PRIu64 " byte%s that it declares in %" PRIu64
                        " byte%s of the archive",
                        (uint64_t)st.size, plural(st.size), (uint64_t)st.comp_size,
                        plural((uint64_t)st.comp_size));
    *size = st.size;
    return TN_OK;
}

static tn_status load_named(context *cx, archive *a, const archive_member *m, bool with_data,
                            const char *name, array *out)
{
    input in = {.name = name, .fill = fill_from_zip, .fd = -1};
    TN_TRY(check_entry(cx, a, m, name, &in.size));
    zip_file_t *file = zip_fopen_index(a->zip, m->at, 0);
    if (!file)
        return io_error(cx, name, "cannot be opened: %s", zip_strerror(a->zip));
    in.member = file;
    tn_status s = npy_read_input(cx, &in, with_data, out);
    if (s == TN_OK && with_data) {
        s = check_end(cx, &in);
        if (s != TN_OK)
            array_release(cx, out);
    }
    (void)zip_fclose(file);
    return s;
}

tn_status npz_load(context *cx, archive *a, const archive_member *m, bool with_data, array *out)
{
    arena_mark before = arena_here(&a->text);
    const char *name = arena_printf(&a->text, "%s: %s%s", a->in.name, m->name, suffix);
    tn_status s = name ? load_named(cx, a, m, with_data, name, out) : diag_no_memory(&cx->diag);
    arena_rewind(&a->text, before);
    return s;
}
