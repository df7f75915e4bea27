/* Convolution and its derivatives against their definitions, one product at a time. */
#include <math.h>

#include "ops_case.h"

/* A chain that grows product by product, in blocks of CONTRACT_BLOCK. */
typedef struct chain {
    float total, block;
    size_t n;
} chain;

static void add(chain *c, float a, float b)
{
    if (c->n > 0 && c->n % CONTRACT_BLOCK == 0) {
        c->total = c->n == CONTRACT_BLOCK ? c->block : c->total + c->block;
        c->block = 0;
    }
    c->block = fmaf(a, b, c->block);
    c->n++;
}

static float finish(const chain *c)
{
    return c->n <= CONTRACT_BLOCK ? c->block : c->total + c->block;
}

typedef struct shapes {
    int64_t n, h, w, ci, kh, kw, co, sh, sw, pads[4]; /* top, bottom, left, right */
    bool same;
} shapes;

static int64_t extent(int64_t in, int64_t k, int64_t stride, int64_t low, int64_t high)
{
    return (in + low + high - k) / stride + 1;
}

static void pads_of_same(int64_t in, int64_t k, int64_t stride, int64_t *pads)
{
    int64_t total = ((in + stride - 1) / stride - 1) * stride + k - in;
    if (total < 0)
        total = 0;
    pads[0] = total / 2;
    pads[1] = total - total / 2;
}

static void attributes(ops_case *t, const shapes *s, const int64_t *strides)
{
    ops_case_ints(t, KEY_STRIDES, strides, 2);
    ops_case_int(t, KEY_PADDING, s->same ? PADDING_SAME : PADDING_CUSTOM);
    if (!s->same)
        ops_case_ints(t, KEY_PADS, s->pads, 4);
}

static void check_conv(shapes s, uint64_t seed)
{
    if (s.same) {
        pads_of_same(s.h, s.kh, s.sh, s.pads);
        pads_of_same(s.w, s.kw, s.sw, s.pads + 2);
    }
    const int64_t ho = extent(s.h, s.kh, s.sh, s.pads[0], s.pads[1]);
    const int64_t wo = extent(s.w, s.kw, s.sw, s.pads[2], s.pads[3]);
    const size_t n_x = (size_t)(s.n * s.h * s.w * s.ci), n_w = (size_t)(s.kh * s.kw * s.ci * s.co);
    const size_t n_y = (size_t)(s.n * ho * wo * s.co);
    float *x = malloc(n_x * 4 + 4), *w = malloc(n_w * 4 + 4), *dy = malloc(n_y * 4 + 4);
    float *y = malloc(n_y * 4 + 4), *dx = malloc(n_x * 4 + 4), *dw = malloc(n_w * 4 + 4);
    const int64_t strides[] = {s.sh, s.sw};
    if (!CHECK(x && w && dy && y && dx && dw))
        return;
    random_f32(&seed, x, n_x);
    random_f32(&seed, w, n_w);
    random_f32(&seed, dy, n_y);
    w[0] = INFINITY; /* times padding: NaN */

#define X(n, i, j, c) x[(((n)*s.h + (i)) * s.w + (j)) * s.ci + (c)]
#define W(a, b, c, o) w[(((a)*s.kw + (b)) * s.ci + (c)) * s.co + (o)]
#define DY(n, i, j, o) dy[(((n)*ho + (i)) * wo + (j)) * s.co + (o)]
    size_t at = 0;
    for (int64_t n = 0; n < s.n; n++)
        for (int64_t i = 0; i < ho; i++)
            for (int64_t j = 0; j < wo; j++)
                for (int64_t o = 0; o < s.co; o++) {
                    chain c = {0};
                    for (int64_t a = 0; a < s.kh; a++)
                        for (int64_t b = 0; b < s.kw; b++)
                            for (int64_t k = 0; k < s.ci; k++) {
                                const int64_t p = i * s.sh + a - s.pads[0];
                                const int64_t q = j * s.sw + b - s.pads[2];
                                const bool in = p >= 0 && p < s.h && q >= 0 && q < s.w;
                                add(&c, in ? X(n, p, q, k) : 0.0f, W(a, b, k, o));
                            }
                    y[at++] = finish(&c);
                }
    at = 0;
    for (int64_t n = 0; n < s.n; n++)
        for (int64_t p = 0; p < s.h; p++)
            for (int64_t q = 0; q < s.w; q++)
                for (int64_t k = 0; k < s.ci; k++) {
                    chain c = {0};
                    for (int64_t a = 0; a < s.kh; a++)
                        for (int64_t b = 0; b < s.kw; b++)
                            for (int64_t o = 0; o < s.co; o++)
                                for (int64_t i = 0; i < ho; i++)
                                    for (int64_t j = 0; j < wo; j++)
                                        if (i * s.sh + a - s.pads[0] == p &&
                                            j * s.sw + b - s.pads[2] == q)
                                            add(&c, DY(n, i, j, o), W(a, b, k, o));
                    dx[at++] = finish(&c);
                }
    at = 0;
    for (int64_t a = 0; a < s.kh; a++)
        for (int64_t b = 0; b < s.kw; b++)
            for (int64_t k = 0; k < s.ci; k++)
                for (int64_t o = 0; o < s.co; o++) {
                    chain c = {0};
                    for (int64_t n = 0; n < s.n; n++)
                        for (int64_t i = 0; i < ho; i++)
                            for (int64_t j = 0; j < wo; j++) {
                                const int64_t p = i * s.sh + a - s.pads[0];
                                const int64_t q = j * s.sw + b - s.pads[2];
                                const bool in = p >= 0 && p < s.h && q >= 0 && q < s.w;
                                add(&c, in ? X(n, p, q, k) : 0.0f, DY(n, i, j, o));
                            }
                    dw[at++] = finish(&c);
                }

    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS(s.n, s.h, s.w, s.ci));
    ops_case_operand(&t, TN_F32, w, DIMS(s.kh, s.kw, s.ci, s.co));
    attributes(&t, &s, strides);
    if (CHECK(ops_case_run(&t, OP_CONV2D))) {
        CHECK_INT(t.out.type->dims[1], ho);
        CHECK_INT(t.out.type->dims[2], wo);
        CHECK(same_f32(t.out.data, y, n_y));
    }
    ops_case_free(&t);

    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, dy, DIMS(s.n, ho, wo, s.co));
    ops_case_operand(&t, TN_F32, w, DIMS(s.kh, s.kw, s.ci, s.co));
    attributes(&t, &s, strides);
    ops_case_ints(&t, KEY_INPUT_SHAPE, (const int64_t[]){s.n, s.h, s.w, s.ci}, 4);
    if (CHECK(ops_case_run(&t, OP_CONV2D_GRAD_INPUT)))
        CHECK(same_f32(t.out.data, dx, n_x));
    ops_case_free(&t);

    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, x, DIMS(s.n, s.h, s.w, s.ci));
    ops_case_operand(&t, TN_F32, dy, DIMS(s.n, ho, wo, s.co));
    attributes(&t, &s, strides);
    ops_case_ints(&t, KEY_FILTER_SHAPE, (const int64_t[]){s.kh, s.kw, s.ci, s.co}, 4);
    if (CHECK(ops_case_run(&t, OP_CONV2D_GRAD_FILTER)))
        CHECK(same_f32(t.out.data, dw, n_w));
    ops_case_free(&t);
    free(x);
    free(w);
    free(dy);
    free(y);
    free(dx);
    free(dw);
}

static void test_values(void)
{
    const shapes list[] = {
        {1, 5, 6, 2, 3, 3, 4, 1, 1, {0, 0, 0, 0}, false},
        {2, 5, 5, 3, 3, 2, 5, 1, 1, {0}, true},
        {1, 7, 8, 1, 4, 3, 9, 2, 3, {0}, true},
        {1, 6, 4, 33, 3, 3, 2, 2, 1, {1, 2, 0, 3}, false}, /* more than one block of products */
        {3, 9, 9, 2, 1, 1, 3, 2, 2, {0}, true},
        {1, 2, 2, 1, 5, 5, 1, 1, 1, {2, 2, 2, 2}, false},
        {2, 12, 12, 1, 3, 3, 1, 1, 1, {0}, true}, /* 288 result pixels */
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        check_conv(list[i], i);
}

static void rejects(const int64_t *strides, uint32_t n_strides, int64_t mode, const int64_t *pads,
                    uint32_t n_pads, const dim *filter, const char *kind)
{
    static const float zeros[512];
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, zeros, DIMS(1, 4, 4, 2));
    ops_case_operand(&t, TN_F32, zeros, filter, 4);
    ops_case_ints(&t, KEY_STRIDES, strides, n_strides);
    ops_case_int(&t, KEY_PADDING, mode);
    if (pads)
        ops_case_ints(&t, KEY_PADS, pads, n_pads);
    CHECK(!ops_case_run(&t, OP_CONV2D));
    CHECK_TEXT(t.kind, kind);
    ops_case_free(&t);
}

static void test_rejections(void)
{
    const int64_t one[] = {1, 1}, zero[] = {1, 0}, low[] = {INT64_MIN, 1};
    const int64_t negative[] = {0, 0, 0, -1}, some[] = {1, 1, 1, 1};
    const int64_t huge[] = {INT64_MAX, INT64_MAX, 0, 0};
    rejects(one, 2, PADDING_VALID, NULL, 0, (const dim[]){3, 3, 3, 1}, "ChannelMismatch");
    rejects(zero, 2, PADDING_VALID, NULL, 0, (const dim[]){3, 3, 2, 1}, "InvalidStrides");
    rejects(low, 2, PADDING_VALID, NULL, 0, (const dim[]){3, 3, 2, 1}, "InvalidStrides");
    rejects(one, 1, PADDING_VALID, NULL, 0, (const dim[]){3, 3, 2, 1}, "InvalidStrides");
    rejects(one, 2, PADDING_CUSTOM, negative, 4, (const dim[]){3, 3, 2, 1}, "InvalidPadding");
    rejects(one, 2, PADDING_CUSTOM, some, 3, (const dim[]){3, 3, 2, 1}, "InvalidPadding");
    rejects(one, 2, PADDING_CUSTOM, huge, 4, (const dim[]){3, 3, 2, 1}, "InvalidPadding");
    rejects(one, 2, PADDING_VALID, some, 4, (const dim[]){3, 3, 2, 1}, "InvalidPadding");
    rejects(one, 2, PADDING_VALID, NULL, 0, (const dim[]){5, 3, 2, 1}, "InvalidDimension");
}

int main(void)
{
    test_values();
    test_rejections();
    return check_result();
}
