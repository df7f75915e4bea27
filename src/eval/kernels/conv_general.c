/* Convolution over any number of axes: for every group of channels and every position of the
 * result, the products of the window that it sees with the filter as a matrix. */
#include "ops/convolution.h"

#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/chain.h"
#include "eval/parts/pieces.h"
#include "eval/parts/scratch.h"
#include "eval/parts/sums.h"
#include "eval/parts/view.h"

enum {
    TILE = 64,                  /* positions gathered at once */
    PATCH_ELEMENTS = 256 * 1024 /* but not more than so many elements, if there is a choice */
};

enum { ALL_AXES = 2 + CONVOLUTION_SPATIAL };

/* One convolution. Strides are in elements, by place in the lists of axes. */
typedef struct work {
    const eval_call *call;
    convolution c;
    tn_dtype form;
    size_t size;                         /* of an element as the chains see it */
    int64_t images, channels, to;        /* of one group */
    int64_t input[CONVOLUTION_SPATIAL];  /* extents */
    int64_t window[CONVOLUTION_SPATIAL]; /* of the filter */
    int64_t places[CONVOLUTION_SPATIAL]; /* of the result */
    int64_t x[ALL_AXES], w[ALL_AXES], y[ALL_AXES];
    int64_t taps, all_places;
    const char *input_data;
    char *filter; /* of one group: [tap][channel][output channel] */
    char *patch;  /* positions x taps x channels */
    int64_t *tap; /* the taps of the windows in `patch` */
    sums s;
    char *done; /* results of one tile */
} work;

static void strides_of(const type *t, const uint32_t *axes, int64_t *out)
{
    int64_t own[TN_MAX_RANK];
    type_strides(t, own);
    for (uint32_t i = 0; i < t->rank; i++)
        out[i] = own[axes[i]];
}

static void work_init(work *k, const eval_call *call)
{
    const type *x = call->in[0].type, *w = call->in[1].type, *y = call->out->type;
    *k = (work){.call = call, .c = convolution_of_attrs(call->attrs, x->rank)};
    const convolution *c = &k->c;
    k->form =
        dtype_compute((tn_dtype)attr_int(call->attrs, KEY_ACCUM_DTYPE, accumulator_of(x->dtype)));
    k->size = dtype_bytes(k->form);
    k->images = y->dims[c->out[CONVOLUTION_BATCH]];
    k->channels = w->dims[c->rhs[CONVOLUTION_FROM]];
    k->to = w->dims[c->rhs[CONVOLUTION_TO]] / (c->groups * c->batch_groups);
    k->taps = k->all_places = 1;
    for (uint32_t i = 0; i < c->spatial; i++) {
        const uint32_t own = CONVOLUTION_FIRST + i;
        k->input[i] = x->dims[c->lhs[own]];
        k->window[i] = w->dims[c->rhs[own]];
        k->places[i] = y->dims[c->out[own]];
        k->taps *= k->window[i];
        k->all_places *= k->places[i];
    }
    strides_of(x, c->lhs, k->x);
    strides_of(w, c->rhs, k->w);
    strides_of(y, c->out, k->y);
}

/* The filter of group G, as a matrix. */
static tn_status gather_filter(work *k, int64_t g)
{
    const type *t = k->call->in[1].type;
    const size_t stored = dtype_bytes(t->dtype), n = (size_t)(k->taps * k->channels * k->to);
    const char *from = k->call->in[1].data;
    int64_t dims[ALL_AXES], strides[ALL_AXES];
    uint32_t rank = 0;
    view v;
    if (n == 0)
        return TN_OK;
    for (uint32_t i = 0; i < k->c.spatial; i++) {
        dims[rank] = k->window[i];
        strides[rank++] = k->w[CONVOLUTION_FIRST + i];
    }
    dims[rank] = k->channels;
    strides[rank++] = k->w[CONVOLUTION_FROM];
    dims[rank] = k->to;
    strides[rank++] = k->w[CONVOLUTION_TO];
    view_init(&v, from + (size_t)(g * k->to * k->w[CONVOLUTION_TO]) * stored, stored, dims, strides,
              rank);
    if (k->form == t->dtype)
        return view_read_all(k->call, &v, (int64_t)n, k->filter);
    char *own = scratch_array(k->call, n, stored);
    if (!own)
        return eval_no_memory(k->call);
    TN_TRY(view_read_all(k->call, &v, (int64_t)n, own));
    return eval_cast_all(k->call, t->dtype, own, k->form, k->filter, n);
}

/* The window at PLACES, whose image and group begin at element FIRST, to PATCH. What lies on
 * padding is +0; holes of a dilated input make no products. The number of taps that do. */
static int64_t gather_patch(work *k, int64_t first, const int64_t *places, char *patch)
{
    int64_t found = 0, at[CONVOLUTION_SPATIAL] = {0};
    for (int64_t tap = 0; tap < k->taps; tap++) {
        int64_t from = first;
        bool is_hole = false, is_inside = true;
        for (uint32_t i = 0; i < k->c.spatial; i++) {
            const convolution_axis *a = &k->c.at[i];
            const int64_t e = places[i] * a->stride + at[i] * a->dilation - a->low;
            is_hole = is_hole || e % a->base != 0;
            is_inside = is_inside && e >= 0 && e / a->base < k->input[i];
            from += e / a->base * k->x[CONVOLUTION_FIRST + i];
        }
        for (uint32_t i = k->c.spatial; i-- > 0 && ++at[i] == k->window[i];)
            at[i] = 0;
        if (is_hole)
            continue;
        k->tap[found++] = tap;
        for (int64_t c = 0; c < k->channels; c++, patch += k->size)
            if (is_inside)
                memcpy(patch,
                       k->input_data + (size_t)(from + c * k->x[CONVOLUTION_CHANNEL]) * k->size,
                       k->size);
            else
                memset(patch, 0, k->size);
    }
    return found;
}

static void rows(const contraction *c, int64_t start, size_t n_k, const void **a, const void **b)
{
    const work *w = c->user;
    const size_t row = (size_t)w->to * w->size;
    for (size_t k = 0; k < n_k; k++) {
        const int64_t at = start + (int64_t)k;
        a[k] = w->patch + (size_t)at * w->size;
        b[k] =
            w->filter + (size_t)(w->tap[at / w->channels] * w->channels + at % w->channels) * row;
    }
}

/* COUNT rows of results, one for each place, to the places from FROM on of the image and group that
 * begin at element FIRST of the result. */
static void put_results(const work *k, int64_t first, int64_t from, int64_t count)
{
    const size_t size = dtype_bytes(k->call->out->type->dtype);
    const char *next = k->done;
    for (int64_t p = from; p < from + count; p++) {
        int64_t at = first, rest = p;
        for (uint32_t i = k->c.spatial; i-- > 0; rest /= k->places[i])
            at += rest % k->places[i] * k->y[CONVOLUTION_FIRST + i];
        for (int64_t o = 0; o < k->to; o++, next += size)
            memcpy((char *)k->call->out->data + (size_t)(at + o * k->y[CONVOLUTION_CHANNEL]) * size,
                   next, size);
    }
}

/* Image N of group G. */
static tn_status convolve(work *k, int64_t g, int64_t n, int64_t tile)
{
    const bool by_images = k->c.batch_groups > 1;
    const int64_t image = by_images ? g * k->images + n : n;
    const int64_t x = image * k->x[CONVOLUTION_BATCH] +
                      (by_images ? 0 : g * k->channels * k->x[CONVOLUTION_CHANNEL]);
    const int64_t y = n * k->y[CONVOLUTION_BATCH] + g * k->to * k->y[CONVOLUTION_CHANNEL];
    int64_t at[CONVOLUTION_SPATIAL] = {0};
    for (int64_t p = 0; p < k->all_places; p += tile) {
        const int64_t count = k->all_places - p < tile ? k->all_places - p : tile;
        int64_t taps = 0;
        for (int64_t j = 0; j < count; j++) {
            const size_t row = (size_t)(k->taps * k->channels) * k->size;
            TN_TRY(eval_tick(k->call, (uint64_t)k->taps)); /* of holes nothing is made */
            taps = gather_patch(k, x, at, k->patch + (size_t)j * row);
            for (uint32_t i = k->c.spatial; i-- > 0 && ++at[i] == k->places[i];)
                at[i] = 0;
        }
        const contraction product = {.dtype = k->form,
                                     .k = taps * k->channels,
                                     .a_step = k->taps * k->channels,
                                     .rows = rows,
                                     .user = k,
                                     .call = k->call};
        TN_TRY(contract(&product, (size_t)count, (size_t)k->to, k->s.tile, (size_t)k->to));
        sums_deliver(&k->s, k->done, (size_t)(count * k->to));
        put_results(k, y, p, count);
    }
    return TN_OK;
}

/* The input as the chains see it. */
static tn_status widen_input(work *k)
{
    const tensor *x = &k->call->in[0];
    const size_t n = (size_t)x->type->count;
    k->input_data = x->data;
    if (n == 0 || k->form == x->type->dtype)
        return TN_OK;
    char *wide = scratch_array(k->call, n, k->size);
    k->input_data = wide;
    return wide ? eval_cast_all(k->call, x->type->dtype, x->data, k->form, wide, n)
                : eval_no_memory(k->call);
}

tn_status eval_convolution(eval_call *call)
{
    const type *t = call->out->type;
    work k;
    if (t->count == 0)
        return TN_OK;
    work_init(&k, call);
    const int64_t each = k.taps * k.channels;
    int64_t tile = each > PATCH_ELEMENTS / TILE ? PATCH_ELEMENTS / each : TILE;
    for (uint32_t i = 0; i < k.c.spatial; i++)
        if (k.c.at[i].base > 1)
            tile = 1; /* windows differ in their taps */
    tile = tile < 1 ? 1 : tile;
    TN_TRY(widen_input(&k));
    k.filter = scratch_array(call, (size_t)each, (size_t)k.to * k.size);
    k.patch = scratch_array(call, (size_t)each, (size_t)tile * k.size);
    k.tap = scratch_array(call, (size_t)k.taps, sizeof *k.tap);
    k.done = scratch_array(call, (size_t)k.to, (size_t)tile * dtype_bytes(t->dtype));
    if (!k.filter || !k.patch || !k.tap || !k.done ||
        !sums_init(&k.s, call, (size_t)tile, (size_t)k.to))
        return eval_no_memory(call);
    for (int64_t g = 0; g < k.c.groups * k.c.batch_groups; g++) {
        TN_TRY(gather_filter(&k, g));
        for (int64_t n = 0; n < k.images; n++)
            TN_TRY(convolve(&k, g, n, tile));
    }
    return TN_OK;
}
