/* Reductions. */
#include "dialect/mlir/hlo/lower.h"

#include <math.h>

/* Does any element of X over AXES hold? X is i1. */
static tn_value any(tn_builder *b, tn_value x, tn_ints axes)
{
    return tn_reduce_max(b, x, axes, false);
}

/* Sums modulo 2 of the bits: one of each, put together again. */
static tn_value parity(shlo_call *c, tn_value x, tn_ints axes, tn_dtype d)
{
    tn_builder *b = c->b;
    tn_value all = tn_no_value();
    const uint32_t bits = dtype_table[d].bits;
    for (uint32_t i = 0; i < bits; i++) {
        const tn_value place = tn_scalar_int(b, d, (int64_t)i);
        const tn_value low = tn_shift_right_logical(b, x, place);
        const tn_value bit = tn_and(b, low, tn_scalar_int(b, d, 1));
        const tn_value sum = tn_reduce(b, TN_REDUCE_SUM, bit, axes, false, d, d, NULL);
        const tn_value own = tn_and(b, sum, tn_scalar_int(b, d, 1));
        const tn_value set = tn_shift_left(b, own, place);
        all = i ? tn_or(b, all, set) : set;
    }
    return all;
}

/* A bit of the result is set when it is in all (and), or in any (or), of the elements. */
static tn_value bitwise(shlo_call *c, tn_value x, tn_ints axes, tn_dtype d, bool is_and)
{
    tn_builder *b = c->b;
    tn_value all = tn_no_value();
    for (uint32_t i = 0; i < dtype_table[d].bits; i++) {
        const tn_value place = tn_scalar_int(b, d, (int64_t)i);
        const tn_value low = tn_shift_right_logical(b, x, place);
        const tn_value bit = tn_cast(b, tn_and(b, low, tn_scalar_int(b, d, 1)), TN_I1);
        const tn_value found = is_and ? tn_reduce_min(b, bit, axes, false) : any(b, bit, axes);
        const tn_value set = tn_shift_left(b, tn_cast(b, found, d), place);
        all = i ? tn_or(b, all, set) : set;
    }
    return all;
}

/* The largest or smallest; NaN where there is one. */
static tn_value extreme(shlo_call *c, tn_value x, tn_ints axes, tn_dtype d, bool is_max)
{
    tn_builder *b = c->b;
    const tn_value best =
        is_max ? tn_reduce_max(b, x, axes, false) : tn_reduce_min(b, x, axes, false);
    if (!dtype_is_float(d))
        return best;
    const tn_value has_nan = any(b, tn_is_nan(b, x), axes);
    return tn_select(b, has_nan, tn_scalar_like(b, best, (double)NAN), best);
}

tn_value shlo_reduced(shlo_call *c, shlo_combine how, tn_value x, tn_ints axes)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t || axes.n == 0)
        return x;
    const tn_dtype d = t->dtype;
    const bool is_truth = d == TN_I1;
    switch (how) {
    case SHLO_ADD:
        return is_truth ? any(b, x, axes)
                        : tn_reduce(b, TN_REDUCE_SUM, x, axes, false,
                                    dtype_is_int(d) ? d : TN_DTYPE_DEFAULT,
                                    dtype_is_int(d) ? d : TN_DTYPE_DEFAULT, NULL);
    case SHLO_MULTIPLY:
        return is_truth ? tn_reduce_min(b, x, axes, false)
                        : tn_reduce(b, TN_REDUCE_PROD, x, axes, false,
                                    dtype_is_int(d) ? d : TN_DTYPE_DEFAULT,
                                    dtype_is_int(d) ? d : TN_DTYPE_DEFAULT, NULL);
    case SHLO_MAXIMUM:
    case SHLO_MINIMUM:
        return extreme(c, x, axes, d, how == SHLO_MAXIMUM);
    case SHLO_AND:
        return is_truth ? tn_reduce_min(b, x, axes, false) : bitwise(c, x, axes, d, true);
    case SHLO_OR:
        return is_truth ? any(b, x, axes) : bitwise(c, x, axes, d, false);
    case SHLO_XOR:
        if (!is_truth)
            return parity(c, x, axes, d);
        return tn_cast(b, parity(c, tn_cast(b, x, TN_UI32), axes, TN_UI32), TN_I1);
    case SHLO_FIRST:
    case SHLO_SECOND:
    case SHLO_SUBTRACT:
    case SHLO_OTHER:
        break;
    }
    return tn_no_value();
}

/* ---- argmax, argmin ---- */

/* The one operation NAME in REGION; NULL: there are others, or none. */
static const mir_op *only(const mir_region *region, const char *name, const char *word)
{
    const mir_op *found = NULL;
    for (uint32_t i = 0; i < region->n_ops; i++) {
        const mir_op *o = region->ops[i];
        const mir_attr *a = mir_attr_named(&o->attrs, "comparison_direction");
        if (!mir_is(o->name, name) || (word && !(a && mir_is(shlo_word_of(a), word))))
            continue;
        if (found)
            return NULL;
        found = o;
    }
    return found;
}

/* Is REGION the body of an argmax (+1) or argmin (-1), as JAX writes it? 0: neither. With
 * accumulators (a, i) and elements (x, k): p = a GT x, or a is NaN; ties go to the lower index. */
static int arg_body(const mir_region *region)
{
    if (region->n_args != 4 || region->n_ops < 3 || region->n_ops > SHLO_MOST_BODY)
        return 0;
    const mir_value *a = &region->args[0], *i = &region->args[1], *x = &region->args[2],
                    *k = &region->args[3];
    const mir_op *last = region->ops[region->n_ops - 1];
    const mir_op *greater = only(region, "stablehlo.compare", "GT");
    const mir_op *equal = only(region, "stablehlo.compare", "EQ");
    const mir_op *less = NULL;
    for (uint32_t j = 0; j < region->n_ops; j++) {
        const mir_op *o = region->ops[j];
        if (mir_is(o->name, "stablehlo.compare") && o->n_in == 2 && o->in[0] == i && o->in[1] == k)
            less = o;
        if (mir_is(o->name, "stablehlo.compare") && o->n_in == 2 && o->in[0] == a &&
            o->in[1] == x &&
            mir_is(shlo_word_of(mir_attr_named(&o->attrs, "comparison_direction")), "LT"))
            greater = greater ? greater : o;
    }
    if (!greater || !equal || !less || greater->n_in != 2 || equal->n_in != 2 ||
        greater->in[0] != a || greater->in[1] != x || equal->in[0] != a || equal->in[1] != x ||
        !mir_is(shlo_word_of(mir_attr_named(&less->attrs, "comparison_direction")), "LT") ||
        last->n_in != 2)
        return 0;
    for (uint32_t j = 0; j + 1 < region->n_ops; j++) { /* nothing else is computed */
        const mir_text name = region->ops[j]->name;
        if (!mir_is(name, "stablehlo.compare") && !mir_is(name, "stablehlo.select") &&
            !mir_is(name, "stablehlo.or") && !mir_is(name, "stablehlo.and"))
            return 0;
    }
    const mir_attr *word = mir_attr_named(&greater->attrs, "comparison_direction");
    return mir_is(shlo_word_of(word), "GT") ? 1 : -1;
}

/* The position of the first largest (SIGN 1) or smallest element; the first NaN wins. */
static tn_value arg_of(shlo_call *c, tn_value x, int64_t axis, int sign, tn_dtype d, tn_dtype index)
{
    tn_builder *b = c->b;
    tn_value key = x;
    if (sign < 0)
        key = dtype_is_float(d) ? tn_neg(b, x) : tn_not(b, x);
    const tn_value best = tn_arg_max(b, key, axis, false, index);
    if (!dtype_is_float(d))
        return best;
    const tn_value is_nan = tn_is_nan(b, x);
    const tn_value has_nan = any(b, is_nan, TN_INTS(axis));
    const tn_value first = tn_arg_max(b, tn_cast(b, is_nan, TN_UI8), axis, false, index);
    return tn_select(b, has_nan, first, best);
}

/* Is operand K an iota along AXIS? Then positions are what argmax counts. */
static bool is_iota(shlo_call *c, uint32_t k, int64_t axis)
{
    const tn_value v = shlo_in(c, k);
    if (!tn_is_value(v))
        return false;
    const node *n = node_of(current_function(c->b), v.id);
    if (n->op == OP_BROADCAST) { /* of an iota of rank 1 */
        uint32_t count;
        const int64_t *dims = attr_ints(n->attrs, KEY_DIMS, &count);
        n = node_of(current_function(c->b), n->in[0]);
        return n->op == OP_IOTA && count == 1 && dims[0] == axis;
    }
    return n->op == OP_IOTA && attr_int(n->attrs, KEY_AXIS, -1) == axis;
}

static bool lower_arg(shlo_call *c, int sign, const int64_t *axes, uint32_t n)
{
    const type *t = shlo_in_type(c, 0), *index = shlo_in_type(c, 1);
    if (!t || !index)
        return false;
    if (n != 1 || !is_iota(c, 1, axes[0]) || !dtype_is_int(index->dtype))
        return shlo_refuse(c, DIAG_NotImplemented, "its second operand is no iota along one axis");
    const tn_dtype narrow = index->dtype == TN_SI32 ? TN_SI32 : TN_SI64;
    const tn_value x = shlo_in(c, 0);
    const tn_value best =
        shlo_reduced(c, sign > 0 ? SHLO_MAXIMUM : SHLO_MINIMUM, x, (tn_ints){axes, 1});
    const tn_value at = arg_of(c, x, axes[0], sign, t->dtype, narrow);
    const bool ok = shlo_give(c, 0, best);
    return shlo_give(c, 1, tn_cast(c->b, at, index->dtype)) && ok;
}

/* ---- reduce ---- */

/* Result K: the operands K and N + K combined by body K. */
static bool reduce_one(shlo_call *c, uint32_t k, uint32_t n, const int64_t *axes, uint32_t n_axes)
{
    tn_dtype d;
    scalar init;
    const shlo_combine how = shlo_body(c, &c->op->regions[0], k, n, &d);
    if (how == SHLO_OTHER || how == SHLO_SECOND || how == SHLO_SUBTRACT)
        return shlo_refuse_body(c, &c->op->regions[0]);
    const bool is_neutral =
        shlo_uniform(c, n + k, &init) && shlo_is_neutral(how, shlo_in_type(c, n + k)->dtype, init);
    tn_value x = tn_cast(c->b, shlo_in(c, k), d);
    x = how == SHLO_FIRST ? tn_no_value() : shlo_reduced(c, how, x, (tn_ints){axes, n_axes});
    if (how == SHLO_FIRST || !is_neutral) {
        const tn_value z = tn_cast(c->b, shlo_in(c, n + k), d);
        const type *to = shlo_static_type(c->r, shlo_out_type(c, k), c->op->at);
        const tn_value wide = to ? shlo_spread(c, z, to) : z;
        x = how == SHLO_FIRST ? wide : shlo_combined(c, how, wide, x);
    }
    return shlo_give(c, k, tn_cast(c->b, x, shlo_out_type(c, k)->dtype));
}

bool shlo_lower_reduce(shlo_call *c)
{
    const uint32_t n = c->op->n_in / 2;
    int64_t axes[TN_MAX_RANK];
    uint32_t n_axes;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_axes(c, "dimensions", t->rank, axes, &n_axes))
        return false;
    if (c->op->n_in != 2 * n || c->op->n_out != n)
        return shlo_refuse(c, DIAG_ArityMismatch,
                           "it has as many initial values and results as inputs");
    const int sign = n == 2 ? arg_body(&c->op->regions[0]) : 0;
    if (sign)
        return lower_arg(c, sign, axes, n_axes);
    for (uint32_t k = 0; k < n; k++)
        if (!reduce_one(c, k, n, axes, n_axes))
            return false;
    return true;
}
