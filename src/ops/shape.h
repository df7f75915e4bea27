/* Arithmetic on shapes: what attributes mean for given operand shapes. Used by the type rules, the
 * kernels and the passes that normalise attributes, so that all three agree.
 *
 * Nothing here reports: a shape_fault says what is wrong and where, and the type rules turn it into
 * a diagnostic. Attribute values are untrusted; every function takes any numbers. */
#ifndef OPS_SHAPE_H
#define OPS_SHAPE_H

#include "graph/attr.h"

typedef enum shape_fault_kind {
    SHAPE_OK = 0,
    SHAPE_AXIS_RANGE, /* entry `at` has the value `value` */
    SHAPE_AXIS_TWICE, /* entry `at` repeats an earlier one */
    SHAPE_RANK_LIMIT, /* the rank would exceed TN_MAX_RANK */
    SHAPE_EXTENT,     /* entry `at` is no possible extent, or the second -1 */
    SHAPE_COUNT,      /* another number of elements */
    SHAPE_LENGTH,     /* a list has the wrong number of entries */
    SHAPE_MISMATCH,   /* the extents at `at` do not go together */
    SHAPE_STEP,       /* entry `at` is a step of 0 */
    SHAPE_CHANNELS,   /* convolution: channels of input and filter differ */
    SHAPE_STRIDES,    /* convolution: not two positive strides */
    SHAPE_PADDING,    /* convolution: pads missing, superfluous, negative or too large */
    SHAPE_UNKNOWN     /* depends on a symbolic extent in a way that is not supported */
} shape_fault_kind;

typedef struct shape_fault {
    shape_fault_kind kind;
    uint32_t at;
    int64_t value;
} shape_fault;

#define SHAPE_FINE ((shape_fault){SHAPE_OK, 0, 0})

typedef struct shape {
    uint32_t rank;
    dim dims[TN_MAX_RANK];
} shape;

/* Can these extents be one and the same? Symbols might be anything; binding decides. */
static inline bool dims_may_equal(dim a, dim b)
{
    return a == b || dim_is_symbolic(a) || dim_is_symbolic(b);
}
/* Of two extents that may be equal, the one that is known. Of two symbols the choice does not
 * depend on their order, since operands of commutative ops may be exchanged. */
static inline dim dims_join(dim a, dim b)
{
    if (dim_is_symbolic(a) && dim_is_symbolic(b))
        return a > b ? a : b;
    return dim_is_symbolic(a) ? b : a;
}

/* The greatest common divisor, not negative. */
int64_t common_divisor(int64_t a, int64_t b);

/* Extents aligned from the right broadcast when they are equal or one of them is 1. On a mismatch
 * `at` counts from the left of the longer shape. */
shape_fault broadcast_shapes(const dim *a, uint32_t rank_a, const dim *b, uint32_t rank_b,
                             shape *out);

/* AXES of a tensor of rank RANK; negative ones count from the end. Sorted, without repetition.
 * For repeated axes `value` is the axis. */
typedef struct axis_list {
    uint32_t n;
    uint32_t at[TN_MAX_RANK];
    uint32_t mask; /* bit a: axis a is in the list */
} axis_list;
shape_fault resolve_axes(const int64_t *axes, uint32_t n, uint32_t rank, axis_list *out);

/* The axes of a reduction. NULL, an absent list, means every axis, and then no axis stays whatever
 * KEEPDIMS says: *keep is what holds. An empty list means no axis. */
shape_fault resolve_reduction(const int64_t *axes, uint32_t n, bool keepdims, uint32_t rank,
                              axis_list *out, bool *keep);
/* The shape that is left. */
void reduced_shape(const dim *dims, uint32_t rank, const axis_list *axes, bool keep, shape *out);

/* The axes of a squeeze: as resolve_axes, and each must have extent 1 (SHAPE_EXTENT; `value` is the
 * extent, `at` the axis). */
shape_fault resolve_squeeze(const int64_t *axes, uint32_t n, const dim *dims, uint32_t rank,
                            axis_list *out);

/* The new axes of expand_dims: AXES in ascending order, each inserted into the result of the
 * previous ones; repeated axes are allowed. For SHAPE_AXIS_RANGE `value` is the axis. */
shape_fault resolve_expand_dims(const int64_t *axes, uint32_t n, uint32_t rank, axis_list *out);
void expanded_shape(const dim *dims, uint32_t rank, const axis_list *axes, shape *out);

/* The shape that WANTED (one entry may be -1) gives to the elements of IN, whose number may not be
 * known. With SHAPE_COUNT `value` is the product of the entries, without the -1 (-1: too large).
 */
shape_fault resolve_reshape(const int64_t *wanted, uint32_t n, const type *in, shape *out);

/* Faults: SHAPE_LENGTH, SHAPE_AXIS_RANGE, SHAPE_AXIS_TWICE. */
shape_fault resolve_permutation(const int64_t *perm, uint32_t n, uint32_t rank);

/* Elements start, start + step, ... (count of them) of an axis. */
typedef struct slice_range {
    int64_t start, step, count;
} slice_range;
/* The bounds that are used. With a step > 0 negative bounds count from the end, and all are clamped
 * to [0, extent]; with a step < 0 they are clamped to [-1, extent - 1], as they are. The step must
 * not be 0. */
void slice_bounds(int64_t start, int64_t end, int64_t step, int64_t extent, int64_t *first,
                  int64_t *last);
/* The elements between those bounds. An empty range has start 0. */
slice_range resolve_slice(int64_t start, int64_t end, int64_t step, int64_t extent);
/* All axes. Of a symbolic extent a slice takes the whole axis, 0 : INT64_MAX : 1 (its range then
 * has count -1, and *out the symbol), or elements between two numbers, forwards, which are taken to
 * lie inside: binding makes sure of that. */
shape_fault resolve_slices(const attrs *given, const dim *dims, uint32_t rank, slice_range *ranges,
                           shape *out);

/* The shape of a broadcast of IN, and in MAP the result axis of each of its axes. */
shape_fault resolve_broadcast(const attrs *given, const type *in, shape *out,
                              uint32_t map[TN_MAX_RANK]);

/* A 2-D convolution of x[n, h, w, ci] with w[kh, kw, ci, co] to y[n, ho, wo, co]. */
typedef struct conv_geometry {
    int64_t n, h, w, ci;
    int64_t kh, kw, co;
    int64_t ho, wo;
    int64_t stride_h, stride_w;
    int64_t top, bottom, left, right;
} conv_geometry;
/* From the attributes strides, padding and pads, and the shapes of x and w (rank 4). Batch and
 * channels may be symbolic. SHAPE_EXTENT: `at` is the axis (1 or 2) whose result extent is `value`;
 * SHAPE_UNKNOWN: symbolic rows, columns or kernel extents. */
shape_fault resolve_conv(const attrs *given, const dim *input, const dim *filter,
                         conv_geometry *out);

#endif
