/* Derivatives of ops that read or write at positions along axes. */
#include "grad/derivatives.h"
#include "ops/attr_rules.h"

static value_id along(grad_call *c, op_id op, value_id x, value_id indices)
{
    value_id in[] = {x, indices};
    attr entry = attr_of_int(KEY_AXIS, attr_int(c->n.attrs, KEY_AXIS, 0));
    return build_node(&c->b, op, in, 2, &entry, 1);
}

static value_id scatter(grad_call *c, value_id x, value_id indices, value_id updates, int64_t axis,
                        combine_mode combine)
{
    value_id in[] = {x, indices, updates};
    attr entries[] = {attr_of_int(KEY_AXIS, axis), attr_of_int(KEY_COMBINE, combine)};
    return build_node(&c->b, OP_SCATTER_REDUCE, in, 3, entries, 2);
}

/* Is one element of each line of X taken, at positions whose type counts that far? */
static bool takes_one(const grad_call *c, uint32_t axis)
{
    const type *x = grad_type(c, grad_in(c, 0)), *at = grad_type(c, grad_in(c, 1));
    for (uint32_t i = 0; i < x->rank; i++)
        if (at->dims[i] != (i == axis ? 1 : x->dims[i]))
            return false;
    return type_is_static(x) && dtype_table[at->dtype].bits >= 32 && grad_has(c, OP_IOTA) &&
           grad_has(c, OP_COMPARE) && grad_has(c, OP_SELECT);
}

/* G at the one position of each line, in a tensor like X of zeros: element by element, so that
 * nothing of it needs memory. As a sum it is 0 + g, which is never -0. */
static value_id put_one(grad_call *c, uint32_t axis)
{
    const value_id x = grad_in(c, 0), at = grad_in(c, 1), zeros = grad_zeros(c, x);
    const type *t = grad_type(c, x);
    attr entries[] = {attr_of_ints(KEY_SHAPE, t->dims, t->rank),
                      attr_of_int(KEY_DTYPE, grad_type(c, at)->dtype), attr_of_int(KEY_AXIS, axis)};
    const value_id place = build_node(&c->b, OP_IOTA, NULL, 0, entries, 3);
    const value_id wanted = build_broadcast(&c->b, at, t->dims, t->rank);
    const value_id is_there = build_compare(&c->b, DIR_EQ, place, wanted);
    const value_id g = build_binary(&c->b, OP_ADD, grad_zeros(c, c->g[0]), c->g[0]);
    return build_select(&c->b, is_there, build_broadcast(&c->b, g, t->dims, t->rank), zeros);
}

/* Every element goes back to where it came from. */
tn_status grad_gather(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    const uint32_t axis = resolve_axis(c->n.attrs, KEY_AXIS, x->rank);
    if (takes_one(c, axis))
        return grad_gives(c, put_one(c, axis));
    return grad_gives(c, scatter(c, grad_zeros(c, grad_in(c, 0)), grad_in(c, 1), c->g[0],
                                 attr_int(c->n.attrs, KEY_AXIS, 0), COMBINE_ADD));
}

/* The values went from their positions, which are the other result. */
tn_status grad_top_k(grad_call *c)
{
    return grad_gives(c, scatter(c, grad_zeros(c, grad_in(c, 0)), grad_y(c) + 1, c->g[0],
                                 attr_int(c->n.attrs, KEY_AXIS, 0), COMBINE_ADD));
}

/* Each operand's elements went to the positions that the keys gave. [sort/G1] */
tn_status grad_sort(grad_call *c)
{
    const value_id g = c->g[c->operand];
    if (g == NO_VALUE)
        return grad_gives(c, NO_VALUE);
    const int64_t axis = attr_int(c->n.attrs, KEY_AXIS, 0);
    value_id keys = grad_in(c, 0);
    attr entries[] = {attr_of_int(KEY_AXIS, axis),
                      attr_of_int(KEY_DESCENDING, attr_int(c->n.attrs, KEY_DESCENDING, 0)),
                      attr_of_int(KEY_INDEX_DTYPE, TN_SI64)};
    const value_id at = build_node(&c->b, OP_ARGSORT, &keys, 1, entries, 3);
    return grad_gives(c,
                      scatter(c, grad_zeros(c, grad_in(c, c->operand)), at, g, axis, COMBINE_ADD));
}

/* 1 where X equals Y, else 0, to be counted. */
static value_id equal(grad_call *c, value_id x, value_id y)
{
    if (c->b.status != TN_OK || x == NO_VALUE || y == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    const value_id is_same = build_compare(&c->b, DIR_EQ, x, y);
    const value_id one = grad_splat(c, x, t->dims, t->rank, 1);
    return grad_countable(c, build_select(&c->b, is_same, one, grad_zeros(c, x)));
}

/* G where HIT is 1; elsewhere 0, also where G is NaN. */
static value_id where_hit(grad_call *c, value_id hit, value_id g)
{
    return grad_unless_equal(c, hit, grad_zeros(c, hit), g);
}

/* Of updates to one position the last one stays. Each one leaves its number in its line there; who
 * finds its own is the last. */
static tn_status replace(grad_call *c)
{
    int64_t axis = attr_int(c->n.attrs, KEY_AXIS, 0);
    value_id x = grad_in(c, 0), at = grad_in(c, 1), updates = grad_in(c, 2);
    if (c->operand == 0)
        return grad_gives(c,
                          scatter(c, c->g[0], at, grad_zeros(c, updates), axis, COMBINE_REPLACE));
    const type *t = grad_type(c, updates), *tx = grad_type(c, x);
    attr entries[] = {attr_of_ints(KEY_SHAPE, t->dims, t->rank), attr_of_int(KEY_DTYPE, TN_SI64),
                      attr_of_int(KEY_AXIS, resolve_axis(c->n.attrs, KEY_AXIS, t->rank))};
    const value_id numbers = build_node(&c->b, OP_IOTA, NULL, 0, entries, 3);
    value_id board = build_splat(&c->b, TN_SI64, tx->dims, tx->rank, scalar_of_int(-1));
    board = scatter(c, board, at, numbers, axis, COMBINE_REPLACE);
    value_id is_last = build_compare(&c->b, DIR_EQ, along(c, OP_GATHER, board, at), numbers);
    value_id g = along(c, OP_GATHER, c->g[0], at);
    return grad_gives(c, build_select(&c->b, is_last, g, grad_zeros(c, updates)));
}

/* Each factor gets g times the product of the others: the quotient, where no factor is 0, and where
 * it is the only 0 itself, the product of the rest. [scatter_reduce/G1] */
static tn_status multiply(grad_call *c)
{
    const int64_t axis = attr_int(c->n.attrs, KEY_AXIS, 0);
    const value_id at = grad_in(c, 1);
    value_id is_zero[2], rest[2], zeros[2];
    for (uint32_t k = 0; k < 2; k++) {
        const value_id x = grad_in(c, 2 * k);
        const type *t = grad_type(c, x);
        const value_id one = grad_splat(c, x, t->dims, t->rank, 1), zero = grad_zeros(c, x);
        is_zero[k] = build_compare(&c->b, DIR_EQ, x, zero);
        rest[k] = build_select(&c->b, is_zero[k], one, x);
        zeros[k] = build_select(&c->b, is_zero[k], one, zero);
    }
    value_id product = scatter(c, rest[0], at, rest[1], axis, COMBINE_MUL);
    value_id count = scatter(c, zeros[0], at, zeros[1], axis, COMBINE_ADD), g = c->g[0];
    const uint32_t mine = c->operand == 0 ? 0 : 1;
    if (mine) {
        product = along(c, OP_GATHER, product, at);
        count = along(c, OP_GATHER, count, at);
        g = along(c, OP_GATHER, g, at);
    }
    const value_id others = build_binary(&c->b, OP_DIV, product, rest[mine]);
    const value_id all = build_compare(&c->b, DIR_EQ, count, zeros[mine]); /* no other is 0 */
    return grad_gives(
        c, build_select(&c->b, all, build_binary(&c->b, OP_MUL, g, others), grad_zeros(c, g)));
}

/* Those equal to an extremum share its gradient. */
tn_status grad_scatter_reduce(grad_call *c)
{
    combine_mode combine = (combine_mode)attr_int(c->n.attrs, KEY_COMBINE, COMBINE_ADD);
    int64_t axis = attr_int(c->n.attrs, KEY_AXIS, 0);
    value_id at = grad_in(c, 1);
    if (combine == COMBINE_ADD)
        return grad_gives(c, c->operand == 0 ? c->g[0] : along(c, OP_GATHER, c->g[0], at));
    if (combine == COMBINE_REPLACE)
        return replace(c);
    if (combine == COMBINE_MUL)
        return multiply(c);
    value_id y = grad_y(c), stays = equal(c, grad_in(c, 0), y);
    value_id hit = equal(c, grad_in(c, 2), along(c, OP_GATHER, y, at));
    value_id part = grad_share(c, c->g[0], scatter(c, stays, at, hit, axis, COMBINE_ADD));
    return grad_gives(c, c->operand == 0 ? where_hit(c, stays, part)
                                         : where_hit(c, hit, along(c, OP_GATHER, part, at)));
}

static value_id take(grad_call *c, value_id x, value_id indices)
{
    value_id in[] = {x, indices};
    return build_node(&c->b, OP_TAKE, in, 2, NULL, 0);
}

tn_status grad_segment_reduce(grad_call *c)
{
    value_id x = grad_in(c, 0), ids = grad_in(c, 1);
    if (attr_int(c->n.attrs, KEY_COMBINE, COMBINE_ADD) == COMBINE_ADD)
        return grad_gives(c, take(c, c->g[0], ids));
    value_id hit = equal(c, x, take(c, grad_y(c), ids)), in[] = {hit, ids};
    attr entries[4];
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n.attrs->n; i++)
        if (c->n.attrs->at[i].key != KEY_COMBINE && c->n.attrs->at[i].key != KEY_ACCUM_DTYPE)
            entries[n++] = c->n.attrs->at[i];
    entries[n++] = attr_of_int(KEY_COMBINE, COMBINE_ADD);
    const value_id hits = build_node(&c->b, OP_SEGMENT_REDUCE, in, 2, entries, n);
    const value_id part = grad_share(c, c->g[0], hits);
    return grad_gives(c, where_hit(c, hit, take(c, part, ids)));
}

/* ---- windows whose start is data ----------------------------------------------------------- */

static value_id update(grad_call *c, value_id x, value_id window, value_id start)
{
    value_id in[] = {x, window, start};
    uint32_t n;
    const int64_t *sizes = attr_ints(c->n.attrs, KEY_SIZES, &n);
    attr entry = attr_of_ints(KEY_SIZES, sizes, n);
    return build_node(&c->b, OP_DYNAMIC_UPDATE_SLICE, in, 3, &entry, 1);
}

tn_status grad_dynamic_slice(grad_call *c)
{
    return grad_gives(c, update(c, grad_zeros(c, grad_in(c, 0)), c->g[0], grad_in(c, 1)));
}

tn_status grad_dynamic_update_slice(grad_call *c)
{
    value_id start = grad_in(c, 2), in[] = {c->g[0], start};
    uint32_t n;
    const int64_t *sizes = attr_ints(c->n.attrs, KEY_SIZES, &n);
    attr entry = attr_of_ints(KEY_SIZES, sizes, n);
    if (c->operand == 0)
        return grad_gives(c, update(c, c->g[0], grad_zeros(c, grad_in(c, 1)), start));
    return grad_gives(c, build_node(&c->b, OP_DYNAMIC_SLICE, in, 2, &entry, 1));
}

/* ---- scatter_add --------------------------------------------------------------------------- */

static bool is_listed(const int64_t *list, uint32_t n, uint32_t axis, uint32_t rank)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == (int64_t)axis || list[i] + rank == (int64_t)axis)
            return true;
    return false;
}

/* X, whose axes go to the axes AXES of DIMS, repeated along the others. */
static value_id lay_out(grad_call *c, value_id x, const dim *dims, uint32_t rank,
                        const uint32_t *axes, uint32_t n)
{
    dim thin[TN_MAX_RANK];
    for (uint32_t i = 0, k = 0; i < rank; i++) {
        bool has = k < n && axes[k] == i;
        thin[i] = has ? dims[i] : 1;
        k += has;
    }
    return build_broadcast(&c->b, build_reshape(&c->b, x, thin, rank), dims, rank);
}

/* The position in the flattened operand that each update was added to. */
static value_id flat_positions(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0)), *u = grad_type(c, grad_in(c, 2));
    const type *i = grad_type(c, grad_in(c, 1));
    uint32_t n_window, n_inserted, n_components, n_places = 0, places[TN_MAX_RANK];
    const int64_t *window = attr_ints(c->n.attrs, KEY_UPDATE_WINDOW_DIMS, &n_window);
    const int64_t *inserted = attr_ints(c->n.attrs, KEY_INSERTED_WINDOW_DIMS, &n_inserted);
    const int64_t *components = attr_ints(c->n.attrs, KEY_SCATTER_DIMS, &n_components);
    uint32_t vector = (uint32_t)attr_int(c->n.attrs, KEY_INDEX_VECTOR_DIM, i->rank);
    int64_t strides[TN_MAX_RANK];
    value_id sum = build_splat(&c->b, TN_SI64, u->dims, u->rank, scalar_of_int(0));
    value_id wide = build_cast(&c->b, grad_in(c, 1), TN_SI64);
    type_strides(x, strides);
    for (uint32_t k = 0; k < u->rank; k++)
        if (!is_listed(window, n_window, k, u->rank))
            places[n_places++] = k;
    for (uint32_t k = 0; k < n_components; k++) {
        uint32_t axis = (uint32_t)(components[k] < 0 ? components[k] + x->rank : components[k]);
        value_id one = vector < i->rank ? grad_pick(c, wide, vector, k, 1, 1) : wide;
        dim dims[TN_MAX_RANK];
        for (uint32_t p = 0; p < n_places; p++)
            dims[p] = u->dims[places[p]];
        one = lay_out(c, build_reshape(&c->b, one, dims, n_places), u->dims, u->rank, places,
                      n_places);
        value_id stride = build_scalar(&c->b, TN_SI64, scalar_of_int(strides[axis]));
        sum = build_binary(&c->b, OP_ADD, sum, build_binary(&c->b, OP_MUL, one, stride));
    }
    for (uint32_t axis = 0, k = 0; axis < x->rank; axis++) {
        if (is_listed(inserted, n_inserted, axis, x->rank))
            continue;
        while (!is_listed(window, n_window, k, u->rank))
            k++;
        attr entries[] = {attr_of_ints(KEY_SHAPE, u->dims, u->rank),
                          attr_of_int(KEY_DTYPE, TN_SI64), attr_of_int(KEY_AXIS, k++)};
        value_id inside = build_node(&c->b, OP_IOTA, NULL, 0, entries, 3);
        value_id stride = build_scalar(&c->b, TN_SI64, scalar_of_int(strides[axis]));
        sum = build_binary(&c->b, OP_ADD, sum, build_binary(&c->b, OP_MUL, inside, stride));
    }
    return sum;
}

tn_status grad_scatter_add(grad_call *c)
{
    if (c->operand == 0)
        return grad_gives(c, c->g[0]);
    const type *x = grad_type(c, grad_in(c, 0));
    if (!type_is_static(x) || !type_is_static(grad_type(c, grad_in(c, 2))))
        return grad_refuse_symbolic(c, "an extent");
    value_id flat = build_reshape(&c->b, c->g[0], &x->count, 1);
    return grad_gives(c, take(c, flat, flat_positions(c)));
}
