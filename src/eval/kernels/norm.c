/* layer_norm: normalised along one axis by mean and biased variance, then scaled and shifted. Every
 * step is rounded to f32 (f64 for f64), sums follow the order of reductions, and the result is
 * rounded once to its dtype. */
#include <inttypes.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/fold_line.h"
#include "eval/parts/pieces.h"
#include "eval/parts/scratch.h"
#include "eval/parts/view.h"
#include "ops/attr_rules.h"
#include "scalar/math.h"

/* One line of N elements in X, in place; SQUARES has room for as many. */
#define LINE(name, type, dtype)                                                                    \
    static tn_status name(const eval_call *call, type *x, type *squares, const type *gamma,        \
                          const type *beta, size_t n, type epsilon, const scalar_program *rsqrt)   \
    {                                                                                              \
        type mean, variance;                                                                       \
        TN_TRY(fold_line(call, FOLD_SUM, dtype, dtype, x, (int64_t)n, &mean));                     \
        mean = mean / (type)n;                                                                     \
        for (size_t at = 0, end; at < n; at = end) {                                               \
            TN_TRY(eval_piece(call, at, n, &end));                                                 \
            for (size_t i = at; i < end; i++) {                                                    \
                x[i] = x[i] - mean;                                                                \
                squares[i] = x[i] * x[i];                                                          \
            }                                                                                      \
        }                                                                                          \
        TN_TRY(fold_line(call, FOLD_SUM, dtype, dtype, squares, (int64_t)n, &variance));           \
        variance = variance / (type)n;                                                             \
        variance = variance + epsilon;                                                             \
        const void *args[1] = {&variance};                                                         \
        scalar_run(rsqrt, args, &variance, 1);                                                     \
        for (size_t at = 0, end; at < n; at = end) {                                               \
            TN_TRY(eval_piece(call, at, n, &end));                                                 \
            for (size_t i = at; i < end; i++) {                                                    \
                x[i] = x[i] * variance;                                                            \
                x[i] = x[i] * gamma[i];                                                            \
                x[i] = x[i] + beta[i];                                                             \
            }                                                                                      \
        }                                                                                          \
        return TN_OK;                                                                              \
    }
LINE(line_f32, float, TN_F32)
LINE(line_f64, double, TN_F64)

tn_status eval_layer_norm(eval_call *call)
{
    const type *t = call->out->type;
    const uint32_t axis = resolve_axis(call->attrs, KEY_AXIS, t->rank);
    const tn_dtype form = dtype_compute(t->dtype);
    const size_t size = dtype_bytes(form), stored = dtype_bytes(t->dtype);
    const int64_t n = t->dims[axis];
    const double epsilon = attr_float(call->attrs, KEY_EPSILON, 0);
    int64_t inner = 1;
    if (t->count == 0)
        return TN_OK;
    for (uint32_t i = axis + 1; i < t->rank; i++)
        inner *= t->dims[i];

    char *memory[5]; /* the line, its squares, gamma, beta, the line as stored */
    for (int k = 0; k < 5; k++) {
        memory[k] = scratch_array(call, (size_t)n, size);
        if (!memory[k])
            return eval_no_memory(call);
    }
    const scalar_program *rsqrt =
        scalar_math_program(call->scratch, MATH_RSQRT, form == TN_F64 ? SCALAR_F64 : SCALAR_F32);
    if (!rsqrt)
        return eval_no_memory(call);
    for (uint32_t k = 1; k < 3; k++)
        TN_TRY(eval_widen(call, t->dtype, call->in[k].data, memory[k + 1], (size_t)n));

    const int64_t lines = t->count / n;
    for (int64_t k = 0; k < lines; k++) {
        const size_t first = (size_t)(k / inner * n * inner + k % inner) * stored;
        view in, out;
        view_init(&in, (const char *)call->in[0].data + first, stored, &n, &inner, 1);
        view_init(&out, (char *)call->out->data + first, stored, &n, &inner, 1);
        TN_TRY(view_read_all(call, &in, n, memory[4]));
        TN_TRY(eval_widen(call, t->dtype, memory[4], memory[0], (size_t)n));
        TN_TRY(form == TN_F64 ? line_f64(call, (double *)memory[0], (double *)memory[1],
                                         (const double *)memory[2], (const double *)memory[3],
                                         (size_t)n, epsilon, rsqrt)
                              : line_f32(call, (float *)memory[0], (float *)memory[1],
                                         (const float *)memory[2], (const float *)memory[3],
                                         (size_t)n, (float)epsilon, rsqrt));
        TN_TRY(eval_narrow(call, t->dtype, memory[0], memory[4], (size_t)n));
        TN_TRY(view_write_all(call, &out, n, memory[4]));
    }
    return TN_OK;
}
