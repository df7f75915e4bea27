/* What the table of operations says: help on the word under the cursor, and words to choose from.
 */
#include "lsp/answers.h"

/* A name in a list of spellings, such as `ConstI64, ConstF32` or `BinOp {op=Add}`. */
typedef struct word {
    const char *at;
    size_t n;
} word;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The next name of the list *REST, which moves behind it; what is no name, such as `a literal` and
 * `+`, is passed over. */
static bool next_name(const char **rest, word *out)
{
    while (**rest) {
        const char *at = *rest;
        size_t n = 0;
        while (is_word(at[n]))
            n++;
        const char *end = at + strcspn(at, ",");
        *rest = *end ? end + 1 + (end[1] == ' ') : end;
        if (n > 0 &&
            (at + n == end || strncmp(at + n, " {", 2) == 0 || strncmp(at + n, " (", 2) == 0)) {
            *out = (word){at, n};
            return true;
        }
    }
    return false;
}

/* The dialect of D: what its language says, or else the end of its name. */
static const char *dialect_of(const document *d)
{
    tn_dialect_info info;
    const char *found = d->dialect;
    const size_t n = strlen(d->uri);
    size_t longest = 0;
    for (size_t i = 0; !d->dialect && tn_dialect_at(i, &info); i++)
        for (const char *e = info.extensions; *e;) {
            const size_t m = strcspn(e, " ");
            if (m > longest && m <= n && memcmp(d->uri + n - m, e, m) == 0) {
                longest = m;
                found = info.name;
            }
            e += m + (e[m] == ' ');
        }
    return found;
}

/* The attributes of operation OP, one a line. */
static void put_attributes(size_t op, text_buffer *out)
{
    tn_op_attribute_info a;
    for (size_t i = 0; tn_op_attribute(op, i, &a); i++) {
        text_printf(out, "%s- `%s`%s: %s", i ? "\n" : "\n\n", a.name,
                    a.required ? "" : " (optional)", a.help);
        if (a.words)
            text_printf(out, ": %s", a.words);
    }
}

/* What there is to say about the word W of DIALECT; nothing if it is no operation. */
static void put_help(const char *dialect, word w, text_buffer *out)
{
    tn_op_info info;
    for (size_t op = 0; tn_op_at(op, &info); op++) {
        const char *rest = tn_op_spelling(op, dialect);
        word name;
        while (rest && next_name(&rest, &name))
            if (name.n == w.n && memcmp(name.at, w.at, w.n) == 0) {
                text_printf(out, "%s**%s**: %s", out->n ? "\n\n" : "", info.name, info.help);
                put_attributes(op, out);
            }
    }
}

bool answer_hover(const server *s, const document *d, size_t at, text_buffer *out)
{
    const char *dialect = dialect_of(d);
    size_t from = at, to = at;
    text_buffer help;
    while (from > 0 && is_word(d->text[from - 1]))
        from--;
    while (to < d->n && is_word(d->text[to]))
        to++;
    text_init(&help, d->allocator);
    if (dialect && to > from &&
        (from == 0 || (d->text[from - 1] != '%' && d->text[from - 1] != '@')))
        put_help(dialect, (word){d->text + from, to - from}, &help);
    if (help.n > 0) {
        text_puts(out, "{\"contents\":{\"kind\":\"markdown\",\"value\":");
        text_json_string(out, help.at, help.n);
        text_puts(out, "},\"range\":");
        document_put_range(d, s->encoding, from, to, out);
        text_putc(out, '}');
    } else {
        text_puts(out, "null");
    }
    const bool ok = !help.failed && !out->failed;
    text_release(&help);
    return ok;
}

/* Has an operation before OP the name W in DIALECT? Some share a word: BinOp. */
static bool is_named_before(size_t op, const char *dialect, word w)
{
    word name;
    for (size_t i = 0; i < op; i++) {
        const char *rest = tn_op_spelling(i, dialect);
        while (rest && next_name(&rest, &name))
            if (name.n == w.n && memcmp(name.at, w.at, w.n) == 0)
                return true;
    }
    return false;
}

bool answer_completion(const document *d, text_buffer *out)
{
    const char *dialect = dialect_of(d);
    tn_op_info info;
    bool any = false;
    text_putc(out, '[');
    for (size_t op = 0; dialect && tn_op_at(op, &info); op++) {
        const char *rest = tn_op_spelling(op, dialect);
        word name;
        while (rest && next_name(&rest, &name)) {
            if (is_named_before(op, dialect, name))
                continue;
            text_puts(out, any ? ",{\"label\":" : "{\"label\":");
            any = true;
            text_json_string(out, name.at, name.n);
            text_puts(out, ",\"kind\":3,\"detail\":");
            text_json_string(out, info.help, strlen(info.help));
            text_putc(out, '}');
        }
    }
    text_putc(out, ']');
    return !out->failed;
}
