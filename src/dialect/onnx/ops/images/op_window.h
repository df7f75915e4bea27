/* Sliding windows, for convolutions and pooling. */
#ifndef DIALECT_ONNX_OP_WINDOW_H
#define DIALECT_ONNX_OP_WINDOW_H

#include "dialect/onnx/ops/op.h"

/* How windows move over the last N axes of a tensor. */
typedef struct onnx_windows {
    uint32_t n;
    int64_t kernel[TN_MAX_RANK], strides[TN_MAX_RANK], dilations[TN_MAX_RANK]; /* numbers */
    dim extents[TN_MAX_RANK];                                                  /* of those axes */
    dim low[TN_MAX_RANK], high[TN_MAX_RANK];
    dim padding[TN_MAX_RANK]; /* HIGH without what `ceil_mode` changes */
    dim out[TN_MAX_RANK];     /* how many there are */
} onnx_windows;

/* Read `kernel_shape`, which W.kernel holds already where HAS_KERNEL, strides, dilations, pads and
 * auto_pad for a tensor of type T. */
bool onnx_read_windows(onnx_call *c, const type *t, bool has_kernel, onnx_windows *w);
/* Are the last N extents of T numbers? Refused otherwise. */
bool onnx_need_extents(onnx_call *c, const type *t, uint32_t n);
/* The list NAME with an entry for each of N axes, OTHERWISE when it is left out; entries from LEAST
 * on. */
bool onnx_window_list(onnx_call *c, const char *name, uint32_t n, int64_t otherwise, int64_t least,
                      int64_t *out);
/* Numbers for the first OFFSET axes and then those of AT. */
tn_ints onnx_for_all_axes(int64_t *room, uint32_t offset, int64_t first, const int64_t *at,
                          uint32_t n);

/* The windows of a filter of type U for a tensor of type T; `kernel_shape` may say them, too. */
bool onnx_read_kernel(onnx_call *c, const type *t, const type *u, onnx_windows *w);
/* The means and the maxima of windows of X, as the attributes of the node say. No value when it was
 * refused. */
tn_value onnx_averaged(onnx_call *c, tn_value x);
tn_value onnx_max_pooled(onnx_call *c, tn_value x);
/* Y plus the bias in input K, where it is there, one for each channel. */
bool onnx_give_with_bias(onnx_call *c, tn_value y, uint32_t k);
/* The convolution of X with the filter F, as the attributes of the node say; SUMS: the type of the
 * sums and of the result, or TN_DTYPE_DEFAULT. No value when it was refused. */
tn_value onnx_convolved(onnx_call *c, tn_value x, tn_value f, tn_dtype sums);

#endif
