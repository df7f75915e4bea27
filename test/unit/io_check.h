/* What the tests of src/io share: an allocator that fails on request and knows what is live, the
 * last message of a context, and a folder for files. */
#ifndef TEST_IO_CHECK_H
#define TEST_IO_CHECK_H

#include <stdlib.h>
#include <unistd.h>

#include "base/context/context.h"
#include "check.h"
#include "io/npy.h"

typedef struct bench {
    tn_allocator allocator;
    size_t live;        /* bytes, by the sizes that the library states */
    unsigned long left; /* requests before one fails */
    context *cx;
    char message[512]; /* of the last diagnostic */
    char kind[64];
} bench;

static void *bench_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    bench *b = user;
    if (new_size && b->left-- == 0) {
        b->left = 0;
        return NULL;
    }
    b->live += new_size - old_size;
    if (new_size)
        return realloc(block, new_size);
    free(block);
    return NULL;
}

static void bench_report(void *user, const tn_diagnostic *d)
{
    bench *b = user;
    (void)snprintf(b->message, sizeof b->message, "%s", d->message);
    (void)snprintf(b->kind, sizeof b->kind, "%s", d->kind);
}

static inline void bench_start(bench *b)
{
    *b = (bench){.left = (unsigned long)-1};
    b->allocator = (tn_allocator){bench_resize, b};
    b->cx = context_new(&b->allocator, &(tn_diagnostic_sink){bench_report, b});
}

static inline void bench_end(bench *b)
{
    context_free(b->cx);
    CHECK_INT((intmax_t)b->live, 0);
}

/* The message of the last report, now delivered. */
static inline const char *bench_said(bench *b)
{
    diag_flush(&b->cx->diag);
    return b->message;
}

/* True when the last message contains TEXT. */
static inline bool bench_says(bench *b, const char *text)
{
    if (CHECK(strstr(bench_said(b), text) != NULL))
        return true;
    printf("    have \"%s\"\n    want \"%s\"\n", b->message, text);
    return false;
}

/* The path of FILE in a folder made once per test program. */
static inline const char *in_folder(char path[256], const char *folder, const char *file)
{
    (void)snprintf(path, 256, "%s/%s", folder, file);
    return path;
}

/* End SET when S says how that went; what S is then. */
static inline tn_status end_set(output_set *set, tn_status s)
{
    return output_set_end(set, s == TN_OK) || s != TN_OK ? s : TN_ERR_IO;
}

static inline tn_status write_npy(context *cx, const char *path, const array *a)
{
    output_set set;
    output_set_init(&set, &cx->allocator);
    return end_set(&set, npy_write(cx, &set, path, a));
}

static inline bool make_folder(char folder[64])
{
    (void)snprintf(folder, 64, "/tmp/tenon-io-XXXXXX");
    return CHECK(mkdtemp(folder) != NULL);
}

static inline array borrowed(tn_dtype dtype, uint32_t rank, const int64_t *dims, void *data)
{
    array a = {.dtype = dtype, .rank = rank, .data = data};
    if (rank)
        memcpy(a.dims, dims, rank * sizeof *dims);
    CHECK(array_measure(&a, &a.bytes));
    return a;
}

static inline bool same_array(const array *a, const array *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && a->bytes == b->bytes &&
           memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0 &&
           memcmp(a->data, b->data, a->bytes) == 0;
}

#endif
