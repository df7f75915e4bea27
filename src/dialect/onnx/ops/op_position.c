/* Operators whose positions are data. Tensors are looked at as rows: positions along several axes
 * become the one of the row. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/op.h"

static dim product(onnx_call *c, const dim *dims, uint32_t n)
{
    dim all = 1;
    for (uint32_t i = 0; i < n; i++)
        all = tn_dim_mul(c->b, all, dims[i]);
    return all;
}

/* ALL, numbers of rows that are partly made of AT: -1, which no row has, where AT is no position
 * along an axis of EXTENT. */
static tn_value where_inside(onnx_call *c, tn_value all, tn_value at, dim extent)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, at);
    if (!t)
        return at;
    const tn_value first = tn_compare(b, TN_GE, at, tn_scalar_int(b, t->dtype, 0));
    const tn_value below = tn_compare(b, TN_LT, at, known_size_data(b, t->dtype, extent));
    const tn_value none = tn_scalar_int(b, t->dtype, -1);
    return tn_select(b, tn_and(b, first, below), all, none);
}

/* Is each of the positions in input K, the COMPONENT-th of every N numbers, known to be one along
 * an axis of EXTENT? */
static bool is_inside(onnx_call *c, uint32_t k, uint32_t component, uint32_t n, dim extent)
{
    const known_value *known = onnx_in_known(c, k);
    bool ok = known && !dim_is_symbolic(extent);
    for (uint32_t i = component; ok && i < known->n; i += n)
        ok = !known->at[i].is_size && known->at[i].i >= -extent && known->at[i].i < extent;
    return ok;
}

/* The positions I in a type that holds the numbers of all elements of a tensor of type T. */
static tn_value wide_enough(onnx_call *c, tn_value i, const type *t)
{
    const type *u = onnx_type_of(c, i);
    const bool is_short = t->count >= 0 && t->count <= INT32_MAX;
    return u && u->dtype == TN_SI32 && !is_short ? tn_cast(c->b, i, TN_SI64) : i;
}

/* ---- GatherElements, ScatterElements ---- */

/* The first elements of X along every axis but AXIS, as many as DIMS says. */
static tn_value like_positions(onnx_call *c, tn_value x, const type *positions, int64_t axis)
{
    const type *t = onnx_type_of(c, x);
    for (uint32_t i = 0; t && i < t->rank; i++)
        if (i != axis && positions->dims[i] != t->dims[i]) {
            if (dim_is_symbolic(positions->dims[i])) {
                (void)onnx_refuse(c, DIAG_ShapeUnknown, "the shapes of input and positions differ");
                return tn_no_value();
            }
            x = tn_slice_axis(c->b, x, i, 0, positions->dims[i]);
        }
    return x;
}

/* Positions, of type U, are of the rank of the input, of type T, and no longer but along the axis.
 */
static bool elements_axis(onnx_call *c, const type *t, const type *u, int64_t *axis)
{
    if (t->rank != u->rank || t->rank == 0)
        return onnx_refuse(c, DIAG_RankMismatch, "input and positions must have one rank above 0");
    if (!onnx_axis(c, onnx_attr_int(c, "axis", 0), t->rank, axis))
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != *axis && !dim_is_symbolic(u->dims[i]) && !dim_is_symbolic(t->dims[i]) &&
            u->dims[i] > t->dims[i])
            return onnx_refuse(c, DIAG_DimensionMismatch,
                               "positions have the extent %" PRId64 " along axis %" PRIu32
                               ", where the input has %" PRId64,
                               u->dims[i], i, t->dims[i]);
    return true;
}

bool onnx_op_gather_elements(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x), *u = onnx_in_type(c, 1);
    int64_t axis;
    if (!t || !u || !elements_axis(c, t, u, &axis))
        return false;
    const tn_value part = like_positions(c, x, u, axis);
    return tn_is_value(part) &&
           onnx_give(c, 0, tn_gather(c->b, part, onnx_positions(c, 1, t->dims[axis]), axis));
}

typedef enum scatter_kind {
    SCATTER_NONE,
    SCATTER_ADD,
    SCATTER_MUL,
    SCATTER_MAX,
    SCATTER_MIN
} scatter_kind;

static bool reduction_of(onnx_call *c, scatter_kind *out)
{
    static const char *const names[] = {"none", "add", "mul", "max", "min"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (onnx_attr_is(c, "reduction", names[i], i == SCATTER_NONE)) {
            *out = (scatter_kind)i;
            return true;
        }
    return onnx_refuse(c, DIAG_InvalidAttribute, "'reduction' is none, add, mul, max or min");
}

static const tn_combine combines[] = {[SCATTER_NONE] = TN_COMBINE_REPLACE,
                                      [SCATTER_ADD] = TN_COMBINE_ADD,
                                      [SCATTER_MUL] = TN_COMBINE_MUL,
                                      [SCATTER_MAX] = TN_COMBINE_MAX,
                                      [SCATTER_MIN] = TN_COMBINE_MIN};

/* X[rows, width] with UPDATES[n, width] at the rows I[n]. */
static tn_value scattered_rows(onnx_call *c, scatter_kind how, tn_value x, tn_value i,
                               tn_value updates)
{
    const type *t = onnx_type_of(c, updates);
    if (!t)
        return tn_no_value();
    i = tn_broadcast(c->b, tn_expand_dims(c->b, i, TN_INTS(1)), onnx_dims(t));
    return tn_scatter_reduce(c->b, x, i, updates, 0, combines[how]);
}

/* Are the extents of T and U the same but along AXIS? */
static bool are_alike(const type *t, const type *u, int64_t axis)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != axis && t->dims[i] != u->dims[i])
            return false;
    return true;
}

/* The number of each element of a tensor of type T, in one whose positions along AXIS are I, with
 * the same order of axes. */
static tn_value element_numbers(onnx_call *c, const type *t, tn_value i, int64_t axis)
{
    const type *u = onnx_type_of(c, i);
    tn_value all = tn_no_value();
    if (!u)
        return all;
    const tn_dtype d = u->dtype;
    for (uint32_t k = 0; k < t->rank; k++) {
        const dim stride = product(c, t->dims + k + 1, t->rank - k - 1);
        const tn_value at = k == axis ? i : tn_iota(c->b, d, onnx_dims(u), k);
        const tn_value part = tn_mul(c->b, at, known_size_data(c->b, d, stride));
        all = tn_is_value(all) ? tn_add(c->b, all, part) : part;
    }
    return all;
}

bool onnx_op_scatter_elements(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    tn_value updates = onnx_in(c, 2);
    const type *t = onnx_type_of(c, x), *u = onnx_in_type(c, 1);
    int64_t axis;
    scatter_kind how = SCATTER_NONE;
    if (!t || !u || !elements_axis(c, t, u, &axis) || !reduction_of(c, &how) ||
        !onnx_in_fits(c, 2, onnx_dims(u)))
        return false;
    if (are_alike(t, u, axis))
        return onnx_give(c, 0,
                         tn_scatter_reduce(c->b, x, onnx_positions(c, 1, t->dims[axis]), updates,
                                           axis, combines[how]));
    const tn_value i = wide_enough(c, onnx_positions(c, 1, t->dims[axis]), t);
    const dim n = product(c, u->dims, u->rank);
    const tn_value flat = tn_reshape(c->b, x, TN_INTS(product(c, t->dims, t->rank), 1));
    tn_value numbers = element_numbers(c, t, i, axis);
    if (axis > 0 && !is_inside(c, 1, 0, 1, t->dims[axis])) /* else no element has the number */
        numbers = where_inside(c, numbers, i, t->dims[axis]);
    const tn_value at = tn_reshape(c->b, numbers, TN_INTS(n));
    updates = tn_reshape(c->b, updates, TN_INTS(n, 1));
    return onnx_give(c, 0,
                     tn_reshape(c->b, scattered_rows(c, how, flat, at, updates), onnx_dims(t)));
}

/* ---- GatherND, ScatterND ---- */

/* How many components the index vectors, the last axis of type U, have. */
static bool components(onnx_call *c, const type *t, const type *u, uint32_t batch, uint32_t *out)
{
    if (u->rank == 0 || batch >= u->rank || batch > t->rank)
        return onnx_refuse(c, DIAG_RankMismatch, "positions need an axis of components");
    const dim n = u->dims[u->rank - 1];
    if (dim_is_symbolic(n))
        return onnx_refuse(c, DIAG_ShapeUnknown, "how many components positions have is a size");
    if (n < 0 || n > (int64_t)(t->rank - batch))
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "positions of %" PRId64 " component%s for rank %" PRIu32, n,
                           plural((uint64_t)n), t->rank);
    *out = (uint32_t)n;
    return true;
}

/* The rows of a tensor of type T that input K names: its last axis are positions along N axes from
 * FROM on, and batches count too. */
static tn_value row_numbers(onnx_call *c, uint32_t k, const type *t, uint32_t from, uint32_t n)
{
    const tn_value i = wide_enough(c, onnx_in(c, k), t);
    const type *u = onnx_type_of(c, i);
    dim places[TN_MAX_RANK];
    if (!u)
        return i;
    const uint32_t last = u->rank - 1;
    memcpy(places, u->dims, last * sizeof *places);
    tn_value all = tn_broadcast(c->b, tn_scalar_int(c->b, u->dtype, 0), (tn_ints){places, last});
    tn_value parts[TN_MAX_RANK];
    for (uint32_t m = 0; m < from + n; m++) {
        tn_value at;
        if (m < from)
            at = tn_iota(c->b, u->dtype, (tn_ints){places, last}, m);
        else
            at = onnx_from_front(c,
                                 tn_reshape(c->b, tn_slice_axis(c->b, i, last, m - from, 1),
                                            (tn_ints){places, last}),
                                 t->dims[m]);
        const dim stride = product(c, t->dims + m + 1, from + n - m - 1);
        all = tn_add(c->b, all, tn_mul(c->b, at, known_size_data(c->b, u->dtype, stride)));
        parts[m] = at;
    }
    /* what leads out of the first axis is the number of no row anyway */
    for (uint32_t m = from ? from : 1; m < from + n; m++)
        if (!is_inside(c, k, m - from, n, t->dims[m]))
            all = where_inside(c, all, parts[m], t->dims[m]);
    return all;
}

bool onnx_op_gather_nd(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x), *u = onnx_in_type(c, 1);
    const int64_t batch = onnx_attr_int(c, "batch_dims", 0);
    dim dims[TN_MAX_RANK];
    uint32_t n = 0;
    if (!t || !u)
        return false;
    if (batch < 0 || batch >= TN_MAX_RANK)
        return onnx_refuse(c, DIAG_InvalidAttribute, "'batch_dims' is out of range");
    const uint32_t from = (uint32_t)batch;
    if (!components(c, t, u, from, &n))
        return false;
    const uint32_t rest = t->rank - from - n;
    if (rest + 1 > TN_MAX_RANK)
        return onnx_refuse(c, DIAG_RankMismatch, "the rank is too high");
    for (uint32_t i = 0; i < from; i++)
        if (t->dims[i] != u->dims[i] && !dim_is_symbolic(t->dims[i]) &&
            !dim_is_symbolic(u->dims[i]))
            return onnx_refuse(c, DIAG_DimensionMismatch,
                               "input and positions differ in the batch axis %" PRIu32, i);
    dims[0] = product(c, t->dims, from + n);
    memcpy(dims + 1, t->dims + from + n, rest * sizeof *dims);
    const tn_value rows = tn_reshape(c->b, x, (tn_ints){dims, rest + 1});
    return onnx_give(c, 0, tn_take(c->b, rows, row_numbers(c, 1, t, from, n)));
}

bool onnx_op_scatter_nd(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0), updates = onnx_in(c, 2);
    const type *t = onnx_type_of(c, x), *u = onnx_in_type(c, 1);
    scatter_kind how = SCATTER_NONE;
    uint32_t n = 0;
    if (!t || !u || !tn_is_value(updates) || !components(c, t, u, 0, &n) || !reduction_of(c, &how))
        return false;
    /* a row of updates for each index vector */
    dim dims[2 * TN_MAX_RANK];
    memcpy(dims, u->dims, (u->rank - 1) * sizeof *dims);
    memcpy(dims + u->rank - 1, t->dims + n, (t->rank - n) * sizeof *dims);
    if (!onnx_in_fits(c, 2, (tn_ints){dims, u->rank - 1 + t->rank - n}))
        return false;
    const dim places = product(c, u->dims, u->rank - 1);
    const dim width = product(c, t->dims + n, t->rank - n);
    const tn_value at = tn_reshape(c->b, row_numbers(c, 1, t, 0, n), TN_INTS(places));
    const tn_value rows = tn_reshape(c->b, x, TN_INTS(product(c, t->dims, n), width));
    const tn_value fresh = tn_reshape(c->b, updates, TN_INTS(places, width));
    return onnx_give(c, 0, tn_reshape(c->b, scattered_rows(c, how, rows, at, fresh), onnx_dims(t)));
}

/* ---- MaxUnpool ---- */

/* X at the positions I of zeros that are as large as what was pooled, with more zeros behind them
 * where `output_shape` asks for them. */
bool onnx_op_max_unpool(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    tn_builder *b = c->b;
    uint32_t n_kernel, n_strides, n_pads, n_shape;
    const int64_t *kernel = onnx_attr_ints(c, "kernel_shape", &n_kernel);
    const int64_t *strides = onnx_attr_ints(c, "strides", &n_strides);
    const int64_t *pads = onnx_attr_ints(c, "pads", &n_pads);
    int64_t shape[TN_MAX_RANK], dims[TN_MAX_RANK], none[TN_MAX_RANK] = {0}, high[TN_MAX_RANK];
    if (!t || !onnx_in_fits(c, 1, onnx_dims(t)) ||
        !onnx_in_ints(c, 2, false, TN_MAX_RANK, shape, &n_shape))
        return false;
    const uint32_t n = t->rank < 2 ? 0 : t->rank - 2;
    if (n == 0 || n_kernel != n || (strides && n_strides != n) || (pads && n_pads != 2 * n) ||
        (n_shape && n_shape != t->rank))
        return onnx_refuse(c, DIAG_InvalidAttribute, "its lists do not fit the axes of the input");
    dim all = 1, n_x = 1;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (dim_is_symbolic(t->dims[i]))
            return onnx_refuse(c, DIAG_ShapeUnknown, "its extents must be numbers");
        dims[i] = t->dims[i];
        n_x = tn_dim_mul(b, n_x, dims[i]);
        if (i >= 2) {
            const uint32_t k = i - 2;
            const int64_t step = strides ? strides[k] : 1;
            const int64_t off = pads ? pads[k] + pads[n + k] : 0;
            if (step < 1 || step > INT32_MAX || kernel[k] < 1 || kernel[k] > INT32_MAX || off < 0 ||
                off > INT32_MAX || dims[i] > INT32_MAX)
                return onnx_refuse(
                    c, DIAG_InvalidAttribute,
                    "a stride, an extent of the kernel or a padding is out of range");
            dims[i] = (dims[i] - 1) * step + kernel[k] - off;
        }
        high[i] = n_shape ? shape[i] - dims[i] : 0;
        if (dims[i] < 1 || high[i] < 0)
            return onnx_refuse(c, DIAG_DimensionMismatch, "the result would be too small");
        all = tn_dim_mul(b, all, dims[i]);
    }
    const tn_value x = tn_reshape(b, onnx_in(c, 0), TN_INTS(n_x, 1));
    const tn_value i = tn_reshape(b, onnx_in(c, 1), TN_INTS(n_x));
    const tn_value zeros = tn_splat(b, t->dtype, TN_INTS(all, 1), 0);
    const tn_value flat = scattered_rows(c, SCATTER_NONE, zeros, i, x);
    const tn_value y = tn_reshape(b, flat, (tn_ints){dims, t->rank});
    return onnx_give(c, 0,
                     n_shape ? tn_pad(b, y, (tn_ints){none, t->rank}, (tn_ints){high, t->rank},
                                      (tn_ints){none, t->rank}, 0)
                             : y);
}
