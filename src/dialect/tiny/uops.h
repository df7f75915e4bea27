/* The vocabulary of Tiny IR as a table, and the names of its element types. */
#ifndef DIALECT_TINY_UOPS_H
#define DIALECT_TINY_UOPS_H

#include "base/text/json.h"
#include "base/text/suggest.h"
#include "graph/op.h"

typedef enum tiny_class {
    TINY_INPUT,
    TINY_CONST,
    TINY_RESHAPE,
    TINY_PERMUTE,
    TINY_EXPAND,
    TINY_PAD,
    TINY_SHRINK,
    TINY_FLIP,
    TINY_VIEW,
    TINY_POOL,
    TINY_MAP,
    TINY_CAST,
    TINY_COMPARE,
    TINY_WHERE,
    TINY_REDUCE
} tiny_class;

enum { TINY_FLOAT = 1, TINY_INT = 2, TINY_BOOL = 4 };

/* One entry of `arg`. */
typedef struct tiny_field {
    const char *name;
    const char *attribute; /* that it becomes; NULL: none, or several */
    bool optional;
} tiny_field;

typedef struct tiny_uop {
    const char *name;
    tiny_class kind;
    op_id op;
    uint8_t n_src;
    uint8_t domain; /* TINY_FLOAT | ...: the element types that it takes */
    bool published; /* false: an extension of the published text */
    const tiny_field *fields;
    uint32_t n_fields;
} tiny_uop;

/* NULL when there is none. */
const tiny_uop *tiny_uop_by_name(json_text name);
/* Offer the names of all operations. */
void tiny_suggest_uop(suggestion *s);
/* The spelling of an elementwise or movement op on operands of D; NULL when there is none. */
const tiny_uop *tiny_uop_of(op_id op, tn_dtype d);

/* `fp32`; NULL for a dtype that Tiny IR lacks. */
const char *tiny_dtype_name(tn_dtype d);
bool tiny_dtype(json_text name, tn_dtype *d);
/* The bit of D in a domain. */
unsigned tiny_domain(tn_dtype d);

#endif
