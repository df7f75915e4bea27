/* Index expressions as sums: a number, factors times axes, and factors times quotients of such
 * sums. Rewriting the axes (split, folded, reversed, fixed) and simplifying brings quotients down
 * to axes of their own. */
#ifndef INDEX_QUASI_H
#define INDEX_QUASI_H

#include "ops/index_map.h"
#include "ops/shape.h"

/* offset + sum of factors times axes. */
typedef struct affine {
    int64_t offset, factors[TN_MAX_RANK];
} affine;

enum { QUASI_TERMS = 8 };

typedef struct quasi {
    affine line;
    uint32_t n;
    struct {
        int64_t factor;
        const struct quotient *q;
    } terms[QUASI_TERMS];
} quasi;

/* floor(inner / divisor), divisor > 1 */
typedef struct quotient {
    quasi inner;
    int64_t divisor;
} quotient;

/* Some of what follows may fail: no memory, too many terms, numbers that do not fit. */
typedef struct quasi_work {
    arena *memory;
    int64_t extents[TN_MAX_RANK]; /* by axis; 1 for those that are gone */
    bool no_memory, too_large;
} quasi_work;

static inline bool quasi_fine(const quasi_work *w)
{
    return !w->no_memory && !w->too_large;
}

void quasi_of(quasi_work *w, const index_expr *e, quasi *out);

/* What becomes of axis X of the lines: X := scale * OTHER + keep * X + shift; OTHER is then new.
 * (Splitting: q, 1, -low. Reversing: 0, -1, extent - 1. Fixing: 0, 0, value.) */
typedef struct axis_change {
    uint32_t axis, other;
    int64_t scale, keep, shift;
} axis_change;
void quasi_change(quasi_work *w, quasi *x, const axis_change *change);

/* With T = FORM without its offset: if every line holds the axes of FORM only as a multiple of T,
 * say T as axis TO (one of FORM's) and return true. With DRY nothing is changed. */
bool quasi_fold(quasi_work *w, quasi *x, const affine *form, uint32_t to, bool dry);

/* Pull out of quotients what divides, drop those that are constant. */
void quasi_simplify(quasi_work *w, quasi *x);

/* The quotient with the smallest divisor among those whose inner sum has no quotient, or BEST. */
const quotient *quasi_innermost(const quasi *x, const quotient *best);

#endif
