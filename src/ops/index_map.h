/* Index maps: for each axis of a tensor an expression over the axes i0, i1, ... of another.
 *
 *     map  = [expr { ";" expr }]
 *     expr = sums and differences of products, quotients `//` and remainders `%`; unary minus and
 *            parentheses; `floordiv(a, b)` is `a // b`
 *
 * Operands are numbers, axes and names of symbolic sizes. Quotients round down; divisors are
 * positive and do not depend on an axis; at most one factor of a product depends on axes. */
#ifndef OPS_INDEX_MAP_H
#define OPS_INDEX_MAP_H

#include "graph/module.h"

typedef enum index_op {
    INDEX_NUMBER, /* value */
    INDEX_AXIS,   /* value: which */
    INDEX_SYMBOL, /* a size without a value yet */
    INDEX_ADD,
    INDEX_SUB,
    INDEX_MUL,
    INDEX_FLOORDIV,
    INDEX_MOD
} index_op;

typedef struct index_expr {
    index_op op;
    uint32_t depth; /* of the tree */
    uint32_t axes;  /* bit k: depends on axis k */
    bool symbolic;  /* depends on a symbol */
    int64_t value;
    const struct index_expr *a, *b;
} index_expr;

typedef struct index_map {
    uint32_t n;
    const index_expr *at[TN_MAX_RANK];
} index_map;

typedef enum index_fault {
    INDEX_FINE = 0,
    INDEX_SYNTAX,
    INDEX_LIMIT, /* nested too deeply, too many expressions, a number too large */
    INDEX_NO_AXIS,
    INDEX_NON_AFFINE, /* a product or quotient of two things that depend on axes */
    INDEX_DIVISOR,    /* not positive */
    INDEX_NO_MEMORY
} index_fault;

/* Read TEXT as a map from RANK axes. The expressions are made in MEMORY. On a fault *WHERE is the
 * byte it was found at. */
index_fault index_map_parse(const char *text, uint32_t rank, arena *memory, index_map *out,
                            size_t *where);

/* Is a name of N bytes that of an axis, i and a number without leading zeros? No symbol can be
 * called so in a map. */
bool index_is_axis(const char *name, size_t n);

/* A symbol of D that is called like an axis, so that no map can name it, or NULL. What has too many
 * terms cannot be written anyway. */
const char *index_axis_like(const type_table *types, dim d);

/* What is wrong with an expression: `names an axis that the result does not have`. */
const char *index_fault_text(index_fault f);

/* The value for the axes AT. Without symbols; wraps around. */
int64_t index_value(const index_expr *e, const int64_t *at);

/* E as offset + sum of factors[k] * axis k, if it has that form; false when it holds quotients,
 * remainders or symbols, or a number is too large. */
bool index_affine(const index_expr *e, uint32_t rank, int64_t *offset, int64_t *factors);

/* Do the values of E lie in [0, extent) for every position in DIMS (none of which is 0)? */
typedef enum index_bounds {
    INDEX_INSIDE,
    INDEX_OUTSIDE, /* at least one value does not */
    INDEX_UNSURE   /* too many positions to look at each */
} index_bounds;
index_bounds index_check(const index_expr *e, const int64_t *dims, uint32_t rank, int64_t extent);

/* Call `each` for every name of a symbol in TEXT, in order; stops when it returns false. */
bool index_map_symbols(const char *text, bool (*each)(void *user, const char *name, size_t length),
                       void *user);
/* TEXT with every symbol for which `value_of` is true replaced by the number that it gives, in
 * MEMORY; NULL: no memory. */
const char *index_map_bind(const char *text, arena *memory,
                           bool (*value_of)(void *user, const char *name, size_t length,
                                            int64_t *value),
                           void *user);

#endif
