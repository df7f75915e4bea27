/* The texts of fixes. */
#include "dialect/tiny/reader.h"

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
