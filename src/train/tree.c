/* The fixed tree that adds leaves. */
#include "train/tree.h"

#include <string.h>

#include "tenon/train.h"

/* Elements that are added at once, so that a tree of chunks stays in the cache; bytes of one. */
enum { CHUNK = 512, MOST_BYTES = 8 };

bool tree_adds(tn_dtype d)
{
    return d < TN_DTYPE_COUNT && d != TN_SI4 && d != TN_UI4 &&
           (dtype_is_float(d) || dtype_is_int(d));
}

#define ADD(name, type)                                                                            \
    static void name(void *x, const void *y, size_t n)                                             \
    {                                                                                              \
        type *to = x;                                                                              \
        const type *from = y;                                                                      \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = (type)(to[i] + from[i]);                                                       \
    }
ADD(add_f32, float)
ADD(add_f64, double)
ADD(add_8, uint8_t)
ADD(add_16, uint16_t)
ADD(add_32, uint32_t)
ADD(add_64, uint64_t)
#undef ADD

/* Floats that are computed in f32. */
static void add_narrow(tn_dtype d, char *x, const char *y, size_t n)
{
    float left[CHUNK], right[CHUNK];
    const size_t size = dtype_bytes(d);
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t m = n - at < CHUNK ? n - at : CHUNK;
        (void)tn_dtype_convert(d, x + at * size, TN_F32, left, m);
        (void)tn_dtype_convert(d, y + at * size, TN_F32, right, m);
        add_f32(left, right, m);
        (void)tn_dtype_convert(TN_F32, left, d, x + at * size, m);
    }
}

void tree_add(tn_dtype d, void *x, const void *y, size_t n)
{
    if (d == TN_F32)
        add_f32(x, y, n);
    else if (d == TN_F64)
        add_f64(x, y, n);
    else if (dtype_is_float(d))
        add_narrow(d, x, y, n);
    else if (dtype_bytes(d) == 1)
        add_8(x, y, n);
    else if (dtype_bytes(d) == 2)
        add_16(x, y, n);
    else if (dtype_bytes(d) == 4)
        add_32(x, y, n);
    else
        add_64(x, y, n);
}

typedef struct chunk {
    _Alignas(64) char at[CHUNK * MOST_BYTES];
} chunk;

/* The sum of a chunk of N elements, BEGIN bytes behind each leaf. The right part has at most half
 * of the leaves, or one less than the left: the depth is that of the tree, at most 64. */
static void sum_chunk(tn_dtype d, const void *const *leaves, size_t n_leaves, size_t begin,
                      size_t n, chunk *out)
{
    if (n_leaves == 1) {
        memcpy(out->at, (const char *)leaves[0] + begin, n * dtype_bytes(d));
        return;
    }
    size_t left = 1;
    while (left * 2 < n_leaves)
        left *= 2;
    chunk right;
    sum_chunk(d, leaves, left, begin, n, out);
    sum_chunk(d, leaves + left, n_leaves - left, begin, n, &right);
    tree_add(d, out->at, right.at, n);
}

tn_status tn_reduce_tree(tn_dtype dtype, const void *const *leaves, size_t n_leaves, size_t n,
                         void *sum)
{
    if (n_leaves == 0 || !tree_adds(dtype))
        return TN_ERR_USAGE;
    const size_t size = dtype_bytes(dtype);
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t m = n - at < CHUNK ? n - at : CHUNK;
        chunk out;
        sum_chunk(dtype, leaves, n_leaves, at * size, m, &out);
        memcpy((char *)sum + at * size, out.at, m * size);
    }
    return TN_OK;
}
