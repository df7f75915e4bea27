/* Subscripts: one element (Index), a part (Slice and Squeeze), or rows by a tensor (Gather). */
#include "dialect/mind_source/lower.h"

/* The subscripts of one expression, axis by axis. */
typedef struct slicing {
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    int64_t dropped[TN_MAX_RANK]; /* axes that one integer picks */
    uint32_t n_dropped;
    uint32_t n; /* axes that have a subscript */
} slicing;

static value part_of(lowering *l, const value *v, const expr *e)
{
    int64_t i;
    const expr *sub = e->first->next;
    if (e->n != 2 || sub->kind == X_RANGE)
        return lowering_fault(l, DIAG_TypeMismatch, e->op, "%s takes one position",
                              value_words(l, v));
    value at = lowering_expr(l, sub);
    if (!lowering_int(l, &at, sub->at, "a position", &i))
        return BAD;
    if (i < 0 || i >= (int64_t)v->n)
        return lowering_fault(l, DIAG_IndexOutOfBounds, sub->at, "position %" PRId64 " of %s", i,
                              value_words(l, v));
    return v->u.items[i];
}

/* One bound of a range, which may be left out. */
static bool bound(lowering *l, const expr *e, int64_t *out)
{
    if (!e || e->kind == X_NONE)
        return true;
    value v = lowering_expr(l, e);
    return lowering_int(l, &v, e->at, "the bound of a slice", out);
}

static bool add_range(lowering *l, const expr *e, int64_t extent, slicing *s)
{
    const expr *start = e->first, *end = start->next, *step = end ? end->next : NULL;
    int64_t k = 1;
    if (!bound(l, step, &k))
        return false;
    if (k == 0) {
        (void)lowering_fault(l, DIAG_SliceStep, step->at, "the step of dimension %" PRIu32 " is 0",
                             s->n);
        return false;
    }
    int64_t from = k > 0 ? 0 : extent - 1, to = k > 0 ? extent : -1;
    if (!bound(l, start, &from) || !bound(l, end, &to))
        return false;
    if (l->s->options->slice_clamp && k > 0) {
        from = from < 0 ? 0 : from;
        to = to < 0 ? 0 : to;
    }
    s->starts[s->n] = from;
    s->ends[s->n] = to;
    s->steps[s->n++] = k;
    return true;
}

static bool add_position(lowering *l, const value *v, span at, int64_t extent, slicing *s)
{
    int64_t i;
    if (v->kind == V_TENSOR && !value_is_int(l, v, &i)) {
        (void)lowering_fault(l, DIAG_UnknownOp, at, "a tensor as one of several subscripts");
        return false;
    }
    if (!lowering_int(l, v, at, "a position", &i))
        return false;
    if (i < 0 || i >= extent) {
        (void)lowering_fault(l, DIAG_IndexOutOfBounds, at,
                             "position %" PRId64 " is outside dimension %" PRIu32
                             ", which has extent %" PRId64,
                             i, s->n, extent);
        return false;
    }
    s->dropped[s->n_dropped++] = s->n;
    s->starts[s->n] = i;
    s->ends[s->n] = i + 1;
    s->steps[s->n++] = 1;
    return true;
}

static value lower_slice(lowering *l, const expr *e, value_id x)
{
    const type *t = value_type(l->f, x);
    slicing s = {.n = 0};
    bool ok = true;
    for (const expr *sub = e->first->next; sub; sub = sub->next) {
        if (sub->kind == X_RANGE) {
            ok = add_range(l, sub, t->dims[s.n], &s) && ok;
        } else {
            value v = lowering_expr(l, sub);
            ok = add_position(l, &v, sub->at, t->dims[s.n], &s) && ok;
        }
        if (!ok)
            return BAD;
    }
    for (; s.n < t->rank; s.n++) {
        s.starts[s.n] = 0;
        s.ends[s.n] = t->dims[s.n];
        s.steps[s.n] = 1;
    }
    attr entries[] = {attr_of_ints(KEY_STARTS, s.starts, s.n), attr_of_ints(KEY_ENDS, s.ends, s.n),
                      attr_of_ints(KEY_STEPS, s.steps, s.n)};
    value_id v = lowering_node(l, OP_SLICE, &x, 1, entries, 3, e->at);
    attr axes = attr_of_ints(KEY_AXES, s.dropped, s.n_dropped);
    if (s.n_dropped)
        v = lowering_node(l, OP_SQUEEZE, &v, 1, &axes, 1, e->at);
    return tensor_value(v);
}

/* One integer for every axis; all of them known. */
static bool all_positions(lowering *l, const expr *e, uint32_t rank, int64_t *out)
{
    uint32_t n = 0;
    if (e->n - 1 != rank)
        return false;
    for (const expr *sub = e->first->next; sub; sub = sub->next)
        if (sub->kind == X_RANGE)
            return false;
    for (const expr *sub = e->first->next; sub; sub = sub->next) {
        value v = lowering_expr(l, sub);
        if (!value_is_int(l, &v, &out[n++]))
            return false;
    }
    return true;
}

static value lower_gather(lowering *l, value_id x, value index, span index_at, span at)
{
    value_id in[] = {x, lowering_tensor(l, index, index_at, TN_SI64)};
    return tensor_value(lowering_node(l, OP_TAKE, in, 2, NULL, 0, at));
}

value lowering_subscripts(lowering *l, const expr *e)
{
    value base = lowering_expr(l, e->first);
    const expr *only = e->first->next;
    int64_t positions[TN_MAX_RANK], ignored;
    if (base.kind == V_BAD)
        return base;
    if (base.kind == V_TUPLE || (base.kind == V_ARRAY && base.n && e->n == 2 &&
                                 only->kind != X_RANGE && base.u.items[0].kind != V_ARRAY))
        return part_of(l, &base, e);
    value_id x = lowering_tensor(l, base, e->first->at, TN_DTYPE_COUNT);
    if (x == NO_VALUE)
        return BAD;
    uint32_t rank = value_type(l->f, x)->rank;
    if (e->n == 2 && only->kind != X_RANGE) {
        value v = lowering_expr(l, only);
        if (v.kind == V_BAD)
            return v;
        if (v.kind == V_ARRAY || (v.kind == V_TENSOR && !value_is_int(l, &v, &ignored)))
            return lower_gather(l, x, v, only->at, e->at);
    }
    if (e->n - 1 > rank)
        return lowering_fault(l, DIAG_IndexLength, e->at,
                              "%" PRIu32 " subscript%s for a tensor of rank %" PRIu32, e->n - 1,
                              e->n == 2 ? "" : "s", rank);
    if (all_positions(l, e, rank, positions)) {
        attr indices = attr_of_ints(KEY_INDICES, positions, rank);
        return tensor_value(lowering_node(l, OP_INDEX, &x, 1, &indices, 1, e->at));
    }
    return surface_stopped(l->s) ? BAD : lower_slice(l, e, x);
}
