/* Products of few rows that read a matrix along its inputs transpose it as they go. Here a matrix
 * that never changes is transposed apart from the product. */
#include "ops/dot_axes.h"
#include "pass/expand/substitute.h"
#include "pass/hoist/hoist.h"

enum {
    FEW_ELEMENTS = 1024, /* of a matrix: transposing it takes no time */
    MANY_ROWS = 64,      /* beside which transposing a matrix takes no time */
    MOST_ATTRIBUTES = 16 /* of a product */
};

/* Of each value of the body. */
typedef struct matrices {
    const bool *kept;     /* it is a carry that never changes */
    value_id *transposed; /* its transpose; NO_VALUE: not made yet */
} matrices;

/* Is V, of the function being rewritten, a matrix that never changes and is read along its last
 * axis? */
static bool is_matrix(const expand_call *c, value_id v)
{
    const matrices *m = c->user;
    const type *t = value_type(c->f, v);
    return m->kept[v] && t->rank == 2 && type_is_static(t) && t->dims[0] > 1 && t->dims[1] > 1 &&
           t->count >= FEW_ELEMENTS && dtype_is_float(t->dtype);
}

static value_id transposed(expand_call *c, value_id v)
{
    static const int64_t perm[] = {1, 0};
    const matrices *m = c->user;
    if (m->transposed[v] == NO_VALUE)
        m->transposed[v] = build_transpose(c->b, v, perm, 2);
    return m->transposed[v];
}

/* N with the matrix that is its operand SIDE transposed, whose axis there comes first from then on.
 */
static value_id with_transposed(expand_call *c, uint32_t side)
{
    static const attr_key keys[] = {KEY_CONTRACT_LHS, KEY_CONTRACT_RHS};
    const int64_t first = 0;
    attr entries[MOST_ATTRIBUTES + 2];
    uint32_t n = 0;
    value_id in[] = {c->in[0], c->in[1]};
    for (; n < c->n->attrs->n; n++)
        entries[n] = c->n->attrs->at[n].key == keys[side] ? attr_of_ints(keys[side], &first, 1)
                                                          : c->n->attrs->at[n];
    for (uint32_t i = 0; i < 2 && c->n->op != OP_DOT_GENERAL; i++)
        entries[n++] = attr_of_ints(keys[i], &first, 1);
    in[side] = transposed(c, in[side]);
    return build_node(c->b, OP_DOT_GENERAL, in, 2, entries, n);
}

static bool contracts_last(const expand_call *c, uint32_t side)
{
    const node *n = c->n;
    if (n->op != OP_DOT_GENERAL) /* the right operand of dot and matmul is as it should be */
        return side == 0 && value_type(c->f, n->in[1])->rank <= 2;
    const dot_axes axes = dot_axes_of(n->attrs, side == 0, 2);
    return axes.n_batch == 0 && axes.n_contract == 1 && axes.contract[0] == 1;
}

static tn_status transpose_matrix(expand_call *c, value_id *result)
{
    const node *n = c->n;
    if ((n->op != OP_DOT && n->op != OP_MATMUL && n->op != OP_DOT_GENERAL) ||
        n->attrs->n > MOST_ATTRIBUTES || !type_is_static(c->out))
        return TN_OK;
    for (uint32_t side = 0; side < 2 && *result == NO_VALUE; side++) {
        if (!is_matrix(c, n->in[side]) || !contracts_last(c, side))
            continue;
        const int64_t rows = c->out->count / value_type(c->f, n->in[side])->dims[0];
        if (rows > 0 && rows <= MANY_ROWS)
            *result = with_transposed(c, side);
    }
    return TN_OK;
}

tn_status transpose_matrices(const loop *l, arena *memory)
{
    const function *b = l->body;
    uint32_t changed = 0;
    bool any = false;
    bool *kept = ARENA_ARRAY(memory, bool, b->values.n);
    const matrices m = {kept, ARENA_ARRAY(memory, value_id, b->values.n)};
    if (!kept || !m.transposed)
        return module_no_memory(l->f->module);
    for (uint32_t v = 0; v < b->values.n; v++)
        m.transposed[v] = NO_VALUE;
    for (uint32_t k = 0; k < l->n_carries; k++) {
        kept[b->inputs.at[k]] = carry_is_kept(l, k);
        any = any || kept[b->inputs.at[k]];
    }
    return any ? function_substitute(l->body, transpose_matrix, &m, &changed) : TN_OK;
}
