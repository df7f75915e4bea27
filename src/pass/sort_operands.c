/* sort-operands: order the operands of commutative ops by ascending id.
 *
 * needs   nothing
 * keeps   everything but the order of those operands; the bits of every result (T_COMMUTES)
 * breaks  nothing
 * source  MIND Core IR, "Canonicalisation"
 */
#include "pass/passes.h"

tn_status pass_sort_operands(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        for (uint32_t k = 0; k < f->nodes.n; k++) {
            const node *n = &f->nodes.at[k];
            if (!(op_table[n->op].traits & T_COMMUTES) || n->in[0] <= n->in[1])
                continue;
            value_id *in = (value_id *)(uintptr_t)n->in; /* this node's own list */
            value_id first = in[0];
            in[0] = in[1];
            in[1] = first;
            cx->n_changed++;
        }
    }
    return TN_OK;
}
