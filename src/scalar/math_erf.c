/* erf: an odd polynomial below 1; above, 1 - 2^p with a polynomial p for the logarithm of erfc. */
#include "scalar/math_parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* p of erf(x) = x + x p(z), z = x^2, for |x| < 1 (test/long/math_fit.py erf_f32 erf_f64) */
static const double near_f32[] = {0x1.06eba8p-3, -0x1.81273ep-2,  0x1.ce2ce6p-4, -0x1.b7f71ap-6,
                                  0x1.53f224p-8, -0x1.a3515ep-11, 0x1.4771fep-14};
static const double near_f64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b037a25p-2,  0x1.ce2f21a0458d8p-4,  -0x1.b82ce31354ce0p-6,
    0x1.565bcd2c62a34p-8,  -0x1.c02db932fdf6ep-11, 0x1.f9a3b94e61117p-14, -0x1.f4dcf0e5a5049p-17,
    0x1.ba690e1b824a5p-20, -0x1.63908c1b6ed2dp-23, 0x1.131f735c0980cp-26, -0x1.c4b2d125f44e2p-30,
    0x1.3b979c83cc1d0p-33};

/* p of log2(erfc(1 + v)) = p(v) for v >= 0 (erfc_f32 erfc_f64) */
static const double far_f32[] = {-0x1.558eaep+1, -0x1.e75306p+1, -0x1.37666ap+0, -0x1.e8d730p-5,
                                 0x1.c738bap-7,  -0x1.318224p-9, 0x1.7de952p-13};
static const double far_f64[] = {
    -0x1.558eada6637f3p+1,  -0x1.e75328fe78c2ep+1,  -0x1.37627e9b5d816p+0,  -0x1.eb313685f7065p-5,
    0x1.da5764113294dp-7,   -0x1.7603d9dc3e0aap-9,  0x1.6701b1b162ddep-12,  0x1.3e3dbd6d593a9p-15,
    -0x1.492a3bca9c46cp-15, 0x1.d42d20f6cc936p-17,  -0x1.9cd836d111097p-19, 0x1.3da7bfa844139p-22,
    0x1.66244311b40e9p-24,  -0x1.9c6a24d6f562cp-25, 0x1.a460cb7ab1ebbp-27,  -0x1.03e955671e9d0p-29,
    0x1.774bd53adbc89p-33,  -0x1.e8331f23c3219p-38};

value math_erf(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const bool wide = type == SCALAR_F64;
    const value one = math_float(b, type, 1);
    const value size = sb_fabs(b, x);

    const value z = sb_fmul(b, size, size);
    const value q = wide ? math_poly(b, z, near_f64, COUNT(near_f64))
                         : math_poly(b, z, near_f32, COUNT(near_f32));
    const value near = sb_fma(b, size, q, size);

    /* From here on erfc is below half an ulp of 1. */
    const value end = math_float(b, type, wide ? 5.9375 : 3.9375);
    const value y = sb_select(b, sb_flt(b, size, end), size, end);
    const value v = sb_fsub(b, y, one);
    const value p =
        wide ? math_poly(b, v, far_f64, COUNT(far_f64)) : math_poly(b, v, far_f32, COUNT(far_f32));
    const value far = sb_fsub(b, one, math_exp2_near(b, p, 1, 0));
    /* NaN takes the first polynomial and stays NaN. */
    return math_copy_sign(b, sb_select(b, sb_fle(b, one, size), far, near), x);
}
