/* The parts of the MLIR writer: how the forms of linalg, tensor and arith are put together. */
#ifndef DIALECT_MLIR_LINALG_H
#define DIALECT_MLIR_LINALG_H

#include "dialect/mlir/text.h"

enum { NAME_TEXT = 24, MAP_TEXT = 1024 };

/* A tensor in the text and how a linalg.generic walks it. */
typedef struct operand {
    char name[NAME_TEXT]; /* "%3", "%e3" */
    tensor type;
    char map[MAP_TEXT]; /* the results of its affine map: "d0, 0, d2" */
} operand;

/* V itself, walked by loops d0, d1, ... in order. */
operand operand_of(const mlir_text *w, value_id v);
/* The name %PREFIX and the number of V. */
operand operand_made(const char *prefix, value_id v, const tensor *t);
void map_identity(operand *o);
/* Axis i of O is walked by loop AXES[i]; -1: it stays at 0. */
void map_axes(operand *o, const int64_t *axes);
/* The axes of O are the last of N_LOOPS; those of extent 1 stay at 0 where LOOPS has more. */
void map_broadcast(operand *o, const int64_t *loops, uint32_t n_loops);
/* Append one result to the map. */
void map_add(operand *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `tensor.empty` of type T for V. */
operand put_empty(mlir_text *w, value_id v, const tensor *t);
/* A tensor filled with VALUE, to accumulate in. */
operand put_filled(mlir_text *w, value_id v, const tensor *t, scalar value);
/* The number 0 of any real element type. */
scalar zero_of(tn_dtype d);
/* %PREFIX and the number of V = arith.constant VALUE : element type D, or index */
void put_scalar_constant(mlir_text *w, const char *prefix, value_id v, tn_dtype d, scalar value);

/* A linalg.generic up to its block, whose arguments are %x, %y, %z for the inputs and %o for the
 * output; loop i reduces when bit i of REDUCED is set. The block ends with generic_close. */
void generic_open(mlir_text *w, const char *result, const operand *in, uint32_t n_in,
                  const operand *out, uint32_t n_loops, uint32_t reduced);
/* Yields YIELDED of the element type of OUT. */
void generic_close(mlir_text *w, const char *yielded, const operand *out);

/* Products of A and B, whose maps are over N_LOOPS loops, added into OUT, whose map is, too. */
void put_products(mlir_text *w, const char *result, const operand *a, const operand *b,
                  const operand *out, uint32_t n_loops, uint32_t reduced);

/* Write RESULT = FROM reshaped to TO, which has as many elements; by way of rank 1. */
void put_reshape(mlir_text *w, value_id v, const operand *from, const tensor *to);

/* V = FROM with the axes of TO in MASK, of extent 1, added: every group holds one that was there.
 */
void put_new_axes(mlir_text *w, value_id v, const operand *from, const tensor *to, uint32_t mask);
/* V = FROM without its axes in MASK. */
void put_fewer_axes(mlir_text *w, value_id v, const operand *from, const tensor *to, uint32_t mask);

/* One node each, which is of the family and was found expressible. */
void mlir_elementwise(mlir_text *w, const node *n);
void mlir_reduce(mlir_text *w, const node *n);
void mlir_contract(mlir_text *w, const node *n);
void mlir_conv(mlir_text *w, const node *n);
void mlir_move(mlir_text *w, const node *n);
void mlir_index(mlir_text *w, const node *n);
/* Can a node of the family be written? If not, WHY says what is in the way. */
bool mlir_takes_elementwise(const function *f, const node *n, char why[OBJECTION_SIZE]);
bool mlir_takes_reduce(const function *f, const node *n, char why[OBJECTION_SIZE]);
bool mlir_takes_contract(const function *f, const node *n, char why[OBJECTION_SIZE]);
bool mlir_takes_conv(const function *f, const node *n, char why[OBJECTION_SIZE]);
bool mlir_takes_move(const function *f, const node *n, char why[OBJECTION_SIZE]);
bool mlir_takes_index(const function *f, const node *n, char why[OBJECTION_SIZE]);
/* The op of arith or math that is OP on elements of D: "arith.addf"; NULL when none is. */
const char *mlir_arith_name(op_id op, tn_dtype d);

#endif
