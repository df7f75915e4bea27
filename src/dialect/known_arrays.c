/* Known values as arrays: elementwise arithmetic, which broadcasts, and movement. */
#include "base/memory/checked.h"
#include "dialect/known_values.h"
#include "ops/shape.h"

static known_value *fresh(const known_room *room, tn_dtype d, const int64_t *dims, uint32_t rank)
{
    int64_t n;
    if (!known_keeps(d) || !product_i64(dims, rank, &n) || n > KNOWN_MOST)
        return NULL;
    known_value *k = known_new(room->memory, d, dims, rank);
    if (!k)
        *room->no_memory = true;
    return k;
}

/* Strides of K in a result of rank RANK, 0 along axes that it repeats. */
static void strides_in(const known_value *k, uint32_t rank, uint32_t *strides)
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

/* Is every element of K, of type i1, false? */
static bool is_all_false(const known_value *k)
{
    bool all = k && k->dtype == TN_I1;
    for (uint32_t i = 0; all && i < k->n; i++)
        all = !k->at[i].is_size && k->at[i].i == 0;
    return all;
}

const known_value *known_binary(const known_room *room, known_arithmetic how, const known_value *x,
                                const known_value *y, tn_dtype result)
{
    uint32_t from_x[TN_MAX_RANK], from_y[TN_MAX_RANK];
    shape s;
    if (how == KNOWN_AND && !x != !y && is_all_false(x ? x : y))
        return x ? x : y; /* whatever the other one is */
    if (!x || !y || x->dtype != y->dtype ||
        broadcast_shapes(x->dims, x->rank, y->dims, y->rank, &s).kind != SHAPE_OK)
        return NULL;
    known_value *k = fresh(room, result, s.dims, s.rank);
    strides_in(x, s.rank, from_x);
    strides_in(y, s.rank, from_y);
    for (uint32_t e = 0; k && e < k->n; e++) {
        const known_number a = x->at[source_of(e, s.dims, s.rank, from_x)];
        const known_number b = y->at[source_of(e, s.dims, s.rank, from_y)];
        if (!known_number_binary(room, how, x->dtype, a, b, &k->at[e]))
            return NULL;
    }
    return k;
}

const known_value *known_unary(const known_room *room, known_arithmetic how, const known_value *x)
{
    known_value *k = x ? fresh(room, x->dtype, x->dims, x->rank) : NULL;
    for (uint32_t i = 0; k && i < k->n; i++)
        if (!known_number_unary(room, how, x->dtype, x->at[i], &k->at[i]))
            return NULL;
    return k;
}

const known_value *known_cast(const known_room *room, const known_value *x, tn_dtype to)
{
    known_value *k = x ? fresh(room, to, x->dims, x->rank) : NULL;
    for (uint32_t i = 0; k && i < k->n; i++)
        if (!known_number_cast(x->dtype, x->at[i], to, &k->at[i]))
            return NULL;
    return k;
}

const known_value *known_select(const known_room *room, const known_value *p, const known_value *x,
                                const known_value *y)
{
    const known_value *in[3] = {p, x, y};
    uint32_t strides[3][TN_MAX_RANK];
    shape s = {0};
    for (uint32_t i = 0; i < 3; i++) {
        shape both;
        if (!in[i] ||
            broadcast_shapes(s.dims, s.rank, in[i]->dims, in[i]->rank, &both).kind != SHAPE_OK)
            return NULL;
        s = both;
    }
    known_value *k = x->dtype == y->dtype ? fresh(room, x->dtype, s.dims, s.rank) : NULL;
    for (uint32_t i = 0; i < 3; i++)
        strides_in(in[i], s.rank, strides[i]);
    for (uint32_t e = 0; k && e < k->n; e++) {
        const known_number which = p->at[source_of(e, s.dims, s.rank, strides[0])];
        const uint32_t from = which.i ? 1 : 2;
        if (which.is_size)
            return NULL;
        k->at[e] = in[from]->at[source_of(e, s.dims, s.rank, strides[from])];
    }
    return k;
}

/* ---- movement ---- */

const known_value *known_broadcast(const known_room *room, const known_value *x,
                                   const int64_t *dims, uint32_t rank)
{
    uint32_t strides[TN_MAX_RANK];
    shape s;
    if (!x || broadcast_shapes(x->dims, x->rank, dims, rank, &s).kind != SHAPE_OK)
        return NULL;
    known_value *k = fresh(room, x->dtype, s.dims, s.rank);
    strides_in(x, s.rank, strides);
    for (uint32_t e = 0; k && e < k->n; e++)
        k->at[e] = x->at[source_of(e, s.dims, s.rank, strides)];
    return k;
}

const known_value *known_concat(const known_room *room, const known_value *const *in, uint32_t n)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!in[i] || in[i]->rank != 1 || in[i]->dtype != in[0]->dtype)
            return NULL;
        total += in[i]->n;
    }
    known_value *k = n ? fresh(room, in[0]->dtype, &total, 1) : NULL;
    for (uint32_t i = 0, at = 0; k && i < n; i++) {
        if (in[i]->n)
            memcpy(k->at + at, in[i]->at, in[i]->n * sizeof *in[i]->at);
        at += in[i]->n;
    }
    return k;
}

const known_value *known_slice(const known_room *room, const known_value *x, int64_t axis,
                               int64_t start, int64_t step, int64_t count)
{
    int64_t dims[TN_MAX_RANK], inner = 1; /* elements behind each position along the axis */
    const int64_t extent = x->dims[axis];
    memcpy(dims, x->dims, x->rank * sizeof *dims);
    dims[axis] = count;
    for (uint32_t i = (uint32_t)axis + 1; i < x->rank; i++)
        inner *= x->dims[i];
    known_value *k = fresh(room, x->dtype, dims, x->rank);
    for (int64_t e = 0; k && e < (int64_t)k->n; e++) {
        const int64_t at = e / inner % count, outer = e / (inner * count);
        k->at[e] = x->at[(outer * extent + start + at * step) * inner + e % inner];
    }
    return k;
}
