/* Reductions: in a kernel over their rows that needs them, or in one of their own. */
#include <string.h>

#include "ops/shape.h"
#include "plan/group.h"

static const char *const why_rows = "its rows are not those of the kernel that needs it";
static const char *const why_long =
    "its rows are so long that each is distributed over the threads";
static const char *const why_functions =
    "functions of results are computed in vectors of them, not one after each row";

static bool reduction_axes(const grouping *g, const node *n, axis_list *axes, bool *keep)
{
    uint32_t count;
    const type *in = value_type(g->f, n->in[0]);
    const int64_t *given = attr_ints(n->attrs, KEY_AXES, &count);
    const bool keepdims = attr_int(n->attrs, KEY_KEEPDIMS, 0) != 0;
    return resolve_reduction(attr_find(n->attrs, KEY_AXES) ? given : NULL, count, keepdims,
                             in->rank, axes, keep)
               .kind == SHAPE_OK;
}

/* From the positions of the operand to those of the result. */
static bool projection(grouping *g, const node *n, const axis_list *axes, bool keep,
                       access_map *out)
{
    const type *in = value_type(g->f, n->in[0]);
    access_map all;
    if (!access_identity(in->dims, in->rank, g->memory, &all))
        return false;
    access_map zero; /* for an axis that is reduced and kept with extent 1 */
    const int64_t one = 1;
    if (!access_identity(&one, 1, g->memory, &zero))
        return false;
    *out = all;
    out->n_source = 0;
    for (uint32_t i = 0; i < in->rank; i++)
        if (!(axes->mask >> i & 1))
            out->at[out->n_source++] = all.at[i];
        else if (keep)
            out->at[out->n_source++] = zero.at[0];
    return true;
}

static int64_t row_length(const type *t, const axis_list *axes)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= axes->mask >> i & 1 ? t->dims[i] : 1;
    return n;
}

/* Every position of K has the row of V that the reduction N makes of it. */
static bool fits_rows(grouping *g, uint32_t k, const node *n, const axis_list *axes,
                      const access_map *project)
{
    const draft *d = &g->drafts.at[k];
    const type *in = value_type(g->f, n->in[0]);
    if ((d->kind != KERNEL_MAP && d->kind != KERNEL_ROWS) || d->is_split ||
        d->n_nodes >= MOST_NODES || d->n_reductions >= KERNEL_REDUCTIONS || d->rank != in->rank ||
        memcmp(d->dims, in->dims, in->rank * sizeof *in->dims) != 0 ||
        (d->n_reductions > 0 && d->reduced != axes->mask))
        return false;
    for (uint32_t i = g->by_value[n->first_value]; i; i = g->demands.at[i - 1].next_of_value) {
        const demand *e = &g->demands.at[i - 1];
        if (e->kernel == k && e->map && !access_same(e->map, project))
            return false;
    }
    return true;
}

/* Does kernel K compute functions of many instructions of the results of N, which are so many, of
 * rows so short, that one function after each row would take as long as the row? A vector of
 * results takes little longer. Rows of fewer elements than FEW lie side by side in vectors. */
static bool has_functions_apart(const grouping *g, uint32_t k, const node *n, const axis_list *axes)
{
    enum { FEW = 5, SHORT = 1024, MANY = 512 };
    const draft *d = &g->drafts.at[k];
    const type *out = value_type(g->f, n->first_value), *in = value_type(g->f, n->in[0]);
    const int64_t length = row_length(in, axes);
    const access_extents x = access_extents_of(g->f, n->in[0]);
    bool any = false, is_many = in->count / length >= MANY;
    for (uint32_t a = 0; a < in->rank; a++)
        if (x.now[a] != x.other[a]) { /* of rows whose number varies there are many */
            is_many = true;
            if (axes->mask >> a & 1)
                return false;
        }
    if (d->kind != KERNEL_MAP || d->n_reductions > 0 || d->rank != out->rank ||
        memcmp(d->dims, out->dims, out->rank * sizeof *out->dims) != 0 ||
        !(axes->mask >> (in->rank - 1) & 1) || length < FEW || length > SHORT || !is_many)
        return false;
    for (uint32_t i = 0; i < g->members.n && !any; i++)
        any =
            g->members.at[i].kernel == k && op_is_costly(g->f->nodes.at[g->members.at[i].node].op);
    return any;
}

/* The positions of kernel K are the results of N: make K a kernel over the rows that N reduces. */
static bool widen_to_rows(grouping *g, uint32_t k, const node *n, const access_map *project)
{
    draft *d = &g->drafts.at[k];
    const type *out = value_type(g->f, n->first_value), *in = value_type(g->f, n->in[0]);
    access_map both;
    if (d->kind != KERNEL_MAP || d->n_reductions > 0 || d->n_nodes >= MOST_NODES ||
        d->rank != out->rank || memcmp(d->dims, out->dims, out->rank * sizeof *out->dims) != 0)
        return false;
    uint32_t uses = 0;
    for (uint32_t i = g->by_value[n->first_value]; i; i = g->demands.at[i - 1].next_of_value)
        uses += g->demands.at[i - 1].kernel == k;
    if (uses != 1 || !full_demand(g, k, n->first_value))
        return false;
    for (uint32_t i = d->demands; i; i = g->demands.at[i - 1].next_of_kernel) {
        demand *e = &g->demands.at[i - 1];
        if (e->map && !access_compose(project, e->map, g->memory, &both))
            g->failed = true; /* half the maps are changed */
        e->map = e->map ? draft_map(g, &both) : NULL;
        if (g->failed)
            return false;
    }
    for (uint32_t i = 0; i < g->outputs.n; i++) {
        draft_output *o = &g->outputs.at[i];
        if (o->kernel != k)
            continue;
        const bool same = o->out.from == o->out.to;
        if (!access_compose(project, o->out.from, g->memory, &both))
            g->failed = true;
        o->out.from = draft_map(g, &both);
        if (!same && !access_compose(project, o->out.to, g->memory, &both))
            g->failed = true;
        o->out.to = same ? o->out.from : draft_map(g, &both);
    }
    d->rank = in->rank;
    memcpy(d->dims, in->dims, in->rank * sizeof *in->dims);
    return !g->failed;
}

static void contain_reduction(grouping *g, uint32_t k, const node *n, const axis_list *axes)
{
    const type *in = value_type(g->f, n->in[0]);
    draft *d = &g->drafts.at[k];
    d->kind = KERNEL_ROWS;
    d->reduced = axes->mask;
    d->n_reductions++;
    const access_map *all = draft_identity(g, in->dims, in->rank);
    if (!all)
        return;
    draft_demand(g, k, n->in[0], all);
    draft_contain(g, k, g->f->values.at[n->first_value].node);
}

void place_reduction(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    const value_id v = n->first_value;
    const type *in = value_type(g->f, n->in[0]);
    uint32_t kernels[FEW_KERNELS], n_kernels;
    axis_list axes;
    bool keep;
    access_map project;
    if (!reduction_axes(g, n, &axes, &keep) || !projection(g, n, &axes, keep, &project)) {
        start_whole(g, i, KERNEL_REFERENCE);
        return;
    }
    const bool held = demanders(g, v, kernels, &n_kernels);
    const int64_t length = row_length(in, &axes);
    const bool is_long = length >= LONG_ROW && in->count / length < 64;
    const bool shared = held || n_kernels != 1;
    const char *why = is_long ? why_long : held ? why_held(g, v) : why_rows;
    for (uint32_t c = 0; c < n_kernels && !is_long && !g->failed; c++) {
        const uint32_t k = kernels[c];
        if (shared && !can_store_early(g, k, v))
            continue;
        const bool is_apart = has_functions_apart(g, k, n, &axes);
        why = is_apart ? why_functions : why;
        if (!fits_rows(g, k, n, &axes, &project) &&
            (is_apart || !widen_to_rows(g, k, n, &project) || !fits_rows(g, k, n, &axes, &project)))
            continue;
        if (shared) {
            const access_map *at = draft_map(g, &project);
            const kernel_output out = {v, v, at, at, false};
            draft_store(g, k, &out);
            g->why[v] = why;
        }
        contain_reduction(g, k, n, &axes);
        return;
    }
    const uint32_t k = draft_new(g, KERNEL_ROWS, i, in->dims, in->rank);
    const access_map *at = draft_map(g, &project);
    const kernel_output out = {v, v, at, at, false};
    if (g->failed)
        return;
    g->why[v] = why;
    g->drafts.at[k].is_split = is_long;
    draft_store(g, k, &out);
    draft_demand(g, k, v, at);
    contain_reduction(g, k, n, &axes);
}
