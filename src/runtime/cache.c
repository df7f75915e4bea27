/* The folder of compiled objects: reading, writing, and keeping it small. */
#include "runtime/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/hash.h"
#include "base/system/output.h"

struct cache {
    const tn_allocator *allocator;
    int folder;
    uint64_t limit; /* of all files together */
};

enum { FORMAT_VERSION = 1, NAME_HEX = 32, HOUR = 3600 };
static const uint64_t bytes_by_default = UINT64_C(256) << 20;
static const uint64_t object_at_most = UINT64_C(1) << 30;

/* How a file starts, in this machine's byte order; the key and the object follow. */
typedef struct file_head {
    char magic[8];
    uint32_t version;
    uint32_t zero;
    uint64_t key_bytes;
    uint64_t object_bytes;
    uint64_t checksum[2]; /* of the key and the object */
} file_head;

static const char magic[sizeof((file_head *)0)->magic] = {'T', 'E', 'N', 'O', 'N', 'K', 'C', '\n'};

/* Two words that depend on all bytes. */
static void digest(const void *bytes, size_t n, uint64_t out[static 2])
{
    out[0] = hash_bytes(UINT64_C(0x74656e6f6e), bytes, n);
    out[1] = hash_bytes(UINT64_C(0x6b65726e656c), bytes, n);
}

typedef struct file_name {
    uint64_t hash[2];
    char text[NAME_HEX + 3]; /* "....o" */
} file_name;

static file_name name_of(const void *key, size_t key_bytes)
{
    file_name name;
    digest(key, key_bytes, name.hash);
    (void)snprintf(name.text, sizeof name.text, "%016" PRIx64 "%016" PRIx64 ".o", name.hash[0],
                   name.hash[1]);
    return name;
}

/* ---- the folder ---- */

/* The folder's path in PATH, and in *PARENT how much of it names the folder above that may have to
 * be made, or 0. */
static bool find_path(const char *given, char path[static CACHE_PATH_BYTES], size_t *parent)
{
    const char *own = given ? given : getenv("TENON_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    *parent = 0;
    if (own && *own) {
        n = snprintf(path, CACHE_PATH_BYTES, "%s", own);
    } else if (xdg && *xdg == '/') {
        n = snprintf(path, CACHE_PATH_BYTES, "%s/tenon", xdg);
        *parent = strlen(xdg);
    } else if (home && *home == '/') {
        n = snprintf(path, CACHE_PATH_BYTES, "%s/.cache/tenon", home);
        *parent = strlen(home) + strlen("/.cache");
    }
    return n > 0 && n < CACHE_PATH_BYTES;
}

bool cache_path(const cache_place *place, char path[static CACHE_PATH_BYTES])
{
    size_t parent;
    return find_path(place->folder, path, &parent);
}

/* A number of bytes that TEXT is; false when it is none. */
static bool read_bytes(const char *text, uint64_t *bytes)
{
    char *end;
    errno = 0;
    *bytes = strtoull(text, &end, 10);
    return errno == 0 && *end == 0 && *text >= '0' && *text <= '9';
}

static const char *limit_text(uint64_t given)
{
    const char *text = given ? NULL : getenv("TENON_CACHE_BYTES");
    return text && *text ? text : NULL;
}

static bool read_limit(uint64_t given, uint64_t *limit)
{
    const char *text = limit_text(given);
    *limit = given ? given : bytes_by_default;
    return !text || (read_bytes(text, limit) && *limit > 0);
}

const char *cache_wrong_limit(const cache_place *place)
{
    uint64_t bytes;
    const char *text = place->off ? NULL : limit_text(place->bytes);
    return text && !read_bytes(text, &bytes) ? text : NULL;
}

/* The folder opened, or -1. */
static int open_folder(const char *given)
{
    char path[CACHE_PATH_BYTES];
    struct stat s;
    size_t parent;
    if (!find_path(given, path, &parent))
        return -1;
    if (parent > 0) {
        path[parent] = 0;
        (void)mkdir(path, S_IRWXU);
        path[parent] = '/';
    }
    (void)mkdir(path, S_IRWXU);
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    if (fstat(folder, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return folder;
    (void)close(folder);
    return -1;
}

bool cache_is_on(const cache_place *place)
{
    uint64_t limit;
    return !place->off && read_limit(place->bytes, &limit);
}

cache *cache_open(const tn_allocator *a, const cache_place *place)
{
    uint64_t limit;
    const int folder =
        !place->off && read_limit(place->bytes, &limit) ? open_folder(place->folder) : -1;
    cache *c = folder >= 0 ? memory_alloc(a, sizeof *c) : NULL;
    if (c)
        *c = (cache){a, folder, limit};
    else if (folder >= 0)
        (void)close(folder);
    return c;
}

void cache_close(cache *c)
{
    if (!c)
        return;
    (void)close(c->folder);
    memory_free(c->allocator, c, sizeof *c);
}

/* ---- reading ---- */

static bool read_all(int file, char *to, size_t n)
{
    while (n > 0) {
        const ssize_t got = read(file, to, n);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0) {
            to += got;
            n -= (size_t)got;
        }
    }
    return true;
}

/* The place of the object in the N bytes of a file, or NULL when they are not what was stored under
 * KEY. */
static const char *check_file(const char *bytes, size_t n, const void *key, size_t key_bytes,
                              size_t *object_bytes)
{
    file_head head;
    uint64_t sum[2];
    memcpy(&head, bytes, sizeof head);
    bytes += sizeof head;
    n -= sizeof head;
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.version != FORMAT_VERSION ||
        head.zero != 0 || head.key_bytes != key_bytes || key_bytes > n ||
        head.object_bytes != n - key_bytes || memcmp(bytes, key, key_bytes) != 0)
        return NULL;
    digest(bytes, n, sum);
    if (sum[0] != head.checksum[0] || sum[1] != head.checksum[1])
        return NULL;
    *object_bytes = (size_t)head.object_bytes;
    return bytes + key_bytes;
}

/* A file that is used stays: its time is when it was last read, to the hour. */
static void touch(int file, const struct stat *s)
{
    if (time(NULL) - s->st_mtime > HOUR)
        (void)futimens(file, NULL);
}

static bool get_from(const cache *c, int file, const void *key, size_t key_bytes, text_buffer *out)
{
    struct stat s;
    if (fstat(file, &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
        s.st_size < (off_t)(sizeof(file_head) + key_bytes) || (uint64_t)s.st_size > object_at_most)
        return false;
    const size_t n = (size_t)s.st_size;
    char *bytes = memory_alloc(c->allocator, n);
    size_t object_bytes = 0;
    const char *object = bytes && read_all(file, bytes, n)
                             ? check_file(bytes, n, key, key_bytes, &object_bytes)
                             : NULL;
    if (object) {
        text_put(out, object, object_bytes);
        touch(file, &s);
    }
    memory_free(c->allocator, bytes, n);
    return object && !out->failed;
}

bool cache_get(const cache *c, const void *key, size_t key_bytes, text_buffer *out)
{
    if (!c)
        return false;
    const file_name name = name_of(key, key_bytes);
    const int file = openat(c->folder, name.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool found = get_from(c, file, key, key_bytes, out);
    (void)close(file);
    return found;
}

/* ---- keeping it small ---- */

typedef struct stored_file {
    char name[NAME_HEX + 3];
    uint64_t bytes;
    struct timespec time;
} stored_file;

typedef VECTOR(stored_file) stored_files;

static int by_time(const void *a, const void *b)
{
    const stored_file *x = a, *y = b;
    if (x->time.tv_sec != y->time.tv_sec)
        return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
    if (x->time.tv_nsec != y->time.tv_nsec)
        return x->time.tv_nsec < y->time.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool is_object(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_HEX && strcmp(name + NAME_HEX, ".o") == 0;
}

static bool is_unfinished(const char *name)
{
    return strncmp(name, OUTPUT_TEMPORARY, strlen(OUTPUT_TEMPORARY)) == 0;
}

/* List the files of FOLDER and their total size; unfinished files that nobody writes any more are
 * removed at once. */
static uint64_t list_files(const cache *c, DIR *folder, stored_files *files)
{
    uint64_t total = 0;
    struct stat s;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;
        if ((!is_object(name) && !is_unfinished(name)) ||
            fstatat(c->folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode))
            continue;
        stored_file f = {.bytes = (uint64_t)s.st_size, .time = s.st_mtim};
        if (is_unfinished(name)) {
            if (time(NULL) - s.st_mtime > HOUR)
                (void)unlinkat(c->folder, name, 0);
            continue;
        }
        memcpy(f.name, name, strlen(name) + 1);
        total += f.bytes;
        if (!VECTOR_PUSH(c->allocator, files, f))
            break;
    }
    return total;
}

static uint64_t list_all(const cache *c, stored_files *files)
{
    const int fd = openat(c->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return 0;
    }
    const uint64_t total = list_files(c, folder, files);
    (void)closedir(folder);
    return total;
}

/* Remove the oldest files until the others take KEPT bytes at most. */
static void shrink(const cache *c, stored_files *files, uint64_t total, uint64_t kept)
{
    if (files->n > 0)
        qsort(files->at, files->n, sizeof *files->at, by_time);
    for (uint32_t k = 0; k < files->n && total > kept; k++) {
        (void)unlinkat(c->folder, files->at[k].name, 0);
        total -= files->at[k].bytes;
    }
}

/* When the files take more than the limit, a quarter of it becomes free. */
static void sweep(const cache *c)
{
    stored_files files = {NULL, 0, 0};
    const uint64_t total = list_all(c, &files);
    if (total > c->limit)
        shrink(c, &files, total, c->limit - c->limit / 4);
    VECTOR_RELEASE(c->allocator, &files);
}

cache_state cache_get_state(const cache *c)
{
    stored_files files = {NULL, 0, 0};
    const uint64_t total = list_all(c, &files);
    const cache_state state = {files.n, total, c->limit};
    VECTOR_RELEASE(c->allocator, &files);
    return state;
}

void cache_clear(const cache *c)
{
    stored_files files = {NULL, 0, 0};
    const uint64_t total = list_all(c, &files);
    shrink(c, &files, total, 0);
    VECTOR_RELEASE(c->allocator, &files);
}

/* ---- writing ---- */

/* A file that appears complete or not at all. What stands in its place and is no file, such as a
 * pipe that nobody reads, stays there. */
static void write_file(const cache *c, const char *name, const file_head *head, const char *body)
{
    output_set set;
    struct stat s;
    if (fstatat(c->folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(s.st_mode))
        return;
    output_set_init(&set, c->allocator);
    set.mode = S_IRUSR | S_IWUSR;
    output *o = output_open(&set, c->folder, name);
    const bool ok = o && output_write(&set, o, head, sizeof *head) &&
                    output_write(&set, o, body, (size_t)(head->key_bytes + head->object_bytes)) &&
                    output_close(o);
    (void)output_set_end(&set, ok);
}

void cache_put(const cache *c, const void *key, size_t key_bytes, const void *object, size_t bytes)
{
    if (!c || key_bytes > object_at_most || bytes > object_at_most ||
        key_bytes + bytes + sizeof(file_head) > object_at_most || key_bytes + bytes > c->limit)
        return;
    char *body = memory_alloc(c->allocator, key_bytes + bytes);
    if (!body)
        return;
    memcpy(body, key, key_bytes);
    memcpy(body + key_bytes, object, bytes);
    file_head head = {.version = FORMAT_VERSION, .key_bytes = key_bytes, .object_bytes = bytes};
    memcpy(head.magic, magic, sizeof magic);
    digest(body, key_bytes + bytes, head.checksum);
    const file_name name = name_of(key, key_bytes);
    write_file(c, name.text, &head, body);
    memory_free(c->allocator, body, key_bytes + bytes);
    /* Listing the folder takes longer than writing a small file, so it is done for a few small
     * files only: often enough that the limit is not exceeded by much. */
    if (name.hash[1] % 16 == 0 || bytes > c->limit / 1024)
        sweep(c);
}
