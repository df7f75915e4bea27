/* Where results go: a file that appears complete or not at all, or standard output. */
#include "io/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

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

tn_status output_text(session *s, const char *path, const text_buffer *text)
{
    if (text->failed)
        return diag_no_memory(&s->cx->diag);
    if (!path || strcmp(path, "-") == 0) {
        if (write_all(STDOUT_FILENO, text->at, text->n))
            return TN_OK;
        return diag_report(&s->cx->diag, DIAG_FileError, NULL, NO_SPAN,
                           "standard output cannot be written: %s", strerror(errno));
    }
    output file;
    TN_TRY(output_open(s->cx, path, &file));
    tn_status status = output_write(s->cx, &file, text->at, text->n);
    if (status == TN_OK)
        return output_close(s->cx, &file);
    output_discard(s->cx, &file);
    return status;
}
