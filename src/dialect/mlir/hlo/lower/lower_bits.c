/* Bits of numbers: other types of the same bits, the total order of floats, parts of complex
 * numbers.
 */
#include "dialect/mlir/hlo/lower.h"

tn_dtype shlo_integer_of(uint32_t bits, bool is_signed)
{
    for (uint32_t d = 0; d < TN_DTYPE_COUNT; d++)
        if (dtype_table[d].bits == bits &&
            (is_signed ? dtype_is_signed((tn_dtype)d) : dtype_is_unsigned((tn_dtype)d)))
            return (tn_dtype)d;
    return TN_DTYPE_COUNT;
}

/* -NaN is not told from NaN, which is the largest. */
tn_value shlo_order_key(shlo_call *c, tn_value x)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const tn_dtype d = shlo_integer_of(dtype_table[t->dtype].bits, true);
    const tn_value k = tn_bitcast(b, x, d);
    const tn_value is_below = tn_compare(b, TN_LT, k, tn_scalar_int(b, d, 0));
    const tn_value most = tn_scalar_int(b, d, (int64_t)dtype_int_max(d));
    const tn_value flips = tn_broadcast(b, most, shlo_dims(t));
    return tn_select(b, is_below, tn_xor(b, k, flips), k);
}

/* The elements of X, integers of the bits of D or truth values, as unsigned integers of type D. */
static tn_value widened(tn_builder *b, tn_value x, tn_dtype from, tn_dtype d)
{
    return from == TN_I1 ? tn_cast(b, x, d) : tn_wrap(b, x, d);
}

/* The lowest bits of X, of type WIDE and extents T, as D. */
static tn_value narrowed(tn_builder *b, tn_value x, const type *t, tn_dtype wide, tn_dtype d)
{
    if (d != TN_I1)
        return tn_wrap(b, x, d);
    const tn_value one = tn_broadcast(b, tn_scalar_int(b, wide, 1), shlo_dims(t));
    return tn_cast(b, tn_and(b, x, one), TN_I1);
}

/* X in FROM bits as elements of TO bits along a new last axis, the lowest first. */
static tn_value split(shlo_call *c, tn_value x, const type *t, uint32_t from, uint32_t to)
{
    tn_builder *b = c->b;
    tn_value parts[64];
    const tn_dtype wide = shlo_integer_of(from, false);
    const tn_dtype narrow = to == 1 ? TN_I1 : shlo_integer_of(to, false);
    const tn_value all = tn_bitcast(b, x, wide);
    uint32_t n = 0;
    for (; n * to < from; n++) {
        const tn_value places =
            tn_broadcast(b, tn_scalar_int(b, wide, (int64_t)n * to), shlo_dims(t));
        const tn_value low = narrowed(b, tn_shift_right_logical(b, all, places), t, wide, narrow);
        parts[n] = tn_expand_dims(b, low, TN_INTS((int64_t)t->rank));
    }
    return tn_concat(b, (tn_values){parts, n}, (int64_t)t->rank);
}

/* The last axis of X, of FROM bits, as one element of TO bits. */
static tn_value join(shlo_call *c, tn_value x, const type *t, uint32_t from, uint32_t to)
{
    tn_builder *b = c->b;
    const tn_dtype narrow = from == 1 ? TN_I1 : shlo_integer_of(from, false);
    const tn_dtype wide = shlo_integer_of(to, false);
    const tn_value all = from == 1 ? x : tn_bitcast(b, x, narrow);
    tn_value sum = tn_no_value();
    for (uint32_t n = 0; n * from < to; n++) {
        const tn_value one = tn_slice_axis(b, all, (int64_t)t->rank - 1, n, 1);
        const tn_value flat = tn_squeeze(b, one, TN_INTS((int64_t)t->rank - 1));
        const tn_value up = widened(b, flat, narrow, wide);
        const tn_value places = tn_broadcast(b, tn_scalar_int(b, wide, (int64_t)n * from),
                                             (tn_ints){t->dims, t->rank - 1});
        const tn_value set = tn_shift_left(b, up, places);
        sum = n ? tn_or(b, sum, set) : set;
    }
    return sum;
}

/* The bits of complex numbers as other complex numbers. */
static bool between_complex(shlo_call *c, const type *t, tn_dtype d)
{
    tn_builder *b = c->b;
    const uint32_t last = t->rank;
    tn_value parts[2];
    if (t->dtype == TN_CF64 && d == TN_CF32) {
        const tn_value x = shlo_in(c, 0);
        const tn_dtype from = TN_F64, to = TN_F32;
        for (int i = 0; i < 2; i++) {
            const tn_value whole = i ? tn_imag(b, x) : tn_real(b, x);
            const type *w = shlo_type_of(c, whole);
            const tn_value halves =
                w ? split(c, whole, w, dtype_table[from].bits, dtype_table[to].bits) : whole;
            const tn_value re = tn_slice_axis(b, halves, last, 0, 1),
                           im = tn_slice_axis(b, halves, last, 1, 1);
            const tn_value low = tn_bitcast(b, re, to), high = tn_bitcast(b, im, to);
            parts[i] = tn_complex(b, low, high);
        }
        return shlo_give(c, 0, tn_concat(b, (tn_values){parts, 2}, last));
    }
    return shlo_refuse(c, DIAG_DTypeNotSupported, "%s and %s are not exchanged bit by bit",
                       dtype_name(t->dtype), dtype_name(d));
}

bool shlo_lower_bitcast_convert(shlo_call *c)
{
    const type *t = shlo_in_type(c, 0);
    const tn_dtype d = mir_stored(shlo_out_type(c, 0));
    if (!t)
        return false;
    const uint32_t from = dtype_table[t->dtype].bits, to = dtype_table[d].bits;
    if (t->dtype == d)
        return shlo_give(c, 0, shlo_in(c, 0));
    if (dtype_is_complex(t->dtype) || dtype_is_complex(d))
        return between_complex(c, t, d);
    if (to > from && (t->rank == 0 || t->dims[t->rank - 1] != to / from))
        return shlo_refuse(c, DIAG_ShapeMismatch, "the last axis does not hold one element each");
    if (to < from && t->rank == TN_MAX_RANK)
        return shlo_refuse(c, DIAG_RankMismatch, "the highest rank is %d", TN_MAX_RANK);
    tn_value x = shlo_in(c, 0);
    if (from != to)
        x = to < from ? split(c, x, t, from, to) : join(c, x, t, from, to);
    return shlo_give(c, 0, d == TN_I1 ? x : tn_bitcast(c->b, x, d));
}

/* ARG: the imaginary part. A float is its own real part. */
bool shlo_lower_part(shlo_call *c)
{
    const type *t = shlo_in_type(c, 0);
    if (!t)
        return false;
    const tn_value x = shlo_in(c, 0);
    if (dtype_is_complex(t->dtype))
        return shlo_give(c, 0, c->arg ? tn_imag(c->b, x) : tn_real(c->b, x));
    return shlo_give(c, 0, c->arg ? tn_splat(c->b, t->dtype, shlo_dims(t), 0) : x);
}
