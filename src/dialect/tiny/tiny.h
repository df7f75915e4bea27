/* Tiny IR: a DAG of movement, elementwise operations and reductions, as JSON. */
#ifndef DIALECT_TINY_TINY_H
#define DIALECT_TINY_TINY_H

#include "dialect/dialect.h"

extern const dialect dialect_tiny;

tn_status tiny_read(module *m, const read_options *options);
tn_status tiny_write(const module *m, const write_options *options, text_buffer *out);

const char *tiny_code_of(int kind);
/* As source.restate: the kinds as Tiny IR calls them, and codes of warnings. */
void tiny_restate(const source *s, int kind, const char *op, tn_diagnostic *d, arena *memory);

#endif
