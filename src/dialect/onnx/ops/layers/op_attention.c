/* Attention, rotary embeddings and caches: operators since opset 23. */
#include <inttypes.h>
#include <math.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/layers/op_attention.h"

/* ---- attention ---- */

tn_value onnx_in_heads(onnx_call *c, tn_value x, int64_t heads)
{
    const type *t = onnx_type_of(c, x);
    if (!t || t->rank == 4)
        return x;
    if (t->rank == 3 && heads < 1) {
        (void)onnx_refuse(c, DIAG_MissingAttribute,
                          "with inputs of rank 3 it needs to be told how many heads there are");
        return tn_no_value();
    }
    if (t->rank != 3) {
        (void)onnx_refuse(c, DIAG_RankMismatch, "it takes inputs of rank 3 or 4, not %" PRIu32,
                          t->rank);
        return tn_no_value();
    }
    if (dim_is_symbolic(t->dims[2]) || t->dims[2] % heads) {
        (void)onnx_refuse(c, DIAG_InvalidAttribute,
                          "the last of three extents is not divided into %" PRId64 " head%s", heads,
                          plural((uint64_t)heads));
        return tn_no_value();
    }
    const tn_value parts =
        tn_reshape(c->b, x, TN_INTS(t->dims[0], t->dims[1], heads, t->dims[2] / heads));
    return tn_transpose(c->b, parts, TN_INTS(0, 2, 1, 3));
}

tn_value onnx_from_heads(onnx_call *c, tn_value x)
{
    const type *t = onnx_type_of(c, x);
    if (!t || t->rank != 4)
        return x;
    const dim width = tn_dim_mul(c->b, t->dims[1], t->dims[3]);
    const tn_value rows = tn_transpose(c->b, x, TN_INTS(0, 2, 1, 3));
    return tn_reshape(c->b, rows, TN_INTS(t->dims[0], t->dims[2], width));
}

/* MASK, which says nothing of the last of KEYS: they are not seen. */
static tn_value with_all_keys(onnx_call *c, tn_value mask, dim keys)
{
    const type *t = onnx_type_of(c, mask);
    int64_t none[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
    const dim have = t && t->rank ? t->dims[t->rank - 1] : 1;
    if (have == 1 || dim_is_symbolic(have) || dim_is_symbolic(keys) || have >= keys)
        return mask;
    high[t->rank - 1] = keys - have;
    return tn_pad(c->b, mask, (tn_ints){none, t->rank}, (tn_ints){high, t->rank},
                  (tn_ints){none, t->rank}, -(double)INFINITY);
}

/* The mask to add to the scores of KEYS: truth values become 0 and -inf. */
static tn_value added_mask(onnx_call *c, dim keys, tn_dtype dtype)
{
    tn_value mask = onnx_in(c, 3);
    const type *t = onnx_type_of(c, mask);
    if (t && t->dtype == TN_I1) {
        const tn_value zero = tn_scalar(c->b, dtype, 0),
                       none = tn_scalar(c->b, dtype, -(double)INFINITY);
        mask = tn_select(c->b, mask, zero, none);
    }
    return c->version < 24 ? mask : with_all_keys(c, mask, keys);
}

/* What to add to the scores, so that each element of the batch sees as many keys as input 6 says; a
 * CAUSAL query, the last of which stands at the last of these keys, none behind it. */
static tn_value length_mask(onnx_call *c, tn_value q, tn_value k, tn_dtype dtype, bool causal)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, q), *u = onnx_type_of(c, k);
    if (!t || !u || !onnx_in_fits(c, 6, TN_INTS(t->dims[0])))
        return tn_no_value();
    const tn_value key = tn_iota(b, TN_SI64, TN_INTS(1, 1, 1, u->dims[2]), 3);
    const tn_value length =
        tn_reshape(b, tn_cast(b, onnx_in(c, 6), TN_SI64), TN_INTS(t->dims[0], 1, 1, 1));
    tn_value seen = tn_compare(b, TN_LT, key, length);
    if (causal) {
        const tn_value query = tn_iota(b, TN_SI64, TN_INTS(1, 1, t->dims[2], 1), 2);
        const tn_value first = tn_sub(b, length, known_size_data(b, TN_SI64, t->dims[2]));
        seen = tn_and(b, seen, tn_compare(b, TN_LE, key, tn_add(b, query, first)));
    }
    const tn_value zero = tn_scalar(b, dtype, 0), none = tn_scalar(b, dtype, -(double)INFINITY);
    return tn_select(b, seen, zero, none);
}

/* Result 3: the scores as far as `qk_matmul_output_mode` says. */
static bool give_scores(onnx_call *c, const form_scores *scores, tn_dtype dtype)
{
    const tn_value states[] = {scores->scaled, scores->capped, scores->masked, scores->shares};
    const int64_t mode = onnx_attr_int(c, "qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
        return onnx_refuse(c, DIAG_InvalidAttribute, "'qk_matmul_output_mode' is 0, 1, 2 or 3");
    return onnx_give(c, 3, tn_cast(c->b, states[mode], dtype));
}

/* The keys or values so far, input PAST, in front of the new ones, which result OUT shows. */
static tn_value with_past(onnx_call *c, tn_value fresh, uint32_t past, uint32_t out)
{
    tn_value all = fresh;
    if (onnx_has_in(c, past)) {
        const tn_value old = onnx_in(c, past);
        all = tn_concat(c->b, TN_VALUES(old, fresh), 2);
    }
    (void)onnx_give(c, out, all);
    return all;
}

bool onnx_op_attention(onnx_call *c)
{
    tn_builder *b = c->b;
    const type *t = onnx_in_type(c, 0), *past = onnx_in_type(c, 4);
    if (!t)
        return false;
    form_scores scores;
    const int64_t heads = onnx_attr_int(c, "kv_num_heads", 0);
    const tn_value q = onnx_in_heads(c, onnx_in(c, 0), onnx_attr_int(c, "q_num_heads", 0));
    tn_value k = onnx_in_heads(c, onnx_in(c, 1), heads);
    tn_value v = onnx_in_heads(c, onnx_in(c, 2), heads);
    if (!tn_is_value(q) || !tn_is_value(k) || !tn_is_value(v))
        return false;
    k = with_past(c, k, 4, 1);
    v = with_past(c, v, 5, 2);
    tn_attention how = {.size = sizeof how,
                        .scale = onnx_attr_float(c, "scale", 0),
                        .causal = onnx_attr_int(c, "is_causal", 0)};
    const type *all = onnx_type_of(c, k);
    if (onnx_has_in(c, 3) && all)
        how.mask = added_mask(c, all->dims[2], t->dtype);
    if (onnx_has_in(c, 6)) {
        const tn_value seen = length_mask(c, q, k, t->dtype, how.causal);
        if (!tn_is_value(seen))
            return false;
        how.mask = tn_is_value(how.mask) ? tn_add(b, how.mask, seen) : seen;
        how.causal = false;
    }
    if (how.causal) /* query 0 stands behind what is past */
        how.first = known_size_data(c->b, TN_SI64, past && past->rank == 4 ? past->dims[2] : 0);
    const double cap = onnx_attr_float(c, "softcap", 0);
    const tn_value y = form_attention(b, q, k, v, &how, cap, &scores);
    return onnx_give(c, 0, t->rank == 3 ? onnx_from_heads(c, y) : y) &&
           (!onnx_wants_out(c, 3) || give_scores(c, &scores, t->dtype));
}

tn_value onnx_rotated(onnx_call *c, tn_value x, tn_rotary by, int64_t turned, bool neighbours)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x);
    if (!t)
        return x;
    const int64_t width = t->dims[3];
    turned = turned ? turned : width;
    if (dim_is_symbolic(width) || turned < 0 || turned > width || turned % 2) {
        (void)onnx_refuse(c, DIAG_InvalidAttribute, "%" PRId64 " element%s of a row cannot turn",
                          turned, plural((uint64_t)turned));
        return tn_no_value();
    }
    const tn_value part = tn_slice_axis(b, x, 3, 0, turned);
    const tn_value y =
        tn_nn_rotary(b, part, by, neighbours ? TN_ROTARY_NEIGHBOURS : TN_ROTARY_HALVES);
    if (turned == width)
        return y;
    const tn_value rest = tn_slice_axis(b, x, 3, turned, width - turned);
    return tn_concat(b, TN_VALUES(y, rest), 3);
}

/* Rows of the cosines or sines in input K, for each head: [batch, 1, length, pairs]. */
static tn_value angles(onnx_call *c, uint32_t k)
{
    tn_value v = onnx_in(c, k);
    if (onnx_has_in(c, 3))
        v = tn_take(c->b, v, onnx_in(c, 3));
    return tn_expand_dims(c->b, v, TN_INTS(1));
}

bool onnx_op_rotary_embedding(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    if (!t)
        return false;
    const tn_value x = onnx_in_heads(c, onnx_in(c, 0), onnx_attr_int(c, "num_heads", 0));
    if (!tn_is_value(x))
        return false;
    tn_rotary by = {.cos = angles(c, 1)};
    by.sin = angles(c, 2);
    const tn_value y = onnx_rotated(c, x, by, onnx_attr_int(c, "rotary_embedding_dim", 0),
                                    onnx_attr_int(c, "interleaved", 0));
    return onnx_give(c, 0, t->rank == 3 ? onnx_from_heads(c, y) : y);
}

/* ---- caches ---- */

tn_value onnx_in_cache(onnx_call *c, tn_value past, tn_value update, tn_value from, int64_t axis,
                       bool ring)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, past), *u = onnx_type_of(c, update);
    int64_t one[TN_MAX_RANK];
    if (!t || !u)
        return tn_no_value();
    for (uint32_t i = 0; i < t->rank; i++)
        one[i] = i == 0 ? t->dims[0] : 1;
    tn_value at = tn_iota(b, TN_SI64, onnx_dims(t), axis); /* in the update, after what follows */
    if (tn_is_value(from))
        at = tn_sub(b, at, tn_reshape(b, tn_cast(b, from, TN_SI64), (tn_ints){one, t->rank}));
    const tn_value none = tn_scalar_int(b, TN_SI64, 0);
    if (ring) {
        const tn_value round = tn_add(b, at, known_size_data(b, TN_SI64, t->dims[axis]));
        at = tn_select(b, tn_compare(b, TN_LT, at, none), round, at);
    }
    const tn_value count = known_size_data(b, TN_SI64, u->dims[axis]);
    const tn_value first = tn_compare(b, TN_GE, at, none);
    const tn_value inside = tn_and(b, first, tn_compare(b, TN_LT, at, count));
    const tn_value fresh = tn_gather(b, update, tn_select(b, inside, at, none), axis);
    return tn_select(b, inside, fresh, past);
}

bool onnx_op_tensor_scatter(onnx_call *c)
{
    const tn_value past = onnx_in(c, 0), update = onnx_in(c, 1);
    const type *t = onnx_type_of(c, past), *u = onnx_type_of(c, update);
    int64_t axis;
    if (!t || !u || !onnx_axis(c, onnx_attr_int(c, "axis", -2), t->rank, &axis))
        return false;
    bool fits = axis > 0 && u->rank == t->rank;
    for (uint32_t i = 0; fits && i < t->rank; i++)
        fits = i == axis || u->dims[i] == t->dims[i];
    if (!fits || !onnx_in_fits(c, 2, TN_INTS(t->dims[0])))
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "the update has the cache's extents, but for one axis behind the batch");
    static const char *const modes[] = {"linear", "circular"};
    int ring = 0;
    return onnx_choose(c, "mode", modes, 2, 0, &ring) &&
           onnx_give(c, 0, onnx_in_cache(c, past, update, onnx_in(c, 2), axis, ring));
}
