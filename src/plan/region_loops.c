/* Which loops over regions are loops of one kernel: those whose regions compute element by element.
 */
#include "plan/group.h"

const function *kernel_region(const function *f, const node *n, attr_key key)
{
    return f->module->functions.at[attr_int(n->attrs, key, 0)];
}

/* Elements of the largest value of F; 0: some value has no elements. */
static int64_t most_elements(const function *f)
{
    int64_t most = 1;
    for (value_id v = 0; v < f->values.n; v++) {
        const type *t = value_type(f, v);
        if (!type_has_elements(t))
            return 0;
        most = t->count > most ? t->count : most;
    }
    return most;
}

/* Is element i of the result made of elements i of the operands, or of their only ones? Then every
 * value of the region has one element or as many as the largest. */
static bool is_in_place(const function *f, const node *n)
{
    const op_class class = op_table[n->op].class;
    if (n->op == OP_INPUT || kernel_is_uniform(n))
        return true;
    if (n->n_results != 1 || node_may_fail(f, n))
        return false;
    if (class == K_ELEMENTWISE || n->op == OP_IOTA || node_is_copy(n))
        return true;
    return n->op == OP_BROADCAST && value_type(f, n->in[0])->count == 1;
}

/* Does F compute element by element, on values of one element or of MOST? */
static bool runs_in_place(const function *f, int64_t most)
{
    bool ok = true;
    for (value_id v = 0; ok && v < f->values.n; v++) {
        const int64_t count = value_type(f, v)->count;
        ok = count == 1 || count == most;
    }
    for (uint32_t i = 0; ok && i < f->nodes.n; i++)
        ok = is_in_place(f, &f->nodes.at[i]);
    return ok;
}

int64_t kernel_region_elements(const function *f, const node *n)
{
    const int64_t body = most_elements(kernel_region(f, n, KEY_BODY_REGION));
    if (n->op == OP_SCAN)
        return body;
    const int64_t cond = most_elements(kernel_region(f, n, KEY_COND_REGION));
    return cond == 0 || body == 0 ? 0 : cond > body ? cond : body;
}

bool kernel_runs_regions(const function *f, const node *n)
{
    if ((n->op != OP_SCAN && n->op != OP_WHILE) || n->n_results == 0 ||
        n->n_results > KERNEL_OUTPUTS)
        return false;
    const int64_t most = kernel_region_elements(f, n);
    bool ok = most > 0;
    for (uint32_t k = 0; ok && k < n->n_in; k++)
        ok = type_has_elements(value_type(f, n->in[k]));
    return ok && runs_in_place(kernel_region(f, n, KEY_BODY_REGION), most) &&
           (n->op == OP_SCAN || runs_in_place(kernel_region(f, n, KEY_COND_REGION), most));
}
