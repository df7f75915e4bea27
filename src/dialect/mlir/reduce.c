/* Reductions as linalg.generic over a filled destination. */
#include "dialect/mlir/linalg.h"

#include <math.h>

#include "ops/fold_ops.h"
#include "ops/shape.h"

static bool is_largest(op_id op)
{
    return fold_is_largest(fold_of_reduction(op));
}

static bool is_extremum(op_id op)
{
    return fold_is_extremum(fold_of_reduction(op));
}

/* What the accumulator starts with, and the op that takes one more element. */
static scalar start_of(op_id op, tn_dtype d)
{
    scalar start = zero_of(d);
    bool is_max = is_largest(op);
    if (op == OP_REDUCE_PROD)
        (void)scalar_cast(scalar_of_int(1), d, &start);
    if (!is_extremum(op))
        return start;
    if (dtype_is_float(d))
        return scalar_of_float((double)(is_max ? -INFINITY : INFINITY));
    if (dtype_is_signed(d))
        return scalar_of_int(is_max ? dtype_int_min(d) : (int64_t)dtype_int_max(d));
    return scalar_of_uint(is_max ? 0 : dtype_int_max(d));
}

static void step(mlir_text *w, op_id op, tn_dtype d)
{
    bool is_max = is_largest(op), nan_wins = fold_nan_wins(fold_of_reduction(op));
    if (!is_extremum(op)) {
        op_id how = op == OP_REDUCE_PROD ? OP_MUL : OP_ADD;
        line(w, "%%s = %s %%o, %%x : %e", mlir_arith_name(how, d), d);
    } else if (nan_wins) {
        line(w, "%%n = arith.cmpf uno, %%x, %%x : %e", d);
        line(w, "%%b = arith.cmpf %s, %%x, %%o : %e", is_max ? "ogt" : "olt", d);
        line(w, "%%p = arith.ori %%n, %%b : i1");
        line(w, "%%s = arith.select %%p, %%x, %%o : %e", d);
    } else if (dtype_is_float(d)) { /* NaN loses */
        line(w, "%%p = arith.cmpf %s, %%x, %%o : %e", is_max ? "ogt" : "olt", d);
        line(w, "%%s = arith.select %%p, %%x, %%o : %e", d);
    } else {
        line(w, "%%s = %s %%o, %%x : %e", mlir_arith_name(is_max ? OP_MAXIMUM : OP_MINIMUM, d), d);
    }
}

/* Every element of SUM divided by COUNT. */
static void divide(mlir_text *w, const char *result, value_id v, const operand *sum, int64_t count)
{
    tn_dtype d = sum->type.dtype;
    bool is_float = dtype_is_float(d);
    scalar by = scalar_of_int(count);
    (void)scalar_cast(by, d, &by);
    operand e = operand_made("m", v, &sum->type), in = *sum;
    line(w, "%s = tensor.empty() : %t", e.name, &e.type);
    map_identity(&in);
    put_scalar_constant(w, "n", v, d, by);
    generic_open(w, result, &in, 1, &e, e.type.rank, 0);
    line(w, "%%q = arith.%s %%x, %%n%u : %e",
         is_float               ? "divf"
         : dtype_is_unsigned(d) ? "divui"
                                : "divsi",
         v, d);
    generic_close(w, "%q", &e);
}

bool mlir_takes_reduce(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype d = value_type(f, n->first_value)->dtype;
    if (value_type(f, n->in[0])->dtype != d || attr_int(n->attrs, KEY_ACCUM_DTYPE, d) != (int64_t)d)
        return object(why, "it accumulates in another element type; cast first");
    if (attr_find(n->attrs, KEY_INIT))
        return object(why, "it starts with a value of its own; combine with that afterwards");
    if (dtype_is_complex(d) || d == TN_I1)
        return object(why, "arith has no form of it for %s", dtype_name(d));
    const attr *axes = attr_find(n->attrs, KEY_AXES);
    if (is_extremum((op_id)n->op) && axes && axes->n == 0) /* a start value would replace NaNs */
        return object(why, "it reduces no axis; use its operand");
    return true;
}

void mlir_reduce(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    operand in = operand_of(w, n->in[0]);
    tensor out = type_of_value(w, v), left;
    tn_dtype d = out.dtype;
    axis_list axes;
    bool keep, is_mean = n->op == OP_MEAN;
    uint32_t n_ints;
    const int64_t *ints = attr_ints(n->attrs, KEY_AXES, &n_ints);
    const attr *given = attr_find(n->attrs, KEY_AXES);
    int64_t kept[TN_MAX_RANK], count = 1;

    (void)resolve_reduction(given ? ints : NULL, n_ints, attr_int(n->attrs, KEY_KEEPDIMS, false),
                            in.type.rank, &axes, &keep);
    left = type_of_scalar(d);
    for (uint32_t i = 0; i < in.type.rank; i++)
        if (axes.mask >> i & 1) {
            count *= in.type.dims[i];
        } else {
            kept[left.rank] = i;
            left.dims[left.rank++] = in.type.dims[i];
        }
    keep = keep && axes.n > 0;
    bool divides = is_mean && (count != 0 || dtype_is_float(d));
    operand to = put_filled(w, v, &left, start_of((op_id)n->op, d));
    operand sum = operand_made(divides ? "s" : keep ? "r" : "", v, &left);
    operand mean = operand_made(keep ? "r" : "", v, &left);
    map_axes(&to, kept);
    generic_open(w, sum.name, &in, 1, &to, in.type.rank, axes.mask);
    step(w, (op_id)n->op, d);
    generic_close(w, "%s", &to);
    if (divides)
        divide(w, mean.name, v, &sum, count);
    if (keep)
        put_new_axes(w, v, divides ? &mean : &sum, &out, axes.mask);
}
