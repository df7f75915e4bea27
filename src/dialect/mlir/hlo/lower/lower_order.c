/* Sorting. */
#include "dialect/mlir/hlo/bodies/bodies.h"
#include "dialect/mlir/hlo/lower.h"

/* What a value of a comparator is made from: bit K is set for argument K of it. Bits 62 and 63: a
 * selection is among the operations; something that cannot be looked into. */
static const uint64_t IS_SELECTED = UINT64_C(1) << 62, IS_OTHER = UINT64_C(1) << 63;

static uint64_t sources(const mir_region *region, const mir_value *v, uint32_t depth)
{
    enum { MOST_DEPTH = 8 };
    for (uint32_t i = 0; i < region->n_args; i++)
        if (v == &region->args[i])
            return i < 62 ? UINT64_C(1) << i : IS_OTHER;
    for (uint32_t i = 0; depth < MOST_DEPTH && i < region->n_ops; i++) {
        const mir_op *o = region->ops[i];
        if (o->n_out != 1 || &o->out[0] != v)
            continue;
        const bool is_select = mir_is(o->name, "stablehlo.select");
        if (!is_select && !mir_is(o->name, "stablehlo.compare") &&
            !mir_is(o->name, "stablehlo.constant"))
            return IS_OTHER;
        uint64_t all = is_select ? IS_SELECTED : 0;
        for (uint32_t k = 0; k < o->n_in; k++)
            all |= sources(region, o->in[k], depth + 1);
        return all;
    }
    return IS_OTHER;
}

/* The input that REGION compares by, and whether the largest comes first. -1: it is no such
 * comparison. JAX makes one zero and one NaN of each float before a comparison in total order. */
static int32_t key_of(const mir_region *region, bool *descending)
{
    const mir_op *last = region->n_ops ? region->ops[region->n_ops - 1] : NULL;
    const mir_op *o = NULL;
    if (region->n_ops > SHLO_MOST_BODY)
        return -1;
    for (uint32_t i = 0; last && last->n_in == 1 && i < region->n_ops; i++)
        if (region->ops[i]->n_out == 1 && &region->ops[i]->out[0] == last->in[0])
            o = region->ops[i];
    if (!o || !mir_is(o->name, "stablehlo.compare") || o->n_in != 2)
        return -1;
    const mir_attr *word = mir_attr_named(&o->attrs, "comparison_direction");
    const mir_attr *kind = mir_attr_named(&o->attrs, "compare_type");
    const bool is_total = kind && mir_is(shlo_word_of(kind), "TOTALORDER");
    const bool is_less = word && mir_is(shlo_word_of(word), "LT");
    if (!is_less && !(word && mir_is(shlo_word_of(word), "GT")))
        return -1;
    const uint64_t x = sources(region, o->in[0], 0), y = sources(region, o->in[1], 0);
    const uint64_t left = x & ~IS_SELECTED, right = y & ~IS_SELECTED;
    const bool is_selected = (x & y & IS_SELECTED) != 0;
    if (((x | y) & IS_OTHER) || is_selected != is_total || ((x ^ y) & IS_SELECTED))
        return -1;
    for (uint32_t k = 0; 2 * k + 1 < region->n_args; k++) {
        const uint64_t first = UINT64_C(1) << (2 * k), second = first << 1;
        if ((left != first || right != second) && (left != second || right != first))
            continue;
        *descending = is_less == (left == second);
        return is_total && *descending ? -1 : (int32_t)k;
    }
    return -1;
}

/* The same of a comparison that Tenon wrote, in which NaN comes last. */
static int32_t own_key(const mir_region *region, bool *descending)
{
    const mir_op *last = region->n_ops ? region->ops[region->n_ops - 1] : NULL;
    if (region->n_ops > SHLO_MOST_BODY || !last || last->n_in != 1)
        return -1;
    for (uint32_t k = 0; 2 * k + 1 < region->n_args; k++) {
        const mir_value *args[] = {&region->args[2 * k], &region->args[2 * k + 1]};
        static const char *const orders[] = {
            "(or (compare.LT a b) (and (compare.NE b b) (compare.EQ a a)))",
            "(or (compare.GT a b) (and (compare.NE b b) (compare.EQ a a)))"};
        for (int i = 0; i < 2; i++)
            if (shlo_matches(region, last->in[0], orders[i], args)) {
                *descending = i == 1;
                return (int32_t)k;
            }
    }
    return -1;
}

/* By one of the inputs, KEY. */
static bool sort_by_key(shlo_call *c, uint32_t key, int64_t axis, bool descending)
{
    const uint32_t n = c->op->n_in;
    tn_value in[32], out[32];
    in[0] = shlo_in(c, key);
    for (uint32_t k = 0, m = 1; k < n; k++)
        if (k != key)
            in[m++] = shlo_in(c, k);
    tn_sort(c->b, (tn_values){in, n}, axis, descending, out);
    bool ok = shlo_give(c, key, out[0]);
    for (uint32_t k = 0, m = 1; k < n; k++)
        if (k != key)
            ok = shlo_give(c, k, out[m++]) && ok;
    return ok;
}

/* By the region. */
static bool sort_by_region(shlo_call *c, int64_t axis, uint32_t rank)
{
    const uint32_t n = c->op->n_in;
    int64_t perm[TN_MAX_RANK];
    tn_value *xs = ARENA_ARRAY(&c->r->memory, tn_value, n);
    if (!xs)
        return shlo_no_memory(c->r);
    for (uint32_t i = 0; i < rank; i++) /* exchanges the first axis and AXIS */
        perm[i] = i == 0 ? axis : (int64_t)i == axis ? 0 : i;
    for (uint32_t k = 0; k < n; k++)
        xs[k] = tn_transpose(c->b, shlo_in(c, k), (tn_ints){perm, rank});
    bool ok = shlo_sorted(c, &c->op->regions[0], xs, n, xs);
    for (uint32_t k = 0; ok && k < n; k++)
        ok = shlo_give(c, k, tn_transpose(c->b, xs[k], (tn_ints){perm, rank}));
    return ok;
}

bool shlo_lower_sort(shlo_call *c)
{
    const uint32_t n = c->op->n_in;
    int64_t axis;
    bool descending = false;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_int(c, "dimension", -1, &axis) || !shlo_same_shape(c, 0))
        return false;
    if (c->op->n_out != n || c->op->regions[0].n_args != 2 * n)
        return shlo_refuse(c, DIAG_RegionSignature,
                           "it has as many results as operands, and two "
                           "arguments of its region for each");
    axis += axis < 0 ? (int64_t)t->rank : 0;
    if (!shlo_are_axes(c, "dimension", &axis, 1, t->rank))
        return false;
    int32_t key = n <= 30 ? key_of(&c->op->regions[0], &descending) : -1;
    if (key < 0 && n <= 30)
        key = own_key(&c->op->regions[0], &descending);
    const type *own = key >= 0 ? shlo_in_type(c, (uint32_t)key) : NULL;
    if (own && !dtype_is_complex(own->dtype))
        return sort_by_key(c, (uint32_t)key, axis, descending);
    return type_is_static(t) ? sort_by_region(c, axis, t->rank)
                             : shlo_refuse_body(c, &c->op->regions[0]);
}

bool shlo_lower_top_k(shlo_call *c)
{
    int64_t k;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_int(c, "k", 1, &k))
        return false;
    const int64_t axis = (int64_t)t->rank - 1;
    const tn_value x = shlo_in(c, 0);
    const bool is_float = dtype_is_float(t->dtype);
    const tn_value key = is_float ? shlo_order_key(c, x) : x;
    tn_top top = tn_top_k(c->b, key, k, axis, true, TN_SI32);
    if (is_float)
        top.values = tn_gather(c->b, x, top.indices, axis);
    const bool ok = shlo_give(c, 0, top.values);
    return shlo_give(c, 1, top.indices) && ok;
}
