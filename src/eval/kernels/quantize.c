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

#include "eval/kernels/kernels.h"
#include "eval/parts/pieces.h"
#include "eval/parts/scratch.h"
#include "ops/attr_rules.h"

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
