/* The sums of a contraction whose accumulator and result may have dtypes of their own. */
#ifndef EVAL_PARTS_SUMS_H
#define EVAL_PARTS_SUMS_H

#include "eval/parts/eval_call.h"

typedef struct sums {
    tn_dtype form;   /* of operands and chains */
    tn_dtype sum;    /* the accumulator: differs from `form` when it is a narrow float */
    tn_dtype result; /* what is stored */
    char *tile;      /* sums, of `form` */
    char *rounded;   /* of `sum`; NULL when that is `form` */
} sums;

/* Room for ROWS x N sums of the contraction CALL. False without memory. */
bool sums_init(sums *s, const eval_call *call, size_t rows, size_t n);
/* Convert N sums of the tile to OUT: rounded once, unless a narrow accumulator or other dtypes were
 * asked for. */
void sums_deliver(const sums *s, char *out, size_t n);

#endif
