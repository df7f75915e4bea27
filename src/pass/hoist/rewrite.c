/* The loop that has what is hoisted as carries. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pass/hoist/hoist.h"

/* What is made goes to the end of the function. */
static tn_status make_before(const loop *l, fact *facts, arena *memory)
{
    const function *b = l->body;
    for (uint32_t i = 0; i < b->nodes.n; i++) {
        const node *n = &b->nodes.at[i];
        if (n->op == OP_INPUT || n->n_results != 1 || !facts[n->first_value].is_made)
            continue;
        value_id *in = ARENA_ARRAY(memory, value_id, n->n_in);
        if (!in)
            return module_no_memory(l->f->module);
        for (uint32_t k = 0; k < n->n_in; k++)
            in[k] = facts[n->in[k]].before;
        node_desc d = node_desc_of(n, in);
        d.name = NULL; /* the function may have a value of that name */
        d.belongs = n->belongs;
        d.place = n->place;
        TN_TRY(function_add_like(l->f, &d, b, n, &facts[n->first_value].before));
    }
    return TN_OK;
}

/* Put V at place AT of LIST, which has room for it. */
static void insert(value_id *list, uint32_t n, uint32_t at, value_id v)
{
    memmove(list + at + 1, list + at, (n - at) * sizeof *list);
    list[at] = v;
}

/* An input of R, a region, of type T: carry number AT, passed on as output number OUTPUT. It goes
 * to the end of the nodes. */
static tn_status add_carry(function *r, const type *t, uint32_t at, uint32_t output, value_id *v)
{
    module *m = r->module;
    char name[16];
    const int length = snprintf(name, sizeof name, "%" PRIu32, r->inputs.n);
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(m, name, (size_t)length)},
                      {.key = KEY_TYPE, .v.type = t}};
    const node_desc d = {.op = OP_INPUT, .attrs = attrs_of(&m->attrs, entries, 2)};
    if (!entries[0].v.s || !d.attrs || !VECTOR_RESERVE(m->allocator, &r->outputs, 1))
        return module_no_memory(m);
    TN_TRY(function_add_typed(r, &d, &t, 1, v));
    insert(r->inputs.at, r->inputs.n - 1, at, *v);
    insert(r->outputs.at, r->outputs.n++, output, *v);
    r->output_names.n = 0;
    r->tuples.n = 0;
    return TN_OK;
}

/* The inputs of R to its front, in order, and what its first N_NODES nodes took as NOW says. */
static tn_status put_in_order(function *r, uint32_t n_nodes, const value_id *now, arena *memory)
{
    uint32_t *order = ARENA_ARRAY(memory, uint32_t, r->nodes.n), n = 0;
    if (!order)
        return module_no_memory(r->module);
    for (uint32_t k = 0; k < r->inputs.n; k++)
        order[n++] = r->values.at[r->inputs.at[k]].node;
    for (uint32_t i = 0; i < n_nodes; i++) {
        const node *x = &r->nodes.at[i];
        value_id *in = (value_id *)(uintptr_t)x->in; /* this node's own list */
        for (uint32_t k = 0; k < x->n_in; k++)
            in[k] = now[in[k]];
        if (x->op != OP_INPUT)
            order[n++] = i;
    }
    return function_reorder(r, order, n);
}

/* What is hoisted becomes a carry of region R, of which that of the body is the last to change. */
static tn_status change_region(const loop *l, const fact *facts, function *r, arena *memory)
{
    const function *b = l->body;
    const uint32_t n_nodes = r->nodes.n, n_body = r == b ? n_nodes : b->nodes.n;
    uint32_t carry = l->n_carries;
    value_id *now = ARENA_ARRAY(memory, value_id, r->values.n), v;
    if (!now)
        return module_no_memory(r->module);
    for (uint32_t k = 0; k < r->values.n; k++)
        now[k] = k;
    for (uint32_t i = 0; i < n_body; i++) {
        const value_id was = b->nodes.at[i].first_value;
        if (b->nodes.at[i].n_results != 1 || !facts[was].is_hoisted)
            continue;
        TN_TRY(add_carry(r, value_type(b, was), carry, carry + (r != b), &v));
        if (r == b)
            now[was] = v;
        carry++;
    }
    return put_in_order(r, n_nodes, now, memory);
}

/* The loop with N_NEW more carries, at the end of the function. NOW says what stands for its
 * results. */
static tn_status add_loop(const loop *l, const fact *facts, uint32_t n_new, value_id *now,
                          arena *memory)
{
    function *f = l->f;
    module *m = f->module;
    const function *b = l->body;
    const node *n = &l->n;
    value_id *in = ARENA_ARRAY(memory, value_id, n->n_in + n_new), first;
    const type **types = ARENA_ARRAY(memory, const type *, n->n_results + n_new);
    attr *entries = ARENA_ARRAY(memory, attr, n->attrs->n);
    uint32_t at = l->n_carries;
    if (!in || !types || !entries)
        return module_no_memory(m);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k < l->n_carries ? k : k + n_new] = n->in[k];
    for (uint32_t r = 0; r < n->n_results; r++) {
        const uint32_t to = r < l->n_carries ? r : r + n_new;
        types[to] = value_type(f, n->first_value + r);
        now[n->first_value + r] = f->values.n + to;
    }
    for (uint32_t i = 0; i < b->nodes.n; i++) {
        const value_id v = b->nodes.at[i].first_value;
        if (b->nodes.at[i].n_results != 1 || !facts[v].is_hoisted)
            continue;
        in[at] = facts[v].before;
        types[at++] = value_type(b, v);
    }
    for (uint32_t e = 0; e < n->attrs->n; e++) {
        entries[e] = n->attrs->at[e];
        if (entries[e].key == KEY_CARRY_COUNT)
            entries[e].v.i = at;
    }
    node_desc d = node_desc_of(n, in);
    d.n_in = n->n_in + n_new;
    d.attrs = attrs_of(&m->attrs, entries, n->attrs->n);
    d.number = n->first_value;
    d.belongs = n->belongs;
    d.place = n->place;
    return d.attrs ? function_add_typed(f, &d, types, n->n_results + n_new, &first)
                   : module_no_memory(m);
}

tn_status hoist_carries(const loop *l, fact *facts, uint32_t n_new, value_id *now, arena *memory)
{
    TN_TRY(make_before(l, facts, memory));
    TN_TRY(add_loop(l, facts, n_new, now, memory));
    if (l->condition)
        TN_TRY(change_region(l, facts, l->condition, memory));
    return change_region(l, facts, l->body, memory);
}
