/* A text that an editor has open: its bytes, and its positions as the protocol counts them. */
#ifndef LSP_DOCUMENT_H
#define LSP_DOCUMENT_H

#include "base/context/names.h"
#include "base/memory/memory.h"
#include "base/text/text.h"

/* What the columns of positions count. */
typedef enum encoding { ENCODING_UTF16, ENCODING_UTF8 } encoding;

/* Lines and columns from 0. */
typedef struct position {
    uint32_t line, character;
} position;

/* What stands before the character at AT, from the beginning of the text on. */
typedef struct document_mark {
    uint32_t at, points, units; /* code points, and units of UTF-16 */
} document_mark;

typedef struct document {
    struct document *next;
    const tn_allocator *allocator;
    char *uri;
    const char *dialect; /* that its language says; NULL: the name or the text tells */
    int64_t version;
    char *text; /* with a NUL behind it */
    size_t n;
    VECTOR(uint32_t) lines;      /* where each begins */
    VECTOR(uint32_t) feeds;      /* the same for lines that only LF ends */
    VECTOR(document_mark) marks; /* one about every 1024 bytes: lines may be long */
    name_table names;            /* of the text as it was read last, sorted */
    uint32_t n_errors;           /* that were found then */
} document;

/* Give D the N bytes of TEXT. False when there is no memory: then it keeps what it had. */
bool document_set(document *d, const char *text, size_t n);
/* Replace the bytes from FROM to TO by the N bytes of TEXT. */
bool document_edit(document *d, size_t from, size_t to, const char *text, size_t n);
void document_free(document *d);

/* The byte at P. A column behind the end of its line is the end, a line behind the last the end of
 * the text, and what lies within a character is its beginning. */
size_t document_offset(const document *d, encoding e, position p);
/* Where the line of byte OFFSET ends, its end not counted. */
size_t document_line_end(const document *d, size_t offset);
position document_position(const document *d, encoding e, size_t offset);
/* The byte of a place in a diagnostic, whose lines end with LF, and the one COUNT code points on.
 */
size_t document_place(const document *d, uint32_t line, uint32_t column);
size_t document_step(const document *d, size_t from, uint32_t count);

void document_put_position(const document *d, encoding e, size_t at, text_buffer *out);
/* {"start":...,"end":...} of these bytes. */
void document_put_range(const document *d, encoding e, size_t from, size_t to, text_buffer *out);

#endif
