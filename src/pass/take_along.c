/* take-along: takes from axes that are brought to the front, and back, take along these axes.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every output: the same elements, of positions checked alike
 * breaks  use counts: the take and the transpose before it become dead; dce removes them
 *
 * `take` looks up rows. Columns are looked up as rows of the transposed tensor, all of which is
 * moved twice then. A `gather` at the positions, repeated along the other axes, reads only what is
 * looked up.
 */
#include <string.h>

#include "pass/expand/substitute.h"
#include "pass/passes.h"

enum { MOST_TAKES = TN_MAX_RANK };

/* A take, at the positions AT, from the first axis of what a transpose has made of X. Nodes move
 * when others are built, so none is pointed at. */
typedef struct transposed_take {
    value_id at, x;
    const int64_t *perm;
    uint32_t rank;
} transposed_take;

/* The takes behind the transpose N, from the last to the first, each of a transposed one before it,
 * where all of them and N leave the axes in their order; 0: they do not. */
static uint32_t find_takes(const expand_call *c, const node *n, transposed_take *all)
{
    const uint32_t *uses = c->user;
    uint32_t rank, order[TN_MAX_RANK];
    const int64_t *perm = attr_ints(n->attrs, KEY_PERM, &rank);
    for (uint32_t i = 0; i < rank; i++)
        order[i] = (uint32_t)perm[i];
    for (uint32_t count = 0; count < MOST_TAKES; count++) {
        const node *take = node_of(c->f, n->in[0]);
        if (uses[n->in[0]] != 1 || take->op != OP_TAKE ||
            value_type(c->f, take->in[1])->rank != 1 || (count && uses[n->first_value] != 1))
            return 0;
        const node *transposed = node_of(c->f, take->in[0]);
        if (transposed->op != OP_TRANSPOSE || !type_is_static(value_type(c->f, transposed->in[0])))
            return 0;
        perm = attr_ints(transposed->attrs, KEY_PERM, &rank);
        all[count] = (transposed_take){take->in[1], transposed->in[0], perm, rank};
        bool in_order = true;
        for (uint32_t i = 0; i < rank; i++) {
            order[i] = (uint32_t)perm[order[i]];
            in_order = in_order && order[i] == i;
        }
        if (in_order)
            return count + 1;
        n = transposed;
    }
    return 0;
}

/* X at the positions AT (a list) along AXIS. */
static value_id gather_along(expand_call *c, value_id x, value_id at, uint32_t axis)
{
    const type *t = build_type(c->b, x);
    const uint32_t rank = t->rank;
    dim dims[TN_MAX_RANK], line[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = i == axis ? build_type(c->b, at)->dims[0] : t->dims[i];
        line[i] = i ? 1 : build_type(c->b, at)->dims[0];
    }
    const value_id places =
        build_broadcast(c->b, build_reshape(c->b, at, line, rank - axis), dims, rank);
    attr entries[] = {attr_of_int(KEY_AXIS, axis)};
    return build_node(c->b, OP_GATHER, (value_id[]){x, places}, 2, entries, 1);
}

static tn_status take(expand_call *c, value_id *result)
{
    const node *n = c->n;
    const type *t = value_type(c->f, n->first_value);
    transposed_take all[MOST_TAKES];
    uint32_t axes[TN_MAX_RANK];
    /* without elements a gather would look at no position */
    if (n->op != OP_TRANSPOSE || !type_is_static(t) || t->count == 0)
        return TN_OK;
    uint32_t count = find_takes(c, n, all);
    if (count == 0)
        return TN_OK;
    for (uint32_t i = 0; i < t->rank; i++)
        axes[i] = i;
    value_id v = c->now[all[count - 1].x];
    while (count-- > 0) {
        const transposed_take *one = &all[count];
        uint32_t before[TN_MAX_RANK];
        memcpy(before, axes, sizeof axes);
        for (uint32_t i = 0; i < one->rank; i++)
            axes[i] = before[one->perm[i]];
        v = gather_along(c, v, c->now[one->at], axes[0]);
        TN_TRY(c->b->status);
    }
    *result = v;
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
