/* Elements at positions along axes: gather, scatter_add, scatter_reduce, segment_reduce. Positions
 * never wrap. Updates are applied in row-major order, in the accumulator dtype; the result is
 * rounded once, at the end. */
#include <inttypes.h>
#include <string.h>

#include "ops/attr_rules.h"
#include "ops/cells.h"
#include "ops/fill.h"
#include "ops/fold_line.h"
#include "ops/lines.h"
#include "ops/pieces.h"
#include "ops/positions.h"
#include "ops/scatter.h"
#include "ops/scratch.h"

/* Type rules. */

/* Operand K has the rank of operand 0 and its extents, but along AXIS. */
static tn_status same_but(const infer_call *call, uint32_t k, uint32_t axis)
{
    const type *x = call->in[0], *t = call->in[k];
    TN_TRY(rule_rank(call, k, x->rank, x->rank));
    for (uint32_t i = 0; i < x->rank; i++)
        if (i != axis && !dims_may_equal(x->dims[i], t->dims[i]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "operand %" PRIu32 " of '%s' along axis %" PRIu32
                                " has shape %s, which differs from %s at axis %" PRIu32,
                                k, rule_op(call), axis, rule_shape_text(call, k),
                                rule_shape_text(call, 0), i);
    return TN_OK;
}

tn_status infer_gather(infer_call *call)
{
    const type *x = call->in[0], *indices = call->in[1];
    uint32_t axis;
    shape s = {.rank = x->rank};
    TN_TRY(rule_index_dtype(call, 1));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_axis(call, KEY_AXIS, x->rank, &axis));
    TN_TRY(same_but(call, 1, axis));
    for (uint32_t i = 0; i < x->rank; i++)
        s.dims[i] = i == axis ? indices->dims[i] : dims_join(indices->dims[i], x->dims[i]);
    return rule_result(call, x->dtype, &s);
}

/* The dtype of operand K suits COMBINE: sums are not for i1, orders not for complex numbers. */
static tn_status rule_combine(const infer_call *call, uint32_t k, int64_t combine, bool replaces)
{
    if (combine < COMBINE_ADD || combine > (replaces ? COMBINE_REPLACE : COMBINE_MIN))
        return infer_reject(call, DIAG_InvalidAttribute, "'%s' cannot combine in this way",
                            rule_op(call));
    if (combine == COMBINE_REPLACE)
        return TN_OK;
    return rule_dtype(call, k, combine == COMBINE_ADD ? ALLOW_NUMBER : ALLOW_REAL | ALLOW_BOOL);
}

/* Operands 1 and 2, positions and updates, may have one shape. */
static tn_status same_shapes(const infer_call *call)
{
    const type *a = call->in[1], *b = call->in[2];
    bool same = a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = dims_may_equal(a->dims[i], b->dims[i]);
    if (same)
        return TN_OK;
    return infer_reject(call, DIAG_ShapeMismatch,
                        "indices %s and updates %s of '%s' must have one shape",
                        rule_shape_text(call, 1), rule_shape_text(call, 2), rule_op(call));
}

static tn_status same_dtype_as_updates(const infer_call *call)
{
    const tn_dtype x = call->in[0]->dtype, updates = call->in[2]->dtype;
    if (x == updates)
        return TN_OK;
    return infer_reject(call, DIAG_DTypeMismatch, "'%s' cannot put updates of %s into %s",
                        rule_op(call), dtype_name(updates), dtype_name(x));
}

tn_status infer_scatter_reduce(infer_call *call)
{
    uint32_t axis;
    TN_TRY(rule_combine(call, 0, attr_int(call->attrs, KEY_COMBINE, -1), true));
    TN_TRY(same_dtype_as_updates(call));
    TN_TRY(rule_index_dtype(call, 1));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    TN_TRY(rule_axis(call, KEY_AXIS, call->in[0]->rank, &axis));
    TN_TRY(same_but(call, 1, axis));
    TN_TRY(same_but(call, 2, axis));
    TN_TRY(same_shapes(call));
    return infer_result(call, call->in[0]);
}

tn_status infer_segment_reduce(infer_call *call)
{
    const type *x = call->in[0], *ids = call->in[1];
    const int64_t segments = attr_int(call->attrs, KEY_SEGMENTS, 0);
    tn_dtype sum;
    shape s = {.rank = x->rank};
    TN_TRY(rule_combine(call, 0, attr_int(call->attrs, KEY_COMBINE, -1), false));
    TN_TRY(rule_accumulator(call, x->dtype, &sum));
    TN_TRY(rule_index_dtype(call, 1));
    TN_TRY(rule_rank(call, 0, 1, TN_MAX_RANK));
    TN_TRY(rule_rank(call, 1, 1, 1));
    if (segments < 0)
        return infer_reject(call, DIAG_InvalidAttribute, "'%s' cannot make %" PRId64 " segments",
                            rule_op(call), segments);
    if (!dims_may_equal(x->dims[0], ids->dims[0]))
        return infer_reject(call, DIAG_DimensionMismatch,
                            "'%s' needs one segment number per row: %s for %s", rule_op(call),
                            rule_shape_text(call, 1), rule_shape_text(call, 0));
    memcpy(s.dims, x->dims, x->rank * sizeof *s.dims);
    s.dims[0] = segments;
    return rule_result(call, x->dtype, &s);
}

/* An ascending list of distinct axes of a tensor of rank RANK; any order is read, since the lists
 * are sets. */
static tn_status axis_set(const infer_call *call, attr_key key, uint32_t rank, axis_list *out)
{
    uint32_t n;
    const int64_t *axes = attr_ints(call->attrs, key, &n);
    const shape_fault f = resolve_axes(axes, n, rank, out);
    return f.kind == SHAPE_OK ? TN_OK : rule_axis_fault(call, f, key, rank);
}

void find_scatter_axes(const attrs *given, const type *x, const type *indices, const type *updates,
                       scatter_axes *out)
{
    uint32_t n;
    axis_list list;
    const int64_t *window = attr_ints(given, KEY_UPDATE_WINDOW_DIMS, &n);
    (void)resolve_axes(window, n, updates->rank, &list);
    out->n_window = list.n;
    out->window_mask = list.mask;
    const int64_t *inserted = attr_ints(given, KEY_INSERTED_WINDOW_DIMS, &n);
    (void)resolve_axes(inserted, n, x->rank, &list);
    out->inserted_mask = list.mask;
    out->vector = (uint32_t)attr_int(given, KEY_INDEX_VECTOR_DIM, indices->rank);
    const int64_t *components = attr_ints(given, KEY_SCATTER_DIMS, &out->n_components);
    for (uint32_t i = 0; i < out->n_components; i++)
        out->component_axis[i] =
            (uint32_t)(components[i] < 0 ? components[i] + x->rank : components[i]);
}

static tn_status check_window(const infer_call *call, const scatter_axes *s)
{
    const type *x = call->in[0], *updates = call->in[2];
    uint32_t u = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (s->inserted_mask >> i & 1)
            continue;
        while (!(s->window_mask >> u & 1))
            u++;
        const dim have = updates->dims[u], most = x->dims[i];
        if (!dim_is_symbolic(have) && !dim_is_symbolic(most) && have > most)
            return infer_reject(call, DIAG_DimensionMismatch,
                                "axis %" PRIu32 " of updates %s does not fit into axis %" PRIu32
                                " of %s",
                                u, rule_shape_text(call, 2), i, rule_shape_text(call, 0));
        u++;
    }
    return TN_OK;
}

static tn_status check_places(const infer_call *call, const scatter_axes *s)
{
    const type *indices = call->in[1], *updates = call->in[2];
    uint32_t u = 0;
    for (uint32_t i = 0; i < indices->rank; i++) {
        if (i == s->vector)
            continue;
        while (u < updates->rank && (s->window_mask >> u & 1))
            u++;
        if (u == updates->rank || !dims_may_equal(updates->dims[u], indices->dims[i]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "axis %" PRIu32 " of indices %s has no counterpart in updates %s",
                                i, rule_shape_text(call, 1), rule_shape_text(call, 2));
        u++;
    }
    return TN_OK;
}

tn_status infer_scatter_add(infer_call *call)
{
    const type *x = call->in[0], *indices = call->in[1], *updates = call->in[2];
    const int64_t vector = attr_int(call->attrs, KEY_INDEX_VECTOR_DIM, indices->rank);
    axis_list window, inserted, components;
    scatter_axes s;
    TN_TRY(rule_dtype(call, 0, ALLOW_NUMBER));
    TN_TRY(same_dtype_as_updates(call));
    TN_TRY(rule_index_dtype(call, 1));
    for (uint32_t k = 0; k < 3; k++)
        TN_TRY(rule_rank(call, k, 0, TN_MAX_RANK));
    TN_TRY(axis_set(call, KEY_UPDATE_WINDOW_DIMS, updates->rank, &window));
    TN_TRY(axis_set(call, KEY_INSERTED_WINDOW_DIMS, x->rank, &inserted));
    TN_TRY(axis_set(call, KEY_SCATTER_DIMS, x->rank, &components));
    if (vector < 0 || vector > (int64_t)indices->rank)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "'index_vector_dim' %" PRId64 " is no axis of indices %s", vector,
                            rule_shape_text(call, 1));
    const dim size = vector < (int64_t)indices->rank ? indices->dims[vector] : 1;
    if (!dims_may_equal(size, components.n))
        return infer_reject(call, DIAG_InvalidAttribute,
                            "index vectors have %" PRId64
                            " components, 'scatter_dims' %s names %" PRIu32,
                            size, rule_ints_text(call, KEY_SCATTER_DIMS), components.n);
    if (window.n + inserted.n != x->rank)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "%" PRIu32 " window axes of the updates and %" PRIu32
                            " inserted ones do not make the rank of %s",
                            window.n, inserted.n, rule_shape_text(call, 0));
    const uint32_t places = indices->rank - (vector < (int64_t)indices->rank);
    if (updates->rank - window.n != places)
        return infer_reject(call, DIAG_RankMismatch,
                            "updates %s need %" PRIu32 " axes beside the window, as indices %s say",
                            rule_shape_text(call, 2), places, rule_shape_text(call, 1));
    find_scatter_axes(call->attrs, x, indices, updates, &s);
    TN_TRY(check_window(call, &s));
    TN_TRY(check_places(call, &s));
    return infer_result(call, x);
}

/* Kernels. */

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

/* A tensor in the form in which it is added to: the result's own memory where that will do. */
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
            int64_t position = start[i], inside = 0;
            if (!(s.inserted_mask >> i & 1)) {
                while (!(s.window_mask >> u & 1))
                    u++;
                inside = at[u++];
            }
            if (position < 0 || position >= x->dims[i] || inside >= x->dims[i] - position)
                return position_out_of_bounds(call, position, i, x);
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
