/* Reading a whole text file, pipe or standard input into memory. */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "base/context/incoming.h"

enum { FIRST_READ = 64 << 10, LARGEST_READ = 1 << 30, BLOCK_FROM = 1 << 20 };
#define LARGEST_TEXT ((uint64_t)UINT32_MAX - 1)

static tn_status file_error(context *cx, const char *path, const char *what, int reason)
{
    source place = {.name = strcmp(path, "-") == 0 ? "<stdin>" : path[0] ? path : "''"};
    char text[128] = "";
    if (!reason)
        return diag_report(&cx->diag, DIAG_FileError, &place, NO_SPAN, "%s", what);
    if (strerror_r(reason, text, sizeof text) != 0)
        text[0] = '\0';
    return diag_report(&cx->diag, DIAG_FileError, &place, NO_SPAN, "%s: %s", what, text);
}

static tn_status cannot_read(context *cx, const char *path)
{
    return errno == ECANCELED ? diag_no_memory(&cx->diag)
                              : file_error(cx, path, "cannot be read", errno);
}

/* At most N bytes; fewer only at the end. Negative on failure, with errno set. */
static int64_t read_some(context *cx, int fd, char *to, uint64_t n)
{
    uint64_t done = 0;
    while (done < n) {
        uint64_t want = n - done < LARGEST_READ ? n - done : LARGEST_READ;
        ssize_t got = incoming_read(cx, fd, to + done, (size_t)want);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (uint64_t)got;
    }
    return (int64_t)done;
}

/* Blocks are outside of what the context meters, for they may outlive it: what would go beyond its
 * limit is left to the arena, which refuses. */
static bool is_within_limit(context *cx, size_t n)
{
    const uint64_t used = atomic_load_explicit(&cx->metered_bytes, memory_order_relaxed);
    return used <= cx->limits.memory_bytes && n < cx->limits.memory_bytes - used;
}

char *text_room_for(context *cx, text_room *to, size_t n)
{
    void *text = NULL;
    if (!to->may_block || n < BLOCK_FROM || !is_within_limit(cx, n)) {
        text = arena_alloc_aligned(to->arena, n + 1, 1);
    } else {
        to->block = payload_new(&cx->allocator, n + 1, &text);
        to->own = text;
    }
    if (text)
        ((char *)text)[n] = '\0';
    return text;
}

/* The size is not known in advance. The arena cannot free a block that has become too small, so the
 * text is collected in a block of its own and copied when complete. */
static tn_status read_stream(context *cx, text_room *to, int fd, const char *path,
                             const char **text, size_t *length)
{
    size_t cap = FIRST_READ, n = 0;
    char *block = memory_alloc(&cx->allocator, cap);
    tn_status s = block ? TN_OK : diag_no_memory(&cx->diag);
    while (s == TN_OK) {
        int64_t got = read_some(cx, fd, block + n, cap - n);
        if (got < 0) {
            s = cannot_read(cx, path);
            break;
        }
        n += (size_t)got;
        if (n < cap)
            break;
        if (n > LARGEST_TEXT) {
            s = file_error(cx, path, "has 4 GiB or more, which is too large for a program", 0);
            break;
        }
        char *moved = memory_resize(&cx->allocator, block, cap, 2 * cap);
        if (!moved) {
            s = diag_no_memory(&cx->diag);
            break;
        }
        block = moved;
        cap *= 2;
    }
    if (s == TN_OK && n > LARGEST_TEXT)
        s = file_error(cx, path, "has 4 GiB or more, which is too large for a program", 0);
    if (s == TN_OK) {
        char *own = text_room_for(cx, to, n);
        if (own)
            memcpy(own, block, n);
        else
            s = diag_no_memory(&cx->diag);
        *length = n;
        *text = own;
    }
    memory_free(&cx->allocator, block, cap);
    return s;
}

static tn_status read_regular(context *cx, text_room *to, int fd, const char *path, uint64_t size,
                              const char **text, size_t *length)
{
    if (size > LARGEST_TEXT)
        return file_error(cx, path, "has 4 GiB or more, which is too large for a program", 0);
    char *own = text_room_for(cx, to, (size_t)size);
    if (!own)
        return diag_no_memory(&cx->diag);
    int64_t got = read_some(cx, fd, own, size);
    if (got < 0)
        return cannot_read(cx, path);
    own[got] = '\0';
    *text = own;
    *length = (size_t)got;
    return TN_OK;
}

/* Does the device FD give nothing, as /dev/null? */
static bool is_empty(int fd)
{
    char byte;
    return read(fd, &byte, 1) == 0;
}

static tn_status read_open_file(context *cx, text_room *to, int fd, const char *path,
                                const char **text, size_t *length)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return file_error(cx, path, "cannot be read", errno);
    if (S_ISDIR(info.st_mode))
        return file_error(cx, path, "is a directory", 0);
    if (S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && !isatty(fd) && !is_empty(fd)))
        return file_error(cx, path, "is a device, whose data may have no end", 0);
    /* files of /proc and the like say that they are empty */
    if (!S_ISREG(info.st_mode) || info.st_size == 0 || fd == STDIN_FILENO)
        return read_stream(cx, to, fd, path, text, length);
    return read_regular(cx, to, fd, path, (uint64_t)info.st_size, text, length);
}

tn_status text_file_read(context *cx, text_room *to, const char *path, const char **text,
                         size_t *length)
{
    if (strcmp(path, "-") == 0)
        return read_open_file(cx, to, STDIN_FILENO, path, text, length);
    int fd = incoming_open(path);
    if (fd < 0)
        return file_error(cx, path, "cannot be opened", errno);
    tn_status s = read_open_file(cx, to, fd, path, text, length);
    (void)close(fd);
    return s;
}
