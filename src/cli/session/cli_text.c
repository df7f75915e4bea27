/* Growable texts and pools of memory. */
#include "cli/session/cli_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

void cli_text_release(cli_text *t)
{
    free(t->at);
    *t = (cli_text){0};
}

/* Room for EXTRA bytes and a NUL. */
static bool reserve(cli_text *t, size_t extra)
{
    if (!t->failed && extra < t->cap - t->n)
        return true;
    const size_t least = extra < SIZE_MAX / 4 - t->n ? t->n + extra + 1 : 0;
    const size_t cap = least > 2 * t->cap ? least : 2 * t->cap;
    char *moved = !t->failed && least ? realloc(t->at, cap) : NULL;
    if (!moved) {
        cli_text_release(t);
        t->failed = true;
        return false;
    }
    t->at = moved;
    t->cap = cap;
    return true;
}

void cli_put(cli_text *t, const char *bytes, size_t n)
{
    if (!reserve(t, n))
        return;
    if (n > 0)
        memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = '\0';
}

void cli_puts(cli_text *t, const char *s)
{
    cli_put(t, s, strlen(s));
}

void cli_putc(cli_text *t, char c)
{
    cli_put(t, &c, 1);
}

void cli_fill(cli_text *t, char c, size_t n)
{
    if (!reserve(t, n))
        return;
    memset(t->at + t->n, c, n);
    t->n += n;
    t->at[t->n] = '\0';
}

void cli_vprintf(cli_text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    if (n >= 0 && reserve(t, (size_t)n)) {
        (void)vsnprintf(t->at + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

void cli_printf(cli_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_vprintf(t, format, args);
    va_end(args);
}

/* The bytes of the well-formed UTF-8 character beyond ASCII that TEXT starts with, or 0. */
static size_t utf8_length(const unsigned char *text, size_t n)
{
    const size_t length = text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    if (text[0] < 0xC2 || text[0] > 0xF4 || n < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    /* overlong forms, surrogates, and what lies beyond Unicode */
    const bool is_wrong =
        (text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F) ||
        (text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F);
    return is_wrong ? 0 : length;
}

/* Does the UTF-8 character at C move the cursor or turn the direction of reading? */
static bool is_moving(const unsigned char *c, size_t length)
{
    if (length == 1)
        return *c < ' ' || *c == 0x7f;
    if (length == 2)
        return (c[0] == 0xc2 && c[1] < 0xa0) || (c[0] == 0xd8 && c[1] == 0x9c);
    return length == 3 && c[0] == 0xe2 &&
           ((c[1] == 0x80 && ((c[2] >= 0x8e && c[2] <= 0x8f) || (c[2] >= 0xa8 && c[2] <= 0xae))) ||
            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

void cli_put_name(cli_text *t, const char *name)
{
    for (size_t i = 0, n = strlen(name); i < n;) {
        const unsigned char *c = (const unsigned char *)name + i;
        const size_t length = *c < 0x80 ? 1 : utf8_length(c, n - i);
        if (length == 0 || is_moving(c, length))
            cli_putc(t, '?');
        else
            cli_put(t, name + i, length);
        i += length ? length : 1;
    }
}

void cli_put_json(cli_text *t, const char *bytes, size_t n)
{
    cli_putc(t, '"');
    for (size_t i = 0; i < n;) {
        const unsigned char c = (unsigned char)bytes[i];
        size_t length = 1;
        if (c == '"' || c == '\\')
            cli_printf(t, "\\%c", c);
        else if (c == '\n')
            cli_puts(t, "\\n");
        else if (c == '\t')
            cli_puts(t, "\\t");
        else if (c < ' ')
            cli_printf(t, "\\u%04x", c);
        else if (c < 0x80)
            cli_putc(t, (char)c);
        else if ((length = utf8_length((const unsigned char *)bytes + i, n - i)) > 0)
            cli_put(t, bytes + i, length);
        else {
            cli_puts(t, "\xEF\xBF\xBD");
            length = 1;
        }
        i += length;
    }
    cli_putc(t, '"');
}

/* ---- pools ---- */

typedef struct cli_block {
    struct cli_block *before;
    max_align_t data[];
} cli_block;

void *cli_alloc(cli_pool *p, size_t n, size_t size)
{
    if (n > (SIZE_MAX / 2 - sizeof(cli_block)) / size)
        return NULL;
    cli_block *b = calloc(1, sizeof *b + n * size);
    if (!b)
        return NULL;
    b->before = p->last;
    p->last = b;
    return b->data;
}

char *cli_copy(cli_pool *p, const char *text, size_t n)
{
    char *copy = cli_alloc(p, n + 1, 1);
    if (copy && n > 0)
        memcpy(copy, text, n);
    return copy;
}

void *cli_grow(cli_pool *p, void *block, size_t *cap, size_t n, size_t size)
{
    if (n < *cap)
        return block;
    void *larger = cli_alloc(p, 2 * n + 8, size);
    if (!larger)
        return NULL;
    if (n > 0)
        memcpy(larger, block, n * size);
    *cap = 2 * n + 8;
    return larger;
}

void cli_pool_release(cli_pool *p)
{
    while (p->last) {
        cli_block *b = p->last;
        p->last = b->before;
        free(b);
    }
}
