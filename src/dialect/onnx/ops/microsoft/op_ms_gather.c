/* GatherBlockQuantized of ONNX Runtime: rows of a table of integers with a scale for each block. */
#include "dialect/onnx/ops/op_quantize.h"

enum { BYTE = 8 };

/* Bytes as numbers of BITS bits along the last axis, the low ones first; ui8. */
static tn_value unpacked(onnx_call *c, tn_value bytes, int64_t bits)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, bytes);
    const int64_t per = BYTE / bits;
    dim wide[TN_MAX_RANK + 1];
    if (!t || per == 1)
        return bytes;
    const uint32_t last = t->rank - 1;
    memcpy(wide, t->dims, t->rank * sizeof *wide);
    wide[t->rank] = per;
    const tn_ints shape = {wide, t->rank + 1};
    const tn_value all =
        tn_broadcast(b, tn_expand_dims(b, bytes, TN_INTS((int64_t)t->rank)), shape);
    const tn_value part = tn_iota(b, TN_UI8, shape, (int64_t)t->rank);
    const tn_value down = tn_mul(b, part, tn_scalar_int(b, TN_UI8, bits));
    const tn_value shifted = tn_shift_right_logical(b, all, down);
    const tn_value number = tn_and(b, shifted, tn_scalar_int(b, TN_UI8, (1 << bits) - 1));
    dim dims[TN_MAX_RANK];
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[last] = tn_dim_mul(b, t->dims[last], per);
    return tn_reshape(b, number, (tn_ints){dims, t->rank});
}

typedef struct table {
    int64_t bits, size;  /* of a number; elements of a block */
    int64_t rows, along; /* axes: what positions choose from, and that of the blocks */
    bool is_packed;
} table;

static bool read_table(onnx_call *c, const type *t, const type *s, table *out)
{
    *out = (table){.bits = onnx_attr_int(c, "bits", 4),
                   .size = onnx_attr_int(c, "block_size", 128),
                   .is_packed = t->dtype == TN_UI8};
    if (!onnx_axis(c, onnx_attr_int(c, "gather_axis", 0), t->rank, &out->rows) ||
        !onnx_axis(c, onnx_attr_int(c, "quantize_axis", 1), t->rank, &out->along))
        return false;
    if ((out->bits != 2 && out->bits != 4 && out->bits != BYTE) || out->size < 1 ||
        out->size > INT32_MAX || out->rows == out->along)
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "'bits' is 2, 4 or 8, 'block_size' above 0, and 'gather_axis' is not "
                           "'quantize_axis'");
    if (s->rank != t->rank || t->rank == TN_MAX_RANK)
        return onnx_refuse(c, DIAG_RankMismatch, "blocks need a scale of the tensor's rank");
    if (out->is_packed && out->bits < BYTE && out->along != (int64_t)t->rank - 1)
        return onnx_refuse(c, DIAG_NotImplemented,
                           "numbers share bytes along the last axis, and 'quantize_axis' is "
                           "another");
    return true;
}

bool onnx_op_gather_block_quantized(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0), *u = onnx_in_type(c, 1), *s = onnx_in_type(c, 2);
    table how;
    if (!t || !u || !s || !read_table(c, t, s, &how))
        return false;
    if (t->rank + u->rank > TN_MAX_RANK)
        return onnx_refuse(c, DIAG_RankMismatch, "the rank of the result is too high");
    const uint32_t rows = (uint32_t)how.rows;
    const int64_t along = how.along + (how.along > how.rows ? (int64_t)u->rank - 1 : 0);
    const tn_value i = onnx_positions(c, 1, t->dims[rows]);
    tn_value x = onnx_take_along(c, onnx_in(c, 0), i, rows);
    onnx_quantised q = {.scale = onnx_take_along(c, onnx_in(c, 2), i, rows)};
    if (onnx_has_in(c, 3))
        q.zero = onnx_take_along(c, onnx_in(c, 3), i, rows);
    if (how.is_packed) {
        x = unpacked(c, x, how.bits);
        if (onnx_has_in(c, 3) && how.bits < BYTE) {
            q.zero = tn_slice_axis(b, unpacked(c, q.zero, how.bits), along, 0, s->dims[how.along]);
        } else if (!onnx_has_in(c, 3)) {
            q.zero = tn_scalar_int(b, TN_UI8, 1 << (how.bits - 1));
        }
    }
    const type *v = onnx_type_of(c, x);
    if (!v)
        return false;
    q.scale = onnx_for_blocks(c, q.scale, v, along, how.size);
    if (onnx_has_in(c, 3)) {
        q.zero = onnx_for_blocks(c, q.zero, v, along, how.size);
        if (!onnx_spreads(c, q.zero, onnx_dims(v)))
            return false;
    }
    return onnx_spreads(c, q.scale, onnx_dims(v)) &&
           onnx_give(c, 0, onnx_dequantise(c, x, &q, s->dtype));
}
