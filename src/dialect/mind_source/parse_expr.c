/* Expressions. */
#include <string.h>

#include "dialect/mind_source/parser.h"

static expr *new_expr(parser *p, expr_kind kind, span at)
{
    expr *e = ARENA_NEW(&p->s->memory, expr);
    if (!e) {
        surface_no_memory(p->s);
        return NULL;
    }
    e->kind = (uint8_t)kind;
    e->at = e->op = at;
    return e;
}

static void add_child(expr *e, expr ***last, expr *child)
{
    **last = child;
    *last = &child->next;
    e->n++;
}

/* Can the token at the cursor go on with the expression before it? */
static bool continues(const parser *p)
{
    return !p->mode.lines || !p->at->after_newline;
}

/* ---- brackets ---- */

/* Line ends mean nothing inside brackets. */
static parser_mode enter(parser *p)
{
    const parser_mode outside = p->mode;
    p->mode = (parser_mode){0};
    advance(p);
    return outside;
}

/* One argument: `axes = [0]`, `dtype: f32`, or an expression. */
static expr *parse_argument(parser *p)
{
    const char *label = NULL;
    span at = p->at->at;
    if (peek(p) == T_NAME && (peek_second(p) == T_ASSIGN || peek_second(p) == T_COLON)) {
        label = parser_name(p, "a name");
        advance(p);
    }
    expr *e = parser_expr(p);
    if (e && label) {
        e->label = label;
        e->label_at = at;
    }
    return e;
}

static expr *none_or_expr(parser *p)
{
    if (peek(p) == T_COLON || peek(p) == T_COMMA || peek(p) == T_CLOSE_BRACKET || peek(p) == T_PATH)
        return new_expr(p, X_NONE, p->at->at);
    return parser_expr(p);
}

/* One subscript: an expression, or `start : end : step` with parts left out. `::` is two colons. */
static expr *parse_subscript(parser *p)
{
    span at = p->at->at;
    expr *parts[3], **last;
    uint32_t n = 1;
    p->mode.in_range = true;
    parts[0] = none_or_expr(p);
    if (!parts[0])
        return NULL;
    if (peek(p) != T_COLON && peek(p) != T_PATH) {
        if (parts[0]->kind != X_NONE)
            return parts[0];
        parser_fault(p, "a subscript");
        return NULL;
    }
    while (n < 3 && (peek(p) == T_COLON || peek(p) == T_PATH)) {
        bool twice = peek(p) == T_PATH && n == 1;
        advance(p);
        if (twice) {
            parts[n] = new_expr(p, X_NONE, last_token(p));
            if (!parts[n++])
                return NULL;
        }
        parts[n] = none_or_expr(p);
        if (!parts[n++])
            return NULL;
    }
    expr *range = new_expr(p, X_RANGE, since(p, at));
    if (!range)
        return NULL;
    last = &range->first;
    for (uint32_t i = 0; i < n; i++)
        add_child(range, &last, parts[i]);
    return range;
}

/* Items up to CLOSE, which is consumed. */
static bool parse_items(parser *p, expr *e, expr **last, token_kind close, const char *closing,
                        expr *(*parse_item)(parser *))
{
    while (peek(p) != close) {
        expr *item = parse_item(p);
        if (!item)
            return false;
        add_child(e, &last, item);
        if (!accept(p, T_COMMA))
            break;
    }
    return parser_expect(p, close, closing);
}

/* `(e)` is E itself; `()`, `(e,)` and `(a, b)` are tuples. */
static expr *parse_parenthesis(parser *p)
{
    span at = p->at->at;
    const parser_mode outside = enter(p);
    expr *tuple = new_expr(p, X_TUPLE, at), *one = NULL;
    bool ok = tuple != NULL, is_tuple = true;
    if (ok && peek(p) != T_CLOSE) {
        one = parser_expr(p);
        ok = one != NULL;
        if (ok) {
            expr **last = &tuple->first;
            add_child(tuple, &last, one);
            is_tuple = accept(p, T_COMMA);
            ok = is_tuple ? parse_items(p, tuple, last, T_CLOSE, "',' or ')'", parser_expr)
                          : parser_expect(p, T_CLOSE, "',' or ')'");
        }
    } else if (ok) {
        advance(p);
    }
    p->mode = outside;
    if (!ok)
        return NULL;
    expr *e = is_tuple ? tuple : one;
    e->at = since(p, at);
    return e;
}

static expr *parse_list(parser *p)
{
    span at = p->at->at;
    const parser_mode outside = enter(p);
    expr *e = new_expr(p, X_ARRAY, at);
    bool ok = e && parse_items(p, e, &e->first, T_CLOSE_BRACKET, "',' or ']'", parser_expr);
    p->mode = outside;
    if (!ok)
        return NULL;
    e->at = since(p, at);
    return e;
}

static expr *parse_block_expr(parser *p)
{
    expr *e = new_expr(p, X_BLOCK, p->at->at);
    if (!e || !parser_block(p, &e->u.body))
        return NULL;
    e->at = since(p, e->at);
    return e;
}

/* `|x, y| expr` */
static expr *parse_closure(parser *p)
{
    span at = p->at->at;
    expr *e = new_expr(p, X_CLOSURE, at);
    function_decl *f = ARENA_NEW(&p->s->memory, function_decl);
    if (!e || !f) {
        surface_no_memory(p->s);
        return NULL;
    }
    param **last = &f->params;
    e->u.function = f;
    if (peek(p) == T_OR) { /* `||`: no parameters */
        advance(p);
    } else {
        advance(p);
        while (peek(p) != T_BAR) {
            param *q = ARENA_NEW(&p->s->memory, param);
            if (!q) {
                surface_no_memory(p->s);
                return NULL;
            }
            q->at = p->at->at;
            q->name = parser_name(p, "the name of a parameter");
            if (!q->name)
                return NULL;
            if (accept(p, T_COLON)) {
                q->type = parser_type(p);
                if (!q->type)
                    return NULL;
            }
            *last = q;
            last = &q->next;
            f->n_params++;
            if (!accept(p, T_COMMA))
                break;
        }
        if (!parser_expect(p, T_BAR, "',' or '|'"))
            return NULL;
    }
    f->value = parser_expr(p);
    if (!f->value)
        return NULL;
    f->at = f->body_at = e->at = since(p, at);
    return e;
}

/* ---- primaries ---- */

static expr *parse_literal(parser *p)
{
    static const expr_kind kinds[] = {X_NUMBER, X_STRING};
    token t = *p->at;
    expr *e;
    if (peek(p) == T_TRUE || peek(p) == T_FALSE) {
        e = new_expr(p, X_BOOL, t.at);
        if (e)
            e->truth = t.kind == T_TRUE;
    } else {
        e = new_expr(p, kinds[t.kind == T_STRING], t.at);
        if (e && t.kind == T_NUMBER)
            surface_number(p->s, t.at, &e->u.number);
        else if (e)
            e->u.string.bytes = surface_string(p->s, t.at, &e->u.string.n);
    }
    advance(p);
    if (e && peek(p) == T_CARET && !p->at->after_newline) {
        parser_fault(p, "an operator; differentiable literals have no meaning here");
        return NULL;
    }
    return e;
}

static const char *feature_of(token_kind kind)
{
    switch ((int)kind) {
    case T_IF:
        return "'if'";
    case T_MATCH:
        return "'match'";
    case T_WHILE:
        return "a 'while' loop";
    case T_FOR:
        return "a 'for' loop";
    default:
        return NULL;
    }
}

static expr *parse_primary(parser *p)
{
    span at = p->at->at;
    switch ((int)peek(p)) {
    case T_NUMBER:
    case T_STRING:
    case T_TRUE:
    case T_FALSE:
        return parse_literal(p);
    case T_NAME: {
        expr *e = new_expr(p, X_NAME, at);
        if (e)
            e->name = parser_name(p, "a name");
        return e && e->name ? e : NULL;
    }
    case T_OPEN:
        return parse_parenthesis(p);
    case T_OPEN_BRACKET:
        return parse_list(p);
    case T_OPEN_BRACE:
        return parse_block_expr(p);
    case T_BAR:
    case T_OR:
        return parse_closure(p);
    case T_BAD:
        advance(p);
        return new_expr(p, X_BAD, at);
    case T_IF:
    case T_MATCH:
    case T_WHILE:
    case T_FOR:
        parser_not_in_core(p, at, feature_of(peek(p)));
        parser_skip_construct(p);
        return new_expr(p, X_BAD, at);
    default:
        parser_fault(p, "an expression");
        return NULL;
    }
}

/* ---- postfix ---- */

/* E with what follows it as its other children. */
static expr *wrap(parser *p, expr_kind kind, expr *e, span op)
{
    expr *outer = new_expr(p, kind, e->at);
    if (!outer)
        return NULL;
    outer->op = op;
    outer->first = e;
    outer->n = 1;
    return outer;
}

/* The number behind `t.`, of which OUTER is a part: `0`, or `0.1`, which is part 1 of part 0. */
static expr *parse_parts(parser *p, expr *outer)
{
    const span digits = p->at->at;
    const char *text = surface_text(p->s, digits);
    const bool is_part = strspn(text, "0123456789.") >= digits.length;
    for (uint32_t from = 0; is_part && outer; from++) {
        const uint32_t n = (uint32_t)strspn(text + from, "0123456789");
        outer->op = (span){digits.at + from, n};
        outer->at.length = digits.at + from + n - outer->at.at;
        outer->name = module_string(p->s->m, text + from, n);
        if (!outer->name)
            surface_no_memory(p->s);
        from += n;
        if (!outer->name || from >= digits.length)
            break;
        outer = wrap(p, X_FIELD, outer, digits);
        if (outer)
            outer->token = T_DOT;
    }
    if (!is_part)
        parser_fault(p, "the number of a part");
    advance(p);
    return is_part && outer && outer->name ? outer : NULL;
}

static expr *parse_field(parser *p, expr *e)
{
    token_kind how = peek(p);
    advance(p);
    span at = p->at->at;
    expr *outer = wrap(p, X_FIELD, e, at);
    if (!outer)
        return NULL;
    outer->token = (uint8_t)how;
    if (peek(p) == T_NUMBER && how == T_DOT)
        return parse_parts(p, outer);
    outer->name = parser_name(p, "a name");
    return outer->name ? outer : NULL;
}

static expr *parse_brackets(parser *p, expr *e)
{
    bool is_call = peek(p) == T_OPEN;
    expr *outer = wrap(p, is_call ? X_CALL : X_INDEX, e, p->at->at);
    if (!outer)
        return NULL;
    const parser_mode outside = enter(p);
    bool ok = is_call
                  ? parse_items(p, outer, &e->next, T_CLOSE, "',' or ')'", parse_argument)
                  : parse_items(p, outer, &e->next, T_CLOSE_BRACKET, "',' or ']'", parse_subscript);
    p->mode = outside;
    if (ok && !is_call && outer->n == 1) {
        surface_report(p->s, DIAG_SyntaxError, last_token(p), "found ']', expected a subscript");
        return NULL;
    }
    return ok ? outer : NULL;
}

/* Does the `::` at the cursor go on with the path E? In a subscript, where it may be two colons,
 * only before what is called. */
static bool is_path_on(const parser *p, const expr *e)
{
    const token *t = p->at;
    if (!p->mode.in_range)
        return true;
    if (e->kind != X_NAME && e->kind != X_FIELD)
        return false;
    while (t->kind == T_PATH && t[1].kind == T_NAME)
        t += 2;
    return t->kind == T_OPEN && t > p->at;
}

static expr *parse_postfix(parser *p)
{
    span at = p->at->at;
    expr *e = parse_primary(p);
    while (e && !surface_stopped(p->s)) {
        token_kind next = peek(p);
        if ((next == T_OPEN || next == T_OPEN_BRACKET) && continues(p))
            e = parse_brackets(p, e);
        else if (next == T_DOT || (next == T_PATH && continues(p) && is_path_on(p, e)))
            e = parse_field(p, e);
        else
            break;
        if (e)
            e->at = since(p, at);
    }
    return e;
}

static expr *parse_unary(parser *p)
{
    span at = p->at->at;
    token_kind kind = peek(p);
    if (kind != T_MINUS && kind != T_NOT)
        return parse_postfix(p);
    if (!parser_deeper(p))
        return NULL;
    advance(p);
    expr *operand = parse_unary(p), *e = operand ? wrap(p, X_UNARY, operand, at) : NULL;
    p->depth--;
    if (e) {
        e->token = (uint8_t)kind;
        e->at = since(p, at);
    }
    return e;
}

/* ---- operators ---- */

/* How tightly an operator binds; 0: it is none. */
static int binds(token_kind kind)
{
    switch ((int)kind) {
    case T_OR:
        return 1;
    case T_AND:
        return 2;
    case T_EQUAL:
    case T_UNEQUAL:
    case T_LESS:
    case T_MORE:
    case T_AT_MOST:
    case T_AT_LEAST:
        return 3;
    case T_PLUS:
    case T_MINUS:
        return 4;
    case T_STAR:
    case T_SLASH:
    case T_PERCENT:
        return 5;
    default:
        return 0;
    }
}

/* In a script, a line that starts with `-` or `|` is a statement of its own. */
static bool goes_on(const parser *p)
{
    return continues(p) || (peek(p) != T_MINUS && peek(p) != T_OR);
}

static expr *parse_binary(parser *p, int least)
{
    span at = p->at->at;
    expr *left = parse_unary(p);
    int b;
    while (left && (b = binds(peek(p))) >= least && b > 0 && goes_on(p)) {
        token sign = *p->at;
        advance(p);
        expr *right = parse_binary(p, b + 1);
        expr *e = right ? wrap(p, X_BINARY, left, sign.at) : NULL;
        if (!e)
            return NULL;
        left->next = right;
        e->n = 2;
        e->token = sign.kind;
        e->at = since(p, at);
        left = e;
    }
    return left;
}

expr *parser_expr(parser *p)
{
    if (!parser_deeper(p))
        return NULL;
    expr *e = parse_binary(p, 1);
    p->depth--;
    return e;
}
