/* Checks in StableHLO texts: what functions expect of the values that they compute. */
#ifndef DIALECT_MLIR_CHECKS_H
#define DIALECT_MLIR_CHECKS_H

#include "dialect/dialect.h"

typedef enum check_kind {
    CHECK_EQUAL, /* every element is == */
    CHECK_NEAR,  /* floats are at most TOLERANCE apart, or both NaN */
    CHECK_ULP    /* floats are LEAST_ULP to MOST_ULP steps of their format apart */
} check_kind;

typedef struct text_check {
    check_kind kind;
    double tolerance;
    uint64_t least_ulp, most_ulp;
    uint32_t line; /* where it stands */
} text_check;

/* The checks of a function in their order. Check i is about its outputs 2 i, the value, and
 * 2 i + 1, what it should be. */
typedef struct check_list {
    VECTOR(text_check) all;
} check_list;

/* A function of a text whose checks can be run, or one that cannot since it has inputs. */
typedef struct checked_function {
    const char *name; /* in the arena of the module */
    span at;
    uint32_t line;
    bool has_inputs;
} checked_function;

typedef struct checked_functions {
    VECTOR(checked_function) all;
} checked_functions;

/* The functions in the source of M that have checks, themselves or in functions that they call.
 * Those with inputs are left out when others call them. The list is released with the allocator of
 * the context. */
tn_status stablehlo_checked_functions(module *m, checked_functions *out);

#endif
