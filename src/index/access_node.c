/* The maps of movement nodes. */
#include <string.h>

#include "index/access_parts.h"
#include "ops/index_map.h"
#include "ops/shape.h"

static sized constant_of(const access_expr *e)
{
    return (sized){e->constant, e->constant_other};
}

static bool of_transpose(const node *n, const type *out, arena *memory, access_map *map)
{
    uint32_t rank;
    const int64_t *perm = attr_ints(n->attrs, KEY_PERM, &rank);
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t from = perm[i] < 0 ? perm[i] + rank : perm[i];
        if (from < 0 || from >= (int64_t)rank ||
            !(map->at[from] = access_axis_at(i, out->dims[i], 1, 0, memory)))
            return false;
    }
    return true;
}

static bool of_broadcast(const node *n, const type *in, const type *out, arena *memory,
                         access_map *map)
{
    uint32_t to[TN_MAX_RANK];
    shape s;
    if (resolve_broadcast(n->attrs, in, &s, to).kind != SHAPE_OK)
        return false;
    for (uint32_t i = 0; i < in->rank; i++) {
        map->at[i] = in->dims[i] == 1 ? access_constant(0, memory)
                                      : access_axis_at(to[i], out->dims[to[i]], 1, 0, memory);
        if (!map->at[i])
            return false;
    }
    return true;
}

static bool of_slice(const node *n, const type *in, const type *out, arena *memory, access_map *map)
{
    slice_range ranges[TN_MAX_RANK];
    shape s;
    if (resolve_slices(n->attrs, in->dims, in->rank, ranges, &s).kind != SHAPE_OK)
        return false;
    for (uint32_t i = 0; i < in->rank; i++)
        if (!(map->at[i] =
                  access_axis_at(i, out->dims[i], ranges[i].step, ranges[i].start, memory)))
            return false;
    return true;
}

static bool of_reverse(const node *n, const type *in, arena *memory, access_map *map)
{
    uint32_t n_axes;
    const int64_t *given = attr_ints(n->attrs, KEY_AXES, &n_axes);
    axis_list axes;
    if (resolve_axes(given, n_axes, in->rank, &axes).kind != SHAPE_OK)
        return false;
    for (uint32_t i = 0; i < in->rank; i++) {
        const bool back = axes.mask >> i & 1;
        map->at[i] =
            access_axis_at(i, in->dims[i], back ? -1 : 1, back ? in->dims[i] - 1 : 0, memory);
        if (!map->at[i])
            return false;
    }
    return true;
}

/* With holes between elements there is no map. */
static bool of_pad(const node *n, const type *in, const type *out, uint32_t fill, arena *memory,
                   access_map *map)
{
    uint32_t rank;
    const int64_t *low = attr_ints(n->attrs, KEY_LOW, &rank);
    const int64_t *interior = attr_ints(n->attrs, KEY_INTERIOR, &rank);
    for (uint32_t i = 0; i < in->rank; i++) {
        if (interior[i] != 0 || in->dims[i] == 0)
            return false;
        const access_expr *e = map->at[i] = access_axis_at(i, out->dims[i], 1, -low[i], memory);
        if (!e)
            return false;
        const bool is_guarded = e->low < 0 || e->high >= in->dims[i];
        if (is_guarded && map->n_guards == ACCESS_GUARDS)
            return false;
        if (is_guarded)
            map->guards[map->n_guards++] =
                access_guard_of(e, sized_of(0), sized_of(in->dims[i]), fill);
    }
    return true;
}

static bool of_tile(const type *in, const type *out, arena *memory, access_map *map)
{
    for (uint32_t i = 0; i < in->rank; i++)
        if (!(map->at[i] = access_divide(access_axis_at(i, out->dims[i], 1, 0, memory),
                                         sized_of(in->dims[i]), true, memory)))
            return false;
    return true;
}

static bool of_pool(const node *n, const type *in, const type *out, arena *memory, access_map *map)
{
    uint32_t k;
    const int64_t *strides = attr_ints(n->attrs, KEY_STRIDES, &k);
    const int64_t *dilation = attr_ints(n->attrs, KEY_DILATION, &k);
    for (uint32_t i = 0; i < in->rank; i++) {
        const uint32_t lead = in->rank - k;
        access_sum s = access_sum_of(sized_of(0));
        access_add(&s, access_axis_at(i, out->dims[i], i < lead ? 1 : strides[i - lead], 0, memory),
                   sized_of(1));
        if (i >= lead)
            access_add(&s, access_axis_at(i + k, out->dims[i + k], dilation[i - lead], 0, memory),
                       sized_of(1));
        if (!(map->at[i] = access_finish(&s, memory)))
            return false;
    }
    return true;
}

static const access_expr *of_index(const index_expr *e, const type *out, arena *memory)
{
    access_sum s = access_sum_of(sized_of(0));
    if (e->op == INDEX_NUMBER)
        return access_constant(e->value, memory);
    if (e->op == INDEX_AXIS)
        return access_axis_at((uint32_t)e->value, out->dims[e->value], 1, 0, memory);
    if (e->op == INDEX_SYMBOL)
        return NULL;
    const access_expr *a = of_index(e->a, out, memory), *b = of_index(e->b, out, memory);
    if (!a || !b)
        return NULL;
    if (e->op == INDEX_FLOORDIV || e->op == INDEX_MOD)
        return b->n == 0 ? access_divide(a, constant_of(b), e->op == INDEX_MOD, memory) : NULL;
    if (e->op == INDEX_MUL) {
        if (a->n && b->n)
            return NULL;
        access_add(&s, a->n ? a : b, constant_of(a->n ? b : a));
    } else {
        access_add(&s, a, sized_of(1));
        access_add(&s, b, e->op == INDEX_ADD ? sized_of(1) : sized_of(-1));
    }
    return access_finish(&s, memory);
}

static bool of_view(const node *n, const type *in, const type *out, arena *memory, access_map *map)
{
    index_map own;
    size_t where;
    if (index_map_parse(attr_string(n->attrs, KEY_INDEX_MAP), out->rank, memory, &own, &where) !=
            INDEX_FINE ||
        own.n != in->rank)
        return false;
    for (uint32_t i = 0; i < own.n; i++)
        if (!(map->at[i] = of_index(own.at[i], out, memory)))
            return false;
    return true;
}

bool access_is_movement(const node *n)
{
    return op_table[n->op].class == K_MOVES;
}

static bool of_node(const node *n, const type *in, const type *out, uint32_t fill, arena *memory,
                    access_map *map)
{
    if (!type_is_static(in) || !type_is_static(out) ||
        !access_start(out->dims, out->rank, in->rank, map))
        return false;
    switch ((int)n->op) {
    case OP_TRANSPOSE:
        return of_transpose(n, out, memory, map);
    case OP_BROADCAST:
        return of_broadcast(n, in, out, memory, map);
    case OP_SLICE:
        return of_slice(n, in, out, memory, map);
    case OP_REVERSE:
        return of_reverse(n, in, memory, map);
    case OP_PAD:
        return of_pad(n, in, out, fill, memory, map);
    case OP_TILE:
        return of_tile(in, out, memory, map);
    case OP_POOL:
        return of_pool(n, in, out, memory, map);
    case OP_VIEW:
        return of_view(n, in, out, memory, map);
    default:
        return false;
    }
}

/* E with the numbers of LIKE beside its own, where both have one form. NULL: they have not. */
static const access_expr *beside(const access_expr *e, const access_expr *like, arena *memory)
{
    if (e->n != like->n)
        return NULL;
    const size_t bytes = sizeof *e + e->n * sizeof *e->at;
    access_expr *both = arena_alloc(memory, bytes);
    if (!both)
        return NULL;
    memcpy(both, e, bytes);
    both->constant_other = like->constant;
    for (uint32_t i = 0; i < e->n; i++) {
        access_term *t = &both->at[i];
        const access_term *other = &like->at[i];
        if (t->kind != other->kind || (t->kind == ACCESS_AXIS && t->axis != other->axis))
            return NULL;
        t->factor_other = other->factor;
        t->by_other = other->by;
        if (t->kind != ACCESS_AXIS && !(t->of = beside(t->of, other->of, memory)))
            return NULL;
    }
    return both;
}

/* The same for MAP. Where forms differ, its numbers stay alone. */
static void put_beside(access_map *map, const access_map *like, arena *memory)
{
    for (uint32_t i = 0; i < map->n_source; i++) {
        const access_expr *both = beside(map->at[i], like->at[i], memory);
        map->at[i] = both ? both : map->at[i];
    }
    for (uint32_t i = 0; i < map->n_guards && map->n_guards == like->n_guards; i++) {
        access_guard *g = &map->guards[i];
        const access_expr *both = beside(g->of, like->guards[i].of, memory);
        g->of = both ? both : g->of;
        g->low_other = like->guards[i].low;
        g->high_other = like->guards[i].high;
    }
}

bool access_of_node(const function *f, const node *n, arena *memory, access_map *map)
{
    const type *in = value_type(f, n->in[0]), *out = value_type(f, n->first_value);
    const uint32_t fill = n->first_value;
    access_map like;
    if (n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE) {
        map->n_guards = 0;
        return type_is_static(in) && type_is_static(out) &&
               access_of_reshape(access_extents_of(f, fill), access_extents_of(f, n->in[0]), memory,
                                 map);
    }
    if (!of_node(n, in, out, fill, memory, map))
        return false;
    if (f->like && of_node(node_of(f->like, fill), value_type(f->like, n->in[0]),
                           value_type(f->like, fill), fill, memory, &like))
        put_beside(map, &like, memory);
    return true;
}
