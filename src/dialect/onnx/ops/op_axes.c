/* Which axes operands lie along. */
#include "dialect/onnx/ops/op.h"

tn_value onnx_along(onnx_call *c, tn_value v, int64_t axis, uint32_t rank)
{
    const type *t = onnx_type_of(c, v);
    dim dims[TN_MAX_RANK];
    if (!t || t->rank != 1)
        return v;
    if (t->dims[0] == 1)
        return tn_reshape(c->b, v, (tn_ints){0});
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? t->dims[0] : 1;
    return tn_reshape(c->b, v, (tn_ints){dims, rank});
}

bool onnx_spatial_axes(onnx_call *c, const type *t, int64_t room[TN_MAX_RANK], tn_ints *axes)
{
    if (t->rank < 3)
        return onnx_refuse(c, DIAG_RankMismatch, "it takes a batch, channels and further axes");
    for (uint32_t i = 2; i < t->rank; i++)
        room[i - 2] = i;
    *axes = (tn_ints){room, t->rank - 2};
    return true;
}

tn_value onnx_move_axis(onnx_call *c, tn_value x, int64_t from, int64_t to)
{
    const type *t = onnx_type_of(c, x);
    int64_t perm[TN_MAX_RANK];
    if (!t || from == to)
        return x;
    for (uint32_t i = 0, next = 0; i < t->rank; i++) {
        if ((int64_t)next == from)
            next++;
        perm[i] = (int64_t)i == to ? from : (int64_t)next++;
    }
    return tn_transpose(c->b, x, (tn_ints){perm, t->rank});
}
