/* Where results go: files that appear complete or not at all, or standard output. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "io/input.h"

enum { LARGEST_WRITE = 1 << 30 };

/* False with errno set when not all could be written. */
static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(fd, bytes, n < LARGEST_WRITE ? n : LARGEST_WRITE);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

void output_error_text(const char *text, size_t n)
{
    (void)write_all(STDERR_FILENO, text, n);
}

static bool append(void *user, const char *bytes, size_t n)
{
    text_buffer *text = user;
    text_put(text, bytes, n);
    return !text->failed;
}

tn_writer text_writer(text_buffer *text)
{
    return (tn_writer){append, text};
}

tn_status output_end(session *s, output_set *set, tn_status status)
{
    if (output_set_end(set, status == TN_OK) || status != TN_OK)
        return status;
    return diag_report(&s->cx->diag, DIAG_FileError, NULL, NO_SPAN,
                       "the results cannot be put in place: %s", strerror(errno));
}

tn_status output_folder(session *s, output_set *set, const char *path)
{
    if (output_set_folder(set, path))
        return TN_OK;
    return diag_report(&s->cx->diag, DIAG_FileError, NULL, NO_SPAN,
                       "%s: the folder cannot be made: %s", path, strerror(errno));
}

tn_status output_text_in(session *s, output_set *set, const char *path, const text_buffer *text)
{
    if (text->failed)
        return diag_no_memory(&s->cx->diag);
    if (!path || strcmp(path, "-") == 0) {
        if (write_all(STDOUT_FILENO, text->at, text->n))
            return TN_OK;
        return diag_report(&s->cx->diag, DIAG_FileError, NULL, NO_SPAN,
                           "standard output cannot be written: %s", strerror(errno));
    }
    output *o = output_open(set, AT_FDCWD, path);
    const bool ok = o && output_write(set, o, text->at, text->n) && output_close(o);
    return ok ? TN_OK : io_unwritten(s->cx, path);
}

tn_status output_text(session *s, const char *path, const text_buffer *text)
{
    output_set set;
    output_set_init(&set, &s->cx->allocator);
    return output_end(s, &set, output_text_in(s, &set, path, text));
}
