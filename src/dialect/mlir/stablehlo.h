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

/* stablehlo_elementwise.c */
hlo_put hlo_compare, hlo_is_nan, hlo_extremum, hlo_trunc, hlo_alias, hlo_cast;
hlo_takes hlo_takes_div, hlo_takes_cast;
/* stablehlo_move.c */
hlo_put hlo_transpose, hlo_broadcast, hlo_slice, hlo_reverse, hlo_pad, hlo_concat, hlo_iota,
    hlo_random;
hlo_takes hlo_takes_slice;
/* stablehlo_contract.c */
hlo_put hlo_reduce, hlo_dot_general, hlo_conv, hlo_conv_grad_input, hlo_conv_grad_filter,
    hlo_convolve, hlo_reduce_window, hlo_cumulative;
hlo_takes hlo_takes_reduce, hlo_takes_window;
/* stablehlo_index.c */
hlo_put hlo_take, hlo_scatter_add, hlo_dynamic_slice, hlo_dynamic_update, hlo_gather,
    hlo_scatter_reduce, hlo_segment_reduce;
hlo_takes hlo_takes_take, hlo_takes_along, hlo_takes_gather, hlo_takes_segments;
/* stablehlo_order.c */
hlo_put hlo_arg_max, hlo_sort, hlo_argsort, hlo_top_k;
/* stablehlo_quantize.c */
hlo_put hlo_quantize, hlo_dequantize, hlo_requantize;
/* stablehlo_control.c */
hlo_put hlo_cond, hlo_while, hlo_scan, hlo_custom_call;

/* The nodes of w->f, one a line; used for regions, too. */
void hlo_nodes(mlir_text *w);

#endif
