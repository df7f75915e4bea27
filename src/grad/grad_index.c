/* Derivatives of ops whose positions are data or fixed: the gradient goes back to the positions. */
#include "base/memory/checked.h"
#include "grad/derivatives.h"

/* A vector shaped [1, .., extent, .., 1] along AXIS of RANK with a 1 at position AT. */
static value_id one_hot(grad_call *c, tn_dtype dtype, uint32_t rank, uint32_t axis, int64_t extent,
                        int64_t at)
{
    if (c->b.status != TN_OK)
        return NO_VALUE;
    module *m = c->b.f->module;
    char *data = arena_calloc(&m->arena, (size_t)extent, dtype_bytes(dtype));
    if (!data) {
        c->b.status = module_no_memory(m);
        return NO_VALUE;
    }
    if (at >= 0 && at < extent)
        (void)scalar_store(scalar_of_float(1), dtype, data + (size_t)at * dtype_bytes(dtype));
    dim dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? extent : 1;
    return build_constant(&c->b, dtype, dims, rank, data);
}

/* G among zeros like X, at the position AT, which is there: nothing is multiplied, so that nothing
 * else of an infinite G becomes NaN. */
static value_id put_at(grad_call *c, const type *x, const int64_t *at)
{
    dim ones[TN_MAX_RANK];
    int64_t ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) {
        ones[i] = steps[i] = 1;
        ends[i] = at[i] + 1;
    }
    const value_id g = build_reshape(&c->b, c->g[0], ones, x->rank);
    attr entries[] = {attr_of_ints(KEY_SHAPE, x->dims, x->rank),
                      attr_of_ints(KEY_STARTS, at, x->rank), attr_of_ints(KEY_ENDS, ends, x->rank),
                      attr_of_ints(KEY_STEPS, steps, x->rank)};
    return build_node(&c->b, OP_SLICE_GRAD, &g, 1, entries, 4);
}

tn_status grad_index(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0));
    uint32_t n;
    const int64_t *at = attr_ints(c->n.attrs, KEY_INDICES, &n);
    value_id g = c->g[0];
    bool is_inside = true;
    for (uint32_t i = 0; i < n; i++)
        is_inside = is_inside && at[i] >= 0 && !dim_is_symbolic(x->dims[i]) && at[i] < x->dims[i];
    if (is_inside && !c->core_only && grad_has(c, OP_SLICE_GRAD))
        return grad_gives(c, put_at(c, x, at));
    for (uint32_t i = 0; i < n; i++) {
        if (dim_is_symbolic(x->dims[i]))
            return grad_refuse_symbolic(c, "an extent");
        g = build_binary(&c->b, OP_MUL, g, one_hot(c, x->dtype, x->rank, i, x->dims[i], at[i]));
    }
    return grad_gives(c, g);
}

/* The D by D identity without a literal of D * D: a 1 every D + 1 elements. */
static value_id identity_matrix(grad_call *c, tn_dtype dtype, int64_t d)
{
    int64_t area;
    if (d == INT64_MAX || !mul_i64(d, d + 1, &area)) {
        c->b.status = module_no_memory(c->b.f->module);
        return NO_VALUE;
    }
    int64_t column[] = {d, 1}, flat[] = {area}, square[] = {d, d}, start = 0, step = 1, end = d * d;
    value_id rows = build_splat(&c->b, dtype, column, 2, scalar_of_float(1));
    value_id first = one_hot(c, dtype, 2, 1, d + 1, 0);
    value_id line = build_reshape(&c->b, build_binary(&c->b, OP_MUL, rows, first), flat, 1);
    return build_reshape(&c->b, build_slice(&c->b, line, &start, &end, &step, 1), square, 2);
}

value_id grad_add_rows(grad_call *c, value_id x, const value_id in[2])
{
    if (c->b.status != TN_OK || in[0] == NO_VALUE)
        return NO_VALUE;
    const type *t = grad_type(c, x);
    if (grad_has(c, OP_SCATTER_ROWS)) {
        attr entry = attr_of_ints(KEY_SHAPE, t->dims, t->rank);
        return build_node(&c->b, OP_SCATTER_ROWS, in, 2, &entry, 1);
    }
    int64_t window[TN_MAX_RANK], first[] = {0};
    uint32_t rank = grad_type(c, in[1])->rank;
    for (uint32_t i = 0; i + 1 < t->rank; i++)
        window[i] = rank + i;
    value_id all[] = {grad_zeros(c, x), in[1], in[0]};
    attr entries[] = {attr_of_ints(KEY_UPDATE_WINDOW_DIMS, window, t->rank - 1),
                      attr_of_ints(KEY_INSERTED_WINDOW_DIMS, first, 1),
                      attr_of_ints(KEY_SCATTER_DIMS, first, 1)};
    return build_node(&c->b, OP_SCATTER_ADD, all, 3, entries, 3);
}

/* Rows of g added at the positions they were taken from. Core v1 has no scatter: multiply by the
 * transposed one-hot rows of the indices, which accumulates duplicates in index order. */
tn_status grad_take(grad_call *c)
{
    const type *x = grad_type(c, grad_in(c, 0)), *i = grad_type(c, grad_in(c, 1));
    value_id in[] = {c->g[0], grad_in(c, 1)};
    if (!c->core_only)
        return grad_gives(c, grad_add_rows(c, grad_in(c, 0), in));
    int64_t d = x->dims[0], rest = 1;
    for (uint32_t k = 1; k < x->rank; k++)
        rest *= x->dims[k];
    int64_t hot[] = {i->count, d}, rows[] = {i->count, rest}, swap[] = {1, 0};
    value_id picked[] = {identity_matrix(c, x->dtype, d), grad_in(c, 1)};
    value_id one_hots =
        build_reshape(&c->b, build_node(&c->b, OP_TAKE, picked, 2, NULL, 0), hot, 2);
    const value_id columns = build_transpose(&c->b, one_hots, swap, 2);
    const value_id flat = build_reshape(&c->b, c->g[0], rows, 2);
    const value_id product = build_binary(&c->b, OP_MATMUL, columns, flat);
    return grad_gives(c, build_reshape(&c->b, product, x->dims, x->rank));
}

/* Its derivative is take again. */
tn_status grad_scatter_rows(grad_call *c)
{
    value_id in[] = {c->g[0], grad_in(c, 1)};
    return grad_gives(c, build_node(&c->b, OP_TAKE, in, 2, NULL, 0));
}
