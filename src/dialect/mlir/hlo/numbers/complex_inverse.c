/* Inverse functions of complex numbers, by Kahan's formulas ("Branch cuts for complex elementary
 * functions"), which keep the signs of zeros along the cuts. */
#include "dialect/mlir/hlo/numbers/complex.h"

static tn_value num(tn_builder *b, double x)
{
    return tn_scalar(b, TN_F64, x);
}

/* The roots of 1 - z and 1 + z. */
typedef struct roots {
    pair less, more;
} roots;

static roots roots_of(tn_builder *b, pair z)
{
    roots r;
    const tn_value one = num(b, 1);
    const pair less = {tn_sub(b, one, z.re), tn_neg(b, z.im)};
    const pair more = {tn_add(b, one, z.re), z.im};
    r.less = complex_sqrt(b, less);
    r.more = complex_sqrt(b, more);
    return r;
}

/* The real part of X Y. */
static tn_value real_product(tn_builder *b, pair x, pair y)
{
    const tn_value re = tn_mul(b, x.re, y.re), im = tn_mul(b, x.im, y.im);
    return tn_sub(b, re, im);
}

/* The imaginary part of conj(X) Y. */
static tn_value imag_turned(tn_builder *b, pair x, pair y)
{
    const tn_value first = tn_mul(b, x.re, y.im), second = tn_mul(b, x.im, y.re);
    return tn_sub(b, first, second);
}

pair complex_asin(tn_builder *b, pair z)
{
    pair y;
    const roots r = roots_of(b, z);
    y.re = tn_atan2(b, z.re, real_product(b, r.less, r.more));
    y.im = tn_asinh(b, imag_turned(b, r.less, r.more));
    return y;
}

pair complex_acos(tn_builder *b, pair z)
{
    pair y;
    const roots r = roots_of(b, z);
    const tn_value half_angle = tn_atan2(b, r.less.re, r.more.re);
    y.re = tn_mul(b, half_angle, num(b, 2));
    y.im = tn_asinh(b, imag_turned(b, r.more, r.less));
    return y;
}

pair complex_acosh(tn_builder *b, pair z)
{
    pair y;
    const tn_value one = num(b, 1);
    const pair less = {tn_sub(b, z.re, one), z.im}, more = {tn_add(b, z.re, one), z.im};
    const pair below = complex_sqrt(b, less), above = complex_sqrt(b, more);
    const tn_value re = tn_mul(b, below.re, above.re), im = tn_mul(b, below.im, above.im);
    y.re = tn_asinh(b, tn_add(b, re, im));
    const tn_value half_angle = tn_atan2(b, below.im, above.re);
    y.im = tn_mul(b, half_angle, num(b, 2));
    return y;
}

/* asinh z = -i asin(i z) */
pair complex_asinh(tn_builder *b, pair z)
{
    const pair y = complex_asin(b, (pair){tn_neg(b, z.im), z.re});
    return (pair){y.im, tn_neg(b, y.re)};
}

/* Far from 0 the real part is less than can be told from 0. */
pair complex_atanh(tn_builder *b, pair z)
{
    pair y;
    const double far = 1e150;
    const tn_value one = num(b, 1), x = tn_abs(b, z.re);
    const tn_value less = tn_sub(b, one, x), more = tn_add(b, one, x);
    const tn_value square = tn_mul(b, z.im, z.im);
    const tn_value distance = tn_add(b, tn_mul(b, less, less), square);
    const tn_value ratio = tn_div(b, tn_mul(b, x, num(b, 4)), distance);
    const tn_value grown = tn_log1p(b, ratio);
    const tn_value near = tn_mul(b, grown, num(b, 0.25));
    const tn_value reach = tn_maximum(b, x, tn_abs(b, z.im));
    const tn_value is_far = tn_compare(b, TN_GT, reach, num(b, far));
    const tn_value size = tn_select(b, is_far, num(b, 0), near);
    const tn_value twice = tn_add(b, z.im, z.im);
    const tn_value across = tn_sub(b, tn_mul(b, less, more), square);
    y.re = tn_mul(b, size, tn_sign(b, z.re));
    const tn_value angle = tn_atan2(b, twice, across);
    y.im = tn_mul(b, angle, num(b, 0.5));
    return y;
}

/* atan z = -i atanh(i z) */
pair complex_atan(tn_builder *b, pair z)
{
    const pair y = complex_atanh(b, (pair){tn_neg(b, z.im), z.re});
    return (pair){y.im, tn_neg(b, y.re)};
}
