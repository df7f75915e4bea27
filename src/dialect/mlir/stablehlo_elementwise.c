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

/* `%PREFIXv`: a tensor like T full of VALUE. */
static void put_full(mlir_text *w, const char *prefix, value_id v, const tensor *t, scalar value)
{
    hlo_put_full(w, (value_name){w->scope, v, prefix}, t, value);
}

/* `%PREFIXv = compare(X, with)`. */
static void put_test(mlir_text *w, const char *prefix, value_id v, const value_name *x,
                     const char *way, const value_name *with, const tensor *t)
{
    tensor p = type_like(t, TN_I1);
    line(w,
         "%n = \"stablehlo.compare\"(%w, %w) {comparison_direction = "
         "#stablehlo<comparison_direction %s>, compare_type = #stablehlo<comparison_type FLOAT>} : "
         "(%t, %t) -> %t",
         prefix, v, x, with, way, t, t, &p);
}

/* A float truncated and saturated, and 0 for NaN: what lies outside is selected away, since
 * StableHLO leaves it to the implementation. */
static void put_saturated(mlir_text *w, value_id v, value_name x, tensor t, const tensor *out)
{
    const bool is_signed = dtype_is_signed(out->dtype);
    const double above = (double)dtype_int_max(out->dtype); /* rounds up where it is not exact */
    const double end = above + (above < 0x1p52 ? 1 : 0);
    tensor p = type_like(&t, TN_I1);
    if (t.dtype != TN_F64 && t.dtype != TN_F32) { /* exact, and holds the bounds */
        const tensor wide = type_like(&t, TN_F32);
        line(w, "%n = \"stablehlo.convert\"(%w) : (%t) -> %t", "xw", v, &x, &t, &wide);
        x = (value_name){w->scope, v, "xw"};
        t = wide;
    }
    const value_name high = {w->scope, v, "xe"}, low = {w->scope, v, "xb"};
    put_full(w, "xe", v, &t, scalar_of_float(end));
    put_full(w, "xb", v, &t, scalar_of_float(is_signed ? -end : 0));
    put_full(w, "xh", v, out,
             is_signed ? scalar_of_int((int64_t)dtype_int_max(out->dtype))
                       : scalar_of_uint(dtype_int_max(out->dtype)));
    put_full(w, "xl", v, out, scalar_of_int(is_signed ? dtype_int_min(out->dtype) : 0));
    put_full(w, "xz", v, out, scalar_of_int(0));
    put_test(w, "xp", v, &x, "GE", &high, &t);
    put_test(w, "xq", v, &x, "LT", &low, &t);
    put_test(w, "xn", v, &x, "NE", &x, &t);
    line(w, "%n = \"stablehlo.convert\"(%w) : (%t) -> %t", "xc", v, &x, &t, out);
    line(w, "%n = \"stablehlo.select\"(%n, %n, %n) : (%t, %t, %t) -> %t", "xs", v, "xp", v, "xh", v,
         "xc", v, &p, out, out, out);
    line(w, "%n = \"stablehlo.select\"(%n, %n, %n) : (%t, %t, %t) -> %t", "xt", v, "xq", v, "xl", v,
         "xs", v, &p, out, out, out);
    line(w, "%v = \"stablehlo.select\"(%n, %n, %n) : (%t, %t, %t) -> %t", v, "xn", v, "xz", v, "xt",
         v, &p, out, out, out);
}

/* An integer clamped to what OUT can hold, then converted. */
static void put_narrowed(mlir_text *w, value_id v, value_name x, const tensor *t, const tensor *out)
{
    const tensor one = type_of_scalar(t->dtype);
    const bool has_sign = dtype_is_signed(t->dtype), keeps_sign = dtype_is_signed(out->dtype);
    const int64_t low = !has_sign || !keeps_sign ? 0
                        : dtype_int_min(t->dtype) > dtype_int_min(out->dtype)
                            ? dtype_int_min(t->dtype)
                            : dtype_int_min(out->dtype);
    const uint64_t high = dtype_int_max(t->dtype) < dtype_int_max(out->dtype)
                              ? dtype_int_max(t->dtype)
                              : dtype_int_max(out->dtype);
    hlo_scalar(w, "xl", v, t->dtype, scalar_of_int(low));
    hlo_scalar(w, "xh", v, t->dtype,
               has_sign ? scalar_of_int((int64_t)high) : scalar_of_uint(high));
    line(w, "%n = \"stablehlo.clamp\"(%n, %w, %n) : (%t, %t, %t) -> %t", "xc", v, "xl", v, &x, "xh",
         v, &one, t, &one, t);
    line(w, "%v = \"stablehlo.convert\"(%n) : (%t) -> %t", v, "xc", v, t, out);
}

void hlo_convert(mlir_text *w, value_id v, value_name from, const tensor *t)
{
    const tensor out = type_of_value(w, v);
    const bool counts = dtype_is_int(out.dtype) && out.dtype != TN_I1 && t->dtype != TN_I1;
    if (counts && dtype_is_float(t->dtype) && value_type(w->f, v)->count)
        put_saturated(w, v, from, *t, &out);
    else if (counts && dtype_is_int(t->dtype) && !dtype_holds_ints(out.dtype, t->dtype))
        put_narrowed(w, v, from, t, &out);
    else
        line(w, "%v = \"stablehlo.convert\"(%w) : (%t) -> %t", v, &from, t, &out);
}

/* The real part of a complex number first. */
void hlo_cast(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    tensor from = type_of_value(w, n->in[0]), to = type_of_value(w, v);
    tensor part = type_like(&from, dtype_table[from.dtype].part);
    if (!dtype_is_complex(from.dtype) || dtype_is_complex(to.dtype)) {
        hlo_convert(w, v, w->names[n->in[0]], &from);
        return;
    }
    line(w, "%n = \"stablehlo.real\"(%v) : (%t) -> %t", "p", v, n->in[0], &from, &part);
    hlo_convert(w, v, (value_name){w->scope, v, "p"}, &part);
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

void hlo_is_nan(mlir_text *w, const node *n)
{
    const value_name x = w->names[n->in[0]];
    const tensor t = type_of_value(w, n->in[0]);
    put_test(w, "", n->first_value, &x, "NE", &x, &t);
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
    hlo_put_broadcast(w, (value_name){w->scope, v, "b"}, (value_name){w->scope, v, "z"}, NULL, &one,
                      &t);
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
