/* Calls, which are inlined. */
#include <string.h>

#include "dialect/mind_source/lower.h"

/* ---- calling functions of the program ---- */

span lowering_result_place(const function_decl *d)
{
    if (d->value)
        return d->value->at;
    const stmt *last = d->body;
    while (last && last->next)
        last = last->next;
    if (!last)
        return d->at;
    return last->value && (last->is_value || last->kind == S_RETURN) ? last->value->at : last->at;
}

/* The body of C, whose parameters are bound. */
static value run_body(lowering *l, const closure *c)
{
    const function_decl *d = c->decl;
    value v = d->value ? lowering_expr(l, d->value) : lowering_block(l, d->body);
    if (l->frame->returned)
        return l->frame->result;
    return d->result ? lowering_as(l, v, d->result, lowering_result_place(d), false) : v;
}

static value recursion(lowering *l, const function_decl *d, span at)
{
    return lowering_fault(l, DIAG_UnknownOp, at, "recursion, here of '%.100s'",
                          d->name ? d->name : "a closure");
}

/* Bind the parameters to ARGUMENTS and evaluate the body in a frame of its own. */
static value inline_call(lowering *l, const closure *c, const value *arguments)
{
    frame *caller = l->frame, own = {.decl = c->decl, .owner = ++l->n_owners};
    const scope *before = l->scope;
    uint32_t i = 0;
    l->frame = &own;
    l->scope = c->scope ? c->scope : l->globals;
    c->decl->active++;
    for (const param *p = c->decl->params; p; p = p->next)
        (void)lowering_bind(l, p->name, p->at, arguments[i++]);
    value v = surface_stopped(l->s) ? BAD : run_body(l, c);
    c->decl->active--;
    l->scope = before;
    l->frame = caller;
    return v;
}

/* A tensor of type T of which nothing else is known. */
static value stand_in(lowering *l, const type_ref *t)
{
    static const char zeros[8];
    if (t->kind == TYPE_BOOL)
        return (value){.kind = V_BOOL};
    if (t->kind == TYPE_TUPLE) {
        value *items = ARENA_ARRAY(&l->s->memory, value, t->n);
        uint32_t n = 0;
        for (const type_ref *part = t->first; items && part; part = part->next)
            items[n++] = stand_in(l, part);
        return items ? (value){.kind = V_TUPLE, .n = n, .u.items = items} : lowering_no_memory(l);
    }
    if (t->kind != TYPE_TENSOR)
        return (value){.kind = V_UNIT};
    value_id v = lowering_constant(l, t->tensor, zeros, t->tensor->count != 1, t->at);
    /* an integer constant would be known while compiling */
    if (t->tensor->rank == 0)
        v = lowering_node(l, OP_NEG, &v, 1, NULL, 0, t->at);
    return tensor_value(v);
}

bool lowering_checked(lowering *l, const closure *c)
{
    function_decl *d = c->decl;
    if (d->state != UNCHECKED || d->has_syntax_errors || !d->name)
        return d->state == CLEAN;
    uint32_t errors = surface_errors(l->s), n = 0;
    value *arguments = ARENA_ARRAY(&l->s->memory, value, d->n_params);
    if (!arguments) {
        surface_no_memory(l->s);
        return false;
    }
    d->state = CHECKING;
    for (const param *p = d->params; p; p = p->next)
        arguments[n++] = stand_in(l, p->type);
    (void)inline_call(l, c, arguments);
    d->state = surface_errors(l->s) == errors && !surface_stopped(l->s) ? CLEAN : FAULTY;
    return d->state == CLEAN;
}

void lowering_note_names(lowering *l, const closure *c)
{
    diag_channel *d = &l->s->m->cx->diag;
    if (!l->s->m->cx->names || !c->decl->has_syntax_errors || surface_stopped(l->s))
        return;
    diag_flush(d);
    const tn_diagnostic_sink sink = d->sink;
    const uint32_t n_errors = d->n_errors;
    d->sink = (tn_diagnostic_sink){0};
    c->decl->has_syntax_errors = false;
    (void)lowering_checked(l, c);
    c->decl->has_syntax_errors = true;
    diag_flush(d);
    d->sink = sink;
    d->n_errors = n_errors;
}

value lowering_apply(lowering *l, const closure *c, const value *arguments, const span *at,
                     uint32_t n, span call)
{
    const function_decl *d = c->decl;
    if (d->has_syntax_errors)
        return BAD;
    if (n != d->n_params) {
        value bad = lowering_fault(l, DIAG_ArityMismatch, call,
                                   "%s%.100s%s takes %" PRIu32 " argument%s, not %" PRIu32,
                                   d->name ? "'" : "", d->name ? d->name : "the closure",
                                   d->name ? "'" : "", d->n_params, plural(d->n_params), n);
        diag_note(&l->s->m->cx->diag, &l->s->m->source, d->at, "it is defined here");
        return bad;
    }
    if (d->active)
        return recursion(l, d, call);
    value *fitted = ARENA_ARRAY(&l->s->memory, value, n);
    bool bad = false;
    uint32_t i = 0;
    if (!fitted)
        return lowering_no_memory(l);
    for (const param *p = d->params; p; p = p->next, i++) {
        fitted[i] = p->type ? lowering_as(l, arguments[i], p->type, at[i], false) : arguments[i];
        bad = bad || fitted[i].kind == V_BAD;
    }
    if (d->name && !lowering_checked(l, c))
        return BAD;
    return bad ? BAD : inline_call(l, c, fitted);
}

value lowering_entry_call(lowering *l, const closure *c, const value *arguments)
{
    return inline_call(l, c, arguments);
}

/* ---- call expressions ---- */

static value apply_value(lowering *l, const value *f, const value *arguments, const span *at,
                         uint32_t n, const expr *e)
{
    if (f->kind == V_BAD)
        return BAD;
    if (f->kind == V_FUNCTION)
        return lowering_apply(l, f->u.closure, arguments, at, n, e->at);
    if (f->kind == V_GRADIENT)
        return lowering_apply_gradient(l, f->u.closure, arguments, at, n, e->at);
    return lowering_fault(l, DIAG_TypeMismatch, e->first->at, "expected a function, found %s",
                          value_words(l, f));
}

/* Which parameter of F the argument A, number I, is for. */
static uint32_t place_of(lowering *l, const value *f, const expr *a, uint32_t i)
{
    uint32_t at = 0;
    if (!a->label || f->kind == V_BAD)
        return i;
    for (const param *p = f->u.closure->decl->params; p; p = p->next, at++)
        if (p->name == a->label) {
            names_use(l->s->m->cx->names, a->label_at, p->at);
            return at;
        }
    (void)lowering_fault(l, DIAG_InvalidAttribute, a->label_at, "there is no parameter '%.100s'",
                         a->label);
    return UINT32_MAX;
}

static value call_value(lowering *l, value f, const expr *e)
{
    uint32_t n = e->n - 1, i = 0;
    value *arguments = ARENA_ARRAY(&l->s->memory, value, n);
    span *places = ARENA_ARRAY(&l->s->memory, span, n);
    bool *given = ARENA_ARRAY(&l->s->memory, bool, n);
    bool bad = false;
    if (!arguments || !places || !given)
        return lowering_no_memory(l);
    bool callable = f.kind == V_FUNCTION || f.kind == V_GRADIENT;
    for (const expr *a = e->first->next; a; a = a->next, i++) {
        uint32_t to = callable ? place_of(l, &f, a, i) : i;
        value v = lowering_expr(l, a);
        if (to < n && !given[to]) {
            arguments[to] = v;
            places[to] = a->at;
            given[to] = true;
            continue;
        }
        bad = true;
        if (to != UINT32_MAX)
            (void)lowering_fault(l, DIAG_ArityMismatch, a->at,
                                 to < n ? "a parameter is given twice"
                                        : "a parameter before this one is not given");
    }
    return bad ? BAD : apply_value(l, &f, arguments, places, n, e);
}

/* The words of a path `a::b::c`; false for anything that is not a path of names. */
static bool is_path(const expr *e)
{
    while (e->kind == X_FIELD && e->token == T_PATH)
        e = e->first;
    return e->kind == X_NAME;
}

static bool is_namespace(lowering *l, const expr *e)
{
    return e->kind == X_NAME && !lowering_find(l, e->name) &&
           (strcmp(e->name, "tensor") == 0 || strcmp(e->name, "Tensor") == 0 ||
            strcmp(e->name, "diff") == 0);
}

/* Offer a function of the program or of the language. */
static void suggest_function(lowering *l, const char *name, span at)
{
    suggestion like;
    suggest_begin(&like, name, strlen(name));
    for (const function_decl *d = l->tree->functions; d; d = d->next)
        suggest_name(&like, d->name, strlen(d->name));
    builtin_suggest(&like);
    suggest_fix(&like, &l->s->m->cx->diag, at, "");
}

static value call_unknown(lowering *l, const expr *e, const char *name, span at)
{
    static const char *const others[] = {
        "sigmoid", "softmax", "log_softmax", "gelu",          "max",     "min",         "stack",
        "randn",   "rand",    "argmax",      "argmin",        "where",   "split",       "cumsum",
        "sort",    "prod",    "print",       "cross_entropy", "dropout", "broadcast_to"};
    bool is_known = op_by_name(name, strlen(name)) != OP_COUNT;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        is_known = is_known || strcmp(others[i], name) == 0;
    for (const expr *a = e->first->next; a; a = a->next)
        (void)lowering_expr(l, a); /* for what is wrong in there */
    if (is_known)
        return lowering_fault(l, DIAG_UnknownOp, at, "the function '%s'", name);
    if (l->tree->lost_function || l->tree->script_has_errors)
        return BAD;
    const value fault =
        lowering_fault(l, DIAG_UndefinedName, at, "the function '%.100s' is not defined", name);
    suggest_function(l, name, at);
    return fault;
}

value lowering_call_expr(lowering *l, const expr *e)
{
    const expr *callee = e->first;
    value out;
    if (callee->kind == X_NAME) {
        const binding *b = lowering_use(l, callee->name, callee->at);
        if (b)
            return call_value(l, *b->value, e);
        if (lowering_builtin(l, e, callee->name, callee->at, NULL, callee->at, &out))
            return out;
        return call_unknown(l, e, callee->name, callee->at);
    }
    if (callee->kind != X_FIELD)
        return call_value(l, lowering_expr(l, callee), e);
    if ((callee->token == T_PATH && is_path(callee)) || is_namespace(l, callee->first)) {
        if (lowering_builtin(l, e, callee->name, callee->op, NULL, callee->op, &out))
            return out;
        const binding *b = lowering_use(l, callee->name, callee->op);
        return b ? call_value(l, *b->value, e) : call_unknown(l, e, callee->name, callee->op);
    }
    value self = lowering_expr(l, callee->first);
    if (lowering_builtin(l, e, callee->name, callee->op, &self, callee->first->at, &out))
        return out;
    return self.kind == V_BAD ? self : call_unknown(l, e, callee->name, callee->op);
}
