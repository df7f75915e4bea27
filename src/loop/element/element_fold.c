/* Folds and products: what src/eval/parts/fold.c and chain.c compute. */
#include "base/memory/hash.h"
#include <math.h>

#include "loop/element/element_parts.h"
#include "ops/fold_ops.h"

element element_combine(loop_builder *b, fold_kind kind, element acc, element x)
{
    const bool is_mask = acc.dtype == TN_I1;
    const op_id op = is_mask ? fold_is_largest(kind) ? OP_OR : OP_AND : fold_pair(kind);
    const element in[2] = {acc, x};
    element r = acc;
    loop_value fails;
    (void)element_op(b, op, &attrs_none, in, 2, acc.dtype, &r, &fails);
    return r;
}

bool element_identity(loop_builder *b, fold_kind kind, tn_dtype d, uint32_t lanes, element *e)
{
    const bool is_float = dtype_is_float(d) || dtype_is_complex(d);
    scalar s = scalar_of_int(kind == FOLD_PROD);
    if (dtype_is_complex(d) && kind != FOLD_SUM)
        return false;
    if (kind == FOLD_SUM && is_float)
        s = dtype_is_complex(d) ? scalar_of_complex(-0.0, -0.0) : scalar_of_float(-0.0);
    else if (fold_nan_wins(kind) && is_float)
        s = scalar_of_float(kind == FOLD_MAX_NAN ? -(double)INFINITY : (double)INFINITY);
    else if (fold_is_extremum(kind) && is_float)
        s = scalar_of_float((double)NAN);
    else if (fold_is_extremum(kind))
        s = fold_is_largest(kind) ? scalar_of_int(dtype_int_min(d))
                                  : scalar_of_uint(dtype_int_max(d));
    *e = element_number(b, d, lanes, s);
    return true;
}

element element_empty(loop_builder *b, fold_kind kind, tn_dtype d, tn_dtype out, uint32_t lanes)
{
    char stored[16] = {0};
    fold_empty(kind, d, out, stored);
    return element_const(b, d, lanes, stored);
}

/* Negative floats are in the opposite order of their bits: exchange them. */
static loop_value mirror_negative(loop_builder *b, loop_value bits, bool wide)
{
    const loop_type t = loop_value_type(b, bits);
    const loop_value sign = loop_binary(b, LOOP_ASHR, bits, loop_const(b, t, wide ? 63 : 31));
    const loop_value rest = loop_const(b, t, wide ? INT64_MAX : INT32_MAX);
    return loop_binary(b, LOOP_XOR, bits, loop_binary(b, LOOP_AND, sign, rest));
}

/* Move the NaNs, which are beyond both infinities, to the end of the integers that loses, or to the
 * one that wins. */
static loop_value order_nans(loop_builder *b, fold_kind kind, loop_value key, bool wide, bool back)
{
    const uint64_t n = wide ? (UINT64_C(1) << 52) - 1 : (UINT64_C(1) << 23) - 1;
    const bool down = fold_is_largest(kind) != fold_nan_wins(kind);
    return loop_binary(b, down != back ? LOOP_IADD : LOOP_ISUB, key,
                       loop_const(b, loop_value_type(b, key), n));
}

element element_fold_key(loop_builder *b, fold_kind kind, element x)
{
    const bool wide = x.dtype == TN_F64;
    loop_value key = loop_convert(b, LOOP_BITCAST, wide ? LOOP_I64 : LOOP_I32, x.re);
    key = order_nans(b, kind, mirror_negative(b, key, wide), wide, false);
    return (element){wide ? TN_SI64 : TN_SI32, key, LOOP_NO_VALUE};
}

element element_of_fold_key(loop_builder *b, fold_kind kind, tn_dtype d, element key)
{
    const bool wide = d == TN_F64;
    const loop_value bits = mirror_negative(b, order_nans(b, kind, key.re, wide, true), wide);
    return (element){d, loop_convert(b, LOOP_BITCAST, wide ? LOOP_F64 : LOOP_F32, bits),
                     LOOP_NO_VALUE};
}

static loop_value divide_float(loop_builder *b, tn_dtype d, loop_value x, sized count)
{
    /* Converted once, as the evaluator does. */
    const double by = d == TN_F64 ? (double)count.now : (double)(float)count.now;
    const loop_value divisor = float_like(b, x, by);
    if (!sized_is_fixed(count))
        loop_depends(b, divisor, hash_mix(0, (uint64_t)count.other));
    return element_round(b, d, loop_binary(b, LOOP_FDIV, x, divisor));
}

element element_divide_count(loop_builder *b, element x, sized count)
{
    const tn_dtype d = dtype_table[x.dtype].part;
    if (!dtype_is_int(d)) {
        x.re = divide_float(b, d, x.re, count);
        if (dtype_is_complex(x.dtype))
            x.im = divide_float(b, d, x.im, count);
        return x;
    }
    if (count.now == 0) {
        x.re = const_like(b, x.re, 0);
        return x;
    }
    const bool is_signed = dtype_is_signed(d);
    const loop_elem own = element_compute(d);
    const loop_elem wide = loop_elem_bytes(own) < 8 && count.now <= INT32_MAX ? LOOP_I32 : LOOP_I64;
    loop_value y = x.re;
    if (wide != own)
        y = loop_convert(b, is_signed ? LOOP_SEXT : LOOP_ZEXT, wide, y);
    y = loop_binary(b, is_signed ? LOOP_SDIV : LOOP_UDIV, y,
                    loop_sized_const(b, loop_value_type(b, y), count));
    x.re = wide == own ? y : loop_convert(b, LOOP_TRUNCATE, own, y);
    return x;
}

element element_fma(loop_builder *b, element x, element y, element p)
{
    element in[3] = {x, y, p};
    element_align(b, in, 3);
    x = in[0];
    y = in[1];
    p = in[2];
    if (dtype_is_int(p.dtype)) {
        p.re = element_wrap(b, p.dtype,
                            loop_binary(b, LOOP_IADD, p.re, loop_binary(b, LOOP_IMUL, x.re, y.re)));
        return p;
    }
    p.re = loop_fma(b, x.re, y.re, p.re);
    if (dtype_is_complex(p.dtype)) {
        p.re = loop_fma(b, loop_unary(b, LOOP_FNEG, x.im), y.im, p.re);
        p.im = loop_fma(b, x.im, y.re, loop_fma(b, x.re, y.im, p.im));
    }
    return p;
}
