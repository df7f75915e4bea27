/* Sources and movement. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/lower.h"
#include "dialect/mlir/hlo/numbers/ranges.h"

#include <inttypes.h>

/* The declared type of the result, without `?`. */
static const type *out_type(shlo_call *c)
{
    return shlo_static_type(c->r, shlo_out_type(c, 0), c->op->at);
}

bool shlo_lower_constant(shlo_call *c)
{
    const mir_attr *a = shlo_attr(c, "value");
    shlo_value v = {.dense = a};
    if (!a || (a->kind != MIR_DENSE && a->kind != MIR_RESOURCE))
        return shlo_refuse(c, DIAG_InvalidConstant, "its value is no constant tensor");
    v.type = shlo_static_type(c->r, a->type, c->op->at);
    return v.type && shlo_give_value(c, 0, &v);
}

bool shlo_lower_iota(shlo_call *c)
{
    int64_t axis;
    const type *t = out_type(c);
    return t && shlo_int(c, "iota_dimension", 0, &axis) &&
           shlo_give(c, 0, tn_iota(c->b, t->dtype, shlo_dims(t), axis));
}

/* One extent `?` follows from the others. */
bool shlo_lower_reshape(shlo_call *c)
{
    const mir_type *t = shlo_out_type(c, 0);
    uint32_t n_unknown = 0;
    for (uint32_t i = 0; t->kind == MIR_TENSOR && i < t->rank; i++)
        n_unknown += t->dims[i] == MIR_UNKNOWN;
    if (t->kind != MIR_TENSOR || n_unknown > 1)
        return out_type(c) != NULL; /* which refuses it */
    return shlo_give(c, 0, tn_reshape(c->b, shlo_in(c, 0), (tn_ints){t->dims, t->rank}));
}

/* New axes in front. */
bool shlo_lower_broadcast(shlo_call *c)
{
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_ints(c, "broadcast_sizes", TN_MAX_RANK, dims, &n))
        return false;
    if (n + t->rank > TN_MAX_RANK)
        return shlo_refuse(c, DIAG_RankMismatch, "the highest rank is %d", TN_MAX_RANK);
    for (uint32_t i = 0; i < t->rank; i++)
        dims[n + i] = t->dims[i];
    return shlo_give(c, 0, tn_broadcast(c->b, shlo_in(c, 0), (tn_ints){dims, n + t->rank}));
}

/* Can an operand's extent A become B? Symbols might be anything. */
static bool may_become(dim a, dim b)
{
    return a == 1 || a == b || dim_is_symbolic(a) || dim_is_symbolic(b);
}

bool shlo_broadcast_in_dim(shlo_call *c, const dim *dims, uint32_t rank)
{
    int64_t axes[TN_MAX_RANK], order[TN_MAX_RANK];
    uint32_t n;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_axes(c, "broadcast_dimensions", rank, axes, &n))
        return false;
    if (n != t->rank)
        return shlo_refuse(c, DIAG_InvalidAttribute,
                           "'broadcast_dimensions' has %u entr%s for an operand of rank %u",
                           (unsigned)n, plural_as(n, "y", "ies"), (unsigned)t->rank);
    for (uint32_t i = 0; i < n; i++)
        if (!may_become(t->dims[i], dims[axes[i]]))
            return shlo_refuse(c, DIAG_BroadcastMismatch, "extent %" PRId64 " becomes %" PRId64,
                               t->dims[i], dims[axes[i]]);
    /* ascending axes, by a transpose where they are not */
    bool is_ascending = true;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;
        for (; k > 0 && axes[order[k - 1]] > axes[i]; k--) {
            order[k] = order[k - 1];
            is_ascending = false;
        }
        order[k] = i;
    }
    tn_value x = shlo_in(c, 0);
    if (!is_ascending) {
        int64_t sorted[TN_MAX_RANK];
        x = tn_transpose(c->b, x, (tn_ints){order, n});
        for (uint32_t i = 0; i < n; i++)
            sorted[i] = axes[order[i]];
        memcpy(axes, sorted, n * sizeof *axes);
    }
    return shlo_give(c, 0, tn_broadcast_axes(c->b, x, (tn_ints){dims, rank}, (tn_ints){axes, n}));
}

/* An extent `?` of the result is that of the operand. */
bool shlo_lower_broadcast_in_dim(shlo_call *c)
{
    dim dims[TN_MAX_RANK];
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    const type *t = shlo_in_type(c, 0);
    const mir_type *to = shlo_out_type(c, 0);
    if (!t || !shlo_axes(c, "broadcast_dimensions", to->rank, axes, &n))
        return false;
    for (uint32_t i = 0; i < to->rank; i++)
        dims[i] = to->dims[i];
    for (uint32_t i = 0; i < n && i < t->rank; i++)
        if (dims[axes[i]] == MIR_UNKNOWN)
            dims[axes[i]] = t->dims[i];
    bool is_same = n == t->rank && t->rank == to->rank;
    for (uint32_t i = 0; i < to->rank; i++) {
        if (dims[i] == MIR_UNKNOWN)
            return shlo_unknown_shape(c, "an extent of the result");
        is_same = is_same && axes[i] == i && t->dims[i] == dims[i];
    }
    if (is_same) /* so JAX writes initial values, which stay the constants that they are */
        return shlo_give_value(c, 0, shlo_value_of(c, 0));
    return shlo_broadcast_in_dim(c, dims, to->rank);
}

bool shlo_lower_transpose(shlo_call *c)
{
    int64_t perm[TN_MAX_RANK];
    uint32_t n;
    const type *t = shlo_in_type(c, 0);
    return t && shlo_axes(c, "permutation", t->rank, perm, &n) &&
           shlo_give(c, 0, tn_transpose(c->b, shlo_in(c, 0), (tn_ints){perm, n}));
}

bool shlo_lower_reverse(shlo_call *c)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    const type *t = shlo_in_type(c, 0);
    return t && shlo_axes(c, "dimensions", t->rank, axes, &n) &&
           shlo_give(c, 0, n ? tn_reverse(c->b, shlo_in(c, 0), (tn_ints){axes, n}) : shlo_in(c, 0));
}

bool shlo_slice(shlo_call *c, const int64_t *starts, const int64_t *ends, const int64_t *strides)
{
    const type *t = shlo_in_type(c, 0);
    for (uint32_t i = 0; t && i < t->rank; i++)
        if (starts[i] < 0 || starts[i] > ends[i] || strides[i] < 1 ||
            (!dim_is_symbolic(t->dims[i]) && ends[i] > t->dims[i]))
            return shlo_refuse(c, DIAG_InvalidAttribute,
                               "the bounds %" PRId64 ":%" PRId64 ":%" PRId64 " do not suit axis %u",
                               starts[i], ends[i], strides[i], (unsigned)i);
    if (!t || t->rank == 0)
        return shlo_give(c, 0, shlo_in(c, 0));
    return shlo_give(c, 0,
                     tn_slice_steps(c->b, shlo_in(c, 0), (tn_ints){starts, t->rank},
                                    (tn_ints){ends, t->rank}, (tn_ints){strides, t->rank}));
}

bool shlo_lower_slice(shlo_call *c)
{
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], strides[TN_MAX_RANK];
    const type *t = shlo_in_type(c, 0);
    return t && shlo_ints_or(c, "start_indices", t->rank, 0, starts) &&
           shlo_ints_or(c, "limit_indices", t->rank, 0, ends) &&
           shlo_ints_or(c, "strides", t->rank, 1, strides) && shlo_slice(c, starts, ends, strides);
}

/* ---- pad ---- */

/* X with padding that is nowhere negative, of the constant S. */
static tn_value padded(shlo_call *c, tn_value x, uint32_t rank, const int64_t *low,
                       const int64_t *high, const int64_t *interior, scalar s)
{
    attr_list l = attrs_for(c->b, OP_PAD);
    add_ints(&l, KEY_LOW, (tn_ints){low, rank});
    add_ints(&l, KEY_HIGH, (tn_ints){high, rank});
    add_ints(&l, KEY_INTERIOR, (tn_ints){interior, rank});
    l.at[l.n++] = (attr){.key = KEY_PAD_VALUE, .v.scalar = &s};
    return append_1(&l, x);
}

/* The value is data: elements of the padded X where a padded mask says so. */
static tn_value padded_by(shlo_call *c, tn_value x, const type *t, const int64_t *low,
                          const int64_t *high, const int64_t *interior, tn_value value)
{
    tn_builder *b = c->b;
    scalar zero;
    if (!scalar_for(t->dtype, 0, &zero))
        return tn_no_value();
    const tn_value inside = tn_broadcast(b, tn_scalar_int(b, TN_I1, 1), shlo_dims(t));
    const tn_value wide = padded(c, x, t->rank, low, high, interior, zero);
    const tn_value mask = padded(c, inside, t->rank, low, high, interior, scalar_of_bool(false));
    const type *to = shlo_type_of(c, wide);
    return to ? tn_select(b, mask, wide, tn_broadcast(b, value, shlo_dims(to))) : wide;
}

/* X without what negative padding cuts from axis AXIS, whose extent is a size. */
static tn_value cut_size(shlo_call *c, tn_value x, uint32_t axis, int64_t front, int64_t high)
{
    const type *t = shlo_type_of(c, x);
    const int64_t back = high < 0 ? high : 0;
    return t && (front || back) ? known_part(c->b, x, axis, front, 1,
                                             shlo_dim(c, DIM_ADD, t->dims[axis], back - front))
                                : x;
}

/* The extents that negative padding leaves. */
static tn_value cut(shlo_call *c, tn_value x, const int64_t *low, const int64_t *high)
{
    int64_t front[TN_MAX_RANK], back[TN_MAX_RANK], step[TN_MAX_RANK];
    const type *t = shlo_type_of(c, x);
    for (uint32_t i = 0; t && i < t->rank; i++) {
        front[i] = low[i] < 0 ? -low[i] : 0;
        back[i] = t->dims[i] + (high[i] < 0 ? high[i] : 0);
        step[i] = 1;
        if (dim_is_symbolic(t->dims[i])) {
            x = cut_size(c, x, i, front[i], high[i]);
            front[i] = 0;
            back[i] = INT64_MAX;
        } else if (front[i] > back[i]) {
            (void)shlo_refuse(c, DIAG_InvalidAttribute,
                              "negative padding cuts more than axis %u has", (unsigned)i);
            return tn_no_value();
        }
    }
    return !t ? x
              : tn_slice_steps(c->b, x, (tn_ints){front, t->rank}, (tn_ints){back, t->rank},
                               (tn_ints){step, t->rank});
}

tn_value shlo_padded(shlo_call *c, tn_value x, const int64_t *low, const int64_t *high,
                     const int64_t *interior, const scalar *s, tn_value value)
{
    int64_t front[TN_MAX_RANK], back[TN_MAX_RANK];
    const type *t = shlo_type_of(c, x);
    bool cuts = false;
    if (!t)
        return tn_no_value();
    for (uint32_t i = 0; i < t->rank; i++) {
        front[i] = low[i] > 0 ? low[i] : 0;
        back[i] = high[i] > 0 ? high[i] : 0;
        cuts = cuts || low[i] < 0 || high[i] < 0;
    }
    x = s ? padded(c, x, t->rank, front, back, interior, *s)
          : padded_by(c, x, t, front, back, interior, value);
    return cuts && tn_is_value(x) ? cut(c, x, low, high) : x;
}

tn_value shlo_pad(shlo_call *c, const int64_t *low, const int64_t *high, const int64_t *interior)
{
    const type *t = shlo_in_type(c, 0);
    scalar s;
    for (uint32_t i = 0; t && i < t->rank; i++)
        if (interior[i] < 0 || low[i] < INT32_MIN || high[i] < INT32_MIN) {
            (void)shlo_refuse(c, DIAG_InvalidAttribute, "the padding of axis %u is out of range",
                              (unsigned)i);
            return tn_no_value();
        }
    const bool is_uniform = shlo_uniform(c, 1, &s);
    const tn_value x = shlo_in(c, 0);
    const tn_value value = is_uniform ? tn_no_value() : shlo_in(c, 1);
    return !t || t->rank == 0
               ? x
               : shlo_padded(c, x, low, high, interior, is_uniform ? &s : NULL, value);
}

bool shlo_lower_pad(shlo_call *c)
{
    int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK];
    const type *t = shlo_in_type(c, 0);
    return t && shlo_ints_or(c, "edge_padding_low", t->rank, 0, low) &&
           shlo_ints_or(c, "edge_padding_high", t->rank, 0, high) &&
           shlo_ints_or(c, "interior_padding", t->rank, 0, interior) &&
           shlo_give(c, 0, shlo_pad(c, low, high, interior));
}

bool shlo_lower_concatenate(shlo_call *c)
{
    int64_t axis;
    tn_value *in = ARENA_ARRAY(&c->r->memory, tn_value, c->op->n_in);
    if (!in)
        return shlo_no_memory(c->r);
    if (!shlo_int(c, "dimension", 0, &axis))
        return false;
    for (uint32_t k = 0; k < c->op->n_in; k++)
        in[k] = shlo_in(c, k);
    return shlo_give(
        c, 0, c->op->n_in == 1 ? in[0] : tn_concat(c->b, (tn_values){in, c->op->n_in}, axis));
}

/* ---- windows whose start is data ---- */

/* Operands from FIRST on, an index each, as one vector of RANK si64. */
static tn_value starts_of(shlo_call *c, uint32_t first, uint32_t rank)
{
    tn_builder *b = c->b;
    tn_value parts[TN_MAX_RANK];
    if (c->op->n_in - first != rank) {
        (void)shlo_refuse(c, DIAG_ArityMismatch, "there are %u ind%s for rank %u",
                          (unsigned)(c->op->n_in - first),
                          plural_as((c->op->n_in - first), "ex", "ices"), (unsigned)rank);
        return tn_no_value();
    }
    for (uint32_t i = 0; i < rank; i++) {
        const type *t = shlo_in_type(c, first + i);
        if (t && t->rank == 0 && dtype_is_int(t->dtype))
            continue;
        (void)(t &&
               shlo_refuse(c, DIAG_TypeMismatch, "index %u is no single integer", (unsigned)i));
        return tn_no_value();
    }
    const tn_value all = shlo_vector_in(c, first, rank);
    if (tn_is_value(all))
        return all;
    for (uint32_t i = 0; i < rank; i++) {
        const tn_value wide = tn_cast(b, shlo_in(c, first + i), TN_SI64);
        parts[i] = tn_reshape(b, wide, TN_INTS(1));
    }
    return rank == 1 ? parts[0] : tn_concat(b, (tn_values){parts, rank}, 0);
}

bool shlo_lower_dynamic_slice(shlo_call *c)
{
    int64_t sizes[TN_MAX_RANK];
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_ints_or(c, "slice_sizes", t->rank, 0, sizes))
        return false;
    const tn_value x = shlo_in(c, 0);
    if (t->rank == 0)
        return shlo_give(c, 0, x);
    const tn_value start = starts_of(c, 1, t->rank);
    return tn_is_value(start) &&
           shlo_give(c, 0, tn_dynamic_slice(c->b, x, start, (tn_ints){sizes, t->rank}));
}

bool shlo_lower_dynamic_update_slice(shlo_call *c)
{
    const type *t = shlo_in_type(c, 0);
    if (!t)
        return false;
    const tn_value x = shlo_in(c, 0), update = shlo_in(c, 1);
    if (t->rank == 0)
        return shlo_give(c, 0, update);
    const tn_value start = starts_of(c, 2, t->rank);
    return tn_is_value(start) && shlo_give(c, 0, tn_dynamic_update_slice(c->b, x, update, start));
}

/* ---- values that are no tensors ---- */

bool shlo_lower_identity(shlo_call *c)
{
    if (c->op->n_in != c->op->n_out)
        return shlo_refuse(c, DIAG_ArityMismatch, "it has as many results as operands");
    for (uint32_t k = 0; k < c->op->n_out; k++)
        (void)shlo_give_value(c, k, shlo_value_of(c, k));
    return true;
}

bool shlo_lower_token(shlo_call *c)
{
    const shlo_value v = {.is_token = true};
    return shlo_give_value(c, 0, &v);
}

bool shlo_lower_tuple(shlo_call *c)
{
    shlo_value *parts = ARENA_ARRAY(&c->r->memory, shlo_value, c->op->n_in);
    if (!parts)
        return shlo_no_memory(c->r);
    for (uint32_t k = 0; k < c->op->n_in; k++)
        parts[k] = *shlo_value_of(c, k);
    const shlo_value v = {.parts = parts, .n_parts = c->op->n_in};
    return shlo_give_value(c, 0, &v);
}

bool shlo_lower_get_tuple_element(shlo_call *c)
{
    int64_t index;
    const shlo_value *v = shlo_value_of(c, 0);
    if (!shlo_int(c, "index", 0, &index))
        return false;
    if (!v->parts || index < 0 || index >= (int64_t)v->n_parts)
        return shlo_refuse(c, DIAG_InvalidAttribute, "the tuple has no element %" PRId64, index);
    return shlo_give_value(c, 0, &v->parts[index]);
}
