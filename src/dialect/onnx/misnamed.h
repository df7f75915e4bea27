/* What a file is that is called a model and is none. */
#ifndef DIALECT_ONNX_MISNAMED_H
#define DIALECT_ONNX_MISNAMED_H

#include "dialect/onnx/wire.h"

typedef struct onnx_misnamed {
    const char *what; /* "a web page"; NULL: it is not known what the file is */
    const char *help; /* NULL: nothing is */
} onnx_misnamed;

/* What BYTES, which are no model, are. */
onnx_misnamed onnx_misnamed_find(onnx_bytes bytes);

#endif
