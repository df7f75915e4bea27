/* Elementwise operations that StableHLO defines otherwise, or takes attributes for. */
#include "dialect/mlir/stablehlo.h"

bool hlo_takes_div(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    if (dtype_is_int(value_type(f, n->first_value)->dtype) &&
        attr_int(n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) == ON_ZERO_ZERO)
        return object(why, "its integer division does not give 0 for a divisor of 0");
    return true;
}

bool hlo_takes_cast(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype from = value_type(f, n->in[0])->dtype, to = value_type(f, n->first_value)->dtype;
    if (dtype_is_complex(from) && to == TN_I1)
        return object(why, "it does not convert complex numbers to truth values");
    return true;
}

/* The real part of a complex number first. */
void hlo_cast(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    tensor from = type_of_value(w, n->in[0]), to = type_of_value(w, v);
    tensor part = type_like(&from, dtype_table[from.dtype].part);
    if (!dtype_is_complex(from.dtype) || dtype_is_complex(to.dtype)) {
        hlo_op(w, n, "convert", "");
        return;
    }
    line(w, "%n = \"stablehlo.real\"(%v) : (%t) -> %t", "p", v, n->in[0], &from, &part);
    line(w, "%v = \"stablehlo.convert\"(%n) : (%t) -> %t", v, "p", v, &part, &to);
}

void hlo_alias(mlir_text *w, const node *n)
{
    name_as(w, n->first_value, n->in[0]);
}

const char *comparison_type(tn_dtype d)
{
    return dtype_is_float(d) || dtype_is_complex(d) ? "FLOAT"
           : dtype_is_signed(d)                     ? "SIGNED"
                                                    : "UNSIGNED";
}

void hlo_compare(mlir_text *w, const node *n)
{
    static const char *const names[] = {"LT", "LE", "EQ", "GE", "GT", "NE"};
    hlo_op(w, n, "compare",
           " {comparison_direction = #stablehlo<comparison_direction %s>, compare_type = "
           "#stablehlo<comparison_type %s>}",
           names[attr_int(n->attrs, KEY_DIRECTION, 0)],
           comparison_type(value_type(w->f, n->in[0])->dtype));
}

/* StableHLO's NaN wins; ours loses, so each operand that is NaN gives way to the other. */
void hlo_extremum(mlir_text *w, const node *n)
{
    static const char not_equal[] = "%n = \"stablehlo.compare\"(%v, %v) {comparison_direction = "
                                    "#stablehlo<comparison_direction NE>, compare_type = "
                                    "#stablehlo<comparison_type FLOAT>} : (%t, %t) -> %t";
    value_id v = n->first_value, x = n->in[0], y = n->in[1];
    const char *name = n->op == OP_MAXIMUM ? "maximum" : "minimum";
    tensor t = type_of_value(w, v), p = type_like(&t, TN_I1);
    if (!dtype_is_float(t.dtype)) {
        hlo_op(w, n, name, "");
        return;
    }
    line(w, "%n = \"stablehlo.%s\"(%v, %v) : (%t, %t) -> %t", "m", v, name, x, y, &t, &t, &t);
    line(w, not_equal, "p", v, x, x, &t, &t, &p);
    line(w, not_equal, "q", v, y, y, &t, &t, &p);
    line(w, "%n = \"stablehlo.select\"(%n, %v, %n) : (%t, %t, %t) -> %t", "s", v, "q", v, x, "m", v,
         &p, &t, &t, &t);
    line(w, "%v = \"stablehlo.select\"(%n, %v, %n) : (%t, %t, %t) -> %t", v, "p", v, y, "s", v, &p,
         &t, &t, &t);
}

void hlo_trunc(mlir_text *w, const node *n)
{
    value_id v = n->first_value, x = n->in[0];
    tensor t = type_of_value(w, v), p = type_like(&t, TN_I1), one = type_of_scalar(t.dtype);
    hlo_scalar(w, "z", v, t.dtype, scalar_of_float(0));
    line(w,
         "%n = \"stablehlo.broadcast_in_dim\"(%n) {broadcast_dimensions = array<i64>} : (%t) -> %t",
         "b", v, "z", v, &one, &t);
    line(w,
         "%n = \"stablehlo.compare\"(%v, %n) {comparison_direction = "
         "#stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : "
         "(%t, %t) -> %t",
         "p", v, x, "b", v, &t, &t, &p);
    line(w, "%n = \"stablehlo.ceil\"(%v) : (%t) -> %t", "c", v, x, &t, &t);
    line(w, "%n = \"stablehlo.floor\"(%v) : (%t) -> %t", "f", v, x, &t, &t);
    line(w, "%v = \"stablehlo.select\"(%n, %n, %n) : (%t, %t, %t) -> %t", v, "p", v, "c", v, "f", v,
         &p, &t, &t, &t);
}
