/* Buffer plans, walking, and entry symbols, as callers see them. */
#include "plan/buffers.h"

#include <inttypes.h>

#include "api/api.h"
#include "dialect/ptir/ptir.h"
#include "pass/conversions/legalize.h"
#include "tenon/convert.h"

/* ---- buffer plans --------------------------------------------------------------------------- */

struct tn_buffer_plan {
    const module *m;
    buffer_plan plan;
};

tn_status tn_module_plan_buffers(const tn_module *m, tn_buffer_plan **out)
{
    const module *graph = m->graph;
    *out = NULL;
    tn_buffer_plan *p = memory_alloc(graph->allocator, sizeof *p);
    if (!p)
        return context_done(graph->cx, module_no_memory(graph));
    p->m = graph;
    tn_status s = plan_buffers(graph, &p->plan);
    if (s == TN_OK)
        *out = p;
    else
        memory_free(graph->allocator, p, sizeof *p);
    return context_done(graph->cx, s);
}

void tn_buffer_plan_free(tn_buffer_plan *p)
{
    if (!p)
        return;
    buffer_plan_release(&p->plan);
    memory_free(p->m->allocator, p, sizeof *p);
}

size_t tn_buffer_plan_count(const tn_buffer_plan *p)
{
    return p->plan.buffers.n;
}

bool tn_buffer_plan_at(const tn_buffer_plan *p, size_t index, tn_planned_buffer *out)
{
    if (index >= p->plan.buffers.n)
        return false;
    const planned_buffer *b = &p->plan.buffers.at[index];
    *out = (tn_planned_buffer){
        .function = p->m->functions.at[b->function]->name,
        .value = b->value,
        .bytes = b->bytes,
        .usage = b->usage,
        .begin = b->begin,
        .end = b->end,
        .alias = (tn_buffer_alias)b->alias,
        .source = b->source,
        .group = b->group,
        .slot = b->slot == NO_SLOT ? -1 : (int64_t)b->slot,
        .offset = b->slot == NO_SLOT ? -1 : p->plan.slots.at[b->slot].offset,
    };
    public_type(b->type, &out->type);
    return true;
}

size_t tn_buffer_plan_slots(const tn_buffer_plan *p)
{
    return p->plan.slots.n;
}

int64_t tn_buffer_plan_bytes(const tn_buffer_plan *p)
{
    return p->plan.slot_bytes;
}

int64_t tn_buffer_plan_peak(const tn_buffer_plan *p)
{
    return p->plan.peak;
}

/* ---- walking -------------------------------------------------------------------------------- */

static bool walk_function(const module *m, uint32_t index, const tn_walker *w)
{
    const function *f = m->functions.at[index];
    tn_walk_function shown = {f->name, index, f->is_region, f->inputs.n, f->outputs.n};
    if (w->function && !w->function(w->user, &shown))
        return false;
    for (uint32_t k = 0, i = 0; w->instruction && k < f->nodes.n; k++) {
        const node *n = &f->nodes.at[k];
        if (n->op == OP_INPUT)
            continue;
        tn_walk_instruction it = {.function = f->name,
                                  .index = i++,
                                  .op = op_table[n->op].text,
                                  .name = n->name,
                                  .operands = n->in,
                                  .n_operands = n->n_in,
                                  .first_result = n->first_value,
                                  .n_results = n->n_results};
        if (n->n_results)
            public_type(value_type(f, n->first_value), &it.type);
        if (!w->instruction(w->user, &it))
            return false;
    }
    for (uint32_t k = 0; w->hint && k < f->hints.n; k++)
        if (!w->hint(w->user, f->name, f->hints.at[k].id))
            return false;
    return true;
}

bool tn_module_walk(const tn_module *tm, const tn_walker *w)
{
    const module *m = tm->graph;
    for (int regions = 0; regions < 2; regions++)
        for (uint32_t i = 0; i < m->functions.n; i++)
            if (m->functions.at[i]->is_region == (regions == 1) && !walk_function(m, i, w))
                return false;
    return true;
}

/* ---- entry symbols and cache keys ----------------------------------------------------------- */

/* What a text about a program is made of. */
typedef struct naming {
    const char *name; /* of an entry symbol; NULL: a cache key is wanted */
    const tn_cache_key *key;
} naming;

static tn_status put_key(const module *m, const tn_cache_key *key, text_buffer *out)
{
    uint64_t hash;
    TN_TRY(ptir_canonical_hash(m, &hash));
    text_printf(out, "%016" PRIx64 "-%s-v%" PRIu32 "-%016" PRIx64, hash, key->target, key->version,
                key->options_hash);
    if (key->device_hash)
        text_printf(out, "-%016" PRIx64, *key->device_hash);
    return TN_OK;
}

static tn_status put_name(module *m, const naming *wanted, text_buffer *out)
{
    const legalize_options quiet = {.quiet = true};
    TN_TRY(legalize(m, dialect_by_name("ptir-bincode"), &quiet));
    m->dialect = "ptir-bincode";
    return wanted->name ? ptir_entry_symbol(m, wanted->name, out) : put_key(m, wanted->key, out);
}

static tn_status write_name(const tn_module *tm, const naming *wanted, const tn_writer *writer)
{
    context *cx = tm->graph->cx;
    module *copy = module_copy(tm->graph);
    text_buffer text;
    text_init(&text, &cx->allocator);
    const tn_status s = copy ? put_name(copy, wanted, &text) : diag_no_memory(&cx->diag);
    const tn_status given = api_deliver(cx, &text, writer, s);
    module_free(copy);
    return given;
}

tn_status tn_module_entry_symbol(const tn_module *tm, const char *name, const tn_writer *writer)
{
    const naming wanted = {name ? name : module_entry(tm->graph)->name, NULL};
    return write_name(tm, &wanted, writer);
}

tn_status tn_module_cache_key(const tn_module *tm, const tn_cache_key *key, const tn_writer *writer)
{
    tn_cache_key own;
    const naming wanted = {NULL, &own};
    context *cx = tm->graph->cx;
    if (OPTIONS_READ(&cx->diag, tn_cache_key, device_hash, &own, key) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    if (!own.target || !own.target[0])
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "a cache key needs the name of a target"));
    return write_name(tm, &wanted, writer);
}
