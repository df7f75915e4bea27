/* Graphs inside of nodes as regions, which see nothing but their parameters: what they read of the
 * graphs around them becomes operands of the node. */
#include "dialect/onnx/import.h"

/* ---- captures ---- */

static bool was_seen(const onnx_captures *s, const onnx_value *v, uint64_t h)
{
    for (uint32_t p = hash_first(&s->seen, h), i; (i = hash_at(&s->seen, h, &p)) != HASH_NONE;)
        if (s->values.at[i] == v)
            return true;
    return false;
}

/* The data of V, in the order in which parameters are made for it. */
static bool add_data(onnx_captures *s, const onnx_value *v)
{
    for (uint32_t i = 0; v->items && i < v->items->n; i++)
        if (!add_data(s, &v->items->at[i]))
            return false;
    if (v->tensor || v->known || !tn_is_value(v->v))
        return true;
    return VECTOR_PUSH(s->c->im->m->allocator, &s->data, v->v) || onnx_no_memory(s->c->im);
}

static bool capture_name(onnx_captures *s, onnx_bytes name)
{
    const tn_allocator *a = s->c->im->m->allocator;
    onnx_value *v = name.n ? onnx_find(s->c->scope, name) : NULL;
    const uint64_t h = hash_bytes(0, name.at, name.n);
    if (!v || was_seen(s, v, h))
        return true;
    if (!VECTOR_PUSH_INDEXED(a, &s->values, v, &s->seen, h))
        return onnx_no_memory(s->c->im);
    return add_data(s, v);
}

bool onnx_capture(onnx_captures *s, const onnx_graph *g)
{
    const onnx_node *nodes = g->nodes.at;
    const onnx_value_info *outputs = g->outputs.at; /* which may be names from outside */
    for (uint32_t i = 0; i < g->outputs.n; i++)
        if (!capture_name(s, outputs[i].name))
            return false;
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const onnx_bytes *inputs = nodes[i].inputs.at;
        const onnx_attribute *attributes = nodes[i].attributes.at;
        for (uint32_t k = 0; k < nodes[i].inputs.n; k++)
            if (!capture_name(s, inputs[k]))
                return false;
        for (uint32_t k = 0; k < nodes[i].attributes.n; k++)
            if (attributes[k].g && !onnx_capture(s, attributes[k].g))
                return false;
    }
    return true;
}

void onnx_captures_release(onnx_captures *s)
{
    const tn_allocator *a = s->c->im->m->allocator;
    hash_release(a, &s->seen);
    VECTOR_RELEASE(a, &s->values);
    VECTOR_RELEASE(a, &s->data);
}

/* V inside the region: constants are made there where they are used; data are parameters, which are
 * appended to PARAMS. */
static bool enter_value(const onnx_captures *s, const onnx_value *v, onnx_value *own,
                        tn_value *params, uint32_t *n)
{
    importer *im = s->c->im;
    *own = *v;
    own->v = tn_no_value();
    own->integers = NULL;
    if (v->items) {
        onnx_value *at = onnx_items_room(s->c, v->items->n);
        onnx_items *items = at ? ARENA_NEW(&im->memory, onnx_items) : NULL;
        if (!items)
            return at && onnx_no_memory(im);
        for (uint32_t i = 0; i < v->items->n; i++)
            if (!enter_value(s, &v->items->at[i], &at[i], params, n))
                return false;
        *items = (onnx_items){at, v->items->n};
        own->items = items;
    } else if (!v->tensor && !v->known && tn_is_value(v->v)) {
        own->v = params[(*n)++] = tn_param_like(&im->b, v->v);
    }
    return true;
}

bool onnx_enter(const onnx_captures *s, onnx_scope *scope, tn_value *params)
{
    onnx_call *c = s->c;
    uint32_t n = 0;
    *scope =
        (onnx_scope){.outer = c->scope, .imports = c->scope->imports, .depth = c->scope->depth + 1};
    for (uint32_t i = 0; i < s->values.n; i++) {
        onnx_value own;
        if (!enter_value(s, s->values.at[i], &own, params, &n) || !onnx_define(c->im, scope, &own))
            return false;
    }
    return true;
}

/* ---- trials ---- */

bool onnx_trial_begin(onnx_trial *t, importer *im)
{
    diag_channel *d = &im->m->cx->diag;
    *t = (onnx_trial){.im = im,
                      .n_refusals = im->refusals.list.n,
                      .last_refusal = im->refusals.last,
                      .n_functions = im->m->functions.n,
                      .n_scopes = im->b.scopes.n};
    t->counts = ARENA_ARRAY(&im->memory, uint32_t, im->refusals.list.n);
    if (!t->counts)
        return onnx_no_memory(im);
    for (uint32_t i = 0; i < im->refusals.list.n; i++)
        t->counts[i] = im->refusals.list.at[i].count;
    diag_flush(d);
    t->n_errors = d->n_errors;
    t->sink = d->sink;
    d->sink = (tn_diagnostic_sink){0};
    return true;
}

bool onnx_trial_end(onnx_trial *t, bool ok)
{
    importer *im = t->im;
    diag_channel *d = &im->m->cx->diag;
    diag_flush(d);
    d->sink = t->sink;
    if (ok && im->b.status == TN_OK)
        return true;
    d->n_errors = t->n_errors;
    if (im->no_memory || im->b.status == TN_ERR_NOMEM || context_is_stopped(im->m->cx) ||
        im->n_nodes > im->m->cx->limits.nodes)
        return false;
    im->b.status = TN_OK;
    im->b.scopes.n = t->n_scopes;
    builder_forget(&im->b, t->n_functions);
    while (im->m->functions.n > t->n_functions)
        function_release(im->m->functions.at[--im->m->functions.n]);
    im->refusals.list.n = t->n_refusals;
    im->refusals.last = t->last_refusal;
    for (uint32_t i = 0; i < t->n_refusals; i++)
        im->refusals.list.at[i].count = t->counts[i];
    return true;
}
