/* Symbolic sizes of a program that have no value, by name. */
#include "compile/compiled.h"

/* Mark the symbols in D, and what leads to them. */
static void mark_symbols(const tn_program *p, dim d, bool *seen)
{
    if (!dim_is_symbolic(d) || seen[dim_index(d)])
        return;
    const dim_expr *e = dim_expr_of(&p->graph->types, d);
    seen[dim_index(d)] = true;
    if (e->op != DIM_SYM) {
        mark_symbols(p, e->a, seen);
        mark_symbols(p, e->b, seen);
    }
}

void unknown_sizes(const tn_program *p, size_t first, size_t n, text_buffer *names)
{
    const function *f = module_entry(p->graph);
    arena memory;
    arena_init(&memory, &p->allocator);
    bool *seen = ARENA_ARRAY(&memory, bool, p->sizes->n);
    for (size_t k = first; seen && k < first + n; k++) {
        const type *t = value_type(f, f->inputs.at[k]);
        for (uint32_t i = 0; i < t->rank; i++)
            mark_symbols(p, t->dims[i], seen);
    }
    for (uint32_t i = 0; seen && i < p->sizes->n; i++) {
        const dim_expr *e = &p->graph->types.exprs.at[i];
        if (seen[i] && e->op == DIM_SYM && p->sizes->at[i] < 0)
            text_printf(names, "%s'%s'", names->n ? ", " : "", e->name);
    }
    arena_release(&memory);
}

tn_status report_unknown_sizes(const tn_program *p, const char *what)
{
    text_buffer names;
    text_init(&names, &p->allocator);
    unknown_sizes(p, 0, p->n_inputs, &names);
    const char *text = text_c_string(&names);
    const tn_status s =
        diag_report(&p->cx->diag, DIAG_UnboundSymbol, &p->graph->source, NO_SPAN,
                    "%s: %s %s no value (%s SYM=N)", what, text && *text ? text : "a symbol",
                    text && strchr(text, ',') ? "have" : "has",
                    diag_setting_name(&p->cx->diag, SETTING_BINDINGS));
    text_release(&names);
    return s;
}
