/* cse: merge nodes with equal op, operands and attributes into the first of them.
 *
 * needs   definitions before uses
 * keeps   types, order, every output
 * breaks  use counts: the later node becomes dead and is dropped here
 */
#include "pass/passes.h"

static bool same_node(const node *a, const node *b)
{
    return a->op == b->op && a->attrs == b->attrs && a->n_in == b->n_in &&
           memcmp(a->in, b->in, a->n_in * sizeof *a->in) == 0;
}

static uint64_t hash_node(const node *n)
{
    return hash_bytes(hash_mix(n->op, (uint64_t)(uintptr_t)n->attrs), n->in,
                      n->n_in * sizeof *n->in);
}

/* The earlier node equal to node I, or I itself. False when there is no memory. */
static bool find_first(const function *f, hash_index *seen, uint32_t i, uint32_t *first)
{
    const node *n = &f->nodes.at[i];
    uint64_t h = hash_node(n);
    *first = i;
    if (n->op == OP_INPUT || (op_table[n->op].traits & T_UNSTABLE))
        return true;
    for (uint32_t p = hash_first(seen, h), k; (k = hash_at(seen, h, &p)) != HASH_NONE;)
        if (same_node(&f->nodes.at[k], n)) {
            *first = k;
            return true;
        }
    return hash_add(f->module->allocator, seen, h, i);
}

static tn_status merge(pass_context *cx, function *f, hash_index *seen)
{
    value_id *now = ARENA_ARRAY(&cx->scratch, value_id, f->values.n);
    uint32_t *order = ARENA_ARRAY(&cx->scratch, uint32_t, f->nodes.n), n_order = 0;
    if (!now || !order || !hash_reserve(f->module->allocator, seen, f->nodes.n))
        return module_no_memory(f->module);

    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        uint32_t first;
        value_id *in = (value_id *)(uintptr_t)n->in; /* this node's own list */
        for (uint32_t k = 0; k < n->n_in; k++)
            in[k] = now[in[k]];
        if (!find_first(f, seen, i, &first))
            return module_no_memory(f->module);
        for (uint32_t r = 0; r < n->n_results; r++)
            now[n->first_value + r] = f->nodes.at[first].first_value + r;
        if (first == i)
            order[n_order++] = i;
    }
    if (n_order == f->nodes.n)
        return TN_OK;
    for (uint32_t i = 0; i < f->outputs.n; i++)
        f->outputs.at[i] = now[f->outputs.at[i]];
    if (f == module_entry(f->module))
        for (uint32_t i = 0; i < f->module->gradients.n; i++)
            f->module->gradients.at[i] = now[f->module->gradients.at[i]];
    cx->n_changed += f->nodes.n - n_order;
    return function_reorder(f, order, n_order);
}

tn_status pass_cse(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        hash_index seen = {0};
        tn_status s = merge(cx, m->functions.at[i], &seen);
        hash_release(m->allocator, &seen);
        TN_TRY(s);
    }
    return TN_OK;
}
