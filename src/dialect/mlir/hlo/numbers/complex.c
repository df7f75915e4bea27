/* Functions of complex numbers, from functions of their parts. Those of 32 bits are computed in f64
 * and rounded once. */
#include "dialect/mlir/hlo/numbers/complex.h"

#include <math.h>

/* X, in f64. */
static pair parts(tn_builder *b, tn_value x)
{
    pair z;
    z.re = tn_cast(b, tn_real(b, x), TN_F64);
    z.im = tn_cast(b, tn_imag(b, x), TN_F64);
    return z;
}

static tn_value joined(tn_builder *b, pair z, tn_dtype part)
{
    const tn_value re = tn_cast(b, z.re, part);
    const tn_value im = tn_cast(b, z.im, part);
    return tn_complex(b, re, im);
}

static tn_value num(tn_builder *b, double x)
{
    return tn_scalar(b, TN_F64, x);
}

static tn_value half(tn_builder *b, tn_value x)
{
    return tn_mul(b, x, num(b, 0.5));
}

/* The distance of Z from 0, without overflow on the way. */
static tn_value modulus(tn_builder *b, pair z)
{
    const tn_value re = tn_abs(b, z.re), im = tn_abs(b, z.im);
    const tn_value large = tn_maximum_nan(b, re, im), small = tn_minimum_nan(b, re, im);
    const tn_value is_zero = tn_compare(b, TN_EQ, large, num(b, 0));
    const tn_value ratio = tn_div(b, small, tn_select(b, is_zero, num(b, 1), large));
    const tn_value square = tn_mul(b, ratio, ratio);
    const tn_value sum = tn_add(b, square, num(b, 1));
    const tn_value plain = tn_mul(b, large, tn_sqrt(b, sum));
    const tn_value re_is_inf = tn_is_inf(b, re);
    const tn_value is_inf = tn_or(b, re_is_inf, tn_is_inf(b, im));
    return tn_select(b, is_inf, num(b, (double)INFINITY), plain);
}

static tn_value angle(tn_builder *b, pair z)
{
    return tn_atan2(b, z.im, z.re);
}

/* The logarithm of the modulus, which may be near 1. */
static tn_value log_modulus(tn_builder *b, pair z)
{
    const tn_value re = tn_abs(b, z.re), im = tn_abs(b, z.im);
    const tn_value large = tn_maximum_nan(b, re, im), small = tn_minimum_nan(b, re, im);
    const tn_value one = num(b, 1);
    const tn_value beyond = tn_sub(b, large, one);
    const tn_value above = tn_mul(b, beyond, tn_add(b, large, one));
    const tn_value excess = tn_add(b, above, tn_mul(b, small, small));
    const tn_value near = half(b, tn_log1p(b, excess));
    const tn_value is_low = tn_compare(b, TN_GE, large, num(b, 0.5));
    const tn_value is_high = tn_compare(b, TN_LE, large, num(b, 2));
    const tn_value is_near = tn_and(b, is_low, is_high);
    return tn_select(b, is_near, near, tn_log(b, modulus(b, z)));
}

static pair log_of(tn_builder *b, pair z)
{
    pair y;
    y.re = log_modulus(b, z);
    y.im = angle(b, z);
    return y;
}

static pair log1p_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value one = num(b, 1);
    const pair more = {tn_add(b, z.re, one), z.im};
    const tn_value twice = tn_add(b, z.re, num(b, 2));
    const tn_value square = tn_mul(b, z.im, z.im);
    const tn_value excess = tn_add(b, tn_mul(b, z.re, twice), square);
    const tn_value near = half(b, tn_log1p(b, excess));
    const tn_value m = modulus(b, z);
    const tn_value is_near = tn_compare(b, TN_LT, m, num(b, 0.5));
    y.re = tn_select(b, is_near, near, log_modulus(b, more));
    y.im = angle(b, more);
    return y;
}

static pair exp_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value root = tn_exp(b, half(b, z.re)), zero = num(b, 0);
    const tn_value re = tn_mul(b, tn_mul(b, root, tn_cos(b, z.im)), root);
    const tn_value im = tn_mul(b, tn_mul(b, root, tn_sin(b, z.im)), root);
    const tn_value vanishes = tn_compare(b, TN_EQ, z.re, num(b, -(double)INFINITY));
    const tn_value is_real = tn_compare(b, TN_EQ, z.im, zero);
    y.re = tn_select(b, vanishes, zero, re);
    y.im = tn_select(b, is_real, z.im, tn_select(b, vanishes, zero, im));
    return y;
}

static pair expm1_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value s = tn_sin(b, half(b, z.im));
    const tn_value square = tn_mul(b, s, s);
    const tn_value less = tn_mul(b, square, num(b, -2)); /* cos - 1 */
    const tn_value grown = tn_expm1(b, z.re);
    y.re = tn_add(b, tn_mul(b, grown, tn_cos(b, z.im)), less);
    y.im = exp_of(b, z).im;
    return y;
}

static pair sin_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value sine = tn_sin(b, z.re);
    y.re = tn_mul(b, sine, tn_cosh(b, z.im));
    const tn_value cosine = tn_cos(b, z.re);
    y.im = tn_mul(b, cosine, tn_sinh(b, z.im));
    return y;
}

static pair cos_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value cosine = tn_cos(b, z.re);
    y.re = tn_mul(b, cosine, tn_cosh(b, z.im));
    const tn_value sine = tn_sin(b, z.re);
    y.im = tn_neg(b, tn_mul(b, sine, tn_sinh(b, z.im)));
    return y;
}

static pair sinh_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value sine = tn_sinh(b, z.re);
    y.re = tn_mul(b, sine, tn_cos(b, z.im));
    const tn_value cosine = tn_cosh(b, z.re);
    y.im = tn_mul(b, cosine, tn_sin(b, z.im));
    return y;
}

static pair cosh_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value cosine = tn_cosh(b, z.re);
    y.re = tn_mul(b, cosine, tn_cos(b, z.im));
    const tn_value sine = tn_sinh(b, z.re);
    y.im = tn_mul(b, sine, tn_sin(b, z.im));
    return y;
}

/* By Kahan: (beta rho s + i t) / (1 + beta s^2), where t is the tangent of the imaginary part, s
 * the sinh of the real one, beta = 1 + t^2, rho = sqrt(1 + s^2). Far from 0 it is 1 or -1, almost.
 */
static pair tanh_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value one = num(b, 1), t = tn_tan(b, z.im);
    const tn_value size = tn_abs(b, z.re);
    const tn_value is_far = tn_compare(b, TN_GT, size, num(b, 22));
    const tn_value s = tn_sinh(b, tn_select(b, is_far, num(b, 0), z.re));
    const tn_value beta = tn_add(b, one, tn_mul(b, t, t));
    const tn_value square = tn_mul(b, s, s);
    const tn_value rho = tn_sqrt(b, tn_add(b, one, square));
    const tn_value below = tn_add(b, one, tn_mul(b, beta, square));
    const tn_value re = tn_div(b, tn_mul(b, tn_mul(b, beta, rho), s), below);
    const tn_value im = tn_div(b, t, below);
    const tn_value decay = tn_exp(b, tn_mul(b, size, num(b, -2)));
    const tn_value sine = tn_sin(b, z.im);
    const tn_value both = tn_mul(b, sine, tn_cos(b, z.im));
    const tn_value far = tn_mul(b, tn_mul(b, both, num(b, 4)), decay);
    y.re = tn_select(b, is_far, tn_sign(b, z.re), re);
    y.im = tn_select(b, is_far, far, im);
    return y;
}

/* tan z = -i tanh(i z) */
static pair tan_of(tn_builder *b, pair z)
{
    const tn_value turned = tn_neg(b, z.im);
    const pair y = tanh_of(b, (pair){turned, z.re});
    return (pair){y.im, tn_neg(b, y.re)};
}

pair complex_sqrt(tn_builder *b, pair z)
{
    pair y;
    const tn_value zero = num(b, 0), m = modulus(b, z);
    const tn_value re = tn_abs(b, z.re);
    const tn_value m2 = half(b, m), re2 = half(b, re);
    const tn_value large = tn_sqrt(b, tn_add(b, m2, re2));
    const tn_value is_zero = tn_compare(b, TN_EQ, large, zero);
    const tn_value twice = tn_add(b, large, large);
    const tn_value divisor = tn_select(b, is_zero, num(b, 1), twice);
    const tn_value small = tn_div(b, tn_abs(b, z.im), divisor);
    const tn_value is_right = tn_compare(b, TN_GE, z.re, zero);
    const tn_value up = tn_select(b, is_right, small, large);
    const tn_value turns = tn_compare(b, TN_LT, angle(b, z), zero); /* -0 counts as below */
    const tn_value is_inf = tn_is_inf(b, z.im);
    const tn_value size = tn_abs(b, z.im);
    y.re = tn_select(b, is_inf, size, tn_select(b, is_right, large, small));
    y.im = tn_select(b, is_inf, z.im, tn_select(b, turns, tn_neg(b, up), up));
    return y;
}

static pair rsqrt_of(tn_builder *b, pair z)
{
    pair y;
    const pair root = complex_sqrt(b, z);
    const tn_value m = modulus(b, z);
    y.re = tn_div(b, root.re, m);
    y.im = tn_div(b, tn_neg(b, root.im), m);
    return y;
}

static pair cbrt_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value m = tn_cbrt(b, modulus(b, z)), whole = angle(b, z);
    const tn_value third = tn_div(b, whole, num(b, 3));
    y.re = tn_mul(b, m, tn_cos(b, third));
    y.im = tn_mul(b, m, tn_sin(b, third));
    return y;
}

/* 1 / (1 + exp(-z)) */
static pair sigmoid_of(tn_builder *b, pair z)
{
    pair y;
    const pair minus = {tn_neg(b, z.re), tn_neg(b, z.im)};
    pair e = exp_of(b, minus);
    e.re = tn_add(b, e.re, num(b, 1));
    const tn_value below = tn_complex(b, e.re, e.im);
    const tn_value zero = num(b, 0);
    const tn_value one = tn_complex(b, num(b, 1), zero);
    const tn_value q = tn_div(b, one, below);
    y.re = tn_real(b, q);
    y.im = tn_imag(b, q);
    return y;
}

static pair sign_of(tn_builder *b, pair z)
{
    pair y;
    const tn_value m = modulus(b, z);
    const tn_value is_zero = tn_compare(b, TN_EQ, m, num(b, 0));
    const tn_value divisor = tn_select(b, is_zero, num(b, 1), m);
    y.re = tn_div(b, z.re, divisor);
    y.im = tn_div(b, z.im, divisor);
    return y;
}

tn_value shlo_complex_function(shlo_call *c, op_id op, tn_value x)
{
    static const struct {
        op_id op;
        pair (*of)(tn_builder *b, pair z);
    } all[] = {{OP_EXP, exp_of},          {OP_EXPM1, expm1_of},      {OP_LOG, log_of},
               {OP_LOG1P, log1p_of},      {OP_SIN, sin_of},          {OP_COS, cos_of},
               {OP_TAN, tan_of},          {OP_TANH, tanh_of},        {OP_SQRT, complex_sqrt},
               {OP_RSQRT, rsqrt_of},      {OP_SIGMOID, sigmoid_of},  {OP_CBRT, cbrt_of},
               {OP_SIGN, sign_of},        {OP_SINH, sinh_of},        {OP_COSH, cosh_of},
               {OP_ASIN, complex_asin},   {OP_ACOS, complex_acos},   {OP_ATAN, complex_atan},
               {OP_ASINH, complex_asinh}, {OP_ACOSH, complex_acosh}, {OP_ATANH, complex_atanh}};
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const tn_dtype part = dtype_table[t->dtype].part;
    if (op == OP_ABS)
        return tn_cast(b, modulus(b, parts(b, x)), part);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].op == op)
            return joined(b, all[i].of(b, parts(b, x)), part);
    (void)shlo_refuse(c, DIAG_DTypeNotSupported, "it is not computed for complex numbers");
    return tn_no_value();
}

/* exp(y log x); 0 to the power 0 is 1, and to any other power 0. */
tn_value shlo_complex_power(shlo_call *c, tn_value x, tn_value y)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const pair z = parts(b, x), w = parts(b, y), l = log_of(b, z);
    pair e;
    const tn_value re = tn_mul(b, w.re, l.re);
    e.re = tn_sub(b, re, tn_mul(b, w.im, l.im));
    const tn_value im = tn_mul(b, w.re, l.im);
    e.im = tn_add(b, im, tn_mul(b, w.im, l.re));
    pair p = exp_of(b, e);
    const tn_value zero = num(b, 0);
    const tn_value is_zero = tn_compare(b, TN_EQ, modulus(b, z), zero);
    const tn_value no_power = tn_compare(b, TN_EQ, modulus(b, w), zero);
    const tn_value else_re = tn_select(b, is_zero, zero, p.re);
    p.re = tn_select(b, no_power, num(b, 1), else_re);
    p.im = tn_select(b, tn_or(b, no_power, is_zero), zero, p.im);
    return joined(b, p, dtype_table[t->dtype].part);
}

/* -i log((x + i y) / sqrt(x^2 + y^2)) */
tn_value shlo_complex_atan2(shlo_call *c, tn_value y, tn_value x)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const pair v = parts(b, y), u = parts(b, x);
    pair turned, squares, ratio;
    turned.re = tn_sub(b, u.re, v.im);
    turned.im = tn_add(b, u.im, v.re);
    const tn_value u_less = tn_sub(b, u.re, u.im), u_more = tn_add(b, u.re, u.im);
    const tn_value uu = tn_mul(b, u_less, u_more);
    const tn_value v_less = tn_sub(b, v.re, v.im), v_more = tn_add(b, v.re, v.im);
    const tn_value vv = tn_mul(b, v_less, v_more);
    const tn_value u_both = tn_mul(b, u.re, u.im), v_both = tn_mul(b, v.re, v.im);
    const tn_value mixed = tn_add(b, u_both, v_both);
    squares.re = tn_add(b, uu, vv);
    squares.im = tn_mul(b, mixed, num(b, 2));
    const pair root = complex_sqrt(b, squares);
    const tn_value above = tn_complex(b, turned.re, turned.im);
    const tn_value q = tn_div(b, above, tn_complex(b, root.re, root.im));
    ratio.re = tn_real(b, q);
    ratio.im = tn_imag(b, q);
    const pair l = log_of(b, ratio);
    return joined(b, (pair){l.im, tn_neg(b, l.re)}, dtype_table[t->dtype].part);
}

/* ---- order: by the real part, then by the imaginary one ---- */

tn_value shlo_complex_compare(tn_builder *b, tn_direction how, tn_value x, tn_value y)
{
    const tn_value x_re = tn_real(b, x), y_re = tn_real(b, y);
    const tn_value ties = tn_compare(b, TN_EQ, x_re, y_re);
    const tn_value first = tn_compare(b, how, x_re, y_re);
    const tn_value x_im = tn_imag(b, x), y_im = tn_imag(b, y);
    const tn_value second = tn_compare(b, how, x_im, y_im);
    return tn_select(b, ties, second, first);
}
