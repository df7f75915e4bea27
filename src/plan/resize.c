/* What kernels are with other sizes of their program. */
#include <string.h>

#include "plan/kernel.h"

static bool is_reduced_by(const function *f, const kernel *k, uint32_t i)
{
    return k->kind == KERNEL_ROWS && kernel_is_reduction(f, &f->nodes.at[k->nodes[i]]);
}

/* The value whose elements are the positions of K. */
static value_id value_of_positions(const function *f, const kernel *k)
{
    for (uint32_t i = 0; i < k->n_nodes; i++)
        if (is_reduced_by(f, k, i))
            return f->nodes.at[k->nodes[i]].in[0];
    return k->out[0].value;
}

void kernel_set_sizes(const function *f, kernel *k)
{
    memcpy(k->other, k->dims, sizeof k->other);
    k->is_generic = f->like != NULL;
    if (!f->like || k->n_out == 0)
        return;
    const access_extents x = access_extents_of(f, value_of_positions(f, k));
    int64_t other[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < x.rank; i++)
        if (n < k->rank && x.now[i] == k->dims[n])
            other[n++] = x.other[i];
        else if (x.now[i] != 1 || x.other[i] != 1) /* an axis that K has not */
            return;
    if (n == k->rank && n)
        memcpy(k->other, other, n * sizeof *other);
}

bool function_is_resized(const function *f, const function *like)
{
    if (f->nodes.n != like->nodes.n || f->values.n != like->values.n)
        return false;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *a = &f->nodes.at[i], *b = &like->nodes.at[i];
        if (a->op != b->op || a->n_in != b->n_in || a->first_value != b->first_value ||
            (a->n_in && memcmp(a->in, b->in, a->n_in * sizeof *a->in) != 0))
            return false;
    }
    return true;
}
