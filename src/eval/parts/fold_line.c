/* Lanes, blocks and the tree over blocks, for one line. */
#include "eval/parts/fold_line.h"

#include <string.h>

enum {
    ELEMENT = 16, /* bytes of the widest */
    LEVELS = 64   /* of a tree over as many blocks as can be counted */
};

/* N elements, 1 .. SUM_BLOCK of them, to the first of LANES. */
static void fold_block(fold_kind kind, tn_dtype d, const char *x, size_t n, char *lanes)
{
    const size_t size = dtype_bytes(d);
    size_t used = n < SUM_LANES ? n : SUM_LANES;
    memcpy(lanes, x, used * size);
    for (size_t j = SUM_LANES; j < n; j += SUM_LANES)
        fold_rows(kind, d, lanes, x + j * size, n - j < SUM_LANES ? n - j : SUM_LANES);
    for (size_t half = SUM_LANES / 2; half > 0; half /= 2)
        if (used > half) {
            fold_rows(kind, d, lanes, lanes + half * size, used - half);
            used = half;
        }
}

tn_status fold_line(const eval_call *call, fold_kind kind, tn_dtype d, tn_dtype out, const void *x,
                    int64_t n, void *result)
{
    _Alignas(16) char lanes[SUM_LANES * ELEMENT];
    _Alignas(16) char stack[LEVELS * ELEMENT]; /* roots of complete subtrees, larger ones first */
    const size_t size = dtype_bytes(d);
    const char *from = x;
    uint64_t blocks = 0;
    size_t top = 0;

    if (n == 0) {
        fold_empty(kind, d, out, result);
        return TN_OK;
    }
    while (n > 0) {
        const size_t count = n < SUM_BLOCK ? (size_t)n : SUM_BLOCK;
        TN_TRY(eval_tick(call, count));
        fold_block(kind, d, from, count, lanes);
        memcpy(stack + top++ * size, lanes, size);
        for (uint64_t b = blocks++; b & 1; b >>= 1, top--)
            fold_rows(kind, d, stack + (top - 2) * size, stack + (top - 1) * size, 1);
        from += count * size;
        n -= (int64_t)count;
    }
    for (; top > 1; top--)
        fold_rows(kind, d, stack + (top - 2) * size, stack + (top - 1) * size, 1);
    if (kind == FOLD_MAX || kind == FOLD_MIN) {
        fold_empty(kind, d, out, lanes);
        fold_rows(kind, d, stack, lanes, 1);
    }
    memcpy(result, stack, size);
    return TN_OK;
}

fold_kind fold_kind_of(int64_t combine)
{
    static const uint8_t kinds[] = {
        [COMBINE_ADD] = FOLD_SUM,         [COMBINE_MUL] = FOLD_PROD,
        [COMBINE_MAX] = FOLD_MAX,         [COMBINE_MIN] = FOLD_MIN,
        [COMBINE_MAX_NAN] = FOLD_MAX_NAN, [COMBINE_MIN_NAN] = FOLD_MIN_NAN,
        [COMBINE_REPLACE] = FOLD_SUM};
    return (fold_kind)kinds[combine];
}
