/* The document: nodes in any order, made into a graph in an order that defines before use. */
#include "dialect/tiny/read/reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/text/text.h"
#include "dialect/tiny/tiny.h"
#include "ops/infer.h"

/* ---- reports ---- */

static void about(reader *r, const entry *e)
{
    if (e && *e->id)
        diag_node(&r->m->cx->diag, e->id);
}

bool fault(reader *r, const entry *e, diag_kind kind, span at, const char *format, ...)
{
    if (r->faults++ >= r->m->cx->limits.errors)
        return diag_flush(&r->m->cx->diag), false; /* enough was said; nothing adds to it now */
    va_list args;
    va_start(args, format);
    (void)diag_vreport(&r->m->cx->diag, kind, &r->m->source, at, format, args);
    va_end(args);
    about(r, e);
    return false;
}

/* Open a warning or note, if fewer than the limit of faults were said; else count it. */
static void say_mildly(reader *r, const entry *e, tn_severity severity, diag_kind kind, span at,
                       const char *format, va_list args) __attribute__((format(printf, 6, 0)));

static void say_mildly(reader *r, const entry *e, tn_severity severity, diag_kind kind, span at,
                       const char *format, va_list args)
{
    uint32_t *said = severity == TN_WARNING ? &r->warnings : &r->remarks;
    if ((*said)++ >= r->m->cx->limits.errors) {
        diag_flush(&r->m->cx->diag); /* nothing adds to the one before */
        return;
    }
    diag_vmild(&r->m->cx->diag, severity, kind, &r->m->source, at, format, args);
    about(r, e);
}

void warn(reader *r, const entry *e, diag_kind kind, span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_mildly(r, e, TN_WARNING, kind, at, format, args);
    va_end(args);
}

void remark(reader *r, const entry *e, span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_mildly(r, e, TN_NOTE, DIAG_Advice, at, format, args);
    va_end(args);
}

/* How many of the N warnings or notes that were to be said were beyond the limit. */
static void tell_unsaid(reader *r, uint32_t n, const char *what)
{
    diag_channel *d = &r->m->cx->diag;
    const uint32_t most = r->m->cx->limits.errors, left = n > most ? n - most : 0;
    r->remarks = 0; /* this one is shown */
    if (left)
        remark(r, NULL, NO_SPAN, "%" PRIu32 " more %s%s not shown; %s errors=0 shows all", left,
               what, left == 1 ? " is" : "s are", diag_setting_name(d, SETTING_LIMIT));
}

bool out_of_memory(reader *r)
{
    r->no_memory = true;
    return false;
}

bool is_strict(const reader *r)
{
    return r->options->strict;
}

void extension(reader *r, const entry *e, span at, const char *what)
{
    if (is_strict(r))
        warn(r, e, DIAG_Extension, at, "%s is an extension of the published text", what);
}

/* ---- ids ---- */

entry *entry_by_id(reader *r, const char *id, size_t length)
{
    const uint64_t h = hash_bytes(0, id, length);
    for (uint32_t p = hash_first(&r->by_id, h), i; (i = hash_at(&r->by_id, h, &p)) != HASH_NONE;) {
        entry *e = &r->entries.at[i];
        if (strlen(e->id) == length && memcmp(e->id, id, length) == 0)
            return e;
    }
    return NULL;
}

static bool is_made_id(const reader *r, const char *id)
{
    const uint64_t h = hash_bytes(0, id, strlen(id));
    for (uint32_t p = hash_first(&r->by_made_id, h), i;
         (i = hash_at(&r->by_made_id, h, &p)) != HASH_NONE;)
        if (strcmp(r->made_ids.at[i], id) == 0)
            return true;
    return false;
}

const char *fresh_id(reader *r, const char *stem, const char *word)
{
    const tn_allocator *a = r->m->allocator;
    for (uint32_t k = 1;; k++) {
        const char *id = k == 1 ? arena_printf(&r->memory, "%s_%s", stem, word)
                                : arena_printf(&r->memory, "%s_%s_%" PRIu32, stem, word, k);
        if (id && (entry_by_id(r, id, strlen(id)) || is_made_id(r, id)))
            continue;
        const char *own = id ? module_string(r->m, id, strlen(id)) : NULL;
        if (own && VECTOR_PUSH_INDEXED(a, &r->made_ids, own, &r->by_made_id,
                                       hash_bytes(0, own, strlen(own))))
            return own;
        (void)out_of_memory(r);
        return NULL;
    }
}

/* ---- nodes of the graph ---- */

const type *type_at(const reader *r, value_id v)
{
    return value_type(r->f, v);
}

axis *new_axes(reader *r, uint32_t n)
{
    axis *axes = ARENA_ARRAY(&r->memory, axis, n);
    for (uint32_t i = 0; axes && i < n; i++)
        axes[i].id = r->next_axis++;
    if (!axes)
        (void)out_of_memory(r);
    return axes;
}

bool add_node(reader *r, const node_desc *desc, value_id *v)
{
    const tn_status s = function_add(r->f, desc, v);
    if (s == TN_OK)
        return true;
    if (s == TN_ERR_NOMEM)
        return out_of_memory(r);
    r->faults++;
    return false;
}

bool add_entry(reader *r, entry *e, op_id op, const value_id *in, uint32_t n_in, attr *entries,
               uint32_t n)
{
    const attrs *own = attrs_of(&r->m->attrs, entries, n);
    node_desc desc = {.op = op,
                      .in = in,
                      .n_in = n_in,
                      .attrs = own,
                      .at = e->at,
                      .name = e->id,
                      .tag = e->tag,
                      .spelling = e->spelling};
    value_id v;
    if (!own)
        return out_of_memory(r);
    if (!add_node(r, &desc, &v))
        return false;
    e->value.v = v;
    return true;
}

/* ---- INPUT ---- */

/* The input of this tensor that was read before, or NULL. */
static entry *input_of_tensor(const reader *r, const char *tensor, uint64_t h)
{
    for (uint32_t p = hash_first(&r->by_tensor, h), i;
         (i = hash_at(&r->by_tensor, h, &p)) != HASH_NONE;)
        if (attr_string(node_of(r->f, r->inputs.at[i]->value.v)->attrs, KEY_NAME) == tensor)
            return r->inputs.at[i];
    return NULL;
}

static bool alias(reader *r, entry *e, const entry *first, const type *t)
{
    if (type_at(r, first->value.v) != t)
        return fault(r, e, DIAG_InvalidAttribute, e->at,
                     "the tensor of '%s' is declared with another dtype or shape by '%s'", e->id,
                     first->id);
    e->value = first->value;
    return true;
}

static bool has_letters(json_text t)
{
    for (uint32_t i = 0; i < t.n; i++)
        if (isalpha((unsigned char)t.at[i]) || t.at[i] == '_')
            return true;
    return false;
}

/* Extents that are numbers because 'dims' says so; data that differ give a symbol two values. */
static bool note_written_axes(reader *r, const char *tensor, const json_value *shape, const type *t)
{
    written_axes w = {tensor, 0};
    for (uint32_t i = 0; i < t->rank && r->sizes.n; i++)
        if (shape->items[i].kind == JSON_STRING && !dim_is_symbolic(t->dims[i]) &&
            has_letters(shape->items[i].text))
            w.axes |= 1U << i;
    return !w.axes || VECTOR_PUSH(r->m->allocator, &r->m->written_axes, w) || out_of_memory(r);
}

bool read_input(reader *r, entry *e)
{
    dim dims[TN_MAX_RANK];
    const char *names[TN_MAX_RANK] = {0};
    uint32_t rank;
    tn_dtype d;
    operand none[1];
    if (!read_operands(r, e, none) || !check_keys(r, e, NULL))
        return false;
    const json_value *id = need(r, e, "tensor_id"), *dt = id ? need(r, e, "dtype") : NULL;
    const json_value *shape = dt ? need(r, e, "shape") : NULL;
    if (!shape || !read_dtype(r, e, dt, "dtype", &d) ||
        !read_sizes(r, e, shape, "shape", 0, dims, names, &rank))
        return false;
    if (id->kind != JSON_STRING || id->text.n == 0)
        return fault(r, e, DIAG_InvalidAttribute, id->at, "'tensor_id' must be a name");
    const char *tensor = module_string(r->m, id->text.at, id->text.n);
    const type *t = type_of(&r->m->types, d, dims, rank);
    axis *axes = new_axes(r, rank);
    if (!tensor || !t || !axes)
        return out_of_memory(r);
    const uint64_t h = hash_bytes(0, tensor, strlen(tensor));
    const entry *first = input_of_tensor(r, tensor, h);
    if (first)
        return alias(r, e, first, t);
    for (uint32_t i = 0; i < rank; i++)
        axes[i].name = names[i];
    e->value.axes = axes;
    if (!note_written_axes(r, tensor, shape, t))
        return false;
    attr given[] = {{.key = KEY_NAME, .v.s = tensor}, {.key = KEY_TYPE, .v.type = t}};
    const tn_allocator *a = r->m->allocator;
    if (!add_entry(r, e, OP_INPUT, NULL, 0, given, 2))
        return false;
    return VECTOR_PUSH_INDEXED(a, &r->inputs, e, &r->by_tensor, h) || out_of_memory(r);
}

/* ---- one node ---- */

static bool read_entry(reader *r, entry *e)
{
    operand in[1];
    if (!e->uop->published && e->uop->kind != TINY_POOL)
        extension(r, e, e->at, arena_printf(&r->memory, "'%s'", e->uop->name));
    switch (e->uop->kind) {
    case TINY_INPUT:
        return read_input(r, e);
    case TINY_CONST:
        return read_const(r, e);
    case TINY_MAP:
    case TINY_CAST:
    case TINY_COMPARE:
    case TINY_WHERE:
        return read_elementwise(r, e);
    case TINY_RESHAPE:
    case TINY_PERMUTE:
    case TINY_EXPAND:
    case TINY_PAD:
    case TINY_SHRINK:
    case TINY_FLIP:
    case TINY_VIEW:
    case TINY_POOL:
    case TINY_REDUCE:
        break;
    }
    if (!read_operands(r, e, in))
        return false;
    if (!in[0].of)
        return fault(r, e, DIAG_InvalidImmediate, in[0].text->at,
                     "'%s' takes a node; write an immediate as a CONST", e->uop->name);
    if (!e->arg)
        return fault(r, e, DIAG_MissingAttribute, e->at, "'%s' needs 'arg'", e->uop->name);
    return e->uop->kind == TINY_REDUCE ? read_reduce(r, e, &in[0].of->value)
                                       : read_movement(r, e, &in[0].of->value);
}

/* ---- the document ---- */

static bool read_src(reader *r, entry *e, const json_value *src)
{
    if (src->kind != JSON_ARRAY)
        return fault(r, e, DIAG_InvalidAttribute, src->at, "'src' must be a list");
    for (uint32_t k = 0; k < src->n; k++) {
        const json_value *v = &src->items[k];
        const bool constant = v->kind == JSON_OBJECT && v->n == 1 && json_is(v->keys[0], "const");
        if (v->kind != JSON_STRING && v->kind != JSON_NUMBER && v->kind != JSON_BOOL && !constant)
            return fault(r, e, DIAG_InvalidAttribute, v->at,
                         "a source is the id of a node, a number or a bool");
    }
    e->src = src;
    return true;
}

static bool unknown_uop(reader *r, const entry *e, const json_value *uop)
{
    suggestion like;
    suggest_begin(&like, uop->text.at, uop->text.n);
    tiny_suggest_uop(&like);
    (void)fault(r, e, DIAG_UnknownOp, uop->at, "there is no operation '%.*s'",
                uop->text.n < 100 ? (int)uop->text.n : 100, uop->text.at);
    suggest_fix(&like, &r->m->cx->diag, uop->at, "\"");
    return false;
}

/* Fields of node V but its id. */
static bool read_fields(reader *r, entry *e, const json_value *v)
{
    const json_value *uop = NULL;
    bool ok = true;
    for (uint32_t i = 0; i < v->n; i++) {
        const json_text key = v->keys[i];
        const json_value *field = &v->items[i];
        if (json_is(key, "id"))
            continue;
        if (json_is(key, "uop")) {
            uop = field;
        } else if (json_is(key, "src")) {
            ok = read_src(r, e, field) && ok;
        } else if (json_is(key, "arg")) {
            e->arg = field;
            if (field->kind != JSON_OBJECT)
                ok = fault(r, e, DIAG_InvalidAttribute, field->at, "'arg' must be an object");
        } else if (json_is(key, "tag")) {
            if (field->kind != JSON_STRING)
                ok = fault(r, e, DIAG_InvalidAttribute, field->at, "'tag' must be a text");
            else if (!(e->tag = module_string(r->m, field->text.at, field->text.n)))
                return out_of_memory(r);
        } else if (json_is(key, "out") || json_is(key, "name")) {
            ok = fault(r, e, DIAG_InvalidAttribute, key.where,
                       "nodes have no '%.*s'; their 'id' is all that names them", (int)key.n,
                       key.at);
        } else {
            remark(r, e, key.where, "'%.*s' has no meaning here and is ignored",
                   key.n < 100 ? (int)key.n : 100, key.at);
        }
    }
    if (!uop || uop->kind != JSON_STRING)
        return fault(r, e, uop ? DIAG_InvalidAttribute : DIAG_MissingAttribute,
                     uop ? uop->at : v->at, "a node needs 'uop', the name of its operation");
    e->uop = tiny_uop_by_name(uop->text);
    return e->uop ? ok : unknown_uop(r, e, uop);
}

static bool declare(reader *r, const json_value *v, uint32_t index)
{
    entry *e = &r->entries.at[index];
    const json_value *id = json_member_of(v, "id");
    *e = (entry){.at = v->at, .id = "", .faulty = true, .value.v = NO_VALUE};
    const bool lost_ids = r->lost_ids;
    r->lost_ids = true;
    if (v->kind != JSON_OBJECT)
        return fault(r, e, DIAG_SyntaxError, v->at, "a node must be an object");
    if (!id || id->kind != JSON_STRING || id->text.n == 0)
        return fault(r, e, id ? DIAG_InvalidAttribute : DIAG_MissingAttribute, id ? id->at : v->at,
                     "a node needs an 'id', a text that is not empty");
    if (entry_by_id(r, id->text.at, id->text.n))
        return fault(r, e, DIAG_MultipleDefinitions, id->at, "two nodes have the id '%.*s'",
                     id->text.n < 100 ? (int)id->text.n : 100, id->text.at);
    r->lost_ids = lost_ids;
    e->id = module_string(r->m, id->text.at, id->text.n);
    if (!e->id ||
        !hash_add(r->m->allocator, &r->by_id, hash_bytes(0, id->text.at, id->text.n), index)) {
        e->id = "";
        return out_of_memory(r);
    }
    e->id_at = id->at;
    e->faulty = !read_fields(r, e, v);
    return !e->faulty;
}

static bool read_dims(reader *r, const json_value *dims)
{
    if (dims->kind != JSON_OBJECT)
        return fault(r, NULL, DIAG_SyntaxError, dims->at, "'dims' must be an object");
    for (uint32_t i = 0; i < dims->n; i++) {
        const json_text key = dims->keys[i];
        const json_value *v = &dims->items[i];
        if (!is_name(key.at, key.n))
            return fault(r, NULL, DIAG_InvalidAttribute, key.where, "this is no name of a size");
        if (v->kind != JSON_NUMBER || !v->number.is_integer || !v->number.fits_i64 ||
            v->number.i < 0)
            return fault(r, NULL, DIAG_InvalidAttribute, v->at, "a size is a whole number >= 0");
        if (v->number.i == DIM_NO_MEMORY)
            return fault(r, NULL, DIAG_InvalidAttribute, v->at, "the size is too large");
        note_size(r, key.at, key.n);
        bound_size s = {module_string(r->m, key.at, key.n), v->number.i};
        const written_size written = {s.name, v->number.i};
        if (!s.name || !VECTOR_PUSH(r->m->allocator, &r->sizes, s) ||
            !VECTOR_PUSH(r->m->allocator, &r->m->written_sizes, written))
            return out_of_memory(r);
    }
    return true;
}

/* Everything but the meaning of nodes. */
static bool read_document(reader *r)
{
    const json_value *root = &r->root, *uops = json_member_of(root, "uops");
    const json_value *dims = json_member_of(root, "dims");
    if (root->kind != JSON_OBJECT || !uops || uops->kind != JSON_ARRAY)
        return fault(r, NULL, DIAG_SyntaxError, uops ? uops->at : root->at,
                     uops ? "'uops' must be a list of nodes"
                          : "a program is an object with the list 'uops'");
    for (uint32_t i = 0; i < root->n; i++) {
        const json_text key = root->keys[i];
        if (!json_is(key, "uops") && !json_is(key, "outputs") && !json_is(key, "dims"))
            remark(r, NULL, key.where, "'%.*s' has no meaning here and is ignored",
                   key.n < 100 ? (int)key.n : 100, key.at);
    }
    if (uops->n > r->m->cx->limits.nodes)
        return fault(r, NULL, DIAG_LimitExceeded, uops->at,
                     "%" PRIu32 " node%s; the limit is %" PRIu32, uops->n, plural(uops->n),
                     r->m->cx->limits.nodes);
    if (dims && !read_dims(r, dims))
        return false;
    if (!VECTOR_RESERVE(r->m->allocator, &r->entries, uops->n))
        return out_of_memory(r);
    r->entries.n = uops->n;
    for (uint32_t i = 0; i < uops->n && !r->no_memory; i++)
        (void)declare(r, &uops->items[i], i);
    return !r->no_memory;
}

/* ---- order ---- */

typedef struct step {
    entry *of;
    uint32_t next; /* source to look at */
} step;

typedef struct sorter {
    reader *r;
    VECTOR(step) path;
    uint32_t inputs; /* all inputs listed before this entry are done */
} sorter;

static void report_cycle(sorter *s, const entry *back)
{
    reader *r = s->r;
    uint32_t from = s->path.n - 1;
    while (from > 0 && s->path.at[from].of != back)
        from--;
    text_buffer text;
    text_init(&text, r->m->allocator);
    for (uint32_t i = from; i < s->path.n; i++) {
        if (i - from == 20 && i + 1 < s->path.n) {
            text_puts(&text, "... <- ");
            i = s->path.n - 1;
        }
        text_printf(&text, "'%s' <- ", s->path.at[i].of->id);
    }
    text_printf(&text, "'%s'", back->id);
    const char *path = text_c_string(&text);
    (void)fault(r, back, DIAG_Cycle, back->at, "'%s' depends on itself: %s", back->id,
                path ? path : "");
    text_release(&text);
}

static bool finish(reader *r, entry *e)
{
    e->open = false;
    e->done = true;
    if (!e->faulty && !read_entry(r, e)) {
        e->faulty = true;
        e->value.v = NO_VALUE;
    }
    return !r->no_memory;
}

/* The next source of the step on top that is a node, or NULL. */
static entry *next_source(reader *r, step *top)
{
    const json_value *src = top->of->src;
    while (src && top->next < src->n) {
        const json_value *v = &src->items[top->next++];
        if (v->kind != JSON_STRING)
            continue;
        entry *e = entry_by_id(r, v->text.at, v->text.n);
        if (e)
            return e;
        top->of->faulty = true;
        if (r->lost_ids)
            continue;
        (void)fault(r, top->of, DIAG_UndefinedName, v->at, "there is no node '%.*s'",
                    v->text.n < 100 ? (int)v->text.n : 100, v->text.at);
    }
    return NULL;
}

/* Inputs come in the order of the list, whatever refers to them first. */
static bool visit_inputs(sorter *s, const entry *last)
{
    for (; s->inputs < s->r->entries.n && &s->r->entries.at[s->inputs] <= last; s->inputs++) {
        entry *e = &s->r->entries.at[s->inputs];
        if (e->uop && e->uop->kind == TINY_INPUT && !e->src && !e->done && !e->open &&
            !finish(s->r, e))
            return false;
    }
    return true;
}

/* Read FIRST after everything it needs. */
static bool visit(sorter *s, entry *first)
{
    const tn_allocator *a = s->r->m->allocator;
    s->path.n = 0;
    if (!VECTOR_PUSH(a, &s->path, ((step){first, 0})))
        return out_of_memory(s->r);
    first->open = true;
    while (s->path.n) {
        step *top = &s->path.at[s->path.n - 1];
        entry *e = next_source(s->r, top);
        if (!e) {
            entry *done = top->of;
            s->path.n--;
            if (!finish(s->r, done))
                return false;
            continue;
        }
        e->used = true;
        if (e->uop && e->uop->kind == TINY_INPUT && !e->done && !visit_inputs(s, e))
            return false;
        if (e->open) {
            report_cycle(s, e);
            top->of->faulty = true;
        } else if (!e->done) {
            e->open = true;
            if (!VECTOR_PUSH(a, &s->path, ((step){e, 0})))
                return out_of_memory(s->r);
        }
    }
    return true;
}

static bool read_entries(reader *r)
{
    sorter s = {.r = r};
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->entries.n; i++)
        if (!r->entries.at[i].done)
            ok = visit(&s, &r->entries.at[i]);
    VECTOR_RELEASE(r->m->allocator, &s.path);
    return ok;
}

/* ---- outputs ---- */

static bool add_output(reader *r, const entry *e)
{
    if (e->value.v == NO_VALUE)
        return true; /* reported */
    return function_add_output(r->f, e->value.v) == TN_OK || out_of_memory(r);
}

static bool read_outputs(reader *r)
{
    const json_value *list = json_member_of(&r->root, "outputs");
    uint32_t n = 0;
    if (list && list->kind != JSON_ARRAY)
        return fault(r, NULL, DIAG_SyntaxError, list->at, "'outputs' must be a list of ids");
    for (uint32_t i = 0; list && i < list->n; i++, n++) {
        const json_value *v = &list->items[i];
        const entry *e = v->kind == JSON_STRING ? entry_by_id(r, v->text.at, v->text.n) : NULL;
        if (!e && r->lost_ids && v->kind == JSON_STRING)
            return false;
        if (!e)
            return v->kind == JSON_STRING
                       ? fault(r, NULL, DIAG_UndefinedOutput, v->at, "there is no node '%.*s'",
                               v->text.n < 100 ? (int)v->text.n : 100, v->text.at)
                       : fault(r, NULL, DIAG_UndefinedOutput, v->at,
                               "an output is the id of a node");
        if (!add_output(r, e))
            return false;
    }
    for (uint32_t i = 0; !list && i < r->entries.n; i++) {
        const entry *e = &r->entries.at[i];
        if (e->used || (e->uop && e->uop->kind == TINY_INPUT))
            continue;
        n++;
        if (!add_output(r, e))
            return false;
    }
    return n > 0 || r->faults > 0 ||
           fault(r, NULL, DIAG_MissingOutputs, r->root.at, "the program has no output");
}

static tn_status read_all(reader *r)
{
    TN_TRY(json_tree_read(r->m->cx, &r->m->source, &r->memory, &r->root));
    r->f = module_add_function(r->m, "main", 4);
    if (!r->f)
        return module_no_memory(r->m);
    const bool ok = read_document(r) && read_entries(r) && read_outputs(r);
    const uint32_t remarks = r->remarks;
    tell_unsaid(r, r->warnings, "warning");
    tell_unsaid(r, remarks, "note");
    if (r->m->cx->names && !r->no_memory)
        tiny_note_names(r);
    if (r->no_memory)
        return module_no_memory(r->m);
    return ok && r->faults == 0 ? TN_OK : TN_ERR_REJECTED;
}

tn_status tiny_read(module *m, const read_options *options)
{
    const tn_allocator *a = m->allocator;
    reader r = {.m = m, .options = options};
    m->source.restate = tiny_restate;
    arena_init(&r.memory, a);
    const tn_status s = read_all(&r);
    VECTOR_RELEASE(a, &r.entries);
    VECTOR_RELEASE(a, &r.made_ids);
    VECTOR_RELEASE(a, &r.inputs);
    VECTOR_RELEASE(a, &r.sizes);
    hash_release(a, &r.by_id);
    hash_release(a, &r.by_made_id);
    hash_release(a, &r.by_tensor);
    arena_release(&r.memory);
    return s;
}
