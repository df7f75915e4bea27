/* Elements at positions along axes: gather, scatter_add, scatter_reduce, segment_reduce. Positions
 * never wrap. Updates are applied in row-major order, in the accumulator dtype; the result is
 * rounded once, at the end. */
#include <inttypes.h>
#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/fill.h"
#include "eval/parts/fold_line.h"
#include "eval/parts/lines.h"
#include "eval/parts/pieces.h"
#include "eval/parts/positions.h"
#include "eval/parts/scratch.h"
#include "ops/attr_rules.h"
#include "ops/scatter.h"

tn_status position_out_of_bounds(const eval_call *call, int64_t at, uint32_t axis, const type *t)
{
    char text[512];
    eval_shape_text(t, text, sizeof text);
    return eval_report(call, DIAG_IndexOutOfBounds,
                       "index %" PRId64 " of '%s' is out of bounds for dimension %" PRIu32
                       " of shape %s",
                       at, op_table[call->node->op].text, axis, text);
}

tn_status eval_gather(eval_call *call)
{
    const type *x = call->in[0].type, *t = call->out->type;
    const uint32_t axis = resolve_axis(call->attrs, KEY_AXIS, x->rank);
    const size_t size = dtype_bytes(x->dtype);
    const char *from = call->in[0].data;
    char *to = call->out->data;
    if (t->count == 0)
        return TN_OK;
    const lines s = lines_of(t, axis);
    for (int64_t o = 0, k = 0; o < s.outer; o++)
        for (int64_t a = 0; a < s.n; a++)
            for (int64_t i = 0; i < s.inner; i++, k++) {
                const int64_t at = position_at(&call->in[1], k);
                TN_TRY(eval_tick(call, 1));
                if (at < 0 || at >= x->dims[axis])
                    return position_out_of_bounds(call, at, axis, x);
                memcpy(to + (size_t)k * size,
                       from + (size_t)((o * x->dims[axis] + at) * s.inner + i) * size, size);
            }
    return TN_OK;
}

/* The accumulator of a scatter: the result's own memory where the dtypes are the same. */
typedef struct accumulator {
    fold_kind kind;
    tn_dtype dtype, sum;
    size_t size; /* of an element of `sum` */
    char *at;
    bool apart; /* rounded into the result at the end */
} accumulator;

static bool accumulator_init(accumulator *a, const eval_call *call, fold_kind kind, tn_dtype sum)
{
    const type *t = call->out->type;
    *a = (accumulator){kind, t->dtype, sum, dtype_bytes(sum), call->out->data, sum != t->dtype};
    if (!a->apart)
        return true;
    a->at = scratch_array(call, (size_t)t->count, a->size);
    return a->at != NULL;
}

/* N elements as stored, in the form of the accumulator: dtype_cast makes narrow ones proper. */
static void bring_in(const accumulator *a, const void *from, void *to, size_t n)
{
    (void)dtype_cast(a->dtype, from, a->sum, to, n);
}

static tn_status bring_in_all(const accumulator *a, const eval_call *call, const tensor *x)
{
    return eval_cast_all(call, a->dtype, x->data, a->sum, a->at, (size_t)x->type->count);
}

static tn_status accumulator_finish(const accumulator *a, const eval_call *call)
{
    char *out = call->out->data;
    const size_t n = (size_t)call->out->type->count;
    if (a->apart)
        return eval_cast_all(call, a->sum, a->at, a->dtype, out, n);
    return dtype_table[a->dtype].bits < 8 ? eval_narrow(call, a->dtype, out, out, n) /* they wrap */
                                          : TN_OK;
}

/* [scatter_reduce/C1] */
tn_status eval_scatter_reduce(eval_call *call)
{
    const type *x = call->in[0].type, *updates = call->in[2].type;
    const uint32_t axis = resolve_axis(call->attrs, KEY_AXIS, x->rank);
    const int64_t combine = attr_int(call->attrs, KEY_COMBINE, COMBINE_ADD);
    const bool replaces = combine == COMBINE_REPLACE;
    const size_t size = dtype_bytes(x->dtype);
    const char *from = call->in[2].data;
    _Alignas(16) char element[16];
    accumulator a;

    if (!accumulator_init(&a, call, fold_kind_of(combine),
                          replaces ? x->dtype : accumulator_of(x->dtype)))
        return eval_no_memory(call);
    TN_TRY(bring_in_all(&a, call, &call->in[0]));
    if (updates->count == 0)
        return accumulator_finish(&a, call);
    const lines s = lines_of(updates, axis);
    for (int64_t o = 0, k = 0; o < s.outer; o++)
        for (int64_t u = 0; u < s.n; u++)
            for (int64_t i = 0; i < s.inner; i++, k++, from += size) {
                const int64_t at = position_at(&call->in[1], k);
                TN_TRY(eval_tick(call, 4));
                if (at < 0 || at >= x->dims[axis])
                    return position_out_of_bounds(call, at, axis, x);
                char *to = a.at + (size_t)((o * x->dims[axis] + at) * s.inner + i) * a.size;
                bring_in(&a, from, replaces ? to : element, 1);
                if (!replaces)
                    fold_rows(a.kind, a.sum, to, element, 1);
            }
    return accumulator_finish(&a, call);
}

/* The first row of a segment starts it, so an empty sum is +0 and that of -0 alone is -0. */
tn_status eval_segment_reduce(eval_call *call)
{
    const type *x = call->in[0].type, *t = call->out->type;
    const int64_t rows = x->dims[0];
    const fold_kind kind = fold_kind_of(attr_int(call->attrs, KEY_COMBINE, COMBINE_ADD));
    const tn_dtype sum = (tn_dtype)attr_int(call->attrs, KEY_ACCUM_DTYPE, accumulator_of(x->dtype));
    const char *from = call->in[0].data;
    char empty[16];
    accumulator a;

    for (int64_t r = 0; r < rows; r++) {
        const int64_t at = position_at(&call->in[1], r);
        TN_TRY(eval_tick(call, 1));
        if (at < 0 || at >= t->dims[0])
            return position_out_of_bounds(call, at, 0, t);
    }
    if (t->count == 0)
        return TN_OK;
    const size_t row = (size_t)(t->count / t->dims[0]);
    bool *started = scratch_array(call, (size_t)t->dims[0], sizeof *started);
    if (!started || !accumulator_init(&a, call, kind, sum))
        return eval_no_memory(call);
    char *wide = scratch_array(call, row, a.size);
    if (!wide)
        return eval_no_memory(call);

    memset(started, 0, (size_t)t->dims[0] * sizeof *started);
    fold_empty(kind, sum, x->dtype, empty);
    for (size_t at = 0, end; at < (size_t)t->count; at = end) {
        TN_TRY(eval_piece(call, at, (size_t)t->count, &end));
        fill_elements(a.at + at * a.size, empty, a.size, end - at);
    }
    for (int64_t r = 0; r < rows; r++, from += row * dtype_bytes(x->dtype)) {
        const int64_t segment = position_at(&call->in[1], r);
        TN_TRY(eval_tick(call, 4 + row));
        char *to = a.at + (size_t)segment * row * a.size;
        bring_in(&a, from, wide, row);
        if (kind == FOLD_SUM && !started[segment])
            memcpy(to, wide, row * a.size);
        else
            fold_rows(kind, sum, to, wide, row);
        started[segment] = true;
    }
    return accumulator_finish(&a, call);
}

/* Where the window of the update at AT starts in the operand, per axis, from the index vector. */
static void window_start(const eval_call *call, const scatter_axes *s, const int64_t *at,
                         int64_t start[TN_MAX_RANK])
{
    const type *indices = call->in[1].type, *updates = call->in[2].type;
    int64_t strides[TN_MAX_RANK], offset = 0;
    uint32_t u = 0;
    type_strides(indices, strides);
    for (uint32_t i = 0; i < indices->rank; i++) {
        if (i == s->vector)
            continue;
        while (u < updates->rank && (s->window_mask >> u & 1))
            u++;
        offset += at[u++] * strides[i];
    }
    memset(start, 0, TN_MAX_RANK * sizeof *start);
    for (uint32_t c = 0; c < s->n_components; c++) {
        const int64_t step = s->vector < indices->rank ? strides[s->vector] : 0;
        start[s->component_axis[c]] = position_at(&call->in[1], offset + (int64_t)c * step);
    }
}

/* Stop because a window of WINDOW positions from AT on, which is inside, is not. */
static tn_status window_out_of_bounds(const eval_call *call, int64_t at, int64_t window,
                                      uint32_t axis, const type *t)
{
    char text[512];
    eval_shape_text(t, text, sizeof text);
    return eval_report(call, DIAG_IndexOutOfBounds,
                       "the window of %" PRId64 " from index %" PRId64
                       " on of '%s' is out of bounds for dimension %" PRIu32 " of shape %s",
                       window, at, op_table[call->node->op].text, axis, text);
}

tn_status eval_scatter_add(eval_call *call)
{
    const type *x = call->in[0].type, *updates = call->in[2].type;
    const char *from = call->in[2].data;
    int64_t at[TN_MAX_RANK] = {0}, start[TN_MAX_RANK];
    _Alignas(16) char element[16];
    scatter_axes s;
    accumulator a;

    if (!accumulator_init(&a, call, FOLD_SUM, accumulator_of(x->dtype)))
        return eval_no_memory(call);
    TN_TRY(bring_in_all(&a, call, &call->in[0]));
    find_scatter_axes(call->attrs, x, call->in[1].type, updates, &s);
    for (int64_t k = 0; k < updates->count; k++, from += dtype_bytes(x->dtype)) {
        int64_t offset = 0;
        TN_TRY(eval_tick(call, 8));
        window_start(call, &s, at, start);
        for (uint32_t i = 0, u = 0; i < x->rank; i++) {
            int64_t position = start[i], inside = 0, window = 1;
            if (!(s.inserted_mask >> i & 1)) {
                while (!(s.window_mask >> u & 1))
                    u++;
                window = updates->dims[u];
                inside = at[u++];
            }
            if (position < 0 || position >= x->dims[i])
                return position_out_of_bounds(call, position, i, x);
            if (inside >= x->dims[i] - position)
                return window_out_of_bounds(call, position, window, i, x);
            offset = offset * x->dims[i] + position + inside;
        }
        bring_in(&a, from, element, 1);
        fold_rows(FOLD_SUM, a.sum, a.at + (size_t)offset * a.size, element, 1);
        for (uint32_t i = updates->rank; i-- > 0;) {
            if (++at[i] < updates->dims[i])
                break;
            at[i] = 0;
        }
    }
    return accumulator_finish(&a, call);
}
