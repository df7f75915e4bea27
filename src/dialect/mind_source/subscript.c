/* Subscripts: one element (Index), a part (Slice and Squeeze), or rows by a tensor (Gather). */
#include "dialect/mind_source/lower.h"

/* A subscript, whose expressions were evaluated once, from the left. */
typedef struct subscript {
    const expr *e;
    value at[3]; /* the position; of a range its start, end and step, as far as they are given */
} subscript;

/* The subscripts of one expression, axis by axis. */
typedef struct slicing {
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    int64_t dropped[TN_MAX_RANK]; /* axes that one integer picks */
    uint32_t n_dropped;
    uint32_t n; /* axes that have a subscript */
} slicing;

static bool is_given(const expr *e)
{
    return e && e->kind != X_NONE;
}

/* False after a fault, which was reported. */
static bool evaluate(lowering *l, const expr *e, subscript *out)
{
    bool ok = true;
    uint32_t i = 0;
    out->e = e;
    for (const expr *part = e->kind == X_RANGE ? e->first : e; part && i < 3; i++) {
        out->at[i] = is_given(part) ? lowering_expr(l, part) : (value){.kind = V_UNIT};
        ok = ok && out->at[i].kind != V_BAD;
        part = e->kind == X_RANGE ? part->next : NULL;
    }
    return ok;
}

/* The subscripts of E; NULL after a fault, which was reported. */
static subscript *evaluate_all(lowering *l, const expr *e)
{
    subscript *subs = ARENA_ARRAY(&l->s->memory, subscript, e->n - 1);
    uint32_t n = 0;
    bool ok = subs != NULL;
    if (!subs)
        surface_no_memory(l->s);
    for (const expr *sub = e->first->next; subs && sub; sub = sub->next)
        ok = evaluate(l, sub, &subs[n++]) && ok;
    return ok ? subs : NULL;
}

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
static bool bound(lowering *l, const expr *e, const value *v, int64_t *out)
{
    return !is_given(e) || lowering_int(l, v, e->at, "the bound of a slice", out);
}

static bool add_range(lowering *l, const subscript *sub, int64_t extent, slicing *s)
{
    const expr *start = sub->e->first, *end = start->next, *step = end ? end->next : NULL;
    int64_t k = 1;
    if (!bound(l, step, &sub->at[2], &k))
        return false;
    if (k == 0) {
        (void)lowering_fault(l, DIAG_SliceStep, step->at, "the step of dimension %" PRIu32 " is 0",
                             s->n);
        return false;
    }
    int64_t from = k > 0 ? 0 : extent - 1, to = k > 0 ? extent : -1;
    if (!bound(l, start, &sub->at[0], &from) || !bound(l, end, &sub->at[1], &to))
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

static value lower_slice(lowering *l, const expr *e, const subscript *subs, value_id x)
{
    const type *t = value_type(l->f, x);
    slicing s = {.n = 0};
    for (uint32_t i = 0; i + 1 < e->n; i++)
        if (subs[i].e->kind == X_RANGE
                ? !add_range(l, &subs[i], t->dims[i], &s)
                : !add_position(l, &subs[i].at[0], subs[i].e->at, t->dims[i], &s))
            return BAD;
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
static bool all_positions(const lowering *l, const subscript *subs, uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        if (subs[i].e->kind == X_RANGE || !value_is_int(l, &subs[i].at[0], &out[i]))
            return false;
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
    const subscript *subs = evaluate_all(l, e);
    if (!subs)
        return BAD;
    if (e->n == 2 && only->kind != X_RANGE) {
        const value *v = &subs->at[0];
        if (v->kind == V_ARRAY || (v->kind == V_TENSOR && !value_is_int(l, v, &ignored)))
            return lower_gather(l, x, *v, only->at, e->at);
    }
    if (e->n - 1 > rank)
        return lowering_fault(l, DIAG_IndexLength, e->at,
                              "%" PRIu32 " subscript%s for a tensor of rank %" PRIu32, e->n - 1,
                              e->n == 2 ? "" : "s", rank);
    if (e->n - 1 == rank && all_positions(l, subs, rank, positions)) {
        attr indices = attr_of_ints(KEY_INDICES, positions, rank);
        return tensor_value(lowering_node(l, OP_INDEX, &x, 1, &indices, 1, e->at));
    }
    return surface_stopped(l->s) ? BAD : lower_slice(l, e, subs, x);
}
