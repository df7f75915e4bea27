/* The files beside a model in which it keeps data of tensors: only regular ones below the folder of
 * the model, whatever the model says and links lead to. They are mapped. */
#define _GNU_SOURCE /* O_PATH */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/api.h"
#include "base/text/text.h"
#include "tenon/files.h"

typedef struct model_file model_file;
struct model_file {
    model_file *next;
    const char *location;
    void *at; /* NULL: it is empty */
    uint64_t bytes;
};

struct tn_model_files {
    tn_allocator allocator;
    arena memory;
    const char *folder;
    const char *no_folder; /* why there is none; NULL: there is one */
    model_file *files;
};

/* A text for the reader of the model, which stays until the files are freed. */
static const char *reason(tn_model_files *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *reason(tn_model_files *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&s->memory, format, args);
    va_end(args);
    return text ? text : "there is no memory";
}

/* ---- opening ---- */

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

static const char *why_not_opened(tn_model_files *s)
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
static const char *check_regular(tn_model_files *s, int fd, uint64_t *bytes)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return reason(s, "%s", strerror(errno));
    *bytes = (uint64_t)info.st_size;
    if (S_ISDIR(info.st_mode))
        return "it is a folder";
    return S_ISREG(info.st_mode) ? NULL : "it is no regular file";
}

static const char *open_regular(tn_model_files *s, int folder, const char *location, int *out,
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

static const char *map(tn_model_files *s, int fd, model_file *f)
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

static const char *map_new(tn_model_files *s, const char *location, model_file *f)
{
    int fd = -1;
    if (s->no_folder)
        return s->no_folder;
    const int folder = open(s->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
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

static const char *find(tn_model_files *s, const char *location, const model_file **out)
{
    for (*out = s->files; *out; *out = (*out)->next)
        if (strcmp((*out)->location, location) == 0)
            return NULL;
    model_file *f = ARENA_NEW(&s->memory, model_file);
    const char *own = arena_copy_text(&s->memory, location, strlen(location));
    if (!f || !own)
        return "there is no memory";
    *f = (model_file){.next = s->files, .location = own};
    const char *why = map_new(s, location, f);
    if (!why)
        s->files = f;
    *out = f;
    return why;
}

/* ---- for users ---- */

tn_model_files *tn_model_files_new(const tn_allocator *allocator, const char *model)
{
    const tn_allocator *own = allocator ? allocator : &memory_system;
    const char *slash = strrchr(model, '/');
    tn_model_files *s = memory_alloc(own, sizeof *s);
    if (!s)
        return NULL;
    *s = (tn_model_files){.allocator = *own};
    arena_init(&s->memory, &s->allocator);
    if (strcmp(model, "-") == 0)
        s->no_folder = "a model from standard input has no folder";
    s->folder = slash ? arena_copy_text(&s->memory, model, (size_t)(slash - model) + 1) : ".";
    if (!s->folder) {
        tn_model_files_free(s);
        return NULL;
    }
    return s;
}

void tn_model_files_free(tn_model_files *s)
{
    if (!s)
        return;
    for (const model_file *f = s->files; f; f = f->next)
        if (f->at)
            (void)munmap(f->at, (size_t)f->bytes);
    const tn_allocator allocator = s->allocator;
    arena_release(&s->memory);
    memory_free(&allocator, s, sizeof *s);
}

const char *tn_model_files_data(void *files, const char *location, uint64_t offset, uint64_t length,
                                const void **data)
{
    tn_model_files *s = files;
    const model_file *f;
    const char *why = find(s, location, &f);
    if (why)
        return why;
    if (offset > f->bytes || length > f->bytes - offset)
        return reason(s, "it has %llu byte%s, and %llu from byte %llu on are wanted",
                      (unsigned long long)f->bytes, plural(f->bytes), (unsigned long long)length,
                      (unsigned long long)offset);
    *data = f->at ? (const char *)f->at + offset : NULL;
    return NULL;
}
