/* Elementwise operations. */
#include "dialect/onnx/write/writer.h"

/* One operator, perhaps between conversions. */
void onnx_put_plain(onnx_writer *w, const node *n)
{
    const onnx_row *row = onnx_row_of((op_id)n->op);
    onnx_id in[2];
    for (uint32_t k = 0; k < n->n_in && k < 2; k++)
        in[k] = onnx_carried(w, n, k, row->direct);
    const onnx_id y =
        onnx_make(&w->out, row->op, onnx_dtype_of_id(&w->out, in[0]), in, n->n_in, NULL, 0);
    onnx_result(w, n, onnx_narrow(w, y, onnx_result_type(w, n)->dtype));
}

/* In f64 but for its result: so f32 and what is narrower have the bits of Tenon's. */
void onnx_put_rsqrt(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const onnx_id x = onnx_cast_plain(w, onnx_operand(w, n, 0), TN_F64);
    const onnx_id root = onnx_1(w, "Sqrt", x);
    const onnx_id y = onnx_1(w, "Reciprocal", root);
    const onnx_id single = onnx_cast_plain(w, y, d == TN_F64 ? TN_F64 : TN_F32);
    onnx_result(w, n, onnx_cast_plain(w, single, d));
}

void onnx_put_trunc(onnx_writer *w, const node *n)
{
    const onnx_id x = onnx_carried(w, n, 0, ONNX_FLOAT_BITS);
    const onnx_id zero = onnx_int(&w->out, onnx_dtype_of_id(&w->out, x), 0);
    const onnx_id negative = onnx_test(w, "Less", x, zero);
    const onnx_id up = onnx_1(w, "Ceil", x), down = onnx_1(w, "Floor", x);
    const onnx_id y = onnx_where(w, negative, up, down);
    onnx_result(w, n, onnx_narrow(w, y, onnx_result_type(w, n)->dtype));
}

void onnx_put_relu(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const onnx_id x = onnx_carried(w, n, 0, ONNX_COMMON_BITS);
    onnx_id y;
    if (dtype_is_float(d)) {
        y = onnx_1(w, "Relu", x);
    } else {
        const onnx_id zero = onnx_int(&w->out, onnx_dtype_of_id(&w->out, x), 0);
        y = onnx_extreme_of(w, "Max", x, zero);
    }
    onnx_result(w, n, onnx_narrow(w, y, d));
}

void onnx_put_is_nan(onnx_writer *w, const node *n)
{
    const onnx_id x = onnx_carried(w, n, 0, ONNX_FLOAT_BITS);
    onnx_result(w, n, onnx_test(w, "IsNaN", x, ONNX_NOTHING));
}

void onnx_put_is_inf(onnx_writer *w, const node *n)
{
    const onnx_id x = onnx_carried(w, n, 0, ONNX_BIT(TN_F32) | ONNX_BIT(TN_F64));
    onnx_result(w, n, onnx_test(w, "IsInf", x, ONNX_NOTHING));
}

bool onnx_takes_truth(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return value_type(f, n->first_value)->dtype == TN_I1 ||
           onnx_objection(why, "its operation is for truth values");
}

void onnx_put_not(onnx_writer *w, const node *n)
{
    onnx_result(w, n, onnx_1(w, "Not", onnx_operand(w, n, 0)));
}

/* ---- quotients ---- */

bool onnx_takes_div(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    return dtype_is_float(value_type(f, n->first_value)->dtype) ||
           attr_int(n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) == ON_ZERO_ERROR ||
           onnx_objection(why, "its integer division has no result for a divisor of 0");
}

void onnx_put_div(onnx_writer *w, const node *n)
{
    const uint32_t direct = ONNX_COMMON_BITS | ONNX_BIT(TN_UI64);
    const onnx_id x = onnx_carried(w, n, 0, direct), y = onnx_carried(w, n, 1, direct);
    const onnx_id q = onnx_2(w, "Div", x, y);
    onnx_result(w, n, onnx_narrow(w, q, onnx_result_type(w, n)->dtype));
}

/* Of 64 bits, for which ONNX Runtime computes `fmod` in double: what Mod gives without it has the
 * sign of the divisor. That is made positive, as a division by -1 may end the process. */
static onnx_id wide_remainder(onnx_writer *w, onnx_id x, onnx_id y)
{
    if (onnx_dtype_of_id(&w->out, x) == TN_UI64)
        return onnx_2(w, "Mod", x, y);
    const onnx_id by = onnx_1(w, "Abs", y), rest = onnx_2(w, "Mod", x, by);
    const onnx_id zero = onnx_int(&w->out, TN_SI64, 0);
    const onnx_id below = onnx_test(w, "Less", x, zero),
                  negative = onnx_test(w, "Less", rest, zero);
    const onnx_id same = onnx_test(w, "Equal", below, negative);
    const onnx_id none = onnx_test(w, "Equal", rest, zero);
    const onnx_id stays = onnx_2(w, "Or", none, same), other = onnx_2(w, "Sub", rest, by);
    return onnx_where(w, stays, rest, other);
}

/* With the sign of the dividend. */
void onnx_put_mod(onnx_writer *w, const node *n)
{
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    const onnx_id x = onnx_operand(w, n, 0), y = onnx_operand(w, n, 1), in[] = {x, y};
    const onnx_setting like_c = ONNX_INT_SET("fmod", 1);
    onnx_result(w, n,
                dtype_table[d].bits == 64 ? wide_remainder(w, x, y)
                                          : onnx_make(&w->out, "Mod", d, in, 2, &like_c, 1));
}

/* ---- choices ---- */

void onnx_put_larger(onnx_writer *w, const node *n)
{
    const uint32_t direct = ONNX_COMMON_BITS | ONNX_BIT(TN_UI32) | ONNX_BIT(TN_UI64);
    const onnx_id x = onnx_carried(w, n, 0, direct), y = onnx_carried(w, n, 1, direct);
    const onnx_id z = onnx_extreme_of(w, n->op == OP_MAXIMUM ? "Max" : "Min", x, y);
    onnx_result(w, n, onnx_narrow(w, z, onnx_result_type(w, n)->dtype));
}

void onnx_put_compare(onnx_writer *w, const node *n)
{
    static const char *const ops[] = {
        [DIR_LT] = "Less",           [DIR_LE] = "LessOrEqual", [DIR_EQ] = "Equal",
        [DIR_GE] = "GreaterOrEqual", [DIR_GT] = "Greater",     [DIR_NE] = "Equal"};
    const int64_t way = attr_int(n->attrs, KEY_DIRECTION, DIR_LT);
    const bool same = way == DIR_EQ || way == DIR_NE;
    const uint32_t direct = ONNX_COMMON_BITS | ONNX_BIT(TN_UI64) | (same ? ONNX_BIT(TN_I1) : 0);
    const onnx_id x = onnx_carried(w, n, 0, direct), y = onnx_carried(w, n, 1, direct);
    const onnx_id p = onnx_test(w, ops[way], x, y);
    onnx_result(w, n, way == DIR_NE ? onnx_1(w, "Not", p) : p);
}

/* Not every engine has Where for truth values. */
static onnx_id chosen_truth(onnx_writer *w, const node *n)
{
    const onnx_id p = onnx_operand(w, n, 0);
    const onnx_id left = onnx_2(w, "And", p, onnx_operand(w, n, 1));
    const onnx_id other = onnx_1(w, "Not", p);
    const onnx_id right = onnx_2(w, "And", other, onnx_operand(w, n, 2));
    return onnx_2(w, "Or", left, right);
}

void onnx_put_select(onnx_writer *w, const node *n)
{
    const uint32_t direct = ONNX_COMMON_BITS | ONNX_BIT(TN_UI8) | ONNX_BIT(TN_UI64);
    const tn_dtype d = onnx_result_type(w, n)->dtype;
    if (d == TN_I1) {
        onnx_result(w, n, chosen_truth(w, n));
        return;
    }
    const onnx_id x = onnx_carried(w, n, 1, direct), y = onnx_carried(w, n, 2, direct);
    const onnx_id chosen = onnx_where(w, onnx_operand(w, n, 0), x, y);
    onnx_result(w, n, onnx_cast_plain(w, chosen, d));
}

bool onnx_takes_clamp(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->first_value);
    return (value_type(f, n->in[1])->rank == 0 && value_type(f, n->in[2])->rank == 0 &&
            value_type(f, n->in[0]) == t) ||
           onnx_objection(why, "its bounds are numbers");
}

void onnx_put_clamp(onnx_writer *w, const node *n)
{
    const uint32_t direct = ONNX_COMMON_BITS | ONNX_BIT(TN_SI8) | ONNX_BIT(TN_UI8) |
                            ONNX_BIT(TN_UI32) | ONNX_BIT(TN_UI64);
    onnx_id in[3];
    for (uint32_t k = 0; k < 3; k++)
        in[k] = onnx_carried(w, n, k, direct);
    const tn_dtype d = onnx_dtype_of_id(&w->out, in[0]);
    onnx_id y;
    if (d == TN_SI64) {
        const onnx_id up = onnx_extreme_of(w, "Max", in[0], in[1]);
        y = onnx_extreme_of(w, "Min", up, in[2]);
    } else {
        y = onnx_make(&w->out, "Clip", d, in, 3, NULL, 0);
    }
    onnx_result(w, n, onnx_cast_plain(w, y, onnx_result_type(w, n)->dtype));
}
