/* What the parts of the Core IR writer share. */
#ifndef DIALECT_MIND_WRITER_H
#define DIALECT_MIND_WRITER_H

#include "dialect/mind/mind.h"
#include "dialect/mind/spelling.h"

typedef enum style { S_CANONICAL, S_POSITIONAL, S_TOOL, S_RECORDS, S_STRICT } style;

enum { N_WRITTEN = 64 };

/* Where a text was written before. */
typedef struct written {
    const void *what;
    size_t at;
    uint32_t length;
    uint16_t op;
} written;

typedef struct writer {
    const module *m;
    const function *f;
    text_buffer *out;
    style style;
    bool is_full; /* splats are written out */
    bool comments;
    uint32_t *ids; /* of values, by value; NULL: the same */
    const spelling *rows[OP_COUNT];
    const spelling *constants[TN_DTYPE_COUNT]; /* the scalar forms */
    const spelling *constant, *binary;
    written types[N_WRITTEN];
    written attrs[N_WRITTEN];
} writer;

void put_id(const writer *w, value_id v);
void put_type(writer *w, const type *t);
/* Is N a constant that is written as one number for all elements? */
bool is_fill(const writer *w, const node *n);
/* The value of SLOT, alone or with its name. */
void put_slot(const writer *w, const node *n, const slot_spec *slot);
void put_pair(const writer *w, const node *n, const slot_spec *slot, bool is_first);
/* ` {key=value, ...}` for all slots; nothing for an opcode without any. */
void put_braces(writer *w, const node *n, const spelling *s);
/* `[s:e:k, ...]` of a slice. */
void put_ranges(const writer *w, const node *n);

#endif
