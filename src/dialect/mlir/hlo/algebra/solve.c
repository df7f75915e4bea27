/* Triangular systems and Cholesky's factors, row after row. Matrices are [n, m, batch] inside. */
#include "dialect/mlir/hlo/algebra/lapack.h"
#include "dialect/mlir/hlo/lower.h"

/* A's last two axes in front, the first of them last if TURNED, and all others as one behind. */
tn_value shlo_matrices_in_front(shlo_call *c, tn_value a, bool turned)
{
    int64_t perm[TN_MAX_RANK];
    const type *t = shlo_type_of(c, a);
    if (!t)
        return a;
    const uint32_t rank = t->rank;
    perm[0] = turned ? rank - 1 : rank - 2;
    perm[1] = turned ? rank - 2 : rank - 1;
    for (uint32_t i = 0; i + 2 < rank; i++)
        perm[2 + i] = i;
    const int64_t n = t->dims[perm[0]], m = t->dims[perm[1]];
    const tn_value y = tn_transpose(c->b, a, (tn_ints){perm, rank});
    return tn_reshape(c->b, y, TN_INTS(n, m, t->count / (n * m)));
}

/* The contrary, for the result of type T. */
tn_value shlo_matrices_back(shlo_call *c, tn_value a, const type *t, bool turned)
{
    int64_t dims[TN_MAX_RANK], perm[TN_MAX_RANK];
    const uint32_t rank = t->rank;
    dims[0] = t->dims[turned ? rank - 1 : rank - 2];
    dims[1] = t->dims[turned ? rank - 2 : rank - 1];
    for (uint32_t i = 0; i + 2 < rank; i++) {
        dims[2 + i] = t->dims[i];
        perm[i] = 2 + i;
    }
    perm[rank - 2] = turned ? 1 : 0;
    perm[rank - 1] = turned ? 0 : 1;
    const tn_value y = tn_reshape(c->b, a, (tn_ints){dims, rank});
    return tn_transpose(c->b, y, (tn_ints){perm, rank});
}

static tn_value conjugate(shlo_call *c, tn_value a)
{
    const type *t = shlo_type_of(c, a);
    if (!t || !dtype_is_complex(t->dtype))
        return a;
    const tn_value re = tn_real(c->b, a);
    return tn_complex(c->b, re, tn_neg(c->b, tn_imag(c->b, a)));
}

/* [n, 1]: does the row's number stand in direction WAY to AT? */
static tn_value rows_where(tn_builder *b, int64_t n, tn_direction way, tn_value at)
{
    return tn_compare(b, way, tn_iota(b, TN_SI64, TN_INTS(n, 1), 0), at);
}

/* Row AT of A[n, m, k], as [m, k]. */
static tn_value row_at(tn_builder *b, tn_value a, tn_value at, int64_t m, int64_t k)
{
    const tn_value zeros = tn_broadcast(b, tn_scalar_int(b, TN_SI64, 0), TN_INTS(2));
    const tn_value start = tn_concat(b, TN_VALUES(tn_reshape(b, at, TN_INTS(1)), zeros), 0);
    return tn_reshape(b, tn_dynamic_slice(b, a, start, TN_INTS(1, m, k)), TN_INTS(m, k));
}

/* A[n, m, k] with ROW[m, k] at AT. */
static tn_value with_row(tn_builder *b, tn_value a, tn_value at, tn_value row, int64_t m, int64_t k)
{
    const tn_value zeros = tn_broadcast(b, tn_scalar_int(b, TN_SI64, 0), TN_INTS(2));
    const tn_value start = tn_concat(b, TN_VALUES(tn_reshape(b, at, TN_INTS(1)), zeros), 0);
    const tn_value update = tn_reshape(b, row, TN_INTS(1, m, k));
    return tn_dynamic_update_slice(b, a, update, start);
}

/* The sum over the first axis of X. */
static tn_value summed(tn_builder *b, tn_value x)
{
    return tn_reduce(b, TN_REDUCE_SUM, x, TN_INTS(0), false, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT,
                     NULL);
}

static tn_value zeros_like(tn_builder *b, tn_value x)
{
    const type *t = builder_type(b, x);
    const tn_value zero = tn_cast(b, tn_scalar_int(b, TN_SI64, 0), t ? t->dtype : TN_F32);
    return t ? tn_broadcast(b, zero, (tn_ints){t->dims, t->rank}) : x;
}

/* X[n, m, k] with L X = R, where L[n, n, k] is read below its diagonal, and, unless UNIT, on it. */
static tn_value forward(shlo_call *c, tn_value l, tn_value r, bool unit)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, r);
    if (!t)
        return r;
    const int64_t n = t->dims[0], m = t->dims[1], k = t->dims[2];
    const tn_value empty = zeros_like(b, r);
    const tn_value count = tn_iota(b, TN_SI64, TN_INTS(n), 0);
    tn_value out;
    tn_region_begin(b, NULL);
    const tn_value x = tn_param_like(b, empty);
    const tn_value row = tn_param_slice(b, l), right = tn_param_slice(b, r);
    const tn_value at = tn_param_slice(b, count);
    const tn_value zero = zeros_like(b, row);
    const tn_value is_below = rows_where(b, n, TN_LT, at), is_own = rows_where(b, n, TN_EQ, at);
    const tn_value below = tn_select(b, is_below, row, zero);
    const tn_value factors = tn_reshape(b, below, TN_INTS(n, 1, k));
    const tn_value rest = tn_sub(b, right, summed(b, tn_mul(b, factors, x)));
    const tn_value diagonal = summed(b, tn_select(b, is_own, row, zero));
    const tn_value own = unit ? rest : tn_div(b, rest, diagonal);
    const tn_region body = tn_region_end(b, TN_VALUES(with_row(b, x, at, own, m, k)));
    tn_scan(b, body, TN_VALUES(empty), TN_VALUES(l, r, count), 0, &out, 1);
    return out;
}

/* The matrices of T: square if SQUARE; with elements, unless they MAY_BE_EMPTY. */
static bool are_matrices(shlo_call *c, const type *t, bool square, bool may_be_empty)
{
    const bool ok = t->rank >= 2 && type_is_static(t) && (t->count > 0 || may_be_empty) &&
                    (dtype_is_float(t->dtype) || dtype_is_complex(t->dtype)) &&
                    (!square || t->dims[t->rank - 1] == t->dims[t->rank - 2]);
    return ok ||
           shlo_refuse(c, DIAG_ShapeMismatch, "it takes%s matrices of floats, of known extents%s",
                       square ? " square" : "", may_be_empty ? "" : " above 0");
}

bool shlo_are_matrices(shlo_call *c, const type *t, bool square)
{
    return are_matrices(c, t, square, false);
}

/* Are there as many matrices of T as of OF, along the same axes, and do they suit each other? */
static bool are_system(shlo_call *c, const type *t, const type *of, bool left)
{
    bool suit = of->rank == t->rank && of->dtype == t->dtype &&
                of->dims[of->rank - (left ? 2 : 1)] == t->dims[t->rank - 1];
    for (uint32_t i = 0; suit && i + 2 < t->rank; i++)
        suit = of->dims[i] == t->dims[i];
    return suit || shlo_refuse(c, DIAG_ShapeMismatch, "its matrices do not suit each other");
}

bool shlo_lower_triangular_solve(shlo_call *c)
{
    tn_builder *b = c->b;
    const mir_text word = shlo_word(c, "transpose_a");
    const type *t = shlo_in_type(c, 0), *of = shlo_in_type(c, 1);
    const bool adjoint = mir_is(word, "ADJOINT"), turns = adjoint || mir_is(word, "TRANSPOSE");
    const bool left = shlo_flag(c, "left_side", true), unit = shlo_flag(c, "unit_diagonal", false);
    bool lower = shlo_flag(c, "lower", true);
    if (!t || !of || !are_matrices(c, t, true, true) || !are_matrices(c, of, false, true))
        return false;
    if (!turns && !mir_is(word, "NO_TRANSPOSE"))
        return shlo_refuse(c, DIAG_InvalidAttribute, "'transpose_a' is no transposition");
    if (!are_system(c, t, of, left))
        return false;
    if (of->count == 0)
        return shlo_give(c, 0, shlo_in(c, 1));
    /* x op(a) = b is op(a)' x' = b' */
    const tn_value plain = shlo_in(c, 0);
    const bool is_turned = turns == left;
    tn_value a = shlo_matrices_in_front(c, adjoint ? conjugate(c, plain) : plain, is_turned);
    tn_value r = shlo_matrices_in_front(c, shlo_in(c, 1), !left);
    lower = lower != is_turned;
    if (!lower) { /* from the end */
        a = tn_reverse(b, a, TN_INTS(0, 1));
        r = tn_reverse(b, r, TN_INTS(0));
    }
    tn_value x = forward(c, a, r, unit);
    x = lower ? x : tn_reverse(b, x, TN_INTS(0));
    return shlo_give(c, 0, shlo_matrices_back(c, x, of, !left));
}

/* L[n, n, k] with L L' = A, which is read on and below its diagonal. The scan makes a column of L a
 * turn: a row of its transpose, which it carries. */
static tn_value factor(shlo_call *c, tn_value a, const type *t)
{
    tn_builder *b = c->b;
    const int64_t n = t->dims[t->rank - 1], k = t->count / (n * n);
    const tn_value empty = zeros_like(b, a);
    const tn_value columns = tn_transpose(b, a, TN_INTS(1, 0, 2));
    const tn_value count = tn_iota(b, TN_SI64, TN_INTS(n), 0);
    tn_value out;
    tn_region_begin(b, NULL);
    const tn_value l = tn_param_like(b, empty); /* [column, row, k] */
    const tn_value column = tn_param_slice(b, columns), at = tn_param_slice(b, count);
    const tn_value zero = zeros_like(b, column);
    const tn_value rows = tn_transpose(b, l, TN_INTS(1, 0, 2));
    const tn_value own = conjugate(c, row_at(b, rows, at, n, k));
    const tn_value known = summed(b, tn_mul(b, l, tn_reshape(b, own, TN_INTS(n, 1, k))));
    const tn_value rest = tn_sub(b, column, known);
    const tn_value is_own = rows_where(b, n, TN_EQ, at), is_below = rows_where(b, n, TN_GT, at);
    const tn_value square = summed(b, tn_select(b, is_own, rest, zero));
    const bool is_complex = dtype_is_complex(t->dtype);
    const tn_value root = tn_sqrt(b, is_complex ? tn_real(b, square) : square);
    const tn_value diagonal = tn_cast(b, root, t->dtype);
    const tn_value below = tn_select(b, is_below, tn_div(b, rest, diagonal), zero);
    const tn_value wide = tn_add(b, zero, diagonal);
    const tn_value all = tn_select(b, is_own, wide, below);
    const tn_region body = tn_region_end(b, TN_VALUES(with_row(b, l, at, all, n, k)));
    tn_scan(b, body, TN_VALUES(empty), TN_VALUES(columns, count), 0, &out, 1);
    return tn_transpose(b, out, TN_INTS(1, 0, 2));
}

bool shlo_lower_cholesky(shlo_call *c)
{
    const type *t = shlo_in_type(c, 0);
    const bool lower = shlo_flag(c, "lower", false);
    if (!t || !are_matrices(c, t, true, true))
        return false;
    /* the upper factor is the adjoint of the lower one */
    const tn_value plain = shlo_in(c, 0);
    if (t->count == 0)
        return shlo_give(c, 0, plain);
    const tn_value a = shlo_matrices_in_front(c, lower ? plain : conjugate(c, plain), !lower);
    const tn_value l = factor(c, a, t);
    return shlo_give(c, 0, shlo_matrices_back(c, lower ? l : conjugate(c, l), t, !lower));
}
