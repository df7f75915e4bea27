/* The line and column of a byte of a source text. */
#include "base/context/source.h"

#include <string.h>

/* Does C go on with a character of UTF-8? */
static bool continues(char c)
{
    return ((unsigned char)c & 0xc0U) == 0x80U;
}

static uint32_t count_code_points(const char *text, size_t n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !continues(text[i]);
    return count;
}

static uint32_t count_lines(const char *text, size_t n)
{
    uint32_t count = 0;
    for (const char *end = text + n; (text = memchr(text, '\n', (size_t)(end - text))); text++)
        count++;
    return count;
}

static size_t line_begin(const source *s, size_t at, size_t first)
{
    while (at > first && s->text[at - 1] != '\n')
        at--;
    return at;
}

/* Move C to byte AT of S, in time proportional to the way and the length of the new line. */
static void move(const source *s, source_cursor *c, uint32_t at)
{
    const char *text = s->text;
    if (at >= c->at) {
        const uint32_t begin = (uint32_t)line_begin(s, at, c->at);
        if (begin > c->at) {
            c->line += count_lines(text + c->at, begin - c->at);
            c->line_begin = begin;
            c->column = 1;
        }
        c->column += count_code_points(text + begin, at - begin);
    } else if (at >= c->line_begin) {
        c->column -= count_code_points(text + at, c->at - at);
    } else {
        const uint32_t begin = (uint32_t)line_begin(s, at, 0);
        c->line -= count_lines(text + begin, c->line_begin - begin);
        c->line_begin = begin;
        c->column = 1 + count_code_points(text + begin, at - begin);
    }
    c->at = at;
}

size_t source_mark_length(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

tn_place source_place(const source *s, span at, source_cursor *cursor)
{
    tn_place place = {s && s->name ? s->name : "", 0, 0, 0};
    if (!s || !s->text || at.at > s->length)
        return place;
    source_cursor c = {s->number, 0, 1, 0, 1};
    if (cursor && s->number && cursor->text == s->number)
        c = *cursor;
    move(s, &c, at.at);
    if (cursor)
        *cursor = c;
    const size_t rest = s->length - at.at;
    place.line = c.line;
    /* editors show no byte order mark, and count columns behind it */
    const bool is_behind_mark = c.line == 1 && at.at > 0 && source_mark_length(s->text, s->length);
    place.column = c.column - is_behind_mark;
    place.length = count_code_points(s->text + at.at, at.length < rest ? at.length : rest);
    return place;
}

source_excerpt source_line(const source *s, uint32_t at)
{
    if (!s || !s->text || at > s->length)
        return (source_excerpt){0};
    size_t begin = at, end = at;
    const size_t mark = source_mark_length(s->text, s->length), first = at < mark ? 0 : mark;
    while (begin > first && at - begin < SOURCE_LINE_BEFORE && s->text[begin - 1] != '\n')
        begin--;
    while (begin < at && continues(s->text[begin]))
        begin++;
    while (end < s->length && end - at < SOURCE_LINE_BEHIND && s->text[end] != '\n')
        end++;
    while (end > at && end < s->length && continues(s->text[end]))
        end--;
    if (end > begin && s->text[end - 1] == '\r')
        end--;
    const size_t before = at < end ? at - begin : end - begin;
    return (source_excerpt){s->text + begin, end - begin,
                            count_code_points(s->text + begin, before)};
}
