/* Files that are renamed, or linked, when they are whole. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/system/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/hash.h"
#include "base/system/clock.h"

enum {
    PIECE = 4 << 20, /* bytes written between two looks for signals */
    ATTEMPTS = 1000,
    MOST_OPEN = 64,      /* files of a set that stay open until they are put in place */
    TEMPORARY_ROOM = 64, /* bytes of a temporary name */
    PROC_ROOM = 32
};

/* ---- one file ---- */

/* How much of PATH names the folder, with the slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Its length does not depend on that of the target, whose name may be as long as names can be. */
static void next_temporary(output *o)
{
    (void)snprintf(o->temporary + folder_length(o->path), TEMPORARY_ROOM,
                   OUTPUT_TEMPORARY "%ld-%u.tmp", (long)getpid(), o->attempt++);
}

/* Did making a file under the temporary name fail because there is one, and is another name to be
 * tried? FIRST is the attempt that this file began with. */
static bool is_taken(const output *o, unsigned first)
{
    return errno == EEXIST && o->attempt - first < ATTEMPTS;
}

static void proc_path(int fd, char out[static PROC_ROOM])
{
    (void)snprintf(out, PROC_ROOM, "/proc/self/fd/%d", fd);
}

/* A file without a name, which goes with the process, however that ends. */
static bool open_nameless(output *o)
{
#ifdef O_TMPFILE
    char link[PROC_ROOM];
    const size_t n = folder_length(o->path);
    const char kept = o->path[n];
    o->path[n] = '\0';
    o->fd = openat(o->at, n ? o->path : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, o->mode);
    o->path[n] = kept;
    if (o->fd < 0)
        return false;
    proc_path(o->fd, link);
    if (access(link, F_OK) == 0) /* or it could not be given a name later */
        return true;
    (void)close(o->fd);
    o->fd = -1;
#endif
    return false;
}

static bool open_named(output *o)
{
    const unsigned first = o->attempt;
    do {
        next_temporary(o);
        o->fd = openat(o->at, o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, o->mode);
    } while (o->fd < 0 && is_taken(o, first));
    o->has_name = o->fd >= 0;
    return o->has_name;
}

static bool link_as(const output *o, const char *path)
{
    char link[PROC_ROOM];
    proc_path(o->fd, link);
    return linkat(AT_FDCWD, link, o->at, path, AT_SYMLINK_FOLLOW) == 0;
}

/* Call a nameless file by its temporary name. */
static bool give_name(output *o)
{
    const unsigned first = o->attempt;
    do {
        next_temporary(o);
        o->has_name = link_as(o, o->temporary);
    } while (!o->has_name && is_taken(o, first));
    return o->has_name;
}

/* ---- names that are left when a process is killed ---- */

/* The same for all who write the target. Whoever has a file of such a name holds its lock. */
static void shared_temporary(output *o, unsigned attempt)
{
    const size_t n = folder_length(o->path);
    const char *target = o->path + n;
    (void)snprintf(o->temporary + n, TEMPORARY_ROOM, OUTPUT_TEMPORARY "%016" PRIx64 "-%u.tmp",
                   hash_bytes(0, target, strlen(target)), attempt);
}

/* Remove a file under the temporary name that nobody holds the lock of: it cannot be renamed or
 * replaced meanwhile, as only its owner and who has the lock do that. */
static bool remove_stale(const output *o)
{
    struct stat held, named;
    const int fd = openat(o->at, o->temporary, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool removed = fd >= 0 && fstat(fd, &held) == 0 && S_ISREG(held.st_mode) &&
                         held.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
                         fstatat(o->at, o->temporary, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                         named.st_dev == held.st_dev && named.st_ino == held.st_ino &&
                         unlinkat(o->at, o->temporary, 0) == 0;
    if (fd >= 0)
        (void)close(fd);
    return removed;
}

/* Put a nameless file in the place of one that is there. */
static bool replace(output *o)
{
    bool is_shared = flock(o->fd, LOCK_EX | LOCK_NB) == 0;
    for (unsigned attempt = 0; is_shared && !o->has_name; attempt++) {
        shared_temporary(o, attempt);
        o->has_name = link_as(o, o->temporary) ||
                      (errno == EEXIST && remove_stale(o) && link_as(o, o->temporary));
        is_shared = o->has_name || (errno == EEXIST && attempt < ATTEMPTS);
    }
    return (o->has_name || give_name(o)) && renameat(o->at, o->temporary, o->at, o->path) == 0;
}

/* Is the target something that can only be written directly? A file that it replaces keeps who may
 * use it. Fails for what cannot be a file. */
static bool look_at_target(output *o, bool *is_direct)
{
    struct stat info;
    *is_direct = false;
    if (fstatat(o->at, o->path, &info, 0) != 0)
        return errno == ENOENT;
    *is_direct = !S_ISREG(info.st_mode);
    o->replaces = !*is_direct;
    if (o->replaces)
        o->mode = info.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    if (!S_ISDIR(info.st_mode))
        return true;
    errno = EISDIR;
    return false;
}

static output *new_output(output_set *s, int at, const char *path)
{
    const size_t n = strlen(path), folder = folder_length(path);
    output *o = ARENA_NEW(&s->memory, output);
    if (!o || !(o->path = arena_copy_text(&s->memory, path, n)) ||
        !(o->temporary = arena_alloc(&s->memory, folder + TEMPORARY_ROOM)) ||
        !VECTOR_PUSH(s->memory.allocator, &s->files, o)) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(o->temporary, path, folder);
    o->at = at;
    o->fd = -1;
    o->durable = s->durable;
    o->mode = s->mode;
    o->attempt = s->files.n - 1;
    o->stays_open = s->files.n <= MOST_OPEN;
    return o;
}

/* Open what is no file; a pipe waits for who reads it. Its writes fail with EAGAIN rather than
 * wait. */
static int open_direct(const output_set *s, int at, const char *path)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    for (;;) {
        if (signals_waiting(&s->hold)) {
            errno = EINTR;
            return -1;
        }
        const int fd = openat(at, path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        struct stat info;
        if (fd >= 0 || errno != ENXIO || fstatat(at, path, &info, 0) != 0 ||
            !S_ISFIFO(info.st_mode))
            return fd;
        if (s->deadline && clock_now() >= s->deadline) {
            errno = ETIMEDOUT;
            return -1;
        }
        (void)nanosleep(&pause, NULL);
    }
}

static output *open_target(output_set *s, int at, const char *path, bool is_sought)
{
    bool is_direct;
    output *o = new_output(s, at, path);
    if (!o || !look_at_target(o, &is_direct))
        return NULL;
    if (is_direct && is_sought) {
        errno = ESPIPE;
        return NULL;
    }
    if (is_direct) {
        o->temporary = NULL;
        o->fd = open_direct(s, at, path);
        return o->fd >= 0 ? o : NULL;
    }
    signals_hold(&s->hold);
    if (!open_nameless(o) && !open_named(o))
        return NULL;
    if (o->replaces)
        (void)fchmod(o->fd, o->mode); /* where that fails the umask has left no more than that */
    return o;
}

output *output_open(output_set *s, int at, const char *path)
{
    return open_target(s, at, path, false);
}

output *output_open_sought(output_set *s, const char *path)
{
    return open_target(s, AT_FDCWD, path, true);
}

/* Wait a little until O, which is no file, takes more; false with errno set. */
static bool wait_for_reader(const output_set *s, const output *o)
{
    enum { LONGEST = 50 }; /* milliseconds of one wait, as signals are held back in it */
    struct pollfd wanted = {.fd = o->fd, .events = POLLOUT};
    const int64_t left = s->deadline ? (s->deadline - clock_now()) / 1000000 + 1 : LONGEST;
    if (left <= 0) {
        errno = ETIMEDOUT;
        return false;
    }
    return poll(&wanted, 1, left < LONGEST ? (int)left : LONGEST) >= 0 || errno == EINTR ||
           errno == EAGAIN;
}

bool output_write(const output_set *s, const output *o, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        if (signals_waiting(&s->hold)) {
            errno = EINTR;
            return false;
        }
        const ssize_t done = write(o->fd, at, n < PIECE ? n : PIECE);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0 && errno == EAGAIN && wait_for_reader(s, o))
            continue;
        if (done < 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

bool output_seek(const output *o, uint64_t offset)
{
    return lseek(o->fd, (off_t)offset, SEEK_SET) >= 0;
}

bool output_close(output *o)
{
    const bool synced = !o->durable || !o->temporary || fsync(o->fd) == 0;
    const bool is_nameless = o->temporary && !o->has_name;
    const int kept = synced && is_nameless && o->stays_open ? fcntl(o->fd, F_DUPFD_CLOEXEC, 0) : -1;
    const bool named = synced && (!is_nameless || kept >= 0 || give_name(o));
    const int reason = errno, fd = o->fd;
    o->fd = kept;
    if (close(fd) != 0)
        return false;
    errno = reason;
    return named;
}

/* ---- several ---- */

void output_set_init(output_set *s, const tn_allocator *allocator)
{
    *s = (output_set){.mode = 0666};
    arena_init(&s->memory, allocator);
}

bool output_set_folder(output_set *s, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') /* so that its name is the last in the path */
        n--;
    char *kept = arena_copy_text(&s->memory, path, n);
    if (!kept) {
        errno = ENOMEM;
        return false;
    }
    signals_hold(&s->hold);
    if (mkdir(path, 0777) == 0)
        s->folder = kept;
    else if (errno != EEXIST)
        return false;
    return true;
}

/* Have the last name of PATH on the disk. */
static bool sync_name(int at, char *path)
{
    const size_t n = folder_length(path);
    const char kept = path[n];
    path[n] = '\0';
    const int fd = openat(at, n ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    path[n] = kept;
    const bool ok = fd >= 0 && fsync(fd) == 0;
    const int reason = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = reason;
    return ok;
}

static bool put_in_place(output *o)
{
    if (!o->temporary)
        return true;
    if (o->has_name ? renameat(o->at, o->temporary, o->at, o->path) != 0
                    : !link_as(o, o->path) && (errno != EEXIST || !replace(o)))
        return false;
    o->has_name = false;
    return !o->durable || sync_name(o->at, o->path);
}

/* Remove what has a temporary name still. */
static void forget(output *o)
{
    if (o->fd >= 0)
        (void)close(o->fd);
    if (o->has_name)
        (void)unlinkat(o->at, o->temporary, 0);
}

bool output_set_end(output_set *s, bool ok)
{
    int reason = EINTR;
    if (ok && signals_waiting(&s->hold))
        ok = false;
    else
        reason = errno;
    for (uint32_t i = 0; ok && i < s->files.n; i++)
        if (!put_in_place(s->files.at[i])) {
            reason = errno;
            ok = false;
        }
    if (ok && s->folder && s->durable && !sync_name(AT_FDCWD, s->folder)) {
        reason = errno;
        ok = false;
    }
    for (uint32_t i = 0; i < s->files.n; i++)
        forget(s->files.at[i]);
    if (!ok && s->folder)
        (void)rmdir(s->folder); /* stays when something is in it */
    const tn_allocator *a = s->memory.allocator;
    VECTOR_RELEASE(a, &s->files);
    arena_release(&s->memory);
    signals_let_through(&s->hold);
    errno = reason;
    return ok;
}
