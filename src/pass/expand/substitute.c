/* Nodes replaced by others: new ones are appended, then put in the places of the old ones. */
#include "pass/expand/substitute.h"

typedef struct substitution {
    function *f;
    const tn_allocator *allocator;
    arena memory;
    value_id *replacement;  /* by value: what stands for it, itself for most */
    uint32_t n_values;      /* that `replacement` knows */
    VECTOR(uint32_t) order; /* of the nodes */
    uint32_t changed;
} substitution;

static tn_status put_node(substitution *w, uint32_t i)
{
    return VECTOR_PUSH(w->allocator, &w->order, i) ? TN_OK : module_no_memory(w->f->module);
}

static tn_status visit_node(substitution *w, substitute_fn *choose, const void *user, uint32_t i)
{
    const node n = w->f->nodes.at[i]; /* nodes move as others are added */
    const uint32_t first = w->f->nodes.n;
    value_id result = NO_VALUE;
    builder b = builder_on(w->f, n.at);
    if (n.n_results != 1)
        return put_node(w, i);
    expand_call call = {.b = &b,
                        .f = w->f,
                        .n = &n,
                        .in = n.in,
                        .now = w->replacement,
                        .out = value_type(w->f, n.first_value),
                        .memory = &w->memory,
                        .user = user};
    TN_TRY(choose(&call, &result));
    TN_TRY(b.status);
    if (result == NO_VALUE || value_type(w->f, result) != call.out)
        return put_node(w, i); /* nodes that were added in vain are left out */
    for (uint32_t k = first; k < w->f->nodes.n; k++)
        TN_TRY(put_node(w, k));
    w->replacement[n.first_value] = result;
    w->changed++;
    return TN_OK;
}

static value_id now(const substitution *w, value_id v)
{
    while (v < w->n_values && w->replacement[v] != v)
        v = w->replacement[v];
    return v;
}

/* The replacement of a node takes its place in the order. */
static tn_status finish(substitution *w)
{
    function *f = w->f;
    module *m = f->module;
    for (uint32_t i = 0; i < w->order.n; i++) {
        const node *n = &f->nodes.at[w->order.at[i]];
        value_id *in = (value_id *)(uintptr_t)n->in; /* its own, in the arena of the module */
        for (uint32_t k = 0; k < n->n_in; k++)
            in[k] = now(w, in[k]);
    }
    for (uint32_t i = 0; i < f->outputs.n; i++)
        f->outputs.at[i] = now(w, f->outputs.at[i]);
    for (uint32_t i = 0; f == module_entry(m) && i < m->gradients.n; i++)
        m->gradients.at[i] = now(w, m->gradients.at[i]);
    return function_reorder(f, w->order.at, w->order.n);
}

static tn_status visit_all(substitution *w, substitute_fn *choose, const void *user)
{
    const uint32_t n = w->f->nodes.n;
    w->n_values = w->f->values.n;
    w->replacement = ARENA_ARRAY(&w->memory, value_id, w->n_values);
    if (!w->replacement)
        return module_no_memory(w->f->module);
    for (value_id v = 0; v < w->n_values; v++)
        w->replacement[v] = v;
    for (uint32_t i = 0; i < n; i++)
        TN_TRY(visit_node(w, choose, user, i));
    /* What was added in vain goes, too. */
    return w->changed || w->f->nodes.n > n ? finish(w) : TN_OK;
}

tn_status function_substitute(function *f, substitute_fn *choose, const void *user,
                              uint32_t *changed)
{
    substitution w = {.f = f, .allocator = f->module->allocator};
    arena_init(&w.memory, w.allocator);
    const tn_status s = visit_all(&w, choose, user);
    arena_release(&w.memory);
    VECTOR_RELEASE(w.allocator, &w.order);
    *changed += w.changed;
    return s;
}
