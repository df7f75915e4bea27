/* Reads arrays and writes them again, as another program sees it: test/io/test_io.py compares the
 * copies with numpy.
 *
 *     copy IN.npy OUT.npy
 *     copy IN.npz|IN.safetensors OUT.npz stored|deflated
 *
 * Exit status 1 and a message when something cannot be read or written. Without arguments it copies
 * one file of its own. */
#include "io/archive.h"
#include "io/npy.h"
#include "io/npz_writer.h"
#include "io_check.h"

static void report(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)fprintf(stderr, "%s: %s\n", d->kind, d->message);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static tn_status copy_array(context *cx, const char *from, const char *to)
{
    array a;
    TN_TRY(npy_read(cx, from, &a));
    tn_status s = write_npy(cx, to, &a);
    array_release(cx, &a);
    return s;
}

/* Load all N arrays of A, write them, and release them: the writer borrows the data until its end.
 */
static tn_status copy_all(context *cx, archive *a, array *arrays, uint32_t n, npz_writer *w)
{
    tn_status s = TN_OK;
    for (uint32_t i = 0; i < n && s == TN_OK; i++) {
        s = archive_load(cx, a, i, &arrays[i]);
        if (s == TN_OK)
            s = npz_writer_add(cx, w, archive_name(a, i), &arrays[i]);
    }
    if (s == TN_OK)
        s = npz_writer_close(cx, w);
    else
        npz_writer_discard(cx, w);
    for (uint32_t i = 0; i < n; i++)
        array_release(cx, &arrays[i]);
    return s;
}

static tn_status copy_archive(context *cx, const char *from, const char *to, bool deflate)
{
    archive *a;
    npz_writer *w = NULL;
    output_set set;
    TN_TRY(archive_open(cx, from, &a));
    output_set_init(&set, &cx->allocator);
    uint32_t n = archive_count(a);
    array *arrays = calloc((size_t)n + 1, sizeof *arrays);
    tn_status s = arrays ? npz_writer_open(cx, &set, to, deflate, &w) : diag_no_memory(&cx->diag);
    if (s == TN_OK)
        s = copy_all(cx, a, arrays, n, w);
    s = end_set(&set, s);
    free(arrays);
    archive_close(cx, a);
    return s;
}

static int copy_own(void)
{
    char folder[64], from[256], to[256];
    float data[] = {1, 2, 3};
    array a = borrowed(TN_F32, 1, (const int64_t[]){3}, data);
    bench b;
    bench_start(&b);
    if (make_folder(folder)) {
        CHECK_INT(write_npy(b.cx, in_folder(from, folder, "a.npy"), &a), TN_OK);
        CHECK_INT(copy_array(b.cx, from, in_folder(to, folder, "b.npy")), TN_OK);
        CHECK(unlink(from) == 0 && unlink(to) == 0 && rmdir(folder) == 0);
    }
    bench_end(&b);
    return check_result();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return copy_own();
    context *cx = context_new(NULL, &(tn_diagnostic_sink){report, NULL});
    if (!cx)
        return 1;
    tn_status s = ends_with(argv[2], ".npz")
                      ? copy_archive(cx, argv[1], argv[2], argc > 3 && argv[3][0] == 'd')
                      : copy_array(cx, argv[1], argv[2]);
    context_free(cx);
    return s != TN_OK;
}
