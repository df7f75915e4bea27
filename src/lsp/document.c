/* Texts that are open: edits, and positions to bytes and back. */
#include "lsp/document.h"

#include <string.h>

#include "base/text/utf8.h"

/* A line ends with LF, CR LF or CR. */
static bool is_line_end(const char *text, size_t n, size_t at)
{
    return text[at] == '\n' || (text[at] == '\r' && (at + 1 == n || text[at + 1] != '\n'));
}

/* Give D the block TEXT, which it owns from now on if this succeeds. */
static bool take(document *d, char *text, size_t n)
{
    document with = {.text = text};
    bool ok = VECTOR_PUSH(d->allocator, &with.lines, 0);
    for (size_t i = 0; ok && i < n; i++)
        if (is_line_end(text, n, i))
            ok = VECTOR_PUSH(d->allocator, &with.lines, (uint32_t)i + 1);
    if (!ok) {
        VECTOR_RELEASE(d->allocator, &with.lines);
        return false;
    }
    memory_free(d->allocator, d->text, d->text ? d->n + 1 : 0);
    VECTOR_RELEASE(d->allocator, &d->lines);
    d->text = text;
    d->n = n;
    d->lines.at = with.lines.at;
    d->lines.n = with.lines.n;
    d->lines.cap = with.lines.cap;
    return true;
}

bool document_edit(document *d, size_t from, size_t to, const char *text, size_t n)
{
    const size_t left = from + (d->n - to);
    if (n >= UINT32_MAX - 1 || left >= UINT32_MAX - 1 - n)
        return false;
    char *whole = memory_alloc(d->allocator, left + n + 1);
    if (!whole)
        return false;
    if (from > 0)
        memcpy(whole, d->text, from);
    if (n > 0)
        memcpy(whole + from, text, n);
    if (to < d->n)
        memcpy(whole + from + n, d->text + to, d->n - to);
    whole[left + n] = '\0';
    if (take(d, whole, left + n))
        return true;
    memory_free(d->allocator, whole, left + n + 1);
    return false;
}

bool document_set(document *d, const char *text, size_t n)
{
    return document_edit(d, 0, d->n, text, n);
}

void document_free(document *d)
{
    names_release(&d->names);
    memory_free(d->allocator, d->text, d->text ? d->n + 1 : 0);
    VECTOR_RELEASE(d->allocator, &d->lines);
    memory_free(d->allocator, d->uri, d->uri ? strlen(d->uri) + 1 : 0);
    memory_free(d->allocator, d, sizeof *d);
}

/* Where the line ends, its end not counted. */
static size_t line_end(const document *d, uint32_t line)
{
    if (line + 1 >= d->lines.n)
        return d->n;
    const size_t end = d->lines.at[line + 1] - 1;
    return end > d->lines.at[line] && d->text[end - 1] == '\r' && d->text[end] == '\n' ? end - 1
                                                                                       : end;
}

/* Bytes and units of the character at AT; ill-formed bytes count one each. */
static size_t character(const document *d, encoding e, size_t at, uint32_t *units)
{
    uint32_t code = 0;
    size_t n = utf8_decode(d->text + at, d->n - at, &code);
    if (n == 0)
        n = 1;
    *units = e == ENCODING_UTF8 ? (uint32_t)n : n == 4 ? 2 : 1;
    return n;
}

size_t document_offset(const document *d, encoding e, position p)
{
    if (p.line >= d->lines.n)
        return d->n;
    size_t at = d->lines.at[p.line];
    const size_t end = line_end(d, p.line);
    uint32_t units;
    for (uint32_t left = p.character; at < end && left > 0; left -= units) {
        const size_t n = character(d, e, at, &units);
        if (units > left)
            break;
        at += n;
    }
    return at < end ? at : end;
}

position document_position(const document *d, encoding e, size_t offset)
{
    uint32_t low = 0, high = d->lines.n; /* the line is in [low, high) */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (d->lines.at[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    position p = {low, 0};
    uint32_t units;
    const size_t last = line_end(d, low), end = offset < last ? offset : last;
    for (size_t at = d->lines.at[low]; at < end;) {
        at += character(d, e, at, &units);
        p.character += units;
    }
    return p;
}

size_t document_step(const document *d, size_t from, uint32_t count)
{
    uint32_t units;
    for (; count > 0 && from < d->n; count--)
        from += character(d, ENCODING_UTF8, from, &units);
    return from;
}

size_t document_place(const document *d, uint32_t line, uint32_t column)
{
    size_t at = 0;
    for (; line > 1; line--) {
        const char *end = memchr(d->text + at, '\n', d->n - at);
        if (!end)
            return d->n;
        at = (size_t)(end - d->text) + 1;
    }
    return document_step(d, at, column > 0 ? column - 1 : 0);
}

void document_put_position(const document *d, encoding e, size_t at, text_buffer *out)
{
    const position p = document_position(d, e, at);
    text_printf(out, "{\"line\":%u,\"character\":%u}", (unsigned)p.line, (unsigned)p.character);
}

void document_put_range(const document *d, encoding e, size_t from, size_t to, text_buffer *out)
{
    text_puts(out, "{\"start\":");
    document_put_position(d, e, from, out);
    text_puts(out, ",\"end\":");
    document_put_position(d, e, to, out);
    text_putc(out, '}');
}
