/* The public builder: movement, positions given by data, composites. */
#include "forms/building.h"

#include <inttypes.h>

#include "base/memory/checked.h"
#include "base/text/text.h"

/* OP on X with one attribute, a list. */
static tn_value with_list(tn_builder *b, op_id op, tn_value x, attr_key key, tn_ints list)
{
    attr_list l = attrs_for(b, op);
    add_ints(&l, key, list);
    return append_1(&l, x);
}

/* ---- movement ------------------------------------------------------------------------------- */

tn_value tn_reshape(tn_builder *b, tn_value x, tn_ints shape)
{
    return with_list(b, OP_RESHAPE, x, KEY_SHAPE, shape);
}

tn_value tn_expand_dims(tn_builder *b, tn_value x, tn_ints axes)
{
    return with_list(b, OP_EXPAND_DIMS, x, KEY_AXES, axes);
}

tn_value tn_squeeze(tn_builder *b, tn_value x, tn_ints axes)
{
    return with_list(b, OP_SQUEEZE, x, KEY_AXES, axes);
}

tn_value tn_transpose(tn_builder *b, tn_value x, tn_ints perm)
{
    attr_list l = attrs_for(b, OP_TRANSPOSE);
    int64_t counted[TN_MAX_RANK];
    const type *t = builder_type(b, x);
    if (t && perm.at && perm.n == t->rank) {
        for (size_t i = 0; i < perm.n; i++)
            counted[i] = perm.at[i] < 0 && perm.at[i] >= -(int64_t)t->rank
                             ? perm.at[i] + (int64_t)t->rank
                             : perm.at[i];
        perm.at = counted;
    }
    add_ints(&l, KEY_PERM, perm);
    return append_1(&l, x);
}

tn_value tn_broadcast(tn_builder *b, tn_value x, tn_ints shape)
{
    attr_list l = attrs_for(b, OP_BROADCAST);
    const type *t = builder_type(b, x);
    if (t && shape.n == t->rank &&
        (shape.n == 0 || (shape.at && memcmp(shape.at, t->dims, shape.n * sizeof *shape.at) == 0)))
        return x;
    add_ints(&l, KEY_SHAPE, shape);
    return append_1(&l, x);
}

tn_value tn_broadcast_axes(tn_builder *b, tn_value x, tn_ints shape, tn_ints map)
{
    attr_list l = attrs_for(b, OP_BROADCAST);
    add_ints(&l, KEY_SHAPE, shape);
    add_ints(&l, KEY_DIMS, map);
    return append_1(&l, x);
}

/* Bounds of one axis of a slice. A whole axis is written so that its extent may be a symbol. */
static bool slice_bounds_of(tn_builder *b, size_t axis, dim extent, int64_t start, int64_t size,
                            int64_t *first, int64_t *end)
{
    *first = start;
    *end = INT64_MAX;
    if (start == 0 && size == extent)
        return true;
    if (!dim_is_symbolic(extent) && start >= 0 && size >= 0 && start <= extent &&
        size <= extent - start) {
        *end = start + size;
        return true;
    }
    if (dim_is_symbolic(extent))
        builder_fail(b, DIAG_CannotInfer, "slice",
                     "axis %zu has a symbolic extent and can only be taken whole", axis);
    else
        builder_fail(b, DIAG_InvalidAttribute, "slice",
                     "%" PRId64 " element%s from %" PRId64 " on, along axis %zu of extent %" PRId64,
                     size, plural((uint64_t)size), start, axis, extent);
    return false;
}

static tn_value slice_of(tn_builder *b, tn_value x, tn_ints starts, tn_ints ends)
{
    int64_t ones[TN_MAX_RANK];
    for (size_t i = 0; i < starts.n; i++)
        ones[i] = 1;
    return tn_slice_steps(b, x, starts, ends, (tn_ints){ones, starts.n});
}

tn_value tn_slice(tn_builder *b, tn_value x, tn_ints starts, tn_ints sizes)
{
    int64_t first[TN_MAX_RANK], end[TN_MAX_RANK];
    value_id id;
    const type *t;
    if (!builder_operand(b, "slice", x, &id, &t) ||
        !builder_list(b, "slice", starts.at, starts.n) ||
        !builder_list(b, "slice", sizes.at, sizes.n))
        return tn_no_value();
    if (starts.n != t->rank || sizes.n != t->rank) {
        builder_fail(b, DIAG_SliceLength, "slice",
                     "%zu start%s and %zu size%s for a tensor of rank %" PRIu32, starts.n,
                     plural(starts.n), sizes.n, plural(sizes.n), t->rank);
        return tn_no_value();
    }
    for (uint32_t i = 0; i < t->rank; i++)
        if (!slice_bounds_of(b, i, t->dims[i], starts.at[i], sizes.at[i], &first[i], &end[i]))
            return tn_no_value();
    return slice_of(b, x, (tn_ints){first, t->rank}, (tn_ints){end, t->rank});
}

tn_value tn_slice_axis(tn_builder *b, tn_value x, int64_t axis, int64_t start, int64_t size)
{
    int64_t starts[TN_MAX_RANK] = {0}, sizes[TN_MAX_RANK];
    value_id id;
    const type *t;
    if (!builder_operand(b, "slice", x, &id, &t))
        return tn_no_value();
    if (axis < -(int64_t)t->rank || axis >= (int64_t)t->rank) {
        builder_fail(b, DIAG_InvalidAxis, "slice",
                     "axis %" PRId64 " is out of range for rank %" PRIu32, axis, t->rank);
        return tn_no_value();
    }
    memcpy(sizes, t->dims, t->rank * sizeof *sizes);
    axis += axis < 0 ? (int64_t)t->rank : 0;
    starts[axis] = start;
    sizes[axis] = size;
    return tn_slice(b, x, (tn_ints){starts, t->rank}, (tn_ints){sizes, t->rank});
}

static void add_slice(attr_list *l, tn_ints starts, tn_ints ends, tn_ints steps)
{
    add_ints(l, KEY_STARTS, starts);
    add_ints(l, KEY_ENDS, ends);
    add_ints(l, KEY_STEPS, steps);
}

tn_value tn_slice_steps(tn_builder *b, tn_value x, tn_ints starts, tn_ints ends, tn_ints steps)
{
    attr_list l = attrs_for(b, OP_SLICE);
    add_slice(&l, starts, ends, steps);
    return append_1(&l, x);
}

tn_value tn_slice_grad(tn_builder *b, tn_value g, tn_ints shape, tn_ints starts, tn_ints ends,
                       tn_ints steps)
{
    attr_list l = attrs_for(b, OP_SLICE_GRAD);
    add_ints(&l, KEY_SHAPE, shape);
    add_slice(&l, starts, ends, steps);
    return append_1(&l, g);
}

tn_value tn_reverse(tn_builder *b, tn_value x, tn_ints axes)
{
    return with_list(b, OP_REVERSE, x, KEY_AXES, axes);
}

static attr_list pad_attrs(tn_builder *b, tn_ints low, tn_ints high, tn_ints interior)
{
    attr_list l = attrs_for(b, OP_PAD);
    add_ints(&l, KEY_LOW, low);
    add_ints(&l, KEY_HIGH, high);
    add_ints(&l, KEY_INTERIOR, interior);
    return l;
}

tn_value tn_pad(tn_builder *b, tn_value x, tn_ints low, tn_ints high, tn_ints interior,
                double value)
{
    attr_list l = pad_attrs(b, low, high, interior);
    add_scalar(&l, KEY_PAD_VALUE, value, x);
    return append_1(&l, x);
}

tn_value tn_pad_exact(tn_builder *b, tn_value x, tn_ints low, tn_ints high, tn_ints interior,
                      const void *value)
{
    attr_list l = pad_attrs(b, low, high, interior);
    add_element(&l, KEY_PAD_VALUE, value, x);
    return append_1(&l, x);
}

tn_value tn_concat(tn_builder *b, tn_values xs, int64_t axis)
{
    attr_list l = attrs_for(b, OP_CONCAT);
    add_int(&l, KEY_AXIS, axis);
    return append(&l, xs.at, xs.n);
}

tn_value tn_tile(tn_builder *b, tn_value x, tn_ints repeats)
{
    return with_list(b, OP_TILE, x, KEY_REPEATS, repeats);
}

tn_value tn_view(tn_builder *b, tn_value x, tn_ints shape, const char *index_map)
{
    attr_list l = attrs_for(b, OP_VIEW);
    add_ints(&l, KEY_SHAPE, shape);
    add_string(&l, KEY_INDEX_MAP, index_map);
    return append_1(&l, x);
}

tn_value tn_pool(tn_builder *b, tn_value x, tn_ints window, tn_ints strides, tn_ints dilation)
{
    attr_list l = attrs_for(b, OP_POOL);
    add_ints(&l, KEY_WINDOW, window);
    add_ints(&l, KEY_STRIDES, strides);
    add_ints(&l, KEY_DILATION, dilation);
    return append_1(&l, x);
}

tn_value tn_extract_patches(tn_builder *b, tn_value x, tn_ints window, tn_ints strides,
                            tn_ints dilation, tn_ints pads, double value)
{
    attr_list l = attrs_for(b, OP_EXTRACT_PATCHES);
    add_ints(&l, KEY_WINDOW, window);
    add_ints(&l, KEY_STRIDES, strides);
    add_ints(&l, KEY_DILATION, dilation);
    add_ints(&l, KEY_PADS, pads);
    add_scalar(&l, KEY_PAD_VALUE, value, x);
    return append_1(&l, x);
}

/* ---- positions given by data ---------------------------------------------------------------- */

tn_value tn_index(tn_builder *b, tn_value x, tn_ints indices)
{
    return with_list(b, OP_INDEX, x, KEY_INDICES, indices);
}

tn_value tn_take(tn_builder *b, tn_value x, tn_value i)
{
    attr_list l = attrs_for(b, OP_TAKE);
    return append_2(&l, x, i);
}

tn_value tn_gather(tn_builder *b, tn_value x, tn_value i, int64_t axis)
{
    attr_list l = attrs_for(b, OP_GATHER);
    add_int(&l, KEY_AXIS, axis);
    return append_2(&l, x, i);
}

tn_value tn_scatter_rows(tn_builder *b, tn_value g, tn_value i, tn_ints shape)
{
    attr_list l = attrs_for(b, OP_SCATTER_ROWS);
    add_ints(&l, KEY_SHAPE, shape);
    return append_2(&l, g, i);
}

tn_value tn_scatter_add(tn_builder *b, tn_value x, tn_value i, tn_value updates,
                        const tn_scatter_axes *axes)
{
    attr_list l = attrs_for(b, OP_SCATTER_ADD);
    if (!builder_list(b, "scatter_add", axes, 1))
        return tn_no_value();
    add_ints(&l, KEY_UPDATE_WINDOW_DIMS, axes->update_window);
    add_ints(&l, KEY_INSERTED_WINDOW_DIMS, axes->inserted_window);
    add_ints(&l, KEY_SCATTER_DIMS, axes->scatter);
    add_int(&l, KEY_INDEX_VECTOR_DIM, axes->index_vector);
    return append_3(&l, x, i, updates);
}

static void add_combine(attr_list *l, tn_combine combine)
{
    if (is_building(l->b) && (unsigned)combine > TN_COMBINE_MIN_NAN)
        builder_fail(l->b, DIAG_Usage, op_table[l->op].text, "%d is no way to combine",
                     (int)combine);
    add_int(l, KEY_COMBINE, (int64_t)combine);
}

tn_value tn_scatter_reduce(tn_builder *b, tn_value x, tn_value i, tn_value updates, int64_t axis,
                           tn_combine combine)
{
    attr_list l = attrs_for(b, OP_SCATTER_REDUCE);
    add_int(&l, KEY_AXIS, axis);
    add_combine(&l, combine);
    return append_3(&l, x, i, updates);
}

tn_value tn_dynamic_slice(tn_builder *b, tn_value x, tn_value start, tn_ints sizes)
{
    attr_list l = attrs_for(b, OP_DYNAMIC_SLICE);
    add_ints(&l, KEY_SIZES, sizes);
    return append_2(&l, x, start);
}

tn_value tn_dynamic_update_slice(tn_builder *b, tn_value x, tn_value update, tn_value start)
{
    attr_list l = attrs_for(b, OP_DYNAMIC_UPDATE_SLICE);
    const type *t = builder_type(b, update);
    if (t)
        add_ints(&l, KEY_SIZES, (tn_ints){t->dims, t->rank});
    return append_3(&l, x, update, start);
}

tn_value tn_segment_reduce(tn_builder *b, tn_value x, tn_value i, tn_combine combine,
                           int64_t segments, tn_dtype accum, bool sorted, bool unique)
{
    attr_list l = attrs_for(b, OP_SEGMENT_REDUCE);
    add_combine(&l, combine);
    add_int(&l, KEY_SEGMENTS, segments);
    add_dtype(&l, KEY_ACCUM_DTYPE, accum);
    add_int(&l, KEY_SORTED, sorted);
    add_int(&l, KEY_UNIQUE, unique);
    return append_2(&l, x, i);
}

/* ---- composites ----------------------------------------------------------------------------- */

tn_value tn_layer_norm(tn_builder *b, tn_value x, tn_value gamma, tn_value beta, double epsilon,
                       int64_t axis)
{
    attr_list l = attrs_for(b, OP_LAYER_NORM);
    add_float(&l, KEY_EPSILON, epsilon);
    add_int(&l, KEY_AXIS, axis);
    return append_3(&l, x, gamma, beta);
}

tn_value tn_reduce_window(tn_builder *b, tn_value x, tn_combine combine, const tn_window *window,
                          tn_dtype accum)
{
    attr_list l = attrs_for(b, OP_REDUCE_WINDOW);
    add_ints(&l, KEY_WINDOW, window->window);
    add_ints(&l, KEY_STRIDES, window->strides);
    add_ints(&l, KEY_PADS, window->pads);
    add_ints(&l, KEY_BASE_DILATION, window->base_dilation);
    add_ints(&l, KEY_DILATION, window->dilation);
    add_combine(&l, combine);
    add_dtype(&l, KEY_ACCUM_DTYPE, accum);
    return append_1(&l, x);
}

/* X and those of the following operands that are values; none may follow one that is left out. */
static tn_value append_quantized(attr_list *l, const tn_value *in, size_t n, int64_t axis)
{
    size_t given = 1;
    bool along_axis = false;
    while (given < n && tn_is_value(in[given]))
        given++;
    for (size_t i = 1; i < given; i++) {
        const type *t = builder_type(l->b, in[i]);
        along_axis = along_axis || (t && t->rank > 0);
    }
    for (size_t i = given; i < n; i++)
        if (tn_is_value(in[i]) && is_building(l->b))
            builder_fail(l->b, DIAG_ArityMismatch, op_table[l->op].text,
                         "operand %zu is given, but operand %zu is not", i, given);
    if (along_axis)
        add_int(l, KEY_AXIS, axis);
    return append(l, in, given);
}

tn_value tn_quantize(tn_builder *b, tn_value x, tn_value scale, tn_value zero, tn_dtype dtype,
                     int64_t axis)
{
    attr_list l = attrs_for(b, OP_QUANTIZE);
    add_dtype(&l, KEY_DTYPE, dtype);
    return append_quantized(&l, (tn_value[]){x, scale, zero}, 3, axis);
}

tn_value tn_dequantize(tn_builder *b, tn_value q, tn_value scale, tn_value zero, tn_dtype dtype,
                       int64_t axis)
{
    attr_list l = attrs_for(b, OP_DEQUANTIZE);
    add_dtype(&l, KEY_DTYPE, dtype);
    return append_quantized(&l, (tn_value[]){q, scale, zero}, 3, axis);
}

tn_value tn_requantize(tn_builder *b, tn_value q, tn_value from_scale, tn_value from_zero,
                       tn_value to_scale, tn_value to_zero, tn_dtype dtype, int64_t axis)
{
    attr_list l = attrs_for(b, OP_REQUANTIZE);
    add_dtype(&l, KEY_DTYPE, dtype);
    return append_quantized(&l, (tn_value[]){q, from_scale, from_zero, to_scale, to_zero}, 5, axis);
}
