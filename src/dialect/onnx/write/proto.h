/* Writing the protobuf wire format: fields of messages, each behind its number. */
#ifndef DIALECT_ONNX_WRITE_PROTO_H
#define DIALECT_ONNX_WRITE_PROTO_H

#include "base/text/text.h"

void proto_int(text_buffer *out, uint32_t field, int64_t value);
void proto_f32(text_buffer *out, uint32_t field, float value);
void proto_bytes(text_buffer *out, uint32_t field, const void *bytes, size_t n);
void proto_text(text_buffer *out, uint32_t field, const char *text);

/* What is written between these is a message: `open` gives what `close` takes. */
size_t proto_open(text_buffer *out, uint32_t field);
void proto_close(text_buffer *out, size_t opened);

#endif
