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

/* A convolution with its operands, and what it and its derivatives are. */
typedef struct problem {
    shapes s;
    int64_t ho, wo, strides[2];
    size_t n_x, n_w, n_y;
    float *x, *w, *dy, *y, *dx, *dw;
} problem;

/* Element (N, I, J, K) of X; outside of the image, 0. */
static float x_at(const problem *p, int64_t n, int64_t i, int64_t j, int64_t k)
{
    const shapes *s = &p->s;
    const bool in = i >= 0 && i < s->h && j >= 0 && j < s->w;
    return in ? p->x[((n * s->h + i) * s->w + j) * s->ci + k] : 0.0f;
}

static float w_at(const problem *p, int64_t a, int64_t b, int64_t k, int64_t o)
{
    return p->w[((a * p->s.kw + b) * p->s.ci + k) * p->s.co + o];
}

static float dy_at(const problem *p, int64_t n, int64_t i, int64_t j, int64_t o)
{
    return p->dy[((n * p->ho + i) * p->wo + j) * p->s.co + o];
}

static void define_y(problem *p)
{
    const shapes *s = &p->s;
    size_t at = 0;
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t i = 0; i < p->ho; i++)
            for (int64_t j = 0; j < p->wo; j++)
                for (int64_t o = 0; o < s->co; o++) {
                    const int64_t top = i * s->sh - s->pads[0], left = j * s->sw - s->pads[2];
                    chain c = {0};
                    for (int64_t a = 0; a < s->kh; a++)
                        for (int64_t b = 0; b < s->kw; b++)
                            for (int64_t k = 0; k < s->ci; k++)
                                add(&c, x_at(p, n, top + a, left + b, k), w_at(p, a, b, k, o));
                    p->y[at++] = finish(&c);
                }
}

static void define_dx(problem *p)
{
    const shapes *s = &p->s;
    size_t at = 0;
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t row = 0; row < s->h; row++)
            for (int64_t column = 0; column < s->w; column++)
                for (int64_t k = 0; k < s->ci; k++) {
                    chain c = {0};
                    for (int64_t a = 0; a < s->kh; a++)
                        for (int64_t b = 0; b < s->kw; b++)
                            for (int64_t o = 0; o < s->co; o++)
                                for (int64_t i = 0; i < p->ho; i++)
                                    for (int64_t j = 0; j < p->wo; j++)
                                        if (i * s->sh + a - s->pads[0] == row &&
                                            j * s->sw + b - s->pads[2] == column)
                                            add(&c, dy_at(p, n, i, j, o), w_at(p, a, b, k, o));
                    p->dx[at++] = finish(&c);
                }
}

static void define_dw(problem *p)
{
    const shapes *s = &p->s;
    size_t at = 0;
    for (int64_t a = 0; a < s->kh; a++)
        for (int64_t b = 0; b < s->kw; b++)
            for (int64_t k = 0; k < s->ci; k++)
                for (int64_t o = 0; o < s->co; o++) {
                    const int64_t top = a - s->pads[0], left = b - s->pads[2];
                    chain c = {0};
                    for (int64_t n = 0; n < s->n; n++)
                        for (int64_t i = 0; i < p->ho; i++)
                            for (int64_t j = 0; j < p->wo; j++)
                                add(&c, x_at(p, n, i * s->sh + top, j * s->sw + left, k),
                                    dy_at(p, n, i, j, o));
                    p->dw[at++] = finish(&c);
                }
}

static void attributes(ops_case *t, const problem *p)
{
    ops_case_ints(t, KEY_STRIDES, p->strides, 2);
    ops_case_int(t, KEY_PADDING, p->s.same ? PADDING_SAME : PADDING_CUSTOM);
    if (!p->s.same)
        ops_case_ints(t, KEY_PADS, p->s.pads, 4);
}

static void check_y(const problem *p)
{
    const shapes *s = &p->s;
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, p->x, DIMS(s->n, s->h, s->w, s->ci));
    ops_case_operand(&t, TN_F32, p->w, DIMS(s->kh, s->kw, s->ci, s->co));
    attributes(&t, p);
    if (CHECK(ops_case_run(&t, OP_CONV2D))) {
        CHECK_INT(t.out.type->dims[1], p->ho);
        CHECK_INT(t.out.type->dims[2], p->wo);
        CHECK(same_f32(t.out.data, p->y, p->n_y));
    }
    ops_case_free(&t);
}

static void check_dx(const problem *p)
{
    const shapes *s = &p->s;
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, p->dy, DIMS(s->n, p->ho, p->wo, s->co));
    ops_case_operand(&t, TN_F32, p->w, DIMS(s->kh, s->kw, s->ci, s->co));
    attributes(&t, p);
    ops_case_ints(&t, KEY_INPUT_SHAPE, (const int64_t[]){s->n, s->h, s->w, s->ci}, 4);
    if (CHECK(ops_case_run(&t, OP_CONV2D_GRAD_INPUT)))
        CHECK(same_f32(t.out.data, p->dx, p->n_x));
    ops_case_free(&t);
}

static void check_dw(const problem *p)
{
    const shapes *s = &p->s;
    ops_case t;
    ops_case_init(&t);
    ops_case_operand(&t, TN_F32, p->x, DIMS(s->n, s->h, s->w, s->ci));
    ops_case_operand(&t, TN_F32, p->dy, DIMS(s->n, p->ho, p->wo, s->co));
    attributes(&t, p);
    ops_case_ints(&t, KEY_FILTER_SHAPE, (const int64_t[]){s->kh, s->kw, s->ci, s->co}, 4);
    if (CHECK(ops_case_run(&t, OP_CONV2D_GRAD_FILTER)))
        CHECK(same_f32(t.out.data, p->dw, p->n_w));
    ops_case_free(&t);
}

static void check_conv(shapes s, uint64_t seed)
{
    if (s.same) {
        pads_of_same(s.h, s.kh, s.sh, s.pads);
        pads_of_same(s.w, s.kw, s.sw, s.pads + 2);
    }
    problem p = {.s = s,
                 .ho = extent(s.h, s.kh, s.sh, s.pads[0], s.pads[1]),
                 .wo = extent(s.w, s.kw, s.sw, s.pads[2], s.pads[3]),
                 .strides = {s.sh, s.sw},
                 .n_x = (size_t)(s.n * s.h * s.w * s.ci),
                 .n_w = (size_t)(s.kh * s.kw * s.ci * s.co)};
    p.n_y = (size_t)(s.n * p.ho * p.wo * s.co);
    float *memory = malloc(2 * (p.n_x + p.n_w + p.n_y) * sizeof *memory);
    if (!CHECK(memory))
        return;
    p.x = memory;
    p.dx = p.x + p.n_x;
    p.w = p.dx + p.n_x;
    p.dw = p.w + p.n_w;
    p.y = p.dw + p.n_w;
    p.dy = p.y + p.n_y;
    random_f32(&seed, p.x, p.n_x);
    random_f32(&seed, p.w, p.n_w);
    random_f32(&seed, p.dy, p.n_y);
    p.w[0] = INFINITY; /* times padding: NaN */
    define_y(&p);
    define_dx(&p);
    define_dw(&p);
    check_y(&p);
    check_dx(&p);
    check_dw(&p);
    free(memory);
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
