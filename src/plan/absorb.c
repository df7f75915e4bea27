/* Which kernels need a value, and what they need once they compute it. */
#include <stdlib.h>
#include <string.h>

#include "plan/group.h"

static const char *const why_operand = "an operation that is not fused reads it whole";
static const char *const why_large = "the kernel has reached the size limit";
static const char *const why_data = "it is read at positions that are data";
static const char *const why_rows = "many elements are read at each of these positions";

bool demanders(const grouping *g, value_id v, uint32_t *kernels, uint32_t *n)
{
    bool held = g->is_output[v];
    *n = 0;
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value) {
        const demand *d = &g->demands.at[i - 1];
        uint32_t k = 0;
        held = held || !d->map;
        while (k < *n && kernels[k] != d->kernel)
            k++;
        if (d->map && k == *n && *n < FEW_KERNELS)
            kernels[(*n)++] = d->kernel;
        else if (d->map && k == *n)
            held = true;
    }
    return held;
}

const char *why_held(const grouping *g, value_id v)
{
    if (g->why[v])
        return g->why[v];
    return g->is_output[v] ? WHY_OUTPUT : WHY_MANY;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool all_demanders(grouping *g, value_id v, uint32_t **kernels, uint32_t *n)
{
    bool held = g->is_output[v];
    uint32_t demands = 0, mapped = 0;
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value)
        demands++;
    uint32_t *list = *kernels = ARENA_ARRAY(g->memory, uint32_t, demands);
    *n = 0;
    if (!list) {
        g->failed = true;
        return true;
    }
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value) {
        held = held || !g->demands.at[i - 1].map;
        if (g->demands.at[i - 1].map)
            list[mapped++] = g->demands.at[i - 1].kernel;
    }
    qsort(list, mapped, sizeof *list, ascending);
    for (uint32_t i = 0; i < mapped; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[(*n)++] = list[i];
    return held;
}

/* Does element i of N depend on element i of operand K? */
static bool is_elementwise_on(const function *f, const node *n, uint32_t k)
{
    const type *in = value_type(f, n->in[k]), *t = value_type(f, n->first_value);
    return !access_is_movement(n) && !kernel_reads_by_data(n) && in->rank == t->rank &&
           memcmp(in->dims, t->dims, t->rank * sizeof *t->dims) == 0;
}

enum { FEW_OPERANDS = 3 }; /* of what is contained */

/* What a contained node needs of its operands. */
typedef struct need {
    value_id v;
    const access_map *map; /* NULL: all of it in memory */
} need;
enum { MOST_NEEDS = MOST_PARTS * (FEW_OPERANDS + TN_MAX_RANK) };

/* Are the elements of operand O of N positions of long rows? In memory they are computed and
 * checked once, and the rows are copied by loops that do nothing else. That is the answer for any
 * number of rows. */
static bool are_of_rows(const function *f, const node *n, uint32_t o)
{
    enum { LONG = 16, MANY = 1 << 14 };
    if (n->op != OP_TAKE || o != 1)
        return false;
    const sized row = kernel_elements_from(f, n->in[0], 1),
                all = kernel_elements_from(f, n->first_value, 0);
    return row.now >= LONG && sized_is_fixed(row) && (all.now >= MANY || !sized_is_fixed(all));
}

/* What N at the positions of MAP needs of its operand O. */
static bool add_needs(grouping *g, const node *n, uint32_t o, const access_map *map, need *needs,
                      uint32_t *n_needs)
{
    const uint32_t uses = kernel_operand_uses(g->f, n, o);
    access_map own, both;
    if (uses == 0 || are_of_rows(g->f, n, o))
        needs[(*n_needs)++] = (need){n->in[o], NULL};
    else if (is_elementwise_on(g->f, n, o))
        needs[(*n_needs)++] = (need){n->in[o], map};
    else
        for (uint32_t u = 0; u < uses; u++) {
            if (!kernel_operand_map(g->f, n, o, u, g->memory, &own) ||
                !access_compose(map, &own, g->memory, &both))
                return false;
            needs[(*n_needs)++] = (need){n->in[o], draft_map(g, &both)};
        }
    return true;
}

/* Under how many maps kernel K may compute V: many, if it still computes no more elements than V
 * has, such as those of each of its columns. */
static uint32_t most_maps(const grouping *g, uint32_t k, value_id v)
{
    const draft *d = &g->drafts.at[k];
    const type *t = value_type(g->f, v);
    int64_t each = 1;
    uint32_t most = MOST_MAPS;
    for (uint32_t a = 0; a < d->rank; a++)
        if (__builtin_mul_overflow(each, d->dims[a], &each))
            return most;
    while (!g->f->like && most < MOST_PARTS && each <= t->count / (most + 1))
        most++;
    return most;
}

bool absorb(grouping *g, uint32_t k, const node *n, const char **why)
{
    const value_id v = n->first_value;
    need needs[MOST_NEEDS];
    uint32_t n_needs = 0, uses = 0;
    const uint32_t most = most_maps(g, k, v);
    if (g->drafts.at[k].n_nodes >= MOST_NODES) {
        *why = why_large;
        return false;
    }
    if (n->n_in > FEW_OPERANDS)
        return false;
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value) {
        const demand *d = &g->demands.at[i - 1];
        if (d->kernel != k || !d->map)
            continue;
        if (++uses > most) {
            *why = WHY_SEVERAL;
            return false;
        }
        for (uint32_t o = 0; o < n->n_in; o++)
            if (!add_needs(g, n, o, d->map, needs, &n_needs)) {
                *why = WHY_INDEX;
                return false;
            }
    }
    for (uint32_t i = 0; i < n_needs; i++) {
        draft_demand(g, k, needs[i].v, needs[i].map);
        if (!needs[i].map && !g->why[needs[i].v])
            g->why[needs[i].v] = n->op == OP_TAKE && needs[i].v == n->in[1] ? why_rows : why_data;
    }
    draft_contain(g, k, g->f->values.at[v].node);
    return true;
}

void need_whole(grouping *g, uint32_t k, value_id v, const char *why)
{
    draft_demand(g, k, v, NULL);
    if (!g->why[v])
        g->why[v] = why;
}

void start_whole(grouping *g, uint32_t i, kernel_kind kind)
{
    const node *n = &g->f->nodes.at[i];
    const uint32_t k = draft_new(g, kind, i, NULL, 0);
    const value_id rows = kind == KERNEL_LOOPS && !kernel_only_checks(g->f, n)
                              ? kernel_row_positions(g->f, n)
                              : NO_VALUE;
    for (uint32_t o = 0; o < n->n_in && !g->failed; o++)
        need_whole(g, k, o == 1 && rows != NO_VALUE ? rows : n->in[o], why_operand);
    for (uint32_t r = 0; r < n->n_results && !g->failed; r++) {
        const kernel_output out = {n->first_value + r, n->first_value + r, NULL, NULL, false};
        draft_store(g, k, &out);
    }
    draft_contain(g, k, i);
}

uint32_t start_map(grouping *g, uint32_t i, value_id v)
{
    const type *t = value_type(g->f, v);
    const uint32_t k = draft_new(g, KERNEL_MAP, i, t->dims, t->rank);
    const access_map *all = draft_identity(g, t->dims, t->rank);
    const kernel_output out = {v, v, all, all, false};
    if (!all)
        return k;
    draft_store(g, k, &out);
    draft_demand(g, k, v, all);
    return k;
}

const access_map *full_demand(grouping *g, uint32_t k, value_id v)
{
    const draft *d = &g->drafts.at[k];
    const type *t = value_type(g->f, v);
    access_map identity;
    if (d->rank != t->rank || memcmp(d->dims, t->dims, t->rank * sizeof *t->dims) != 0 ||
        !access_identity(t->dims, t->rank, g->memory, &identity))
        return NULL;
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value) {
        const demand *e = &g->demands.at[i - 1];
        if (e->kernel == k && e->map && access_same(e->map, &identity))
            return e->map;
    }
    return NULL;
}

bool can_store_early(grouping *g, uint32_t k, value_id v)
{
    if (g->drafts.at[k].n_out >= KERNEL_OUTPUTS)
        return false;
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value) {
        const demand *d = &g->demands.at[i - 1];
        if (d->kernel == k ? !d->map : draft_reaches(g, k, d->kernel))
            return false;
    }
    return true;
}
