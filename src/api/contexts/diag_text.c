/* Diagnostics as text for people and as JSON lines for tools. */
#include "api/contexts/diag_text.h"

#include <string.h>

#include "base/context/shorten.h"
#include "base/text/shown.h"
#include "base/text/utf8.h"

/* Of a long source line, this many code points are shown, some of them before the place. */
enum { EXCERPT = 150, EXCERPT_BEFORE = 60, INDENT = 4 };

#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define MAGENTA "\033[1;35m"
#define CYAN "\033[1;36m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

static void put_colored(text_buffer *out, bool color, const char *escape, const char *text)
{
    if (color)
        text_puts(out, escape);
    text_puts(out, text);
    if (color)
        text_puts(out, PLAIN);
}

/* Lines after the first are indented, so that they are seen to be part of it. */
static void put_lines(text_buffer *out, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        if (text[i] != '\n') {
            i += text_put_shown(out, text + i, length - i);
            continue;
        }
        text_putc(out, '\n');
        text_fill(out, ' ', INDENT);
        i++;
    }
}

/* Write TEXT by PUT, without the middle of what is too long. */
static void put_readable(text_buffer *out, const char *text,
                         void (*put)(text_buffer *, const char *))
{
    text_buffer copy;
    if (strlen(text) <= SHORTEN_WORD) {
        put(out, text);
        return;
    }
    text_init(&copy, out->allocator);
    text_puts(&copy, text);
    char *own = text_c_string(&copy) ? copy.at : NULL;
    if (own) {
        shorten(own);
        put(out, own);
    }
    text_release(&copy);
}

static void put_place(text_buffer *out, const tn_place *p, bool color)
{
    if (!p->line && !p->file[0]) {
        put_colored(out, color, BOLD, "tenon: ");
        return;
    }
    if (color)
        text_puts(out, BOLD);
    text_puts_shown(out, p->file);
    text_puts(out, ":");
    if (p->line) {
        text_u64(out, p->line);
        text_puts(out, ":");
        text_u64(out, p->column);
        text_puts(out, ":");
    }
    text_puts(out, " ");
    if (color)
        text_puts(out, PLAIN);
}

static size_t step(const char *text, size_t length)
{
    uint32_t code;
    size_t n = utf8_decode(text, length, &code);
    return n ? n : 1;
}

/* The part of the line around the place, and `^~~~` under it. */
static void put_excerpt(text_buffer *out, const tn_diagnostic *d, bool color)
{
    const char *line = d->source_line;
    size_t length = d->source_line_length;
    const bool is_inside = d->source_line_column && d->source_line_column <= d->place.column;
    const size_t first_column = is_inside ? d->source_line_column : 1;
    size_t begin = d->place.column - first_column; /* code points before the place */
    size_t skip = 0;                               /* code points left out at the front */
    size_t at = 0, total = 0;

    for (size_t i = 0; i < length; i += step(line + i, length - i))
        total++;
    if (total > EXCERPT && begin > EXCERPT_BEFORE)
        skip = begin - EXCERPT_BEFORE;
    for (size_t i = 0; i < skip && at < length; i++)
        at += step(line + at, length - at);

    const bool is_cut = skip > 0 || first_column > 1;
    text_fill(out, ' ', INDENT);
    if (is_cut)
        text_puts(out, "...");
    size_t first = at, shown = 0;
    for (; at < length && shown < EXCERPT; shown++)
        at += text_put_shown(out, line + at, length - at);
    if (at < length)
        text_puts(out, "...");
    text_putc(out, '\n');

    text_fill(out, ' ', is_cut ? INDENT + 3 : INDENT);
    for (size_t i = skip, p = first; i < begin; i++) {
        text_putc(out, p < length && line[p] == '\t' ? '\t' : ' ');
        if (p < length)
            p += step(line + p, length - p);
    }
    if (color)
        text_puts(out, GREEN);
    text_putc(out, '^');
    size_t end = begin + (d->place.length ? d->place.length : 1);
    if (end > skip + shown)
        end = skip + shown;
    if (end > begin + 1)
        text_fill(out, '~', end - begin - 1);
    if (color)
        text_puts(out, PLAIN);
    text_putc(out, '\n');
}

void diag_write_text(text_buffer *out, const tn_diagnostic *d, bool color)
{
    static const char *const words[] = {"note: ", "warning: ", "error: "};
    static const char *const colors[] = {CYAN, MAGENTA, RED};

    put_place(out, &d->place, color);
    put_colored(out, color, colors[d->severity], words[d->severity]);
    if (color)
        text_puts(out, BOLD);
    put_readable(out, d->message, text_puts_shown);
    if (color)
        text_puts(out, PLAIN);
    text_puts(out, " [");
    text_puts(out, d->code);
    text_puts(out, "]\n");
    if (d->source_line && d->place.line)
        put_excerpt(out, d, color);
    for (size_t i = 0; i < d->n_notes; i++) {
        /* a note without a place of its own is about the same place */
        const tn_place *p = d->notes[i].place.line ? &d->notes[i].place : &d->place;
        put_place(out, p, color);
        put_colored(out, color, CYAN, "note: ");
        put_readable(out, d->notes[i].message, put_lines);
        text_putc(out, '\n');
    }
    if (d->fix.title) {
        put_colored(out, color, GREEN, "fix: ");
        put_readable(out, d->fix.title, text_puts_shown);
        text_putc(out, '\n');
    }
}

static void put_string(text_buffer *out, const char *text)
{
    text_json_string(out, text, strlen(text));
}

static void put_json(text_buffer *out, const char *key, const char *text)
{
    text_puts(out, key);
    put_string(out, text);
}

static void put_readable_json(text_buffer *out, const char *key, const char *text)
{
    text_puts(out, key);
    put_readable(out, text, put_string);
}

static void put_number(text_buffer *out, const char *key, uint64_t number)
{
    text_puts(out, key);
    text_u64(out, number);
}

static void put_fix(text_buffer *out, const tn_fix *fix)
{
    if (!fix->title) {
        text_puts(out, "null");
        return;
    }
    put_readable_json(out, "{\"title\":", fix->title);
    if (fix->replacement) {
        put_number(out, ",\"offset\":", fix->offset);
        put_number(out, ",\"length\":", fix->length);
        put_json(out, ",\"replacement\":", fix->replacement);
    } else {
        text_puts(out, ",\"offset\":null,\"length\":null,\"replacement\":null");
    }
    text_putc(out, '}');
}

void diag_write_json(text_buffer *out, const tn_diagnostic *d)
{
    static const char *const words[] = {"note", "warning", "error"};

    put_json(out, "{\"severity\":", words[d->severity]);
    put_json(out, ",\"kind\":", d->kind);
    put_json(out, ",\"code\":", d->code);
    put_readable_json(out, ",\"message\":", d->message);
    put_json(out, ",\"file\":", d->place.file);
    put_number(out, ",\"line\":", d->place.line);
    put_number(out, ",\"column\":", d->place.column);
    put_number(out, ",\"length\":", d->place.length);
    put_readable_json(out, ",\"node\":", d->node);
    text_puts(out, ",\"notes\":[");
    for (size_t i = 0; i < d->n_notes; i++) {
        const tn_note *note = &d->notes[i];
        put_readable_json(out, i ? ",{\"message\":" : "{\"message\":", note->message);
        put_json(out, ",\"file\":", note->place.file);
        put_number(out, ",\"line\":", note->place.line);
        put_number(out, ",\"column\":", note->place.column);
        text_putc(out, '}');
    }
    text_puts(out, "],\"fix\":");
    put_fix(out, &d->fix);
    text_puts(out, "}\n");
}
