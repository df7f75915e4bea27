/* Results that are known because the inputs are. Each function gives NULL where that is not so
 * after all; then the operator is read like any other. */
#include "base/memory/checked.h"
#include "dialect/onnx/ops/op.h"
#include "ops/shape.h"

const known_value *onnx_known_none(onnx_call *c)
{
    (void)c;
    return NULL;
}

const known_value *onnx_known_items(onnx_call *c)
{
    (void)c;
    return NULL;
}

static type_table *types_of(onnx_call *c)
{
    return &c->im->m->types;
}

known_room onnx_known_room(onnx_call *c)
{
    return (known_room){&c->im->memory, types_of(c), 0, &c->im->no_memory};
}

static known_value *fresh(onnx_call *c, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    int64_t n;
    if (!known_keeps(d) || !product_i64(dims, rank, &n) || n > KNOWN_MOST)
        return NULL;
    known_value *k = known_new(&c->im->memory, d, dims, rank);
    if (!k)
        (void)onnx_no_memory(c->im);
    return k;
}

/* ---- elementwise ---- */

static const known_value *binary(onnx_call *c, known_arithmetic how, bool compares)
{
    const known_value *x = onnx_in_known(c, 0), *y = onnx_in_known(c, 1);
    if (c->version < 7 && onnx_attr(c, "axis"))
        return NULL;
    const known_room room = onnx_known_room(c);
    return known_binary(&room, how, x, y, compares ? TN_I1 : x->dtype);
}

static const known_value *unary(onnx_call *c, known_arithmetic how)
{
    const known_room room = onnx_known_room(c);
    return known_unary(&room, how, onnx_in_known(c, 0));
}

static const known_value *variadic(onnx_call *c, known_arithmetic how)
{
    const known_room room = onnx_known_room(c);
    const known_value *all = onnx_in_known(c, 0);
    for (uint32_t i = 1; all && i < c->n_in; i++)
        all = onnx_has_in(c, i) ? known_binary(&room, how, all, onnx_in_known(c, i), all->dtype)
                                : NULL;
    return all;
}

#define BINARY(name, how, compares)                                                                \
    const known_value *onnx_known_##name(onnx_call *c)                                             \
    {                                                                                              \
        return binary(c, how, compares);                                                           \
    }
#define UNARY(name, how)                                                                           \
    const known_value *onnx_known_##name(onnx_call *c)                                             \
    {                                                                                              \
        return unary(c, how);                                                                      \
    }
BINARY(add, KNOWN_ADD, false)
BINARY(sub, KNOWN_SUB, false)
BINARY(mul, KNOWN_MUL, false)
BINARY(div, KNOWN_DIV, false)
BINARY(and, KNOWN_AND, false)
BINARY(or, KNOWN_OR, false)
BINARY(equal, KNOWN_EQUAL, true)
BINARY(less, KNOWN_LESS, true)
BINARY(less_or_equal, KNOWN_LESS_OR_EQUAL, true)
BINARY(greater, KNOWN_GREATER, true)
BINARY(greater_or_equal, KNOWN_GREATER_OR_EQUAL, true)
UNARY(neg, KNOWN_NEG)
UNARY(not, KNOWN_NOT)
UNARY(abs, KNOWN_ABS)
UNARY(floor, KNOWN_FLOOR)
UNARY(ceil, KNOWN_CEIL)
UNARY(round, KNOWN_ROUND)
UNARY(sqrt, KNOWN_SQRT)

const known_value *onnx_known_mod(onnx_call *c)
{
    return onnx_attr_int(c, "fmod", 0) ? NULL : binary(c, KNOWN_MOD, false);
}

const known_value *onnx_known_max(onnx_call *c)
{
    return variadic(c, KNOWN_MAX);
}

const known_value *onnx_known_min(onnx_call *c)
{
    return variadic(c, KNOWN_MIN);
}

/* The number N as an element of the type of X. */
static const known_value *number_like(onnx_call *c, const known_value *x, int n)
{
    known_value *k = fresh(c, x->dtype, NULL, 0);
    if (k)
        k->at[0] = dtype_is_float(x->dtype) ? (known_number){.f = n} : (known_number){.i = n};
    return k;
}

const known_value *onnx_known_relu(onnx_call *c)
{
    const known_room room = onnx_known_room(c);
    const known_value *x = onnx_in_known(c, 0);
    return known_binary(&room, KNOWN_MAX, x, number_like(c, x, 0), x->dtype);
}

const known_value *onnx_known_reciprocal(onnx_call *c)
{
    const known_room room = onnx_known_room(c);
    const known_value *x = onnx_in_known(c, 0);
    return dtype_is_float(x->dtype)
               ? known_binary(&room, KNOWN_DIV, number_like(c, x, 1), x, x->dtype)
               : NULL;
}

const known_value *onnx_known_clip(onnx_call *c)
{
    const known_room room = onnx_known_room(c);
    const known_value *given = onnx_in_known(c, 0), *x = given;
    if (x && onnx_has_in(c, 1))
        x = known_binary(&room, KNOWN_MAX, x, onnx_in_known(c, 1), x->dtype);
    if (x && onnx_has_in(c, 2))
        x = known_binary(&room, KNOWN_MIN, x, onnx_in_known(c, 2), x->dtype);
    return x && x->rank == given->rank && x->n == given->n ? x : NULL;
}

const known_value *onnx_known_cast(onnx_call *c)
{
    const known_room room = onnx_known_room(c);
    tn_dtype to;
    return onnx_dtype(onnx_attr_int(c, "to", 0), &to) ? known_cast(&room, onnx_in_known(c, 0), to)
                                                      : NULL;
}

const known_value *onnx_known_where(onnx_call *c)
{
    const known_room room = onnx_known_room(c);
    const known_value *p = onnx_in_known(c, 0), *x = onnx_in_known(c, 1), *y = onnx_in_known(c, 2);
    return known_select(&room, p, x, y);
}

/* ---- lists and axes ---- */

/* The numbers of input K, all of them known and no sizes. */
static bool list_of(onnx_call *c, uint32_t k, int64_t *out, uint32_t *n)
{
    const known_value *known = onnx_in_known(c, k);
    *n = 0;
    if (!known || known->n > TN_MAX_RANK || known->rank > 1 || dtype_is_float(known->dtype) ||
        known_has_sizes(known))
        return !known && !onnx_has_in(c, k);
    for (uint32_t i = 0; i < known->n; i++)
        out[i] = known->at[i].i;
    *n = known->n;
    return true;
}

/* `axes`, of a tensor of rank RANK, as a mask. */
static bool axes_mask(onnx_call *c, uint32_t rank, uint32_t *mask, bool *given)
{
    const onnx_attribute *a = onnx_attr_of(c, "axes", ONNX_INTS);
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

/* Does the operator work along the one axis of a list? Others are refused where it is read. */
static bool is_along_list(const onnx_call *c)
{
    const int64_t axis = onnx_attr_int(c, "axis", 0);
    return axis == 0 || axis == -1;
}

/* ---- reductions, of a list to one number ---- */

static const known_value *fold(onnx_call *c, known_arithmetic how, int64_t start)
{
    const known_room room = onnx_known_room(c);
    const known_value *x = onnx_in_known(c, 0);
    const bool keep = onnx_attr_int(c, "keepdims", 1);
    const int64_t one = 1;
    uint32_t mask;
    bool given;
    if (x->rank != 1 || x->n == 0 || (dtype_is_float(x->dtype) && how == KNOWN_MUL) ||
        !axes_mask(c, 1, &mask, &given) || (!mask && onnx_attr_int(c, "noop_with_empty_axes", 0)))
        return NULL;
    known_number all = how == KNOWN_MUL ? (known_number){.i = start} : x->at[0];
    for (uint32_t i = how == KNOWN_MUL ? 0 : 1; i < x->n; i++) {
        const known_number so_far = all;
        if (!known_number_binary(&room, how, x->dtype, so_far, x->at[i], &all))
            return NULL;
    }
    known_value *k = fresh(c, x->dtype, &one, keep ? 1 : 0);
    if (k)
        k->at[0] = all;
    return k;
}

const known_value *onnx_known_reduce_prod(onnx_call *c)
{
    return fold(c, KNOWN_MUL, 1);
}

const known_value *onnx_known_reduce_max(onnx_call *c)
{
    return fold(c, KNOWN_MAX, 0);
}

const known_value *onnx_known_reduce_min(onnx_call *c)
{
    return fold(c, KNOWN_MIN, 0);
}

/* ---- movement ---- */

const known_value *onnx_known_reshape(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0);
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
    return known_shaped(&c->im->memory, x, s.dims, s.rank);
}

const known_value *onnx_known_squeeze(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0);
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
    return known_shaped(&c->im->memory, x, dims, n);
}

const known_value *onnx_known_unsqueeze(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0);
    const known_value *list = onnx_in_known(c, 1);
    const onnx_attribute *a = onnx_attr_of(c, "axes", ONNX_INTS);
    int64_t dims[TN_MAX_RANK];
    uint32_t mask;
    bool given;
    const uint32_t added = a ? a->ints.n : list ? list->n : 0, rank = x->rank + added;
    if (added > TN_MAX_RANK || rank > TN_MAX_RANK || !axes_mask(c, rank, &mask, &given))
        return NULL;
    for (uint32_t i = 0, k = 0; i < rank; i++)
        dims[i] = mask >> i & 1 ? 1 : x->dims[k++];
    return known_shaped(&c->im->memory, x, dims, rank);
}

const known_value *onnx_known_expand(onnx_call *c)
{
    const known_room room = onnx_known_room(c);
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    if (!list_of(c, 1, dims, &n))
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] < 0)
            return NULL;
    return known_broadcast(&room, onnx_in_known(c, 0), dims, n);
}

const known_value *onnx_known_concat(onnx_call *c)
{
    const known_room room = onnx_known_room(c);
    const known_value **in = ARENA_ARRAY(&c->im->memory, const known_value *, c->n_in);
    if (!is_along_list(c))
        return NULL;
    if (!in) {
        (void)onnx_no_memory(c->im);
        return NULL;
    }
    for (uint32_t i = 0; i < c->n_in; i++)
        in[i] = onnx_in_known(c, i);
    return known_concat(&room, in, c->n_in);
}

/* The bounds of a slice of X along one axis; false for several. */
static bool known_bounds(onnx_call *c, const known_value *x, int64_t *start, int64_t *end,
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
const known_value *onnx_known_slice(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0);
    const known_room room = onnx_known_room(c);
    int64_t start, end, axis, step, count = 0;
    if (x->n == 0 || !known_bounds(c, x, &start, &end, &axis, &step))
        return NULL;
    const int64_t extent = x->dims[axis];
    onnx_resolve_bounds(extent, &start, &end, step);
    if (step > INT32_MAX || step < -INT32_MAX)
        step = step > 0 ? INT32_MAX : -INT32_MAX;
    for (int64_t i = start; step > 0 ? i < end : i > end; i += step)
        count++;
    return known_slice(&room, x, axis, start, step, count);
}

const known_value *onnx_known_transpose(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0);
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
    known_value *k = fresh(c, x->dtype, dims, x->rank);
    for (uint32_t e = 0; k && e < k->n; e++) {
        int64_t rest = e, at = 0;
        for (uint32_t i = x->rank; i-- > 0; rest /= dims[i])
            at += rest % dims[i] * strides[perm[i]];
        k->at[e] = x->at[at];
    }
    return k;
}

/* Elements of a list. */
const known_value *onnx_known_gather(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0), *at = onnx_in_known(c, 1);
    if (x->rank != 1 || dtype_is_float(at->dtype) || !is_along_list(c))
        return NULL;
    known_value *k = fresh(c, x->dtype, at->dims, at->rank);
    for (uint32_t i = 0; k && i < k->n; i++) {
        const int64_t e = at->at[i].i < 0 ? at->at[i].i + (int64_t)x->n : at->at[i].i;
        if (at->at[i].is_size || e < 0 || e >= (int64_t)x->n)
            return NULL;
        k->at[i] = x->at[e];
    }
    return k;
}

/* A list with some elements replaced. */
const known_value *onnx_known_scatter_elements(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0), *at = onnx_in_known(c, 1),
                      *by = onnx_in_known(c, 2);
    if (x->rank != 1 || at->rank != 1 || by->rank != 1 || at->n != by->n ||
        dtype_is_float(at->dtype) || by->dtype != x->dtype || !is_along_list(c) ||
        !onnx_attr_is(c, "reduction", "none", true))
        return NULL;
    known_value *k = fresh(c, x->dtype, x->dims, x->rank);
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
const known_value *onnx_known_tile(onnx_call *c)
{
    const known_value *x = onnx_in_known(c, 0);
    int64_t times, n;
    uint32_t many;
    if (x->rank != 1 || onnx_in_known(c, 1)->n != 1 || !list_of(c, 1, &times, &many) || times < 0 ||
        !mul_i64(x->n, times, &n))
        return NULL;
    known_value *k = fresh(c, x->dtype, &n, 1);
    for (uint32_t i = 0; k && i < k->n; i++)
        k->at[i] = x->at[i % x->n];
    return k;
}
