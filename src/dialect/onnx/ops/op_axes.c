/* Which axes operands lie along, and whether their shapes fit. */
#include <inttypes.h>

#include "dialect/onnx/ops/op.h"

const char *onnx_shape_text(const onnx_call *c, tn_ints dims)
{
    return dims_text(&c->im->memory, &c->im->m->types, dims.at, (uint32_t)dims.n);
}

static bool are_numbers(dim a, dim b)
{
    return !dim_is_symbolic(a) && !dim_is_symbolic(b);
}

bool onnx_in_fits(onnx_call *c, uint32_t k, tn_ints dims)
{
    const type *t = onnx_in_type(c, k);
    if (!t)
        return !onnx_has_in(c, k);
    if (t->rank != dims.n)
        return onnx_refuse(c, DIAG_RankMismatch,
                           "input %" PRIu32 " is of rank %" PRIu32 ", not %zu", k, t->rank, dims.n);
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] != dims.at[i] && are_numbers(t->dims[i], dims.at[i]))
            return onnx_refuse(c, DIAG_DimensionMismatch,
                               "input %" PRIu32 " has the shape %s, not %s", k,
                               onnx_shape_text(c, onnx_dims(t)), onnx_shape_text(c, dims));
    return true;
}

bool onnx_spreads(onnx_call *c, tn_value v, tn_ints dims)
{
    const type *t = onnx_type_of(c, v);
    if (!t)
        return false;
    bool ok = t->rank <= dims.n;
    for (uint32_t i = 1; ok && i <= t->rank; i++) {
        const dim have = t->dims[t->rank - i], want = dims.at[dims.n - i];
        ok = have == want || have == 1 || !are_numbers(have, want);
    }
    return ok || onnx_refuse(c, DIAG_DimensionMismatch,
                             "an operand of the shape %s does not broadcast to %s",
                             onnx_shape_text(c, onnx_dims(t)), onnx_shape_text(c, dims));
}

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
        return onnx_refuse(c, DIAG_RankMismatch,
                           "it takes a batch, channels and further axes, not rank %" PRIu32,
                           t->rank);
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
