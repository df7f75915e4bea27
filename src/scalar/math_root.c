/* rsqrt: the square root and the reciprocal are exact enough together for f64 (1.5 ulp at most);
 * for f32 both are done in f64, which rounds once at the end and needs no care for small arguments.
 */
#include "scalar/math_parts.h"

value math_rsqrt(builder *b, value x)
{
    const scalar_type type = sb_type(b, x);
    if (type == SCALAR_F32)
        x = sb_convert(b, SCALAR_F64, x);
    const value result = sb_fdiv(b, sb_f64(b, 1), sb_fsqrt(b, x));
    return type == SCALAR_F32 ? sb_convert(b, type, result) : result;
}
