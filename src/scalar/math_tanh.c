/* tanh: an odd polynomial near zero, 1 - 2 / (e^2|x| + 1) elsewhere. */
#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* p of tanh(x) = x + x z p(z), z = x^2, for |x| < 1 (f32) and |x| < 0.625 (f64)
 * (test/long/math_fit.py tanh_f32 tanh_f64) */
static const double near_f32[] = {-0x1.555552p-2, 0x1.11103cp-3, -0x1.b9f6dep-5,  0x1.64c0a4p-6,
                                  -0x1.18de98p-7, 0x1.8f9f50p-9, -0x1.aee90cp-11, 0x1.e86ceap-14};
static const double near_f64[] = {
    -0x1.5555555555552p-2,  0x1.1111111110c52p-3,  -0x1.ba1ba1b9d195dp-5,  0x1.664f4870c2f74p-6,
    -0x1.226e32cf930f5p-7,  0x1.d6d35a375db6ep-9,  -0x1.7d9c3302adecdp-10, 0x1.350b8700ee04ep-11,
    -0x1.f11346b1f33f3p-13, 0x1.801b6eac53bd3p-14, -0x1.fac5211ebe0a8p-16, 0x1.9604a52c82d5fp-18};

value math_tanh(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const bool wide = type == SCALAR_F64;
    const value one = math_float(b, type, 1);
    const value size = sb_fabs(b, x);

    const value z = sb_fmul(b, size, size);
    const value p = wide ? math_poly(b, z, near_f64, COUNT(near_f64))
                         : math_poly(b, z, near_f32, COUNT(near_f32));
    const value near = sb_fma(b, sb_fmul(b, size, z), p, size);

    /* From here on 1 - tanh is below half an ulp of 1. */
    const value end = math_float(b, type, wide ? 20 : 10);
    const value y = sb_select(b, sb_flt(b, size, end), size, end);
    const value e = math_exp2_near(b, y, wide ? 0x1.71547652b82fep1 : 0x1.715476p1,
                                   wide ? 0x1.777d0ffda0d24p-55 : 0);
    /* h = 1 / (e + 1), mended for the rounding of the sum */
    const value sum = sb_fadd(b, e, one);
    const value excess = sb_fsub(b, sb_fsub(b, sum, e), one);
    value h = sb_fdiv(b, one, sum);
    h = sb_fma(b, sb_fmul(b, h, excess), h, h);
    const value far = sb_fma(b, math_float(b, type, -2), h, one);
    const value cut = math_float(b, type, wide ? 0.625 : 1);
    /* NaN takes the polynomial and stays NaN. */
    return math_copy_sign(b, sb_select(b, sb_fle(b, cut, size), far, near), x);
}
