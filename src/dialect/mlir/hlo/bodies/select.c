/* Which element of a line a region selects, two at a time. */
#include "dialect/mlir/hlo/bodies/bodies.h"

/* Parameters: the winner, its position, whether there is one, captures; an element, its position,
 * whether it counts. */
static bool step(shlo_call *c, const mir_region *region, const shlo_captures *s,
                 const tn_value *carry, const tn_value *slices, tn_ints shape, tn_region *out)
{
    tn_builder *b = c->b;
    tn_value own[3], other[3], keeps;
    tn_value *results = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)3 + s->n);
    if (!results)
        return shlo_no_memory(c->r);
    tn_region_begin(b, NULL);
    for (int i = 0; i < 3; i++)
        own[i] = tn_param_like(b, carry[i]);
    shlo_enter(c, s, results + 3);
    for (int i = 0; i < 3; i++)
        other[i] = tn_param_slice(b, slices[i]);
    const tn_value args[] = {own[0], other[0]};
    const bool ok = shlo_apply(c, region, args, shape, &keeps, 1);
    if (ok) {
        const tn_value stays = tn_and(b, own[2], keeps);
        const tn_value wins = tn_and(b, other[2], tn_not(b, stays));
        const tn_value at = shape.n ? tn_broadcast(b, other[1], shape) : other[1];
        results[0] = tn_select(b, wins, other[0], own[0]);
        results[1] = tn_select(b, wins, at, own[1]);
        results[2] = tn_or(b, own[2], other[2]);
        *out = tn_region_end(b, (tn_values){results, (size_t)3 + s->n});
    } else {
        tn_region_discard(b);
    }
    shlo_leave(c, s);
    return ok && b->status == TN_OK;
}

tn_value shlo_selected(shlo_call *c, const mir_region *region, tn_value x, tn_value valid)
{
    tn_builder *b = c->b;
    shlo_captures s;
    tn_region body;
    const type *t = shlo_type_of(c, x);
    if (!t || !shlo_capture(c, &s))
        return tn_no_value();
    if (region->n_args != 2) {
        (void)shlo_refuse(c, DIAG_RegionSignature, "its regions have two arguments");
        return tn_no_value();
    }
    const tn_ints kept = {t->dims + 1, t->rank - 1};
    tn_value *carry = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)3 + s.n);
    tn_value *all = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)3 + s.n);
    if (!carry || !all) {
        (void)shlo_no_memory(c->r);
        return tn_no_value();
    }
    carry[0] = tn_broadcast(b, tn_scalar_int(b, TN_SI64, 0), kept);
    carry[0] = tn_cast(b, carry[0], t->dtype);
    carry[1] = tn_broadcast(b, tn_scalar_int(b, TN_SI64, 0), kept);
    carry[2] = tn_broadcast(b, tn_scalar_int(b, TN_I1, 0), kept);
    for (uint32_t i = 0; i < s.n; i++)
        carry[3 + i] = s.before[i].v;
    const tn_value slices[] = {x, tn_iota(b, TN_SI64, TN_INTS(t->dims[0]), 0), valid};
    if (!step(c, region, &s, carry, slices, kept, &body))
        return tn_no_value();
    tn_scan(b, body, (tn_values){carry, (size_t)3 + s.n}, (tn_values){slices, 3}, 0, all,
            (size_t)3 + s.n);
    return tn_select(b, all[2], all[1], tn_scalar_int(b, TN_SI64, -1));
}
