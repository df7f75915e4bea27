/* Known values: what is known of a tensor while reading. Models compute shapes by operators, on
 * what Shape gives; here these are numbers, or sizes, so that they can become attributes. */
#ifndef DIALECT_ONNX_VALUES_H
#define DIALECT_ONNX_VALUES_H

#include "graph/type.h"
#include "tenon/build.h"

enum { ONNX_MOST_KNOWN = 4096 }; /* elements of a known value */

/* One element: a number, or an expression over symbolic sizes. */
typedef struct onnx_number {
    bool is_size;
    union {
        int64_t i; /* of integers and i1, and the dim of a size */
        double f;  /* of floats that are no size */
    };
} onnx_number;

/* An array of them, row-major. */
typedef struct onnx_known {
    tn_dtype dtype; /* i1, an integer of up to 64 bits with a sign, f32 or f64 */
    uint32_t rank;
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    onnx_number *at;
} onnx_known;

/* Are values of D kept? */
static inline bool onnx_keeps(tn_dtype d)
{
    return d == TN_I1 || d == TN_SI8 || d == TN_UI8 || d == TN_SI32 || d == TN_SI64 ||
           d == TN_F32 || d == TN_F64;
}

/* Room for a value of type DTYPE[DIMS]; NULL without memory, or when it has too many elements. */
onnx_known *onnx_known_new(arena *memory, tn_dtype dtype, const int64_t *dims, uint32_t rank);
/* From, and to, dense elements as the library stores them; the latter only without sizes. */
onnx_known *onnx_known_load(arena *memory, tn_dtype dtype, const int64_t *dims, uint32_t rank,
                            const void *data);
void onnx_known_store(const onnx_known *k, void *data);
/* The same elements, which are not copied, under another shape. */
onnx_known *onnx_known_shaped(arena *memory, const onnx_known *k, const int64_t *dims,
                              uint32_t rank);
bool onnx_known_has_sizes(const onnx_known *k);

static inline onnx_number onnx_number_of(dim d)
{
    return (onnx_number){.is_size = dim_is_symbolic(d), .i = d};
}

/* What elementwise arithmetic on known values computes. */
typedef enum onnx_arithmetic {
    ONNX_ADD,
    ONNX_SUB,
    ONNX_MUL,
    ONNX_DIV,
    ONNX_MOD,
    ONNX_MIN,
    ONNX_MAX,
    ONNX_EQUAL,
    ONNX_LESS,
    ONNX_LESS_OR_EQUAL,
    ONNX_GREATER,
    ONNX_GREATER_OR_EQUAL,
    ONNX_AND,
    ONNX_OR,
    ONNX_NEG,
    ONNX_NOT,
    ONNX_ABS,
    ONNX_FLOOR,
    ONNX_CEIL,
    ONNX_ROUND,
    ONNX_SQRT
} onnx_arithmetic;

/* X HOW Y on elements of type D; false when that is not known, or not the same in every run. */
bool onnx_number_binary(type_table *types, onnx_arithmetic how, tn_dtype d, onnx_number x,
                        onnx_number y, onnx_number *out);
bool onnx_number_unary(type_table *types, onnx_arithmetic how, tn_dtype d, onnx_number x,
                       onnx_number *out);
/* X, of type FROM, as an element of type TO. */
bool onnx_number_cast(tn_dtype from, onnx_number x, tn_dtype to, onnx_number *out);

#endif
