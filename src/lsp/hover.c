/* Hover: what there is to say of the name or word under the cursor. */
#include "lsp/words.h"

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
    size_t op = word_operation(0, dialect, w);
    for (; tn_op_at(op, &info); op = word_operation(op + 1, dialect, w)) {
        text_printf(out, "%s**%s**: %s", out->n ? "\n\n" : "", info.name, info.help);
        put_attributes(op, out);
    }
}

/* What there is to say about the name U. */
static void put_name(const document *d, const named_use *u, text_buffer *out)
{
    const named_use *definition = names_definition(&d->names, u);
    const char *detail = definition ? names_detail(&d->names, definition) : "";
    if (!definition)
        return;
    text_puts(out, "```\n");
    if (definition->kind == NAMED_FUNCTION)
        text_puts(out, "function ");
    else if (definition->kind == NAMED_SYMBOL)
        text_puts(out, "size ");
    else if (definition->kind == NAMED_INPUT)
        text_puts(out, "input ");
    text_put(out, d->text + u->at.at, u->at.length);
    text_printf(out, "%s%s\n```",
                !*detail                           ? ""
                : definition->kind == NAMED_SYMBOL ? "\n"
                                                   : ": ",
                detail);
}

bool answer_hover(const server *s, const document *d, size_t at, text_buffer *out)
{
    const char *dialect = document_dialect(d);
    const named_use *u = names_at(&d->names, (uint32_t)at);
    size_t from = at, to = at;
    text_buffer help;
    text_init(&help, d->allocator);
    if (u) {
        from = u->at.at;
        to = from + u->at.length;
        put_name(d, u, &help);
    } else {
        while (from > 0 && word_has(d->text[from - 1]))
            from--;
        while (to < d->n && word_has(d->text[to]))
            to++;
        const char before = from > 0 ? d->text[from - 1] : ' ';
        if (dialect && to > from && before != '%' && before != '@')
            put_help(dialect, (word){d->text + from, to - from}, &help);
    }
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
