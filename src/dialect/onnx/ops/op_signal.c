/* Signals: windows, Fourier transforms, weights of mel bands. Angles are computed in f64. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/op.h"

enum { MOST_POINTS = 1 << 16 }; /* of a Fourier transform, which is a matrix product */

static const double pi = 3.14159265358979323846;

/* Input K as one integer, or OTHERWISE when it is left out. */
static bool int_in(onnx_call *c, uint32_t k, int64_t otherwise, int64_t *out)
{
    *out = otherwise;
    return !onnx_has_in(c, k) || onnx_in_int(c, k, false, out);
}

/* ---- windows ---- */

/* a - b cos(2 pi i / n) + c cos(4 pi i / n) */
bool onnx_op_window(onnx_call *c)
{
    static const double factors[][3] = {[ONNX_HANN] = {0.5, 0.5, 0},
                                        [ONNX_HAMMING] = {25.0 / 46, 21.0 / 46, 0},
                                        [ONNX_BLACKMAN] = {0.42, 0.5, 0.08}};
    const double *f = factors[c->op->arg];
    tn_builder *b = c->b;
    tn_dtype d;
    int64_t n;
    if (!int_in(c, 0, 0, &n))
        return false;
    if (n < 0 || !onnx_dtype(onnx_attr_int(c, "output_datatype", 1), &d))
        return onnx_refuse(c, DIAG_InvalidAttribute, "its size or 'output_datatype' is not read");
    const double points = (double)(onnx_attr_int(c, "periodic", 1) || n == 1 ? n : n - 1);
    const tn_value i = tn_iota(b, TN_F64, TN_INTS(n), 0);
    const tn_value angle = tn_div(b, onnx_scaled(c, i, 2 * pi), tn_scalar(b, TN_F64, points));
    tn_value y = onnx_plus(c, onnx_scaled(c, tn_cos(b, angle), -f[1]), f[0]);
    if (f[2] != 0)
        y = tn_add(b, y, onnx_scaled(c, tn_cos(b, onnx_scaled(c, angle, 2)), f[2]));
    return onnx_give(c, 0, tn_cast(b, y, d));
}

/* ---- Fourier transforms ---- */

/* The matrix [n, bins] of cosines or sines of 2 pi k j / n; each is one of n numbers. */
static tn_value waves(onnx_call *c, tn_dtype d, int64_t n, int64_t bins, bool sines)
{
    tn_builder *b = c->b;
    const tn_value i = tn_iota(b, TN_F64, TN_INTS(n), 0);
    const tn_value angle = tn_div(b, onnx_scaled(c, i, 2 * pi), tn_scalar(b, TN_F64, (double)n));
    const tn_value wave = tn_cast(b, sines ? tn_sin(b, angle) : tn_cos(b, angle), d);
    const tn_value j = tn_iota(b, TN_SI64, TN_INTS(n, bins), 0);
    const tn_value k = tn_iota(b, TN_SI64, TN_INTS(n, bins), 1);
    const tn_value product = tn_mul(b, j, k), points = tn_scalar_int(b, TN_SI64, n);
    const tn_value whole = tn_mul(b, tn_div(b, product, points), points);
    return tn_take(b, wave, tn_sub(b, product, whole));
}

/* X W, along the last axis of X. */
static tn_value along_last(onnx_call *c, tn_value x, tn_value w)
{
    const type *t = onnx_type_of(c, x);
    if (!t)
        return tn_no_value();
    return tn_dot_general(c->b, x, w, TN_INTS(), TN_INTS(), TN_INTS((int64_t)t->rank - 1),
                          TN_INTS(0), TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
}

/* The transform of RE + i IM[..., n], of which IM may be no value, to BINS numbers; the result has
 * an axis of 2 behind them. */
static tn_value transformed(onnx_call *c, tn_value re, tn_value im, int64_t n, int64_t bins,
                            bool inverse)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, re);
    if (!t)
        return tn_no_value();
    const tn_value cosines = waves(c, t->dtype, n, bins, false);
    tn_value sines = waves(c, t->dtype, n, bins, true);
    if (!inverse)
        sines = tn_neg(b, sines);
    tn_value x = along_last(c, re, cosines), y = along_last(c, re, sines);
    if (tn_is_value(im)) {
        x = tn_sub(b, x, along_last(c, im, sines));
        y = tn_add(b, y, along_last(c, im, cosines));
    }
    const int64_t last = t->rank;
    x = tn_expand_dims(b, x, TN_INTS(last));
    y = tn_expand_dims(b, y, TN_INTS(last));
    const tn_value both = tn_concat(b, TN_VALUES(x, y), last);
    return inverse ? tn_div(b, both, tn_scalar_like(b, both, (double)n)) : both;
}

/* Part K, real or imaginary, of X, which has them along its last axis of extent WIDTH; no value for
 * imaginary ones that it does not have. */
static tn_value part_of(onnx_call *c, tn_value x, int64_t last, dim width, int64_t k)
{
    if (k >= width)
        return tn_no_value();
    return tn_squeeze(c->b, tn_slice_axis(c->b, x, last, k, 1), TN_INTS(last));
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
    if (!t || (c->version >= 20 && !int_in(c, 2, -2, &axis)) || !onnx_axis(c, axis, t->rank, &axis))
        return false;
    const int64_t last = (int64_t)t->rank - 1;
    if (axis == last || (t->dims[last] != 1 && t->dims[last] != 2))
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "the last axis has real and imaginary parts, and is not transformed");
    if (dim_is_symbolic(t->dims[axis]))
        return onnx_refuse(c, DIAG_ShapeUnknown, "the extent of the axis must be a number");
    if (!int_in(c, 1, t->dims[axis], &n))
        return false;
    if (n < 1 || n > MOST_POINTS)
        return onnx_refuse(c, DIAG_LimitExceeded, "a transform of %" PRId64 " point%s", n,
                           plural((uint64_t)n));
    if (onesided && inverse)
        return onnx_refuse(c, DIAG_NotImplemented, "the inverse of one side");
    const tn_value x = with_length(c, onnx_in(c, 0), t->rank, axis, t->dims[axis], n);
    const tn_value re = onnx_move_axis(c, part_of(c, x, last, t->dims[last], 0), axis, last - 1);
    tn_value im = part_of(c, x, last, t->dims[last], 1);
    if (tn_is_value(im))
        im = onnx_move_axis(c, im, axis, last - 1);
    const int64_t bins = onesided ? n / 2 + 1 : n;
    return onnx_give(c, 0,
                     onnx_move_axis(c, transformed(c, re, im, n, bins, inverse), last - 1, axis));
}

bool onnx_op_stft(onnx_call *c)
{
    enum { SIGNAL, STEP, WINDOW, LENGTH };
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, SIGNAL), *w = onnx_in_type(c, WINDOW);
    const bool onesided = onnx_attr_int(c, "onesided", 1);
    int64_t by, n;
    if (!t || !int_in(c, STEP, 1, &by) ||
        !int_in(c, LENGTH, w && w->rank == 1 ? w->dims[0] : 0, &n))
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
    tn_value re = part_of(c, x, 3, parts, 0), im = part_of(c, x, 3, parts, 1);
    if (w) {
        re = tn_mul(b, re, onnx_in(c, WINDOW));
        im = tn_is_value(im) ? tn_mul(b, im, onnx_in(c, WINDOW)) : im;
    }
    return onnx_give(c, 0, transformed(c, re, im, n, onesided ? n / 2 + 1 : n, false));
}

/* ---- weights of mel bands ---- */

/* 2595 log10(1 + x / 700) */
static tn_value mel_of(onnx_call *c, tn_value x)
{
    const double ln_10 = 2.30258509299404568402;
    const tn_value ratio = tn_div(c->b, x, tn_scalar_like(c->b, x, 700));
    return onnx_scaled(c, tn_log(c->b, onnx_plus(c, ratio, 1)), 2595 / ln_10);
}

/* Triangles: each band rises from its lower edge to its centre, and falls to its higher edge. Edges
 * are bins, which are whole numbers. */
bool onnx_op_mel_weight_matrix(onnx_call *c)
{
    enum { BANDS, POINTS, RATE, LOW, HIGH };
    tn_builder *b = c->b;
    int64_t bands, points, rate;
    tn_dtype d;
    if (!int_in(c, BANDS, 1, &bands) || !int_in(c, POINTS, 1, &points) ||
        !int_in(c, RATE, 1, &rate))
        return false;
    if (bands < 1 || bands > MOST_POINTS || points < 1 || points > MOST_POINTS || rate < 1 ||
        !onnx_dtype(onnx_attr_int(c, "output_datatype", 1), &d))
        return onnx_refuse(c, DIAG_InvalidAttribute, "its sizes or 'output_datatype' are not read");
    const tn_value low = tn_reshape(b, tn_cast(b, onnx_in(c, LOW), TN_F64), (tn_ints){0});
    const tn_value high = tn_reshape(b, tn_cast(b, onnx_in(c, HIGH), TN_F64), (tn_ints){0});
    const tn_value from = mel_of(c, low), to = mel_of(c, high);
    const tn_value range = tn_sub(b, to, from);
    const tn_value step = tn_div(b, range, tn_scalar(b, TN_F64, (double)(bands + 2)));
    const tn_value number = tn_iota(b, TN_F64, TN_INTS(bands + 2), 0);
    const tn_value mel = tn_add(b, tn_mul(b, number, step), from);
    const tn_value exponent = tn_div(b, mel, tn_scalar(b, TN_F64, 2595));
    const tn_value power = tn_pow(b, tn_scalar(b, TN_F64, 10), exponent);
    const tn_value hertz = onnx_scaled(c, onnx_plus(c, power, -1), 700);
    const tn_value edges = tn_floor(b, tn_div(b, onnx_scaled(c, hertz, (double)(points + 1)),
                                              tn_scalar(b, TN_F64, (double)rate)));
    const tn_value lower = tn_slice_axis(b, edges, 0, 0, bands);
    const tn_value centre = tn_slice_axis(b, edges, 0, 1, bands);
    const tn_value higher = tn_slice_axis(b, edges, 0, 2, bands);
    const tn_value j = tn_iota(b, TN_F64, TN_INTS(points / 2 + 1, bands), 0);
    const tn_value none = tn_scalar(b, TN_F64, 0), one = tn_scalar(b, TN_F64, 1);
    const tn_value rise = tn_sub(b, centre, lower), fall = tn_sub(b, higher, centre);
    const tn_value has_rise = tn_compare(b, TN_NE, rise, none);
    const tn_value up = tn_select(b, has_rise, tn_div(b, tn_sub(b, j, lower), rise), one);
    const tn_value behind = tn_compare(b, TN_GE, j, lower);
    const tn_value before = tn_compare(b, TN_LE, j, centre);
    const tn_value rising = tn_select(b, tn_and(b, behind, before), up, none);
    const tn_value down = tn_div(b, tn_sub(b, higher, j), fall);
    const tn_value past = tn_compare(b, TN_GE, j, centre);
    const tn_value within = tn_compare(b, TN_LT, j, higher);
    const tn_value weights = tn_select(b, tn_and(b, past, within), down, rising);
    return onnx_give(c, 0, tn_cast(b, weights, d));
}
