/* What the tests of the builder share: a context with a sink that remembers, and running a finished
 * module on arrays of doubles. */
#ifndef TEST_BUILD_FIXTURE_H
#define TEST_BUILD_FIXTURE_H

#include <math.h>

#include "api_fixture.h"
#include "tenon/forms.h"

typedef struct bench {
    tn_context *cx;
    record said;
    tn_builder *b;
} bench;

static inline void bench_open(bench *t)
{
    *t = (bench){0};
    tn_diagnostic_sink sink = {remember, &t->said};
    t->cx = tn_context_new(NULL, &sink);
    t->b = t->cx ? tn_builder_new(t->cx) : NULL;
    CHECK(t->b != NULL);
}

static inline void bench_close(bench *t)
{
    tn_builder_free(t->b);
    tn_context_free(t->cx);
}

/* End the program with one result; NULL after saying why not. */
static inline tn_module *bench_finish(bench *t, tn_value y)
{
    tn_module *m = NULL;
    tn_status s = tn_builder_finish(t->b, &y, 1, &m);
    t->b = NULL;
    if (!CHECK(s == TN_OK))
        printf("    %s: %s\n", t->said.kind, t->said.message);
    return m;
}

enum { MOST_INPUTS = 8 };

static inline int64_t elements(const tn_type *t)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= t->dims[i];
    return n;
}

static inline double element(const tn_buffer *b, int64_t i)
{
    switch ((int)b->type.dtype) {
    case TN_F64:
        return ((const double *)b->data)[i];
    case TN_F32:
        return (double)((const float *)b->data)[i];
    case TN_SI64:
        return (double)((const int64_t *)b->data)[i];
    case TN_SI32:
        return ((const int32_t *)b->data)[i];
    case TN_BF16: {
        uint32_t bits = (uint32_t)((const uint16_t *)b->data)[i] << 16;
        float x;
        memcpy(&x, &bits, sizeof x);
        return (double)x;
    }
    default:
        return ((const uint8_t *)b->data)[i];
    }
}

static inline void set_element(tn_buffer *b, int64_t i, double x)
{
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    switch ((int)b->type.dtype) {
    case TN_F64:
        ((double *)b->data)[i] = x;
        break;
    case TN_F32:
        ((float *)b->data)[i] = narrow;
        break;
    case TN_SI64:
        ((int64_t *)b->data)[i] = (int64_t)x;
        break;
    case TN_SI32:
        ((int32_t *)b->data)[i] = (int32_t)x;
        break;
    case TN_BF16: /* tests give values that need no rounding */
        ((uint16_t *)b->data)[i] = (uint16_t)(bits >> 16);
        break;
    default:
        ((uint8_t *)b->data)[i] = (uint8_t)x;
    }
}

/* Compile M for the given sizes, run it on IN (one array of doubles for each input) and give the
 * first N elements of the first result; false when anything failed. */
static inline bool bench_run(const tn_module *m, const tn_binding *sizes, size_t n_sizes,
                             const double *const *in, double *out, int64_t n)
{
    tn_program *p = NULL;
    tn_buffer buffers[MOST_INPUTS] = {{0}}, results[MOST_INPUTS] = {{0}};
    tn_port port;
    tn_compile_options options = {.bindings = sizes, .n_bindings = n_sizes};
    bool ok = CHECK(m && tn_program_compile(m, &options, &p) == TN_OK);
    size_t n_in = ok ? tn_program_input_count(p) : 0, n_out = ok ? tn_program_output_count(p) : 0;
    ok = ok && CHECK(n_in <= MOST_INPUTS && n_out >= 1 && n_out <= MOST_INPUTS);
    for (size_t k = 0; ok && k < n_in; k++) {
        ok = CHECK(tn_program_input(p, k, &port) == TN_OK);
        buffers[k].type = port.type;
        buffers[k].bytes = (size_t)elements(&port.type) * tn_dtype_size(port.type.dtype);
        buffers[k].data = malloc(buffers[k].bytes + 1);
        for (int64_t i = 0; buffers[k].data && i < elements(&port.type); i++)
            set_element(&buffers[k], i, in[k][i]);
        ok = ok && buffers[k].data;
    }
    ok = ok && CHECK(tn_program_run(p, buffers, n_in, results, n_out, NULL) == TN_OK);
    ok = ok && CHECK_INT(elements(&results[0].type), n);
    for (int64_t i = 0; ok && i < n; i++)
        out[i] = element(&results[0], i);
    for (size_t k = 0; k < MOST_INPUTS; k++) {
        free(buffers[k].data);
        if (p)
            tn_buffer_release(p, &results[k]);
    }
    tn_program_free(p);
    return ok;
}

/* |have - want| <= TOLERANCE * max(1, |want|) for N elements; equal infinities and NaNs are near.
 */
static inline bool near_all(const double *have, const double *want, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++) {
        double scale = fmax(1, fabs(want[i]));
        bool ok = have[i] == want[i] || (isnan(have[i]) && isnan(want[i])) ||
                  fabs(have[i] - want[i]) <= tolerance * scale;
        if (!ok) {
            printf("    element %d: have %.17g, want %.17g\n", (int)i, have[i], want[i]);
            return false;
        }
    }
    return true;
}

/* Small numbers that are exact in bf16 too, the same for the same SEED: multiples of 1/16 in
 * [-2, 2). */
static inline void fill(double *x, int64_t n, uint32_t seed)
{
    uint32_t state = seed * 2654435761U + 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525U + 1013904223U;
        x[i] = ((double)(state >> 26) - 32) / 16;
    }
}

#endif
