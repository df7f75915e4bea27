/* Access maps: how they are made, composed and compared. */
#include "index/access_parts.h"

#include <string.h>

#include "base/memory/checked.h"

bool access_start(const int64_t *dims, uint32_t rank, uint32_t n_source, access_map *map)
{
    map->rank = rank;
    map->n_source = n_source;
    map->n_guards = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] <= 0)
            return false;
        map->dims[i] = dims[i];
    }
    return true;
}

bool access_identity(const int64_t *dims, uint32_t rank, arena *memory, access_map *out)
{
    bool ok = access_start(dims, rank, rank, out);
    for (uint32_t i = 0; ok && i < rank; i++)
        ok = (out->at[i] = access_axis_at(i, dims[i], 1, 0, memory)) != NULL;
    return ok;
}

bool access_of_order(const int64_t *dims, const uint32_t *order, uint32_t rank, arena *memory,
                     access_map *out)
{
    int64_t result[TN_MAX_RANK] = {0};
    for (uint32_t k = 0; k < rank; k++)
        result[k] = dims[order[k]];
    bool ok = access_start(result, rank, rank, out);
    for (uint32_t k = 0; ok && k < rank; k++)
        ok = (out->at[order[k]] = access_axis_at(k, result[k], 1, 0, memory)) != NULL;
    return ok;
}

bool access_of_broadcast(const type *in, const int64_t *dims, uint32_t rank, arena *memory,
                         access_map *map)
{
    bool ok = access_start(dims, rank, in->rank, map);
    for (uint32_t i = 0; ok && i < in->rank; i++) {
        const uint32_t from = rank - in->rank + i;
        map->at[i] = in->dims[i] == 1 ? access_constant(0, memory)
                                      : access_axis_at(from, dims[from], 1, 0, memory);
        ok = map->at[i] != NULL;
    }
    return ok;
}

bool access_of_steps(const int64_t *dims, uint32_t rank, uint32_t n_source, const int64_t *constant,
                     const int64_t (*by)[TN_MAX_RANK], arena *memory, access_map *map)
{
    bool ok = access_start(dims, rank, n_source, map);
    for (uint32_t i = 0; ok && i < n_source; i++) {
        access_sum s = access_sum_of(sized_of(constant[i]));
        for (uint32_t k = 0; k < rank; k++)
            if (by[i][k] != 0)
                access_add(&s, access_axis_at(k, dims[k], by[i][k], 0, memory), ACCESS_ONE);
        ok = (map->at[i] = access_finish(&s, memory)) != NULL;
    }
    return ok;
}

bool access_compose(const access_map *outer, const access_map *inner, arena *memory,
                    access_map *out)
{
    access_map map;
    bool ok = access_start(outer->dims, outer->rank, inner->n_source, &map) &&
              outer->n_guards + inner->n_guards <= ACCESS_GUARDS;
    for (uint32_t i = 0; ok && i < inner->n_source; i++)
        ok = (map.at[i] = access_substitute(inner->at[i], outer->at, memory)) != NULL;
    for (uint32_t i = 0; ok && i < outer->n_guards; i++)
        map.guards[map.n_guards++] = outer->guards[i];
    for (uint32_t i = 0; ok && i < inner->n_guards; i++) {
        access_guard g = inner->guards[i];
        g.of = access_substitute(g.of, outer->at, memory);
        ok = g.of != NULL;
        if (ok && (g.of->low < g.low || g.of->high >= g.high)) /* else it always holds */
            map.guards[map.n_guards++] = g;
    }
    if (ok)
        *out = map;
    return ok;
}

void access_plain_guards(access_map *map, uint32_t from)
{
    enum { MOST = INT32_MAX }; /* products of such numbers are far from overflowing */
    for (uint32_t i = from; i < map->n_guards; i++) {
        access_guard *g = &map->guards[i];
        while (g->of->n == 1 && g->of->at[0].kind == ACCESS_QUOTIENT && g->of->at[0].factor == 1 &&
               g->of->at[0].factor_other == 1) {
            const access_term *t = &g->of->at[0];
            const sized by = {t->by, t->by_other};
            const sized back = {-g->of->constant, other_mul(-1, g->of->constant_other)};
            const sized low = sized_add((sized){g->low, g->low_other}, back);
            const sized high = sized_add((sized){g->high, g->high_other}, back);
            if (t->by > MOST || low.now < -MOST || low.now > MOST || high.now < -MOST ||
                high.now > MOST)
                break;
            *g = access_guard_of(t->of, sized_mul(low, by), sized_mul(high, by), g->fill);
        }
    }
}

bool access_shifted(const access_map *map, uint32_t axis, sized shift, arena *memory,
                    access_map *out)
{
    access_sum s = access_sum_of(sized_of(0));
    access_add(&s, map->at[axis], ACCESS_ONE);
    access_add_constant(&s, shift, ACCESS_ONE);
    access_map shifted = {.rank = map->rank, .n_source = map->n_source, .n_guards = map->n_guards};
    memcpy(shifted.dims, map->dims, sizeof shifted.dims);
    memcpy(shifted.at, map->at, sizeof shifted.at);
    memcpy(shifted.guards, map->guards, map->n_guards * sizeof *map->guards);
    if (!(shifted.at[axis] = access_finish(&s, memory)))
        return false;
    *out = shifted;
    return true;
}

/* Guards are many and mostly unused. */
static size_t used_bytes(const access_map *map)
{
    return offsetof(access_map, guards) + map->n_guards * sizeof *map->guards;
}

const access_map *access_copy(const access_map *map, arena *memory)
{
    access_map *copy = arena_alloc(memory, used_bytes(map));
    if (copy)
        memcpy(copy, map, used_bytes(map));
    return copy;
}

void access_assign(access_map *to, const access_map *from)
{
    memcpy(to, from, used_bytes(from));
}

bool access_same(const access_map *a, const access_map *b)
{
    if (a == b)
        return true;
    bool same = a->rank == b->rank && a->n_source == b->n_source && a->n_guards == b->n_guards;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = a->dims[i] == b->dims[i];
    for (uint32_t i = 0; same && i < a->n_source; i++)
        same = access_same_expr(a->at[i], b->at[i]);
    for (uint32_t i = 0; same && i < a->n_guards; i++) {
        const access_guard *x = &a->guards[i], *y = &b->guards[i];
        same = x->low == y->low && x->high == y->high && x->fill == y->fill &&
               access_same_expr(x->of, y->of);
    }
    return same;
}

access_extents access_extents_of(const function *f, value_id v)
{
    const type *t = value_type(f, v);
    return (access_extents){t->rank, t->dims, f->like ? value_type(f->like, v)->dims : t->dims};
}

/* STRIDE * extent I of X; false on overflow. */
static bool next_stride(sized *stride, access_extents x, uint32_t i)
{
    stride->other = other_mul(stride->other, x.other[i]);
    return mul_i64(stride->now, x.now[i], &stride->now);
}

const access_expr *access_offset(const access_map *map, access_extents dims, arena *memory)
{
    access_sum s = access_sum_of(sized_of(0));
    sized stride = ACCESS_ONE;
    for (uint32_t i = map->n_source; i-- > 0;) {
        access_add(&s, map->at[i], stride);
        s.fits = s.fits && next_stride(&stride, dims, i);
    }
    return access_finish(&s, memory);
}

uint32_t access_axes(const access_map *map)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < map->n_source; i++)
        mask |= access_expr_axes(map->at[i]);
    for (uint32_t i = 0; i < map->n_guards; i++)
        mask |= access_expr_axes(map->guards[i].of);
    return mask;
}

int64_t access_padding(const access_map *map, const int64_t *at)
{
    for (uint32_t i = 0; i < map->n_guards; i++) {
        const int64_t v = access_value(map->guards[i].of, at);
        if (v < map->guards[i].low || v >= map->guards[i].high)
            return map->guards[i].fill;
    }
    return -1;
}

/* The source's axes are digits of the result's row-major position. */
static bool digits(access_extents dims, access_extents from, arena *memory, access_map *map)
{
    access_sum s = access_sum_of(sized_of(0));
    sized stride = ACCESS_ONE;
    for (uint32_t k = dims.rank; k-- > 0;) {
        access_add(&s, access_sized_axis(k, dims.now[k], stride, memory), ACCESS_ONE);
        s.fits = s.fits && next_stride(&stride, dims, k);
    }
    const access_expr *position = access_finish(&s, memory);
    stride = ACCESS_ONE;
    for (uint32_t i = from.rank; i-- > 0;) {
        const access_expr *above = access_divide(position, stride, false, memory);
        map->at[i] = access_divide(above, (sized){from.now[i], from.other[i]}, true, memory);
        if (!map->at[i] || !next_stride(&stride, from, i))
            return false;
    }
    return position != NULL;
}

bool access_of_reshape(access_extents dims, access_extents from, arena *memory, access_map *map)
{
    return access_start(dims.now, dims.rank, from.rank, map) && digits(dims, from, memory, map);
}
