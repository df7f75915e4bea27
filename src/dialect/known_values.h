/* Known values: what is known of a tensor while a dialect whose programs compute shapes is read, by
 * ONNX's Shape or StableHLO's get_dimension_size. Such values are numbers, or sizes, so that they
 * can become attributes. */
#ifndef DIALECT_KNOWN_VALUES_H
#define DIALECT_KNOWN_VALUES_H

#include "forms/building.h"
#include "graph/type.h"

enum { KNOWN_MOST = 4096 }; /* elements of a known value */

/* One element: a number, or an expression over symbolic sizes. */
typedef struct known_number {
    bool is_size;
    bool is_extent; /* a size that some value has, so that it is not negative */
    union {
        int64_t i; /* of integers and i1, and the dim of a size */
        double f;  /* of floats that are no size */
    };
} known_number;

/* An array of them, row-major. */
typedef struct known_value {
    tn_dtype dtype; /* one of those that are kept */
    uint32_t rank;
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    known_number *at;
} known_value;

/* Are values of D kept? Integers are if int64_t holds them. */
static inline bool known_keeps(tn_dtype d)
{
    return d == TN_I1 || d == TN_SI8 || d == TN_UI8 || d == TN_SI16 || d == TN_UI16 ||
           d == TN_SI32 || d == TN_UI32 || d == TN_SI64 || d == TN_F16 || d == TN_BF16 ||
           d == TN_F32 || d == TN_F64;
}

/* N, a number of a file that must not be taken for a size: those as far below 0 as sizes are stored
 * are out of every range alike. */
static inline int64_t known_plain_number(int64_t n)
{
    return n < DIM_SYMBOLIC ? DIM_SYMBOLIC : n;
}

/* Room for a value of type DTYPE[DIMS]; NULL without memory, or when it has too many elements. */
known_value *known_new(arena *memory, tn_dtype dtype, const int64_t *dims, uint32_t rank);
/* From, and to, dense elements as the library stores them; the latter only without sizes. */
known_value *known_load(arena *memory, tn_dtype dtype, const int64_t *dims, uint32_t rank,
                        const void *data);
void known_store(const known_value *k, void *data);
/* The same elements, which are not copied, under another shape. */
known_value *known_shaped(arena *memory, const known_value *k, const int64_t *dims, uint32_t rank);
bool known_has_sizes(const known_value *k);

static inline known_number known_number_of(dim d)
{
    return (known_number){.is_size = dim_is_symbolic(d), .i = d};
}
/* The extent D of a value. */
static inline known_number known_extent(dim d)
{
    return (known_number){.is_size = dim_is_symbolic(d), .is_extent = dim_is_symbolic(d), .i = d};
}

/* What elementwise arithmetic on known values computes. DIV rounds toward zero; MOD has the sign of
 * the divisor, REM that of the dividend. */
typedef enum known_arithmetic {
    KNOWN_ADD,
    KNOWN_SUB,
    KNOWN_MUL,
    KNOWN_DIV,
    KNOWN_MOD,
    KNOWN_REM,
    KNOWN_MIN,
    KNOWN_MAX,
    KNOWN_EQUAL,
    KNOWN_NOT_EQUAL,
    KNOWN_LESS,
    KNOWN_LESS_OR_EQUAL,
    KNOWN_GREATER,
    KNOWN_GREATER_OR_EQUAL,
    KNOWN_AND,
    KNOWN_OR,
    KNOWN_NEG,
    KNOWN_SIGN,
    KNOWN_NOT,
    KNOWN_ABS,
    KNOWN_FLOOR,
    KNOWN_CEIL,
    KNOWN_ROUND,
    KNOWN_SQRT
} known_arithmetic;

/* What values are made with, and what is known of sizes. */
typedef struct known_room {
    arena *memory;
    type_table *types;
    int64_t least;   /* no symbol is smaller */
    bool *no_memory; /* set when there is none */
} known_room;

/* X HOW Y on elements of type D; false when that is not known, or not the same in every run. */
bool known_number_binary(const known_room *room, known_arithmetic how, tn_dtype d, known_number x,
                         known_number y, known_number *out);
bool known_number_unary(const known_room *room, known_arithmetic how, tn_dtype d, known_number x,
                        known_number *out);
/* X, of type FROM, as an element of type TO. */
bool known_number_cast(tn_dtype from, known_number x, tn_dtype to, known_number *out);

/* ---- arrays: known_arrays.c. NULL when the result is not known, is too large, or there is no
 * memory. Operands may be NULL: then nothing is known of them. ---- */

/* X HOW Y, broadcast from the right, as elements of type RESULT. */
const known_value *known_binary(const known_room *room, known_arithmetic how, const known_value *x,
                                const known_value *y, tn_dtype result);
const known_value *known_unary(const known_room *room, known_arithmetic how, const known_value *x);
const known_value *known_cast(const known_room *room, const known_value *x, tn_dtype to);
/* X where P, else Y; all broadcast from the right. */
const known_value *known_select(const known_room *room, const known_value *p, const known_value *x,
                                const known_value *y);
/* X broadcast from the right to DIMS. */
const known_value *known_broadcast(const known_room *room, const known_value *x,
                                   const int64_t *dims, uint32_t rank);
/* Lists, one after the other; other ranks have no use. */
const known_value *known_concat(const known_room *room, const known_value *const *in, uint32_t n);
/* COUNT elements of X along AXIS, from START on. All of them must exist. */
const known_value *known_slice(const known_room *room, const known_value *x, int64_t axis,
                               int64_t start, int64_t step, int64_t count);

/* ---- as data: known_data.c ---- */

/* A size as a tensor of rank 0. */
tn_value known_size_data(tn_builder *b, tn_dtype dtype, dim d);
/* K, some of whose elements are sizes, as a tensor: each size is counted, and all are joined. */
tn_value known_sizes_data(tn_builder *b, arena *memory, const known_value *k);
/* COUNT elements of X along AXIS, from START on; COUNT or the extent is a size. */
tn_value known_part(tn_builder *b, tn_value x, int64_t axis, int64_t start, int64_t step,
                    dim count);

#endif
