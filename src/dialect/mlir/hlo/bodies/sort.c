/* Sorting by any comparator: Batcher's bitonic network, of which the loop does one stage a turn. A
 * lane compares itself with its partner, and takes the other's elements when they are in the wrong
 * order. Ties go by where elements came from. */
#include "dialect/mlir/hlo/bodies/bodies.h"

enum { MOST_STAGES = 63 * 32 };

/* The distance to the partner, and the length of the runs being merged, of each stage for SIZE
 * lanes, a power of two. */
static uint32_t stages(int64_t size, int64_t *distance, int64_t *run)
{
    uint32_t n = 0;
    for (int64_t k = 2; k <= size; k *= 2)
        for (int64_t j = k / 2; j > 0; j /= 2, n++) {
            distance[n] = j;
            run[n] = k;
        }
    return n;
}

/* X, a vector with an entry for each lane, in SHAPE. */
static tn_value along(tn_builder *b, tn_value x, tn_ints shape)
{
    return tn_broadcast_axes(b, x, shape, TN_INTS(0));
}

/* Bit BIT of the vector LANES is 0. */
static tn_value is_clear(tn_builder *b, tn_value lanes, tn_value bit)
{
    const tn_value own = tn_and(b, lanes, bit);
    return tn_compare(b, TN_EQ, own, tn_scalar_int(b, TN_SI64, 0));
}

/* Of N inputs and their origin (the last of OWN and OTHER): does OWN come before OTHER? */
static bool precedes(shlo_call *c, const mir_region *region, const tn_value *own,
                     const tn_value *other, uint32_t n, tn_ints shape, int64_t length,
                     tn_value *out)
{
    tn_builder *b = c->b;
    tn_value less, more;
    tn_value *args = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)2 * n + 1);
    if (!args)
        return shlo_no_memory(c->r);
    for (uint32_t k = 0; k < n; k++) {
        args[2 * k] = own[k];
        args[2 * k + 1] = other[k];
    }
    if (!shlo_apply(c, region, args, shape, &less, 1))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        args[2 * k] = other[k];
        args[2 * k + 1] = own[k];
    }
    if (!shlo_apply(c, region, args, shape, &more, 1))
        return false;
    const tn_value end = tn_scalar_int(b, TN_SI64, length);
    const tn_value is_first = tn_compare(b, TN_LT, own[n], other[n]);
    const tn_value tied = tn_and(b, tn_not(b, more), is_first);
    const tn_value ordered = tn_or(b, less, tied);
    /* lanes behind the end come last, in any case */
    const tn_value beyond = tn_compare(b, TN_GE, own[n], end);
    const tn_value other_beyond = tn_compare(b, TN_GE, other[n], end);
    const tn_value last = tn_and(b, other_beyond, is_first);
    *out = tn_select(b, beyond, last, tn_or(b, other_beyond, ordered));
    return b->status == TN_OK;
}

/* Parameters: the inputs and their origins, captures; distance and run of a stage. */
static bool step(shlo_call *c, const mir_region *region, const shlo_captures *s,
                 const tn_value *carry, uint32_t n, const tn_value *slices, int64_t length,
                 tn_region *out)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, carry[0]);
    tn_value *own = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)2 * n + 2);
    tn_value *results = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)n + 1 + s->n);
    if (!own || !results)
        return shlo_no_memory(c->r);
    const tn_ints shape = shlo_dims(t);
    tn_value *other = own + n + 1, goes;
    tn_region_begin(b, NULL);
    for (uint32_t k = 0; k <= n; k++)
        own[k] = tn_param_like(b, carry[k]);
    shlo_enter(c, s, results + n + 1);
    const tn_value distance = tn_param_slice(b, slices[0]);
    const tn_value run = tn_param_slice(b, slices[1]);
    const tn_value lanes = tn_iota(b, TN_SI64, TN_INTS(t->dims[0]), 0);
    const tn_value spread = tn_broadcast(b, distance, TN_INTS(t->dims[0]));
    const tn_value partner = tn_xor(b, lanes, spread);
    for (uint32_t k = 0; k <= n; k++)
        other[k] = tn_take(b, own[k], partner);
    const bool ok = precedes(c, region, own, other, n, shape, length, &goes);
    if (ok) {
        const tn_value is_low = is_clear(b, lanes, spread);
        const tn_value runs = tn_broadcast(b, run, TN_INTS(t->dims[0]));
        const tn_value ascends = is_clear(b, lanes, runs);
        const tn_value wants_first = tn_not(b, tn_xor(b, is_low, ascends));
        const tn_value swaps = tn_xor(b, goes, along(b, wants_first, shape));
        for (uint32_t k = 0; k <= n; k++)
            results[k] = tn_select(b, swaps, other[k], own[k]);
        *out = tn_region_end(b, (tn_values){results, (size_t)n + 1 + s->n});
    } else {
        tn_region_discard(b);
    }
    shlo_leave(c, s);
    return ok && b->status == TN_OK;
}

/* X with SIZE instead of t->dims[0] lanes; what is in the others does not matter. */
static tn_value widened(shlo_call *c, tn_value x, int64_t size)
{
    int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
    const type *t = shlo_type_of(c, x);
    if (!t || t->dims[0] == size)
        return x;
    high[0] = size - t->dims[0];
    const scalar zero = {0};
    return shlo_padded(c, x, low, high, low, &zero, tn_no_value());
}

bool shlo_sorted(shlo_call *c, const mir_region *region, const tn_value *xs, uint32_t n,
                 tn_value *out)
{
    tn_builder *b = c->b;
    shlo_captures s;
    tn_region body;
    int64_t dims[TN_MAX_RANK];
    const type *t = shlo_type_of(c, xs[0]);
    if (!t || !shlo_capture(c, &s))
        return false;
    if (region->n_args != 2 * n)
        return shlo_refuse(c, DIAG_RegionSignature, "its region has two arguments for each input");
    const int64_t length = t->dims[0];
    int64_t size = 2;
    while (size < length)
        size *= 2;
    const size_t n_carry = (size_t)n + 1 + s.n;
    tn_value *carry = ARENA_ARRAY(&c->r->memory, tn_value, n_carry);
    tn_value *all = ARENA_ARRAY(&c->r->memory, tn_value, n_carry);
    int64_t *distance = ARENA_ARRAY(&c->r->memory, int64_t, MOST_STAGES);
    int64_t *run = ARENA_ARRAY(&c->r->memory, int64_t, MOST_STAGES);
    if (!carry || !all || !distance || !run)
        return shlo_no_memory(c->r);
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[0] = size;
    for (uint32_t k = 0; k < n; k++)
        carry[k] = widened(c, xs[k], size);
    carry[n] = tn_iota(b, TN_SI64, (tn_ints){dims, t->rank}, 0);
    for (uint32_t i = 0; i < s.n; i++)
        carry[n + 1 + i] = s.before[i].v;
    const uint32_t count = stages(size, distance, run);
    const tn_value slices[] = {tn_constant(b, TN_SI64, TN_INTS(count), distance),
                               tn_constant(b, TN_SI64, TN_INTS(count), run)};
    if (!step(c, region, &s, carry, n, slices, length, &body))
        return false;
    tn_scan(b, body, (tn_values){carry, n_carry}, (tn_values){slices, 2}, 0, all, n_carry);
    for (uint32_t k = 0; k < n; k++)
        out[k] = length == size ? all[k] : tn_slice_axis(b, all[k], 0, 0, length);
    return b->status == TN_OK;
}
