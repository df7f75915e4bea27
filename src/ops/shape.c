/* Arithmetic on shapes: broadcasting, axis lists, reshapes, slices, convolution windows. */
#include "ops/shape.h"

#include <string.h>

#include "base/memory/checked.h"

static shape_fault fault(shape_fault_kind kind, uint32_t at, int64_t value)
{
    return (shape_fault){kind, at, value};
}

int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

shape_fault broadcast_shapes(const dim *a, uint32_t rank_a, const dim *b, uint32_t rank_b,
                             shape *out)
{
    const uint32_t rank = rank_a > rank_b ? rank_a : rank_b;
    if (rank > TN_MAX_RANK)
        return fault(SHAPE_RANK_LIMIT, 0, rank);
    out->rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        const dim x = i + rank_a >= rank ? a[i + rank_a - rank] : 1;
        const dim y = i + rank_b >= rank ? b[i + rank_b - rank] : 1;
        if (x == 1)
            out->dims[i] = y;
        else if (y == 1)
            out->dims[i] = x;
        else if (dims_may_equal(x, y))
            out->dims[i] = dims_join(x, y);
        else
            return fault(SHAPE_MISMATCH, i, 0);
    }
    return SHAPE_FINE;
}

static void list_from_mask(uint32_t mask, axis_list *out)
{
    out->mask = mask;
    out->n = 0;
    for (uint32_t a = 0; a < TN_MAX_RANK; a++)
        if (mask >> a & 1)
            out->at[out->n++] = a;
}

shape_fault resolve_axes(const int64_t *axes, uint32_t n, uint32_t rank, axis_list *out)
{
    uint32_t mask = 0;
    if (rank > TN_MAX_RANK)
        return fault(SHAPE_RANK_LIMIT, 0, rank);
    for (uint32_t i = 0; i < n; i++) {
        if (axes[i] < -(int64_t)rank || axes[i] >= (int64_t)rank)
            return fault(SHAPE_AXIS_RANGE, i, axes[i]);
        const uint32_t axis = (uint32_t)(axes[i] < 0 ? axes[i] + rank : axes[i]);
        if (mask >> axis & 1)
            return fault(SHAPE_AXIS_TWICE, i, axis);
        mask |= (uint32_t)1 << axis;
    }
    list_from_mask(mask, out);
    return SHAPE_FINE;
}

shape_fault resolve_reduction(const int64_t *axes, uint32_t n, bool keepdims, uint32_t rank,
                              axis_list *out, bool *keep)
{
    *keep = keepdims && axes;
    if (axes)
        return resolve_axes(axes, n, rank, out);
    if (rank > TN_MAX_RANK)
        return fault(SHAPE_RANK_LIMIT, 0, rank);
    list_from_mask(rank == 32 ? UINT32_MAX : ((uint32_t)1 << rank) - 1, out);
    return SHAPE_FINE;
}

void reduced_shape(const dim *dims, uint32_t rank, const axis_list *axes, bool keep, shape *out)
{
    out->rank = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (!(axes->mask >> i & 1))
            out->dims[out->rank++] = dims[i];
        else if (keep)
            out->dims[out->rank++] = 1;
    }
}

shape_fault resolve_squeeze(const int64_t *axes, uint32_t n, const dim *dims, uint32_t rank,
                            axis_list *out)
{
    const shape_fault f = resolve_axes(axes, n, rank, out);
    if (f.kind != SHAPE_OK)
        return f;
    for (uint32_t i = 0; i < out->n; i++) {
        const dim d = dims[out->at[i]];
        if (d != 1 && !dim_is_symbolic(d))
            return fault(SHAPE_EXTENT, out->at[i], d);
    }
    return SHAPE_FINE;
}

shape_fault resolve_expand_dims(const int64_t *axes, uint32_t n, uint32_t rank, axis_list *out)
{
    int64_t sorted[TN_MAX_RANK];
    uint32_t mask = 0;
    if (rank > TN_MAX_RANK || n > TN_MAX_RANK - rank)
        return fault(SHAPE_RANK_LIMIT, 0, (int64_t)rank + n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;
        for (; k > 0 && sorted[k - 1] > axes[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = axes[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        if (sorted[i] < 0 || sorted[i] > (int64_t)rank + i)
            return fault(SHAPE_AXIS_RANGE, i, sorted[i]);
        /* Axes of the result from here on move up by one. */
        const uint32_t at = (uint32_t)sorted[i];
        const uint32_t below = mask & (((uint32_t)1 << at) - 1);
        mask = below | (mask & ~below) << 1 | (uint32_t)1 << at;
    }
    list_from_mask(mask, out);
    return SHAPE_FINE;
}

void expanded_shape(const dim *dims, uint32_t rank, const axis_list *axes, shape *out)
{
    out->rank = rank + axes->n;
    for (uint32_t i = 0, k = 0; i < out->rank; i++)
        out->dims[i] = axes->mask >> i & 1 ? 1 : dims[k++];
}

/* Whether D stands in REST[0 .. *n); takes it out. */
static bool take_out(dim *rest, uint32_t *n, dim d)
{
    for (uint32_t i = 0; i < *n; i++)
        if (rest[i] == d) {
            rest[i] = rest[--*n];
            return true;
        }
    return false;
}

/* A reshape with symbols: equal symbols cancel. What cannot be disproved is accepted; binding the
 * symbols checks again. */
static shape_fault reshape_symbols(const int64_t *wanted, uint32_t n, const type *in,
                                   uint32_t inferred, shape *out)
{
    dim rest[TN_MAX_RANK];
    uint32_t n_rest = 0, n_unmatched = 0;
    int64_t have = 1, want = 1;
    bool fits = true;

    for (uint32_t i = 0; i < in->rank; i++) {
        if (dim_is_symbolic(in->dims[i]))
            rest[n_rest++] = in->dims[i];
        else
            fits = fits && mul_i64(have, in->dims[i], &have);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i == inferred)
            continue;
        if (dim_is_symbolic(wanted[i]))
            n_unmatched += !take_out(rest, &n_rest, wanted[i]);
        else
            fits = fits && mul_i64(want, wanted[i], &want);
    }
    if (!fits)
        return fault(SHAPE_COUNT, 0, -1);
    if (inferred == n) {
        const bool known = n_rest == 0 && n_unmatched == 0;
        return known && have != want ? fault(SHAPE_COUNT, 0, want) : SHAPE_FINE;
    }
    if (n_unmatched == 0 && n_rest == 0 && want > 0 && have % want == 0)
        out->dims[inferred] = have / want;
    else if (n_unmatched == 0 && n_rest == 1 && have == want && want > 0)
        out->dims[inferred] = rest[0];
    else
        return fault(SHAPE_UNKNOWN, inferred, 0);
    return SHAPE_FINE;
}

shape_fault resolve_reshape(const int64_t *wanted, uint32_t n, const type *in, shape *out)
{
    uint32_t inferred = n;
    int64_t product = 1;
    bool symbols = in->count == TYPE_COUNT_UNKNOWN, fits = true, empty = false;

    if (n > TN_MAX_RANK || in->rank > TN_MAX_RANK)
        return fault(SHAPE_RANK_LIMIT, 0, n);
    out->rank = n;
    for (uint32_t i = 0; i < n; i++) {
        out->dims[i] = wanted[i];
        if (dim_is_symbolic(wanted[i])) {
            symbols = true;
        } else if (wanted[i] == -1 && inferred == n) {
            inferred = i;
        } else if (wanted[i] < 0 || (wanted[i] == 0 && in->count > 0)) {
            return fault(SHAPE_EXTENT, i, wanted[i]);
        } else {
            empty = empty || wanted[i] == 0;
            fits = fits && mul_i64(product, wanted[i], &product);
        }
    }
    if (inferred < n && empty)
        return fault(SHAPE_EXTENT, inferred, -1); /* any extent would do */
    if (symbols)
        return reshape_symbols(wanted, n, in, inferred, out);
    if (empty)
        product = 0;
    else if (!fits)
        return fault(SHAPE_COUNT, 0, -1);
    if (inferred == n)
        return product == in->count ? SHAPE_FINE : fault(SHAPE_COUNT, 0, product);
    if (in->count < 0 || in->count % product != 0)
        return fault(SHAPE_COUNT, 0, product);
    out->dims[inferred] = in->count / product;
    return SHAPE_FINE;
}

shape_fault resolve_permutation(const int64_t *perm, uint32_t n, uint32_t rank)
{
    uint32_t mask = 0;
    if (rank > TN_MAX_RANK)
        return fault(SHAPE_RANK_LIMIT, 0, rank);
    if (n != rank)
        return fault(SHAPE_LENGTH, 0, n);
    for (uint32_t i = 0; i < n; i++) {
        if (perm[i] < 0 || perm[i] >= (int64_t)rank)
            return fault(SHAPE_AXIS_RANGE, i, perm[i]);
        if (mask >> perm[i] & 1)
            return fault(SHAPE_AXIS_TWICE, i, perm[i]);
        mask |= (uint32_t)1 << perm[i];
    }
    return SHAPE_FINE;
}

static int64_t clamp_to(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

void slice_bounds(int64_t start, int64_t end, int64_t step, int64_t extent, int64_t *first,
                  int64_t *last)
{
    const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? extent : extent - 1;
    const int64_t from_end = step > 0 ? extent : 0;
    *first = clamp_to(start < 0 ? start + from_end : start, lowest, highest);
    *last = clamp_to(end < 0 ? end + from_end : end, lowest, highest);
}

slice_range resolve_slice(int64_t start, int64_t end, int64_t step, int64_t extent)
{
    int64_t s, e;
    slice_bounds(start, end, step, extent, &s, &e);
    if (step > 0 && e > s)
        return (slice_range){s, step, (e - s - 1) / step + 1};
    if (step < 0 && s > e) /* -(step + 1) avoids the overflow of -step */
        return (slice_range){s, step,
                             (int64_t)((uint64_t)(s - e - 1) / ((uint64_t) - (step + 1) + 1)) + 1};
    return (slice_range){0, step, 0};
}

shape_fault resolve_slices(const attrs *given, const dim *dims, uint32_t rank, slice_range *ranges,
                           shape *out)
{
    uint32_t n_starts, n_ends, n_steps;
    const int64_t *starts = attr_ints(given, KEY_STARTS, &n_starts);
    const int64_t *ends = attr_ints(given, KEY_ENDS, &n_ends);
    const int64_t *steps = attr_ints(given, KEY_STEPS, &n_steps);

    if (rank > TN_MAX_RANK)
        return fault(SHAPE_RANK_LIMIT, 0, rank);
    if (n_starts != rank || n_ends != rank || n_steps != rank)
        return fault(SHAPE_LENGTH, 0, rank);
    out->rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        if (steps[i] == 0)
            return fault(SHAPE_STEP, i, 0);
        if (dim_is_symbolic(dims[i])) {
            const bool is_whole = starts[i] == 0 && ends[i] == INT64_MAX && steps[i] == 1;
            if (!is_whole &&
                (starts[i] < 0 || ends[i] < starts[i] || ends[i] == INT64_MAX || steps[i] < 1))
                return fault(SHAPE_UNKNOWN, i, 0);
            ranges[i] = is_whole ? (slice_range){0, 1, -1}
                                 : resolve_slice(starts[i], ends[i], steps[i], ends[i]);
            out->dims[i] = is_whole ? dims[i] : ranges[i].count;
        } else {
            ranges[i] = resolve_slice(starts[i], ends[i], steps[i], dims[i]);
            out->dims[i] = ranges[i].count;
        }
    }
    return SHAPE_FINE;
}

shape_fault resolve_broadcast(const attrs *given, const type *in, shape *out,
                              uint32_t map[TN_MAX_RANK])
{
    uint32_t n, n_dims;
    const int64_t *wanted = attr_ints(given, KEY_SHAPE, &n);
    const int64_t *dims = attr_ints(given, KEY_DIMS, &n_dims);
    const bool mapped = attr_find(given, KEY_DIMS) != NULL;

    if (n > TN_MAX_RANK || in->rank > TN_MAX_RANK)
        return fault(SHAPE_RANK_LIMIT, 0, n);
    out->rank = n;
    for (uint32_t i = 0; i < n; i++) {
        if (wanted[i] < 0 && !dim_is_symbolic(wanted[i]))
            return fault(SHAPE_EXTENT, i, wanted[i]);
        out->dims[i] = wanted[i];
    }
    if (mapped ? n_dims != in->rank : n < in->rank)
        return fault(SHAPE_LENGTH, 0, n_dims);

    uint32_t taken = 0;
    for (uint32_t i = 0; i < in->rank; i++) {
        if (mapped && (dims[i] < 0 || dims[i] >= (int64_t)n))
            return fault(SHAPE_AXIS_RANGE, i, dims[i]);
        map[i] = mapped ? (uint32_t)dims[i] : n - in->rank + i;
        if (taken >> map[i] & 1)
            return fault(SHAPE_AXIS_TWICE, i, map[i]);
        taken |= (uint32_t)1 << map[i];
        if (in->dims[i] != 1 && !dims_may_equal(in->dims[i], wanted[map[i]]))
            return fault(SHAPE_MISMATCH, map[i], in->dims[i]);
    }
    return SHAPE_FINE;
}

/* One spatial axis: the extent of the result and the padding on both sides. */
static shape_fault conv_axis(uint32_t axis, padding_mode mode, const int64_t *pads, int64_t extent,
                             int64_t kernel, int64_t stride, int64_t *low, int64_t *high,
                             int64_t *result)
{
    *low = *high = 0;
    if (mode == PADDING_SAME) {
        int64_t total;
        *result = extent / stride + (extent % stride != 0);
        if (extent == 0)
            return fault(SHAPE_EXTENT, axis, 0);
        /* (result - 1) * stride < extent */
        if (!add_i64((*result - 1) * stride - extent, kernel, &total))
            return fault(SHAPE_PADDING, axis, 0);
        if (total > 0) {
            *low = total / 2;
            *high = total - total / 2;
        }
        return SHAPE_FINE;
    }
    if (mode == PADDING_CUSTOM) {
        *low = pads[0];
        *high = pads[1];
    }
    int64_t padded;
    if (!add_i64(extent, *low, &padded) || !add_i64(padded, *high, &padded))
        return fault(SHAPE_PADDING, axis, 0);
    padded -= kernel; /* both are >= 0 */
    *result = padded >= 0 ? padded / stride + 1 : -((-padded - 1) / stride);
    return *result > 0 ? SHAPE_FINE : fault(SHAPE_EXTENT, axis, *result);
}

shape_fault resolve_conv(const attrs *given, const dim *input, const dim *filter,
                         conv_geometry *out)
{
    uint32_t n_strides, n_pads;
    const int64_t *strides = attr_ints(given, KEY_STRIDES, &n_strides);
    const int64_t *pads = attr_ints(given, KEY_PADS, &n_pads);
    const int64_t mode = attr_int(given, KEY_PADDING, PADDING_VALID);

    if (!dims_may_equal(input[3], filter[2]))
        return fault(SHAPE_CHANNELS, 3, 0);
    if (n_strides != 2 || strides[0] < 1 || strides[1] < 1)
        return fault(SHAPE_STRIDES, 0, 0);
    if (mode < PADDING_VALID || mode > PADDING_CUSTOM ||
        (mode == PADDING_CUSTOM ? n_pads != 4 : attr_find(given, KEY_PADS) != NULL))
        return fault(SHAPE_PADDING, 0, 0);
    for (uint32_t i = 0; i < n_pads; i++)
        if (pads[i] < 0)
            return fault(SHAPE_PADDING, 0, pads[i]);
    if (dim_is_symbolic(input[1]) || dim_is_symbolic(input[2]) || dim_is_symbolic(filter[0]) ||
        dim_is_symbolic(filter[1]))
        return fault(SHAPE_UNKNOWN, 0, 0);

    *out = (conv_geometry){.n = input[0],
                           .h = input[1],
                           .w = input[2],
                           .ci = dims_join(input[3], filter[2]),
                           .kh = filter[0],
                           .kw = filter[1],
                           .co = filter[3],
                           .stride_h = strides[0],
                           .stride_w = strides[1]};
    shape_fault f = conv_axis(1, (padding_mode)mode, pads, out->h, out->kh, out->stride_h,
                              &out->top, &out->bottom, &out->ho);
    if (f.kind == SHAPE_OK)
        f = conv_axis(2, (padding_mode)mode, pads ? pads + 2 : NULL, out->w, out->kw, out->stride_w,
                      &out->left, &out->right, &out->wo);
    return f;
}
