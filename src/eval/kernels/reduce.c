/* Reductions: sum, mean, product, largest and smallest over axes, in one fixed order.
 *
 * The elements of one result, in row-major order of the reduced axes, are cut into blocks of
 * SUM_BLOCK. In a block, element j goes to lane j % SUM_LANES; each lane folds its elements in
 * order, lanes combine by halving, and the values of the blocks combine pairwise by index. A lane,
 * or a partner, that does not exist takes no part. See docs/numerics.md. */
#include <inttypes.h>
#include <string.h>

#include "base/memory/checked.h"
#include "eval/kernels/kernels.h"
#include "eval/kernels/stream.h"
#include "eval/parts/fold.h"
#include "eval/parts/view.h"
#include "ops/attr_rules.h"

enum {
    COLUMNS = 64 /* results computed at once where they lie side by side */
};

typedef struct reduction {
    fold_kind kind;
    bool no_axes; /* nothing is reduced: only the conversions apply */
    bool mean;
    tn_dtype in, sum, out;
    const void *init; /* one element of `sum`, or NULL */
    int64_t count;    /* elements of each result */
    view kept;        /* where the elements of each result start */
    view reduced;     /* where they lie from there */
    bool convert;     /* elements must be brought to `sum` first */
    int64_t run;      /* results that lie side by side, as their elements do */
    size_t columns;   /* so many are computed at once; the scratch has room for them */
    size_t size;      /* of an element of `sum` */
    char *lanes;      /* SUM_LANES rows */
    char *stack;      /* a row for each level of the tree */
    char *input;      /* elements as stored, gathered */
    char *wide;       /* the same in `sum` */
    int64_t offsets[SUM_BLOCK];
    stream *stream; /* of operands that are not held: the elements of each result side by side */
    int64_t result; /* that is being computed, for the stream */
} reduction;

_Static_assert((int)SUM_BLOCK <= (int)FLAT_CHUNK, "a block is one piece of a stream");

static const void *converted(const reduction *r, const void *elements, size_t n)
{
    if (!r->convert)
        return elements;
    if (r->in == r->sum)
        dtype_widen(r->in, elements, r->wide, n); /* i1 and 4-bit integers made proper */
    else
        (void)dtype_cast(r->in, elements, r->sum, r->wide, n);
    return r->wide;
}

/* Fold rows of WIDTH results: the row starts or joins the lane. */
static void to_lane(const reduction *r, size_t lane, bool first, const void *row, size_t width)
{
    char *to = r->lanes + lane * width * r->size;
    if (first)
        memcpy(to, row, width * r->size);
    else
        fold_rows(r->kind, r->sum, to, row, width);
}

/* A block of results that lie side by side: the rows of elements start at BASE + offsets[j]. */
static void lanes_of_columns(const reduction *r, const char *base, size_t n, size_t width)
{
    const size_t stored = dtype_bytes(r->in);
    for (size_t j = 0; j < n; j++) {
        const char *row = base + r->offsets[j] * (int64_t)stored;
        to_lane(r, j % SUM_LANES, j < SUM_LANES, converted(r, row, width), width);
    }
}

/* A block of one result, whose elements are gathered first unless they lie side by side. */
static void lanes_of_one(reduction *r, const char *base, int64_t start, size_t n)
{
    const char *elements = r->input;
    if (r->stream) {
        elements = stream_read(r->stream, r->result * r->count + start, n);
    } else if (view_is_dense(&r->reduced)) {
        elements = base + start * (int64_t)dtype_bytes(r->in);
    } else {
        r->reduced.data = base;
        view_read(&r->reduced, start, n, r->input);
    }
    const char *x = converted(r, elements, n);
    const size_t first = n < SUM_LANES ? n : SUM_LANES;
    memcpy(r->lanes, x, first * r->size);
    for (size_t j = SUM_LANES; j < n; j += SUM_LANES)
        fold_rows(r->kind, r->sum, r->lanes, x + j * r->size,
                  n - j < SUM_LANES ? n - j : SUM_LANES);
}

/* Halve the lanes that took part until one is left, the first. */
static void combine_lanes(const reduction *r, size_t n, size_t width)
{
    size_t used = n < SUM_LANES ? n : SUM_LANES;
    for (size_t half = SUM_LANES / 2; half > 0; half /= 2)
        if (used > half) {
            fold_rows(r->kind, r->sum, r->lanes, r->lanes + half * width * r->size,
                      (used - half) * width);
            used = half;
        }
}

/* Results RESULT .. RESULT + WIDTH - 1, as elements of `sum`, to the first row of the stack. The
 * stack holds the roots of complete subtrees over 2^k blocks, larger ones first, as the bits of the
 * number of blocks say. */
static tn_status reduce_columns(const eval_call *call, reduction *r, const char *base, size_t width)
{
    const size_t row = width * r->size;
    uint64_t blocks = 0;
    size_t top = 0;
    for (int64_t start = 0; start < r->count; start += SUM_BLOCK) {
        const int64_t left = r->count - start;
        const size_t n = left < SUM_BLOCK ? (size_t)left : SUM_BLOCK;
        TN_TRY(eval_tick(call, (uint64_t)n * width));
        if (width == 1) {
            lanes_of_one(r, base, start, n);
        } else {
            view_offsets(&r->reduced, start, n, r->offsets);
            lanes_of_columns(r, base, n, width);
        }
        combine_lanes(r, n, width);
        memcpy(r->stack + top++ * row, r->lanes, row);
        for (uint64_t b = blocks++; b & 1; b >>= 1) {
            top--;
            fold_rows(r->kind, r->sum, r->stack + (top - 1) * row, r->stack + top * row, width);
        }
    }
    for (; top > 1; top--)
        fold_rows(r->kind, r->sum, r->stack + (top - 2) * row, r->stack + (top - 1) * row, width);
    return TN_OK;
}

/* From the totals in the first row of the stack to results. */
static void finish(const reduction *r, size_t width, char *out)
{
    char *total = r->stack;
    const bool ordering = (r->kind == FOLD_MAX || r->kind == FOLD_MIN) && !r->no_axes;
    for (size_t i = 0; (r->count == 0 || ordering) && i < width; i++) {
        char *to = r->count == 0 ? total + i * r->size : r->lanes + i * r->size;
        fold_empty(r->kind, r->sum, r->out, to);
    }
    if (r->count > 0 && ordering) /* all may be NaN */
        fold_rows(r->kind, r->sum, total, r->lanes, width);
    if (r->mean) {
        if (dtype_table[r->sum].bits < 8)
            dtype_narrow(r->sum, total, total, width); /* what is divided is the wrapped sum */
        fold_divide(r->sum, total, r->count, width);
    }
    for (size_t i = 0; r->init && i < width; i++)
        fold_rows(r->kind, r->sum, total + i * r->size, r->init, 1);
    if (r->sum == r->out && dtype_table[r->sum].bits >= 8)
        memcpy(out, total, width * r->size);
    else if (r->sum == r->out)
        dtype_narrow(r->out, total, out, width); /* 4-bit integers wrap */
    else
        (void)dtype_cast(r->sum, total, r->out, out, width);
}

/* Levels of the tree over the blocks of COUNT elements, at least 1. */
static size_t tree_levels(int64_t count)
{
    size_t levels = 1;
    for (int64_t blocks = count / SUM_BLOCK + 1; blocks > 0; blocks /= 2)
        levels++;
    return levels;
}

/* The operand's elements with the reduced axes last. */
static stream *open_stream(const eval_call *call, const axis_list *axes)
{
    const type *in = call->in[0].type;
    uint32_t order[TN_MAX_RANK], n = 0;
    access_map map;
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < in->rank; i++)
            if ((axes->mask >> i & 1) == side)
                order[n++] = i;
    return access_of_order(in->dims, order, in->rank, call->scratch, &map)
               ? stream_of(call->values, call->node->in[0], &map, call->scratch)
               : NULL;
}

static bool reduction_init(reduction *r, const eval_call *call)
{
    const type *in = call->in[0].type;
    int64_t own[TN_MAX_RANK], dims[2][TN_MAX_RANK], strides[2][TN_MAX_RANK];
    uint32_t n_axes, rank[2] = {0, 0};
    const int64_t *given = attr_ints(call->attrs, KEY_AXES, &n_axes);
    const attr *init = attr_find(call->attrs, KEY_INIT);
    axis_list axes;
    bool keep;

    r->in = in->dtype;
    reduce_dtypes(call->attrs, r->in, &r->sum, &r->out);
    (void)resolve_reduction(given, n_axes, false, in->rank, &axes, &keep);
    r->no_axes = axes.n == 0;
    type_strides(in, own);
    for (uint32_t i = 0; i < in->rank; i++) {
        const uint32_t side = axes.mask >> i & 1;
        dims[side][rank[side]] = in->dims[i];
        strides[side][rank[side]++] = own[i];
    }
    /* With results, only the reduced axes can be empty or huge, and huge only beside empty ones. */
    (void)product_i64(dims[1], rank[1], &r->count);
    r->size = dtype_bytes(r->sum);
    view_init(&r->kept, call->in[0].data, dtype_bytes(r->in), dims[0], strides[0], rank[0]);
    view_init(&r->reduced, NULL, dtype_bytes(r->in), dims[1], strides[1], rank[1]);
    r->convert = r->in != r->sum || dtype_table[r->in].bits < 8;
    if (!call->in[0].data && call->values) {
        r->stream = open_stream(call, &axes);
        if (!r->stream)
            return false;
    }
    const bool side_by_side =
        !r->stream && r->kept.rank > 0 && r->kept.strides[r->kept.rank - 1] == 1;
    r->run = side_by_side ? r->kept.dims[r->kept.rank - 1] : 1;
    r->columns = r->run < COLUMNS ? (size_t)r->run : COLUMNS;
    const size_t row = r->columns * r->size;
    r->lanes = arena_alloc_aligned(call->scratch, SUM_LANES * row, 64);
    r->stack = arena_alloc_aligned(call->scratch, tree_levels(r->count) * row, 64);
    r->input = arena_alloc_aligned(call->scratch, (size_t)SUM_BLOCK * 16, 64);
    r->wide = arena_alloc_aligned(call->scratch, (size_t)SUM_BLOCK * 16, 64);
    if (!r->lanes || !r->stack || !r->input || !r->wide)
        return false;
    r->init = NULL;
    if (init) {
        void *element = arena_alloc_aligned(call->scratch, 16, 16);
        if (!element)
            return false;
        (void)scalar_store(*init->v.scalar, r->sum, element);
        r->init = element;
    }
    return true;
}

static tn_status eval_reduction(eval_call *call, fold_kind kind, bool mean)
{
    reduction r = {.kind = kind, .mean = mean};
    const int64_t results = call->out->type->count;
    const size_t stored = dtype_bytes(call->in[0].type->dtype);
    const size_t out_size = dtype_bytes(call->out->type->dtype);
    if (results == 0)
        return TN_OK;
    if (!reduction_init(&r, call))
        return eval_no_memory(call);

    char *out = call->out->data;
    for (int64_t i = 0; i < results;) {
        const int64_t left = r.run - i % r.run;
        const size_t width = left < (int64_t)r.columns ? (size_t)left : r.columns;
        r.result = i;
        const char *base =
            r.count && !r.stream ? r.kept.data + view_offset(&r.kept, i) * (int64_t)stored : NULL;
        TN_TRY(eval_tick(call, width)); /* where there is nothing to reduce, too */
        TN_TRY(reduce_columns(call, &r, base, width));
        finish(&r, width, out + (size_t)i * out_size);
        i += (int64_t)width;
    }
    return TN_OK;
}

tn_status eval_sum(eval_call *call)
{
    return eval_reduction(call, FOLD_SUM, false);
}

tn_status eval_mean(eval_call *call)
{
    return eval_reduction(call, FOLD_SUM, true);
}

tn_status eval_reduce_max(eval_call *call)
{
    return eval_reduction(call, FOLD_MAX, false);
}

tn_status eval_reduce_min(eval_call *call)
{
    return eval_reduction(call, FOLD_MIN, false);
}

/* [reduce_max_nan/C1] */
tn_status eval_reduce_max_nan(eval_call *call)
{
    return eval_reduction(call, FOLD_MAX_NAN, false);
}

/* [reduce_min_nan/C1] */
tn_status eval_reduce_min_nan(eval_call *call)
{
    return eval_reduction(call, FOLD_MIN_NAN, false);
}

tn_status eval_reduce_prod(eval_call *call)
{
    return eval_reduction(call, FOLD_PROD, false);
}
