/* dot_general: sums of products over paired axes, as a matrix product of rearranged operands. */
#include <inttypes.h>

#include "base/memory/checked.h"
#include "eval/kernels/kernels.h"
#include "eval/parts/chain.h"
#include "eval/parts/pieces.h"
#include "eval/parts/scratch.h"
#include "eval/parts/sums.h"
#include "eval/parts/view.h"
#include "ops/dot_axes.h"

enum { ROW_TILE = 64 }; /* rows of results computed per pass over the right operand */

/* An operand with its axes in the order batch, FIRST, SECOND, in the form in which chains run. */
typedef struct operand {
    const char *data;
    int64_t batch, first, second; /* products of extents */
} operand;

/* Returns the product of the axes' extents. One that does not fit is that of an operand without
   elements, of which the result has none either: it counts as 0. */
static int64_t add_axes(const type *t, const uint32_t *axes, uint32_t n, view *v, uint32_t *rank)
{
    int64_t own[TN_MAX_RANK], product;
    const uint32_t first = *rank;
    type_strides(t, own);
    for (uint32_t i = 0; i < n; i++) {
        v->dims[*rank] = t->dims[axes[i]];
        v->strides[(*rank)++] = own[axes[i]];
    }
    return product_i64(v->dims + first, n, &product) ? product : 0;
}

/* The data of T rearranged and converted; where nothing changes, T's own. */
static tn_status operand_init(operand *o, const eval_call *call, const tensor *x, const dot_axes *r,
                              bool contract_first, tn_dtype form)
{
    const type *t = x->type;
    const size_t size = dtype_bytes(t->dtype);
    view order, v;
    uint32_t rank = 0;
    o->batch = add_axes(t, r->batch, r->n_batch, &order, &rank);
    o->first = add_axes(t, contract_first ? r->contract : r->free,
                        contract_first ? r->n_contract : r->n_free, &order, &rank);
    o->second = add_axes(t, contract_first ? r->free : r->contract,
                         contract_first ? r->n_free : r->n_contract, &order, &rank);
    o->data = x->data;
    if (t->count == 0)
        return TN_OK;
    view_init(&v, x->data, size, order.dims, order.strides, rank);
    if (!view_is_dense(&v)) {
        char *moved = scratch_array(call, (size_t)t->count, size);
        if (!moved)
            return eval_no_memory(call);
        TN_TRY(view_read_all(call, &v, t->count, moved));
        o->data = moved;
    }
    if (form != t->dtype) {
        char *wide = scratch_array(call, (size_t)t->count, dtype_bytes(form));
        if (!wide)
            return eval_no_memory(call);
        TN_TRY(eval_cast_all(call, t->dtype, o->data, form, wide, (size_t)t->count));
        o->data = wide;
    }
    return TN_OK;
}

/* One batch: a[m, k] times b[k, n]. */
static tn_status multiply(const eval_call *call, const sums *s, const char *a, const char *b,
                          size_t m, size_t n, size_t k, char *out)
{
    const size_t size = dtype_bytes(s->form);
    for (size_t i = 0; i < m; i += ROW_TILE) {
        const size_t rows = m - i < ROW_TILE ? m - i : ROW_TILE;
        TN_TRY(contract_matrices(call, s->form, a + i * k * size, b, rows, n, k, s->tile));
        sums_deliver(s, out + i * n * dtype_bytes(s->result), rows * n);
    }
    return TN_OK;
}

tn_status eval_dot_general(eval_call *call)
{
    const type *a = call->in[0].type, *b = call->in[1].type, *t = call->out->type;
    const tn_dtype form =
        dtype_compute((tn_dtype)attr_int(call->attrs, KEY_ACCUM_DTYPE, accumulator_of(a->dtype)));
    const size_t size = dtype_bytes(form);
    operand left, right;
    sums s;
    if (t->count == 0)
        return TN_OK;
    const dot_axes l = dot_axes_of(call->attrs, true, a->rank);
    const dot_axes r = dot_axes_of(call->attrs, false, b->rank);
    TN_TRY(operand_init(&left, call, &call->in[0], &l, false, form));
    TN_TRY(operand_init(&right, call, &call->in[1], &r, true, form));
    const size_t m = (size_t)left.first, k = (size_t)left.second, n = (size_t)right.second;
    if (!sums_init(&s, call, m < ROW_TILE ? m : ROW_TILE, n))
        return eval_no_memory(call);
    for (int64_t i = 0; i < left.batch; i++)
        TN_TRY(multiply(call, &s, left.data + (size_t)i * m * k * size,
                        right.data + (size_t)i * k * n * size, m, n, k,
                        (char *)call->out->data + (size_t)i * m * n * dtype_bytes(t->dtype)));
    return TN_OK;
}
