/* Derivatives of contractions. */
#include "grad/derivatives.h"
#include "grad/grad_core.h"
#include "ops/dot_axes.h"

static value_id swap_last(grad_call *c, value_id x)
{
    if (c->b.status != TN_OK || x == NO_VALUE)
        return NO_VALUE;
    uint32_t rank = grad_type(c, x)->rank;
    int64_t perm[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        perm[i] = i;
    perm[rank - 1] = rank - 2;
    perm[rank - 2] = rank - 1;
    return build_transpose(&c->b, x, perm, rank);
}

/* Can the gradient use dot_general? */
static bool has_products(const grad_call *c)
{
    return !c->core_only && grad_has(c, OP_DOT_GENERAL);
}

/* The gradient by one matrix that multiplied a batch A: the sum over the batch in the product. */
static value_id sum_of_batch(grad_call *c, value_id a)
{
    const uint32_t n = grad_type(c, a)->rank - 1;
    int64_t rows[TN_MAX_RANK];
    for (uint32_t i = 0; i < n; i++)
        rows[i] = i;
    attr entries[] = {attr_of_ints(KEY_BATCH_LHS, NULL, 0), attr_of_ints(KEY_BATCH_RHS, NULL, 0),
                      attr_of_ints(KEY_CONTRACT_LHS, rows, n),
                      attr_of_ints(KEY_CONTRACT_RHS, rows, n)};
    const value_id in[] = {a, c->g[0]};
    return build_node(&c->b, OP_DOT_GENERAL, in, 2, entries, 4);
}

/* Only batch axes can have been broadcast: the last two are the operand's own. */
tn_status grad_matmul(grad_call *c)
{
    value_id a = grad_in(c, 0), b = grad_in(c, 1);
    if (c->operand == 1 && grad_type(c, b)->rank == 2 && grad_type(c, a)->rank > 2 &&
        has_products(c))
        return grad_gives(c, sum_of_batch(c, a));
    value_id g = c->operand == 0 ? build_binary(&c->b, OP_MATMUL, c->g[0], swap_last(c, b))
                                 : build_binary(&c->b, OP_MATMUL, swap_last(c, a), c->g[0]);
    return grad_gives(c, grad_unbroadcast(c, g, grad_in(c, c->operand)));
}

static value_id column(grad_call *c, value_id v)
{
    int64_t axis = 1;
    return build_expand_dims(&c->b, v, &axis, 1);
}

static value_id row(grad_call *c, value_id v)
{
    int64_t axis = 0;
    return build_expand_dims(&c->b, v, &axis, 1);
}

/* The result axis of a column times a row. */
static value_id outer(grad_call *c, value_id x, value_id y)
{
    const value_id left = column(c, x);
    return build_binary(&c->b, OP_MUL, left, row(c, y));
}

tn_status grad_dot(grad_call *c)
{
    value_id a = grad_in(c, 0), b = grad_in(c, 1), g = c->g[0];
    uint32_t rank_a = grad_type(c, a)->rank, rank_b = grad_type(c, b)->rank;
    if (rank_a == 2 && rank_b == 2)
        return grad_matmul(c);
    if (rank_a == 1 && rank_b == 1)
        return grad_gives(c, build_binary(&c->b, OP_MUL, g, c->operand == 0 ? b : a));
    if (rank_a == 2)
        return grad_gives(c, c->operand == 0 ? outer(c, g, b) : build_binary(&c->b, OP_DOT, g, a));
    return grad_gives(c, c->operand == 0 ? build_binary(&c->b, OP_DOT, b, g) : outer(c, a, g));
}

/* The convolution's geometry, with strides and padding copied to the derivative. */
static value_id conv_grad(grad_call *c, op_id op, value_id x, value_id y, attr_key shape_key,
                          const type *t)
{
    attr entries[4];
    uint32_t n = 0;
    value_id in[] = {x, y};
    entries[n++] = attr_of_ints(shape_key, t->dims, t->rank);
    for (uint32_t i = 0; i < c->n.attrs->n; i++)
        if (c->n.attrs->at[i].key == KEY_STRIDES || c->n.attrs->at[i].key == KEY_PADDING ||
            c->n.attrs->at[i].key == KEY_PADS)
            entries[n++] = c->n.attrs->at[i];
    return build_node(&c->b, op, in, 2, entries, n);
}

/* Core v1 calls the derivative of Conv2d unsupported, though it could be written. */
tn_status grad_conv2d(grad_call *c)
{
    value_id x = grad_in(c, 0), w = grad_in(c, 1);
    if (c->core_only)
        return c->style->core_conv2d ? grad_core_conv2d(c) : grad_none(c);
    return grad_gives(c, c->operand == 0 ? conv_grad(c, OP_CONV2D_GRAD_INPUT, c->g[0], w,
                                                     KEY_INPUT_SHAPE, grad_type(c, x))
                                         : conv_grad(c, OP_CONV2D_GRAD_FILTER, x, c->g[0],
                                                     KEY_FILTER_SHAPE, grad_type(c, w)));
}

static value_id conv_again(grad_call *c, value_id x, value_id w)
{
    attr entries[3];
    uint32_t n = 0;
    value_id in[] = {x, w};
    for (uint32_t i = 0; i < c->n.attrs->n; i++)
        if (c->n.attrs->at[i].key != KEY_INPUT_SHAPE && c->n.attrs->at[i].key != KEY_FILTER_SHAPE)
            entries[n++] = c->n.attrs->at[i];
    return build_node(&c->b, OP_CONV2D, in, 2, entries, n);
}

/* dx = conv_grad_input(dy, w) is linear in both. */
tn_status grad_conv2d_grad_input(grad_call *c)
{
    value_id dy = grad_in(c, 0), w = grad_in(c, 1);
    return grad_gives(c, c->operand == 0 ? conv_again(c, c->g[0], w)
                                         : conv_grad(c, OP_CONV2D_GRAD_FILTER, c->g[0], dy,
                                                     KEY_FILTER_SHAPE, grad_type(c, w)));
}

/* dw = conv_grad_filter(x, dy) is linear in both. */
tn_status grad_conv2d_grad_filter(grad_call *c)
{
    value_id x = grad_in(c, 0), dy = grad_in(c, 1);
    return grad_gives(c, c->operand == 0 ? conv_grad(c, OP_CONV2D_GRAD_INPUT, dy, c->g[0],
                                                     KEY_INPUT_SHAPE, grad_type(c, x))
                                         : conv_again(c, x, c->g[0]));
}

/* The sum for OUT may be formed in the accumulator of the primal, if that is not narrower. */
static uint32_t accumulate_as(const grad_call *c, tn_dtype out, attr *entry)
{
    const attr *a = attr_find(c->n.attrs, KEY_ACCUM_DTYPE);
    if (!a || dtype_table[a->v.i].bits < dtype_table[out].bits)
        return 0;
    *entry = *a;
    return 1;
}

/* The gradient times the other operand, contracted over the axes that only the other one has. What
 * comes out are the axes batch, free, contracted, the last in the order of the other operand. */
tn_status grad_dot_general(grad_call *c)
{
    bool left = c->operand == 0;
    value_id own = grad_in(c, c->operand), other = grad_in(c, 1 - c->operand), g = c->g[0];
    const type *t = grad_type(c, own), *to = grad_type(c, other), *tg = grad_type(c, g);
    const dot_axes mine = dot_axes_of(c->n.attrs, left, t->rank);
    const dot_axes its = dot_axes_of(c->n.attrs, !left, to->rank);
    int64_t batch_g[TN_MAX_RANK], batch_o[TN_MAX_RANK], sum_g[TN_MAX_RANK], sum_o[TN_MAX_RANK];
    int64_t perm[TN_MAX_RANK];
    for (uint32_t i = 0; i < its.n_batch; i++) {
        batch_g[i] = i;
        batch_o[i] = its.batch[i];
    }
    for (uint32_t i = 0; i < its.n_free; i++) {
        sum_g[i] = mine.n_batch + (left ? mine.n_free : 0) + i;
        sum_o[i] = its.free[i];
    }
    other = build_cast(&c->b, other, tg->dtype);
    attr entries[5];
    uint32_t n = accumulate_as(c, tg->dtype, entries);
    value_id in[] = {g, other};
    entries[n++] = attr_of_ints(KEY_BATCH_LHS, batch_g, its.n_batch);
    entries[n++] = attr_of_ints(KEY_BATCH_RHS, batch_o, its.n_batch);
    entries[n++] = attr_of_ints(KEY_CONTRACT_LHS, sum_g, its.n_free);
    entries[n++] = attr_of_ints(KEY_CONTRACT_RHS, sum_o, its.n_free);
    value_id d = build_node(&c->b, OP_DOT_GENERAL, in, 2, entries, n);
    for (uint32_t i = 0; i < mine.n_batch; i++)
        perm[mine.batch[i]] = i;
    for (uint32_t i = 0; i < mine.n_free; i++)
        perm[mine.free[i]] = mine.n_batch + i;
    for (uint32_t i = 0; i < mine.n_contract; i++) {
        uint32_t before = 0; /* contracted axes of the other operand in front of this one's */
        for (uint32_t k = 0; k < its.n_contract; k++)
            before += its.contract[k] < its.contract[i];
        perm[mine.contract[i]] = mine.n_batch + mine.n_free + before;
    }
    d = build_transpose(&c->b, d, perm, t->rank);
    return grad_gives(c, build_cast(&c->b, d, t->dtype));
}

/* ---- sums of products ---- */

/* A product, and how its axes were exchanged. */
typedef struct product {
    value_id in[2];
    dot_axes side[2];
    const int64_t *perm; /* NULL: not at all */
    attr dtypes[2];      /* of accumulator and result, where the product says them */
    uint32_t n_dtypes;
} product;

static bool is_product(const grad_call *c, value_id g, product *out)
{
    const node *p = node_of(c->b.f, g);
    uint32_t n;
    *out = (product){0};
    if (p->op == OP_TRANSPOSE) {
        out->perm = attr_ints(p->attrs, KEY_PERM, &n);
        p = node_of(c->b.f, p->in[0]);
    }
    if (p->op != OP_DOT_GENERAL)
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        out->in[k] = p->in[k];
        out->side[k] = dot_axes_of(p->attrs, k == 0, grad_type(c, p->in[k])->rank);
    }
    for (uint32_t i = 0; i < p->attrs->n; i++)
        if (p->attrs->at[i].key == KEY_ACCUM_DTYPE || p->attrs->at[i].key == KEY_OUT_DTYPE)
            out->dtypes[out->n_dtypes++] = p->attrs->at[i];
    return true;
}

/* The product that contracts also the axes SUMMED of its batch; they come first, as they mostly do
 * in memory. */
static value_id contract_more(grad_call *c, const product *p, const bool *summed)
{
    int64_t batch[2][TN_MAX_RANK], contract[2][TN_MAX_RANK];
    uint32_t kept = 0, n = p->n_dtypes, more = 0;
    attr entries[6] = {p->dtypes[0], p->dtypes[1]};
    for (uint32_t i = 0; i < p->side[0].n_batch; i++) {
        for (uint32_t k = 0; k < 2; k++)
            (summed[i] ? contract[k] : batch[k])[summed[i] ? more : kept] = p->side[k].batch[i];
        more += summed[i];
        kept += !summed[i];
    }
    for (uint32_t i = 0; i < p->side[0].n_contract; i++, more++)
        for (uint32_t k = 0; k < 2; k++)
            contract[k][more] = p->side[k].contract[i];
    entries[n++] = attr_of_ints(KEY_BATCH_LHS, batch[0], kept);
    entries[n++] = attr_of_ints(KEY_BATCH_RHS, batch[1], kept);
    entries[n++] = attr_of_ints(KEY_CONTRACT_LHS, contract[0], more);
    entries[n++] = attr_of_ints(KEY_CONTRACT_RHS, contract[1], more);
    return build_node(&c->b, OP_DOT_GENERAL, p->in, 2, entries, n);
}

value_id grad_sum_over(grad_call *c, value_id g, const int64_t *axes, uint32_t n)
{
    product p;
    bool summed[TN_MAX_RANK] = {false};
    int64_t left[TN_MAX_RANK], number[TN_MAX_RANK];
    if (c->b.status != TN_OK || g == NO_VALUE)
        return NO_VALUE;
    const uint32_t rank = grad_type(c, g)->rank;
    bool is_batch = has_products(c) && is_product(c, g, &p);
    for (uint32_t i = 0; is_batch && i < n; i++) {
        const int64_t axis = p.perm ? p.perm[axes[i]] : axes[i];
        is_batch = axis < p.side[0].n_batch;
        summed[axis] = true;
    }
    if (!is_batch)
        return build_reduce(&c->b, OP_SUM, g, axes, n, false);
    for (uint32_t i = 0, next = 0; i < rank; i++) {
        number[i] = next;
        next += !summed[i];
    }
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t axis = p.perm ? p.perm[i] : i;
        if (!summed[axis])
            left[n_left++] = number[axis];
    }
    return build_transpose(&c->b, contract_more(c, &p, summed), left, n_left);
}
