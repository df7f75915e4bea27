/* Resizing one axis after the other. */
#ifndef DIALECT_ONNX_OP_RESIZE_H
#define DIALECT_ONNX_OP_RESIZE_H

#include <math.h>

#include "dialect/onnx/ops/op.h"

typedef enum interpolation { NEAREST, LINEAR, CUBIC } interpolation;
typedef enum coordinates {
    HALF_PIXEL,
    HALF_PIXEL_SYMMETRIC,
    PYTORCH_HALF_PIXEL,
    ALIGN_CORNERS,
    ASYMMETRIC,
    TF_CROP,
    TF_HALF_PIXEL_NN
} coordinates;
typedef enum rounding { PREFER_FLOOR, PREFER_CEIL, FLOOR, CEIL } rounding;

typedef struct resizing {
    interpolation how;
    coordinates from;
    rounding nearest;
    bool exclude_outside, antialias;
    double cubic, outside;
} resizing;

/* One axis: from N elements to M, which may be sizes. */
typedef struct axis_resize {
    uint32_t axis;
    dim n, m;
    double scale, length; /* the extent of the result before it is made whole */
    bool repeats;         /* each element SCALE times */
    double first, last;   /* of the part that TF_CROP takes */
} axis_resize;

/* X, which comes from a scale that was rounded to f32 and may have been meant to be a whole number:
 * 5 * 1.4f is a bit less than 7. */
static inline double onnx_as_f32(double x)
{
    return fabs(x) < 0x1p20 ? (double)(float)x : x;
}

/* Does an axis of any extent become TIMES as long by its elements being repeated? */
bool onnx_only_repeats(const resizing *r, int64_t times);
/* X with the axis A, where N or M is a size, resized; a scale of 0 is M / N. */
tn_value onnx_resize_sized(onnx_call *c, tn_value x, const resizing *r, const axis_resize *a);
/* Result 0 is input 0 with the N axes of LIST resized. */
bool onnx_give_resized(onnx_call *c, const resizing *r, const axis_resize *list, uint32_t n);

#endif
