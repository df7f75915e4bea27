/* Making regions for the derivatives of control flow. */
#include "grad/regions/grad_regions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ops/node_facts.h"

bool region_is_fine(const grad_call *c)
{
    return c->b.status == TN_OK;
}

static void no_memory(grad_call *c)
{
    if (c->b.status == TN_OK)
        c->b.status = module_no_memory(c->b.f->module);
}

value_id *region_ids(grad_call *c, uint32_t n)
{
    value_id *ids = ARENA_ARRAY(&c->b.f->module->arena, value_id, n);
    if (!ids)
        no_memory(c);
    for (uint32_t i = 0; ids && i < n; i++)
        ids[i] = NO_VALUE;
    return ids;
}

bool *region_flags(grad_call *c, uint32_t n)
{
    bool *flags = ARENA_ARRAY(&c->b.f->module->arena, bool, n);
    if (!flags)
        no_memory(c);
    return flags;
}

region region_new(grad_call *c, const char *name)
{
    module *m = c->b.f->module;
    region r = {.c = c, .b = c->b, .index = (int64_t)m->functions.n};
    r.b.belongs = 0;
    if (c->b.status != TN_OK)
        return r;
    if (m->functions.n >= m->cx->limits.nodes || c->depth >= m->cx->limits.nesting) {
        c->b.status = r.b.status =
            node_report(c->b.f, &c->n, DIAG_LimitExceeded,
                        "the derivative of '%s' needs more regions than the limits allow",
                        op_table[c->n.op].text);
        return r;
    }
    r.b.f = module_add_function(m, name, strlen(name));
    if (!r.b.f) {
        no_memory(c);
        r.b.status = c->b.status;
        r.b.f = c->b.f; /* never used after a failure */
        return r;
    }
    r.b.f->is_region = true;
    return r;
}

void region_done(region *r)
{
    if (r->b.status == TN_OK)
        r->b.status = replacements_apply(&r->c->work->replacements, r->b.f);
    if (r->c->b.status == TN_OK)
        r->c->b.status = r->b.status;
}

value_id region_param(region *r, const type *t)
{
    if (r->b.status != TN_OK)
        return NO_VALUE;
    module *m = r->b.f->module;
    char name[16];
    int length = snprintf(name, sizeof name, "%" PRIu32, r->b.f->inputs.n);
    attr entries[] = {{.key = KEY_NAME, .v.s = module_string(m, name, (size_t)length)},
                      {.key = KEY_TYPE, .v.type = t}};
    if (!entries[0].v.s) {
        r->b.status = module_no_memory(m);
        return NO_VALUE;
    }
    return build_node(&r->b, OP_INPUT, NULL, 0, entries, 2);
}

void region_output(region *r, value_id v)
{
    if (r->b.status == TN_OK && v != NO_VALUE)
        r->b.status = function_add_output(r->b.f, v);
}

/* ---- what was asked before ----------------------------------------------------------------- */

const void *region_recall(const grad_call *c, const question *q)
{
    return grad_recall(c->work, q);
}

void region_remember(grad_call *c, const question *q, const void *answer)
{
    if (region_is_fine(c) && !grad_remember(c->b.f->module->allocator, c->work, q, answer))
        no_memory(c);
}

bool region_recall_indices(const grad_call *c, const question *q, int64_t *to, uint32_t n)
{
    const int64_t *known = region_recall(c, q);
    if (known)
        memcpy(to, known, n * sizeof *to);
    return known != NULL;
}

void region_remember_indices(grad_call *c, const question *q, const int64_t *indices, uint32_t n)
{
    int64_t *own = ARENA_ARRAY(&c->b.f->module->arena, int64_t, n);
    if (own)
        memcpy(own, indices, n * sizeof *own);
    region_remember(c, q, own);
}

/* ---- copies -------------------------------------------------------------------------------- */

static tn_status copy_node(function *to, const function *from, const node *n, value_id *map)
{
    module *m = to->module;
    value_id *in = ARENA_ARRAY(&m->arena, value_id, n->n_in), first;
    if (!in)
        return module_no_memory(m);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = map[n->in[k]];
    node_desc desc = node_desc_of(n, in);
    desc.name = NULL;
    TN_TRY(function_add_like(to, &desc, from, n, &first));
    for (uint32_t r = 0; r < n->n_results; r++)
        map[n->first_value + r] = first + r;
    return TN_OK;
}

static bool draws(const function *f)
{
    for (uint32_t i = 0; i < f->nodes.n; i++)
        if (node_draws(&f->nodes.at[i]))
            return true;
    return false;
}

void region_inline(builder *b, grad_call *c, const function *from, const value_id *args,
                   value_id *outputs)
{
    if (b->status != TN_OK)
        return;
    if (draws(from)) { /* a copy makes others: they depend on the region that it stands in */
        b->status = grad_refuse(c, "a region of it makes random numbers, which no other can make");
        return;
    }
    value_id *map = region_ids(c, from->values.n);
    b->status = c->b.status;
    for (uint32_t k = 0; b->status == TN_OK && k < from->inputs.n; k++) {
        if (args[k] == NO_VALUE)
            return;
        map[from->inputs.at[k]] = args[k];
    }
    for (uint32_t i = 0; b->status == TN_OK && i < from->nodes.n; i++)
        if (from->nodes.at[i].op != OP_INPUT)
            b->status = copy_node(b->f, from, &from->nodes.at[i], map);
    for (uint32_t k = 0; b->status == TN_OK && k < from->outputs.n; k++)
        outputs[k] = map[from->outputs.at[k]];
}

void region_vjp(builder *b, grad_call *c, const function *from, const value_id *args,
                const value_id *g, const bool *active, value_id *out)
{
    reverse_walk w;
    value_id *outputs = region_ids(c, from->outputs.n);
    uint32_t first = b->f->nodes.n;
    for (uint32_t k = 0; k < from->inputs.n; k++)
        out[k] = NO_VALUE;
    if (!outputs)
        b->status = c->b.status;
    region_inline(b, c, from, args, outputs);
    if (b->status == TN_OK)
        b->status = reverse_init(&w, b->f, first, c->style, c->depth + 1, c->work);
    if (b->status != TN_OK)
        return;
    for (uint32_t k = 0; k < from->inputs.n; k++)
        if (active[k])
            w.depends[args[k]] = true;
    reverse_mark(&w);
    for (uint32_t k = 0; k < from->outputs.n; k++)
        if (g[k] != NO_VALUE && reverse_wants(&w, outputs[k]))
            b->status = reverse_add(&w, b, outputs[k], g[k]);
    if (b->status == TN_OK)
        b->status = reverse_run(&w);
    for (uint32_t k = 0; b->status == TN_OK && k < from->inputs.n; k++)
        if (active[k])
            out[k] = reverse_result(&w, b, args[k]);
}

bool region_passes(const function *body, uint32_t k)
{
    value_id v = body->outputs.at[k];
    const node *n = node_of(body, v);
    while ((n->op == OP_STOP_GRADIENT || n->op == OP_RESHAPE) &&
           value_type(body, n->in[0]) == value_type(body, v)) {
        v = n->in[0];
        n = node_of(body, v);
    }
    return v == body->inputs.at[k];
}

const value_id *region_operands(const grad_call *c)
{
    return node_of(c->b.f, c->n.first_value)->in;
}

void region_replace(grad_call *c, uint32_t first_node, value_id now)
{
    function *f = c->b.f;
    replacement e = {f, c->n.first_value, first_node, now};
    if (c->b.status == TN_OK && !VECTOR_PUSH(f->module->allocator, &c->work->replacements, e))
        no_memory(c);
}

/* ---- what is needed ------------------------------------------------------------------------ */

void region_spread(grad_call *c, const function *body, uint32_t n, bool *active)
{
    bool *depends = region_flags(c, body->values.n);
    bool changed = depends != NULL;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < body->inputs.n; k++)
            depends[body->inputs.at[k]] = active[k];
        for (uint32_t i = 0; i < body->nodes.n; i++) {
            const node *at = &body->nodes.at[i];
            bool any = false;
            for (uint32_t k = 0; k < at->n_in; k++)
                any = any || depends[at->in[k]];
            for (uint32_t r = 0; any && r < at->n_results; r++)
                depends[at->first_value + r] = true;
        }
        for (uint32_t k = 0; k < n; k++) {
            const type *t = value_type(body, body->outputs.at[k]);
            if (active[k] || !depends[body->outputs.at[k]] || !dtype_is_float(t->dtype) ||
                t->count == 0)
                continue;
            active[k] = changed = true;
        }
    }
}

void region_prune(region *r, uint32_t first, uint32_t n, uint32_t spare, bool *kept)
{
    function *f = r->b.f;
    if (r->b.status == TN_OK)
        r->b.status = replacements_apply(&r->c->work->replacements, f);
    if (r->b.status != TN_OK)
        return;
    bool *live = region_flags(r->c, f->nodes.n), any = spare == n;
    uint32_t *order = region_ids(r->c, f->nodes.n), n_order = 0, n_inputs = 0;
    if (!live || !order) {
        r->b.status = r->c->b.status;
        return;
    }
    for (uint32_t k = 0; k < f->outputs.n; k++)
        live[f->values.at[f->outputs.at[k]].node] = true;
    for (uint32_t i = f->nodes.n; i-- > 0;)
        for (uint32_t k = 0; live[i] && k < f->nodes.at[i].n_in; k++)
            live[f->values.at[f->nodes.at[i].in[k]].node] = true;
    for (uint32_t k = first + spare; k < f->inputs.n; k++) {
        bool stays = k >= first + n || live[f->values.at[f->inputs.at[k]].node];
        any = any || stays;
    }
    for (uint32_t k = 0; k < f->inputs.n; k++) {
        bool *is_live = &live[f->values.at[f->inputs.at[k]].node];
        bool may_go = k >= first && k < first + n;
        *is_live = *is_live || !may_go || (!any && k == first + n - 1);
        if (may_go)
            kept[k - first] = *is_live;
        if (*is_live)
            f->inputs.at[n_inputs++] = f->inputs.at[k];
    }
    f->inputs.n = n_inputs;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        if (live[i])
            order[n_order++] = i;
    r->b.status = function_reorder(f, order, n_order);
}
