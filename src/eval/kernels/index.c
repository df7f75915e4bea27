/* Elements at positions given by numbers: index, take, scatter_rows. Positions never wrap. */
#include <inttypes.h>
#include <string.h>

#include "base/memory/checked.h"
#include "eval/kernels/kernels.h"
#include "eval/parts/fold.h"
#include "eval/parts/pieces.h"
#include "eval/parts/positions.h"
#include "ops/rules/rules.h"

tn_status eval_index(eval_call *call)
{
    const type *t = call->in[0].type;
    const size_t size = dtype_bytes(t->dtype);
    int64_t strides[TN_MAX_RANK], offset = 0;
    uint32_t n;
    const int64_t *at = attr_ints(call->attrs, KEY_INDICES, &n);
    type_strides(t, strides);
    for (uint32_t i = 0; i < n; i++)
        if (at[i] < 0 || at[i] >= t->dims[i])
            return position_out_of_bounds(call, at[i], i, t);
    for (uint32_t i = 0; i < n; i++)
        offset += at[i] * strides[i];
    memcpy(call->out->data, (const char *)call->in[0].data + (size_t)offset * size, size);
    return TN_OK;
}

/* Elements of one row: the extents after the first. */
static int64_t row_elements(const type *t)
{
    int64_t n = 1;
    for (uint32_t i = 1; i < t->rank; i++)
        n *= t->dims[i];
    return n;
}

tn_status eval_take(eval_call *call)
{
    const type *t = call->in[0].type;
    const size_t row =
        call->out->type->count > 0 ? (size_t)row_elements(t) * dtype_bytes(t->dtype) : 0;
    const char *from = call->in[0].data;
    char *to = call->out->data;
    for (int64_t k = 0; k < call->in[1].type->count; k++) {
        const int64_t at = position_at(&call->in[1], k);
        TN_TRY(eval_tick(call, 1));
        if (at < 0 || at >= t->dims[0])
            return position_out_of_bounds(call, at, 0, t);
        if (row)
            TN_TRY(eval_copy_bytes(call, to + (size_t)k * row, from + (size_t)at * row, row));
    }
    return TN_OK;
}

/* Zeros of the accumulator dtype, rows added in the order of the indices, rounded at the end. */
tn_status eval_scatter_rows(eval_call *call)
{
    const type *t = call->out->type;
    const tn_dtype dtype = t->dtype, sum = accumulator_of(dtype);
    const size_t size = dtype_bytes(sum), count = (size_t)t->count;
    const int64_t n_rows = call->in[1].type->count;
    char *sums = call->out->data;
    size_t bytes;

    for (int64_t k = 0; k < n_rows; k++) {
        const int64_t at = position_at(&call->in[1], k);
        TN_TRY(eval_tick(call, 1));
        if (at < 0 || at >= t->dims[0])
            return position_out_of_bounds(call, at, 0, t);
    }
    if (count == 0)
        return TN_OK;
    if (!mul_size(count, size, &bytes))
        return eval_no_memory(call);
    const size_t row = (size_t)row_elements(t);
    char *wide = NULL;
    if (sum != dtype) {
        sums = arena_alloc_aligned(call->scratch, bytes, 64);
        wide = arena_alloc_aligned(call->scratch, row * size, 64);
        if (!sums || !wide)
            return eval_no_memory(call);
    }
    TN_TRY(eval_clear_bytes(call, sums, bytes));
    for (int64_t k = 0; k < n_rows; k++) {
        const char *g = (const char *)call->in[0].data + (size_t)k * row * dtype_bytes(dtype);
        TN_TRY(eval_tick(call, 1 + row));
        if (wide) {
            (void)dtype_cast(dtype, g, sum, wide, row);
            g = wide;
        }
        fold_rows(FOLD_SUM, sum, sums + (size_t)position_at(&call->in[1], k) * row * size, g, row);
    }
    return wide ? eval_cast_all(call, sum, sums, dtype, call->out->data, count)
                : eval_narrow(call, dtype, sums, sums, count); /* 4-bit integers wrap */
}
