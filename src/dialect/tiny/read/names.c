/* Where the nodes of a document are defined and used, for editors. */
#include "dialect/tiny/read/reader.h"

static void define(reader *r, const entry *e)
{
    name_table *names = r->m->cx->names;
    const bool is_input = e->uop && e->uop->kind == TINY_INPUT;
    name_definition d = {.kind = is_input ? NAMED_INPUT : NAMED_VALUE, .at = e->id_at};
    if (e->value.v != NO_VALUE) {
        const type *t = type_at(r, e->value.v);
        const char *dims = dims_text(&r->memory, &r->m->types, t->dims, t->rank);
        d.detail = dims ? arena_printf(&r->memory, "%s%s", tiny_dtype_name(t->dtype), dims) : NULL;
        d.is_inferred = !is_input;
        if (!d.detail)
            (void)out_of_memory(r);
    }
    names_define(names, &d);
}

static void use(reader *r, const json_value *id)
{
    const entry *e = id->kind == JSON_STRING ? entry_by_id(r, id->text.at, id->text.n) : NULL;
    if (e)
        names_use(r->m->cx->names, id->at, e->id_at);
}

void tiny_note_names(reader *r)
{
    const json_value *outputs = json_member_of(&r->root, "outputs");
    for (uint32_t i = 0; i < r->entries.n; i++)
        if (*r->entries.at[i].id)
            define(r, &r->entries.at[i]);
    for (uint32_t i = 0; i < r->entries.n; i++)
        for (uint32_t k = 0; r->entries.at[i].src && k < r->entries.at[i].src->n; k++)
            use(r, &r->entries.at[i].src->items[k]);
    for (uint32_t i = 0; outputs && outputs->kind == JSON_ARRAY && i < outputs->n; i++)
        use(r, &outputs->items[i]);
}
