/* A scatter as a loop over its updates. */
#include "dialect/mlir/hlo/bodies/bodies.h"

/* The loop's body. Parameters: the vectors, captures, a position, an update for each vector. */
static bool step(shlo_call *c, const mir_region *region, const shlo_captures *s,
                 const tn_value *carry, const tn_value *slices, uint32_t n, tn_region *out)
{
    tn_builder *b = c->b;
    tn_value *args = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)3 * n + 1);
    tn_value *results = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)n + s->n + 1);
    if (!args || !results)
        return shlo_no_memory(c->r);
    tn_value *vectors = args + 2 * n;
    tn_region_begin(b, NULL);
    for (uint32_t k = 0; k < n; k++)
        vectors[k] = tn_param_like(b, carry[k]);
    shlo_enter(c, s, results + n);
    const tn_value at = tn_reshape(b, tn_param_slice(b, slices[0]), TN_INTS(1));
    for (uint32_t k = 0; k < n; k++) {
        const tn_value here = tn_dynamic_slice(b, vectors[k], at, TN_INTS(1));
        args[k] = tn_reshape(b, here, (tn_ints){NULL, 0});
        args[k] = shlo_convert(c, args[k], region->args[k].type->dtype);
    }
    for (uint32_t k = 0; k < n; k++) {
        const tn_value update = tn_param_slice(b, slices[1 + k]);
        args[n + k] = shlo_convert(c, update, region->args[n + k].type->dtype);
    }
    bool ok = shlo_apply(c, region, args, (tn_ints){NULL, 0}, results, n);
    for (uint32_t k = 0; ok && k < n; k++) {
        const type *t = shlo_type_of(c, carry[k]);
        const tn_value own = shlo_convert(c, results[k], t ? t->dtype : TN_I1);
        const tn_value window = tn_reshape(b, own, TN_INTS(1));
        results[k] = tn_dynamic_update_slice(b, vectors[k], window, at);
    }
    if (ok)
        *out = tn_region_end(b, (tn_values){results, (size_t)n + s->n});
    else
        tn_region_discard(b);
    shlo_leave(c, s);
    return ok && b->status == TN_OK;
}

bool shlo_scattered(shlo_call *c, const mir_region *region, const tn_value *xs, tn_value at,
                    const tn_value *updates, uint32_t n, tn_value *out)
{
    shlo_captures s;
    tn_region body;
    if (region->n_args != 2 * n)
        return shlo_refuse(c, DIAG_RegionSignature, "its region has two arguments for each input");
    if (!shlo_capture(c, &s))
        return false;
    const size_t n_carry = (size_t)n + s.n;
    tn_value *carry = ARENA_ARRAY(&c->r->memory, tn_value, n_carry + 1);
    tn_value *slices = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)n + 1);
    tn_value *all = ARENA_ARRAY(&c->r->memory, tn_value, n_carry + 1);
    if (!carry || !slices || !all)
        return shlo_no_memory(c->r);
    memcpy(carry, xs, n * sizeof *carry);
    for (uint32_t i = 0; i < s.n; i++)
        carry[n + i] = s.before[i].v;
    slices[0] = at;
    memcpy(slices + 1, updates, n * sizeof *slices);
    if (!step(c, region, &s, carry, slices, n, &body))
        return false;
    tn_scan(c->b, body, (tn_values){carry, n_carry}, (tn_values){slices, (size_t)n + 1}, 0, all,
            n_carry);
    memcpy(out, all, n * sizeof *out);
    return c->b->status == TN_OK;
}
