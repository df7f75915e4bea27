/* Functions of a model: their bodies are read in the place of each call. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/import.h"

const onnx_function *onnx_function_of(const onnx_call *c)
{
    const onnx_function *all = c->im->model->functions.at;
    const onnx_node *n = c->node;
    for (uint32_t i = 0; i < c->im->model->functions.n; i++)
        if (onnx_same(all[i].name, n->op) && onnx_same(all[i].domain, n->domain) &&
            onnx_same(all[i].overload, n->overload))
            return &all[i];
    return NULL;
}

static const onnx_attribute *named(onnx_list list, onnx_bytes name)
{
    const onnx_attribute *attributes = list.at;
    for (uint32_t i = 0; i < list.n; i++)
        if (onnx_same(attributes[i].name, name))
            return &attributes[i];
    return NULL;
}

const onnx_attribute *onnx_referred(const onnx_scope *scope, const onnx_attribute *a)
{
    while (a && a->refers.n) {
        while (scope && !scope->call)
            scope = scope->outer;
        if (!scope)
            return NULL;
        const onnx_attribute *given = named(scope->call->node->attributes, a->refers);
        if (!given)
            return named(scope->function->defaults, a->refers);
        a = given;
        scope = scope->call->scope;
    }
    return a;
}

static bool define_inputs(onnx_call *c, onnx_scope *body, const onnx_function *f)
{
    const onnx_bytes *names = f->inputs.at;
    if (c->n_in > f->inputs.n)
        return onnx_refuse(c, DIAG_ArityMismatch, "%" PRIu32 " input%s for a function of %" PRIu32,
                           c->n_in, plural(c->n_in), f->inputs.n);
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        onnx_value v = {.is_absent = true};
        if (onnx_has_in(c, i))
            v = *c->in[i];
        v.name = names[i];
        if (!onnx_define(c->im, body, &v))
            return false;
    }
    return true;
}

bool onnx_call_function(onnx_call *c, const onnx_function *f)
{
    const onnx_bytes *results = f->outputs.at;
    onnx_scope body = {
        .imports = f->imports, .call = c, .function = f, .depth = c->scope->depth + 1};
    if (body.depth > c->im->m->cx->limits.nesting)
        return onnx_refuse(c, DIAG_LimitExceeded, "functions call each other too deeply");
    if (c->n_out > f->outputs.n)
        return onnx_refuse(c, DIAG_ArityMismatch, "%" PRIu32 " output%s of a function of %" PRIu32,
                           c->n_out, plural(c->n_out), f->outputs.n);
    bool ok = define_inputs(c, &body, f) && onnx_read_nodes(c->im, &body, f->nodes.at, f->nodes.n);
    for (uint32_t i = 0; ok && i < c->n_out; i++)
        ok = onnx_give_named(c, i, &body, results[i]);
    onnx_scope_release(c->im, &body);
    return ok;
}
