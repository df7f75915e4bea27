/* Composed forms against plain computations in double.
 *
 * Tolerances. The results are f32 sums of at most 64 terms of size about 1, each with a relative
 * error of 2^-24 and as much again from at most four elementary functions of at most 1 ulp; 2^-24 *
 * (64 + 8) < 5e-6 bounds them. F32 below is twice that. bf16 results are rounded once, to 8 bits:
 * 2^-8 relative, and F32 before that. */
#include "build_fixture.h"

static const double F32 = 1e-5, F64 = 1e-13, BF16 = 0x1p-8 + 1e-5;

static tn_value f32(tn_builder *b, const char *name, tn_ints shape)
{
    return tn_input(b, name, TN_F32, shape);
}

/* Finish with Y, run on IN, and compare N elements with WANT. */
static void expect(bench *t, tn_value y, const double *const *in, const double *want, int64_t n,
                   double tolerance, int line)
{
    double have[512];
    tn_module *m = bench_finish(t, y);
    bool ok =
        m && n <= 512 && bench_run(m, NULL, 0, in, have, n) && near_all(have, want, n, tolerance);
    if (!CHECK(ok))
        printf("    called from line %d\n", line);
    tn_module_free(m);
    bench_close(t);
}
#define EXPECT(t, y, in, want, n, tolerance) expect(&(t), y, in, want, n, tolerance, __LINE__)

/* ---- activations ---------------------------------------------------------------------------- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double silu(double x)
{
    return x / (1 + exp(-x));
}
static double gelu(double x)
{
    return x / 2 * erfc(-x / sqrt(2));
}
static double gelu_tanh(double x)
{
    return x / 2 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

static void activations(void)
{
    static const struct {
        tn_value (*form)(tn_builder *, tn_value);
        double (*plain)(double);
    } cases[] = {{tn_nn_sigmoid, sigmoid},
                 {tn_nn_silu, silu},
                 {tn_nn_gelu, gelu},
                 {tn_nn_gelu_tanh, gelu_tanh}};
    static const struct {
        tn_dtype dtype;
        double tolerance;
    } types[] = {{TN_F32, 1e-5}, {TN_F64, 1e-13}, {TN_BF16, 0x1p-8 + 1e-5}};
    double x[64], want[64];
    const double *in[] = {x};
    fill(x, 64, 1);
    x[0] = 40;
    x[1] = -40;
    x[2] = 0;
    x[3] = -100; /* exp(100) is no f32 */
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            bench t;
            bench_open(&t);
            for (int e = 0; e < 64; e++)
                want[e] = cases[i].plain(x[e]);
            tn_value v = tn_input(t.b, "x", types[k].dtype, TN_INTS(64));
            EXPECT(t, cases[i].form(t.b, v), in, want, 64, types[k].tolerance);
        }
}

/* Slopes, also where exp(-x) is no number. */
static void slopes(void)
{
    tn_value (*const forms[])(tn_builder *, tn_value) = {tn_nn_sigmoid, tn_nn_silu, tn_nn_gelu,
                                                         tn_nn_gelu_tanh};
    const double x[] = {-1e5, -800, 0, 40, 800}, *in[] = {x};
    const double want[][5] = {
        {0, 0, 0.25, 0, 0}, {0, 0, 0.5, 1, 1}, {0, 0, 0.5, 1, 1}, {0, 0, 0.5, 1, 1}};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            static const tn_dtype types[] = {TN_F32, TN_F64, TN_BF16};
            bench t;
            tn_value g;
            bench_open(&t);
            tn_value v = tn_input(t.b, "x", types[k], TN_INTS(5));
            tn_value y = tn_sum(t.b, forms[i](t.b, v), TN_INTS(0), false);
            tn_gradient(t.b, y, tn_no_value(), TN_VALUES(v), &g);
            EXPECT(t, g, in, want[i], 5, 1e-15);
        }
}

/* ---- distributions -------------------------------------------------------------------------- */

/* For N elements STRIDE apart. */
static void plain_softmax(const double *x, double *y, int64_t n, int64_t stride, bool log_of)
{
    double most = -HUGE_VAL, total = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, x[i * stride]);
    for (int64_t i = 0; i < n; i++)
        total += exp(x[i * stride] - most);
    for (int64_t i = 0; i < n; i++) {
        double d = x[i * stride] - most;
        y[i * stride] = log_of ? d - log(total) : exp(d) / total;
    }
}

static void softmax_case(int64_t axis, bool log_of, tn_dtype dtype, double tolerance)
{
    bench t;
    double x[24], want[24];
    const double *in[] = {x};
    fill(x, 24, 2);
    x[5] = 100; /* exp(100) is no f32 */
    if (!log_of)
        x[7] = -HUGE_VAL;
    bench_open(&t);
    for (int64_t i = 0; axis == -1 && i < 6; i++)
        plain_softmax(x + 4 * i, want + 4 * i, 4, 1, log_of);
    for (int64_t o = 0; axis == 1 && o < 2; o++)
        for (int64_t i = 0; i < 4; i++)
            plain_softmax(x + 12 * o + i, want + 12 * o + i, 3, 4, log_of);
    tn_value v = tn_input(t.b, "x", dtype, TN_INTS(2, 3, 4));
    tn_value y = log_of ? tn_nn_log_softmax(t.b, v, axis) : tn_nn_softmax(t.b, v, axis);
    EXPECT(t, y, in, want, 24, tolerance);
}

static void softmax(void)
{
    for (int log_of = 0; log_of < 2; log_of++)
        for (int64_t axis = -1; axis < 2; axis += 2) {
            softmax_case(axis, log_of, TN_F32, F32);
            softmax_case(axis, log_of, TN_F64, F64);
            softmax_case(axis, log_of, TN_BF16, BF16);
        }
}

/* Targets to try the program out on are classes, although it reshapes them before it looks. */
static void random_targets(const tn_module *m)
{
    int32_t at[12] = {0};
    tn_program *p = NULL;
    const tn_compile_options options = {
        .engine = "ref", .bindings = &(tn_binding){"N", 12}, .n_bindings = 1};
    tn_buffer b = {at, sizeof at, {.dtype = TN_SI32, .rank = 1, .dims = {12}}};
    if (!CHECK(m && tn_program_compile(m, &options, &p) == TN_OK))
        return;
    CHECK_INT(tn_program_random_input(p, 1, 7, &b), TN_OK);
    for (int i = 0; i < 12; i++)
        CHECK(at[i] >= 0 && at[i] < 5);
    tn_program_free(p);
}

static void cross_entropy(void)
{
    bench t;
    double x[60], targets[] = {0, 4, 2, 3, 1, 4, 0, 0, 2, 2, 1, 3}, log_p[60], want = 0, have;
    const double *in[] = {x, targets};
    fill(x, 60, 3);
    for (int i = 0; i < 12; i++) {
        plain_softmax(x + 5 * i, log_p + 5 * i, 5, 1, true);
        want -= log_p[5 * i + (int)targets[i]] / 12;
    }
    bench_open(&t);
    tn_value logits = f32(t.b, "logits", TN_INTS(3, 4, 5));
    tn_value ids = tn_input(t.b, "targets", TN_SI64, TN_INTS(3, 4));
    EXPECT(t, tn_nn_cross_entropy(t.b, logits, ids), in, &want, 1, F32);

    bench_open(&t); /* a batch of a size that is known later */
    logits = f32(t.b, "logits", TN_INTS(tn_dim(t.b, "N"), 5));
    ids = tn_input(t.b, "targets", TN_SI32, TN_INTS(tn_dim(t.b, "N")));
    tn_module *m = bench_finish(&t, tn_nn_cross_entropy(t.b, logits, ids));
    tn_binding n = {"N", 12};
    if (m && bench_run(m, &n, 1, in, &have, 1))
        CHECK(near_all(&have, &want, 1, F32));
    random_targets(m);
    tn_module_free(m);
    bench_close(&t);
}

/* ---- normalisation -------------------------------------------------------------------------- */

static void plain_norm(const double *x, const double *gamma, const double *beta, double *y,
                       int64_t n, bool center)
{
    double mean = 0, variance = 0;
    for (int64_t i = 0; center && i < n; i++)
        mean += x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        variance += (x[i] - mean) * (x[i] - mean) / (double)n;
    for (int64_t i = 0; i < n; i++)
        y[i] =
            (x[i] - mean) / sqrt(variance + 1e-5) * (gamma ? gamma[i] : 1) + (beta ? beta[i] : 0);
}

static void norm_case(tn_dtype dtype, bool affine, bool center, double tolerance)
{
    bench t;
    double x[40], gamma[8], beta[8], want[40];
    const double *in[] = {x, gamma, beta};
    fill(x, 40, 4);
    fill(gamma, 8, 5);
    fill(beta, 8, 6);
    for (int i = 0; i < 5; i++)
        plain_norm(x + 8 * i, affine ? gamma : NULL, affine && center ? beta : NULL, want + 8 * i,
                   8, center);
    bench_open(&t);
    tn_value v = tn_input(t.b, "x", dtype, TN_INTS(5, 8)), g = {0, 0}, s = {0, 0};
    if (affine) {
        g = tn_input(t.b, "gamma", dtype, TN_INTS(8));
        s = tn_input(t.b, "beta", dtype, TN_INTS(8));
    }
    tn_value y = center ? tn_nn_layer_norm(t.b, v, g, s, 1e-5) : tn_nn_rms_norm(t.b, v, g, 1e-5);
    EXPECT(t, y, in, want, 40, tolerance);
}

static void normalisation(void)
{
    for (int k = 0; k < 4; k++) {
        norm_case(TN_F32, k & 1, k & 2, F32);
        norm_case(TN_F64, k & 1, k & 2, F64);
        norm_case(TN_BF16, k & 1, k & 2, BF16);
    }
}

/* ---- layers --------------------------------------------------------------------------------- */

static void linear_case(tn_weights layout)
{
    bench t;
    double x[24], w[20], bias[5], want[30];
    const double *in[] = {x, w, bias};
    fill(x, 24, 7);
    fill(w, 20, 8);
    fill(bias, 5, 9);
    for (int r = 0; r < 6; r++)
        for (int o = 0; o < 5; o++) {
            double y = bias[o];
            for (int i = 0; i < 4; i++)
                y += x[4 * r + i] * w[layout == TN_WEIGHTS_IN_OUT ? 5 * i + o : 4 * o + i];
            want[5 * r + o] = y;
        }
    bench_open(&t);
    tn_value vx = f32(t.b, "x", TN_INTS(2, 3, 4));
    tn_value vw = f32(t.b, "w", layout == TN_WEIGHTS_IN_OUT ? TN_INTS(4, 5) : TN_INTS(5, 4));
    tn_value vb = f32(t.b, "bias", TN_INTS(5));
    EXPECT(t, tn_nn_linear(t.b, vx, vw, vb, layout), in, want, 30, F32);
}

static void embedding(void)
{
    bench t;
    double table[12], ids[] = {3, 0, 3, 1}, want[12];
    const double *in[] = {table, ids};
    fill(table, 12, 10);
    for (int i = 0; i < 4; i++)
        memcpy(want + 3 * i, table + 3 * (int)ids[i], 3 * sizeof *want);
    bench_open(&t);
    tn_value rows = f32(t.b, "table", TN_INTS(4, 3));
    tn_value which = tn_input(t.b, "ids", TN_SI32, TN_INTS(2, 2));
    EXPECT(t, tn_nn_embedding(t.b, rows, which), in, want, 12, 0);
}

/* ---- attention ------------------------------------------------------------------------------ */

typedef struct attention_case {
    int64_t b, h, g, s, t, d, e;
    bool causal, mask;
    int64_t first; /* -1: not given */
    double scale;
    tn_dtype dtype;
    double tolerance;
} attention_case;

enum { MOST = 512 };

static void plain_attention(const attention_case *c, const double *q, const double *k,
                            const double *v, const double *mask, double *y)
{
    double scores[64], p[64], scale = c->scale != 0 ? c->scale : 1 / sqrt((double)c->d);
    int64_t first = c->first >= 0 ? c->first : c->t - c->s;
    for (int64_t n = 0; n < c->b * c->h * c->s; n++) {
        int64_t b = n / c->s / c->h, head = n / c->s % c->h, i = n % c->s;
        int64_t group = b * c->g + head / (c->h / c->g);
        for (int64_t j = 0; j < c->t; j++) {
            double dot = 0;
            for (int64_t x = 0; x < c->d; x++)
                dot += q[n * c->d + x] * k[(group * c->t + j) * c->d + x];
            scores[j] = dot * scale + (c->mask ? mask[i * c->t + j] : 0);
            if (c->causal && j > i + first)
                scores[j] = -HUGE_VAL;
        }
        plain_softmax(scores, p, c->t, 1, false);
        for (int64_t x = 0; x < c->e; x++) {
            y[n * c->e + x] = 0;
            for (int64_t j = 0; j < c->t; j++)
                y[n * c->e + x] += p[j] * v[(group * c->t + j) * c->e + x];
        }
    }
}

static void run_attention(const attention_case *c)
{
    bench t;
    double q[MOST], k[MOST], v[MOST], mask[64], first = (double)c->first, want[MOST];
    const double *in[5] = {q, k, v};
    size_t n_in = 3;
    fill(q, MOST, 11);
    fill(k, MOST, 12);
    fill(v, MOST, 13);
    fill(mask, 64, 14);
    bench_open(&t);
    tn_value vq = tn_input(t.b, "q", c->dtype, TN_INTS(c->b, c->h, c->s, c->d));
    tn_value vk = tn_input(t.b, "k", c->dtype, TN_INTS(c->b, c->g, c->t, c->d));
    tn_value vv = tn_input(t.b, "v", c->dtype, TN_INTS(c->b, c->g, c->t, c->e));
    tn_attention o = {.scale = c->scale, .causal = c->causal};
    if (c->mask) {
        o.mask = tn_input(t.b, "mask", c->dtype, TN_INTS(c->s, c->t));
        in[n_in++] = mask;
    }
    if (c->first >= 0) {
        o.first = tn_input(t.b, "first", TN_SI32, TN_INTS());
        in[n_in++] = &first;
    }
    plain_attention(c, q, k, v, mask, want);
    EXPECT(t, tn_nn_attention(t.b, vq, vk, vv, &o), in, want, c->b * c->h * c->s * c->e,
           c->tolerance);
}

static void attention(void)
{
    static const attention_case cases[] = {
        {2, 3, 3, 5, 5, 4, 4, false, false, -1, 0, TN_F32, 1e-5},
        {2, 3, 3, 5, 5, 4, 4, true, false, -1, 0, TN_F32, 1e-5},
        {1, 4, 2, 3, 6, 4, 5, true, false, -1, 0, TN_F32, 1e-5}, /* grouped, last three queries */
        {2, 4, 1, 3, 6, 4, 4, false, true, -1, 0.25, TN_F32, 1e-5},
        {1, 2, 2, 1, 8, 4, 4, true, false, 3, 0, TN_F32, 1e-5}, /* one query at position 3 */
        {1, 2, 1, 2, 8, 4, 4, true, true, 5, 0, TN_F64, 1e-13},
        {1, 2, 1, 4, 4, 4, 4, true, false, -1, 0, TN_BF16, 0x1p-8 + 1e-5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_attention(&cases[i]);
}

/* The same program for prompts of several lengths. */
static void attention_of_symbolic_length(void)
{
    bench t;
    double q[MOST], want[MOST], have[MOST];
    const double *in[] = {q, q, q};
    fill(q, MOST, 15);
    bench_open(&t);
    int64_t s = tn_dim(t.b, "S");
    tn_value vq = f32(t.b, "q", TN_INTS(1, 4, s, 4));
    tn_value vk = f32(t.b, "k", TN_INTS(1, 2, s, 4)), vv = f32(t.b, "v", TN_INTS(1, 2, s, 4));
    tn_attention o = {.causal = true};
    tn_module *m = bench_finish(&t, tn_nn_attention(t.b, vq, vk, vv, &o));
    for (int64_t n = 1; m && n < 8; n += 3) {
        tn_binding length = {"S", n};
        attention_case c = {1, 4, 2, n, n, 4, 4, true, false, -1, 0, TN_F32, F32};
        plain_attention(&c, q, q, q, NULL, want);
        if (bench_run(m, &length, 1, in, have, 16 * n))
            CHECK(near_all(have, want, 16 * n, F32));
    }
    tn_module_free(m);
    bench_close(&t);
}

/* Queries and keys of lengths of their own: the last query sees all keys. */
static void attention_of_symbolic_lengths(void)
{
    static const int64_t lengths[][2] = {{1, 1}, {3, 6}, {1, 7}, {5, 5}};
    bench t;
    double q[MOST], want[MOST], have[MOST];
    const double *in[] = {q, q, q};
    fill(q, MOST, 15);
    bench_open(&t);
    int64_t s = tn_dim(t.b, "S"), keys = tn_dim(t.b, "T");
    tn_value vq = f32(t.b, "q", TN_INTS(1, 4, s, 4));
    tn_value vk = f32(t.b, "k", TN_INTS(1, 2, keys, 4));
    tn_value vv = f32(t.b, "v", TN_INTS(1, 2, keys, 4));
    tn_attention o = {.causal = true};
    tn_module *m = bench_finish(&t, tn_nn_attention(t.b, vq, vk, vv, &o));
    for (size_t i = 0; m && i < sizeof lengths / sizeof lengths[0]; i++) {
        const int64_t n = lengths[i][0], k = lengths[i][1];
        tn_binding sizes[] = {{"S", n}, {"T", k}};
        attention_case c = {1, 4, 2, n, k, 4, 4, true, false, -1, 0, TN_F32, F32};
        plain_attention(&c, q, q, q, NULL, want);
        if (bench_run(m, sizes, 2, in, have, 16 * n))
            CHECK(near_all(have, want, 16 * n, F32));
    }
    tn_module_free(m);
    bench_close(&t);
}

static void rotary_case(tn_rotary_pairs pairs, tn_dtype dtype, double tolerance)
{
    bench t;
    double x[96], want[96];
    const double *in[] = {x};
    fill(x, 96, 16);
    for (int row = 0; row < 12; row++)
        for (int i = 0; i < 4; i++) {
            int one = pairs == TN_ROTARY_HALVES ? i : 2 * i;
            int two = pairs == TN_ROTARY_HALVES ? i + 4 : 2 * i + 1;
            double angle = (row % 6) * pow(10000, -i / 4.0);
            const double *from = x + 8 * row;
            want[8 * row + one] = from[one] * cos(angle) - from[two] * sin(angle);
            want[8 * row + two] = from[two] * cos(angle) + from[one] * sin(angle);
        }
    bench_open(&t);
    tn_value v = tn_input(t.b, "x", dtype, TN_INTS(2, 6, 8));
    tn_rotary angles = tn_nn_rotary_tables(t.b, TN_F64 == dtype ? TN_F64 : TN_F32, 6, 8, 10000);
    EXPECT(t, tn_nn_rotary(t.b, v, angles, pairs), in, want, 96, tolerance);
}

static void rotary(void)
{
    for (int pairs = 0; pairs < 2; pairs++) {
        rotary_case((tn_rotary_pairs)pairs, TN_F32, F32);
        rotary_case((tn_rotary_pairs)pairs, TN_F64, F64);
        rotary_case((tn_rotary_pairs)pairs, TN_BF16, BF16);
    }
}

/* ---- windows -------------------------------------------------------------------------------- */

/* h, w: of the input; the window is 3 x 2, pads top 1, bottom 0, left 2, right 1, strides 2, 1,
 * dilation 1, 2. */
enum { H = 6, W = 5, HO = 3, WO = 6, C = 2, CO = 3 };

/* The element of X under window element (a, b) of place (y, x), or NULL on padding. */
static const double *under(const double *image, int y, int x, int a, int b, int c)
{
    int row = 2 * y + a - 1, column = x + 2 * b - 2;
    bool inside = row >= 0 && row < H && column >= 0 && column < W;
    return inside ? &image[(row * W + column) * C + c] : NULL;
}

static void convolution(void)
{
    bench t;
    double x[H * W * C], w[6 * C * CO], bias[CO], want[HO * WO * CO];
    const double *in[] = {x, w, bias};
    fill(x, H * W * C, 17);
    fill(w, 6 * C * CO, 18);
    fill(bias, CO, 19);
    for (int n = 0; n < HO * WO * CO; n++) {
        int o = n % CO, column = n / CO % WO, row = n / CO / WO;
        want[n] = bias[o];
        for (int k = 0; k < 6 * C; k++) {
            const double *e = under(x, row, column, k / C / 2, k / C % 2, k % C);
            want[n] += e ? *e * w[k * CO + o] : 0;
        }
    }
    bench_open(&t);
    tn_value vx = f32(t.b, "x", TN_INTS(1, H, W, C)), vw = f32(t.b, "w", TN_INTS(3, 2, C, CO));
    tn_value vb = f32(t.b, "bias", TN_INTS(CO));
    tn_sliding s = {0, TN_INTS(2, 1), TN_INTS(1, 2), TN_INTS(1, 0, 2, 1)};
    EXPECT(t, tn_nn_conv2d(t.b, vx, vw, vb, &s), in, want, HO * WO * CO, F32);
}

/* x[1, 2, 5] by w[4, 1, 2] in two groups. */
static void grouped(void)
{
    bench t;
    enum { IN = 5, OUT = 3 };
    double x[2 * IN], w[4 * 2], want[4 * OUT];
    const double *in[] = {x, w};
    fill(x, 2 * IN, 41);
    fill(w, 4 * 2, 42);
    for (int n = 0; n < 4 * OUT; n++) {
        int channel = n / OUT, first = n % OUT * 2 - 1;
        want[n] = 0;
        for (int k = 0; k < 2; k++) {
            int at = first + 2 * k;
            if (at >= 0 && at < IN)
                want[n] += x[channel / 2 * IN + at] * w[channel * 2 + k];
        }
    }
    bench_open(&t);
    tn_value vx = f32(t.b, "x", TN_INTS(1, 2, IN)), vw = f32(t.b, "w", TN_INTS(4, 1, 2));
    const tn_convolved how = {
        .strides = TN_INTS(2), .pads = TN_INTS(1, 1), .dilation = TN_INTS(2), .groups = 2};
    EXPECT(t, tn_convolution(t.b, vx, vw, &how, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT), in, want,
           4 * OUT, F32);
}

/* Images are joined along axis AXIS, of channels or of images and counted from the last one,
 * between convolutions that hold channels last. */
static void joined_images(int64_t axis)
{
    bench t;
    enum { CHANNELS = 8, AREA = 16 };
    const int from = axis == -3 ? 2 * CHANNELS : CHANNELS, images = axis == -3 ? 1 : 2;
    double x[AREA], w[CHANNELS], v[CHANNELS * 2 * CHANNELS], want[2 * CHANNELS];
    const double *in[] = {x, w, v};
    fill(x, AREA, 43);
    fill(w, CHANNELS, 44);
    fill(v, CHANNELS * 2 * CHANNELS, 45);
    for (int n = 0; n < images * CHANNELS; n++) {
        want[n] = -HUGE_VAL;
        for (int i = 0; i < AREA; i++) {
            double z = 0;
            for (int k = 0; k < from; k++)
                z += v[n % CHANNELS * from + k] * x[i] * w[k % CHANNELS] *
                     (k < CHANNELS && n < CHANNELS ? 1 : -1);
            want[n] = fmax(want[n], z);
        }
    }
    bench_open(&t);
    const tn_value vx = f32(t.b, "x", TN_INTS(1, 1, 4, 4)), vw = f32(t.b, "w", TN_INTS(8, 1, 1, 1));
    const tn_value vv = f32(t.b, "v", TN_INTS(8, from, 1, 1));
    const tn_value y = tn_convolution(t.b, vx, vw, NULL, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
    const tn_value all = tn_concat(t.b, TN_VALUES(y, tn_neg(t.b, y)), axis);
    const tn_value z = tn_convolution(t.b, all, vv, NULL, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
    const int64_t n = images * CHANNELS;
    EXPECT(t, tn_reduce_max(t.b, z, TN_INTS(2, 3), false), in, want, n, F32);
}

static void pooling(void)
{
    double x[H * W * C], want[3][HO * WO * C];
    const double *in[] = {x};
    fill(x, H * W * C, 20);
    for (int n = 0; n < HO * WO * C; n++) {
        double most = -HUGE_VAL, total = 0, count = 0;
        for (int k = 0; k < 6; k++) {
            const double *e = under(x, n / C / WO, n / C % WO, k / 2, k % 2, n % C);
            most = e ? fmax(most, *e) : most;
            total += e ? *e : 0;
            count += e != NULL;
        }
        want[0][n] = most;
        want[1][n] = total / 6;
        want[2][n] = total / count;
    }
    tn_sliding s = {0, TN_INTS(2, 1), TN_INTS(1, 2), TN_INTS(1, 0, 2, 1)};
    for (int how = 0; how < 3; how++) {
        bench t;
        bench_open(&t);
        tn_value v = f32(t.b, "x", TN_INTS(1, H, W, C));
        tn_value y = how == 0 ? tn_nn_max_pool(t.b, v, TN_INTS(3, 2), &s)
                              : tn_nn_avg_pool(t.b, v, TN_INTS(3, 2), &s, how == 1);
        EXPECT(t, y, in, want[how], HO * WO * C, F32);
    }
}

/* ---- faults --------------------------------------------------------------------------------- */

static tn_value three_heads(tn_builder *b, tn_value x)
{
    tn_value q = tn_broadcast(b, x, TN_INTS(1, 3, 4, 4));
    tn_value k = tn_broadcast(b, x, TN_INTS(1, 2, 4, 4));
    return tn_nn_attention(b, q, k, k, NULL);
}
static tn_value later_queries(tn_builder *b, tn_value x)
{
    tn_attention causal = {.causal = true};
    tn_value k = tn_slice_axis(b, x, 2, 0, 3);
    return tn_nn_attention(b, x, k, k, &causal);
}
static tn_value integers(tn_builder *b, tn_value x)
{
    return tn_nn_softmax(b, tn_cast(b, x, TN_SI32), -1);
}
static tn_value vector_weights(tn_builder *b, tn_value x)
{
    return tn_nn_linear(b, x, tn_splat(b, TN_F32, TN_INTS(4), 1), tn_no_value(), TN_WEIGHTS_IN_OUT);
}
static tn_value other_channels(tn_builder *b, tn_value x)
{
    return tn_nn_conv2d(b, x, tn_splat(b, TN_F32, TN_INTS(1, 1, 3, 2), 1), tn_no_value(), NULL);
}
static tn_value odd_list(tn_builder *b, tn_value x)
{
    tn_sliding s = {.strides = TN_INTS(1, 2, 3)};
    return tn_nn_max_pool(b, x, TN_INTS(1, 1), &s);
}
static tn_value odd_width(tn_builder *b, tn_value x)
{
    return tn_nn_rotary(b, tn_slice_axis(b, x, 3, 0, 3),
                        tn_nn_rotary_tables(b, TN_F32, 4, 4, 10000), TN_ROTARY_HALVES);
}
static tn_value endless_table(tn_builder *b, tn_value x)
{
    tn_rotary r = tn_nn_rotary_tables(b, TN_F32, INT64_MAX, 4, 10000);
    return tn_nn_rotary(b, x, r, TN_ROTARY_HALVES);
}
static tn_value flat_targets(tn_builder *b, tn_value x)
{
    return tn_nn_cross_entropy(b, x, tn_splat(b, TN_SI32, TN_INTS(4), 0));
}

static void faults_are_reported(void)
{
    static const struct {
        tn_value (*build)(tn_builder *, tn_value);
        const char *kind;
    } cases[] = {{three_heads, "DimensionMismatch"},  {later_queries, "CannotInfer"},
                 {integers, "DTypeNotSupported"},     {vector_weights, "RankMismatch"},
                 {other_channels, "ChannelMismatch"}, {odd_list, "InvalidAttribute"},
                 {odd_width, "InvalidDimension"},     {endless_table, "InvalidAttribute"},
                 {flat_targets, "RankMismatch"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench t;
        tn_module *m;
        bench_open(&t);
        tn_value y = cases[i].build(t.b, f32(t.b, "x", TN_INTS(1, 1, 4, 4)));
        CHECK(tn_builder_finish(t.b, &y, 1, &m) == TN_ERR_REJECTED && !m);
        t.b = NULL;
        CHECK_INT(t.said.n, 1);
        if (!CHECK_TEXT(t.said.kind, cases[i].kind))
            printf("    case %zu: %s\n", i, t.said.message);
        bench_close(&t);
    }
}

int main(void)
{
    activations();
    slopes();
    softmax();
    cross_entropy();
    normalisation();
    linear_case(TN_WEIGHTS_IN_OUT);
    linear_case(TN_WEIGHTS_OUT_IN);
    embedding();
    attention();
    attention_of_symbolic_length();
    attention_of_symbolic_lengths();
    rotary();
    convolution();
    grouped();
    joined_images(-3);
    joined_images(-4);
    pooling();
    faults_are_reported();
    return check_result();
}
