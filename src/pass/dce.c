/* dce: drop nodes that no output and no gradient needs.
 *
 * needs   definitions before uses
 * keeps   types, order, locations, every output; all inputs, used or not: they are the interface;
 *         random generators: those after them would make other numbers (docs/numerics.md)
 * breaks  nothing
 */
#include "ops/node_facts.h"
#include "pass/passes.h"

static void mark(const function *f, bool *live, value_id v)
{
    live[f->values.at[v].node] = true;
}

tn_status pass_sweep(pass_context *cx, function *f)
{
    bool *live = ARENA_ARRAY(&cx->scratch, bool, f->nodes.n);
    uint32_t *order = ARENA_ARRAY(&cx->scratch, uint32_t, f->nodes.n), n = 0;
    if (!live || !order)
        return module_no_memory(f->module);

    for (uint32_t i = 0; i < f->inputs.n; i++)
        mark(f, live, f->inputs.at[i]);
    for (uint32_t i = 0; i < f->outputs.n; i++)
        mark(f, live, f->outputs.at[i]);
    if (f == module_entry(f->module))
        for (uint32_t i = 0; i < f->module->gradients.n; i++)
            mark(f, live, f->module->gradients.at[i]);
    for (uint32_t i = f->nodes.n; i-- > 0;) {
        const node *it = &f->nodes.at[i];
        live[i] = live[i] || node_draws(it);
        for (uint32_t k = 0; live[i] && k < it->n_in; k++)
            mark(f, live, it->in[k]);
    }
    for (uint32_t i = 0; i < f->nodes.n; i++)
        if (live[i])
            order[n++] = i;
    if (n == f->nodes.n)
        return TN_OK;
    cx->n_changed += f->nodes.n - n;
    return function_reorder(f, order, n);
}

tn_status pass_dce(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        TN_TRY(pass_sweep(cx, m->functions.at[i]));
    return TN_OK;
}
