/* inputs-first: move inputs to the front of their function.
 *
 * needs   definitions before uses
 * keeps   the order among inputs and among the others, types, locations, every output
 * breaks  nothing
 * source  MIND Core IR, "Module contents" and "Reference encoding"
 */
#include "pass/passes.h"

static tn_status move_inputs(pass_context *cx, function *f)
{
    uint32_t leading = 0;
    while (leading < f->nodes.n && f->nodes.at[leading].op == OP_INPUT)
        leading++;
    if (leading == f->inputs.n)
        return TN_OK;

    uint32_t *order = ARENA_ARRAY(&cx->scratch, uint32_t, f->nodes.n), n = 0;
    if (!order)
        return module_no_memory(f->module);
    for (uint32_t i = 0; i < f->inputs.n; i++)
        order[n++] = f->values.at[f->inputs.at[i]].node;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        if (f->nodes.at[i].op != OP_INPUT)
            order[n++] = i;
    cx->n_changed++;
    return function_reorder(f, order, n);
}

tn_status pass_inputs_first(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        TN_TRY(move_inputs(cx, m->functions.at[i]));
    return TN_OK;
}
