/* Grouping nodes into kernels: from the last node to the first, each joins the kernel that needs it
 * or starts one of its own. */
#include <string.h>

#include "ops/shape.h"
#include "plan/draft.h"

static const char *const why_output = "it is a result of the program";
static const char *const why_operand = "an operation that is not fused reads it whole";
static const char *const why_several = "several kernels need it, and computing it again costs more "
                                       "than reading it";
static const char *const why_large = "the kernel has reached the size limit";
static const char *const why_fails = "it can fail, so every element must be computed once";
static const char *const why_rows = "its rows are not those of the kernel that needs it";
static const char *const why_long = "its rows are long enough to be shared out";
static const char *const why_whole = "operands of a contraction are read many times";
static const char *const why_data = "it is read at positions that are data";
static const char *const why_index = "its positions have no index map";

/* ---- what nodes are ---- */

static bool is_copy(const node *n) /* the same elements in row-major order */
{
    return n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE;
}

static bool is_movement(const node *n)
{
    switch ((int)n->op) {
    case OP_RESHAPE:
    case OP_EXPAND_DIMS:
    case OP_SQUEEZE:
    case OP_TRANSPOSE:
    case OP_BROADCAST:
    case OP_SLICE:
    case OP_REVERSE:
    case OP_PAD:
    case OP_TILE:
    case OP_VIEW:
    case OP_POOL:
        return true;
    default:
        return false;
    }
}

bool kernel_is_uniform(const node *n)
{
    if (n->op != OP_CONSTANT)
        return false;
    const literal *l = attr_find(n->attrs, KEY_VALUE)->v.literal;
    return l->splat || l->type->count == 1;
}

static bool may_fail(const function *f, const node *n)
{
    const uint32_t traits = op_table[n->op].traits;
    return (traits & T_MAY_FAIL) &&
           ((traits & T_INDEXES) || dtype_is_int(value_type(f, n->first_value)->dtype));
}

static bool has_elements(const type *t)
{
    return type_is_static(t) && t->count > 0;
}

bool kernel_can_contain(const function *f, const node *n)
{
    if (n->n_results != 1 || !has_elements(value_type(f, n->first_value)))
        return false;
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!has_elements(value_type(f, n->in[k])))
            return false;
    return kernel_is_uniform(n) || n->op == OP_IOTA || is_movement(n) || kernel_draws(n) ||
           kernel_reads_by_data(n) || n->op == OP_QUANTIZE || n->op == OP_DEQUANTIZE ||
           (op_table[n->op].traits & T_ELEMENTWISE);
}

bool kernel_is_reduction(const function *f, const node *n)
{
    switch ((int)n->op) {
    case OP_SUM:
    case OP_MEAN:
    case OP_REDUCE_MAX:
    case OP_REDUCE_MIN:
        break;
    case OP_REDUCE_PROD:
        if (dtype_is_complex(value_type(f, n->in[0])->dtype))
            return false;
        break;
    default:
        return false;
    }
    uint32_t n_axes;
    const attr *axes = attr_find(n->attrs, KEY_AXES);
    (void)attr_ints(n->attrs, KEY_AXES, &n_axes);
    return has_elements(value_type(f, n->in[0])) && value_type(f, n->in[0])->rank > 0 &&
           (!axes || n_axes > 0);
}

static uint32_t expr_axes(const access_expr *e)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < e->n; i++)
        mask |=
            e->at[i].kind == ACCESS_AXIS ? UINT32_C(1) << e->at[i].axis : expr_axes(e->at[i].of);
    return mask;
}

uint32_t access_axes(const access_map *map)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < map->n_source; i++)
        mask |= expr_axes(map->at[i]);
    for (uint32_t i = 0; i < map->n_guards; i++)
        mask |= expr_axes(map->guards[i].of);
    return mask;
}

/* Computing it again in another kernel costs no more than reading it there. */
static bool is_cheap(const function *f, const node *n)
{
    uint32_t varying = 0;
    switch ((int)n->op) {
    case OP_NEG:
    case OP_ABS:
    case OP_RELU:
    case OP_NOT:
    case OP_CAST:
    case OP_STOP_GRADIENT:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAXIMUM:
    case OP_MINIMUM:
    case OP_COMPARE:
        break;
    default:
        return kernel_is_uniform(n) || n->op == OP_IOTA || is_movement(n);
    }
    for (uint32_t k = 0; k < n->n_in; k++)
        varying += !kernel_is_uniform(node_of(f, n->in[k]));
    return varying <= 1;
}

static bool has_strides(const function *f, value_id v, const access_map *map, arena *memory)
{
    int64_t constant, strides[TN_MAX_RANK];
    const access_expr *offset = access_offset(map, value_type(f, v)->dims, memory);
    bool ok = map->n_guards == 0 && offset && access_strides(offset, map->rank, &constant, strides);
    for (uint32_t i = 0; ok && i < map->rank; i++)
        ok = strides[i] >= 0;
    return ok;
}

value_id kernel_operand_base(const function *f, value_id v, arena *memory, access_map *map)
{
    const type *t = value_type(f, v);
    access_map own, both;
    if (!access_identity(t->dims, t->rank, memory, map)) {
        map->rank = map->n_source = map->n_guards = 0;
        return v;
    }
    for (const node *n = node_of(f, v); is_movement(n); n = node_of(f, v)) {
        if (!access_of_node(n, value_type(f, n->in[0]), value_type(f, v), v, memory, &own) ||
            !access_compose(map, &own, memory, &both) || !has_strides(f, n->in[0], &both, memory))
            break;
        *map = both;
        v = n->in[0];
    }
    return v;
}

/* ---- demands ---- */

enum { FEW_KERNELS = 16 };

/* The kernels that need V at known positions, in *n; true when something needs it in memory. */
static bool demanders(const grouping *g, value_id v, uint32_t *kernels, uint32_t *n)
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

/* Does element i of N depend on element i of operand K? */
static bool is_elementwise_on(const function *f, const node *n, uint32_t k)
{
    const type *in = value_type(f, n->in[k]), *t = value_type(f, n->first_value);
    return !is_movement(n) && !kernel_reads_by_data(n) && in->rank == t->rank &&
           memcmp(in->dims, t->dims, t->rank * sizeof *t->dims) == 0;
}

enum { FEW_OPERANDS = 3 }; /* of what is contained */

/* What a contained node needs of its operands. */
typedef struct need {
    value_id v;
    const access_map *map; /* NULL: all of it in memory */
} need;
enum { MOST_NEEDS = MOST_MAPS * (FEW_OPERANDS + TN_MAX_RANK) };

/* What N at the positions of MAP needs of its operand O. */
static bool add_needs(grouping *g, const node *n, uint32_t o, const access_map *map, need *needs,
                      uint32_t *n_needs)
{
    const uint32_t uses = kernel_operand_uses(g->f, n, o);
    access_map own, both;
    if (uses == 0)
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

/* Compute N in kernel K wherever K needs it: then K needs its operands. False, and nothing done,
 * when that cannot be. */
static bool absorb(grouping *g, uint32_t k, const node *n, const char **why)
{
    const value_id v = n->first_value;
    need needs[MOST_NEEDS];
    uint32_t n_needs = 0, uses = 0;
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
        if (++uses > MOST_MAPS) {
            *why = why_several;
            return false;
        }
        for (uint32_t o = 0; o < n->n_in; o++)
            if (!add_needs(g, n, o, d->map, needs, &n_needs)) {
                *why = why_index;
                return false;
            }
    }
    for (uint32_t i = 0; i < n_needs; i++) {
        draft_demand(g, k, needs[i].v, needs[i].map);
        if (!needs[i].map && !g->why[needs[i].v])
            g->why[needs[i].v] = why_data;
    }
    draft_contain(g, k, g->f->values.at[v].node);
    return true;
}

static void need_whole(grouping *g, uint32_t k, value_id v, const char *why)
{
    draft_demand(g, k, v, NULL);
    if (!g->why[v])
        g->why[v] = why;
}

/* ---- one node ---- */

/* A kernel for node I alone, with everything in memory. */
static void start_whole(grouping *g, uint32_t i, kernel_kind kind)
{
    const node *n = &g->f->nodes.at[i];
    const uint32_t k = draft_new(g, kind, i, NULL, 0);
    for (uint32_t o = 0; o < n->n_in && !g->failed; o++)
        need_whole(g, k, n->in[o], why_operand);
    for (uint32_t r = 0; r < n->n_results && !g->failed; r++) {
        const kernel_output out = {n->first_value + r, n->first_value + r, NULL, NULL, false};
        draft_store(g, k, &out);
    }
    draft_contain(g, k, i);
}

/* A kernel over the positions of V, which it stores. */
static uint32_t start_map(grouping *g, uint32_t i, value_id v)
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

/* Is V needed in K at exactly the positions of K? */
static const access_map *full_demand(grouping *g, uint32_t k, value_id v)
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

/* K has room for one more output, and nothing that it waits for waits for V, nor does K itself:
 * others than K need V too. */
static bool can_store_early(grouping *g, uint32_t k, value_id v)
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

static void place_contained(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    const value_id v = n->first_value;
    uint32_t kernels[FEW_KERNELS], n_kernels;
    const bool held = demanders(g, v, kernels, &n_kernels);
    const char *why = held ? g->why[v] ? g->why[v] : why_output : why_several;

    if (kernel_is_uniform(n) || n->op == OP_IOTA || n->op == OP_DYNAMIC_SLICE ||
        (is_movement(n) && !may_fail(g->f, n))) {
        bool stays = held; /* of movement nothing needs to be stored but where memory is wanted */
        uint32_t able = 0; /* kernels that contain it from now on */
        for (uint32_t k = 0; k < n_kernels; k++)
            if (absorb(g, kernels[k], n, &why))
                kernels[able++] = kernels[k];
        stays = stays || able < n_kernels;
        if (!stays || kernel_is_uniform(n))
            return;
        if (is_copy(n) && !g->is_output[v]) {
            g->same_as[v] = n->in[0];
            g->why[n->in[0]] = g->why[n->in[0]] ? g->why[n->in[0]] : why;
            for (uint32_t d = g->by_value[v]; d; d = g->demands.at[d - 1].next_of_value)
                if (!g->demands.at[d - 1].map ||
                    !is_among(g->demands.at[d - 1].kernel, kernels, able))
                    draft_demand(g, g->demands.at[d - 1].kernel, n->in[0], NULL);
            return;
        }
    } else if (may_fail(g->f, n)) {
        why = why_fails;
        if (!held && n_kernels == 1 && absorb_all(g, n, kernels[0], &why))
            return;
    } else if (!held && (n_kernels == 1 || is_cheap(g->f, n))) {
        bool stays = false;
        for (uint32_t k = 0; k < n_kernels; k++)
            stays = !absorb(g, kernels[k], n, &why) || stays;
        if (!stays)
            return;
    } else if (join_and_store(g, n, kernels, n_kernels)) {
        g->why[v] = why;
        return;
    } else if (n_kernels > 1 && !held) {
        why = why_several;
    }
    g->why[v] = why;
    const uint32_t k = start_map(g, i, v);
    if (!g->failed && !absorb(g, k, n, &why)) {
        /* no index map leads to the operands */
        g->drafts.at[k].kind = KERNEL_REFERENCE;
        for (uint32_t o = 0; o < n->n_in && !g->failed; o++)
            need_whole(g, k, n->in[o], why_index);
        draft_contain(g, k, i);
    }
}

/* ---- reductions ---- */

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

/* The kernel K works on the results of N alone: let it work on the rows that they are made of. */
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

static void place_reduction(grouping *g, uint32_t i)
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
    const char *why = is_long ? why_long : held ? g->why[v] ? g->why[v] : why_output : why_rows;
    for (uint32_t c = 0; c < n_kernels && !is_long && !g->failed; c++) {
        const uint32_t k = kernels[c];
        if (shared && !can_store_early(g, k, v))
            continue;
        if (!fits_rows(g, k, n, &axes, &project) &&
            (!widen_to_rows(g, k, n, &project) || !fits_rows(g, k, n, &axes, &project)))
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

/* ---- the rest ---- */

/* The only kernel that needs V, when that works on the results of a contraction one by one, in the
 * order in which they lie: it can take each as it is made. */
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
    const access_expr *offset = access_offset(map, t->dims, g->memory);
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
    access_map map;
    if (k == UINT32_MAX) {
        k = start_map(g, i, v);
        g->why[v] = "the result of a contraction is complete only after its last product";
    }
    if (g->failed)
        return;
    g->drafts.at[k].kind = KERNEL_CONTRACT;
    g->drafts.at[k].node = i;
    for (uint32_t o = 0; o < n->n_in && !g->failed; o++)
        need_whole(g, k, kernel_operand_base(g->f, n->in[o], g->memory, &map), why_whole);
    draft_contain(g, k, i);
}

/* One kernel for each operand, which stores it where it belongs. */
static void place_concat(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    const value_id v = n->first_value;
    const type *t = value_type(g->f, v);
    int64_t axis = attr_int(n->attrs, KEY_AXIS, 0), start = 0;
    axis += axis < 0 ? t->rank : 0;
    for (uint32_t o = 0; o < n->n_in && !g->failed; o++) {
        const type *in = value_type(g->f, n->in[o]);
        access_map to;
        if (in->count == 0)
            continue;
        const uint32_t k = draft_new(g, KERNEL_MAP, i, in->dims, in->rank);
        const access_map *all = draft_identity(g, in->dims, in->rank);
        if (!all || !access_shifted(all, (uint32_t)axis, start, g->memory, &to)) {
            g->failed = true;
            return;
        }
        const kernel_output out = {n->in[o], v, all, draft_map(g, &to), false};
        if (g->failed)
            return;
        draft_store(g, k, &out);
        draft_demand(g, k, n->in[o], all);
        start += in->dims[axis];
    }
    g->why[v] = "its parts come from different kernels";
}

/* A kernel over the window, which computes it and stores it where it belongs; the rest is there. */
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

static bool is_contraction(const node *n)
{
    return (op_table[n->op].traits & T_CONTRACTS) && n->op != OP_CONV2D_GRAD_INPUT;
}

static bool is_whole(const function *f, const node *n)
{
    bool ok = n->n_results > 0 && has_elements(value_type(f, n->first_value));
    for (uint32_t k = 0; k < n->n_in && ok; k++) /* positions in no axes have no components */
        ok = has_elements(value_type(f, n->in[k])) || (n->op == OP_SCATTER_ADD && k == 1);
    return ok;
}

static void place(grouping *g, uint32_t i)
{
    const node *n = &g->f->nodes.at[i];
    if (n->op == OP_INPUT || (n->op == OP_CONSTANT && !kernel_is_uniform(n)))
        return;
    if (n->op == OP_CONCAT && has_elements(value_type(g->f, n->first_value)))
        place_concat(g, i);
    else if (kernel_is_reduction(g->f, n) && is_whole(g->f, n))
        place_reduction(g, i);
    else if (is_contraction(n) && is_whole(g->f, n))
        place_contraction(g, i);
    else if (kernel_can_contain(g->f, n))
        place_contained(g, i);
    else if (n->op == OP_DYNAMIC_UPDATE_SLICE && is_whole(g->f, n))
        place_update(g, i);
    else if (kernel_has_loops(n) && is_whole(g->f, n))
        start_whole(g, i, KERNEL_LOOPS);
    else if (n->op != OP_CONSTANT)
        start_whole(g, i, KERNEL_REFERENCE);
}

static bool start(grouping *g)
{
    const function *f = g->f;
    g->by_value = ARENA_ARRAY(g->memory, uint32_t, f->values.n);
    g->stored = ARENA_ARRAY(g->memory, uint32_t, f->values.n);
    g->is_output = ARENA_ARRAY(g->memory, bool, f->values.n);
    g->same_as = ARENA_ARRAY(g->memory, value_id, f->values.n);
    g->why = ARENA_ARRAY(g->memory, const char *, f->values.n);
    if (!g->by_value || !g->stored || !g->is_output || !g->same_as || !g->why)
        return false;
    for (value_id v = 0; v < f->values.n; v++)
        g->same_as[v] = v;
    for (uint32_t i = 0; i < f->outputs.n; i++)
        g->is_output[f->outputs.at[i]] = true;
    return true;
}

/* Is anything of N needed? Nodes come from the last to the first, so all who need it are known. */
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
