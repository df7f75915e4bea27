/* Which scans are loops of one kernel: those whose bodies compute element by element. */
#include "plan/group.h"

const function *kernel_scan_body(const function *f, const node *n)
{
    return f->module->functions.at[attr_int(n->attrs, KEY_BODY_REGION, 0)];
}

/* Elements of the largest value of BODY; 0: some value has no elements. */
static int64_t most_elements(const function *body)
{
    int64_t most = 1;
    for (value_id v = 0; v < body->values.n; v++) {
        const type *t = value_type(body, v);
        if (!type_has_elements(t))
            return 0;
        most = t->count > most ? t->count : most;
    }
    return most;
}

/* Is element i of the result made of elements i of the operands, or of their only ones? Then every
 * value of the body has one element or as many as the largest. */
static bool is_in_place(const function *body, const node *n)
{
    const op_class class = op_table[n->op].class;
    if (n->op == OP_INPUT || kernel_is_uniform(n))
        return true;
    if (n->n_results != 1 || node_may_fail(body, n))
        return false;
    if (class == K_ELEMENTWISE || n->op == OP_IOTA || node_is_copy(n))
        return true;
    return n->op == OP_BROADCAST && value_type(body, n->in[0])->count == 1;
}

bool kernel_scans(const function *f, const node *n)
{
    if (n->op != OP_SCAN || n->n_results > KERNEL_OUTPUTS)
        return false;
    const function *body = kernel_scan_body(f, n);
    const int64_t most = most_elements(body);
    bool ok = most > 0;
    for (uint32_t k = 0; ok && k < n->n_in; k++)
        ok = type_has_elements(value_type(f, n->in[k]));
    for (value_id v = 0; ok && v < body->values.n; v++) {
        const int64_t count = value_type(body, v)->count;
        ok = count == 1 || count == most;
    }
    for (uint32_t i = 0; ok && i < body->nodes.n; i++)
        ok = is_in_place(body, &body->nodes.at[i]);
    return ok;
}
