/* The line and column of a byte of a source text. */
#include "base/context/source.h"

#include <string.h>

static uint32_t count_code_points(const char *text, size_t n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xc0U) != 0x80U;
    return count;
}

const char *source_line(const source *s, uint32_t at, size_t *length)
{
    if (!s || !s->text || at > s->length)
        return NULL;
    size_t begin = at;
    while (begin > 0 && s->text[begin - 1] != '\n')
        begin--;
    const char *end = memchr(s->text + at, '\n', s->length - at);
    size_t n = (end ? (size_t)(end - s->text) : s->length) - begin;
    if (n && s->text[begin + n - 1] == '\r')
        n--;
    *length = n;
    return s->text + begin;
}

tn_place source_place(const source *s, span at)
{
    tn_place place = {s && s->name ? s->name : "", 0, 0, 0};
    size_t line_length;
    const char *line = s ? source_line(s, at.at, &line_length) : NULL;
    if (!line)
        return place;

    place.line = 1;
    for (const char *p = s->text; (p = memchr(p, '\n', (size_t)(line - p))) != NULL; p++)
        place.line++;
    size_t begin = (size_t)(s->text + at.at - line);
    size_t n = at.length;
    if (n > s->length - at.at)
        n = s->length - at.at;
    place.column = count_code_points(line, begin) + 1;
    place.length = count_code_points(line + begin, n);
    return place;
}
