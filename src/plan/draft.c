/* Bookkeeping of kernels in the making. */
#include "plan/draft.h"

#include <stdlib.h>
#include <string.h>

#include "ops/node_facts.h"
#include "plan/prologues.h"
#include "plan/stages.h"

uint32_t draft_new(grouping *g, kernel_kind kind, uint32_t made_of, const int64_t *dims,
                   uint32_t rank)
{
    draft d = {.kind = kind, .node = made_of, .rank = rank};
    if (rank)
        memcpy(d.dims, dims, rank * sizeof *dims);
    if (!VECTOR_PUSH(g->allocator, &g->drafts, d)) {
        g->failed = true;
        return 0;
    }
    return g->drafts.n - 1;
}

/* Equal demands mostly follow each other closely, so only the last few are compared. */
enum { FAR = 64 };

void draft_demand(grouping *g, uint32_t k, value_id v, const access_map *map)
{
    if (g->failed)
        return;
    uint32_t looked_at = 0;
    for (uint32_t i = g->by_value[v]; i && looked_at < FAR;
         i = g->demands.at[i - 1].next_of_value) {
        looked_at++;
        const demand *d = &g->demands.at[i - 1];
        if (d->kernel == k && (map && d->map ? access_same(map, d->map) : map == d->map))
            return;
    }
    const demand d = {v, k, map, g->by_value[v], g->drafts.at[k].demands};
    if (!VECTOR_PUSH(g->allocator, &g->demands, d)) {
        g->failed = true;
        return;
    }
    g->by_value[v] = g->drafts.at[k].demands = g->demands.n;
}

void draft_store(grouping *g, uint32_t k, const kernel_output *out)
{
    if (g->failed)
        return;
    const draft_output o = {*out, k, g->stored[out->into]};
    g->drafts.at[k].n_out++;
    if (VECTOR_PUSH(g->allocator, &g->outputs, o))
        g->stored[out->into] = g->outputs.n;
    else
        g->failed = true;
}

void draft_contain(grouping *g, uint32_t k, uint32_t which)
{
    if (g->failed)
        return;
    g->drafts.at[k].n_nodes++;
    if (!VECTOR_PUSH(g->allocator, &g->members, ((member){k, which})))
        g->failed = true;
}

const access_map *draft_map(grouping *g, const access_map *map)
{
    const access_map *copy = access_copy(map, g->memory);
    g->failed = g->failed || !copy;
    return copy;
}

const access_map *draft_identity(grouping *g, const int64_t *dims, uint32_t rank)
{
    access_map map;
    const access_map *last = g->identity;
    if (last && last->rank == rank && memcmp(last->dims, dims, rank * sizeof *dims) == 0)
        return last;
    if (access_identity(dims, rank, g->memory, &map))
        return g->identity = draft_map(g, &map);
    g->failed = true;
    return NULL;
}

bool draft_reaches(grouping *g, uint32_t from, uint32_t to)
{
    enum { MOST = 128 };
    uint32_t seen[MOST], n = 0;
    seen[n++] = from;
    for (uint32_t at = 0; at < n; at++)
        for (uint32_t i = g->drafts.at[seen[at]].demands; i;
             i = g->demands.at[i - 1].next_of_kernel)
            for (uint32_t o = g->stored[g->demands.at[i - 1].v]; o;
                 o = g->outputs.at[o - 1].next_of_value) {
                const uint32_t k = g->outputs.at[o - 1].kernel;
                uint32_t s = 0;
                while (s < n && seen[s] != k)
                    s++;
                if (k == to || (s == n && n == MOST))
                    return true;
                if (s == n)
                    seen[n++] = k;
            }
    return false;
}

/* ---- finishing ---- */

/* Kernels that wait for nothing, the one of the earliest node first: a binary heap. */
typedef struct queue {
    uint32_t n;
    uint64_t *at; /* node << 32 | kernel */
} queue;

static void queue_put(queue *q, uint64_t item)
{
    uint32_t i = q->n++;
    for (; i > 0 && q->at[(i - 1) / 2] > item; i = (i - 1) / 2)
        q->at[i] = q->at[(i - 1) / 2];
    q->at[i] = item;
}

static uint64_t queue_take(queue *q)
{
    const uint64_t first = q->at[0], last = q->at[--q->n];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < q->n; i = child) {
        child += child + 1 < q->n && q->at[child + 1] < q->at[child];
        if (q->at[child] >= last)
            break;
        q->at[i] = q->at[child];
    }
    q->at[i] = last;
    return first;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* By kernel: sorted lists in one array. */
typedef struct lists {
    uint32_t *at;
    uint32_t *first; /* one more than kernels */
} lists;

static bool lists_new(grouping *g, lists *l, uint32_t n)
{
    l->at = ARENA_ARRAY(g->memory, uint32_t, n);
    l->first = ARENA_ARRAY(g->memory, uint32_t, g->drafts.n + 1);
    return l->at && l->first;
}

static bool list_members(grouping *g, lists *nodes)
{
    if (!lists_new(g, nodes, g->members.n))
        return false;
    for (uint32_t i = 0; i < g->members.n; i++)
        nodes->first[g->members.at[i].kernel + 1]++;
    for (uint32_t k = 0; k < g->drafts.n; k++)
        nodes->first[k + 1] += nodes->first[k];
    uint32_t *fill = ARENA_ARRAY(g->memory, uint32_t, g->drafts.n);
    for (uint32_t i = 0; fill && i < g->members.n; i++) {
        const member *m = &g->members.at[i];
        nodes->at[nodes->first[m->kernel] + fill[m->kernel]++] = m->node;
    }
    for (uint32_t k = 0; fill && k < g->drafts.n; k++)
        qsort(nodes->at + nodes->first[k], fill[k], sizeof *fill, ascending);
    return fill != NULL;
}

static bool contains(const lists *nodes, uint32_t k, uint32_t which)
{
    return bsearch(&which, nodes->at + nodes->first[k], nodes->first[k + 1] - nodes->first[k],
                   sizeof which, ascending) != NULL;
}

/* Could a kernel compute what N makes, instead of reading it? */
static bool is_computed(const node *n)
{
    return n->op != OP_INPUT && n->op != OP_CONSTANT;
}

static bool fill_kernel(grouping *g, const lists *nodes, uint32_t k, kernel *out)
{
    const draft *d = &g->drafts.at[k];
    *out = (kernel){.kind = d->kind,
                    .rank = d->rank,
                    .reduced = d->reduced,
                    .node = d->node,
                    .is_split = d->is_split,
                    .n_nodes = nodes->first[k + 1] - nodes->first[k],
                    .nodes = nodes->at + nodes->first[k]};
    memcpy(out->dims, d->dims, sizeof d->dims);
    if (d->kind == KERNEL_ROWS && !(out->operands = draft_identity(g, d->dims, d->rank)))
        return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < out->n_nodes; i++)
        out->draws = out->draws || node_draws(&g->f->nodes.at[out->nodes[i]]);
    for (uint32_t i = d->demands; i; i = g->demands.at[i - 1].next_of_kernel)
        n++;
    value_id *in = ARENA_ARRAY(g->memory, value_id, n);
    kernel_edge *edges = ARENA_ARRAY(g->memory, kernel_edge, n);
    if (!in || !edges)
        return false;
    for (uint32_t i = d->demands; i; i = g->demands.at[i - 1].next_of_kernel) {
        const value_id v = g->demands.at[i - 1].v;
        const bool is_whole = g->demands.at[i - 1].map == NULL;
        if (is_whole ||
            (!contains(nodes, k, g->f->values.at[v].node) && !kernel_is_uniform(node_of(g->f, v))))
            in[out->n_in++] = v;
    }
    qsort(in, out->n_in, sizeof *in, ascending);
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < out->n_in; i++)
        if (i == 0 || in[i] != in[i - 1])
            in[distinct++] = in[i];
    out->n_in = distinct;
    for (uint32_t i = 0; i < out->n_in; i++)
        if (g->why[in[i]] && is_computed(node_of(g->f, in[i])))
            edges[out->n_edges++] = (kernel_edge){in[i], g->why[in[i]]};
    out->in = in;
    out->edges = edges;
    return true;
}

static bool fill_outputs(grouping *g, kernel *kernels)
{
    for (uint32_t i = 0; i < g->outputs.n; i++)
        kernels[g->outputs.at[i].kernel].n_out++;
    for (uint32_t k = 0; k < g->drafts.n; k++)
        if (!(kernels[k].out = ARENA_ARRAY(g->memory, kernel_output, kernels[k].n_out)))
            return false;
        else
            kernels[k].n_out = 0;
    for (uint32_t i = 0; i < g->outputs.n; i++) {
        kernel *k = &kernels[g->outputs.at[i].kernel];
        ((kernel_output *)(uintptr_t)k->out)[k->n_out++] = g->outputs.at[i].out;
    }
    return true;
}

/* Edges from the kernels that store what K reads to K. */
static uint32_t count_waits(const grouping *g, const kernel *k)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_in; i++)
        for (uint32_t o = g->stored[g->same_as[k->in[i]]]; o;
             o = g->outputs.at[o - 1].next_of_value)
            n++;
    return n;
}

/* Readers of each stored value, as linked lists: by value, 1 + index into `next`. */
typedef struct readers {
    uint32_t *first;
    uint32_t *kernel, *next;
} readers;

static bool list_readers(const grouping *g, const kernel *kernels, arena *memory, readers *r)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < g->drafts.n; k++)
        n += kernels[k].n_in;
    r->first = ARENA_ARRAY(memory, uint32_t, g->f->values.n);
    r->kernel = ARENA_ARRAY(memory, uint32_t, n);
    r->next = ARENA_ARRAY(memory, uint32_t, n);
    if (!r->first || !r->kernel || !r->next)
        return false;
    n = 0;
    for (uint32_t k = 0; k < g->drafts.n; k++)
        for (uint32_t i = 0; i < kernels[k].n_in; i++) {
            const value_id v = g->same_as[kernels[k].in[i]];
            r->kernel[n] = k;
            r->next[n] = r->first[v];
            r->first[v] = ++n;
        }
    return true;
}

/* The kernels, and in ORDER their numbers, in an order in which they can run. SCRATCH is for what
 * the caller does not need: there may be as many kernels as a text has words. NULL without memory.
 */
static kernel *sort_kernels(grouping *g, arena *scratch, uint32_t *order)
{
    const uint32_t n = g->drafts.n;
    lists nodes;
    readers r;
    kernel *sorted = ARENA_ARRAY(g->memory, kernel, n);
    kernel *kernels = ARENA_ARRAY(scratch, kernel, n);
    uint32_t *waits = ARENA_ARRAY(scratch, uint32_t, n);
    queue q = {0, ARENA_ARRAY(scratch, uint64_t, n)};
    if (!sorted || !kernels || !waits || !q.at || !list_members(g, &nodes))
        return NULL;
    for (uint32_t k = 0; k < n; k++)
        if (!fill_kernel(g, &nodes, k, &kernels[k]))
            return NULL;
    if (!fill_outputs(g, kernels) || !list_readers(g, kernels, scratch, &r))
        return NULL;
    for (uint32_t k = 0; k < n; k++)
        kernel_set_sizes(g->f, &kernels[k]);
    for (uint32_t k = 0; k < n; k++)
        if ((waits[k] = count_waits(g, &kernels[k])) == 0)
            queue_put(&q, (uint64_t)g->drafts.at[k].node << 32 | k);
    uint32_t done = 0;
    while (q.n > 0) {
        const uint32_t number = (uint32_t)queue_take(&q);
        const kernel *k = &kernels[number];
        order[done] = number;
        sorted[done++] = *k;
        for (uint32_t o = 0; o < k->n_out; o++)
            for (uint32_t i = r.first[k->out[o].into]; i; i = r.next[i - 1])
                if (--waits[r.kernel[i - 1]] == 0)
                    queue_put(&q,
                              (uint64_t)g->drafts.at[r.kernel[i - 1]].node << 32 | r.kernel[i - 1]);
    }
    return done == n ? sorted : NULL; /* else they wait for each other: a fault of the grouping */
}

bool draft_finish(grouping *g, kernel_list *out)
{
    arena scratch;
    arena_init(&scratch, g->allocator);
    uint32_t *order = ARENA_ARRAY(&scratch, uint32_t, g->drafts.n), n = g->drafts.n;
    kernel *sorted =
        !g->failed && order && stages_find(g) ? sort_kernels(g, &scratch, order) : NULL;
    const bool ok = sorted && stages_join(g, order, sorted, &n);
    arena_release(&scratch);
    *out = (kernel_list){n, sorted, g->same_as};
    return ok && prologues_join(g->f, g->memory, sorted, out);
}
