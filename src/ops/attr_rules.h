/* What type rules ask of attributes: lists of the right length, one axis, element types,
 * accumulators, and arithmetic on extents that may be symbolic. */
#ifndef OPS_ATTR_RULES_H
#define OPS_ATTR_RULES_H

#include "ops/rules/rules.h"

/* The axis KEY of a tensor of rank RANK; negative ones count from the end. */
tn_status rule_axis(const infer_call *call, attr_key key, uint32_t rank, uint32_t *axis);
/* The axis of attributes that a rule has accepted. */
uint32_t resolve_axis(const attrs *given, attr_key key, uint32_t rank);

/* KEY has N entries; each is a number >= LEAST or a known symbol. */
tn_status rule_sizes(const infer_call *call, attr_key key, uint32_t n, int64_t least);
/* KEY has N entries, each of them exactly a number >= LEAST: symbols have no place here. */
tn_status rule_numbers(const infer_call *call, attr_key key, uint32_t n, int64_t least);

/* The dtype KEY; absent gives OTHERWISE. */
tn_status rule_attr_dtype(const infer_call *call, attr_key key, tn_dtype otherwise, tn_dtype *out);
/* INDEX_DTYPE, which must be si32 or si64 and count up to EXTENT - 1 (symbolic: anything). */
tn_status rule_result_index(const infer_call *call, dim extent, tn_dtype *out);

/* The accumulator for elements of D: ACCUM_DTYPE, by default f32 for floats up to f32 and D itself
 * for the others. Another one must be wider and of the same sort; i1 may be counted in integers. */
tn_status rule_accumulator(const infer_call *call, tn_dtype d, tn_dtype *accumulator);

/* The dtypes in which a reduction of operands of dtype IN adds and ends. */
void reduce_dtypes(const attrs *given, tn_dtype in, tn_dtype *sum, tn_dtype *out);

/* The scalar KEY is an element of D: floats are rounded, everything else must be exact. */
tn_status rule_scalar(const infer_call *call, attr_key key, tn_dtype d);

/* A OP B over extents, or a rejection because the result is too large. */
tn_status rule_extent(const infer_call *call, dim_op op, dim a, dim b, dim *out);

/* One axis of a window that slides over a padded, dilated axis of extent N. */
typedef struct window_axis {
    dim window, stride, dilation; /* >= 1 each */
    dim low, high;                /* >= 0 */
    dim base_dilation;            /* >= 1 */
} window_axis;
/* How many places the window has; rejects windows that do not fit. AXIS is for the message. */
tn_status rule_window(const infer_call *call, const window_axis *w, dim n, uint32_t axis,
                      dim *places);

#endif
