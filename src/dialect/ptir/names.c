/* Where the functions and values of a program are defined and used. */
#include "dialect/ptir/names.h"

#include "dialect/ptir/formats/text_parts.h"
#include "dialect/ptir/lower.h"

typedef struct noting {
    const module *m;
    ptir_id_map ids;
    VECTOR(span) places; /* by number of the id: its definition */
    text_buffer text;
    bool no_memory;
} noting;

/* T as the text form has it. */
static const char *words_of(noting *n, const ptir_type *t)
{
    text_writer w = {.m = n->m, .out = &n->text};
    n->text.n = 0;
    arena_init(&w.names, n->m->allocator);
    text_write_type(&w, t);
    arena_release(&w.names);
    text_putc(&n->text, '\0');
    n->no_memory = n->no_memory || w.no_memory || n->text.failed;
    return n->no_memory ? NULL : n->text.at;
}

static void define(noting *n, named_kind kind, uint32_t id, span at, const ptir_type *t)
{
    const name_definition d = {.kind = kind, .at = at, .detail = words_of(n, t)};
    if (n->no_memory || ptir_ids_find(&n->ids, id) != NO_VALUE)
        return;
    if (!VECTOR_PUSH(n->m->allocator, &n->places, at) || !ptir_ids_add(&n->ids, id))
        n->no_memory = true;
    else
        names_define(n->m->cx->names, &d);
}

static void use(noting *n, const ptir_operand *o)
{
    if (o->kind != PTIR_VALUE && o->kind != PTIR_ELEMENT)
        return;
    const uint32_t number = ptir_ids_find(&n->ids, o->id);
    if (number != NO_VALUE)
        names_use(n->m->cx->names, o->at, n->places.at[number]);
}

static void note_values(noting *n, const ptir_function *f)
{
    const uint32_t given =
        f->parameter_ids.n < f->parameters.n ? f->parameter_ids.n : f->parameters.n;
    for (uint32_t i = 0; i < given && i < f->parameter_places.n; i++)
        define(n, NAMED_INPUT, f->parameter_ids.at[i], f->parameter_places.at[i],
               &f->parameters.at[i]);
    for (uint32_t i = 0; i < f->body.n; i++) {
        const ptir_inst *inst = &f->body.at[i];
        for (uint32_t k = 0; k < inst->n_in; k++)
            use(n, &inst->in[k]);
        define(n, NAMED_VALUE, inst->id, inst->id_at, &inst->out);
    }
    for (uint32_t i = 0; i < f->result_ids.n; i++)
        use(n, &f->result_ids.at[i]);
}

static tn_status note_function(const module *m, const ptir_function *f, arena *memory)
{
    noting n = {.m = m};
    uint32_t largest = 0;
    for (uint32_t i = 0; i < f->parameter_ids.n; i++)
        largest = f->parameter_ids.at[i] > largest ? f->parameter_ids.at[i] : largest;
    for (uint32_t i = 0; i < f->body.n; i++)
        largest = f->body.at[i].id > largest ? f->body.at[i].id : largest;
    names_define(m->cx->names,
                 &(name_definition){.kind = NAMED_FUNCTION, .at = f->at, .whole = f->whole});
    if (!ptir_ids_init(&n.ids, m->allocator, memory, largest, f->parameter_ids.n + f->body.n))
        return module_no_memory(m);
    text_init(&n.text, m->allocator);
    note_values(&n, f);
    ptir_ids_release(&n.ids);
    VECTOR_RELEASE(m->allocator, &n.places);
    text_release(&n.text);
    return n.no_memory ? module_no_memory(m) : TN_OK;
}

/* Where operations name regions. */
static tn_status note_regions(const module *m, const ptir_program *p)
{
    hash_index by_id = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->regions.n; i++)
        ok = hash_add(m->allocator, &by_id, hash_mix(3, p->regions.at[i].region), i);
    for (uint32_t i = 0; ok && i < p->region_uses.n; i++) {
        const ptir_region_use *u = &p->region_uses.at[i];
        const uint64_t h = hash_mix(3, u->region);
        for (uint32_t k = hash_first(&by_id, h), n; (n = hash_at(&by_id, h, &k)) != HASH_NONE;)
            if (p->regions.at[n].region == u->region) {
                names_use(m->cx->names, u->at, p->regions.at[n].at);
                break;
            }
    }
    hash_release(m->allocator, &by_id);
    return ok ? TN_OK : module_no_memory(m);
}

tn_status ptir_note_names(const module *m, const ptir_program *p, arena *memory)
{
    if (!m->cx->names)
        return TN_OK;
    for (uint32_t i = 0; i < p->functions.n; i++) {
        TN_TRY(note_function(m, &p->functions.at[i], memory));
        if (p->functions.at[i].name == p->entry && p->entry_at.at != p->functions.at[i].at.at)
            names_use(m->cx->names, p->entry_at, p->functions.at[i].at);
    }
    for (uint32_t i = 0; i < p->regions.n; i++)
        TN_TRY(note_function(m, &p->regions.at[i], memory));
    return note_regions(m, p);
}
