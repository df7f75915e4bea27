/* Derivative rules: what one node contributes to the gradients of its operands. */
#ifndef GRAD_GRAD_H
#define GRAD_GRAD_H

#include "grad/regions/grad_memo.h"
#include "ops/build.h"

/* How a gradient is spelt. */
typedef struct grad_style {
    bool core_only; /* Core v1 instructions only */
    /* Is OP one of them? NULL: the primal is known to hold no others. */
    bool (*is_core)(op_id op);
    bool core_conv2d; /* in these also the derivative of conv2d, which is refused otherwise */
    bool plain;       /* see builder.plain */
    /* How a dialect spells an op, NULL when it lacks it; without the function every op will do. */
    const char *(*spelling)(op_id op);
} grad_style;

typedef struct grad_call grad_call;
/* A derivative rule: adds the nodes of one contribution. */
typedef tn_status grad_fn(grad_call *call);

/* "This op has no derivative" as a decision: rejects with NoDerivative. */
grad_fn grad_none;

/* The first N operands of a concatenation, which end at AT. */
typedef struct grad_passed {
    uint32_t n;
    dim at;
} grad_passed;

/* The question a rule answers. It appends nodes to call->b.f with the sticky builder and sets *out;
 * NO_VALUE says that the contribution is zero by definition (a barrier). The reverse walk adds
 * contributions up, and reports for rules that return a status without a report of their own:
 * `grad_none`. A case that a rule refuses goes through grad_refuse.
 *
 * source: MIND autodiff, "Derivative rules" */
struct grad_call {
    builder b;
    node n;            /* the primal node, in b.f; a copy, for appending moves the original */
    uint32_t operand;  /* whose contribution is asked for; it is a float and depends on an input */
    const value_id *g; /* gradient of each result; NO_VALUE where there is none */
    bool core_only;    /* as in the style */
    const grad_style *style;
    const bool *wanted; /* by operand: a contribution to it is, or will be, asked for */
    /* What was made for the node's earlier operands; the walk keeps it. */
    value_id *shared; /* by operand */
    bool *is_shared;  /* `shared` is filled */
    grad_passed *passed;
    uint32_t depth;  /* of regions around the node */
    grad_work *work; /* of the whole differentiation */
    value_id *out;
};

/* Shorthands for rules. */
static inline value_id grad_in(const grad_call *c, uint32_t k)
{
    return c->n.in[k];
}
static inline value_id grad_y(const grad_call *c)
{
    return c->n.first_value;
}
static inline const type *grad_type(const grad_call *c, value_id v)
{
    return build_type(&c->b, v);
}
/* Can the gradient use OP? */
static inline bool grad_has(const grad_call *c, op_id op)
{
    return !c->style->spelling || c->style->spelling(op);
}
/* A rank-0 constant of the dtype of V. */
value_id grad_scalar(grad_call *c, value_id like, double x);
/* A splat of X in the dtype of V and the given shape; in the type of V. */
value_id grad_splat(grad_call *c, value_id like, const dim *dims, uint32_t rank, double x);
value_id grad_zeros(grad_call *c, value_id like);
/* Rows IN[0] added at the positions IN[1] of zeros like X. */
value_id grad_add_rows(grad_call *c, value_id x, const value_id in[2]);
/* si64[N]. */
value_id grad_indices(grad_call *c, const int64_t *at, int64_t n);

/* Sum G over AXES, which go away. Of a product of batches it is a product that contracts them. */
value_id grad_sum_over(grad_call *c, value_id g, const int64_t *axes, uint32_t n);
/* Sum G, which has the shape of a broadcast, back to the shape of operand V. */
value_id grad_unbroadcast(grad_call *c, value_id g, value_id v);
/* The shape arithmetic of the same: sum over the axes that TO lacks or has as 1. */
value_id grad_sum_to(grad_call *c, value_id g, const dim *to, uint32_t rank);
/* G where X < Y, where X = Y, else 0; the last the other way round. G and the condition have one
 * shape. */
value_id grad_where_less(grad_call *c, value_id x, value_id y, value_id g);
value_id grad_where_equal(grad_call *c, value_id x, value_id y, value_id g);
value_id grad_unless_equal(grad_call *c, value_id x, value_id y, value_id g);

/* Ones and zeros X in the type in which arithmetic is done: few counts are numbers of a narrow one.
 */
value_id grad_countable(grad_call *c, value_id x);
/* G divided by HITS, which count; at least by one. */
value_id grad_share(grad_call *c, value_id g, value_id hits);

/* Movements along one axis, for any set of ops that has reshape, pad and slice (grad_axes.c).
 * Extents are known. */
/* X in reverse order. */
value_id grad_flip(grad_call *c, value_id x, uint32_t axis);
/* LOW zeros, the elements of X with STEP - 1 zeros between neighbours, then zeros up to EXTENT. */
value_id grad_spread(grad_call *c, value_id x, uint32_t axis, int64_t low, int64_t step,
                     int64_t extent);
/* The COUNT elements START, START + STEP, ... of X; STEP > 0. */
value_id grad_pick(grad_call *c, value_id x, uint32_t axis, int64_t start, int64_t step,
                   int64_t count);
/* The same where START and COUNT may be sizes; in dialects with views. */
bool grad_can_part(const grad_call *c);
value_id grad_part(grad_call *c, value_id x, uint32_t axis, dim start, int64_t step, dim count);
/* LOW zeros, then the elements of AXIS, in rows of N with zeros behind the last: two axes. */
value_id grad_split(grad_call *c, value_id x, uint32_t axis, int64_t low, int64_t n);
/* Element AT along AXIS, which goes away. */
value_id grad_at(grad_call *c, value_id x, uint32_t axis, int64_t at);
/* The axes PLACE and WINDOW of X become one of EXTENT, where PLACE was: element (p, w) is added at
 * p * STRIDE + w * DILATION. */
value_id grad_fold_windows(grad_call *c, value_id x, uint32_t place, uint32_t window,
                           int64_t stride, int64_t dilation, int64_t extent);
/* The opposite: AXIS of X becomes one of PLACES, and at the end there is a new one of WINDOW, where
 * (p, w) is element p * STRIDE + w * DILATION. */
value_id grad_unfold_windows(grad_call *c, value_id x, uint32_t axis, int64_t stride,
                             int64_t dilation, int64_t places, int64_t window);

/* 1 over the number of elements of N extents DIMS, rounded once to DTYPE: of rank 0. Of symbolic
 * sizes it is computed as the program runs, with the same bits. NO_VALUE, reported, where Core v1
 * has no words for that. */
value_id grad_one_of(grad_call *c, tn_dtype dtype, const dim *dims, uint32_t n);

/* Finish a rule: *out = V, with the builder's status. */
static inline tn_status grad_gives(grad_call *c, value_id v)
{
    *c->out = v;
    return c->b.status;
}

/* The contribution that RULE gives, computed in f32 where the operand is of a narrower float, and
 * rounded once. The node has one result. */
tn_status grad_wide(grad_call *c, grad_fn *rule);
/* The rule of the node: in this way, where it is a function of several steps. */
tn_status grad_by_rule(grad_call *c);

/* "No derivative here", with a reason; reported as such. */
tn_status grad_refuse(grad_call *c, const char *why);
/* The same, because WHAT, which a rule needs as a number, is symbolic. */
tn_status grad_refuse_symbolic(grad_call *c, const char *what);
/* The axes of the node do not suit its operand. */
tn_status grad_refuse_axes(grad_call *c);
/* The report that rules without a derivative get. */
tn_status grad_unsupported(const function *f, const node *n);

#endif
