/* Legalisation: rewriting a program until a dialect can express it. */
#ifndef PASS_CONVERSIONS_LEGALIZE_H
#define PASS_CONVERSIONS_LEGALIZE_H

#include "dialect/dialect.h"
#include "graph/module.h"

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

#endif
