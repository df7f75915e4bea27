/* ONNX models: read and lowered to the vocabulary, and written; docs/dialect-onnx.md. */
#ifndef DIALECT_ONNX_ONNX_H
#define DIALECT_ONNX_ONNX_H

#include "dialect/dialect.h"

extern const dialect dialect_onnx;

/* Read m->source into the fresh module M (dialect.h). */
tn_status onnx_read(module *m, const read_options *options);

/* Append the model that M is (dialect.h); ONNX's words for OP, and what can be said in ONNX. */
tn_status onnx_write(const module *m, const write_options *options, text_buffer *out);
const char *onnx_spelling(op_id op);
extern const expressible onnx_expressible;

#endif
