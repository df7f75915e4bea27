/* Legalisation: rewriting a program until a dialect can express it. */
#ifndef PASS_CONVERSIONS_LEGALIZE_H
#define PASS_CONVERSIONS_LEGALIZE_H

#include "dialect/dialect.h"
#include "graph/module.h"

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

typedef struct legalize_options {
    bool exact_only; /* refuse what only a relaxed expansion can write */
    bool quiet;      /* no warnings about relaxed expansions and what has no place */
} legalize_options;

/* Rewrite M until the dialect TO can express every node, and write nothing. Where the dialect that
 * M was read from has no contractions and TO has, sums of products become such. Nodes keep their
 * types; every output keeps its value bit for bit, except for floats in contractions so found and
 * where a relaxed expansion was needed, of which warnings tell. Whatever has no form in TO is
 * reported, all of it: kind NotExpressible, naming the op and the reason. Nodes that only expanded
 * nodes used are dropped.
 *
 * needs   M verified; TO->can
 * breaks  fusion hints of functions that change (with a warning) */
tn_status legalize(module *m, const dialect *to, const legalize_options *options);

/* Is every node of M expressible in TO as it stands? Reports each that is not, changing nothing. */
tn_status check_legal(const module *m, const dialect *to);

#endif
