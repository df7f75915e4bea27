/* Samples between the elements of an image. */
#ifndef DIALECT_ONNX_OP_SAMPLE_H
#define DIALECT_ONNX_OP_SAMPLE_H

#include "dialect/onnx/ops/op.h"

enum { ONNX_MOST_TAPS = 4, ONNX_MOST_SPATIAL = 3 };

/* One of the elements that a position is made of along one axis. */
typedef struct onnx_tap {
    tn_value at;     /* si64, inside of the axis */
    tn_value weight; /* no value: 1 */
} onnx_tap;

/* Samples of images in rows (onnx_rows_of): each is made of all combinations of the TAPS[N_TAPS] of
 * each of the N axes with these EXTENTS, by their weights, and has their type. */
typedef struct onnx_sampler {
    onnx_call *c;
    tn_value image;
    uint32_t n, n_taps;
    bool largest; /* the largest of the weighted elements, not their sum */
    const int64_t *extents;
    onnx_tap taps[ONNX_MOST_SPATIAL][ONNX_MOST_TAPS];
} onnx_sampler;

/* Positions in an image of type D, in a type that tells its elements apart. */
tn_value onnx_positions_of(onnx_call *c, tn_value positions, tn_dtype d);
/* X[batch, channels, axes...] as rows of channels, one for each place. */
tn_value onnx_rows_of(onnx_call *c, tn_value x);
/* Has C images[batch, channels, height, width] of a known size, *N boxes[*N, 4], and the image that
 * each is in? */
bool onnx_images_and_boxes(onnx_call *c, dim *n);
/* The samples; IMAGE says which image each is in. Positions and images broadcast to the axes of the
 * result, behind which the channels stand. */
tn_value onnx_sampled(const onnx_sampler *s, tn_value image);

#endif
