/* Reading samples, wherever they lie, as elements of the type that is wanted. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/array.h"
#include "io/input.h"
#include "scalar/dtype.h"
#include "train/data/dataset.h"

/* How many bits of a number an element type holds exactly. */
static unsigned bits_of(tn_dtype d)
{
    return dtype_is_float(d)      ? dtype_table[d].precision
           : dtype_is_unsigned(d) ? dtype_table[d].bits
           : dtype_is_signed(d)   ? dtype_table[d].bits - 1U
                                  : 1;
}

bool dataset_converts(tn_dtype from, tn_dtype to)
{
    if (from == to || from == array_carrier(to))
        return true;
    if (dtype_is_complex(from) || dtype_is_complex(to) || dtype_is_bool(to))
        return false;
    if (dtype_is_float(from))
        return dtype_is_float(to) && bits_of(from) <= bits_of(to) &&
               dtype_float_max(from) <= dtype_float_max(to);
    return dtype_is_int(to) || (dtype_is_float(to) && bits_of(from) <= bits_of(to));
}

/* ---- rows ---- */

/* The shard that holds a sample. */
static const shard *shard_of(const column *c, uint64_t sample)
{
    uint32_t low = 0, high = c->shards.n;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->shards.at[middle].first <= sample)
            low = middle;
        else
            high = middle;
    }
    return &c->shards.at[low];
}

static bool read_file(const shard *s, uint64_t offset, void *dst, size_t n, dataset_fault *fault)
{
    size_t done = 0;
    while (done < n) {
        const ssize_t got =
            pread(s->fd, (char *)dst + done, n - done, (off_t)(s->at + offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            fault->why = got < 0 ? DATASET_UNREADABLE : DATASET_SHORTER;
            fault->reason = errno;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

static bool read_row(const column *c, uint64_t sample, void *dst, dataset_fault *fault)
{
    const shard *s = shard_of(c, sample);
    const uint64_t offset = (sample - s->first) * c->row;
    *fault = (dataset_fault){.column = c, .sample = sample};
    if (!s->rows)
        return read_file(s, offset, dst, (size_t)c->row, fault);
    memcpy(dst, s->rows + (size_t)offset, (size_t)c->row);
    return true;
}

/* ---- elements ---- */

enum { CHUNK = 64, MOST_BYTES = 8 };

/* Is one of N integers, at most CHUNK, below 0? */
static bool any_negative(tn_dtype d, const char *at, size_t n)
{
    int64_t wide[CHUNK];
    bool any = false;
    (void)dtype_cast(d, at, TN_SI64, wide, n);
    for (size_t i = 0; i < n && dtype_is_signed(d); i++)
        any = any || wide[i] < 0;
    return any;
}

/* Do all of N integers fit the type TO? They do when they come back as they were and keep their
 * sign, which only one of the two types has where that is a question. */
static bool all_fit(tn_dtype from, const char *src, tn_dtype to, const char *dst, size_t n)
{
    char back[CHUNK * MOST_BYTES];
    const size_t wide = dtype_bytes(from), narrow = dtype_bytes(to);
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t m = n - at < CHUNK ? n - at : CHUNK;
        (void)dtype_cast(to, dst + at * narrow, from, back, m);
        if (memcmp(back, src + at * wide, m * wide) != 0 ||
            any_negative(from, src + at * wide, m) != any_negative(to, dst + at * narrow, m))
            return false;
    }
    return true;
}

bool dataset_read(const column *c, const uint64_t *samples, size_t n, tn_dtype to, void *dst,
                  void *room, dataset_fault *fault)
{
    const tn_dtype from = c->type.dtype;
    const bool same = from == to || from == array_carrier(to);
    const size_t elements = (size_t)c->row / dtype_bytes(from);
    for (size_t i = 0; i < n; i++) {
        char *row = (char *)(same ? dst : room) + (same ? i * c->row : 0);
        char *out = (char *)dst + i * elements * dtype_bytes(to);
        if (!read_row(c, samples[i], row, fault))
            return false;
        if (same && from == TN_I1)
            dtype_narrow(TN_I1, row, row, elements);
        if (same)
            continue;
        (void)dtype_cast(from, row, to, out, elements);
        if (dtype_is_int(to) && !all_fit(from, row, to, out, elements)) {
            fault->why = DATASET_RANGE;
            fault->wanted = to;
            return false;
        }
    }
    return true;
}

tn_status dataset_report(context *cx, const dataset_fault *f)
{
    const io_text name = io_printable(f->column->name, strlen(f->column->name));
    const unsigned long long sample = (unsigned long long)f->sample;
    if (f->why == DATASET_RANGE)
        return diag_report(&cx->diag, DIAG_InputMismatch, NULL, NO_SPAN,
                           "sample %llu of '%s' holds a number that is no %s", sample, name.text,
                           dtype_name(f->wanted));
    return diag_report(&cx->diag, DIAG_FileError, NULL, NO_SPAN,
                       "sample %llu of '%s' cannot be read: %s", sample, name.text,
                       f->why == DATASET_SHORTER ? "the file became shorter" : strerror(f->reason));
}
