/* A source text, byte spans in it, and the line and column of a byte. */
#ifndef BASE_CONTEXT_SOURCE_H
#define BASE_CONTEXT_SOURCE_H

#include "tenon/types.h"

/* Bytes [at, at + length) of a source. */
typedef struct span {
    uint32_t at;
    uint32_t length;
} span;

#define NO_SPAN ((span){UINT32_MAX, 0})

static inline span span_between(span first, span last)
{
    return (span){first.at, last.at + last.length - first.at};
}

/* A text that diagnostics point into. The text must outlive every use. */
struct arena;
typedef struct source {
    const char *name; /* shown as the file */
    const char *text; /* NULL for a program built in memory */
    size_t length;    /* below UINT32_MAX */
    /* The dialect's code for one of the library's error kinds (enum diag_kind), or NULL. */
    const char *(*code_of)(int kind);
    /* Put the dialect's own code and wording on an error of KIND about the op OP ("": none); texts
     * go to MEMORY. NULL: it stays as it is. READING is the reader's, NULL once it is done. */
    void (*restate)(const struct source *s, int kind, const char *op, struct tn_diagnostic *d,
                    struct arena *memory);
    const void *reading;
    bool says_operands; /* the wording of `restate` holds the types of the op's operands */
    /* Set in the copy that goes with one report: the use of an op that it is about (a use_site of
     * ops/infer.h), or NULL. */
    const void *about;
} source;

/* Where AT lies: counts lines from the start, so meant for diagnostics only. Line 0 if nowhere. */
tn_place source_place(const source *s, span at);
/* The text of the line that holds byte AT, without its line end. */
const char *source_line(const source *s, uint32_t at, size_t *length);

#endif
