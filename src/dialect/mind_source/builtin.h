/* What the built-in functions share: one use with its arguments, and the table's functions. */
#ifndef DIALECT_MIND_SOURCE_BUILTIN_H
#define DIALECT_MIND_SOURCE_BUILTIN_H

#include "dialect/mind_source/lower.h"

enum { MOST_ARGUMENTS = 8 };

typedef struct builtin builtin;

/* One use of a built-in function, with its arguments in the places of its parameters. */
typedef struct use {
    lowering *l;
    const builtin *b;
    span at; /* the whole call */
    value values[MOST_ARGUMENTS];
    span places[MOST_ARGUMENTS];
    const expr *exprs[MOST_ARGUMENTS]; /* NULL: the object of a method */
    bool given[MOST_ARGUMENTS];
} use;

struct builtin {
    const char *name;
    /* Space-separated; `a|b`: two names for one; behind `*`: not evaluated. */
    const char *parameters;
    uint8_t n_required;
    uint8_t op; /* op_id of the plain ones */
    value (*lower)(use *u);
};

/* Argument I as a tensor. */
value_id use_tensor(use *u, uint32_t i);
/* Argument I, when given, as an integer that is known while reading. */
bool use_int(use *u, uint32_t i, const char *what, int64_t *out);

/* builtin_ops.c */
value builtin_arithmetic(use *u);
value builtin_reduce(use *u);
value builtin_reshape(use *u);
value builtin_flatten(use *u);
value builtin_transpose(use *u);
value builtin_expand_dims(use *u);
value builtin_squeeze(use *u);
value builtin_index(use *u);
value builtin_slice(use *u);
value builtin_take(use *u);
value builtin_product(use *u);
value builtin_conv2d(use *u);
value builtin_float(use *u);
value builtin_neg(use *u);

/* builtin_make.c */
value builtin_zeros(use *u);
value builtin_ones(use *u);
value builtin_full(use *u);
value builtin_eye(use *u);
value builtin_arange(use *u);
value builtin_linspace(use *u);
value builtin_tensor_of(use *u);

/* builtin_grad.c */
value builtin_grad(use *u);
value builtin_gradient_of(use *u);

#endif
