/* The reverse walk: gradients of a function's values, from the last to the first. */
#ifndef GRAD_REVERSE_H
#define GRAD_REVERSE_H

#include "grad/grad.h"

typedef struct reverse_walk {
    function *f;
    uint32_t first_node, end_node; /* the primal nodes; what is appended comes behind them */
    uint32_t n_values;             /* of the primal, and entries of the arrays below */
    grad_style style;
    bool *depends;         /* by value: on something whose gradient is wanted */
    value_id *grads;       /* by value: its gradient so far; NO_VALUE: none */
    const bool *recompute; /* by node: compute again where the gradient needs it; NULL: none */
    value_id *again;       /* by value: its second computation; NULL without `recompute` */
    const bool *has_seed;  /* by value: its gradient does not only come from nodes */
    uint32_t *first_user;  /* by value: where its users begin in `users`; */
    uint32_t *users;       /* nodes; NULL before it was asked for */
    uint32_t depth;        /* of regions around F */
    grad_work *work;
} reverse_walk;

/* Arrays for the values that F has now, in the module's memory; the primal nodes are all of F's
 * from FIRST_NODE on. */
tn_status reverse_init(reverse_walk *w, function *f, uint32_t first_node, const grad_style *style,
                       uint32_t depth, grad_work *work);
/* Extend `depends` from the values that are marked to those computed from them. */
void reverse_mark(reverse_walk *w);
/* Add CONTRIBUTION (which may be NO_VALUE) to the gradient of TO, as BinOp(Add, old, new). */
tn_status reverse_add(reverse_walk *w, builder *b, value_id to, value_id contribution);
/* Visit the primal nodes backwards. Contributions to one value are added in the order in which they
 * are met, operands of a node left to right. */
tn_status reverse_run(reverse_walk *w);
/* The gradient of V, a constant zero where nothing flowed into it. */
value_id reverse_result(const reverse_walk *w, builder *b, value_id v);

/* Does a gradient flow into this value? Values without elements count as constants. */
static inline bool reverse_wants(const reverse_walk *w, value_id v)
{
    const type *t = value_type(w->f, v);
    return w->depends[v] && dtype_is_float(t->dtype) && t->count != 0;
}

/* A builder for nodes that belong to the gradient of V. */
builder reverse_builder(const reverse_walk *w, value_id v);

#endif
