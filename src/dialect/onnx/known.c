/* Results that are known because the inputs are. Each function gives NULL where that is not so
 * after all; then the operator is read like any other. */
#include "base/memory/checked.h"
#include "dialect/onnx/ops/op.h"
#include "ops/shape.h"

const onnx_known *onnx_known_none(onnx_call *c)
{
    (void)c;
    return NULL;
}

const onnx_known *onnx_known_items(onnx_call *c)
{
    (void)c;
    return NULL;
}

static type_table *types_of(onnx_call *c)
{
    return &c->im->m->types;
}

static onnx_known *fresh(onnx_call *c, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    int64_t n;
    if (!onnx_keeps(d) || !product_i64(dims, rank, &n) || n > ONNX_MOST_KNOWN)
        return NULL;
    onnx_known *k = onnx_known_new(&c->im->memory, d, dims, rank);
    if (!k)
        (void)onnx_no_memory(c->im);
    return k;
}

/* Strides of K in a result of rank RANK, 0 along axes that it repeats. */
static void strides_in(const onnx_known *k, uint32_t rank, uint32_t *strides)
{
    uint32_t stride = 1;
    for (uint32_t i = 0; i < rank; i++)
        strides[i] = 0;
    for (uint32_t i = k->rank; i-- > 0;) {
        strides[i + rank - k->rank] = k->dims[i] == 1 ? 0 : stride;
        stride *= (uint32_t)k->dims[i];
    }
}

/* Where element E of a result of shape DIMS comes from. */
static uint32_t source_of(uint32_t e, const int64_t *dims, uint32_t rank, const uint32_t *strides)
{
    uint32_t at = 0;
    for (uint32_t i = rank; i-- > 0;) {
        at += e % (uint32_t)dims[i] * strides[i];
        e /= (uint32_t)dims[i];
    }
    return at;
}

/* ---- elementwise ---- */

static const onnx_known *combine(onnx_call *c, onnx_arithmetic how, const onnx_known *x,
                                 const onnx_known *y, tn_dtype result)
{
    uint32_t from_x[TN_MAX_RANK], from_y[TN_MAX_RANK];
    shape s;
    if (x->dtype != y->dtype ||
        broadcast_shapes(x->dims, x->rank, y->dims, y->rank, &s).kind != SHAPE_OK)
        return NULL;
    onnx_known *k = fresh(c, result, s.dims, s.rank);
    strides_in(x, s.rank, from_x);
    strides_in(y, s.rank, from_y);
    for (uint32_t e = 0; k && e < k->n; e++) {
        const onnx_number a = x->at[source_of(e, s.dims, s.rank, from_x)];
        const onnx_number b = y->at[source_of(e, s.dims, s.rank, from_y)];
        if (!onnx_number_binary(types_of(c), how, x->dtype, a, b, &k->at[e]))
            return NULL;
    }
    return k;
}

static const onnx_known *binary(onnx_call *c, onnx_arithmetic how, bool compares)
{
    const onnx_known *x = onnx_in_known(c, 0), *y = onnx_in_known(c, 1);
    if (c->version < 7 && onnx_attr(c, "axis"))
        return NULL;
    return combine(c, how, x, y, compares ? TN_I1 : x->dtype);
}

static const onnx_known *unary(onnx_call *c, onnx_arithmetic how)
{
    const onnx_known *x = onnx_in_known(c, 0);
    onnx_known *k = fresh(c, x->dtype, x->dims, x->rank);
    for (uint32_t i = 0; k && i < k->n; i++)
        if (!onnx_number_unary(types_of(c), how, x->dtype, x->at[i], &k->at[i]))
            return NULL;
    return k;
}

static const onnx_known *variadic(onnx_call *c, onnx_arithmetic how)
{
    const onnx_known *all = onnx_in_known(c, 0);
    for (uint32_t i = 1; all && i < c->n_in; i++)
        all = onnx_has_in(c, i) ? combine(c, how, all, onnx_in_known(c, i), all->dtype) : NULL;
    return all;
}

#define BINARY(name, how, compares)                                                                \
    const onnx_known *onnx_known_##name(onnx_call *c)                                              \
    {                                                                                              \
        return binary(c, how, compares);                                                           \
    }
#define UNARY(name, how)                                                                           \
    const onnx_known *onnx_known_##name(onnx_call *c)                                              \
    {                                                                                              \
        return unary(c, how);                                                                      \
    }
BINARY(add, ONNX_ADD, false)
BINARY(sub, ONNX_SUB, false)
BINARY(mul, ONNX_MUL, false)
BINARY(div, ONNX_DIV, false)
BINARY(and, ONNX_AND, false)
BINARY(or, ONNX_OR, false)
BINARY(equal, ONNX_EQUAL, true)
BINARY(less, ONNX_LESS, true)
BINARY(less_or_equal, ONNX_LESS_OR_EQUAL, true)
BINARY(greater, ONNX_GREATER, true)
BINARY(greater_or_equal, ONNX_GREATER_OR_EQUAL, true)
UNARY(neg, ONNX_NEG)
UNARY(not, ONNX_NOT)
UNARY(abs, ONNX_ABS)
UNARY(floor, ONNX_FLOOR)
UNARY(ceil, ONNX_CEIL)
UNARY(round, ONNX_ROUND)
UNARY(sqrt, ONNX_SQRT)

const onnx_known *onnx_known_mod(onnx_call *c)
{
    return onnx_attr_int(c, "fmod", 0) ? NULL : binary(c, ONNX_MOD, false);
}

const onnx_known *onnx_known_max(onnx_call *c)
{
    return variadic(c, ONNX_MAX);
}

const onnx_known *onnx_known_min(onnx_call *c)
{
    return variadic(c, ONNX_MIN);
}

const onnx_known *onnx_known_relu(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    onnx_known *zero = fresh(c, x->dtype, NULL, 0);
    if (!zero)
        return NULL;
    zero->at[0] = dtype_is_float(x->dtype) ? (onnx_number){.f = 0} : (onnx_number){.i = 0};
    return combine(c, ONNX_MAX, x, zero, x->dtype);
}

const onnx_known *onnx_known_clip(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    if (x && onnx_has_in(c, 1))
        x = combine(c, ONNX_MAX, x, onnx_in_known(c, 1), x->dtype);
    if (x && onnx_has_in(c, 2))
        x = combine(c, ONNX_MIN, x, onnx_in_known(c, 2), x->dtype);
    return x;
}

const onnx_known *onnx_known_cast(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    tn_dtype to;
    if (!onnx_dtype(onnx_attr_int(c, "to", 0), &to))
        return NULL;
    onnx_known *k = fresh(c, to, x->dims, x->rank);
    for (uint32_t i = 0; k && i < k->n; i++)
        if (!onnx_number_cast(x->dtype, x->at[i], to, &k->at[i]))
            return NULL;
    return k;
}

const onnx_known *onnx_known_where(onnx_call *c)
{
    const onnx_known *in[3] = {onnx_in_known(c, 0), onnx_in_known(c, 1), onnx_in_known(c, 2)};
    uint32_t strides[3][TN_MAX_RANK];
    shape s = {0};
    for (uint32_t i = 0; i < 3; i++) {
        shape both;
        if (broadcast_shapes(s.dims, s.rank, in[i]->dims, in[i]->rank, &both).kind != SHAPE_OK)
            return NULL;
        s = both;
    }
    onnx_known *k = in[1]->dtype == in[2]->dtype ? fresh(c, in[1]->dtype, s.dims, s.rank) : NULL;
    for (uint32_t i = 0; i < 3; i++)
        strides_in(in[i], s.rank, strides[i]);
    for (uint32_t e = 0; k && e < k->n; e++) {
        const onnx_number p = in[0]->at[source_of(e, s.dims, s.rank, strides[0])];
        const uint32_t from = p.i ? 1 : 2;
        if (p.is_size)
            return NULL;
        k->at[e] = in[from]->at[source_of(e, s.dims, s.rank, strides[from])];
    }
    return k;
}

/* ---- reductions, of a list to one number ---- */

static const onnx_known *fold(onnx_call *c, onnx_arithmetic how, int64_t start)
{
    const onnx_known *x = onnx_in_known(c, 0);
    const onnx_attribute *axes = onnx_attr(c, "axes");
    const bool keep = onnx_attr_int(c, "keepdims", 1);
    const bool given = axes ? axes->ints.n > 0 : onnx_has_in(c, 1);
    const int64_t one = 1;
    if (x->rank != 1 || x->n == 0 || dtype_is_float(x->dtype) ||
        (!given && onnx_attr_int(c, "noop_with_empty_axes", 0)))
        return NULL;
    onnx_number all = how == ONNX_MUL ? (onnx_number){.i = start} : x->at[0];
    for (uint32_t i = how == ONNX_MUL ? 0 : 1; i < x->n; i++) {
        const onnx_number so_far = all;
        if (!onnx_number_binary(types_of(c), how, x->dtype, so_far, x->at[i], &all))
            return NULL;
    }
    onnx_known *k = fresh(c, x->dtype, &one, keep ? 1 : 0);
    if (k)
        k->at[0] = all;
    return k;
}

const onnx_known *onnx_known_reduce_prod(onnx_call *c)
{
    return fold(c, ONNX_MUL, 1);
}

const onnx_known *onnx_known_reduce_max(onnx_call *c)
{
    return fold(c, ONNX_MAX, 0);
}

const onnx_known *onnx_known_reduce_min(onnx_call *c)
{
    return fold(c, ONNX_MIN, 0);
}

/* ---- movement ---- */

/* The numbers of input K, all of them known and no sizes. */
static bool list_of(onnx_call *c, uint32_t k, int64_t *out, uint32_t *n)
{
    const onnx_known *known = onnx_in_known(c, k);
    *n = 0;
    if (!known || known->n > TN_MAX_RANK || known->rank > 1 || dtype_is_float(known->dtype) ||
        onnx_known_has_sizes(known))
        return !known && !onnx_has_in(c, k);
    for (uint32_t i = 0; i < known->n; i++)
        out[i] = known->at[i].i;
    *n = known->n;
    return true;
}

const onnx_known *onnx_known_reshape(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    shape s;
    if (!list_of(c, 1, dims, &n))
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] == 0 && !onnx_attr_int(c, "allowzero", 0)) {
            if (i >= x->rank)
                return NULL;
            dims[i] = x->dims[i];
        }
    const type *t = type_of(types_of(c), x->dtype, x->dims, x->rank);
    if (!t || resolve_reshape(dims, n, t, &s).kind != SHAPE_OK)
        return NULL;
    return onnx_known_shaped(&c->im->memory, x, s.dims, s.rank);
}

/* `axes`, of a tensor of rank RANK, as a mask. */
static bool axes_mask(onnx_call *c, uint32_t rank, uint32_t *mask, bool *given)
{
    const onnx_attribute *a = onnx_attr(c, "axes");
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    axis_list list;
    *given = a || onnx_has_in(c, 1);
    if (a && a->ints.n <= TN_MAX_RANK) {
        n = a->ints.n;
        if (n)
            memcpy(axes, a->ints.at, n * sizeof *axes);
    } else if (a || !list_of(c, 1, axes, &n)) {
        return false;
    }
    if (resolve_axes(axes, n, rank, &list).kind != SHAPE_OK)
        return false;
    *mask = list.mask;
    return true;
}

const onnx_known *onnx_known_squeeze(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    int64_t dims[TN_MAX_RANK];
    uint32_t mask, n = 0;
    bool given;
    if (!axes_mask(c, x->rank, &mask, &given))
        return NULL;
    for (uint32_t i = 0; i < x->rank; i++) {
        const bool drop = given ? mask >> i & 1 : x->dims[i] == 1;
        if (drop && x->dims[i] != 1)
            return NULL;
        if (!drop)
            dims[n++] = x->dims[i];
    }
    return onnx_known_shaped(&c->im->memory, x, dims, n);
}

const onnx_known *onnx_known_unsqueeze(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    const onnx_known *list = onnx_in_known(c, 1);
    const onnx_attribute *a = onnx_attr(c, "axes");
    int64_t dims[TN_MAX_RANK];
    uint32_t mask;
    bool given;
    const uint32_t added = a ? a->ints.n : list ? list->n : 0, rank = x->rank + added;
    if (added > TN_MAX_RANK || rank > TN_MAX_RANK || !axes_mask(c, rank, &mask, &given))
        return NULL;
    for (uint32_t i = 0, k = 0; i < rank; i++)
        dims[i] = mask >> i & 1 ? 1 : x->dims[k++];
    return onnx_known_shaped(&c->im->memory, x, dims, rank);
}

const onnx_known *onnx_known_expand(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    int64_t dims[TN_MAX_RANK];
    uint32_t n, strides[TN_MAX_RANK];
    shape s;
    if (!list_of(c, 1, dims, &n))
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] < 0)
            return NULL;
    if (broadcast_shapes(x->dims, x->rank, dims, n, &s).kind != SHAPE_OK)
        return NULL;
    onnx_known *k = fresh(c, x->dtype, s.dims, s.rank);
    strides_in(x, s.rank, strides);
    for (uint32_t e = 0; k && e < k->n; e++)
        k->at[e] = x->at[source_of(e, s.dims, s.rank, strides)];
    return k;
}

/* Lists, one after the other; other ranks have no use. */
const onnx_known *onnx_known_concat(onnx_call *c)
{
    const onnx_known *first = onnx_in_known(c, 0);
    int64_t n = 0;
    for (uint32_t i = 0; i < c->n_in; i++) {
        const onnx_known *x = onnx_in_known(c, i);
        if (!x || x->rank != 1 || x->dtype != first->dtype)
            return NULL;
        n += x->n;
    }
    onnx_known *k = fresh(c, first->dtype, &n, 1);
    for (uint32_t i = 0, at = 0; k && i < c->n_in; i++) {
        const onnx_known *x = onnx_in_known(c, i);
        if (x->n)
            memcpy(k->at + at, x->at, x->n * sizeof *x->at);
        at += x->n;
    }
    return k;
}

/* The bounds of a slice of X along one axis; false for several. */
static bool known_bounds(onnx_call *c, const onnx_known *x, int64_t *start, int64_t *end,
                         int64_t *axis, int64_t *step)
{
    int64_t numbers[TN_MAX_RANK];
    int64_t *const to[] = {NULL, start, end, axis, step};
    uint32_t n;
    *axis = 0;
    *step = 1;
    if (c->version < 10) {
        static const char *const names[] = {NULL, "starts", "ends", "axes"};
        for (uint32_t i = 1; i < 4; i++) {
            const int64_t *given = onnx_attr_ints(c, names[i], &n);
            if (n != 1 && (given || i < 3))
                return false;
            if (n)
                *to[i] = given[0];
        }
    } else {
        for (uint32_t i = 1; i < 5; i++) {
            if (!list_of(c, i, numbers, &n) || (onnx_has_in(c, i) && n != 1))
                return false;
            if (n)
                *to[i] = numbers[0];
        }
    }
    *axis += *axis < 0 ? (int64_t)x->rank : 0;
    return *step != 0 && *axis >= 0 && *axis < (int64_t)x->rank;
}

/* A part along one axis. */
const onnx_known *onnx_known_slice(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    int64_t start, end, axis, step, count = 0, dims[TN_MAX_RANK];
    if (x->n == 0 || !known_bounds(c, x, &start, &end, &axis, &step))
        return NULL;
    const int64_t extent = x->dims[axis];
    onnx_resolve_bounds(extent, &start, &end, step);
    if (step > INT32_MAX || step < -INT32_MAX)
        step = step > 0 ? INT32_MAX : -INT32_MAX;
    for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
        count++;
    memcpy(dims, x->dims, x->rank * sizeof *dims);
    dims[axis] = count;
    int64_t inner = 1; /* elements behind each position along the axis */
    for (uint32_t i = (uint32_t)axis + 1; i < x->rank; i++)
        inner *= x->dims[i];
    onnx_known *k = fresh(c, x->dtype, dims, x->rank);
    for (int64_t e = 0; k && e < (int64_t)k->n; e++) {
        const int64_t at = e / inner % count, outer = e / (inner * count);
        k->at[e] = x->at[(outer * extent + start + at * step) * inner + e % inner];
    }
    return k;
}

const onnx_known *onnx_known_transpose(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    int64_t perm[TN_MAX_RANK], dims[TN_MAX_RANK], strides[TN_MAX_RANK];
    uint32_t n;
    const int64_t *given = onnx_attr_ints(c, "perm", &n);
    for (uint32_t i = 0; i < x->rank; i++)
        perm[i] = given && n == x->rank ? given[i] : (int64_t)(x->rank - 1 - i);
    if ((given && n != x->rank) || resolve_permutation(perm, x->rank, x->rank).kind != SHAPE_OK)
        return NULL;
    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = x->dims[perm[i]];
    for (uint32_t i = x->rank; i-- > 0;)
        strides[i] = i + 1 == x->rank ? 1 : strides[i + 1] * x->dims[i + 1];
    onnx_known *k = fresh(c, x->dtype, dims, x->rank);
    for (uint32_t e = 0; k && e < k->n; e++) {
        int64_t rest = e, at = 0;
        for (uint32_t i = x->rank; i-- > 0; rest /= dims[i])
            at += rest % dims[i] * strides[perm[i]];
        k->at[e] = x->at[at];
    }
    return k;
}

/* Elements of a list. */
const onnx_known *onnx_known_gather(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0), *at = onnx_in_known(c, 1);
    if (x->rank != 1 || dtype_is_float(at->dtype))
        return NULL;
    onnx_known *k = fresh(c, x->dtype, at->dims, at->rank);
    for (uint32_t i = 0; k && i < k->n; i++) {
        const int64_t e = at->at[i].i < 0 ? at->at[i].i + (int64_t)x->n : at->at[i].i;
        if (at->at[i].is_size || e < 0 || e >= (int64_t)x->n)
            return NULL;
        k->at[i] = x->at[e];
    }
    return k;
}

/* A list with some elements replaced. */
const onnx_known *onnx_known_scatter_elements(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0), *at = onnx_in_known(c, 1), *by = onnx_in_known(c, 2);
    if (x->rank != 1 || at->rank != 1 || by->rank != 1 || at->n != by->n ||
        dtype_is_float(at->dtype) || by->dtype != x->dtype ||
        !onnx_attr_is(c, "reduction", "none", true))
        return NULL;
    onnx_known *k = fresh(c, x->dtype, x->dims, x->rank);
    if (k && x->n)
        memcpy(k->at, x->at, x->n * sizeof *x->at);
    for (uint32_t i = 0; k && i < at->n; i++) {
        const int64_t e = at->at[i].i < 0 ? at->at[i].i + (int64_t)x->n : at->at[i].i;
        if (at->at[i].is_size || e < 0 || e >= (int64_t)x->n)
            return NULL;
        k->at[e] = by->at[i];
    }
    return k;
}

/* A list, again and again. */
const onnx_known *onnx_known_tile(onnx_call *c)
{
    const onnx_known *x = onnx_in_known(c, 0);
    int64_t times, n;
    uint32_t many;
    if (x->rank != 1 || onnx_in_known(c, 1)->n != 1 || !list_of(c, 1, &times, &many) || times < 0 ||
        !mul_i64(x->n, times, &n))
        return NULL;
    onnx_known *k = fresh(c, x->dtype, &n, 1);
    for (uint32_t i = 0; k && i < k->n; i++)
        k->at[i] = x->at[i % x->n];
    return k;
}
