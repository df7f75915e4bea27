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
    uint64_t number;  /* of the text in its context (context_new_text); copies have the same. 0:
                         places in it are always counted from its start */
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

/* Bytes of the byte order mark that TEXT begins with: 3, or 0 without one. */
size_t source_mark_length(const char *text, size_t length);

/* A byte of a numbered text whose line and column are known: those near it are found from there. */
typedef struct source_cursor {
    uint64_t text; /* its number */
    uint32_t at, line, line_begin, column;
} source_cursor;

/* Where AT lies; line 0 if nowhere. Counts from CURSOR, which moves to AT; with NULL, or for
 * another text, from the start. */
tn_place source_place(const source *s, span at, source_cursor *cursor);

/* The line that holds byte AT, without its line end. Of a line that goes on for more than
 * SOURCE_LINE_BEFORE bytes before AT or SOURCE_LINE_BEHIND behind it, that much. NULL if nowhere.
 */
enum { SOURCE_LINE_BEFORE = 1024, SOURCE_LINE_BEHIND = 3072 };
typedef struct source_excerpt {
    const char *text;
    size_t length;
    uint32_t before; /* code points of the text in front of AT */
} source_excerpt;
source_excerpt source_line(const source *s, uint32_t at);

#endif
