/* How often values are used. */
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
