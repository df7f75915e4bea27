/* Contractions of kernels: what products.c finds out about one, for the nests that contain it. */
#ifndef LOOP_NEST_PRODUCTS_H
#define LOOP_NEST_PRODUCTS_H

#include "loop/contract/contract.h"
#include "loop/nest/nest.h"
#include "plan/contraction.h"

/* What the rest of the kernel does with the results. */
typedef struct follow_up {
    emitter e;
    kernel k; /* over rows and columns of results */
    value_id result;
    const uint32_t *numbers; /* of the program's buffers, by those of K; NULL: CONTRACT_MORE .. */
    loop_value scratch;      /* a stage: where C is stored; LOOP_NO_VALUE: in its buffers */
} follow_up;

/* An operand that is computed where it is loaded. */
typedef struct prologue {
    emitter e;
    kernel k; /* over the positions of the operand, which it stores, joined where that is possible
               */
    const uint32_t *numbers; /* as in the follow-up */
} prologue;

typedef struct product {
    contraction loops;
    uint32_t left; /* which of its operands is A */
    contract_spec spec;
    follow_up *follow;     /* NULL: the results are stored as they are */
    prologue *operands[2]; /* A and B; NULL: in memory */
} product;

static inline const contraction_operand *product_a(const product *p)
{
    return &p->loops.operand[p->left];
}
static inline const contraction_operand *product_b(const product *p)
{
    return &p->loops.operand[1 - p->left];
}

/* The contraction of K, in MEMORY. KEEPS_SIDES: A must be its left operand, and the right one
 * without guards. False without memory, or when this is not possible. */
bool product_begin(const function *f, const kernel *k, bool keeps_sides, arena *memory, product *p);

#endif
