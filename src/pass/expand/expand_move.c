/* Movement, written with others. Elements are moved unchanged, so all of
 * this is exact. */
#include "base/memory/checked.h"
#include "eval/eval.h"
#include "graph/literal.h"
#include "ops/shape.h"
#include "pass/expand/expand.h"

enum { MOST_POSITIONS = 1 << 20, MOST_SLICES = 256 };

value_id expand_as_reshape(expand_call *c)
{
    return expand_to_result(c, c->in[0]);
}

/* Operand axes in the order of their result axes, with 1 in between. */
value_id expand_broadcast_aligned(expand_call *c)
{
    const type *x = operand_type_of(c, 0);
    uint32_t map[TN_MAX_RANK], at = 0;
    int64_t perm[TN_MAX_RANK];
    dim dims[TN_MAX_RANK];
    shape out;
    if (!attr_find(c->n->attrs, KEY_DIMS) ||
        resolve_broadcast(c->n->attrs, x, &out, map).kind != SHAPE_OK)
        return NO_VALUE;
    bool aligned = true;
    for (uint32_t k = 0; k < x->rank; k++)
        aligned = aligned && map[k] == out.rank - x->rank + k;
    if (aligned)
        return build_broadcast(c->b, c->in[0], out.dims, out.rank);
    for (uint32_t i = 0; i < out.rank; i++) {
        dims[i] = 1;
        for (uint32_t k = 0; k < x->rank; k++)
            if (map[k] == i) {
                perm[at++] = k;
                dims[i] = x->dims[k];
            }
    }
    value_id v = build_transpose(c->b, c->in[0], perm, x->rank);
    return build_broadcast(c->b, build_reshape(c->b, v, dims, out.rank), out.dims, out.rank);
}

/* Positions START, START + STEP, .. along AXIS of X. */
static value_id take_along(expand_call *c, value_id x, uint32_t axis, slice_range r)
{
    if (x == NO_VALUE)
        return NO_VALUE;
    const type *t = build_type(c->b, x);
    const uint32_t rank = t->rank;
    int64_t other[TN_MAX_RANK], back[TN_MAX_RANK];
    int64_t *at = ARENA_ARRAY(c->memory, int64_t, (size_t)r.count + 1);
    if (!at) {
        c->b->status = module_no_memory(c->b->f->module);
        return NO_VALUE;
    }
    for (int64_t i = 0; i < r.count; i++)
        at[i] = r.start + i * r.step;
    for (uint32_t i = 0; i < rank; i++) {
        other[i] = i == 0 ? axis : i <= axis ? i - 1 : i;
        back[i] = i == axis ? 0 : i < axis ? i + 1 : i;
    }
    const dim count = r.count;
    value_id rows = build_transpose(c->b, x, other, rank);
    value_id taken =
        build_binary(c->b, OP_TAKE, rows, build_constant(c->b, TN_SI64, &count, 1, at));
    return build_transpose(c->b, taken, back, rank);
}

static bool reversed_axes(const expand_call *c, axis_list *axes)
{
    uint32_t n;
    const int64_t *at = attr_ints(c->n->attrs, KEY_AXES, &n);
    return is_static_call(c) &&
           resolve_axes(at, n, operand_type_of(c, 0)->rank, axes).kind == SHAPE_OK;
}

value_id expand_reverse_as_slice(expand_call *c)
{
    const type *t = c->out;
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    axis_list axes;
    if (!reversed_axes(c, &axes))
        return NO_VALUE;
    for (uint32_t i = 0; i < t->rank; i++) {
        const bool reversed = axes.mask >> i & 1;
        starts[i] = reversed ? t->dims[i] - 1 : 0;
        ends[i] = reversed ? -1 : t->dims[i];
        steps[i] = reversed ? -1 : 1;
    }
    return build_slice(c->b, c->in[0], starts, ends, steps, t->rank);
}

value_id expand_reverse_as_take(expand_call *c)
{
    axis_list axes;
    value_id v = c->in[0];
    if (!reversed_axes(c, &axes))
        return NO_VALUE;
    for (uint32_t i = 0; i < axes.n; i++) {
        const int64_t extent = c->out->dims[axes.at[i]];
        if (extent > MOST_POSITIONS)
            return NO_VALUE;
        if (extent > 1)
            v = take_along(c, v, axes.at[i], (slice_range){extent - 1, -1, extent});
    }
    return v;
}

static bool slice_ranges(const expand_call *c, slice_range *ranges)
{
    const type *x = operand_type_of(c, 0);
    shape out;
    return is_static_call(c) &&
           resolve_slices(c->n->attrs, x->dims, x->rank, ranges, &out).kind == SHAPE_OK;
}

static value_id build_reverse(builder *b, value_id x, const int64_t *axes, uint32_t n)
{
    attr entry = attr_of_ints(KEY_AXES, axes, n);
    return n ? build_node(b, OP_REVERSE, &x, 1, &entry, 1) : x;
}

/* Ranges with a negative step are read forwards and then reversed. */
value_id expand_slice_and_reverse(expand_call *c)
{
    const uint32_t rank = c->out->rank;
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK], reversed[TN_MAX_RANK];
    slice_range ranges[TN_MAX_RANK];
    uint32_t n_reversed = 0;
    if (!target_has(c, OP_REVERSE) || !slice_ranges(c, ranges))
        return NO_VALUE;
    for (uint32_t i = 0; i < rank; i++) {
        slice_range r = ranges[i];
        const bool reverses = r.step < 0 && r.count > 1;
        if (reverses)
            reversed[n_reversed++] = i;
        const int64_t last = r.start + (r.count > 1 ? (r.count - 1) * r.step : 0);
        starts[i] = reverses ? last : r.start;
        ends[i] = r.count == 0 ? starts[i] : (reverses ? r.start : last) + 1;
        steps[i] = r.count <= 1 ? 1 : reverses ? -r.step : r.step;
    }
    if (n_reversed == 0)
        return NO_VALUE;
    return build_reverse(c->b, build_slice(c->b, c->in[0], starts, ends, steps, rank), reversed,
                         n_reversed);
}

/* Some axes are whole, of an unknown extent, which leaves no slice with known bounds: the others
 * are taken where they are cut. */
static value_id take_beside_symbols(expand_call *c)
{
    const type *x = operand_type_of(c, 0);
    slice_range ranges[TN_MAX_RANK];
    shape out;
    value_id v = c->in[0];
    if (resolve_slices(c->n->attrs, x->dims, x->rank, ranges, &out).kind != SHAPE_OK)
        return NO_VALUE;
    for (uint32_t i = 0; i < x->rank; i++)
        if (ranges[i].count > MOST_POSITIONS ||
            (ranges[i].count >= 0 && dim_is_symbolic(x->dims[i])))
            return NO_VALUE;
    for (uint32_t i = 0; i < x->rank; i++)
        if (ranges[i].count >= 0 && (ranges[i].count != x->dims[i] || ranges[i].step != 1))
            v = take_along(c, v, i, ranges[i]);
    return v == c->in[0] ? NO_VALUE : v;
}

/* Axes with steps of 1 are sliced, the others taken. */
value_id expand_slice_as_take(expand_call *c)
{
    const type *x = operand_type_of(c, 0);
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    slice_range ranges[TN_MAX_RANK];
    bool slices = false, takes = false;
    if (!is_static_call(c))
        return take_beside_symbols(c);
    if (!slice_ranges(c, ranges))
        return NO_VALUE;
    for (uint32_t i = 0; i < x->rank; i++) {
        const bool plain = ranges[i].step == 1 || ranges[i].count <= 1;
        if (!plain && ranges[i].count > MOST_POSITIONS)
            return NO_VALUE;
        starts[i] = plain ? ranges[i].start : 0;
        ends[i] = plain ? ranges[i].start + ranges[i].count : x->dims[i];
        steps[i] = 1;
        slices = slices || ends[i] - starts[i] != x->dims[i];
        takes = takes || !plain;
    }
    if (!takes)
        return NO_VALUE;
    value_id v = c->in[0];
    if (slices)
        v = build_slice(c->b, v, starts, ends, steps, x->rank);
    for (uint32_t i = 0; i < x->rank; i++)
        if (ranges[i].step != 1 && ranges[i].count > 1)
            v = take_along(c, v, i, ranges[i]);
    return v;
}

/* A pad node around X. */
static value_id build_pad_by(expand_call *c, value_id x, const int64_t *low, const int64_t *high,
                             const int64_t *interior, uint32_t rank, scalar value)
{
    attr entries[] = {attr_of_ints(KEY_LOW, low, rank), attr_of_ints(KEY_HIGH, high, rank),
                      attr_of_ints(KEY_INTERIOR, interior, rank),
                      attr_of_scalar(KEY_PAD_VALUE, &value)};
    return build_node(c->b, OP_PAD, &x, 1, entries, 4);
}

static scalar zero_of(tn_dtype d)
{
    return dtype_is_float(d)     ? scalar_of_float(0)
           : dtype_is_complex(d) ? scalar_of_complex(0, 0)
           : dtype_is_bool(d)    ? scalar_of_bool(false)
                                 : scalar_of_int(0);
}

value_id expand_slice_grad_as_pad(expand_call *c)
{
    const type *t = c->out, *g = operand_type_of(c, 0);
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK], reversed[TN_MAX_RANK];
    slice_range ranges[TN_MAX_RANK];
    uint32_t n_reversed = 0;
    shape part;
    if (!is_static_call(c) ||
        resolve_slices(c->n->attrs, t->dims, t->rank, ranges, &part).kind != SHAPE_OK)
        return NO_VALUE;
    if (g->count == 0)
        return expand_filled(c, t, 0);
    for (uint32_t i = 0; i < t->rank; i++) {
        slice_range r = ranges[i];
        const int64_t last = r.start + (r.count > 1 ? (r.count - 1) * r.step : 0);
        const bool reverses = last < r.start;
        if (reverses)
            reversed[n_reversed++] = i;
        low[i] = reverses ? last : r.start;
        high[i] = t->dims[i] - 1 - (reverses ? r.start : last);
        interior[i] = r.count <= 1 ? 0 : (reverses ? -r.step : r.step) - 1;
    }
    return build_pad_by(c, build_reverse(c->b, c->in[0], reversed, n_reversed), low, high, interior,
                        t->rank, zero_of(t->dtype));
}

/* ---- what Core IR has for padding ---------------------------------------------------------- */

/* X put into zeros of the shape DIMS: from LOW on, every STEP-th. */
static value_id put_into_zeros(expand_call *c, value_id x, const int64_t *low, const int64_t *step,
                               const dim *dims)
{
    if (x == NO_VALUE)
        return NO_VALUE;
    const type *t = build_type(c->b, x);
    int64_t ends[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        ends[i] = t->dims[i] == 0 ? low[i] : low[i] + (t->dims[i] - 1) * step[i] + 1;
    attr entries[] = {attr_of_ints(KEY_SHAPE, dims, t->rank),
                      attr_of_ints(KEY_STARTS, low, t->rank), attr_of_ints(KEY_ENDS, ends, t->rank),
                      attr_of_ints(KEY_STEPS, step, t->rank)};
    return build_node(c->b, OP_SLICE_GRAD, &x, 1, entries, 4);
}

typedef struct padding {
    const int64_t *low, *high, *interior;
    scalar value;
} padding;

/* The node's padding; false when it removes elements. */
static bool padding_of(const expand_call *c, padding *p)
{
    uint32_t n;
    p->low = attr_ints(c->n->attrs, KEY_LOW, &n);
    p->high = attr_ints(c->n->attrs, KEY_HIGH, &n);
    p->interior = attr_ints(c->n->attrs, KEY_INTERIOR, &n);
    p->value = *attr_find(c->n->attrs, KEY_PAD_VALUE)->v.scalar;
    for (uint32_t i = 0; i < n; i++)
        if (p->low[i] < 0 || p->high[i] < 0 || p->interior[i] < 0)
            return false;
    return is_static_call(c);
}

value_id expand_pad_as_slice_grad(expand_call *c)
{
    padding p;
    int64_t step[TN_MAX_RANK];
    scalar value;
    if (!padding_of(c, &p) || !scalar_cast(p.value, c->out->dtype, &value) ||
        !scalar_equal(value, zero_of(c->out->dtype)))
        return NO_VALUE;
    for (uint32_t i = 0; i < c->out->rank; i++)
        step[i] = p.interior[i] + 1;
    return put_into_zeros(c, c->in[0], p.low, step, c->out->dims);
}

value_id expand_pad_as_concat(expand_call *c)
{
    padding p;
    value_id v = c->in[0];
    if (!padding_of(c, &p))
        return NO_VALUE;
    for (uint32_t i = 0; i < c->out->rank; i++)
        if (p.interior[i])
            return NO_VALUE;
    for (uint32_t i = 0; i < c->out->rank && c->b->status == TN_OK; i++) {
        const type *t = build_type(c->b, v);
        const int64_t amounts[] = {p.low[i], 0, p.high[i]};
        value_id parts[3];
        uint32_t n = 0;
        dim dims[TN_MAX_RANK];
        memcpy(dims, t->dims, t->rank * sizeof *dims);
        for (uint32_t k = 0; k < 3; k++) {
            dims[i] = amounts[k];
            if (k == 1)
                parts[n++] = v;
            else if (amounts[k])
                parts[n++] =
                    build_broadcast(c->b, build_scalar(c->b, t->dtype, p.value), dims, t->rank);
        }
        attr entry = attr_of_int(KEY_AXIS, i);
        if (n > 1)
            v = build_node(c->b, OP_CONCAT, parts, n, &entry, 1);
    }
    return v;
}

/* Operands put into -0 everywhere else, which adds nothing to any number: the negative of what puts
 * -x into +0. Integers have one zero. */
value_id expand_concat_as_sum(expand_call *c)
{
    const type *t = c->out;
    const bool is_float = dtype_is_float(t->dtype);
    int64_t axis = attr_int(c->n->attrs, KEY_AXIS, 0), at = 0;
    int64_t low[TN_MAX_RANK] = {0}, step[TN_MAX_RANK];
    value_id sum = NO_VALUE;
    if (!is_static_call(c) || dtype_is_bool(t->dtype) || dtype_is_complex(t->dtype))
        return NO_VALUE;
    axis += axis < 0 ? t->rank : 0;
    for (uint32_t i = 0; i < t->rank; i++)
        step[i] = 1;
    for (uint32_t k = 0; k < c->n->n_in && c->b->status == TN_OK; k++) {
        const type *x = operand_type_of(c, k);
        if (x->count == 0 && c->n->n_in > 1)
            continue;
        low[axis] = at;
        at += x->dims[axis];
        value_id v = is_float ? build_unary(c->b, OP_NEG, c->in[k]) : c->in[k];
        v = put_into_zeros(c, v, low, step, t->dims);
        v = is_float ? build_unary(c->b, OP_NEG, v) : v;
        sum = sum == NO_VALUE ? v : build_binary(c->b, OP_ADD, sum, v);
    }
    return sum == NO_VALUE ? expand_filled(c, t, 0) : sum;
}

/* Truth values as numbers and back: x != 0. */
value_id expand_concat_of_truths(expand_call *c)
{
    if (!dtype_is_bool(c->out->dtype))
        return NO_VALUE;
    value_id *in = ARENA_ARRAY(c->memory, value_id, (size_t)c->n->n_in + 1);
    attr entry = attr_of_int(KEY_AXIS, attr_int(c->n->attrs, KEY_AXIS, 0));
    if (!in) {
        c->b->status = module_no_memory(c->b->f->module);
        return NO_VALUE;
    }
    for (uint32_t k = 0; k < c->n->n_in; k++)
        in[k] = build_cast(c->b, c->in[k], TN_SI32);
    return build_cast(c->b, build_node(c->b, OP_CONCAT, in, c->n->n_in, &entry, 1), TN_I1);
}

/* ---- copies and windows -------------------------------------------------------------------- */

value_id expand_tile_as_broadcast(expand_call *c)
{
    uint32_t n;
    const int64_t *repeats = attr_ints(c->n->attrs, KEY_REPEATS, &n);
    value_id v = c->in[0];
    if (!is_static_call(c))
        return NO_VALUE;
    for (uint32_t i = 0; i < n && c->b->status == TN_OK; i++) {
        const type *t = build_type(c->b, v);
        dim dims[TN_MAX_RANK];
        int64_t before, after;
        if (repeats[i] == 1)
            continue;
        memcpy(dims, t->dims, t->rank * sizeof *dims);
        dims[i] *= repeats[i];
        if (!product_i64(t->dims, i, &before) || !product_i64(t->dims + i, t->rank - i, &after))
            return NO_VALUE;
        const dim split[] = {before, 1, after}, more[] = {before, repeats[i], after};
        v = build_broadcast(c->b, build_reshape(c->b, v, split, 3), more, 3);
        v = build_reshape(c->b, v, dims, t->rank);
    }
    return v;
}

/* Are the axes that windows move along known? */
static bool has_known_places(const expand_call *c)
{
    const type *x = operand_type_of(c, 0);
    for (uint32_t i = 1; i + 1 < x->rank; i++)
        if (dim_is_symbolic(x->dims[i]) || dim_is_symbolic(c->out->dims[i]))
            return false;
    return true;
}

value_id expand_patches_as_slices(expand_call *c)
{
    const uint32_t rank = c->out->rank, spatial = rank - 2;
    uint32_t n;
    const int64_t *window = attr_ints(c->n->attrs, KEY_WINDOW, &n);
    const int64_t *strides = attr_ints(c->n->attrs, KEY_STRIDES, &n);
    const int64_t *dilation = attr_ints(c->n->attrs, KEY_DILATION, &n);
    const int64_t *pads = attr_ints(c->n->attrs, KEY_PADS, &n);
    int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0}, none[TN_MAX_RANK] = {0};
    int64_t starts[TN_MAX_RANK] = {0}, ends[TN_MAX_RANK], steps[TN_MAX_RANK], count;
    value_id parts[MOST_SLICES], x = c->in[0];
    if (!has_known_places(c) || !product_i64(window, spatial, &count) || count > MOST_SLICES ||
        count == 0 || c->out->count == 0)
        return NO_VALUE;
    bool padded = false;
    for (uint32_t i = 0; i < spatial; i++) {
        low[i + 1] = pads[2 * i];
        high[i + 1] = pads[2 * i + 1];
        padded = padded || low[i + 1] || high[i + 1];
    }
    if (padded)
        x = build_pad_by(c, x, low, high, none, rank,
                         *attr_find(c->n->attrs, KEY_PAD_VALUE)->v.scalar);
    for (uint32_t i = 0; i < rank; i++) {
        const dim extent = operand_type_of(c, 0)->dims[i];
        ends[i] = dim_is_symbolic(extent) ? INT64_MAX : extent;
        steps[i] = 1;
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k;
        for (uint32_t i = spatial; i-- > 0;) {
            starts[i + 1] = rest % window[i] * dilation[i];
            rest /= window[i];
            steps[i + 1] = strides[i];
            ends[i + 1] = starts[i + 1] + (c->out->dims[i + 1] - 1) * strides[i] + 1;
        }
        parts[k] = build_slice(c->b, x, starts, ends, steps, rank);
    }
    attr entry = attr_of_int(KEY_AXIS, (int64_t)rank - 1);
    return count == 1 ? parts[0] : build_node(c->b, OP_CONCAT, parts, (uint32_t)count, &entry, 1);
}

/* X[n, places..., c] with its spatial axes last, padded; their windows as new axes; back again. */
value_id expand_patches_as_pool(expand_call *c)
{
    const uint32_t rank = c->out->rank, spatial = rank - 2;
    uint32_t n;
    const int64_t *pads = attr_ints(c->n->attrs, KEY_PADS, &n);
    int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0}, none[TN_MAX_RANK] = {0};
    int64_t perm[TN_MAX_RANK];
    bool pads_any = false;
    if (c->out->count == 0 || 2 * spatial + 2 > TN_MAX_RANK)
        return NO_VALUE;
    for (uint32_t i = 0; i < spatial; i++) {
        low[2 + i] = pads[2 * i];
        high[2 + i] = pads[2 * i + 1];
        pads_any = pads_any || low[2 + i] || high[2 + i];
        perm[2 + i] = 1 + (int64_t)i;
    }
    perm[0] = 0;
    perm[1] = (int64_t)rank - 1;
    value_id v = build_transpose(c->b, c->in[0], perm, rank);
    attr around[] = {
        attr_of_ints(KEY_LOW, low, rank), attr_of_ints(KEY_HIGH, high, rank),
        attr_of_ints(KEY_INTERIOR, none, rank),
        attr_of_scalar(KEY_PAD_VALUE, attr_find(c->n->attrs, KEY_PAD_VALUE)->v.scalar)};
    if (pads_any)
        v = build_node(c->b, OP_PAD, &v, 1, around, 4);
    attr places[] = {attr_of_ints(KEY_WINDOW, attr_ints(c->n->attrs, KEY_WINDOW, &n), spatial),
                     attr_of_ints(KEY_STRIDES, attr_ints(c->n->attrs, KEY_STRIDES, &n), spatial),
                     attr_of_ints(KEY_DILATION, attr_ints(c->n->attrs, KEY_DILATION, &n), spatial)};
    v = build_node(c->b, OP_POOL, &v, 1, places, 3);
    perm[rank + spatial - 1] = 1; /* the channels */
    for (uint32_t i = 0; i < 2 * spatial; i++)
        perm[1 + i] = 2 + (int64_t)i;
    return expand_to_result(c, build_transpose(c->b, v, perm, rank + spatial));
}

/* The positions that N of C moves elements from, as a tensor of si64 in the call's memory: N
 * itself, applied to the numbers of the elements in a function of its own. */
static bool positions_of(expand_call *c, tensor *out)
{
    const type *x = operand_type_of(c, 0);
    module *m = c->b->f->module;
    function scratch = {.module = m, .name = ""};
    builder b = builder_on(&scratch, c->n->at);
    int64_t *at = ARENA_ARRAY(c->memory, int64_t, (size_t)x->count);
    attr *entries = ARENA_ARRAY(c->memory, attr, (size_t)c->n->attrs->n + 1);
    if (!at || !entries) {
        c->b->status = module_no_memory(m);
        return false;
    }
    for (int64_t i = 0; i < x->count; i++)
        at[i] = i;
    memcpy(entries, c->n->attrs->at, c->n->attrs->n * sizeof *entries);
    value_id places = build_constant(&b, TN_SI64, x->dims, x->rank, at);
    value_id v = build_node(&b, (op_id)c->n->op, &places, 1, entries, c->n->attrs->n);
    tensor in = {places == NO_VALUE ? NULL : build_type(&b, places), at};
    bool ok = v != NO_VALUE &&
              evaluate_node_quietly(&scratch, node_of(&scratch, v), &in, 1, out, c->memory);
    c->b->status = b.status;
    VECTOR_RELEASE(m->allocator, &scratch.nodes);
    VECTOR_RELEASE(m->allocator, &scratch.values);
    return ok;
}

value_id expand_move_as_take(expand_call *c)
{
    const type *x = operand_type_of(c, 0), *t = c->out;
    tensor from = {0};
    if (is_static_call(c) && t->count == 0)
        return expand_filled(c, t, 0);
    if (!is_static_call(c) || x->count == 0 || x->count > MOST_POSITIONS ||
        t->count > MOST_POSITIONS || !positions_of(c, &from))
        return NO_VALUE;
    value_id rows = build_reshape(c->b, c->in[0], &x->count, 1);
    return build_binary(c->b, OP_TAKE, rows,
                        build_constant(c->b, TN_SI64, t->dims, t->rank, from.data));
}
