/* Grouping nodes into kernels: from the last node to the first, each joins the kernel that needs it
 * or starts one of its own. */
#include "plan/group.h"

#include <string.h>

#include "plan/contraction.h"

static const char *const why_whole = "operands of a contraction are read many times";

/* The only kernel that needs V, if it works on the results of a contraction element by element in
 * their memory order: it can be the epilogue. */
static uint32_t follower(grouping *g, value_id v)
{
    uint32_t kernels[FEW_KERNELS], n_kernels, uses = 0;
    int64_t constant, steps[TN_MAX_RANK], plain[TN_MAX_RANK];
    const access_map *map = NULL;
    if (demanders(g, v, kernels, &n_kernels) || n_kernels != 1)
        return UINT32_MAX;
    const draft *d = &g->drafts.at[kernels[0]];
    const type *t = value_type(g->f, v);
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value, uses++)
        map = g->demands.at[i - 1].map;
    if (uses != 1 || d->kind != KERNEL_MAP || !map || map->n_guards > 0)
        return UINT32_MAX;
    const access_expr *offset = access_offset(map, access_extents_of(g->f, v), g->memory);
    if (!offset || !access_strides(offset, d->rank, &constant, steps) || constant != 0)
        return UINT32_MAX;
    int64_t n = 1;
    for (uint32_t i = d->rank; i-- > 0;) {
        plain[i] = d->dims[i] == 1 ? 0 : n;
        n *= d->dims[i];
    }
    for (uint32_t i = 0; i < g->outputs.n; i++) /* nothing is stored elsewhere than computed */
        if (g->outputs.at[i].kernel == kernels[0] &&
            g->outputs.at[i].out.from != g->outputs.at[i].out.to)
            return UINT32_MAX;
    return n == t->count && memcmp(plain, steps, d->rank * sizeof *steps) == 0 ? kernels[0]
                                                                               : UINT32_MAX;
}

static void place_contraction(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    const value_id v = n->first_value;
    uint32_t k = follower(g, v);
    contraction p;
    if (!contraction_of(g->f, n, g->memory, &p)) {
        g->failed = g->memory->failed;
        start_whole(g, i, KERNEL_REFERENCE);
        return;
    }
    if (k == UINT32_MAX) {
        k = start_map(g, i, v);
        g->why[v] = "the result of a contraction is complete only after its last product";
    }
    if (g->failed)
        return;
    g->drafts.at[k].kind = KERNEL_CONTRACT;
    g->drafts.at[k].node = i;
    for (uint32_t o = 0; o < 2 && !g->failed; o++)
        need_whole(g, k, p.operand[o].base, why_whole);
    draft_contain(g, k, i);
}

/* A kernel over the window, which computes it and stores it in place. */
static void place_update(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    const type *t = value_type(g->f, n->in[1]);
    const uint32_t k = draft_new(g, KERNEL_UPDATE, i, t->dims, t->rank);
    const access_map *all = draft_identity(g, t->dims, t->rank);
    const kernel_output out = {n->in[1], n->first_value, all, all, true};
    access_map own;
    if (g->failed)
        return;
    g->why[n->first_value] = "only a window of it is new";
    draft_store(g, k, &out);
    need_whole(g, k, n->in[0], "what is not replaced stays in memory");
    draft_demand(g, k, n->in[1], all);
    for (uint32_t u = 0; u < kernel_operand_uses(g->f, n, 2) && !g->failed; u++)
        if (kernel_operand_map(g->f, n, 2, u, g->memory, &own))
            draft_demand(g, k, n->in[2], draft_map(g, &own));
        else
            g->failed = true;
    draft_contain(g, k, i);
}

static bool is_whole(const function *f, const node *n)
{
    bool ok = n->n_results > 0 && type_has_elements(value_type(f, n->first_value));
    for (uint32_t k = 0; k < n->n_in && ok; k++) /* positions in no axes have no components */
        ok = type_has_elements(value_type(f, n->in[k])) || (n->op == OP_SCATTER_ADD && k == 1);
    return ok;
}

bool kernel_only_checks(const function *f, const node *n)
{
    const uint32_t both = T_INDEXES | T_MAY_FAIL;
    return (op_table[n->op].traits & both) == both && !is_whole(f, n);
}

static void place(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    if (n->op == OP_INPUT || (n->op == OP_CONSTANT && !kernel_is_uniform(n)))
        return;
    if (n->op == OP_CONCAT && type_has_elements(value_type(g->f, n->first_value)))
        place_concat(g, i);
    else if (kernel_is_reduction(g->f, n) && is_whole(g->f, n))
        place_reduction(g, i);
    else if (node_contracts(n) && is_whole(g->f, n))
        place_contraction(g, i);
    else if (kernel_can_contain(g->f, n))
        place_contained(g, i);
    else if (n->op == OP_DYNAMIC_UPDATE_SLICE && is_whole(g->f, n))
        place_update(g, i);
    else if ((kernel_has_loops(n) && is_whole(g->f, n)) || kernel_runs_regions(g->f, n) ||
             kernel_only_checks(g->f, n))
        start_whole(g, i, KERNEL_LOOPS);
    else if (n->op != OP_CONSTANT)
        start_whole(g, i, KERNEL_REFERENCE);
}

static bool start(grouping *g)
{
    const function *f = g->f;
    g->by_value = ARENA_ARRAY(g->memory, uint32_t, f->values.n);
    g->stored = ARENA_ARRAY(g->memory, uint32_t, f->values.n);
    g->uses = ARENA_ARRAY(g->memory, uint32_t, f->values.n);
    g->is_output = ARENA_ARRAY(g->memory, bool, f->values.n);
    g->same_as = ARENA_ARRAY(g->memory, value_id, f->values.n);
    g->why = ARENA_ARRAY(g->memory, const char *, f->values.n);
    if (!g->by_value || !g->stored || !g->uses || !g->is_output || !g->same_as || !g->why)
        return false;
    for (value_id v = 0; v < f->values.n; v++)
        g->same_as[v] = v;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        for (uint32_t k = 0; k < f->nodes.at[i].n_in; k++)
            g->uses[f->nodes.at[i].in[k]]++;
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        g->is_output[f->outputs.at[i]] = true;
        g->uses[f->outputs.at[i]]++;
    }
    return true;
}

/* Is any result of N needed? Nodes are visited from the last to the first, so all its users are
 * known. */
static bool is_needed(const grouping *g, const node *n)
{
    bool needed = false;
    for (uint32_t r = 0; r < n->n_results; r++)
        needed = needed || g->is_output[n->first_value + r] || g->by_value[n->first_value + r];
    return needed;
}

bool kernels_of(const function *f, arena *memory, kernel_list *out)
{
    grouping g = {.f = f, .memory = memory, .allocator = &f->module->cx->allocator};
    bool ok = start(&g);
    for (uint32_t i = f->nodes.n; ok && i-- > 0;) {
        if (is_needed(&g, &f->nodes.at[i]))
            place(&g, i);
        ok = !g.failed;
    }
    for (value_id v = 0; ok && v < f->values.n; v++) /* operands come first */
        g.same_as[v] = g.same_as[g.same_as[v]];
    ok = ok && draft_finish(&g, out);
    VECTOR_RELEASE(g.allocator, &g.drafts);
    VECTOR_RELEASE(g.allocator, &g.demands);
    VECTOR_RELEASE(g.allocator, &g.outputs);
    VECTOR_RELEASE(g.allocator, &g.members);
    return ok;
}
