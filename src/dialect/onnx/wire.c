/* The wire format: tags, numbers, lengths, each checked against the bytes that are there. */
#include "dialect/onnx/wire.h"

#include <string.h>

static bool fail(wire *w, const char *at, const char *fault)
{
    w->at = at;
    w->fault = fault;
    return false;
}

/* 7 bits a byte, the lowest first; 64 bits need at most ten bytes. */
static bool read_varint(wire *w, uint64_t *out)
{
    enum { MOST = 10 };
    const char *from = w->at;
    uint64_t value = 0;
    for (uint32_t i = 0; i < MOST; i++) {
        if (w->at == w->end) {
            w->is_short = true;
            return fail(w, from, "a number ends with its message, in the middle");
        }
        const uint64_t byte = (uint8_t)*w->at++;
        if (i == MOST - 1 && byte > 1)
            return fail(w, from, "a number has more than 64 bits");
        value |= (byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return fail(w, from, "a number has more than 64 bits");
}

bool wire_varint(wire *w, uint64_t *out)
{
    return !w->fault && w->at != w->end && read_varint(w, out);
}

static bool take(wire *w, const char *from, uint64_t n, onnx_bytes *out)
{
    w->is_short = n > (uint64_t)(w->end - w->at);
    if (w->is_short)
        return fail(w, from, "a field is longer than the message it stands in");
    *out = (onnx_bytes){w->at, (size_t)n};
    w->at += n;
    return true;
}

bool wire_next(wire *w, wire_field *out)
{
    const char *from = w->at;
    uint64_t tag, n = 0;
    if (w->fault || w->at == w->end || !read_varint(w, &tag))
        return false;
    if (tag >> 3 == 0 || tag >> 32 != 0)
        return fail(w, from, "a field has a number that no field can have");
    *out = (wire_field){.number = (uint32_t)(tag >> 3), .kind = (wire_kind)(tag & 7)};
    switch (tag & 7) {
    case WIRE_VARINT:
        return read_varint(w, &out->value);
    case WIRE_BYTES:
        return read_varint(w, &n) && take(w, from, n, &out->bytes);
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        n = (tag & 7) == WIRE_FIXED64 ? 8 : 4;
        if (!take(w, from, n, &out->bytes))
            return false;
        for (size_t i = 0; i < n; i++)
            out->value |= (uint64_t)(uint8_t)out->bytes.at[i] << (8 * i);
        return true;
    default:
        return fail(w, from, "a field has an encoding that is not read");
    }
}
