/* Which values are computed again: at the place where most memory is needed, the one that saves
 * most for its work; then the next one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/node_facts.h"
#include "plan/recompute/recompute.h"

enum {
    MOST_TURNS = 8192,
    MOST_NODES = 64,         /* of a value that is computed again */
    PRODUCTS_OF_ELEMENT = 16 /* in the time in which an element of something else is computed */
};
#define NOWHERE UINT32_MAX

typedef VECTOR(uint32_t) places; /* kernels, ascending and each once */

/* A value in memory: where it is computed, and where it is read. */
typedef struct life {
    int64_t bytes;
    uint32_t from;      /* the kernel that stores it; NOWHERE: it is no temporary */
    bool is_fixed;      /* cannot be computed again */
    places begins;      /* where it is computed: in the first kernel, and before the others */
    places uses;        /* a use by a kernel before which it is computed is one of that */
    double cost;        /* of computing it; below 0: not yet known */
    const value_id *in; /* the temporaries that this reads */
    uint32_t n_in;
} life;

typedef struct choosing {
    const function *f;
    const kernel_list *list;
    arena *memory;
    const tn_allocator *allocator;
    life *lives;   /* by value */
    value_id *all; /* the temporaries */
    uint32_t n_all;
    int64_t *live;      /* bytes by kernel */
    bool *is_exhausted; /* by kernel: nothing more can be saved there */
    recomputations *out;
} choosing;

/* ---- what a value is made of ---- */

/* How many of the N numbers AT, which ascend, are below WHAT. */
static uint32_t count_below(const uint32_t *at, uint32_t n, uint32_t what)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (at[middle] < what)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_in(const uint32_t *at, uint32_t n, uint32_t what)
{
    const uint32_t i = count_below(at, n, what);
    return i < n && at[i] == what;
}

static bool stores(const kernel *k, value_id v)
{
    for (uint32_t o = 0; o < k->n_out; o++)
        if (k->out[o].value == v && k->out[o].into == v)
            return true;
    return false;
}

const uint32_t *recompute_nodes(const function *f, const kernel *k, value_id v, arena *memory,
                                uint32_t *n)
{
    bool *is_wanted = ARENA_ARRAY(memory, bool, k->n_nodes);
    uint32_t *nodes = ARENA_ARRAY(memory, uint32_t, k->n_nodes);
    *n = 0;
    if (!is_wanted || !nodes)
        return NULL;
    for (uint32_t i = k->n_nodes; i-- > 0;) {
        const node *own = &f->nodes.at[k->nodes[i]];
        bool wanted = is_wanted[i] || f->values.at[v].node == k->nodes[i];
        is_wanted[i] = wanted;
        for (uint32_t o = 0; wanted && o < own->n_in; o++)
            for (uint32_t j = 0; j < i && !stores(k, own->in[o]); j++)
                is_wanted[j] = is_wanted[j] || f->values.at[own->in[o]].node == k->nodes[j];
    }
    for (uint32_t i = 0; i < k->n_nodes; i++)
        if (is_wanted[i])
            nodes[(*n)++] = k->nodes[i];
    return nodes;
}

static double work_of(const function *f, const node *n)
{
    double elements = 1;
    for (uint32_t o = 0; o < n->n_in; o++)
        elements *= (double)value_type(f, n->in[o])->count;
    const double result = (double)value_type(f, n->first_value)->count;
    if (op_table[n->op].class != K_CONTRACTS)
        return n->op == OP_CONSTANT ? 0 : result;
    /* m k, k n and m n elements: their product is the square of the m k n multiply-adds */
    return sqrt(elements * result) / PRODUCTS_OF_ELEMENT;
}

/* What draws numbers would draw others. */
static bool is_repeatable(const node *n)
{
    const uint32_t class = op_table[n->op].class;
    return n->op == OP_CONSTANT ||
           (n->n_results == 1 && !node_draws(n) && class != K_NONE && class != K_LOOPS);
}

/* Find what computing V again takes. */
static bool find_cost(choosing *c, life *l, value_id v)
{
    const function *f = c->f;
    const kernel *k = &c->list->at[l->from];
    uint32_t n, room = 0;
    const uint32_t *nodes = recompute_nodes(f, k, v, c->memory, &n);
    if (!nodes)
        return false;
    l->cost = 0;
    l->is_fixed = n > MOST_NODES;
    for (uint32_t i = 0; i < n; i++) {
        const node *own = &f->nodes.at[nodes[i]];
        l->cost += work_of(f, own);
        l->is_fixed = l->is_fixed || !is_repeatable(own);
        room += own->n_in;
    }
    value_id *in = ARENA_ARRAY(c->memory, value_id, room);
    for (uint32_t i = 0; in && i < n; i++)
        for (uint32_t o = 0; o < f->nodes.at[nodes[i]].n_in; o++) {
            const value_id x = f->nodes.at[nodes[i]].in[o], root = c->list->same_as[x];
            bool is_new = !is_in(nodes, n, f->values.at[x].node) && c->lives[root].from != NOWHERE;
            for (uint32_t j = 0; is_new && j < l->n_in; j++)
                is_new = in[j] != root;
            if (is_new)
                in[l->n_in++] = root;
        }
    l->in = in;
    return in != NULL;
}

/* ---- lives ---- */

static bool add_place(const choosing *c, places *p, uint32_t at)
{
    uint32_t i = p->n;
    while (i > 0 && p->at[i - 1] > at)
        i--;
    if (i > 0 && p->at[i - 1] == at)
        return true;
    if (!VECTOR_RESERVE(c->allocator, p, 1))
        return false;
    memmove(p->at + i + 1, p->at + i, (p->n - i) * sizeof *p->at);
    p->at[i] = at;
    p->n++;
    return true;
}

static uint32_t places_below(const places *p, uint32_t at)
{
    return count_below(p->at, p->n, at);
}

/* The first kernel from AT on that reads what is in memory at AT; NOWHERE: L is not in memory
 * then, or is computed again before it is read. */
static uint32_t next_use(const life *l, uint32_t at)
{
    const uint32_t begin = places_below(&l->begins, at + 1), use = places_below(&l->uses, at);
    if (begin == 0 || use == l->uses.n)
        return NOWHERE;
    const bool is_of_next = begin < l->begins.n && l->uses.at[use] >= l->begins.at[begin];
    return is_of_next ? NOWHERE : l->uses.at[use];
}

static bool note_kernels(choosing *c)
{
    for (uint32_t k = 0; k < c->list->n; k++) {
        const kernel *own = &c->list->at[k];
        const bool repeats = own->kind == KERNEL_MAP || own->kind == KERNEL_ROWS ||
                             own->kind == KERNEL_CONTRACT || own->kind == KERNEL_STAGES;
        for (uint32_t o = 0; o < own->n_out; o++) {
            const value_id v = own->out[o].into;
            life *l = &c->lives[v];
            l->is_fixed = l->is_fixed || l->from != NOWHERE || own->out[o].value != v || !repeats;
            l->from = l->from == NOWHERE ? k : l->from;
            if (!add_place(c, &l->begins, l->from))
                return false;
        }
        for (uint32_t i = 0; i < own->n_in; i++)
            if (!add_place(c, &c->lives[c->list->same_as[own->in[i]]].uses, k))
                return false;
    }
    return true;
}

static bool find_lives(choosing *c)
{
    const function *f = c->f;
    c->lives = ARENA_ARRAY(c->memory, life, f->values.n);
    c->all = ARENA_ARRAY(c->memory, value_id, f->values.n);
    c->live = ARENA_ARRAY(c->memory, int64_t, (size_t)c->list->n + 1);
    c->is_exhausted = ARENA_ARRAY(c->memory, bool, c->list->n);
    if (!c->lives || !c->all || !c->live || !c->is_exhausted)
        return false;
    for (value_id v = 0; v < f->values.n; v++)
        c->lives[v] = (life){.from = NOWHERE, .cost = -1};
    if (!note_kernels(c))
        return false;
    for (uint32_t i = 0; i < f->outputs.n; i++)
        c->lives[c->list->same_as[f->outputs.at[i]]].from = NOWHERE;
    for (value_id v = 0; v < f->values.n; v++) {
        size_t bytes = 0;
        life *l = &c->lives[v];
        if (l->from == NOWHERE || !type_bytes(value_type(f, v), &bytes) || bytes > PTRDIFF_MAX / 2)
            continue;
        l->bytes = (int64_t)bytes;
        c->all[c->n_all++] = v;
    }
    return true;
}

/* The kernel at which values take most memory, of those where something may be saved; NOWHERE:
 * there is none. */
static uint32_t find_peak(const choosing *c)
{
    uint32_t peak = NOWHERE;
    memset(c->live, 0, ((size_t)c->list->n + 1) * sizeof *c->live);
    for (uint32_t i = 0; i < c->n_all; i++) {
        const life *l = &c->lives[c->all[i]];
        for (uint32_t b = 0; b < l->begins.n; b++) {
            const uint32_t begin = l->begins.at[b];
            const uint32_t next = b + 1 < l->begins.n ? l->begins.at[b + 1] : NOWHERE;
            const uint32_t uses = places_below(&l->uses, next);
            const uint32_t last = uses > 0 ? l->uses.at[uses - 1] : begin;
            c->live[begin] += l->bytes;
            c->live[(last > begin ? last : begin) + 1] -= l->bytes;
        }
    }
    for (uint32_t k = 0; k < c->list->n; k++) {
        c->live[k] += k > 0 ? c->live[k - 1] : 0;
        if (!c->is_exhausted[k] && (peak == NOWHERE || c->live[k] > c->live[peak]))
            peak = k;
    }
    return peak;
}

/* ---- choosing ---- */

/* What computing L again before kernel AT saves at kernel PEAK, in bytes. */
static int64_t gain_of(const choosing *c, const life *l, uint32_t peak, uint32_t at)
{
    int64_t gain = l->bytes;
    for (uint32_t i = 0; i < l->n_in; i++) {
        const life *in = &c->lives[l->in[i]];
        const bool begins_later =
            places_below(&in->begins, at + 1) > places_below(&in->begins, peak + 1);
        if (!begins_later && next_use(in, peak) == NOWHERE)
            gain -= in->bytes; /* it would have to be kept instead */
    }
    return gain;
}

/* Find the value whose second computation saves most for its work. *FOUND: there is one. False
 * without memory. */
static bool find_best(choosing *c, uint32_t peak, recomputation *best, bool *found)
{
    double most = 0;
    *found = false;
    for (uint32_t i = 0; i < c->n_all; i++) {
        const value_id v = c->all[i];
        life *l = &c->lives[v];
        const uint32_t at = l->is_fixed ? NOWHERE : next_use(l, peak);
        if (at == NOWHERE || at == peak || is_in(l->begins.at, l->begins.n, peak))
            continue;
        if (l->cost < 0 && !find_cost(c, l, v))
            return false;
        const int64_t gain = l->is_fixed ? 0 : gain_of(c, l, peak, at);
        if (gain <= 0 || (double)gain / (l->cost + 1) <= most)
            continue;
        most = (double)gain / (l->cost + 1);
        *best = (recomputation){v, l->from, at};
        *found = true;
    }
    return true;
}

static bool take(choosing *c, const recomputation *r)
{
    life *l = &c->lives[r->v];
    for (uint32_t i = 0; i < l->n_in; i++)
        if (!add_place(c, &c->lives[l->in[i]].uses, r->at))
            return false;
    return add_place(c, &l->begins, r->at) && VECTOR_PUSH(c->allocator, c->out, *r);
}

/* Before a kernel, what is computed first comes first. */
static int in_order(const void *a, const void *b)
{
    const recomputation *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->v > y->v) - (x->v < y->v);
}

tn_status recompute_choose(const function *f, const kernel_list *list, uint64_t limit,
                           arena *memory, recomputations *out)
{
    choosing c = {
        .f = f, .list = list, .memory = memory, .allocator = f->module->allocator, .out = out};
    bool ok = find_lives(&c);
    for (uint32_t turn = 0; ok && turn < MOST_TURNS; turn++) {
        const uint32_t peak = find_peak(&c);
        recomputation best;
        bool found;
        if (peak == NOWHERE || (uint64_t)c.live[peak] <= limit)
            break;
        ok = find_best(&c, peak, &best, &found) && (!found || take(&c, &best));
        c.is_exhausted[peak] = !found;
    }
    for (value_id v = 0; c.lives && v < f->values.n; v++) {
        VECTOR_RELEASE(c.allocator, &c.lives[v].begins);
        VECTOR_RELEASE(c.allocator, &c.lives[v].uses);
    }
    if (ok && out->n > 0)
        qsort(out->at, out->n, sizeof *out->at, in_order);
    return ok ? TN_OK : module_no_memory(f->module);
}
