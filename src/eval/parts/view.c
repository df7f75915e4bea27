/* Strided views. */
#include "eval/parts/view.h"

#include <string.h>

#include "eval/parts/pieces.h"

void view_init(view *v, const void *data, size_t size, const int64_t *dims, const int64_t *strides,
               uint32_t rank)
{
    uint32_t n = 0;
    bool empty = false;
    for (uint32_t i = 0; i < rank; i++)
        empty = empty || dims[i] == 0;
    for (uint32_t i = 0; i < rank && !empty; i++) {
        if (dims[i] == 1)
            continue;
        if (n > 0 && v->strides[n - 1] == strides[i] * dims[i]) {
            v->dims[n - 1] *= dims[i];
            v->strides[n - 1] = strides[i];
        } else {
            v->dims[n] = dims[i];
            v->strides[n++] = strides[i];
        }
    }
    v->data = data;
    v->size = size;
    v->rank = n;
}

void view_broadcast(view *v, const type *t, const void *data, const int64_t *dims, uint32_t rank)
{
    int64_t own[TN_MAX_RANK], strides[TN_MAX_RANK];
    type_strides(t, own);
    for (uint32_t i = 0; i < rank; i++) {
        const bool missing = i + t->rank < rank;
        const uint32_t axis = missing ? 0 : i + t->rank - rank;
        strides[i] = missing || t->dims[axis] == 1 ? 0 : own[axis];
    }
    view_init(v, data, dtype_bytes(t->dtype), dims, strides, rank);
}

/* A position in a view: the index per axis but the last, and the offset of their row. */
typedef struct cursor {
    int64_t index[TN_MAX_RANK];
    int64_t offset;
} cursor;

static void cursor_set(cursor *c, const view *v, int64_t position)
{
    c->offset = 0;
    for (uint32_t i = v->rank; i-- > 0;) {
        c->index[i] = position % v->dims[i];
        position /= v->dims[i];
        c->offset += c->index[i] * v->strides[i];
    }
}

/* Move from any position of a row to the start of the next one. */
static void cursor_next_row(cursor *c, const view *v)
{
    uint32_t i = v->rank - 1;
    c->offset -= c->index[i] * v->strides[i];
    c->index[i] = 0;
    while (i-- > 0) {
        c->offset += v->strides[i];
        if (++c->index[i] < v->dims[i])
            return;
        c->offset -= v->dims[i] * v->strides[i];
        c->index[i] = 0;
    }
}

int64_t view_offset(const view *v, int64_t start)
{
    cursor c;
    cursor_set(&c, v, start);
    return c.offset;
}

void view_offsets(const view *v, int64_t start, size_t n, int64_t *offsets)
{
    if (v->rank == 0) {
        for (size_t k = 0; k < n; k++)
            offsets[k] = 0;
        return;
    }
    const uint32_t last = v->rank - 1;
    cursor c;
    cursor_set(&c, v, start);
    for (size_t k = 0; k < n; k++) {
        offsets[k] = c.offset;
        if (c.index[last] + 1 < v->dims[last]) {
            c.index[last]++;
            c.offset += v->strides[last];
        } else {
            cursor_next_row(&c, v);
        }
    }
}

/* Copies whose element size is known to the compiler. */
#define STRIDED(bytes)                                                                             \
    for (size_t k = 0; k < n; k++)                                                                 \
        memcpy(dst + k * (bytes), src + (ptrdiff_t)k * from, (bytes));                             \
    break

static void read_row(char *dst, const char *src, int64_t stride, size_t size, size_t n)
{
    const ptrdiff_t from = (ptrdiff_t)stride * (ptrdiff_t)size;
    if (stride == 1) {
        memcpy(dst, src, n * size);
        return;
    }
    switch (size) {
    case 1:
        STRIDED(1);
    case 2:
        STRIDED(2);
    case 4:
        STRIDED(4);
    case 8:
        STRIDED(8);
    default:
        STRIDED(16);
    }
}

static void write_row(char *dst, const char *src, int64_t stride, size_t size, size_t n)
{
    const ptrdiff_t to = (ptrdiff_t)stride * (ptrdiff_t)size;
    for (size_t k = 0; k < n; k++)
        memcpy(dst + (ptrdiff_t)k * to, src + k * size, size);
}

void view_read(const view *v, int64_t start, size_t n, void *dst)
{
    char *out = dst;
    if (n == 0)
        return;
    if (view_is_dense(v)) {
        memcpy(out, v->data + start * (int64_t)v->size, n * v->size);
        return;
    }
    const uint32_t last = v->rank - 1;
    cursor c;
    cursor_set(&c, v, start);
    while (n > 0) {
        const size_t left = (size_t)(v->dims[last] - c.index[last]);
        const size_t row = left < n ? left : n;
        read_row(out, v->data + c.offset * (int64_t)v->size, v->strides[last], v->size, row);
        out += row * v->size;
        n -= row;
        if (n > 0)
            cursor_next_row(&c, v);
    }
}

/* ---- transposed views ---- */

enum { LINE = 64 }; /* bytes */

/* An axis but the last along which elements are neighbours in memory; v->rank: none. */
static uint32_t neighbour_axis(const view *v)
{
    uint32_t axis = 0;
    if (v->rank == 0 || v->strides[v->rank - 1] == 1)
        return v->rank;
    while (axis < v->rank && v->strides[axis] != 1)
        axis++;
    return axis;
}

/* Copy N_LAST times N_NEAR neighbours of SRC, FROM bytes apart, to columns of rows TO bytes apart.
 */
#define COLUMNS(bytes)                                                                             \
    for (int64_t k = 0; k < n_last; k++)                                                           \
        for (int64_t i = 0; i < n_near; i++)                                                       \
            memcpy(dst + i * to + k * (bytes), src + k * from + i * (bytes), (bytes));             \
    break

static void read_columns(char *dst, int64_t to, const char *src, int64_t from, size_t size,
                         int64_t n_near, int64_t n_last)
{
    switch (size) {
    case 1:
        COLUMNS(1);
    case 2:
        COLUMNS(2);
    case 4:
        COLUMNS(4);
    case 8:
        COLUMNS(8);
    default:
        COLUMNS(16);
    }
}

/* Each line of memory is read once, whole: by rows of the result it would be read once for each of
 * its elements, and power-of-two strides would drive it out of the cache in between. */
static tn_status read_transposed(const eval_call *call, const view *v, uint32_t near, char *dst)
{
    const uint32_t last = v->rank - 1;
    const int64_t size = (int64_t)v->size, most = LINE / size, n_last = v->dims[last];
    int64_t steps[TN_MAX_RANK], index[TN_MAX_RANK] = {0}, step = size;
    for (uint32_t i = v->rank; i-- > 0; step *= v->dims[i])
        steps[i] = step;
    for (;;) {
        const char *src = v->data;
        char *to = dst;
        for (uint32_t i = 0; i < last; i++) {
            src += index[i] * v->strides[i] * size;
            to += index[i] * steps[i];
        }
        const int64_t left = v->dims[near] - index[near], n = left < most ? left : most;
        TN_TRY(eval_tick(call, (uint64_t)(n * n_last)));
        read_columns(to, steps[near], src, v->strides[last] * size, v->size, n, n_last);
        uint32_t i = last;
        while (i-- > 0) {
            index[i] += i == near ? n : 1;
            if (index[i] < v->dims[i])
                break;
            index[i] = 0;
        }
        if (i == UINT32_MAX)
            return TN_OK;
    }
}

tn_status view_read_all(const eval_call *call, const view *v, int64_t count, void *dst)
{
    const uint32_t near = neighbour_axis(v);
    if (count > 0 && near < v->rank)
        return read_transposed(call, v, near, dst);
    for (int64_t start = 0, n; start < count; start += n) {
        n = count - start < EVAL_TICK ? count - start : EVAL_TICK;
        TN_TRY(eval_tick(call, (uint64_t)n));
        view_read(v, start, (size_t)n, (char *)dst + (size_t)start * v->size);
    }
    return TN_OK;
}

tn_status view_write_all(const eval_call *call, const view *v, int64_t count, const void *src)
{
    const char *in = src;
    /* The view was made over writable memory; see the header. */
    char *data = (char *)(uintptr_t)v->data;
    if (count == 0)
        return TN_OK;
    if (view_is_dense(v))
        return eval_copy_bytes(call, data, in, (size_t)count * v->size);
    const uint32_t last = v->rank - 1;
    const size_t row = (size_t)v->dims[last];
    cursor c;
    cursor_set(&c, v, 0);
    for (int64_t done = 0; done < count; done += v->dims[last]) {
        TN_TRY(eval_tick(call, row));
        write_row(data + c.offset * (int64_t)v->size, in, v->strides[last], v->size, row);
        in += row * v->size;
        cursor_next_row(&c, v);
    }
    return TN_OK;
}
