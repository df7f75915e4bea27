/* Positions given by data: gather and scatter. */
#include "dialect/mlir/hlo/bodies/bodies.h"
#include "dialect/mlir/hlo/lower.h"
#include "dialect/mlir/hlo/lower/index_axes.h"
#include "dialect/mlir/hlo/numbers/ranges.h"

#include <math.h>

/* The axis of B that is axis AXIS of the indices. */
static int64_t axis_in_b(const index_axes *a, int64_t axis)
{
    return axis - (axis > a->vector);
}

/* Does the text say that nothing lies outside? What does is then an error of the run. */
static bool says_inside(shlo_call *c)
{
    return shlo_attr(c, "tenon.inside");
}

/* The coordinates along operand axis AXIS where windows start, of shape [B.., 1..] with RANK axes;
 * no value when they are 0. CLAMP: not above MOST. */
static tn_value start_of(shlo_call *c, const index_axes *a, tn_value indices, const type *in,
                         int64_t axis, uint32_t rank, bool clamp, dim most)
{
    tn_builder *b = c->b;
    int64_t dims[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < in->rank; i++)
        if ((int64_t)i != a->vector)
            dims[n++] = in->dims[i];
    while (n < rank)
        dims[n++] = 1;
    for (uint32_t j = 0; j < a->n_batch; j++)
        if (a->batch[j] == axis) {
            const int64_t at = axis_in_b(a, a->batch_in[j]);
            const tn_value count = tn_iota(b, TN_SI64, (tn_ints){&dims[at], 1}, 0);
            return tn_broadcast_axes(b, count, (tn_ints){dims, n}, (tn_ints){&at, 1});
        }
    for (uint32_t k = 0; k < a->n_map; k++) {
        if (a->map[k] != axis)
            continue;
        tn_value s = indices;
        if (a->vector < (int64_t)in->rank && in->dims[a->vector] != 1)
            s = tn_slice_axis(b, s, a->vector, k, 1);
        s = shlo_reshaped(c, s, (tn_ints){dims, n});
        if (!clamp || says_inside(c) || (!dim_is_symbolic(most) && shlo_lies_in(c, s, 0, most)))
            return s;
        const tn_value low = tn_scalar_int(b, TN_SI64, 0);
        const tn_value high = known_size_data(b, TN_SI64, most);
        const tn_value up = tn_maximum(b, s, low);
        return tn_minimum(b, up, high);
    }
    return tn_no_value();
}

/* The place of each axis of [B.., window..] in a tensor whose window axes are A's. */
static void order_of(const index_axes *a, uint32_t rank, int64_t *at)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (!index_axes_hold(a->window, a->n_window, i))
            at[n++] = i;
    for (uint32_t i = 0; i < a->n_window; i++)
        at[n++] = a->window[i];
}

/* Row-major strides of X, some of which may be sizes; its elements are returned. */
static dim strides_of(shlo_call *c, const type *x, dim *stride)
{
    dim n = 1;
    for (uint32_t i = x->rank; i-- > 0;) {
        stride[i] = n;
        n = shlo_dim(c, DIM_MUL, n, x->dims[i]);
    }
    return n;
}

/* ---- gather ---- */

/* One component, whole rows elsewhere: rows of the operand with that axis in front. */
static bool takes_rows(const index_axes *a, const type *x, const int64_t *sizes)
{
    bool rows = a->n_map == 1 && a->n_batch == 0 && a->n_dropped == 1 &&
                a->dropped[0] == a->map[0] && x->count != 0;
    for (uint32_t i = 0; rows && i < x->rank; i++)
        rows = (int64_t)i == a->map[0] || sizes[i] == x->dims[i];
    return rows;
}

/* X with axis AXIS in front. */
static tn_value in_front(shlo_call *c, tn_value x, uint32_t rank, int64_t axis)
{
    int64_t perm[TN_MAX_RANK] = {axis};
    uint32_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        if ((int64_t)i != axis)
            perm[n++] = i;
    return axis ? tn_transpose(c->b, x, (tn_ints){perm, rank}) : x;
}

/* SUM, which may be none yet, and PLACE steps of STRIDE. */
static tn_value plus_steps(tn_builder *b, tn_value sum, tn_value place, dim stride)
{
    const tn_value term =
        stride == 1 ? place : tn_mul(b, place, known_size_data(b, TN_SI64, stride));
    return tn_is_value(sum) ? tn_add(b, sum, term) : term;
}

/* SUM, or 0 where there is none, in the shape SHAPE. */
static tn_value whole_sum(shlo_call *c, tn_value sum, tn_ints shape)
{
    const type *t = tn_is_value(sum) ? shlo_type_of(c, sum) : NULL;
    bool is_whole = t && t->rank == shape.n;
    for (uint32_t i = 0; is_whole && i < t->rank; i++)
        is_whole = t->dims[i] == shape.at[i];
    if (!tn_is_value(sum))
        sum = tn_scalar_int(c->b, TN_SI64, 0);
    return is_whole ? sum : tn_broadcast(c->b, sum, shape);
}

/* Positions in row-major order, of shape [B.., window..]: the sum of what each axis adds. */
static tn_value positions(shlo_call *c, const index_axes *a, tn_value indices, const type *in,
                          const type *x, const int64_t *sizes, tn_ints shape)
{
    tn_builder *b = c->b;
    dim stride[TN_MAX_RANK];
    uint32_t at = (uint32_t)shape.n - a->n_window; /* the next window axis */
    tn_value sum = tn_no_value();
    (void)strides_of(c, x, stride);
    for (uint32_t i = 0; i < x->rank; i++) {
        const dim most = shlo_dim(c, DIM_ADD, x->dims[i], shlo_dim(c, DIM_MUL, sizes[i], -1));
        const tn_value start = start_of(c, a, indices, in, i, (uint32_t)shape.n, true, most);
        if (tn_is_value(start))
            sum = plus_steps(b, sum, start, stride[i]);
        if (index_axes_lack(a, i))
            continue;
        if (sizes[i] != 1 && sizes[i] != 0) {
            const tn_value step = tn_iota(b, TN_SI64, shape, at);
            sum = plus_steps(b, sum, step, stride[i]);
        }
        at++;
    }
    return whole_sum(c, sum, shape);
}

/* Can SIZE of EXTENT elements be read, one at most where the axis IS_DROPPED? */
static bool is_slice(dim size, dim extent, bool is_dropped)
{
    if (dim_is_symbolic(size))
        return !is_dropped;
    return size >= 0 && (dim_is_symbolic(extent) || size <= extent) && !(is_dropped && size > 1);
}

bool shlo_lower_gather(shlo_call *c)
{
    static const index_words words = {"offset_dims", "collapsed_slice_dims",
                                      "operand_batching_dims", "start_indices_batching_dims",
                                      "start_index_map"};
    tn_builder *b = c->b;
    index_axes a;
    int64_t sizes[TN_MAX_RANK], at[TN_MAX_RANK], perm[TN_MAX_RANK], dims[TN_MAX_RANK];
    uint32_t n_sizes;
    const type *x = shlo_in_type(c, 0), *in = shlo_in_type(c, 1);
    if (!x || !in ||
        (c->arg ? !shlo_shape_in(c, 2, "the shape of a slice", false, sizes, &n_sizes)
                : !shlo_ints_or(c, "slice_sizes", x->rank, 1, sizes)) ||
        (c->arg && n_sizes != x->rank) ||
        !index_axes_read(c, "dimension_numbers", &words, x, in, shlo_out_type(c, 0)->rank, &a))
        return false;
    for (uint32_t i = 0; i < x->rank; i++)
        if (!is_slice(sizes[i], x->dims[i], index_axes_lack(&a, i)))
            return shlo_refuse(c, DIAG_InvalidAttribute, "slice size %u is out of range",
                               (unsigned)i);
    uint32_t n = 0;
    for (uint32_t i = 0; i < in->rank; i++)
        if ((int64_t)i != a.vector)
            dims[n++] = in->dims[i];
    const uint32_t n_b = n;
    for (uint32_t i = 0; i < x->rank; i++)
        if (!index_axes_lack(&a, i))
            dims[n++] = sizes[i];
    const tn_value data = shlo_in(c, 0);
    const tn_value wide = tn_cast(b, shlo_in(c, 1), TN_SI64);
    tn_value y;
    if (takes_rows(&a, x, sizes)) {
        const dim most = shlo_dim(c, DIM_ADD, x->dims[a.map[0]], -1);
        const tn_value rows = start_of(c, &a, wide, in, a.map[0], n_b, true, most);
        y = tn_take(b, in_front(c, data, x->rank, a.map[0]), rows);
    } else {
        const tn_value p = positions(c, &a, wide, in, x, sizes, (tn_ints){dims, n});
        const tn_value flat = shlo_reshaped(c, data, TN_INTS(-1));
        y = tn_take(b, flat, p);
    }
    order_of(&a, n, at);
    for (uint32_t i = 0; i < n; i++)
        perm[at[i]] = i;
    return shlo_give(c, 0, n ? shlo_transposed(c, y, (tn_ints){perm, n}) : y);
}

/* ---- scatter ---- */

/* PLACE where it is none of an axis of EXTENT elements, moved to one. */
static tn_value moved_inside(tn_builder *b, tn_value place, dim extent)
{
    if (dim_is_symbolic(extent))
        return place;
    const tn_value up = tn_maximum(b, place, tn_scalar_int(b, TN_SI64, 0));
    return tn_minimum(b, up, tn_scalar_int(b, TN_SI64, extent - 1));
}

/* Where each element of the updates goes, in their shape SHAPE in the order [B.., window..]; what
 * lies outside goes behind the end. *ALL_INSIDE: nothing does. */
static tn_value places(shlo_call *c, const index_axes *a, tn_value indices, const type *in,
                       const type *x, tn_ints shape, bool *all_inside)
{
    tn_builder *b = c->b;
    dim stride[TN_MAX_RANK];
    uint32_t at = (uint32_t)shape.n - a->n_window;
    tn_value sum = tn_no_value(), inside = tn_no_value();
    const dim count = strides_of(c, x, stride);
    for (uint32_t i = 0; i < x->rank; i++) {
        tn_value place = start_of(c, a, indices, in, i, (uint32_t)shape.n, false, 0);
        const bool has_start = tn_is_value(place);
        if (!index_axes_lack(a, i)) {
            const tn_value step = tn_iota(b, TN_SI64, shape, at++);
            place = has_start ? tn_add(b, place, step) : step;
        } else if (!has_start) {
            continue;
        }
        const dim extent = x->dims[i];
        if (says_inside(c) || (!dim_is_symbolic(extent) && shlo_lies_in(c, place, 0, extent - 1))) {
            sum = plus_steps(b, sum, place, stride[i]);
            continue;
        }
        const tn_value low = tn_compare(b, TN_GE, place, tn_scalar_int(b, TN_SI64, 0));
        const tn_value high = tn_compare(b, TN_LT, place, known_size_data(b, TN_SI64, x->dims[i]));
        const tn_value fits = tn_and(b, low, high);
        inside = tn_is_value(inside) ? tn_and(b, inside, fits) : fits;
        place = moved_inside(b, place, extent);
        sum = plus_steps(b, sum, place, stride[i]);
    }
    sum = whole_sum(c, sum, shape);
    *all_inside = !tn_is_value(inside);
    if (*all_inside)
        return sum;
    return tn_select(b, inside, sum, known_size_data(b, TN_SI64, count));
}

/* The first N elements of X. */
static tn_value without_spare(tn_builder *b, tn_value x, dim n)
{
    return dim_is_symbolic(n) ? known_part(b, x, 0, 0, 1, n) : tn_slice_axis(b, x, 0, 0, n);
}

/* Where updates go in a vector of COUNT elements. */
typedef struct targets {
    tn_value at;
    dim count;
    bool all_inside; /* else those that go nowhere are at COUNT */
} targets;

/* FLAT with UPDATES combined in at T. */
static tn_value combined_at(shlo_call *c, tn_value flat, const targets *t, tn_value updates,
                            tn_combine how)
{
    tn_builder *b = c->b;
    if (t->all_inside)
        return tn_scatter_reduce(b, flat, t->at, updates, 0, how);
    const tn_value wide = tn_pad(b, flat, TN_INTS(0), TN_INTS(1), TN_INTS(0), 0);
    const tn_value all = tn_scatter_reduce(b, wide, t->at, updates, 0, how);
    return without_spare(b, all, t->count);
}

/* Is there an operation for the body HOW on elements of D? */
static bool can_scatter(shlo_combine how, tn_dtype d)
{
    const bool is_number = d != TN_I1 && !dtype_is_complex(d);
    switch (how) {
    case SHLO_FIRST:
    case SHLO_SECOND:
        return true;
    case SHLO_ADD:
    case SHLO_MULTIPLY:
    case SHLO_MAXIMUM:
    case SHLO_MINIMUM:
        return d == TN_I1 || is_number;
    case SHLO_SUBTRACT:
    case SHLO_MAXIMUM_NUMBER:
    case SHLO_MINIMUM_NUMBER:
        return is_number;
    case SHLO_AND:
    case SHLO_OR:
        return d == TN_I1;
    case SHLO_XOR:
    case SHLO_OTHER:
        break;
    }
    return false;
}

/* By a body that can_scatter allows. */
static tn_value scattered(shlo_call *c, shlo_combine how, tn_value flat, const targets *t,
                          tn_value updates, tn_dtype d)
{
    tn_builder *b = c->b;
    const bool is_float = dtype_is_float(d);
    if (d == TN_I1 && how != SHLO_SECOND && how != SHLO_FIRST) {
        const bool is_or = how == SHLO_ADD || how == SHLO_OR || how == SHLO_MAXIMUM;
        const tn_value x = tn_cast(b, flat, TN_SI32), u = tn_cast(b, updates, TN_SI32);
        const tn_value all = combined_at(c, x, t, u, is_or ? TN_COMBINE_MAX : TN_COMBINE_MIN);
        return tn_cast(b, all, TN_I1);
    }
    switch ((int)how) {
    case SHLO_FIRST:
        return flat;
    case SHLO_SECOND:
        return combined_at(c, flat, t, updates, TN_COMBINE_REPLACE);
    case SHLO_ADD:
        return combined_at(c, flat, t, updates, TN_COMBINE_ADD);
    case SHLO_MULTIPLY:
        return combined_at(c, flat, t, updates, TN_COMBINE_MUL);
    case SHLO_SUBTRACT: { /* -0 - 0 is -0: zero less the update would not do for floats */
        const tn_value zero = is_float ? tn_no_value() : tn_scalar_like(b, updates, 0);
        const tn_value less = is_float ? tn_neg(b, updates) : tn_sub(b, zero, updates);
        return combined_at(c, flat, t, less, TN_COMBINE_ADD);
    }
    case SHLO_MAXIMUM:
        return combined_at(c, flat, t, updates, is_float ? TN_COMBINE_MAX_NAN : TN_COMBINE_MAX);
    case SHLO_MINIMUM:
        return combined_at(c, flat, t, updates, is_float ? TN_COMBINE_MIN_NAN : TN_COMBINE_MIN);
    case SHLO_MAXIMUM_NUMBER:
        return combined_at(c, flat, t, updates, TN_COMBINE_MAX);
    case SHLO_MINIMUM_NUMBER:
        return combined_at(c, flat, t, updates, TN_COMBINE_MIN);
    default:
        return tn_no_value();
    }
}

bool shlo_scatter_flat(shlo_call *c, const mir_region *region, const tn_value *xs, tn_value at,
                       const tn_value *updates, uint32_t n, dim count, bool all_inside,
                       tn_value *out)
{
    tn_builder *b = c->b;
    const targets to = {at, count, all_inside};
    bool all = true;
    for (uint32_t k = 0; k < n; k++) {
        tn_dtype d = TN_I1;
        const shlo_combine how = shlo_body(c, region, k, n, &d);
        const type *t = shlo_type_of(c, xs[k]);
        if (!t)
            return false;
        all = all && can_scatter(how, d) && d == t->dtype;
    }
    for (uint32_t k = 0; k < n; k++) {
        tn_dtype d = TN_I1;
        const shlo_combine how = shlo_body(c, region, k, n, &d);
        out[k] = all ? scattered(c, how, xs[k], &to, updates[k], d)
                     : tn_pad(b, xs[k], TN_INTS(0), TN_INTS(1), TN_INTS(0), 0);
    }
    if (all)
        return b->status == TN_OK;
    tn_value *wide = ARENA_ARRAY(&c->r->memory, tn_value, n);
    if (!wide)
        return shlo_no_memory(c->r);
    if (!shlo_scattered(c, region, out, at, updates, n, wide))
        return false;
    for (uint32_t k = 0; k < n; k++)
        out[k] = without_spare(b, wide[k], count);
    return b->status == TN_OK;
}

/* Input K of N, and update K: both as vectors. */
static bool flatten(shlo_call *c, uint32_t k, uint32_t n, dim count, const int64_t *perm,
                    uint32_t rank, tn_value *flat, tn_value *update)
{
    tn_builder *b = c->b;
    const tn_value all = shlo_in(c, n + 1 + k);
    const tn_value ordered = rank ? shlo_transposed(c, all, (tn_ints){perm, rank}) : all;
    *flat = shlo_reshaped(c, shlo_in(c, k), TN_INTS(count));
    *update = shlo_reshaped(c, ordered, TN_INTS(-1));
    return b->status == TN_OK;
}

bool shlo_lower_scatter(shlo_call *c)
{
    static const index_words words = {"update_window_dims", "inserted_window_dims",
                                      "input_batching_dims", "scatter_indices_batching_dims",
                                      "scatter_dims_to_operand_dims"};
    tn_builder *b = c->b;
    index_axes a;
    int64_t perm[TN_MAX_RANK], dims[TN_MAX_RANK];
    const uint32_t n = c->op->n_in / 2;
    if (c->op->n_in != 2 * n + 1 || c->op->n_out != n)
        return shlo_refuse(c, DIAG_ArityMismatch,
                           "it takes as many updates as inputs, and the indices between them");
    const type *x = shlo_in_type(c, 0), *in = shlo_in_type(c, n), *u = shlo_in_type(c, n + 1);
    if (!x || !in || !u ||
        !index_axes_read(c, "scatter_dimension_numbers", &words, x, in, u->rank, &a) ||
        !index_axes_take(c, &a, x, in, u) || !shlo_same_shape_of(c, 0, n) ||
        !shlo_same_shape(c, n + 1))
        return false;
    if (!shlo_takes_pairs(c, &c->op->regions[0], 0, n + 1, n))
        return false;
    order_of(&a, u->rank, perm);
    for (uint32_t i = 0; i < u->rank; i++)
        dims[i] = u->dims[perm[i]];
    const tn_value wide = tn_cast(b, shlo_in(c, n), TN_SI64);
    bool all_inside = true;
    const tn_value p = places(c, &a, wide, in, x, (tn_ints){dims, u->rank}, &all_inside);
    const tn_value at = shlo_reshaped(c, p, TN_INTS(-1));
    dim strides[TN_MAX_RANK];
    const dim count = strides_of(c, x, strides);
    tn_value *flat = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)2 * n);
    if (!flat)
        return shlo_no_memory(c->r);
    tn_value *updates = flat + n;
    bool ok = true;
    for (uint32_t k = 0; ok && k < n; k++)
        ok = flatten(c, k, n, count, perm, u->rank, &flat[k], &updates[k]);
    if (ok && u->count != 0)
        ok =
            shlo_scatter_flat(c, &c->op->regions[0], flat, at, updates, n, count, all_inside, flat);
    for (uint32_t k = 0; ok && k < n; k++)
        ok = shlo_give(c, k, shlo_reshaped(c, flat[k], shlo_dims(x)));
    return ok;
}
