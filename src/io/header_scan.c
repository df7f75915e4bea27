/* Strings, whole numbers and punctuation of a JSON header. */
#include "io/header_scan.h"

#include <inttypes.h>
#include <string.h>

#include "base/text/utf8.h"

tn_status header_bad(header_scan *h, const char *what)
{
    return io_error(h->cx, h->name, "byte %" PRIu64 ": %s in the header", h->base + h->at, what);
}

static void skip_space(header_scan *h)
{
    while (h->at < h->n && (h->text[h->at] == ' ' || h->text[h->at] == '\t' ||
                            h->text[h->at] == '\n' || h->text[h->at] == '\r'))
        h->at++;
}

bool header_take(header_scan *h, char x)
{
    skip_space(h);
    if (h->at == h->n || h->text[h->at] != x)
        return false;
    h->at++;
    return true;
}

tn_status header_expect(header_scan *h, char x)
{
    char what[] = "expected ' '";
    what[sizeof what - 3] = x;
    return header_take(h, x) ? TN_OK : header_bad(h, what);
}

/* Four hexadecimal digits. */
static bool take_hex(header_scan *h, uint32_t *out)
{
    uint32_t value = 0;
    if (h->n - h->at < 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        char c = h->text[h->at + i];
        char lower = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint32_t)(c - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value << 4 | (uint32_t)(lower - 'a' + 10);
        else
            return false;
    }
    h->at += 4;
    *out = value;
    return true;
}

/* What follows "\u". */
static tn_status unicode_escape(header_scan *h, char **to)
{
    uint32_t code, low;
    if (!take_hex(h, &code))
        return header_bad(h, "expected four hexadecimal digits");
    if (code >= 0xd800 && code < 0xdc00) {
        if (h->n - h->at < 2 || h->text[h->at] != '\\' || h->text[h->at + 1] != 'u')
            return header_bad(h, "half a surrogate pair");
        h->at += 2;
        if (!take_hex(h, &low) || low < 0xdc00 || low > 0xdfff)
            return header_bad(h, "half a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code == 0)
        return header_bad(h, "NUL inside a string");
    size_t length = utf8_encode(code, *to);
    *to += length;
    return length ? TN_OK : header_bad(h, "half a surrogate pair");
}

static tn_status escape(header_scan *h, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    char c = h->at < h->n ? h->text[h->at] : '\0';
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        h->at++;
        *(*to)++ = into[known - from];
        return TN_OK;
    }
    if (c != 'u')
        return header_bad(h, "unknown escape");
    h->at++;
    return unicode_escape(h, to);
}

tn_status header_string(header_scan *h, arena *memory, const char **out)
{
    size_t end;
    TN_TRY(header_expect(h, '"'));
    for (end = h->at; end < h->n && h->text[end] != '"'; end++)
        end += h->text[end] == '\\';
    if (end >= h->n)
        return header_bad(h, "unterminated string");
    /* Decoding never lengthens: the shortest escape, of two bytes, gives one, and \uXXXX three. */
    char *text = arena_alloc_aligned(memory, end - h->at + 1, 1);
    if (!text)
        return diag_no_memory(&h->cx->diag);
    char *to = text;
    while (h->at < end) {
        uint32_t code = 0;
        if (h->text[h->at] == '\\') {
            h->at++;
            TN_TRY(escape(h, &to));
            continue;
        }
        size_t length = utf8_decode(h->text + h->at, end - h->at, &code);
        if (length == 0 || code < 0x20)
            return header_bad(h, length ? "control character" : "malformed UTF-8");
        memcpy(to, h->text + h->at, length);
        to += length;
        h->at += length;
    }
    *to = '\0';
    h->at = end + 1;
    *out = text;
    return TN_OK;
}

tn_status header_whole(header_scan *h, int64_t *out)
{
    uint64_t value = 0;
    skip_space(h);
    size_t from = h->at;
    for (; h->at < h->n && h->text[h->at] >= '0' && h->text[h->at] <= '9'; h->at++) {
        uint64_t digit = (uint64_t)(h->text[h->at] - '0');
        if (value > (INT64_MAX - digit) / 10)
            return header_bad(h, "number too large");
        value = value * 10 + digit;
    }
    if (h->at == from)
        return header_bad(h, "expected a whole number");
    if (h->text[from] == '0' && h->at - from > 1)
        return header_bad(h, "number with a leading zero");
    *out = (int64_t)value;
    return TN_OK;
}

tn_status header_end(header_scan *h)
{
    skip_space(h);
    return h->at == h->n ? TN_OK : header_bad(h, "unexpected text at the end");
}
