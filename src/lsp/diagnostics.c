/* Diagnostics as an editor shows them, and the edits that they offer. */
#include "lsp/answers.h"

typedef struct showing {
    const server *s;
    const document *d;
    text_buffer *out;
    bool any;
    size_t from, to; /* of actions: which are asked for */
    uint32_t n_errors;
} showing;

static void place_bytes(const document *d, const tn_place *p, size_t *from, size_t *to)
{
    *from = p->line ? document_place(d, p->line, p->column) : 0;
    *to = p->line ? document_step(d, *from, p->length) : 0;
}

static void put_notes(showing *w, const tn_diagnostic *g)
{
    bool any = false;
    for (size_t i = 0; i < g->n_notes; i++) {
        const tn_note *note = &g->notes[i];
        size_t from, to;
        if (note->place.line == 0)
            continue;
        place_bytes(w->d, &note->place, &from, &to);
        text_puts(w->out, any ? "," : ",\"relatedInformation\":[");
        any = true;
        text_puts(w->out, "{\"location\":{\"uri\":");
        text_json_string(w->out, w->d->uri, strlen(w->d->uri));
        text_puts(w->out, ",\"range\":");
        document_put_range(w->d, w->s->encoding, from, to, w->out);
        text_puts(w->out, "},\"message\":");
        text_json_string(w->out, note->message, strlen(note->message));
        text_putc(w->out, '}');
    }
    text_puts(w->out, any ? "]" : "");
}

/* The message, with the notes that have no place, and a fix that is only described. */
static void put_message(showing *w, const tn_diagnostic *g)
{
    text_buffer all;
    text_init(&all, w->d->allocator);
    text_puts(&all, g->message);
    for (size_t i = 0; i < g->n_notes; i++)
        if (g->notes[i].place.line == 0)
            text_printf(&all, "\n%s", g->notes[i].message);
    if (g->fix.title && !g->fix.replacement)
        text_printf(&all, "\n%s", g->fix.title);
    text_json_string(w->out, all.at ? all.at : "", all.n);
    w->out->failed = w->out->failed || all.failed;
    text_release(&all);
}

/* Where the page about this kind of error is: a file of this machine. */
static void put_page(showing *w, const tn_diagnostic *g)
{
    if (!w->s->pages || !tn_error_page(g->kind, 0))
        return;
    text_buffer uri;
    text_init(&uri, w->d->allocator);
    text_printf(&uri, "%s/%s.html", w->s->pages, g->kind);
    text_puts(w->out, ",\"codeDescription\":{\"href\":");
    text_json_string(w->out, uri.at ? uri.at : "", uri.n);
    text_putc(w->out, '}');
    w->out->failed = w->out->failed || uri.failed;
    text_release(&uri);
}

static void put_diagnostic(showing *w, const tn_diagnostic *g)
{
    size_t from, to;
    place_bytes(w->d, &g->place, &from, &to);
    text_puts(w->out, "{\"range\":");
    document_put_range(w->d, w->s->encoding, from, to, w->out);
    text_printf(w->out, ",\"severity\":%d,\"code\":",
                g->severity == TN_ERROR     ? 1
                : g->severity == TN_WARNING ? 2
                                            : 3);
    text_json_string(w->out, g->code, strlen(g->code));
    put_page(w, g);
    text_puts(w->out, ",\"source\":\"tenon\",\"message\":");
    put_message(w, g);
    put_notes(w, g);
    text_putc(w->out, '}');
}

static void show_diagnostic(void *user, const tn_diagnostic *g)
{
    showing *w = user;
    text_puts(w->out, w->any ? "," : "");
    w->any = true;
    w->n_errors += g->severity == TN_ERROR;
    put_diagnostic(w, g);
}

/* Read the text for what REPORT makes of its diagnostics, and for NAMES. */
static bool read_for(showing *w, void (*report)(void *user, const tn_diagnostic *g),
                     name_table *names)
{
    const tn_diagnostic_sink sink = {report, w};
    tn_context *cx;
    tn_module *m;
    const tn_status status = answer_read(w->d, &sink, names, &cx, &m);
    tn_module_free(m);
    tn_context_free(cx);
    return status != TN_ERR_NOMEM && !w->out->failed;
}

bool answer_diagnostics(const server *s, document *d, text_buffer *out)
{
    showing w = {.s = s, .d = d, .out = out};
    text_puts(out, "{\"uri\":");
    text_json_string(out, d->uri, strlen(d->uri));
    text_printf(out, ",\"version\":%lld,\"diagnostics\":[", (long long)d->version);
    names_release(&d->names);
    const bool ok = read_for(&w, show_diagnostic, &d->names) && !d->names.failed;
    d->n_errors = w.n_errors;
    text_puts(out, "]}");
    return ok;
}

/* ---- edits ---- */

/* Is there an edit, and does it lie in the text? */
static bool has_edit(const document *d, const tn_fix *f)
{
    return f->title && f->replacement && f->offset <= d->n && f->length <= d->n - f->offset;
}

static void put_edit(showing *w, const tn_fix *f)
{
    text_puts(w->out, "{\"range\":");
    document_put_range(w->d, w->s->encoding, f->offset, f->offset + f->length, w->out);
    text_puts(w->out, ",\"newText\":");
    text_json_string(w->out, f->replacement, strlen(f->replacement));
    text_putc(w->out, '}');
}

static void begin_edits(showing *w)
{
    text_puts(w->out, ",\"edit\":{\"changes\":{");
    text_json_string(w->out, w->d->uri, strlen(w->d->uri));
    text_puts(w->out, ":[");
}

static void show_action(void *user, const tn_diagnostic *g)
{
    showing *w = user;
    size_t from, to;
    place_bytes(w->d, &g->place, &from, &to);
    if (!has_edit(w->d, &g->fix) || to < w->from || from > w->to)
        return;
    text_puts(w->out, w->any ? ",{\"title\":" : "{\"title\":");
    w->any = true;
    text_json_string(w->out, g->fix.title, strlen(g->fix.title));
    text_puts(w->out, ",\"kind\":\"quickfix\",\"isPreferred\":true,\"diagnostics\":[");
    put_diagnostic(w, g);
    text_putc(w->out, ']');
    begin_edits(w);
    put_edit(w, &g->fix);
    text_puts(w->out, "]}}}");
}

/* One edit of the action that carries out all: those that lie before the last one's end wait for
 * the next time. */
static void show_edit(void *user, const tn_diagnostic *g)
{
    showing *w = user;
    if (!has_edit(w->d, &g->fix) || g->fix.offset < w->from)
        return;
    text_puts(w->out, w->any ? "," : "");
    w->any = true;
    put_edit(w, &g->fix);
    w->from = g->fix.offset + g->fix.length;
}

bool answer_actions(const server *s, const document *d, size_t from, size_t to, text_buffer *out)
{
    text_buffer all;
    showing one = {.s = s, .d = d, .out = out, .from = from, .to = to};
    text_init(&all, d->allocator);
    showing every = {.s = s, .d = d, .out = &all};
    text_putc(out, '[');
    bool ok = read_for(&one, show_action, NULL) && read_for(&every, show_edit, NULL);
    if (ok && every.any) {
        text_puts(out, one.any ? "," : "");
        text_puts(out, "{\"title\":\"carry out all edits\",\"kind\":\"source.fixAll.tenon\"");
        begin_edits(&one);
        text_put(out, all.at, all.n);
        text_puts(out, "]}}}");
    }
    text_putc(out, ']');
    text_release(&all);
    return ok;
}
