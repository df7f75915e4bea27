/* Texts that are open: edits, and positions to bytes and back. */
#include "lsp/document.h"

#include <string.h>

#include "base/text/utf8.h"

/* A line ends with LF, CR LF or CR. */
static bool is_line_end(const char *text, size_t n, size_t at)
{
    return text[at] == '\n' || (text[at] == '\r' && (at + 1 == n || text[at + 1] != '\n'));
}

/* Bytes and units of the character at AT; ill-formed bytes count one each. */
static size_t character(const document *d, encoding e, size_t at, uint32_t *units)
{
    uint32_t code = (unsigned char)d->text[at];
    size_t n = code < 0x80 ? 1 : utf8_decode(d->text + at, d->n - at, &code);
    if (n == 0)
        n = 1;
    *units = e == ENCODING_UTF8 ? (uint32_t)n : n == 4 ? 2 : 1;
    return n;
}

enum { MARK = 1024 };

static bool find_lines(document *d)
{
    bool ok = VECTOR_PUSH(d->allocator, &d->lines, 0) && VECTOR_PUSH(d->allocator, &d->feeds, 0);
    for (size_t i = 0; ok && i < d->n; i++) {
        if (is_line_end(d->text, d->n, i))
            ok = VECTOR_PUSH(d->allocator, &d->lines, (uint32_t)i + 1);
        if (ok && d->text[i] == '\n')
            ok = VECTOR_PUSH(d->allocator, &d->feeds, (uint32_t)i + 1);
    }
    return ok;
}

static void pass(const document *d, document_mark *m)
{
    uint32_t units;
    m->at += (uint32_t)character(d, ENCODING_UTF16, m->at, &units);
    m->points++;
    m->units += units;
}

static bool set_marks(document *d)
{
    bool ok = true;
    for (document_mark m = {0}; ok && m.at < d->n; pass(d, &m))
        if (m.at >= (size_t)d->marks.n * MARK)
            ok = VECTOR_PUSH(d->allocator, &d->marks, m);
    return ok;
}

static void release_marks(document *d)
{
    VECTOR_RELEASE(d->allocator, &d->lines);
    VECTOR_RELEASE(d->allocator, &d->feeds);
    VECTOR_RELEASE(d->allocator, &d->marks);
}

/* Give D the block TEXT, which it owns from now on if this succeeds. */
static bool take(document *d, char *text, size_t n)
{
    document with = {.allocator = d->allocator, .text = text, .n = n};
    if (!find_lines(&with) || !set_marks(&with)) {
        release_marks(&with);
        return false;
    }
    memory_free(d->allocator, d->text, d->text ? d->n + 1 : 0);
    release_marks(d);
    d->text = text;
    d->n = n;
    memcpy(&d->lines, &with.lines, sizeof d->lines);
    memcpy(&d->feeds, &with.feeds, sizeof d->feeds);
    memcpy(&d->marks, &with.marks, sizeof d->marks);
    return true;
}

/* What stands before AT, and the rest of a character that AT lies in. */
static document_mark count_to(const document *d, size_t at)
{
    size_t i = at / MARK < d->marks.n ? at / MARK : d->marks.n - (d->marks.n > 0);
    document_mark m = {0};
    if (d->marks.n > 0 && d->marks.at[i].at > at && i > 0)
        i--;
    if (d->marks.n > 0)
        m = d->marks.at[i];
    while (m.at < at && m.at < d->n)
        pass(d, &m);
    return m;
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
    release_marks(d);
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

static uint32_t line_of(const document *d, size_t offset)
{
    uint32_t low = 0, high = d->lines.n; /* the line is in [low, high) */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (d->lines.at[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t document_line_end(const document *d, size_t offset)
{
    return line_end(d, line_of(d, offset));
}

position document_position(const document *d, encoding e, size_t offset)
{
    const uint32_t low = line_of(d, offset);
    const size_t last = line_end(d, low);
    const size_t start = d->lines.at[low], end = offset < last ? offset : last;
    document_mark from = {.at = (uint32_t)start}, to = from;
    if (end > start + MARK) { /* a long line: count from the marks, not from its start */
        from = count_to(d, start);
        to = count_to(d, end);
    }
    while (to.at < end && to.at < d->n)
        pass(d, &to);
    return (position){low, e == ENCODING_UTF8 ? to.at - from.at : to.units - from.units};
}

size_t document_step(const document *d, size_t from, uint32_t count)
{
    document_mark m = count_to(d, from);
    const uint64_t to = (uint64_t)m.points + count;
    uint32_t low = 0, high = d->marks.n; /* the last mark before TO is in [low, high) */
    while (high - low > 1 && high > 0) {
        const uint32_t middle = low + (high - low) / 2;
        if (d->marks.at[middle].points <= to)
            low = middle;
        else
            high = middle;
    }
    if (low < high && d->marks.at[low].points > m.points)
        m = d->marks.at[low];
    while (m.points < to && m.at < d->n)
        pass(d, &m);
    return m.at;
}

size_t document_place(const document *d, uint32_t line, uint32_t column)
{
    if (line > d->feeds.n)
        return d->n;
    return document_step(d, d->feeds.at[line > 0 ? line - 1 : 0], column > 0 ? column - 1 : 0);
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
