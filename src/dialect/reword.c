/* Words of messages, one for another. */
#include "dialect/reword.h"

#include <string.h>

const char *reword(arena *memory, const char *text, const char *old, const char *fresh)
{
    const char *at = strstr(text, old);
    if (!at)
        return text;
    const char *made = arena_printf(memory, "%.*s%s%s", (int)(at - text), text, fresh,
                                    reword(memory, at + strlen(old), old, fresh));
    return made ? made : text;
}

void reword_fields(bool (*field_at)(op_id op, uint32_t index, dialect_field *out), const char *op,
                   tn_diagnostic *d, arena *memory)
{
    const op_id id = op_by_name(op, strlen(op));
    dialect_field f;
    for (uint32_t i = 0; id != OP_COUNT && field_at(id, i, &f); i++) {
        if (!f.attribute || strcmp(f.attribute, f.name) == 0)
            continue;
        const char *old = arena_printf(memory, "'%s'", f.attribute);
        const char *fresh = arena_printf(memory, "'%s'", f.name);
        if (old && fresh)
            d->message = reword(memory, d->message, old, fresh);
    }
}
