/* The reverse walk over the nodes of one function. */
#include "grad/reverse.h"
#include "grad/derivatives.h"
#include "grad/grad_shift.h"

tn_status reverse_init(reverse_walk *w, function *f, uint32_t first_node, const grad_style *style,
                       uint32_t depth, grad_work *work)
{
    module *m = f->module;
    *w = (reverse_walk){.f = f,
                        .first_node = first_node,
                        .end_node = f->nodes.n,
                        .n_values = f->values.n,
                        .style = *style,
                        .depth = depth,
                        .work = work};
    w->depends = ARENA_ARRAY(&m->arena, bool, w->n_values);
    w->grads = ARENA_ARRAY(&m->arena, value_id, w->n_values);
    if (!w->depends || !w->grads)
        return module_no_memory(m);
    for (uint32_t i = 0; i < w->n_values; i++)
        w->grads[i] = NO_VALUE;
    return TN_OK;
}

/* What has no elements passes nothing on. */
void reverse_mark(reverse_walk *w)
{
    for (uint32_t i = w->first_node; i < w->end_node; i++) {
        const node *n = &w->f->nodes.at[i];
        bool any = false;
        for (uint32_t k = 0; k < n->n_in; k++)
            any = any || (w->depends[n->in[k]] && value_type(w->f, n->in[k])->count != 0);
        for (uint32_t r = 0; any && r < n->n_results; r++)
            w->depends[n->first_value + r] = true;
    }
}

builder reverse_builder(const reverse_walk *w, value_id v)
{
    builder b = builder_on(w->f, node_of(w->f, v)->at);
    b.plain = w->style.plain;
    b.compose = true;
    b.belongs = v + 1;
    return b;
}

tn_status reverse_add(reverse_walk *w, builder *b, value_id to, value_id contribution)
{
    if (contribution == NO_VALUE || b->status != TN_OK)
        return b->status;
    w->grads[to] = w->grads[to] == NO_VALUE ? contribution
                                            : build_binary(b, OP_ADD, w->grads[to], contribution);
    return b->status;
}

value_id reverse_result(const reverse_walk *w, builder *b, value_id v)
{
    if (w->grads[v] != NO_VALUE)
        return w->grads[v];
    const type *t = value_type(w->f, v);
    return build_splat(b, t->dtype, t->dims, t->rank, scalar_of_float(0));
}

/* ---- computing again ----------------------------------------------------------------------- */

static bool is_again(const reverse_walk *w, value_id v)
{
    return w->recompute && v < w->n_values && w->recompute[w->f->values.at[v].node];
}

/* Append a copy of the node of V, whose operands have theirs already. */
static tn_status copy_node(reverse_walk *w, value_id v)
{
    module *m = w->f->module;
    const node n = w->f->nodes.at[w->f->values.at[v].node];
    value_id *in = ARENA_ARRAY(&m->arena, value_id, n.n_in);
    value_id first;
    if (!in)
        return module_no_memory(m);
    for (uint32_t k = 0; k < n.n_in; k++)
        in[k] = is_again(w, n.in[k]) ? w->again[n.in[k]] : n.in[k];
    node_desc desc = node_desc_of(&n, in);
    desc.name = desc.tag = NULL;
    desc.belongs = n.first_value + 1;
    TN_TRY(function_add_like(w->f, &desc, w->f, &n, &first));
    for (uint32_t r = 0; r < n.n_results; r++)
        w->again[n.first_value + r] = first + r;
    return TN_OK;
}

/* What a rule gets for V: V itself, or its second computation, made with all that it needs. Chains
 * may be long, so the way is kept on a list instead of the stack. */
static tn_status resolve(reverse_walk *w, value_id v, value_id *out)
{
    const tn_allocator *a = w->f->module->allocator;
    VECTOR(value_id) way = {0};
    tn_status s = TN_OK;
    *out = v;
    if (!is_again(w, v))
        return TN_OK;
    if (!VECTOR_PUSH(a, &way, v))
        s = module_no_memory(w->f->module);
    while (s == TN_OK && way.n) {
        value_id now = way.at[way.n - 1];
        const node *n = node_of(w->f, now);
        uint32_t waiting = 0;
        for (uint32_t k = 0; k < n->n_in && s == TN_OK && w->again[now] == NO_VALUE; k++)
            if (is_again(w, n->in[k]) && w->again[n->in[k]] == NO_VALUE) {
                waiting++;
                if (!VECTOR_PUSH(a, &way, n->in[k]))
                    s = module_no_memory(w->f->module);
            }
        if (s != TN_OK || waiting)
            continue;
        if (w->again[now] == NO_VALUE)
            s = copy_node(w, now);
        way.n--;
    }
    VECTOR_RELEASE(a, &way);
    *out = s == TN_OK ? w->again[v] : v;
    return s;
}

/* ---- the walk ------------------------------------------------------------------------------ */

/* What the calls for the operands of one node share. */
typedef struct visit_of {
    node n;
    bool *wanted, *is_shared;
    value_id *shared;
    const value_id *originals;
    bool flag;
    grad_passed passed;
} visit_of;

static tn_status prepare(reverse_walk *w, visit_of *v)
{
    module *m = w->f->module;
    node *n = &v->n;
    v->wanted = ARENA_ARRAY(&m->arena, bool, n->n_in);
    v->shared = ARENA_ARRAY(&m->arena, value_id, n->n_in);
    v->is_shared = &v->flag;
    if (!v->wanted || !v->shared)
        return module_no_memory(m);
    for (uint32_t k = 0; k < n->n_in; k++)
        v->wanted[k] = reverse_wants(w, n->in[k]);
    if (!w->recompute)
        return TN_OK;
    value_id *in = ARENA_ARRAY(&m->arena, value_id, n->n_in);
    if (!in)
        return module_no_memory(m);
    for (uint32_t k = 0; k < n->n_in; k++)
        TN_TRY(resolve(w, v->originals[k], &in[k]));
    n->in = in;
    return resolve(w, n->first_value, &n->first_value);
}

static tn_status call_rule(reverse_walk *w, visit_of *v, const value_id *g, uint32_t k)
{
    value_id contribution = NO_VALUE, to = v->originals[k];
    grad_call call = {.b = reverse_builder(w, to),
                      .n = v->n,
                      .operand = k,
                      .g = g,
                      .core_only = w->style.core_only,
                      .style = &w->style,
                      .wanted = v->wanted,
                      .shared = v->shared,
                      .is_shared = v->is_shared,
                      .passed = &v->passed,
                      .depth = w->depth,
                      .work = w->work,
                      .out = &contribution};
    call.b.at = v->n.at;
    diag_channel *d = &w->f->module->cx->diag;
    uint32_t n_errors = d->n_errors;
    tn_status s = grad_by_rule(&call);
    if (s != TN_OK)
        return d->n_errors > n_errors ? s : grad_unsupported(w->f, &v->n);
    return reverse_add(w, &call.b, to, contribution);
}

static tn_status visit(reverse_walk *w, uint32_t index)
{
    visit_of v = {.n = w->f->nodes.at[index]}; /* a copy: appending moves the original */
    const value_id *g = w->grads + v.n.first_value;
    bool any = false, wanted = false, depends = false;
    for (uint32_t r = 0; r < v.n.n_results; r++)
        any = any || g[r] != NO_VALUE;
    for (uint32_t k = 0; any && k < v.n.n_in; k++) {
        depends = depends || w->depends[v.n.in[k]];
        wanted = wanted || reverse_wants(w, v.n.in[k]);
    }
    bool foreign = w->style.core_only && w->style.is_core && !w->style.is_core((op_id)v.n.op);
    /* Of integers too: nothing is dropped. */
    if (depends && (foreign || op_derivatives[v.n.op] == grad_none))
        return grad_unsupported(w->f, &v.n);
    if (!wanted)
        return TN_OK;
    v.originals = v.n.in;
    TN_TRY(prepare(w, &v));
    if (v.n.op == OP_SUB && v.wanted[1]) {
        bool cancels;
        TN_TRY(grad_shift_cancels(w, &w->f->nodes.at[index], &cancels));
        v.wanted[1] = !cancels;
    }
    for (uint32_t k = 0; k < v.n.n_in; k++)
        if (v.wanted[k])
            TN_TRY(call_rule(w, &v, g, k));
    return TN_OK;
}

static tn_status note_seeds(reverse_walk *w)
{
    bool *has_seed = ARENA_ARRAY(&w->f->module->arena, bool, w->n_values);
    w->has_seed = has_seed;
    if (!has_seed)
        return module_no_memory(w->f->module);
    for (uint32_t i = 0; i < w->n_values; i++)
        has_seed[i] = w->grads[i] != NO_VALUE;
    return TN_OK;
}

tn_status reverse_run(reverse_walk *w)
{
    TN_TRY(note_seeds(w));
    for (uint32_t i = w->end_node; i-- > w->first_node;)
        TN_TRY(visit(w, i));
    return TN_OK;
}
