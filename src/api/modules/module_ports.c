/* What a module is, what goes into it and comes out, and its symbolic sizes. */
#include <inttypes.h>

#include "api/api.h"

tn_status tn_module_get_info(const tn_module *tm, tn_module_info *info)
{
    const module *m = tm->graph;
    if (OPTIONS_ROOM(&m->cx->diag, tn_module_info, lowered_from, info) != TN_OK)
        return context_done(m->cx, TN_ERR_USAGE);
    const tn_module_info now = {.dialect = m->dialect,
                                .entry = module_entry(m)->name,
                                .is_lowered = m->lowered_from != NULL,
                                .lowered_from = m->lowered_from};
    OPTIONS_GIVE(tn_module_info, lowered_from, info, &now);
    return TN_OK;
}

/* ---- ports ---- */

static tn_status port_at(const tn_module *m, bool output, size_t index, tn_port *port)
{
    context *cx = m->graph->cx;
    const function *f = module_entry(m->graph);
    uint32_t n = output ? f->outputs.n : f->inputs.n;
    if (index >= n)
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "%s %zu of a module with %" PRIu32,
                                            output ? "output" : "input", index, n));
    if (output)
        public_output(m->graph, (uint32_t)index, port);
    else
        public_input(m->graph, f->inputs.at[index], port);
    return port->name ? TN_OK : context_done(cx, diag_no_memory(&cx->diag));
}

size_t tn_module_input_count(const tn_module *m)
{
    return module_entry(m->graph)->inputs.n;
}

size_t tn_module_output_count(const tn_module *m)
{
    return module_entry(m->graph)->outputs.n;
}

tn_status tn_module_input(const tn_module *m, size_t index, tn_port *port)
{
    return port_at(m, false, index, port);
}

tn_status tn_module_output(const tn_module *m, size_t index, tn_port *port)
{
    return port_at(m, true, index, port);
}

/* ---- sizes ---- */

tn_status tn_module_bind(tn_module *m, const tn_binding *bindings, size_t n)
{
    return n ? context_done(m->graph->cx, bind_symbols(m->graph, bindings, n)) : TN_OK;
}

/* Mark D and what it is made of. */
static void mark(const type_table *t, dim d, bool *seen)
{
    if (!dim_is_symbolic(d) || seen[dim_index(d)])
        return;
    const dim_expr *e = dim_expr_of(t, d);
    seen[dim_index(d)] = true;
    if (e->op != DIM_SYM) {
        mark(t, e->a, seen);
        mark(t, e->b, seen);
    }
}

/* Types that are no longer used may still be in the table, so values are asked. */
static void mark_values(const module *m, bool *seen)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const function *f = m->functions.at[i];
        for (value_id v = 0; v < f->values.n; v++) {
            const type *t = value_type(f, v);
            for (uint32_t k = 0; k < t->rank && t->count == TYPE_COUNT_UNKNOWN; k++)
                mark(&m->types, t->dims[k], seen);
        }
    }
}

const char *tn_module_symbol(const tn_module *tm, size_t index)
{
    const module *m = tm->graph;
    const uint32_t n = m->types.exprs.n;
    const char *found = NULL;
    bool *seen = n ? memory_alloc(&m->cx->allocator, n * sizeof *seen) : NULL;
    if (!seen) {
        if (n)
            (void)context_done(m->cx, diag_no_memory(&m->cx->diag));
        return NULL;
    }
    memset(seen, 0, n * sizeof *seen);
    mark_values(m, seen);
    for (uint32_t i = 0; i < n && !found; i++)
        if (seen[i] && m->types.exprs.at[i].op == DIM_SYM && index-- == 0)
            found = m->types.exprs.at[i].name;
    memory_free(&m->cx->allocator, seen, n * sizeof *seen);
    return found;
}

static const char *extent(const tn_module *tm, const value_id *ports, uint32_t n, size_t index,
                          uint32_t axis)
{
    module *m = tm->graph;
    const type *t = index < n ? value_type(module_entry(m), ports[index]) : NULL;
    if (!t || axis >= t->rank)
        return NULL;
    arena memory;
    arena_init(&memory, &m->cx->allocator);
    const char *text = dims_text(&memory, &m->types, &t->dims[axis], 1); /* in brackets */
    const char *kept = module_string(m, text + 1, strlen(text) - 2);
    arena_release(&memory);
    if (!kept)
        (void)context_done(m->cx, module_no_memory(m));
    return kept;
}

const char *tn_module_input_extent(const tn_module *m, size_t index, uint32_t axis)
{
    const function *f = module_entry(m->graph);
    return extent(m, f->inputs.at, f->inputs.n, index, axis);
}

const char *tn_module_output_extent(const tn_module *m, size_t index, uint32_t axis)
{
    const function *f = module_entry(m->graph);
    return extent(m, f->outputs.at, f->outputs.n, index, axis);
}
