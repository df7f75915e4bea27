/* What operators with graphs inside share. */
#ifndef DIALECT_ONNX_OP_FLOW_H
#define DIALECT_ONNX_OP_FLOW_H

#include "dialect/onnx/ops/op.h"

/* X, one element of any shape, as a scalar of type D. */
tn_value onnx_scalar(onnx_call *c, tn_value x, tn_dtype d);
/* Is input K, unless it is left out, one element of type D? Refused unless. */
bool onnx_in_is_one(onnx_call *c, uint32_t k, tn_dtype d);
/* The graph that the attribute NAME holds; NULL, refused, when there is none. */
const onnx_graph *onnx_inner_graph(onnx_call *c, const char *name);
/* The data of the N VALUES, which are tensors, where the builder stands. */
bool onnx_all_data(onnx_call *c, onnx_value *values, uint32_t n, tn_value *out);
/* Room for a sequence of N elements, which becomes result K; NULL, reported, without memory and
 * beyond the limit on elements. */
onnx_value *onnx_new_items(onnx_call *c, uint32_t k, uint32_t n);
/* Room for N entries in the reader's memory; one more, so that it is never empty. */
tn_value *onnx_room(onnx_call *c, uint32_t n);
/* Do the types of GOT, of which each is the WHAT, fit those of WANTED? Refused unless. */
bool onnx_same_types(onnx_call *c, const char *what, const tn_value *got, const tn_value *wanted,
                     uint32_t n);

#endif
