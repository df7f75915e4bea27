/* Derivatives of elementwise ops. Those of functions compute narrow floats in f32: grad_wide. */
#include "grad/derivatives.h"
#include "graph/literal.h"

static value_id mul(grad_call *c, value_id x, value_id y)
{
    return build_binary(&c->b, OP_MUL, x, y);
}

static value_id neg(grad_call *c, value_id x)
{
    return build_unary(&c->b, OP_NEG, x);
}

/* g * factor, for an op of one operand. */
static tn_status times(grad_call *c, value_id factor)
{
    return grad_gives(c, mul(c, c->g[0], factor));
}

tn_status grad_neg(grad_call *c)
{
    return grad_gives(c, neg(c, c->g[0]));
}

/* The sign of x; 0 at 0 and for NaN. */
tn_status grad_abs(grad_call *c)
{
    value_id x = grad_in(c, 0), zero = grad_scalar(c, x, 0);
    value_id above = grad_where_less(c, zero, x, c->g[0]);
    value_id below = build_compare(&c->b, DIR_LT, x, zero);
    return grad_gives(c, build_select(&c->b, below, neg(c, c->g[0]), above));
}

tn_status grad_exp(grad_call *c)
{
    return times(c, grad_y(c));
}

tn_status grad_exp2(grad_call *c)
{
    return times(c, mul(c, grad_y(c), grad_scalar(c, grad_y(c), 0x1.62e42fefa39efp-1)));
}

/* g / x. Core v1 has no division: 1 / x is exp(-y). */
tn_status grad_log(grad_call *c)
{
    if (c->core_only)
        return times(c, build_unary(&c->b, OP_EXP, neg(c, grad_y(c))));
    return grad_gives(c, build_binary(&c->b, OP_DIV, c->g[0], grad_in(c, 0)));
}

tn_status grad_log2(grad_call *c)
{
    value_id x = grad_in(c, 0);
    value_id scaled = mul(c, x, grad_scalar(c, x, 0x1.62e42fefa39efp-1));
    return grad_gives(c, build_binary(&c->b, OP_DIV, c->g[0], scaled));
}

/* 1 - y * y */
tn_status grad_tanh(grad_call *c)
{
    value_id y = grad_y(c), square = mul(c, y, y);
    return times(c, build_binary(&c->b, OP_SUB, grad_scalar(c, y, 1), square));
}

/* 2 / sqrt(pi) * exp(-x * x) */
tn_status grad_erf(grad_call *c)
{
    value_id x = grad_in(c, 0), bell = build_unary(&c->b, OP_EXP, neg(c, mul(c, x, x)));
    return times(c, mul(c, bell, grad_scalar(c, x, 0x1.20dd750429b6dp+0)));
}

tn_status grad_sin(grad_call *c)
{
    return times(c, build_unary(&c->b, OP_COS, grad_in(c, 0)));
}

tn_status grad_cos(grad_call *c)
{
    return times(c, neg(c, build_unary(&c->b, OP_SIN, grad_in(c, 0))));
}

/* g / (2 y) */
tn_status grad_sqrt(grad_call *c)
{
    value_id y = grad_y(c);
    value_id half = mul(c, c->g[0], grad_scalar(c, y, 0.5));
    return grad_gives(c, build_binary(&c->b, OP_DIV, half, y));
}

/* -g y^3 / 2, one factor after the other: y^3 alone may be no number where the product is one. */
tn_status grad_rsqrt(grad_call *c)
{
    value_id y = grad_y(c), half = mul(c, c->g[0], grad_scalar(c, y, -0.5));
    return grad_gives(c, mul(c, mul(c, mul(c, half, y), y), y));
}

/* -g y y, in the same way. */
tn_status grad_reciprocal(grad_call *c)
{
    value_id y = grad_y(c);
    return grad_gives(c, mul(c, mul(c, neg(c, c->g[0]), y), y));
}

/* K of the mask below. */
static double mask_factor(tn_dtype d)
{
    return d == TN_F64 ? 0x1p1023 : 0x1p127;
}

static bool is_constant(const grad_call *c, value_id v, double x)
{
    const node *n = node_of(c->b.f, v);
    const literal *l = literal_of(n);
    return l && literal_is_uniform(l) && dtype_is_float(l->type->dtype) &&
           scalar_load(l->type->dtype, l->data).f == x;
}

/* Is X the 1 - K * (K * y) of a mask that an earlier derivative made? The mask is flat; taken
 * literally its slope at y = 0 would be K * K, which is no number. */
static bool is_inside_mask(const grad_call *c, value_id x)
{
    const node *sub = node_of(c->b.f, x), *mul_k;
    if (sub->op != OP_SUB || !is_constant(c, sub->in[0], 1))
        return false;
    mul_k = node_of(c->b.f, sub->in[1]);
    double k = mask_factor(grad_type(c, x)->dtype);
    return mul_k->op == OP_MUL &&
           (is_constant(c, mul_k->in[0], k) || is_constant(c, mul_k->in[1], k));
}

/* 1 where x > 0. In Core v1, from the primal y = relu(x) with K = 2^127 or 2^1023: K * (K * y) is 0
 * or at least 1 for every y, so 1 - relu(1 - K * (K * y)) is the mask, exactly. */
tn_status grad_relu(grad_call *c)
{
    value_id x = grad_in(c, 0);
    if (is_inside_mask(c, x))
        return grad_gives(c, NO_VALUE);
    if (!c->core_only && grad_has(c, OP_RELU_GRAD))
        return grad_gives(c, build_binary(&c->b, OP_RELU_GRAD, c->g[0], x));
    if (!c->core_only)
        return grad_gives(c, grad_where_less(c, grad_scalar(c, x, 0), x, c->g[0]));
    value_id y = grad_y(c), one = grad_scalar(c, y, 1);
    value_id k = grad_scalar(c, y, mask_factor(grad_type(c, y)->dtype));
    value_id large = mul(c, k, mul(c, k, y));
    value_id rest = build_unary(&c->b, OP_RELU, build_binary(&c->b, OP_SUB, one, large));
    return times(c, build_binary(&c->b, OP_SUB, one, rest));
}

/* y = x > 0 ? g : 0 is linear in g; in x it is flat. */
tn_status grad_relu_grad(grad_call *c)
{
    if (c->operand == 1)
        return grad_gives(c, NO_VALUE);
    return grad_gives(c, build_binary(&c->b, OP_RELU_GRAD, c->g[0], grad_in(c, 1)));
}

tn_status grad_cast(grad_call *c)
{
    return grad_gives(c, build_cast(&c->b, c->g[0], grad_type(c, grad_in(c, 0))->dtype));
}

tn_status grad_stop(grad_call *c)
{
    return grad_gives(c, NO_VALUE);
}

static tn_status unbroadcast(grad_call *c, value_id contribution)
{
    return grad_gives(c, grad_unbroadcast(c, contribution, grad_in(c, c->operand)));
}

tn_status grad_add(grad_call *c)
{
    return unbroadcast(c, c->g[0]);
}

tn_status grad_sub(grad_call *c)
{
    value_id g = grad_unbroadcast(c, c->g[0], grad_in(c, c->operand));
    return grad_gives(c, c->operand == 0 ? g : neg(c, g));
}

tn_status grad_mul(grad_call *c)
{
    return unbroadcast(c, mul(c, c->g[0], grad_in(c, 1 - c->operand)));
}

static tn_status by_divisor(grad_call *c)
{
    value_id b = grad_in(c, 1);
    value_id down = build_binary(&c->b, OP_DIV, mul(c, c->g[0], grad_y(c)), b);
    return unbroadcast(c, neg(c, down));
}

/* a: g / b; b: -(g * y) / b */
tn_status grad_div(grad_call *c)
{
    if (c->operand == 1)
        return grad_wide(c, by_divisor);
    return unbroadcast(c, build_binary(&c->b, OP_DIV, c->g[0], grad_in(c, 1)));
}

/* X where B is 0, else Y. */
static value_id where_zero(grad_call *c, value_id b, value_id x, value_id y)
{
    return build_select(&c->b, build_compare(&c->b, DIR_EQ, b, grad_scalar(c, b, 0)), x, y);
}

/* May V be 0 anywhere? */
static bool may_be_zero(const grad_call *c, value_id v)
{
    const literal *l = literal_of(node_of(c->b.f, v));
    return !l || !literal_is_uniform(l) || scalar_load(l->type->dtype, l->data).f == 0;
}

/* a: g * b * a^(b-1), which is 0 where b is, also at 0^0. [pow/G1] */
static tn_status grad_base(grad_call *c, value_id a, value_id b)
{
    const value_id one = grad_scalar(c, b, 1);
    value_id less = build_binary(&c->b, OP_SUB, b, one);
    if (!may_be_zero(c, b)) {
        value_id slope = mul(c, b, build_binary(&c->b, OP_POW, a, less));
        return unbroadcast(c, mul(c, c->g[0], slope));
    }
    less = where_zero(c, b, one, less); /* so that the slope has one, too */
    value_id slope = mul(c, b, build_binary(&c->b, OP_POW, a, less));
    slope = where_zero(c, b, grad_zeros(c, slope), slope);
    return unbroadcast(c, mul(c, c->g[0], slope));
}

/* b: g * y * log(a), which is 0 where y is, and at 0^0. [pow/G1] */
tn_status grad_pow(grad_call *c)
{
    value_id a = grad_in(c, 0), b = grad_in(c, 1);
    if (c->operand == 0)
        return grad_base(c, a, b);
    value_id y = grad_y(c), zeros = grad_zeros(c, y);
    if (may_be_zero(c, b))
        a = where_zero(c, a, where_zero(c, b, grad_scalar(c, a, 1), a), a);
    value_id log = grad_has(c, OP_LOG) ? build_unary(&c->b, OP_LOG, a)
                                       : mul(c, build_unary(&c->b, OP_LOG2, a),
                                             grad_scalar(c, a, 0x1.62e42fefa39efp-1));
    value_id is_zero = build_compare(&c->b, DIR_EQ, y, grad_scalar(c, y, 0));
    value_id slope = build_select(&c->b, is_zero, zeros, mul(c, y, log));
    return unbroadcast(c, mul(c, c->g[0], slope));
}

/* The operand that wins takes all, at a tie the first: a NaN, which loses, is never the result.
 * [maximum/G1] [minimum/G1] */
static tn_status winner(grad_call *c)
{
    value_id first = grad_in(c, 0), y = grad_y(c);
    return unbroadcast(c, c->operand == 0 ? grad_where_equal(c, first, y, c->g[0])
                                          : grad_unless_equal(c, first, y, c->g[0]));
}

tn_status grad_maximum(grad_call *c)
{
    return winner(c);
}

tn_status grad_minimum(grad_call *c)
{
    return winner(c);
}

/* The same where a NaN is the result; of two the first counts. [maximum_nan/G1] [minimum_nan/G1] */
tn_status grad_extremum_nan(grad_call *c)
{
    const value_id first = grad_in(c, 0), none = grad_zeros(c, c->g[0]);
    const value_id number = c->operand == 0 ? grad_where_equal(c, first, grad_y(c), c->g[0])
                                            : grad_unless_equal(c, first, grad_y(c), c->g[0]);
    const value_id nan = build_compare(&c->b, DIR_NE, first, first);
    return unbroadcast(c, build_select(&c->b, nan, c->operand == 0 ? c->g[0] : none, number));
}

tn_status grad_select(grad_call *c)
{
    value_id p = grad_in(c, 0), zeros = grad_zeros(c, c->g[0]);
    return unbroadcast(c, c->operand == 1 ? build_select(&c->b, p, c->g[0], zeros)
                                          : build_select(&c->b, p, zeros, c->g[0]));
}

/* min(max(x, low), high): high wins where the rest is not the result, then low where x is not the
 * rest. */
tn_status grad_clamp(grad_call *c)
{
    value_id x = grad_in(c, 0), low = grad_in(c, 1), y = grad_y(c);
    value_id inner = build_binary(&c->b, OP_MAXIMUM, x, low);
    if (c->operand == 2)
        return unbroadcast(c, grad_unless_equal(c, inner, y, c->g[0]));
    value_id g = grad_where_equal(c, inner, y, c->g[0]);
    return unbroadcast(c, c->operand == 0 ? grad_where_equal(c, x, inner, g)
                                          : grad_unless_equal(c, x, inner, g));
}

/* ---- more functions ---- */

static value_id add(grad_call *c, value_id x, value_id y)
{
    return build_binary(&c->b, OP_ADD, x, y);
}

static value_id sub(grad_call *c, value_id x, value_id y)
{
    return build_binary(&c->b, OP_SUB, x, y);
}

static value_id number(grad_call *c, double x)
{
    return grad_scalar(c, grad_y(c), x);
}

/* x * x */
static value_id x_squared(grad_call *c)
{
    return mul(c, grad_in(c, 0), grad_in(c, 0));
}

/* g / slope, for an op of one operand. */
static tn_status over(grad_call *c, value_id slope)
{
    return grad_gives(c, build_binary(&c->b, OP_DIV, c->g[0], slope));
}

/* [cbrt/G1] */
tn_status grad_cbrt(grad_call *c)
{
    value_id y = grad_y(c);
    value_id square = mul(c, y, y);
    return over(c, mul(c, square, number(c, 3)));
}

/* [tan/G1] */
tn_status grad_tan(grad_call *c)
{
    value_id y = grad_y(c);
    value_id square = mul(c, y, y);
    return times(c, add(c, square, number(c, 1)));
}

/* 1 / sqrt((1 - x) (1 + x)): the product keeps the digits near 1 and -1. */
static value_id inverse_leg(grad_call *c)
{
    value_id x = grad_in(c, 0), one = number(c, 1), below = sub(c, one, x);
    return build_unary(&c->b, OP_RSQRT, mul(c, below, add(c, one, x)));
}

/* [asin/G1] */
tn_status grad_asin(grad_call *c)
{
    return times(c, inverse_leg(c));
}

/* [acos/G1] */
tn_status grad_acos(grad_call *c)
{
    return times(c, neg(c, inverse_leg(c)));
}

/* [atan/G1] */
tn_status grad_atan(grad_call *c)
{
    value_id square = x_squared(c);
    return over(c, add(c, square, number(c, 1)));
}

/* The power of two that brings the larger of A and B to where its square is a normal number; 1
 * where it is one as it stands. Of a NaN the other one decides. */
static value_id scale_of_squares(grad_call *c, value_id a, value_id b)
{
    const bool is_wide = grad_type(c, a)->dtype == TN_F64;
    const value_id x = build_unary(&c->b, OP_ABS, a), y = build_unary(&c->b, OP_ABS, b);
    const value_id most = build_binary(&c->b, OP_MAXIMUM, x, y), one = grad_scalar(c, a, 1);
    const value_id high = grad_scalar(c, a, is_wide ? 0x1p500 : 0x1p60);
    const value_id low = grad_scalar(c, a, is_wide ? 0x1p-450 : 0x1p-50);
    const value_id is_large = build_compare(&c->b, DIR_LT, high, most);
    const value_id is_small = build_compare(&c->b, DIR_LT, most, low);
    const value_id up = grad_scalar(c, a, is_wide ? 0x1p700 : 0x1p100);
    const value_id down = grad_scalar(c, a, is_wide ? 0x1p-600 : 0x1p-70);
    return build_select(&c->b, is_large, down, build_select(&c->b, is_small, up, one));
}

/* Of a point (b, a): a: g b / (a a + b b); b: -g a / (a a + b b), of the point scaled so that the
 * squares are numbers. [atan2/G1] */
tn_status grad_atan2(grad_call *c)
{
    value_id a = grad_in(c, 0), b = grad_in(c, 1);
    const value_id scale = scale_of_squares(c, a, b);
    a = mul(c, a, scale);
    b = mul(c, b, scale);
    value_id squares = mul(c, a, a);
    squares = add(c, squares, mul(c, b, b));
    const value_id part = mul(c, c->g[0], c->operand == 0 ? b : neg(c, a));
    return unbroadcast(c, mul(c, build_binary(&c->b, OP_DIV, part, squares), scale));
}

/* [sinh/G1] */
tn_status grad_sinh(grad_call *c)
{
    return times(c, build_unary(&c->b, OP_COSH, grad_in(c, 0)));
}

/* [cosh/G1] */
tn_status grad_cosh(grad_call *c)
{
    return times(c, build_unary(&c->b, OP_SINH, grad_in(c, 0)));
}

/* 1 / |x| where that is 1 / sqrt(x x + 1) to the last digit: squares of large numbers are none.
 * [asinh/G1] */
tn_status grad_asinh(grad_call *c)
{
    value_id x = grad_in(c, 0), one = number(c, 1), square = x_squared(c);
    const double large = (double)(4 << dtype_table[grad_type(c, x)->dtype].precision / 2);
    const value_id inverse = build_unary(&c->b, OP_RSQRT, add(c, square, one));
    const value_id length = build_unary(&c->b, OP_ABS, x);
    const value_id is_large = build_compare(&c->b, DIR_LT, number(c, large), length);
    const value_id far = build_binary(&c->b, OP_DIV, one, length);
    return times(c, build_select(&c->b, is_large, far, inverse));
}

/* x - 1 keeps the digits near 1. The product of the two may be too large. [acosh/G1] */
tn_status grad_acosh(grad_call *c)
{
    value_id x = grad_in(c, 0), one = number(c, 1), below = sub(c, x, one);
    const value_id left = build_unary(&c->b, OP_RSQRT, below);
    return times(c, mul(c, left, build_unary(&c->b, OP_RSQRT, add(c, x, one))));
}

/* [atanh/G1] */
tn_status grad_atanh(grad_call *c)
{
    value_id x = grad_in(c, 0), one = number(c, 1), below = sub(c, one, x);
    return over(c, mul(c, below, add(c, one, x)));
}

/* [log1p/G1] */
tn_status grad_log1p(grad_call *c)
{
    return over(c, add(c, grad_in(c, 0), number(c, 1)));
}

/* [expm1/G1] */
tn_status grad_expm1(grad_call *c)
{
    return times(c, add(c, grad_y(c), number(c, 1)));
}

/* y * (1 - y). [sigmoid/G1] */
tn_status grad_sigmoid(grad_call *c)
{
    value_id y = grad_y(c);
    return times(c, mul(c, y, sub(c, number(c, 1), y)));
}
