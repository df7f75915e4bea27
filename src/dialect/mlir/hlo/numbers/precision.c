/* Rounding to fewer bits, on the bits. */
#include "dialect/mlir/hlo/numbers/numbers.h"

/* The bits of a float type, as unsigned integers. */
typedef struct float_bits {
    tn_builder *b;
    tn_dtype d; /* of the integers */
    tn_ints shape;
    int64_t exponent, mantissa;
} float_bits;

static tn_value number(const float_bits *f, uint64_t x)
{
    int64_t own;
    memcpy(&own, &x, sizeof own);
    const tn_dtype wide = f->d == TN_UI64 ? TN_SI64 : f->d;
    const tn_value n = tn_scalar_int(f->b, wide, own);
    const tn_value same = wide == f->d ? n : tn_bitcast(f->b, n, f->d);
    return tn_broadcast(f->b, same, f->shape);
}

/* BITS with the mantissa rounded to KEPT bits, to even; it may run over into the exponent. */
static tn_value rounded(const float_bits *f, tn_value bits, int64_t kept)
{
    tn_builder *b = f->b;
    const uint64_t last = UINT64_C(1) << (f->mantissa - kept);
    const tn_value places = number(f, (uint64_t)(f->mantissa - kept));
    const tn_value odd = tn_shift_right_logical(b, tn_and(b, bits, number(f, last)), places);
    const tn_value bias = tn_add(b, odd, number(f, (last >> 1) - 1));
    const tn_value sum = tn_add(b, bits, bias);
    return tn_and(b, sum, tn_not(b, number(f, last - 1)));
}

/* Exponents of more than KEPT bits become infinite or zero. */
static tn_value narrowed(const float_bits *f, tn_value bits, int64_t kept)
{
    tn_builder *b = f->b;
    const uint64_t own = (UINT64_C(1) << (f->exponent - 1)) - 1;
    const uint64_t fewer = (UINT64_C(1) << (kept - 1)) - 1;
    const uint64_t all = (UINT64_C(1) << f->exponent) - 1;
    const tn_value mask = number(f, all << f->mantissa);
    const tn_value sign = tn_and(b, bits, number(f, UINT64_C(1) << (f->exponent + f->mantissa)));
    const tn_value exponent = tn_and(b, bits, mask);
    const tn_value most = number(f, (own + fewer) << f->mantissa);
    const tn_value least = number(f, (own - fewer) << f->mantissa);
    const tn_value is_large = tn_compare(b, TN_GT, exponent, most);
    const tn_value is_small = tn_compare(b, TN_LE, exponent, least);
    const tn_value high = tn_select(b, is_large, tn_or(b, sign, mask), bits);
    return tn_select(b, is_small, sign, high);
}

tn_value shlo_precision(shlo_call *c, tn_value x, int64_t exponent, int64_t mantissa)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    if (t->dtype != TN_F32 && t->dtype != TN_F64) {
        const tn_value y = shlo_precision(c, tn_cast(b, x, TN_F32), exponent, mantissa);
        return tn_cast(b, y, t->dtype);
    }
    const bool is_wide = t->dtype == TN_F64;
    const float_bits f = {.b = b,
                          .d = is_wide ? TN_UI64 : TN_UI32,
                          .shape = shlo_dims(t),
                          .exponent = is_wide ? 11 : 8,
                          .mantissa = is_wide ? 52 : 23};
    tn_value bits = tn_bitcast(b, x, f.d);
    if (mantissa < f.mantissa)
        bits = rounded(&f, bits, mantissa);
    if (exponent < f.exponent)
        bits = narrowed(&f, bits, exponent);
    const tn_value y = tn_bitcast(b, bits, t->dtype);
    /* without a mantissa there is no NaN */
    const tn_value infinite =
        tn_bitcast(b, number(&f, ((UINT64_C(1) << f.exponent) - 1) << f.mantissa), t->dtype);
    return tn_select(b, tn_is_nan(b, x), mantissa ? x : infinite, y);
}
