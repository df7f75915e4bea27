/* A library to be loaded before a program (LD_PRELOAD): it lets one call to the system fail.
 *
 *   TENON_FAULT_AT=N      the Nth call; 0, or not given: none
 *   TENON_FAULT_AS=ERRNO  with this number in errno; `short`: half of what was asked for is read or
 *                         written; `kill`: the process ends there, as by kill -9
 *   TENON_FAULT_LOG=FILE  gets a line for each call: its name, and its file descriptor or -1
 *
 * Calls of the program `tenon` alone count, not those of compilers and linkers that it starts. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
/* The library's own function of this name. */
#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static atomic_ulong calls;

static void log_call(const char *name, int fd)
{
    char line[64];
    const char *path = getenv("TENON_FAULT_LOG");
    if (!path)
        return;
    const int log = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const int n = snprintf(line, sizeof line, "%s %d\n", name, fd);
    if (log >= 0) {
        if (REAL(write)(log, line, (size_t)n) != n)
            _exit(99);
        (void)REAL(close)(log);
    }
}

/* Is this the call that fails? errno is set then. */
static bool fails(const char *name, int fd)
{
    const char *at = getenv("TENON_FAULT_AT"), *as = getenv("TENON_FAULT_AS");
    if (strcmp(program_invocation_short_name, "tenon") != 0)
        return false;
    const unsigned long number = atomic_fetch_add(&calls, 1) + 1;
    const int before = errno;
    log_call(name, fd);
    errno = before;
    if (!at || strtoul(at, NULL, 10) != number)
        return false;
    if (as && strcmp(as, "kill") == 0)
        (void)raise(SIGKILL);
    errno = as ? atoi(as) : EIO;
    return true;
}

/* Of a transfer that fails: how much of N bytes is transferred; 0: nothing, errno says why. */
static size_t shorter(size_t n)
{
    const char *as = getenv("TENON_FAULT_AS");
    return as && strcmp(as, "short") == 0 ? (n + 1) / 2 : 0;
}

API int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails("open", -1) ? -1 : REAL(open)(path, flags, mode);
}

API int openat(int at, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails("openat", -1) ? -1 : REAL(openat)(at, path, flags, mode);
}

API FILE *fopen(const char *path, const char *mode)
{
    return fails("fopen", -1) ? NULL : REAL(fopen)(path, mode);
}

API FILE *fdopen(int fd, const char *mode)
{
    return fails("fdopen", fd) ? NULL : REAL(fdopen)(fd, mode);
}

API int fclose(FILE *f)
{
    if (!fails("fclose", f ? fileno(f) : -1))
        return REAL(fclose)(f);
    const int why = errno;
    (void)REAL(fclose)(f);
    errno = why;
    return EOF;
}

/* A stream whose transfer failed says so to ferror: the C library sets this bit. */
static void mark_failed(FILE *f)
{
    enum { ERROR_SEEN = 0x20 };
    f->_flags |= ERROR_SEEN;
}

API size_t fread(void *to, size_t size, size_t n, FILE *f)
{
    if (!fails("fread", fileno(f)))
        return REAL(fread)(to, size, n, f);
    mark_failed(f);
    return 0;
}

API ssize_t read(int fd, void *to, size_t n)
{
    if (!fails("read", fd))
        return REAL(read)(fd, to, n);
    return shorter(n) ? REAL(read)(fd, to, shorter(n)) : -1;
}

API ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    if (!fails("pread", fd))
        return REAL(pread)(fd, to, n, at);
    return shorter(n) ? REAL(pread)(fd, to, shorter(n), at) : -1;
}

API ssize_t write(int fd, const void *from, size_t n)
{
    if (!fails("write", fd))
        return REAL(write)(fd, from, n);
    return shorter(n) ? REAL(write)(fd, from, shorter(n)) : -1;
}

API size_t fwrite(const void *from, size_t size, size_t n, FILE *f)
{
    if (!fails("fwrite", fileno(f)))
        return REAL(fwrite)(from, size, n, f);
    mark_failed(f);
    return 0;
}

API int fflush(FILE *f)
{
    return fails("fflush", f ? fileno(f) : -1) ? EOF : REAL(fflush)(f);
}

/* The descriptor is gone in any case, as it is on Linux. */
API int close(int fd)
{
    if (!fails("close", fd))
        return REAL(close)(fd);
    const int why = errno;
    (void)REAL(close)(fd);
    errno = why;
    return -1;
}

API int fsync(int fd)
{
    return fails("fsync", fd) ? -1 : REAL(fsync)(fd);
}

API int rename(const char *from, const char *to)
{
    return fails("rename", -1) ? -1 : REAL(rename)(from, to);
}

API int renameat(int from_at, const char *from, int to_at, const char *to)
{
    return fails("renameat", -1) ? -1 : REAL(renameat)(from_at, from, to_at, to);
}

API int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
    return fails("linkat", -1) ? -1 : REAL(linkat)(from_at, from, to_at, to, flags);
}

API int unlink(const char *path)
{
    return fails("unlink", -1) ? -1 : REAL(unlink)(path);
}

API int unlinkat(int at, const char *path, int flags)
{
    return fails("unlinkat", -1) ? -1 : REAL(unlinkat)(at, path, flags);
}

API int mkdir(const char *path, mode_t mode)
{
    return fails("mkdir", -1) ? -1 : REAL(mkdir)(path, mode);
}

API int fstat(int fd, struct stat *out)
{
    return fails("fstat", fd) ? -1 : REAL(fstat)(fd, out);
}

API int fstatat(int at, const char *path, struct stat *out, int flags)
{
    return fails("fstatat", -1) ? -1 : REAL(fstatat)(at, path, out, flags);
}

API DIR *opendir(const char *path)
{
    return fails("opendir", -1) ? NULL : REAL(opendir)(path);
}

API struct dirent *readdir(DIR *dir)
{
    return fails("readdir", -1) ? NULL : REAL(readdir)(dir);
}

API off_t lseek(int fd, off_t to, int from)
{
    return fails("lseek", fd) ? -1 : REAL(lseek)(fd, to, from);
}

API int ftruncate(int fd, off_t n)
{
    return fails("ftruncate", fd) ? -1 : REAL(ftruncate)(fd, n);
}

API void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t from)
{
    return fails("mmap", fd) ? MAP_FAILED : REAL(mmap)(at, n, protection, flags, fd, from);
}
