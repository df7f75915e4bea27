/* Fourier transforms: over a composite extent by those over its factors (Cooley and Tukey), over a
 * prime one by a matrix. All in complex numbers of f64. */
#include <math.h>

#include "dialect/fourier.h"
#include "dialect/mlir/hlo/lower.h"

enum { MOST_PRIME = 4096 }; /* larger ones would take more memory than they are worth */

/* exp(SIGN 2 pi i j k / N) for j < ROWS and k < COLUMNS. */
static tn_value roots(tn_builder *b, int64_t rows, int64_t columns, int64_t n, int sign)
{
    const int64_t dims[] = {rows, columns};
    const tn_ints shape = {dims, 2};
    const tn_value j = tn_iota(b, TN_SI64, shape, 0);
    const tn_value k = tn_iota(b, TN_SI64, shape, 1);
    const tn_value product = tn_mul(b, j, k);
    const tn_value turns = tn_mod(b, product, tn_scalar_int(b, TN_SI64, n));
    /* as near to 0 as it goes: sines and cosines of small angles are the most exact */
    const tn_value is_far = tn_compare(b, TN_GT, turns, tn_scalar_int(b, TN_SI64, n / 2));
    const tn_value less = tn_sub(b, turns, tn_scalar_int(b, TN_SI64, n));
    const tn_value near = tn_cast(b, tn_select(b, is_far, less, turns), TN_F64);
    const double step = sign * 2 * 3.141592653589793 / (double)n;
    const tn_value angle = tn_mul(b, near, tn_scalar(b, TN_F64, step));
    const tn_value re = tn_cos(b, angle);
    return tn_complex(b, re, tn_sin(b, angle));
}

/* X[lines, n] times the matrix of roots. */
static tn_value by_matrix(tn_builder *b, tn_value x, int64_t n, int sign)
{
    const tn_value matrix = roots(b, n, n, n, sign);
    return tn_dot_general(b, x, matrix, (tn_ints){NULL, 0}, (tn_ints){NULL, 0}, TN_INTS(1),
                          TN_INTS(0), TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
}

/* X[lines, n] transformed along its last axis. */
static tn_value transformed(shlo_call *c, tn_value x, int64_t lines, int64_t n, int sign)
{
    enum { SMALL = 32 };
    tn_builder *b = c->b;
    const int64_t n1 = n <= SMALL ? 1 : fourier_divisor(n), n2 = n / n1;
    if (n1 == 1 && n > MOST_PRIME) {
        (void)shlo_refuse(c, DIAG_NotImplemented, "a prime length above %d is not transformed",
                          MOST_PRIME);
        return tn_no_value();
    }
    if (n1 == 1)
        return by_matrix(b, x, n, sign);
    /* element j1 n2 + j2 goes to k1 + n1 k2 */
    tn_value y = tn_reshape(b, x, TN_INTS(lines, n1, n2));
    y = tn_transpose(b, y, TN_INTS(0, 2, 1));
    y = transformed(c, tn_reshape(b, y, TN_INTS(lines * n2, n1)), lines * n2, n1, sign);
    if (!tn_is_value(y))
        return y;
    y = tn_transpose(b, tn_reshape(b, y, TN_INTS(lines, n2, n1)), TN_INTS(0, 2, 1));
    y = tn_mul(b, y, roots(b, n1, n2, n, sign));
    y = transformed(c, tn_reshape(b, y, TN_INTS(lines * n1, n2)), lines * n1, n2, sign);
    if (!tn_is_value(y))
        return y;
    y = tn_transpose(b, tn_reshape(b, y, TN_INTS(lines, n1, n2)), TN_INTS(0, 2, 1));
    return tn_reshape(b, y, TN_INTS(lines, n));
}

/* X, complex, along AXIS. */
static tn_value along(shlo_call *c, tn_value x, int64_t axis, int sign)
{
    tn_builder *b = c->b;
    int64_t perm[TN_MAX_RANK];
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const int64_t last = (int64_t)t->rank - 1, n = t->dims[axis];
    if (t->count == 0 || n == 1)
        return x;
    for (int64_t i = 0; i <= last; i++)
        perm[i] = i == axis ? last : i == last ? axis : i;
    const tn_ints swap = {perm, t->rank};
    const tn_value turned = tn_transpose(b, x, swap);
    const type *own = shlo_type_of(c, turned);
    const int64_t lines = t->count / n;
    const tn_value flat = tn_reshape(b, turned, TN_INTS(lines, n));
    const tn_value y = transformed(c, flat, lines, n, sign);
    return own && tn_is_value(y) ? tn_transpose(b, tn_reshape(b, y, shlo_dims(own)), swap) : y;
}

/* All N elements of the last axis of X, of which the first half and one are there: the others are
 * their conjugates. */
static tn_value mirrored(shlo_call *c, tn_value x, int64_t n)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t || n < 3)
        return x;
    const int64_t axis = (int64_t)t->rank - 1;
    const tn_value inner = tn_slice_axis(b, x, axis, 1, (n + 1) / 2 - 1);
    const tn_value back = tn_reverse(b, inner, TN_INTS(axis));
    const tn_value re = tn_real(b, back);
    const tn_value rest = tn_complex(b, re, tn_neg(b, tn_imag(b, back)));
    return tn_concat(b, TN_VALUES(x, rest), axis);
}

typedef struct transform {
    bool is_inverse, is_real; /* real numbers on one side */
    int64_t length[TN_MAX_RANK];
    uint32_t n; /* of the last axes */
} transform;

static bool read_transform(shlo_call *c, const type *t, transform *f)
{
    static const char *const words[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    const mir_text word = shlo_word(c, "fft_type");
    uint32_t i = 0;
    while (i < 4 && !mir_is(word, words[i]))
        i++;
    if (i == 4)
        return shlo_refuse(c, DIAG_InvalidAttribute, "there is no transform '%.*s'",
                           MIR_TEXT(word));
    f->is_inverse = i % 2;
    f->is_real = i >= 2;
    if (!shlo_ints(c, "fft_length", 3, f->length, &f->n))
        return false;
    static const struct {
        tn_dtype real, complex;
    } pairs[] = {{TN_F32, TN_CF32}, {TN_F64, TN_CF64}};
    const tn_dtype to = shlo_out_type(c, 0)->dtype;
    bool fits = false;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        fits = fits || (t->dtype == (i == 2 ? pairs[k].real : pairs[k].complex) &&
                        to == (i == 3 ? pairs[k].real : pairs[k].complex));
    fits = fits && f->n >= 1 && f->n <= t->rank && type_is_static(t);
    for (uint32_t k = 0; fits && k < f->n; k++) {
        const int64_t extent = t->dims[t->rank - f->n + k];
        const bool is_half = i == 3 && k + 1 == f->n;
        fits = f->length[k] > 0 && extent == (is_half ? f->length[k] / 2 + 1 : f->length[k]);
    }
    return fits || shlo_refuse(c, DIAG_InvalidAttribute,
                               "'fft_length' or the element type does not "
                               "suit the transform");
}

bool shlo_lower_fft(shlo_call *c)
{
    tn_builder *b = c->b;
    transform f = {.n = 0};
    const type *t = shlo_in_type(c, 0);
    if (!t || !read_transform(c, t, &f))
        return false;
    const int64_t last = (int64_t)t->rank - 1;
    const int sign = f.is_inverse ? 1 : -1;
    tn_value x = tn_cast(b, shlo_in(c, 0), TN_CF64);
    double scale = 1;
    if (f.is_real && !f.is_inverse) {
        x = along(c, x, last, sign);
        if (!tn_is_value(x))
            return false;
        x = tn_slice_axis(b, x, last, 0, f.length[f.n - 1] / 2 + 1);
    }
    for (uint32_t k = 0; k + 1 < f.n; k++)
        x = along(c, x, last - (int64_t)k - 1, sign);
    if (f.is_real && f.is_inverse)
        x = mirrored(c, x, f.length[f.n - 1]);
    if (!f.is_real || f.is_inverse)
        x = along(c, x, last, sign);
    if (!tn_is_value(x))
        return false;
    for (uint32_t k = 0; k < f.n; k++)
        scale *= (double)f.length[k];
    if (f.is_inverse)
        x = tn_div(b, x, tn_scalar_like(b, x, scale));
    const tn_value y = f.is_real && f.is_inverse ? tn_real(b, x) : x;
    return shlo_give(c, 0, tn_cast(b, y, shlo_out_type(c, 0)->dtype));
}
