/* Derivatives of sliding windows and of views: every element gets the sum of what was read from
 * it. */
#include "ops/cells.h"
#include "ops/grad.h"
#include "ops/index_map.h"

static bool is_known(const type *t)
{
    return type_is_static(t);
}

tn_status grad_pool(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    uint32_t n;
    const int64_t *strides = attr_ints(c->n.attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(c->n.attrs, KEY_DILATION, &n);
    value_id g = c->g[0];
    if (!is_known(x))
        return grad_refuse(c, "an extent is symbolic");
    /* The axis of windows goes away: that of the next one takes its place. */
    for (uint32_t k = 0; k < n; k++) {
        uint32_t axis = x->rank - n + k;
        g = grad_fold_windows(c, g, axis, x->rank, strides[k], dilation[k], x->dims[axis]);
    }
    return grad_gives(c, g);
}

/* [n, places.., windows.. * channels] as [n, places.., channels, windows..]. */
static value_id windows_apart(grad_call *c, value_id g, const type *x, const int64_t *window,
                              uint32_t n)
{
    const type *t = grad_type(c, g);
    dim dims[TN_MAX_RANK];
    int64_t perm[TN_MAX_RANK];
    uint32_t rank = t->rank + n;
    if (rank > TN_MAX_RANK) {
        c->b.status = grad_refuse(c, "the rank is too high");
        return NO_VALUE;
    }
    for (uint32_t i = 0; i + 1 < t->rank; i++) {
        dims[i] = t->dims[i];
        perm[i] = i;
    }
    for (uint32_t k = 0; k < n; k++) {
        dims[t->rank - 1 + k] = window[k];
        perm[t->rank + k] = t->rank - 1 + k;
    }
    dims[rank - 1] = x->dims[x->rank - 1];
    perm[t->rank - 1] = rank - 1;
    return build_transpose(&c->b, build_reshape(&c->b, g, dims, rank), perm, rank);
}

tn_status grad_extract_patches(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    uint32_t n, n_pads;
    const int64_t *window = attr_ints(c->n.attrs, KEY_WINDOW, &n);
    const int64_t *strides = attr_ints(c->n.attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(c->n.attrs, KEY_DILATION, &n);
    const int64_t *pads = attr_ints(c->n.attrs, KEY_PADS, &n_pads);
    if (!is_known(x))
        return grad_refuse(c, "an extent is symbolic");
    value_id g = windows_apart(c, c->g[0], x, window, n);
    for (uint32_t k = 0; k < n; k++) {
        int64_t extent = x->dims[1 + k], padded = extent + pads[2 * k] + pads[2 * k + 1];
        g = grad_fold_windows(c, g, 1 + k, x->rank, strides[k], dilation[k], padded);
        g = grad_pick(c, g, 1 + k, pads[2 * k], 1, extent);
    }
    return grad_gives(c, g);
}

/* ---- reduce_window ------------------------------------------------------------------------- */

typedef struct windows {
    const int64_t *window, *strides, *pads, *base, *dilation;
    uint32_t n;
} windows;

static windows windows_of(const grad_call *c)
{
    windows w;
    uint32_t n;
    w.window = attr_ints(c->n.attrs, KEY_WINDOW, &w.n);
    w.strides = attr_ints(c->n.attrs, KEY_STRIDES, &n);
    w.pads = attr_ints(c->n.attrs, KEY_PADS, &n);
    w.base = attr_ints(c->n.attrs, KEY_BASE_DILATION, &n);
    w.dilation = attr_ints(c->n.attrs, KEY_DILATION, &n);
    return w;
}

static bool is_trivial(const windows *w, uint32_t k)
{
    return w->window[k] == 1 && w->strides[k] == 1 && w->base[k] == 1 && !w->pads[2 * k] &&
           !w->pads[2 * k + 1];
}

/* X dilated and padded with zeros, as windows: [places.., windows..], only of axes where there is
 * something to do. */
static value_id unfold_all(grad_call *c, const windows *w, value_id x)
{
    const type *t = grad_type(c, x), *y = grad_type(c, grad_y(c));
    for (uint32_t k = 0; k < w->n; k++) {
        if (is_trivial(w, k))
            continue;
        int64_t used = (t->dims[k] - 1) * w->base[k] + 1;
        x = grad_spread(c, x, k, w->pads[2 * k], w->base[k],
                        used + w->pads[2 * k] + w->pads[2 * k + 1]);
        x = grad_unfold_windows(c, x, k, w->strides[k], w->dilation[k], y->dims[k], w->window[k]);
    }
    return x;
}

/* The opposite, adding up. */
static value_id fold_all(grad_call *c, const windows *w, value_id g, const type *x)
{
    for (uint32_t k = 0; k < w->n; k++) {
        if (is_trivial(w, k))
            continue;
        int64_t used = (x->dims[k] - 1) * w->base[k] + 1;
        int64_t padded = used + w->pads[2 * k] + w->pads[2 * k + 1];
        g = grad_fold_windows(c, g, k, x->rank, w->strides[k], w->dilation[k], padded);
        g = grad_pick(c, g, k, w->pads[2 * k], w->base[k], x->dims[k]);
    }
    return g;
}

/* V, of the shape of the result, with an axis of extent 1, or of the window, for every window. */
static value_id at_windows(grad_call *c, const windows *w, value_id v, bool repeated)
{
    dim thin[TN_MAX_RANK], wide[TN_MAX_RANK];
    const type *t = grad_type(c, v);
    uint32_t rank = t->rank;
    for (uint32_t i = 0; i < rank; i++)
        thin[i] = wide[i] = t->dims[i];
    for (uint32_t k = 0; k < w->n; k++) {
        if (is_trivial(w, k))
            continue;
        if (rank == TN_MAX_RANK) {
            c->b.status = grad_refuse(c, "the rank is too high");
            return NO_VALUE;
        }
        thin[rank] = 1;
        wide[rank++] = w->window[k];
    }
    v = build_reshape(&c->b, v, thin, rank);
    return repeated ? build_broadcast(&c->b, v, wide, rank) : v;
}

/* Sums give everything to each element; those equal to an extremum share it. Padding is told apart
 * from elements by windows of ones. */
tn_status grad_reduce_window(grad_call *c)
{
    value_id x = grad_in(c, 0);
    const type *t = grad_type(c, x);
    windows w = windows_of(c);
    if (!is_known(t))
        return grad_refuse(c, "an extent is symbolic");
    if (attr_int(c->n.attrs, KEY_COMBINE, COMBINE_ADD) == COMBINE_ADD)
        return grad_gives(c, fold_all(c, &w, at_windows(c, &w, c->g[0], true), t));
    value_id there = unfold_all(c, &w, grad_splat(c, x, t->dims, t->rank, 1));
    value_id elements = unfold_all(c, &w, x), y = at_windows(c, &w, grad_y(c), false);
    if (c->b.status != TN_OK)
        return c->b.status;
    value_id hit =
        build_select(&c->b, build_compare(&c->b, DIR_EQ, elements, y), there, grad_zeros(c, there));
    uint32_t rank = grad_type(c, hit)->rank;
    int64_t axes[TN_MAX_RANK];
    for (uint32_t i = t->rank; i < rank; i++)
        axes[i - t->rank] = i;
    value_id hits =
        rank > t->rank ? build_reduce(&c->b, OP_SUM, hit, axes, rank - t->rank, false) : hit;
    value_id some = build_binary(&c->b, OP_MAXIMUM, hits, grad_scalar(c, x, 1));
    value_id share = build_binary(&c->b, OP_DIV, c->g[0], some);
    value_id part = build_binary(&c->b, OP_MUL, hit, at_windows(c, &w, share, false));
    return grad_gives(c, fold_all(c, &w, part, t));
}

/* ---- view ---------------------------------------------------------------------------------- */

/* One operand axis as offset + sum of factors times result axes. */
typedef struct affine {
    int64_t offset, factors[TN_MAX_RANK];
} affine;

/* The work on g: which result axis each of its axes is. */
typedef struct view_work {
    value_id g;
    uint32_t rank, axis[TN_MAX_RANK];
} view_work;

static uint32_t find_axis(const view_work *v, uint32_t axis)
{
    uint32_t at = 0;
    while (v->axis[at] != axis)
        at++;
    return at;
}

static void drop_axis(view_work *v, uint32_t at)
{
    v->rank--;
    for (uint32_t i = at; i < v->rank; i++)
        v->axis[i] = v->axis[i + 1];
}

/* Sum over result axes that no expression has (they repeat), and those of extent 1. */
static void drop_unused(grad_call *c, view_work *v, const affine *maps, uint32_t n, const type *y)
{
    for (uint32_t k = y->rank; k-- > 0;) {
        bool is_used = false;
        for (uint32_t i = 0; i < n; i++)
            is_used = is_used || maps[i].factors[k] != 0;
        if (is_used && y->dims[k] != 1)
            continue;
        uint32_t at = find_axis(v, k);
        int64_t axis = at;
        v->g = build_reduce(&c->b, OP_SUM, v->g, &axis, 1, false);
        drop_axis(v, at);
    }
}

/* Bring the result axes of MAP, which no other map has, together into one axis of EXTENT, and mark
 * it as belonging to operand axis I (numbered behind the result axes). */
static bool gather_axis(grad_call *c, view_work *v, const affine *map, uint32_t i, const type *y,
                        int64_t extent)
{
    int64_t offset = map->offset, reach = 1, step = 1;
    uint32_t own = TN_MAX_RANK; /* the result axis that stands for all so far */
    for (uint32_t k = 0; k < y->rank; k++) {
        int64_t f = map->factors[k];
        if (f == 0 || y->dims[k] == 1)
            continue;
        uint32_t at = find_axis(v, k);
        if (f < 0) {
            v->g = grad_flip(c, v->g, at);
            offset += f * (y->dims[k] - 1);
            f = -f;
        }
        if (own == TN_MAX_RANK) {
            own = k;
            step = f;
            reach = (y->dims[k] - 1) * f + 1;
            continue;
        }
        reach += (y->dims[k] - 1) * f;
        if (c->b.status != TN_OK)
            return false;
        v->g = grad_fold_windows(c, v->g, find_axis(v, own), at, step, f, reach);
        drop_axis(v, at);
        step = 1;
    }
    if (own == TN_MAX_RANK) {
        /* A fixed position: a new axis at the end. */
        dim dims[TN_MAX_RANK];
        if (c->b.status != TN_OK || v->rank == TN_MAX_RANK)
            return false;
        for (uint32_t k = 0; k < v->rank; k++)
            dims[k] = grad_type(c, v->g)->dims[k];
        dims[v->rank] = 1;
        v->g = build_reshape(&c->b, v->g, dims, v->rank + 1);
        v->axis[v->rank++] = TN_MAX_RANK + i;
    } else {
        v->axis[find_axis(v, own)] = TN_MAX_RANK + i;
    }
    v->g = grad_spread(c, v->g, find_axis(v, TN_MAX_RANK + i), offset, step, extent);
    return c->b.status == TN_OK;
}

/* All operand axes in turn, then in their order. */
static value_id gather_axes(grad_call *c, const affine *maps, uint32_t n, const int64_t *extents)
{
    const type *y = grad_type(c, grad_y(c));
    view_work v = {.g = c->g[0], .rank = y->rank};
    int64_t perm[TN_MAX_RANK];
    for (uint32_t k = 0; k < y->rank; k++)
        v.axis[k] = k;
    drop_unused(c, &v, maps, n, y);
    for (uint32_t i = 0; i < n; i++)
        if (!gather_axis(c, &v, &maps[i], i, y, extents[i]))
            return NO_VALUE;
    for (uint32_t i = 0; i < n; i++)
        perm[i] = find_axis(&v, TN_MAX_RANK + i);
    return build_transpose(&c->b, v.g, perm, n);
}

/* Does a result axis move along more than one operand axis? */
static bool is_diagonal(const affine *maps, uint32_t n, const type *y)
{
    for (uint32_t k = 0; k < y->rank; k++) {
        uint32_t uses = 0;
        for (uint32_t i = 0; i < n; i++)
            uses += maps[i].factors[k] != 0 && y->dims[k] != 1;
        if (uses > 1)
            return true;
    }
    return false;
}

/* One expression for the position in the flattened operand. */
static affine flatten(const affine *maps, uint32_t n, const type *x, uint32_t rank)
{
    affine all = {0, {0}};
    int64_t strides[TN_MAX_RANK];
    type_strides(x, strides);
    for (uint32_t i = 0; i < n; i++) {
        all.offset += maps[i].offset * strides[i];
        for (uint32_t k = 0; k < rank; k++)
            all.factors[k] += maps[i].factors[k] * strides[i];
    }
    return all;
}

/* Positions that are not affine are written down as a constant. */
static tn_status scatter_view(grad_call *c, const index_map *map)
{
    const type *x = grad_type(c, grad_in(c, 0)), *y = grad_type(c, grad_y(c));
    module *m = c->b.f->module;
    int64_t at[TN_MAX_RANK] = {0}, strides[TN_MAX_RANK];
    if (!grad_has(c, OP_SCATTER_ADD) && !grad_has(c, OP_SCATTER_ROWS))
        return grad_refuse(c, "its index map is not affine, and the dialect cannot scatter");
    int64_t *flat = ARENA_ARRAY(&m->arena, int64_t, (size_t)y->count);
    if (!flat)
        return module_no_memory(m);
    type_strides(x, strides);
    for (int64_t k = 0; k < y->count; k++) {
        for (uint32_t i = 0; i < map->n; i++)
            flat[k] += index_value(map->at[i], at) * strides[i];
        for (uint32_t i = y->rank; i-- > 0;) {
            if (++at[i] < y->dims[i])
                break;
            at[i] = 0;
        }
    }
    value_id in[] = {build_reshape(&c->b, c->g[0], &y->count, 1), grad_indices(c, flat, y->count)};
    value_id line = grad_splat(c, grad_in(c, 0), &x->count, 1, 0);
    return grad_gives(c, build_reshape(&c->b, grad_add_rows(c, line, in), x->dims, x->rank));
}

tn_status grad_view(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0)), *y = grad_type(c, grad_y(c));
    module *m = c->b.f->module;
    affine maps[TN_MAX_RANK];
    index_map map;
    size_t where;
    bool is_affine = true;
    if (!is_known(x) || !is_known(y))
        return grad_refuse(c, "an extent is symbolic");
    index_fault fault =
        index_map_parse(attr_string(c->n.attrs, KEY_INDEX_MAP), y->rank, &m->arena, &map, &where);
    if (fault == INDEX_NO_MEMORY)
        return module_no_memory(m);
    if (fault != INDEX_FINE)
        return grad_refuse(c, "its index map is not understood");
    for (uint32_t i = 0; i < map.n; i++)
        is_affine = is_affine && index_affine(map.at[i], y->rank, &maps[i].offset, maps[i].factors);
    if (!is_affine)
        return scatter_view(c, &map);
    if (!is_diagonal(maps, map.n, y))
        return grad_gives(c, gather_axes(c, maps, map.n, x->dims));
    affine all = flatten(maps, map.n, x, y->rank);
    return grad_gives(c,
                      build_reshape(&c->b, gather_axes(c, &all, 1, &x->count), x->dims, x->rank));
}
