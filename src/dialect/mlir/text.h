/* What the writers of MLIR text share: types, constants and lines made from formats. */
#ifndef DIALECT_MLIR_TEXT_H
#define DIALECT_MLIR_TEXT_H

#include "dialect/mlir/mlir.h"
#include "graph/literal.h"

/* The type of a tensor, in a form that needs no interning. */
typedef struct tensor {
    tn_dtype dtype;
    uint32_t rank;
    int64_t dims[TN_MAX_RANK];
} tensor;

#define NO_NUMBER UINT32_MAX

/* What a value is called: %5, %r1x5 in the region of scope 1, and with the prefix "l" %l5 and
 * %lr1x5. */
typedef struct value_name {
    uint32_t scope;
    value_id number;    /* NO_NUMBER: the prefix alone */
    const char *prefix; /* NULL: none */
} value_name;

typedef struct mlir_text {
    const module *m;
    const function *f; /* that is written now */
    text_buffer *out;
    bool is_signless;        /* integer types do not say whether they have a sign */
    value_name *names;       /* by value of f */
    uint32_t scope;          /* of f: 0, or 1 + its index for a region */
    uint32_t n_scopes;       /* those that are not of a region are numbered from here */
    uint32_t depth;          /* of regions: indentation */
    struct hlo_sizes *sizes; /* StableHLO: of dynamic extents */
    uint32_t n_errors;
    tn_status status;
} mlir_text;

/* The type of V. */
tensor type_of_value(const mlir_text *w, value_id v);
tensor type_made(tn_dtype dtype, const int64_t *dims, uint32_t rank);
/* The same shape with another element type. */
tensor type_like(const tensor *t, tn_dtype dtype);
tensor type_of_scalar(tn_dtype dtype);
bool types_equal(const tensor *a, const tensor *b);

/* Append FORMAT, in which
 *   %v  a value_id: its name          %t  a const tensor *: tensor<2x3xf32>
 *   %n  a const char *prefix and a value_id: a name beside that of the value
 *   %w  a const value_name *: that name
 *   %i  const int64_t *, uint32_t: array<i64: 1, 2>
 *   %e  a tn_dtype: f32               %l  const int64_t *, uint32_t: [1, 2]
 *   %d  an int64_t   %u  a uint32_t   %s  a const char *   %%  itself */
void put(mlir_text *w, const char *format, ...);
void put_all(mlir_text *w, const char *format, va_list args);
/* The same as one line, indented. */
void line(mlir_text *w, const char *format, ...);

/* TEXT as a string of MLIR, quoted. */
void put_string(mlir_text *w, const char *text);

const char *element_text(const mlir_text *w, tn_dtype d);
/* `dense<...>` of a literal. */
void put_dense(mlir_text *w, const literal *l);
/* `dense<...>` of DATA, row-major, of type T. */
void put_dense_data(mlir_text *w, const tensor *t, const void *data);
/* The number VALUE as an attribute of element type D: `1.0`, `1`, `0x7F800000`, `true`. */
void put_number(mlir_text *w, tn_dtype d, scalar value);

/* Write FORMAT to WHY and be false. */
bool object(char why[OBJECTION_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Report N unless the dialect TO can write it: its op, its element types, known extents. */
bool is_writable(mlir_text *w, const dialect *to, const node *n);
/* V goes by the name of OTHER. */
void name_as(mlir_text *w, value_id v, value_id other);

/* Prepare W for the function F, whose values get names of SCOPE, and let go of it again. */
tn_status text_begin(mlir_text *w, const function *f, uint32_t scope);
void text_end(mlir_text *w);

#endif
