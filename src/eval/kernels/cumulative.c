/* cumulative: what the elements of a line up to each one come to, in the order of docs/numerics.md,
 * section 5. */
#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/fold.h"
#include "eval/parts/lines.h"
#include "ops/attr_rules.h"

enum { BLOCK = CUMULATIVE_BLOCK, MOST_BYTES = 16 };

typedef struct running {
    fold_kind kind;
    tn_dtype dtype, sum;
    size_t stored, size; /* bytes of an element as stored, of one as `sum` */
    bool excludes, reverses;
    _Alignas(16) char empty[MOST_BYTES];
} running;

/* to = FIRST combined with to */
static void join(const running *r, const char *first, char *to)
{
    _Alignas(16) char x[MOST_BYTES];
    memcpy(x, first, r->size);
    fold_rows(r->kind, r->sum, x, to, 1);
    memcpy(to, x, r->size);
}

/* The N elements at S become what they come to from the first one on: groups of D are complete, and
 * every second one takes in the last of the group before it. */
static void combine_block(const running *r, char *s, int64_t n)
{
    for (int64_t d = 1; d < BLOCK; d *= 2)
        for (int64_t j = 0; j < n; j++)
            if (j & d)
                join(r, s + (size_t)(j / d * d - 1) * r->size, s + (size_t)j * r->size);
}

static void read_element(const running *r, const char *from, char *to)
{
    if (r->dtype == r->sum)
        dtype_widen(r->dtype, from, to, 1); /* i1 and 4-bit integers made proper */
    else
        (void)dtype_cast(r->dtype, from, r->sum, to, 1);
}

static void write_element(const running *r, const char *from, char *to)
{
    if (r->dtype == r->sum && dtype_table[r->sum].bits < 8)
        dtype_narrow(r->sum, from, to, 1); /* 4-bit integers wrap */
    else
        (void)dtype_cast(r->sum, from, r->dtype, to, 1);
}

/* A line of N elements; the next one is STRIDE bytes further. */
static tn_status run_line(const eval_call *call, const running *r, const char *x, char *y,
                          int64_t n, int64_t stride)
{
    _Alignas(16) char s[BLOCK * MOST_BYTES], before[MOST_BYTES];
    bool joins = r->kind == FOLD_MAX || r->kind == FOLD_MIN; /* the start, and what precedes */
    memcpy(before, r->empty, r->size);
    if (r->reverses) {
        x += (n - 1) * stride;
        y += (n - 1) * stride;
        stride = -stride;
    }
    for (int64_t start = 0; start < n; start += BLOCK) {
        const int64_t count = n - start < BLOCK ? n - start : BLOCK;
        TN_TRY(eval_tick(call, (uint64_t)count));
        for (int64_t j = 0; j < count; j++)
            read_element(r, x + (start + j) * stride, s + (size_t)j * r->size);
        combine_block(r, s, count);
        for (int64_t j = 0; joins && j < count; j++)
            join(r, before, s + (size_t)j * r->size);
        for (int64_t j = 0; j < count; j++) {
            const char *last = j ? s + (size_t)(j - 1) * r->size : before;
            write_element(r, r->excludes ? last : s + (size_t)j * r->size,
                          y + (start + j) * stride);
        }
        memcpy(before, s + (size_t)(count - 1) * r->size, r->size);
        joins = true;
    }
    return TN_OK;
}

/* [cumulative/C2] [cumulative/C3] */
tn_status eval_cumulative(eval_call *call)
{
    const type *t = call->in[0].type;
    const lines l = lines_of(t, resolve_axis(call->attrs, KEY_AXIS, t->rank));
    running r = {.kind = (fold_kind)attr_int(call->attrs, KEY_FOLD, FOLD_SUM),
                 .dtype = t->dtype,
                 .sum = accumulator_of(t->dtype),
                 .stored = dtype_bytes(t->dtype),
                 .excludes = attr_int(call->attrs, KEY_EXCLUSIVE, 0) != 0,
                 .reverses = attr_int(call->attrs, KEY_REVERSE, 0) != 0};
    if (t->count == 0)
        return TN_OK;
    r.size = dtype_bytes(r.sum);
    fold_empty(r.kind, r.sum, r.dtype, r.empty);
    for (int64_t o = 0; o < l.outer; o++)
        for (int64_t i = 0; i < l.inner; i++) {
            const size_t first = (size_t)(o * l.n * l.inner + i) * r.stored;
            TN_TRY(run_line(call, &r, (const char *)call->in[0].data + first,
                            (char *)call->out->data + first, l.n, l.inner * (int64_t)r.stored));
        }
    return TN_OK;
}
