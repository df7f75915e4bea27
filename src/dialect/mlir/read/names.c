/* Names of values: what each stands for where the reader is. */
#include "dialect/mlir/read/reader.h"

static uint32_t find_name(const mir_reader *r, mir_text name, uint64_t h)
{
    for (uint32_t p = hash_first(&r->name_index, h), i;
         (i = hash_at(&r->name_index, h, &p)) != HASH_NONE;)
        if (mir_same(r->names.at[i].text, name))
            return i;
    return HASH_NONE;
}

mir_value mir_new_value(mir_reader *r, mir_text name, const mir_type *type)
{
    return (mir_value){.name = name, .type = type, .number = r->n_values++, .depth = r->n_regions};
}

bool mir_define(mir_reader *r, mir_text name, mir_value *first, uint32_t n)
{
    const uint64_t h = hash_bytes(0, name.at, name.n);
    uint32_t i = find_name(r, name, h);
    if (i == HASH_NONE) {
        i = r->names.n;
        if (!VECTOR_PUSH_INDEXED(r->allocator, &r->names, ((mir_name){.text = name}),
                                 &r->name_index, h))
            return mir_no_memory(r);
    }
    mir_name *own = &r->names.at[i];
    if (own->now.first)
        return mir_fail(r, DIAG_MultipleDefinitions, mir_span(r, name), "'%%%.*s' is defined twice",
                        MIR_TEXT(name));
    if (!VECTOR_PUSH(r->allocator, &r->undo, ((mir_undo){i, own->now})))
        return mir_no_memory(r);
    own->now = (mir_binding){first, n};
    return true;
}

void mir_forget(mir_reader *r, uint32_t mark)
{
    while (r->undo.n > mark) {
        const mir_undo *u = &r->undo.at[--r->undo.n];
        r->names.at[u->name].now = u->before;
    }
}

bool mir_read_operand(mir_reader *r, mir_operands *in)
{
    mir_text name;
    int64_t index = 0;
    bool fits = true, is_one = true;
    if (!mir_sigil(r, '%', &name))
        return false;
    if (r->at < r->end && *r->at == '#') {
        r->at++;
        is_one = false;
        if (!mir_integer(r, &index, &fits))
            return false;
    }
    const uint32_t i = find_name(r, name, hash_bytes(0, name.at, name.n));
    const mir_binding b = i == HASH_NONE ? (mir_binding){0} : r->names.at[i].now;
    if (!b.first)
        return mir_fail(r, DIAG_UndefinedName, mir_span(r, name), "nothing defines '%%%.*s'",
                        MIR_TEXT(name));
    if (!fits || index < 0 || index >= (int64_t)b.n || (is_one && b.n != 1))
        return mir_fail(r, DIAG_UndefinedName, mir_span(r, name),
                        "'%%%.*s' stands for %u values; '#' picks one of them", MIR_TEXT(name),
                        (unsigned)b.n);
    return MIR_PUSH(r, in, b.first + index);
}

bool mir_read_operands(mir_reader *r, mir_operands *in)
{
    if (mir_next(r) != '%')
        return true;
    do {
        if (!mir_read_operand(r, in))
            return false;
    } while (mir_accept(r, ','));
    return true;
}
