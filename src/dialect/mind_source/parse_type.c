/* Types, in the spellings of the published texts. */
#include <string.h>

#include "dialect/mind_source/parser.h"

static bool token_is(const parser *p, const char *word)
{
    span at = p->at->at;
    return peek(p) == T_NAME && strlen(word) == at.length &&
           memcmp(word, surface_text(p->s, at), at.length) == 0;
}

static bool find_dtype(const char *text, size_t n, tn_dtype *out)
{
    static const struct {
        const char *name;
        tn_dtype dtype;
    } known[] = {{"i32", TN_SI32}, {"i64", TN_SI64}, {"f32", TN_F32}, {"f64", TN_F64}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == n && memcmp(known[i].name, text, n) == 0) {
            *out = known[i].dtype;
            return true;
        }
    return false;
}

static bool parse_dtype(parser *p, tn_dtype *out)
{
    span at = p->at->at;
    if (peek(p) != T_NAME) {
        parser_fault(p, "an element type: i32, i64, f32 or f64");
        return false;
    }
    if (!find_dtype(surface_text(p->s, at), at.length, out)) {
        surface_report(p->s, DIAG_UnknownDType, at,
                       "'%.*s' is no element type; they are i32, i64, f32 and f64",
                       at.length < 60 ? (int)at.length : 60, surface_text(p->s, at));
        return false;
    }
    advance(p);
    return true;
}

/* One extent, which must be positive. */
static bool parse_extent(parser *p, dim *out, uint32_t axis)
{
    span at = p->at->at;
    number n;
    bool negative = accept(p, T_MINUS);
    if (peek(p) == T_NAME && !negative) {
        parser_not_in_core(p, at, "a symbolic size");
        return false;
    }
    if (peek(p) != T_NUMBER) {
        parser_fault(p, "an extent");
        return false;
    }
    surface_number(p->s, p->at->at, &n);
    advance(p);
    if (!n.is_int || negative || n.magnitude == 0 || n.magnitude > INT64_MAX / 2) {
        span all = since(p, at);
        surface_report(p->s, DIAG_InvalidDimension, all,
                       "dimension %" PRIu32 " is %.*s; an extent is a positive integer", axis,
                       all.length < 60 ? (int)all.length : 60, surface_text(p->s, all));
        return false;
    }
    *out = (dim)n.magnitude;
    return true;
}

/* One more extent of a tensor. */
static bool add_extent(parser *p, dim *dims, uint32_t *rank)
{
    if (*rank == TN_MAX_RANK) {
        surface_report(p->s, DIAG_LimitExceeded, p->at->at, "a tensor has at most %d dimensions",
                       TN_MAX_RANK);
        return false;
    }
    if (!parse_extent(p, &dims[*rank], *rank))
        return false;
    (*rank)++;
    return true;
}

/* Extents up to CLOSE, which is consumed. */
static bool parse_extents(parser *p, token_kind close, const char *closing, dim *dims,
                          uint32_t *rank)
{
    while (peek(p) != close) {
        if (!add_extent(p, dims, rank))
            return false;
        if (!accept(p, T_COMMA))
            break;
    }
    return parser_expect(p, close, closing);
}

/* `>`, also as the first half of `>=`. */
static bool close_angle(parser *p)
{
    if (peek(p) != T_AT_LEAST)
        return parser_expect(p, T_MORE, "'>'");
    token *t = &p->s->tokens.at[p->at - p->s->tokens.at];
    t->kind = T_ASSIGN;
    t->at = (span){t->at.at + 1, 1};
    return true;
}

/* What follows `Tensor<` and its dtype. */
static bool parse_angle(parser *p, dim *dims, uint32_t *rank)
{
    if (accept(p, T_OPEN_BRACKET)) /* tensor<f32[2, 3]> */
        return parse_extents(p, T_CLOSE_BRACKET, "']'", dims, rank) && close_angle(p);
    if (accept(p, T_COMMA)) {
        if (accept(p, T_OPEN_BRACKET)) { /* Tensor<f32, [2, 3]> */
            if (!parse_extents(p, T_CLOSE_BRACKET, "']'", dims, rank))
                return false;
            (void)accept(p, T_COMMA);
            return close_angle(p);
        }
        while (peek(p) != T_MORE && peek(p) != T_AT_LEAST) { /* Tensor<f32, 2, 3> */
            if (!add_extent(p, dims, rank))
                return false;
            if (!accept(p, T_COMMA))
                break;
        }
        return close_angle(p);
    }
    if (!close_angle(p))
        return false;
    if (!p->at->after_newline && accept(p, T_OPEN_BRACKET)) /* tensor<f32>[2, 3] */
        return parse_extents(p, T_CLOSE_BRACKET, "']'", dims, rank);
    return true;
}

/* Behind `Tensor[`: f32, (2, 3)]. */
static bool parse_bracket(parser *p, tn_dtype *dtype, dim *dims, uint32_t *rank)
{
    if (!parse_dtype(p, dtype))
        return false;
    if (accept(p, T_COMMA)) {
        bool round = accept(p, T_OPEN);
        if (!round && !parser_expect(p, T_OPEN_BRACKET, "'('"))
            return false;
        if (!parse_extents(p, round ? T_CLOSE : T_CLOSE_BRACKET, round ? "')'" : "']'", dims, rank))
            return false;
    }
    return parser_expect(p, T_CLOSE_BRACKET, "']'");
}

static bool parse_tensor(parser *p, type_ref *t)
{
    tn_dtype dtype = TN_F32;
    dim dims[TN_MAX_RANK];
    uint32_t rank = 0;
    advance(p);
    if (accept(p, T_OPEN_BRACKET)) {
        if (!parse_bracket(p, &dtype, dims, &rank))
            return false;
    } else if (!parser_expect(p, T_LESS, "'<' and an element type") || !parse_dtype(p, &dtype) ||
               !parse_angle(p, dims, &rank)) {
        return false;
    }
    t->kind = TYPE_TENSOR;
    t->tensor = type_of(&p->s->m->types, dtype, dims, rank);
    if (!t->tensor)
        surface_no_memory(p->s);
    else if (t->tensor->count == TYPE_COUNT_HUGE)
        surface_report(p->s, DIAG_InvalidDimension, since(p, t->at),
                       "the type has more elements than can be counted");
    return t->tensor && t->tensor->count != TYPE_COUNT_HUGE;
}

static bool parse_members(parser *p, type_ref *t)
{
    type_ref **last = &t->first;
    t->kind = TYPE_TUPLE;
    advance(p);
    while (peek(p) != T_CLOSE) {
        type_ref *member = parser_type(p);
        if (!member)
            return false;
        *last = member;
        last = &member->next;
        t->n++;
        if (!accept(p, T_COMMA))
            break;
    }
    if (!parser_expect(p, T_CLOSE, "')'"))
        return false;
    if (t->n == 0)
        t->kind = TYPE_UNIT;
    return true;
}

static bool parse_word_type(parser *p, type_ref *t)
{
    tn_dtype dtype;
    if (token_is(p, "bool") || token_is(p, "unit")) {
        t->kind = token_is(p, "bool") ? TYPE_BOOL : TYPE_UNIT;
        advance(p);
        return true;
    }
    if (!parse_dtype(p, &dtype))
        return false;
    t->kind = TYPE_TENSOR;
    t->tensor = type_scalar(&p->s->m->types, dtype);
    if (!t->tensor)
        surface_no_memory(p->s);
    return t->tensor != NULL;
}

type_ref *parser_type(parser *p)
{
    type_ref *t = ARENA_NEW(&p->s->memory, type_ref);
    if (!t) {
        surface_no_memory(p->s);
        return NULL;
    }
    while (token_is(p, "diff")) /* every float is differentiable */
        advance(p);
    t->at = p->at->at;
    bool ok = false;
    if (!parser_deeper(p))
        return NULL;
    if (token_is(p, "Tensor") || token_is(p, "tensor"))
        ok = parse_tensor(p, t);
    else if (peek(p) == T_OPEN)
        ok = parse_members(p, t);
    else if (peek(p) == T_NAME)
        ok = parse_word_type(p, t);
    else
        parser_fault(p, "a type");
    p->depth--;
    t->at = since(p, t->at);
    return ok ? t : NULL;
}

/* `f32[2,3]` or `f32`, as the option --input writes types. */
const type *surface_type_words(surface *s, const char *text)
{
    dim dims[TN_MAX_RANK];
    uint32_t rank = 0;
    tn_dtype dtype;
    size_t n = strcspn(text, "[");
    if (!find_dtype(text, n, &dtype))
        return NULL;
    const char *at = text + n;
    if (*at == '[')
        do {
            at += 1 + strspn(at + 1, " ");
            if (*at == ']' && rank == 0)
                break;
            decimal_result r = rank < TN_MAX_RANK ? decimal_read_i64(at, strlen(at), &dims[rank])
                                                  : (decimal_result){0};
            if (r.length == 0 || r.overflow || dims[rank] <= 0)
                return NULL;
            rank++;
            at += r.length;
            at += strspn(at, " ");
        } while (*at == ',');
    if (text[n] == '[' && (at[0] != ']' || at[1]))
        return NULL;
    const type *t = type_of(&s->m->types, dtype, dims, rank);
    if (!t)
        surface_no_memory(s);
    return t && t->count >= 0 ? t : NULL;
}
