/* Fourier transforms: over an extent with factors by those over its factors (Cooley and Tukey),
 * over others by a product with a matrix. Complex numbers are pairs along the last axis. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/fourier.h"
#include "dialect/onnx/ops/op.h"
#include "scalar/math.h"

enum {
    MOST_POINTS = 1 << 16, /* of a transform, which may be one product with a matrix */
    FEW_POINTS = 64,       /* one product takes less time than those of the factors */
    LEAST_FACTOR = 4,      /* smaller ones save no work */
    MOST_ROOTS = 1 << 17   /* that are stored with the program; more are made by it */
};

typedef struct transform {
    tn_dtype dtype; /* of what is computed */
    bool is_inverse;
} transform;

/* ---- roots of one ---- */

/* The real and the imaginary parts of a matrix. */
typedef struct roots {
    tn_value re, im;
} roots;

/* cos and sin of 2 pi i / n for i < n, of an inverse transform; else of -2 pi i / n. */
static bool circle(onnx_call *c, int64_t n, bool is_inverse, double **cosines, double **sines)
{
    static const double pi = 3.14159265358979323846;
    arena *memory = &c->im->memory;
    double *angles = onnx_table(c, n, 3);
    if (!angles)
        return false;
    *cosines = angles + n;
    *sines = angles + 2 * n;
    const scalar_program *cosine = scalar_math_program(memory, MATH_COS, SCALAR_F64);
    const scalar_program *sine = scalar_math_program(memory, MATH_SIN, SCALAR_F64);
    if (!cosine || !sine)
        return onnx_no_memory(c->im);
    for (int64_t i = 0; i < n; i++) { /* as near to 0 as it goes */
        const double turns = (double)(i > n / 2 ? i - n : i) / (double)n;
        angles[i] = (is_inverse ? 2 : -2) * pi * turns;
    }
    const void *args[] = {angles};
    scalar_run(cosine, args, *cosines, (size_t)n);
    scalar_run(sine, args, *sines, (size_t)n);
    return true;
}

/* The program makes the matrix: each number is one of N. */
static tn_value taken(onnx_call *c, const transform *f, const double *table, int64_t rows,
                      int64_t columns, int64_t n)
{
    tn_builder *b = c->b;
    const tn_dtype whole_type = n <= INT32_MAX / n ? TN_SI32 : TN_SI64;
    const tn_value wave = tn_cast(b, tn_constant(b, TN_F64, TN_INTS(n), table), f->dtype);
    const tn_value j = tn_iota(b, whole_type, TN_INTS(rows, columns), 0);
    const tn_value k = tn_iota(b, whole_type, TN_INTS(rows, columns), 1);
    const tn_value product = tn_mul(b, j, k), points = tn_scalar_int(b, whole_type, n);
    const tn_value whole = tn_mul(b, tn_div(b, product, points), points);
    return tn_take(b, wave, tn_sub(b, product, whole));
}

static tn_value stored(onnx_call *c, const transform *f, const double *table, int64_t rows,
                       int64_t columns, int64_t n)
{
    double *at = onnx_table(c, rows, columns);
    if (!at)
        return tn_no_value();
    for (int64_t j = 0; j < rows; j++)
        for (int64_t k = 0; k < columns; k++)
            at[j * columns + k] = table[j * k % n];
    return tn_cast(c->b, tn_constant(c->b, TN_F64, TN_INTS(rows, columns), at), f->dtype);
}

/* exp(+-2 pi i j k / N) for j < ROWS and k < COLUMNS. */
static roots roots_of(onnx_call *c, const transform *f, int64_t rows, int64_t columns, int64_t n)
{
    double *cosines, *sines;
    roots r = {tn_no_value(), tn_no_value()};
    if (!circle(c, n, f->is_inverse, &cosines, &sines))
        return r;
    const bool is_stored = rows <= MOST_ROOTS / columns;
    r.re = (is_stored ? stored : taken)(c, f, cosines, rows, columns, n);
    r.im = (is_stored ? stored : taken)(c, f, sines, rows, columns, n);
    return r;
}

/* ---- transforms ---- */

/* X and Y beside each other along a new axis. */
static tn_value paired(tn_builder *b, tn_value x, tn_value y, int64_t axis)
{
    const tn_value wide_x = tn_expand_dims(b, x, TN_INTS(axis));
    const tn_value wide_y = tn_expand_dims(b, y, TN_INTS(axis));
    return tn_concat(b, TN_VALUES(wide_x, wide_y), axis);
}

/* [n, parts, 2, bins]: what number j of a line, real or both PARTS of it, gives to both parts of
 * the results. */
static tn_value matrix_of(onnx_call *c, const transform *f, int64_t n, int64_t parts, int64_t bins)
{
    tn_builder *b = c->b;
    const roots r = roots_of(c, f, n, bins, n);
    const tn_value real = paired(b, r.re, r.im, 1);
    if (parts == 1)
        return tn_expand_dims(b, real, TN_INTS(1));
    const tn_value minus = tn_neg(b, r.im);
    return paired(b, real, paired(b, minus, r.re, 1), 1);
}

/* Part K of X, whose axis AXIS has both. */
static tn_value part_of(tn_builder *b, tn_value x, int64_t axis, int64_t k)
{
    return tn_squeeze(b, tn_slice_axis(b, x, axis, k, 1), TN_INTS(axis));
}

/* X[lines, n, parts] to [lines, bins, 2]. Element j1 n2 + j2 goes to bin k1 + n1 k2. */
static tn_value transformed(onnx_call *c, const transform *f, tn_value x, int64_t n, int64_t parts,
                            int64_t bins)
{
    tn_builder *b = c->b;
    const tn_ints none = {0};
    const int64_t n1 = n <= FEW_POINTS ? 1 : fourier_divisor(n), n2 = n / n1;
    if (n1 < LEAST_FACTOR) {
        const tn_value w = matrix_of(c, f, n, parts, bins);
        const tn_value y = tn_dot_general(b, x, w, none, none, TN_INTS(1, 2), TN_INTS(0, 1),
                                          TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
        return tn_transpose(b, y, TN_INTS(0, 2, 1));
    }
    x = tn_reshape(b, x, TN_INTS(-1, n1, n2, parts));
    const tn_value w = matrix_of(c, f, n1, parts, n1);
    const tn_value y = tn_dot_general(b, x, w, none, none, TN_INTS(1, 3), TN_INTS(0, 1),
                                      TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT); /* lines, j2, 2, k1 */
    const tn_value re = part_of(b, y, 2, 0), im = part_of(b, y, 2, 1);
    const roots r = roots_of(c, f, n2, n1, n);
    const tn_value re_re = tn_mul(b, re, r.re), im_im = tn_mul(b, im, r.im);
    const tn_value re_im = tn_mul(b, re, r.im), im_re = tn_mul(b, im, r.re);
    const tn_value turned_re = tn_sub(b, re_re, im_im), turned_im = tn_add(b, re_im, im_re);
    const tn_value pairs = paired(b, turned_re, turned_im, 3);
    const tn_value turned = tn_transpose(b, pairs, TN_INTS(0, 2, 1, 3));
    const int64_t rows = (bins + n1 - 1) / n1;
    tn_value z = tn_reshape(b, turned, TN_INTS(-1, n2, 2));
    z = tn_reshape(b, transformed(c, f, z, n2, 2, rows), TN_INTS(-1, n1, rows, 2));
    z = tn_reshape(b, tn_transpose(b, z, TN_INTS(0, 2, 1, 3)), TN_INTS(-1, rows * n1, 2));
    return rows * n1 == bins ? z : tn_slice_axis(b, z, 1, 0, bins);
}

/* X[..., n, parts] to [..., bins, 2]. */
static tn_value transformed_lines(onnx_call *c, tn_value x, int64_t n, int64_t bins,
                                  bool is_inverse)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x);
    dim dims[TN_MAX_RANK];
    if (!t)
        return tn_no_value();
    const transform f = {dtype_compute(t->dtype), is_inverse};
    const uint32_t rank = t->rank;
    const int64_t parts = t->dims[rank - 1];
    memcpy(dims, t->dims, rank * sizeof *dims);
    dims[rank - 2] = bins;
    dims[rank - 1] = 2;
    const tn_value lines = tn_reshape(b, tn_cast(b, x, f.dtype), TN_INTS(-1, n, parts));
    tn_value y = transformed(c, &f, lines, n, parts, bins);
    if (is_inverse)
        y = tn_div(b, y, tn_scalar(b, f.dtype, (double)n));
    return tn_cast(b, tn_reshape(b, y, (tn_ints){dims, rank}), t->dtype);
}

/* X with the first N positions of AXIS, which has EXTENT of them; zeros where there are none. */
static tn_value with_length(onnx_call *c, tn_value x, uint32_t rank, int64_t axis, int64_t extent,
                            int64_t n)
{
    int64_t none[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
    if (n <= extent)
        return n == extent ? x : tn_slice_axis(c->b, x, axis, 0, n);
    high[axis] = n - extent;
    return tn_pad(c->b, x, (tn_ints){none, rank}, (tn_ints){high, rank}, (tn_ints){none, rank}, 0);
}

bool onnx_op_dft(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    const bool inverse = onnx_attr_int(c, "inverse", 0);
    const bool onesided = onnx_attr_int(c, "onesided", 0);
    int64_t axis = onnx_attr_int(c, "axis", 1), n;
    if (!t || (c->version >= 20 && !onnx_in_int_or(c, 2, -2, &axis)) ||
        !onnx_axis(c, axis, t->rank, &axis))
        return false;
    const int64_t last = (int64_t)t->rank - 1;
    if (axis == last || (t->dims[last] != 1 && t->dims[last] != 2))
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "the last axis has real and imaginary parts, and is not transformed");
    if (dim_is_symbolic(t->dims[axis]))
        return onnx_refuse(c, DIAG_ShapeUnknown, "the extent of the axis must be a number");
    if (!onnx_in_int_or(c, 1, t->dims[axis], &n))
        return false;
    if (n < 1 || n > MOST_POINTS)
        return onnx_refuse(c, DIAG_LimitExceeded, "a transform of %" PRId64 " point%s", n,
                           plural((uint64_t)n));
    if (onesided && inverse)
        return onnx_refuse(c, DIAG_NotImplemented, "the inverse of one side");
    tn_value x = with_length(c, onnx_in(c, 0), t->rank, axis, t->dims[axis], n);
    x = onnx_move_axis(c, x, axis, last - 1);
    x = transformed_lines(c, x, n, onesided ? n / 2 + 1 : n, inverse);
    return onnx_give(c, 0, onnx_move_axis(c, x, last - 1, axis));
}

bool onnx_op_stft(onnx_call *c)
{
    enum { SIGNAL, STEP, WINDOW, LENGTH };
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, SIGNAL), *w = onnx_in_type(c, WINDOW);
    const bool onesided = onnx_attr_int(c, "onesided", 1);
    int64_t by, n;
    if (!t || !onnx_in_int_or(c, STEP, 1, &by) ||
        !onnx_in_int_or(c, LENGTH, w && w->rank == 1 ? w->dims[0] : 0, &n))
        return false;
    if (t->rank < 2 || t->rank > 3 || dim_is_symbolic(t->dims[1]) || (w && w->rank != 1))
        return onnx_refuse(c, DIAG_ShapeUnknown,
                           "a signal [batch, length, 1 or 2] of known length is needed");
    const int64_t length = t->dims[1];
    const dim parts = t->rank == 3 ? t->dims[2] : 1;
    if (by < 1 || n < 1 || n > length || n > MOST_POINTS || (parts != 1 && parts != 2) ||
        (w && w->dims[0] != n) || (onesided && parts == 2))
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "frames of %" PRId64 " at steps of %" PRId64 " do not fit", n, by);
    tn_value x = onnx_in(c, SIGNAL);
    if (t->rank == 2)
        x = tn_expand_dims(b, x, TN_INTS(2));
    const int64_t frames = 1 + (length - n) / by;
    const tn_value frame = tn_iota(b, TN_SI64, TN_INTS(frames, n), 0);
    const tn_value inside = tn_iota(b, TN_SI64, TN_INTS(frames, n), 1);
    const tn_value start = tn_mul(b, frame, tn_scalar_int(b, TN_SI64, by));
    x = onnx_take_along(c, x, tn_add(b, start, inside), 1); /* batch, frames, n, parts */
    if (w)
        x = tn_mul(b, x, tn_expand_dims(b, onnx_in(c, WINDOW), TN_INTS(1)));
    return onnx_give(c, 0, transformed_lines(c, x, n, onesided ? n / 2 + 1 : n, false));
}
