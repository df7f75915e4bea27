/* The nodes of a function in the order of its kernels, with copies of those that run again. */
#include <string.h>

#include "ops/node_facts.h"
#include "plan/recompute/recompute.h"

typedef struct applying {
    function *f;
    const kernel_list *list;
    arena *memory;
    node *was; /* the nodes as they were */
    VECTOR(uint32_t) order;
    bool *is_placed;   /* by node: it is in the order */
    value_id *now;     /* by value: what stands for it in memory */
    value_id *made_of; /* by value that is another's memory: of which */
    value_id *own;     /* by value: what stands for it in one kernel, */
    uint32_t *own_of;  /* whose number this is */
    uint32_t kernel;   /* numbers count kernels and second computations, from 1 */
} applying;

/* Put a node after the others that computes what node I does of IN: node I itself, or a copy. */
static tn_status put(applying *a, uint32_t i, const value_id *in, value_id *result)
{
    const node *n = &a->was[i];
    const tn_allocator *memory = a->f->module->allocator;
    uint32_t at = i;
    if (!a->is_placed[i]) {
        node *to = &a->f->nodes.at[i];
        if (n->n_in > 0 && memcmp(in, n->in, n->n_in * sizeof *in) != 0)
            node_rewrite(to, (op_id)n->op, in, n->n_in, n->attrs);
        a->is_placed[i] = true;
        *result = n->first_value;
    } else {
        node_desc copy = node_desc_of(n, in);
        copy.belongs = n->belongs;
        copy.place = n->place;
        at = a->f->nodes.n;
        TN_TRY(function_add_like(a->f, &copy, a->f, n, result));
    }
    return VECTOR_PUSH(memory, &a->order, at) ? TN_OK : module_no_memory(a->f->module);
}

static value_id *room_for_operands(applying *a, const node *n)
{
    return ARENA_ARRAY(&a->f->module->arena, value_id, n->n_in);
}

/* What stands for V in memory, put there if no kernel does that: reshapes, and what several kernels
 * make parts of. */
static tn_status in_memory(applying *a, value_id v, value_id *out)
{
    const uint32_t i = a->f->values.at[v].node;
    const node *n = &a->was[i];
    const bool is_other = a->list->same_as[v] != v;
    *out = a->now[v];
    if (a->is_placed[i] && !is_other)
        return TN_OK;
    value_id *in = room_for_operands(a, n);
    if (!in)
        return module_no_memory(a->f->module);
    for (uint32_t o = 0; o < n->n_in; o++)
        TN_TRY(in_memory(a, n->in[o], &in[o]));
    if (a->is_placed[i] && a->made_of[v] == in[0])
        return TN_OK;
    value_id first;
    TN_TRY(put(a, i, in, &first));
    for (uint32_t r = 0; r < n->n_results; r++)
        a->now[n->first_value + r] = first + r;
    a->made_of[v] = is_other ? in[0] : NO_VALUE;
    *out = a->now[v];
    return TN_OK;
}

/* Put the N nodes NODES of one kernel. */
static tn_status put_all(applying *a, const uint32_t *nodes, uint32_t n)
{
    a->kernel++;
    for (uint32_t i = 0; i < n; i++) {
        const node *own = &a->was[nodes[i]];
        value_id *in = room_for_operands(a, own), first;
        if (own->op == OP_CONSTANT)
            continue;
        if (!in)
            return module_no_memory(a->f->module);
        for (uint32_t o = 0; o < own->n_in; o++) {
            const value_id v = own->in[o];
            in[o] = a->own[v];
            if (a->own_of[v] != a->kernel)
                TN_TRY(in_memory(a, v, &in[o]));
        }
        TN_TRY(put(a, nodes[i], in, &first));
        for (uint32_t r = 0; r < own->n_results; r++) {
            a->own[own->first_value + r] = first + r;
            a->own_of[own->first_value + r] = a->kernel;
        }
    }
    return TN_OK;
}

static void store(applying *a, value_id v)
{
    if (a->own_of[v] == a->kernel)
        a->now[v] = a->own[v];
}

static tn_status put_again(applying *a, const recomputation *r)
{
    uint32_t n;
    const uint32_t *nodes = recompute_nodes(a->f, &a->list->at[r->from], r->v, a->memory, &n);
    if (!nodes)
        return module_no_memory(a->f->module);
    TN_TRY(put_all(a, nodes, n));
    store(a, r->v);
    return TN_OK;
}

/* Inputs and constants come first, as they are. */
static tn_status put_known(applying *a)
{
    value_id v;
    for (uint32_t i = 0; i < a->f->nodes.n; i++)
        if (a->was[i].op == OP_INPUT || a->was[i].op == OP_CONSTANT)
            TN_TRY(put(a, i, NULL, &v));
    return TN_OK;
}

static tn_status put_kernels(applying *a, const recomputations *what)
{
    uint32_t next = 0;
    for (uint32_t k = 0; k < a->list->n; k++) {
        const kernel *own = &a->list->at[k];
        for (; next < what->n && what->at[next].at == k; next++)
            TN_TRY(put_again(a, &what->at[next]));
        TN_TRY(put_all(a, own->nodes, own->n_nodes));
        for (uint32_t o = 0; o < own->n_out; o++)
            store(a, own->out[o].value);
    }
    return TN_OK;
}

static tn_status put_outputs(applying *a)
{
    for (uint32_t i = 0; i < a->f->outputs.n; i++)
        TN_TRY(in_memory(a, a->f->outputs.at[i], &a->f->outputs.at[i]));
    return TN_OK;
}

/* Streams of random numbers go by the order of what draws them, wanted or not. */
static bool keeps_generators(const function *f, const kernel_list *list)
{
    uint32_t last = 0, left = 0; /* 1 + its node */
    for (uint32_t i = 0; i < f->nodes.n; i++)
        left += node_draws(&f->nodes.at[i]);
    for (uint32_t k = 0; k < list->n; k++)
        for (uint32_t i = 0; i < list->at[k].n_nodes; i++) {
            const uint32_t at = list->at[k].nodes[i];
            if (!node_draws(&f->nodes.at[at]))
                continue;
            if (at + 1 <= last)
                return false;
            last = at + 1;
            left--;
        }
    return left == 0;
}

static tn_status run(applying *a, const recomputations *what)
{
    TN_TRY(put_known(a));
    TN_TRY(put_kernels(a, what));
    TN_TRY(put_outputs(a));
    return function_reorder(a->f, a->order.at, a->order.n);
}

tn_status recompute_apply(function *f, const kernel_list *list, const recomputations *what,
                          arena *memory)
{
    const uint32_t n = f->values.n;
    applying a = {.f = f,
                  .list = list,
                  .memory = memory,
                  .was = ARENA_ARRAY(memory, node, f->nodes.n),
                  .is_placed = ARENA_ARRAY(memory, bool, f->nodes.n),
                  .now = ARENA_ARRAY(memory, value_id, n),
                  .made_of = ARENA_ARRAY(memory, value_id, n),
                  .own = ARENA_ARRAY(memory, value_id, n),
                  .own_of = ARENA_ARRAY(memory, uint32_t, n)};
    if (!keeps_generators(f, list))
        return TN_OK;
    if (!a.was || !a.is_placed || !a.now || !a.made_of || !a.own || !a.own_of)
        return module_no_memory(f->module);
    memcpy(a.was, f->nodes.at, f->nodes.n * sizeof *a.was);
    for (value_id v = 0; v < n; v++) {
        a.now[v] = v;
        a.made_of[v] = NO_VALUE;
    }
    const tn_status s = run(&a, what);
    VECTOR_RELEASE(f->module->allocator, &a.order);
    return s;
}
