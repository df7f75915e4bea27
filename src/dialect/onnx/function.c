/* Functions of a model: their bodies are read in the place of each call. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/import.h"

static uint64_t hash_of(onnx_bytes domain, onnx_bytes name, onnx_bytes overload)
{
    const uint64_t h = hash_bytes(hash_bytes(0, name.at, name.n), domain.at, domain.n);
    return hash_bytes(h, overload.at, overload.n);
}

static const onnx_function *find(const importer *im, onnx_bytes domain, onnx_bytes name,
                                 onnx_bytes overload)
{
    const onnx_function *all = im->model->functions.at;
    const uint64_t h = hash_of(domain, name, overload);
    for (uint32_t p = hash_first(&im->functions, h), i;
         (i = hash_at(&im->functions, h, &p)) != HASH_NONE;)
        if (onnx_same(all[i].name, name) && onnx_same(all[i].domain, domain) &&
            onnx_same(all[i].overload, overload))
            return &all[i];
    return NULL;
}

const onnx_function *onnx_function_of(const onnx_call *c)
{
    return find(c->im, c->node->domain, c->node->op, c->node->overload);
}

bool onnx_function_index(importer *im)
{
    const onnx_function *all = im->model->functions.at;
    for (uint32_t i = 0; i < im->model->functions.n; i++) {
        const onnx_function *f = &all[i];
        if (!onnx_check_imports(im, f->imports))
            return false;
        if (find(im, f->domain, f->name, f->overload))
            (void)onnx_refuse_file(
                im, DIAG_MultipleDefinitions, onnx_text(im, f->name),
                "two functions of the domain '%.*s' are called '%.*s' (byte %zu)",
                ONNX_TEXT(f->domain), ONNX_TEXT(f->name),
                (size_t)(f->message.bytes.at - im->m->source.text));
        else if (!hash_add(im->m->allocator, &im->functions,
                           hash_of(f->domain, f->name, f->overload), i))
            return onnx_no_memory(im);
    }
    return !im->no_memory;
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
