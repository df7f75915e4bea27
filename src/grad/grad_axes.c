/* Movements along one axis that derivatives are made of: spreading elements apart, picking them
 * again, and adding up the windows that overlap. All of them are reshapes, zero padding, slices
 * without steps and sums, which every dialect with explicit broadcasting has. */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory/checked.h"
#include "grad/grad.h"

typedef struct edges {
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK];
} edges;

static value_id pad_axis(grad_call *c, value_id x, uint32_t axis, int64_t low, int64_t high)
{
    edges e = {{0}, {0}};
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    e.low[axis] = low;
    e.high[axis] = high;
    return build_pad(&c->b, x, e.low, e.high, grad_type(c, x)->rank);
}

/* Elements START .. START + COUNT - 1 along AXIS. */
static value_id cut_axis(grad_call *c, value_id x, uint32_t axis, int64_t start, int64_t count)
{
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    if (start == 0 && count == t->dims[axis])
        return x;
    for (uint32_t i = 0; i < t->rank; i++) {
        starts[i] = i == axis ? start : 0;
        ends[i] = i == axis ? start + count : dim_is_symbolic(t->dims[i]) ? INT64_MAX : t->dims[i];
        steps[i] = 1;
    }
    return build_slice(&c->b, x, starts, ends, steps, t->rank);
}

/* X with axes AXIS .. AXIS + OLD - 1 replaced by the N extents EXTENTS. */
static value_id reshape_at(grad_call *c, value_id x, uint32_t axis, uint32_t old,
                           const int64_t *extents, uint32_t n)
{
    dim dims[TN_MAX_RANK];
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    uint32_t rank = 0;
    if (t->rank - old + n > TN_MAX_RANK) {
        c->b.status = grad_refuse(c, "the rank is too high");
        return NO_VALUE;
    }
    for (uint32_t i = 0; i < axis; i++)
        dims[rank++] = t->dims[i];
    for (uint32_t i = 0; i < n; i++)
        dims[rank++] = extents[i];
    for (uint32_t i = axis + old; i < t->rank; i++)
        dims[rank++] = t->dims[i];
    return build_reshape(&c->b, x, dims, rank);
}

/* Take axis FROM out and put it in before what is then axis TO. */
static value_id move_axis(grad_call *c, value_id x, uint32_t from, uint32_t to)
{
    int64_t perm[TN_MAX_RANK];
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    uint32_t rank = grad_type(c, x)->rank;
    for (uint32_t i = 0, k = 0; i < rank; i++) {
        if (i == to) {
            perm[i] = from;
            continue;
        }
        k += k == from;
        perm[i] = k++;
    }
    return build_transpose(&c->b, x, perm, rank);
}

value_id grad_flip(grad_call *c, value_id x, uint32_t axis)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    int64_t n = grad_type(c, x)->dims[axis];
    if (n == 1)
        return x;
    if (grad_has(c, OP_REVERSE)) {
        int64_t list[] = {axis};
        attr entry = attr_of_ints(KEY_AXES, list, 1);
        return build_node(&c->b, OP_REVERSE, &x, 1, &entry, 1);
    }
    module *m = c->b.f->module;
    int64_t *at = ARENA_ARRAY(&m->arena, int64_t, (size_t)n);
    if (!at) {
        c->b.status = module_no_memory(m);
        return NO_VALUE;
    }
    for (int64_t i = 0; i < n; i++)
        at[i] = n - 1 - i;
    value_id in[] = {move_axis(c, x, axis, 0), grad_indices(c, at, n)};
    return move_axis(c, build_node(&c->b, OP_TAKE, in, 2, NULL, 0), 0, axis);
}

value_id grad_spread(grad_call *c, value_id x, uint32_t axis, int64_t low, int64_t step,
                     int64_t extent)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    int64_t n = grad_type(c, x)->dims[axis], used = n;
    if (step > 1 && n > 1) {
        /* Every element becomes a row of its own, padded with zeros. */
        int64_t rows[] = {n, 1};
        value_id wide = pad_axis(c, reshape_at(c, x, axis, 1, rows, 2), axis + 1, 0, step - 1);
        used = n * step;
        x = reshape_at(c, wide, axis, 2, &used, 1);
        if (low + used > extent)
            x = cut_axis(c, x, axis, 0, used = (n - 1) * step + 1);
    }
    return pad_axis(c, x, axis, low, extent - low - used);
}

value_id grad_pick(grad_call *c, value_id x, uint32_t axis, int64_t start, int64_t step,
                   int64_t count)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    if (step == 1 || count <= 1)
        return cut_axis(c, x, axis, start, count);
    int64_t n = grad_type(c, x)->dims[axis], rows[] = {count, step};
    int64_t have = n - start < count * step ? n - start : count * step;
    value_id part = pad_axis(c, cut_axis(c, x, axis, start, have), axis, 0, count * step - have);
    value_id first = cut_axis(c, reshape_at(c, part, axis, 1, rows, 2), axis + 1, 0, 1);
    return reshape_at(c, first, axis, 2, &count, 1);
}

bool grad_can_part(const grad_call *c)
{
    return !c->core_only && grad_has(c, OP_VIEW) && grad_has(c, OP_REVERSE);
}

/* The same as a view. */
static value_id view_part(grad_call *c, value_id x, uint32_t axis, int64_t start, int64_t step,
                          dim count)
{
    dim dims[TN_MAX_RANK];
    char map[TN_MAX_RANK * 8 + 64];
    int n = 0;
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    if (start == 0 && step == 1 && count == t->dims[axis])
        return x;
    for (uint32_t i = 0; i < t->rank; i++) {
        dims[i] = i == axis ? count : t->dims[i];
        n += snprintf(map + n, sizeof map - (size_t)n, "%si%" PRIu32, i ? "; " : "", i);
        if (i == axis)
            n +=
                snprintf(map + n, sizeof map - (size_t)n, " * %" PRId64 " + %" PRId64, step, start);
    }
    const char *own = module_string(c->b.f->module, map, (size_t)n);
    if (!own) {
        c->b.status = module_no_memory(c->b.f->module);
        return NO_VALUE;
    }
    attr entries[] = {attr_of_ints(KEY_SHAPE, dims, t->rank), {.key = KEY_INDEX_MAP, .v.s = own}};
    return build_node(&c->b, OP_VIEW, &x, 1, entries, 2);
}

/* What lies before a START that is a size is cut off from the other end: index maps have numbers.
 */
value_id grad_part(grad_call *c, value_id x, uint32_t axis, dim start, int64_t step, dim count)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    type_table *types = &c->b.f->module->types;
    if (dim_is_symbolic(start)) {
        const dim less = dim_combine(types, DIM_MUL, start, -1);
        const dim rest = dim_combine(types, DIM_ADD, grad_type(c, x)->dims[axis], less);
        if (less == DIM_NO_MEMORY || rest == DIM_NO_MEMORY) {
            c->b.status = module_no_memory(c->b.f->module);
            return NO_VALUE;
        }
        const value_id back = view_part(c, grad_flip(c, x, axis), axis, 0, 1, rest);
        x = grad_flip(c, back, axis);
        start = 0;
    }
    return view_part(c, x, axis, start, step, count);
}

value_id grad_split(grad_call *c, value_id x, uint32_t axis, int64_t low, int64_t n)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    int64_t have = grad_type(c, x)->dims[axis], rows = (have + low + n - 1) / n;
    int64_t both[] = {rows, n};
    return reshape_at(c, pad_axis(c, x, axis, low, rows * n - have - low), axis, 1, both, 2);
}

value_id grad_at(grad_call *c, value_id x, uint32_t axis, int64_t at)
{
    return reshape_at(c, cut_axis(c, x, axis, at, 1), axis, 1, NULL, 0);
}

static bool too_large(grad_call *c, int64_t a, int64_t b)
{
    int64_t product;
    if (mul_i64(a, b, &product))
        return false;
    c->b.status = grad_refuse(c, "its windows have too many elements");
    return true;
}

/* Windows that do not overlap: each fills the first elements of the STRIDE from its place on. */
static value_id lay_windows(grad_call *c, value_id x, uint32_t place, uint32_t window,
                            int64_t stride, int64_t extent)
{
    const type *t = grad_type(c, x);
    const int64_t n = t->dims[window], all = t->dims[place] * stride;
    const uint32_t at = place < window ? place : place - 1;
    x = pad_axis(c, move_axis(c, x, window, at + 1), at + 1, 0, stride - n);
    x = reshape_at(c, x, at, 2, &all, 1);
    return all > extent ? cut_axis(c, x, at, 0, extent) : pad_axis(c, x, at, 0, extent - all);
}

/* Windows one after the other, each in a row of EXTENT, are shifted against each other by cutting
 * the same elements into rows of another length: element (w, j) of rows of EXTENT + DILATION is
 * element (w, j + w * DILATION) of rows of EXTENT. */
value_id grad_fold_windows(grad_call *c, value_id x, uint32_t place, uint32_t window,
                           int64_t stride, int64_t dilation, int64_t extent)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    int64_t places = t->dims[place], n = t->dims[window];
    if (dilation == 1 && n > 1 && n <= stride && places > 0)
        return lay_windows(c, x, place, window, stride, extent);
    x = move_axis(c, x, window, place < window ? place : place - 1);
    uint32_t at = place < window ? place : place - 1; /* of the windows; the places follow */
    if (n == 1 || places == 0) {
        x = reshape_at(c, cut_axis(c, x, at, 0, n < 1 ? n : 1), at, 2, &places, 1);
        return grad_spread(c, x, at, 0, stride, extent);
    }
    int64_t row = extent + dilation, rows = n * row, joined[] = {n, extent}, axis = at;
    if (too_large(c, n, row))
        return NO_VALUE;
    x = grad_spread(c, x, at + 1, 0, stride, row);
    x = cut_axis(c, reshape_at(c, x, at, 2, &rows, 1), at, 0, n * extent);
    return build_reduce(&c->b, OP_SUM, reshape_at(c, x, at, 1, joined, 2), &axis, 1, false);
}

value_id grad_unfold_windows(grad_call *c, value_id x, uint32_t axis, int64_t stride,
                             int64_t dilation, int64_t places, int64_t window)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    uint32_t rank = t->rank;
    int64_t extent = t->dims[axis], row = extent + dilation, all = window * extent;
    int64_t rows[] = {window, row}, one[] = {1, extent};
    dim dims[TN_MAX_RANK];
    if (too_large(c, window, row))
        return NO_VALUE;
    /* Copies as [.., window, extent, ..], reshaped to rows of the other length. */
    x = reshape_at(c, x, axis, 1, one, 2);
    if (x == NO_VALUE)
        return NO_VALUE;
    for (uint32_t i = 0; i <= rank; i++)
        dims[i] = i == axis ? window : grad_type(c, x)->dims[i];
    x = reshape_at(c, build_broadcast(&c->b, x, dims, rank + 1), axis, 2, &all, 1);
    x = reshape_at(c, pad_axis(c, x, axis, 0, window * dilation), axis, 1, rows, 2);
    x = grad_pick(c, x, axis + 1, 0, stride, places);
    return move_axis(c, x, axis, rank);
}
