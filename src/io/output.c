/* Bytes go to a temporary file beside the target, which is renamed when all are written. */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/input.h"

enum { LARGEST_WRITE = 1 << 30, SUFFIX = 48, ATTEMPTS = 100 };

static void forget_temporary(context *cx, output *o)
{
    memory_free(&cx->allocator, o->temporary, o->temporary_size);
    o->temporary = NULL;
}

/* A new file beside the target; the suffix is unique to the process and the attempt. */
static tn_status open_temporary(context *cx, output *o)
{
    o->temporary_size = strlen(o->path) + SUFFIX;
    o->temporary = memory_alloc(&cx->allocator, o->temporary_size);
    if (!o->temporary)
        return diag_no_memory(&cx->diag);
    for (int i = 0; i < ATTEMPTS && o->fd < 0; i++) {
        (void)snprintf(o->temporary, o->temporary_size, "%s.%ld-%d.tmp", o->path, (long)getpid(),
                       i);
        o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd < 0 && errno != EEXIST)
            break;
    }
    if (o->fd >= 0)
        return TN_OK;
    int reason = errno;
    forget_temporary(cx, o);
    return io_error(cx, o->path, "cannot be written: %s", strerror(reason));
}

tn_status output_open(context *cx, const char *path, output *o)
{
    struct stat info;
    *o = (output){.path = path, .fd = -1};
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode))
        return open_temporary(cx, o);
    o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (o->fd < 0)
        return io_error(cx, path, "cannot be written: %s", strerror(errno));
    return TN_OK;
}

tn_status output_write(context *cx, output *o, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        ssize_t done = write(o->fd, at, n < LARGEST_WRITE ? n : LARGEST_WRITE);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return io_error(cx, o->path, "cannot be written: %s", strerror(errno));
        at += done;
        n -= (size_t)done;
    }
    return TN_OK;
}

tn_status output_close(context *cx, output *o)
{
    int closed = close(o->fd);
    o->fd = -1;
    if (closed != 0 || (o->temporary && rename(o->temporary, o->path) != 0)) {
        tn_status s = io_error(cx, o->path, "cannot be written: %s", strerror(errno));
        output_discard(cx, o);
        return s;
    }
    forget_temporary(cx, o);
    return TN_OK;
}

void output_discard(context *cx, output *o)
{
    if (o->fd >= 0)
        (void)close(o->fd);
    o->fd = -1;
    if (o->temporary)
        (void)unlink(o->temporary);
    forget_temporary(cx, o);
}
