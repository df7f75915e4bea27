/* Functions whose results are exact: rounding to whole numbers, and the sign. */
#include "scalar/math_parts.h"

/* [round_even/C1] */
value math_round_even(builder *b, value x)
{
    return sb_frint(b, x);
}

/* [floor/C1] */
value math_floor(builder *b, value x)
{
    const value near = sb_frint(b, x), one = math_float(b, sb_type(b, x), 1);
    return sb_select(b, sb_flt(b, x, near), sb_fsub(b, near, one), near);
}

/* Between -1 and 0 the result is -0. [ceil/C1] */
value math_ceil(builder *b, value x)
{
    const value near = sb_frint(b, x), one = math_float(b, sb_type(b, x), 1);
    const value up = sb_select(b, sb_flt(b, near, x), sb_fadd(b, near, one), near);
    return math_copy_sign(b, sb_fabs(b, up), x);
}

/* Zeros and NaN stay as they are. [sign/C1] */
value math_sign(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    const value zero = math_float(b, type, 0);
    const value unit = math_copy_sign(b, math_float(b, type, 1), x);
    return sb_select(b, sb_flt(b, zero, sb_fabs(b, x)), unit, x);
}
