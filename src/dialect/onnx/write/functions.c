/* Functions that ONNX lacks, made of others without losing digits: in f64 where the result is
 * narrower, so that all but the last bit of an f32 is right. */
#include <math.h>

#include "dialect/onnx/write/writer.h"

static onnx_id number(onnx_writer *w, tn_dtype d, double x)
{
    const scalar exact = {.kind = dtype_table[TN_F64].kind, .f = x};
    return onnx_cast_plain(w, onnx_number(&w->out, TN_F64, exact), d);
}

static onnx_id is_number(onnx_writer *w, onnx_id x, double y)
{
    return onnx_test(w, "Equal", x, number(w, onnx_dtype_of_id(&w->out, x), y));
}

/* Y, which is an f64, as the result of N. */
static void give(onnx_writer *w, const node *n, onnx_id y)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const onnx_id single = onnx_cast_plain(w, y, d == TN_F64 ? TN_F64 : TN_F32);
    onnx_result(w, n, onnx_cast_plain(w, single, d));
}

static onnx_id wide(onnx_writer *w, const node *n, uint32_t k)
{
    return onnx_cast_plain(w, onnx_operand(w, n, k), TN_F64);
}

/* With u = 1 + x, as it is rounded, log(u) * (x / (u - 1)): the error of u cancels. */
void onnx_put_log1p(onnx_writer *w, const node *n)
{
    const onnx_id x = wide(w, n, 0), one = number(w, TN_F64, 1);
    const onnx_id u = onnx_2(w, "Add", x, one), less = onnx_2(w, "Sub", u, one);
    const onnx_id log = onnx_1(w, "Log", u), by = onnx_2(w, "Div", x, less);
    const onnx_id y = onnx_2(w, "Mul", log, by);
    const onnx_id tiny = is_number(w, u, 1), endless = is_number(w, x, (double)INFINITY);
    const onnx_id plain = onnx_2(w, "Or", tiny, endless);
    give(w, n, onnx_where(w, plain, x, y));
}

/* With u = exp(x), as it is rounded, (u - 1) * (x / log(u)). */
void onnx_put_expm1(onnx_writer *w, const node *n)
{
    const onnx_id x = wide(w, n, 0), one = number(w, TN_F64, 1);
    const onnx_id u = onnx_1(w, "Exp", x), less = onnx_2(w, "Sub", u, one);
    const onnx_id log = onnx_1(w, "Log", u), by = onnx_2(w, "Div", x, log);
    const onnx_id y = onnx_2(w, "Mul", less, by);
    const onnx_id least = is_number(w, less, -1), endless = is_number(w, u, (double)INFINITY);
    const onnx_id far = onnx_2(w, "Or", least, endless); /* u - 1 is exact there */
    const onnx_id near = onnx_where(w, far, less, y);
    const onnx_id tiny = is_number(w, u, 1);
    give(w, n, onnx_where(w, tiny, x, near));
}

/* A power, and one step of Newton's, of |x|, times 2^54 where that is tiny; 0 and infinities are
 * themselves. */
void onnx_put_cbrt(onnx_writer *w, const node *n)
{
    const onnx_id x = wide(w, n, 0), given = onnx_1(w, "Abs", x);
    const onnx_id tiny = onnx_test(w, "Less", given, number(w, TN_F64, 0x1p-900));
    const onnx_id larger = onnx_2(w, "Mul", given, number(w, TN_F64, 0x1p54));
    const onnx_id a = onnx_where(w, tiny, larger, given);
    const onnx_id r = onnx_2(w, "Pow", a, number(w, TN_F64, 1.0 / 3));
    const onnx_id square = onnx_2(w, "Mul", r, r), cube = onnx_2(w, "Mul", square, r);
    const onnx_id over = onnx_2(w, "Sub", cube, a);
    const onnx_id slope = onnx_2(w, "Mul", square, number(w, TN_F64, 3));
    const onnx_id step = onnx_2(w, "Div", over, slope), better = onnx_2(w, "Sub", r, step);
    const onnx_id smaller = onnx_2(w, "Mul", better, number(w, TN_F64, 0x1p-18));
    const onnx_id root = onnx_where(w, tiny, smaller, better);
    const onnx_id sign = onnx_1(w, "Sign", x), y = onnx_2(w, "Mul", root, sign);
    const onnx_id zero = is_number(w, a, 0), endless = is_number(w, a, (double)INFINITY);
    const onnx_id plain = onnx_2(w, "Or", zero, endless);
    give(w, n, onnx_where(w, plain, x, y));
}

/* Is X below 0, or -0? */
static onnx_id is_negative(onnx_writer *w, onnx_id x)
{
    const onnx_id zero = number(w, onnx_dtype_of_id(&w->out, x), 0);
    const onnx_id over = onnx_1(w, "Reciprocal", x), below = onnx_test(w, "Less", x, zero);
    return onnx_2(w, "Or", below, onnx_test(w, "Less", over, zero));
}

/* The angle whose tangent is the smaller coordinate over the larger, turned to where the point
 * lies. Engines have Atan of f32 alone, so that is what it is computed in. */
void onnx_put_atan2(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype, c = d == TN_F64 ? TN_F64 : TN_F32;
    const double pi = 3.14159265358979323846;
    const onnx_id y = onnx_cast_plain(w, onnx_operand(w, n, 0), c);
    const onnx_id x = onnx_cast_plain(w, onnx_operand(w, n, 1), c);
    const onnx_id up = onnx_1(w, "Abs", y), right = onnx_1(w, "Abs", x);
    const onnx_id steep = onnx_test(w, "Greater", up, right);
    const onnx_id same = onnx_test(w, "Equal", up, right); /* 0 / 0 and inf / inf, too */
    const onnx_id small = onnx_where(w, steep, right, up);
    const onnx_id large = onnx_where(w, steep, up, right);
    const onnx_id quotient = onnx_2(w, "Div", small, large);
    const onnx_id zero = number(w, c, 0), one = number(w, c, 1);
    const onnx_id at_zero = onnx_test(w, "Equal", up, zero);
    const onnx_id diagonal = onnx_where(w, at_zero, zero, one);
    const onnx_id slope = onnx_where(w, same, diagonal, quotient);
    const onnx_id angle = onnx_1(w, "Atan", slope);
    const onnx_id rest = onnx_2(w, "Sub", number(w, c, pi / 2), angle);
    const onnx_id first = onnx_where(w, steep, rest, angle);
    const onnx_id opposite = onnx_2(w, "Sub", number(w, c, pi), first);
    const onnx_id left = is_negative(w, x), half = onnx_where(w, left, opposite, first);
    const onnx_id below = is_negative(w, y), minus = onnx_1(w, "Neg", half);
    const onnx_id all = onnx_where(w, below, minus, half);
    onnx_result(w, n, onnx_cast_plain(w, all, d));
}
