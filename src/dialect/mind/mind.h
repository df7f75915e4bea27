/* MIND Core IR: text in four spellings, or records as JSON. docs/dialect-mind.md describes it. */
#ifndef DIALECT_MIND_MIND_H
#define DIALECT_MIND_MIND_H

#include "dialect/dialect.h"

extern const dialect dialect_mind;

/* Is OP an instruction of Core v1, not an extension? */
bool mind_is_core(op_id op);

/* Its parts. */
tn_status mind_read(module *m, const read_options *options);
tn_status mind_write(const module *m, const write_options *options, text_buffer *out);
/* As source.restate: ops and element types as Core IR spells them. */
void mind_restate(const source *s, int kind, const char *op, tn_diagnostic *d, arena *memory);

#endif
