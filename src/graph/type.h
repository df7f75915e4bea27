/* Tensor types and dimensions. Both are interned in their module: equality is pointer equality. */
#ifndef GRAPH_TYPE_H
#define GRAPH_TYPE_H

#include "base/hash.h"
#include "scalar/dtype.h"

/* A dimension is an extent >= 0, or a reference to a symbolic expression of the module, stored as
 * a number below DIM_SYMBOLIC. Attributes also use small negative numbers (-1: to be inferred). */
typedef int64_t dim;
#define DIM_SYMBOLIC (INT64_MIN / 2)

static inline bool dim_is_symbolic(dim d)
{
    return d < DIM_SYMBOLIC;
}

typedef struct type {
    tn_dtype dtype;
    uint32_t rank;
    int64_t count; /* elements; TYPE_COUNT_UNKNOWN with symbols, TYPE_COUNT_HUGE on overflow */
    dim dims[];
} type;

#define TYPE_COUNT_UNKNOWN (-1)
#define TYPE_COUNT_HUGE (-2)

typedef enum dim_op { DIM_SYM, DIM_ADD, DIM_MUL, DIM_FLOORDIV, DIM_MOD } dim_op;

/* One symbolic expression; operands are dims. A DIM_SYM has a name and, once bound, a value. */
typedef struct dim_expr {
    dim_op op;
    dim a, b;
    const char *name;
} dim_expr;

/* The interning tables for types and dimensions of one module. */
typedef struct type_table {
    arena *arena;
    const tn_allocator *allocator;
    VECTOR(const type *) types;
    hash_index by_shape;
    VECTOR(dim_expr) exprs;
    hash_index by_expr;
} type_table;

void type_table_init(type_table *t, arena *memory, const tn_allocator *allocator);
void type_table_release(type_table *t);

/* The type DTYPE[DIMS]; NULL when there is no memory. */
const type *type_of(type_table *t, tn_dtype dtype, const dim *dims, uint32_t rank);
const type *type_scalar(type_table *t, tn_dtype dtype);
const type *type_with_dtype(type_table *t, const type *like, tn_dtype dtype);

/* The symbol NAME (interned by the caller). 0 (a plain extent) is never returned for a symbol;
 * INT64_MAX means no memory. */
#define DIM_NO_MEMORY INT64_MAX
dim dim_symbol(type_table *t, const char *name);
/* a OP b over extents and expressions, folded where both are known and normalised so that equal
 * sums and products are the same dim. Division rounds down; the divisor must not be 0. */
dim dim_combine(type_table *t, dim_op op, dim a, dim b);
const dim_expr *dim_expr_of(const type_table *t, dim d);

/* Replace symbols by VALUES[expression index] where that is >= 0. False on overflow. */
bool dim_bind(const type_table *t, dim d, const int64_t *values, int64_t *out);
static inline uint32_t dim_index(dim d)
{
    return (uint32_t)(d - INT64_MIN);
}

/* Does D refer to an expression of T? Raw attributes may hold numbers that only look like one. */
static inline bool dim_is_expr(const type_table *t, dim d)
{
    return dim_is_symbolic(d) && (uint64_t)d - (uint64_t)INT64_MIN < t->exprs.n;
}

static inline bool type_is_static(const type *t)
{
    return t->count != TYPE_COUNT_UNKNOWN;
}

/* Bytes of a dense tensor of type T; false, with OUT as it was, when symbolic or too large. */
bool type_bytes(const type *t, size_t *out);

/* Row-major strides in elements. */
void type_strides(const type *t, int64_t *strides);

/* `[2, 3]` and `f32[2, 3]` for messages, in ARENA; never NULL. */
const char *dims_text(arena *a, const type_table *t, const dim *dims, uint32_t rank);
const char *type_text(arena *a, const type_table *t, const type *ty);

#endif
