/* StableHLO, which is read (read/, hlo/) and written in its generic form, and two dialects that are
 * only written: MLIR (linalg, arith, tensor) and Graphviz. */
#ifndef DIALECT_MLIR_MLIR_H
#define DIALECT_MLIR_MLIR_H

#include "dialect/dialect.h"

extern const dialect dialect_mlir, dialect_stablehlo, dialect_dot;

/* What they share: no codes of their own, and no text that looks like theirs. */
const char *no_code(int kind);
bool never_looks_like(const char *text, size_t length);

/* Their parts. */
tn_status mlir_write(const module *m, const write_options *options, text_buffer *out);
tn_status stablehlo_read(module *m, const read_options *options);
bool stablehlo_looks_like(const char *text, size_t length);
tn_status stablehlo_write(const module *m, const write_options *options, text_buffer *out);
tn_status dot_write(const module *m, const write_options *options, text_buffer *out);

#endif
