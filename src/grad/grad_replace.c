/* Nodes of the gradient that take the place of primal ones. */
#include "grad/grad_replace.h"

typedef struct settling {
    function *f;
    replacement_list *list;
    arena *memory;
    value_id *now;      /* by value: what it is from now on */
    bool *moved;        /* by node: it stands elsewhere, or goes away */
    uint32_t *order, n; /* of nodes */
    uint32_t *by_node;  /* by node: 1 + the entry that replaces it, or 0 */
} settling;

/* The new node is the old one to whoever reads the program. */
static void take_identity(const node *old, node *now)
{
    now->at = old->at;
    now->name = old->name;
    now->tag = old->tag;
    now->place = old->place;
    now->belongs = old->belongs;
}

static void plan(settling *s)
{
    function *f = s->f;
    for (uint32_t v = 0; v < f->values.n; v++)
        s->now[v] = v;
    for (uint32_t i = 0; i < s->list->n; i++) {
        const replacement *e = &s->list->at[i];
        if (e->f != f)
            continue;
        uint32_t old = f->values.at[e->old].node, last = f->values.at[e->now].node;
        for (uint32_t r = 0; r < f->nodes.at[old].n_results; r++)
            s->now[f->nodes.at[old].first_value + r] = e->now + r;
        for (uint32_t k = e->first_node; k <= last; k++) {
            s->moved[k] = true;
            f->nodes.at[k].belongs = 0; /* to the primal program now */
        }
        s->moved[old] = true;
        s->by_node[old] = i + 1;
        take_identity(&f->nodes.at[old], &f->nodes.at[last]);
    }
    for (uint32_t k = 0; k < f->nodes.n; k++) {
        if (s->by_node[k]) {
            const replacement *e = &s->list->at[s->by_node[k] - 1];
            for (uint32_t i = e->first_node; i <= f->values.at[e->now].node; i++)
                s->order[s->n++] = i;
        } else if (!s->moved[k]) {
            s->order[s->n++] = k;
        }
    }
}

static void rename_values(const settling *s)
{
    function *f = s->f;
    module *m = f->module;
    for (uint32_t k = 0; k < f->nodes.n; k++) {
        node *n = &f->nodes.at[k];
        /* The operand list is the node's own and in the module's arena. */
        value_id *in = (value_id *)(uintptr_t)n->in;
        for (uint32_t i = 0; i < n->n_in; i++)
            in[i] = s->now[in[i]];
        if (n->belongs)
            n->belongs = s->now[n->belongs - 1] + 1;
    }
    for (uint32_t i = 0; i < f->outputs.n; i++)
        f->outputs.at[i] = s->now[f->outputs.at[i]];
    for (uint32_t i = 0; i < f->declared.n; i++)
        f->declared.at[i].of = s->now[f->declared.at[i].of];
    if (f == module_entry(m))
        for (uint32_t i = 0; i < m->gradients.n; i++)
            m->gradients.at[i] = s->now[m->gradients.at[i]];
}

tn_status replacements_apply(replacement_list *list, function *f)
{
    settling s = {.f = f, .list = list, .memory = &f->module->arena};
    uint32_t left = 0;
    for (uint32_t i = 0; i < list->n; i++)
        left += list->at[i].f != f;
    if (left == list->n)
        return TN_OK;
    s.now = ARENA_ARRAY(s.memory, value_id, f->values.n);
    s.moved = ARENA_ARRAY(s.memory, bool, f->nodes.n);
    s.order = ARENA_ARRAY(s.memory, uint32_t, f->nodes.n);
    s.by_node = ARENA_ARRAY(s.memory, uint32_t, f->nodes.n);
    if (!s.now || !s.moved || !s.order || !s.by_node)
        return module_no_memory(f->module);
    plan(&s);
    rename_values(&s);
    left = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].f != f)
            list->at[left++] = list->at[i];
    list->n = left;
    return function_reorder(f, s.order, s.n);
}
