/* The wire format: a tag before every field, and lengths before texts and messages. */
#include "dialect/onnx/write/proto.h"

#include "dialect/onnx/wire.h"

enum { MOST = 10 }; /* bytes of a number: 7 bits in each */

static size_t put_varint(uint64_t value, char *to)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        to[n++] = (char)(0x80 | (value & 0x7f));
    to[n++] = (char)value;
    return n;
}

static void varint(text_buffer *out, uint64_t value)
{
    char bytes[MOST];
    text_put(out, bytes, put_varint(value, bytes));
}

static void tag(text_buffer *out, uint32_t field, wire_kind kind)
{
    varint(out, (uint64_t)field << 3 | (uint64_t)kind);
}

void proto_int(text_buffer *out, uint32_t field, int64_t value)
{
    tag(out, field, WIRE_VARINT);
    varint(out, (uint64_t)value);
}

void proto_f32(text_buffer *out, uint32_t field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    tag(out, field, WIRE_FIXED32);
    for (uint32_t i = 0; i < sizeof bits; i++)
        text_putc(out, (char)(bits >> (8 * i)));
}

void proto_bytes(text_buffer *out, uint32_t field, const void *bytes, size_t n)
{
    tag(out, field, WIRE_BYTES);
    varint(out, n);
    text_put(out, bytes, n);
}

void proto_text(text_buffer *out, uint32_t field, const char *text)
{
    proto_bytes(out, field, text, strlen(text));
}

size_t proto_open(text_buffer *out, uint32_t field)
{
    tag(out, field, WIRE_BYTES);
    return out->n;
}

/* The length is known only now: the message makes room for it. */
void proto_close(text_buffer *out, size_t opened)
{
    char bytes[MOST];
    if (out->failed)
        return;
    const size_t length = out->n - opened, n = put_varint(length, bytes);
    text_put(out, bytes, n);
    if (out->failed)
        return;
    memmove(out->at + opened + n, out->at + opened, length);
    memcpy(out->at + opened, bytes, n);
}
