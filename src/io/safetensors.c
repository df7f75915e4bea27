/* Reading .safetensors: the length of a JSON header, the header, the data. */
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "io/header_scan.h"
#include "io/layout.h"
#include "io/members.h"

enum { PREFIX = 8, HEADER_MAX = 100 * 1000 * 1000 /* the format's own limit */ };

static const struct {
    tn_dtype dtype;
    const char *name;
} dtypes[] = {
#define DTYPE(dtype, name) {dtype, name},
#include "io/safetensors_dtypes.def"
#undef DTYPE
};

/* What the header says of one tensor. */
typedef struct entry {
    array type;
    int64_t begin, end; /* in the data */
} entry;

static tn_status read_dtype(header_scan *h, archive *a, entry *e)
{
    const char *text;
    arena_mark before = arena_here(&a->text);
    TN_TRY(header_string(h, &a->text, &text));
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (strcmp(dtypes[i].name, text) == 0) {
            e->type.dtype = dtypes[i].dtype;
            arena_rewind(&a->text, before);
            return TN_OK;
        }
    io_text shown = io_printable(text, strlen(text));
    return io_error(h->cx, h->name, "byte %" PRIu64 ": the element type '%s' is not read",
                    h->base + h->at, shown.text);
}

static tn_status read_shape(header_scan *h, entry *e)
{
    array *t = &e->type;
    TN_TRY(header_expect(h, '['));
    if (header_take(h, ']'))
        return TN_OK;
    do {
        if (t->rank == TN_MAX_RANK)
            return header_bad(h, "more axes than are supported");
        TN_TRY(header_whole(h, &t->dims[t->rank]));
        t->rank++;
    } while (header_take(h, ','));
    return header_expect(h, ']');
}

static tn_status read_offsets(header_scan *h, entry *e)
{
    TN_TRY(header_expect(h, '['));
    TN_TRY(header_whole(h, &e->begin));
    TN_TRY(header_expect(h, ','));
    TN_TRY(header_whole(h, &e->end));
    return header_expect(h, ']');
}

/* {"dtype": ..., "shape": ..., "data_offsets": ...}, in any order. */
static tn_status read_entry(header_scan *h, archive *a, entry *e)
{
    enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4, ALL = 7 };
    unsigned seen = 0;
    *e = (entry){0};
    TN_TRY(header_expect(h, '{'));
    do {
        const char *key;
        arena_mark before = arena_here(&a->text);
        TN_TRY(header_string(h, &a->text, &key));
        unsigned bit = strcmp(key, "dtype") == 0          ? DTYPE
                       : strcmp(key, "shape") == 0        ? SHAPE
                       : strcmp(key, "data_offsets") == 0 ? OFFSETS
                                                          : 0;
        arena_rewind(&a->text, before);
        if (!bit || (seen & bit))
            return header_bad(h, bit ? "repeated key" : "unknown key");
        seen |= bit;
        TN_TRY(header_expect(h, ':'));
        if (bit == DTYPE)
            TN_TRY(read_dtype(h, a, e));
        else if (bit == SHAPE)
            TN_TRY(read_shape(h, e));
        else
            TN_TRY(read_offsets(h, e));
    } while (header_take(h, ','));
    TN_TRY(header_expect(h, '}'));
    if (seen != ALL)
        return header_bad(h, "missing key: 'dtype', 'shape' and 'data_offsets' are needed");
    return TN_OK;
}

/* "__metadata__": strings by name, of which nothing is kept. */
static tn_status skip_metadata(header_scan *h, archive *a)
{
    const char *text;
    TN_TRY(header_expect(h, '{'));
    if (header_take(h, '}'))
        return TN_OK;
    do {
        arena_mark before = arena_here(&a->text);
        TN_TRY(header_string(h, &a->text, &text));
        TN_TRY(header_expect(h, ':'));
        TN_TRY(header_string(h, &a->text, &text));
        arena_rewind(&a->text, before);
    } while (header_take(h, ','));
    return header_expect(h, '}');
}

/* The tensor must lie in the data, and be as long as its shape says. */
static tn_status add_entry(context *cx, archive *a, uint64_t data, const char *name, const entry *e)
{
    size_t bytes;
    io_text shown = io_printable(name, strlen(name));
    if (e->begin > e->end || (uint64_t)e->end > a->in.size - data)
        return io_error(cx, a->in.name,
                        "the tensor '%s' is to lie in bytes %" PRId64 " to %" PRId64 " of %" PRIu64
                        " byte%s of data",
                        shown.text, e->begin, e->end, a->in.size - data, plural(a->in.size - data));
    if (!array_measure(&e->type, &bytes))
        return io_error(cx, a->in.name, "the tensor '%s' has too many elements", shown.text);
    if (bytes != (uint64_t)(e->end - e->begin))
        return io_error(
            cx, a->in.name, "the tensor '%s' has %" PRId64 " byte%s of data, its shape needs %zu",
            shown.text, e->end - e->begin, plural((uint64_t)(e->end - e->begin)), bytes);
    archive_member m = {
        .name = name,
        .at = data + (uint64_t)e->begin,
        .rank = e->type.rank,
        .dtype = e->type.dtype,
    };
    int64_t *dims = ARENA_ARRAY(&a->text, int64_t, m.rank);
    if (!dims)
        return diag_no_memory(&cx->diag);
    memcpy(dims, e->type.dims, m.rank * sizeof *dims);
    m.dims = dims;
    return members_add(cx, a, m);
}

static tn_status parse(header_scan *h, archive *a, uint64_t data)
{
    bool seen_metadata = false;
    TN_TRY(header_expect(h, '{'));
    if (header_take(h, '}'))
        return header_end(h);
    do {
        const char *name;
        entry e;
        TN_TRY(header_string(h, &a->text, &name));
        TN_TRY(header_expect(h, ':'));
        if (strcmp(name, "__metadata__") == 0) {
            if (seen_metadata)
                return header_bad(h, "repeated key");
            seen_metadata = true;
            TN_TRY(skip_metadata(h, a));
        } else {
            TN_TRY(read_entry(h, a, &e));
            TN_TRY(add_entry(h->cx, a, data, name, &e));
        }
    } while (header_take(h, ','));
    TN_TRY(header_expect(h, '}'));
    return header_end(h);
}

static uint64_t size_of(const archive_member *m)
{
    array type = {.dtype = m->dtype, .rank = m->rank};
    size_t bytes = 0;
    memcpy(type.dims, m->dims, m->rank * sizeof *m->dims);
    (void)array_measure(&type, &bytes); /* measured before */
    return bytes;
}

typedef struct extent {
    uint64_t begin, end;
    uint32_t member;
} extent;

static bool before(const extent *x, const extent *y)
{
    return x->begin != y->begin ? x->begin < y->begin : x->end < y->end;
}

/* Move item I of a heap of N, largest on top, down to its place. */
static void sift(extent *heap, uint32_t i, uint32_t n)
{
    extent moved = heap[i];
    for (uint64_t child; (child = 2 * (uint64_t)i + 1) < n; i = (uint32_t)child) {
        if (child + 1 < n && before(&heap[child], &heap[child + 1]))
            child++;
        if (!before(&moved, &heap[child]))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

static void sort(extent *all, uint32_t n)
{
    for (uint32_t i = n / 2; i-- > 0;)
        sift(all, i, n);
    for (uint32_t i = n; i > 1;) {
        i--;
        extent largest = all[0];
        all[0] = all[i];
        all[i] = largest;
        sift(all, 0, i);
    }
}

/* The format wants each byte of the data in exactly one tensor. */
static tn_status check_cover(context *cx, const archive *a, uint64_t data)
{
    uint32_t n = a->members.n;
    size_t room = ((size_t)n + 1) * sizeof(extent);
    extent *all = memory_alloc(&cx->allocator, room);
    if (!all)
        return diag_no_memory(&cx->diag);
    for (uint32_t i = 0; i < n; i++) {
        const archive_member *m = &a->members.at[i];
        all[i] = (extent){m->at, m->at + size_of(m), i};
    }
    sort(all, n);
    tn_status s = TN_OK;
    uint64_t covered = data;
    for (uint32_t i = 0; i < n && s == TN_OK; i++) {
        const char *name = a->members.at[all[i].member].name;
        io_text shown = io_printable(name, strlen(name));
        if (all[i].begin < covered)
            s = io_error(cx, a->in.name, "the tensor '%s' overlaps another at byte %" PRIu64,
                         shown.text, all[i].begin);
        else if (all[i].begin > covered)
            s = io_error(cx, a->in.name, "bytes %" PRIu64 " to %" PRIu64 " belong to no tensor",
                         covered, all[i].begin);
        covered = all[i].end;
    }
    if (s == TN_OK && covered != a->in.size)
        s = io_error(cx, a->in.name, "bytes %" PRIu64 " to %" PRIu64 " belong to no tensor",
                     covered, a->in.size);
    memory_free(&cx->allocator, all, room);
    return s;
}

tn_status safetensors_list(context *cx, archive *a)
{
    unsigned char prefix[PREFIX];
    TN_TRY(input_read(cx, &a->in, prefix, PREFIX));
    uint64_t length = io_little(prefix, PREFIX);
    if (length > HEADER_MAX || length > a->in.size - PREFIX)
        return io_error(cx, a->in.name,
                        "has a header of %" PRIu64 " byte%s; the file has %" PRIu64
                        ", and at most %d are read",
                        length, plural(length), a->in.size - PREFIX, HEADER_MAX);
    size_t n = (size_t)length;
    char *text = memory_alloc(&cx->allocator, n + 1);
    if (!text)
        return diag_no_memory(&cx->diag);
    header_scan h = {.cx = cx, .name = a->in.name, .text = text, .n = n, .base = PREFIX};
    tn_status s = input_read(cx, &a->in, text, n);
    if (s == TN_OK)
        s = parse(&h, a, PREFIX + length);
    memory_free(&cx->allocator, text, n + 1);
    return s == TN_OK ? check_cover(cx, a, PREFIX + length) : s;
}

tn_status safetensors_load(context *cx, archive *a, const archive_member *m, bool with_data,
                           array *out)
{
    array t = {.dtype = m->dtype, .rank = m->rank};
    memcpy(t.dims, m->dims, m->rank * sizeof *m->dims);
    if (!with_data) {
        *out = t;
        return TN_OK;
    }
    TN_TRY(array_alloc(cx, a->in.name, &t));
    a->in.at = m->at;
    tn_status s = input_read(cx, &a->in, t.data, t.bytes);
    if (s != TN_OK) {
        array_release(cx, &t);
        return s;
    }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    layout_swap(&t);
#endif
    if (t.dtype == TN_I1)
        dtype_narrow(TN_I1, t.data, t.data, t.bytes);
    *out = t;
    return TN_OK;
}
