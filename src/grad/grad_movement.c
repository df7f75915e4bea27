/* Derivatives of movement ops: the movement back, summing where one element went to several. */
#include "grad/derivatives.h"
#include "grad/grad_core.h"

/* The operand's shape again. */
tn_status grad_reshape(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    return grad_gives(c, build_reshape(&c->b, c->g[0], x->dims, x->rank));
}

/* The axes of the node, which RESOLVE makes plain, for the op that takes its effect back. */
typedef shape_fault resolve_fn(const int64_t *axes, uint32_t n, uint32_t rank, axis_list *out);
typedef value_id axes_fn(builder *b, value_id x, const int64_t *axes, uint32_t n);

static tn_status axes_back(grad_call *c, resolve_fn *resolve, axes_fn *back)
{
    uint32_t n;
    axis_list list;
    int64_t at[TN_MAX_RANK];
    const int64_t *axes = attr_ints(c->n.attrs, KEY_AXES, &n);
    if (resolve(axes, n, grad_type(c, grad_in(c, 0))->rank, &list).kind != SHAPE_OK)
        return grad_refuse_axes(c);
    for (uint32_t i = 0; i < list.n; i++)
        at[i] = list.at[i];
    return grad_gives(c, back(&c->b, c->g[0], at, list.n));
}

tn_status grad_expand_dims(grad_call *c)
{
    return axes_back(c, resolve_expand_dims, build_squeeze);
}

tn_status grad_squeeze(grad_call *c)
{
    return axes_back(c, resolve_axes, build_expand_dims);
}

tn_status grad_transpose(grad_call *c)
{
    uint32_t rank;
    int64_t inverse[TN_MAX_RANK];
    const int64_t *perm = attr_ints(c->n.attrs, KEY_PERM, &rank);
    for (uint32_t i = 0; i < rank; i++)
        inverse[perm[i]] = i;
    return grad_gives(c, build_transpose(&c->b, c->g[0], inverse, rank));
}

/* With a map of axes: bring the carried axes together first. */
tn_status grad_broadcast(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0)), *y = grad_type(c, c->g[0]);
    shape out;
    uint32_t map[TN_MAX_RANK];
    if (resolve_broadcast(c->n.attrs, x, &out, map).kind != SHAPE_OK)
        return grad_refuse_axes(c);
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 0, next = 0;
    for (uint32_t i = 0; i < y->rank; i++) {
        bool carried = next < x->rank && map[next] == i;
        bool grown = carried && x->dims[next] == 1 && y->dims[i] != 1;
        if (!carried || grown)
            axes[n++] = i;
        next += carried;
    }
    value_id g = n ? grad_sum_over(c, c->g[0], axes, n) : c->g[0];
    return grad_gives(c, build_reshape(&c->b, g, x->dims, x->rank));
}

/* The slice put back among zeros by reversing and padding. */
static tn_status unslice(grad_call *c, const type *x, const slice_range *ranges, const shape *out)
{
    value_id g = c->g[0];
    for (uint32_t i = 0; i < x->rank; i++) {
        slice_range r = ranges[i];
        bool is_whole = r.count < 0 || (r.start == 0 && r.step == 1 && out->dims[i] == x->dims[i]);
        if (is_whole)
            continue;
        if (r.step < 0) {
            g = grad_flip(c, g, i);
            r.start += (r.count - 1) * r.step;
            r.step = -r.step;
        }
        g = grad_spread(c, g, i, r.start, r.step, x->dims[i]);
    }
    return grad_gives(c, g);
}

tn_status grad_slice(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    slice_range ranges[TN_MAX_RANK];
    shape out;
    if (resolve_slices(c->n.attrs, x->dims, x->rank, ranges, &out).kind != SHAPE_OK)
        return grad_refuse(c, "its bounds are not known");
    const bool direct = !c->core_only && grad_has(c, OP_SLICE_GRAD);
    for (uint32_t i = 0; !direct && i < x->rank; i++)
        if (dim_is_symbolic(x->dims[i]) && ranges[i].count >= 0)
            return grad_refuse(c, "an axis of unknown extent is cut");
    if (!c->core_only && !direct)
        return unslice(c, x, ranges, &out);
    if (!c->core_only) {
        uint32_t n;
        const int64_t *starts = attr_ints(c->n.attrs, KEY_STARTS, &n);
        const int64_t *ends = attr_ints(c->n.attrs, KEY_ENDS, &n);
        const int64_t *steps = attr_ints(c->n.attrs, KEY_STEPS, &n);
        attr entries[] = {attr_of_ints(KEY_SHAPE, x->dims, x->rank),
                          attr_of_ints(KEY_STARTS, starts, n), attr_of_ints(KEY_ENDS, ends, n),
                          attr_of_ints(KEY_STEPS, steps, n)};
        return grad_gives(c, build_node(&c->b, OP_SLICE_GRAD, c->g, 1, entries, 4));
    }
    value_id g = c->g[0];
    for (uint32_t i = 0; i < x->rank; i++) {
        bool whole = ranges[i].start == 0 && ranges[i].step == 1 && out.dims[i] == x->dims[i];
        if (!whole)
            g = grad_core_unslice(c, g, i, ranges[i], x->dims[i]);
    }
    return grad_gives(c, g);
}

/* The same slice of the gradient. */
tn_status grad_slice_grad(grad_call *c)
{
    uint32_t n;
    const int64_t *starts = attr_ints(c->n.attrs, KEY_STARTS, &n);
    const int64_t *ends = attr_ints(c->n.attrs, KEY_ENDS, &n);
    const int64_t *steps = attr_ints(c->n.attrs, KEY_STEPS, &n);
    return grad_gives(c, build_slice(&c->b, c->g[0], starts, ends, steps, n));
}

tn_status grad_reverse(grad_call *c)
{
    uint32_t n;
    const int64_t *axes = attr_ints(c->n.attrs, KEY_AXES, &n);
    attr entry = attr_of_ints(KEY_AXES, axes, n);
    return grad_gives(c, build_node(&c->b, OP_REVERSE, c->g, 1, &entry, 1));
}

/* The gradient of padding along axes of which something is a size. */
static tn_status part_of_pad(grad_call *c, const type *x, const int64_t *low,
                             const int64_t *interior)
{
    value_id g = c->g[0];
    for (uint32_t i = 0; i < x->rank; i++)
        g = grad_part(c, g, i, low[i], interior[i] + 1, x->dims[i]);
    return grad_gives(c, g);
}

/* Cut the padding off, and step over what is between elements. */
tn_status grad_pad(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    uint32_t n;
    const int64_t *low = attr_ints(c->n.attrs, KEY_LOW, &n);
    const int64_t *interior = attr_ints(c->n.attrs, KEY_INTERIOR, &n);
    int64_t ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    value_id g = c->g[0];
    for (uint32_t i = 0; i < n; i++) {
        const bool is_known = !dim_is_symbolic(x->dims[i]) && !dim_is_symbolic(low[i]);
        const bool is_whole =
            low[i] == 0 && interior[i] == 0 && grad_type(c, c->g[0])->dims[i] == x->dims[i];
        if (!is_known && !is_whole)
            return grad_can_part(c) ? part_of_pad(c, x, low, interior)
                                    : grad_refuse_symbolic(c, "an extent");
        if (c->b.plain && !is_whole)
            g = grad_pick(c, g, i, low[i], interior[i] + 1, x->dims[i]);
    }
    if (c->b.plain)
        return grad_gives(c, g);
    for (uint32_t i = 0; i < n; i++) {
        const bool is_symbolic = dim_is_symbolic(x->dims[i]);
        steps[i] = interior[i] + 1;
        ends[i] = is_symbolic  ? INT64_MAX
                  : x->dims[i] ? low[i] + (x->dims[i] - 1) * steps[i] + 1
                               : low[i];
    }
    return grad_gives(c, build_slice(&c->b, c->g[0], low, ends, steps, n));
}

/* The part of the gradient that lies where the operand went. */
tn_status grad_concat(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, c->operand));
    int64_t axis = attr_int(c->n.attrs, KEY_AXIS, 0);
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    axis += axis < 0 ? x->rank : 0;
    for (; c->passed->n < c->operand; c->passed->n++) {
        const dim d = grad_type(c, grad_in(c, c->passed->n))->dims[axis];
        c->passed->at = dim_combine(&c->b.f->module->types, DIM_ADD, c->passed->at, d);
        if (c->passed->at == DIM_NO_MEMORY)
            return module_no_memory(c->b.f->module);
    }
    const dim before = c->passed->at;
    if (dim_is_symbolic(x->dims[axis]) || dim_is_symbolic(before))
        return grad_can_part(c)
                   ? grad_gives(c, grad_part(c, c->g[0], (uint32_t)axis, before, 1, x->dims[axis]))
                   : grad_refuse_symbolic(c, "an extent");
    for (uint32_t i = 0; i < x->rank; i++) {
        starts[i] = i == axis ? before : 0;
        ends[i] = i == axis ? before + x->dims[i] : INT64_MAX;
        steps[i] = 1;
        if (i != axis && !dim_is_symbolic(x->dims[i]))
            ends[i] = x->dims[i];
    }
    return grad_gives(c, build_slice(&c->b, c->g[0], starts, ends, steps, x->rank));
}

/* Split each axis into copies and elements, then sum the copies. */
tn_status grad_tile(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    uint32_t n, rank = 0, n_axes = 0;
    const int64_t *repeats = attr_ints(c->n.attrs, KEY_REPEATS, &n);
    int64_t split[2 * TN_MAX_RANK], axes[TN_MAX_RANK];
    if (2 * x->rank > TN_MAX_RANK)
        return grad_refuse(c, "the rank is too high");
    for (uint32_t i = 0; i < x->rank; i++) {
        axes[n_axes++] = rank;
        split[rank++] = repeats[i];
        split[rank++] = x->dims[i];
    }
    value_id parts = build_reshape(&c->b, c->g[0], split, rank);
    value_id sum = n_axes ? build_reduce(&c->b, OP_SUM, parts, axes, n_axes, false) : parts;
    return grad_gives(c, build_reshape(&c->b, sum, x->dims, x->rank));
}
