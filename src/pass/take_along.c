/* take-along: a take from an axis that is brought to the front, and back, takes along that axis.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every output: the same elements, of positions checked alike
 * breaks  use counts: the take and the transpose before it become dead; dce removes them
 *
 * `take` looks up rows. Columns are looked up as rows of the transposed tensor, all of which is
 * moved twice then. A `gather` at the positions, repeated along the other axes, reads only what is
 * looked up.
 */
#include "pass/expand/substitute.h"
#include "pass/passes.h"

/* The axis that the transpose N brings to the front of RANK axes, the others in their order; RANK
 * where it does something else. */
static uint32_t axis_to_front(const node *n)
{
    uint32_t rank;
    const int64_t *perm = attr_ints(n->attrs, KEY_PERM, &rank);
    const int64_t axis = rank ? perm[0] : 0;
    for (uint32_t i = 1; i < rank; i++)
        if (perm[i] != (int64_t)(i <= axis ? i - 1 : i))
            return rank;
    return (uint32_t)axis;
}

/* Does the transpose N bring the first axis to place AXIS? */
static bool is_brought_back(const node *n, uint32_t axis)
{
    uint32_t rank;
    const int64_t *perm = attr_ints(n->attrs, KEY_PERM, &rank);
    for (uint32_t i = 0; i < rank; i++)
        if (perm[i] != (i == axis ? 0 : i < axis ? (int64_t)i + 1 : (int64_t)i))
            return false;
    return true;
}

static tn_status take(expand_call *c, value_id *result)
{
    const node *n = c->n;
    const uint32_t *uses = c->user;
    const type *t = value_type(c->f, n->first_value);
    /* without elements a gather would look at no position */
    if (n->op != OP_TRANSPOSE || uses[n->in[0]] != 1 || !type_is_static(t) || t->count == 0)
        return TN_OK;
    const node *rows = node_of(c->f, n->in[0]);
    if (rows->op != OP_TAKE || value_type(c->f, rows->in[1])->rank != 1)
        return TN_OK;
    const node *turned = node_of(c->f, rows->in[0]);
    if (turned->op != OP_TRANSPOSE || !type_is_static(value_type(c->f, turned->in[0])))
        return TN_OK;
    const uint32_t axis = axis_to_front(turned);
    if (axis >= t->rank || !is_brought_back(n, axis))
        return TN_OK;
    dim dims[TN_MAX_RANK], line[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        dims[i] = t->dims[i];
        line[i] = i ? 1 : t->dims[axis];
    }
    const value_id x = c->now[turned->in[0]], i = c->now[rows->in[1]];
    const value_id at =
        build_broadcast(c->b, build_reshape(c->b, i, line, t->rank - axis), dims, t->rank);
    TN_TRY(c->b->status);
    attr entries[] = {attr_of_int(KEY_AXIS, axis)};
    *result = build_node(c->b, OP_GATHER, (value_id[]){x, at}, 2, entries, 1);
    return TN_OK;
}

tn_status pass_take_along(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        const uint32_t *uses = pass_count_uses(cx, f);
        if (!uses)
            return module_no_memory(m);
        TN_TRY(function_substitute(f, take, uses, &cx->n_changed));
    }
    return TN_OK;
}
