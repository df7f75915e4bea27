/* What attention is made of, for the operators of ONNX and those of ONNX Runtime. */
#ifndef DIALECT_ONNX_OP_ATTENTION_H
#define DIALECT_ONNX_OP_ATTENTION_H

#include "dialect/onnx/ops/op.h"
#include "forms/forms.h"

/* X[batch, length, heads * width] as [batch, heads, length, width]; X itself with rank 4. Refused,
 * and no value, where HEADS does not divide the width. */
tn_value onnx_in_heads(onnx_call *c, tn_value x, int64_t heads);
/* Back again. */
tn_value onnx_from_heads(onnx_call *c, tn_value x);
/* The first TURNED elements, 0 for all, of each row of X[batch, heads, length, width] rotated by
 * angles that broadcast; neighbours rotate together, or halves. No value when it is refused. */
tn_value onnx_rotated(onnx_call *c, tn_value x, tn_rotary by, int64_t turned, bool neighbours);
/* PAST, a cache with rows along AXIS, with those of UPDATE from the position on that FROM has for
 * each element of the batch; no value: 0. In a RING, rows after the last are the first. */
tn_value onnx_in_cache(onnx_call *c, tn_value past, tn_value update, tn_value from, int64_t axis,
                       bool ring);

#endif
