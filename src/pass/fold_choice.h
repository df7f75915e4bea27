/* Which constants fold-pure and fold-parameters make: what is worth computing while compiling. */
#ifndef PASS_FOLD_CHOICE_H
#define PASS_FOLD_CHOICE_H

#include "graph/module.h"

enum {
    FOLD_OPERANDS = 64, /* of a node that is folded, and results */
    FOLD_ITERATIONS = 1 << 16
};

/* Does a function give equal results for equal operands? ASKED: it is being found out. */
typedef enum purity { UNKNOWN, ASKED, PURE, IMPURE } purity;

/* How often a value is taken, and the sum of the numbers of the nodes that do so. */
typedef struct value_uses {
    uint32_t count, users;
} value_uses;

typedef struct fold_choice {
    function *f;
    bool bounded;     /* fold-pure; else fold-parameters, for which the limits hold alone */
    purity *regions;  /* of the module's functions */
    value_uses *uses; /* by value */
    uint32_t n_counted;
} fold_choice;

/* For F, with room in MEMORY. REGIONS: of each function of the module, UNKNOWN at first. False
 * without memory. */
bool fold_choice_init(fold_choice *w, function *f, bool bounded, purity *regions, arena *memory);
/* Node I, which became a constant, takes its N operands no more. */
void fold_forget_uses(const fold_choice *w, uint32_t i, uint32_t n);

/* Is N an op on constants that gives the same result every time? *SIZE: elements of its operands.
 */
bool fold_is_constant_op(fold_choice *w, const node *n, int64_t *size);
/* Is N, such an op, a large constant in another shape, which nothing else reads? */
bool fold_is_whole(const fold_choice *w, const node *n);
/* Is it to be computed? SIZE is that of its operands. */
bool fold_is_wanted(const fold_choice *w, const node *n, int64_t size);

#endif
