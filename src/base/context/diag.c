/* Diagnostics as data: built up while open, then delivered to the caller's sink. */
#include "base/context/diag.h"

#include <string.h>

#include "base/context/shorten.h"

static const struct {
    const char *name;
    tn_status status;
    const char *help;
} kinds[DIAG_COUNT] = {
#define TN_ERR_OK TN_OK
#define KIND(name, status, help) [DIAG_##name] = {#name, TN_ERR_##status, help},
#include "base/context/diag.def"
#undef KIND
#undef TN_ERR_OK
};

const char *diag_kind_name(diag_kind kind)
{
    return kinds[kind].name;
}

const char *diag_kind_help(diag_kind kind)
{
    return kinds[kind].help;
}

tn_status diag_kind_status(diag_kind kind)
{
    return kinds[kind].status;
}

void diag_init(diag_channel *d, const tn_allocator *allocator, tn_diagnostic_sink sink)
{
    memset(d, 0, sizeof *d);
    d->sink = sink;
    arena_init(&d->text, allocator);
}

void diag_release(diag_channel *d)
{
    diag_flush(d);
    arena_release(&d->text);
}

void diag_flush(diag_channel *d)
{
    if (!d->is_open)
        return;
    d->is_open = false;
    d->open.notes = d->notes;
    if (d->sink.report)
        d->sink.report(d->sink.user, &d->open);
    arena_reset(&d->text);
}

/* A copy of LENGTH bytes that lives as long as the open diagnostic, or NULL. */
static const char *keep(diag_channel *d, const char *text, size_t length)
{
    return text ? arena_copy_text(&d->text, text, length) : NULL;
}

/* TEXT for people: itself, or a copy without the middle of what is too long. */
static const char *readable(diag_channel *d, const char *text)
{
    const size_t length = strlen(text);
    char *copy = length > SHORTEN_WORD ? arena_copy_text(&d->text, text, length) : NULL;
    if (!copy)
        return text;
    shorten(copy);
    return copy;
}

/* The place of AT, with a name of its own: SRC may be gone when the diagnostic is delivered. */
static tn_place keep_place(diag_channel *d, const source *src, span at, source_cursor *cursor)
{
    tn_place place = source_place(src, at, cursor);
    const char *file = keep(d, place.file, strlen(place.file));
    place.file = file ? file : "";
    return place;
}

static void keep_line(diag_channel *d, const source *src, span at, tn_diagnostic *to)
{
    const source_excerpt line = source_line(src, at.at);
    to->source_line = keep(d, line.text, line.length);
    to->source_line_length = to->source_line ? line.length : 0;
    to->source_line_column = to->place.column - line.before;
}

__attribute__((format(printf, 6, 0))) static void
open_diagnostic(diag_channel *d, tn_severity severity, diag_kind kind, const source *src, span at,
                const char *format, va_list args)
{
    /* The arguments may point into the text of the open diagnostic, so that is delivered, and its
     * text freed, only after the new texts are made. */
    arena earlier = d->text;
    arena_init(&d->text, earlier.allocator);
    const char *code = src && src->code_of ? src->code_of((int)kind) : NULL;
    const char *message = arena_vprintf(&d->text, format, args);
    tn_diagnostic fresh = {
        .severity = severity,
        .kind = kinds[kind].name,
        .code = code ? code : kinds[kind].name,
        .message = message ? message : kinds[kind].help,
        .place = keep_place(d, src, at, &d->at),
        .node = "",
    };
    if (fresh.place.line)
        keep_line(d, src, at, &fresh);
    if (src && src->restate)
        src->restate(src, (int)kind, d->op ? d->op : "", &fresh, &d->text);
    fresh.message = readable(d, fresh.message);
    const arena own = d->text;
    d->text = earlier;
    diag_flush(d);
    arena_release(&d->text);
    d->text = own;
    d->open = fresh;
    d->op = NULL;
    d->is_open = true;
    if (severity == TN_ERROR)
        d->n_errors++;
}

tn_status diag_vreport(diag_channel *d, diag_kind kind, const source *src, span at,
                       const char *format, va_list args)
{
    open_diagnostic(d, TN_ERROR, kind, src, at, format, args);
    return kinds[kind].status;
}

tn_status diag_report(diag_channel *d, diag_kind kind, const source *src, span at,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tn_status s = diag_vreport(d, kind, src, at, format, args);
    va_end(args);
    return s;
}

void diag_warn(diag_channel *d, diag_kind kind, const source *src, span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    open_diagnostic(d, TN_WARNING, kind, src, at, format, args);
    va_end(args);
}

void diag_vmild(diag_channel *d, tn_severity severity, diag_kind kind, const source *src, span at,
                const char *format, va_list args)
{
    open_diagnostic(d, severity, kind, src, at, format, args);
}

void diag_node(diag_channel *d, const char *node)
{
    const char *copy = d->is_open && node ? arena_copy_text(&d->text, node, strlen(node)) : NULL;
    if (copy)
        d->open.node = readable(d, copy);
}

void diag_note(diag_channel *d, const source *src, span at, const char *format, ...)
{
    if (!d->is_open || d->open.n_notes == sizeof d->notes / sizeof d->notes[0])
        return;
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&d->text, format, args);
    va_end(args);
    if (message)
        d->notes[d->open.n_notes++] =
            (tn_note){readable(d, message), keep_place(d, src, at, &d->noted_at)};
}

void diag_fix(diag_channel *d, span at, const char *replacement, const char *format, ...)
{
    if (!d->is_open)
        return;
    va_list args;
    va_start(args, format);
    const char *title = arena_vprintf(&d->text, format, args);
    va_end(args);
    const char *copy =
        replacement ? arena_copy_text(&d->text, replacement, strlen(replacement)) : NULL;
    if (title)
        d->open.fix = (tn_fix){readable(d, title), at.at, at.length, copy};
}

const char *diag_setting_name(const diag_channel *d, diag_setting setting)
{
    static const char *const own[] = {
#define SETTING(id, name) name,
#include "base/context/settings.def"
#undef SETTING
    };
    for (size_t i = 0; i < d->n_names; i++)
        if (strcmp(d->names[i].setting, own[setting]) == 0)
            return d->names[i].name;
    return own[setting];
}

void diag_refuse(diag_channel *d, diag_kind kind, const char *why)
{
    diag_refuse_unless(d, kind, why, SETTING_COUNT, NULL);
}

void diag_refuse_unless(diag_channel *d, diag_kind kind, const char *why, diag_setting setting,
                        const char *permits)
{
    d->refused = kind;
    d->refusal = why;
    d->permits = permits;
    d->permitted_by = setting;
}

tn_status diag_no_memory(diag_channel *d)
{
    const char *why = d->refusal;
    d->refusal = NULL;
    if (why && d->permits)
        return d->refused_with = diag_report(d, d->refused, NULL, NO_SPAN, "%s; %s %s", why,
                                             diag_setting_name(d, d->permitted_by), d->permits);
    if (why)
        return d->refused_with = diag_report(d, d->refused, NULL, NO_SPAN, "%s", why);
    return diag_report(d, DIAG_AllocationFailure, NULL, NO_SPAN, "out of memory");
}
