/* PTIR v0.4 in its forms: JSON, compact text, bincode. docs/dialect-ptir.md describes them. */
#ifndef PTIR_PTIR_H
#define PTIR_PTIR_H

#include "dialect/dialect.h"

extern const dialect dialect_ptir;
extern const dialect dialect_ptir_text;
extern const dialect dialect_ptir_bincode;

/* As dialect.field_at, of JSON. */
bool ptir_field_at(op_id op, uint32_t index, dialect_field *out);

/* The hash by which programs are told apart: FNV-1a, 64 bits, over the binary form of M. */
tn_status ptir_program_hash(const module *m, uint64_t *hash);

/* The same with the functions called f0, f1, ..: equal for programs that differ in their names. */
tn_status ptir_canonical_hash(const module *m, uint64_t *hash);

/* The name of a compiled entry function: NAME (NULL: the entry's) as a C identifier, two
 * underscores, and the program's hash in 16 hexadecimal digits. */
tn_status ptir_entry_symbol(const module *m, const char *name, text_buffer *out);

#endif
