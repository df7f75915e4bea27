/* Factors P A = L U with partial pivoting, column after column. Matrices are [n, m, batch] inside.
 */
#include "dialect/mlir/hlo/algebra/lapack.h"
#include "dialect/mlir/hlo/lower.h"

/* |X|, or of complex numbers the sum of that of the parts, by which LAPACK chooses. */
static tn_value size_of(shlo_call *c, tn_value x)
{
    const type *t = shlo_type_of(c, x);
    if (!t || !dtype_is_complex(t->dtype))
        return tn_abs(c->b, x);
    const tn_value re = tn_abs(c->b, tn_real(c->b, x));
    return tn_add(c->b, re, tn_abs(c->b, tn_imag(c->b, x)));
}

/* [n, ..]: does the number of the row stand in direction WAY to AT? */
static tn_value rows_at(tn_builder *b, tn_direction way, tn_value at, tn_ints shape)
{
    const tn_value row = tn_iota(b, TN_SI64, shape, 0);
    return tn_compare(b, way, row, tn_broadcast(b, at, shape));
}

static tn_value zeros(tn_builder *b, tn_dtype d, tn_ints shape)
{
    return tn_broadcast(b, tn_cast(b, tn_scalar_int(b, TN_SI64, 0), d), shape);
}

/* Column AT of A[n, m, k], as [n, 1, k]. */
static tn_value column_at(tn_builder *b, tn_value a, tn_value at, int64_t n, int64_t k)
{
    const tn_value zero = zeros(b, TN_SI64, TN_INTS(1));
    const tn_value start = tn_concat(b, TN_VALUES(zero, tn_reshape(b, at, TN_INTS(1)), zero), 0);
    return tn_dynamic_slice(b, a, start, TN_INTS(n, 1, k));
}

/* Row AT[k] of A[n, m, k], its own of each matrix, as [1, m, k]. */
static tn_value row_of_each(tn_builder *b, tn_value a, tn_value at, int64_t m, int64_t k)
{
    const tn_value place = tn_broadcast_axes(b, at, TN_INTS(1, m, k), TN_INTS(2));
    return tn_gather(b, a, place, 0);
}

/* Step AT of A[n, m, k]: the pivot's row goes to the place AT, and what is below is reduced. */
static tn_value step(shlo_call *c, tn_value a, tn_value at, const int64_t *dims, tn_dtype d,
                     tn_value *pivot)
{
    tn_builder *b = c->b;
    const int64_t n = dims[0], m = dims[1], k = dims[2];
    const tn_ints all = {dims, 3}, line = TN_INTS(n, 1, k);
    const tn_value column = column_at(b, a, at, n, k), size = size_of(c, column);
    const tn_value is_left = rows_at(b, TN_GE, at, line);
    const tn_value none = tn_broadcast(b, tn_scalar_like(b, size, -1), line);
    const tn_value best = tn_arg_max(b, tn_select(b, is_left, size, none), 0, false, TN_SI64);
    *pivot = tn_reshape(b, best, TN_INTS(k));
    const tn_value here = tn_broadcast(b, at, TN_INTS(k));
    const tn_value chosen = tn_broadcast(b, row_of_each(b, a, *pivot, m, k), all);
    const tn_value own = tn_broadcast(b, row_of_each(b, a, here, m, k), all);
    const tn_value row = tn_iota(b, TN_SI64, all, 0);
    const tn_value pivot_row = tn_broadcast_axes(b, *pivot, all, TN_INTS(2));
    const tn_value is_pivot = tn_compare(b, TN_EQ, row, pivot_row);
    const tn_value is_own = rows_at(b, TN_EQ, at, all);
    a = tn_select(b, is_own, chosen, tn_select(b, is_pivot, own, a));
    /* below: factors, and the rest less their products with the row of the pivot */
    const tn_value moved = column_at(b, a, at, n, k);
    const tn_value first = row_of_each(b, moved, here, 1, k);
    const tn_value divisor = tn_broadcast(b, first, line);
    const tn_value zero = zeros(b, d, line);
    const tn_value is_zero = tn_compare(b, TN_EQ, divisor, zero);
    const tn_value below = rows_at(b, TN_GT, at, line);
    const tn_value one = tn_broadcast(b, tn_cast(b, tn_scalar_int(b, TN_SI64, 1), d), line);
    const tn_value quotient = tn_div(b, moved, tn_select(b, is_zero, one, divisor));
    const tn_value factor = tn_select(b, below, quotient, zero);
    const tn_value product = tn_mul(b, tn_broadcast(b, factor, all), chosen);
    const tn_value column_number = tn_iota(b, TN_SI64, all, 1), place = tn_broadcast(b, at, all);
    const tn_value all_below = tn_broadcast(b, below, all);
    const tn_value behind = tn_compare(b, TN_GT, column_number, place);
    const tn_value same = tn_compare(b, TN_EQ, column_number, place);
    const tn_value is_rest = tn_and(b, all_below, behind);
    const tn_value is_factor = tn_and(b, all_below, same);
    const tn_value rest = tn_select(b, is_rest, tn_sub(b, a, product), a);
    return tn_select(b, is_factor, tn_broadcast(b, factor, all), rest);
}

/* Integers of type D, [k]: 0, or from 1 on the number of the first zero on the diagonal of A. */
static tn_value first_zero(shlo_call *c, tn_value a, const int64_t *dims, int64_t steps, tn_dtype d)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, a);
    if (!t)
        return a;
    const tn_ints all = {dims, 3};
    const tn_value row = tn_iota(b, TN_SI64, all, 0), column = tn_iota(b, TN_SI64, all, 1);
    const tn_value is_zero = tn_compare(b, TN_EQ, a, zeros(b, t->dtype, all));
    const tn_value at_fault = tn_and(b, tn_compare(b, TN_EQ, row, column), is_zero);
    const tn_value left = tn_sub(b, tn_broadcast(b, tn_scalar_int(b, TN_SI64, steps), all), row);
    const tn_value score = tn_select(b, at_fault, left, zeros(b, TN_SI64, all));
    const tn_value most = tn_reduce_max(b, score, TN_INTS(0, 1), false);
    const tn_value none = tn_scalar_int(b, TN_SI64, 0);
    const tn_value number = tn_sub(b, tn_scalar_int(b, TN_SI64, steps + 1), most);
    const tn_value is_none = tn_compare(b, TN_EQ, most, none);
    const tn_value zero = zeros(b, TN_SI64, TN_INTS(dims[2]));
    return tn_cast(b, tn_select(b, is_none, zero, number), d);
}

bool shlo_lower_getrf(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *t = shlo_in_type(c, 0);
    if (!t)
        return false;
    if (c->op->n_in != 1 || c->op->n_out != 3 || !dtype_is_int(shlo_out_type(c, 1)->dtype) ||
        !dtype_is_int(shlo_out_type(c, 2)->dtype))
        return shlo_refuse(c, DIAG_ArityMismatch, "this is not what the call takes and gives");
    if (!shlo_are_matrices(c, t, false))
        return false;
    const uint32_t rank = t->rank;
    const int64_t n = t->dims[rank - 2], m = t->dims[rank - 1], k = t->count / (n * m);
    const int64_t dims[] = {n, m, k}, steps = n < m ? n : m;
    const tn_value a = shlo_matrices_in_front(c, shlo_in(c, 0), false);
    const tn_value count = tn_iota(b, TN_SI64, TN_INTS(steps), 0);
    tn_value out[2], pivot;
    tn_region_begin(b, NULL);
    const tn_value now = tn_param_like(b, a), at = tn_param_slice(b, count);
    const tn_value next = step(c, now, at, dims, t->dtype, &pivot);
    const tn_value one = tn_broadcast(b, tn_scalar_int(b, TN_SI64, 1), TN_INTS(k));
    const tn_region body = tn_region_end(b, TN_VALUES(next, tn_add(b, pivot, one)));
    tn_scan(b, body, TN_VALUES(a), TN_VALUES(count), 1, out, 2);
    int64_t batch[TN_MAX_RANK];
    memcpy(batch, t->dims, rank * sizeof *batch);
    batch[rank - 2] = steps;
    const tn_value pivots = tn_transpose(b, out[1], TN_INTS(1, 0));
    const tn_value shaped = tn_reshape(b, pivots, (tn_ints){batch, rank - 1});
    const tn_value info = first_zero(c, out[0], dims, steps, shlo_out_type(c, 2)->dtype);
    bool ok = shlo_give(c, 0, shlo_matrices_back(c, out[0], t, false));
    ok = shlo_give(c, 1, tn_cast(b, shaped, shlo_out_type(c, 1)->dtype)) && ok;
    return shlo_give(c, 2, tn_reshape(b, info, (tn_ints){batch, rank - 2})) && ok;
}
