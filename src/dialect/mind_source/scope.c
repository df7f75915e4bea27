/* Scopes: which values names are bound to, and what editors hear of them. */
#include <string.h>

#include "dialect/mind_source/lower.h"

static uint64_t hash_name(const char *name)
{
    return hash_mix(1, (uint64_t)(uintptr_t)name); /* interned: the address is the name */
}

/* OUTER with B in it; NULL without memory. */
static const scope *scope_with(lowering *l, const scope *outer, const binding *b)
{
    uint64_t hash = hash_name(b->name);
    const scope *root = NULL, **to = &root;
    for (;;) {
        scope *copy = ARENA_NEW(&l->s->memory, scope);
        if (!copy) {
            surface_no_memory(l->s);
            return NULL;
        }
        *to = copy;
        bool here = !outer || outer->binding->name == b->name;
        if (outer)
            *copy = *outer;
        if (here) {
            copy->hash = hash;
            copy->binding = b;
            return root;
        }
        int side = hash >= copy->hash;
        to = &copy->below[side];
        outer = copy->below[side];
    }
}

/* Tell an editor that a name at AT is bound to V. */
static void note_definition(lowering *l, span at, const value *v)
{
    name_table *names = l->s->m->cx->names;
    const bool is_function = v->kind == V_FUNCTION;
    name_definition d = {.kind = is_function ? NAMED_FUNCTION : NAMED_VALUE, .at = at};
    if (!names)
        return;
    if (v->kind != V_BAD && !is_function)
        d.detail = value_words(l, v);
    if (is_function && v->u.closure->decl)
        d.whole = span_between(at, v->u.closure->decl->body_at);
    const char *behind = surface_text(l->s, at) + at.length;
    d.is_inferred = v->kind == V_TENSOR && behind[strspn(behind, " \t")] != ':';
    names_define(names, &d);
}

const binding *lowering_bind(lowering *l, const char *name, span at, value v)
{
    note_definition(l, at, &v);
    binding *b = ARENA_NEW(&l->s->memory, binding);
    value *held = ARENA_NEW(&l->s->memory, value);
    if (!b || !held) {
        surface_no_memory(l->s);
        return NULL;
    }
    *held = v;
    *b = (binding){.name = name, .at = at, .value = held};
    b->owner = l->frame ? l->frame->owner : 0;
    const scope *with = scope_with(l, l->scope, b);
    if (!with)
        return NULL;
    l->scope = with;
    return b;
}

const binding *lowering_find(const lowering *l, const char *name)
{
    uint64_t hash = hash_name(name);
    const scope *s = l->scope;
    while (s && s->binding->name != name)
        s = s->below[hash >= s->hash];
    return s ? s->binding : NULL;
}

const binding *lowering_use(const lowering *l, const char *name, span at)
{
    const binding *b = lowering_find(l, name);
    if (b)
        names_use(l->s->m->cx->names, at, b->at);
    return b;
}
