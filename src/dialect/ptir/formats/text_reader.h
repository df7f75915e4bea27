/* What the files that read the compact text form share: names, operands and statements. */
#ifndef PTIR_TEXT_READER_H
#define PTIR_TEXT_READER_H

#include "dialect/ptir/codes.h"
#include "dialect/ptir/formats/scan.h"

typedef struct named_id {
    const char *name;
    span at;
} named_id;

typedef struct text_reader {
    ptir_scan s;
    /* Names of the function in work, by the ids they stand for. */
    VECTOR(named_id) names;
    hash_index by_name;
    bool lost_names; /* of the function: two values have one, and others may mean the second */
    ptir_function *f;
    ptir_where where; /* for messages: m->source.reading */
} text_reader;

/* What a value is called in the text. */
typedef struct text_name {
    const char *key; /* what finds it; of quoted ones that cannot stand bare, with a quote before */
    const char *name; /* NULL: a number, which is what values without a name are called */
    span at;
} text_name;

/* A name as it stands in the text, with its % or without. */
bool text_read_name(text_reader *r, text_name *out);
/* The next id is called NAME, which stands AT. */
bool text_add_name(text_reader *r, const char *name, span at);
/* The value called NAME at AT, or its element where ELEMENTS are allowed: NAME[INT]. */
bool text_value_named(text_reader *r, const char *name, span at, bool elements, ptir_operand *out);
/* %NAME or %NAME[INT]; likewise. */
bool text_read_value(text_reader *r, bool elements, ptir_operand *out);
/* All operands of an operation, in their brackets. */
bool text_read_operands(text_reader *r, ptir_inst *out);
/* One line of a function: names, an operation and their types. */
bool text_read_statement(text_reader *r);

#endif
