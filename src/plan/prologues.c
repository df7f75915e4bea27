/* Elementwise kernels become part of the contraction, or of the loops, that read what they compute.
 */
#include "plan/prologues.h"

#include <stdlib.h>
#include <string.h>

#include "plan/contraction.h"
#include "plan/group.h"

enum {
    FEW_USES = 16,      /* of each element of the operand */
    MOST_PROLOGUE = 32, /* nodes */
    MOST_INPUTS = 32,   /* of the kernel */
    MOST_STEPS = 8,     /* nodes that compute an operand of loops */
    WIDEST = 16         /* lanes that begin at a multiple of themselves */
};

/* By value, over all kernels. */
typedef struct users {
    uint32_t *storer;  /* 1 + the kernel that stores it; 0: none, or several */
    uint32_t *readers; /* how many kernels read it, under any name */
} users;

static bool find_users(const function *f, const kernel_list *list, arena *memory, users *u)
{
    bool *is_known = ARENA_ARRAY(memory, bool, f->values.n);
    u->storer = ARENA_ARRAY(memory, uint32_t, f->values.n);
    u->readers = ARENA_ARRAY(memory, uint32_t, f->values.n);
    if (!is_known || !u->storer || !u->readers)
        return false;
    for (uint32_t i = 0; i < list->n; i++) {
        const kernel *k = &list->at[i];
        for (uint32_t o = 0; o < k->n_out; o++) {
            const value_id v = k->out[o].into;
            u->storer[v] = is_known[v] ? 0 : 1 + i;
            is_known[v] = true;
        }
        for (uint32_t o = 0; o < k->n_in; o++)
            u->readers[list->same_as[k->in[o]]]++;
    }
    for (uint32_t i = 0; i < f->outputs.n; i++)
        u->readers[list->same_as[f->outputs.at[i]]]++;
    return true;
}

/* Does K compute nothing but V, element by element, from what is in memory? */
static bool computes_only(const function *f, const kernel *k, value_id v)
{
    const type *t = value_type(f, v);
    if (k->kind != KERNEL_MAP || k->n_out != 1 || k->n_nodes > MOST_PROLOGUE || k->draws ||
        k->out[0].value != v || k->out[0].into != v || k->out[0].from != k->out[0].to ||
        k->rank != t->rank || memcmp(k->dims, t->dims, t->rank * sizeof *t->dims) != 0)
        return false;
    bool is_computed = false; /* movement alone is the contraction's own affair */
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        if (kernel_reads_by_data(n) || node_may_fail(f, n))
            return false;
        is_computed = is_computed || op_table[n->op].class == K_ELEMENTWISE;
    }
    return is_computed;
}

/* Does anything in K but its contraction read V? */
static bool reads_beside(const function *f, const kernel_list *list, const kernel *k, value_id v)
{
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        for (uint32_t o = 0; k->nodes[i] != k->node && o < n->n_in; o++)
            if (list->same_as[n->in[o]] == v)
                return true;
    }
    return false;
}

/* How many times the loops of P meet an element of operand O. */
static int64_t times_met(const contraction *p, uint32_t o)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < p->n_loops && n <= FEW_USES; i++)
        if (p->loops[i].part != CONTRACTION_SUM && p->loops[i].step[o] == 0)
            n *= p->loops[i].extent;
    return n;
}

/* The products of a result. */
static int64_t products_of(const contraction *p)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < p->n_loops; i++)
        n *= p->loops[i].part == CONTRACTION_SUM ? p->loops[i].extent : 1;
    return n;
}

/* Does every vector of neighbours along the contiguous loops of operand O stay in one row of V,
 * which is dense? */
static bool has_whole_vectors(const contraction *p, uint32_t o, const type *t)
{
    const int64_t row = t->rank ? t->dims[t->rank - 1] : 1;
    const contraction_loop *inner = NULL;
    int64_t all = 1, run = 1;
    for (uint32_t i = 0; i < p->n_loops; i++) {
        const contraction_loop *x = &p->loops[i];
        if (x->extent > 1 && x->step[o] == 1)
            inner = x;
        if (x->extent > 1 && (x->step[o] < 0 || (x->step[o] > 1 && x->step[o] % row != 0)))
            return false;
        all *= x->step[o] ? x->extent : 1;
    }
    if (!inner || p->operand[o].first != 0 || all != t->count)
        return false;
    for (uint32_t i = 0; i < p->n_loops; i++)
        if (p->loops[i].part == inner->part && p->loops[i].step[o])
            run *= p->loops[i].extent;
    return row % WIDEST == 0 || run == row;
}

/* Is operand O of P, which is V, better computed where it is loaded? */
static bool pays(const function *f, const contraction *p, uint32_t o, tn_dtype sum)
{
    const type *t = value_type(f, p->operand[o].base);
    const tn_dtype form = dtype_compute(sum);
    /* The left operand of one column is exchanged with the right one; others are packed. */
    const int64_t most = o == 1 ? FEW_USES : t->count > products_of(p) ? 1 : 0;
    return !p->is_exchanged && !p->is_direct && p->operand[0].n_windows == 0 &&
           p->operand[1].n_windows == 0 && p->operand[0].base != p->operand[1].base &&
           !dtype_is_complex(sum) && !dtype_is_complex(t->dtype) && dtype_bytes(form) >= 4 &&
           times_met(p, o) <= most && has_whole_vectors(p, o, t);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A and B, sorted and each once, without EXCEPT. */
static uint32_t *united(arena *memory, const uint32_t *a, uint32_t n_a, const uint32_t *b,
                        uint32_t n_b, uint32_t except, uint32_t *n)
{
    uint32_t *all = ARENA_ARRAY(memory, uint32_t, n_a + n_b);
    uint32_t filled = 0;
    *n = 0;
    for (uint32_t i = 0; all && i < n_a + n_b; i++)
        all[filled++] = i < n_a ? a[i] : b[i - n_a];
    if (all)
        qsort(all, filled, sizeof *all, ascending);
    for (uint32_t i = 0; i < filled; i++)
        if (all[i] != except && (*n == 0 || all[*n - 1] != all[i]))
            all[(*n)++] = all[i];
    return all;
}

/* K computes V as FROM does. */
static bool join(arena *memory, const kernel *from, value_id v, kernel *k)
{
    kernel_edge *edges = ARENA_ARRAY(memory, kernel_edge, k->n_edges + from->n_edges);
    const uint32_t n_own = k->n_edges;
    k->nodes =
        united(memory, k->nodes, k->n_nodes, from->nodes, from->n_nodes, UINT32_MAX, &k->n_nodes);
    k->in = united(memory, k->in, k->n_in, from->in, from->n_in, v, &k->n_in);
    if (!edges || !k->nodes || !k->in)
        return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_own + from->n_edges; i++) {
        const kernel_edge *e = i < n_own ? &k->edges[i] : &from->edges[i - n_own];
        if (e->value != v)
            edges[n++] = *e;
    }
    k->edges = edges;
    k->n_edges = n;
    return true;
}

static bool join_contraction(const function *f, arena *memory, const kernel_list *list,
                             const users *u, contraction *p, kernel *k, bool *is_gone)
{
    const node *n = &f->nodes.at[k->node];
    if (!contraction_of(f, n, memory, p))
        return false;
    for (uint32_t o = 0; o < 2; o++) {
        const value_id v = p->operand[o].base;
        const uint32_t from = u->storer[v];
        if (!from || u->readers[v] != 1 || !pays(f, p, o, contraction_sum(f, n)) ||
            !computes_only(f, &list->at[from - 1], v) ||
            k->n_in + list->at[from - 1].n_in > MOST_INPUTS || reads_beside(f, list, k, v))
            continue;
        if (!join(memory, &list->at[from - 1], v, k))
            return false;
        is_gone[from - 1] = true;
    }
    return true;
}

/* ---- operands of loops ---- */

/* Operands (a mask) that the loops of N read once, or little more often, element by element in any
 * order of them. */
static uint32_t read_by_element(const node *n)
{
    switch ((int)n->op) {
    case OP_ARG_MAX:
    case OP_CUMULATIVE:
        return 1;
    case OP_SCATTER_ROWS:
    case OP_SEGMENT_REDUCE:
        return 1 | 2;
    case OP_SCATTER_ADD:
        return 1 | 4;
    case OP_SCATTER_REDUCE:
        return 1 | 2 | 4;
    default:
        return 0;
    }
}

static bool is_single(const function *f, value_id v)
{
    const access_extents x = access_extents_of(f, v);
    for (uint32_t i = 0; i < x.rank; i++)
        if (x.now[i] != 1 || x.other[i] != 1)
            return false;
    return true;
}

static bool has_extents(const function *f, value_id v, value_id like)
{
    const access_extents x = access_extents_of(f, v), y = access_extents_of(f, like);
    return x.rank == y.rank && memcmp(x.now, y.now, x.rank * sizeof *x.now) == 0 &&
           memcmp(x.other, y.other, x.rank * sizeof *x.other) == 0;
}

/* Has no axis of V one position with some sizes only? */
static bool has_all_axes(const function *f, value_id v)
{
    const access_extents x = access_extents_of(f, v);
    for (uint32_t i = 0; i < x.rank; i++)
        if ((x.now[i] == 1) != (x.other[i] == 1))
            return false;
    return true;
}

/* Does K compute V, and cheaply, each element from those of the same number, or of single ones? */
static bool computes_in_order(const function *f, const kernel *k, value_id v)
{
    if (k->kind != KERNEL_MAP || k->n_out != 1 || k->n_nodes > MOST_STEPS || k->draws ||
        k->out[0].value != v || k->out[0].into != v || k->out[0].from != k->out[0].to ||
        dtype_is_complex(value_type(f, v)->dtype) || !has_all_axes(f, v))
        return false;
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        const bool is_spread = n->op == OP_BROADCAST && is_single(f, n->in[0]);
        if (node_may_fail(f, n) || kernel_reads_by_data(n))
            return false;
        if (kernel_is_uniform(n) || is_single(f, n->first_value) || is_spread)
            continue;
        if (!kernel_is_one_step(n) || !has_extents(f, n->first_value, v))
            return false;
        for (uint32_t o = 0; o < n->n_in; o++)
            if (!is_single(f, n->in[o]) && !has_extents(f, n->in[o], v))
                return false;
    }
    return true;
}

/* Is V operand O of N alone, and not computed (FROM) from the first operand, over which results may
 * lie? */
static bool is_apart(const kernel_list *list, const node *n, uint32_t o, value_id v,
                     const kernel *from)
{
    for (uint32_t i = 0; i < n->n_in; i++)
        if (i != o && list->same_as[n->in[i]] == v)
            return false;
    for (uint32_t i = 0; from && o > 0 && i < from->n_in; i++)
        if (list->same_as[from->in[i]] == list->same_as[n->in[0]])
            return false;
    return true;
}

/* K knows V, a constant of one number, without reading it. */
static void know(kernel *k, value_id v)
{
    value_id *in = (value_id *)(uintptr_t)k->in; /* its own, in the memory of the plan */
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_in; i++)
        if (in[i] != v)
            in[n++] = in[i];
    k->n_in = n;
}

/* May N compute operand O where it reads it? A list of positions is looked at before, too
 * (loop/nest/check_before.c), which is cheap where each is met once. Other loops meet them again
 * and again; they compute a list that is so much longer than the result that this is rather kept
 * aside, where a position is outside. With other sizes it may be shorter. */
static bool may_compute(const function *f, const node *n, uint32_t o)
{
    enum { TIMES = 8 };
    size_t list, result;
    if (o != 1 || n->op == OP_SCATTER_REDUCE)
        return true;
    return !f->like && type_bytes(value_type(f, n->in[o]), &list) &&
           type_bytes(value_type(f, n->first_value), &result) && result < list / TIMES;
}

static bool join_loops(const function *f, arena *memory, const kernel_list *list, const users *u,
                       kernel *k, bool *is_gone)
{
    const node *n = &f->nodes.at[k->node];
    const uint32_t operands = kernel_only_checks(f, n) ? 0 : read_by_element(n);
    for (uint32_t o = 0; o < n->n_in; o++) {
        if (!(operands >> o & 1))
            continue;
        const value_id v = list->same_as[n->in[o]];
        const uint32_t from = u->storer[v];
        if (kernel_is_uniform(node_of(f, n->in[o])) && is_apart(list, n, o, v, NULL) &&
            !dtype_is_complex(value_type(f, v)->dtype))
            know(k, n->in[o]);
        if (!from || u->readers[v] != 1 || !is_apart(list, n, o, v, &list->at[from - 1]) ||
            !may_compute(f, n, o) || !computes_in_order(f, &list->at[from - 1], v) ||
            k->n_in + list->at[from - 1].n_in > MOST_INPUTS)
            continue;
        if (!join(memory, &list->at[from - 1], n->in[o], k))
            return false;
        is_gone[from - 1] = true;
    }
    return true;
}

bool prologues_join(const function *f, arena *memory, kernel *kernels, kernel_list *list)
{
    bool *is_gone = ARENA_ARRAY(memory, bool, list->n);
    contraction *p = ARENA_NEW(memory, contraction);
    users u;
    if (!is_gone || !p || !find_users(f, list, memory, &u))
        return false;
    for (uint32_t i = 0; i < list->n; i++) {
        kernel *k = &kernels[i];
        if (k->kind == KERNEL_CONTRACT && !join_contraction(f, memory, list, &u, p, k, is_gone))
            return false;
        if (k->kind == KERNEL_LOOPS && !join_loops(f, memory, list, &u, k, is_gone))
            return false;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (!is_gone[i])
            kernels[n++] = kernels[i];
    list->n = n;
    return true;
}
