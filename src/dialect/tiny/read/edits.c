/* The texts of fixes. */
#include "dialect/tiny/read/reader.h"

const char *indent_of(reader *r, const entry *e)
{
    const char *text = r->m->source.text;
    uint32_t from = e->at.at;
    while (from > 0 && (text[from - 1] == ' ' || text[from - 1] == '\t'))
        from--;
    if (from == 0 || text[from - 1] != '\n')
        return " ";
    from--;
    const char *indent = arena_copy_text(&r->memory, text + from, e->at.at - from);
    if (!indent)
        (void)out_of_memory(r);
    return indent;
}

/* The index of KEY in OBJECT, which has it. */
static uint32_t index_of(const json_value *object, const char *key)
{
    uint32_t i = 0;
    while (!json_is(object->keys[i], key))
        i++;
    return i;
}

void offer_name(reader *r, const json_value *arg, const char *key, const char *name)
{
    const char *text = arena_printf(&r->memory, "\"%s\"", name);
    if (text)
        diag_fix(&r->m->cx->diag, arg->keys[index_of(arg, key)].where, text, "call it '%s'", name);
}

void offer_removal(reader *r, const json_value *arg, const char *key)
{
    const uint32_t i = index_of(arg, key);
    uint32_t from = arg->keys[i].where.at, to = arg->items[i].at.at + arg->items[i].at.length;
    if (i + 1 < arg->n)
        to = arg->keys[i + 1].where.at; /* with the comma behind it */
    else if (i > 0)
        from = arg->items[i - 1].at.at + arg->items[i - 1].at.length; /* with that before it */
    diag_fix(&r->m->cx->diag, (span){from, to - from}, "", "remove it");
}

void offer_pairs(reader *r, const json_value *list)
{
    const char *whole = r->m->source.text;
    text_buffer b;
    text_init(&b, r->m->allocator);
    for (uint32_t i = 0; i < list->n; i++) {
        text_puts(&b, i == 0 ? "[[" : i % 2 ? ", " : "], [");
        text_put(&b, whole + list->items[i].at.at, list->items[i].at.length);
    }
    text_puts(&b, "]]");
    const char *text = text_c_string(&b);
    if (text)
        diag_fix(&r->m->cx->diag, list->at, text, "write pairs");
    text_release(&b);
}
