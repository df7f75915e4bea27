/* What the files of operators share. */
#ifndef DIALECT_ONNX_OP_H
#define DIALECT_ONNX_OP_H

#include "dialect/onnx/import.h"
#include "scalar/dtype.h"

/* Which of the operators that share a function a row of ops.def is. */
typedef enum onnx_softmax_kind { ONNX_SOFTMAX, ONNX_LOG_SOFTMAX, ONNX_HARDMAX } onnx_softmax_kind;
typedef enum onnx_pool_kind { ONNX_POOL_MAX, ONNX_POOL_AVERAGE, ONNX_POOL_LP } onnx_pool_kind;
typedef enum onnx_reduce_kind {
    ONNX_REDUCE_SUM,
    ONNX_REDUCE_MEAN,
    ONNX_REDUCE_MAX,
    ONNX_REDUCE_MIN,
    ONNX_REDUCE_PROD,
    ONNX_REDUCE_L1,
    ONNX_REDUCE_L2,
    ONNX_REDUCE_LOG_SUM,
    ONNX_REDUCE_LOG_SUM_EXP,
    ONNX_REDUCE_SUM_SQUARE
} onnx_reduce_kind;
typedef enum onnx_window_kind { ONNX_HANN, ONNX_HAMMING, ONNX_BLACKMAN } onnx_window_kind;
typedef enum onnx_cell_kind { ONNX_CELL_RNN, ONNX_CELL_GRU, ONNX_CELL_LSTM } onnx_cell_kind;

#define ONNX(domain, name, first, last, min_in, max_in, max_out, function, arg, known, attributes) \
    onnx_lower_fn onnx_op_##function;                                                              \
    onnx_known_fn onnx_known_##known;
#include "dialect/onnx/ops/ops.def"
#undef ONNX

/* log(1 + exp(x)) */
tn_value onnx_softplus(onnx_call *c, tn_value x);
tn_value onnx_elu(onnx_call *c, tn_value x, double alpha);
/* The root of order P > 1 of a sum of such powers. Where that is 0 the powers have the slope 0, and
 * the root has an infinite one: together they have 0. */
tn_value onnx_root_of_powers(onnx_call *c, tn_value sum, double p);
static inline tn_value onnx_root_of_squares(onnx_call *c, tn_value sum)
{
    return onnx_root_of_powers(c, sum, 2);
}
/* X times BY, X plus BY. */
static inline tn_value onnx_scaled(onnx_call *c, tn_value x, double by)
{
    return by == 1 ? x : tn_mul(c->b, x, tn_scalar_like(c->b, x, by));
}
static inline tn_value onnx_plus(onnx_call *c, tn_value x, double by)
{
    return by == 0 ? x : tn_add(c->b, x, tn_scalar_like(c->b, x, by));
}
/* X in f32 at least: squares and sums are too large for narrower floats. Integers stay. */
static inline tn_value onnx_widened(onnx_call *c, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    const bool is_narrow = t && dtype_is_float(t->dtype) && t->dtype != TN_F64;
    return is_narrow ? tn_cast(c->b, x, TN_F32) : x;
}
/* Y in the type of X. */
static inline tn_value onnx_as_like(onnx_call *c, tn_value y, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    return t ? tn_cast(c->b, y, t->dtype) : y;
}
/* X, at least LOW and at most HIGH. */
static inline tn_value onnx_limited(onnx_call *c, tn_value x, double low, double high)
{
    const tn_value from = tn_scalar_like(c->b, x, low), to = tn_scalar_like(c->b, x, high);
    return tn_clamp(c->b, x, from, to);
}

/* Input K as one integer, or OTHERWISE when it is left out. */
static inline bool onnx_in_int_or(onnx_call *c, uint32_t k, int64_t otherwise, int64_t *out)
{
    *out = otherwise;
    return !onnx_has_in(c, k) || onnx_in_int(c, k, false, out);
}

/* A OP B, where numbers may be negative, too; 1 after a failure, which is reported. */
static inline dim onnx_dim_of(onnx_call *c, dim_op op, dim a, dim b)
{
    const dim d = dim_combine(&c->im->m->types, op, a, b);
    if (d != DIM_NO_MEMORY)
        return d;
    (void)onnx_refuse(c, DIAG_InvalidDimension, "a size is too large");
    return 1;
}
static inline dim onnx_dim_plus(onnx_call *c, dim d, int64_t n)
{
    if (dim_is_symbolic(n)) { /* a number, but not one of those that are no sizes */
        (void)onnx_refuse(c, DIAG_InvalidDimension, "a number is too far below 0");
        return 1;
    }
    return onnx_dim_of(c, DIM_ADD, d, n);
}

/* Bounds of a slice of an axis of EXTENT, counted from the front and clamped as Slice does. */
void onnx_resolve_bounds(int64_t extent, int64_t *start, int64_t *end, int64_t step);
/* Positions counted from the front: I, where that is negative I + EXTENT. */
tn_value onnx_from_front(onnx_call *c, tn_value i, dim extent);
/* The same of input K, for nothing where it is known to hold no negative ones. */
tn_value onnx_positions(onnx_call *c, uint32_t k, dim extent);
/* X with AXIS replaced by the axes of I, which holds positions along it. */
tn_value onnx_take_along(onnx_call *c, tn_value x, tn_value i, uint32_t axis);

/* `[2, 3]`, for messages. */
const char *onnx_shape_text(const onnx_call *c, tn_ints dims);

/* X in the type TO. Floats of 8 bits that are too large, and infinities, become the largest, unless
 * the attribute `saturate` is 0. */
tn_value onnx_as_float(onnx_call *c, tn_value x, tn_dtype to);

/* ---- op_contract.c: no value when it is refused ---- */

/* The product of matrices; vectors are rows on the left and columns on the right. */
tn_value onnx_product(onnx_call *c, tn_value x, tn_value y);
/* alpha * A' * B' + beta * C of the inputs, as the attributes say; integers are not scaled. */
tn_value onnx_gemm(onnx_call *c);

/* ---- op_axes.c ---- */

/* Has input K these extents, when it is given? Refused otherwise. A size that is not a number fits
 * any extent. */
bool onnx_in_fits(onnx_call *c, uint32_t k, tn_ints dims);
/* Does V, an operand, broadcast to these extents, and to no more? Refused otherwise. */
bool onnx_spreads(onnx_call *c, tn_value v, tn_ints dims);

/* V, a list along axis AXIS of a tensor of rank RANK, or one element, in a shape that broadcasts
 * so; V itself with another rank. */
tn_value onnx_along(onnx_call *c, tn_value v, int64_t axis, uint32_t rank);
/* The axes behind batch and channels of a tensor of type T, in ROOM; refuses where there are none.
 */
bool onnx_spatial_axes(onnx_call *c, const type *t, int64_t room[TN_MAX_RANK], tn_ints *axes);
/* X with the axis FROM at the place TO, and the others in their order. */
tn_value onnx_move_axis(onnx_call *c, tn_value x, int64_t from, int64_t to);

#endif
