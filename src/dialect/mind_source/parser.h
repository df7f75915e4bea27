/* What the parts of the parser share: a cursor over the tokens.
 *
 * A function that returns NULL or false has reported why, unless what it found was T_BAD. */
#ifndef DIALECT_MIND_SOURCE_PARSER_H
#define DIALECT_MIND_SOURCE_PARSER_H

#include "dialect/mind_source/surface.h"

/* What tokens mean, by the brackets around them. */
typedef struct parser_mode {
    bool lines;    /* a line end can end a statement: in a script, outside brackets */
    bool in_range; /* in a subscript, where `a::b` is a start and a step */
} parser_mode;

typedef struct parser {
    surface *s;
    const token *at;
    uint32_t depth; /* of expressions, types and blocks in each other */
    parser_mode mode;
} parser;

static inline token_kind peek(const parser *p)
{
    return (token_kind)p->at->kind;
}
static inline token_kind peek_second(const parser *p)
{
    return p->at->kind == T_END ? T_END : (token_kind)p->at[1].kind;
}
static inline void advance(parser *p)
{
    p->at += p->at->kind != T_END;
}
static inline bool accept(parser *p, token_kind kind)
{
    if (peek(p) != kind)
        return false;
    advance(p);
    return true;
}
/* The place of the token before the cursor. */
static inline span last_token(const parser *p)
{
    return p->at > p->s->tokens.at ? p->at[-1].at : (span){0, 0};
}
static inline span since(const parser *p, span first)
{
    span last = last_token(p);
    return last.at < first.at ? first : span_between(first, last);
}

/* parse.c */
bool parser_expect(parser *p, token_kind kind, const char *expected);
/* Report the token at the cursor, which is not what was EXPECTED. */
void parser_fault(parser *p, const char *expected);
/* Report a construct of the language that Core v1 has no meaning for. */
void parser_not_in_core(parser *p, span at, const char *feature);
/* One level deeper; false, reported, at the limit. Each needs its `p->depth--`. */
bool parser_deeper(parser *p);
/* The interned name of the token at the cursor, which moves on; NULL, reported, when it is none. */
const char *parser_name(parser *p, const char *expected);
/* `{ ... }`; false when it could not be read to its end. */
bool parser_block(parser *p, stmt **body);
/* Past a construct with a block, whose first token is at the cursor. */
void parser_skip_construct(parser *p);

/* parse_type.c */
type_ref *parser_type(parser *p);

/* parse_expr.c */
expr *parser_expr(parser *p);

#endif
