/* A reduction as a loop over what is reduced. */
#include "dialect/mlir/hlo/bodies/bodies.h"

/* X in the type of argument K of REGION. */
static tn_value as_argument(shlo_call *c, const mir_region *region, uint32_t k, tn_value x)
{
    return shlo_convert(c, x, region->args[k].type->dtype);
}

/* The body of the loop: parameters for accumulators and captures, then for an element of each. */
static bool step(shlo_call *c, const shlo_fold *f, const shlo_captures *s, const tn_value *carry,
                 const tn_value *xs, tn_ints shape, tn_region *out)
{
    const uint32_t n = f->n;
    tn_value *args = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)2 * n + 1);
    tn_value *results = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)2 * n + s->n + 1);
    if (!args || !results)
        return shlo_no_memory(c->r);
    tn_region_begin(c->b, NULL);
    for (uint32_t k = 0; k < n; k++)
        args[k] = tn_param_like(c->b, carry[k]);
    shlo_enter(c, s, results + n);
    for (uint32_t k = 0; k < n; k++)
        args[n + k] = tn_param_slice(c->b, xs[k]);
    const bool ok = shlo_apply(c, f->region, args, shape, results, n);
    for (uint32_t k = 0; k < n; k++)
        results[n + s->n + k] = results[k];
    if (ok)
        *out = tn_region_end(c->b, (tn_values){results, n + s->n + (f->stacks ? n : 0)});
    else
        tn_region_discard(c->b);
    shlo_leave(c, s);
    return ok && c->b->status == TN_OK;
}

bool shlo_folded(shlo_call *c, const shlo_fold *f, tn_value *out)
{
    tn_builder *b = c->b;
    shlo_captures s;
    tn_region body;
    const uint32_t n = f->n;
    const type *t = shlo_type_of(c, f->xs[0]);
    if (!t || f->region->n_args != 2 * n)
        return shlo_refuse(c, DIAG_RegionSignature, "its region has two arguments for each input");
    if (!shlo_capture(c, &s))
        return false;
    const tn_ints kept = {t->dims + 1, t->rank - 1};
    const size_t n_carry = (size_t)n + s.n, n_out = n_carry + (f->stacks ? n : 0);
    tn_value *carry = ARENA_ARRAY(&c->r->memory, tn_value, n_carry + 1);
    tn_value *xs = ARENA_ARRAY(&c->r->memory, tn_value, n + 1);
    tn_value *all = ARENA_ARRAY(&c->r->memory, tn_value, n_out + 1);
    if (!carry || !xs || !all)
        return shlo_no_memory(c->r);
    for (uint32_t k = 0; k < n; k++) {
        carry[k] = as_argument(c, f->region, k, f->init[k]);
        carry[k] = kept.n ? tn_broadcast(b, carry[k], kept) : carry[k];
        xs[k] = as_argument(c, f->region, n + k, f->xs[k]);
    }
    for (uint32_t i = 0; i < s.n; i++)
        carry[n + i] = s.before[i].v;
    if (t->dims[0] == 0) {
        memcpy(out, f->stacks ? xs : carry, n * sizeof *out);
        return b->status == TN_OK;
    }
    if (!step(c, f, &s, carry, xs, kept, &body))
        return false;
    tn_scan(b, body, (tn_values){carry, n_carry}, (tn_values){xs, n}, f->stacks ? n : 0, all,
            n_out);
    memcpy(out, f->stacks ? all + n_carry : all, n * sizeof *out);
    return b->status == TN_OK;
}

tn_value shlo_axes_in_front(shlo_call *c, tn_value x, const int64_t *axes, uint32_t n)
{
    int64_t perm[TN_MAX_RANK], dims[TN_MAX_RANK + 1] = {1};
    uint64_t is_front = 0;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    if (!type_is_static(t)) {
        (void)shlo_refuse(c, DIAG_ShapeUnknown, "it takes tensors of known extents");
        return tn_no_value();
    }
    uint32_t m = 0, rank = 1;
    for (uint32_t i = 0; i < n; i++)
        is_front |= UINT64_C(1) << axes[i];
    for (uint32_t i = 0; i < t->rank; i++)
        if (is_front >> i & 1) {
            dims[0] *= t->dims[i];
            perm[m++] = i;
        }
    for (uint32_t i = 0; i < t->rank; i++)
        if (!(is_front >> i & 1)) {
            dims[rank++] = t->dims[i];
            perm[m++] = i;
        }
    if (rank > TN_MAX_RANK) {
        (void)shlo_refuse(c, DIAG_RankMismatch, "the highest rank is %d", TN_MAX_RANK);
        return tn_no_value();
    }
    x = m ? tn_transpose(c->b, x, (tn_ints){perm, m}) : x;
    return tn_reshape(c->b, x, (tn_ints){dims, rank});
}
