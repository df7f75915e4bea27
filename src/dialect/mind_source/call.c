/* Scopes, statements, and calls, which are inlined. */
#include <string.h>

#include "dialect/mind_source/lower.h"

/* ---- scopes ---- */

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

/* ---- statements ---- */

static bool bind_pattern(lowering *l, const pattern *to, value v, span at)
{
    if (to->n == 0)
        return !to->name || lowering_bind(l, to->name, to->at, v);
    if (v.kind != V_BAD && ((v.kind != V_TUPLE && v.kind != V_ARRAY) || v.n != to->n))
        v = lowering_fault(l, DIAG_TypeMismatch, at, "expected a tuple of %" PRIu32 ", found %s",
                           to->n, value_words(l, &v));
    const pattern *part = to->first;
    for (uint32_t i = 0; i < to->n; i++, part = part->next)
        if (!bind_pattern(l, part, v.kind == V_BAD ? v : v.u.items[i], at))
            return false;
    return true;
}

static op_id assignment_op(token_kind kind)
{
    switch ((int)kind) {
    case T_ADD_TO:
        return OP_ADD;
    case T_SUB_FROM:
        return OP_SUB;
    case T_MUL_BY:
        return OP_MUL;
    case T_DIV_BY:
        return OP_DIV;
    default:
        return OP_COUNT;
    }
}

/* The new value V for what B holds: of the same type, if that is a tensor. */
static value assigned(lowering *l, const binding *b, value v, span at)
{
    if (b->value->kind != V_TENSOR || v.kind == V_BAD)
        return v;
    type_ref t = {.kind = TYPE_TENSOR, .tensor = tensor_type(l, b->value), .at = b->at};
    return lowering_as(l, v, &t, at, false);
}

static value lower_assignment(lowering *l, const stmt *s)
{
    const binding *b = lowering_use(l, s->to->name, s->to->at);
    op_id op = assignment_op((token_kind)s->token);
    value v = lowering_expr(l, s->value);
    if (!b) {
        if (l->tree->script_has_errors)
            return BAD;
        return lowering_fault(l, DIAG_UndefinedName, s->to->at, "the name '%.100s' is not defined",
                              s->to->name ? s->to->name : "_");
    }
    if (b->owner != l->frame->owner)
        return lowering_fault(l, DIAG_UnknownOp, s->at,
                              "assigning to '%.100s' of the enclosing function", b->name);
    if (op != OP_COUNT)
        v = lowering_binary(l, op, *b->value, s->to->at, v, s->value->at, s->at, s->op);
    v = assigned(l, b, v, s->value->at);
    *b->value = v;
    return v;
}

static value lower_let(lowering *l, const stmt *s)
{
    value v = lowering_expr(l, s->value);
    if (s->type)
        v = lowering_as(l, v, s->type, s->value->at, true);
    else if (v.kind == V_FILL && !v.u.literal->has_shape)
        v = lowering_fault(l, DIAG_CannotInfer, s->value->at,
                           "the shape is not known; give it, or annotate the type");
    (void)bind_pattern(l, s->to, v, s->value->at);
    return v;
}

/* A free variable of a script: an input. */
static value lower_declaration(lowering *l, const stmt *s)
{
    value v = BAD;
    if (s->type->kind == TYPE_TENSOR)
        v = tensor_value(lowering_input(l, s->to->name, s->type->tensor, s->at));
    else
        v = lowering_fault(l, DIAG_InvalidInput, s->type->at, "an input is a tensor, not %s",
                           ref_words(l, s->type));
    (void)lowering_bind(l, s->to->name, s->to->at, v);
    return v;
}

static value lower_function(lowering *l, const stmt *s)
{
    closure *c = ARENA_NEW(&l->s->memory, closure);
    if (!c)
        return lowering_no_memory(l);
    c->decl = s->function;
    const binding *b = lowering_bind(l, s->function->name, s->function->at,
                                     (value){.kind = V_FUNCTION, .u.closure = c});
    c->scope = l->scope;
    if (b)
        (void)lowering_checked(l, c);
    lowering_note_names(l, c);
    return (value){.kind = V_UNIT};
}

static void lower_return(lowering *l, const stmt *s)
{
    frame *f = l->frame;
    value v = s->value ? lowering_expr(l, s->value) : (value){.kind = V_UNIT};
    if (f->decl && f->decl->result)
        v = lowering_as(l, v, f->decl->result, s->value ? s->value->at : s->at, false);
    if (!f->decl)
        v = lowering_fault(l, DIAG_SyntaxError, s->at, "found 'return' outside a function");
    if (!f->returned)
        f->result = v;
    f->returned = true;
}

/* The name of token T is that of an argument, not of a value. */
static bool is_label(const token *t)
{
    return (t[-1].kind == T_OPEN || t[-1].kind == T_COMMA) && t[1].kind == T_ASSIGN;
}

/* For an editor: the names in S, which could not be read, mean what they would mean in an
 * expression. What it defines has no type. */
static void note_words(lowering *l, const stmt *s)
{
    const token *t = l->s->tokens.at, *end = t + l->s->tokens.n;
    const uint32_t to = s->at.at + s->at.length;
    while (t < end && t->at.at < s->at.at)
        t++;
    for (const token *first = t; t < end && t->kind != T_END && t->at.at < to; t++) {
        const bool is_defined = s->kind == S_LET && s->to && t->at.at >= s->to->at.at &&
                                t->at.at < s->to->at.at + s->to->at.length;
        if (t->kind != T_NAME || is_defined || (t > first && is_label(t)))
            continue;
        const char *name = module_string(l->s->m, surface_text(l->s, t->at), t->at.length);
        if (!name)
            surface_no_memory(l->s);
        else
            (void)lowering_use(l, name, t->at);
    }
    if (s->kind == S_LET && s->to)
        (void)bind_pattern(l, s->to, BAD, s->at);
}

static value bad_statement(lowering *l, const stmt *s)
{
    if (l->s->m->cx->names)
        note_words(l, s);
    return BAD;
}

static value lower_statement(lowering *l, const stmt *s)
{
    if (s->is_bad)
        return bad_statement(l, s);
    switch ((stmt_kind)s->kind) {
    case S_LET:
        return lower_let(l, s);
    case S_DECLARE:
        return lower_declaration(l, s);
    case S_ASSIGN:
        return lower_assignment(l, s);
    case S_EXPR:
        return lowering_expr(l, s->value);
    case S_RETURN:
        lower_return(l, s);
        break;
    case S_FUNCTION:
        return lower_function(l, s);
    }
    return (value){.kind = V_UNIT};
}

value lowering_block(lowering *l, const stmt *first)
{
    const scope *outer = l->scope;
    value v = {.kind = V_UNIT};
    for (const stmt *s = first; s && !surface_stopped(l->s); s = s->next) {
        value last = lower_statement(l, s);
        v = s->is_value ? last : (value){.kind = V_UNIT};
    }
    l->scope = outer;
    return v;
}

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

/* ---- entries ---- */

value lowering_top_statement(lowering *l, const stmt *s)
{
    return lower_statement(l, s);
}

value lowering_entry_call(lowering *l, const closure *c, const value *arguments)
{
    return inline_call(l, c, arguments);
}
