/* Demand-driven emission of the values of a kernel, which are known already, kept in scratch
 * memory, read from memory, or computed. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/hash.h"
#include "loop/emit/emit_parts.h"
#include "ops/node_facts.h"
#include "ops/shape.h"

/* ---- what a kernel holds ---- */

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool emit_contains(const kernel *k, uint32_t node_index)
{
    return k->n_nodes &&
           bsearch(&node_index, k->nodes, k->n_nodes, sizeof *k->nodes, ascending) != NULL;
}

uint32_t emit_input(const kernel *k, value_id v)
{
    const value_id *at = k->n_in ? bsearch(&v, k->in, k->n_in, sizeof v, ascending) : NULL;
    return at ? (uint32_t)(at - k->in) : UINT32_MAX;
}

uint32_t emit_output_buffer(const kernel *k, uint32_t output)
{
    uint32_t n = k->n_in;
    for (uint32_t i = 0; i < output; i++) {
        bool is_first = true;
        for (uint32_t o = 0; o < i; o++)
            is_first = is_first && k->out[o].into != k->out[i].into;
        if (k->out[i].into == k->out[output].into)
            return n;
        n += is_first;
    }
    return n;
}

value_id emit_buffer_value(const kernel *k, uint32_t buffer)
{
    if (buffer < k->n_in)
        return k->in[buffer];
    for (uint32_t i = 0; i < k->n_out; i++)
        if (emit_output_buffer(k, i) == buffer)
            return k->out[i].into;
    return NO_VALUE;
}

uint32_t emit_buffer_count(const kernel *k)
{
    uint32_t n = k->n_in;
    for (uint32_t i = 0; i < k->n_out; i++) {
        const uint32_t buffer = emit_output_buffer(k, i);
        n = buffer >= n ? buffer + 1 : n;
    }
    return n + k->draws;
}

void emit_find_seed(emitter *e, uint32_t first)
{
    if (e->k->draws)
        e->seed = loop_load(e->b, loop_type_of(LOOP_I64, 1),
                            loop_buffer(e->b, first + emit_buffer_count(e->k) - 1), 8);
}

static bool moves(const node *n)
{
    return (op_table[n->op].traits & T_MOVES) != 0;
}

static bool only_moves(const function *f, const kernel *k)
{
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        if (!moves(n) && !kernel_is_uniform(n) && !kernel_reads_by_data(n))
            return false;
    }
    return k->kind == KERNEL_MAP;
}

tn_dtype emit_dtype(const emitter *e, tn_dtype d)
{
    const bool is_narrow = dtype_is_float(d) && dtype_bytes(d) < 4;
    return e->carries && is_narrow ? element_carrier(d) : d;
}

bool emit_init(emitter *e, loop_builder *b, const function *f, const kernel *k, arena *memory)
{
    *e = (emitter){.b = b, .f = f, .k = k, .memory = memory, .lanes = 1, .count = LOOP_NO_VALUE};
    e->carries = only_moves(f, k);
    e->in = ARENA_ARRAY(memory, loop_value, k->n_in);
    for (uint32_t i = 0; e->in && i < k->n_in; i++)
        e->in[i] = loop_buffer(b, i);
    e->failed = !e->in;
    emit_find_seed(e, 0);
    if (k->kind == KERNEL_UPDATE)
        emit_find_window(e);
    return !e->failed;
}

element emit_nothing(emitter *e, tn_dtype d)
{
    e->failed = true;
    return element_zero(e->b, d, 1);
}

/* ---- what is known ---- */

void emit_know(emitter *e, value_id v, const access_map *map, element x)
{
    if (e->n_known == e->cap_known) {
        const uint32_t cap = e->cap_known ? 2 * e->cap_known : 64;
        emit_known *known = ARENA_ARRAY(e->memory, emit_known, cap);
        if (!known) {
            e->failed = true;
            return;
        }
        if (e->n_known)
            memcpy(known, e->known, e->n_known * sizeof *known);
        e->known = known;
        e->cap_known = cap;
    }
    e->known[e->n_known++] = (emit_known){v, map, x};
}

const emit_known *emit_find_known(const emitter *e, value_id v, const access_map *map)
{
    for (uint32_t i = e->n_known; i-- > 0;) {
        const emit_known *k = &e->known[i];
        if (k->v == v && (!k->map || access_same(k->map, map)))
            return k;
    }
    return NULL;
}

/* ---- values ---- */

bool emit_use_map(emitter *e, const node *n, uint32_t k, uint32_t use, const access_map *map,
                  const access_map **out)
{
    const type *in = value_type(e->f, n->in[k]), *t = value_type(e->f, n->first_value);
    access_map own, whole;
    *out = map;
    if (!moves(n) && !kernel_reads_by_data(n) && in->rank == t->rank &&
        memcmp(in->dims, t->dims, t->rank * sizeof *t->dims) == 0)
        return true; /* element by element */
    if (!kernel_operand_map(e->f, n, k, use, e->memory, &own) ||
        !access_compose(map, &own, e->memory, &whole))
        return false;
    access_plain_guards(&whole, map->n_guards);
    *out = access_copy(&whole, e->memory);
    return *out != NULL;
}

/* Is there nowhere that all guards of MAP number FROM and on hold, whatever the sizes? */
static bool never_hold(const emitter *e, const access_map *map, uint32_t from)
{
    for (uint32_t i = from; i < map->n_guards; i++) {
        const access_guard *g = &map->guards[i];
        if ((g->of->high < g->low || g->of->low >= g->high) && emit_is_fixed_guard(e->k, g))
            return true;
    }
    return false;
}

/* Are there several vectors side by side, in lines of known length, for which guards of MAP, number
 * FROM and on, hold in all lanes? The mask *WITHIN then says where all guards of MAP do. */
static bool is_mostly_within(emitter *e, const access_map *map, uint32_t from, loop_value *within)
{
    enum { MANY = 4 };
    bool varies = false;
    if (e->lanes == 1 || e->count != LOOP_NO_VALUE || e->vector_axis >= TN_MAX_RANK)
        return false;
    for (uint32_t i = from; i < map->n_guards; i++) {
        const access_guard *g = &map->guards[i];
        if (!(access_expr_axes(g->of) >> e->vector_axis & 1))
            continue;
        if (g->high - MANY * (int64_t)e->lanes < g->low)
            return false;
        varies = true;
    }
    *within = loop_const(e->b, loop_type_of(LOOP_MASK, 1), 1);
    return varies && emit_all_within(e, map, within);
}

/* X where OK, else the element at PAD. */
static element padded(emitter *e, element x, loop_value ok, const char *pad)
{
    const uint32_t lanes_x = element_lanes(e->b, x), lanes_ok = loop_lanes(e->b, ok);
    const uint32_t lanes = lanes_x > lanes_ok ? lanes_x : lanes_ok;
    return element_select(e->b, loop_splat(e->b, lanes, ok), element_splat(e->b, lanes, x),
                          element_const(e->b, x.dtype, lanes, pad));
}

/* Movement computes nothing, but where it pads. */
static element emit_moved(emitter *e, const node *n, const access_map *map)
{
    const tn_dtype d = value_type(e->f, n->first_value)->dtype;
    const access_map *from;
    char stored[16] = {0};
    if (!emit_operand_map(e, n, 0, map, &from))
        return emit_nothing(e, d);
    if (from->n_guards > map->n_guards)
        (void)scalar_store(*attr_find(n->attrs, KEY_PAD_VALUE)->v.scalar, d, stored);
    if (never_hold(e, from, map->n_guards))
        return element_const(e->b, emit_dtype(e, d), 1, stored);
    element x = emit_value(e, n->in[0], from);
    loop_value within;
    if (from->n_guards > map->n_guards && is_mostly_within(e, from, map->n_guards, &within)) {
        const element var = element_var(e->b, element_splat(e->b, e->lanes, x));
        loop_if(e->b, loop_unary(e->b, LOOP_NOT, within));
        x = padded(e, x, emit_all_hold(e, from, map->n_guards), stored);
        element_set(e->b, var, element_splat(e->b, e->lanes, x));
        loop_end(e->b);
        return element_get(e->b, var);
    }
    const loop_value ok = emit_all_hold(e, from, map->n_guards);
    return ok == LOOP_NO_VALUE ? x : padded(e, x, ok, stored);
}

static element emit_iota(emitter *e, const node *n, const access_map *map)
{
    const type *t = value_type(e->f, n->first_value);
    int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
    axis += axis < 0 ? t->rank : 0;
    const emit_index at = emit_expr(e, map->at[axis]);
    const bool varies = emit_varies(e, &at);
    return element_iota(e->b, t->dtype, varies ? emit_all_lanes(e, &at) : at.first);
}

/* ---- random numbers ---- */

static element emit_draw(emitter *e, const node *n, const access_map *map)
{
    const type *t = value_type(e->f, n->first_value);
    const module *m = e->f->module;
    const access_expr *offset =
        access_offset(map, access_extents_of(e->f, n->first_value), e->memory);
    element_draws from = {.seed = e->seed};
    if (!offset)
        return emit_nothing(e, t->dtype);
    while (from.function < m->functions.n && m->functions.at[from.function] != e->f)
        from.function++;
    for (const node *before = e->f->nodes.at; before < n; before++)
        from.stream += node_draws(before);
    const emit_index at = emit_expr(e, offset);
    const bool varies = emit_varies(e, &at);
    const loop_value position = varies ? emit_all_lanes(e, &at) : at.first;
    return n->op == OP_RNG_UNIFORM ? element_uniform(e->b, t->dtype, &from, position)
                                   : element_normal(e->b, t->dtype, &from, position);
}

enum { FEW_OPERANDS = 3 };

static element emit_op(emitter *e, const node *n, const access_map *map)
{
    loop_builder *b = e->b;
    const tn_dtype d = value_type(e->f, n->first_value)->dtype;
    element in[FEW_OPERANDS], x;
    uint32_t lanes = 1;
    loop_value fails;
    if (n->n_in > FEW_OPERANDS)
        return emit_nothing(e, d);
    for (uint32_t k = 0; k < n->n_in; k++) {
        const access_map *from;
        if (!emit_operand_map(e, n, k, map, &from))
            return emit_nothing(e, d);
        in[k] = emit_value(e, n->in[k], from);
        lanes = element_lanes(b, in[k]) > lanes ? element_lanes(b, in[k]) : lanes;
    }
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = element_splat(b, lanes, in[k]);
    if (e->failed || !element_op(b, (op_id)n->op, n->attrs, in, n->n_in, d, &x, &fails))
        return emit_nothing(e, d);
    if (fails != LOOP_NO_VALUE) {
        if (lanes > 1 && e->count != LOOP_NO_VALUE)
            fails = emit_both(b, fails, element_first(b, lanes, e->count));
        loop_fail(b, loop_any(b, fails), 1);
    }
    return x;
}

const emit_kept *emit_find_kept(const emitter *e, value_id v, const access_map *map)
{
    for (uint32_t i = 0; i < e->n_kept; i++)
        if (e->kept[i].v == v && e->kept[i].is_filled && access_same(e->kept[i].map, map))
            return &e->kept[i];
    return NULL;
}

static element load_kept(emitter *e, const emit_kept *kept)
{
    const loop_value p = emit_address(e, kept->memory, e->kept_at, kept->dtype);
    return element_load(e->b, kept->dtype, p, e->lanes, emit_natural(kept->dtype));
}

/* The constant N of one number, which may depend on sizes. */
static element emit_number(emitter *e, const node *n, tn_dtype d)
{
    const function *like = e->f->like;
    const void *data = attr_find(n->attrs, KEY_VALUE)->v.literal->data;
    const element x = element_const(e->b, d, 1, data);
    const size_t bytes = dtype_bytes(value_type(e->f, n->first_value)->dtype);
    const node *other = like ? node_of(like, n->first_value) : n;
    const void *beside =
        kernel_is_uniform(other) ? attr_find(other->attrs, KEY_VALUE)->v.literal->data : data;
    if (memcmp(data, beside, bytes) == 0)
        return x;
    loop_depends(e->b, x.re, hash_bytes(0, beside, bytes));
    if (x.im != LOOP_NO_VALUE)
        loop_depends(e->b, x.im, hash_bytes(1, beside, bytes));
    return x;
}

/* The recursion ends at what is in memory, after at most as many steps as the kernel has nodes. */
element emit_value(emitter *e, value_id v, const access_map *map)
{
    const type *t = value_type(e->f, v);
    const node *n = node_of(e->f, v);
    const emit_known *known = emit_find_known(e, v, map);
    if (known)
        return known->x;
    if (e->failed)
        return element_zero(e->b, t->dtype, 1);
    const emit_kept *kept = emit_find_kept(e, v, map);
    element x;
    if (kept) {
        x = load_kept(e, kept);
    } else if (kernel_is_uniform(n)) {
        x = emit_number(e, n, emit_dtype(e, t->dtype));
    } else if (!emit_contains(e->k, e->f->values.at[v].node)) {
        const uint32_t i = emit_input(e->k, v);
        x = i == UINT32_MAX ? emit_nothing(e, t->dtype) : emit_load(e, i, map);
    } else if (n->op == OP_IOTA) {
        x = emit_iota(e, n, map);
    } else if (node_draws(n)) {
        x = emit_draw(e, n, map);
    } else if (kernel_reads_by_data(n)) {
        x = emit_by_data(e, n, map);
    } else {
        x = moves(n) ? emit_moved(e, n, map) : emit_op(e, n, map);
    }
    emit_know(e, v, map, x);
    return x;
}

/* An element number is a position along the last axis that has several. */
element emit_numbered(emitter *e, value_id v, loop_value index, uint32_t lanes, loop_value count)
{
    const type *t = value_type(e->f, v);
    access_map own;
    const access_map *all =
        access_identity(t->dims, t->rank, e->memory, &own) ? access_copy(&own, e->memory) : NULL;
    uint32_t axis = t->rank;
    while (axis > 0 && t->dims[axis - 1] == 1)
        axis--;
    for (uint32_t i = 0; i < t->rank; i++)
        e->at[i] = i + 1 == axis ? index : loop_i64(e->b, 0);
    e->rank = t->rank;
    e->vector_axis = axis > 0 ? axis - 1 : t->rank;
    e->lanes = axis > 0 ? lanes : 1;
    e->count = e->lanes == 1 ? LOOP_NO_VALUE : count;
    const element x = all ? emit_value(e, v, all) : emit_nothing(e, t->dtype);
    return element_splat(e->b, lanes, x);
}
