/* What the parts of the pass hoist share; private to it. */
#ifndef PASS_HOIST_HOIST_H
#define PASS_HOIST_HOIST_H

#include "graph/module.h"

typedef struct loop {
    function *f;
    node n;                     /* as it stood: nodes move as others are added */
    function *body, *condition; /* CONDITION is NULL in a scan */
    uint32_t n_carries;
} loop;

/* Of a value of the body. */
typedef struct fact {
    bool is_invariant;
    bool is_wanted;  /* by what stays in the body */
    bool is_hoisted; /* it becomes a carry */
    bool is_made;    /* before the loop: it is hoisted, or something that is needs it */
    size_t bytes;    /* of the largest carry that it is made of; 0: of none */
    value_id before; /* what stands for it before the loop */
} fact;

/* ---- hoist.c ---- */

/* Does carry K never change? */
bool carry_is_kept(const loop *l, uint32_t k);

/* ---- matrices.c ---- */

/* In the body, transpose the matrices that never change and that products of few rows read along
 * their inputs. */
tn_status transpose_matrices(const loop *l, arena *memory);

/* ---- rewrite.c ---- */

/* Make before the loop what FACTS says, and the loop with N_NEW more carries, which are what is
 * hoisted; all at the end of the function. NOW says what stands for the results of the loop. */
tn_status hoist_carries(const loop *l, fact *facts, uint32_t n_new, value_id *now, arena *memory);

#endif
