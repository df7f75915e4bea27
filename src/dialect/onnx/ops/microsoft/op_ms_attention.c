/* Attention as ONNX Runtime's exporters and optimiser write it (domain com.microsoft). */
#include <inttypes.h>
#include <math.h>

#include "dialect/onnx/ops/layers/op_attention.h"
#include "dialect/onnx/ops/op_quantize.h"

/* ---- masks ---- */

/* 0 where SEEN, else what `mask_filter_value` says. */
static tn_value added(onnx_call *c, tn_value seen, tn_dtype d)
{
    const double least = onnx_attr_float(c, "mask_filter_value", -10000);
    const tn_value none = tn_scalar(c->b, d, 0), out = tn_scalar(c->b, d, least);
    return tn_select(c->b, seen, none, out);
}

/* Keys [BATCH, 1, 1, KEYS] before END[batch], and not before START[batch] if that is given. */
static tn_value between(onnx_call *c, tn_value start, tn_value end, dim batch, dim keys)
{
    tn_builder *b = c->b;
    const tn_value at = tn_iota(b, TN_SI32, TN_INTS(batch, 1, 1, keys), 3);
    const tn_value last = tn_reshape(b, end, TN_INTS(batch, 1, 1, 1));
    tn_value seen = tn_compare(b, TN_LT, at, last);
    if (tn_is_value(start)) {
        const tn_value first = tn_reshape(b, start, TN_INTS(batch, 1, 1, 1));
        seen = tn_and(b, seen, tn_compare(b, TN_GE, at, first));
    }
    return seen;
}

/* The mask of integers in input K, to add to scores [BATCH, heads, queries, KEYS]: a mark for each
 * key, or for each query and key, or how many keys there are, or where they end and start. *OK is
 * false where it is refused; no value: there is none. */
static tn_value key_mask(onnx_call *c, uint32_t k, dim batch, dim keys, tn_dtype d, bool *ok)
{
    tn_builder *b = c->b;
    const tn_value m = onnx_in(c, k);
    const type *t = onnx_type_of(c, m);
    tn_value seen = tn_no_value();
    *ok = true;
    if (!t)
        return seen;
    const dim n = t->rank > 0 ? t->dims[0] : 0;
    if (t->rank == 1 && n == batch) {
        seen = between(c, tn_no_value(), m, batch, keys);
    } else if (t->rank == 1 && !dim_is_symbolic(n) && n == 2 * batch) {
        const tn_value end = tn_slice_axis(b, m, 0, 0, batch);
        const tn_value start = tn_slice_axis(b, m, 0, batch, batch);
        seen = between(c, start, end, batch, keys);
    } else if (t->rank == 2 || t->rank == 3) {
        const tn_value wide = tn_expand_dims(b, m, t->rank == 2 ? TN_INTS(1, 2) : TN_INTS(1));
        seen = tn_compare(b, TN_GT, wide, tn_scalar_int(b, t->dtype, 0));
    } else {
        *ok = onnx_refuse(c, DIAG_NotImplemented,
                          "a mask of this shape is not read; it may be [batch], [2 * batch], "
                          "[batch, keys] or [batch, queries, keys]");
        return seen;
    }
    return added(c, seen, d);
}

static tn_value sum_of(onnx_call *c, tn_value x, tn_value y)
{
    return !tn_is_value(x) ? y : !tn_is_value(y) ? x : tn_add(c->b, x, y);
}

/* ---- keys and values that were there before ---- */

/* PAST in front of FRESH, along the axis of keys. */
static tn_value joined(onnx_call *c, tn_value past, tn_value fresh)
{
    return tn_is_value(past) ? tn_concat(c->b, TN_VALUES(past, fresh), 2) : fresh;
}

static dim keys_of(const onnx_call *c, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    return t && t->rank == 4 ? t->dims[2] : 0;
}

/* Elements of `x[.., parts]`: N of them from FIRST on, along the last axis. */
static tn_value columns(onnx_call *c, tn_value x, int64_t first, int64_t n)
{
    const type *t = onnx_type_of(c, x);
    return t ? tn_slice_axis(c->b, x, (int64_t)t->rank - 1, first, n) : x;
}

/* X plus N elements of the bias in input K from FIRST on, where there is one. */
static tn_value with_bias(onnx_call *c, tn_value x, uint32_t k, int64_t first)
{
    const type *t = onnx_type_of(c, x), *u = onnx_in_type(c, k);
    if (!t || !u || t->rank == 0 || dim_is_symbolic(t->dims[t->rank - 1]))
        return x;
    return tn_add(c->b, x, columns(c, onnx_in(c, k), first, t->dims[t->rank - 1]));
}

/* Result 0: attention of heads, with MASK added, which may be no value. */
static bool give_attention(onnx_call *c, tn_value q, tn_value k, tn_value v, tn_attention *how,
                           tn_value mask)
{
    how->size = sizeof *how;
    how->scale = onnx_attr_float(c, "scale", 0);
    how->mask = mask;
    const double cap = onnx_attr_float(c, "softcap", 0);
    return onnx_give(c, 0, onnx_from_heads(c, form_attention(c->b, q, k, v, how, cap, NULL)));
}

/* ---- Attention ---- */

typedef struct projections {
    int64_t width[3]; /* of queries, keys and values */
    tn_value all;     /* side by side */
} projections;

/* Attention, and QAttention, whose input and weights are quantised. */
static bool is_quantised(const onnx_call *c)
{
    return c->op->arg;
}

/* The number of an input that the two have in different places: the mask, and what was before. */
static uint32_t mask_in(const onnx_call *c)
{
    return is_quantised(c) ? 5 : 3;
}
static uint32_t past_in(const onnx_call *c)
{
    return is_quantised(c) ? 8 : 4;
}

/* X, input 0, times the weights in input 1, plus the bias in input 2. */
static bool project(onnx_call *c, projections *p)
{
    const type *t = onnx_in_type(c, 0), *u = onnx_in_type(c, 1);
    uint32_t n;
    if (!t || !u)
        return false;
    const int64_t *given = onnx_attr_ints(c, "qkv_hidden_sizes", &n);
    const int64_t all = u->rank == 2 && !dim_is_symbolic(u->dims[1]) ? u->dims[1] : 0;
    for (uint32_t i = 0; i < 3; i++)
        p->width[i] = given && n == 3 ? given[i] : all / 3;
    bool ok = t->rank == 3 && all > 0 && (n == 0 || n == 3);
    for (uint32_t i = 0; i < 3; i++)
        ok = ok && p->width[i] > 0 && p->width[i] <= all;
    if (!ok || p->width[0] + p->width[1] + p->width[2] != all)
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "it takes [batch, length, width] and weights [width, queries + keys + "
                           "values]");
    if (!onnx_in_fits(c, 2, TN_INTS(all)))
        return false;
    const tn_value x = onnx_in(c, 0);
    p->all = is_quantised(c) ? onnx_real_product(c, 3, 6)
                             : tn_cast(c->b, tn_matmul(c->b, x, onnx_in(c, 1)), t->dtype);
    if (onnx_has_in(c, 2))
        p->all = tn_add(c->b, p->all, onnx_in(c, 2));
    return true;
}

/* Half I of the keys and values before. */
static tn_value past_half(onnx_call *c, int64_t i)
{
    const tn_value past = onnx_in(c, past_in(c));
    if (!tn_is_value(past))
        return past;
    return tn_squeeze(c->b, tn_slice_axis(c->b, past, 0, i, 1), TN_INTS(0));
}

bool onnx_op_ms_attention(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0);
    const int64_t heads = onnx_attr_int(c, "num_heads", 0);
    projections p;
    tn_value parts[3];
    bool ok;
    if (!t || !project(c, &p))
        return false;
    if (onnx_attr_int(c, "do_rotary", 0) || onnx_attr_int(c, "past_present_share_buffer", 0))
        return onnx_refuse(c, DIAG_NotImplemented,
                           "'do_rotary' and 'past_present_share_buffer' are not read");
    for (int64_t i = 0, first = 0; i < 3; first += p.width[i++]) {
        parts[i] = onnx_in_heads(c, columns(c, p.all, first, p.width[i]), heads);
        if (!tn_is_value(parts[i]))
            return false;
    }
    const tn_value past = past_half(c, 0), k = joined(c, past, parts[1]);
    const tn_value v = joined(c, past_half(c, 1), parts[2]);
    tn_attention how = {.causal = onnx_attr_int(c, "unidirectional", 0)};
    if (how.causal)
        how.first = known_size_data(b, TN_SI64, tn_is_value(past) ? keys_of(c, past) : 0);
    const tn_dtype d = is_quantised(c) ? TN_F32 : t->dtype;
    tn_value mask = key_mask(c, mask_in(c), t->dims[0], keys_of(c, k), d, &ok);
    if (!is_quantised(c))
        mask = sum_of(c, mask, onnx_in(c, 5));
    if (!ok)
        return false;
    if (onnx_wants_out(c, 1)) {
        const tn_value first = tn_expand_dims(b, k, TN_INTS(0));
        (void)onnx_give(c, 1, tn_concat(b, TN_VALUES(first, tn_expand_dims(b, v, TN_INTS(0))), 0));
    }
    return give_attention(c, parts[0], k, v, &how, mask);
}

/* ---- MultiHeadAttention ---- */

/* Part I of N that stand side by side in x[batch, length, heads, N, width], in heads. */
static tn_value packed(onnx_call *c, tn_value x, int64_t i)
{
    const tn_value one = tn_squeeze(c->b, tn_slice_axis(c->b, x, 3, i, 1), TN_INTS(3));
    return tn_transpose(c->b, one, TN_INTS(0, 2, 1, 3));
}

/* Queries, keys and values in heads. */
static bool read_heads(onnx_call *c, int64_t heads, tn_value *q, tn_value *k, tn_value *v)
{
    const type *t = onnx_in_type(c, 0), *u = onnx_in_type(c, 1), *w = onnx_in_type(c, 2);
    const tn_value x = onnx_in(c, 0), y = onnx_in(c, 1);
    if (!t)
        return false;
    if (t->rank < 3)
        return onnx_refuse(c, DIAG_RankMismatch, "it takes queries of rank 3 to 5, not %" PRIu32,
                           t->rank);
    if (t->rank == 5) { /* all three in one */
        *q = packed(c, x, 0);
        *k = packed(c, x, 1);
        *v = packed(c, x, 2);
        return !onnx_has_in(c, 3) ||
               onnx_refuse(c, DIAG_NotImplemented, "no bias is read with packed operands");
    }
    if (!u || (!w && u->rank != 5))
        return onnx_refuse(c, DIAG_ArityMismatch, "keys and values are left out");
    const int64_t width = dim_is_symbolic(t->dims[t->rank - 1]) ? 0 : t->dims[t->rank - 1];
    *q = onnx_in_heads(c, with_bias(c, x, 3, 0), heads);
    if (u->rank == 5) {
        *k = packed(c, y, 0);
        *v = packed(c, y, 1);
    } else if (u->rank == 4) {
        *k = y;
        *v = onnx_in(c, 2);
    } else {
        *k = onnx_in_heads(c, with_bias(c, y, 3, width), heads);
        *v = onnx_in_heads(c, with_bias(c, onnx_in(c, 2), 3, 2 * width), heads);
    }
    return tn_is_value(*q) && tn_is_value(*k) && tn_is_value(*v);
}

bool onnx_op_multi_head_attention(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    tn_value q, k, v;
    bool ok;
    if (!t)
        return false;
    if (onnx_wants_out(c, 3))
        return onnx_refuse(c, DIAG_NotImplemented, "the scores are no result here");
    if (!read_heads(c, onnx_attr_int(c, "num_heads", 0), &q, &k, &v))
        return false;
    const tn_value past = onnx_in(c, 6);
    k = joined(c, past, k);
    v = joined(c, onnx_in(c, 7), v);
    (void)onnx_give(c, 1, k);
    (void)onnx_give(c, 2, v);
    tn_attention how = {.causal = onnx_attr_int(c, "unidirectional", 0)};
    if (how.causal)
        how.first = known_size_data(c->b, TN_SI64, tn_is_value(past) ? keys_of(c, past) : 0);
    const tn_value mask = key_mask(c, 4, t->dims[0], keys_of(c, k), t->dtype, &ok);
    const tn_value bias = onnx_in(c, 5);
    return ok && give_attention(c, q, k, v, &how, sum_of(c, mask, bias));
}

/* ---- GroupQueryAttention ---- */

/* What the queries of a batch are given to look at. */
typedef struct grouped {
    onnx_call *c;
    tn_value q, k, v;       /* in heads */
    dim batch, length, all; /* queries, and keys with those before */
    tn_value before;        /* how many keys of each element of the batch are older: si64[batch] */
} grouped;

static bool read_grouped(grouped *g)
{
    onnx_call *c = g->c;
    const type *t = onnx_in_type(c, 0);
    const int64_t heads = onnx_attr_int(c, "num_heads", 0);
    const int64_t others = onnx_attr_int(c, "kv_num_heads", 0);
    if (!t)
        return false;
    if (t->rank != 3 || heads < 1 || others < 1 || heads > INT32_MAX || others > INT32_MAX)
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "it takes queries [batch, length, width] in 'num_heads' heads, and "
                           "'kv_num_heads' of keys");
    const tn_value x = onnx_in(c, 0);
    if (onnx_has_in(c, 1) && onnx_has_in(c, 2)) {
        g->q = onnx_in_heads(c, x, heads);
        g->k = onnx_in_heads(c, onnx_in(c, 1), others);
        g->v = onnx_in_heads(c, onnx_in(c, 2), others);
    } else { /* all three in one */
        const int64_t width = dim_is_symbolic(t->dims[2]) ? 0 : t->dims[2];
        const int64_t one = width / (heads + 2 * others);
        if (one < 1 || one * (heads + 2 * others) != width)
            return onnx_refuse(c, DIAG_InvalidAttribute, "the heads do not divide the width");
        g->q = onnx_in_heads(c, columns(c, x, 0, heads * one), heads);
        g->k = onnx_in_heads(c, columns(c, x, heads * one, others * one), others);
        g->v = onnx_in_heads(c, columns(c, x, (heads + others) * one, others * one), others);
    }
    g->batch = t->dims[0];
    g->length = t->dims[1];
    return tn_is_value(g->q) && tn_is_value(g->k) && tn_is_value(g->v);
}

/* How many keys there are, and how many of them are older than the queries. */
static bool find_length(grouped *g)
{
    onnx_call *c = g->c;
    const type *past = onnx_in_type(c, 3);
    const known_value *total = onnx_in_known(c, 6);
    const dim old = past && past->rank == 4 ? past->dims[2] : 0;
    const bool number = total && total->n == 1 && !total->at[0].is_size;
    if (!onnx_in_fits(c, 5, TN_INTS(g->batch)))
        return false;
    g->all = onnx_dim_of(c, DIM_ADD, old, g->length);
    if (number && !dim_is_symbolic(old)) /* the cache may have room for what is to come */
        g->all = total->at[0].i > old ? total->at[0].i : old;
    const tn_value last = tn_cast(c->b, onnx_in(c, 5), TN_SI64);
    const tn_value fresh = known_size_data(c->b, TN_SI64, g->length);
    const tn_value before = tn_sub(c->b, onnx_plus(c, last, 1), fresh);
    g->before = tn_maximum(c->b, before, tn_scalar_int(c->b, TN_SI64, 0));
    return true;
}

/* The keys or values in input K, of G->ALL rows, with the fresh ones behind those that are older.
 */
static tn_value in_cache(const grouped *g, uint32_t k, tn_value fresh)
{
    onnx_call *c = g->c;
    const type *t = onnx_type_of(c, fresh), *u = onnx_in_type(c, k);
    if (!t)
        return fresh;
    if (!u && g->all == g->length)
        return fresh;
    if (u && u->rank != 4) {
        (void)onnx_refuse(c, DIAG_RankMismatch, "it takes caches of rank 4, not %" PRIu32, u->rank);
        return tn_no_value();
    }
    const dim old = u ? u->dims[2] : 0;
    tn_value past = onnx_in(c, k);
    if (old != g->all) { /* room behind: numbers, or as much as is fresh */
        const dim more = dim_is_symbolic(old) || dim_is_symbolic(g->all) ? g->length : g->all - old;
        const tn_value none =
            tn_splat(c->b, t->dtype, TN_INTS(t->dims[0], t->dims[1], more, t->dims[3]), 0);
        past = joined(c, past, none);
    }
    return onnx_in_cache(c, past, fresh, g->before, 2, false);
}

/* The position of each query, si64[batch, length]. */
static tn_value positions(const grouped *g)
{
    tn_builder *b = g->c->b;
    const tn_value at = tn_iota(b, TN_SI64, TN_INTS(g->batch, g->length), 1);
    return tn_add(b, at, tn_expand_dims(b, g->before, TN_INTS(1)));
}

static bool rotate_grouped(grouped *g)
{
    onnx_call *c = g->c;
    if (!onnx_attr_int(c, "do_rotary", 0))
        return true;
    if (!onnx_has_in(c, 7) || !onnx_has_in(c, 8))
        return onnx_refuse(c, DIAG_ArityMismatch, "'do_rotary' needs cosines and sines");
    const tn_value at = onnx_has_in(c, 9) ? onnx_in(c, 9) : positions(g);
    const type *t = onnx_in_type(c, 7);
    const dim pairs = t && t->rank == 2 ? t->dims[1] : 0;
    const int64_t turned = !dim_is_symbolic(pairs) && pairs <= INT32_MAX ? 2 * pairs : 0;
    tn_rotary by = {.cos = tn_expand_dims(c->b, tn_take(c->b, onnx_in(c, 7), at), TN_INTS(1))};
    by.sin = tn_expand_dims(c->b, tn_take(c->b, onnx_in(c, 8), at), TN_INTS(1));
    const bool neighbours = onnx_attr_int(c, "rotary_interleaved", 0);
    g->q = onnx_rotated(c, g->q, by, turned, neighbours);
    g->k = onnx_rotated(c, g->k, by, turned, neighbours);
    return tn_is_value(g->q) && tn_is_value(g->k);
}

/* Of the keys, a query sees itself and older ones: `local_window_size` of them, if that is given.
 */
static tn_value seen_by(const grouped *g, tn_dtype d)
{
    onnx_call *c = g->c;
    tn_builder *b = c->b;
    const int64_t window = onnx_attr_int(c, "local_window_size", -1);
    const tn_value own = tn_expand_dims(b, positions(g), TN_INTS(1, 3));
    const tn_value key = tn_iota(b, TN_SI64, TN_INTS(1, 1, 1, g->all), 3);
    tn_value seen = tn_compare(b, TN_LE, key, own);
    if (window > 0) {
        const tn_value first = tn_sub(b, own, tn_scalar_int(b, TN_SI64, window));
        seen = tn_and(b, seen, tn_compare(b, TN_GT, key, first));
    }
    const tn_value none = tn_scalar(b, d, 0), out = tn_scalar(b, d, -(double)INFINITY);
    return tn_select(b, seen, none, out);
}

/* X with one more key, all zeros. */
static tn_value with_sink(onnx_call *c, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    if (!t)
        return x;
    const tn_value none =
        tn_splat(c->b, t->dtype, TN_INTS(t->dims[0], t->dims[1], 1, t->dims[3]), 0);
    return tn_concat(c->b, TN_VALUES(x, none), 2);
}

/* MASK with what is added to the score of that key, which is 0: the number of each head in input
 * 11, else 0. */
static tn_value mask_of_sinks(const grouped *g, tn_value mask)
{
    onnx_call *c = g->c;
    const type *t = onnx_type_of(c, mask), *q = onnx_type_of(c, g->q);
    if (!t || !q)
        return mask;
    const dim batch = t->dims[0], length = t->dims[2], keys = t->dims[3], heads = q->dims[1];
    const tn_ints column = TN_INTS(batch, heads, length, 1);
    tn_value own = tn_splat(c->b, t->dtype, column, 0);
    if (onnx_has_in(c, 11)) {
        const tn_value given = tn_cast(c->b, onnx_in(c, 11), t->dtype);
        own = tn_broadcast(c->b, tn_reshape(c->b, given, TN_INTS(1, heads, 1, 1)), column);
    }
    const tn_value wide = tn_broadcast(c->b, mask, TN_INTS(batch, heads, length, keys));
    return tn_concat(c->b, TN_VALUES(wide, own), 3);
}

bool onnx_op_group_query_attention(onnx_call *c)
{
    grouped g = {.c = c};
    const type *t = onnx_in_type(c, 0);
    if (!t || !read_grouped(&g) || !find_length(&g))
        return false;
    if (onnx_wants_out(c, 3) || onnx_attr_int(c, "k_quant_type", 0))
        return onnx_refuse(c, DIAG_NotImplemented,
                           "quantised caches and scores as a result are not read");
    if (!onnx_in_fits(c, 11, TN_INTS(onnx_attr_int(c, "num_heads", 0))))
        return false;
    if (!rotate_grouped(&g))
        return false;
    tn_value k = in_cache(&g, 3, g.k);
    tn_value v = tn_is_value(k) ? in_cache(&g, 4, g.v) : k;
    if (!tn_is_value(v))
        return false;
    (void)onnx_give(c, 1, k);
    (void)onnx_give(c, 2, v);
    tn_attention how = {0};
    const tn_value bias = onnx_in(c, 10);
    tn_value mask = sum_of(c, seen_by(&g, t->dtype), bias);
    if (onnx_has_in(c, 11) || onnx_attr_int(c, "smooth_softmax", 0) > 0) {
        k = with_sink(c, k);
        v = with_sink(c, v);
        mask = mask_of_sinks(&g, mask);
    }
    return give_attention(c, g.q, k, v, &how, mask);
}

/* ---- RotaryEmbedding ---- */

/* Positions are input 1: one for each row, or that of the first row. */
bool onnx_op_ms_rotary_embedding(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0), *at = onnx_in_type(c, 1), *cos = onnx_in_type(c, 2);
    const int64_t turned = onnx_attr_int(c, "rotary_embedding_dim", 0);
    int64_t heads = onnx_attr_int(c, "num_heads", 0);
    if (!t || !at || !cos)
        return false;
    if (onnx_attr_int(c, "is_packed_batching", 0) || cos->rank != 2 ||
        dim_is_symbolic(cos->dims[1]))
        return onnx_refuse(c, DIAG_NotImplemented, "packed batches are not read");
    if (heads == 0 && t->rank == 3 && !dim_is_symbolic(t->dims[2]) && cos->dims[1] > 0 &&
        cos->dims[1] <= INT32_MAX)
        heads = t->dims[2] / (2 * cos->dims[1]);
    tn_value x = onnx_in_heads(c, onnx_in(c, 0), heads), places = onnx_in(c, 1);
    const type *u = onnx_type_of(c, x);
    if (!u)
        return false;
    if (at->rank == 1) {
        const tn_value first = tn_reshape(b, places, TN_INTS(1, 1));
        places = tn_add(b, tn_iota(b, at->dtype, TN_INTS(1, u->dims[2]), 1), first);
    }
    tn_rotary by = {.cos = tn_expand_dims(b, tn_take(b, onnx_in(c, 2), places), TN_INTS(1))};
    by.sin = tn_expand_dims(b, tn_take(b, onnx_in(c, 3), places), TN_INTS(1));
    x = onnx_rotated(c, x, by, turned, onnx_attr_int(c, "interleaved", 0));
    return onnx_give(c, 0, t->rank == 3 ? onnx_from_heads(c, x) : x);
}

/* ---- EmbedLayerNormalization ---- */

/* Rows of the table in input TABLE at the numbers in input IDS, or of each position where there is
 * none. */
static tn_value embedded(onnx_call *c, uint32_t table, uint32_t ids, const type *words)
{
    tn_builder *b = c->b;
    const tn_value at =
        onnx_has_in(c, ids) ? onnx_in(c, ids) : tn_iota(b, TN_SI32, TN_INTS(1, words->dims[1]), 1);
    return tn_take(b, onnx_in(c, table), at);
}

bool onnx_op_embed_layer_normalization(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0);
    if (!t)
        return false;
    if (t->rank != 2)
        return onnx_refuse(c, DIAG_RankMismatch, "it takes numbers of words [batch, length]");
    if (!onnx_has_in(c, 2) || !onnx_has_in(c, 3) || !onnx_has_in(c, 5) || !onnx_has_in(c, 6))
        return onnx_refuse(c, DIAG_ArityMismatch,
                           "tables of words and positions, or the scale and "
                           "shift, are left out");
    tn_value sum = embedded(c, 2, 0, t);
    const tn_value places = embedded(c, 3, 8, t);
    sum = tn_add(b, sum, places);
    if (onnx_has_in(c, 1) && onnx_has_in(c, 4))
        sum = tn_add(b, sum, embedded(c, 4, 1, t));
    (void)onnx_give(c, 2, sum);
    if (onnx_wants_out(c, 1)) { /* how many words each text has */
        const tn_value marks =
            onnx_has_in(c, 7) ? onnx_in(c, 7) : tn_splat(b, TN_SI32, TN_INTS(t->dims[0], 1), 0);
        (void)onnx_give(c, 1, tn_cast(b, tn_sum(b, marks, TN_INTS(1), false), TN_SI32));
    }
    const double epsilon = onnx_attr_float(c, "epsilon", (double)1e-12F);
    const tn_value gamma = onnx_in(c, 5);
    return onnx_give(c, 0, tn_nn_layer_norm(b, sum, gamma, onnx_in(c, 6), epsilon));
}
