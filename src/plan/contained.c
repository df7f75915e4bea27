/* Elementwise operations and movement: computed where they are needed, or in a kernel of their own.
 */
#include "plan/group.h"

static const char *const why_fails = "it can fail, so every element must be computed once";
static const char *const why_repeated = "each row would compute it again";

/* Compute N in one of KERNELS, which stores it for the others. */
static bool join_and_store(grouping *g, const node *n, const uint32_t *kernels, uint32_t n_kernels)
{
    const value_id v = n->first_value;
    for (uint32_t i = 0; i < n_kernels; i++) {
        const uint32_t k = kernels[i];
        const access_map *all = full_demand(g, k, v);
        const char *why = NULL;
        if (g->drafts.at[k].kind == KERNEL_CONTRACT || g->drafts.at[k].is_split || !all ||
            !can_store_early(g, k, v) || !absorb(g, k, n, &why))
            continue;
        const kernel_output out = {v, v, all, all, false};
        draft_store(g, k, &out);
        return true;
    }
    return false;
}

static bool is_among(uint32_t x, const uint32_t *list, uint32_t n)
{
    while (n > 0 && list[n - 1] != x)
        n--;
    return n > 0;
}

/* What can fail must be computed at every position, and no other. */
static bool absorb_all(grouping *g, const node *n, uint32_t k, const char **why)
{
    const value_id v = n->first_value;
    const draft *d = &g->drafts.at[k];
    uint32_t uses = 0;
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value)
        uses += g->demands.at[i - 1].kernel == k;
    return uses == 1 && (d->kind == KERNEL_MAP || d->kind == KERNEL_ROWS) && !d->is_split &&
           full_demand(g, k, v) && absorb(g, k, n, why);
}

/* Is V a contraction's result, or made of one element by element, and asked for only once? */
static bool is_of_contraction(const grouping *g, value_id v, uint32_t depth)
{
    const node *n = node_of(g->f, v);
    if (g->uses[v] != 1 || depth == 0 || value_type(g->f, v)->count == 0)
        return false;
    if (node_contracts(n))
        return true;
    if (!node_is_copy(n) && !(op_table[n->op].traits & T_ELEMENTWISE))
        return false;
    for (uint32_t k = 0; k < n->n_in; k++)
        if (value_type(g->f, n->in[k])->count == value_type(g->f, v)->count &&
            is_of_contraction(g, n->in[k], depth - 1))
            return true;
    return false;
}

/* Several passes over rows need N, and the contraction that it is made of can compute it in its
 * epilogue: once, and before anything is stored. */
static bool is_left_to_contraction(const grouping *g, const node *n, uint32_t k)
{
    enum { DEEP = 8 };
    if (g->drafts.at[k].kind != KERNEL_ROWS || !(op_table[n->op].traits & T_ELEMENTWISE))
        return false;
    for (uint32_t o = 0; o < n->n_in; o++)
        if (value_type(g->f, n->in[o])->count == value_type(g->f, n->first_value)->count &&
            is_of_contraction(g, n->in[o], DEEP))
            return true;
    return false;
}

/* Does the extent of axis A of kernel K depend on the sizes of the program? */
static bool is_dynamic(const grouping *g, uint32_t k, uint32_t a)
{
    const draft *d = &g->drafts.at[k];
    const node *n = &g->f->nodes.at[d->node];
    for (uint32_t i = 0; i <= n->n_in; i++) { /* its positions are those of the result, or rows */
        const value_id v = i == 0 ? n->first_value : n->in[i - 1];
        const access_extents x = access_extents_of(g->f, v);
        if (x.rank == d->rank && memcmp(x.now, d->dims, d->rank * sizeof *d->dims) == 0)
            return x.now[a] != x.other[a];
    }
    return false;
}

/* Is N costly, and would kernel K compute it again for each of many rows? What does not vary along
 * a row is computed once for it in any case. Of rows whose number varies there are many. */
static bool is_repeated(const grouping *g, const node *n, uint32_t k)
{
    enum { OFTEN = 8 };
    const draft *d = &g->drafts.at[k];
    uint32_t last = d->rank;
    if (!op_is_costly(n->op))
        return false;
    while (last > 0 && d->dims[last - 1] == 1 && !is_dynamic(g, k, last - 1))
        last--;
    for (uint32_t i = g->by_value[n->first_value]; last > 0 && i;
         i = g->demands.at[i - 1].next_of_value) {
        const demand *need = &g->demands.at[i - 1];
        if (need->kernel != k || !need->map)
            continue;
        const uint32_t axes = access_axes(need->map);
        int64_t times = 1;
        for (uint32_t a = 0; a < last && times < OFTEN; a++)
            if (!(axes >> a & 1))
                times *= is_dynamic(g, k, a) ? OFTEN : d->dims[a];
        if (times >= OFTEN && axes >> (last - 1) & 1)
            return true;
    }
    return false;
}

/* May the results of the run be what N, a copy, copies, in its memory? So it is where N's operand
 * is stored by kernels that could not store the copy. */
static bool is_output_itself(grouping *g, const node *n)
{
    const value_id x = n->in[0];
    const node *of = node_of(g->f, x);
    if (g->is_output[x] || !type_has_elements(value_type(g->f, x)) ||
        (of->op != OP_CONCAT && of->op != OP_DYNAMIC_UPDATE_SLICE && !kernel_has_loops(of)))
        return false;
    g->is_output[x] = true;
    return true;
}

/* Is what N reads in memory for others, too, and as large as the result, beside what is small? Then
 * reading the result would take as long, and writing it is left out: an input less its mean. */
static bool is_read_anyway(const grouping *g, const node *n)
{
    enum { SMALL = 64 }; /* times less */
    const type *t = value_type(g->f, n->first_value);
    uint32_t large = 0;
    if (!(op_table[n->op].traits & T_CHEAP) || !(op_table[n->op].traits & T_ELEMENTWISE))
        return false;
    for (uint32_t k = 0; k < n->n_in; k++) {
        const node *of = node_of(g->f, n->in[k]);
        const bool stays = of->op == OP_INPUT || (node_contracts(of) && g->uses[n->in[k]] > 1);
        if (stays && value_type(g->f, n->in[k])->dtype == t->dtype)
            large++;
        else if (of->op != OP_BROADCAST || value_type(g->f, of->in[0])->count > t->count / SMALL)
            return false;
    }
    return large == 1;
}

void place_contained(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    const value_id v = n->first_value;
    uint32_t few[FEW_KERNELS], *kernels = few, n_kernels;
    bool held = demanders(g, v, kernels, &n_kernels);
    if (n_kernels == FEW_KERNELS && /* however many load it, none should */
        (node_is_splat(g->f, n) || node_reads_nothing(g->f, n)))
        held = all_demanders(g, v, &kernels, &n_kernels);
    const char *why = held ? why_held(g, v) : WHY_SEVERAL;

    if (kernel_is_uniform(n) || n->op == OP_IOTA || n->op == OP_DYNAMIC_SLICE ||
        (access_is_movement(n) && !node_may_fail(g->f, n))) {
        bool stays = held; /* movement is stored only where its result must be in memory */
        uint32_t able = 0; /* kernels that contain it from now on */
        for (uint32_t k = 0; k < n_kernels; k++)
            if (absorb(g, kernels[k], n, &why))
                kernels[able++] = kernels[k];
        stays = stays || able < n_kernels;
        if (!stays || kernel_is_uniform(n))
            return;
        if (node_is_copy(n) && (!g->is_output[v] || is_output_itself(g, n))) {
            g->same_as[v] = n->in[0];
            g->why[n->in[0]] = g->why[n->in[0]] ? g->why[n->in[0]] : why;
            for (uint32_t d = g->by_value[v]; d; d = g->demands.at[d - 1].next_of_value)
                if (!g->demands.at[d - 1].map ||
                    !is_among(g->demands.at[d - 1].kernel, kernels, able))
                    draft_demand(g, g->demands.at[d - 1].kernel, n->in[0], NULL);
            return;
        }
    } else if (node_may_fail(g->f, n)) {
        why = why_fails;
        if (!held && n_kernels == 1 && absorb_all(g, n, kernels[0], &why))
            return;
    } else if (!held && n_kernels == 1 && is_left_to_contraction(g, n, kernels[0])) {
        why = "the contraction before it does it as its results are complete";
    } else if (!held && n_kernels == 1 && is_repeated(g, n, kernels[0])) {
        why = why_repeated;
    } else if (!held && (n_kernels == 1 || node_is_cheap(g->f, n) || is_read_anyway(g, n))) {
        bool stays = false;
        for (uint32_t k = 0; k < n_kernels; k++)
            stays = !absorb(g, kernels[k], n, &why) || stays;
        if (!stays)
            return;
    } else if (join_and_store(g, n, kernels, n_kernels)) {
        g->why[v] = why;
        return;
    } else if (n_kernels > 1 && !held) {
        why = WHY_SEVERAL;
    }
    g->why[v] = why;
    const uint32_t k = start_map(g, i, v);
    if (!g->failed && !absorb(g, k, n, &why)) {
        /* no index map leads to the operands */
        g->drafts.at[k].kind = KERNEL_REFERENCE;
        for (uint32_t o = 0; o < n->n_in && !g->failed; o++)
            need_whole(g, k, n->in[o], WHY_INDEX);
        draft_contain(g, k, i);
    }
}
