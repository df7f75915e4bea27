/* Tensor types and dimensions. Both are interned in their module: equality is pointer equality. */
#ifndef GRAPH_TYPE_H
#define GRAPH_TYPE_H

#include "base/context/diag.h"
#include "base/memory/hash.h"
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

/* One symbolic expression; operands are dims that were made before it, and shared: equal
 * expressions are one, so that what is written with very many terms may be few expressions. */
typedef struct dim_expr {
    dim_op op;
    uint32_t depth; /* of operands in each other: 1 for a symbol, up to DIM_MOST_DEPTH */
    uint32_t terms; /* numbers and symbols when it is written out; UINT32_MAX: that many or more */
    dim a, b;
    const char *name; /* of a DIM_SYM */
} dim_expr;

/* What walks over expressions may recurse so deep; with more terms nobody could read one. */
enum { DIM_MOST_DEPTH = 1000, DIM_MOST_TERMS = 2000 };

/* The interning tables for types and dimensions of one module. */
typedef struct type_table {
    arena *arena;
    const tn_allocator *allocator;
    VECTOR(const type *) types;
    hash_index by_shape;
    VECTOR(dim_expr) exprs;
    hash_index by_expr;
    diag_channel *diag;
} type_table;

/* What is refused is said to DIAG (diag_refuse). */
void type_table_init(type_table *t, arena *memory, const tn_allocator *allocator,
                     diag_channel *diag);
void type_table_release(type_table *t);

/* The type DTYPE[DIMS]; NULL when there is no memory. */
const type *type_of(type_table *t, tn_dtype dtype, const dim *dims, uint32_t rank);
const type *type_scalar(type_table *t, tn_dtype dtype);
const type *type_with_dtype(type_table *t, const type *like, tn_dtype dtype);

/* The symbol NAME (interned by the caller). 0 (a plain extent) is never returned for a symbol;
 * INT64_MAX means no memory. */
#define DIM_NO_MEMORY INT64_MAX
dim dim_symbol(type_table *t, const char *name);
/* The symbol called NAME, which need not be interned; 0 when there is none. */
dim dim_symbol_called(const type_table *t, const char *name);
/* a OP b over extents and expressions, folded where both are known and normalised so that equal
 * sums and products are the same dim. Division rounds down; the divisor must not be 0. */
dim dim_combine(type_table *t, dim_op op, dim a, dim b);
const dim_expr *dim_expr_of(const type_table *t, dim d);

/* Can D be written out, with at most DIM_MOST_TERMS terms? Otherwise that is refused (diag_refuse).
 */
bool dim_is_writable(const type_table *t, dim d);

/* What is known of the expressions of a table, by their index: for a symbol its extent, or -1. The
 * entries of others are where dim_bind remembers what it found. */
typedef struct dim_values {
    uint32_t n;
    int64_t at[];
} dim_values;

/* Values for the expressions that T has now, none known; NULL when there is no memory. */
dim_values *dim_values_new(const type_table *t, arena *memory);
/* Forget what was found, because symbols have other values than before, or none. Not needed when
 * they have only become known. */
void dim_values_forget(const type_table *t, dim_values *values);
/* Symbols replaced by their values. False when one has none, or on overflow. */
bool dim_bind(const type_table *t, dim d, dim_values *values, int64_t *out);
/* A symbol of D that has no value, or NULL. */
const char *dim_missing(const type_table *t, dim d, dim_values *values);
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
/* The same where they are known to be few enough, as of a tensor that was made; else 0. */
static inline size_t type_known_bytes(const type *t)
{
    size_t bytes = 0;
    (void)type_bytes(t, &bytes);
    return bytes;
}

/* Row-major strides in elements. */
void type_strides(const type *t, int64_t *strides);

/* `[2, 3]` and `f32[2, 3]` for messages, in ARENA; never NULL. An extent with too many terms is
 * shown as `...`. */
const char *dims_text(arena *a, const type_table *t, const dim *dims, uint32_t rank);
const char *type_text(arena *a, const type_table *t, const type *ty);

#endif
