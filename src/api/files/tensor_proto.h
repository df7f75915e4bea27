/* Files with one TensorProto of ONNX, as test data of models are. */
#ifndef API_FILES_TENSOR_PROTO_H
#define API_FILES_TENSOR_PROTO_H

#include "io/array.h"
#include "io/input.h"

/* Does NAME end with .pb? The content does not tell. */
bool tensor_proto_is_called(const char *name);
/* All of IN, of which nothing is read yet. On success OUT owns its data (array_release), and *NAME
 * is the tensor's, in *SIZE bytes of the context's. */
tn_status tensor_proto_read(context *cx, input *in, array *out, char **name, size_t *size);

#endif
