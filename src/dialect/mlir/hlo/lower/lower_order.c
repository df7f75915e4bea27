/* Sorting. */
#include "dialect/mlir/hlo/bodies/bodies.h"
#include "dialect/mlir/hlo/lower.h"

#include <math.h>

/* Is the comparison O in the direction WORD, in total order or not? */
static bool compares(const mir_op *o, const char *word, bool is_total)
{
    const mir_attr *a = mir_attr_named(&o->attrs, "comparison_direction");
    const mir_attr *kind = mir_attr_named(&o->attrs, "compare_type");
    return a && mir_is(shlo_word_of(a), word) &&
           (kind && mir_is(shlo_word_of(kind), "TOTALORDER")) == is_total;
}

/* Is V the constant 0, of either sign, or NaN, which is then the largest in total order? */
static bool is_float(shlo_call *c, const mir_region *region, const mir_value *v, bool is_nan)
{
    const mir_op *o = shlo_made_by(region, v, "stablehlo.constant", 0);
    const mir_attr *a = o ? mir_attr_named(&o->attrs, "value") : NULL;
    const type *t = a && a->kind == MIR_DENSE ? shlo_static_type(c->r, a->type, o->at) : NULL;
    literal l;
    if (!t || !dtype_is_float(t->dtype) || !shlo_dense(c->r, a, t, o->at, &l) || t->count != 1)
        return false;
    const double x = scalar_load(t->dtype, l.data).f;
    return is_nan ? isnan(x) && !signbit(x) : x == 0;
}

/* Is V the argument X with one zero and one NaN, as JAX makes floats before it compares them in
 * total order? */
static bool is_float_key(shlo_call *c, const mir_region *region, const mir_value *v,
                         const mir_value *x)
{
    bool has_zero = false, has_nan = false;
    while (v != x) {
        const mir_op *o = shlo_made_by(region, v, "stablehlo.select", 3);
        const mir_op *test = o ? shlo_made_by(region, o->in[0], "stablehlo.compare", 2) : NULL;
        if (!test || test->in[0] != x)
            return false;
        if (compares(test, "EQ", false) && is_float(c, region, test->in[1], false) &&
            is_float(c, region, o->in[1], false))
            has_zero = true;
        else if (compares(test, "NE", false) && test->in[1] == x &&
                 is_float(c, region, o->in[1], true))
            has_nan = true;
        else
            return false;
        v = o->in[2];
    }
    return has_zero && has_nan;
}

/* The input that REGION compares by, and whether the largest comes first. -1: it is no such
 * comparison. */
static int32_t key_of(shlo_call *c, const mir_region *region, bool *descending)
{
    const mir_op *last = region->n_ops ? region->ops[region->n_ops - 1] : NULL;
    if (region->n_ops > SHLO_MOST_BODY || !last || last->n_in != 1)
        return -1;
    const mir_op *o = shlo_made_by(region, last->in[0], "stablehlo.compare", 2);
    if (!o)
        return -1;
    const bool is_total = compares(o, "LT", true), is_less = is_total || compares(o, "LT", false);
    if (!is_less && !compares(o, "GT", false))
        return -1;
    for (uint32_t k = 0; 2 * k + 1 < region->n_args; k++) {
        const mir_value *a = &region->args[2 * k], *b = &region->args[2 * k + 1];
        for (int i = 0; i < 2; i++) {
            const mir_value *x = o->in[i], *y = o->in[1 - i];
            if (is_total ? !is_float_key(c, region, x, a) || !is_float_key(c, region, y, b)
                         : x != a || y != b)
                continue;
            *descending = is_less == (i == 1);
            return is_total && *descending ? -1 : (int32_t)k;
        }
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
    if (c->op->n_out != n)
        return shlo_refuse(c, DIAG_ArityMismatch, "it has as many results as operands");
    if (!shlo_takes_each(c, &c->op->regions[0], 0, n, 2))
        return false;
    axis += axis < 0 ? (int64_t)t->rank : 0;
    if (!shlo_are_axes(c, "dimension", &axis, 1, t->rank))
        return false;
    int32_t key = n <= 30 ? key_of(c, &c->op->regions[0], &descending) : -1;
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
