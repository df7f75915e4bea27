/* Tokens to a tree: functions, statements, blocks. After a fault, reading goes on behind the
 * statement that holds it. */
#include <string.h>

#include "base/text/text.h"
#include "dialect/mind_source/parser.h"

/* ---- the cursor ---- */

void parser_fault(parser *p, const char *expected)
{
    span at = p->at->at;
    if (peek(p) == T_BAD || surface_stopped(p->s))
        return;
    if (peek(p) == T_END && p->s->is_cut) /* it may stand in what swallowed the end */
        return;
    if (peek(p) == T_END) {
        surface_report(p->s, DIAG_SyntaxError, at, "found the end of the text, expected %s",
                       expected);
        p->s->is_cut = true; /* what else is missing there is the same fault */
    } else {
        surface_report(p->s, DIAG_SyntaxError, at, "found '%.*s', expected %s",
                       at.length < 60 ? (int)at.length : 60, surface_text(p->s, at), expected);
    }
}

bool parser_expect(parser *p, token_kind kind, const char *expected)
{
    if (accept(p, kind))
        return true;
    parser_fault(p, expected);
    return false;
}

void parser_not_in_core(parser *p, span at, const char *feature)
{
    surface_report(p->s, DIAG_UnknownOp, at, "%s", feature);
}

bool parser_deeper(parser *p)
{
    uint32_t limit = p->s->m->cx->limits.nesting;
    if (p->depth < limit && p->depth < 256 && !surface_stopped(p->s)) {
        p->depth++;
        return true;
    }
    if (!surface_stopped(p->s)) {
        surface_report(p->s, DIAG_LimitExceeded, p->at->at,
                       "more than %" PRIu32 " level%s of expressions in each other", p->depth,
                       plural(p->depth));
        p->s->status = TN_ERR_REJECTED;
    }
    return false;
}

const char *parser_name(parser *p, const char *expected)
{
    span at = p->at->at;
    if (peek(p) != T_NAME) {
        parser_fault(p, expected);
        return NULL;
    }
    advance(p);
    const char *name = module_string(p->s->m, surface_text(p->s, at), at.length);
    if (!name)
        surface_no_memory(p->s);
    return name;
}

static bool starts_statement(token_kind kind)
{
    return kind == T_LET || kind == T_FN || kind == T_RETURN || kind == T_IMPORT ||
           kind == T_EXPORT;
}

/* Does the `;` here stand in brackets, as in `[0.0; 3]`? Then what follows closes one that it does
 * not open. */
static bool is_in_brackets(const parser *p)
{
    uint32_t depth = 0;
    for (const token *t = p->at + 1; t->kind != T_END && t->kind != T_SEMICOLON; t++) {
        if (starts_statement(t->kind) || t->kind == T_OPEN_BRACE || t->kind == T_CLOSE_BRACE)
            break;
        if (t->kind == T_OPEN || t->kind == T_OPEN_BRACKET)
            depth++;
        else if ((t->kind == T_CLOSE || t->kind == T_CLOSE_BRACKET) && depth-- == 0)
            return true;
    }
    return false;
}

/* Behind the `;` that ends the statement, or before what ends or starts one. */
static void skip_statement(parser *p)
{
    uint32_t depth = 0;
    for (bool first = true; peek(p) != T_END; advance(p), first = false) {
        if (peek(p) == T_CLOSE_BRACE && depth-- == 0)
            return;
        if (peek(p) == T_OPEN_BRACE)
            depth++;
        if (depth)
            continue;
        if (peek(p) == T_SEMICOLON && !is_in_brackets(p)) {
            advance(p);
            return;
        }
        if (!first && (starts_statement(peek(p)) || (p->mode.lines && p->at->after_newline)))
            return;
    }
}

void parser_skip_construct(parser *p)
{
    uint32_t depth = 0;
    while (peek(p) != T_END && peek(p) != T_SEMICOLON) {
        token_kind kind = peek(p);
        if (kind == T_CLOSE_BRACE && depth == 0)
            return;
        advance(p);
        if (kind == T_OPEN_BRACE)
            depth++;
        else if (kind == T_CLOSE_BRACE && --depth == 0 && peek(p) != T_ELSE)
            return;
    }
}

/* ---- statements ---- */

static stmt *new_stmt(parser *p, stmt_kind kind, span at)
{
    stmt *s = ARENA_NEW(&p->s->memory, stmt);
    if (!s) {
        surface_no_memory(p->s);
        return NULL;
    }
    s->kind = (uint8_t)kind;
    s->at = s->op = at;
    return s;
}

static pattern *parse_pattern(parser *p)
{
    pattern *to = ARENA_NEW(&p->s->memory, pattern);
    if (!to) {
        surface_no_memory(p->s);
        return NULL;
    }
    to->at = p->at->at;
    if (!accept(p, T_OPEN)) {
        to->name = parser_name(p, "a name");
        if (to->name && strcmp(to->name, "_") == 0) {
            to->name = NULL;
            return to;
        }
        return to->name ? to : NULL;
    }
    pattern **last = &to->first;
    while (peek(p) != T_CLOSE) {
        if (!parser_deeper(p))
            return NULL;
        pattern *part = parse_pattern(p);
        p->depth--;
        if (!part)
            return NULL;
        *last = part;
        last = &part->next;
        to->n++;
        if (!accept(p, T_COMMA))
            break;
    }
    if (!parser_expect(p, T_CLOSE, "',' or ')'"))
        return NULL;
    if (to->n == 0) {
        surface_report(p->s, DIAG_SyntaxError, since(p, to->at), "found '()', expected names");
        return NULL;
    }
    to->at = since(p, to->at);
    return to;
}

/* What stands between statements. In a script a line end does as well. */
static bool end_statement(parser *p)
{
    if (accept(p, T_SEMICOLON))
        return true;
    if (p->mode.lines && (p->at->after_newline || peek(p) == T_END))
        return true;
    if (p->at > p->s->tokens.at &&
        p->at[-1].kind == T_BAD) /* it may have swallowed the semicolon */
        return true;
    parser_fault(p, p->mode.lines ? "';' or a line end" : "';'");
    return false;
}

static bool parse_let(parser *p, stmt *s)
{
    advance(p);
    if (peek(p) == T_NAME && peek_second(p) != T_COLON && peek_second(p) != T_ASSIGN &&
        p->at->at.length == 3 && memcmp(surface_text(p->s, p->at->at), "mut", 3) == 0)
        advance(p);
    s->to = parse_pattern(p);
    if (!s->to)
        return false;
    if (accept(p, T_COLON)) {
        s->type = parser_type(p);
        if (!s->type)
            return false;
    }
    s->op = p->at->at;
    if (p->mode.lines && s->type && s->to->name && peek(p) != T_ASSIGN) {
        s->kind = S_DECLARE; /* a free variable of a script */
        return end_statement(p);
    }
    if (!parser_expect(p, T_ASSIGN, "'='"))
        return false;
    s->value = parser_expr(p);
    return s->value && end_statement(p);
}

static bool is_assignment(token_kind kind)
{
    return kind == T_ASSIGN || kind == T_ADD_TO || kind == T_SUB_FROM || kind == T_MUL_BY ||
           kind == T_DIV_BY;
}

static bool parse_assignment(parser *p, stmt *s)
{
    s->kind = S_ASSIGN;
    s->to = parse_pattern(p);
    s->token = p->at->kind;
    s->op = p->at->at;
    advance(p);
    s->value = s->to ? parser_expr(p) : NULL;
    return s->value && end_statement(p);
}

/* An expression; without a semicolon before the end of its block it is the block's value. */
static bool parse_expression(parser *p, stmt *s)
{
    s->value = parser_expr(p);
    if (!s->value)
        return false;
    s->at = s->value->at;
    if (peek(p) == T_CLOSE_BRACE || peek(p) == T_END) {
        s->is_value = true;
        return true;
    }
    if (s->value->kind == X_BLOCK || s->value->kind == X_BAD) {
        (void)accept(p, T_SEMICOLON);
        return true;
    }
    return end_statement(p);
}

static bool parse_return(parser *p, stmt *s)
{
    s->kind = S_RETURN;
    advance(p);
    if (peek(p) != T_SEMICOLON && peek(p) != T_CLOSE_BRACE) {
        s->value = parser_expr(p);
        if (!s->value)
            return false;
    }
    s->at = since(p, s->at);
    return peek(p) == T_CLOSE_BRACE || end_statement(p);
}

static function_decl *parse_function(parser *p);

/* Items that have no meaning in Core v1, and are skipped. */
static bool skip_item(parser *p)
{
    static const struct {
        token_kind kind;
        const char *feature;
    } items[] = {{T_STRUCT, "a 'struct'"},
                 {T_TRAIT, "a 'trait'"},
                 {T_TYPE, "a 'type' alias"},
                 {T_DEFER, "'defer'"},
                 {T_WHERE, "a 'where' clause"}};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        if (peek(p) == items[i].kind) {
            parser_not_in_core(p, p->at->at, items[i].feature);
            parser_skip_construct(p);
            (void)accept(p, T_SEMICOLON);
            return true;
        }
    return false;
}

/* The statement at the cursor. */
static stmt *parse_statement(parser *p)
{
    span at = p->at->at;
    stmt *s = new_stmt(p, S_EXPR, at);
    bool ok;
    if (!s)
        return NULL;
    if (peek(p) == T_LET) {
        s->kind = S_LET;
        ok = parse_let(p, s);
    } else if (peek(p) == T_RETURN) {
        ok = parse_return(p, s);
    } else if (peek(p) == T_FN) {
        s->kind = S_FUNCTION;
        s->function = parse_function(p);
        ok = s->function != NULL;
    } else if (peek(p) == T_NAME && is_assignment(peek_second(p))) {
        ok = parse_assignment(p, s);
    } else {
        ok = parse_expression(p, s);
    }
    s->at = since(p, at);
    if (!ok) {
        s->is_bad = true;
        skip_statement(p);
        s->at = since(p, at);
    }
    return s;
}

bool parser_block(parser *p, stmt **body)
{
    const parser_mode outside = p->mode;
    bool ok = true;
    if (!parser_expect(p, T_OPEN_BRACE, "'{'"))
        return false;
    if (!parser_deeper(p))
        return false;
    p->mode = (parser_mode){0};
    while (peek(p) != T_CLOSE_BRACE && peek(p) != T_END && !surface_stopped(p->s)) {
        if (accept(p, T_SEMICOLON) || skip_item(p))
            continue;
        stmt *s = parse_statement(p);
        if (!s)
            break;
        *body = s;
        body = &s->next;
        ok = ok && !s->is_bad;
    }
    p->depth--;
    p->mode = outside;
    return parser_expect(p, T_CLOSE_BRACE, "'}'") && ok;
}

/* ---- functions ---- */

static bool parse_params(parser *p, function_decl *f)
{
    param **last = &f->params;
    if (!parser_expect(p, T_OPEN, "'('"))
        return false;
    while (peek(p) != T_CLOSE) {
        param *q = ARENA_NEW(&p->s->memory, param);
        if (!q) {
            surface_no_memory(p->s);
            return false;
        }
        q->at = p->at->at;
        q->name = parser_name(p, "the name of a parameter");
        if (!q->name || !parser_expect(p, T_COLON, "':' and the parameter's type"))
            return false;
        q->type = parser_type(p);
        if (!q->type)
            return false;
        *last = q;
        last = &q->next;
        f->n_params++;
        if (!accept(p, T_COMMA))
            break;
    }
    return parser_expect(p, T_CLOSE, "',' or ')'");
}

/* The parameters of a function by name. */
typedef struct param_names {
    const param **first; /* of each name, in order */
    uint32_t n;
    hash_index by_name;
} param_names;

/* The parameter in NAMES that has the name of A, or NULL. */
static const param *find_param(const param_names *names, const param *a, uint64_t h)
{
    for (uint32_t at = hash_first(&names->by_name, h), i;
         (i = hash_at(&names->by_name, h, &at)) != HASH_NONE;)
        if (names->first[i]->name == a->name)
            return names->first[i];
    return NULL;
}

/* A parameter twice is a fault: its name would be ambiguous in the body. */
static bool check_params(parser *p, const function_decl *f)
{
    const tn_allocator *allocator = p->s->m->allocator;
    param_names names = {.first = ARENA_ARRAY(&p->s->memory, const param *, f->n_params)};
    bool ok = names.first != NULL, has_memory = ok;
    for (const param *a = f->params; a && has_memory; a = a->next) {
        const uint64_t h = hash_mix(0, (uint64_t)(uintptr_t)a->name);
        const param *b = find_param(&names, a, h);
        if (b) {
            surface_report(p->s, DIAG_InvalidInput, a->at,
                           "'%.100s' has two parameters called '%.100s'", f->name, a->name);
            diag_note(&p->s->m->cx->diag, &p->s->m->source, b->at, "the first is here");
            ok = false;
            continue;
        }
        has_memory = hash_add(allocator, &names.by_name, h, names.n);
        names.first[names.n++] = a;
    }
    hash_release(allocator, &names.by_name);
    if (!has_memory)
        surface_no_memory(p->s);
    return ok && has_memory;
}

/* NULL when not even the name could be read; behind the function in any case. */
static function_decl *parse_function(parser *p)
{
    function_decl *f = ARENA_NEW(&p->s->memory, function_decl);
    if (!f) {
        surface_no_memory(p->s);
        return NULL;
    }
    advance(p);
    f->at = p->at->at;
    f->name = parser_name(p, "the name of a function");
    if (!f->name)
        return NULL;
    bool ok = parse_params(p, f);
    if (ok && accept(p, T_ARROW)) {
        f->result = parser_type(p);
        ok = f->result != NULL;
    } else if (ok && peek(p) != T_OPEN_BRACE) {
        parser_fault(p, "'->' and a type, or '{'");
        ok = false;
    }
    if (!ok) /* to its body */
        while (peek(p) != T_OPEN_BRACE && peek(p) != T_END && peek(p) != T_CLOSE_BRACE &&
               peek(p) != T_SEMICOLON && peek(p) != T_FN)
            advance(p);
    f->body_at = p->at->at;
    if (ok || peek(p) == T_OPEN_BRACE)
        ok = parser_block(p, &f->body) && ok;
    f->body_at = since(p, f->body_at);
    f->has_syntax_errors = !ok || !check_params(p, f);
    return f;
}

/* ---- a file ---- */

/* `import a::b;` and `export f;`, which mean nothing here. */
static void parse_port(parser *p)
{
    advance(p);
    bool ok = accept(p, T_NAME);
    while (ok && (accept(p, T_PATH) || accept(p, T_DOT)))
        ok = accept(p, T_NAME) || accept(p, T_STAR);
    if (!ok) {
        parser_fault(p, "a name");
        if (!p->at->after_newline)
            skip_statement(p);
        return;
    }
    if (!accept(p, T_SEMICOLON) && !p->at->after_newline && peek(p) != T_END) {
        parser_fault(p, "';'");
        skip_statement(p);
    }
}

static void parse_top(parser *p, tree *t, function_decl ***functions, stmt ***script)
{
    if (accept(p, T_SEMICOLON))
        return;
    if (peek(p) == T_IMPORT || peek(p) == T_EXPORT) {
        /* `export fn f` marks a function of a library; all functions here can be entries */
        if (peek(p) == T_EXPORT && peek_second(p) == T_FN)
            advance(p);
        else
            parse_port(p);
        return;
    }
    if (skip_item(p))
        return;
    if (peek(p) == T_CLOSE_BRACE) {
        parser_fault(p, "a function or a statement");
        t->lost_function = true;
        advance(p);
        return;
    }
    if (peek(p) == T_FN) {
        function_decl *f = parse_function(p);
        if (!f) {
            t->lost_function = true;
            skip_statement(p);
            return;
        }
        **functions = f;
        *functions = &f->next;
        return;
    }
    stmt *s = parse_statement(p);
    if (!s)
        return;
    t->script_has_errors = t->script_has_errors || s->is_bad;
    **script = s;
    *script = &s->next;
}

tree *surface_parse(surface *s)
{
    tree *t = ARENA_NEW(&s->memory, tree);
    if (!t) {
        surface_no_memory(s);
        return NULL;
    }
    parser p = {.s = s, .at = s->tokens.at, .mode.lines = true};
    function_decl **functions = &t->functions;
    stmt **script = &t->script;
    while (peek(&p) != T_END && !surface_stopped(s))
        parse_top(&p, t, &functions, &script);
    return t;
}
