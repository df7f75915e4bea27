/* The names of values in the compact text form, and operands, which use them. */
#include "dialect/ptir/formats/text_parts.h"
#include "dialect/ptir/formats/text_reader.h"

static uint64_t name_hash(const char *name)
{
    return hash_mix(3, (uint64_t)(uintptr_t)name); /* interned */
}

/* The id of NAME, or NO_VALUE. */
static uint32_t find_name(const text_reader *r, const char *name)
{
    uint64_t h = name_hash(name);
    for (uint32_t p = hash_first(&r->by_name, h), k;
         (k = hash_at(&r->by_name, h, &p)) != HASH_NONE;)
        if (r->names.at[k].name == name)
            return k;
    return NO_VALUE;
}

/* A key as messages show it. */
static const char *bare(const char *key)
{
    return *key == '"' ? key + 1 : key;
}

bool text_add_name(text_reader *r, const char *name, span at)
{
    const tn_allocator *a = r->s.m->allocator;
    named_id added = {name, at};
    uint32_t earlier = find_name(r, name);
    if (earlier != NO_VALUE) {
        scan_fault(&r->s, DIAG_MultipleDefinitions, at, "'%%%s' is defined twice", bare(name));
        diag_note(&r->s.m->cx->diag, &r->s.m->source, r->names.at[earlier].at, "first here");
        r->lost_names = true;
    } else if (!hash_add(a, &r->by_name, name_hash(name), r->names.n)) {
        return scan_no_memory(&r->s);
    }
    return VECTOR_PUSH(a, &r->names, added) || scan_no_memory(&r->s);
}

/* The key of a quoted name. */
static bool quoted_key(text_reader *r, text_name *out)
{
    text_buffer key;
    if (text_is_name(out->name)) {
        out->key = out->name;
        return true;
    }
    text_init(&key, r->s.m->allocator);
    text_putc(&key, '"');
    text_puts(&key, out->name);
    out->key = key.failed ? NULL : module_string(r->s.m, key.at, key.n);
    text_release(&key);
    return out->key || scan_no_memory(&r->s);
}

bool text_read_name(text_reader *r, text_name *out)
{
    ptir_scan *s = &r->s;
    ptir_word_text word;
    if (scan_eat(s, "%") && *s->at == '"') {
        const char *from = s->at;
        if (!scan_string(s, &out->name))
            return false;
        out->at = scan_from(s, from);
        return quoted_key(r, out);
    }
    if (!scan_word(s, &word))
        return false;
    out->at = word.where;
    out->key = module_string(s->m, word.at, word.n);
    if (!out->key)
        return scan_no_memory(s);
    out->name = out->key[strspn(out->key, "0123456789")] ? out->key : NULL;
    return true;
}

bool text_value_named(text_reader *r, const char *name, span at, bool elements, ptir_operand *out)
{
    ptir_scan *s = &r->s;
    out->at = at;
    out->id = find_name(r, name);
    if (out->id == NO_VALUE) {
        if (!r->lost_names)
            scan_fault(s, DIAG_UseBeforeDefinition, out->at,
                       "'%%%s' is not defined before this use", bare(name));
        out->kind = PTIR_FAULTY;
    }
    if (!elements || *s->at != '[')
        return true;
    s->at++;
    if (out->kind == PTIR_VALUE)
        out->kind = PTIR_ELEMENT;
    return scan_u32(s, &out->index) && scan_expect(s, "]");
}

bool text_read_value(text_reader *r, bool elements, ptir_operand *out)
{
    text_name name;
    *out = (ptir_operand){.kind = PTIR_VALUE};
    if (!scan_at(&r->s, "%"))
        return scan_unexpected(&r->s, "a value");
    if (!text_read_name(r, &name))
        return false;
    name.at.at--; /* with the percent sign */
    name.at.length++;
    return text_value_named(r, name.key, name.at, elements, out);
}

static bool read_operand(text_reader *r, bool bare, ptir_operand *out)
{
    ptir_scan *s = &r->s;
    *out = (ptir_operand){.at = scan_here(s)};
    if (!bare && scan_eat(s, "literal<"))
        return text_read_literal(s, out);
    return text_read_value(r, !bare, out);
}

bool text_read_operands(text_reader *r, ptir_inst *out)
{
    ptir_scan *s = &r->s;
    VECTOR(ptir_operand) in = {0};
    bool bare = scan_at(s, "%");
    if (bare || (scan_eat(s, "(") && !scan_eat(s, ")"))) {
        do {
            ptir_operand operand;
            if (!read_operand(r, bare, &operand))
                return false;
            if (!PTIR_PUSH(s->memory, &in, operand))
                return scan_no_memory(s);
        } while (scan_eat(s, ","));
        if (!bare && !scan_expect(s, ")"))
            return false;
    }
    out->in = in.at;
    out->n_in = in.n;
    return !s->failed;
}
