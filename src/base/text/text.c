/* A growable output text for writers. */
#include "base/text/text.h"

#include <stdio.h>

#include "base/memory/memory.h"
#include "base/text/utf8.h"

enum { TEXT_FIRST = 256 };

void text_init(text_buffer *b, const tn_allocator *allocator)
{
    *b = (text_buffer){.allocator = allocator};
}

void text_release(text_buffer *b)
{
    memory_free(b->allocator, b->at, b->cap);
    text_init(b, b->allocator);
}

/* Dropping the text leaves no room, so every later write ends in text_grow and sees `failed`. */
static bool give_up(text_buffer *b)
{
    text_release(b);
    b->failed = true;
    return false;
}

bool text_grow(text_buffer *b, size_t extra)
{
    size_t need;
    size_t cap;
    char *at;

    if (b->failed)
        return false;
    if (__builtin_add_overflow(b->n, extra, &need) || need >= SIZE_MAX / 2)
        return give_up(b);
    if (b->most && need > b->most) {
        (void)give_up(b);
        b->too_long = true;
        return false;
    }
    cap = b->cap > need / 2 ? 2 * b->cap : need + 1;
    if (cap < TEXT_FIRST)
        cap = TEXT_FIRST;
    if (b->most && cap > b->most)
        cap = b->most + 1;
    at = (char *)memory_resize(b->allocator, b->at, b->cap, cap);
    if (!at)
        return give_up(b);
    b->at = at;
    b->cap = cap;
    return true;
}

void text_fill(text_buffer *b, char c, size_t n)
{
    if (n == 0 || !text_reserve(b, n))
        return;
    memset(b->at + b->n, c, n);
    b->n += n;
}

bool text_reserve_times(text_buffer *b, uint64_t n, size_t size)
{
    size_t all;
    return text_reserve(b, __builtin_mul_overflow(n, size, &all) ? SIZE_MAX / 2 : all);
}

void text_vprintf(text_buffer *b, const char *format, va_list args)
{
    char line[256]; /* enough for nearly all, so that most texts are formatted once */
    va_list again;
    int n;

    va_copy(again, args);
    n = vsnprintf(line, sizeof line, format, args);
    if (n < 0) {
        (void)give_up(b);
    } else if ((size_t)n < sizeof line) {
        text_put(b, line, (size_t)n);
    } else if (text_reserve(b, (size_t)n)) {
        n = vsnprintf(b->at + b->n, (size_t)n + 1, format, again);
        b->n += n < 0 ? 0 : (size_t)n;
    }
    va_end(again);
}

void text_printf(text_buffer *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprintf(b, format, args);
    va_end(args);
}

/* Bytes of TEXT before the first that a JSON string cannot hold as it is. */
static size_t plain_json(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n) {
        unsigned char c = (unsigned char)text[i];
        uint32_t code;
        size_t length = 1;
        if (c < 0x20 || c == '"' || c == '\\' ||
            (c >= 0x80 && (length = utf8_decode(text + i, n - i, &code)) == 0))
            break;
        i += length;
    }
    return i;
}

static void put_json_escape(text_buffer *b, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char named[] = "\"\\\b\f\n\r\t";
    static const char names[] = "\"\\bfnrt";
    const char *found = c ? strchr(named, c) : NULL;

    if (found) {
        char escape[2] = {'\\', names[found - named]};
        text_put(b, escape, sizeof escape);
    } else if (c < 0x20) {
        char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
        text_put(b, escape, sizeof escape);
    } else {
        text_puts(b, "\xEF\xBF\xBD"); /* U+FFFD for a byte that is not UTF-8 */
    }
}

void text_json_string(text_buffer *b, const char *bytes, size_t n)
{
    text_putc(b, '"');
    while (n > 0 && !b->failed) {
        size_t plain = plain_json(bytes, n);
        text_put(b, bytes, plain);
        bytes += plain;
        n -= plain;
        if (n > 0) {
            put_json_escape(b, (unsigned char)*bytes);
            bytes++;
            n--;
        }
    }
    text_putc(b, '"');
}

const char *text_c_string(text_buffer *b)
{
    if (!text_reserve(b, 0))
        return NULL;
    b->at[b->n] = '\0';
    return b->at;
}
