/* Stages: kernels that run one after the other on the same block of rows, so that what one passes
 * to the next is never in memory as a whole. */
#include "plan/stages.h"

#include <stdlib.h>
#include <string.h>

#include "ops/node_facts.h"
#include "plan/contraction.h"

enum {
    BLOCK_ROWS = 14,           /* about the height of a register block of a contraction */
    MOST_BLOCK = 512 << 10,    /* bytes of a block that is passed on */
    SMALL_OPERAND = 512 << 10, /* bytes of right operands that stay in the second-level cache */
    LARGE_OPERAND = 8 << 20,   /* bytes of right operands that do not stay in any cache */
    MOST_READS = 4,            /* of what is left, at maps that differ */
    ENOUGH_BLOCKS = 8,         /* for the threads */
    FEW_FLOPS = 1 << 21,       /* that one thread does alone */
    FEW_ROWS = 4,              /* that take less time than reading ... */
    FAR = 256 << 10            /* ... so much of the right operands */
};

static const char *const why_block =
    "a block of its rows is too large to be passed to the next stage";
static const char *const why_again =
    "the operands of the stages are too large to be read again for each block of rows";
static const char *const why_read = "it has so few rows that reading the operands dominates, which "
                                    "threads do better with whole products";
static const char *const why_few = "it has too few blocks of rows for the threads";
static const char *const why_other = "its rows are not those of the contraction that needs it";

/* A contraction as batches of products of matrices. */
typedef struct matrices {
    int64_t batch, m, n, k;
    uint64_t operand;               /* bytes of the right one, of a batch */
    bool rows_vary, operand_varies; /* with the sizes of the program */
} matrices;

/* The product of the extents of P's loops of this PART. */
static int64_t extent(const contraction *p, contraction_part part)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < p->n_loops; i++)
        n *= p->loops[i].part == part ? p->loops[i].extent : 1;
    return n;
}

/* Does it depend on the sizes of the program? */
static bool varies(const contraction *p, contraction_part part)
{
    bool any = false;
    for (uint32_t i = 0; i < p->n_loops; i++)
        any = any || (p->loops[i].part == part && p->loops[i].extent != p->loops[i].extent_other);
    return any;
}

/* False without memory, and for contractions that are better no stage. */
static bool find_matrices(const grouping *g, uint32_t k, contraction *p, matrices *out)
{
    const node *n = &g->f->nodes.at[g->drafts.at[k].node];
    const tn_dtype sum = contraction_sum(g->f, n);
    if (!contraction_of(g->f, n, g->memory, p) || dtype_is_complex(sum) ||
        !contraction_is_in_order(p))
        return false;
    *out =
        (matrices){.batch = extent(p, CONTRACTION_BATCH),
                   .m = extent(p, CONTRACTION_ROWS),
                   .n = extent(p, CONTRACTION_COLUMNS),
                   .k = extent(p, CONTRACTION_SUM),
                   .rows_vary = varies(p, CONTRACTION_ROWS),
                   .operand_varies = varies(p, CONTRACTION_COLUMNS) || varies(p, CONTRACTION_SUM)};
    out->operand = (uint64_t)out->k * (uint64_t)out->n * dtype_bytes(dtype_compute(sum));
    return out->n > 1 && !p->operand[1].is_guarded;
}

/* Is STEPS, over axes of extents DIMS in this ORDER, what a dense tensor has? */
static bool is_dense(const int64_t *steps, const int64_t *dims, const uint32_t *order, uint32_t n)
{
    int64_t step = 1;
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t axis = order[i];
        if (dims[axis] > 1 && steps[axis] != step)
            return false;
        step *= dims[axis];
    }
    return true;
}

/* The number of rows of a kernel, and their length. */
typedef struct row_shape {
    int64_t rows, length;
    uint32_t order[TN_MAX_RANK]; /* of its axes: what counts rows, then the rest */
} row_shape;

static row_shape rows_of(const draft *d)
{
    row_shape s = {1, 1, {0}};
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->rank; i++)
        if (!(d->reduced >> i & 1)) {
            s.order[n++] = i;
            s.rows *= d->dims[i];
        }
    for (uint32_t i = 0; i < d->rank; i++)
        if (d->reduced >> i & 1) {
            s.order[n++] = i;
            s.length *= d->dims[i];
        }
    return s;
}

/* Does MAP lead from the positions of D, row by row, to the elements of V in their order? */
static bool is_row_by_row(grouping *g, const draft *d, const row_shape *s, value_id v,
                          const access_map *map)
{
    int64_t constant, steps[TN_MAX_RANK];
    const type *t = value_type(g->f, v);
    const access_expr *offset = access_offset(map, access_extents_of(g->f, v), g->memory);
    return offset && map->n_guards == 0 && access_strides(offset, d->rank, &constant, steps) &&
           constant == 0 && s->rows * s->length == t->count &&
           is_dense(steps, d->dims, s->order, d->rank);
}

static bool reads_row_by_row(grouping *g, uint32_t k, value_id v)
{
    const draft *d = &g->drafts.at[k];
    const row_shape s = rows_of(d);
    uint32_t reads = 0;
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value) {
        const demand *e = &g->demands.at[i - 1];
        if (e->kernel == k && (!e->map || !is_row_by_row(g, d, &s, v, e->map)))
            return false;
        reads += e->kernel == k;
    }
    return reads <= MOST_READS;
}

/* Does contraction K, which is P, read V only as its left operand, row by row? */
static bool is_left_operand(const grouping *g, uint32_t k, contraction *p, value_id v)
{
    static const contraction_part parts[] = {CONTRACTION_BATCH, CONTRACTION_ROWS, CONTRACTION_SUM};
    const contraction_operand *a = &p->operand[0];
    int64_t steps[TN_MAX_RANK], dims[TN_MAX_RANK];
    uint32_t order[TN_MAX_RANK], n = 0;
    for (uint32_t i = g->drafts.at[k].demands; i; i = g->demands.at[i - 1].next_of_kernel) {
        const demand *e = &g->demands.at[i - 1];
        if (e->v == v ? e->map != NULL : g->same_as[e->v] == v)
            return false; /* also under another name */
    }
    if (g->looks_up[k] || p->operand[1].base == v || a->base != v || a->is_guarded)
        return false;
    contraction_drop_windows(p, 0);
    if (a->first != 0)
        return false;
    for (uint32_t part = 0; part < 3; part++)
        for (uint32_t i = 0; i < p->n_loops; i++)
            if (p->loops[i].part == parts[part]) {
                order[n] = n;
                dims[n] = p->loops[i].extent;
                steps[n++] = p->loops[i].step[0];
            }
    return is_dense(steps, dims, order, n);
}

/* ---- chains ---- */

static bool can_be_stage(const grouping *g, uint32_t k)
{
    const draft *d = &g->drafts.at[k];
    return (d->kind == KERNEL_CONTRACT || (d->kind == KERNEL_ROWS && !d->is_split)) && !g->draws[k];
}

/* The only kernel that needs what K stores, which is one value; UINT32_MAX: there is no such. */
static uint32_t reader_of(const grouping *g, uint32_t k, value_id v)
{
    uint32_t reader = UINT32_MAX;
    const uint32_t out = g->stored[v];
    if (g->is_output[v] || !out || g->outputs.at[out - 1].next_of_value)
        return UINT32_MAX;
    for (uint32_t i = g->by_value[v]; i; i = g->demands.at[i - 1].next_of_value) {
        const uint32_t at = g->demands.at[i - 1].kernel;
        if (at == k && g->demands.at[i - 1].map)
            continue; /* it computes V itself */
        if (at == k || (reader != UINT32_MAX && reader != at))
            return UINT32_MAX;
        reader = at;
    }
    return reader;
}

/* What stages so far have in common. */
typedef struct chain {
    matrices shape; /* of the last contraction */
    uint64_t operands, flops;
    bool operands_vary;
    uint32_t stages, contractions;
} chain;

static bool add_contraction(const grouping *g, uint32_t k, contraction *p, chain *c)
{
    matrices m;
    if (!find_matrices(g, k, p, &m))
        return false;
    if (c->contractions > 0 && (c->shape.batch != m.batch || c->shape.m != m.m))
        return false;
    c->shape = m;
    c->operands += m.operand;
    c->operands_vary = c->operands_vary || m.operand_varies;
    c->flops += 2 * (uint64_t)m.batch * (uint64_t)m.m * (uint64_t)m.n * (uint64_t)m.k;
    c->contractions++;
    return true;
}

/* The rows that K stores in V; false when it does not store row by row. */
static bool find_rows_left(grouping *g, uint32_t k, const kernel_output *out, const chain *c,
                           int64_t *rows, int64_t *length)
{
    const draft *d = &g->drafts.at[k];
    row_shape s = rows_of(d);
    if (out->from != out->to || !is_row_by_row(g, d, &s, out->into, out->to))
        return false;
    *rows = d->kind == KERNEL_ROWS ? s.rows : c->shape.batch * c->shape.m;
    *length = d->kind == KERNEL_ROWS ? s.length : c->shape.n;
    return *length > 1;
}

/* Append kernel TO, which needs V, to chain C. */
static bool goes_on(grouping *g, uint32_t to, value_id v, int64_t rows, int64_t length, chain *c,
                    const char **why)
{
    const draft *d = &g->drafts.at[to];
    const type *t = value_type(g->f, v);
    if (d->kind == KERNEL_ROWS) {
        const row_shape s = rows_of(d);
        return c->contractions > 0 && s.rows == rows && s.length == length &&
               reads_row_by_row(g, to, v);
    }
    contraction *p = ARENA_NEW(g->memory, contraction);
    *why = why_other;
    return p && add_contraction(g, to, p, c) && c->shape.k == length &&
           c->shape.batch * c->shape.m == rows &&
           t->dtype == dtype_compute(contraction_sum(g->f, &g->f->nodes.at[d->node])) &&
           is_left_operand(g, to, p, v);
}

static bool pays(const grouping *g, value_id v, const chain *c, int64_t length, const char **why)
{
    const type *t = value_type(g->f, v);
    const uint64_t size = dtype_bytes(t->dtype), all = (uint64_t)t->count * size;
    const int64_t rows = c->shape.m < BLOCK_ROWS ? c->shape.m : BLOCK_ROWS;
    const int64_t blocks = c->shape.batch * ((c->shape.m + BLOCK_ROWS - 1) / BLOCK_ROWS);
    if ((uint64_t)rows * (uint64_t)length * size > MOST_BLOCK) {
        *why = why_block;
        return false;
    }
    if (blocks == 1 && c->shape.m <= FEW_ROWS && c->operands > FAR) {
        *why = why_read;
        return false;
    }
    /* For any number of rows, of which few and very many would be answered otherwise. */
    const bool is_for_any = c->shape.rows_vary && !c->operands_vary;
    if (c->operands > SMALL_OPERAND && is_for_any) {
        *why = why_again;
        return false;
    }
    if (c->operands > SMALL_OPERAND && blocks > c->shape.batch &&
        (all < c->operands || c->operands > LARGE_OPERAND)) {
        *why = why_again;
        return false;
    }
    *why = why_few;
    return is_for_any || blocks >= ENOUGH_BLOCKS || c->flops < FEW_FLOPS;
}

/* Extend the chain that K ends by the kernel that needs what K stores. */
static void extend(grouping *g, chain *chains, uint32_t k, const kernel_output *out)
{
    chain *c = &chains[k], more = *c;
    const value_id v = out->into;
    const uint32_t to = reader_of(g, k, v);
    int64_t rows, length;
    const char *why = NULL;
    const type *t = value_type(g->f, v);
    /* Kernels are made from the last to the first: chains grow towards lower numbers. A kernel goes
     * on with one chain, whatever else it reads. */
    if (to >= k || chains[to].stages > 0 || !can_be_stage(g, to) ||
        c->stages >= KERNEL_STAGES_MOST ||
        c->contractions + (g->drafts.at[to].kind == KERNEL_CONTRACT) > KERNEL_CONTRACTIONS_MOST ||
        dtype_is_complex(t->dtype) || dtype_table[t->dtype].bits < 8)
        return;
    more.stages++;
    if (!find_rows_left(g, k, out, c, &rows, &length) ||
        !goes_on(g, to, v, rows, length, &more, &why) || !pays(g, v, &more, length, &why)) {
        if (why)
            g->why[v] = why;
        return;
    }
    g->next[k] = to;
    chains[to] = more;
}

bool stages_find(grouping *g)
{
    const uint32_t n = g->drafts.n;
    chain *chains = ARENA_ARRAY(g->memory, chain, n);
    const kernel_output **out = ARENA_ARRAY(g->memory, const kernel_output *, n);
    g->next = ARENA_ARRAY(g->memory, uint32_t, n);
    g->draws = ARENA_ARRAY(g->memory, bool, n);
    g->looks_up = ARENA_ARRAY(g->memory, bool, n);
    contraction *p = ARENA_NEW(g->memory, contraction);
    if (!chains || !out || !p || !g->next || !g->draws || !g->looks_up)
        return false;
    for (uint32_t i = 0; i < g->outputs.n; i++)
        out[g->outputs.at[i].kernel] = &g->outputs.at[i].out;
    for (uint32_t i = 0; i < g->members.n; i++) {
        const node *of = &g->f->nodes.at[g->members.at[i].node];
        const uint32_t k = g->members.at[i].kernel;
        g->draws[k] = g->draws[k] || node_draws(of);
        g->looks_up[k] = g->looks_up[k] || kernel_reads_by_data(of);
    }
    for (uint32_t k = 0; k < n; k++)
        g->next[k] = UINT32_MAX;
    for (uint32_t k = n; k-- > 0;) {
        const draft *d = &g->drafts.at[k];
        if (d->n_out != 1 || !can_be_stage(g, k))
            continue;
        if (chains[k].stages == 0) { /* it begins one */
            chains[k].stages = 1;
            if (d->kind == KERNEL_CONTRACT && !add_contraction(g, k, p, &chains[k]))
                continue;
        }
        extend(g, chains, k, out[k]);
    }
    return true;
}

/* ---- one kernel of several ---- */

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t distinct(uint32_t *list, uint32_t n)
{
    uint32_t kept = 0;
    qsort(list, n, sizeof *list, ascending);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[kept++] = list[i];
    return kept;
}

/* Is V passed from one stage of S to the next? */
static bool is_left(const kernel *stages, uint32_t n, value_id v)
{
    for (uint32_t i = 0; i + 1 < n; i++)
        if (stages[i].out[0].into == v)
            return true;
    return false;
}

/* The N kernels at STAGES, in order, as one. */
static bool join(arena *memory, const kernel *stages, uint32_t n, kernel *out)
{
    uint32_t n_nodes = 0, n_in = 0, n_edges = 0;
    for (uint32_t i = 0; i < n; i++) {
        n_nodes += stages[i].n_nodes;
        n_in += stages[i].n_in;
        n_edges += stages[i].n_edges;
    }
    uint32_t *nodes = ARENA_ARRAY(memory, uint32_t, n_nodes);
    value_id *in = ARENA_ARRAY(memory, value_id, n_in);
    kernel_edge *edges = ARENA_ARRAY(memory, kernel_edge, n_edges);
    if (!nodes || !in || !edges)
        return false;
    *out = stages[n - 1];
    out->kind = KERNEL_STAGES;
    out->n_stages = n;
    out->stages = stages;
    out->n_nodes = out->n_in = out->n_edges = 0;
    for (uint32_t i = 0; i < n; i++) {
        const kernel *s = &stages[i];
        for (uint32_t j = 0; j < s->n_nodes; j++)
            nodes[out->n_nodes++] = s->nodes[j];
        for (uint32_t j = 0; j < s->n_in; j++)
            if (!is_left(stages, n, s->in[j]))
                in[out->n_in++] = s->in[j];
        for (uint32_t j = 0; j < s->n_edges; j++)
            if (!is_left(stages, n, s->edges[j].value))
                edges[out->n_edges++] = s->edges[j];
    }
    out->n_nodes = distinct(nodes, out->n_nodes);
    out->n_in = distinct(in, out->n_in);
    out->nodes = nodes;
    out->in = in;
    out->edges = edges;
    return true;
}

bool stages_join(grouping *g, const uint32_t *order, kernel *sorted, uint32_t *n)
{
    const uint32_t all = *n;
    uint32_t *previous = ARENA_ARRAY(g->memory, uint32_t, all); /* 1 + place in SORTED */
    uint32_t *place = ARENA_ARRAY(g->memory, uint32_t, g->drafts.n);
    if (!previous || !place)
        return false;
    for (uint32_t i = 0; i < all; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < all; i++)
        if (g->next[order[i]] != UINT32_MAX)
            previous[place[g->next[order[i]]]] = 1 + i;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t count = 1;
        if (g->next[order[i]] != UINT32_MAX || !previous[i])
            continue;
        for (uint32_t p = previous[i]; p; p = previous[p - 1])
            count++;
        kernel *stages = ARENA_ARRAY(g->memory, kernel, count), whole;
        if (!stages)
            return false;
        for (uint32_t p = 1 + i, at = count; p; p = previous[p - 1])
            stages[--at] = sorted[p - 1];
        if (!join(g->memory, stages, count, &whole))
            return false;
        sorted[i] = whole;
    }
    *n = 0;
    for (uint32_t i = 0; i < all; i++)
        if (g->next[order[i]] == UINT32_MAX)
            sorted[(*n)++] = sorted[i];
    return true;
}
