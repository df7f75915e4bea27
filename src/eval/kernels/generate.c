/* Generators: iota, rng_uniform, rng_normal. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/fill.h"
#include "eval/parts/random.h"
#include "ops/attr_rules.h"
#include "scalar/math.h"

enum { CHUNK = 512 };

tn_status eval_iota(eval_call *call)
{
    const type *t = call->out->type;
    const uint32_t axis = resolve_axis(call->attrs, KEY_AXIS, t->rank);
    const size_t size = dtype_bytes(t->dtype);
    int64_t inner = 1;
    char *out = call->out->data, element[16];

    if (t->count == 0)
        return TN_OK;
    for (uint32_t i = axis + 1; i < t->rank; i++)
        inner *= t->dims[i];
    for (int64_t k = 0; k < t->dims[axis]; k++) {
        TN_TRY(eval_tick(call, 1 + (uint64_t)inner));
        (void)scalar_store(scalar_of_int(k), t->dtype, element);
        fill_elements(out + (size_t)(k * inner) * size, element, size, (size_t)inner);
    }
    const size_t period = (size_t)(t->dims[axis] * inner);
    fill_elements(out, out, size * period, (size_t)t->count / period);
    return TN_OK;
}

/* Move the run's cursor to this generator. Its stream is the number of generators before it in its
 * function: unlike the node's own number, passes that drop or add other nodes do not change it. */
static const generator_cursor *find_generator(const eval_call *call)
{
    const function *f = call->function;
    const module *m = f->module;
    const uint32_t here = (uint32_t)(call->node - f->nodes.at);
    generator_cursor *at = &call->run->generator;
    if (at->of != f || at->node > here) {
        *at = (generator_cursor){.of = f};
        while (at->function < m->functions.n && m->functions.at[at->function] != f)
            at->function++;
    }
    while (at->node < here) {
        const uint16_t op = f->nodes.at[at->node++].op;
        at->stream += op == OP_RNG_UNIFORM || op == OP_RNG_NORMAL;
    }
    return at;
}

/* What one generator draws from. */
typedef struct draws {
    uint64_t seed;
    uint32_t function, stream;
    unsigned precision;
} draws;

static draws draws_of(const eval_call *call, unsigned precision)
{
    const generator_cursor *at = find_generator(call);
    return (draws){call->run->seed, at->function, at->stream, precision};
}

/* The top bits of a pair of words; the second counts only above 32 bits. */
static uint64_t top_bits(uint32_t high, uint32_t low, unsigned precision)
{
    return ((uint64_t)high << 32 | low) >> (64 - precision);
}

tn_status eval_rng_uniform(eval_call *call)
{
    const type *t = call->out->type;
    const draws d = draws_of(call, dtype_table[t->dtype].precision);
    const double step = ldexp(1.0, -(int)d.precision);
    char *out = call->out->data;
    double x[CHUNK];

    /* Every dtype holds its multiples of `step` below 1 exactly, so nothing rounds up to 1. */
    for (int64_t start = 0; start < t->count; start += CHUNK) {
        const int64_t n = t->count - start < CHUNK ? t->count - start : CHUNK;
        TN_TRY(eval_tick(call, (uint64_t)n));
        for (int64_t i = 0; i < n; i++) {
            const philox p = philox_at(d.seed, d.function, d.stream, (uint64_t)(start + i));
            x[i] = (double)top_bits(p.word[0], p.word[1], d.precision) * step;
        }
        (void)dtype_cast(TN_F64, x, t->dtype, out + (size_t)start * dtype_bytes(t->dtype),
                         (size_t)n);
    }
    return TN_OK;
}

/* Box-Muller, one number from two uniform ones: u in (0, 1] and v in [0, 1) give
 * sqrt(-2 * log(u)) * cos(2 pi * v), every step rounded to TYPE. */
#define NORMAL(name, type, bits, square_root, two_pi)                                              \
    static void name(const draws *d, const scalar_program *log, const scalar_program *cos,         \
                     int64_t start, int64_t n, type *out)                                          \
    {                                                                                              \
        type u[CHUNK], v[CHUNK];                                                                   \
        const type step = (type)ldexp(1.0, -(bits));                                               \
        const void *args[1] = {u};                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const philox p = philox_at(d->seed, d->function, d->stream, (uint64_t)(start + i));    \
            u[i] = (type)(top_bits(p.word[0], p.word[1], bits) + 1) * step;                        \
            v[i] = (type)top_bits(p.word[2], p.word[3], bits) * step;                              \
        }                                                                                          \
        scalar_run(log, args, u, (size_t)n);                                                       \
        for (int64_t i = 0; i < n; i++) {                                                          \
            u[i] = square_root((type)-2 * u[i]);                                                   \
            v[i] *= (type)(two_pi);                                                                \
        }                                                                                          \
        args[0] = v;                                                                               \
        scalar_run(cos, args, v, (size_t)n);                                                       \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = u[i] * v[i];                                                                  \
    }
#define TWO_PI 6.28318530717958647692
NORMAL(normal_f32, float, 24, sqrtf, TWO_PI)
NORMAL(normal_f64, double, 53, sqrt, TWO_PI)

tn_status eval_rng_normal(eval_call *call)
{
    const type *t = call->out->type;
    const draws d = draws_of(call, 0);
    const bool is_double = t->dtype == TN_F64;
    const scalar_type form = is_double ? SCALAR_F64 : SCALAR_F32;
    const scalar_program *log = scalar_math_program(call->scratch, MATH_LOG, form);
    const scalar_program *cos = scalar_math_program(call->scratch, MATH_COS, form);
    char *out = call->out->data;
    if (!log || !cos)
        return eval_no_memory(call);

    for (int64_t start = 0; start < t->count; start += CHUNK) {
        const int64_t n = t->count - start < CHUNK ? t->count - start : CHUNK;
        TN_TRY(eval_tick(call, (uint64_t)n));
        char *to = out + (size_t)start * dtype_bytes(t->dtype);
        if (is_double) {
            double x[CHUNK];
            normal_f64(&d, log, cos, start, n, x);
            memcpy(to, x, (size_t)n * sizeof *x);
        } else {
            float x[CHUNK];
            normal_f32(&d, log, cos, start, n, x);
            dtype_narrow(t->dtype, x, to, (size_t)n);
        }
    }
    return TN_OK;
}
