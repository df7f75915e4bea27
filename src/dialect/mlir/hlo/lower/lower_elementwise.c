/* Elementwise operations, where StableHLO's rules are not those of the vocabulary. */
#include "dialect/mlir/hlo/lower.h"
#include "dialect/mlir/hlo/numbers/numbers.h"
#include "dialect/mlir/hlo/numbers/ranges.h"

#include <math.h>

/* OP of X and Y, element by element. */
static tn_value two(tn_builder *b, op_id op, tn_value x, tn_value y)
{
    attr_list l = attrs_for(b, op);
    const tn_value in[] = {x, y};
    return append_elementwise(&l, in, 2);
}

static tn_value one(tn_builder *b, op_id op, tn_value x)
{
    attr_list l = attrs_for(b, op);
    return append_1(&l, x);
}

static tn_value number(tn_builder *b, tn_dtype d, int64_t x)
{
    return tn_scalar_int(b, d, x);
}

/* The element type of operand K; any, when it has none because something failed, which is reported.
 */
static tn_dtype dtype_in(shlo_call *c, uint32_t k)
{
    const type *t = shlo_in_type(c, k);
    return t ? t->dtype : TN_F32;
}

bool shlo_lower_elementwise(shlo_call *c)
{
    enum { MOST = 3 };
    tn_value in[MOST];
    attr_list l = attrs_for(c->b, (op_id)c->arg);
    if (!shlo_same_shape(c, 0))
        return false;
    for (uint32_t k = 0; k < c->op->n_in; k++)
        in[k] = shlo_in(c, k);
    if (c->op->n_in == 1 && dtype_is_complex(dtype_in(c, 0)) && c->arg != OP_NEG)
        return shlo_give(c, 0, shlo_complex_function(c, (op_id)c->arg, in[0]));
    return shlo_give(c, 0, append(&l, in, c->op->n_in));
}

/* Truth values: add is or, multiply is and. */
static op_id of_truths(op_id op)
{
    return op == OP_ADD || op == OP_MAXIMUM ? OP_OR : OP_AND;
}

bool shlo_lower_binary(shlo_call *c)
{
    op_id op = (op_id)c->arg;
    if (!shlo_same_shape(c, 0))
        return false;
    if (dtype_in(c, 0) == TN_I1)
        op = of_truths(op);
    const tn_value x = shlo_in(c, 0), y = shlo_in(c, 1);
    return shlo_give(c, 0, two(c->b, op, x, y));
}

/* ---- division ---- */

/* X op Y for integers: X / 0 has all bits set, X rem 0 is X. */
static tn_value guarded(tn_builder *b, op_id op, tn_dtype d, tn_value x, tn_value y)
{
    const tn_value is_zero = tn_compare(b, TN_EQ, y, number(b, d, 0));
    const tn_value divisor = tn_select(b, is_zero, number(b, d, 1), y);
    const tn_value q = two(b, op, x, divisor);
    if (op == OP_MOD)
        return tn_select(b, is_zero, x, q);
    return tn_select(b, is_zero, one(b, OP_NOT, number(b, d, 0)), q);
}

bool shlo_lower_divide(shlo_call *c)
{
    const op_id op = (op_id)c->arg;
    if (!shlo_same_shape(c, 0))
        return false;
    const tn_dtype d = dtype_in(c, 0);
    const tn_value x = shlo_in(c, 0), y = shlo_in(c, 1);
    const bool is_safe = !dtype_is_int(d) || shlo_never_zero(c, y);
    if (op == OP_MOD && dtype_is_float(d))
        return shlo_give(c, 0, tn_fmod(c->b, x, y));
    return shlo_give(c, 0, is_safe ? two(c->b, op, x, y) : guarded(c->b, op, d, x, y));
}

bool shlo_lower_power(shlo_call *c)
{
    if (!shlo_same_shape(c, 0))
        return false;
    const tn_dtype d = dtype_in(c, 0);
    const tn_value x = shlo_in(c, 0), y = shlo_in(c, 1);
    if (dtype_is_int(d))
        return shlo_give(c, 0, shlo_integer_power(c, x, y));
    if (dtype_is_complex(d))
        return shlo_give(c, 0, shlo_complex_power(c, x, y));
    return shlo_give(c, 0, two(c->b, OP_POW, x, y));
}

bool shlo_lower_atan2(shlo_call *c)
{
    if (!shlo_same_shape(c, 0))
        return false;
    const tn_value y = shlo_in(c, 0), x = shlo_in(c, 1);
    if (dtype_is_complex(dtype_in(c, 0)))
        return shlo_give(c, 0, shlo_complex_atan2(c, y, x));
    return shlo_give(c, 0, two(c->b, OP_ATAN2, y, x));
}

bool shlo_lower_mulhi(shlo_call *c)
{
    if (!shlo_same_shape(c, 0))
        return false;
    if (!dtype_is_int(dtype_in(c, 0)))
        return shlo_refuse(c, DIAG_DTypeNotSupported, "its operands are integers");
    const tn_value x = shlo_in(c, 0);
    return shlo_give(c, 0, shlo_upper_product(c, x, shlo_in(c, 1)));
}

/* ---- order ---- */

/* NaN wins. */
tn_value shlo_maximum(tn_builder *b, tn_value x, tn_value y, bool is_max)
{
    const type *t = builder_type(b, x);
    const op_id op = is_max ? OP_MAXIMUM : OP_MINIMUM;
    if (!t)
        return tn_no_value();
    if (dtype_is_complex(t->dtype)) {
        const tn_value first = shlo_complex_compare(b, is_max ? TN_GT : TN_LT, x, y);
        return tn_select(b, first, x, y);
    }
    if (t->dtype == TN_I1)
        return two(b, of_truths(op), x, y);
    if (!dtype_is_float(t->dtype))
        return two(b, op, x, y);
    return two(b, is_max ? OP_MAXIMUM_NAN : OP_MINIMUM_NAN, x, y);
}

bool shlo_lower_extremum(shlo_call *c)
{
    if (!shlo_same_shape(c, 0))
        return false;
    const tn_value x = shlo_in(c, 0), y = shlo_in(c, 1);
    return shlo_give(c, 0, shlo_maximum(c->b, x, y, c->arg));
}

bool shlo_lower_clamp(shlo_call *c)
{
    const type *t = shlo_in_type(c, 1);
    if (!t)
        return false;
    tn_value low = shlo_in(c, 0), x = shlo_in(c, 1), high = shlo_in(c, 2);
    low = shlo_spread(c, low, t);
    high = shlo_spread(c, high, t);
    const tn_value above = shlo_maximum(c->b, x, low, true);
    return shlo_give(c, 0, shlo_maximum(c->b, above, high, false));
}

bool shlo_lower_compare(shlo_call *c)
{
    static const char *const words[] = {"LT", "LE", "EQ", "GE", "GT", "NE"};
    const mir_text word = shlo_word(c, "comparison_direction");
    const mir_text kind = shlo_word(c, "compare_type");
    uint32_t i = 0;
    while (i < 6 && !mir_is(word, words[i]))
        i++;
    if (i == 6)
        return shlo_refuse(c, DIAG_InvalidAttribute, "'%.*s' is no comparison", MIR_TEXT(word));
    if (!shlo_same_shape(c, 0))
        return false;
    tn_value x = shlo_in(c, 0), y = shlo_in(c, 1);
    const bool is_order = i != TN_EQ && i != TN_NE;
    if (is_order && dtype_is_complex(dtype_in(c, 0)))
        return shlo_give(c, 0, shlo_complex_compare(c->b, (tn_direction)i, x, y));
    if (mir_is(kind, "TOTALORDER") && dtype_is_float(dtype_in(c, 0))) {
        x = shlo_order_key(c, x);
        y = shlo_order_key(c, y);
    }
    return shlo_give(c, 0, tn_compare(c->b, (tn_direction)i, x, y));
}

bool shlo_lower_select(shlo_call *c)
{
    const type *t = shlo_in_type(c, 1);
    if (!t || !shlo_same_shape(c, 1))
        return false;
    const tn_value p = shlo_in(c, 0), x = shlo_in(c, 1), y = shlo_in(c, 2);
    if (shlo_saturates_to(c, p, x, y))
        return shlo_give(c, 0, y);
    return shlo_give(c, 0, tn_select(c->b, shlo_spread(c, p, t), x, y));
}

/* ---- one operand ---- */

bool shlo_lower_negate(shlo_call *c)
{
    const tn_dtype d = dtype_in(c, 0);
    const tn_value x = shlo_in(c, 0);
    if (!dtype_is_unsigned(d))
        return shlo_give(c, 0, one(c->b, OP_NEG, x));
    return shlo_give(c, 0, two(c->b, OP_SUB, number(c->b, d, 0), x));
}

bool shlo_lower_sign(shlo_call *c)
{
    tn_builder *b = c->b;
    const tn_dtype d = dtype_in(c, 0);
    const tn_value x = shlo_in(c, 0);
    if (dtype_is_complex(d))
        return shlo_give(c, 0, shlo_complex_function(c, OP_SIGN, x));
    if (!dtype_is_signed(d))
        return shlo_give(c, 0, one(b, OP_SIGN, x));
    const tn_value zero = number(b, d, 0);
    const tn_value is_above = tn_compare(b, TN_GT, x, zero);
    const tn_value is_below = tn_compare(b, TN_LT, x, zero);
    const tn_value below = tn_select(b, is_below, number(b, d, -1), zero);
    return shlo_give(c, 0, tn_select(b, is_above, number(b, d, 1), below));
}

/* The nearest whole number, halves away from zero. */
bool shlo_lower_round_afz(shlo_call *c)
{
    tn_builder *b = c->b;
    const tn_value x = shlo_in(c, 0);
    const tn_value whole = tn_trunc(b, x);
    const tn_value rest = tn_abs(b, tn_sub(b, x, whole));
    const tn_value is_far = tn_compare(b, TN_GE, rest, tn_scalar_like(b, x, 0.5));
    const tn_value away = tn_add(b, whole, tn_sign(b, x));
    return shlo_give(c, 0, tn_select(b, is_far, away, whole));
}

/* ---- conversions ---- */

tn_value shlo_convert(shlo_call *c, tn_value x, tn_dtype d)
{
    const type *t = shlo_type_of(c, x);
    if (!t)
        return tn_no_value();
    if (dtype_is_complex(t->dtype) && !dtype_is_complex(d))
        return tn_cast(c->b, tn_real(c->b, x), d);
    const bool wraps = dtype_is_int(t->dtype) && dtype_is_int(d);
    return wraps ? tn_wrap(c->b, x, d) : tn_cast(c->b, x, d);
}

bool shlo_lower_convert(shlo_call *c)
{
    const tn_value x = shlo_in(c, 0);
    return shlo_give(c, 0, shlo_convert(c, x, shlo_out_type(c, 0)->dtype));
}

/* `e8m7`, or two attributes. */
static bool format_of(shlo_call *c, int64_t *exponent, int64_t *mantissa)
{
    const mir_text t = shlo_word(c, "format");
    if (!t.n)
        return shlo_int(c, "exponent_bits", 0, exponent) &&
               shlo_int(c, "mantissa_bits", 0, mantissa);
    *exponent = *mantissa = 0;
    int64_t *to = exponent;
    for (size_t i = 0; i < t.n; i++) {
        if (t.at[i] == 'm')
            to = mantissa;
        else if (t.at[i] >= '0' && t.at[i] <= '9' && *to < 1000)
            *to = *to * 10 + (t.at[i] - '0');
        else if (t.at[i] != 'e' || i)
            return shlo_refuse(c, DIAG_InvalidAttribute, "'%.*s' is no format", MIR_TEXT(t));
    }
    return true;
}

bool shlo_lower_reduce_precision(shlo_call *c)
{
    int64_t exponent, mantissa;
    const type *t = shlo_in_type(c, 0);
    if (!t || !format_of(c, &exponent, &mantissa))
        return false;
    if (!dtype_is_float(t->dtype))
        return shlo_refuse(c, DIAG_DTypeNotSupported, "it is for floats");
    const int own_mantissa = dtype_table[t->dtype].precision - 1;
    const int own_exponent = dtype_table[t->dtype].bits - own_mantissa - 1;
    const tn_value x = shlo_in(c, 0);
    if (exponent >= own_exponent && mantissa >= own_mantissa)
        return shlo_give(c, 0, x);
    if (exponent < 1 || mantissa < 0)
        return shlo_refuse(c, DIAG_InvalidAttribute, "e%dm%d is no format", (int)exponent,
                           (int)mantissa);
    exponent = exponent < own_exponent ? exponent : own_exponent;
    mantissa = mantissa < own_mantissa ? mantissa : own_mantissa;
    return shlo_give(c, 0, shlo_precision(c, x, exponent, mantissa));
}
