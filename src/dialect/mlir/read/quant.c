/* Quantised element types: `!quant.uniform<i8<-127:127>:f32:1, {0.5:-3, 0.25}>`, a storage type and
 * its range, the type that is meant, an axis, and for each position along it a scale and what
 * stands for zero; or, in the place of the axis, blocks with a scale each. */
#include "dialect/mlir/read/reader.h"

#include "base/text/decimal.h"

static bool read_whole(mir_reader *r, int64_t *out)
{
    (void)mir_next(r);
    const decimal_result d = decimal_read_i64(r->at, (size_t)(r->end - r->at), out);
    if (d.length == 0 || d.overflow)
        return mir_expected(r, "a whole number");
    r->at += d.length;
    return true;
}

/* A scale and, behind a colon, what stands for zero. */
static bool read_pair(mir_reader *r, double *scale, int64_t *zero)
{
    uint64_t bits;
    const span at = mir_here(r);
    const decimal_result d = decimal_read(format_f64, r->at, (size_t)(r->end - r->at), &bits);
    if (d.length == 0)
        return mir_expected(r, "a scale");
    r->at += d.length;
    memcpy(scale, &bits, sizeof bits);
    if (!(*scale > 0) || d.overflow)
        return mir_fail(r, DIAG_InvalidAttribute, at, "a scale must be positive and finite");
    *zero = 0;
    return !mir_accept(r, ':') || read_whole(r, zero);
}

/* The range of all numbers of D. */
static void full_range(tn_dtype d, int64_t *low, int64_t *high)
{
    const uint32_t bits = dtype_table[d].bits - dtype_is_signed(d);
    *high = (INT64_C(1) << bits) - 1;
    *low = dtype_is_signed(d) ? -*high - 1 : 0;
}

static bool read_storage(mir_reader *r, mir_quant *q)
{
    mir_type t = {0};
    const span at = mir_here(r);
    mir_text word;
    if (!mir_word(r, &word))
        return false;
    if (word.n && *word.at == 'u' && !(word.n > 1 && word.at[1] == 'i')) /* `u8` is `ui8` here */
        t.dtype = mir_is(word, "u4")    ? TN_UI4
                  : mir_is(word, "u8")  ? TN_UI8
                  : mir_is(word, "u16") ? TN_UI16
                                        : TN_F32;
    else if (!mir_find_element(word, &t))
        t.dtype = TN_F32;
    if (!dtype_is_int(t.dtype) || dtype_table[t.dtype].bits > 32)
        return mir_fail(r, DIAG_UnknownDType, at, "'%.*s' is no storage of quantised numbers",
                        MIR_TEXT(word));
    q->storage = t.dtype;
    full_range(q->storage, &q->low, &q->high);
    if (!mir_accept(r, '<'))
        return true;
    const int64_t low = q->low, high = q->high;
    if (!read_whole(r, &q->low) || !mir_expect(r, ':') || !read_whole(r, &q->high) ||
        !mir_expect(r, '>'))
        return false;
    return (q->low >= low && q->high <= high && q->low < q->high) ||
           mir_fail(r, DIAG_InvalidAttribute, at, "this range does not lie in that of its storage");
}

/* Pairs in braces, one for each position along the axis. */
static bool read_pairs(mir_reader *r, mir_quant *q)
{
    uint32_t cap = 0, cap_zeros = 0;
    do {
        if (!mir_grow(r, (void **)&q->scales, q->n, &cap, sizeof *q->scales) ||
            !mir_grow(r, (void **)&q->zeros, q->n, &cap_zeros, sizeof *q->zeros) ||
            !read_pair(r, &q->scales[q->n], &q->zeros[q->n]))
            return false;
        q->n++;
    } while (mir_accept(r, ','));
    return mir_expect(r, '}');
}

/* ---- scales of blocks: `{0:1, 1:2}, {{0.5:1}, {0.25}}` ---- */

enum { MOST_TABLE_RANK = 8 };

/* Axes and the extents of blocks along them, which the extents of the tensor say again. */
static bool skip_blocks(mir_reader *r)
{
    int64_t axis, extent;
    do {
        const span at = mir_here(r);
        if (!read_whole(r, &axis) || !mir_expect(r, ':') || !read_whole(r, &extent))
            return false;
        if (axis < 0 || extent < 1)
            return mir_fail(r, DIAG_InvalidAttribute, at, "this is no extent of a block");
    } while (mir_accept(r, ','));
    return mir_expect(r, '}');
}

static bool read_scale(mir_reader *r, mir_quant *q, uint32_t *cap, uint32_t *cap_zeros)
{
    if (!mir_grow(r, (void **)&q->scales, q->n, cap, sizeof *q->scales) ||
        !mir_grow(r, (void **)&q->zeros, q->n, cap_zeros, sizeof *q->zeros) ||
        !read_pair(r, &q->scales[q->n], &q->zeros[q->n]))
        return false;
    q->n++;
    return true;
}

/* What stands behind an opening brace, DEPTH of which are open: all parts of a level are alike. */
static bool read_table(mir_reader *r, mir_quant *q, uint32_t depth, uint32_t *cap,
                       uint32_t *cap_zeros)
{
    const span at = mir_here(r);
    int64_t n = 0;
    if (depth > MOST_TABLE_RANK)
        return mir_fail(r, DIAG_LimitExceeded, at, "tables of scales have at most %d axes",
                        MOST_TABLE_RANK);
    do {
        const bool is_deeper = mir_accept(r, '{');
        if (!is_deeper && q->rank && q->rank != depth)
            return mir_expected(r, "'{'");
        if (!is_deeper)
            q->rank = depth;
        if (is_deeper && q->rank == depth)
            return mir_expected(r, "a scale");
        if (is_deeper ? !read_table(r, q, depth + 1, cap, cap_zeros)
                      : !read_scale(r, q, cap, cap_zeros))
            return false;
        n++;
    } while (mir_accept(r, ','));
    if (q->dims[depth - 1] && q->dims[depth - 1] != n)
        return mir_fail(r, DIAG_InvalidAttribute, at, "the parts of a table of scales differ");
    q->dims[depth - 1] = n;
    return mir_expect(r, '}');
}

static bool read_blocks(mir_reader *r, mir_quant *q)
{
    uint32_t cap = 0, cap_zeros = 0;
    q->dims = ARENA_ARRAY(r->memory, int64_t, MOST_TABLE_RANK);
    if (!q->dims)
        return mir_no_memory(r);
    memset(q->dims, 0, MOST_TABLE_RANK * sizeof *q->dims);
    return skip_blocks(r) && mir_expect(r, ',') && mir_expect(r, '{') &&
           read_table(r, q, 1, &cap, &cap_zeros);
}

/* What stands for zero is a number of the storage. */
static bool check_zeros(mir_reader *r, const mir_quant *q, span at)
{
    for (uint32_t i = 0; i < q->n; i++)
        if (q->zeros[i] < q->low || q->zeros[i] > q->high)
            return mir_fail(r, DIAG_InvalidAttribute, at,
                            "its zero point does not lie in the range of its storage");
    return true;
}

bool mir_read_quant(mir_reader *r, mir_type *out)
{
    const span at = mir_here(r);
    mir_quant *q = ARENA_NEW(r->memory, mir_quant);
    mir_text word;
    if (!q)
        return mir_no_memory(r);
    *q = (mir_quant){.axis = -1};
    if (!mir_expect(r, '<') || !read_storage(r, q) || !mir_expect(r, ':') || !mir_word(r, &word))
        return false;
    if (!mir_find_element(word, out) || !dtype_is_float(out->dtype))
        return mir_fail(r, DIAG_UnknownDType, mir_span(r, word),
                        "'%.*s' is not what quantised numbers can mean", MIR_TEXT(word));
    const bool is_cut = mir_accept(r, ':');
    if (is_cut && mir_accept(r, '{')) {
        out->quant = q;
        return read_blocks(r, q) && check_zeros(r, q, at) && mir_expect(r, '>');
    }
    if (is_cut && !read_whole(r, &q->axis))
        return false;
    if (!mir_expect(r, ','))
        return false;
    if (q->axis >= 0) {
        if (!mir_expect(r, '{') || !read_pairs(r, q))
            return false;
    } else {
        q->scales = ARENA_ARRAY(r->memory, double, 1);
        q->zeros = ARENA_ARRAY(r->memory, int64_t, 1);
        q->n = 1;
        if (!q->scales || !q->zeros)
            return mir_no_memory(r);
        if (!read_pair(r, q->scales, q->zeros))
            return false;
    }
    out->quant = q;
    return check_zeros(r, q, at) && mir_expect(r, '>');
}
