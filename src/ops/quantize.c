/* quantize, dequantize, requantize. With one operand they are casts; with a scale, and perhaps a
 * zero point, they compute in f32, or in f64 when the scale is f64, and round after every step:
 *
 *     quantize    saturate(round to even(x / scale) + zero point)
 *     dequantize  (q - zero point) * scale
 *
 * A float as the quantised type takes x / scale without rounding to an integer, and no zero point.
 * Scale and zero point have rank 0, or rank 1 along `axis`. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/attr_rules.h"
#include "ops/cells.h"
#include "ops/pieces.h"
#include "ops/scratch.h"

/* Type rules. */

/* Operands K (a scale) and, when ZERO, K + 1 (its zero point of dtype QUANTISED) suit operand 0. */
static tn_status rule_scale(const infer_call *call, uint32_t k, bool zero, tn_dtype scale,
                            tn_dtype quantised)
{
    const type *x = call->in[0];
    if (call->in[k]->dtype != scale)
        return infer_reject(call, DIAG_DTypeMismatch, "the scale of '%s' must be %s, not %s",
                            rule_op(call), dtype_name(scale), dtype_name(call->in[k]->dtype));
    if (!dtype_is_int(quantised) && !dtype_is_float(quantised))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot scale %s", rule_op(call),
                            dtype_name(quantised));
    if (zero && !dtype_is_int(quantised))
        return infer_reject(call, DIAG_DTypeNotSupported,
                            "'%s' has a zero point only for integers, not for %s", rule_op(call),
                            dtype_name(quantised));
    if (zero && call->in[k + 1]->dtype != quantised)
        return infer_reject(call, DIAG_DTypeMismatch, "the zero point of '%s' must be %s, not %s",
                            rule_op(call), dtype_name(quantised),
                            dtype_name(call->in[k + 1]->dtype));
    for (uint32_t i = k; i <= k + zero; i++) {
        const type *t = call->in[i];
        uint32_t axis;
        TN_TRY(rule_rank(call, i, 0, 1));
        if (t->rank == 0)
            continue;
        if (!attr_find(call->attrs, KEY_AXIS))
            return infer_reject(call, DIAG_MissingAttribute,
                                "'%s' needs 'axis' for operand %" PRIu32 " of shape %s",
                                rule_op(call), i, rule_shape_text(call, i));
        TN_TRY(rule_axis(call, KEY_AXIS, x->rank, &axis));
        if (!dims_may_equal(t->dims[0], x->dims[axis]))
            return infer_reject(call, DIAG_DimensionMismatch,
                                "operand %" PRIu32 " of '%s' has shape %s, axis %" PRIu32
                                " of %s has another extent",
                                i, rule_op(call), rule_shape_text(call, i), axis,
                                rule_shape_text(call, 0));
    }
    return TN_OK;
}

static tn_status rule_common(const infer_call *call, tn_dtype otherwise, tn_dtype *out)
{
    const tn_dtype from = call->in[0]->dtype;
    uint32_t axis;
    TN_TRY(rule_attr_dtype(call, KEY_DTYPE, otherwise, out));
    if (!dtype_can_cast(from, *out))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot convert %s to %s",
                            rule_op(call), dtype_name(from), dtype_name(*out));
    TN_TRY(rule_rank(call, 0, 0, TN_MAX_RANK));
    return attr_find(call->attrs, KEY_AXIS) ? rule_axis(call, KEY_AXIS, call->in[0]->rank, &axis)
                                            : TN_OK;
}

static tn_status finish_rule(infer_call *call, tn_dtype out)
{
    return infer_result(call, type_with_dtype(&call->module->types, call->in[0], out));
}

tn_status infer_quantize(infer_call *call)
{
    const tn_dtype from = call->in[0]->dtype;
    tn_dtype out;
    TN_TRY(rule_common(call, TN_SI8, &out));
    if (call->n_in > 1) {
        TN_TRY(rule_dtype(call, 0, ALLOW_FLOAT));
        TN_TRY(rule_scale(call, 1, call->n_in > 2, from, out));
    }
    return finish_rule(call, out);
}

tn_status infer_dequantize(infer_call *call)
{
    const tn_dtype from = call->in[0]->dtype;
    tn_dtype out;
    TN_TRY(rule_common(call, TN_F32, &out));
    if (call->n_in > 1) {
        if (!dtype_is_float(out))
            return infer_reject(call, DIAG_DTypeNotSupported, "'%s' gives floats, not %s",
                                rule_op(call), dtype_name(out));
        TN_TRY(rule_scale(call, 1, call->n_in > 2, out, from));
    }
    return finish_rule(call, out);
}

tn_status infer_requantize(infer_call *call)
{
    const tn_dtype from = call->in[0]->dtype;
    const bool zeros = call->n_in == 5;
    tn_dtype out;
    TN_TRY(rule_common(call, TN_SI8, &out));
    if (call->n_in == 2 || call->n_in == 4)
        return infer_reject(call, DIAG_ArityMismatch,
                            "'%s' takes one operand, or two scales, or two scales each followed by "
                            "its zero point; not %" PRIu32 " operands",
                            rule_op(call), call->n_in);
    if (call->n_in > 1) {
        const tn_dtype scale = call->in[1]->dtype;
        TN_TRY(rule_dtype(call, 1, ALLOW_FLOAT));
        TN_TRY(rule_scale(call, 1, zeros, scale, from));
        TN_TRY(rule_scale(call, zeros ? 3 : 2, zeros, scale, out));
    }
    return finish_rule(call, out);
}

/* Kernels. */

/* One parameter, operand K, brought to the dtype of the computation. */
typedef struct parameter {
    const char *at; /* NULL: absent */
    bool along_axis;
} parameter;

static bool parameter_init(parameter *p, const eval_call *call, uint32_t k, tn_dtype form)
{
    const tensor *x = &call->in[k];
    const size_t n = (size_t)x->type->count;
    char *at = scratch_array(call, n, dtype_bytes(form));
    *p = (parameter){at, x->type->rank == 1};
    if (at)
        (void)dtype_cast(x->type->dtype, x->data, form, at, n);
    return at != NULL;
}

/* A run of elements that share their parameters. */
#define STEPS(name, type, round_even)                                                              \
    static void name##_down(type *x, int64_t n, const type *scale, const type *zero, bool rounds)  \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            x[i] = x[i] / *scale;                                                                  \
            if (rounds)                                                                            \
                x[i] = round_even(x[i]);                                                           \
            if (zero)                                                                              \
                x[i] = x[i] + *zero;                                                               \
        }                                                                                          \
    }                                                                                              \
    static void name##_up(type *x, int64_t n, const type *scale, const type *zero)                 \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            if (zero)                                                                              \
                x[i] = x[i] - *zero;                                                               \
            x[i] = x[i] * *scale;                                                                  \
        }                                                                                          \
    }

STEPS(f32, float, rintf)
STEPS(f64, double, rint)

enum { CHUNK = 1024 };

typedef struct scaling {
    tn_dtype from, form, to;
    bool up, down; /* scale up with the first pair, down with the second */
    parameter scale[2], zero[2];
} scaling;

static const void *of(const parameter *p, int64_t index, tn_dtype form)
{
    return p->at ? p->at + (p->along_axis ? (size_t)index * dtype_bytes(form) : 0) : NULL;
}

/* N elements whose position along the axis is INDEX. */
static void scale_chunk(const scaling *s, const char *in, char *out, int64_t n, int64_t index)
{
    union {
        float f32[CHUNK];
        double f64[CHUNK];
    } x;
    const bool rounds = dtype_is_int(s->to);
    (void)dtype_cast(s->from, in, s->form, &x, (size_t)n);
    for (int k = 0; k < 2; k++) {
        const void *scale = of(&s->scale[k], index, s->form);
        const void *zero = of(&s->zero[k], index, s->form);
        if (k == 0 ? !s->up : !s->down)
            continue;
        if (s->form == TN_F64 && k == 0)
            f64_up(x.f64, n, scale, zero);
        else if (s->form == TN_F64)
            f64_down(x.f64, n, scale, zero, rounds);
        else if (k == 0)
            f32_up(x.f32, n, scale, zero);
        else
            f32_down(x.f32, n, scale, zero, rounds);
    }
    (void)dtype_cast(s->form, &x, s->to, out, (size_t)n);
}

/* FIRST_UP and FIRST_DOWN are the operands that hold the scales, 0 for none. */
static tn_status eval_scaling(eval_call *call, uint32_t first_up, uint32_t first_down, bool zeros)
{
    const type *x = call->in[0].type, *t = call->out->type;
    const char *in = call->in[0].data;
    char *out = call->out->data;
    if (call->n_in == 1) {
        return eval_cast_all(call, x->dtype, in, t->dtype, out, (size_t)t->count);
    }
    const uint32_t first[2] = {first_up, first_down};
    const uint32_t any = first_up ? first_up : first_down;
    scaling s = {.from = x->dtype,
                 .form = call->in[any].type->dtype == TN_F64 ? TN_F64 : TN_F32,
                 .to = t->dtype,
                 .up = first_up != 0,
                 .down = first_down != 0};
    if (t->count == 0)
        return TN_OK;
    for (int k = 0; k < 2; k++) {
        if (!first[k])
            continue;
        if (!parameter_init(&s.scale[k], call, first[k], s.form) ||
            (zeros && !parameter_init(&s.zero[k], call, first[k] + 1, s.form)))
            return eval_no_memory(call);
    }
    /* Without an axis everything is one run. */
    int64_t run = t->count, extent = 1;
    if (attr_find(call->attrs, KEY_AXIS)) {
        const uint32_t axis = resolve_axis(call->attrs, KEY_AXIS, t->rank);
        extent = t->dims[axis];
        run = 1;
        for (uint32_t i = axis + 1; i < t->rank; i++)
            run *= t->dims[i];
    }
    for (int64_t start = 0; start < t->count;) {
        const int64_t left = run - start % run, n = left < CHUNK ? left : CHUNK;
        TN_TRY(eval_tick(call, (uint64_t)n));
        scale_chunk(&s, in + (size_t)start * dtype_bytes(x->dtype),
                    out + (size_t)start * dtype_bytes(t->dtype), n, start / run % extent);
        start += n;
    }
    return TN_OK;
}

tn_status eval_quantize(eval_call *call)
{
    return eval_scaling(call, 0, 1, call->n_in > 2);
}

tn_status eval_dequantize(eval_call *call)
{
    return eval_scaling(call, 1, 0, call->n_in > 2);
}

tn_status eval_requantize(eval_call *call)
{
    return eval_scaling(call, 1, call->n_in == 5 ? 3 : 2, call->n_in == 5);
}
