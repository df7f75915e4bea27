/* Reading the protobuf wire format: a walk over the fields of one message, in place. */
#ifndef DIALECT_ONNX_WIRE_H
#define DIALECT_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the file. */
typedef struct onnx_bytes {
    const char *at;
    size_t n;
} onnx_bytes;

typedef enum wire_kind {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_FIXED32 = 5
} wire_kind;

typedef struct wire_field {
    uint32_t number;
    wire_kind kind;
    uint64_t value;   /* of a varint, or the bits of fixed width */
    onnx_bytes bytes; /* of WIRE_BYTES; of fixed width, those of the value */
} wire_field;

/* Where a walk stands. What is wrong is said in `fault`, at the byte `at`. */
typedef struct wire {
    const char *at, *end;
    const char *fault; /* NULL: nothing */
    bool is_short;     /* the fault: bytes are missing at the end */
} wire;

static inline wire wire_over(onnx_bytes bytes)
{
    return (wire){.at = bytes.at, .end = bytes.at ? bytes.at + bytes.n : bytes.at};
}

/* The next field; false at the end and after a fault. */
bool wire_next(wire *w, wire_field *out);
/* The next number of a packed list of varints; false at the end and after a fault. */
bool wire_varint(wire *w, uint64_t *out);

#endif
