/* Archives of either kind: recognising them, and their list of members. */
#include "io/archive.h"

#include <string.h>

#include "io/members.h"

static bool find(const archive *a, const char *name, size_t n, uint64_t hash, uint32_t *index)
{
    for (uint32_t p = hash_first(&a->by_name, hash), i;
         (i = hash_at(&a->by_name, hash, &p)) != HASH_NONE;)
        if (strncmp(a->members.at[i].name, name, n) == 0 && a->members.at[i].name[n] == '\0') {
            *index = i;
            return true;
        }
    return false;
}

tn_status members_add(context *cx, archive *a, archive_member m)
{
    uint32_t other;
    size_t n = strlen(m.name);
    uint64_t hash = hash_bytes(0, m.name, n);
    if (find(a, m.name, n, hash, &other)) {
        io_text shown = io_printable(m.name, n);
        return io_error(cx, a->in.name, "holds two arrays named '%s'", shown.text);
    }
    if (!VECTOR_PUSH_INDEXED(&cx->allocator, &a->members, m, &a->by_name, hash))
        return diag_no_memory(&cx->diag);
    return TN_OK;
}

/* What a file is, by how it begins, that is taken for one of tensors; ends a sentence. */
static const char *what_it_is(const unsigned char *start, size_t n)
{
    static const struct {
        const char *begins, *is;
    } known[] = {
        {"version https://git-lfs", ", but a pointer of Git LFS: fetch the file, git lfs pull"},
        {"<!", ", but a web page: fetch the file itself"},
        {"<html", ", but a web page: fetch the file itself"},
        {"\x89HDF", ", but an HDF5 file"},
        {"\x80", ", but a pickle of Python: numpy.save and safetensors write what is read"},
        {"GGUF", ", but a GGUF file"},
        {"\x1f\x8b", ", but compressed: uncompress it first"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t k = strlen(known[i].begins);
        if (k <= n && memcmp(start, known[i].begins, k) == 0)
            return known[i].is;
    }
    for (size_t i = 0; i < n; i++)
        if ((start[i] < ' ' && start[i] != '\n' && start[i] != '\r' && start[i] != '\t') ||
            start[i] > '~')
            return "";
    return ", but text: numpy.save(PATH, numpy.loadtxt(...)) writes its numbers as .npy";
}

/* Both formats say what they are at the start: a zip archive with "PK", a safetensors file with the
 * length of its header and the header's brace, where a zip archive has a number that is never so
 * large. */
static tn_status list(context *cx, archive *a)
{
    unsigned char start[32] = {0};
    size_t n = a->in.size < sizeof start ? (size_t)a->in.size : sizeof start;
    TN_TRY(input_read(cx, &a->in, start, n));
    a->in.at = 0;
    if (start[8] == '{')
        return safetensors_list(cx, a);
    if (memcmp(start, "PK\3\4", 4) == 0 || memcmp(start, "PK\5\6", 4) == 0)
        return npz_list(cx, a);
    if (memcmp(start, "\x93NUMPY", 6) == 0)
        return io_error(cx, a->in.name, "is a single .npy array, not an archive of named arrays");
    if (a->in.size == 0)
        return io_error(cx, a->in.name, "is empty");
    return io_error(cx, a->in.name, "is no .npy, .npz or .safetensors file%s",
                    what_it_is(start, n));
}

tn_status archive_open_input(context *cx, const input *in, archive **out)
{
    *out = NULL;
    archive *a = memory_alloc(&cx->allocator, sizeof *a);
    if (!a) {
        input unused = *in;
        input_close(&unused);
        return diag_no_memory(&cx->diag);
    }
    *a = (archive){.in = *in};
    arena_init(&a->text, &cx->allocator);
    a->in.name = arena_copy_text(&a->text, in->name, strlen(in->name));
    tn_status s = a->in.name ? list(cx, a) : diag_no_memory(&cx->diag);
    if (s != TN_OK) {
        archive_close(cx, a);
        return s;
    }
    *out = a;
    return TN_OK;
}

tn_status archive_open(context *cx, const char *path, archive **out)
{
    input in;
    *out = NULL;
    TN_TRY(input_open(cx, path, &in));
    return archive_open_input(cx, &in, out);
}

tn_status archive_open_memory(context *cx, const char *name, const void *bytes, size_t n,
                              archive **out)
{
    input in;
    input_from_memory(name, bytes, n, &in);
    return archive_open_input(cx, &in, out);
}

void archive_close(context *cx, archive *a)
{
    if (!a)
        return;
    npz_end(a);
    input_close(&a->in);
    VECTOR_RELEASE(&cx->allocator, &a->members);
    hash_release(&cx->allocator, &a->by_name);
    arena_release(&a->text);
    memory_free(&cx->allocator, a, sizeof *a);
}

uint32_t archive_count(const archive *a)
{
    return a->members.n;
}

const char *archive_name(const archive *a, uint32_t index)
{
    return a->members.at[index].name;
}

bool archive_find(const archive *a, const char *name, uint32_t *index)
{
    size_t n = strlen(name);
    return find(a, name, n, hash_bytes(0, name, n), index);
}

static tn_status load(context *cx, archive *a, uint32_t index, bool with_data, array *out)
{
    *out = (array){0};
    if (index >= a->members.n)
        return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN, "%s: there is no array number %u",
                           a->in.name, index);
    const archive_member *m = &a->members.at[index];
    return a->zip ? npz_load(cx, a, m, with_data, out) : safetensors_load(cx, a, m, with_data, out);
}

tn_status archive_describe(context *cx, archive *a, uint32_t index, array *out)
{
    return load(cx, a, index, false, out);
}

tn_status archive_load(context *cx, archive *a, uint32_t index, array *out)
{
    return load(cx, a, index, true, out);
}

bool archive_place(const archive *a, uint32_t index, int *fd, uint64_t *at)
{
    if (a->zip || index >= a->members.n || a->in.fd < 0 ||
        __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return false;
    *fd = a->in.fd;
    *at = a->in.start + a->members.at[index].at;
    return true;
}
