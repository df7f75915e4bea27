/* What may stand at the cursor: values, operations, and fields of the operation there. */
#include "lsp/words.h"

enum { FUNCTION = 3, VARIABLE = 6, PROPERTY = 10, CHOICE = 20 }; /* of the protocol */

typedef struct choices {
    const server *s;
    const document *d;
    const char *dialect;
    text_buffer *out;
    size_t from, to; /* the word so far, with its sign */
    bool has_sign;   /* it begins with one: a value */
    bool any;
} choices;

static void begin_item(choices *c, int kind, const char *detail)
{
    text_puts(c->out, c->any ? ",{\"kind\":" : "{\"kind\":");
    c->any = true;
    text_printf(c->out, "%d,\"detail\":", kind);
    text_json_string(c->out, detail, strlen(detail));
}

static void put_item(choices *c, int kind, const char *label, size_t n, const char *detail)
{
    begin_item(c, kind, detail);
    text_puts(c->out, ",\"label\":");
    text_json_string(c->out, label, n);
    text_putc(c->out, '}');
}

/* ---- values ---- */

/* Bytes of the sign in front of U: `%`, or `%"` where a quote stands behind it, too; or 0. */
static size_t sign_of(const document *d, const named_use *u)
{
    const char *at = d->text + u->at.at;
    if (u->at.at > 0 && at[-1] == '%')
        return 1;
    return u->at.at > 1 && at[-1] == '"' && at[-2] == '%' ? 2 : 0;
}

/* A value is offered with the sign in front of its definition, in the place of the word so far. */
static void put_value(choices *c, const named_use *u)
{
    const document *d = c->d;
    const size_t before = sign_of(d, u), n = before + u->at.length + (before > 1);
    const char *label = d->text + u->at.at - before;
    begin_item(c, u->kind == NAMED_FUNCTION ? FUNCTION : VARIABLE, names_detail(&d->names, u));
    text_puts(c->out, ",\"label\":");
    text_json_string(c->out, label, n);
    text_puts(c->out, ",\"textEdit\":{\"range\":");
    document_put_range(d, c->s->encoding, c->from, c->to, c->out);
    text_puts(c->out, ",\"newText\":");
    text_json_string(c->out, label, n);
    text_puts(c->out, "}}");
}

/* Is U what the word may be: a definition before it? In dialects with a sign before values, lines
 * define at their beginning what the word cannot be. */
static bool is_choice(const choices *c, const named_use *u)
{
    const document *d = c->d;
    const size_t end = (size_t)u->at.at + u->at.length;
    if (u->at.at != u->definition || u->kind == NAMED_SYMBOL || end >= c->from)
        return false;
    if (u->kind == NAMED_VALUE && sign_of(d, u) > 0)
        return memchr(d->text + end, '\n', c->from - end) != NULL;
    return u->kind != NAMED_FUNCTION || !c->has_sign;
}

/* Values that are defined before the word, and not in another function. */
static bool put_values(choices *c)
{
    const document *d = c->d;
    uint32_t *owners = document_owners(d);
    if (!owners)
        return false;
    for (uint32_t i = 0; i < d->names.uses.n; i++) {
        const named_use *u = &d->names.uses.at[i];
        const named_use *in = owners[i] == NO_OWNER ? NULL : &d->names.uses.at[owners[i]];
        if (is_choice(c, u) && (!in || c->from - in->whole.at <= in->whole.length))
            put_value(c, u);
    }
    document_free_owners(d, owners);
    return true;
}

/* ---- operations ---- */

static void put_operations(choices *c)
{
    tn_op_info info;
    for (size_t op = 0; c->dialect && tn_op_at(op, &info); op++) {
        const char *rest = tn_op_spelling(op, c->dialect);
        word name;
        while (rest && word_next(&rest, &name))
            if (word_operation(0, c->dialect, name) == op) /* some share a word: BinOp */
                put_item(c, FUNCTION, name.at, name.n, info.help);
    }
}

/* ---- fields ---- */

/* The last word that ends before byte END of the line (of JSON: near there); false: none. */
static bool last_word(const choices *c, size_t end, word *out)
{
    const char *text = c->d->text;
    const size_t least = end > 1000 ? end - 1000 : 0;
    const bool has_lines = text[0] != '{' && text[0] != '[';
    while (end > least && !word_has(text[end - 1]) && !(has_lines && text[end - 1] == '\n'))
        end--;
    size_t from = end;
    while (from > least && word_has(text[from - 1]))
        from--;
    *out = (word){text + from, end - from};
    return out->n > 0;
}

/* The operation in whose line the word stands; tn_op_count() if there is none. */
static size_t operation_here(const choices *c)
{
    size_t end = c->from, op = tn_op_count();
    word w;
    while (op == tn_op_count() && last_word(c, end, &w)) {
        op = word_operation(0, c->dialect, w);
        end = (size_t)(w.at - c->d->text);
        if (end > 0 && (c->d->text[end - 1] == '%' || c->d->text[end - 1] == '@'))
            op = tn_op_count(); /* a value of that name */
    }
    return op;
}

static void put_words(choices *c, const char *words, const char *field)
{
    while (*words) {
        const size_t n = strcspn(words, " ");
        put_item(c, CHOICE, words, n, field);
        words += n + (words[n] == ' ');
    }
}

static void put_fields(choices *c)
{
    tn_op_field_info f;
    word before = {"", 0};
    const size_t op = c->dialect ? operation_here(c) : tn_op_count();
    (void)last_word(c, c->from, &before);
    for (size_t i = 0; tn_op_field(op, c->dialect, i, &f); i++) {
        const bool is_here = strlen(f.name) == before.n && memcmp(f.name, before.at, before.n) == 0;
        if (is_here && f.words)
            put_words(c, f.words, f.name);
        else if (!is_here)
            put_item(c, PROPERTY, f.name, strlen(f.name), f.type ? f.type : "");
    }
}

bool answer_completion(const server *s, const document *d, size_t at, text_buffer *out)
{
    choices c = {.s = s, .d = d, .dialect = document_dialect(d), .out = out, .from = at, .to = at};
    while (c.from > 0 && word_has(d->text[c.from - 1]))
        c.from--;
    c.has_sign = c.from > 0 && (d->text[c.from - 1] == '%' || d->text[c.from - 1] == '@');
    c.from -= c.has_sign;
    text_putc(out, '[');
    const bool ok = put_values(&c);
    if (!c.has_sign) {
        put_fields(&c);
        put_operations(&c);
    }
    text_putc(out, ']');
    return ok && !out->failed;
}
