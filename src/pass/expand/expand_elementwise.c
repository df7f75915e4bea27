/* Elementwise ops, written with others. */
#include <math.h>

#include "graph/literal.h"
#include "pass/expand/expand.h"

/* A maximum has these values too, but another derivative at 0, which would go to x. */
value_id expand_relu_as_select(expand_call *c)
{
    const value_id x = c->in[0], zero = expand_number(c, c->out->dtype, 0);
    return build_select(c->b, build_compare(c->b, DIR_GT, x, zero), x, zero);
}

value_id expand_maximum_as_relu(expand_call *c)
{
    if (dtype_is_unsigned(c->out->dtype) || dtype_is_bool(c->out->dtype))
        return NO_VALUE;
    for (uint32_t k = 0; k < 2; k++)
        if (is_everywhere(c, c->in[k], 0) && operand_type_of(c, 1 - k) == c->out)
            return build_unary(c->b, OP_RELU, c->in[1 - k]);
    return NO_VALUE;
}

value_id expand_relu_grad_as_select(expand_call *c)
{
    value_id zero = expand_number(c, c->out->dtype, 0);
    return build_select(c->b, build_compare(c->b, DIR_GT, c->in[1], zero), c->in[0], zero);
}

/* The comparison in DIRECTION that makes V, or NULL. */
static const node *comparison(const expand_call *c, value_id v, direction d)
{
    const node *n = maker(c, v);
    return n->op == OP_COMPARE && attr_int(n->attrs, KEY_DIRECTION, -1) == (int64_t)d ? n : NULL;
}

/* The X of the comparison x > 0, also spelt 0 < x, that makes V; NO_VALUE where it is another. */
static value_id above_zero(const expand_call *c, value_id v)
{
    const node *gt = comparison(c, v, DIR_GT), *lt = comparison(c, v, DIR_LT);
    if (gt && is_everywhere(c, gt->in[1], 0))
        return gt->in[0];
    return lt && is_everywhere(c, lt->in[0], 0) ? lt->in[1] : NO_VALUE;
}

/* The X where c selects something where x > 0, else 0, and x has the type of that; or NO_VALUE. */
static value_id selects_above_zero(const expand_call *c)
{
    const value_id x = above_zero(c, c->in[0]);
    const tn_dtype d = c->out->dtype;
    return x != NO_VALUE && is_everywhere(c, c->in[2], 0) && build_type(c->b, x)->dtype == d &&
                   (dtype_is_signed(d) || dtype_is_float(d))
               ? x
               : NO_VALUE;
}

value_id expand_select_as_relu(expand_call *c)
{
    const value_id x = selects_above_zero(c);
    return x != NO_VALUE && x == c->in[1] ? build_unary(c->b, OP_RELU, x) : NO_VALUE;
}

value_id expand_select_as_relu_grad(expand_call *c)
{
    const value_id x = selects_above_zero(c);
    return x != NO_VALUE ? build_binary(c->b, OP_RELU_GRAD, c->in[1], x) : NO_VALUE;
}

/* Are A and B one value, or constants of one number? Where a dialect writes a constant with each
 * use, it is another value there. */
static bool is_same(const expand_call *c, value_id a, value_id b)
{
    const literal *x = constant_behind(c, a), *y = constant_behind(c, b);
    const type *t = build_type(c->b, a);
    return a == b ||
           (x && y && t == build_type(c->b, b) && dtype_is_int(t->dtype) && literal_is_single(x) &&
            literal_is_all(y, scalar_load(t->dtype, literal_element(x, 0))));
}

/* select(b == 0, 0, a / select(b == 0, 1, b)), as div_guarded makes it. */
value_id expand_select_as_div(expand_call *c)
{
    const node *p = comparison(c, c->in[0], DIR_EQ), *quotient = maker(c, c->in[2]);
    if (!p || !dtype_is_int(c->out->dtype) || !is_everywhere(c, p->in[1], 0) ||
        !is_everywhere(c, c->in[1], 0) || quotient->op != OP_DIV)
        return NO_VALUE;
    value_id divided = quotient->in[0], by = p->in[0];
    const node *divisor = maker(c, quotient->in[1]);
    if (divisor->op == OP_BROADCAST)
        divisor = maker(c, divisor->in[0]);
    if (divisor->op != OP_SELECT || !is_everywhere(c, divisor->in[1], 1))
        return NO_VALUE;
    const node *guard = comparison(c, divisor->in[0], DIR_EQ);
    if (!guard || !is_same(c, guard->in[0], divisor->in[2]) || !is_everywhere(c, guard->in[1], 0) ||
        !is_same(c, divisor->in[2], by))
        return NO_VALUE;
    value_id in[] = {divided, by};
    attr entry = attr_of_int(KEY_ON_ZERO, ON_ZERO_ZERO);
    return build_node(c->b, OP_DIV, in, 2, &entry, 1);
}

value_id expand_div_guarded(expand_call *c)
{
    if (!dtype_is_int(c->out->dtype) ||
        attr_int(c->n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) != ON_ZERO_ZERO)
        return NO_VALUE;
    value_id zero = expand_number(c, c->out->dtype, 0), one = expand_number(c, c->out->dtype, 1);
    value_id by = build_broadcast(c->b, c->in[1], c->out->dims, c->out->rank);
    value_id is_zero = build_compare(c->b, DIR_EQ, by, zero);
    value_id divisor = build_select(c->b, is_zero, one, by);
    return build_select(c->b, is_zero, zero, build_binary(c->b, OP_DIV, c->in[0], divisor));
}

value_id expand_div_plainly(expand_call *c)
{
    if (dtype_is_int(c->out->dtype) || !attr_find(c->n->attrs, KEY_ON_ZERO))
        return NO_VALUE;
    return build_binary(c->b, OP_DIV, c->in[0], c->in[1]);
}

value_id expand_div_by_constant(expand_call *c)
{
    const literal *l = constant_behind(c, c->in[1]);
    if (!l || !dtype_is_int(c->out->dtype) ||
        attr_int(c->n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) != ON_ZERO_ERROR)
        return NO_VALUE;
    for (int64_t i = 0; i < (l->splat ? 1 : l->type->count); i++)
        if (scalar_load(l->type->dtype, literal_element(l, i)).i == 0)
            return NO_VALUE;
    attr entry = attr_of_int(KEY_ON_ZERO, ON_ZERO_ZERO);
    return build_node(c->b, OP_DIV, c->in, 2, &entry, 1);
}

value_id expand_clamp_as_min_max(expand_call *c)
{
    return build_binary(c->b, OP_MINIMUM, build_binary(c->b, OP_MAXIMUM, c->in[0], c->in[1]),
                        c->in[2]);
}

value_id expand_reciprocal_as_div(expand_call *c)
{
    return build_binary(c->b, OP_DIV, expand_number(c, c->out->dtype, 1), c->in[0]);
}

/* Of -0 and +0 the maximum is +0, and of the smallest integer -x is itself. */
value_id expand_abs_as_maximum(expand_call *c)
{
    if (dtype_is_unsigned(c->out->dtype))
        return c->in[0];
    return build_binary(c->b, OP_MAXIMUM, c->in[0], build_unary(c->b, OP_NEG, c->in[0]));
}

value_id expand_stop_gradient(expand_call *c)
{
    return c->in[0];
}

value_id expand_cast_to_itself(expand_call *c)
{
    return operand_type_of(c, 0) == c->out ? c->in[0] : NO_VALUE;
}

value_id expand_extremum_nan_as_select(expand_call *c)
{
    value_id y = build_binary(c->b, c->n->op == OP_MAXIMUM_NAN ? OP_MAXIMUM : OP_MINIMUM, c->in[0],
                              c->in[1]);
    for (uint32_t k = 0; k < 2; k++)
        y = build_select(c->b, build_compare(c->b, DIR_NE, c->in[k], c->in[k]), c->in[k], y);
    return y;
}

value_id expand_wrap_as_cast(expand_call *c)
{
    if (!dtype_holds_ints(c->out->dtype, operand_type_of(c, 0)->dtype))
        return NO_VALUE;
    return build_cast(c->b, c->in[0], c->out->dtype);
}

/* ---- comparisons and truth values ---- */

/* a <= b is a < b or a == b, also of NaN; and a >= b the other way round. */
value_id expand_compare_as_either(expand_call *c)
{
    const direction d = (direction)attr_int(c->n->attrs, KEY_DIRECTION, DIR_LT);
    if (d != DIR_LE && d != DIR_GE)
        return NO_VALUE;
    value_id strict = build_compare(c->b, d == DIR_LE ? DIR_LT : DIR_GT, c->in[0], c->in[1]);
    return build_binary(c->b, OP_OR, strict, build_compare(c->b, DIR_EQ, c->in[0], c->in[1]));
}

static value_id against_infinity(expand_call *c, direction d)
{
    value_id infinity = expand_number(c, operand_type_of(c, 0)->dtype, (double)INFINITY);
    return build_compare(c->b, d, build_unary(c->b, OP_ABS, c->in[0]), infinity);
}

value_id expand_is_finite_as_compare(expand_call *c)
{
    return against_infinity(c, DIR_LT);
}

value_id expand_is_inf_as_compare(expand_call *c)
{
    return against_infinity(c, DIR_EQ);
}

value_id expand_is_nan_as_compare(expand_call *c)
{
    return build_compare(c->b, DIR_NE, c->in[0], c->in[0]);
}

static bool is_truth(const expand_call *c)
{
    return dtype_is_bool(c->out->dtype);
}

static value_id truth(expand_call *c, bool value)
{
    return build_scalar(c->b, TN_I1, scalar_of_bool(value));
}

value_id expand_and_as_select(expand_call *c)
{
    return is_truth(c) ? build_select(c->b, c->in[0], c->in[1], truth(c, false)) : NO_VALUE;
}

value_id expand_or_as_select(expand_call *c)
{
    return is_truth(c) ? build_select(c->b, c->in[0], truth(c, true), c->in[1]) : NO_VALUE;
}

value_id expand_xor_as_compare(expand_call *c)
{
    return is_truth(c) ? build_compare(c->b, DIR_NE, c->in[0], c->in[1]) : NO_VALUE;
}

value_id expand_not_as_select(expand_call *c)
{
    if (!is_truth(c))
        return NO_VALUE;
    const value_id no = truth(c, false), yes = truth(c, true);
    return build_select(c->b, c->in[0], no, yes);
}

/* The complement of an integer is -1 - x, modulo its range. */
value_id expand_not_as_sub(expand_call *c)
{
    const tn_dtype d = c->out->dtype;
    const scalar ones = dtype_is_unsigned(d) ? scalar_of_uint(dtype_int_max(d)) : scalar_of_int(-1);
    if (!dtype_is_int(d))
        return NO_VALUE;
    return build_binary(c->b, OP_SUB, build_scalar(c->b, d, ones), c->in[0]);
}

/* ---- arithmetic ---- */

value_id expand_mod_as_div(expand_call *c)
{
    value_id quotient = build_binary(c->b, OP_DIV, c->in[0], c->in[1]);
    return build_binary(c->b, OP_SUB, c->in[0], build_binary(c->b, OP_MUL, quotient, c->in[1]));
}

/* Through integers, where those hold every number that has a fraction. Below 1 it is x * 0, which
 * keeps the sign. */
value_id expand_trunc_as_cast(expand_call *c)
{
    const tn_dtype d = c->out->dtype, through = d == TN_F64 ? TN_SI64 : TN_SI32;
    const double whole = ldexp(1, dtype_table[d].precision - 1); /* from here on all are whole */
    value_id x = c->in[0], size = build_unary(c->b, OP_ABS, x);
    value_id small = build_compare(c->b, DIR_LT, size, expand_number(c, d, 1));
    value_id zero = build_binary(c->b, OP_MUL, x, expand_number(c, d, 0));
    value_id broken = build_compare(c->b, DIR_LT, size, expand_number(c, d, whole));
    value_id cut = build_cast(c->b, build_cast(c->b, x, through), d);
    return build_select(c->b, small, zero, build_select(c->b, broken, cut, x));
}

/* trunc is already right on one side of 0. */
value_id expand_floor_as_trunc(expand_call *c)
{
    value_id cut = build_unary(c->b, OP_TRUNC, c->in[0]), one = expand_number(c, c->out->dtype, 1);
    value_id above = build_compare(c->b, DIR_LT, c->in[0], cut);
    return build_select(c->b, above, build_binary(c->b, OP_SUB, cut, one), cut);
}

value_id expand_ceil_as_trunc(expand_call *c)
{
    value_id cut = build_unary(c->b, OP_TRUNC, c->in[0]), one = expand_number(c, c->out->dtype, 1);
    value_id below = build_compare(c->b, DIR_LT, cut, c->in[0]);
    return build_select(c->b, below, build_binary(c->b, OP_ADD, cut, one), cut);
}

value_id expand_sign_as_select(expand_call *c)
{
    const tn_dtype d = c->out->dtype;
    value_id zero = expand_number(c, d, 0), one = expand_number(c, d, 1);
    value_id minus = expand_number(c, d, -1);
    value_id below = build_compare(c->b, DIR_LT, c->in[0], zero);
    value_id above = build_compare(c->b, DIR_LT, zero, c->in[0]);
    return build_select(c->b, above, one, build_select(c->b, below, minus, c->in[0]));
}

/* ---- functions by other functions: these round differently ---- */

static const double ln_of_2 = 0.6931471805599453, log2_of_e = 1.4426950408889634;

/* OP(x * BY) */
static value_id of_scaled(expand_call *c, op_id op, double by)
{
    value_id k = expand_number(c, c->out->dtype, by);
    return build_unary(c->b, op, build_binary(c->b, OP_MUL, c->in[0], k));
}

/* OP(x) * BY */
static value_id scaled(expand_call *c, op_id op, double by)
{
    value_id k = expand_number(c, c->out->dtype, by);
    return build_binary(c->b, OP_MUL, build_unary(c->b, op, c->in[0]), k);
}

value_id expand_exp2_as_exp(expand_call *c)
{
    return of_scaled(c, OP_EXP, ln_of_2);
}

value_id expand_exp_as_exp2(expand_call *c)
{
    return of_scaled(c, OP_EXP2, log2_of_e);
}

value_id expand_log2_as_log(expand_call *c)
{
    return scaled(c, OP_LOG, log2_of_e);
}

value_id expand_log_as_log2(expand_call *c)
{
    return scaled(c, OP_LOG2, ln_of_2);
}

/* 1 / rsqrt(x): right for both zeros and for infinity. Of narrow floats in f32: on the way of its
 * derivative is g x, which often is no number of f16. */
value_id expand_sqrt_as_rsqrt(expand_call *c)
{
    const tn_dtype d = c->out->dtype;
    const value_id x = build_cast(c->b, c->in[0], dtype_compute(d));
    const value_id y = build_unary(c->b, OP_RECIPROCAL, build_unary(c->b, OP_RSQRT, x));
    return build_cast(c->b, y, d);
}

/* The square root is exp(log(x) / 2). */
value_id expand_sqrt_as_exp(expand_call *c)
{
    return build_unary(c->b, OP_EXP, scaled(c, OP_LOG, 0.5));
}

value_id expand_rsqrt_as_exp(expand_call *c)
{
    return build_unary(c->b, OP_EXP, scaled(c, OP_LOG, -0.5));
}

/* s (1 - 2 / (exp(2 s x) + 1)), where s is -1 above 0, and 1 elsewhere, also of NaN: no power is
 * above 1, so that the derivative is a number wherever x is one. It is right at both infinities. */
value_id expand_tanh_as_exp(expand_call *c)
{
    const tn_dtype d = c->out->dtype;
    value_id one = expand_number(c, d, 1), two = expand_number(c, d, 2);
    value_id change = build_binary(c->b, OP_RELU_GRAD, expand_filled(c, c->out, -2), c->in[0]);
    value_id s = build_binary(c->b, OP_ADD, change, one);
    value_id below = build_binary(c->b, OP_MUL, c->in[0], s);
    value_id e = build_unary(c->b, OP_EXP, build_binary(c->b, OP_MUL, below, two));
    value_id part = build_binary(c->b, OP_DIV, two, build_binary(c->b, OP_ADD, e, one));
    return build_binary(c->b, OP_MUL, build_binary(c->b, OP_SUB, one, part), s);
}
