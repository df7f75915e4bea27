/* transpose-weights: products read decoded weights along their columns.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every result: the same numbers are multiplied and summed in the
 *         same order
 * breaks  use counts: what was decoded before becomes dead; dce removes it
 *
 * Weights that are stored in few bits, [outputs, inputs] as most frameworks write them, are decoded
 * where a product loads them. Its vectors lie along the outputs, so each would be loaded and
 * decoded along the inputs and then transposed. A transposition goes up here through what decodes
 * them to the stored constants, where fold-pure does it once.
 */
#include <string.h>

#include "graph/literal.h"
#include "ops/dot_axes.h"
#include "pass/expand/substitute.h"
#include "pass/passes.h"

enum {
    FEW_ELEMENTS = 4096, /* constants that are folded in any case */
    MOST_STEPS = 64,     /* nodes that decode weights */
    MOST_OPERANDS = 8,   /* of one of them */
    MOST_ATTRIBUTES = 16 /* of it, or of a product */
};

/* What a walk over the nodes that decode weights has met. */
typedef struct weights {
    const function *f;
    const uint32_t *uses; /* of each value */
    uint32_t steps;
    size_t stored; /* bytes of large constants */
} weights;

/* The axes FIRST .. END - 1 of one shape and of another hold the same elements in the same order.
 */
typedef struct axis_group {
    uint32_t from_first, from_end, to_first, to_end;
} axis_group;

/* Cut both shapes, of equal counts above 0, into the smallest groups of equal products. */
static uint32_t groups_of(const type *from, const type *to, axis_group *groups)
{
    uint32_t i = 0, k = 0, n = 0;
    while (i < from->rank || k < to->rank) {
        axis_group g = {i, i, k, k};
        int64_t left = 1, right = 1;
        do {
            if (k == to->rank || (i < from->rank && left <= right))
                left *= from->dims[i++];
            else
                right *= to->dims[k++];
        } while (left != right);
        g.from_end = i;
        g.to_end = k;
        groups[n++] = g;
    }
    return n;
}

/* The order of the axes of FROM for which their reshape to TO, in the order PERM, is a reshape
 * again; false: there is none. */
static bool order_before_reshape(const type *from, const type *to, const int64_t *perm,
                                 int64_t *order)
{
    axis_group groups[2 * TN_MAX_RANK];
    bool is_done[2 * TN_MAX_RANK] = {false};
    const uint32_t n_groups = groups_of(from, to, groups);
    uint32_t n = 0, at = 0;
    while (at < to->rank) {
        uint32_t g = 0;
        while (g < n_groups && (perm[at] < groups[g].to_first || perm[at] >= groups[g].to_end))
            g++;
        for (uint32_t k = groups[g].to_first; k < groups[g].to_end; k++)
            if (at == to->rank || perm[at++] != (int64_t)k)
                return false;
        is_done[g] = true;
        for (uint32_t k = groups[g].from_first; k < groups[g].from_end; k++)
            order[n++] = k;
    }
    for (uint32_t g = 0; g < n_groups; g++) /* of axes that only FROM has, of extent 1 */
        for (uint32_t k = groups[g].from_first; !is_done[g] && k < groups[g].from_end; k++)
            order[n++] = k;
    return n == from->rank;
}

/* The order of the axes of N's operand in which they come in N's result, a broadcast, in the order
 * PERM; AXES: the axes of that which they become. */
static uint32_t order_before_broadcast(const node *n, const type *in, const type *out,
                                       const int64_t *perm, int64_t *order, int64_t *axes)
{
    uint32_t map[TN_MAX_RANK], found = 0;
    shape s;
    (void)resolve_broadcast(n->attrs, in, &s, map);
    for (uint32_t at = 0; at < out->rank; at++)
        for (uint32_t k = 0; k < in->rank; k++)
            if (map[k] == perm[at]) {
                order[found] = k;
                axes[found++] = at;
            }
    return found;
}

static bool is_step(const node *n)
{
    const uint32_t traits = op_table[n->op].traits;
    return n->n_results == 1 &&
           (op_table[n->op].class == K_ELEMENTWISE || n->op == OP_BROADCAST ||
            n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE ||
            n->op == OP_TRANSPOSE) &&
           !(traits & (T_UNSTABLE | T_MAY_FAIL));
}

static bool is_reshape(const node *n)
{
    return n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE;
}

/* PERM of what N, a transpose, gives is this order of its operand's axes. */
static void order_before_transpose(const node *n, const int64_t *perm, uint32_t rank,
                                   int64_t *order)
{
    uint32_t unused;
    const int64_t *own = attr_ints(n->attrs, KEY_PERM, &unused);
    for (uint32_t i = 0; i < rank; i++)
        order[i] = own[perm[i]];
}

/* Can V be made in the order PERM of its axes from constants in other orders? */
static bool can_transpose(weights *w, value_id v, const int64_t *perm)
{
    const node *n = node_of(w->f, v);
    const type *t = value_type(w->f, v);
    const literal *l = literal_of(n);
    int64_t order[TN_MAX_RANK], axes[TN_MAX_RANK];
    if (++w->steps > MOST_STEPS || !type_is_static(t) || t->count <= 0)
        return false;
    if (l) {
        w->stored += l->splat || t->count <= FEW_ELEMENTS ? 0 : l->bytes;
        return l->splat || w->uses[v] == 1 || t->count <= FEW_ELEMENTS;
    }
    if (!is_step(n) || w->uses[v] != 1 || n->n_in > MOST_OPERANDS || n->attrs->n > MOST_ATTRIBUTES)
        return false;
    if (op_table[n->op].class == K_ELEMENTWISE) {
        for (uint32_t i = 0; i < n->n_in; i++) {
            const type *in = value_type(w->f, n->in[i]);
            if (in->rank != t->rank || memcmp(in->dims, t->dims, t->rank * sizeof *t->dims) != 0 ||
                !can_transpose(w, n->in[i], perm))
                return false;
        }
        return true;
    }
    const type *in = value_type(w->f, n->in[0]);
    if (n->op == OP_TRANSPOSE)
        order_before_transpose(n, perm, t->rank, order);
    else if (n->op == OP_BROADCAST)
        (void)order_before_broadcast(n, in, t, perm, order, axes);
    else if (!order_before_reshape(in, t, perm, order))
        return false;
    return can_transpose(w, n->in[0], order);
}

static value_id transposed(expand_call *c, value_id v, const int64_t *perm);

static value_id transposed_elementwise(expand_call *c, const node *n, const int64_t *perm)
{
    value_id in[MOST_OPERANDS];
    attr entries[MOST_ATTRIBUTES];
    for (uint32_t i = 0; i < n->n_in; i++)
        in[i] = transposed(c, n->in[i], perm);
    for (uint32_t i = 0; i < n->attrs->n; i++)
        entries[i] = n->attrs->at[i];
    return build_node(c->b, (op_id)n->op, in, n->n_in, entries, n->attrs->n);
}

/* V in the order PERM of its axes, where can_transpose says that it can be made. */
static value_id transposed(expand_call *c, value_id v, const int64_t *perm)
{
    const node n = *node_of(c->f, v); /* nodes move as others are added */
    const type *t = value_type(c->f, v);
    const literal *l = literal_of(&n);
    int64_t order[TN_MAX_RANK], axes[TN_MAX_RANK];
    dim dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = t->dims[perm[i]];
    if (l && l->splat)
        return build_reshape(c->b, c->now[v], dims, t->rank);
    if (l)
        return build_transpose(c->b, c->now[v], perm, t->rank);
    if (op_table[n.op].class == K_ELEMENTWISE)
        return transposed_elementwise(c, &n, perm);
    const type *from = value_type(c->f, n.in[0]);
    if (n.op == OP_TRANSPOSE) {
        order_before_transpose(&n, perm, t->rank, order);
        return transposed(c, n.in[0], order);
    }
    if (is_reshape(&n)) {
        (void)order_before_reshape(from, t, perm, order);
        return build_reshape(c->b, transposed(c, n.in[0], order), dims, t->rank);
    }
    const uint32_t n_axes = order_before_broadcast(&n, from, t, perm, order, axes);
    return build_broadcast_axes(c->b, transposed(c, n.in[0], order), dims, t->rank, axes, n_axes);
}

/* The weights behind the right operand of the product N, [outputs, inputs] in memory: where it is
 * a transpose, or contracts its last axis. *MATRIX: before that transpose. */
static bool reads_along_inputs(const function *f, const node *n, value_id *matrix)
{
    if (n->op != OP_DOT && n->op != OP_MATMUL && n->op != OP_DOT_GENERAL)
        return false;
    *matrix = n->in[1];
    if (value_type(f, *matrix)->rank != 2)
        return false;
    if (n->op == OP_DOT_GENERAL) {
        const dot_axes axes = dot_axes_of(n->attrs, false, 2);
        if (axes.n_batch > 0 || axes.n_contract != 1 || axes.contract[0] == 1)
            return axes.n_batch == 0 && axes.n_contract == 1;
    }
    const node *from = node_of(f, *matrix);
    if (from->op != OP_TRANSPOSE || literal_of(node_of(f, from->in[0])))
        return false;
    *matrix = from->in[0];
    return true;
}

static tn_status transpose(expand_call *c, value_id *result)
{
    static const int64_t exchanged[] = {1, 0};
    const node *n = c->n;
    weights w = {.f = c->f, .uses = c->user};
    value_id matrix;
    attr entries[MOST_ATTRIBUTES];
    size_t decoded;
    if (n->attrs->n > MOST_ATTRIBUTES || !reads_along_inputs(c->f, n, &matrix) ||
        w.uses[n->in[1]] != 1 || !can_transpose(&w, matrix, exchanged) || w.stored == 0 ||
        w.stored > c->f->module->cx->limits.literal_bytes ||
        !type_bytes(value_type(c->f, matrix), &decoded) || decoded <= w.stored)
        return TN_OK;
    const int64_t first = 0;
    for (uint32_t i = 0; i < n->attrs->n; i++)
        entries[i] = n->attrs->at[i].key == KEY_CONTRACT_RHS
                         ? attr_of_ints(KEY_CONTRACT_RHS, &first, 1)
                         : n->attrs->at[i];
    const value_id in[] = {c->in[0], transposed(c, matrix, exchanged)};
    TN_TRY(c->b->status);
    *result = build_node(c->b, (op_id)n->op, in, 2, entries, n->attrs->n);
    return TN_OK;
}

tn_status pass_transpose_weights(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        const uint32_t *uses = pass_count_uses(cx, f);
        if (!uses)
            return module_no_memory(m);
        TN_TRY(function_substitute(f, transpose, uses, &cx->n_changed));
    }
    return TN_OK;
}
