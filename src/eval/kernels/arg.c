/* Order along an axis: arg_max, sort, argsort, top_k. */
#include <inttypes.h>
#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/lines.h"
#include "eval/parts/scratch.h"
#include "eval/parts/view.h"
#include "ops/attr_rules.h"

#define KEYS(dtype, type, expr)                                                                    \
    case dtype: {                                                                                  \
        const type *x = elements;                                                                  \
        for (int64_t i = 0; i < n; i++)                                                            \
            keys[i] = (expr);                                                                      \
        break;                                                                                     \
    }
#define SIGN_BIT ((uint64_t)1 << 63)

/* Numbers in the order of floats: zeros are equal, NaN comes out as its own mark. */
static uint64_t key_of_float(double x)
{
    uint64_t bits;
    if (x == 0)
        return SIGN_BIT;
    memcpy(&bits, &x, sizeof bits);
    return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

/* Sort keys of N contiguous elements of D, as widened by dtype_widen: they ascend in the wanted
 * order. NaN gets the largest key. */
static void order_keys(tn_dtype d, bool largest, const void *elements, int64_t n, uint64_t *keys)
{
    switch ((int)d) {
        KEYS(TN_I1, uint8_t, x[i])
        KEYS(TN_UI4, uint8_t, x[i])
        KEYS(TN_UI8, uint8_t, x[i])
        KEYS(TN_UI16, uint16_t, x[i])
        KEYS(TN_UI32, uint32_t, x[i])
        KEYS(TN_UI64, uint64_t, x[i])
        KEYS(TN_SI4, int8_t, (uint64_t)(int64_t)x[i] ^ SIGN_BIT)
        KEYS(TN_SI8, int8_t, (uint64_t)(int64_t)x[i] ^ SIGN_BIT)
        KEYS(TN_SI16, int16_t, (uint64_t)(int64_t)x[i] ^ SIGN_BIT)
        KEYS(TN_SI32, int32_t, (uint64_t)(int64_t)x[i] ^ SIGN_BIT)
        KEYS(TN_SI64, int64_t, (uint64_t)x[i] ^ SIGN_BIT)
        KEYS(TN_F64, double, key_of_float(x[i]))
    default: /* the narrower floats */
        KEYS(TN_F32, float, key_of_float((double)x[i]))
    }
    for (int64_t i = 0; largest && i < n; i++)
        keys[i] = ~keys[i];
    if (!dtype_is_float(d))
        return;
    for (int64_t i = 0; i < n; i++) {
        const bool is_nan = dtype_compute(d) == TN_F64
                                ? ((const double *)elements)[i] != ((const double *)elements)[i]
                                : ((const float *)elements)[i] != ((const float *)elements)[i];
        if (is_nan)
            keys[i] = UINT64_MAX;
    }
}

/* One line at a time: its elements as stored, widened, and as keys. */
typedef struct line_reader {
    lines l;
    tn_dtype dtype;
    const char *data;
    char *stored, *wide;
    uint64_t *keys;
} line_reader;

static bool line_reader_init(line_reader *r, const eval_call *call, uint32_t axis)
{
    const type *t = call->in[0].type;
    *r = (line_reader){.l = lines_of(t, axis), .dtype = t->dtype, .data = call->in[0].data};
    const size_t n = (size_t)r->l.n;
    r->stored = scratch_array(call, n, dtype_bytes(t->dtype));
    r->wide = scratch_array(call, n < EVAL_TICK ? n : EVAL_TICK, 8);
    r->keys = scratch_array(call, n, sizeof *r->keys);
    return r->stored && r->wide && r->keys;
}

static tn_status read_line(const eval_call *call, line_reader *r, int64_t outer, int64_t inner,
                           bool largest)
{
    const size_t size = dtype_bytes(r->dtype);
    const int64_t n = r->l.n;
    view v;
    view_init(&v, r->data + (size_t)(outer * n * r->l.inner + inner) * size, size, &n, &r->l.inner,
              1);
    for (int64_t at = 0, part; at < n; at += part) {
        part = n - at < EVAL_TICK ? n - at : EVAL_TICK;
        TN_TRY(eval_tick(call, (uint64_t)part));
        char *stored = r->stored + (size_t)at * size;
        view_read(&v, at, (size_t)part, stored);
        dtype_widen(r->dtype, stored, r->wide, (size_t)part);
        order_keys(r->dtype, largest, r->wide, part, r->keys + at);
    }
    return TN_OK;
}

static void store_index(const tensor *out, int64_t at, int64_t index)
{
    if (out->type->dtype == TN_SI32)
        ((int32_t *)out->data)[at] = (int32_t)index;
    else
        ((int64_t *)out->data)[at] = index;
}

/* [arg_max/C1] */
tn_status eval_arg_max(eval_call *call)
{
    const uint32_t axis = resolve_axis(call->attrs, KEY_AXIS, call->in[0].type->rank);
    line_reader r;
    if (call->out->type->count == 0)
        return TN_OK;
    if (!line_reader_init(&r, call, axis))
        return eval_no_memory(call);
    for (int64_t o = 0, at = 0; o < r.l.outer; o++)
        for (int64_t i = 0; i < r.l.inner; i++, at++) {
            int64_t best = 0;
            TN_TRY(read_line(call, &r, o, i, true));
            for (int64_t k = 1; k < r.l.n; k++) {
                if (k % EVAL_TICK == 0)
                    TN_TRY(eval_tick(call, EVAL_TICK));
                if (r.keys[k] < r.keys[best])
                    best = k;
            }
            store_index(call->out, at, best);
        }
    return TN_OK;
}

/* Stable merge sort of the N numbers in ORDER by their keys; SPARE has room for as many. */
static tn_status sort_by_key(const eval_call *call, const uint64_t *keys, int64_t *order,
                             int64_t *spare, int64_t n)
{
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t from = 0; from < n; from += 2 * width) {
            const int64_t middle = n - from < width ? n : from + width;
            const int64_t end = n - middle < width ? n : middle + width;
            int64_t a = from, b = middle;
            for (int64_t k = from; k < end; k++) {
                if (k % EVAL_TICK == 0 || k == from)
                    TN_TRY(eval_tick(call, end - k < EVAL_TICK ? (uint64_t)(end - k) : EVAL_TICK));
                const bool left = a < middle && (b >= end || keys[order[a]] <= keys[order[b]]);
                spare[k] = order[left ? a++ : b++];
            }
        }
        memcpy(order, spare, (size_t)n * sizeof *order);
    }
    return TN_OK;
}

/* Lines in their order. */
typedef struct sorting {
    line_reader r;
    bool largest;
    int64_t *order, *spare;
} sorting;

static bool sorting_init(sorting *s, const eval_call *call, bool largest)
{
    const uint32_t axis = resolve_axis(call->attrs, KEY_AXIS, call->in[0].type->rank);
    s->largest = largest;
    if (!line_reader_init(&s->r, call, axis))
        return false;
    s->order = scratch_array(call, (size_t)s->r.l.n, sizeof *s->order);
    s->spare = scratch_array(call, (size_t)s->r.l.n, sizeof *s->spare);
    return s->order && s->spare;
}

/* Leaves the positions of the elements of a line in `order`. */
static tn_status sort_line(const eval_call *call, sorting *s, int64_t outer, int64_t inner)
{
    TN_TRY(read_line(call, &s->r, outer, inner, s->largest));
    for (int64_t k = 0; k < s->r.l.n; k++)
        s->order[k] = k;
    return sort_by_key(call, s->r.keys, s->order, s->spare, s->r.l.n);
}

/* [sort/C2] [sort/C3] */
tn_status eval_sort(eval_call *call)
{
    sorting s;
    if (call->out->type->count == 0)
        return TN_OK;
    if (!sorting_init(&s, call, attr_int(call->attrs, KEY_DESCENDING, 0) != 0))
        return eval_no_memory(call);
    const lines l = s.r.l;
    for (int64_t o = 0; o < l.outer; o++)
        for (int64_t i = 0; i < l.inner; i++) {
            TN_TRY(sort_line(call, &s, o, i));
            for (uint32_t k = 0; k < call->n_in; k++) {
                const size_t size = dtype_bytes(call->in[k].type->dtype);
                const char *from = call->in[k].data;
                char *to = call->out[k].data;
                TN_TRY(eval_tick(call, (uint64_t)l.n));
                for (int64_t j = 0; j < l.n; j++)
                    memcpy(to + (size_t)((o * l.n + j) * l.inner + i) * size,
                           from + (size_t)((o * l.n + s.order[j]) * l.inner + i) * size, size);
            }
        }
    return TN_OK;
}

/* [argsort/C1] */
tn_status eval_argsort(eval_call *call)
{
    sorting s;
    if (call->out->type->count == 0)
        return TN_OK;
    if (!sorting_init(&s, call, attr_int(call->attrs, KEY_DESCENDING, 0) != 0))
        return eval_no_memory(call);
    for (int64_t o = 0; o < s.r.l.outer; o++)
        for (int64_t i = 0; i < s.r.l.inner; i++) {
            TN_TRY(sort_line(call, &s, o, i));
            for (int64_t j = 0; j < s.r.l.n; j++)
                store_index(call->out, (o * s.r.l.n + j) * s.r.l.inner + i, s.order[j]);
        }
    return TN_OK;
}

tn_status eval_top_k(eval_call *call)
{
    const int64_t kept = attr_int(call->attrs, KEY_K, 0);
    const size_t size = dtype_bytes(call->in[0].type->dtype);
    char *values = call->out[0].data;
    sorting s;
    if (call->out->type->count == 0)
        return TN_OK;
    if (!sorting_init(&s, call, attr_int(call->attrs, KEY_LARGEST, 1) != 0))
        return eval_no_memory(call);
    for (int64_t o = 0; o < s.r.l.outer; o++)
        for (int64_t i = 0; i < s.r.l.inner; i++) {
            TN_TRY(sort_line(call, &s, o, i));
            for (int64_t k = 0; k < kept; k++) {
                const int64_t at = (o * kept + k) * s.r.l.inner + i;
                memcpy(values + (size_t)at * size, s.r.stored + (size_t)s.order[k] * size, size);
                store_index(&call->out[1], at, s.order[k]);
            }
        }
    return TN_OK;
}
