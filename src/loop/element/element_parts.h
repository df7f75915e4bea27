/* What the files behind element.h share. */
#ifndef LOOP_ELEMENT_ELEMENT_PARTS_H
#define LOOP_ELEMENT_ELEMENT_PARTS_H

#include "loop/element/element.h"

/* Constants of the type of LIKE. */
static inline loop_value const_like(loop_builder *b, loop_value like, uint64_t bits)
{
    return loop_const(b, loop_value_type(b, like), bits);
}
static inline loop_value float_like(loop_builder *b, loop_value like, double value)
{
    return loop_float(b, loop_value_type(b, like), value);
}

static inline loop_value invert(loop_builder *b, loop_value mask)
{
    return loop_unary(b, LOOP_NOT, mask);
}

/* The constant that every lane of V is; NULL where it is none, or not known. */
static inline const loop_inst *known_number(const loop_builder *b, loop_value v)
{
    if (b->fault)
        return NULL;
    const loop_inst *i = &b->at[v];
    i = i->op == LOOP_SPLAT ? &b->at[i->in[0]] : i;
    return i->op == LOOP_CONST && i->n_lanes == 0 ? i : NULL;
}

static inline element element_of(tn_dtype d, loop_value re)
{
    return (element){.dtype = d, .re = re, .im = LOOP_NO_VALUE};
}

static inline bool element_is_narrow(tn_dtype d) /* a float that computes in f32 */
{
    return dtype_compute(d) != d;
}

/* One use of an op, with operands of equally many lanes. */
typedef struct element_call {
    op_id op;
    const attrs *given;
    const element *in;
    uint32_t n_in;
    tn_dtype out;      /* of the result */
    loop_value *fails; /* gets a mask of the lanes that cannot be computed, if there may be any */
} element_call;

/* The result, rounded unless the op gives a number of the dtype by itself. */
typedef element element_fn(loop_builder *b, const element_call *c);

/* Those that rows of ops.def name. */
#define ELEMENTWISE(id, text, n_in, attrs, traits, infer, kernel, cost, grad, help)                \
    element_fn form_##kernel;
#include "graph/ops.def"

/* The stored bits of a part of dtype D (not complex) to the form that is held, and back. */
loop_value element_decode(loop_builder *b, tn_dtype d, loop_value stored);
loop_value element_encode(loop_builder *b, tn_dtype d, loop_value held);

/* The quotient toward zero of integers, or the remainder. Where Y is 0 the result is 0, and *ZERO
 * tells where, unless it is nowhere: LOOP_NO_VALUE. */
element element_divide_int(loop_builder *b, bool remainder, element x, element y, loop_value *zero);

/* A 4-bit integer from the low bits of X; X itself for other dtypes. */
loop_value element_wrap(loop_builder *b, tn_dtype d, loop_value x);

/* X, an f64, rounded once to the float D, as held. */
loop_value element_round_f64(loop_builder *b, tn_dtype d, loop_value x);

/* Elements of all N to the lanes of the one with most. */
void element_align(loop_builder *b, element *x, uint32_t n);

#endif
