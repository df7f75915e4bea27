/* ONNX models, which are read and lowered to the vocabulary; docs/dialect-onnx.md. */
#ifndef DIALECT_ONNX_ONNX_H
#define DIALECT_ONNX_ONNX_H

#include "dialect/dialect.h"

extern const dialect dialect_onnx;

/* Read m->source into the fresh module M (dialect.h). */
tn_status onnx_read(module *m, const read_options *options);

#endif
