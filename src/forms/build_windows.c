/* Composed forms: convolution and pooling. */
#include "base/text/text.h"
#include "forms/forms.h"

#include <inttypes.h>

/* A sliding window over the two middle axes, with every list in full. */
typedef struct sliding2 {
    int64_t strides[2], dilation[2], pads[4];
} sliding2;

static bool read_list(tn_builder *b, const char *form, tn_ints from, size_t n, int64_t otherwise,
                      int64_t *to)
{
    if (from.n != 0 && from.n != n) {
        builder_fail(b, DIAG_InvalidAttribute, form, "a list of %zu number%s instead of %zu",
                     from.n, plural(from.n), n);
        return false;
    }
    if (!builder_list(b, form, from.at, from.n))
        return false;
    for (size_t i = 0; i < n; i++)
        to[i] = from.n ? from.at[i] : otherwise;
    return true;
}

static bool read_sliding(tn_builder *b, const char *form, const tn_sliding *from, sliding2 *to)
{
    tn_sliding s;
    return is_building(b) && FORM_OPTIONS(b, form, tn_sliding, pads, &s, from) &&
           read_list(b, form, s.strides, 2, 1, to->strides) &&
           read_list(b, form, s.dilation, 2, 1, to->dilation) &&
           read_list(b, form, s.pads, 4, 0, to->pads);
}

/* The type of X, which must have rank 4. */
static const type *rank_4(tn_builder *b, const char *form, tn_value x)
{
    const type *t = form_operand(b, form, x);
    if (t && t->rank != 4) {
        builder_fail(b, DIAG_RankMismatch, form, "'%s' takes tensors of rank 4, not %" PRIu32, form,
                     t->rank);
        return NULL;
    }
    return t;
}

tn_value tn_nn_conv2d(tn_builder *b, tn_value x, tn_value w, tn_value bias,
                      const tn_sliding *sliding)
{
    const char *form = "conv2d";
    sliding2 s;
    const type *tx = rank_4(b, form, x), *tw = rank_4(b, form, w);
    if (!tx || !tw || !read_sliding(b, form, sliding, &s))
        return tn_no_value();
    if (!type_is_static(tw) || tw->count < 0) {
        builder_fail(b, DIAG_CannotInfer, form, "the extents of the weights must be numbers");
        return tn_no_value();
    }
    const dim *k = tw->dims;
    if (!dim_is_symbolic(tx->dims[3]) && tx->dims[3] != k[2]) {
        builder_fail(b, DIAG_ChannelMismatch, form,
                     "%" PRId64 " channel%s, but weights for %" PRId64, tx->dims[3],
                     plural((uint64_t)tx->dims[3]), k[2]);
        return tn_no_value();
    }
    tn_value patches = tn_extract_patches(b, x, (tn_ints){k, 2}, (tn_ints){s.strides, 2},
                                          (tn_ints){s.dilation, 2}, (tn_ints){s.pads, 4}, 0);
    tn_value flat = tn_reshape(b, w, TN_INTS(k[0] * k[1] * k[2], k[3]));
    tn_value y = tn_dot_general(b, patches, flat, TN_INTS(), TN_INTS(), TN_INTS(3), TN_INTS(0),
                                TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
    return tn_is_value(bias) ? tn_add(b, y, bias) : y;
}

static tn_value pool_windows(tn_builder *b, tn_value x, tn_combine how, tn_ints window,
                             const sliding2 *s)
{
    int64_t size[] = {1, window.at[0], window.at[1], 1};
    int64_t strides[] = {1, s->strides[0], s->strides[1], 1};
    int64_t dilation[] = {1, s->dilation[0], s->dilation[1], 1};
    int64_t pads[] = {0, 0, s->pads[0], s->pads[1], s->pads[2], s->pads[3], 0, 0};
    tn_window all = {.window = {size, 4},
                     .strides = {strides, 4},
                     .pads = {pads, 8},
                     .base_dilation = TN_INTS(1, 1, 1, 1),
                     .dilation = {dilation, 4}};
    return tn_reduce_window(b, x, how, &all, TN_DTYPE_DEFAULT);
}

/* The type of X when it can be pooled with this window. */
static const type *read_pool(tn_builder *b, const char *form, tn_value x, tn_ints window,
                             const tn_sliding *sliding, sliding2 *s)
{
    const type *t = rank_4(b, form, x);
    if (!t || !read_sliding(b, form, sliding, s))
        return NULL;
    if (!builder_list(b, form, window.at, window.n))
        return NULL;
    if (window.n == 2)
        return t;
    builder_fail(b, DIAG_InvalidAttribute, form, "a window of %zu number%s instead of 2", window.n,
                 plural(window.n));
    return NULL;
}

tn_value tn_nn_max_pool(tn_builder *b, tn_value x, tn_ints window, const tn_sliding *sliding)
{
    sliding2 s;
    return read_pool(b, "max_pool", x, window, sliding, &s)
               ? pool_windows(b, x, TN_COMBINE_MAX, window, &s)
               : tn_no_value();
}

tn_value tn_nn_avg_pool(tn_builder *b, tn_value x, tn_ints window, const tn_sliding *sliding,
                        bool count_padding)
{
    sliding2 s;
    const type *t = read_pool(b, "avg_pool", x, window, sliding, &s);
    if (!t)
        return tn_no_value();
    tn_value wide = form_wide(b, "avg_pool", x);
    tn_value total = pool_windows(b, wide, TN_COMBINE_ADD, window, &s), count;
    if (!is_building(b))
        return tn_no_value();
    if (count_padding) {
        count = tn_scalar_like(b, wide, (double)window.at[0] * (double)window.at[1]);
    } else {
        tn_value ones =
            tn_splat(b, dtype_compute(t->dtype), TN_INTS(1, t->dims[1], t->dims[2], 1), 1);
        count = pool_windows(b, ones, TN_COMBINE_ADD, window, &s);
    }
    return tn_cast(b, tn_div(b, total, count), t->dtype);
}
