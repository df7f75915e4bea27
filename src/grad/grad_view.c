/* The derivative of a view: every element gets the sum of what was read from it.
 *
 * The work is on the gradient, whose axes have labels, and on one sum for each operand axis over
 * these labels. Quotients in the sums go first: an axis is split so that a quotient is one of its
 * parts, several axes are folded into the one that a quotient reads, or, last, an axis of few
 * elements is taken apart into pieces that are added up. What is left is affine: axes that meet in
 * an operand axis are folded into it. */
#include "grad/derivatives.h"
#include "index/quasi.h"

enum {
    MOST_PIECES = 64,
    MOST_STEPS = 64, /* to get rid of quotients */
    SPARSE = 4       /* folding may not make an axis larger than so many times its parts */
};

typedef struct view_work {
    value_id g;
    uint32_t rank, label[TN_MAX_RANK]; /* of the axes of g */
    quasi_work q;
    uint32_t n; /* operand axes */
    quasi *maps;
    const int64_t *extents; /* of the operand axes */
} view_work;

static uint32_t find_axis(const view_work *v, uint32_t label)
{
    uint32_t at = 0;
    while (at < v->rank && v->label[at] != label)
        at++;
    return at;
}

static void drop_axis(view_work *v, uint32_t at)
{
    v->rank--;
    for (uint32_t i = at; i < v->rank; i++)
        v->label[i] = v->label[i + 1];
}

static bool is_fine(const grad_call *c)
{
    return c->b.status == TN_OK;
}

/* Bring the axes of FORM, all with positive factors, together into one, labelled as the first of
 * them, whose element FORM - offset is the sum of all elements there. False when FORM has none. */
static bool fold_axes(grad_call *c, view_work *v, const affine *form, uint32_t *label,
                      int64_t *step)
{
    int64_t reach = 1;
    uint32_t own = TN_MAX_RANK;
    for (uint32_t k = 0; k < TN_MAX_RANK && is_fine(c); k++) {
        int64_t f = form->factors[k], n = v->q.extents[k];
        uint32_t at = find_axis(v, k);
        if (f == 0 || n == 1)
            continue;
        reach += (n - 1) * f;
        if (own == TN_MAX_RANK) {
            own = k;
            *step = f;
            continue;
        }
        v->g = grad_fold_windows(c, v->g, find_axis(v, own), at, *step, f, reach);
        drop_axis(v, at);
        v->q.extents[k] = 1;
        v->q.extents[own] = reach;
        *step = 1;
    }
    *label = own;
    return own != TN_MAX_RANK;
}

static void reverse_axis(grad_call *c, view_work *v, uint32_t label)
{
    axis_change back = {label, label, 0, -1, v->q.extents[label] - 1};
    v->g = grad_flip(c, v->g, find_axis(v, label));
    for (uint32_t i = 0; i < v->n; i++)
        quasi_change(&v->q, &v->maps[i], &back);
}

/* ---- affine maps --------------------------------------------------------------------------- */

/* Sum over axes that no expression has (they repeat), and those of extent 1. */
static void drop_unused(grad_call *c, view_work *v)
{
    for (uint32_t at = v->rank; at-- > 0 && is_fine(c);) {
        uint32_t label = v->label[at];
        bool is_used = false;
        for (uint32_t i = 0; i < v->n; i++)
            is_used = is_used || v->maps[i].line.factors[label] != 0;
        if (is_used && v->q.extents[label] != 1)
            continue;
        int64_t axis = at;
        v->g = build_reduce(&c->b, OP_SUM, v->g, &axis, 1, false);
        drop_axis(v, at);
    }
}

/* Bring the axes of map I, which no other map has, together into the operand's axis, which is
 * labelled as such behind the others. What is outside the operand is padding: zeros. False when
 * nothing is inside. */
static bool gather_axis(grad_call *c, view_work *v, uint32_t i)
{
    int64_t step = 1, n = 1, first = 0, offset, extent = v->extents[i];
    uint32_t label, at = v->rank;
    for (uint32_t k = 0; k < TN_MAX_RANK && is_fine(c); k++)
        if (v->maps[i].line.factors[k] < 0 && v->q.extents[k] != 1)
            reverse_axis(c, v, k);
    offset = v->maps[i].line.offset;
    if (!is_fine(c) || !quasi_fine(&v->q))
        return false;
    if (fold_axes(c, v, &v->maps[i].line, &label, &step)) {
        at = find_axis(v, label);
        n = v->q.extents[label];
    } else {
        dim dims[TN_MAX_RANK];
        if (!is_fine(c) || v->rank == TN_MAX_RANK)
            return false;
        for (uint32_t k = 0; k < v->rank; k++)
            dims[k] = grad_type(c, v->g)->dims[k];
        dims[v->rank] = 1; /* a fixed position */
        v->g = build_reshape(&c->b, v->g, dims, ++v->rank);
    }
    v->label[at] = TN_MAX_RANK + i;
    if (offset < 0)
        first = (step - 1 - offset) / step;
    offset += first * step;
    n -= first;
    if (n < 1 || offset >= extent)
        return false;
    if (offset + (n - 1) * step >= extent)
        n = (extent - 1 - offset) / step + 1;
    v->g = grad_spread(c, grad_pick(c, v->g, at, first, 1, n), at, offset, step, extent);
    return is_fine(c);
}

/* All operand axes in iteration, then in their order; zeros when nothing is inside. */
static value_id gather_axes(grad_call *c, view_work *v)
{
    int64_t perm[TN_MAX_RANK];
    drop_unused(c, v);
    for (uint32_t i = 0; i < v->n; i++)
        if (!gather_axis(c, v, i))
            return is_fine(c) && v->rank < TN_MAX_RANK ? grad_splat(c, c->g[0], v->extents, v->n, 0)
                                                       : NO_VALUE;
    for (uint32_t i = 0; i < v->n; i++)
        perm[i] = find_axis(v, TN_MAX_RANK + i);
    return build_transpose(&c->b, v->g, perm, v->n);
}

/* Does an axis move along more than one operand axis? */
static bool is_diagonal(const view_work *v)
{
    for (uint32_t at = 0; at < v->rank; at++) {
        uint32_t uses = 0, k = v->label[at];
        for (uint32_t i = 0; i < v->n; i++)
            uses += v->maps[i].line.factors[k] != 0 && v->q.extents[k] != 1;
        if (uses > 1)
            return true;
    }
    return false;
}

/* One expression for the position in the flattened operand. */
static affine flatten(const view_work *v, const type *x)
{
    affine all = {0, {0}};
    int64_t strides[TN_MAX_RANK];
    type_strides(x, strides);
    for (uint32_t i = 0; i < v->n; i++) {
        all.offset += v->maps[i].line.offset * strides[i];
        for (uint32_t k = 0; k < TN_MAX_RANK; k++)
            all.factors[k] += v->maps[i].line.factors[k] * strides[i];
    }
    return all;
}

static value_id affine_back(grad_call *c, view_work *v)
{
    const type *x = grad_type(c, grad_in(c, 0));
    if (!is_diagonal(v))
        return gather_axes(c, v);
    v->maps[0] = (quasi){.line = flatten(v, x)};
    v->n = 1;
    v->extents = &x->count;
    return build_reshape(&c->b, gather_axes(c, v), x->dims, x->rank);
}

/* ---- quotients ----------------------------------------------------------------------------- */

/* A label that no axis has, or TN_MAX_RANK. */
static uint32_t free_label(const view_work *v)
{
    uint32_t label = 0;
    while (label < TN_MAX_RANK && find_axis(v, label) < v->rank)
        label++;
    return label;
}

/* Axis LABEL, with LOW zeros in front, becomes rows of N: the axis stays for the elements of a row,
 * a new one in front of it counts the rows. */
static bool split_axis(grad_call *c, view_work *v, uint32_t label, int64_t low, int64_t n)
{
    uint32_t at = find_axis(v, label), rows = free_label(v);
    if (rows == TN_MAX_RANK || v->rank == TN_MAX_RANK)
        return false;
    v->g = grad_split(c, v->g, at, low, n);
    for (uint32_t i = v->rank++; i > at; i--)
        v->label[i] = v->label[i - 1];
    v->label[at] = rows;
    v->q.extents[rows] = (v->q.extents[label] + low + n - 1) / n;
    v->q.extents[label] = n;
    axis_change parts = {label, rows, n, 1, -low};
    for (uint32_t i = 0; i < v->n; i++)
        quasi_change(&v->q, &v->maps[i], &parts);
    return is_fine(c);
}

/* Fold the axes that Q reads into one, if nothing reads them otherwise. */
static bool fold_for(grad_call *c, view_work *v, const quotient *q)
{
    const affine form = q->inner.line;
    int64_t reach = 1, parts = 1, step;
    uint32_t first = TN_MAX_RANK, label;
    bool dry = true;
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        if (form.factors[k]) {
            reach += (v->q.extents[k] - 1) * form.factors[k];
            parts *= v->q.extents[k];
            first = first == TN_MAX_RANK ? k : first;
            if (form.factors[k] < 0 || reach > SPARSE * parts + SPARSE * q->divisor)
                return false;
        }
    for (uint32_t i = 0; i < v->n && dry; i++)
        dry = quasi_fold(&v->q, &v->maps[i], &form, first, true);
    if (!dry || !fold_axes(c, v, &form, &label, &step))
        return false;
    if (step > 1) {
        v->q.extents[label] = (v->q.extents[label] - 1) * step + 1;
        v->g = grad_spread(c, v->g, find_axis(v, label), 0, step, v->q.extents[label]);
    }
    for (uint32_t i = 0; i < v->n; i++)
        (void)quasi_fold(&v->q, &v->maps[i], &form, label, false);
    return is_fine(c);
}

/* One step towards Q's not being a quotient; false when its axes must be taken apart. */
static bool step_for(grad_call *c, view_work *v, const quotient *q)
{
    const affine *line = &q->inner.line;
    uint32_t n_axes = 0, last = 0;
    for (uint32_t k = 0; k < TN_MAX_RANK; k++) {
        if (line->factors[k] < 0) {
            reverse_axis(c, v, k);
            return true;
        }
        n_axes += line->factors[k] != 0;
        last = line->factors[k] ? k : last;
    }
    if (n_axes == 1 && line->factors[last] == 1)
        return split_axis(c, v, last, line->offset, q->divisor);
    if (fold_for(c, v, q))
        return true;
    for (uint32_t k = 0; k < TN_MAX_RANK && is_fine(c); k++) {
        int64_t period = q->divisor / common_divisor(line->factors[k], q->divisor);
        if (line->factors[k] && v->q.extents[k] > period)
            return split_axis(c, v, k, 0, period);
    }
    return false;
}

/* An axis of extent 1 is always at 0. */
static void drop_factors(view_work *v)
{
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        if (v->q.extents[k] == 1)
            for (uint32_t i = 0; i < v->n; i++)
                quasi_change(&v->q, &v->maps[i], &(axis_change){.axis = k, .other = k});
}

/* The contribution of V's gradient, one of PIECES; NO_VALUE without a failure: it cannot be done.
 */
static value_id view_back(grad_call *c, view_work *v, int64_t pieces);

/* The sum over the elements of the shortest axis that Q reads. */
static value_id take_apart(grad_call *c, const view_work *v, const quotient *q, int64_t pieces)
{
    uint32_t shortest = TN_MAX_RANK;
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        if (q->inner.line.factors[k] &&
            (shortest == TN_MAX_RANK || v->q.extents[k] < v->q.extents[shortest]))
            shortest = k;
    int64_t n = shortest == TN_MAX_RANK ? MOST_PIECES + 1 : v->q.extents[shortest];
    value_id sum = NO_VALUE;
    if (n > MOST_PIECES || pieces * n > MOST_PIECES)
        return NO_VALUE;
    for (int64_t at = 0; at < n && is_fine(c); at++) {
        view_work piece = *v;
        axis_change fix = {shortest, shortest, 0, 0, at};
        piece.maps = ARENA_ARRAY(v->q.memory, quasi, v->n);
        if (!piece.maps) {
            c->b.status = module_no_memory(c->b.f->module);
            return NO_VALUE;
        }
        memcpy(piece.maps, v->maps, v->n * sizeof *v->maps);
        piece.g = grad_at(c, v->g, find_axis(v, shortest), at);
        drop_axis(&piece, find_axis(&piece, shortest));
        piece.q.extents[shortest] = 1;
        for (uint32_t i = 0; i < v->n; i++)
            quasi_change(&piece.q, &piece.maps[i], &fix);
        value_id part = view_back(c, &piece, pieces * n);
        if (part == NO_VALUE)
            return NO_VALUE;
        sum = at == 0 ? part : build_binary(&c->b, OP_ADD, sum, part);
    }
    return sum;
}

static value_id view_back(grad_call *c, view_work *v, int64_t pieces)
{
    for (uint32_t step = 0; step < MOST_STEPS && is_fine(c); step++) {
        const quotient *q = NULL;
        drop_factors(v);
        for (uint32_t i = 0; i < v->n; i++) {
            quasi_simplify(&v->q, &v->maps[i]);
            q = quasi_innermost(&v->maps[i], q);
        }
        if (v->q.no_memory)
            c->b.status = module_no_memory(c->b.f->module);
        if (!quasi_fine(&v->q))
            return NO_VALUE;
        if (!q)
            return affine_back(c, v);
        if (!step_for(c, v, q))
            return is_fine(c) ? take_apart(c, v, q, pieces) : NO_VALUE;
    }
    return NO_VALUE;
}

/* Positions that do not come apart are written down as a constant. */
static tn_status scatter_view(grad_call *c, const index_map *map)
{
    const type *x = grad_type(c, grad_in(c, 0)), *y = grad_type(c, grad_y(c));
    module *m = c->b.f->module;
    int64_t at[TN_MAX_RANK] = {0}, strides[TN_MAX_RANK];
    if (!grad_has(c, OP_SCATTER_ADD) && !grad_has(c, OP_SCATTER_ROWS))
        return grad_refuse(c,
                           "its index map needs too many pieces, and the dialect cannot scatter");
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
    index_map map;
    size_t where;
    if (!type_is_static(x) || !type_is_static(y))
        return grad_refuse_symbolic(c, "an extent");
    index_fault fault =
        index_map_parse(attr_string(c->n.attrs, KEY_INDEX_MAP), y->rank, &m->arena, &map, &where);
    if (fault == INDEX_NO_MEMORY)
        return module_no_memory(m);
    if (fault != INDEX_FINE)
        return grad_refuse(c, "its index map is not understood");
    view_work v = {
        .g = c->g[0], .rank = y->rank, .q.memory = &m->arena, .n = map.n, .extents = x->dims};
    v.maps = ARENA_ARRAY(&m->arena, quasi, (size_t)map.n + 1);
    if (!v.maps)
        return module_no_memory(m);
    for (uint32_t k = 0; k < TN_MAX_RANK; k++) {
        v.q.extents[k] = k < y->rank ? y->dims[k] : 1;
        v.label[k] = k;
    }
    for (uint32_t i = 0; i < map.n && quasi_fine(&v.q); i++)
        quasi_of(&v.q, map.at[i], &v.maps[i]);
    value_id back = quasi_fine(&v.q) ? view_back(c, &v, 1) : NO_VALUE;
    if (!is_fine(c) || back != NO_VALUE)
        return grad_gives(c, back);
    return v.q.no_memory ? module_no_memory(m) : scatter_view(c, &map);
}
