/* What the attributes of `convolution` mean: which axis is what, and how windows move. */
#ifndef OPS_CONVOLUTION_H
#define OPS_CONVOLUTION_H

#include "ops/build.h"
#include "ops/shape.h"

enum { CONVOLUTION_SPATIAL = 4 }; /* most spatial axes */

/* The places of the axes in each list of axes; spatial ones follow. */
enum {
    CONVOLUTION_BATCH = 0,   /* of input and result */
    CONVOLUTION_CHANNEL = 1, /* of input and result */
    CONVOLUTION_TO = 0,      /* output channels of the filter */
    CONVOLUTION_FROM = 1,    /* input channels of the filter */
    CONVOLUTION_FIRST = 2    /* the first spatial axis of each */
};

/* One spatial axis. Result position o and filter position k meet element (o * stride + k * dilation
 * - low) / base of the input; where that is not whole there is no product. */
typedef struct convolution_axis {
    dim stride, low, high, base, dilation; /* numbers, or symbols before they are bound */
} convolution_axis;

typedef struct convolution {
    uint32_t spatial; /* how many axes */
    int64_t groups, batch_groups;
    uint32_t lhs[2 + CONVOLUTION_SPATIAL], rhs[2 + CONVOLUTION_SPATIAL],
        out[2 + CONVOLUTION_SPATIAL];
    convolution_axis at[CONVOLUTION_SPATIAL];
} convolution;

/* From attributes whose lists have the right lengths: false when the list *FAULT names no order of
 * axes. RANK is that of the input, at most 2 + CONVOLUTION_SPATIAL. */
bool convolution_resolve(const attrs *given, uint32_t rank, convolution *out, attr_key *fault);
/* The same of attributes that the type rule has accepted. */
convolution convolution_of_attrs(const attrs *given, uint32_t rank);
/* Do the channels of FILTER that are summed, as bytes, make words of four, or the three of a
 * picture a word with one more? */
bool convolution_has_words(const attrs *given, const type *filter);
/* The axes 0, 1, ... in all three lists. */
void convolution_in_order(convolution *c);

/* The node that C describes; DTYPES are entries for ACCUM_DTYPE and OUT_DTYPE. */
value_id build_convolution(builder *b, value_id x, value_id w, const convolution *c,
                           const attr *dtypes, uint32_t n_dtypes);

#endif
