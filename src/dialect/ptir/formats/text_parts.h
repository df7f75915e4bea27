/* Types, operands and fields of the compact text form. */
#ifndef PTIR_TEXT_PARTS_H
#define PTIR_TEXT_PARTS_H

#include "dialect/ptir/formats/scan.h"

bool text_read_type(ptir_scan *s, ptir_type *out);
/* The rest of a tensor type of DTYPE, up to its `>`: extents with `x` between them, if HAS_SOME. */
bool text_read_extents(ptir_scan *s, tn_dtype dtype, bool has_some, const type **out);
/* INT; one below 0 is reported, and something stands for it. */
bool text_read_extent(ptir_scan *s, dim *out);
/* INT, ?NAME or ?"name". */
bool text_read_dim(ptir_scan *s, dim *out);
/* The elements of a constant of type T, inside brackets that are consumed. *OK is false when they
 * do not suit T, which was reported. */
bool text_read_data(ptir_scan *s, const type *t, bool fill, const literal **out, bool *ok);
/* literal<f32, 2>[1.0, 2.0] */
bool text_read_literal(ptir_scan *s, ptir_operand *out);
/* The value of a field, behind its `[`; up to and with its `]`. */
bool text_read_field(ptir_scan *s, const ptir_field *field, attr *out);
/* Skip to behind the bracket that closes the one before s->at. */
bool text_skip_brackets(ptir_scan *s);

/* The other way. */
typedef struct text_writer {
    const module *m;
    text_buffer *out;
    arena names;
    bool compatible;
    bool no_memory;
} text_writer;

void text_write_type(text_writer *w, const ptir_type *t);
void text_write_dim(text_writer *w, dim d);
/* WORD and the elements of L, or `fill` and one of them when all are equal: however the program, or
 * a pass, came by them. */
void text_write_data(text_writer *w, const char *word, const literal *l);
void text_write_literal(text_writer *w, const literal *l);
void text_write_field(text_writer *w, const ptir_field *field, const attr *a);
/* The operation's name: snake case. */
void text_write_op(text_writer *w, const ptir_inst *inst);
void text_write_words(text_writer *w, const char *word, size_t n);
/* Can NAME be written bare? */
bool text_is_name(const char *name);

#endif
