/* Where names are defined and used, and giving them other names. */
#include "lsp/answers.h"

/* What is asked for: the name at a byte of D, and where it is defined. */
typedef struct asked {
    const document *d;
    const named_use *use; /* NULL: no name stands there */
    uint32_t definition;
} asked;

static asked ask(const document *d, size_t at)
{
    const named_use *u = names_at(&d->names, (uint32_t)at);
    return (asked){d, u, u ? u->definition : 0};
}

static void put_range(const server *s, const document *d, const named_use *u, text_buffer *out)
{
    document_put_range(d, s->encoding, u->at.at, u->at.at + u->at.length, out);
}

static void put_location(const server *s, const document *d, const named_use *u, text_buffer *out)
{
    text_puts(out, "{\"uri\":");
    text_json_string(out, d->uri, strlen(d->uri));
    text_puts(out, ",\"range\":");
    put_range(s, d, u, out);
    text_putc(out, '}');
}

bool answer_definition(const server *s, const document *d, size_t at, text_buffer *out)
{
    const asked a = ask(d, at);
    const named_use *definition = a.use ? names_definition(&d->names, a.use) : NULL;
    if (definition)
        put_location(s, d, definition, out);
    else
        text_puts(out, "null");
    return !out->failed;
}

bool answer_references(const server *s, const document *d, size_t at, bool with_definition,
                       text_buffer *out)
{
    const asked a = ask(d, at);
    bool any = false;
    text_putc(out, '[');
    for (uint32_t i = 0; a.use && i < d->names.uses.n; i++) {
        const named_use *u = &d->names.uses.at[i];
        if (u->definition != a.definition || (u->at.at == u->definition && !with_definition))
            continue;
        text_puts(out, any ? "," : "");
        any = true;
        put_location(s, d, u, out);
    }
    text_putc(out, ']');
    return !out->failed;
}

bool answer_highlights(const server *s, const document *d, size_t at, text_buffer *out)
{
    enum { READ = 2, WRITE = 3 };
    const asked a = ask(d, at);
    bool any = false;
    text_putc(out, '[');
    for (uint32_t i = 0; a.use && i < d->names.uses.n; i++) {
        const named_use *u = &d->names.uses.at[i];
        if (u->definition != a.definition)
            continue;
        text_puts(out, any ? ",{\"range\":" : "{\"range\":");
        any = true;
        put_range(s, d, u, out);
        text_printf(out, ",\"kind\":%d}", u->at.at == u->definition ? WRITE : READ);
    }
    text_putc(out, ']');
    return !out->failed;
}

/* ---- renaming ---- */

bool answer_prepare_rename(const server *s, const document *d, size_t at, text_buffer *out)
{
    const asked a = ask(d, at);
    if (!a.use) {
        text_puts(out, "null");
        return !out->failed;
    }
    text_puts(out, "{\"range\":");
    put_range(s, d, a.use, out);
    text_puts(out, ",\"placeholder\":");
    text_json_string(out, d->text + a.use->at.at, a.use->at.length);
    text_putc(out, '}');
    return !out->failed;
}

static void count_error(void *user, const tn_diagnostic *g)
{
    uint32_t *n = user;
    *n += g->severity == TN_ERROR;
}

/* The text of A's document with NAME in the place of its name. */
static void put_renamed(const asked *a, json_text name, text_buffer *out)
{
    const document *d = a->d;
    size_t from = 0;
    for (uint32_t i = 0; i < d->names.uses.n; i++) {
        const named_use *u = &d->names.uses.at[i];
        if (u->definition != a->definition)
            continue;
        text_put(out, d->text + from, u->at.at - from);
        text_put(out, name.at, name.n);
        from = (size_t)u->at.at + u->at.length;
    }
    text_put(out, d->text + from, d->n - from);
}

/* Are AFTER the names BEFORE, of which those of A are N bytes long now? */
static bool same_names(const asked *a, const name_table *before, const name_table *after, size_t n)
{
    int64_t moved = 0;
    if (before->uses.n != after->uses.n)
        return false;
    for (uint32_t i = 0; i < before->uses.n; i++) {
        const named_use *u = &before->uses.at[i], *v = &after->uses.at[i];
        const named_use *x = names_definition(before, u), *y = names_definition(after, v);
        if (v->at.at != u->at.at + moved || !x != !y ||
            (x && x - before->uses.at != y - after->uses.at))
            return false;
        if (u->definition == a->definition)
            moved += (int64_t)n - u->at.length;
    }
    return true;
}

/* Does the text of A mean the same when its name is NAME? *OK is false without memory. */
static bool means_the_same(const asked *a, json_text name, bool *ok)
{
    uint32_t n_errors = 0;
    const tn_diagnostic_sink sink = {count_error, &n_errors};
    text_buffer text;
    tn_context *cx;
    tn_module *m;
    name_table names;
    text_init(&text, a->d->allocator);
    put_renamed(a, name, &text);
    text_putc(&text, '\0');
    const document renamed = {.allocator = a->d->allocator,
                              .uri = a->d->uri,
                              .dialect = a->d->dialect,
                              .text = text.at,
                              .n = text.n - 1};
    *ok = !text.failed;
    if (!*ok)
        return false;
    const tn_status status = answer_read(&renamed, &sink, &names, &cx, &m);
    const bool same = n_errors == a->d->n_errors && same_names(a, &a->d->names, &names, name.n);
    *ok = status != TN_ERR_NOMEM && !names.failed;
    names_release(&names);
    tn_module_free(m);
    tn_context_free(cx);
    text_release(&text);
    return same;
}

static void put_edits(const server *s, const asked *a, json_text name, text_buffer *out)
{
    const document *d = a->d;
    bool any = false;
    text_puts(out, "{\"changes\":{");
    text_json_string(out, d->uri, strlen(d->uri));
    text_puts(out, ":[");
    for (uint32_t i = 0; i < d->names.uses.n; i++) {
        const named_use *u = &d->names.uses.at[i];
        if (u->definition != a->definition)
            continue;
        text_puts(out, any ? ",{\"range\":" : "{\"range\":");
        any = true;
        put_range(s, d, u, out);
        text_puts(out, ",\"newText\":");
        text_json_string(out, name.at, name.n);
        text_putc(out, '}');
    }
    text_puts(out, "]}}");
}

bool answer_rename(const server *s, const document *d, size_t at, json_text name, text_buffer *out,
                   const char **refusal)
{
    const asked a = ask(d, at);
    bool ok = true;
    /* The sign of values may be given or not. */
    if (name.n > 0 && a.use && a.use->at.at > 0 && name.at[0] == d->text[a.use->at.at - 1] &&
        strchr("%@?", name.at[0])) {
        name.at++;
        name.n--;
    }
    if (!a.use)
        *refusal = "there is no name here";
    else if (name.n == 0)
        *refusal = "a name has at least one character";
    else if (!means_the_same(&a, name, &ok))
        *refusal = "the program would not be the same with this name";
    else
        put_edits(s, &a, name, out);
    return ok && !out->failed;
}
