/* Type rules of elements at positions given by data: index, take, scatter_rows, gather,
 * scatter_add, scatter_reduce, segment_reduce; and the axes of scatter_add. */
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "ops/attr_rules.h"
#include "ops/rules/rules.h"
#include "ops/scatter.h"

tn_status infer_index(infer_call *call)
{
    const type *in = call->in[0];
    uint32_t n;
    const shape s = {.rank = 0};
    (void)attr_ints(call->attrs, KEY_INDICES, &n);
    if (n != in->rank)
        return infer_reject(call, DIAG_IndexLength,
                            "'%s' of a tensor of rank %" PRIu32 " needs %" PRIu32
                            " position%s, not %" PRIu32,
                            rule_op(call), in->rank, in->rank, plural(in->rank), n);
    return rule_result(call, in->dtype, &s);
}

/* Extents of A then of B. */
static tn_status joined(const infer_call *call, const dim *a, uint32_t rank_a, const dim *b,
                        uint32_t rank_b, shape *out)
{
    if ((uint64_t)rank_a + rank_b > TN_MAX_RANK)
        return infer_reject(call, DIAG_LimitExceeded,
                            "the result of '%s' has rank %" PRIu32 ", above the limit of %d",
                            rule_op(call), rank_a + rank_b, TN_MAX_RANK);
    out->rank = rank_a + rank_b;
    for (uint32_t i = 0; i < out->rank; i++)
        out->dims[i] = i < rank_a ? a[i] : b[i - rank_a];
    return TN_OK;
}

tn_status infer_take(infer_call *call)
{
    const type *x = call->in[0], *indices = call->in[1];
    shape s;
    TN_TRY(rule_index_dtype(call, 1));
    TN_TRY(rule_rank(call, 0, 1, TN_MAX_RANK));
    TN_TRY(joined(call, indices->dims, indices->rank, x->dims + 1, x->rank - 1, &s));
    return rule_result(call, x->dtype, &s);
}

tn_status infer_scatter_rows(infer_call *call)
{
    const type *g = call->in[0], *indices = call->in[1];
    uint32_t n;
    const int64_t *dims = attr_ints(call->attrs, KEY_SHAPE, &n);
    shape out, rows;
    TN_TRY(rule_extents(call, KEY_SHAPE));
    TN_TRY(rule_index_dtype(call, 1));
    TN_TRY(rule_dtype(call, 0, ALLOW_NUMBER));
    if (n == 0)
        return infer_reject(call, DIAG_RankMismatch, "the shape of '%s' needs rank 1 or more",
                            rule_op(call));
    TN_TRY(joined(call, indices->dims, indices->rank, dims + 1, n - 1, &rows));
    TN_TRY(rule_rank(call, 0, rows.rank, rows.rank));
    for (uint32_t i = 0; i < rows.rank; i++)
        if (!dims_may_equal(g->dims[i], rows.dims[i]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "dimension %" PRIu32
                                " of the rows of '%s' does not match: shape %s against %s",
                                i, rule_op(call), rule_shape_text(call, 0),
                                infer_dims_text(call, rows.dims, rows.rank));
    out.rank = n;
    memcpy(out.dims, dims, n * sizeof *dims);
    return rule_result(call, g->dtype, &out);
}

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

/* The dtype of operand K suits COMBINE: sums and products are not for i1, orders
 * not for complex numbers. */
static tn_status rule_combine(const infer_call *call, uint32_t k, int64_t combine, bool replaces)
{
    if (combine < COMBINE_ADD || combine > (replaces ? COMBINE_MIN_NAN : COMBINE_MIN))
        return infer_reject(call, DIAG_InvalidAttribute, "'%s' cannot combine in this way",
                            rule_op(call));
    if (combine == COMBINE_REPLACE)
        return TN_OK;
    return rule_dtype(call, k,
                      combine == COMBINE_ADD || combine == COMBINE_MUL ? ALLOW_NUMBER
                      : combine == COMBINE_MAX_NAN || combine == COMBINE_MIN_NAN
                          ? ALLOW_FLOAT
                          : ALLOW_REAL | ALLOW_BOOL);
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
        return infer_reject(call, DIAG_InvalidAttribute, "'%s' cannot make %" PRId64 " segment%s",
                            rule_op(call), segments, plural((uint64_t)segments));
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
        return infer_reject(
            call, DIAG_InvalidAttribute,
            "index vectors have %" PRId64 " component%s, 'scatter_dims' %s names %" PRIu32, size,
            plural((uint64_t)size), rule_ints_text(call, KEY_SCATTER_DIMS), components.n);
    if (window.n + inserted.n != x->rank)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "%s has another rank than %" PRIu32
                            " window ax%s of the updates and %" PRIu32 " inserted one%s",
                            rule_shape_text(call, 0), window.n, plural_as(window.n, "is", "es"),
                            inserted.n, plural(inserted.n));
    const uint32_t places = indices->rank - (vector < (int64_t)indices->rank);
    if (updates->rank - window.n != places)
        return infer_reject(call, DIAG_RankMismatch,
                            "updates %s need %" PRIu32 " ax%s beside the window, as indices %s say",
                            rule_shape_text(call, 2), places, plural_as(places, "is", "es"),
                            rule_shape_text(call, 1));
    find_scatter_axes(call->attrs, x, indices, updates, &s);
    TN_TRY(check_window(call, &s));
    TN_TRY(check_places(call, &s));
    return infer_result(call, x);
}
