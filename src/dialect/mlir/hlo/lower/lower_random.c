/* Random numbers. Those of rng_bit_generator are XLA's, bit for bit: Threefry2x32 of 20 rounds
 * (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3") and Philox4x32 of 10. */
#include "dialect/mlir/hlo/lower.h"

/* ---- rng ---- */

/* Are both bounds one element of the result's type T, and is its shape what operand 2 says? */
static bool suits_rng(shlo_call *c, const type *t)
{
    const known_value *shape = shlo_known(c, 2);
    bool suits = !shape || shape->n == t->rank;
    for (uint32_t i = 0; suits && shape && i < t->rank; i++)
        suits = shape->at[i].is_size || shape->at[i].i == t->dims[i];
    for (uint32_t k = 0; k < 2; k++) {
        const type *own = shlo_in_type(c, k);
        if (!own)
            return false;
        suits = suits && own->rank == 0 && own->dtype == t->dtype;
    }
    return suits || shlo_refuse(c, DIAG_ShapeMismatch,
                                "its bounds or its shape are not those of its result");
}

bool shlo_lower_rng(shlo_call *c)
{
    tn_builder *b = c->b;
    scalar low, high;
    const mir_text word = shlo_word(c, "rng_distribution");
    const type *t = shlo_static_type(c->r, shlo_out_type(c, 0), c->op->at);
    if (!t || !suits_rng(c, t))
        return false;
    const bool is_normal = mir_is(word, "NORMAL"), is_float = dtype_is_float(t->dtype);
    if ((!is_normal && !mir_is(word, "UNIFORM")) || (is_normal && !is_float) ||
        dtype_is_complex(t->dtype))
        return shlo_refuse(c, DIAG_InvalidAttribute, "there is no distribution '%.*s' of %s",
                           MIR_TEXT(word), dtype_name(t->dtype));
    const tn_dtype d = is_float ? t->dtype : TN_F64;
    const tn_value x =
        is_normal ? tn_rng_normal(b, d, shlo_dims(t)) : tn_rng_uniform(b, d, shlo_dims(t));
    if (t->dtype == TN_I1)
        return shlo_give(c, 0, tn_compare(b, TN_LT, x, tn_scalar_like(b, x, 0.5)));
    if (is_float && shlo_uniform(c, 0, &low) && low.f == 0 && shlo_uniform(c, 1, &high) &&
        high.f == 1)
        return shlo_give(c, 0, x);
    const tn_value first = tn_cast(b, shlo_in(c, 0), d), last = tn_cast(b, shlo_in(c, 1), d);
    if (is_normal)
        return shlo_give(c, 0, tn_add(b, tn_mul(b, x, last), first));
    const tn_value wide = tn_mul(b, x, tn_sub(b, last, first));
    const tn_value y = tn_add(b, wide, first);
    return shlo_give(c, 0, is_float ? y : tn_cast(b, tn_floor(b, y), t->dtype));
}

/* ---- words ---- */

/* N as an unsigned number of D. */
static tn_value number(tn_builder *b, tn_dtype d, uint64_t n)
{
    int64_t own;
    memcpy(&own, &n, sizeof own);
    return d == TN_UI64 ? tn_bitcast(b, tn_scalar_int(b, TN_SI64, own), d)
                        : tn_scalar_int(b, d, own);
}

/* X of ui64 or ui32 moved down, or up, by N bits. */
static tn_value down(tn_builder *b, tn_value x, tn_dtype d, uint64_t n)
{
    return tn_shift_right_logical(b, x, number(b, d, n));
}

static tn_value up(tn_builder *b, tn_value x, tn_dtype d, uint64_t n)
{
    return tn_shift_left(b, x, number(b, d, n));
}

static tn_value low_word(tn_builder *b, tn_value x)
{
    return tn_wrap(b, x, TN_UI32);
}

static tn_value high_word(tn_builder *b, tn_value x)
{
    return tn_wrap(b, down(b, x, TN_UI64, 32), TN_UI32);
}

/* LOW | HIGH << 32 */
static tn_value whole(tn_builder *b, tn_value low, tn_value high)
{
    const tn_value wide = tn_wrap(b, low, TN_UI64);
    const tn_value top = up(b, tn_wrap(b, high, TN_UI64), TN_UI64, 32);
    return tn_or(b, wide, top);
}

/* ---- the generators ---- */

/* X and Y, ui32 of one shape, become those of the block they number. */
static void threefry(tn_builder *b, tn_value k0, tn_value k1, tn_value *x, tn_value *y)
{
    static const uint64_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const tn_value parity = number(b, TN_UI32, 0x1BD11BDA);
    const tn_value keys[] = {k0, k1, tn_xor(b, tn_xor(b, k0, k1), parity)};
    *x = tn_add(b, *x, keys[0]);
    *y = tn_add(b, *y, keys[1]);
    for (uint32_t g = 0; g < 5; g++) {
        for (uint32_t i = 0; i < 4; i++) {
            const uint64_t r = rotations[g % 2][i];
            *x = tn_add(b, *x, *y);
            const tn_value left = up(b, *y, TN_UI32, r), right = down(b, *y, TN_UI32, 32 - r);
            *y = tn_xor(b, tn_or(b, left, right), *x);
        }
        *x = tn_add(b, *x, keys[(g + 1) % 3]);
        const tn_value more = tn_add(b, keys[(g + 2) % 3], number(b, TN_UI32, g + 1));
        *y = tn_add(b, *y, more);
    }
}

/* The product of X, ui32, and FACTOR: its words. */
static void product(tn_builder *b, tn_value x, uint64_t factor, tn_value *low, tn_value *high)
{
    const tn_value word = tn_wrap(b, x, TN_UI64);
    const tn_value wide = tn_mul(b, word, number(b, TN_UI64, factor));
    *low = low_word(b, wide);
    *high = high_word(b, wide);
}

static void philox(tn_builder *b, tn_value k0, tn_value k1, tn_value *x)
{
    for (uint32_t i = 0; i < 10; i++) {
        tn_value p_low, p_high, q_low, q_high;
        product(b, x[0], 0xD2511F53, &p_low, &p_high);
        product(b, x[2], 0xCD9E8D57, &q_low, &q_high);
        x[0] = tn_xor(b, tn_xor(b, q_high, x[1]), k0);
        x[1] = q_low;
        x[2] = tn_xor(b, tn_xor(b, p_high, x[3]), k1);
        x[3] = p_low;
        k0 = tn_add(b, k0, number(b, TN_UI32, 0x9E3779B9));
        k1 = tn_add(b, k1, number(b, TN_UI32, 0xBB67AE85));
    }
}

/* ---- where their words go ---- */

/* The state, part by part, and what is asked for. */
typedef struct bit_request {
    tn_value key, counter, high; /* ui64 of rank 0; high: of the counter of Philox */
    bool is_wide;                /* 64 bits an element */
    tn_ints shape;
    int64_t count;
    uint64_t blocks; /* that were used */
} bit_request;

/* The axis along which Threefry's two words alternate. */
static uint32_t paired_axis(tn_ints shape)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < shape.n; i++)
        if (shape.at[i] % 2 == 0)
            return i;
    for (uint32_t i = 1; i < shape.n; i++)
        if (shape.at[i] > shape.at[longest])
            longest = i;
    return longest;
}

/* Counters from Q's on, in SHAPE. */
static tn_value counters(tn_builder *b, const bit_request *q, tn_ints shape)
{
    int64_t count = 1;
    for (size_t i = 0; i < shape.n; i++)
        count *= shape.at[i];
    const tn_value places = tn_iota(b, TN_UI64, TN_INTS(count), 0);
    return tn_reshape(b, tn_add(b, places, q->counter), shape);
}

/* Words of 32 or 64 bits in Q's shape. */
static tn_value three_fry(shlo_call *c, bit_request *q)
{
    tn_builder *b = c->b;
    int64_t half[TN_MAX_RANK], pair[TN_MAX_RANK + 1];
    const uint32_t rank = (uint32_t)q->shape.n, axis = paired_axis(q->shape);
    for (uint32_t i = 0; i < rank; i++)
        half[i] = q->shape.at[i];
    if (!q->is_wide && rank)
        half[axis] = (half[axis] + 1) / 2;
    const tn_value v = counters(b, q, (tn_ints){half, rank});
    const tn_value k0 = low_word(b, q->key), k1 = high_word(b, q->key);
    tn_value words[] = {low_word(b, v), high_word(b, v)};
    threefry(b, k0, k1, &words[0], &words[1]);
    q->blocks = 1;
    for (uint32_t i = 0; i < rank; i++)
        q->blocks *= (uint64_t)half[i];
    if (q->is_wide)
        return whole(b, words[0], words[1]);
    if (rank == 0)
        return words[0];
    if (rank == TN_MAX_RANK) {
        (void)shlo_refuse(c, DIAG_RankMismatch, "the highest rank is %d", TN_MAX_RANK - 1);
        return tn_no_value();
    }
    for (uint32_t i = 0, n = 0; i < rank; i++) {
        pair[n++] = half[i];
        if (i == axis)
            pair[n++] = 1;
    }
    for (int i = 0; i < 2; i++)
        words[i] = tn_reshape(b, words[i], (tn_ints){pair, rank + 1});
    const tn_value both = tn_concat(b, (tn_values){words, 2}, axis + 1);
    half[axis] *= 2;
    const tn_value all = tn_reshape(b, both, (tn_ints){half, rank});
    return tn_slice_axis(b, all, axis, 0, q->shape.at[axis]);
}

static tn_value philox_words(shlo_call *c, bit_request *q)
{
    tn_builder *b = c->b;
    const int64_t each = q->is_wide ? 2 : 4, blocks = (q->count + each - 1) / each;
    const tn_value low = counters(b, q, TN_INTS(blocks));
    const tn_value carries = tn_compare(b, TN_LT, low, q->counter);
    const tn_value high = tn_add(b, tn_cast(b, carries, TN_UI64), q->high);
    const tn_value k0 = low_word(b, q->key), k1 = high_word(b, q->key);
    tn_value x[] = {low_word(b, low), high_word(b, low), low_word(b, high), high_word(b, high)};
    philox(b, k0, k1, x);
    q->blocks = (uint64_t)blocks;
    if (q->is_wide) {
        x[0] = whole(b, x[0], x[1]);
        x[1] = whole(b, x[2], x[3]);
    }
    for (int64_t i = 0; i < each; i++)
        x[i] = tn_reshape(b, x[i], TN_INTS(blocks, 1));
    const tn_value rows = tn_concat(b, (tn_values){x, (size_t)each}, 1);
    const tn_value line = tn_reshape(b, rows, TN_INTS(blocks * each));
    return tn_reshape(b, tn_slice_axis(b, line, 0, 0, q->count), q->shape);
}

/* WORDS, of 32 or 64 bits, as D. */
static tn_value as_numbers(tn_builder *b, tn_value words, tn_dtype d)
{
    const uint32_t bits = dtype_table[d].bits;
    const tn_dtype u = bits == 64 ? TN_UI64 : bits == 32 ? TN_UI32 : bits == 16 ? TN_UI16 : TN_UI8;
    return tn_bitcast(b, bits < 32 ? tn_wrap(b, words, u) : words, d);
}

static tn_value part_of(tn_builder *b, tn_value state, int64_t i)
{
    return tn_reshape(b, tn_slice_axis(b, state, 0, i, 1), (tn_ints){NULL, 0});
}

bool shlo_lower_rng_bit_generator(shlo_call *c)
{
    tn_builder *b = c->b;
    const mir_text word = shlo_word(c, "rng_algorithm");
    const type *s = shlo_in_type(c, 0);
    const type *t = shlo_static_type(c->r, shlo_out_type(c, 1), c->op->at);
    if (!s || !t)
        return false;
    const bool is_three_fry = mir_is(word, "THREE_FRY");
    if (!is_three_fry && !mir_is(word, "PHILOX") && !mir_is(word, "DEFAULT"))
        return shlo_refuse(c, DIAG_InvalidAttribute, "there is no algorithm '%.*s'",
                           MIR_TEXT(word));
    const uint32_t bits = dtype_table[t->dtype].bits;
    if (bits < 8 || bits > 64 || t->dtype == TN_I1 || dtype_is_complex(t->dtype))
        return shlo_refuse(c, DIAG_DTypeNotSupported, "it does not make bits of %s",
                           dtype_name(t->dtype));
    if (s->dtype != TN_UI64 || s->rank != 1 ||
        (s->dims[0] != 2 && (is_three_fry || s->dims[0] != 3)))
        return shlo_refuse(c, DIAG_ShapeMismatch,
                           "its state is a ui64[2], that of PHILOX also a "
                           "ui64[3]");
    const tn_value state = shlo_in(c, 0);
    bit_request q = {.is_wide = bits == 64, .shape = shlo_dims(t), .count = t->count};
    q.key = part_of(b, state, 0);
    q.counter = part_of(b, state, 1);
    q.high = s->dims[0] == 3 ? part_of(b, state, 2) : q.key;
    if (t->count == 0)
        return shlo_give(c, 0, state) && shlo_give(c, 1, tn_splat(b, t->dtype, q.shape, 0));
    const tn_value words = is_three_fry ? three_fry(c, &q) : philox_words(c, &q);
    const tn_value next = tn_add(b, q.counter, number(b, TN_UI64, q.blocks));
    const tn_value carries = tn_cast(b, tn_compare(b, TN_LT, next, q.counter), TN_UI64);
    tn_value parts[] = {q.key, next, tn_add(b, q.high, carries)};
    for (int i = 0; i < 3; i++)
        parts[i] = tn_reshape(b, parts[i], TN_INTS(1));
    const tn_value all = tn_concat(b, (tn_values){parts, (size_t)s->dims[0]}, 0);
    return shlo_give(c, 0, all) && shlo_give(c, 1, as_numbers(b, words, t->dtype));
}
