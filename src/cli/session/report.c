/* Diagnostics on standard error, and the exit status that goes with them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/cli.h"

static bool terminal_has_colors(void)
{
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && !(no && no[0]);
}

/* The last value of option NAME among the arguments, or NULL. */
static const char *value_of(int argc, char **argv, const char *name)
{
    const char *found = NULL;
    size_t n = strlen(name);
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], name, n) != 0)
            continue;
        if (argv[i][n] == '=')
            found = argv[i] + n + 1;
        else if (!argv[i][n] && i + 1 < argc)
            found = argv[i + 1];
    }
    return found;
}

void report_setup(session *s, int argc, char **argv)
{
    const char *form = value_of(argc, argv, "--diagnostics");
    const char *color = value_of(argc, argv, "--color");
    s->style = TN_DIAGNOSTIC_TEXT;
    if (form && strcmp(form, "json") == 0)
        s->style = TN_DIAGNOSTIC_JSON;
    else if (color && strcmp(color, "always") == 0)
        s->style = TN_DIAGNOSTIC_COLOR;
    else if (!(color && strcmp(color, "never") == 0) && terminal_has_colors())
        s->style = TN_DIAGNOSTIC_COLOR;
}

static bool write_error(void *user, const char *bytes, size_t n)
{
    output_error_text(user, bytes, n);
    return true;
}

static void show(session *s, const tn_diagnostic *d)
{
    static const char lost[] = "tenon: error: out of memory, and none to say where\n";
    tn_writer writer = {write_error, s};
    if (tn_diagnostic_write(s->cx, d, s->style, &writer) != TN_OK)
        output_error_text(s, lost, sizeof lost - 1);
}

void report_diagnostic(void *user, const tn_diagnostic *d)
{
    session *s = user;
    tn_note notes[2 * MOST_NOTES];
    tn_diagnostic own = *d;
    if (d->severity == TN_ERROR) {
        own.n_notes = d->n_notes < MOST_NOTES ? d->n_notes : MOST_NOTES;
        if (own.n_notes > 0)
            memcpy(notes, d->notes, own.n_notes * sizeof *notes);
        for (size_t i = 0; i < s->n_notes; i++)
            notes[own.n_notes++] = (tn_note){s->notes[i], {.file = ""}};
        own.notes = notes;
        if (s->advice && !own.fix.title)
            own.fix = (tn_fix){.title = s->advice};
        s->advice = NULL;
        s->n_notes = 0;
    }
    if (s->instead)
        s->instead->report(s->instead->user, &own);
    else
        show(s, &own);
}

int exit_status(tn_status s)
{
    switch (s) {
    case TN_OK:
        return 0;
    case TN_ERR_REJECTED:
        return 1;
    case TN_ERR_USAGE:
        return 2;
    case TN_ERR_INPUT:
    case TN_ERR_RUN:
    case TN_ERR_NOMEM:
    case TN_ERR_IO:
    case TN_ERR_UNAVAILABLE:
        return 3;
    case TN_ERR_INTERNAL:
        break;
    }
    return 70;
}

/* ---- what the command line itself reports ---- */

__attribute__((format(printf, 4, 0))) static void
report(session *s, tn_severity severity, const char *kind, const char *format, va_list args)
{
    cli_text message = {0};
    cli_vprintf(&message, format, args);
    tn_diagnostic d = {.severity = severity,
                       .kind = kind,
                       .code = kind,
                       .message = message.failed ? "out of memory" : message.at,
                       .place = {.file = ""},
                       .node = ""};
    report_diagnostic(s, &d);
    cli_text_release(&message);
}

tn_status report_error(session *s, tn_status status, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(s, TN_ERROR, kind, format, args);
    va_end(args);
    return status;
}

tn_status usage_error(session *s, const char *format, ...)
{
    char where[64];
    va_list args;
    (void)snprintf(where, sizeof where,
                   s->command ? "'tenon %s --help' says how it is used"
                              : "'tenon --help' lists the commands",
                   s->command ? s->command->name : "");
    /* before the notes that are there already */
    if (s->n_notes == MOST_NOTES)
        s->n_notes--;
    memmove(s->notes + 1, s->notes, s->n_notes * sizeof *s->notes);
    s->notes[0] = where;
    s->n_notes++;
    va_start(args, format);
    report(s, TN_ERROR, "Usage", format, args);
    va_end(args);
    return TN_ERR_USAGE;
}

tn_status file_error(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(s, TN_ERROR, "FileError", format, args);
    va_end(args);
    return TN_ERR_IO;
}

const char *next_entry(session *s, DIR *dir, const char *path, tn_status *status)
{
    errno = 0; /* readdir alone does not tell the end from a failure */
    const struct dirent *e = readdir(dir);
    if (!e && errno != 0)
        *status = file_error(s, "%s: cannot be read: %s", path, strerror(errno));
    return e ? e->d_name : NULL;
}

tn_status no_memory(session *s)
{
    return report_error(s, TN_ERR_NOMEM, "AllocationFailure", "out of memory");
}

void report_warning(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(s, TN_WARNING, "Advice", format, args);
    va_end(args);
}

void report_note(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(s, TN_NOTE, "Advice", format, args);
    va_end(args);
}

/* Without memory there is no advice. */
__attribute__((format(printf, 2, 0))) static const char *keep(session *s, const char *format,
                                                              va_list args)
{
    cli_text text = {0};
    cli_vprintf(&text, format, args);
    const char *kept = text.failed ? NULL : cli_copy(&s->memory, text.at, text.n);
    cli_text_release(&text);
    return kept;
}

void advise(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    s->advice = keep(s, format, args);
    va_end(args);
}

void add_note(session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *note = keep(s, format, args);
    va_end(args);
    if (note && s->n_notes < MOST_NOTES)
        s->notes[s->n_notes++] = note;
}

void advise_name(session *s, const char *text, size_t n, const char *const *names, size_t n_names)
{
    const char *second, *first = tn_closest_name(text, n, names, n_names, &second);
    if (first && second)
        advise(s, "did you mean '%s' or '%s'?", first, second);
    else if (first)
        advise(s, "did you mean '%s'?", first);
}
