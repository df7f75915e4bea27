/* Movement: what gives elements another shape or order. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/op_quantize.h"
#include "ops/shape.h"

/* ---- Reshape ---- */

/* What COUNT elements leave for one extent beside DIVISORS. Equal sizes cancel. */
static dim quotient_of(onnx_call *c, const dim *dims, uint32_t n, const dim *divisors, uint32_t m)
{
    dim top = 1, bottom = 1;
    int64_t number = 1, by = 1;
    bool used[TN_MAX_RANK] = {false};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < m && (used[k] || divisors[k] != dims[i]))
            k++;
        if (k < m)
            used[k] = true;
        else if (dim_is_symbolic(dims[i]))
            top = tn_dim_mul(c->b, top, dims[i]);
        else
            number = tn_dim_mul(c->b, number, dims[i]);
    }
    for (uint32_t k = 0; k < m; k++)
        if (!used[k] && dim_is_symbolic(divisors[k]))
            bottom = tn_dim_mul(c->b, bottom, divisors[k]);
        else if (!used[k])
            by = tn_dim_mul(c->b, by, divisors[k]);
    if (by > 0 && number % by == 0) {
        number /= by;
        by = 1;
    }
    top = tn_dim_mul(c->b, top, number);
    bottom = tn_dim_mul(c->b, bottom, by);
    return bottom == 1 || bottom == 0 ? top : tn_dim_div(c->b, top, bottom);
}

/* Zeros copy an extent, and one -1 is what is left. */
static bool resolve(onnx_call *c, const type *t, bool allow_zero, dim *dims, uint32_t n)
{
    dim others[TN_MAX_RANK];
    uint32_t n_others = 0, left = n;
    for (uint32_t i = 0; i < n; i++) {
        if (dims[i] == 0 && !allow_zero) {
            if (i >= t->rank)
                return onnx_refuse(c, DIAG_InvalidDimension,
                                   "extent %" PRIu32 " of the shape copies one that is not there",
                                   i);
            dims[i] = t->dims[i];
        }
        if (dims[i] >= 0 || dim_is_symbolic(dims[i]))
            others[n_others++] = dims[i];
        else if (dims[i] == -1 && left == n)
            left = i;
        else
            return onnx_refuse(c, DIAG_InvalidDimension,
                               "extent %" PRIu32 " of the shape is %" PRId64, i, dims[i]);
    }
    if (left < n && !type_is_static(t))
        dims[left] = quotient_of(c, t->dims, t->rank, others, n_others);
    return true;
}

bool onnx_op_reshape(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    if (!t)
        return false;
    bool given;
    if (c->version < 5 ? !onnx_ints_of(c, "shape", 1, TN_MAX_RANK, dims, &n, &given)
                       : !onnx_in_ints(c, 1, true, TN_MAX_RANK, dims, &n))
        return false;
    return resolve(c, t, onnx_attr_int(c, "allowzero", 0), dims, n) &&
           onnx_give(c, 0, tn_reshape(c->b, x, (tn_ints){dims, n}));
}

bool onnx_op_flatten(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    if (!t)
        return false;
    int64_t axis = onnx_attr_int(c, "axis", 1);
    if (axis != (int64_t)t->rank && !onnx_axis(c, axis, t->rank, &axis))
        return false;
    dim dims[2] = {1, 1};
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i >= axis] = tn_dim_mul(c->b, dims[i >= axis], t->dims[i]);
    return onnx_give(c, 0, tn_reshape(c->b, x, TN_INTS(dims[0], dims[1])));
}

bool onnx_op_squeeze(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    bool given;
    if (!t || !onnx_ints_of(c, "axes", 1, TN_MAX_RANK, axes, &n, &given) ||
        !onnx_axes(c, axes, n, t->rank))
        return false;
    for (uint32_t i = 0; !given && i < t->rank; i++) {
        if (dim_is_symbolic(t->dims[i]))
            return onnx_refuse(c, DIAG_ShapeUnknown, "which axes it drops depends on sizes");
        if (t->dims[i] == 1)
            axes[n++] = i;
    }
    return onnx_give(c, 0, n ? tn_squeeze(c->b, x, (tn_ints){axes, n}) : x);
}

bool onnx_op_unsqueeze(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axes[TN_MAX_RANK], dims[TN_MAX_RANK];
    uint32_t n;
    bool given, is_new[TN_MAX_RANK] = {false};
    if (!t || !onnx_ints_of(c, "axes", 1, TN_MAX_RANK, axes, &n, &given))
        return false;
    if (!given)
        return onnx_refuse(c, DIAG_MissingAttribute, "it needs 'axes'");
    if (t->rank + n > TN_MAX_RANK)
        return onnx_refuse(c, DIAG_RankMismatch, "the rank of the result is too high");
    if (!onnx_axes(c, axes, n, t->rank + n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        is_new[axes[i]] = true;
    for (uint32_t i = 0, k = 0; i < t->rank + n; i++)
        dims[i] = is_new[i] ? 1 : t->dims[k++];
    return onnx_give(c, 0, n ? tn_reshape(c->b, x, (tn_ints){dims, t->rank + n}) : x);
}

bool onnx_op_transpose(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    if (!t)
        return false;
    const int64_t *perm = onnx_attr_ints(c, "perm", &n);
    if (perm && n != t->rank)
        return onnx_refuse(c, DIAG_InvalidPermutation,
                           "'perm' has %" PRIu32 " entr%s for rank %" PRIu32, n,
                           plural_as(n, "y", "ies"), t->rank);
    for (uint32_t i = 0; i < t->rank; i++)
        axes[i] = perm ? perm[i] : (int64_t)(t->rank - 1 - i);
    const tn_ints order = {axes, t->rank};
    return onnx_axes(c, axes, t->rank, t->rank) && onnx_give(c, 0, tn_transpose(c->b, x, order)) &&
           onnx_transpose_integers(c, order);
}

bool onnx_op_expand(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    shape s;
    if (!t || !onnx_in_ints(c, 1, true, TN_MAX_RANK, dims, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] < 0 && !dim_is_symbolic(dims[i]))
            return onnx_refuse(c, DIAG_NegativeDimension, "an extent is negative");
    if (broadcast_shapes(t->dims, t->rank, dims, n, &s).kind != SHAPE_OK)
        return onnx_refuse(c, DIAG_BroadcastMismatch, "the shapes %s and %s do not broadcast",
                           onnx_shape_text(c, (tn_ints){t->dims, t->rank}),
                           onnx_shape_text(c, (tn_ints){dims, n}));
    return onnx_give(c, 0, tn_broadcast(c->b, x, (tn_ints){s.dims, s.rank}));
}

bool onnx_op_tile(onnx_call *c)
{
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t repeats[TN_MAX_RANK];
    uint32_t n;
    if (!t || !onnx_in_ints(c, 1, true, TN_MAX_RANK, repeats, &n))
        return false;
    if (n != t->rank)
        return onnx_refuse(c, DIAG_RankMismatch,
                           "'repeats' has %" PRIu32 " number%s for rank %" PRIu32, n, plural(n),
                           t->rank);
    return onnx_give(c, 0, tn_tile(c->b, x, (tn_ints){repeats, n}));
}

bool onnx_op_concat(onnx_call *c)
{
    tn_value *xs = ARENA_ARRAY(&c->im->memory, tn_value, c->n_in);
    const type *t = onnx_in_type(c, 0);
    int64_t axis;
    if (!xs)
        return onnx_no_memory(c->im);
    if (!t || !onnx_axis(c, onnx_attr_int(c, "axis", c->version < 4 ? 1 : 0), t->rank, &axis))
        return false;
    if (c->n_in == 1)
        return onnx_give_in(c, 0, 0);
    for (uint32_t i = 0; i < c->n_in; i++) {
        if (!onnx_has_in(c, i))
            return onnx_refuse(c, DIAG_ArityMismatch, "an input is left out");
        xs[i] = onnx_in(c, i);
    }
    return onnx_give(c, 0, tn_concat(c->b, (tn_values){xs, c->n_in}, axis));
}

/* ---- Split ---- */

/* Are there SIZES for all elements of an axis of EXTENT? */
static bool sizes_fit(onnx_call *c, dim extent, const int64_t *sizes)
{
    int64_t left = dim_is_symbolic(extent) ? INT64_MAX : extent;
    bool ok = true;
    for (uint32_t i = 0; i < c->n_out; i++) {
        if (sizes[i] < 0)
            return onnx_refuse(c, DIAG_NegativeDimension, "a size is negative");
        ok = ok && sizes[i] <= left;
        left -= ok ? sizes[i] : 0;
    }
    return (ok && (left == 0 || dim_is_symbolic(extent))) ||
           onnx_refuse(c, DIAG_InvalidDimension,
                       "the sizes of the parts, %s, do not add up to the extent %s",
                       onnx_shape_text(c, (tn_ints){sizes, c->n_out}),
                       onnx_shape_text(c, TN_INTS(extent)));
}

/* How many elements each result has along an axis of EXTENT. */
static bool split_sizes(onnx_call *c, dim extent, int64_t *sizes)
{
    uint32_t n;
    bool given;
    const int64_t parts = onnx_attr_int(c, "num_outputs", c->n_out);
    if (!onnx_ints_of(c, "split", 1, c->n_out, sizes, &n, &given))
        return false;
    if (given && n != c->n_out)
        return onnx_refuse(c, DIAG_ArityMismatch, "%" PRIu32 " size%s for %" PRIu32 " result%s", n,
                           plural(n), c->n_out, plural(c->n_out));
    if (given)
        return sizes_fit(c, extent, sizes);
    if (dim_is_symbolic(extent))
        return onnx_refuse(c, DIAG_ShapeUnknown, "a size is divided into equal parts");
    if (parts < 1 || parts != (int64_t)c->n_out)
        return onnx_refuse(c, DIAG_ArityMismatch, "'num_outputs' is not how many there are");
    if (c->version < 18 && extent % parts)
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "an extent of %" PRId64 " is not divided into %" PRId64 " equal part%s",
                           extent, parts, plural((uint64_t)parts));
    const int64_t each = extent / parts + (extent % parts != 0);
    for (int64_t i = 0, left = extent; i < parts; i++) { /* the last may be smaller */
        sizes[i] = left < each ? left : each;
        left -= sizes[i];
    }
    return true;
}

/* Parts of a list that is known. */
static bool split_known(onnx_call *c, const known_value *x, const int64_t *sizes)
{
    int64_t start = 0;
    for (uint32_t i = 0; i < c->n_out; i++) {
        known_value *part = known_new(&c->im->memory, x->dtype, &sizes[i], 1);
        if (part && sizes[i])
            memcpy(part->at, x->at + start, (size_t)sizes[i] * sizeof *part->at);
        if (!onnx_give_known(c, i, part))
            return false;
        start += sizes[i];
    }
    return true;
}

bool onnx_op_split(onnx_call *c)
{
    const known_value *list = onnx_in_known(c, 0);
    const type *t = onnx_in_type(c, 0);
    int64_t axis, start = 0;
    int64_t *sizes = ARENA_ARRAY(&c->im->memory, int64_t, c->n_out);
    if (!sizes)
        return onnx_no_memory(c->im);
    if (!t || !onnx_axis(c, onnx_attr_int(c, "axis", 0), t->rank, &axis) ||
        !split_sizes(c, t->dims[axis], sizes))
        return false;
    if (list && list->rank == 1)
        return split_known(c, list, sizes);
    const tn_value x = onnx_in(c, 0);
    for (uint32_t i = 0; i < c->n_out; i++) {
        if (!onnx_give(c, i, tn_slice_axis(c->b, x, axis, start, sizes[i])))
            return false;
        start += sizes[i];
    }
    return true;
}

/* ---- blocks of pixels ---- */

/* X, of shape DIMS, with its axes in the order PERM, and then of shape OUT. */
static bool give_regrouped(onnx_call *c, tn_value x, const int64_t *dims, const int64_t *perm,
                           const int64_t *out)
{
    const tn_value parts = tn_reshape(c->b, x, (tn_ints){dims, 6});
    const tn_value moved = tn_transpose(c->b, parts, (tn_ints){perm, 6});
    return onnx_give(c, 0, tn_reshape(c->b, moved, (tn_ints){out, 4}));
}

static bool blocks_of(onnx_call *c, const type *t, int64_t *size)
{
    *size = onnx_attr_int(c, "blocksize", 0);
    if (t->rank != 4 || *size <= 0 || *size > INT32_MAX)
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "it takes rank 4, not %" PRIu32
                           ", and a 'blocksize' above 0, not %" PRId64,
                           t->rank, *size);
    return true;
}

bool onnx_op_depth_to_space(onnx_call *c)
{
    static const int64_t depth_first[] = {0, 3, 4, 1, 5, 2}, column_first[] = {0, 1, 4, 2, 5, 3};
    static const char *const modes[] = {"DCR", "CRD"};
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t n;
    int crd = 0;
    if (!t || !blocks_of(c, t, &n) || !onnx_choose(c, "mode", modes, 2, 0, &crd))
        return false;
    const dim depth = tn_dim_div(c->b, t->dims[1], n * n), *d = t->dims;
    const int64_t dcr_dims[] = {d[0], n, n, depth, d[2], d[3]};
    const int64_t crd_dims[] = {d[0], depth, n, n, d[2], d[3]};
    const int64_t out[] = {d[0], depth, tn_dim_mul(c->b, d[2], n), tn_dim_mul(c->b, d[3], n)};
    return give_regrouped(c, x, crd ? crd_dims : dcr_dims, crd ? column_first : depth_first, out);
}

bool onnx_op_space_to_depth(onnx_call *c)
{
    static const int64_t perm[] = {0, 3, 5, 1, 2, 4};
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    int64_t n;
    if (!t || !blocks_of(c, t, &n))
        return false;
    const dim *d = t->dims;
    const dim rows = tn_dim_div(c->b, d[2], n), columns = tn_dim_div(c->b, d[3], n);
    const int64_t dims[] = {d[0], d[1], rows, n, columns, n};
    const int64_t out[] = {d[0], tn_dim_mul(c->b, d[1], n * n), rows, columns};
    return give_regrouped(c, x, dims, perm, out);
}
