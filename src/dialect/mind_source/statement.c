/* Statements. */
#include "dialect/mind_source/lower.h"

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

value lowering_top_statement(lowering *l, const stmt *s)
{
    return lower_statement(l, s);
}
