/* Products with weights of few bits (domain com.microsoft). */
#include "dialect/onnx/ops/op.h"

/* ---- weights in blocks of few bits ---- */

enum { MOST_BITS = 8 };

/* Bytes [n, columns] as numbers of BITS bits [n * 8 / BITS, columns], the low ones first; i32. */
static tn_value unpacked(onnx_call *c, tn_value bytes, int64_t bits, int64_t n, int64_t columns)
{
    tn_builder *b = c->b;
    const int64_t per = MOST_BITS / bits;
    const tn_value wide = tn_cast(b, bytes, TN_SI32);
    if (per == 1)
        return wide;
    const tn_ints shape = TN_INTS(n, per, columns);
    const tn_value part = tn_iota(b, TN_SI32, TN_INTS(1, per, 1), 1);
    const tn_value down =
        tn_broadcast(b, tn_mul(b, part, tn_scalar_like(b, part, (double)bits)), shape);
    const tn_value all = tn_broadcast(b, tn_expand_dims(b, wide, TN_INTS(1)), shape);
    const tn_value most = tn_scalar_like(b, all, (1 << bits) - 1);
    const tn_value number = tn_and(b, tn_shift_right_logical(b, all, down), most);
    return tn_reshape(b, number, TN_INTS(n * per, columns));
}

typedef struct blocks {
    int64_t k, n, bits, size, count; /* rows and columns of the matrix; elements, blocks a column */
} blocks;

static bool read_blocks(onnx_call *c, blocks *s)
{
    *s = (blocks){onnx_attr_int(c, "K", 0), onnx_attr_int(c, "N", 0), onnx_attr_int(c, "bits", 4),
                  onnx_attr_int(c, "block_size", 0), 0};
    if (s->k < 1 || s->n < 1 || s->k > INT32_MAX || s->n > INT32_MAX || s->size < 8 ||
        s->size > INT32_MAX || (s->bits != 2 && s->bits != 4 && s->bits != 8))
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "'K', 'N' and 'block_size' are numbers of elements, and 'bits' 2, 4 or "
                           "8");
    s->count = (s->k + s->size - 1) / s->size;
    const type *t = onnx_in_type(c, 1);
    return (t && t->count == s->n * s->count * (s->size * s->bits / 8)) ||
           onnx_refuse(c, DIAG_DimensionMismatch, "the weights are not 'N' columns of blocks");
}

/* Input I, which is [n, k] in memory, as [k, n]. */
static tn_value transposed_matrix(onnx_call *c, uint32_t i, int64_t n, int64_t k)
{
    return tn_transpose(c->b, tn_reshape(c->b, onnx_in(c, i), TN_INTS(n, k)), TN_INTS(1, 0));
}

/* Zero points, one for each block, as D: [count, 1, n]. */
static tn_value block_zeros(onnx_call *c, const blocks *s, tn_dtype d)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 3);
    if (!t)
        return tn_scalar(b, d, 1 << (s->bits - 1));
    tn_value all;
    if (dtype_is_float(t->dtype)) {
        all = transposed_matrix(c, 3, s->n, s->count);
    } else {
        const int64_t bytes = (s->count * s->bits + 7) / 8, per = 8 / s->bits;
        all = unpacked(c, transposed_matrix(c, 3, s->n, bytes), s->bits, bytes, s->n);
        if (bytes * per != s->count)
            all = tn_slice_axis(b, all, 0, 0, s->count);
    }
    return tn_expand_dims(b, tn_cast(b, all, d), TN_INTS(1));
}

/* X, of each block [count, 1, n], for the rows of the matrix [k, n]: input 4 says which is whose.
 */
static tn_value of_rows(onnx_call *c, const blocks *s, tn_value x)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x), *u = onnx_in_type(c, 4);
    if (!t || !u || t->rank == 0)
        return x;
    const tn_value flat = tn_squeeze(b, x, TN_INTS(1));
    tn_value groups = onnx_in(c, 4);
    if (u->rank == 1 && u->dims[0] == s->count * s->size && u->dims[0] != s->k)
        groups = tn_slice_axis(b, groups, 0, 0, s->k);
    return tn_take(b, flat, groups);
}

/* The numbers of the weights [count * size, n] as elements of D. */
static tn_value in_order(onnx_call *c, const blocks *s, tn_value numbers, tn_dtype d)
{
    tn_builder *b = c->b;
    const tn_value zero = block_zeros(c, s, d);
    const tn_value given = tn_cast(b, transposed_matrix(c, 2, s->n, s->count), d);
    const tn_value scale = tn_expand_dims(b, given, TN_INTS(1));
    const bool cut = s->count * s->size != s->k;
    if (onnx_has_in(c, 4)) {
        const tn_value rows = cut ? tn_slice_axis(b, numbers, 0, 0, s->k) : numbers;
        const tn_value centred = tn_sub(b, rows, of_rows(c, s, zero));
        return tn_mul(b, centred, of_rows(c, s, scale));
    }
    const tn_value in_blocks = tn_reshape(b, numbers, TN_INTS(s->count, s->size, s->n));
    const tn_value scaled = tn_mul(b, tn_sub(b, in_blocks, zero), scale);
    const tn_value all = tn_reshape(b, scaled, TN_INTS(s->count * s->size, s->n));
    return cut ? tn_slice_axis(b, all, 0, 0, s->k) : all;
}

/* A times the matrix whose columns stand in input 1, in blocks with a scale each. */
bool onnx_op_matmul_nbits(onnx_call *c)
{
    tn_builder *b = c->b;
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    blocks s;
    if (!t || !read_blocks(c, &s))
        return false;
    const int64_t bytes = s.count * (s.size * s.bits / 8);
    const tn_value packed = transposed_matrix(c, 1, s.n, bytes);
    const tn_value numbers = tn_cast(b, unpacked(c, packed, s.bits, bytes, s.n), t->dtype);
    const tn_value w = in_order(c, &s, numbers, t->dtype);
    tn_value y = tn_cast(b, tn_matmul(b, x, w), t->dtype);
    if (onnx_has_in(c, 5))
        y = tn_add(b, y, onnx_in(c, 5));
    return onnx_give(c, 0, y);
}

/* ---- weights of 4 bits that number the floats of a table ---- */

/* What bitsandbytes calls fp4 and nf4. */
static const float tables[2][16] = {
    {0, 0.005208333333F, 2.0F / 3, 1, 1.0F / 3, 0.5F, 1.0F / 6, 0.25F, -0.0F, -0.005208333333F,
     -2.0F / 3, -1, -1.0F / 3, -0.5F, -1.0F / 6, -0.25F},
    {-1, -0.6961928009986877F, -0.5250730514526367F, -0.39491748809814453F, -0.28444138169288635F,
     -0.18477343022823334F, -0.09105003625154495F, 0, 0.07958029955625534F, 0.16093020141124725F,
     0.24611230194568634F, 0.33791524171829224F, 0.44070982933044434F, 0.5626170039176941F,
     0.7229568362236023F, 1}};

/* COUNT numbers of 4 bits, of which the high ones of a byte come first. */
static tn_value halves(onnx_call *c, tn_value bytes, int64_t count)
{
    tn_builder *b = c->b;
    const int64_t n = (count + 1) / 2;
    const tn_value all = tn_reshape(b, tn_cast(b, bytes, TN_SI32), TN_INTS(n, 1));
    const tn_value four = tn_broadcast(b, tn_scalar_int(b, TN_SI32, 4), TN_INTS(n, 1));
    const tn_value high = tn_shift_right_logical(b, all, four);
    const tn_value low = tn_and(b, all, tn_scalar_int(b, TN_SI32, 15));
    const tn_value both = tn_reshape(b, tn_concat(b, TN_VALUES(high, low), 1), TN_INTS(2 * n));
    return count % 2 ? tn_slice_axis(b, both, 0, 0, count) : both;
}

/* A times the transpose of input 1, or as transB = 0 says that itself. */
bool onnx_op_matmul_bnb4(onnx_call *c)
{
    tn_builder *b = c->b;
    const tn_value x = onnx_in(c, 0);
    const type *t = onnx_type_of(c, x);
    const int64_t k = onnx_attr_int(c, "K", 0), n = onnx_attr_int(c, "N", 0);
    const int64_t size = onnx_attr_int(c, "block_size", 0),
                  kind = onnx_attr_int(c, "quant_type", 1);
    if (!t)
        return false;
    if (k < 1 || n < 1 || size < 1 || k > INT32_MAX || n > INT32_MAX || size > INT32_MAX ||
        kind < 0 || kind > 1)
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "'K', 'N' and 'block_size' are numbers of elements, and 'quant_type' 0 "
                           "or 1");
    const int64_t count = k * n, n_blocks = (count + size - 1) / size;
    if (!onnx_in_fits(c, 1, TN_INTS((count + 1) / 2)) || !onnx_in_fits(c, 2, TN_INTS(n_blocks)))
        return false;
    const tn_value numbers = halves(c, onnx_in(c, 1), count);
    const tn_value table = tn_cast(b, tn_constant(b, TN_F32, TN_INTS(16), tables[kind]), t->dtype);
    tn_value w = tn_take(b, table, numbers);
    if (n_blocks * size != count)
        w = tn_pad(b, w, TN_INTS(0), TN_INTS(n_blocks * size - count), TN_INTS(0), 0);
    const tn_value scale = tn_expand_dims(b, tn_cast(b, onnx_in(c, 2), t->dtype), TN_INTS(1));
    w = tn_mul(b, tn_reshape(b, w, TN_INTS(n_blocks, size)), scale);
    w = tn_reshape(b, w, TN_INTS(n_blocks * size));
    if (n_blocks * size != count)
        w = tn_slice_axis(b, w, 0, 0, count);
    w = onnx_attr_int(c, "transB", 1)
            ? tn_transpose(b, tn_reshape(b, w, TN_INTS(n, k)), TN_INTS(1, 0))
            : tn_reshape(b, w, TN_INTS(k, n));
    return onnx_give(c, 0, tn_cast(b, tn_matmul(b, x, w), t->dtype));
}
