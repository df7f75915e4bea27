/* 2-D convolution of x[n, h, w, ci] with w[kh, kw, ci, co], and its two derivatives. */
#include <inttypes.h>
#include <string.h>

#include "base/memory/checked.h"
#include "eval/kernels/kernels.h"
#include "eval/parts/chain.h"
#include "eval/parts/pieces.h"
#include "ops/rules/rules.h"

enum {
    PIXEL_TILE = 64,            /* results' pixels gathered at once */
    PATCH_ELEMENTS = 256 * 1024 /* but not more than so many elements, if there is a choice */
};

/* What the kernels share. `size` is that of an element as the chains see it, dtype `sum`. */
typedef struct conv {
    conv_geometry g;
    tn_dtype dtype, sum;
    size_t stored, size;
    const eval_call *call;
} conv;

static conv conv_of(const eval_call *call, const dim *input, const dim *filter)
{
    conv c = {.dtype = call->out->type->dtype, .call = call};
    c.sum = accumulator_of(c.dtype);
    c.stored = dtype_bytes(c.dtype);
    c.size = dtype_bytes(c.sum);
    (void)resolve_conv(call->attrs, input, filter, &c.g);
    return c;
}

/* N elements of scratch; NULL without memory. */
static char *scratch(const conv *c, size_t n)
{
    size_t bytes;
    return mul_size(n, c->size, &bytes) ? arena_alloc_aligned(c->call->scratch, bytes, 64) : NULL;
}

/* An operand as the chains see it. */
static tn_status operand(const conv *c, const tensor *t, const char **out)
{
    const size_t n = (size_t)t->type->count;
    *out = n > 0 ? t->data : ""; /* `data` may be NULL elsewhere, but not here */
    if (n == 0 || c->sum == c->dtype)
        return TN_OK;
    char *wide = scratch(c, n);
    *out = wide;
    return wide ? eval_widen(c->call, c->dtype, t->data, wide, n) : eval_no_memory(c->call);
}

/* Results at TOTAL, N of them, to OUT (which may be the same place): rounded once, or wrapped. */
static void store(const conv *c, const char *total, char *out, size_t n)
{
    if (c->sum != c->dtype || dtype_table[c->dtype].bits < 8)
        dtype_narrow(c->dtype, total, out, n);
}

/* Element offset of pixel (Y, X) of image N of a tensor with H rows, W columns, DEPTH channels. */
static size_t pixel(int64_t n, int64_t y, int64_t x, int64_t h, int64_t w, int64_t depth)
{
    return (size_t)(((n * h + y) * w + x) * depth);
}

static bool inside(int64_t v, int64_t extent)
{
    return v >= 0 && v < extent;
}

/* Convolution: every pixel of the result is a row of products (kh, kw, ci) with the filter as a
 * matrix. Where the window reaches over the edge the input counts as +0. */

/* The window that result pixel P sees, to PATCH. */
static void gather_patch(const conv *c, const char *x, int64_t p, char *patch)
{
    const conv_geometry *g = &c->g;
    const int64_t ox = p % g->wo, oy = p / g->wo % g->ho, n = p / g->wo / g->ho;
    const size_t bytes = (size_t)g->ci * c->size;
    for (int64_t a = 0; a < g->kh; a++)
        for (int64_t b = 0; b < g->kw; b++, patch += bytes) {
            const int64_t iy = oy * g->stride_h + a - g->top, ix = ox * g->stride_w + b - g->left;
            if (inside(iy, g->h) && inside(ix, g->w))
                memcpy(patch, x + pixel(n, iy, ix, g->h, g->w, g->ci) * c->size, bytes);
            else
                memset(patch, 0, bytes);
        }
}

typedef struct patches {
    const char *patch, *filter;
    size_t size, filter_row;
} patches;

static void patch_rows(const contraction *c, int64_t start, size_t n_k, const void **a,
                       const void **b)
{
    const patches *p = c->user;
    for (size_t k = 0; k < n_k; k++) {
        a[k] = p->patch + ((size_t)start + k) * p->size;
        b[k] = p->filter + ((size_t)start + k) * p->filter_row;
    }
}

tn_status eval_conv2d(eval_call *call)
{
    const conv c = conv_of(call, call->in[0].type->dims, call->in[1].type->dims);
    const int64_t pixels = c.g.n * c.g.ho * c.g.wo;
    if (call->out->type->count == 0)
        return TN_OK;

    const size_t co = (size_t)c.g.co, k = (size_t)(c.g.kh * c.g.kw * c.g.ci);
    size_t tile = k ? PATCH_ELEMENTS / k : PIXEL_TILE;
    tile = tile < 1 ? 1 : tile > PIXEL_TILE ? PIXEL_TILE : tile;
    const char *x, *w;
    TN_TRY(operand(&c, &call->in[0], &x));
    TN_TRY(operand(&c, &call->in[1], &w));
    char *patch = scratch(&c, tile * k), *total = scratch(&c, tile * co), *out = call->out->data;
    if (!x || !w || !patch || !total)
        return eval_no_memory(call);

    const patches rows = {patch, w, c.size, co * c.size};
    const contraction product = {.dtype = c.sum,
                                 .k = (int64_t)k,
                                 .a_step = (int64_t)k,
                                 .rows = patch_rows,
                                 .user = &rows,
                                 .call = call};
    for (int64_t p = 0; p < pixels; p += (int64_t)tile) {
        const size_t n = pixels - p < (int64_t)tile ? (size_t)(pixels - p) : tile;
        char *to = out + (size_t)p * co * c.stored, *sums = c.sum == c.dtype ? to : total;
        for (size_t i = 0; i < n; i++)
            gather_patch(&c, x, p + (int64_t)i, patch + i * k * c.size);
        TN_TRY(contract(&product, n, co, sums, co));
        store(&c, sums, to, n * co);
    }
    return TN_OK;
}

/* Derivative by the input: for one input pixel, the products (kh, kw, co) over the taps that meet
 * a pixel of the result there; the others take no part. */

typedef struct tap {
    const char *dy;     /* the result pixel, co elements */
    const char *filter; /* co rows of ci elements */
} tap;

typedef struct taps {
    const tap *at;
    size_t co, size, filter_row;
} taps;

static void tap_rows(const contraction *c, int64_t start, size_t n_k, const void **a,
                     const void **b)
{
    const taps *t = c->user;
    size_t which = (size_t)start / t->co, o = (size_t)start % t->co;
    for (size_t k = 0; k < n_k; k++) {
        a[k] = t->at[which].dy + o * t->size;
        b[k] = t->at[which].filter + o * t->filter_row;
        if (++o == t->co) {
            o = 0;
            which++;
        }
    }
}

/* Filter [kh, kw, ci, co] as [kh, kw, co, ci]. */
static void transpose_filter(const conv *c, const char *w, char *transposed)
{
    const size_t ci = (size_t)c->g.ci, co = (size_t)c->g.co;
    const size_t n_taps = (size_t)(c->g.kh * c->g.kw);
    for (size_t t = 0; t < n_taps; t++)
        for (size_t i = 0; i < ci; i++)
            for (size_t o = 0; o < co; o++)
                memcpy(transposed + ((t * co + o) * ci + i) * c->size,
                       w + ((t * ci + i) * co + o) * c->size, c->size);
}

/* The result row (or column) whose window has tap A at input row V; -1 when there is none. */
static int64_t meets(int64_t v, int64_t low, int64_t a, int64_t stride, int64_t results)
{
    const int64_t at = v + low - a;
    return at >= 0 && at % stride == 0 && at / stride < results ? at / stride : -1;
}

static size_t find_taps(const conv *c, int64_t n, int64_t y, int64_t x, const char *dy,
                        const char *transposed, tap *list)
{
    const conv_geometry *g = &c->g;
    const size_t per_tap = (size_t)(g->co * g->ci) * c->size;
    size_t found = 0;
    for (int64_t a = 0; a < g->kh; a++) {
        const int64_t oy = meets(y, g->top, a, g->stride_h, g->ho);
        for (int64_t b = 0; oy >= 0 && b < g->kw; b++) {
            const int64_t ox = meets(x, g->left, b, g->stride_w, g->wo);
            if (ox >= 0)
                list[found++] = (tap){dy + pixel(n, oy, ox, g->ho, g->wo, g->co) * c->size,
                                      transposed + (size_t)(a * g->kw + b) * per_tap};
        }
    }
    return found;
}

tn_status eval_conv2d_grad_input(eval_call *call)
{
    const type *out = call->out->type;
    const conv c = conv_of(call, out->dims, call->in[1].type->dims);
    const conv_geometry *g = &c.g;
    if (out->count == 0)
        return TN_OK;

    const size_t ci = (size_t)g->ci;
    const char *dy, *w;
    TN_TRY(operand(&c, &call->in[0], &dy));
    TN_TRY(operand(&c, &call->in[1], &w));
    char *transposed = scratch(&c, (size_t)call->in[1].type->count), *total = scratch(&c, ci);
    /* Without channels there is nothing to add, so no taps are listed. */
    tap *list =
        ARENA_ARRAY(call->scratch, tap, call->in[1].type->count ? (size_t)(g->kh * g->kw) : 0);
    if (!dy || !w || !transposed || !total || !list)
        return eval_no_memory(call);
    if (call->in[1].type->count > 0)
        transpose_filter(&c, w, transposed);

    taps rows = {list, (size_t)g->co, c.size, ci * c.size};
    contraction product = {.dtype = c.sum, .rows = tap_rows, .user = &rows, .call = call};
    char *to = call->out->data;
    for (int64_t n = 0; n < g->n; n++)
        for (int64_t y = 0; y < g->h; y++)
            for (int64_t x = 0; x < g->w; x++, to += ci * c.stored) {
                char *sums = c.sum == c.dtype ? to : total;
                product.k = 0;
                if (call->in[1].type->count > 0) {
                    TN_TRY(eval_tick(call, (uint64_t)(g->kh * g->kw)));
                    product.k = (int64_t)find_taps(&c, n, y, x, dy, transposed, list) * g->co;
                }
                TN_TRY(contract(&product, 1, ci, sums, ci));
                store(&c, sums, to, ci);
            }
    return TN_OK;
}

/* Derivative by the filter: for one tap, the products over all result pixels (n, oy, ox). Where the
 * tap lies over the edge the input counts as +0, as in the convolution. */

typedef struct tap_pixels {
    const conv *c;
    const char *x, *dy, *zeros;
    int64_t a, b; /* the tap */
} tap_pixels;

static void pixel_rows(const contraction *c, int64_t start, size_t n_k, const void **a,
                       const void **b)
{
    const tap_pixels *t = c->user;
    const conv_geometry *g = &t->c->g;
    const size_t size = t->c->size;
    for (size_t k = 0; k < n_k; k++) {
        const int64_t p = start + (int64_t)k;
        const int64_t ox = p % g->wo, oy = p / g->wo % g->ho, n = p / g->wo / g->ho;
        const int64_t iy = oy * g->stride_h + t->a - g->top;
        const int64_t ix = ox * g->stride_w + t->b - g->left;
        a[k] = t->zeros;
        if (inside(iy, g->h) && inside(ix, g->w))
            a[k] = t->x + pixel(n, iy, ix, g->h, g->w, g->ci) * size;
        b[k] = t->dy + (size_t)(p * g->co) * size;
    }
}

tn_status eval_conv2d_grad_filter(eval_call *call)
{
    const type *out = call->out->type;
    const conv c = conv_of(call, call->in[0].type->dims, out->dims);
    const conv_geometry *g = &c.g;
    if (out->count == 0)
        return TN_OK;

    const size_t ci = (size_t)g->ci, co = (size_t)g->co;
    const char *x, *dy;
    TN_TRY(operand(&c, &call->in[0], &x));
    TN_TRY(operand(&c, &call->in[1], &dy));
    char *zeros = scratch(&c, ci), *total = scratch(&c, ci * co), *to = call->out->data;
    if (!x || !dy || !zeros || !total)
        return eval_no_memory(call);
    memset(zeros, 0, ci * c.size);

    tap_pixels rows = {&c, x, dy, zeros, 0, 0};
    const contraction product = {.dtype = c.sum,
                                 .k = g->n * g->ho * g->wo,
                                 .a_step = 1,
                                 .rows = pixel_rows,
                                 .user = &rows,
                                 .call = call};
    for (rows.a = 0; rows.a < g->kh; rows.a++)
        for (rows.b = 0; rows.b < g->kw; rows.b++, to += ci * co * c.stored) {
            char *sums = c.sum == c.dtype ? to : total;
            TN_TRY(contract(&product, ci, co, sums, co));
            store(&c, sums, to, ci * co);
        }
    return TN_OK;
}
