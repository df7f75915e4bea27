/* Orthogonal factors by Householder's reflections I - tau v v', column after column. Matrices are
 * [n, m, batch] inside. */
#include "dialect/mlir/hlo/algebra/lapack.h"
#include "dialect/mlir/hlo/lower.h"

/* The extents of matrices, and the type of their elements. */
typedef struct matrices {
    shlo_call *c;
    tn_dtype d;
    int64_t dims[3];
} matrices;

static bool is_complex(const matrices *s)
{
    return dtype_is_complex(s->d);
}

static tn_value conjugate(const matrices *s, tn_value a)
{
    tn_builder *b = s->c->b;
    if (!is_complex(s))
        return a;
    const tn_value re = tn_real(b, a);
    return tn_complex(b, re, tn_neg(b, tn_imag(b, a)));
}

/* VALUE in the type of the elements, in SHAPE. */
static tn_value full(const matrices *s, int64_t value, tn_ints shape)
{
    tn_builder *b = s->c->b;
    return tn_broadcast(b, tn_cast(b, tn_scalar_int(b, TN_SI64, value), s->d), shape);
}

/* The sum over the rows of X, as [1, m, k]. */
static tn_value summed(const matrices *s, tn_value x)
{
    return tn_reduce(s->c->b, TN_REDUCE_SUM, x, TN_INTS(0), true, TN_DTYPE_DEFAULT,
                     TN_DTYPE_DEFAULT, NULL);
}

static tn_value rows_where(const matrices *s, tn_direction way, tn_value at, tn_ints shape)
{
    tn_builder *b = s->c->b;
    const tn_value row = tn_iota(b, TN_SI64, shape, 0);
    return tn_compare(b, way, row, tn_broadcast(b, at, shape));
}

/* Column AT of A, as [n, 1, k]. */
static tn_value column_at(const matrices *s, tn_value a, tn_value at)
{
    tn_builder *b = s->c->b;
    const tn_value zero = tn_broadcast(b, tn_scalar_int(b, TN_SI64, 0), TN_INTS(1));
    const tn_value start = tn_concat(b, TN_VALUES(zero, tn_reshape(b, at, TN_INTS(1)), zero), 0);
    return tn_dynamic_slice(b, a, start, TN_INTS(s->dims[0], 1, s->dims[2]));
}

/* A less V [n, 1, k] times FACTOR [1, 1, k] times V' A. */
static tn_value reflected(const matrices *s, tn_value a, tn_value v, tn_value factor)
{
    tn_builder *b = s->c->b;
    const tn_value along = summed(s, tn_mul(b, conjugate(s, v), a));
    return tn_sub(b, a, tn_mul(b, v, tn_mul(b, factor, along)));
}

/* What is chosen for a column that begins with ALPHA, all [1, 1, k]. */
typedef struct reflection {
    tn_value beta, tau, scale; /* the new first element; by what the others are divided */
} reflection;

/* REST: the sum of the squares of what is below. Nothing is done where nothing is there. */
static reflection reflection_of(const matrices *s, tn_value alpha, tn_value rest)
{
    tn_builder *b = s->c->b;
    reflection r;
    const tn_ints one = TN_INTS(1, 1, s->dims[2]);
    const tn_value re = is_complex(s) ? tn_real(b, alpha) : alpha;
    const tn_value zero = tn_sub(b, re, re);
    const tn_value im = is_complex(s) ? tn_imag(b, alpha) : zero;
    const tn_value square = tn_mul(b, re, re);
    const tn_value squares = tn_add(b, square, tn_mul(b, im, im));
    const tn_value norm = tn_sqrt(b, tn_add(b, squares, rest));
    const tn_value none = tn_scalar_like(b, re, 0);
    const tn_value is_negative = tn_compare(b, TN_LT, re, none);
    const tn_value beta = tn_select(b, is_negative, norm, tn_neg(b, norm));
    const tn_value has_no_rest = tn_compare(b, TN_EQ, rest, none);
    const tn_value is_real = tn_compare(b, TN_EQ, im, none);
    const tn_value is_flat = tn_and(b, has_no_rest, is_real);
    const tn_value unit = tn_broadcast(b, tn_scalar_like(b, re, 1), one);
    const tn_value divisor = tn_select(b, is_flat, unit, beta);
    const tn_value tau = tn_div(b, tn_sub(b, divisor, re), divisor);
    const tn_value own_tau =
        is_complex(s) ? tn_complex(b, tau, tn_neg(b, tn_div(b, im, divisor))) : tau;
    const tn_value own_beta =
        is_complex(s) ? tn_complex(b, beta, tn_broadcast(b, none, one)) : beta;
    r.tau = tn_select(b, is_flat, full(s, 0, one), own_tau);
    r.beta = tn_select(b, is_flat, alpha, own_beta);
    r.scale = tn_select(b, is_flat, full(s, 1, one), tn_sub(b, alpha, own_beta));
    return r;
}

/* Step AT of A: column AT is beta above the rest of v, what is behind it reflected. */
static tn_value step(const matrices *s, tn_value a, tn_value at, tn_value *tau)
{
    tn_builder *b = s->c->b;
    const tn_ints all = {s->dims, 3}, line = TN_INTS(s->dims[0], 1, s->dims[2]);
    const tn_value column = column_at(s, a, at), zero = full(s, 0, line);
    const tn_value below = rows_where(s, TN_GT, at, line), own = rows_where(s, TN_EQ, at, line);
    const tn_value part = tn_select(b, below, column, zero);
    const tn_value re = is_complex(s) ? tn_real(b, part) : part;
    tn_value square = tn_mul(b, re, re);
    if (is_complex(s)) {
        const tn_value im = tn_imag(b, part);
        square = tn_add(b, square, tn_mul(b, im, im));
    }
    const tn_value alpha = summed(s, tn_select(b, own, column, zero));
    const reflection r = reflection_of(s, alpha, summed(s, square));
    *tau = tn_reshape(b, r.tau, TN_INTS(s->dims[2]));
    const tn_value v =
        tn_select(b, own, full(s, 1, line), tn_div(b, part, tn_broadcast(b, r.scale, line)));
    const tn_value done = reflected(s, a, v, conjugate(s, r.tau));
    const tn_value number = tn_iota(b, TN_SI64, all, 1), place = tn_broadcast(b, at, all);
    const tn_value rest = tn_select(b, tn_compare(b, TN_GT, number, place), done, a);
    const tn_value above = rows_where(s, TN_LT, at, line);
    const tn_value mine =
        tn_select(b, above, column, tn_select(b, own, tn_broadcast(b, r.beta, line), v));
    const tn_value is_column = tn_compare(b, TN_EQ, number, place);
    return tn_select(b, is_column, tn_broadcast(b, mine, all), rest);
}

/* The extents of vectors of N elements, one for each matrix of T. */
static tn_ints vectors(const type *t, int64_t n, int64_t dims[TN_MAX_RANK])
{
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[t->rank - 2] = n;
    return (tn_ints){dims, t->rank - 1};
}

static matrices of_type(shlo_call *c, const type *t)
{
    const int64_t n = t->dims[t->rank - 2], m = t->dims[t->rank - 1];
    return (matrices){c, t->dtype, {n, m, t->count / (n * m)}};
}

void shlo_make_qr(shlo_call *c, tn_dtype d, tn_ints dims, tn_value a, tn_value out[2])
{
    tn_builder *b = c->b;
    const matrices s = {c, d, {dims.at[0], dims.at[1], dims.at[2]}};
    const int64_t steps = s.dims[0] < s.dims[1] ? s.dims[0] : s.dims[1];
    const tn_value count = tn_iota(b, TN_SI64, TN_INTS(steps), 0);
    tn_value tau;
    tn_region_begin(b, NULL);
    const tn_value now = tn_param_like(b, a), at = tn_param_slice(b, count);
    const tn_value next = step(&s, now, at, &tau);
    const tn_region body = tn_region_end(b, TN_VALUES(next, tau));
    tn_scan(b, body, TN_VALUES(a), TN_VALUES(count), 1, out, 2);
}

tn_value shlo_make_q(shlo_call *c, tn_dtype d, tn_ints dims, tn_value a, tn_value taus,
                     int64_t steps)
{
    tn_builder *b = c->b;
    const matrices s = {c, d, {dims.at[0], dims.at[1], dims.at[2]}};
    const tn_ints all = {s.dims, 3}, line = TN_INTS(s.dims[0], 1, s.dims[2]);
    taus = tn_reverse(b, taus, TN_INTS(0));
    const tn_value count = tn_reverse(b, tn_iota(b, TN_SI64, TN_INTS(steps), 0), TN_INTS(0));
    const tn_value row = tn_iota(b, TN_SI64, all, 0), column = tn_iota(b, TN_SI64, all, 1);
    const tn_value unit =
        tn_select(b, tn_compare(b, TN_EQ, row, column), full(&s, 1, all), full(&s, 0, all));
    tn_value out[2];
    tn_region_begin(b, NULL);
    const tn_value q = tn_param_like(b, unit), from = tn_param_like(b, a);
    const tn_value tau = tn_param_slice(b, taus), at = tn_param_slice(b, count);
    const tn_value own = column_at(&s, from, at), zero = full(&s, 0, line);
    const tn_value below = tn_select(b, rows_where(&s, TN_GT, at, line), own, zero);
    const tn_value v = tn_select(b, rows_where(&s, TN_EQ, at, line), full(&s, 1, line), below);
    const tn_value next = reflected(&s, q, v, tn_reshape(b, tau, TN_INTS(1, 1, s.dims[2])));
    const tn_region body = tn_region_end(b, TN_VALUES(next, from));
    tn_scan(b, body, TN_VALUES(unit, a), TN_VALUES(taus, count), 0, out, 2);
    return out[0];
}

bool shlo_lower_geqrf(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *t = shlo_in_type(c, 0);
    int64_t dims[TN_MAX_RANK];
    if (!t)
        return false;
    if (c->op->n_in != 1 || c->op->n_out != 2)
        return shlo_refuse(c, DIAG_ArityMismatch, "this is not what the call takes and gives");
    if (!shlo_are_matrices(c, t, false))
        return false;
    const matrices s = of_type(c, t);
    const int64_t steps = s.dims[0] < s.dims[1] ? s.dims[0] : s.dims[1];
    tn_value out[2];
    shlo_make_qr(c, s.d, (tn_ints){s.dims, 3}, shlo_matrices_in_front(c, shlo_in(c, 0), false),
                 out);
    const tn_value taus = tn_transpose(b, out[1], TN_INTS(1, 0));
    const bool ok = shlo_give(c, 0, shlo_matrices_back(c, out[0], t, false));
    return shlo_give(c, 1, tn_reshape(b, taus, vectors(t, steps, dims))) && ok;
}

bool shlo_lower_orgqr(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *t = shlo_in_type(c, 0), *of = shlo_in_type(c, 1);
    if (!t || !of)
        return false;
    if (c->op->n_in != 2 || c->op->n_out != 1 || of->rank + 1 != t->rank || of->rank == 0)
        return shlo_refuse(c, DIAG_ArityMismatch, "this is not what the call takes and gives");
    if (!shlo_are_matrices(c, t, false))
        return false;
    const matrices s = of_type(c, t);
    const int64_t steps = of->dims[of->rank - 1], k = s.dims[2];
    if (of->count != steps * k || steps < 1 || steps > s.dims[1] || s.dims[1] > s.dims[0])
        return shlo_refuse(c, DIAG_ShapeMismatch, "its factors do not suit its matrices");
    const tn_value a = shlo_matrices_in_front(c, shlo_in(c, 0), false);
    const tn_value taus =
        tn_transpose(b, tn_reshape(b, shlo_in(c, 1), TN_INTS(k, steps)), TN_INTS(1, 0));
    const tn_value q = shlo_make_q(c, s.d, (tn_ints){s.dims, 3}, a, taus, steps);
    return shlo_give(c, 0, shlo_matrices_back(c, q, t, false));
}
