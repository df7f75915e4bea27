/* What the lexer and the parser share, and how all parts report. */
#ifndef DIALECT_MIND_SOURCE_SURFACE_H
#define DIALECT_MIND_SOURCE_SURFACE_H

#include <inttypes.h>

#include "dialect/mind_source/mind_source.h"
#include "dialect/mind_source/tree.h"

typedef struct surface {
    module *m;
    const read_options *options;
    arena memory; /* tree, scopes, values: all that is gone after reading */
    VECTOR(token) tokens;
    uint32_t errors_before;
    bool is_cut;      /* the text ends too early, which was reported */
    tn_status status; /* what stops everything: no memory, or a limit */
} surface;

/* Report about AT; the status of S becomes REJECTED when too many errors were reported. */
void surface_report(surface *s, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void surface_no_memory(surface *s);
static inline bool surface_stopped(const surface *s)
{
    return s->status != TN_OK;
}
static inline uint32_t surface_errors(const surface *s)
{
    return s->m->cx->diag.n_errors - s->errors_before;
}
static inline const char *surface_text(const surface *s, span at)
{
    return s->m->source.text + at.at;
}

/* lexer.c: all tokens of the source, T_END last. */
void surface_scan(surface *s);
/* Decode the number or string token at AT, which is well-formed. */
void surface_number(surface *s, span at, number *out);
const char *surface_string(surface *s, span at, size_t *n);

/* parse.c */
tree *surface_parse(surface *s);

/* A type from the words "f32[2,3]" of an option; NULL when they are none. */
const type *surface_type_words(surface *s, const char *text);

#endif
