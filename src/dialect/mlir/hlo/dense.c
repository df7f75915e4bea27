/* Constants: `dense<..>` in all its forms, decoded when they are used. */
#include "dialect/mlir/hlo/shlo.h"

#include <inttypes.h>

#include "base/text/decimal.h"

/* ---- types ---- */

const type *shlo_static_type(shlo_reader *r, const mir_type *t, span at)
{
    if (!t || t->kind == MIR_REFUSED) {
        (void)shlo_refuse_at(r, DIAG_DTypeNotSupported, "", at, "%s",
                             t ? t->refused : "this value has no type");
        return NULL;
    }
    if (t->kind != MIR_TENSOR) {
        (void)shlo_refuse_at(r, DIAG_TypeMismatch, "", at, "this is no tensor");
        return NULL;
    }
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] == MIR_UNKNOWN) {
            (void)shlo_refuse_at(r, DIAG_ShapeUnknown, "", at,
                                 "extent %u of %.*s is not known here", (unsigned)i,
                                 MIR_TEXT(t->text));
            return NULL;
        }
    const type *own = type_of(&r->m->types, t->dtype, t->dims, t->rank);
    if (!own)
        (void)shlo_no_memory(r);
    else if (own->count == TYPE_COUNT_HUGE)
        (void)shlo_refuse_at(r, DIAG_InvalidDimension, "", at,
                             "%.*s has more elements than can be counted", MIR_TEXT(t->text));
    return own && own->count != TYPE_COUNT_HUGE ? own : NULL;
}

/* ---- elements ---- */

/* The elements of a text that are still to be read. */
typedef struct dense_text {
    shlo_reader *r;
    const char *at, *end;
    const type *type;
    char *to; /* the next element; NULL: only looking */
    span where;
} dense_text;

static bool refuse(dense_text *d, const char *why)
{
    const char *text = d->r->m->source.text;
    span at = d->where;
    if (d->at >= text && d->at < text + d->r->m->source.length)
        at = (span){(uint32_t)(d->at - text), d->at < d->end};
    return shlo_refuse_at(d->r, DIAG_InvalidConstant, "", at, "%s", why);
}

static char next(dense_text *d)
{
    while (d->at < d->end && shlo_is_space(*d->at))
        d->at++;
    return d->at < d->end ? *d->at : '\0';
}

static float_format format_of(tn_dtype d)
{
    switch ((int)dtype_table[d].part) {
    case TN_FP8_E4M3:
        return format_fp8_e4m3;
    case TN_FP8_E5M2:
        return format_fp8_e5m2;
    case TN_BF16:
        return format_bf16;
    case TN_F16:
        return format_f16;
    case TN_F32:
        return format_f32;
    default:
        return format_f64;
    }
}

/* The low BYTES of BITS, in the order of the machine. */
static void store_bits(char *to, uint64_t bits, size_t bytes)
{
    const uint8_t b8 = (uint8_t)bits;
    const uint16_t b16 = (uint16_t)bits;
    const uint32_t b32 = (uint32_t)bits;
    if (bytes == 1)
        memcpy(to, &b8, 1);
    else if (bytes == 2)
        memcpy(to, &b16, 2);
    else if (bytes == 4)
        memcpy(to, &b32, 4);
    else
        memcpy(to, &bits, 8);
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* `0x1F`, if that is next. */
static bool read_hex(dense_text *d, uint64_t *bits, bool *fits)
{
    *bits = 0;
    *fits = true;
    if (d->end - d->at < 3 || d->at[0] != '0' || d->at[1] != 'x')
        return false;
    for (d->at += 2; d->at < d->end && hex_value(*d->at) >= 0; d->at++) {
        *fits = *fits && *bits >> 60 == 0;
        *bits = *bits << 4 | (uint64_t)hex_value(*d->at);
    }
    return true;
}

static bool read_float(dense_text *d, char *to)
{
    const float_format f = format_of(d->type->dtype);
    uint64_t bits;
    bool fits;
    (void)next(d);
    if (!read_hex(d, &bits, &fits)) {
        const decimal_result found = decimal_read(f, d->at, (size_t)(d->end - d->at), &bits);
        if (!found.length)
            return refuse(d, "a number should stand here");
        d->at += found.length;
    }
    if (!fits || (f.bits < 64 && bits >> f.bits))
        return refuse(d, "these are more bits than the element type has");
    if (to)
        store_bits(to, bits, f.bits / 8u);
    return true;
}

static bool read_word(dense_text *d, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(d->end - d->at) < n || memcmp(d->at, word, n) != 0)
        return false;
    d->at += n;
    return true;
}

/* BITS, which are written without a sign, as a signed number of WIDTH bits: integers of MLIR are
 * bits, and 255 is the -1 of i8. More of them make a number that is too large. */
static int64_t signed_of(uint64_t bits, uint32_t width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    if (width < 64 && bits >> width)
        return INT64_MAX;
    return (int64_t)((bits ^ sign) - sign);
}

static bool read_int(dense_text *d, char *to)
{
    const tn_dtype t = d->type->dtype;
    uint64_t bits = 0;
    bool fits = true;
    const bool minus = next(d) == '-';
    if (minus)
        d->at++;
    if (!minus && (read_word(d, "true") || read_word(d, "false"))) {
        bits = d->at[-2] == 'u';
    } else if (!read_hex(d, &bits, &fits)) {
        const decimal_result found = decimal_read_u64(d->at, (size_t)(d->end - d->at), &bits);
        if (!found.length)
            return refuse(d, "a number should stand here");
        d->at += found.length;
        fits = !found.overflow;
    }
    const scalar s = minus                ? scalar_of_int((int64_t)(0 - bits))
                     : dtype_is_signed(t) ? scalar_of_int(signed_of(bits, dtype_table[t].bits))
                                          : scalar_of_uint(bits);
    fits = fits && (!minus || bits <= (uint64_t)INT64_MAX + 1);
    if (!fits || !scalar_is_exact(s, t))
        return refuse(d, "this number does not fit the element type");
    return !to || scalar_store(s, t, to);
}

static bool expect(dense_text *d, char c)
{
    if (next(d) != c)
        return refuse(d, "this is not how a constant is written");
    d->at++;
    return true;
}

/* One element to TO. */
static bool read_element(dense_text *d, char *to)
{
    const tn_dtype t = d->type->dtype;
    if (dtype_is_complex(t))
        return expect(d, '(') && read_float(d, to) && expect(d, ',') &&
               read_float(d, to ? to + dtype_bytes(t) / 2 : NULL) && expect(d, ')');
    return dtype_is_float(t) ? read_float(d, to) : read_int(d, to);
}

/* `[..]` over axis AXIS. */
static bool read_nested(dense_text *d, uint32_t axis)
{
    const size_t size = dtype_bytes(d->type->dtype);
    if (axis == d->type->rank) {
        char *to = d->to;
        d->to += size;
        return read_element(d, to);
    }
    if (!expect(d, '['))
        return false;
    for (int64_t i = 0; i < d->type->dims[axis]; i++)
        if ((i && !expect(d, ',')) || !read_nested(d, axis + 1))
            return false;
    return expect(d, ']');
}

/* ---- raw bytes ---- */

/* Hexadecimal digits to N bytes, little-endian elements; OUT in the order of the machine. */
static bool raw_bytes(dense_text *d, mir_text digits, char *out)
{
    for (size_t i = 0; i < digits.n / 2; i++) {
        const int high = hex_value(digits.at[2 * i]), low = hex_value(digits.at[2 * i + 1]);
        if (high < 0 || low < 0)
            return refuse(d, "this is no hexadecimal digit");
        out[i] = (char)(high * 16 + low);
    }
    return true;
}

/* Does the one element of raw bytes in DIGITS stand for all COUNT of type D? MLIR packs truth
   values up to its version 22, the first in the lowest bit: one byte is as many as eight of them,
   and means all only as 0x00 or 0xff. Later versions have a byte for each, of which one means all.
 */
static bool is_raw_splat(tn_dtype d, int64_t count, mir_text digits)
{
    if (count == 1 || digits.n != 2 * dtype_bytes(d))
        return false;
    if (d != TN_I1)
        return true;
    const int high = hex_value(digits.at[0]), low = hex_value(digits.at[1]);
    return (high == 0 && low == 0) || (high == 15 && low == 15) ||
           (high == 0 && low == 1 && count > 8);
}

/* Is N the number of raw bytes of COUNT elements of D? */
static bool is_raw_size(tn_dtype d, int64_t count, size_t n, bool *is_packed)
{
    const uint64_t c = (uint64_t)count;
    *is_packed = d == TN_I1 && n == (c + 7) / 8 && n != c;
    return n == c * dtype_bytes(d) || *is_packed;
}

/* Truth values, eight a byte, from the end of the room where they lie. */
static void unpack(char *data, const char *packed, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        data[i] = (char)((unsigned char)packed[i / 8] >> (i % 8) & 1);
}

/* ---- whole constants ---- */

static void *room_for(shlo_reader *r, literal *l)
{
    void *room = NULL;
    if (l->bytes < PAYLOAD_FROM)
        return arena_alloc_aligned(&r->m->arena, l->bytes, 64);
    l->shared = payload_new(&r->m->cx->allocator, l->bytes, &room);
    if (!l->shared)
        return NULL;
    const bool held = module_hold(r->m, l->shared);
    payload_drop(l->shared); /* the module holds it */
    return held ? room : NULL;
}

/* Room for the elements of L, or one that stands for all. */
static char *begin(dense_text *d, literal *l)
{
    shlo_reader *r = d->r;
    const size_t size = dtype_bytes(d->type->dtype);
    l->bytes = l->splat ? size : (size_t)d->type->count * size;
    if (l->bytes > r->m->cx->limits.literal_bytes - r->b.literal_bytes) {
        (void)shlo_refuse_at(r, DIAG_LimitExceeded, "", d->where,
                             "the constants have more bytes than the limit literal_bytes");
        return NULL;
    }
    r->b.literal_bytes += l->bytes;
    char *room = room_for(r, l);
    if (!room)
        (void)shlo_no_memory(r);
    l->data = room;
    return room;
}

/* The bytes that DIGITS, `0x..`, stand for. */
static bool read_raw(dense_text *d, mir_text digits, literal *l)
{
    const tn_dtype t = d->type->dtype;
    const int64_t count = d->type->count;
    bool is_packed = false;
    if (digits.n < 2 || digits.at[0] != '0' || digits.at[1] != 'x' || digits.n % 2)
        return refuse(d, "raw data is written as \"0x\" and two digits for each byte");
    digits = (mir_text){digits.at + 2, digits.n - 2};
    const size_t n = digits.n / 2;
    l->splat = is_raw_splat(t, count, digits);
    if (!l->splat && !is_raw_size(t, count, n, &is_packed))
        return refuse(d, "these are not as many bytes as the constant has");
    char *room = begin(d, l);
    if (!room)
        return false;
    if (!is_packed) {
        if (!raw_bytes(d, digits, room))
            return false;
    } else {
        char *packed = arena_alloc(&d->r->memory, n);
        if (!packed)
            return shlo_no_memory(d->r);
        if (!raw_bytes(d, digits, packed))
            return false;
        unpack(room, packed, count);
    }
    if (dtype_is_bool(t) || dtype_table[t].bits == 4)
        dtype_narrow(t, room, room, l->splat ? 1 : (size_t)count);
    return true;
}

/* The name of a resource, which printers quote where it is no word. */
static mir_text resource_name(dense_text *d)
{
    const bool is_quoted = next(d) == '"' && d->end - d->at > 1 && d->end[-1] == '"';
    const size_t n = (size_t)(d->end - d->at);
    return is_quoted ? (mir_text){d->at + 1, n - 2} : (mir_text){d->at, n};
}

/* The data of a resource behind its alignment, which takes four bytes. */
static bool read_resource(dense_text *d, literal *l)
{
    enum { DIGITS = 2 + 8 };
    const mir_text name = resource_name(d);
    const mir_model *model = &d->r->model;
    for (uint32_t i = 0; i < model->resources.n; i++) {
        const mir_resource *one = &model->resources.at[i];
        if (!mir_same(one->name, name) || one->data.n < DIGITS)
            continue;
        char *digits = arena_alloc(&d->r->memory, one->data.n);
        if (!digits)
            return shlo_no_memory(d->r);
        memcpy(digits, "0x", 2);
        memcpy(digits + 2, one->data.at + DIGITS, one->data.n - DIGITS);
        return read_raw(d, (mir_text){digits, one->data.n - 8}, l);
    }
    return shlo_refuse_at(d->r, DIAG_ElidedConstant, "", d->where,
                          "the data of the resource '%.*s' is not in the text", MIR_TEXT(name));
}

static bool read_constant(dense_text *d, literal *l)
{
    const char c = next(d);
    if (c == '"') {
        const char *from = d->at + 1, *end = memchr(from, '"', (size_t)(d->end - from));
        if (!end)
            return refuse(d, "this text does not end");
        return read_raw(d, (mir_text){from, (size_t)(end - from)}, l);
    }
    if (c == '_')
        return shlo_refuse_at(d->r, DIAG_ElidedConstant, "", d->where,
                              "the printer left the data of this constant out");
    if (c == '\0')
        return d->type->count == 0 ? begin(d, l) != NULL
                                   : refuse(d, "a constant of some elements has none here");
    l->splat = c != '[' && d->type->count > 1;
    char *room = begin(d, l);
    if (!room)
        return false;
    d->to = room;
    if (c == '[' ? !read_nested(d, 0) : !read_element(d, d->type->count ? room : NULL))
        return false;
    return next(d) == '\0' || refuse(d, "more stands here than the type has elements");
}

bool shlo_dense(shlo_reader *r, const mir_attr *a, const type *t, span at, literal *out)
{
    dense_text d = {
        .r = r, .at = a->text.at, .end = a->text.at + a->text.n, .type = t, .where = at};
    *out = (literal){.type = t};
    if (a->kind != MIR_DENSE && a->kind != MIR_RESOURCE)
        return shlo_refuse_at(r, DIAG_InvalidConstant, "", at, "this value is no constant tensor");
    return a->kind == MIR_RESOURCE ? read_resource(&d, out) : read_constant(&d, out);
}

tn_value shlo_constant(shlo_reader *r, const literal *l)
{
    attr_list list = attrs_for(&r->b, OP_CONSTANT);
    list.at[list.n++] = (attr){.key = KEY_VALUE, .v.literal = l};
    return append(&list, NULL, 0);
}
