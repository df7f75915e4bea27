/* The cache of compiled objects: what was put is got, nothing else ever is. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "runtime/cache.h"

static char folder[] = "/tmp/tenon-cache-XXXXXX";

/* Where the environment says. */
static cache *open_cache(void)
{
    return cache_open(&memory_system, &(cache_place){.off = false});
}

static bool has(const cache *c, const char *key, const char *want)
{
    text_buffer out;
    text_init(&out, &memory_system);
    text_puts(&out, "before:");
    const bool found = cache_get(c, key, strlen(key), &out);
    const char *text = text_c_string(&out);
    const bool same = found && text && strcmp(text + strlen("before:"), want) == 0;
    if (!found)
        CHECK_INT(out.n, strlen("before:"));
    text_release(&out);
    return same;
}

static void put(const cache *c, const char *key, const char *object)
{
    cache_put(c, key, strlen(key), object, strlen(object));
}

/* Calls VISIT with the path of every file; returns how many there are, and their bytes together. */
static unsigned each_file(void (*visit)(const char *path), uint64_t *bytes)
{
    char path[4096];
    struct stat s;
    unsigned n = 0;
    DIR *d = opendir(folder);
    *bytes = 0;
    if (!CHECK(d != NULL))
        return 0;
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        *bytes += stat(path, &s) == 0 ? (uint64_t)s.st_size : 0;
        n++;
        if (visit)
            visit(path);
    }
    (void)closedir(d);
    return n;
}

static void remove_file(const char *path)
{
    CHECK(unlink(path) == 0);
}

static void empty(void)
{
    uint64_t bytes;
    (void)each_file(remove_file, &bytes);
}

static void test_plain(void)
{
    cache *c = open_cache();
    uint64_t bytes;
    if (!CHECK(c != NULL))
        return;
    CHECK(!has(c, "one", "object one"));
    put(c, "one", "object one");
    put(c, "two", "");
    CHECK(has(c, "one", "object one"));
    CHECK(has(c, "two", ""));
    CHECK(!has(c, "three", ""));
    put(c, "one", "another object");
    CHECK(has(c, "one", "another object"));
    CHECK_INT(each_file(NULL, &bytes), 2);
    cache_close(c);
    c = open_cache(); /* it is still there */
    CHECK(has(c, "one", "another object"));
    cache_close(c);
    CHECK(!has(NULL, "one", "another object"));
    put(NULL, "one", "nothing happens");
    cache_close(NULL);
    empty();
}

/* Another key's object under a key's name, as with two keys of one hash or a hostile folder. */
static char other_path[4096];

static void note_path(const char *path)
{
    (void)snprintf(other_path, sizeof other_path, "%s", path);
}

static void test_other_key(void)
{
    char own[4096];
    uint64_t bytes;
    cache *c = open_cache();
    put(c, "key one", "of one");
    CHECK_INT(each_file(note_path, &bytes), 1);
    (void)snprintf(own, sizeof own, "%s", other_path);
    CHECK(has(c, "key one", "of one") && unlink(own) == 0);
    put(c, "key two", "of two");
    CHECK_INT(each_file(note_path, &bytes), 1);
    CHECK(rename(other_path, own) == 0);
    CHECK(!has(c, "key one", "of two"));
    CHECK(!has(c, "key two", "of two"));
    put(c, "key one", "of one"); /* takes its place back */
    CHECK(has(c, "key one", "of one"));
    cache_close(c);
    empty();
}

static size_t flip_at;

static void flip_byte(const char *path)
{
    char byte = 0;
    const int file = open(path, O_RDWR);
    CHECK(file >= 0 && pread(file, &byte, 1, (off_t)flip_at) == 1);
    byte = (char)(byte ^ 0x10);
    CHECK(pwrite(file, &byte, 1, (off_t)flip_at) == 1);
    CHECK(close(file) == 0);
}

static void cut_file(const char *path)
{
    CHECK(truncate(path, (off_t)flip_at) == 0);
}

/* No changed byte and no missing one goes unnoticed. */
static void test_damage(void)
{
    cache *c = open_cache();
    uint64_t bytes;
    put(c, "key", "an object of some length");
    (void)each_file(NULL, &bytes);
    for (flip_at = 0; flip_at < bytes; flip_at++) {
        uint64_t now;
        put(c, "key", "an object of some length");
        (void)each_file(flip_byte, &now);
        CHECK(!has(c, "key", "an object of some length"));
        put(c, "key", "an object of some length");
        CHECK(has(c, "key", "an object of some length"));
        (void)each_file(cut_file, &now);
        CHECK(!has(c, "key", "an object of some length"));
    }
    empty();
    cache_close(c);
}

static void test_limit(void)
{
    char key[32], object[1000];
    uint64_t bytes;
    CHECK(setenv("TENON_CACHE_BYTES", "20000", 1) == 0);
    cache *c = open_cache();
    memset(object, 'x', sizeof object);
    for (size_t size = 250; size <= sizeof object; size += 250)
        for (int k = 0; k < 100; k++) {
            (void)snprintf(key, sizeof key, "key %zu.%d", size, k);
            cache_put(c, key, strlen(key), object, size);
            (void)each_file(NULL, &bytes);
            CHECK(bytes <= 20000);
        }
    text_buffer out;
    text_init(&out, &memory_system);
    CHECK(cache_get(c, key, strlen(key), &out)); /* the newest stays */
    CHECK_INT(out.n, sizeof object);
    text_release(&out);
    cache_close(c);
    empty();
    static const char *const off[] = {"0", "-1", "12 apples", "99999999999999999999999"};
    for (size_t k = 0; k < sizeof off / sizeof off[0]; k++) {
        CHECK(setenv("TENON_CACHE_BYTES", off[k], 1) == 0);
        CHECK(open_cache() == NULL);
    }
    CHECK(unsetenv("TENON_CACHE_BYTES") == 0);
}

static void make_old(const char *path)
{
    const struct timespec times[] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

/* What was not read for long goes first, though it may be larger or have a smaller name. */
static void test_oldest(void)
{
    char key[32], object[1000];
    uint64_t bytes;
    CHECK(setenv("TENON_CACHE_BYTES", "20000", 1) == 0);
    cache *c = open_cache();
    memset(object, 'x', sizeof object);
    for (int k = 0; k < 3; k++) {
        (void)snprintf(key, sizeof key, "old %d", k);
        put(c, key, "old object");
    }
    (void)each_file(make_old, &bytes);
    for (int k = 0; k < 30; k++) {
        (void)snprintf(key, sizeof key, "new %d", k);
        cache_put(c, key, strlen(key), object, sizeof object);
    }
    for (int k = 0; k < 3; k++) {
        (void)snprintf(key, sizeof key, "old %d", k);
        CHECK(!has(c, key, "old object"));
    }
    text_buffer out;
    text_init(&out, &memory_system);
    CHECK(cache_get(c, "new 29", strlen("new 29"), &out));
    text_release(&out);
    cache_close(c);
    empty();
    CHECK(unsetenv("TENON_CACHE_BYTES") == 0);
}

/* Where the folder comes from, and which ones are refused. */
static void test_folders(void)
{
    char path[256];
    CHECK(chmod(folder, 0770) == 0); /* others could put code there */
    CHECK(open_cache() == NULL);
    CHECK(chmod(folder, 0700) == 0);
    CHECK(setenv("TENON_CACHE_DIR", "/dev/null", 1) == 0);
    CHECK(open_cache() == NULL);
    if (geteuid() == 0) { /* a folder of another user */
        (void)snprintf(path, sizeof path, "%s/other", folder);
        CHECK(mkdir(path, 0700) == 0 && chown(path, 1, 1) == 0);
        CHECK(setenv("TENON_CACHE_DIR", path, 1) == 0);
        CHECK(open_cache() == NULL);
        CHECK(rmdir(path) == 0);
    }
    CHECK(unsetenv("TENON_CACHE_DIR") == 0);
    (void)snprintf(path, sizeof path, "%s/xdg", folder);
    CHECK(setenv("XDG_CACHE_HOME", path, 1) == 0);
    cache_close(open_cache());
    (void)snprintf(path, sizeof path, "%s/xdg/tenon", folder);
    CHECK(rmdir(path) == 0);
    (void)snprintf(path, sizeof path, "%s/xdg", folder);
    CHECK(rmdir(path) == 0);
    CHECK(setenv("XDG_CACHE_HOME", "relative", 1) == 0 && setenv("HOME", folder, 1) == 0);
    cache_close(open_cache());
    (void)snprintf(path, sizeof path, "%s/.cache/tenon", folder);
    CHECK(rmdir(path) == 0);
    (void)snprintf(path, sizeof path, "%s/.cache", folder);
    CHECK(rmdir(path) == 0);
    CHECK(unsetenv("HOME") == 0 && open_cache() == NULL);
    CHECK(setenv("TENON_CACHE_DIR", folder, 1) == 0);
}

/* What a caller says goes before the environment. */
static void test_places(void)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/own", folder);
    CHECK(setenv("TENON_CACHE_DIR", "/dev/null", 1) == 0 &&
          setenv("TENON_CACHE_BYTES", "0", 1) == 0);
    CHECK(cache_open(&memory_system, &(cache_place){.folder = path}) == NULL);
    CHECK(cache_open(&memory_system, &(cache_place){.bytes = 1000}) == NULL);
    CHECK(cache_open(&memory_system, &(cache_place){path, 1000, true}) == NULL);
    cache *c = cache_open(&memory_system, &(cache_place){path, 1000, false});
    if (CHECK(c != NULL)) {
        char large[2000] = "";
        put(c, "key", "object");
        cache_put(c, "other", 5, large, sizeof large); /* more than all may take */
        CHECK(has(c, "key", "object") && !has(c, "other", ""));
    }
    cache_close(c);
    (void)snprintf(path, sizeof path, "rm -r %s/own", folder);
    CHECK(system(path) == 0);
    CHECK(unsetenv("TENON_CACHE_BYTES") == 0 && setenv("TENON_CACHE_DIR", folder, 1) == 0);
}

enum { N_KEYS = 12, N_TURNS = 300 };

/* Whoever finds an object finds a whole one. */
static bool use_at_random(const cache *c, unsigned seed)
{
    char key[32], object[3000];
    bool ok = true;
    for (unsigned k = 0; k < N_TURNS; k++) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned which = (seed >> 16) % N_KEYS;
        const size_t n = 100 + which * 200;
        (void)snprintf(key, sizeof key, "shared %u", which);
        memset(object, (int)('a' + which), n);
        text_buffer out;
        text_init(&out, &memory_system);
        if (cache_get(c, key, strlen(key), &out))
            ok = ok && out.n == n && memcmp(out.at, object, n) == 0;
        else
            cache_put(c, key, strlen(key), object, n);
        text_release(&out);
    }
    return ok;
}

typedef struct user {
    pthread_t thread;
    const cache *cache;
    unsigned seed;
    bool ok;
} user;

static void *run_user(void *at)
{
    user *u = at;
    u->ok = use_at_random(u->cache, u->seed);
    return NULL;
}

static void test_together(void)
{
    user users[4];
    pid_t child[2];
    int status;
    CHECK(setenv("TENON_CACHE_BYTES", "9000", 1) == 0); /* so that files come and go */
    for (unsigned k = 0; k < 2; k++) {
        child[k] = fork();
        if (child[k] == 0) {
            cache *own = open_cache();
            const bool ok = own && use_at_random(own, 100 + k);
            cache_close(own);
            _exit(ok ? 0 : 1);
        }
    }
    cache *c = open_cache();
    for (unsigned k = 0; k < 4; k++) {
        users[k] = (user){.cache = c, .seed = k};
        CHECK(pthread_create(&users[k].thread, NULL, run_user, &users[k]) == 0);
    }
    for (unsigned k = 0; k < 4; k++) {
        CHECK(pthread_join(users[k].thread, NULL) == 0);
        CHECK(users[k].ok);
    }
    for (unsigned k = 0; k < 2; k++)
        CHECK(waitpid(child[k], &status, 0) == child[k] && status == 0);
    uint64_t bytes;
    CHECK(each_file(NULL, &bytes) <= N_KEYS); /* no unfinished ones */
    cache_close(c);
    CHECK(unsetenv("TENON_CACHE_BYTES") == 0);
    empty();
}

static void test_state(void)
{
    cache *c = open_cache();
    uint64_t bytes;
    put(c, "one", "object");
    put(c, "two", "another object");
    const cache_state full = cache_get_state(c);
    CHECK_INT(full.files, each_file(NULL, &bytes));
    CHECK_INT(full.files, 2);
    CHECK(full.bytes == bytes && full.limit == UINT64_C(256) << 20);
    cache_clear(c);
    CHECK_INT(cache_get_state(c).files, 0);
    CHECK(!has(c, "one", "object"));
    put(c, "one", "object");
    CHECK(has(c, "one", "object"));
    cache_clear(c);
    cache_close(c);
}

int main(void)
{
    if (!CHECK(mkdtemp(folder) != NULL) || !CHECK(setenv("TENON_CACHE_DIR", folder, 1) == 0))
        return check_result();
    test_plain();
    test_other_key();
    test_damage();
    test_limit();
    test_oldest();
    test_folders();
    test_places();
    test_together();
    test_state();
    CHECK(rmdir(folder) == 0);
    return check_result();
}
