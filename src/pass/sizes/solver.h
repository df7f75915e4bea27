/* Finding values for sizes one by one: what the ways of finding them share. */
#ifndef PASS_SIZES_SOLVER_H
#define PASS_SIZES_SOLVER_H

#include "pass/sizes/bind.h"

typedef enum solution { FITS, CONTRADICTS, OPEN } solution;

typedef struct solver {
    const module *m;
    const type_table *t;
    dim_values *values;
    bool progress; /* a symbol got its value */
    /* By index of expression: it depends on a symbol that a type of an input names, which is not
     * to be guessed, as a tensor will say it. NULL: all may be guessed. */
    bool *of_inputs;
} solver;

/* To find what follows, without guessing sizes of inputs. */
tn_status solver_begin(solver *s, const module *m, dim_values *values);
void solver_end(solver *s);

/* Make D have the value WANTED, if one unknown symbol is all that is left to choose. */
solution solve_size(solver *s, dim d, int64_t wanted);
/* Values that follow from how reshapes regroup extents; several that are unknown are guessed. */
void solve_reshapes(solver *s, const function *f);

#endif
