/* What the files of the Tiny IR writer share. */
#ifndef DIALECT_TINY_WRITER_H
#define DIALECT_TINY_WRITER_H

#include <stdio.h>

#include "dialect/tiny/read/reader.h"
#include "dialect/tiny/tiny.h"
#include "ops/shape.h"

typedef struct writer {
    const module *m;
    const function *f;
    text_buffer *out;
    arena memory;
    const char **ids; /* by value */
    bool *inlined;    /* by value: written as an immediate */
    VECTOR(const char *) taken;
    hash_index by_id;
    uint32_t n_written;
    bool comments;  /* say what the nodes of gradients belong to */
    value_id owner; /* of the node written last; NO_VALUE: none is to be named */
    bool views;     /* POOL is written as VIEW */
    bool no_memory;
} writer;

/* STEM WORD, made different from every other id; never NULL. */
const char *writer_fresh_id(writer *w, const char *stem, const char *word);
/* `{"id": .., "uop": ..`, then the source and `"arg": {`, then what closes the node; N gives the
 * tag and may be NULL. */
void writer_open(writer *w, const char *id, const char *uop);
void writer_src(writer *w, const char *id);
void writer_close(writer *w, const node *n);
void writer_string(writer *w, const char *s);
/* `"key": [..]`. */
void writer_dims(writer *w, const char *key, const dim *dims, uint32_t n);
/* A number; those that JSON lacks are strings, and in a list of sources `{"const": ..}`. */
void writer_scalar(writer *w, scalar s, tn_dtype d, bool in_src);

void write_movement(writer *w, const node *n);

#endif
