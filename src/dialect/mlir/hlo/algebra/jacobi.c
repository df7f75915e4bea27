/* Eigenvalues of Hermitian matrices and singular values, by Jacobi's rotations in double precision.
 *
 * A step turns disjoint pairs of columns, those of one place in the two halves of an even number;
 * then they move on like players of a tournament, so that n - 1 steps, a sweep, bring every pair
 * together and all back to their places. Sweeps follow each other until nothing is left to turn.
 * Matrices are [n, m, batch] inside. */
#include "dialect/mlir/hlo/algebra/lapack.h"
#include "dialect/mlir/hlo/lower.h"

#include <float.h>

enum { MOST_SWEEPS = 40 };

typedef struct jacobi {
    shlo_call *c;
    tn_builder *b;
    tn_dtype d;   /* f64 or complex<f64> */
    int64_t rows; /* of what is turned */
    int64_t n, h; /* columns and a half of them; the last is one of zeros if their number was odd */
    int64_t k;    /* matrices */
} jacobi;

/* Turn p by c and s, q by s and c; the parts of q also by a number of size 1. */
typedef struct rotation {
    tn_value c, s, cq, sq; /* [h, k]; in d */
} rotation;

static bool is_complex(const jacobi *j)
{
    return dtype_is_complex(j->d);
}

static tn_value number(const jacobi *j, double x)
{
    return tn_scalar(j->b, TN_F64, x);
}

static tn_value real_part(const jacobi *j, tn_value x)
{
    return is_complex(j) ? tn_real(j->b, x) : x;
}

/* X, of f64, in d. */
static tn_value widened(const jacobi *j, tn_value x)
{
    return is_complex(j) ? tn_complex(j->b, x, tn_sub(j->b, x, x)) : x;
}

static tn_value conjugate(const jacobi *j, tn_value x)
{
    if (!is_complex(j))
        return x;
    const tn_value re = tn_real(j->b, x);
    return tn_complex(j->b, re, tn_neg(j->b, tn_imag(j->b, x)));
}

static tn_value zeros(const jacobi *j, tn_ints shape)
{
    return tn_broadcast(j->b, tn_cast(j->b, number(j, 0), j->d), shape);
}

static tn_value summed(const jacobi *j, tn_value x, int64_t axis)
{
    return tn_sum(j->b, x, TN_INTS(axis), false);
}

/* |x|^2, of f64. */
static tn_value square(const jacobi *j, tn_value x)
{
    tn_builder *b = j->b;
    const tn_value re = real_part(j, x), squared = tn_mul(b, re, re);
    if (!is_complex(j))
        return squared;
    const tn_value im = tn_imag(b, x);
    return tn_add(b, squared, tn_mul(b, im, im));
}

static tn_value half(const jacobi *j, tn_value x, int64_t axis, bool second)
{
    return tn_slice_axis(j->b, x, axis, second ? j->h : 0, j->h);
}

/* The rotations by which the matrices [[ALPHA, BETA], [BETA', GAMMA]] become diagonal. */
static rotation rotation_of(const jacobi *j, tn_value alpha, tn_value gamma, tn_value beta)
{
    tn_builder *b = j->b;
    const tn_value zero = number(j, 0), one = number(j, 1);
    const tn_value size = is_complex(j) ? tn_sqrt(b, square(j, beta)) : beta;
    const tn_value is_done = tn_compare(b, TN_EQ, size, zero);
    const tn_value divisor = tn_select(b, is_done, one, size);
    const tn_value twice = tn_add(b, divisor, divisor), apart = tn_sub(b, gamma, alpha);
    const tn_value tau = tn_div(b, apart, twice);
    const tn_value root = tn_sqrt(b, tn_add(b, one, tn_mul(b, tau, tau)));
    const tn_value sum = tn_add(b, tn_abs(b, tau), root), length = tn_div(b, one, sum);
    const tn_value is_negative = tn_compare(b, TN_LT, tau, zero);
    const tn_value either = tn_select(b, is_negative, tn_neg(b, length), length);
    const tn_value t = tn_select(b, is_done, zero, either);
    const tn_value c = tn_div(b, one, tn_sqrt(b, tn_add(b, one, tn_mul(b, t, t))));
    const tn_value s = tn_mul(b, t, c);
    rotation r = {.c = widened(j, c), .s = widened(j, s)};
    r.cq = r.c;
    r.sq = r.s;
    if (is_complex(j)) {
        const tn_value re = tn_div(b, tn_real(b, beta), divisor);
        const tn_value im = tn_div(b, tn_imag(b, beta), divisor);
        const tn_value own = tn_complex(b, tn_select(b, is_done, one, re), im);
        r.cq = tn_mul(b, r.c, own);
        r.sq = tn_mul(b, r.s, own);
    }
    return r;
}

/* X, whose axis AXIS has n places, turned along that; then all move on. */
static tn_value turned(const jacobi *j, tn_value x, const rotation *r, int64_t axis)
{
    tn_builder *b = j->b;
    const tn_ints shape = axis ? TN_INTS(1, j->h, j->k) : TN_INTS(j->h, 1, j->k);
    const tn_value p = half(j, x, axis, false), q = half(j, x, axis, true);
    const tn_value c = tn_reshape(b, r->c, shape), s = tn_reshape(b, r->s, shape);
    const tn_value cq = tn_reshape(b, axis ? conjugate(j, r->cq) : r->cq, shape);
    const tn_value sq = tn_reshape(b, axis ? conjugate(j, r->sq) : r->sq, shape);
    const tn_value cp = tn_mul(b, c, p), sp = tn_mul(b, s, p);
    const tn_value first = tn_sub(b, cp, tn_mul(b, sq, q));
    const tn_value second = tn_add(b, sp, tn_mul(b, cq, q));
    if (j->h == 1)
        return tn_concat(b, TN_VALUES(first, second), axis);
    const tn_value stays = tn_slice_axis(b, first, axis, 0, 1);
    const tn_value up = tn_slice_axis(b, second, axis, 0, 1);
    const tn_value left = tn_slice_axis(b, second, axis, 1, j->h - 1);
    const tn_value down = tn_slice_axis(b, first, axis, j->h - 1, 1);
    if (j->h == 2)
        return tn_concat(b, TN_VALUES(stays, up, left, down), axis);
    const tn_value right = tn_slice_axis(b, first, axis, 1, j->h - 2);
    return tn_concat(b, TN_VALUES(stays, up, right, left, down), axis);
}

/* [n, m, k] with ones where the numbers of row and column are one. */
static tn_value unit(const jacobi *j, int64_t n, int64_t m)
{
    tn_builder *b = j->b;
    const tn_ints shape = TN_INTS(n, m, j->k);
    const tn_value row = tn_iota(b, TN_SI64, shape, 0), column = tn_iota(b, TN_SI64, shape, 1);
    const tn_value ones = tn_broadcast(b, tn_cast(b, number(j, 1), j->d), shape);
    const tn_value none = zeros(j, shape);
    return tn_select(b, tn_compare(b, TN_EQ, row, column), ones, none);
}

/* What stands at equal numbers of row and column in X[n, m, k], as [m, k]. */
static tn_value diagonal(const jacobi *j, tn_value x, int64_t n, int64_t m)
{
    tn_builder *b = j->b;
    const tn_ints shape = TN_INTS(n, m, j->k);
    const tn_value row = tn_iota(b, TN_SI64, shape, 0), column = tn_iota(b, TN_SI64, shape, 1);
    const tn_value is_own = tn_compare(b, TN_EQ, row, column);
    return summed(j, tn_select(b, is_own, x, zeros(j, shape)), 0);
}

/* [k]: the largest |x|^2 of X[n, n, k], or of what is not on its diagonal. */
static tn_value largest(const jacobi *j, tn_value x, bool beside)
{
    tn_builder *b = j->b;
    const tn_ints shape = TN_INTS(j->n, j->n, j->k);
    tn_value size = square(j, x);
    if (beside) {
        const tn_value row = tn_iota(b, TN_SI64, shape, 0), column = tn_iota(b, TN_SI64, shape, 1);
        const tn_value none = tn_broadcast(b, number(j, 0), shape);
        size = tn_select(b, tn_compare(b, TN_EQ, row, column), none, size);
    }
    return tn_reduce(b, TN_REDUCE_MAX_NAN, size, TN_INTS(0, 1), false, TN_DTYPE_DEFAULT,
                     TN_DTYPE_DEFAULT, NULL);
}

/* Is STEP, of rank 0, the first of a sweep? */
static tn_value begins(const jacobi *j, tn_value step)
{
    tn_builder *b = j->b;
    const tn_value place = tn_mod(b, step, tn_scalar_int(b, TN_SI64, j->n - 1));
    return tn_compare(b, TN_EQ, place, tn_scalar_int(b, TN_SI64, 0));
}

/* Does the loop go on at STEP, where LEFT, of rank 0, says whether there is something to turn? */
static tn_value goes_on(const jacobi *j, tn_value step, tn_value left)
{
    tn_builder *b = j->b;
    const tn_value most = tn_scalar_int(b, TN_SI64, MOST_SWEEPS * (j->n - 1));
    const tn_value is_within = tn_or(b, left, tn_not(b, begins(j, step)));
    const tn_value is_early = tn_compare(b, TN_LT, step, most);
    return tn_and(b, is_within, is_early);
}

static tn_value next_step(const jacobi *j, tn_value step)
{
    return tn_add(j->b, step, tn_scalar_int(j->b, TN_SI64, 1));
}

/* Columns of X[m, n, k] in the order AT[l, k]. */
static tn_value columns_at(const jacobi *j, tn_value x, tn_value at, int64_t m, int64_t l)
{
    const tn_value place = tn_broadcast_axes(j->b, at, TN_INTS(m, l, j->k), TN_INTS(1, 2));
    return tn_gather(j->b, x, place, 1);
}

/* [l, k] as the result NUMBER, whose matrices are the leading axes. */
static bool give_vectors(const jacobi *j, uint32_t result, tn_value x)
{
    const mir_type *to = shlo_out_type(j->c, result);
    int64_t dims[TN_MAX_RANK];
    if (!to || to->rank > TN_MAX_RANK)
        return false;
    memcpy(dims, to->dims, to->rank * sizeof *dims);
    const tn_value y = tn_transpose(j->b, x, TN_INTS(1, 0));
    return shlo_give(j->c, result,
                     tn_cast(j->b, tn_reshape(j->b, y, (tn_ints){dims, to->rank}), to->dtype));
}

/* [k], of i1: 0 where it holds, as the result NUMBER, else 1. */
static bool give_info(const jacobi *j, uint32_t result, tn_value holds)
{
    const tn_value line = tn_reshape(j->b, tn_not(j->b, holds), TN_INTS(1, j->k));
    return give_vectors(j, result, tn_cast(j->b, line, TN_SI32));
}

/* X[n, m, k] as the result NUMBER of the type of elements D. */
static bool give_matrices(const jacobi *j, uint32_t result, tn_value x, tn_dtype d)
{
    const type *to = shlo_static_type(j->c->r, shlo_out_type(j->c, result), j->c->op->at);
    if (!to)
        return false;
    return shlo_give(j->c, result, shlo_matrices_back(j->c, tn_cast(j->b, x, d), to, false));
}

static jacobi jacobi_of(shlo_call *c, const type *t, int64_t columns)
{
    const int64_t even = columns + columns % 2;
    const int64_t each = t->dims[t->rank - 2] * t->dims[t->rank - 1];
    return (jacobi){.c = c,
                    .b = c->b,
                    .d = dtype_is_complex(t->dtype) ? TN_CF64 : TN_F64,
                    .n = even,
                    .h = even / 2,
                    .k = t->count / each};
}

/* X with as many zeros behind along AXIS as there are to N. */
static tn_value filled(const jacobi *j, tn_value x, int64_t axis, int64_t n, int64_t other)
{
    const tn_ints rest = axis ? TN_INTS(other, 1, j->k) : TN_INTS(1, other, j->k);
    return n == j->n ? x : tn_concat(j->b, TN_VALUES(x, zeros(j, rest)), axis);
}

/* ---- eigenvalues ---- */

/* The Hermitian matrix of which X has the lower, or else the upper triangle. */
static tn_value hermitian(const jacobi *j, tn_value x, int64_t n, bool lower)
{
    tn_builder *b = j->b;
    const tn_ints shape = TN_INTS(n, n, j->k);
    const tn_value row = tn_iota(b, TN_SI64, shape, 0), column = tn_iota(b, TN_SI64, shape, 1);
    const tn_value is_given = tn_compare(b, lower ? TN_GT : TN_LT, row, column);
    const tn_value other = conjugate(j, tn_transpose(b, x, TN_INTS(1, 0, 2)));
    const tn_value beside = tn_select(b, is_given, x, other);
    const tn_value own = widened(j, real_part(j, x));
    return tn_select(b, tn_compare(b, TN_EQ, row, column), own, beside);
}

/* Is nothing left of A beside its diagonal that counts beside NORM, [k]? */
static tn_value is_diagonal(const jacobi *j, tn_value a, tn_value norm)
{
    const double fault = (double)j->n * DBL_EPSILON;
    const tn_value most = tn_mul(j->b, norm, number(j, fault * fault));
    return tn_compare(j->b, TN_LE, largest(j, a, true), most);
}

/* Of rank 0: does any of the matrices not hold? */
static tn_value any_not(const jacobi *j, tn_value holds)
{
    return tn_reduce_max(j->b, tn_not(j->b, holds), TN_INTS(0), false);
}

bool shlo_lower_eigh(shlo_call *c, bool lower)
{
    tn_builder *b = c->b;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_are_matrices(c, t, true))
        return false;
    const int64_t n = t->dims[t->rank - 1];
    const jacobi j = jacobi_of(c, t, n);
    const tn_value given = tn_cast(b, shlo_matrices_in_front(c, shlo_in(c, 0), false), j.d);
    const tn_value all = filled(&j, hermitian(&j, given, n, lower), 1, n, n);
    const tn_value a = filled(&j, all, 0, n, j.n), v = unit(&j, j.n, j.n);
    const tn_value norm = largest(&j, a, false), first = tn_scalar_int(b, TN_SI64, 0);
    const tn_values carry = TN_VALUES(first, a, v, norm);
    tn_value out[4];
    tn_region_begin(b, NULL);
    tn_value at = tn_param_like(b, first), x = tn_param_like(b, a), y = tn_param_like(b, v);
    tn_value size = tn_param_like(b, norm);
    const tn_value more = goes_on(&j, at, any_not(&j, is_diagonal(&j, x, size)));
    const tn_region test = tn_region_end(b, TN_VALUES(more, at, x, y, size));
    tn_region_begin(b, NULL);
    at = tn_param_like(b, first);
    x = tn_param_like(b, a);
    y = tn_param_like(b, v);
    size = tn_param_like(b, norm);
    const tn_value top = half(&j, x, 0, false), bottom = half(&j, x, 0, true);
    const tn_value alpha = diagonal(&j, half(&j, top, 1, false), j.h, j.h);
    const tn_value gamma = diagonal(&j, half(&j, bottom, 1, true), j.h, j.h);
    const tn_value beta = diagonal(&j, half(&j, top, 1, true), j.h, j.h);
    const tn_value first_size = real_part(&j, alpha), second_size = real_part(&j, gamma);
    const rotation r = rotation_of(&j, first_size, second_size, beta);
    const tn_value next = turned(&j, turned(&j, x, &r, 0), &r, 1);
    const tn_value step = next_step(&j, at), vectors = turned(&j, y, &r, 1);
    const tn_region body = tn_region_end(b, TN_VALUES(step, next, vectors, size));
    tn_while(b, test, body, carry, out, 4);
    const tn_value values = real_part(&j, diagonal(&j, out[1], j.n, j.n));
    const tn_value own = tn_slice_axis(b, values, 0, 0, n);
    const tn_value order = tn_argsort(b, own, 0, false, TN_SI64);
    const tn_value rows = tn_slice_axis(b, out[2], 0, 0, n);
    const bool ok = give_matrices(&j, 0, columns_at(&j, rows, order, n, n), t->dtype) &&
                    give_vectors(&j, 1, tn_gather(b, own, order, 0));
    return give_info(&j, 2, is_diagonal(&j, out[1], norm)) && ok;
}

/* ---- singular values ---- */

/* [k]: has some pair of columns of X[m, n, k] still an angle that counts? */
static tn_value has_angles(const jacobi *j, tn_value alpha, tn_value gamma, tn_value beta)
{
    tn_builder *b = j->b;
    const double fault = (double)j->rows * DBL_EPSILON;
    const tn_value least = number(j, fault * fault);
    const tn_value bound = tn_mul(b, tn_mul(b, alpha, gamma), least);
    const tn_value is_open = tn_not(b, tn_compare(b, TN_LE, square(j, beta), bound));
    return tn_reduce_max(b, is_open, TN_INTS(0), false);
}

/* W[m, n, k] with orthogonal columns, and V by which it was multiplied from the right for that; and
 * of each matrix whether it came to that. */
static void orthogonalize(const jacobi *j, tn_value w, tn_value v, tn_value out[3])
{
    tn_builder *b = j->b;
    const tn_value first = tn_scalar_int(b, TN_SI64, 0);
    const tn_value open = tn_broadcast(b, tn_scalar_int(b, TN_I1, 1), TN_INTS(j->k));
    tn_value all[4] = {0};
    tn_region_begin(b, NULL);
    tn_value at = tn_param_like(b, first), x = tn_param_like(b, w), y = tn_param_like(b, v);
    tn_value left = tn_param_like(b, open);
    const tn_value more = goes_on(j, at, tn_reduce_max(b, left, TN_INTS(0), false));
    const tn_region test = tn_region_end(b, TN_VALUES(more, at, x, y, left));
    tn_region_begin(b, NULL);
    at = tn_param_like(b, first);
    x = tn_param_like(b, w);
    y = tn_param_like(b, v);
    left = tn_param_like(b, open);
    const tn_value p = half(j, x, 1, false), q = half(j, x, 1, true);
    const tn_value alpha = summed(j, square(j, p), 0), gamma = summed(j, square(j, q), 0);
    const tn_value beta = summed(j, tn_mul(b, conjugate(j, p), q), 0);
    const rotation r = rotation_of(j, alpha, gamma, beta);
    const tn_value before = tn_and(b, left, tn_not(b, begins(j, at)));
    const tn_value now = tn_or(b, before, has_angles(j, alpha, gamma, beta));
    const tn_value next = turned(j, x, &r, 1), vectors = turned(j, y, &r, 1);
    const tn_region body = tn_region_end(b, TN_VALUES(next_step(j, at), next, vectors, now));
    tn_while(b, test, body, TN_VALUES(first, w, v, open), all, 4);
    out[0] = all[1];
    out[1] = all[2];
    out[2] = tn_not(b, all[3]);
}

/* X[n, m, k], of d, as [m, n, k] and conjugate. */
static tn_value adjoint(const jacobi *j, tn_value x)
{
    return conjugate(j, tn_transpose(j->b, x, TN_INTS(1, 0, 2)));
}

bool shlo_lower_svd(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_are_matrices(c, t, false))
        return false;
    const int64_t rows = t->dims[t->rank - 2], columns = t->dims[t->rank - 1];
    const bool wide = columns > rows; /* then the adjoint is decomposed */
    const int64_t m = wide ? columns : rows, n = wide ? rows : columns;
    jacobi j = jacobi_of(c, t, n);
    j.rows = m;
    const mir_type *u_type = shlo_out_type(c, 2), *v_type = shlo_out_type(c, 3);
    if (!u_type || !v_type || u_type->rank != t->rank || v_type->rank != t->rank)
        return shlo_refuse(c, DIAG_ShapeMismatch, "this is not what the call takes and gives");
    const int64_t long_side = wide ? v_type->dims[t->rank - 2] : u_type->dims[t->rank - 1];
    if (long_side != m && long_side != n)
        return shlo_refuse(c, DIAG_ShapeMismatch, "this is not what the call takes and gives");
    tn_value a = tn_cast(b, shlo_matrices_in_front(c, shlo_in(c, 0), false), j.d), out[3], qr[2];
    a = filled(&j, wide ? adjoint(&j, a) : a, 1, n, m);
    orthogonalize(&j, a, unit(&j, j.n, j.n), out);
    const tn_value w = tn_slice_axis(b, out[0], 1, 0, n);
    const tn_value norms = tn_sqrt(b, summed(&j, square(&j, w), 0));
    const tn_value order = tn_argsort(b, norms, 0, true, TN_SI64);
    bool ok = give_vectors(&j, 1, tn_gather(b, norms, order, 0)) && give_info(&j, 4, out[2]) &&
              shlo_give(c, 0, shlo_in(c, 0));
    /* Orthonormal columns, also where a singular value is 0; R's diagonal has their signs. */
    shlo_make_qr(c, j.d, TN_INTS(m, n, j.k), columns_at(&j, w, order, m, n), qr);
    tn_value left = shlo_make_q(c, j.d, TN_INTS(m, long_side, j.k), qr[0], qr[1], n);
    const tn_value signs = real_part(&j, diagonal(&j, qr[0], m, n));
    const tn_value minus = number(&j, -1), plus = number(&j, 1);
    const tn_value is_negative = tn_compare(b, TN_LT, signs, number(&j, 0));
    const tn_value factor = tn_select(b, is_negative, minus, plus);
    const tn_value line = tn_reshape(b, widened(&j, factor), TN_INTS(1, n, j.k));
    const tn_value own = tn_mul(b, tn_slice_axis(b, left, 1, 0, n), line);
    left = long_side == n
               ? own
               : tn_concat(b, TN_VALUES(own, tn_slice_axis(b, left, 1, n, long_side - n)), 1);
    const tn_value v = tn_slice_axis(b, tn_slice_axis(b, out[1], 0, 0, n), 1, 0, n);
    const tn_value right = columns_at(&j, v, order, n, n);
    ok = give_matrices(&j, 2, wide ? right : left, t->dtype) && ok;
    return give_matrices(&j, 3, adjoint(&j, wide ? left : right), t->dtype) && ok;
}
