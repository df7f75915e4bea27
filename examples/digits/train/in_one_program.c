/* Writes a whole training run as one PTIR program: in_one_program FILE.ptir.json [STEPS]
 *
 * The program takes `images` and `one_hot`, draws the weights of a network of two layers, and runs
 * gradient descent with momentum in a while loop whose carry holds the weights, their velocities
 * and the data. It returns the scores of all images and the loss of the last step. Nothing outside
 * the program trains anything: `tenon run` is enough. */
#include <stdio.h>
#include <stdlib.h>

#include "tenon/forms.h"

enum { IMAGES = 1797, SEEN = 899, PIXELS = 64, WIDTH = 160, DIGITS = 10 };
enum { W1, B1, W2, B2, N_WEIGHTS };
/* The carry of the loop: a counter, pixels and truth of the images seen, weights, velocities. */
enum { STEP, X, TRUTH, WEIGHTS, SPEEDS = WEIGHTS + N_WEIGHTS, LOSS = SPEEDS + N_WEIGHTS, N_CARRY };

static void tell(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)fprintf(stderr, "in_one_program: %s [%s]\n", d->message, d->code);
}

static bool put(void *user, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n;
}

/* The matrix product, in the portable form: contract the columns of X with the rows of Y. */
static tn_value product(tn_builder *b, tn_value x, tn_value y)
{
    return tn_dot_general(b, x, y, TN_INTS(), TN_INTS(), TN_INTS(1), TN_INTS(0), TN_F32, TN_F32);
}

/* x w + b, before and after the hidden layer. */
static tn_value layer(tn_builder *b, tn_value x, tn_value w, tn_value bias)
{
    return tn_add(b, product(b, x, w), bias);
}

static tn_value scores_of(tn_builder *b, tn_value x, const tn_value *w)
{
    tn_value a = layer(b, x, w[W1], w[B1]);
    tn_value h = tn_maximum(b, a, tn_scalar(b, TN_F32, 0));
    return layer(b, h, w[W2], w[B2]);
}

static tn_value columns_of(tn_builder *b, tn_value x)
{
    return tn_transpose(b, x, TN_INTS(1, 0));
}

/* One step: the gradient of the cross entropy, written out, and the move against it. */
static void improve(tn_builder *b, const tn_value *carry, tn_value *next)
{
    const tn_value *w = carry + WEIGHTS;
    tn_value zero = tn_scalar(b, TN_F32, 0), g[N_WEIGHTS];

    tn_value a = layer(b, carry[X], w[W1], w[B1]);
    tn_value h = tn_maximum(b, a, zero);
    tn_value log_p = tn_nn_log_softmax(b, layer(b, h, w[W2], w[B2]), 1);
    tn_value error = tn_sub(b, tn_exp(b, log_p), carry[TRUTH]);
    error = tn_mul(b, error, tn_scalar(b, TN_F32, 1.0 / SEEN));
    tn_value back = product(b, error, columns_of(b, w[W2]));
    tn_value open = tn_compare(b, TN_GT, a, zero);
    back = tn_select(b, open, back, tn_splat(b, TN_F32, TN_INTS(SEEN, WIDTH), 0));
    g[W1] = product(b, columns_of(b, carry[X]), back);
    g[B1] = tn_sum(b, back, TN_INTS(0), false);
    g[W2] = product(b, columns_of(b, h), error);
    g[B2] = tn_sum(b, error, TN_INTS(0), false);

    next[STEP] = tn_add(b, carry[STEP], tn_scalar_int(b, TN_SI32, 1));
    next[X] = carry[X];
    next[TRUTH] = carry[TRUTH];
    for (int k = 0; k < N_WEIGHTS; k++) {
        tn_value kept = tn_mul(b, carry[SPEEDS + k], tn_scalar(b, TN_F32, 0.9));
        next[SPEEDS + k] = tn_add(b, kept, g[k]);
        tn_value move = tn_mul(b, next[SPEEDS + k], tn_scalar(b, TN_F32, 0.2));
        next[WEIGHTS + k] = tn_sub(b, w[k], move);
    }
    tn_value hit = tn_sum(b, tn_mul(b, log_p, carry[TRUTH]), TN_INTS(0, 1), false);
    next[LOSS] = tn_mul(b, hit, tn_scalar(b, TN_F32, -1.0 / SEEN));
}

static void params_like(tn_builder *b, const tn_value *outer, tn_value *inner)
{
    for (int k = 0; k < N_CARRY; k++)
        inner[k] = tn_param_like(b, outer[k]);
}

static tn_value normal(tn_builder *b, tn_ints shape, double scale)
{
    return tn_mul(b, tn_rng_normal(b, TN_F32, shape), tn_scalar(b, TN_F32, scale));
}

static tn_status build(tn_context *cx, int steps, tn_module **module)
{
    tn_builder *b = tn_builder_new(cx);
    tn_value images = tn_input(b, "images", TN_F32, TN_INTS(IMAGES, 8, 8));
    tn_value one_hot = tn_input(b, "one_hot", TN_F32, TN_INTS(IMAGES, DIGITS));
    tn_value rows = tn_reshape(b, images, TN_INTS(IMAGES, PIXELS));
    rows = tn_mul(b, rows, tn_scalar(b, TN_F32, 1.0 / 16));

    /* Even-numbered rows: the number of row i is 2 i. */
    tn_value even = tn_iota(b, TN_SI32, TN_INTS(SEEN), 0);
    even = tn_mul(b, even, tn_scalar_int(b, TN_SI32, 2));

    tn_value start[N_CARRY], inner[N_CARRY], next[N_CARRY], end[N_CARRY];
    start[STEP] = tn_scalar_int(b, TN_SI32, 0);
    start[X] = tn_take(b, rows, even);
    start[TRUTH] = tn_take(b, one_hot, even);
    start[WEIGHTS + W1] = normal(b, TN_INTS(PIXELS, WIDTH), 0.18);
    start[WEIGHTS + B1] = tn_splat(b, TN_F32, TN_INTS(WIDTH), 0);
    start[WEIGHTS + W2] = normal(b, TN_INTS(WIDTH, DIGITS), 0.11);
    start[WEIGHTS + B2] = tn_splat(b, TN_F32, TN_INTS(DIGITS), 0);
    start[SPEEDS + W1] = tn_splat(b, TN_F32, TN_INTS(PIXELS, WIDTH), 0);
    start[SPEEDS + B1] = start[WEIGHTS + B1];
    start[SPEEDS + W2] = tn_splat(b, TN_F32, TN_INTS(WIDTH, DIGITS), 0);
    start[SPEEDS + B2] = start[WEIGHTS + B2];
    start[LOSS] = tn_scalar(b, TN_F32, 0);

    tn_region_begin(b, "more");
    params_like(b, start, inner);
    next[0] = tn_compare(b, TN_LT, inner[STEP], tn_scalar_int(b, TN_SI32, steps));
    tn_value results[1 + N_CARRY];
    results[0] = next[0];
    for (int k = 0; k < N_CARRY; k++)
        results[1 + k] = inner[k];
    tn_region more = tn_region_end(b, (tn_values){results, 1 + N_CARRY});

    tn_region_begin(b, "step");
    params_like(b, start, inner);
    improve(b, inner, next);
    tn_region step = tn_region_end(b, (tn_values){next, N_CARRY});

    tn_while(b, more, step, (tn_values){start, N_CARRY}, end, N_CARRY);
    tn_value outputs[] = {scores_of(b, rows, end + WEIGHTS), end[LOSS]};
    return tn_builder_finish(b, outputs, 2, module);
}

int main(int argc, char **argv)
{
    int steps = argc == 3 ? atoi(argv[2]) : 400;
    if (argc < 2 || argc > 3 || steps < 1) {
        (void)fprintf(stderr, "usage: in_one_program FILE.ptir.json [STEPS]\n");
        return 2;
    }
    tn_diagnostic_sink sink = {tell, NULL};
    tn_context *cx = tn_context_new(NULL, &sink);
    tn_module *m = NULL;
    FILE *file = fopen(argv[1], "wb");
    tn_writer writer = {put, file};
    bool ok = cx && file && build(cx, steps, &m) == TN_OK &&
              tn_module_write(m, "ptir", NULL, &writer) == TN_OK;
    tn_module_free(m);
    tn_context_free(cx);
    ok = file && fclose(file) == 0 && ok;
    if (!ok)
        (void)fprintf(stderr, "in_one_program: %s was not written\n", argv[1]);
    return ok ? 0 : 1;
}
