/* Elementary functions, each written once as a scalar program of + - * / fma sqrt, comparisons,
 * selects and bit operations, without branches or tables. Every engine runs these same operations,
 * so every engine gives the same bits. Errors and methods: docs/numerics-math.md. */
#ifndef SCALAR_MATH_H
#define SCALAR_MATH_H

#include "scalar/program.h"

typedef enum math_fn {
#define MATH_FN(id, text, operands) MATH_##id,
#include "scalar/math.def"
    MATH_FN_COUNT
} math_fn;

/* MATH_X_OPERANDS */
enum {
#define MATH_FN(id, text, operands) MATH_##id##_OPERANDS = operands,
#include "scalar/math.def"
    MATH_MOST_OPERANDS = 2
};

const char *math_fn_name(math_fn fn);
unsigned math_fn_operands(math_fn fn);

/* Append the instructions of FN of X (and Y, which is ignored by functions of one operand); TYPE is
 * f32 or f64 and that of the operands. Failure is sticky in the builder. */
scalar_value scalar_math_build(scalar_builder *b, math_fn fn, scalar_type type, scalar_value x,
                               scalar_value y);

/* A program that is FN alone; NULL without memory. */
const scalar_program *scalar_math_program(arena *memory, math_fn fn, scalar_type type);

#endif
