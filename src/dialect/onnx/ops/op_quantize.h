/* Quantised tensors, for the operators on them. */
#ifndef DIALECT_ONNX_OP_QUANTIZE_H
#define DIALECT_ONNX_OP_QUANTIZE_H

#include "dialect/onnx/ops/op.h"

/* How a tensor is quantised: its scale and zero point, which may be no value. */
typedef struct onnx_quantised {
    tn_value scale, zero;
    tn_dtype precision; /* in which it is divided by the scale; 0: in the scale's type */
} onnx_quantised;

/* V, a scale or zero point for each block of SIZE elements along AXIS, for each element of a tensor
 * of type T. */
tn_value onnx_for_blocks(onnx_call *c, tn_value v, const type *t, int64_t axis, int64_t size);
/* saturate(round(x / scale) + zero), in the type D. */
tn_value onnx_quantise(onnx_call *c, tn_value x, const onnx_quantised *q, tn_dtype d);
/* (x - zero) * scale, in the type D. */
tn_value onnx_dequantise(onnx_call *c, tn_value x, const onnx_quantised *q, tn_dtype d);
/* Both operands of a product as integers, where inputs 0 and 1 are floats that were dequantised
 * from integers of 8 bits: those are multiplied, without their zero points, and the sums scaled. */
typedef struct onnx_integer_pair {
    tn_value left, right;             /* si32, without zero points */
    tn_value left_scale, right_scale; /* of one element; the right one also along COLUMN */
} onnx_integer_pair;
/* False where the inputs are something else, or where the result, which is a sum of PRODUCTS
 * products (a symbol: not known how many), could be beyond si32: then floats are multiplied. COLUMN
 * is the axis of input 1 along which results have scales of their own. */
bool onnx_has_integers(onnx_call *c, int64_t column, dim products, onnx_integer_pair *out);
/* SUMS of such products as floats: results have scales of their own along AXIS. */
tn_value onnx_scaled_sums(onnx_call *c, tn_value sums, const onnx_integer_pair *p, int64_t axis);
/* Result 0, which is input 0 with its axes in the order PERM, has the integers of that, too. */
bool onnx_transpose_integers(onnx_call *c, tn_ints perm);

/* The product of inputs 0 and 1, as f32; their scales are the inputs from SCALES on, their zero
 * points those from ZEROS on. */
tn_value onnx_real_product(onnx_call *c, uint32_t scales, uint32_t zeros);
/* For ui8: a scale and a zero point so that 0 and all elements of X lie within the range. */
onnx_quantised onnx_dynamic_range(onnx_call *c, tn_value x);
/* X as si32 without its zero point, which may be no value: of one element, or along AXIS, which may
 * count from the end. No value when it does not fit. */
tn_value onnx_centred(onnx_call *c, tn_value x, tn_value zero, int64_t axis);

#endif
