/* The canonical text of a program as an edit of the lines that differ. */
#include "lsp/answers.h"

static bool append(void *user, const char *bytes, size_t n)
{
    text_buffer *out = user;
    text_put(out, bytes, n);
    return !out->failed;
}

static void drop(void *user, const tn_diagnostic *g)
{
    (void)user;
    (void)g;
}

/* Is there a comment in the text? The canonical text has none. Strings are on one line. */
static bool has_comment(const document *d, const char *dialect)
{
    const bool is_core = strcmp(dialect, "mind") == 0;
    bool in_string = false;
    for (size_t i = 0; i < d->n; i++) {
        const char c = d->text[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"' || c == '\n')
            in_string = c == '"' && !in_string;
        else if (!in_string &&
                 (is_core ? c == '#' : c == '/' && (d->text[i + 1] == c || d->text[i + 1] == '*')))
            return true;
    }
    return false;
}

/* The canonical text of D. */
static tn_status canonical(const document *d, text_buffer *out, const char **refusal)
{
    const tn_diagnostic_sink sink = {drop, NULL};
    const tn_writer writer = {append, out};
    tn_module_info info = {.size = sizeof info};
    tn_context *cx;
    tn_module *m;
    tn_status status = answer_read(d, &sink, NULL, &cx, &m);
    if (status == TN_OK)
        status = tn_module_get_info(m, &info);
    *refusal = status != TN_OK                ? "the program has errors"
               : info.is_lowered              ? "this language is read but not written"
               : has_comment(d, info.dialect) ? "formatting would remove the comments"
                                              : NULL;
    if (!*refusal && tn_module_write(m, NULL, NULL, &writer) != TN_OK)
        *refusal = "the program cannot be written";
    tn_module_free(m);
    tn_context_free(cx);
    return status;
}

/* Bytes of the whole lines in front that are equal. */
static size_t equal_front(const document *d, const text_buffer *b)
{
    size_t line = 0;
    for (size_t i = 0; i < d->n && i < b->n && d->text[i] == b->at[i]; i++)
        if (d->text[i] == '\n')
            line = i + 1;
    return line;
}

/* The same at the end, of what lies behind the first FRONT bytes. */
static size_t equal_back(const document *d, const text_buffer *b, size_t front)
{
    size_t line = 0;
    for (size_t i = 1; i <= d->n - front && i <= b->n - front; i++) {
        if (d->text[d->n - i] != b->at[b->n - i])
            break;
        if (i > 1 && d->text[d->n - i] == '\n')
            line = i - 1;
    }
    return line;
}

bool answer_formatting(const server *s, const document *d, text_buffer *out, const char **refusal)
{
    text_buffer text;
    text_init(&text, d->allocator);
    const tn_status status = canonical(d, &text, refusal);
    const bool ok = status != TN_ERR_NOMEM && !text.failed;
    if (ok && !*refusal) {
        const size_t front = equal_front(d, &text), back = equal_back(d, &text, front);
        text_putc(out, '[');
        if (front + back < d->n || d->n != text.n) {
            text_puts(out, "{\"range\":");
            document_put_range(d, s->encoding, front, d->n - back, out);
            text_puts(out, ",\"newText\":");
            text_json_string(out, text.at + front, text.n - back - front);
            text_putc(out, '}');
        }
        text_putc(out, ']');
    }
    text_release(&text);
    return ok && !out->failed;
}
