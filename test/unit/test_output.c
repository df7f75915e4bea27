/* Files that appear complete or not at all: together, under long names, and when a signal comes or
 * the disk is full in between. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/memory/hash.h"
#include "io/npz_writer.h"
#include "io_check.h"
#include "runtime/cache.h"

static char folder[64];

static unsigned count_files(const char *path)
{
    unsigned n = 0;
    DIR *d = opendir(path);
    if (!CHECK(d != NULL))
        return 0;
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    (void)closedir(d);
    return n;
}

static bool put(output_set *set, const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    output *o = output_open(set, AT_FDCWD, path);
    return o && output_write(set, o, text, strlen(text)) && output_close(o);
}

static bool holds(const char *name, const char *text)
{
    char path[512], have[64] = "";
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    have[fread(have, 1, sizeof have - 1, f)] = '\0';
    (void)fclose(f);
    return strcmp(have, text) == 0;
}

static void drop(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_INT(unlink(path), 0);
}

static void test_together(void)
{
    output_set set;
    output_set_init(&set, &memory_system);
    CHECK(put(&set, "a", "one") && put(&set, "b", "two"));
    CHECK(!holds("a", "one") && !holds("b", "two"));
    CHECK(output_set_end(&set, true));
    CHECK(holds("a", "one") && holds("b", "two"));
    CHECK_INT(count_files(folder), 2);

    output_set_init(&set, &memory_system); /* over others, in the end not */
    CHECK(put(&set, "a", "three") && put(&set, "c", "four"));
    CHECK(!output_set_end(&set, false));
    CHECK(holds("a", "one"));
    CHECK_INT(count_files(folder), 2);

    output_set_init(&set, &memory_system); /* one that cannot be */
    CHECK(put(&set, "a", "five") && !put(&set, "no/c", "six"));
    CHECK_INT(errno, ENOENT);
    CHECK(!output_set_end(&set, false));
    CHECK_INT(errno, ENOENT);
    CHECK(holds("a", "one"));

    char other[512]; /* one that cannot be put in place: those before it stay */
    (void)snprintf(other, sizeof other, "%s/b", folder);
    output_set_init(&set, &memory_system);
    CHECK(put(&set, "a", "seven") && put(&set, "b", "eight") && put(&set, "c", "nine"));
    CHECK(unlink(other) == 0 && mkdir(other, 0777) == 0);
    CHECK(!output_set_end(&set, true));
    CHECK_INT(errno, EISDIR);
    CHECK(holds("a", "seven"));
    CHECK_INT(count_files(folder), 2);
    CHECK_INT(rmdir(other), 0);

    output_set_init(&set, &memory_system);
    CHECK(!output_open(&set, AT_FDCWD, folder));
    CHECK_INT(errno, EISDIR);
    CHECK(!output_set_end(&set, false));
    drop("a");
}

static void test_names(void)
{
    char name[256];
    output_set set;
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    output_set_init(&set, &memory_system);
    CHECK(put(&set, name, "one"));
    CHECK(output_set_end(&set, true));
    CHECK(holds(name, "one"));
    drop(name);
}

/* What a process leaves that is killed between naming its file and putting it in place of another
 * goes with the next that writes the same target, unless somebody is still at it. */
static void test_left_over(void)
{
    char name[64], path[512];
    output_set set;
    const struct {
        bool is_locked, is_pipe;
        unsigned left;
    } rows[] = {{false, false, 0}, {true, false, 1}, {false, true, 1}};
    (void)snprintf(name, sizeof name, OUTPUT_TEMPORARY "%016" PRIx64 "-0.tmp",
                   hash_bytes(0, "a", 1));
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    output_set_init(&set, &memory_system);
    CHECK(put(&set, "a", "one"));
    CHECK(output_set_end(&set, true));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_INT(rows[i].is_pipe ? mkfifo(path, 0600) : 0, 0);
        const int fd = rows[i].is_pipe ? -1 : open(path, O_CREAT | O_RDONLY | O_CLOEXEC, 0600);
        CHECK(!rows[i].is_locked || flock(fd, LOCK_EX) == 0);
        output_set_init(&set, &memory_system);
        CHECK(put(&set, "a", "two") && put(&set, "b", "three"));
        CHECK_INT(count_files(folder), 2);
        CHECK(output_set_end(&set, true));
        CHECK(holds("a", "two") && holds("b", "three"));
        CHECK_INT(count_files(folder), 2 + rows[i].left);
        if (fd >= 0)
            (void)close(fd);
        if (rows[i].left)
            drop(name);
        drop("b");
    }
    drop("a");
}

/* Bytes in another order than that of the file, which has no name before it is whole. */
static void test_sought(void)
{
    char path[256];
    output_set set;
    (void)snprintf(path, sizeof path, "%s/a", folder);
    output_set_init(&set, &memory_system);
    output *o = output_open_sought(&set, path);
    CHECK(o && output_write(&set, o, "one two", 7) && output_seek(o, 0) &&
          output_write(&set, o, "ONE", 3) && output_seek(o, 7) && output_write(&set, o, "!", 1));
    CHECK_INT(count_files(folder), 0);
    CHECK(output_close(o) && output_set_end(&set, true));
    CHECK(holds("a", "ONE two!"));
    drop("a");
    CHECK_INT(mkfifo(path, 0600), 0);
    output_set_init(&set, &memory_system);
    CHECK(!output_open_sought(&set, path));
    CHECK_INT(errno, ESPIPE);
    CHECK(!output_set_end(&set, false));
    drop("a");
}

/* A file that is replaced stays as private, or as open, as it was, whatever the umask. */
static void test_mode(void)
{
    static const mode_t modes[] = {0600, 0640, 0666, 0444, 0755};
    char path[256];
    (void)snprintf(path, sizeof path, "%s/a", folder);
    const mode_t before = umask(027);
    for (size_t i = 0; i <= sizeof modes / sizeof modes[0]; i++) {
        const bool is_new = i == sizeof modes / sizeof modes[0];
        struct stat info;
        output_set set;
        output_set_init(&set, &memory_system);
        CHECK(is_new || (put(&set, "a", "one") && output_set_end(&set, true)));
        CHECK(is_new || chmod(path, modes[i]) == 0);
        output_set_init(&set, &memory_system);
        CHECK(put(&set, "a", "two") && output_set_end(&set, true));
        CHECK_INT(stat(path, &info), 0);
        CHECK_INT(info.st_mode & 0777, is_new ? 0640 : modes[i]);
        CHECK(holds("a", "two"));
        drop("a");
    }
    (void)umask(before);
}

/* More files than stay open. */
static void test_many(void)
{
    char name[16];
    for (int turn = 0; turn < 2; turn++) {
        output_set set;
        output_set_init(&set, &memory_system);
        for (int i = 0; i < 100; i++) {
            (void)snprintf(name, sizeof name, "many%d", i);
            CHECK(put(&set, name, turn ? "two" : "one"));
        }
        CHECK(output_set_end(&set, true));
        CHECK_INT(count_files(folder), 100);
    }
    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof name, "many%d", i);
        CHECK(holds(name, "two"));
        drop(name);
    }
}

static void test_folder(void)
{
    char path[256];
    output_set set;
    (void)snprintf(path, sizeof path, "%s/made", folder);
    for (int good = 0; good < 2; good++) {
        output_set_init(&set, &memory_system);
        CHECK(output_set_folder(&set, path) && put(&set, "made/a", "one"));
        CHECK(output_set_end(&set, good) == good);
        CHECK_INT(count_files(folder), good);
    }
    output_set_init(&set, &memory_system); /* one that was there stays */
    CHECK(output_set_folder(&set, path) && put(&set, "made/b", "two"));
    CHECK(!output_set_end(&set, false));
    CHECK(holds("made/a", "one"));
    drop("made/a");
    CHECK_INT(rmdir(path), 0);
}

/* ---- what ends a process on the way ---- */

static void text_until(int signal)
{
    output_set set;
    char path[256];
    (void)snprintf(path, sizeof path, "%s/made", folder);
    output_set_init(&set, &memory_system);
    bool ok = output_set_folder(&set, path) && put(&set, "made/a", "one") && raise(signal) == 0;
    ok = ok && put(&set, "made/b", "two");
    (void)output_set_end(&set, ok);
    _exit(ok ? 0 : 3);
}

static void archive_until(int signal)
{
    static float data[1 << 18];
    bench b;
    npz_writer *w;
    output_set set;
    char path[256];
    bench_start(&b);
    array x = borrowed(TN_F32, 1, (const int64_t[]){1 << 18}, data);
    output_set_init(&set, &memory_system);
    tn_status s = npz_writer_open(b.cx, &set, in_folder(path, folder, "x.npz"), false, &w);
    if (s != TN_OK || npz_writer_add(b.cx, w, "x", &x) != TN_OK || raise(signal) != 0)
        _exit(1);
    s = npz_writer_close(b.cx, w);
    _exit(end_set(&set, s) == TN_OK ? 0 : 3);
}

static void array_until(int signal)
{
    static float data[1 << 18];
    bench b;
    output_set set;
    char path[256];
    bench_start(&b);
    array x = borrowed(TN_F32, 1, (const int64_t[]){1 << 18}, data);
    output_set_init(&set, &memory_system);
    CHECK(put(&set, "a", "one"));
    (void)raise(signal);
    const tn_status s = npy_write(b.cx, &set, in_folder(path, folder, "x.npy"), &x);
    _exit(end_set(&set, s) == TN_OK ? 0 : 3);
}

static void cache_until(int signal)
{
    static char object[1 << 20];
    (void)signal;
    (void)setenv("TENON_CACHE_DIR", folder, 1);
    cache *c = cache_open(&memory_system, &(cache_place){.off = false});
    if (!c)
        _exit(1);
    cache_put(c, "key", 3, object, sizeof object);
    text_buffer out;
    text_init(&out, &memory_system);
    _exit(cache_get(c, "key", 3, &out) ? 0 : 3);
}

/* How a process that runs WRITE ends. */
static int end_of(void (*write)(int), int signal, bool is_ignored, rlim_t most)
{
    int status = 0;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most});
        (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        (void)sigaction(signal, &(struct sigaction){.sa_handler = is_ignored ? SIG_IGN : SIG_DFL},
                        NULL);
        write(signal);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void test_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    void (*const writers[])(int) = {text_until, archive_until, array_until};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
            const int status = end_of(writers[i], signals[k], false, RLIM_INFINITY);
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signals[k]);
            CHECK_INT(count_files(folder), 0);
        }
    /* what is ignored does not end anything */
    const int status = end_of(text_until, SIGHUP, true, RLIM_INFINITY);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    drop("made/a");
    drop("made/b");
    char path[256];
    CHECK_INT(rmdir(in_folder(path, folder, "made")), 0);
}

/* Nobody reads the pipe when a signal comes, or comes to read it. */
static void pipe_until(int signal)
{
    output_set set;
    char path[256];
    (void)alarm(100);
    output_set_init(&set, &memory_system);
    bool ok = put(&set, "a", "one") && raise(signal) == 0;
    ok = ok && output_open(&set, AT_FDCWD, in_folder(path, folder, "pipe"));
    (void)output_set_end(&set, ok);
    _exit(ok ? 0 : 3);
}

/* The signal comes while whoever has the pipe open reads nothing. */
static void full_pipe_until(int signal)
{
    static const char much[1 << 20];
    const struct timespec pause = {.tv_nsec = 100000000};
    output_set set;
    char path[256];
    (void)alarm(100);
    output_set_init(&set, &memory_system);
    const bool is_read = open(in_folder(path, folder, "pipe"), O_RDONLY | O_NONBLOCK) >= 0;
    output *o = is_read && put(&set, "a", "one") ? output_open(&set, AT_FDCWD, path) : NULL;
    if (o && fork() == 0) {
        (void)nanosleep(&pause, NULL);
        _exit(kill(getppid(), signal));
    }
    const bool ok = o && output_write(&set, o, much, sizeof much);
    (void)output_set_end(&set, ok);
    _exit(ok ? 0 : 3);
}

static void test_pipes(void)
{
    void (*const writers[])(int) = {pipe_until, full_pipe_until};
    char path[256];
    if (!CHECK_INT(mkfifo(in_folder(path, folder, "pipe"), 0600), 0))
        return;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        const int status = end_of(writers[i], SIGINT, false, RLIM_INFINITY);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
        CHECK_INT(count_files(folder), 1);
    }
    drop("pipe");
}

/* A limit on the size of files stands for a disk that is full. */
static void test_no_room(void)
{
    void (*const writers[])(int) = {archive_until, array_until, cache_until};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        const int status = end_of(writers[i], SIGHUP, true, 5000);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        CHECK_INT(count_files(folder), 0);
    }
}

int main(void)
{
    if (!make_folder(folder))
        return check_result();
    test_together();
    test_names();
    test_left_over();
    test_sought();
    test_mode();
    test_many();
    test_folder();
    test_signals();
    test_pipes();
    test_no_room();
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
