/* Deep copies of modules, but for large constant data. Everything interned is interned anew, in the
 * same order, so that ids, symbols and types correspond one to one. */
#include "graph/module.h"

static bool copy_strings(const module *from, module *to)
{
    for (uint32_t i = 0; i < from->strings.n; i++)
        if (!module_string(to, from->strings.at[i], strlen(from->strings.at[i])))
            return false;
    return true;
}

/* The copy's string for a string of FROM. */
static const char *same_string(module *to, const char *s)
{
    return s ? module_string(to, s, strlen(s)) : NULL;
}

static bool copy_types(const module *from, module *to)
{
    for (uint32_t i = 0; i < from->types.exprs.n; i++) {
        dim_expr e = from->types.exprs.at[i];
        e.name = same_string(to, e.name);
        dim d = e.op == DIM_SYM ? dim_symbol(&to->types, e.name)
                                : dim_combine(&to->types, e.op, e.a, e.b);
        if (d != INT64_MIN + (dim)i)
            return false;
    }
    for (uint32_t i = 0; i < from->types.types.n; i++) {
        const type *t = from->types.types.at[i];
        if (!type_of(&to->types, t->dtype, t->dims, t->rank))
            return false;
    }
    return true;
}

static const type *same_type(module *to, const type *t)
{
    return type_of(&to->types, t->dtype, t->dims, t->rank);
}

/* Large data become a payload, so that they are copied once. */
static const literal *copy_literal(module *to, const literal *from)
{
    literal *l = arena_alloc(&to->arena, sizeof *l);
    void *data = NULL;
    if (!l)
        return NULL;
    *l = *from;
    l->type = same_type(to, from->type);
    if (!l->shared && from->bytes >= PAYLOAD_FROM)
        l->shared = payload_new(&to->cx->allocator, from->bytes, &data);
    else if (!l->shared)
        data = arena_alloc_aligned(&to->arena, from->bytes, 64);
    const bool is_held = !l->shared || module_hold(to, l->shared);
    if (l->shared && !from->shared)
        payload_drop(l->shared); /* TO holds it */
    if (!l->type || !is_held || (!from->shared && !data))
        return NULL;
    if (data) {
        memcpy(data, from->data, from->bytes);
        l->data = data;
    }
    return l;
}

static const dict_entry *copy_dict(module *to, const attr *from)
{
    dict_entry *own = ARENA_ARRAY(&to->arena, dict_entry, from->n);
    for (uint32_t i = 0; own && i < from->n; i++) {
        own[i] = from->v.dict[i];
        own[i].key = same_string(to, own[i].key);
        if (!own[i].key)
            return NULL;
        if (own[i].kind != ATTR_STRING)
            continue;
        const char **strings = ARENA_ARRAY(&to->arena, const char *, own[i].n);
        for (uint32_t k = 0; strings && k < own[i].n; k++)
            strings[k] = same_string(to, ((const char *const *)from->v.dict[i].values)[k]);
        if (!strings)
            return NULL;
        own[i].values = strings;
    }
    return own;
}

/* A with payload that belongs to TO; interning copies what is plain data. */
static bool copy_attr(module *to, attr *a)
{
    switch (attr_keys[a->key].kind) {
    case ATTR_STRING:
        return (a->v.s = same_string(to, a->v.s)) != NULL;
    case ATTR_TYPE:
        return (a->v.type = same_type(to, a->v.type)) != NULL;
    case ATTR_TYPES: {
        const type **types = ARENA_ARRAY(&to->arena, const type *, a->n);
        for (uint32_t i = 0; types && i < a->n; i++)
            if (!(types[i] = same_type(to, a->v.types[i])))
                return false;
        return (a->v.types = types) != NULL;
    }
    case ATTR_LITERAL:
        return (a->v.literal = copy_literal(to, a->v.literal)) != NULL;
    case ATTR_DICT:
        return (a->v.dict = copy_dict(to, a)) != NULL;
    case ATTR_INT:
    case ATTR_BOOL:
    case ATTR_FLOAT:
    case ATTR_INTS:
    case ATTR_WORD:
    case ATTR_DTYPE:
    case ATTR_SCALAR:
    case ATTR_FUNCTION:
        return true;
    }
    return false;
}

/* Attribute lists correspond by their index in the table; `lists` maps old to new. */
static const attrs *same_attrs(module *to, const attrs *from)
{
    attr *entries = arena_alloc(&to->arena, from->n * sizeof *entries);
    if (!entries)
        return NULL;
    memcpy(entries, from->at, from->n * sizeof *entries);
    for (uint32_t i = 0; i < from->n; i++)
        if (!copy_attr(to, &entries[i]))
            return NULL;
    return attrs_of(&to->attrs, entries, from->n);
}

const attrs *module_attrs_from(module *to, const attrs *from)
{
    return from == &attrs_none ? from : same_attrs(to, from);
}

static bool copy_ids(const tn_allocator *a, const value_id *from, uint32_t n, function *to,
                     bool outputs)
{
    for (uint32_t i = 0; i < n; i++)
        if (!(outputs ? VECTOR_PUSH(a, &to->outputs, from[i])
                      : VECTOR_PUSH(a, &to->inputs, from[i])))
            return false;
    return true;
}

static bool copy_names(const function *from, module *to, function *f)
{
    for (uint32_t i = 0; i < from->output_names.n; i++) {
        const char *name = from->output_names.at[i];
        name = module_string(to, name, strlen(name));
        if (!name || !VECTOR_PUSH(to->allocator, &f->output_names, name))
            return false;
    }
    return true;
}

static const uint32_t *copy_numbers(module *to, const uint32_t *from, uint32_t n)
{
    uint32_t *own = ARENA_ARRAY(&to->arena, uint32_t, n);
    if (own && n)
        memcpy(own, from, n * sizeof *own);
    return own;
}

static bool copy_remarks(const function *from, module *to, function *f)
{
    for (uint32_t i = 0; i < from->hints.n; i++) {
        fusion_hint h = from->hints.at[i];
        h.inputs = copy_numbers(to, h.inputs, h.n_inputs);
        h.exports = copy_numbers(to, h.exports, h.n_exports);
        h.nodes = copy_numbers(to, h.nodes, h.n_nodes);
        h.attrs = same_attrs(to, h.attrs);
        if (!h.inputs || !h.exports || !h.nodes || !h.attrs ||
            !VECTOR_PUSH(to->allocator, &f->hints, h))
            return false;
    }
    for (uint32_t i = 0; i < from->declared.n; i++) {
        declared_type d = from->declared.at[i];
        d.type = same_type(to, d.type);
        if (!d.type || !VECTOR_PUSH(to->allocator, &f->declared, d))
            return false;
    }
    for (uint32_t i = 0; i < from->tuples.n; i++) {
        input_tuple t = from->tuples.at[i];
        t.nesting = module_string(to, t.nesting, strlen(t.nesting));
        if (!t.nesting || !VECTOR_PUSH(to->allocator, &f->tuples, t))
            return false;
    }
    return true;
}

static bool copy_function(const function *from, module *to)
{
    function *f = module_add_function(to, from->name, strlen(from->name));
    if (!f || !VECTOR_RESERVE(to->allocator, &f->nodes, from->nodes.n) ||
        !VECTOR_RESERVE(to->allocator, &f->values, from->values.n))
        return false;
    f->is_region = from->is_region;
    const attrs *last_from = NULL, *last_to = NULL; /* neighbours often share a list */
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        node n = from->nodes.at[i];
        value_id *in = arena_alloc_aligned(&to->arena, n.n_in * sizeof *in, sizeof *in);
        if (!in)
            return false;
        if (n.n_in)
            memcpy(in, n.in, n.n_in * sizeof *in);
        n.in = in;
        if (n.attrs != &attrs_none && n.attrs != last_from) {
            last_from = n.attrs;
            last_to = same_attrs(to, n.attrs);
        }
        n.attrs = n.attrs == &attrs_none ? &attrs_none : last_to;
        n.name = same_string(to, n.name);
        n.tag = same_string(to, n.tag);
        if (!n.attrs)
            return false;
        f->nodes.at[f->nodes.n++] = n;
        to->n_nodes++;
    }
    for (uint32_t i = 0; i < from->values.n; i++) {
        value_info v = from->values.at[i];
        v.type = same_type(to, v.type);
        if (!v.type)
            return false;
        f->values.at[f->values.n++] = v;
    }
    return copy_remarks(from, to, f) && copy_names(from, to, f) &&
           copy_ids(to->allocator, from->inputs.at, from->inputs.n, f, false) &&
           copy_ids(to->allocator, from->outputs.at, from->outputs.n, f, true);
}

static bool copy_written(const module *from, module *to)
{
    for (uint32_t i = 0; i < from->written_sizes.n; i++) {
        written_size s = from->written_sizes.at[i];
        s.symbol = module_string(to, s.symbol, strlen(s.symbol));
        if (!s.symbol || !VECTOR_PUSH(to->allocator, &to->written_sizes, s))
            return false;
    }
    for (uint32_t i = 0; i < from->written_axes.n; i++) {
        written_axes a = from->written_axes.at[i];
        a.input = module_string(to, a.input, strlen(a.input));
        if (!a.input || !VECTOR_PUSH(to->allocator, &to->written_axes, a))
            return false;
    }
    return true;
}

static bool copy_all(const module *from, module *to)
{
    to->dialect = from->dialect;
    to->lowered_from = from->lowered_from;
    to->entry = from->entry;
    to->had_symbols = from->had_symbols;
    to->source = from->source;
    to->derived = from->derived;
    if (to->cx != from->cx)
        to->source.number = context_new_text(to->cx);
    to->text_block = from->text_block;
    if (from->text_block && !module_hold(to, from->text_block))
        return false;
    if (from->source.text) {
        if (!from->text_block)
            to->source.text = arena_copy_text(&to->arena, from->source.text, from->source.length);
        to->source.name = arena_copy_text(&to->arena, from->source.name, strlen(from->source.name));
        if (!to->source.text || !to->source.name)
            return false;
    }
    if (!copy_strings(from, to) || !copy_types(from, to))
        return false;
    for (uint32_t i = 0; i < from->functions.n; i++)
        if (!copy_function(from->functions.at[i], to))
            return false;
    for (uint32_t i = 0; i < from->gradients.n; i++)
        if (!VECTOR_PUSH(to->allocator, &to->gradients, from->gradients.at[i]))
            return false;
    return copy_written(from, to);
}

module *module_copy(const module *m)
{
    return module_copy_to(m, m->cx);
}

module *module_copy_to(const module *m, context *cx)
{
    module *copy = module_new(cx);
    if (copy && !copy_all(m, copy)) {
        module_free(copy);
        return NULL;
    }
    return copy;
}
