/* Order along an axis in StableHLO: arg_max as a reduction of pairs, sort, argsort
 * and top_k as sorts. */
#include "dialect/mlir/stablehlo.h"

#include <math.h>
#include <stdio.h>

#include "ops/attr_rules.h"

/* `%NAME = compare(X, Y)` of scalars of T by WAY. */
static void put_compare(mlir_text *w, const char *name, const char *x, const char *y,
                        const char *way, const tensor *t)
{
    tensor p = type_of_scalar(TN_I1);
    line(w,
         "%s = \"stablehlo.compare\"(%s, %s) {comparison_direction = "
         "#stablehlo<comparison_direction %s>, compare_type = #stablehlo<comparison_type %s>} : "
         "(%t, %t) -> %t",
         name, x, y, way, comparison_type(t->dtype), t, t, &p);
}

static void put_logic(mlir_text *w, const char *name, const char *op, const char *x, const char *y)
{
    tensor p = type_of_scalar(TN_I1);
    line(w, "%s = \"stablehlo.%s\"(%s, %s) : (%t, %t) -> %t", name, op, x, y, &p, &p, &p);
}

/* %NAME: X comes before Y, in the direction WAY; NaN comes last. */
static void put_before(mlir_text *w, const char *name, const char *x, const char *y,
                       const char *way, const tensor *t)
{
    if (!dtype_is_float(t->dtype)) {
        put_compare(w, name, x, y, way, t);
        return;
    }
    char better[8], nan[8], number[8], both[8];
    (void)snprintf(better, sizeof better, "%sm", name);
    (void)snprintf(nan, sizeof nan, "%sn", name);
    (void)snprintf(number, sizeof number, "%sk", name);
    (void)snprintf(both, sizeof both, "%sl", name);
    put_compare(w, better, x, y, way, t);
    put_compare(w, nan, y, y, "NE", t);
    put_compare(w, number, x, x, "EQ", t);
    put_logic(w, both, "and", nan, number);
    put_logic(w, name, "or", better, both);
}

/* `%iN`: the positions along AXIS of a tensor shaped like T. */
static void put_positions(mlir_text *w, value_id v, uint32_t axis, const tensor *t)
{
    hlo_put_iota(w, (value_name){w->scope, v, "i"}, axis, t);
}

/* A NaN or the least number loses to everything; of equal elements the first wins. */
void hlo_arg_max(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, v);
    tensor at = type_like(&in, out.dtype), x = type_of_scalar(in.dtype);
    tensor i = type_of_scalar(out.dtype), p = type_of_scalar(TN_I1), left = in, values;
    uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, in.rank);
    int64_t dims[] = {axis};
    bool keeps = out.rank == in.rank;
    left.rank = 0;
    for (uint32_t k = 0; k < in.rank; k++)
        if (k != axis)
            left.dims[left.rank++] = in.dims[k];
    values = left;
    left.dtype = out.dtype;
    put_positions(w, v, axis, &at);
    hlo_scalar(w, "z", v, in.dtype,
               dtype_is_float(in.dtype)    ? scalar_of_float((double)NAN)
               : dtype_is_signed(in.dtype) ? scalar_of_int(dtype_int_min(in.dtype))
                                           : scalar_of_uint(0));
    hlo_scalar(w, "b", v, out.dtype,
               dtype_is_signed(out.dtype) ? scalar_of_int((int64_t)dtype_int_max(out.dtype))
                                          : scalar_of_uint(dtype_int_max(out.dtype)));
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%n, ", "m", v);
    if (keeps)
        put(w, "%n", "s", v);
    else
        put(w, "%v", v);
    put(w, " = \"stablehlo.reduce\"(%v, %n, %n, %n) ({\n", n->in[0], "i", v, "z", v, "b", v);
    line(w, "^bb0(%%x: %t, %%i: %t, %%y: %t, %%j: %t):", &x, &i, &x, &i);
    w->depth++;
    put_before(w, "%f", "%x", "%y", "GT", &x);
    put_before(w, "%b", "%y", "%x", "GT", &x);
    put_logic(w, "%e", "or", "%f", "%b");
    put_compare(w, "%c", "%i", "%j", "LT", &i);
    line(w, "%%d = \"stablehlo.select\"(%%e, %%f, %%c) : (%t, %t, %t) -> %t", &p, &p, &p, &p);
    line(w, "%%v = \"stablehlo.select\"(%%d, %%x, %%y) : (%t, %t, %t) -> %t", &p, &x, &x, &x);
    line(w, "%%w = \"stablehlo.select\"(%%d, %%i, %%j) : (%t, %t, %t) -> %t", &p, &i, &i, &i);
    line(w, "\"stablehlo.return\"(%%v, %%w) : (%t, %t) -> ()", &x, &i);
    w->depth--;
    line(w, "}) {dimensions = %i} : (%t, %t, %t, %t) -> (%t, %t)", dims, 1U, &in, &at, &x, &i,
         &values, &left);
    if (keeps)
        hlo_put_reshape(w, w->names[v], (value_name){w->scope, v, "s"}, &left, &out);
}

/* A stable sort of the operands of N. */
void hlo_sort(mlir_text *w, const node *n)
{
    const value_id v = n->first_value;
    const tensor key = type_of_scalar(value_type(w->f, v)->dtype), p = type_of_scalar(TN_I1);
    const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, value_type(w->f, v)->rank);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    for (uint32_t k = 0; k < n->n_in; k++)
        put(w, "%s%v", k ? ", " : "", v + k);
    put(w, " = \"stablehlo.sort\"(");
    for (uint32_t k = 0; k < n->n_in; k++)
        put(w, "%s%v", k ? ", " : "", n->in[k]);
    put(w, ") ({\n");
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "^bb0(%%x: %t, %%y: %t", &key, &key);
    for (uint32_t k = 1; k < n->n_in; k++) {
        const tensor one = type_of_scalar(value_type(w->f, n->in[k])->dtype);
        put(w, ", %%x%u: %t, %%y%u: %t", k, &one, k, &one);
    }
    put(w, "):\n");
    w->depth++;
    put_before(w, "%f", "%x", "%y", attr_int(n->attrs, KEY_DESCENDING, 0) ? "GT" : "LT", &key);
    line(w, "\"stablehlo.return\"(%%f) : (%t) -> ()", &p);
    w->depth--;
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "}) {dimension = %u : i64, is_stable = true} : (", axis);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < n->n_in; k++) {
            const tensor t = type_of_value(w, n->in[k]);
            put(w, "%s%t", k ? ", " : pass ? ") -> (" : "", &t);
        }
    put(w, ")\n");
}

/* ` = sort` of the operand of N with the positions %iN, of type AT. */
static void put_sort_of_positions(mlir_text *w, const node *n, bool descends, const tensor *at)
{
    const value_id v = n->first_value;
    const tensor in = type_of_value(w, n->in[0]), p = type_of_scalar(TN_I1);
    const tensor x = type_of_scalar(in.dtype), i = type_of_scalar(at->dtype);
    const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, in.rank);
    put(w, " = \"stablehlo.sort\"(%v, %n) ({\n", n->in[0], "i", v);
    line(w, "^bb0(%%x: %t, %%y: %t, %%i: %t, %%j: %t):", &x, &x, &i, &i);
    w->depth++;
    put_before(w, "%f", "%x", "%y", descends ? "GT" : "LT", &x);
    line(w, "\"stablehlo.return\"(%%f) : (%t) -> ()", &p);
    w->depth--;
    line(w, "}) {dimension = %u : i64, is_stable = true} : (%t, %t) -> (%t, %t)", axis, &in, at,
         &in, at);
}

void hlo_argsort(mlir_text *w, const node *n)
{
    const value_id v = n->first_value;
    const tensor at = type_of_value(w, v);
    put_positions(w, v, resolve_axis(n->attrs, KEY_AXIS, at.rank), &at);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%n, %v", "s", v, v);
    put_sort_of_positions(w, n, attr_int(n->attrs, KEY_DESCENDING, 0) != 0, &at);
}

/* A stable sort of elements and positions, then the first of each. */
void hlo_top_k(mlir_text *w, const node *n)
{
    static const int64_t ones[TN_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t starts[TN_MAX_RANK] = {0};
    value_id v = n->first_value;
    tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, v);
    tensor places = type_of_value(w, v + 1), at = type_like(&in, places.dtype);
    put_positions(w, v, resolve_axis(n->attrs, KEY_AXIS, in.rank), &at);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%n, %n", "s", v, "j", v);
    put_sort_of_positions(w, n, attr_int(n->attrs, KEY_LARGEST, true) != 0, &at);
    const hlo_bounds by = {starts, out.dims, ones};
    hlo_put_slice(w, w->names[v], (value_name){w->scope, v, "s"}, &by, &in, &out);
    hlo_put_slice(w, w->names[v + 1], (value_name){w->scope, v, "j"}, &by, &at, &places);
}
