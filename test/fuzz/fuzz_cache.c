/* A file of the cache of compiled kernels, damaged: what is there is the whole object or nothing.
 * The first two bytes say where the others go in a whole file, and the third whether it ends behind
 * them; or the others are all of it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OBJECT_BYTES = 600, MOST_FILE = 1 << 16 };

static const char key[] = "the code of a kernel";

static void need(bool ok)
{
    if (!ok)
        abort();
}

/* The one object in FOLDER, as PATH. */
static void find_file(const char *folder, char path[static 400])
{
    DIR *dir = opendir(folder);
    need(dir != NULL);
    *path = '\0';
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        if (strlen(e->d_name) > 2 && strcmp(e->d_name + strlen(e->d_name) - 2, ".o") == 0)
            (void)snprintf(path, 400, "%s/%s", folder, e->d_name);
    (void)closedir(dir);
    need(*path != '\0');
}

static void damage(const char *path, const uint8_t *data, size_t size)
{
    static char file[MOST_FILE];
    FILE *f = fopen(path, "rb");
    need(f != NULL);
    size_t n = fread(file, 1, sizeof file, f);
    need(fclose(f) == 0);
    if (size >= 3 && data[2] < 128) {
        const size_t at = (data[0] | (size_t)data[1] << 8) % (n + 1), rest = size - 3;
        const size_t room = at + rest > sizeof file ? sizeof file - at : rest;
        memcpy(file + at, data + 3, room);
        n = data[2] < 64 || at + room > n ? at + room : n;
    } else {
        n = size > sizeof file ? sizeof file : size;
        memcpy(file, data, n);
    }
    f = fopen(path, "wb");
    need(f && fwrite(file, 1, n, f) == n && fclose(f) == 0);
}

static void empty(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[600];
    need(dir != NULL);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.')
            (void)unlink(path);
    }
    (void)closedir(dir);
    need(rmdir(folder) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[40], path[400], object[OBJECT_BYTES];
    /* in memory where that is possible: on a disk nearly all of the time is waiting for it */
    (void)snprintf(folder, sizeof folder, "%s/tenon-fuzz-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    need(mkdtemp(folder) != NULL);
    const cache_place place = {.folder = folder, .bytes = 1 << 20};
    cache *c = cache_open(&memory_system, &place);
    text_buffer out;
    need(c != NULL);
    for (size_t i = 0; i < sizeof object; i++)
        object[i] = (char)(i * 7);
    cache_put(c, key, sizeof key, object, sizeof object);
    find_file(folder, path);
    damage(path, data, size);
    text_init(&out, &memory_system);
    if (cache_get(c, key, sizeof key, &out))
        need(out.n == sizeof object && memcmp(out.at, object, sizeof object) == 0);
    else
        need(out.n == 0);
    text_release(&out);
    (void)cache_get_state(c);
    cache_close(c);
    empty(folder);
    return 0;
}
