/* Matrix products: dot and matmul. */
#include <inttypes.h>

#include "base/memory/checked.h"
#include "eval/kernels/kernels.h"
#include "eval/parts/chain.h"
#include "eval/parts/pieces.h"
#include "eval/parts/view.h"
#include "ops/rules/rules.h"

enum { ROW_TILE = 64 }; /* rows of results computed per pass over the right operand */

/* Row-major a[m, k] times b[k, n]. */
typedef struct product {
    tn_dtype dtype, sum; /* of the elements, of the chains */
    size_t m, n, k;
    /* Scratch where the dtypes differ: the operands and a tile of results, converted to `sum`. */
    char *wide_a, *wide_b, *tile;
} product;

static bool product_init(product *p, tn_dtype dtype, int64_t m, int64_t n, int64_t k, arena *memory)
{
    *p = (product){.dtype = dtype,
                   .sum = accumulator_of(dtype),
                   .m = (size_t)m,
                   .n = (size_t)n,
                   .k = (size_t)k};
    if (p->sum == dtype)
        return true;
    const size_t size = dtype_bytes(p->sum);
    size_t a, b, tile;
    if (!mul_size(p->m * p->k, size, &a) || !mul_size(p->k * p->n, size, &b) ||
        !mul_size(p->n, ROW_TILE * size, &tile))
        return false;
    p->wide_a = arena_alloc_aligned(memory, a, 64);
    p->wide_b = arena_alloc_aligned(memory, b, 64);
    p->tile = arena_alloc_aligned(memory, tile, 64);
    return p->wide_a && p->wide_b && p->tile;
}

static tn_status product_run(const product *p, const eval_call *call, const char *a, const char *b,
                             char *out)
{
    const size_t size = dtype_bytes(p->sum), stored = dtype_bytes(p->dtype);
    const bool widen = p->sum != p->dtype;
    if (widen) {
        TN_TRY(eval_widen(call, p->dtype, a, p->wide_a, p->m * p->k));
        TN_TRY(eval_widen(call, p->dtype, b, p->wide_b, p->k * p->n));
        a = p->wide_a;
        b = p->wide_b;
    }
    for (size_t i = 0; i < p->m; i += ROW_TILE) {
        const size_t rows = p->m - i < ROW_TILE ? p->m - i : ROW_TILE;
        char *to = out + i * p->n * stored;
        TN_TRY(contract_matrices(call, p->sum, a + i * p->k * size, b, rows, p->n, p->k,
                                 widen ? p->tile : to));
        /* Rounds once, or wraps 4-bit integers. */
        if (widen || dtype_table[p->dtype].bits < 8)
            dtype_narrow(p->dtype, widen ? p->tile : to, to, rows * p->n);
    }
    return TN_OK;
}

tn_status eval_dot(eval_call *call)
{
    const type *a = call->in[0].type, *b = call->in[1].type;
    product p;
    if (call->out->type->count == 0)
        return TN_OK;
    if (!product_init(&p, a->dtype, a->rank == 2 ? a->dims[0] : 1, b->rank == 2 ? b->dims[1] : 1,
                      b->dims[0], call->scratch))
        return eval_no_memory(call);
    return product_run(&p, call, call->in[0].data, call->in[1].data, call->out->data);
}

/* Where the matrices of operand T lie, in matrices, for each matrix of the result. */
static void batch_view(view *v, const type *t, const type *out)
{
    int64_t strides[TN_MAX_RANK], stride = 1;
    const uint32_t rank = out->rank - 2, missing = out->rank - t->rank;
    for (uint32_t i = rank; i-- > 0;) {
        const int64_t d = i < missing ? 1 : t->dims[i - missing];
        strides[i] = d == 1 ? 0 : stride;
        stride *= d;
    }
    view_init(v, NULL, 1, out->dims, strides, rank);
}

tn_status eval_matmul(eval_call *call)
{
    const type *a = call->in[0].type, *b = call->in[1].type, *out = call->out->type;
    const size_t size = dtype_bytes(out->dtype);
    view at_a, at_b;
    product p;
    if (out->count == 0)
        return TN_OK;
    if (!product_init(&p, a->dtype, a->dims[a->rank - 2], b->dims[b->rank - 1],
                      b->dims[b->rank - 2], call->scratch))
        return eval_no_memory(call);
    batch_view(&at_a, a, out);
    batch_view(&at_b, b, out);
    const int64_t batches = out->count / (int64_t)(p.m * p.n);
    for (int64_t i = 0; i < batches; i++)
        TN_TRY(product_run(
            &p, call,
            (const char *)call->in[0].data + (size_t)view_offset(&at_a, i) * p.m * p.k * size,
            (const char *)call->in[1].data + (size_t)view_offset(&at_b, i) * p.k * p.n * size,
            (char *)call->out->data + (size_t)i * p.m * p.n * size));
    return TN_OK;
}
