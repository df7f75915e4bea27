/* A dialect is a way of spelling a subset of the vocabulary. Adding one is a folder and a row in
 * dialect.c; it touches no op. */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "base/text.h"
#include "graph/module.h"

typedef enum profile { PROFILE_EXTENDED, PROFILE_CORE_V1 } profile;

typedef struct read_options {
    profile profile;
    bool slice_clamp; /* MIND: negative slice bounds clamp to 0 instead of counting from the end */
} read_options;

typedef struct write_options {
    const char *style; /* one of the dialect's styles; NULL is the first, its canonical form */
} write_options;

typedef struct dialect {
    const char *name;
    const char *extensions; /* space-separated, longest first */
    const char *styles;     /* space-separated, canonical first */
    /* Read m->source into the fresh module M. Reports every fault; a module with faults is
     * rejected after the whole text was looked at. */
    tn_status (*read)(module *m, const read_options *options);
    /* Append the text of M. Ops that the dialect cannot spell are reported, nothing is dropped. */
    tn_status (*write)(const module *m, const write_options *options, text_buffer *out);
    /* The dialect's code for one of the library's error kinds, or NULL. */
    const char *(*code_of)(int kind);
    /* Does a text without a telling file name look like this dialect? */
    bool (*looks_like)(const char *text, size_t length);
    /* How OP is spelt, for `tenon ops`; NULL when the dialect lacks it. */
    const char *(*spelling)(op_id op);
} dialect;

/* All of them, NULL-terminated. */
extern const dialect *const dialects[];

const dialect *dialect_by_name(const char *name);
/* By the extension of FILE, else by looking at the text; NULL when neither tells. */
const dialect *dialect_guess(const char *file, const char *text, size_t length);

#endif
