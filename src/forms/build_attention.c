/* Composed forms: attention and rotary embeddings. */
#include "forms/forms.h"

#include <inttypes.h>
#include <math.h>

#include "base/text/text.h"
#include "scalar/math.h"

/* ---- attention ------------------------------------------------------------------------------ */

/* The extents of one attention; any of them but h and g may be symbolic. */
typedef struct heads {
    dim b, h, s, d;
    dim g, t, e;
} heads;

static bool read_heads(tn_builder *b, tn_value q, tn_value k, tn_value v, heads *out)
{
    const char *form = "attention";
    const type *tq = form_operand(b, form, q), *tk = form_operand(b, form, k);
    const type *tv = form_operand(b, form, v);
    if (!tq || !tk || !tv)
        return false;
    if (tq->rank != 4 || tk->rank != 4 || tv->rank != 4) {
        builder_fail(b, DIAG_RankMismatch, form,
                     "'attention' takes tensors of rank 4, not %" PRIu32 ", %" PRIu32 ", %" PRIu32,
                     tq->rank, tk->rank, tv->rank);
        return false;
    }
    *out = (heads){tq->dims[0], tq->dims[1], tq->dims[2], tq->dims[3],
                   tk->dims[1], tk->dims[2], tv->dims[3]};
    if (out->h <= 0 || out->g <= 0 || out->h % out->g != 0) {
        builder_fail(b, DIAG_DimensionMismatch, form,
                     "%" PRId64 " query head%s cannot share %" PRId64 " key head%s evenly", out->h,
                     plural((uint64_t)out->h), out->g, plural((uint64_t)out->g));
        return false;
    }
    return true;
}

/* The dot products of queries and keys, [B, H, S, T], as the contract of PTIR writes them. With
 * fewer key heads the queries of each group are one matrix. */
static tn_value score(tn_builder *b, const heads *n, tn_value q, tn_value k)
{
    const type *t = builder_type(b, q);
    tn_value keys = tn_transpose(b, k, TN_INTS(0, 1, 3, 2));
    tn_dtype d = t ? dtype_compute(t->dtype) : TN_F32;
    if (n->g == n->h)
        return tn_dot_general(b, q, keys, TN_INTS(0, 1), TN_INTS(0, 1), TN_INTS(3), TN_INTS(2), d,
                              d);
    q = tn_reshape(b, q, TN_INTS(n->b, n->g, n->h / n->g, n->s, n->d));
    tn_value scores =
        tn_dot_general(b, q, keys, TN_INTS(0, 1), TN_INTS(0, 1), TN_INTS(4), TN_INTS(2), d, d);
    return tn_reshape(b, scores, TN_INTS(n->b, n->h, n->s, n->t));
}

static tn_value weighted(tn_builder *b, const heads *n, tn_value p, tn_value v)
{
    const type *tp = builder_type(b, p), *tv = builder_type(b, v);
    if (!tp || !tv)
        return tn_no_value();
    tn_dtype d = tp->dtype, out = tv->dtype;
    v = tn_cast(b, v, d);
    if (n->g == n->h)
        return tn_dot_general(b, p, v, TN_INTS(0, 1), TN_INTS(0, 1), TN_INTS(3), TN_INTS(2), d,
                              out);
    p = tn_reshape(b, p, TN_INTS(n->b, n->g, n->h / n->g, n->s, n->t));
    tn_value y =
        tn_dot_general(b, p, v, TN_INTS(0, 1), TN_INTS(0, 1), TN_INTS(4), TN_INTS(2), d, out);
    return tn_reshape(b, y, TN_INTS(n->b, n->h, n->s, n->e));
}

/* The extent N as a scalar: a number, or ones that are counted once it has one. */
static tn_value extent_as_value(tn_builder *b, int64_t n)
{
    if (!dim_is_symbolic(n))
        return tn_scalar_int(b, TN_SI32, n);
    tn_value one = tn_scalar_int(b, TN_SI32, 1);
    tn_value ones = tn_broadcast(b, one, TN_INTS(n));
    return tn_sum(b, ones, TN_INTS(0), false);
}

/* Where query 0 stands among the keys, as a scalar. */
static tn_value first_position(tn_builder *b, const heads *n, const tn_attention *o)
{
    if (tn_is_value(o->first))
        return o->first;
    if (n->s == n->t)
        return tn_scalar_int(b, TN_SI32, 0);
    if (dim_is_symbolic(n->s) || dim_is_symbolic(n->t)) {
        tn_value keys = extent_as_value(b, n->t);
        tn_value queries = extent_as_value(b, n->s);
        return tn_sub(b, keys, queries);
    }
    if (n->s < n->t)
        return tn_scalar_int(b, TN_SI32, n->t - n->s);
    builder_fail(b, DIAG_CannotInfer, "attention",
                 "the position of the first query among the keys does not follow from the shapes; "
                 "give it as an operand");
    return tn_no_value();
}

/* [S, T]: 0 where the key is not after the query, else -inf. */
static tn_value causal_mask(tn_builder *b, const heads *n, const tn_attention *o, tn_dtype d)
{
    tn_value first = first_position(b, n, o);
    const type *t = builder_type(b, first);
    if (!t)
        return tn_no_value();
    tn_value row = tn_add(b, tn_iota(b, t->dtype, TN_INTS(n->s, 1), 0), first);
    tn_value column = tn_iota(b, t->dtype, TN_INTS(1, n->t), 1);
    tn_value seen = tn_compare(b, TN_LE, column, row);
    const tn_value zero = tn_scalar(b, d, 0), out = tn_scalar(b, d, -HUGE_VAL);
    return tn_select(b, seen, zero, out);
}

static double scale_of(tn_builder *b, const heads *n, const tn_attention *o)
{
    if (o->scale != 0)
        return o->scale;
    if (n->d > 0)
        return 1 / sqrt((double)n->d);
    builder_fail(b, DIAG_CannotInfer, "attention",
                 "the scale does not follow from a symbolic or empty width; give it");
    return 1;
}

tn_value form_attention(tn_builder *b, tn_value q, tn_value k, tn_value v,
                        const tn_attention *options, double cap, form_scores *shown)
{
    tn_attention o;
    form_scores all = {0};
    heads n;
    if (!read_heads(b, q, k, v, &n) ||
        !FORM_OPTIONS(b, "attention", tn_attention, mask, &o, options))
        return tn_no_value();
    const tn_value products = score(b, &n, q, k);
    all.scaled = form_scaled(b, products, scale_of(b, &n, &o));
    all.capped = all.scaled;
    if (cap != 0)
        all.capped = form_scaled(b, tn_tanh(b, form_scaled(b, all.scaled, 1 / cap)), cap);
    all.masked = all.capped;
    const type *t = builder_type(b, all.masked);
    if (o.causal && t)
        all.masked = tn_add(b, all.masked, causal_mask(b, &n, &o, t->dtype));
    if (tn_is_value(o.mask) && t)
        all.masked = tn_add(b, all.masked, tn_cast(b, o.mask, t->dtype));
    all.shares = tn_nn_softmax(b, all.masked, -1);
    if (shown)
        *shown = all;
    return weighted(b, &n, all.shares, v);
}

tn_value tn_nn_attention(tn_builder *b, tn_value q, tn_value k, tn_value v,
                         const tn_attention *options)
{
    return form_attention(b, q, k, v, options, 0, NULL);
}

/* ---- rotary embeddings ---------------------------------------------------------------------- */

/* FN of N numbers, by the library's own expansion, so that tables have the same bits everywhere. */
static bool apply(arena *scratch, math_fn fn, const double *x, const double *y, double *out,
                  size_t n)
{
    const scalar_program *p = scalar_math_program(scratch, fn, SCALAR_F64);
    const void *args[] = {x, y};
    if (p)
        scalar_run(p, args, out, n);
    return p != NULL;
}

/* ANGLES (made here) for N = positions * HALF elements in SCRATCH. */
static double *make_angles(arena *scratch, size_t positions, size_t half, double base)
{
    double *exponents = ARENA_ARRAY(scratch, double, half);
    double *bases = ARENA_ARRAY(scratch, double, half);
    double *speeds = ARENA_ARRAY(scratch, double, half);
    double *angles = ARENA_ARRAY(scratch, double, positions *half);
    if (!exponents || !bases || !speeds || !angles)
        return NULL;
    for (size_t i = 0; i < half; i++) {
        exponents[i] = -(double)i / (double)half;
        bases[i] = base;
    }
    if (!apply(scratch, MATH_POW, bases, exponents, speeds, half))
        return NULL;
    for (size_t p = 0; p < positions; p++)
        for (size_t i = 0; i < half; i++)
            angles[p * half + i] = (double)p * speeds[i];
    return angles;
}

static tn_value table(tn_builder *b, arena *scratch, tn_dtype dtype, math_fn fn,
                      const double *angles, int64_t positions, int64_t half)
{
    size_t n = (size_t)(positions * half);
    double *values = ARENA_ARRAY(scratch, double, n);
    void *stored = arena_calloc(scratch, n, dtype_bytes(dtype));
    if (!values || !stored || !apply(scratch, fn, angles, NULL, values, n)) {
        builder_no_memory(b);
        return tn_no_value();
    }
    (void)dtype_cast(TN_F64, values, dtype, stored, n);
    return tn_constant(b, dtype, TN_INTS(positions, half), stored);
}

tn_rotary tn_nn_rotary_tables(tn_builder *b, tn_dtype dtype, int64_t positions, int64_t width,
                              double base)
{
    const char *form = "rotary_tables";
    tn_rotary none = {tn_no_value(), tn_no_value()};
    const int64_t most = 1 << 26; /* entries: 512 MiB of doubles */
    if (!builder_dtype(b, form, dtype))
        return none;
    if (!dtype_is_float(dtype)) {
        builder_fail(b, DIAG_DTypeNotSupported, form, "angles are floats, not %s",
                     dtype_name(dtype));
        return none;
    }
    if (positions < 0 || width < 2 || width % 2 != 0 || !(base > 0) ||
        positions > most / (width / 2)) {
        builder_fail(b, DIAG_InvalidAttribute, form,
                     "%" PRId64 " position%s of width %" PRId64 ", which must be even, and base %g",
                     positions, plural((uint64_t)positions), width, base);
        return none;
    }
    arena scratch;
    arena_init(&scratch, &b->cx->allocator);
    double *angles = make_angles(&scratch, (size_t)positions, (size_t)(width / 2), base);
    tn_rotary r = none;
    if (angles) {
        r.cos = table(b, &scratch, dtype, MATH_COS, angles, positions, width / 2);
        r.sin = table(b, &scratch, dtype, MATH_SIN, angles, positions, width / 2);
    } else {
        builder_no_memory(b);
    }
    arena_release(&scratch);
    return r;
}

/* The two elements of each pair, as tensors [.., D / 2]. */
typedef struct rotary_pair {
    tn_value first, second;
} rotary_pair;

/* X[.., D] as [.., D / 2, 2]; DIMS has room for that. */
static tn_value neighbours(tn_builder *b, tn_value x, const type *t, int64_t *dims)
{
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[t->rank - 1] /= 2;
    dims[t->rank] = 2;
    return tn_reshape(b, x, (tn_ints){dims, t->rank + 1});
}

tn_value tn_nn_rotary(tn_builder *b, tn_value x, tn_rotary angles, tn_rotary_pairs pairs)
{
    const char *form = "rotary";
    int64_t dims[TN_MAX_RANK + 1];
    const type *t = form_operand(b, form, x);
    if (!t)
        return tn_no_value();
    int64_t width = t->rank ? t->dims[t->rank - 1] : 0;
    if (width < 2 || width % 2 != 0 || t->rank >= TN_MAX_RANK) {
        builder_fail(b, DIAG_InvalidDimension, form,
                     "the last axis must have a known, even extent");
        return tn_no_value();
    }
    tn_value wide = form_wide(b, form, x), one, two;
    tn_value cos = form_wide(b, form, angles.cos), sin = form_wide(b, form, angles.sin);
    if (pairs == TN_ROTARY_HALVES) {
        one = tn_slice_axis(b, wide, -1, 0, width / 2);
        two = tn_slice_axis(b, wide, -1, width / 2, width / 2);
    } else {
        tn_value split = neighbours(b, wide, t, dims);
        tn_ints half = {dims, t->rank};
        one = tn_reshape(b, tn_slice_axis(b, split, -1, 0, 1), half);
        two = tn_reshape(b, tn_slice_axis(b, split, -1, 1, 1), half);
    }
    const tn_value one_cos = tn_mul(b, one, cos), two_sin = tn_mul(b, two, sin);
    tn_value rotated_one = tn_sub(b, one_cos, two_sin);
    const tn_value two_cos = tn_mul(b, two, cos), one_sin = tn_mul(b, one, sin);
    tn_value rotated_two = tn_add(b, two_cos, one_sin);
    tn_value y;
    if (pairs == TN_ROTARY_HALVES) {
        y = tn_concat(b, TN_VALUES(rotated_one, rotated_two), -1);
    } else {
        dims[t->rank] = 1;
        tn_ints column = {dims, t->rank + 1};
        rotated_one = tn_reshape(b, rotated_one, column);
        rotated_two = tn_reshape(b, rotated_two, column);
        y = tn_concat(b, TN_VALUES(rotated_one, rotated_two), -1);
        y = tn_reshape(b, y, (tn_ints){t->dims, t->rank});
    }
    return is_building(b) ? tn_cast(b, y, t->dtype) : tn_no_value();
}
