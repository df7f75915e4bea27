/* A tree to the functions of a module: finding the entry, its interface, and checking the rest. */
#include <stdio.h>
#include <string.h>

#include "dialect/mind_source/lower.h"

/* ---- the interface ---- */

/* One parameter of the entry as inputs: one for a tensor, one for each part of a tuple. */
static value input_for(lowering *l, const char *name, const type_ref *t, span at)
{
    if (t->kind == TYPE_TUPLE) {
        value *items = ARENA_ARRAY(&l->s->memory, value, t->n);
        uint32_t n = 0;
        if (!items)
            return lowering_no_memory(l);
        for (const type_ref *part = t->first; part; part = part->next) {
            char *own = arena_printf(&l->s->m->arena, "%s.%" PRIu32, name, n);
            if (!own)
                return lowering_no_memory(l);
            items[n++] = input_for(l, own, part, at);
        }
        return (value){.kind = V_TUPLE, .n = n, .u.items = items};
    }
    if (t->kind == TYPE_UNIT)
        return (value){.kind = V_UNIT};
    if (t->kind != TYPE_TENSOR)
        return lowering_fault(l, DIAG_UnknownOp, t->at, "an input of type %s", ref_words(l, t));
    return tensor_value(lowering_input(l, name, t->tensor, at));
}

enum { DEEPEST_TUPLE = 1000 };

/* V as outputs: one for a tensor, several for a tuple, none for unit. V lies in DEPTH tuples. */
static void add_outputs(lowering *l, const value *v, uint32_t depth, span at)
{
    if (v->kind == V_BAD || v->kind == V_UNIT || !lowering_step(l, at))
        return;
    if (depth == DEEPEST_TUPLE) {
        (void)lowering_fault(l, DIAG_LimitExceeded, at, "more than %d tuples in each other",
                             DEEPEST_TUPLE);
        l->s->status = TN_ERR_REJECTED;
        return;
    }
    for (uint32_t i = 0; v->kind == V_TUPLE && i < v->n; i++)
        add_outputs(l, &v->u.items[i], depth + 1, at);
    if (v->kind == V_TUPLE)
        return;
    value_id id = lowering_tensor(l, *v, at, TN_DTYPE_COUNT);
    if (id == NO_VALUE)
        return;
    tn_status status = function_add_output(l->f, id);
    if (status != TN_OK)
        l->s->status = status;
}

/* ---- entries ---- */

static void lower_script(lowering *l, bool has_result)
{
    frame own = {.owner = 0};
    value last = {.kind = V_UNIT};
    span at = NO_SPAN;
    l->frame = &own;
    for (const stmt *s = l->tree->script; s && !surface_stopped(l->s); s = s->next) {
        /* a block of one statement, whose bindings stay */
        stmt alone = *s;
        alone.next = NULL;
        alone.is_value = true;
        l->scope = l->globals;
        const scope *before = l->scope;
        last = lowering_top_statement(l, &alone);
        at = s->value ? s->value->at : s->at;
        if (l->scope != before)
            l->globals = l->scope;
    }
    if (has_result)
        add_outputs(l, &last, 0, at);
    l->frame = NULL;
}

static void lower_entry(lowering *l, function_decl *d, const closure *c)
{
    value *arguments = ARENA_ARRAY(&l->s->memory, value, d->n_params);
    span *at = ARENA_ARRAY(&l->s->memory, span, d->n_params);
    uint32_t n = 0, errors = surface_errors(l->s);
    if (!arguments || !at) {
        surface_no_memory(l->s);
        return;
    }
    for (const param *p = d->params; p; p = p->next) {
        arguments[n] = input_for(l, p->name, p->type, p->at);
        at[n++] = p->at;
    }
    d->state = CHECKING; /* its first use as the entry is its check */
    value v = lowering_entry_call(l, c, arguments);
    d->state = surface_errors(l->s) == errors ? CLEAN : FAULTY;
    add_outputs(l, &v, 0, d->result ? d->result->at : lowering_result_place(d));
}

static function_decl *find_function(const tree *t, const char *name)
{
    function_decl *found = NULL;
    for (function_decl *d = t->functions; d; d = d->next)
        if (strcmp(d->name, name) == 0)
            found = d;
    return found;
}

static bool only_bindings(const stmt *s)
{
    for (; s; s = s->next)
        if (s->kind != S_LET && s->kind != S_DECLARE)
            return false;
    return true;
}

/* The function to compile; NULL with *IS_SCRIPT, or after a report. */
static function_decl *choose_entry(lowering *l, bool *is_script)
{
    const tree *t = l->tree;
    const char *name = l->s->options->entry;
    *is_script = false;
    if (name) {
        function_decl *d = find_function(t, name);
        if (!d && !t->lost_function)
            (void)lowering_fault(l, DIAG_UndefinedName, NO_SPAN,
                                 "the program has no function '%.100s'", name);
        return d;
    }
    function_decl *main_function = find_function(t, "main");
    if (t->script && (!main_function || !only_bindings(t->script))) {
        *is_script = true;
        return NULL;
    }
    if (main_function)
        return main_function;
    function_decl *last = t->functions;
    while (last && last->next)
        last = last->next;
    if (!last && surface_errors(l->s) == 0)
        (void)lowering_fault(l, DIAG_SyntaxError, (span){(uint32_t)l->s->m->source.length, 0},
                             "found the end of the text, expected a function or an expression");
    return last;
}

static void bind_functions(lowering *l, closure *closures)
{
    uint32_t n = 0;
    for (function_decl *d = l->tree->functions; d; d = d->next, n++) {
        function_decl *earlier = l->tree->functions;
        while (earlier != d && earlier->name != d->name)
            earlier = earlier->next;
        if (earlier != d) {
            (void)lowering_fault(l, DIAG_MultipleDefinitions, d->at,
                                 "the function '%.100s' is defined twice", d->name);
            diag_note(&l->s->m->cx->diag, &l->s->m->source, earlier->at, "the first is here");
        }
        closures[n] = (closure){.decl = d}; /* sees what stands in l->globals then */
        (void)lowering_bind(l, d->name, d->at,
                            (value){.kind = V_FUNCTION, .u.closure = &closures[n]});
    }
    l->globals = l->scope;
}

void lowering_tree(surface *s, tree *t)
{
    lowering l = {.s = s, .tree = t};
    uint32_t n = 0;
    bool is_script;
    l.f = module_add_function(s->m, "main", 4);
    for (const function_decl *d = t->functions; d; d = d->next)
        n++;
    closure *closures = ARENA_ARRAY(&s->memory, closure, n);
    l.option_inputs = ARENA_ARRAY(&s->memory, value_id, s->options->n_inputs);
    if (!l.f || !closures || !l.option_inputs) {
        surface_no_memory(s);
        return;
    }
    for (size_t i = 0; i < s->options->n_inputs; i++)
        l.option_inputs[i] = NO_VALUE;
    bind_functions(&l, closures);
    const function_decl *entry = choose_entry(&l, &is_script);
    l.is_script = is_script;
    lower_script(&l, is_script);
    n = 0;
    for (function_decl *d = t->functions; d && !surface_stopped(s); d = d->next, n++) {
        l.scope = l.globals;
        if (d == entry && !d->has_syntax_errors)
            lower_entry(&l, d, &closures[n]);
        else
            (void)lowering_checked(&l, &closures[n]);
        lowering_note_names(&l, &closures[n]);
    }
    hash_release(s->m->allocator, &l.by_content);
    hash_release(s->m->allocator, &l.inputs);
}
