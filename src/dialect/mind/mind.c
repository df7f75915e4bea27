/* The dialect as a whole: its names, its error codes, how to recognise it. */
#include "dialect/mind/mind.h"

#include "dialect/mind/legal.h"
#include "dialect/mind/spelling.h"
#include "dialect/mind_codes.h"
#include "dialect/reword.h"

bool mind_is_core(op_id op)
{
    const spelling *s = spelling_to_write(op);
    return op == OP_ADD || op == OP_SUB || op == OP_MUL || (s && !s->is_extension);
}

/* The spelling of OP alone, for messages. */
static const char *short_spelling(const char *op)
{
    op_id id = op_by_name(op, strlen(op));
    const char *name = id == OP_COUNT ? NULL : operator_name(id);
    const spelling *s = name || id == OP_COUNT ? NULL : spelling_to_write(id);
    return s && id != OP_CONSTANT ? s->text : name;
}

void mind_restate(const source *s, int kind, const char *op, tn_diagnostic *d, arena *memory)
{
    const char *name = short_spelling(op);
    (void)s;
    if (name) {
        const char *old = arena_printf(memory, "'%s'", op);
        const char *fresh = arena_printf(memory, "'%s'", name);
        if (old && fresh)
            d->message = reword(memory, d->message, old, fresh);
    }
    reword_fields(spelling_field, op, d, memory);
    if (*op) { /* else these are the reader's own words */
        d->message = reword(memory, d->message, "si32", "i32");
        d->message = reword(memory, d->message, "si64", "i64");
    }
    mind_entitle(kind, d, memory);
}

enum { LOOK_AT = 4096 }; /* bytes that decide what a text is */

static bool contains(const char *text, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++)
        if (memcmp(text + i, word, n) == 0)
            return true;
    return false;
}

/* The first thing that is neither white space nor a comment decides. */
static bool looks_like(const char *text, size_t length)
{
    size_t at = 0, n = length < LOOK_AT ? length : LOOK_AT;
    while (at < n && strchr(" \t\r\n#", text[at])) {
        if (text[at] == '#')
            while (at + 1 < n && text[at + 1] != '\n')
                at++;
        at++;
    }
    if (at == n)
        return false;
    if (text[at] == '{' || text[at] == '[')
        return contains(text, n, "\"opcode\"") && contains(text, n, "\"result_type\"");
    if (text[at] == '%')
        return true;
    static const char last[] = "outputs";
    if (n - at < sizeof last || memcmp(text + at, last, sizeof last - 1) != 0)
        return false;
    at += sizeof last - 1;
    while (at < n && text[at] == ' ')
        at++;
    return at < n && text[at] == ':';
}

const dialect dialect_mind = {
    .name = "mind",
    .extensions = ".mind-ir .ir.json .ir",
    .styles = "canonical positional tool records strict",
    .read = mind_read,
    .write = mind_write,
    .code_of = mind_code_of,
    .looks_like = looks_like,
    .spelling = spelling_of_op,
    .field_at = spelling_field,
    .can = &mind_expressible,
};
