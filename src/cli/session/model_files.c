/* Reading programs, and the files beside a model in which it keeps data of tensors: only regular
 * ones below the folder of the model, whatever the model says and links lead to. They are mapped,
 * and stay so until the command ends. */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/session/cli.h"

struct model_file {
    model_file *next;
    const char *model, *location;
    void *at; /* NULL: it is empty */
    uint64_t bytes;
};

/* A text for the reader of the model, which it may be given until the end of the command. */
static const char *reason(session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *reason(session *s, const char *format, ...)
{
    va_list args;
    cli_text text = {0};
    va_start(args, format);
    cli_vprintf(&text, format, args);
    va_end(args);
    const char *kept = text.failed ? NULL : cli_copy(&s->memory, text.at, text.n);
    cli_text_release(&text);
    return kept ? kept : "there is no memory";
}

/* ---- opening ---- */

/* The folder of the path that was given for the model, which itself may be a link. */
static int open_folder(session *s, const char *model)
{
    const char *slash = strrchr(model, '/');
    const size_t n = slash ? (size_t)(slash - model) + 1 : 1;
    const char *folder = cli_copy(&s->memory, slash ? model : ".", n);
    if (!folder)
        errno = ENOMEM;
    return folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* Open LOCATION without leaving FOLDER on the way; -1 with errno set. */
static int open_below(int folder, const char *location, uint64_t flags)
{
    enum { TRIES = 8 };
    const struct open_how how = {.flags = flags | O_CLOEXEC,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    long fd = -1;
    for (int i = 0; fd < 0 && i < TRIES; i++) {
        fd = syscall(SYS_openat2, folder, location, &how, sizeof how);
        if (fd < 0 && errno != EAGAIN && errno != EINTR) /* something is moved meanwhile */
            break;
    }
    return (int)fd;
}

static const char *why_not_opened(session *s)
{
    switch (errno) {
    case EXDEV:
        return "a link leads out of the folder of the model";
    case ELOOP:
        return "links lead in a circle, or to no file";
    case ENOSYS:
    case EPERM:
        return "this system cannot confine files to a folder (openat2)";
    default:
        return reason(s, "%s", strerror(errno));
    }
}

/* Look at a file before it is opened: of a pipe or a device that may have effects. */
static const char *check_regular(session *s, int fd, uint64_t *bytes)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return reason(s, "%s", strerror(errno));
    *bytes = (uint64_t)info.st_size;
    if (S_ISDIR(info.st_mode))
        return "it is a folder";
    return S_ISREG(info.st_mode) ? NULL : "it is no regular file";
}

static const char *open_regular(session *s, int folder, const char *location, int *out,
                                uint64_t *bytes)
{
    const int look = open_below(folder, location, O_PATH);
    if (look < 0)
        return why_not_opened(s);
    const char *why = check_regular(s, look, bytes);
    (void)close(look);
    if (why)
        return why;
    *out = open_below(folder, location, O_RDONLY | O_NOCTTY | O_NONBLOCK);
    return *out < 0 ? why_not_opened(s) : check_regular(s, *out, bytes);
}

/* ---- mapping ---- */

static const char *map(session *s, int fd, model_file *f)
{
    if (f->bytes == 0)
        return NULL;
    if (f->bytes > SIZE_MAX)
        return "it is larger than memory can be";
    void *at = mmap(NULL, (size_t)f->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return reason(s, "%s", strerror(errno));
    f->at = at;
    return NULL;
}

static const char *map_new(session *s, const char *location, model_file *f)
{
    int fd = -1;
    if (!s->model || strcmp(s->model, "-") == 0)
        return "a model from standard input has no folder";
    const int folder = open_folder(s, s->model);
    if (folder < 0)
        return reason(s, "the folder of the model cannot be opened: %s", strerror(errno));
    const char *why = open_regular(s, folder, location, &fd, &f->bytes);
    if (!why)
        why = map(s, fd, f);
    if (fd >= 0)
        (void)close(fd);
    (void)close(folder);
    return why;
}

static const char *find(session *s, const char *location, const model_file **out)
{
    for (*out = s->model_files; *out; *out = (*out)->next)
        if ((*out)->model == s->model && strcmp((*out)->location, location) == 0)
            return NULL;
    model_file *f = cli_alloc(&s->memory, 1, sizeof *f);
    if (!f)
        return "there is no memory";
    f->next = s->model_files;
    f->model = s->model;
    f->location = cli_copy(&s->memory, location, strlen(location));
    const char *why = f->location ? map_new(s, location, f) : "there is no memory";
    if (!why)
        s->model_files = f;
    *out = f;
    return why;
}

/* For tn_read_options. */
static const char *external(void *user, const char *location, uint64_t offset, uint64_t length,
                            const void **data)
{
    session *s = user;
    const model_file *f;
    const char *why = find(s, location, &f);
    if (why)
        return why;
    if (offset > f->bytes || length > f->bytes - offset)
        return reason(s, "it has %llu bytes, and %llu from byte %llu on are wanted",
                      (unsigned long long)f->bytes, (unsigned long long)length,
                      (unsigned long long)offset);
    *data = f->at ? (const char *)f->at + offset : NULL;
    return NULL;
}

void model_files_release(session *s)
{
    for (const model_file *f = s->model_files; f; f = f->next)
        if (f->at)
            (void)munmap(f->at, (size_t)f->bytes);
    s->model_files = NULL;
}

tn_status read_program(session *s, const char *path, tn_module **m)
{
    tn_read_options o = s->read;
    o.external = external;
    o.external_user = s;
    s->model = path;
    return tn_module_read_file(s->cx, &o, path, m);
}
