/* Bits of integers. Opset 17 has no operators for them but shifts of unsigned integers: numbers
 * below 2^63 are taken apart by division along a new last axis, one element a bit. */
#include "dialect/onnx/write/writer.h"

enum { LOW_BITS = 63 };

/* ---- numbers as si64 that are not negative ---- */

/* An operand as its lowest 63 bits and, of si64, its sign. */
typedef struct pattern {
    onnx_id low;      /* si64 */
    onnx_id negative; /* i1; ONNX_NOTHING: `low` is all */
    uint32_t bits;    /* of the element type */
} pattern;

static pattern pattern_of(onnx_writer *w, const node *n, uint32_t k)
{
    const tn_dtype d = onnx_operand_type(w, n, k)->dtype;
    pattern p = {.negative = ONNX_NOTHING, .bits = dtype_table[d].bits};
    const onnx_id x = onnx_cast_plain(w, onnx_operand(w, n, k), TN_SI64);
    if (dtype_is_unsigned(d)) {
        p.low = x;
    } else if (d != TN_SI64) {
        p.low = onnx_2(w, "Mod", x, onnx_int(&w->out, TN_SI64, (int64_t)1 << p.bits));
    } else {
        const onnx_id least = onnx_int(&w->out, TN_SI64, INT64_MIN);
        const onnx_id zero = onnx_int(&w->out, TN_SI64, 0);
        p.negative = onnx_test(w, "Less", x, zero);
        const onnx_id without = onnx_2(w, "Sub", x, least);
        p.low = onnx_where(w, p.negative, without, x);
    }
    return p;
}

/* The number LOW, below 2^bits of the element type D, as an element of D. */
static onnx_id element_of(onnx_writer *w, onnx_id low, onnx_id negative, tn_dtype d)
{
    if (d == TN_SI64 && negative != ONNX_NOTHING) {
        const onnx_id least = onnx_int(&w->out, TN_SI64, INT64_MIN);
        const onnx_id with = onnx_2(w, "Add", low, least);
        return onnx_where(w, negative, with, low);
    }
    return onnx_narrow(w, low, d);
}

static onnx_id powers(onnx_writer *w, uint32_t n)
{
    int64_t list[LOW_BITS];
    for (uint32_t i = 0; i < n; i++)
        list[i] = (int64_t)1 << i;
    return onnx_list_of(&w->out, list, n);
}

static onnx_id with_axis(onnx_writer *w, onnx_id x)
{
    const int64_t last = -1;
    const onnx_id in[] = {x, onnx_list_of(&w->out, &last, 1)};
    return onnx_make(&w->out, "Unsqueeze", onnx_dtype_of_id(&w->out, x), in, 2, NULL, 0);
}

/* The sum of the bits behind the axes of N: an axis of -1 stays in ONNX Runtime where there are no
 * elements. */
static onnx_id sum_of_bits(onnx_writer *w, const node *n, onnx_id x)
{
    const int64_t axis = onnx_result_type(w, n)->rank;
    const onnx_id in[] = {x, onnx_list_of(&w->out, &axis, 1)};
    const onnx_setting keep = ONNX_INT_SET("keepdims", 0);
    return onnx_make(&w->out, "ReduceSum", TN_SI64, in, 2, &keep, 1);
}

/* The bits of P, 0 or 1, along a new axis. */
static onnx_id bits_of(onnx_writer *w, const pattern *p)
{
    const uint32_t n = p->bits < LOW_BITS ? p->bits : LOW_BITS;
    const onnx_id apart = with_axis(w, p->low);
    const onnx_id shifted = onnx_2(w, "Div", apart, powers(w, n));
    return onnx_2(w, "Mod", shifted, onnx_int(&w->out, TN_SI64, 2));
}

static bool has_room(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    if (value_type(f, n->in[0])->dtype == TN_UI64)
        return onnx_objection(why, "it has no operation on the bits of ui64");
    return value_type(f, n->first_value)->rank < TN_MAX_RANK ||
           onnx_objection(why, "the rank leaves no room for an axis of bits");
}

bool onnx_takes_bits(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return has_room(f, n, why);
}

/* ---- counts ---- */

/* Leading zeros are the powers of two that a number does not reach. */
void onnx_put_count_bits(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const pattern p = pattern_of(w, n, 0);
    const onnx_id zero = onnx_int(&w->out, TN_SI64, 0);
    onnx_id count;
    if (n->op == OP_POPCOUNT) {
        count = sum_of_bits(w, n, bits_of(w, &p));
        if (p.negative != ONNX_NOTHING)
            count = onnx_2(w, "Add", count, onnx_cast_plain(w, p.negative, TN_SI64));
    } else {
        const onnx_id apart = with_axis(w, p.low);
        const onnx_id below =
            onnx_test(w, "Less", apart, powers(w, p.bits < LOW_BITS ? p.bits : LOW_BITS));
        count = sum_of_bits(w, n, onnx_cast_plain(w, below, TN_SI64));
        if (p.negative != ONNX_NOTHING) { /* the bit above those that were counted */
            const onnx_id one = onnx_int(&w->out, TN_SI64, 1);
            const onnx_id more = onnx_2(w, "Add", count, one);
            count = onnx_where(w, p.negative, zero, more);
        }
    }
    onnx_result(w, n, onnx_cast_plain(w, count, d));
}

/* ---- and, or, xor ---- */

bool onnx_takes_logic(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return value_type(f, n->first_value)->dtype == TN_I1 || has_room(f, n, why);
}

/* Of bits a, b: a b, a + b - a b, a + b - 2 a b. */
static onnx_id joined_bits(onnx_writer *w, op_id op, onnx_id a, onnx_id b)
{
    const onnx_id both = onnx_2(w, "Mul", a, b);
    if (op == OP_AND)
        return both;
    const onnx_id sum = onnx_2(w, "Add", a, b);
    const onnx_id once = onnx_2(w, "Sub", sum, both);
    return op == OP_OR ? once : onnx_2(w, "Sub", once, both);
}

void onnx_put_logic(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const char *op = n->op == OP_AND ? "And" : n->op == OP_OR ? "Or" : "Xor";
    if (d == TN_I1) {
        onnx_result(w, n, onnx_2(w, op, onnx_operand(w, n, 0), onnx_operand(w, n, 1)));
        return;
    }
    const pattern p = pattern_of(w, n, 0), q = pattern_of(w, n, 1);
    const onnx_id a = bits_of(w, &p), b = bits_of(w, &q);
    const onnx_id all = joined_bits(w, (op_id)n->op, a, b);
    /* not ReduceSum, which ONNX Runtime forms in double */
    const onnx_id low = onnx_2(w, "MatMul", all, powers(w, p.bits < LOW_BITS ? p.bits : LOW_BITS));
    const onnx_id negative =
        p.negative == ONNX_NOTHING ? ONNX_NOTHING : onnx_2(w, op, p.negative, q.negative);
    onnx_result(w, n, element_of(w, low, negative, d));
}

/* ---- shifts ---- */

bool onnx_takes_shift(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const tn_dtype d = value_type(f, n->first_value)->dtype;
    return d != TN_UI64 || n->op != OP_SHIFT_RIGHT_ARITHMETIC ||
           onnx_objection(why, "it has no arithmetic shift of ui64");
}

/* By fewer bits than there are, or else 0. */
static onnx_id shifted_unsigned(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const uint32_t direct = ONNX_BIT(TN_UI8) | ONNX_BIT(TN_UI32) | ONNX_BIT(TN_UI64);
    const tn_dtype in = direct & ONNX_BIT(d) ? d : TN_UI32;
    const onnx_id x = onnx_cast_plain(w, onnx_operand(w, n, 0), in);
    const onnx_id y = onnx_cast_plain(w, onnx_operand(w, n, 1), in);
    const scalar most = {.kind = DTYPE_UNSIGNED, .u = dtype_table[d].bits - 1};
    const onnx_id last = onnx_number(&w->out, in, most);
    const onnx_id by = onnx_extreme_of(w, "Min", y, last);
    const onnx_id in2[] = {x, by};
    const onnx_setting way = ONNX_TEXT_SET("direction", n->op == OP_SHIFT_LEFT ? "LEFT" : "RIGHT");
    const onnx_id shifted = onnx_make(&w->out, "BitShift", in, in2, 2, &way, 1);
    const tn_dtype wide = in == TN_UI64 ? TN_UI64 : TN_SI64;
    const onnx_id most_wide = onnx_cast_plain(w, last, wide);
    const onnx_id far = onnx_test(w, "Less", most_wide, onnx_cast_plain(w, y, wide));
    const onnx_id zero = onnx_int(&w->out, wide, 0);
    const onnx_id result = onnx_where(w, far, zero, onnx_cast_plain(w, shifted, wide));
    return in == d && in == TN_UI64 ? result : onnx_narrow(w, result, d);
}

/* 2^0 ... 2^62 by position, as a list of D. */
static onnx_id power_at(onnx_writer *w, onnx_id at, uint32_t n)
{
    const onnx_id in[] = {powers(w, n), at};
    return onnx_make(&w->out, "Gather", TN_SI64, in, 2, NULL, 0);
}

/* A / B rounded down, for B above 0. */
static onnx_id floored(onnx_writer *w, onnx_id a, onnx_id b)
{
    const onnx_id rest = onnx_2(w, "Mod", a, b);
    return onnx_2(w, "Div", onnx_2(w, "Sub", a, rest), b);
}

/* The amount, at most MOST; *FAR: it is the width or more, or negative, which counts as more. */
static onnx_id amount(onnx_writer *w, const node *n, uint32_t bits, int64_t most, onnx_id *far)
{
    const onnx_id y = onnx_cast_plain(w, onnx_operand(w, n, 1), TN_SI64);
    const onnx_id zero = onnx_int(&w->out, TN_SI64, 0);
    const onnx_id width = onnx_int(&w->out, TN_SI64, bits);
    const onnx_id below = onnx_test(w, "Less", y, zero);
    const onnx_id above = onnx_test(w, "GreaterOrEqual", y, width);
    *far = onnx_2(w, "Or", below, above);
    const onnx_id up = onnx_extreme_of(w, "Max", y, zero);
    return onnx_extreme_of(w, "Min", up, onnx_int(&w->out, TN_SI64, most));
}

/* Multiplied by two powers of two, since 2^63 is none of si64. */
static onnx_id shifted_left(onnx_writer *w, const node *n, uint32_t bits)
{
    onnx_id far;
    const onnx_id by = amount(w, n, bits, bits - 1, &far);
    const onnx_id x = onnx_cast_plain(w, onnx_operand(w, n, 0), TN_SI64);
    const onnx_id two = onnx_int(&w->out, TN_SI64, 2);
    const onnx_id half = onnx_2(w, "Div", by, two);
    const onnx_id other = onnx_2(w, "Sub", by, half);
    const onnx_id some = onnx_2(w, "Mul", x, power_at(w, half, LOW_BITS));
    const onnx_id all = onnx_2(w, "Mul", some, power_at(w, other, LOW_BITS));
    return onnx_where(w, far, onnx_int(&w->out, TN_SI64, 0), all);
}

/* Of the sign: what is left of a negative number is -1. */
static onnx_id shifted_arithmetic(onnx_writer *w, const node *n, tn_dtype d)
{
    const uint32_t bits = dtype_table[d].bits;
    const int64_t most = bits - 1 < LOW_BITS - 1 ? bits - 1 : LOW_BITS - 1;
    onnx_id far;
    const onnx_id by = amount(w, n, bits, most, &far);
    onnx_id x = onnx_cast_plain(w, onnx_operand(w, n, 0), TN_SI64);
    if (dtype_is_unsigned(d)) { /* its highest bit is a sign here */
        const onnx_id half = onnx_int(&w->out, TN_SI64, (int64_t)1 << (bits - 1));
        const onnx_id whole = onnx_int(&w->out, TN_SI64, (int64_t)1 << bits);
        const onnx_id high = onnx_test(w, "GreaterOrEqual", x, half);
        const onnx_id less = onnx_2(w, "Sub", x, whole);
        x = onnx_where(w, high, less, x);
    }
    const onnx_id near = floored(w, x, power_at(w, by, (uint32_t)most + 1));
    const onnx_id zero = onnx_int(&w->out, TN_SI64, 0);
    const onnx_id negative = onnx_test(w, "Less", x, zero);
    const onnx_id none = onnx_where(w, negative, onnx_int(&w->out, TN_SI64, -1), zero);
    if (bits <= LOW_BITS)
        return onnx_where(w, far, none, near);
    const onnx_id y = onnx_cast_plain(w, onnx_operand(w, n, 1), TN_SI64);
    const onnx_id last = onnx_test(w, "Equal", y, onnx_int(&w->out, TN_SI64, LOW_BITS));
    return onnx_where(w, onnx_2(w, "Or", far, last), none, near);
}

/* Zeros come in: of si64, the first step takes the sign away. */
static onnx_id shifted_logical(onnx_writer *w, const node *n, uint32_t bits)
{
    onnx_id far;
    const onnx_id by = amount(w, n, bits, bits - 1, &far);
    const onnx_id zero = onnx_int(&w->out, TN_SI64, 0);
    const pattern p = pattern_of(w, n, 0);
    onnx_id near;
    if (bits < 64) {
        near = onnx_2(w, "Div", p.low, power_at(w, by, bits));
    } else {
        const onnx_id x = onnx_operand(w, n, 0), one = onnx_int(&w->out, TN_SI64, 1);
        const onnx_id two = onnx_int(&w->out, TN_SI64, 2);
        const onnx_id low = onnx_2(w, "Div", p.low, two);
        const onnx_id high = onnx_int(&w->out, TN_SI64, (int64_t)1 << 62);
        const onnx_id set = onnx_2(w, "Add", low, high);
        const onnx_id once = onnx_where(w, p.negative, set, low);
        const onnx_id less = onnx_2(w, "Sub", by, one);
        const onnx_id rest = onnx_extreme_of(w, "Max", less, zero);
        const onnx_id moved = onnx_2(w, "Div", once, power_at(w, rest, LOW_BITS));
        near = onnx_where(w, onnx_test(w, "Equal", by, zero), x, moved);
    }
    return onnx_where(w, far, zero, near);
}

void onnx_put_shift(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const uint32_t bits = dtype_table[d].bits;
    onnx_id y;
    if (n->op == OP_SHIFT_RIGHT_ARITHMETIC)
        y = shifted_arithmetic(w, n, d);
    else if (dtype_is_unsigned(d))
        y = shifted_unsigned(w, n);
    else if (n->op == OP_SHIFT_LEFT)
        y = shifted_left(w, n, bits);
    else
        y = shifted_logical(w, n, bits);
    onnx_result(w, n, onnx_narrow(w, y, d));
}
