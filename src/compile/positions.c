/* Which inputs give positions, and in what: what ops demand of their indices goes back through
 * everything that only moves, chooses or casts elements, and through regions. */
#include "compile/compiled.h"
#include "graph/op.h"
#include "ops/attr_rules.h"
#include "ops/scatter.h"

/* The least of the extents that index vectors of the scatter_add N count in, less the windows that
 * begin there. */
static dim scatter_extent(const function *f, const node *n)
{
    const type *x = value_type(f, n->in[0]), *updates = value_type(f, n->in[2]);
    scatter_axes s;
    dim room[TN_MAX_RANK], least = 0;
    find_scatter_axes(n->attrs, x, value_type(f, n->in[1]), updates, &s);
    for (uint32_t i = 0, u = 0; i < x->rank; i++) {
        room[i] = x->dims[i];
        if (s.inserted_mask >> i & 1)
            continue;
        while (!(s.window_mask >> u & 1))
            u++;
        const dim window = updates->dims[u++];
        room[i] = room[i] > 0 && window >= 0 ? room[i] - window + 1 : 0;
    }
    for (uint32_t i = 0; i < s.n_components; i++)
        if (i == 0 || room[s.component_axis[i]] < least)
            least = room[s.component_axis[i]];
    return least;
}

/* The extent that N counts in with its operand 1; not positive: none that is known. */
static dim extent_of_positions(const function *f, const node *n)
{
    const type *x = n->n_in > 1 ? value_type(f, n->in[0]) : NULL;
    switch ((int)n->op) {
    case OP_TAKE:
        return x && x->rank > 0 ? x->dims[0] : 0;
    case OP_GATHER:
    case OP_SCATTER_REDUCE:
        return x->dims[resolve_axis(n->attrs, KEY_AXIS, x->rank)];
    case OP_SCATTER_ROWS:
    case OP_SEGMENT_REDUCE:
        return value_type(f, n->first_value)->dims[0];
    case OP_SCATTER_ADD:
        return scatter_extent(f, n);
    default:
        return 0;
    }
}

/* For each value, by function: the exclusive upper bound of its elements; 0: none. */
typedef struct demands {
    const module *m;
    int64_t **below;
    bool changed;
} demands;

/* A value of a function, by its number. */
typedef struct place {
    uint32_t function;
    value_id value;
} place;

static int64_t *below(const demands *d, place p)
{
    return &d->below[p.function][p.value];
}

static void demand(demands *d, place p, int64_t most)
{
    int64_t *have = below(d, p);
    if (most > 0 && (*have == 0 || *have > most)) {
        *have = most;
        d->changed = true;
    }
}

/* Elements of FROM become elements of TO. */
static void flows(demands *d, place from, place to)
{
    demand(d, from, *below(d, to));
}

/* Are elements of the result elements of operand K, perhaps as another type? */
static bool passes_on(const node *n, uint32_t k)
{
    switch ((int)n->op) {
    case OP_CAST:
    case OP_WRAP:
    case OP_STOP_GRADIENT:
    case OP_MAXIMUM:
    case OP_MINIMUM:
    case OP_REDUCE_MAX:
    case OP_REDUCE_MIN:
        return true;
    case OP_SELECT:
        return k > 0;
    case OP_DYNAMIC_UPDATE_SLICE: /* and where it begins is clamped */
        return k < 2;
    case OP_CLAMP:
    case OP_INDEX:
    case OP_TAKE:
    case OP_GATHER:
    case OP_DYNAMIC_SLICE:
    case OP_TOP_K: /* its first result; the second is positions already */
        return k == 0;
    default:
        return (op_table[n->op].traits & T_MOVES) != 0;
    }
}

/* ---- regions ---- */

/* The node N of function F, and a region of it. */
typedef struct region_use {
    uint32_t f, region;
    const node *n;
    const function *body;
} region_use;

static region_use use_of(const demands *d, uint32_t f, const node *n, attr_key key)
{
    const uint32_t region = (uint32_t)attr_int(n->attrs, key, 0);
    return (region_use){f, region, n, d->m->functions.at[region]};
}

static place operand(const region_use *u, uint32_t k)
{
    return (place){u->f, u->n->in[k]};
}

static place result(const region_use *u, uint32_t k)
{
    return (place){u->f, u->n->first_value + k};
}

static place parameter(const region_use *u, uint32_t k)
{
    return (place){u->region, u->body->inputs.at[k]};
}

static place returned(const region_use *u, uint32_t k)
{
    return (place){u->region, u->body->outputs.at[k]};
}

static void through_branch(demands *d, const region_use *u)
{
    for (uint32_t k = 0; k < u->n->n_results; k++)
        flows(d, returned(u, k), result(u, k));
    for (uint32_t k = 1; k < u->n->n_in; k++)
        flows(d, operand(u, k), parameter(u, k - 1));
}

/* Operands go into the condition; what that returns, behind its answer, into the body or out. */
static void through_while(demands *d, const region_use *cond, const region_use *body)
{
    for (uint32_t k = 0; k < body->n->n_in; k++) {
        flows(d, returned(cond, k + 1), result(cond, k));
        flows(d, returned(cond, k + 1), parameter(body, k));
        flows(d, returned(body, k), parameter(cond, k));
        flows(d, operand(cond, k), parameter(cond, k));
    }
}

static void through_scan(demands *d, const region_use *u)
{
    const uint32_t carries = (uint32_t)attr_int(u->n->attrs, KEY_CARRY_COUNT, 0);
    for (uint32_t k = 0; k < u->n->n_results; k++)
        flows(d, returned(u, k), result(u, k));
    for (uint32_t k = 0; k < carries; k++) {
        flows(d, returned(u, k), parameter(u, k));
        flows(d, operand(u, k), result(u, k)); /* without a iteration */
    }
    for (uint32_t k = 0; k < u->n->n_in; k++)
        flows(d, operand(u, k), parameter(u, k));
}

static void through_regions(demands *d, uint32_t f, const node *n)
{
    if (n->op == OP_COND) {
        const region_use yes = use_of(d, f, n, KEY_TRUE_REGION);
        const region_use no = use_of(d, f, n, KEY_FALSE_REGION);
        through_branch(d, &yes);
        through_branch(d, &no);
    } else if (n->op == OP_WHILE) {
        const region_use cond = use_of(d, f, n, KEY_COND_REGION);
        const region_use body = use_of(d, f, n, KEY_BODY_REGION);
        through_while(d, &cond, &body);
    } else {
        const region_use body = use_of(d, f, n, KEY_BODY_REGION);
        through_scan(d, &body);
    }
}

/* ---- the module ---- */

/* Every operand of a sort is as many elements of a result. */
static void through_sort(demands *d, uint32_t f, const node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        flows(d, (place){f, n->in[k]}, (place){f, n->first_value + k});
}

static void through_node(demands *d, uint32_t f, const node *n)
{
    const dim extent = extent_of_positions(d->m->functions.at[f], n);
    if (extent > 0)
        demand(d, (place){f, n->in[1]}, extent);
    if (op_table[n->op].traits & T_REGIONS) {
        through_regions(d, f, n);
        return;
    }
    if (n->op == OP_SORT)
        through_sort(d, f, n);
    for (uint32_t k = 0; k < n->n_in; k++)
        if (passes_on(n, k))
            flows(d, (place){f, n->in[k]}, (place){f, n->first_value});
}

static void through_function(demands *d, uint32_t f)
{
    const function *fn = d->m->functions.at[f];
    for (uint32_t i = fn->nodes.n; i-- > 0;)
        through_node(d, f, &fn->nodes.at[i]);
}

static bool has_positions(const module *m)
{
    for (uint32_t f = 0; f < m->functions.n; f++)
        for (uint32_t i = 0; i < m->functions.at[f]->nodes.n; i++)
            if (extent_of_positions(m->functions.at[f], &m->functions.at[f]->nodes.at[i]) > 0)
                return true;
    return false;
}

/* Regions stand before or behind what uses them, so the functions are gone through in both
 * directions, until nothing new is found: as often as regions lie in each other. */
static bool find_demands(demands *d, arena *memory)
{
    const uint32_t n = d->m->functions.n;
    d->below = ARENA_ARRAY(memory, int64_t *, n);
    for (uint32_t f = 0; d->below && f < n; f++)
        if (!(d->below[f] = ARENA_ARRAY(memory, int64_t, d->m->functions.at[f]->values.n)))
            return false;
    if (!d->below)
        return false;
    do {
        d->changed = false;
        for (uint32_t f = 0; f < n; f++)
            through_function(d, f);
        for (uint32_t f = n; f-- > 0;)
            through_function(d, f);
    } while (d->changed);
    return true;
}

bool find_positions(const module *m, int64_t *positions)
{
    demands d = {.m = m};
    arena memory;
    const function *entry = module_entry(m);
    if (!has_positions(m))
        return true;
    arena_init(&memory, m->allocator);
    const bool found = find_demands(&d, &memory);
    for (uint32_t i = 0; found && i < entry->inputs.n; i++)
        positions[i] = d.below[m->entry][entry->inputs.at[i]];
    arena_release(&memory);
    return found;
}
