/* How often values are used, and functions run. */
#include "pass/passes.h"

uint32_t *pass_count_uses(pass_context *cx, const function *f)
{
    uint32_t *uses = ARENA_ARRAY(&cx->scratch, uint32_t, f->values.n);
    if (!uses)
        return NULL;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        for (uint32_t k = 0; k < f->nodes.at[i].n_in; k++)
            uses[f->nodes.at[i].in[k]]++;
    for (uint32_t i = 0; i < f->outputs.n; i++)
        uses[f->outputs.at[i]]++;
    for (uint32_t i = 0; f == module_entry(f->module) && i < f->module->gradients.n; i++)
        uses[f->module->gradients.at[i]]++;
    return uses;
}

uint32_t *pass_count_runs(pass_context *cx, const module *m)
{
    uint32_t *runs = ARENA_ARRAY(&cx->scratch, uint32_t, m->functions.n);
    for (uint32_t i = 0; runs && i < m->functions.n; i++)
        for (uint32_t k = 0; k < m->functions.at[i]->nodes.n; k++) {
            const attrs *a = m->functions.at[i]->nodes.at[k].attrs;
            for (uint32_t e = 0; e < a->n; e++)
                if (attr_keys[a->at[e].key].kind == ATTR_FUNCTION)
                    runs[a->at[e].v.i]++;
        }
    return runs;
}
