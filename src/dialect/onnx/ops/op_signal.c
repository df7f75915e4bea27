/* Signals: windows, weights of mel bands. Angles are computed in f64. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/op.h"

enum { MOST_POINTS = 1 << 16 }; /* of a transform whose bins are weighted */

static const double pi = 3.14159265358979323846;

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
    if (!onnx_in_int_or(c, 0, 0, &n))
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
    if (!onnx_in_int_or(c, BANDS, 1, &bands) || !onnx_in_int_or(c, POINTS, 1, &points) ||
        !onnx_in_int_or(c, RATE, 1, &rate))
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
