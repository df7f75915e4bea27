/* Reading from files and from memory, and messages about failures. */
#include "io/input.h"
#include "base/context/incoming.h"
#include "base/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_READ = 1 << 30 }; /* one system call moves less than 2^31 bytes */

tn_status io_error(context *cx, const char *name, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return diag_report(&cx->diag, DIAG_FileError, NULL, NO_SPAN, "%s: %s", name[0] ? name : "''",
                       n < 0 ? "unreadable" : message);
}

tn_status io_unwritten(context *cx, const char *name)
{
    if (errno == ENOMEM)
        return diag_no_memory(&cx->diag);
    if (errno == ETIMEDOUT)
        return diag_report(&cx->diag, DIAG_Timeout, NULL, NO_SPAN, "%s: nobody reads this pipe",
                           name);
    return io_error(cx, name, "cannot be written: %s", strerror(errno));
}

io_text io_printable(const char *text, size_t n)
{
    io_text out;
    size_t last = sizeof out.text - 1;
    size_t kept = n > last ? last : n;
    for (size_t i = 0; i < kept; i++)
        out.text[i] = (text[i] >= ' ' && text[i] <= '~') ? text[i] : '?';
    if (n > last)
        memcpy(out.text + last - 3, "...", 3);
    out.text[kept] = '\0';
    return out;
}

static tn_status fill_from_memory(input *in, context *cx, void *dst, size_t n)
{
    (void)cx;
    memcpy(dst, in->bytes + in->at, n);
    return TN_OK;
}

static tn_status fill_from_file(input *in, context *cx, void *dst, size_t n)
{
    size_t done = 0;
    while (done < n) {
        size_t want = n - done < LARGEST_READ ? n - done : LARGEST_READ;
        ssize_t got = pread(in->fd, (char *)dst + done, want, (off_t)(in->start + in->at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return io_error(cx, in->name, "cannot be read: %s", strerror(errno));
        if (got == 0)
            return io_error(cx, in->name, "became shorter while it was read");
        done += (size_t)got;
    }
    return TN_OK;
}

/* Everything that comes through the pipe FD to the file TO; false with errno set, also for more
 * than MOST bytes. */
static bool copy_stream(context *cx, int fd, FILE *to, uint64_t most)
{
    char part[1 << 15];
    for (;;) {
        ssize_t got = incoming_read(cx, fd, part, sizeof part);
        if (got <= 0)
            return got == 0 && fflush(to) == 0;
        if ((uint64_t)got > most) {
            errno = EFBIG;
            return false;
        }
        most -= (uint64_t)got;
        if (fwrite(part, 1, (size_t)got, to) != (size_t)got)
            return false;
    }
}

/* Replace the pipe *FD by a nameless file with its contents: readers need its size, and archives
 * seek in it. Its arrays must fit into memory, so the file may not be larger. */
static tn_status spool(context *cx, const char *path, int *fd)
{
    FILE *to = tmpfile();
    int copy = -1;
    if (to && copy_stream(cx, *fd, to, cx->limits.run_bytes))
        copy = fcntl(fileno(to), F_DUPFD_CLOEXEC, 0);
    int reason = errno;
    if (to)
        (void)fclose(to);
    if (copy < 0)
        return reason == ECANCELED ? diag_no_memory(&cx->diag)
                                   : io_error(cx, path, "cannot be read: %s", strerror(reason));
    (void)close(*fd);
    *fd = copy;
    return TN_OK;
}

/* Let IN be the file FD, from where it stands, or what comes through the pipe FD; takes FD. */
static tn_status take_file(context *cx, int fd, input *in)
{
    struct stat info;
    in->fd = fd;
    if (fstat(fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)))
        TN_TRY(spool(cx, in->name, &in->fd));
    const off_t at = in->fd == fd ? lseek(fd, 0, SEEK_CUR) : 0;
    if (fstat(in->fd, &info) != 0 || !S_ISREG(info.st_mode) || at < 0)
        return io_error(cx, in->name, "is not a regular file");
    in->start = (uint64_t)at;
    in->size = at < info.st_size ? (uint64_t)(info.st_size - at) : 0;
    return TN_OK;
}

tn_status input_open(context *cx, const char *path, input *in)
{
    *in = (input){.name = path, .fill = fill_from_file, .fd = -1};
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : incoming_open(path);
    if (fd < 0)
        return io_error(cx, path, "cannot be opened: %s", strerror(errno));
    const tn_status s = take_file(cx, fd, in);
    if (s != TN_OK)
        input_close(in);
    return s;
}

void input_from_memory(const char *name, const void *bytes, size_t n, input *in)
{
    *in = (input){.name = name, .size = n, .fill = fill_from_memory, .bytes = bytes, .fd = -1};
}

void input_close(input *in)
{
    if (in->fd >= 0)
        (void)close(in->fd);
    in->fd = -1;
}

tn_status input_read(context *cx, input *in, void *dst, size_t n)
{
    if (in->at > in->size || n > in->size - in->at)
        return io_error(cx, in->name,
                        "ends too early: %zu byte%s needed at byte %" PRIu64 " of %" PRIu64, n,
                        plural(n), in->at, in->size);
    if (n == 0)
        return TN_OK;
    TN_TRY(in->fill(in, cx, dst, n));
    in->at += n;
    return TN_OK;
}
