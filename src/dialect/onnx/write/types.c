/* Element types: which an operator computes in, and conversions with the results of `cast`. */
#include "dialect/onnx/tensors.h"
#include "dialect/onnx/write/writer.h"

tn_dtype onnx_carrier(tn_dtype d, uint32_t direct)
{
    static const tn_dtype wider[TN_DTYPE_COUNT][2] = {
        [TN_I1] = {TN_SI32, TN_SI64},   [TN_SI8] = {TN_SI32, TN_SI64},
        [TN_UI8] = {TN_SI32, TN_SI64},  [TN_SI16] = {TN_SI32, TN_SI64},
        [TN_UI16] = {TN_SI32, TN_SI64}, [TN_SI32] = {TN_SI64, TN_SI64},
        [TN_UI32] = {TN_SI64, TN_SI64}, [TN_BF16] = {TN_F32, TN_F64},
        [TN_F16] = {TN_F32, TN_F64},    [TN_F32] = {TN_F64, TN_F64}};
    if (direct & ONNX_BIT(d))
        return d;
    for (uint32_t i = 0; i < 2; i++)
        if (wider[d][i] && direct & ONNX_BIT(wider[d][i]))
            return wider[d][i];
    return d;
}

onnx_id onnx_cast_plain(onnx_writer *w, onnx_id x, tn_dtype to)
{
    if (onnx_dtype_of_id(&w->out, x) == to)
        return x;
    const onnx_setting wanted = ONNX_INT_SET("to", onnx_dtype_number(to));
    return onnx_make(&w->out, "Cast", to, &x, 1, &wanted, 1);
}

/* Integers that TO does not hold become its least or its greatest. */
static onnx_id saturated_int(onnx_writer *w, onnx_id x, tn_dtype from, tn_dtype to)
{
    const uint32_t direct = ONNX_BIT(TN_SI32) | ONNX_BIT(TN_SI64) | ONNX_BIT(TN_UI64);
    const tn_dtype in = onnx_carrier(from, direct);
    x = onnx_cast_plain(w, x, in);
    if (dtype_int_min(from) < dtype_int_min(to)) {
        const onnx_id low = onnx_number(&w->out, in, scalar_of_int(dtype_int_min(to)));
        x = onnx_extreme_of(w, "Max", x, low);
    }
    if (dtype_int_max(from) > dtype_int_max(to)) {
        const scalar most = {.kind = DTYPE_UNSIGNED, .u = dtype_int_max(to)};
        const onnx_id high = onnx_number(&w->out, in, most);
        x = onnx_extreme_of(w, "Min", x, high);
    }
    return onnx_cast_plain(w, x, to);
}

/* Truncated; NaN gives 0, and what lies beyond the integers the one at that end. What Cast is given
 * lies among them: 2^n, where they end, is a number of every float type from f32 on. */
static onnx_id saturated_float(onnx_writer *w, onnx_id x, tn_dtype to)
{
    onnx_new_model *o = &w->out;
    const tn_dtype in = onnx_dtype_of_id(o, x) == TN_F64 ? TN_F64 : TN_F32;
    x = onnx_cast_plain(w, x, in);
    const scalar least = {.kind = DTYPE_SIGNED, .i = dtype_int_min(to)};
    const scalar most = {.kind = DTYPE_UNSIGNED, .u = dtype_int_max(to)};
    const double beyond = (double)(dtype_int_max(to) / 2 + 1) * 2;
    const onnx_id low = onnx_number(o, in, scalar_of_float((double)dtype_int_min(to)));
    const onnx_id high = onnx_number(o, in, scalar_of_float(beyond));
    const onnx_id above = onnx_test(w, "GreaterOrEqual", x, low);
    const onnx_id below = onnx_test(w, "Less", x, high);
    const onnx_id inside = onnx_2(w, "And", above, below);
    const onnx_id zero = onnx_number(o, in, scalar_of_float(0));
    const onnx_id safe = onnx_where(w, inside, x, zero);
    const uint32_t direct = ONNX_BIT(TN_SI32) | ONNX_BIT(TN_SI64) | ONNX_BIT(TN_UI64);
    const tn_dtype wide = onnx_carrier(to, direct);
    const onnx_id whole = onnx_cast_plain(w, safe, wide);
    const onnx_id too_high = onnx_test(w, "GreaterOrEqual", x, high);
    const onnx_id too_low = onnx_test(w, "Less", x, low);
    const onnx_id greatest = onnx_number(o, wide, most), smallest = onnx_number(o, wide, least);
    const onnx_id with_high = onnx_where(w, too_high, greatest, whole);
    const onnx_id all = onnx_where(w, too_low, smallest, with_high);
    return onnx_cast_plain(w, all, to);
}

onnx_id onnx_cast(onnx_writer *w, onnx_id x, tn_dtype to)
{
    const tn_dtype from = onnx_dtype_of_id(&w->out, x);
    if (dtype_is_int(to) && dtype_is_float(from))
        return saturated_float(w, x, to);
    if (dtype_is_int(to) && dtype_is_int(from) && !dtype_holds_ints(to, from))
        return saturated_int(w, x, from, to);
    return onnx_cast_plain(w, x, to);
}

/* The remainder of the floored division has the sign of the divisor. */
onnx_id onnx_narrow(onnx_writer *w, onnx_id x, tn_dtype d)
{
    const tn_dtype in = onnx_dtype_of_id(&w->out, x);
    if (in == d || !dtype_is_int(d) || !dtype_is_int(in))
        return onnx_cast_plain(w, x, d);
    const onnx_id modulus = onnx_int(&w->out, in, (int64_t)1 << dtype_table[d].bits);
    if (dtype_is_unsigned(d))
        return onnx_cast_plain(w, onnx_2(w, "Mod", x, modulus), d);
    const onnx_id half = onnx_int(&w->out, in, (int64_t)1 << (dtype_table[d].bits - 1));
    const onnx_id up = onnx_2(w, "Add", x, half);
    const onnx_id rest = onnx_2(w, "Mod", up, modulus);
    return onnx_cast_plain(w, onnx_2(w, "Sub", rest, half), d);
}

onnx_id onnx_carried(onnx_writer *w, const node *n, uint32_t k, uint32_t direct)
{
    return onnx_cast_plain(w, onnx_operand(w, n, k),
                           onnx_carrier(onnx_operand_type(w, n, k)->dtype, direct));
}

void onnx_put_wrap(onnx_writer *w, const node *n)
{
    onnx_result(w, n, onnx_cast_plain(w, onnx_operand(w, n, 0), onnx_result_type(w, n)->dtype));
}

void onnx_put_cast(onnx_writer *w, const node *n)
{
    onnx_result(w, n, onnx_cast(w, onnx_operand(w, n, 0), onnx_result_type(w, n)->dtype));
}
