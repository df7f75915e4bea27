/* Whether an op has a way into a dialect: the dialect spells it, or rows of expand.def lead there.
 */
#ifndef PASS_CONVERSIONS_LEGALITY_H
#define PASS_CONVERSIONS_LEGALITY_H

#include "pass/expand/expand.h"

typedef enum expansion_class {
    EXPANSION_EXACT,     /* every bit of the result stays */
    EXPANSION_SOMETIMES, /* the same, for a few special uses only */
    EXPANSION_RELAXED    /* rounding may differ; docs/numerics.md says how far */
} expansion_class;

/* One way of writing an op with others. */
typedef struct expansion_info {
    op_id op;
    const char *name;
    expansion_class class;
    const char *uses; /* the ops it makes, separated by spaces */
    const char *label;
} expansion_info;

extern const expansion_info expansions[];
extern const uint32_t n_expansions;
/* Their functions, in the same order. */
extern expand_fn *const expand_functions[];

/* How every use of an op ends up in a dialect. */
typedef enum legality {
    LEGAL_SPELT,    /* the dialect has it */
    LEGAL_EXPANDED, /* it becomes other ops, where the attributes and operands allow it */
    LEGAL_NEVER     /* there is no way */
} legality;
/* For OP in the dialect TO; with LEGAL_EXPANDED *BY is the expansion tried first, and *RELAXED
 * whether it, or what it leads to, may round differently. */
legality op_legality(op_id op, const dialect *to, const expansion_info **by, bool *relaxed);

/* What dialects into which OP has no way lack, or NULL. */
const char *op_refusal(op_id op);

/* How many expansions, one after the other, lead from an op to a dialect, and which rows are steps
 * on such a way. Every step leads closer, so that expansion ends. */
enum { SOMETIMES = 254, UNREACHED = 255 };
typedef struct reach {
    uint8_t distance[OP_COUNT]; /* 0: the dialect has it */
    bool relaxed[OP_COUNT];     /* the first row that leads there, or one after it, is relaxed */
    bool row[128];              /* of expand.def */
} reach;
void legality_find_reach(const dialect *to, reach *r);

#endif
