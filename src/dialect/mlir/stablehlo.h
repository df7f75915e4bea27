/* The parts of the StableHLO writer. */
#ifndef DIALECT_MLIR_STABLEHLO_H
#define DIALECT_MLIR_STABLEHLO_H

#include "dialect/mlir/text.h"

typedef bool hlo_takes(const function *f, const node *n, char why[OBJECTION_SIZE]);
typedef void hlo_put(mlir_text *w, const node *n);

/* The operation that OP is to the letter, without attributes; NULL: OP takes more than that. */
const char *stablehlo_plain_name(op_id op);

/* `%5 = "stablehlo.NAME"(operands)`, FORMAT for the attributes with their braces, and the types. */
void hlo_op(mlir_text *w, const node *n, const char *name, const char *format, ...);
/* The same up to the operands, and the types at the end: for ops with regions between. */
void hlo_open(mlir_text *w, const node *n, const char *name);
void hlo_close(mlir_text *w, const node *n, const char *format, ...);
/* The region of a reduction: OP on two scalars of D; STOP_GRADIENT gives the second. */
void hlo_combine(mlir_text *w, op_id op, tn_dtype d);
/* What such a reduction starts with. */
scalar hlo_start(op_id op, tn_dtype d);
/* The word for how elements of D compare. */
const char *comparison_type(tn_dtype d);
/* %PREFIX and the number of V: a constant of rank 0. */
void hlo_scalar(mlir_text *w, const char *prefix, value_id v, tn_dtype d, scalar value);
/* %V: a constant of its type without elements. */
void hlo_nothing(mlir_text *w, value_id v);
/* %V = cast(FROM), a tensor of type T, with Tenon's result where StableHLO leaves it open. */
void hlo_convert(mlir_text *w, value_id v, value_name from, const tensor *t);

/* ---- dynamic extents: stablehlo_sizes.c. Where RESULT types have such, the operation is the
 * dynamic one of its name, with the shape as an operand. ---- */

bool hlo_is_open(const tensor *t);
/* D, a number or a size, as a list of one i64. */
value_name hlo_size(mlir_text *w, dim d);
/* The extents of T as a list of type hlo_shape_type(rank). */
value_name hlo_shape_of(mlir_text *w, const tensor *t);
tensor hlo_shape_type(uint32_t rank);
/* The symbol that the input V of the program says, a number that is called like one; 0: none. */
dim hlo_says_size(const mlir_text *w, value_id v);

/* Bounds of a slice; ends may be sizes. */
typedef struct hlo_bounds {
    const int64_t *starts, *ends, *steps;
} hlo_bounds;

void hlo_put_reshape(mlir_text *w, value_name to, value_name from, const tensor *in,
                     const tensor *out);
/* Axis k of IN becomes AXES[k]. */
void hlo_put_broadcast(mlir_text *w, value_name to, value_name from, const int64_t *axes,
                       const tensor *in, const tensor *out);
void hlo_put_iota(mlir_text *w, value_name to, uint32_t axis, const tensor *t);
/* A tensor full of VALUE. */
void hlo_put_full(mlir_text *w, value_name to, const tensor *t, scalar value);
void hlo_put_slice(mlir_text *w, value_name to, value_name from, const hlo_bounds *by,
                   const tensor *in, const tensor *out);
/* The window of the shape of OUT that begins at STARTS, scalars of type INDEX for each axis. */
void hlo_put_window(mlir_text *w, value_name to, value_name from, const value_name *starts,
                    const tensor *index, const tensor *in, const tensor *out);

/* Around the text of @main: sizes are computed where hlo_sizes_here was called. */
tn_status hlo_sizes_begin(mlir_text *w);
void hlo_sizes_here(mlir_text *w);
void hlo_sizes_end(mlir_text *w);

/* stablehlo_elementwise.c */
hlo_put hlo_compare, hlo_is_nan, hlo_extremum, hlo_trunc, hlo_alias, hlo_cast;
hlo_takes hlo_takes_div, hlo_takes_cast;
/* stablehlo_move.c */
hlo_put hlo_reshape, hlo_transpose, hlo_broadcast, hlo_slice, hlo_reverse, hlo_pad, hlo_concat,
    hlo_iota, hlo_random;
hlo_takes hlo_takes_slice;
/* stablehlo_view.c */
hlo_put hlo_view;
hlo_takes hlo_takes_view;
/* stablehlo_contract.c */
hlo_put hlo_reduce, hlo_dot_general, hlo_conv, hlo_conv_grad_input, hlo_conv_grad_filter,
    hlo_convolve, hlo_reduce_window, hlo_cumulative;
hlo_takes hlo_takes_reduce, hlo_takes_window, hlo_takes_cumulative, hlo_takes_images,
    hlo_takes_filter, hlo_takes_convolve;
/* stablehlo_index.c */
hlo_put hlo_take, hlo_scatter_add, hlo_dynamic_slice, hlo_dynamic_update, hlo_gather,
    hlo_scatter_reduce, hlo_segment_reduce;
hlo_takes hlo_takes_take, hlo_takes_along, hlo_takes_gather, hlo_takes_segments;
/* An attribute by which the reader knows that positions AT in X lie inside, where extents are
 * dynamic and it cannot see that. */
const char *hlo_says_inside(const tensor *x, const tensor *at);
/* stablehlo_order.c */
hlo_put hlo_arg_max, hlo_sort, hlo_argsort, hlo_top_k;
/* stablehlo_quantize.c */
hlo_put hlo_quantize, hlo_dequantize, hlo_requantize;
/* stablehlo_control.c */
hlo_put hlo_cond, hlo_while, hlo_scan, hlo_custom_call;

/* The nodes of w->f, one a line; used for regions, too. */
void hlo_nodes(mlir_text *w);

#endif
