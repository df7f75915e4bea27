/* exchange-sides: a dot_general whose result is only transposed, its left free axes to behind
 * its right ones, becomes the dot_general of the operands in the other order.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every output: the product of two real numbers commutes
 * breaks  use counts: the first product becomes dead; dce removes it
 */
#include "ops/dot_axes.h"
#include "pass/passes.h"

/* Does the transpose N of the product P only exchange the free axes of both sides? */
static bool exchanges_sides(const function *f, const node *n, const node *p)
{
    uint32_t rank, at = 0;
    const int64_t *perm = attr_ints(n->attrs, KEY_PERM, &rank);
    const dot_axes left = dot_axes_of(p->attrs, true, value_type(f, p->in[0])->rank);
    const dot_axes right = dot_axes_of(p->attrs, false, value_type(f, p->in[1])->rank);
    const uint32_t batch = left.n_batch;
    for (; at < batch; at++)
        if (perm[at] != (int64_t)at)
            return false;
    for (uint32_t i = 0; i < right.n_free; i++)
        if (perm[at++] != (int64_t)(batch + left.n_free + i))
            return false;
    for (uint32_t i = 0; i < left.n_free; i++)
        if (perm[at++] != (int64_t)(batch + i))
            return false;
    return true;
}

static attr_key other_side(attr_key key)
{
    switch ((int)key) {
    case KEY_BATCH_LHS:
        return KEY_BATCH_RHS;
    case KEY_BATCH_RHS:
        return KEY_BATCH_LHS;
    case KEY_CONTRACT_LHS:
        return KEY_CONTRACT_RHS;
    case KEY_CONTRACT_RHS:
        return KEY_CONTRACT_LHS;
    default:
        return key;
    }
}

/* N, a transpose of the product P, becomes the product itself. */
static bool exchange(function *f, node *n, const node *p)
{
    enum { MOST = 8 };
    attr entries[MOST];
    if (p->attrs->n > MOST)
        return true; /* attributes that this pass does not know */
    for (uint32_t i = 0; i < p->attrs->n; i++) {
        entries[i] = p->attrs->at[i];
        entries[i].key = (uint8_t)other_side((attr_key)entries[i].key);
    }
    const attrs *swapped = attrs_of(&f->module->attrs, entries, p->attrs->n);
    value_id *in = ARENA_ARRAY(&f->module->arena, value_id, 2);
    if (!swapped || !in)
        return false;
    in[0] = p->in[1];
    in[1] = p->in[0];
    n->op = OP_DOT_GENERAL;
    n->in = in;
    n->n_in = 2;
    n->attrs = swapped;
    return true;
}

static tn_status rewrite(pass_context *cx, function *f)
{
    const uint32_t *uses = pass_count_uses(cx, f);
    if (!uses)
        return module_no_memory(f->module);
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        node *n = &f->nodes.at[i];
        if (n->op != OP_TRANSPOSE || uses[n->in[0]] != 1)
            continue;
        const node *p = node_of(f, n->in[0]);
        if (p->op != OP_DOT_GENERAL || dtype_is_complex(value_type(f, n->first_value)->dtype) ||
            !exchanges_sides(f, n, p))
            continue;
        if (!exchange(f, n, p))
            return module_no_memory(f->module);
        cx->n_changed++;
    }
    return TN_OK;
}

tn_status pass_exchange_sides(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        TN_TRY(rewrite(cx, m->functions.at[i]));
    return TN_OK;
}
