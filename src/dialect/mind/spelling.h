/* How Core IR spells the vocabulary: one table for the reader, the writer and `tenon ops`. */
#ifndef DIALECT_MIND_SPELLING_H
#define DIALECT_MIND_SPELLING_H

#include "dialect/dialect.h"

/* What stands in the place of an attribute. */
typedef enum slot_kind {
    SLOT_INTS,   /* a list of integers */
    SLOT_RANGES, /* the same; as an argument also `[s:e:k, ...]`, which fills the next two slots */
    SLOT_BOOL,
    SLOT_STRING,
    SLOT_PADDING,  /* Valid, Same or Custom([[t, b], [l, r]]) */
    SLOT_OPERATOR, /* Add, Sub, Mul or Div: decides the op */
    SLOT_NUMBER,   /* the value of a scalar constant */
    SLOT_DATA,     /* nested lists of numbers */
    SLOT_FILL,     /* one number for all elements */
    SLOT_DTYPE,    /* of a constant; given by the type as well */
    SLOT_SHAPE     /* of a constant; given by the type as well */
} slot_kind;

enum { MAX_SLOTS = 4, NO_POSITION = 255 };

typedef struct slot_spec {
    const char *name;
    slot_kind kind;
    attr_key key;     /* KEY_COUNT: becomes no attribute of its own */
    uint8_t position; /* among the arguments that are no operands */
    bool is_optional;
    const char *synonyms; /* space-separated */
} slot_spec;

/* node.spelling of a constant; DEFAULT is the scalar form where there is one. */
enum { SPELT_DEFAULT = 0, SPELT_TENSOR = 1 };

typedef struct spelling {
    const char *text;
    op_id op; /* OP_COUNT: the operator slot decides */
    uint8_t n_operands;
    bool is_extension; /* not part of Core v1 */
    bool is_synonym;   /* read; written only in the style "tool" */
    tn_dtype dtype;    /* of the scalar constants */
    uint8_t n_slots;
    slot_spec slots[MAX_SLOTS]; /* in the order of their names, which is the order they print in */
} spelling;

extern const spelling spellings[];
extern const uint32_t n_spellings;

/* The row for an opcode, or NULL. */
const spelling *spelling_find(const char *text, size_t length);
/* The row that writes OP other than as BinOp and the constants, or NULL. */
const spelling *spelling_to_write(op_id op);
/* The slot of S called NAME, or S->n_slots. */
uint32_t spelling_slot(const spelling *s, const char *name, size_t length);
/* The slot of S that argument number POSITION fills, or S->n_slots. */
uint32_t spelling_position(const spelling *s, uint32_t position);

/* Add, Sub, Mul, Div; OP_COUNT and NULL for others. */
op_id operator_by_name(const char *text, size_t length);
const char *operator_name(op_id op);

/* For `tenon ops`: how OP is spelt, and its slots. */
const char *spelling_of_op(op_id op);
bool spelling_field(op_id op, uint32_t index, dialect_field *out);

/* i32, i64, f32, f64: the dtypes of Core IR. False and NULL for others. */
bool mind_dtype(const char *text, size_t length, tn_dtype *dtype);
const char *mind_dtype_name(tn_dtype dtype);

#endif
