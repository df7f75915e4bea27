/* One use of an op that the target of a conversion lacks, to be written with other ops. */
#ifndef PASS_EXPAND_EXPAND_H
#define PASS_EXPAND_EXPAND_H

#include "dialect/dialect.h"
#include "ops/build.h"

typedef struct expand_call {
    const dialect *to;   /* NULL: the primitives of the compiler */
    builder *b;          /* appends to the function being made */
    const function *f;   /* the one that is rewritten */
    const node *n;       /* in it */
    const value_id *in;  /* N's operands in the function being made */
    const value_id *now; /* what the values before N of F are there */
    const type *out;     /* type of N's result */
    arena *memory;
    const void *user; /* of whoever chooses */
} expand_call;

/* The value that stands for N's result, of the same type. NO_VALUE with nothing appended that
 * matters: this use cannot be written so (the next row is tried). */
typedef value_id expand_fn(expand_call *c);

#define EXPAND(op, function, class, uses, label) expand_fn expand_##function;
#include "pass/expand/expand.def"
#undef EXPAND

/* A take or a gather at constant positions in few runs of even steps, such as those of borders that
 * repeat or mirror what is beside them: slices beside each other. For the compiler only. */
value_id expand_take_as_runs(expand_call *c);

/* Does the target spell OP? */
static inline bool target_has(const expand_call *c, op_id op)
{
    return c->to ? c->to->spelling(op) != NULL : op != OP_CONV2D;
}

static inline const type *operand_type_of(const expand_call *c, uint32_t k)
{
    return build_type(c->b, c->in[k]);
}

/* The node that makes V, a value of the function being made. */
static inline const node *maker(const expand_call *c, value_id v)
{
    return node_of(c->b->f, v);
}

/* The constant behind V, seen through broadcasts, reshapes and new axes, whose elements V has in
 * their order; NULL when V is none. */
const literal *constant_behind(const expand_call *c, value_id v);
/* Is V everywhere NUMBER (for floats with that sign of zero)? */
bool is_everywhere(const expand_call *c, value_id v, double number);
/* NUMBER as a scalar of the dtype D. */
value_id expand_number(expand_call *c, tn_dtype d, double number);
/* NUMBER everywhere in the shape of LIKE. */
value_id expand_filled(expand_call *c, const type *like, double number);
/* X as the node's result type: a reshape. */
value_id expand_to_result(expand_call *c, value_id x);
/* The reduction for the attribute `combine` of windows, where that is not a sum. */
op_id expand_extreme_op(int64_t combine);
/* The node with the number PLAIN at KEY, by which a NaN loses; NaN where the same node with LARGEST
 * at KEY finds one. */
value_id expand_nan_beside(expand_call *c, attr_key key, int64_t plain, int64_t largest);
/* Are all extents of operands and result numbers? */
bool is_static_call(const expand_call *c);

#endif
