/* Contractions as loops: each result is a sum of products over some loops, with the strides of the
 * factors in memory. Movement between memory and a contraction, padding and windows included, is
 * absorbed where strides can express it. */
#ifndef PLAN_CONTRACTION_H
#define PLAN_CONTRACTION_H

#include "graph/module.h"

enum { CONTRACTION_WINDOWS = 4, CONTRACTION_WALKERS = 4 };

typedef enum contraction_part {
    CONTRACTION_BATCH,
    CONTRACTION_ROWS,
    CONTRACTION_COLUMNS,
    CONTRACTION_SUM
} contraction_part;

typedef struct contraction_loop {
    contraction_part part;
    int64_t extent;
    int64_t step[2]; /* in the memory of both operands, without those of windows; in elements */
    int64_t c;       /* in the result */
    int64_t extent_other, step_other[2], c_other; /* the same with other sizes */
} contraction_loop;

/* One axis of memory that several loops walk: its coordinate is the sum of loop * by, less `low`;
 * outside of 0 .. extent - 1 the factor is +0, or the border of the operand. */
typedef struct contraction_window {
    uint32_t n;
    struct {
        uint32_t loop;
        int64_t by; /* above 0 */
        int64_t by_other;
    } walkers[CONTRACTION_WALKERS];
    int64_t low, extent, step;
    int64_t low_other, extent_other, step_other;
} contraction_window;

typedef struct contraction_operand {
    value_id base;       /* what lies in memory */
    int64_t first_other; /* `first` with other sizes */
    int64_t first;   /* its element where all loops are at 0 and all coordinates of windows too */
    bool is_guarded; /* some windows reach beyond it */
    int64_t border;  /* what they find there, where it is of integers */
    uint32_t n_windows;
    contraction_window windows[CONTRACTION_WINDOWS];
} contraction_operand;

/* Loops of a part are in the order of the results, or of the products; each operand has only those
 * that it may. At most one of the operands is guarded. */
typedef struct contraction {
    uint32_t n_loops;
    contraction_loop loops[TN_MAX_RANK];
    contraction_operand operand[2];
    bool is_exchanged; /* rows belong to the right operand, columns to the left one */
    bool is_direct;    /* some columns belong to both operands: see contract_direct.h */
} contraction;

/* The product that node N of F is, which node_contracts. False without memory, and for forms that
 * have no loops. */
bool contraction_of(const function *f, const node *n, arena *memory, contraction *out);
/* What its products are added in, as the graph names it. */
tn_dtype contraction_sum(const function *f, const node *n);
/* Are its results in the order batches, rows, columns, as products of matrices have them? */
bool contraction_is_in_order(const contraction *p);
/* Windows of operand O, which is not guarded, become steps. */
void contraction_drop_windows(contraction *p, uint32_t o);

#endif
