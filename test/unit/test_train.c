/* The parts of training: the tree of leaves, the order of samples, rates, optimiser programs. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "tenon/train.h"

/* ---- the tree ---- */

static void test_tree_order(void)
{
    /* ((a + b) + (c + d)) + e: any other order rounds differently */
    const float a = 1e8F, b = 1, c = -1e8F, d = 3, e = 0.5F;
    const void *leaves[] = {&a, &b, &c, &d, &e};
    float sum, want = a + b;
    const float right = c + d;
    want = want + right;
    want = want + e;
    CHECK(tn_reduce_tree(TN_F32, leaves, 5, 1, &sum) == TN_OK);
    CHECK(sum == want);
    CHECK(tn_reduce_tree(TN_F32, leaves, 1, 1, &sum) == TN_OK);
    CHECK(sum == a);
}

/* A leaf of 1200 elements is cut into chunks, and may be the sum. */
static void test_tree_long(void)
{
    enum { N = 1200, LEAVES = 4 };
    static double leaf[LEAVES][N];
    const void *leaves[LEAVES];
    for (int j = 0; j < LEAVES; j++) {
        leaves[j] = leaf[j];
        for (int i = 0; i < N; i++)
            leaf[j][i] = i * (j + 1);
    }
    CHECK(tn_reduce_tree(TN_F64, leaves, LEAVES, N, leaf[0]) == TN_OK);
    bool same = true;
    for (int i = 0; i < N; i++)
        same = same && leaf[0][i] == 10.0 * i;
    CHECK(same);
}

static void test_tree_types(void)
{
    const uint16_t x = 0x4380, y = 0x3f80; /* bf16: 256 and 1, whose sum is rounded to 256 */
    const void *narrow[] = {&x, &y};
    uint16_t sum;
    CHECK(tn_reduce_tree(TN_BF16, narrow, 2, 1, &sum) == TN_OK);
    CHECK(sum == 0x4380);
    const int8_t p = 127, q = 1;
    const void *whole[] = {&p, &q};
    int8_t wrapped;
    CHECK(tn_reduce_tree(TN_SI8, whole, 2, 1, &wrapped) == TN_OK);
    CHECK(wrapped == -128);
    CHECK(tn_reduce_tree(TN_F32, whole, 0, 1, &wrapped) == TN_ERR_USAGE);
    CHECK(tn_reduce_tree(TN_I1, whole, 2, 1, &wrapped) == TN_ERR_USAGE);
    CHECK(tn_reduce_tree(TN_CF32, whole, 2, 1, &wrapped) == TN_ERR_USAGE);
}

/* ---- order ---- */

static void check_permutation(uint64_t seed, uint64_t epoch, uint64_t n)
{
    bool *seen = calloc(n, 1);
    bool good = seen != NULL;
    for (uint64_t i = 0; good && i < n; i++) {
        const uint64_t x = tn_sample_order(seed, epoch, n, i);
        good = x < n && !seen[x];
        if (good)
            seen[x] = true;
    }
    CHECK(good);
    free(seen);
}

static void test_order(void)
{
    for (uint64_t n = 1; n < 70; n++)
        check_permutation(n, 3, n);
    check_permutation(1, 0, 1797);
    check_permutation(1, 1, 65537);
    CHECK(tn_sample_order(1, 0, 10, 10) == 0);
    CHECK(tn_sample_order(1, 0, UINT64_MAX, 5) < UINT64_MAX);
    uint64_t same = 0;
    for (uint64_t i = 0; i < 1000; i++)
        same += tn_sample_order(1, 0, 1000, i) == tn_sample_order(1, 1, 1000, i);
    CHECK(same < 20); /* two epochs agree by chance only: at one position in the mean */
    CHECK(tn_leaf_seed(1, 2, 3) != tn_leaf_seed(1, 3, 2));
    CHECK(tn_leaf_seed(1, 2, 3) == tn_leaf_seed(1, 2, 3));
}

/* ---- rates ---- */

static void test_rates(void)
{
    CHECK(tn_schedule_rate(TN_SCHEDULE_CONSTANT, 0.5, 7, 10, 0) == 0.5);
    CHECK(tn_schedule_rate(TN_SCHEDULE_CONSTANT, 0.5, 0, 10, 2) == 0.25);
    CHECK(tn_schedule_rate(TN_SCHEDULE_CONSTANT, 0.5, 2, 10, 2) == 0.5);
    CHECK(tn_schedule_rate(TN_SCHEDULE_STEP, 1, 4, 10, 0) == 1);
    CHECK(tn_schedule_rate(TN_SCHEDULE_STEP, 1, 5, 10, 0) == 0.1);
    CHECK(tn_schedule_rate(TN_SCHEDULE_STEP, 1, 8, 10, 0) == 0.01);
    CHECK(tn_schedule_rate(TN_SCHEDULE_COSINE, 1, 0, 10, 0) == 1);
    CHECK(tn_schedule_rate(TN_SCHEDULE_COSINE, 1, 10, 10, 0) == 0);
    const double pi = 3.14159265358979323846;
    bool close = true;
    for (int i = 0; i <= 1000; i++) {
        const double want = (1 + cos(pi * i / 1000)) / 2;
        close = close &&
                fabs(tn_schedule_rate(TN_SCHEDULE_COSINE, 1, (uint64_t)i, 1000, 0) - want) < 1e-15;
    }
    CHECK(close);
}

/* ---- optimisers ---- */

enum { N = 3, STEPS = 5, MOST = 6 };

typedef struct run {
    double weight[N], state[2][N];
} run;

/* Five steps of the program of an optimiser in f64, with the gradient w + 1 at each. */
static bool run_program(tn_context *cx, const tn_optimizer *o, run *r)
{
    tn_module *m;
    tn_program *p = NULL;
    const tn_compile_options ref = {.engine = "ref"};
    if (tn_optimizer_program(cx, o, TN_F64, &m) != TN_OK)
        return false;
    bool ok = tn_program_compile(m, &ref, &p) == TN_OK;
    const size_t n_in = ok ? tn_program_input_count(p) : 0;
    const size_t n_state = ok ? tn_program_output_count(p) - 1 : 0;
    for (int step = 1; ok && step <= STEPS; step++) {
        double gradient[N], rate = 0.1, count = step;
        tn_buffer in[MOST], out[3];
        const tn_type vector = {TN_F64, 1, {N}}, scalar = {TN_F64, 0, {0}};
        for (int i = 0; i < N; i++)
            gradient[i] = r->weight[i] + 1;
        in[0] = (tn_buffer){r->weight, sizeof r->weight, vector};
        in[1] = (tn_buffer){gradient, sizeof gradient, vector};
        in[2] = (tn_buffer){&rate, sizeof rate, scalar};
        in[3] = (tn_buffer){&count, sizeof count, scalar};
        out[0] = in[0];
        for (size_t k = 0; k < n_state; k++) {
            in[n_in - n_state + k] = (tn_buffer){r->state[k], sizeof r->state[k], vector};
            out[1 + k] = in[n_in - n_state + k];
        }
        ok = tn_program_run(p, in, n_in, out, 1 + n_state, NULL) == TN_OK;
    }
    tn_program_free(p);
    tn_module_free(m);
    return ok;
}

static double adam_by_hand(double w, double decay, bool decoupled, double beta1, double beta2)
{
    double mean = 0, square = 0;
    for (int step = 1; step <= STEPS; step++) {
        const double g = w + 1 + (decoupled ? 0 : decay * w);
        if (decoupled)
            w *= 1 - 0.1 * decay;
        mean = beta1 * mean + (1 - beta1) * g;
        square = beta2 * square + (1 - beta2) * g * g;
        w -= 0.1 * (mean / (1 - pow(beta1, step))) / (sqrt(square / (1 - pow(beta2, step))) + 1e-8);
    }
    return w;
}

static double momentum_by_hand(double w, double keep)
{
    double velocity = 0;
    for (int step = 1; step <= STEPS; step++) {
        velocity = keep * velocity + w + 1;
        w -= 0.1 * velocity;
    }
    return w;
}

static void test_optimizers(tn_context *cx)
{
    for (int which = 0; which < 4; which++) {
        static const char *const names[] = {"sgd", "momentum", "adam", "adamw"};
        const double decay = which < 2 ? 0 : 0.01;
        const tn_optimizer o = {.name = names[which], .weight_decay = decay};
        run r = {.weight = {0.5, -2, 3}};
        const run start = r;
        CHECK(run_program(cx, &o, &r));
        for (int i = 0; i < N; i++) {
            const double w = start.weight[i];
            const double want = which == 0   ? momentum_by_hand(w, 0)
                                : which == 1 ? momentum_by_hand(w, 0.9)
                                             : adam_by_hand(w, decay, which == 3, 0.9, 0.999);
            CHECK(fabs(r.weight[i] - want) < 1e-12);
        }
    }
}

/* Settings of 0, which the usual ones do not replace. */
static void test_settings_of_zero(tn_context *cx)
{
    const tn_optimizer none[] = {{.name = "momentum", .momentum = TN_OPTIMIZER_ZERO},
                                 {.name = "sgd", .momentum = TN_OPTIMIZER_ZERO},
                                 {.beta1 = TN_OPTIMIZER_ZERO, .beta2 = 0.99},
                                 {.beta1 = TN_OPTIMIZER_ZERO, .beta2 = TN_OPTIMIZER_ZERO}};
    for (int which = 0; which < 4; which++) {
        run r = {.weight = {0.5, -2, 3}};
        const run start = r;
        CHECK(run_program(cx, &none[which], &r));
        for (int i = 0; i < N; i++) {
            const double w = start.weight[i];
            const double want = which < 2 ? momentum_by_hand(w, 0)
                                          : adam_by_hand(w, 0, false, 0, which == 2 ? 0.99 : 0);
            CHECK(fabs(r.weight[i] - want) < 1e-12);
        }
    }
}

static void test_refused(tn_context *cx)
{
    tn_module *m;
    const tn_optimizer unknown = {.name = "adagrad"}, negative = {.weight_decay = -1},
                       large = {.beta2 = 1}, nan = {.epsilon = (double)NAN},
                       none = {.epsilon = TN_OPTIMIZER_ZERO}, below = {.beta1 = -0.5},
                       keep = {.name = "momentum", .momentum = 2};
    const tn_optimizer unused[] = {{.momentum = 0.5},
                                   {.name = "sgd", .momentum = 0.5},
                                   {.name = "sgd", .beta1 = 0.5},
                                   {.name = "momentum", .beta2 = 0.5},
                                   {.name = "momentum", .epsilon = 1e-6}};
    CHECK(tn_optimizer_program(cx, &unknown, TN_F32, &m) == TN_ERR_USAGE && !m);
    CHECK(tn_optimizer_program(cx, &negative, TN_F32, &m) == TN_ERR_USAGE && !m);
    CHECK(tn_optimizer_program(cx, &large, TN_F32, &m) == TN_ERR_USAGE && !m);
    CHECK(tn_optimizer_program(cx, &nan, TN_F32, &m) == TN_ERR_USAGE && !m);
    CHECK(tn_optimizer_program(cx, &keep, TN_F32, &m) == TN_ERR_USAGE && !m);
    CHECK(tn_optimizer_program(cx, &none, TN_F32, &m) == TN_ERR_USAGE && !m);
    CHECK(tn_optimizer_program(cx, &below, TN_F32, &m) == TN_ERR_USAGE && !m);
    for (size_t k = 0; k < sizeof unused / sizeof *unused; k++)
        CHECK(tn_optimizer_program(cx, &unused[k], TN_F32, &m) == TN_ERR_USAGE && !m);
    CHECK(tn_optimizer_program(cx, NULL, TN_SI32, &m) == TN_ERR_USAGE && !m);
    CHECK(tn_optimizer_program(cx, NULL, TN_BF16, &m) == TN_OK);
    tn_module_free(m);
}

int main(void)
{
    test_tree_order();
    test_tree_long();
    test_tree_types();
    test_order();
    test_rates();
    tn_context *cx = tn_context_new(NULL, NULL);
    test_optimizers(cx);
    test_settings_of_zero(cx);
    test_refused(cx);
    tn_context_free(cx);
    return check_result();
}
