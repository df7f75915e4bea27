/* The header of an .npy file is a Python dictionary in text form; here is a strict reader for the
 * three keys it may have. */
#include "io/npy_header.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_MAX = 65535 };

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const char native_order = '<';
#else
static const char native_order = '>';
#endif

static const struct {
    tn_dtype dtype;
    char code[4]; /* kind and bytes, as in NumPy's type strings */
} codes[] = {
    {TN_I1, "b1"},   {TN_SI8, "i1"},  {TN_UI8, "u1"},  {TN_SI16, "i2"},  {TN_UI16, "u2"},
    {TN_SI32, "i4"}, {TN_UI32, "u4"}, {TN_SI64, "i8"}, {TN_UI64, "u8"},  {TN_F16, "f2"},
    {TN_F32, "f4"},  {TN_F64, "f8"},  {TN_CF32, "c8"}, {TN_CF64, "c16"},
};
enum { N_CODES = sizeof codes / sizeof codes[0] };

/* The dictionary's text and how far it is read. */
typedef struct cursor {
    context *cx;
    const char *name;
    const char *text;
    size_t n, at;
    uint64_t base; /* where text[0] stands in the file */
} cursor;

static tn_status bad(cursor *c, const char *what)
{
    return io_error(c->cx, c->name, "byte %" PRIu64 ": %s in the header", c->base + c->at, what);
}

static void skip_space(cursor *c)
{
    while (c->at < c->n && (c->text[c->at] == ' ' || c->text[c->at] == '\t' ||
                            c->text[c->at] == '\n' || c->text[c->at] == '\r'))
        c->at++;
}

/* Take character X if it comes next, after any space. */
static bool take(cursor *c, char x)
{
    skip_space(c);
    if (c->at == c->n || c->text[c->at] != x)
        return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    size_t n = strlen(word);
    skip_space(c);
    if (c->n - c->at < n || memcmp(c->text + c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

/* A quoted string without escapes; it stays in the text. */
static tn_status take_string(cursor *c, const char **start, size_t *length)
{
    if (!take(c, '\'') && !take(c, '"'))
        return bad(c, "expected a string");
    char quote = c->text[c->at - 1];
    size_t from = c->at;
    for (; c->at < c->n && c->text[c->at] != quote; c->at++)
        if (c->text[c->at] == '\\' || c->text[c->at] == '\n')
            return bad(c, "escape or line end inside a string");
    if (c->at == c->n)
        return bad(c, "unterminated string");
    *start = c->text + from;
    *length = c->at++ - from;
    return TN_OK;
}

/* What a type string that is not read would mean. */
static const char *meaning_of(const char *code, size_t n)
{
    switch (n ? code[0] : '\0') {
    case 'O':
        return "Python objects";
    case 'S':
    case 'a':
    case 'U':
        return "text";
    case 'V':
        return "raw bytes or records; save bf16 and fp8 as their bit patterns, uint16 and uint8";
    case 'M':
    case 'm':
        return "dates or times";
    case 'b':
    case 'i':
    case 'u':
    case 'f':
    case 'c':
        return "numbers of a size that is not supported";
    default:
        return "an unknown type";
    }
}

static tn_status read_descr(cursor *c, npy_header *h, array *a)
{
    const char *text = "";
    size_t n = 0;
    skip_space(c);
    if (c->at < c->n && (c->text[c->at] == '[' || c->text[c->at] == '('))
        return bad(c, "unsupported structured element type");
    TN_TRY(take_string(c, &text, &n));
    char order = n ? text[0] : '\0';
    bool marked = order == '<' || order == '>' || order == '|';
    const char *code = marked ? text + 1 : text;
    size_t code_n = marked ? n - 1 : n;
    for (size_t i = 0; i < N_CODES; i++) {
        if (strlen(codes[i].code) != code_n || memcmp(codes[i].code, code, code_n) != 0)
            continue;
        a->dtype = codes[i].dtype;
        bool one_byte = dtype_bytes(a->dtype) == 1;
        if (!one_byte && (!marked || order == '|'))
            return bad(c, "element type without a byte order");
        h->swapped = !one_byte && order != native_order;
        return TN_OK;
    }
    io_text shown = io_printable(text, n);
    return io_error(c->cx, c->name, "the element type '%s' is not read (%s)", shown.text,
                    meaning_of(code, code_n));
}

static tn_status read_order(cursor *c, npy_header *h)
{
    h->columns = take_word(c, "True");
    if (!h->columns && !take_word(c, "False"))
        return bad(c, "expected True or False");
    return TN_OK;
}

static tn_status read_extent(cursor *c, int64_t *out)
{
    uint64_t value = 0;
    skip_space(c);
    size_t from = c->at;
    for (; c->at < c->n && c->text[c->at] >= '0' && c->text[c->at] <= '9'; c->at++) {
        uint64_t digit = (uint64_t)(c->text[c->at] - '0');
        if (value > (INT64_MAX - digit) / 10)
            return bad(c, "extent too large");
        value = value * 10 + digit;
    }
    if (c->at == from)
        return bad(c, "expected an extent");
    if (c->text[from] == '0' && c->at - from > 1)
        return bad(c, "extent with a leading zero");
    if (c->at < c->n && c->text[c->at] == 'L') /* a long integer of Python 2 */
        c->at++;
    *out = (int64_t)value;
    return TN_OK;
}

static tn_status read_shape(cursor *c, array *a)
{
    bool comma = true;
    if (!take(c, '('))
        return bad(c, "expected a shape in parentheses");
    while (!take(c, ')')) {
        if (!comma)
            return bad(c, "expected ',' or ')'");
        if (a->rank == TN_MAX_RANK)
            return bad(c, "more axes than are supported");
        TN_TRY(read_extent(c, &a->dims[a->rank]));
        a->rank++;
        comma = take(c, ',');
    }
    if (a->rank == 1 && !comma) /* (3) is a number in Python, and no shape */
        return bad(c, "expected ',' after a single extent");
    return TN_OK;
}

static tn_status parse(cursor *c, npy_header *h, array *a)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
    static const struct {
        const char *key;
        unsigned bit;
    } keys[] = {{"descr", DESCR}, {"fortran_order", ORDER}, {"shape", SHAPE}};
    unsigned seen = 0;
    bool comma = true;

    if (!take(c, '{'))
        return bad(c, "expected '{'");
    while (!take(c, '}')) {
        const char *text = "";
        size_t n = 0;
        unsigned bit = 0;
        if (!comma)
            return bad(c, "expected ',' or '}'");
        TN_TRY(take_string(c, &text, &n));
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            if (strlen(keys[i].key) == n && memcmp(keys[i].key, text, n) == 0)
                bit = keys[i].bit;
        if (!bit)
            return bad(c, "unknown key");
        if (seen & bit)
            return bad(c, "repeated key");
        seen |= bit;
        if (!take(c, ':'))
            return bad(c, "expected ':'");
        if (bit == DESCR)
            TN_TRY(read_descr(c, h, a));
        else if (bit == ORDER)
            TN_TRY(read_order(c, h));
        else
            TN_TRY(read_shape(c, a));
        comma = take(c, ',');
    }
    if (seen != ALL)
        return bad(c, "missing key: 'descr', 'fortran_order' and 'shape' are needed");
    skip_space(c);
    if (c->at != c->n)
        return bad(c, "text after the dictionary");
    return TN_OK;
}

/* Check the magic and the version, and say how long the text is. */
static tn_status read_prefix(context *cx, input *in, size_t *length)
{
    unsigned char p[8], size[4];
    if (in->size < sizeof p)
        return io_error(cx, in->name, "is too short for an .npy file: %" PRIu64 " byte%s", in->size,
                        plural(in->size));
    TN_TRY(input_read(cx, in, p, sizeof p));
    if (p[0] == 'P' && p[1] == 'K')
        return io_error(cx, in->name, "is a zip archive (.npz?), not an .npy file");
    if (memcmp(p, magic, sizeof magic) != 0)
        return io_error(cx, in->name, "is not an .npy file");
    if (p[6] < 1 || p[6] > 3 || p[7] != 0)
        return io_error(cx, in->name, "has .npy format version %d.%d; 1.0 to 3.0 are read", p[6],
                        p[7]);
    size_t width = p[6] == 1 ? 2 : 4;
    TN_TRY(input_read(cx, in, size, width));
    uint64_t n = io_little(size, width);
    if (n > HEADER_MAX)
        return io_error(cx, in->name, "has a header of %" PRIu64 " byte%s; at most %d are read", n,
                        plural(n), HEADER_MAX);
    *length = (size_t)n;
    return TN_OK;
}

tn_status npy_header_read(context *cx, input *in, npy_header *h, array *a)
{
    size_t n = 0;
    *h = (npy_header){0};
    *a = (array){0};
    TN_TRY(read_prefix(cx, in, &n));
    char *text = memory_alloc(&cx->allocator, n + 1);
    if (!text)
        return diag_no_memory(&cx->diag);
    cursor c = {.cx = cx, .name = in->name, .text = text, .n = n, .base = in->at};
    tn_status s = input_read(cx, in, text, n);
    if (s == TN_OK)
        s = parse(&c, h, a);
    memory_free(&cx->allocator, text, n + 1);
    return s;
}

size_t npy_header_write(const array *a, char out[NPY_HEADER_ROOM])
{
    enum { PREFIX = 10, LINE = 64 };
    const char *code = "";
    tn_dtype carrier = array_carrier(a->dtype);
    for (size_t i = 0; i < N_CODES; i++)
        if (codes[i].dtype == carrier)
            code = codes[i].code;

    char *text = out + PREFIX;
    size_t room = NPY_HEADER_ROOM - PREFIX;
    size_t n = (size_t)snprintf(text, room, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                                dtype_bytes(carrier) == 1 ? '|' : native_order, code);
    for (uint32_t i = 0; i < a->rank; i++)
        n += (size_t)snprintf(text + n, room - n, i ? ", %" PRId64 : "%" PRId64, a->dims[i]);
    n += (size_t)snprintf(text + n, room - n, a->rank == 1 ? ",), }" : "), }");

    size_t total = (PREFIX + n + 1 + LINE - 1) / LINE * LINE;
    memset(text + n, ' ', total - PREFIX - n);
    out[total - 1] = '\n';
    memcpy(out, magic, sizeof magic);
    out[6] = 1;
    out[7] = 0;
    out[8] = (char)((total - PREFIX) & 0xff);
    out[9] = (char)((total - PREFIX) >> 8);
    return total;
}
