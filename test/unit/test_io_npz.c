/* .npz: written stored and deflated and read back, damaged archives, and what a directory may lie.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/archive.h"
#include "io/input.h"
#include "io/npz_writer.h"
#include "io_check.h"

static float numbers[600];
static uint8_t flags[] = {0, 1, 7};

static tn_status add_two(bench *b, npz_writer *w)
{
    array x = borrowed(TN_F32, 2, (const int64_t[]){20, 30}, numbers);
    array y = borrowed(TN_I1, 1, (const int64_t[]){3}, flags);
    tn_status s = npz_writer_add(b->cx, w, "x", &x);
    if (s == TN_OK)
        s = npz_writer_add(b->cx, w, "flags/\xc3\xa9", &y);
    if (s == TN_OK)
        return npz_writer_close(b->cx, w);
    npz_writer_discard(b->cx, w);
    return s;
}

static tn_status write_two(bench *b, const char *path, bool deflate)
{
    npz_writer *w;
    output_set set;
    output_set_init(&set, &b->cx->allocator);
    tn_status s = npz_writer_open(b->cx, &set, path, deflate, &w);
    return end_set(&set, s == TN_OK ? add_two(b, w) : s);
}

/* The bytes of a file, which the caller frees with free(). */
static unsigned char *slurp(const char *path, size_t *n)
{
    struct stat info;
    FILE *f = fopen(path, "rb");
    if (!CHECK(f && fstat(fileno(f), &info) == 0))
        exit(1);
    *n = (size_t)info.st_size;
    unsigned char *bytes = malloc(*n + 1);
    if (!CHECK(bytes && fread(bytes, 1, *n, f) == *n))
        exit(1);
    (void)fclose(f);
    return bytes;
}

static void check_two(bench *b, archive *a)
{
    uint32_t i;
    array x;
    CHECK_INT(archive_count(a), 2);
    CHECK_TEXT(archive_name(a, 0), "x");
    CHECK(!archive_find(a, "x.npy", &i) && !archive_find(a, "", &i));
    if (!CHECK(archive_find(a, "flags/\xc3\xa9", &i) && i == 1))
        return;
    CHECK_INT(archive_describe(b->cx, a, 0, &x), TN_OK);
    CHECK(x.dtype == TN_F32 && x.rank == 2 && x.dims[0] == 20 && x.dims[1] == 30 && !x.data);
    for (int twice = 0; twice < 2; twice++) {
        if (!CHECK(archive_load(b->cx, a, 0, &x) == TN_OK))
            return;
        CHECK(x.bytes == sizeof numbers && memcmp(x.data, numbers, sizeof numbers) == 0);
        array_release(b->cx, &x);
    }
    if (!CHECK(archive_load(b->cx, a, 1, &x) == TN_OK))
        return;
    CHECK(x.dtype == TN_I1 && memcmp(x.data, "\0\1\1", 3) == 0);
    array_release(b->cx, &x);
    CHECK_INT(archive_load(b->cx, a, 2, &x), TN_ERR_USAGE);
}

static int open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        (void)closedir(d);
    return n;
}

static void test_round_trip(bench *b, const char *path)
{
    archive *a;
    size_t size[2];
    int before = open_files();
    for (int deflate = 0; deflate < 2; deflate++) {
        CHECK_INT(write_two(b, path, deflate), TN_OK);
        if (!CHECK(archive_open(b->cx, path, &a) == TN_OK))
            return;
        check_two(b, a);
        archive_close(b->cx, a);

        unsigned char *bytes = slurp(path, &size[deflate]);
        if (CHECK(archive_open_memory(b->cx, "m", bytes, size[deflate], &a) == TN_OK)) {
            check_two(b, a);
            archive_close(b->cx, a);
        }
        free(bytes);
    }
    CHECK(size[1] < size[0]);
    CHECK_INT(open_files(), before);
    archive_close(b->cx, NULL);
    npz_writer_discard(b->cx, NULL);
}

static void test_writer(bench *b, const char *folder)
{
    char path[256];
    npz_writer *w;
    archive *a;
    output_set set;
    size_t n, again;
    array x = borrowed(TN_F32, 1, (const int64_t[]){3}, numbers);

    (void)in_folder(path, folder, "w.npz");
    output_set_init(&set, &b->cx->allocator);
    CHECK(npz_writer_open(b->cx, &set, path, false, &w) == TN_OK);
    CHECK_INT(npz_writer_add(b->cx, w, "x", &x), TN_OK);
    CHECK_INT(npz_writer_add(b->cx, w, "x", &x), TN_ERR_IO);
    bench_says(b, "cannot hold an array named 'x'");
    CHECK_INT(npz_writer_add(b->cx, w, "\xff", &x), TN_ERR_IO);
    npz_writer_discard(b->cx, w);
    CHECK(!output_set_end(&set, false));
    CHECK(access(path, F_OK) != 0);

    output_set_init(&set, &b->cx->allocator);
    CHECK(npz_writer_open(b->cx, &set, path, true, &w) == TN_OK); /* no members */
    CHECK_INT(end_set(&set, npz_writer_close(b->cx, w)), TN_OK);
    if (CHECK(archive_open(b->cx, path, &a) == TN_OK))
        CHECK_INT(archive_count(a), 0);
    archive_close(b->cx, a);

    CHECK_INT(write_two(b, path, true), TN_OK); /* over an existing file, and reproducibly */
    unsigned char *first = slurp(path, &n);
    CHECK_INT(write_two(b, path, true), TN_OK);
    unsigned char *second = slurp(path, &again);
    CHECK(n == again && memcmp(first, second, n) == 0);
    free(first);
    free(second);
    CHECK(unlink(path) == 0);

    CHECK_INT(write_two(b, folder, true), TN_ERR_IO);
    CHECK_INT(write_two(b, "/dev/null", true), TN_ERR_IO);
    bench_says(b, "is not a regular file");
    CHECK_INT(write_two(b, in_folder(path, folder, "no/w.npz"), true), TN_ERR_IO);
}

/* Open BYTES and load everything; the first status that is not TN_OK. */
static tn_status load_all(bench *b, const unsigned char *bytes, size_t n)
{
    archive *a;
    tn_status s = archive_open_memory(b->cx, "m.npz", bytes, n, &a);
    for (uint32_t i = 0; s == TN_OK && i < archive_count(a); i++) {
        array x;
        s = archive_load(b->cx, a, i, &x);
        CHECK((s == TN_OK) == (x.data != NULL));
        array_release(b->cx, &x);
    }
    archive_close(b->cx, a);
    return s;
}

/* The last place where the four bytes of WHAT stand. */
static unsigned char *last_of(unsigned char *bytes, size_t n, const char *what)
{
    for (size_t i = n - 3; i-- > 0;)
        if (memcmp(bytes + i, what, 4) == 0)
            return bytes + i;
    return NULL;
}

static void test_damage(bench *b, const char *path)
{
    size_t n;
    for (int deflate = 0; deflate < 2; deflate++) {
        CHECK_INT(write_two(b, path, deflate), TN_OK);
        unsigned char *bytes = slurp(path, &n);
        CHECK_INT(load_all(b, bytes, n), TN_OK);
        for (size_t cut = 0; cut < n; cut += 1 + cut % 7)
            CHECK_INT(load_all(b, bytes, cut), TN_ERR_IO);
        /* one flipped bit in the data of x: the checksum tells */
        bytes[n / 3] ^= 4;
        CHECK_INT(load_all(b, bytes, n), TN_ERR_IO);
        bench_says(b, "m.npz: x.npy: ");
        bytes[n / 3] ^= 4;
        /* the directory entry of the second member: method at 10, sizes at 20 and 24 */
        unsigned char *entry = last_of(bytes, n, "PK\1\2");
        if (CHECK(entry != NULL)) {
            unsigned char kept[46];
            memcpy(kept, entry, sizeof kept);
            entry[10] = 12;
            CHECK_INT(load_all(b, bytes, n), TN_ERR_IO);
            bench_says(b, "is compressed by method 12");
            memcpy(entry, kept, sizeof kept);
            entry[27] = 0x7f;
            CHECK_INT(load_all(b, bytes, n), TN_ERR_IO);
            bench_says(b, "bytes that it declares");
            memcpy(entry, kept, sizeof kept);
            entry[24]++;
            CHECK_INT(load_all(b, bytes, n), TN_ERR_IO);
            memcpy(entry, kept, sizeof kept);
            entry[8] |= 1;
            CHECK_INT(load_all(b, bytes, n), TN_ERR_IO);
            memcpy(entry, kept, sizeof kept);
        }
        free(bytes);
    }
}

/* Members are told apart by name, so two of one name are refused; other members are not arrays. */
static void test_names(bench *b, const char *path)
{
    size_t n;
    npz_writer *w;
    archive *a;
    output_set set;
    array x = borrowed(TN_I1, 1, (const int64_t[]){3}, flags);
    output_set_init(&set, &b->cx->allocator);
    CHECK(npz_writer_open(b->cx, &set, path, false, &w) == TN_OK);
    CHECK(npz_writer_add(b->cx, w, "aa", &x) == TN_OK &&
          npz_writer_add(b->cx, w, "ab", &x) == TN_OK);
    CHECK_INT(end_set(&set, npz_writer_close(b->cx, w)), TN_OK);
    unsigned char *bytes = slurp(path, &n);
    for (size_t i = 0; i + 6 < n; i++)
        if (memcmp(bytes + i, "ab.npy", 6) == 0)
            bytes[i + 1] = 'a';
    CHECK_INT(load_all(b, bytes, n), TN_ERR_IO);
    bench_says(b, "holds two arrays named 'aa'");
    for (size_t i = 0, seen = 0; i + 6 < n; i++)
        if (memcmp(bytes + i, "aa.npy", 6) == 0 && seen++ % 2 == 1)
            memcpy(bytes + i, "README", 6);
    CHECK_INT(archive_open_memory(b->cx, "m", bytes, n, &a), TN_OK);
    CHECK(a && archive_count(a) == 1);
    archive_close(b->cx, a);
    free(bytes);

    CHECK_INT(load_all(b, (const unsigned char *)"\x93NUMPY\1\0v\0{", 11), TN_ERR_IO);
    bench_says(b, "is a single .npy array");
    CHECK_INT(load_all(b, (const unsigned char *)"what is this?", 13), TN_ERR_IO);
    bench_says(b, "is no .npy, .npz or .safetensors");
    CHECK_INT(load_all(b, NULL, 0), TN_ERR_IO);
    CHECK_INT(archive_open(b->cx, "/nowhere/x.npz", &a), TN_ERR_IO);
}

/* Every request for memory fails once; nothing is lost. */
static void test_no_memory(bench *b, const char *path)
{
    size_t n;
    CHECK_INT(write_two(b, path, true), TN_OK);
    unsigned char *bytes = slurp(path, &n);
    for (int writing = 0; writing < 2; writing++)
        for (unsigned long i = 0;; i++) {
            b->left = i;
            tn_status s = writing ? write_two(b, path, true) : load_all(b, bytes, n);
            b->left = (unsigned long)-1;
            if (s == TN_OK || !CHECK(s == TN_ERR_NOMEM && i < 50))
                break;
        }
    b->cx->limits.run_bytes = 100;
    CHECK_INT(load_all(b, bytes, n), TN_ERR_NOMEM);
    b->cx->limits.run_bytes = limits_default.run_bytes;
    free(bytes);
}

/* The archive needs a second number of an open file; that there is none is said. */
static void test_too_many_files(bench *b, const char *path)
{
    archive *a;
    struct rlimit before = {0}, few;
    CHECK_INT(write_two(b, path, false), TN_OK);
    const int next = dup(0); /* the lowest number that is free */
    CHECK(next >= 0 && close(next) == 0 && getrlimit(RLIMIT_NOFILE, &before) == 0);
    few = before;
    few.rlim_cur = (rlim_t)next + 1;
    CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
    CHECK_INT(archive_open(b->cx, path, &a), TN_ERR_IO);
    bench_says(b, strerror(EMFILE));
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
}

int main(void)
{
    char folder[64], path[256];
    bench b;
    bench_start(&b);
    for (int i = 0; i < 600; i++)
        numbers[i] = (float)(i % 10);
    if (make_folder(folder)) {
        (void)in_folder(path, folder, "a.npz");
        test_round_trip(&b, path);
        test_writer(&b, folder);
        test_damage(&b, path);
        test_names(&b, path);
        test_no_memory(&b, path);
        test_too_many_files(&b, path);
        CHECK(unlink(path) == 0 && rmdir(folder) == 0);
    }
    bench_end(&b);
    return check_result();
}
