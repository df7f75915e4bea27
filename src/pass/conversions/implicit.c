/* Elementwise ops broadcast implicitly in the graph; drop broadcasts that were written out for a
 * dialect without that. */
#include "pass/conversions/implicit.h"

#include "ops/shape.h"

/* The value before a broadcast, or before a reshape that added leading axes of extent 1; NO_VALUE
 * when V is neither. */
static value_id before(const function *f, value_id v)
{
    const node *n = node_of(f, v);
    if (n->op != OP_BROADCAST && n->op != OP_RESHAPE)
        return NO_VALUE;
    const type *from = value_type(f, n->in[0]), *to = value_type(f, v);
    uint32_t map[TN_MAX_RANK];
    shape s;
    if (from->rank > to->rank)
        return NO_VALUE;
    const uint32_t added = to->rank - from->rank;
    for (uint32_t i = 0; n->op == OP_RESHAPE && i < to->rank; i++)
        if (to->dims[i] != (i < added ? 1 : from->dims[i - added]))
            return NO_VALUE;
    if (n->op == OP_BROADCAST && resolve_broadcast(n->attrs, from, &s, map).kind != SHAPE_OK)
        return NO_VALUE;
    for (uint32_t i = 0; n->op == OP_BROADCAST && i < from->rank; i++)
        if (map[i] != added + i)
            return NO_VALUE;
    return n->in[0];
}

/* Do the operands of N, with V in the place of number K, give its shape? */
static bool still_fits(const function *f, const node *n, uint32_t k, value_id v)
{
    const type *out = value_type(f, n->first_value);
    const type *a = value_type(f, v), *b = value_type(f, n->in[1 - k]);
    shape s;
    bool same = broadcast_shapes(a->dims, a->rank, b->dims, b->rank, &s).kind == SHAPE_OK &&
                s.rank == out->rank;
    for (uint32_t i = 0; same && i < s.rank; i++)
        same = s.dims[i] == out->dims[i];
    return same;
}

static bool drop_in(const function *f, const node *n)
{
    value_id *in = (value_id *)(uintptr_t)n->in; /* this node's own list */
    bool changed = false;
    for (uint32_t k = 0; k < 2; k++) {
        value_id at = in[k], best = in[k];
        while ((at = before(f, at)) != NO_VALUE)
            if (still_fits(f, n, k, at))
                best = at;
        changed = changed || best != in[k];
        in[k] = best;
    }
    return changed;
}

static bool is_arithmetic(const node *n)
{
    return n->n_in == 2 && (op_table[n->op].traits & T_ELEMENTWISE) && n->op != OP_RELU_GRAD;
}

bool drop_broadcasts(module *m)
{
    bool changed = false;
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const function *f = m->functions.at[i];
        for (uint32_t k = 0; k < f->nodes.n; k++)
            if (is_arithmetic(&f->nodes.at[k]) && drop_in(f, &f->nodes.at[k]))
                changed = true;
    }
    return changed;
}
