/* Reductions. */
#include "dialect/mlir/hlo/bodies/bodies.h"
#include "dialect/mlir/hlo/lower.h"

#include <math.h>

/* Does any element of X over AXES hold? X is i1. */
static tn_value any(tn_builder *b, tn_value x, tn_ints axes)
{
    return tn_reduce_max(b, x, axes, false);
}

/* The largest or smallest; NaN where there is one. */
static tn_value extreme(shlo_call *c, tn_value x, tn_ints axes, tn_dtype d, bool is_max)
{
    const tn_reduction how = dtype_is_float(d) ? is_max ? TN_REDUCE_MAX_NAN : TN_REDUCE_MIN_NAN
                             : is_max          ? TN_REDUCE_MAX
                                               : TN_REDUCE_MIN;
    return tn_reduce(c->b, how, x, axes, false, TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT, NULL);
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
    case SHLO_MAXIMUM_NUMBER:
        return tn_reduce_max(b, x, axes, false);
    case SHLO_MINIMUM_NUMBER:
        return tn_reduce_min(b, x, axes, false);
    case SHLO_AND:
        return tn_reduce_min(b, x, axes, false);
    case SHLO_OR:
        return any(b, x, axes);
    case SHLO_XOR:
    case SHLO_FIRST:
    case SHLO_SECOND:
    case SHLO_SUBTRACT:
    case SHLO_OTHER:
        break;
    }
    return tn_no_value();
}

/* ---- argmax, argmin ---- */

/* Is V the comparison WORD of X and Y? */
static bool compares(const mir_region *region, const mir_value *v, const char *word,
                     const mir_value *x, const mir_value *y)
{
    const mir_op *o = shlo_made_by(region, v, "stablehlo.compare", 2);
    const mir_attr *a = o ? mir_attr_named(&o->attrs, "comparison_direction") : NULL;
    const mir_attr *kind = o ? mir_attr_named(&o->attrs, "compare_type") : NULL;
    return a && mir_is(shlo_word_of(a), word) && o->in[0] == x && o->in[1] == y &&
           !(kind && mir_is(shlo_word_of(kind), "TOTALORDER"));
}

/* Is V `a GT x` (+1) or `a LT x` (-1), for floats also true where a is NaN? 0: neither. */
static int wins(const mir_region *region, const mir_value *v, const mir_value *a,
                const mir_value *x)
{
    const mir_op *either = shlo_made_by(region, v, "stablehlo.or", 2);
    if (!either && dtype_is_float(a->type->dtype))
        return 0;
    for (int k = 0; either && k < 2; k++)
        if (compares(region, either->in[k], "NE", a, a)) {
            v = either->in[1 - k];
            break;
        }
    return compares(region, v, "GT", a, x) ? 1 : compares(region, v, "LT", a, x) ? -1 : 0;
}

/* Is V `a EQ x and i LT k`? */
static bool ties(const mir_region *region, const mir_value *v, const mir_value *const *args)
{
    const mir_op *both = shlo_made_by(region, v, "stablehlo.and", 2);
    for (int k = 0; both && k < 2; k++)
        if (compares(region, both->in[k], "EQ", args[0], args[2]) &&
            compares(region, both->in[1 - k], "LT", args[1], args[3]))
            return true;
    return false;
}

/* Is REGION the body of an argmax (+1) or argmin (-1), as JAX writes it? 0: neither. With
 * accumulators (a, i) and elements (x, k): p = a GT x, or a is NaN; ties go to the lower index. */
static int arg_body(const mir_region *region)
{
    if (region->n_args != 4 || region->n_ops < 3 || region->n_ops > SHLO_MOST_BODY)
        return 0;
    const mir_value *args[4];
    for (int k = 0; k < 4; k++)
        args[k] = &region->args[k];
    const mir_op *last = region->ops[region->n_ops - 1];
    if (!shlo_is_return(last) || last->n_in != 2)
        return 0;
    const mir_op *best = shlo_made_by(region, last->in[0], "stablehlo.select", 3);
    const mir_op *at = shlo_made_by(region, last->in[1], "stablehlo.select", 3);
    if (!best || !at || best->in[1] != args[0] || best->in[2] != args[2] || at->in[1] != args[1] ||
        at->in[2] != args[3])
        return 0;
    const mir_op *either = shlo_made_by(region, at->in[0], "stablehlo.or", 2);
    for (int k = 0; either && k < 2; k++)
        if (either->in[k] == best->in[0] && ties(region, either->in[1 - k], args))
            return wins(region, best->in[0], args[0], args[2]);
    return 0;
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
    const function *f = current_function(c->b);
    const node *n = node_of(f, v.id);
    if (n->op == OP_BROADCAST) { /* of an iota of rank 1, which is not stretched */
        uint32_t count;
        const int64_t *dims = attr_ints(n->attrs, KEY_DIMS, &count);
        const type *own = value_type(f, n->in[0]);
        return node_of(f, n->in[0])->op == OP_IOTA && count == 1 && dims[0] == axis &&
               own->dims[0] == value_type(f, v.id)->dims[axis];
    }
    return n->op == OP_IOTA && attr_int(n->attrs, KEY_AXIS, -1) == axis;
}

/* An argmax or argmin of positions along one axis, which starts with what always loses: a position
 * below 0 would win ties. *DONE: it was one. */
static bool lower_arg(shlo_call *c, const int64_t *axes, uint32_t n, bool *done)
{
    scalar init, first;
    const int sign = arg_body(&c->op->regions[0]);
    const type *t = shlo_in_type(c, 0), *index = shlo_in_type(c, 1);
    *done = false;
    if (!t || !index)
        return false;
    const shlo_combine how = sign > 0 ? SHLO_MAXIMUM : SHLO_MINIMUM;
    if (!sign || n != 1 || t->count == 0 || !dtype_is_int(index->dtype) || t->dtype == TN_I1 ||
        !shlo_uniform(c, 2, &init) || !shlo_is_neutral(how, t->dtype, init) ||
        !is_iota(c, 1, axes[0]) || !shlo_uniform(c, 3, &first) ||
        (dtype_is_signed(index->dtype) && first.i < 0))
        return true;
    *done = true;
    const tn_dtype narrow = index->dtype == TN_SI32 ? TN_SI32 : TN_SI64;
    const tn_value x = shlo_in(c, 0);
    const tn_value best = shlo_reduced(c, how, x, (tn_ints){axes, 1});
    const tn_value at = arg_of(c, x, axes[0], sign, t->dtype, narrow);
    const bool ok = shlo_give(c, 0, best);
    return shlo_give(c, 1, tn_cast(c->b, at, index->dtype)) && ok;
}

/* `a` before `c` with NaN last, and the pair that Tenon's arg_max keeps: the first of the best. */
#define PLAIN_BEFORE(a, c) "(compare.GT " a " " c ")"
#define BEFORE(a, c)                                                                               \
    "(or " PLAIN_BEFORE(a, c) " (and (compare.NE " c " " c ") (compare.EQ " a " " a ")))"
#define WINS(F, G) "(select (or " F " " G ") " F " (compare.LT b d))"
#define NUMBER_WINS WINS(BEFORE("a", "c"), BEFORE("c", "a"))
#define INTEGER_WINS WINS(PLAIN_BEFORE("a", "c"), PLAIN_BEFORE("c", "a"))

/* Is REGION the body of an arg_max of D as Tenon writes it? */
static bool is_own_arg_max(const mir_region *region, tn_dtype d)
{
    const mir_op *last = region->n_ops ? region->ops[region->n_ops - 1] : NULL;
    if (region->n_args != 4 || region->n_ops > SHLO_MOST_BODY || !shlo_is_return(last) ||
        last->n_in != 2)
        return false;
    const mir_value *args[4];
    for (int k = 0; k < 4; k++)
        args[k] = &region->args[k];
    return dtype_is_float(d)
               ? shlo_matches(region, last->in[0], "(select " NUMBER_WINS " a c)", args) &&
                     shlo_matches(region, last->in[1], "(select " NUMBER_WINS " b d)", args)
               : shlo_matches(region, last->in[0], "(select " INTEGER_WINS " a c)", args) &&
                     shlo_matches(region, last->in[1], "(select " INTEGER_WINS " b d)", args);
}

/* The same of an arg_max that Tenon wrote. */
static bool lower_own_arg_max(shlo_call *c, const int64_t *axes, uint32_t n, bool *done)
{
    scalar worst, behind;
    const type *t = shlo_in_type(c, 0), *index = shlo_in_type(c, 1);
    *done = false;
    if (!t || !index)
        return false;
    if (n != 1 || t->count == 0 || dtype_is_complex(t->dtype) ||
        !is_own_arg_max(&c->op->regions[0], t->dtype) || !shlo_uniform(c, 2, &worst) ||
        !shlo_uniform(c, 3, &behind) || !is_iota(c, 1, axes[0]) ||
        (index->dtype != TN_SI32 && index->dtype != TN_SI64) ||
        behind.i != (int64_t)dtype_int_max(index->dtype) ||
        !(dtype_is_float(t->dtype) ? isnan(worst.f)
                                   : shlo_is_neutral(SHLO_MAXIMUM, t->dtype, worst)))
        return true;
    *done = true;
    tn_builder *b = c->b;
    const tn_value x = shlo_in(c, 0);
    const tn_value at = tn_arg_max(b, x, axes[0], false, index->dtype);
    const tn_value line = tn_expand_dims(b, at, (tn_ints){axes, 1});
    const tn_value best = tn_squeeze(b, tn_gather(b, x, line, axes[0]), (tn_ints){axes, 1});
    const bool ok = shlo_give(c, 0, best);
    return shlo_give(c, 1, at) && ok;
}

/* ---- reduce ---- */

/* Is it a combination that shlo_reduced knows, of elements of D? */
static bool is_known(shlo_combine how, tn_dtype d)
{
    switch (how) {
    case SHLO_ADD:
    case SHLO_MULTIPLY:
    case SHLO_FIRST:
        return true;
    case SHLO_MAXIMUM:
    case SHLO_MINIMUM:
    case SHLO_MAXIMUM_NUMBER:
    case SHLO_MINIMUM_NUMBER:
        return !dtype_is_complex(d);
    case SHLO_AND:
    case SHLO_OR:
        return d == TN_I1;
    case SHLO_XOR:
    case SHLO_SECOND:
    case SHLO_SUBTRACT:
    case SHLO_OTHER:
        break;
    }
    return false;
}

bool shlo_all_known(shlo_call *c, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        tn_dtype d = TN_I1;
        const shlo_combine how = shlo_body(c, &c->op->regions[0], k, n, &d);
        if (!is_known(how, d))
            return false;
    }
    return true;
}

/* Z, of rank 0, for each element that is left of a tensor of type T without AXES. */
static tn_value spread_without(shlo_call *c, tn_value z, const type *t, const int64_t *axes,
                               uint32_t n_axes)
{
    dim dims[TN_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        bool is_kept = true;
        for (uint32_t k = 0; k < n_axes; k++)
            is_kept = is_kept && axes[k] != (int64_t)i;
        if (is_kept)
            dims[rank++] = t->dims[i];
    }
    return rank ? tn_broadcast(c->b, z, (tn_ints){dims, rank}) : z;
}

/* Result K: the operands K and N + K combined by body K. */
static bool reduce_one(shlo_call *c, uint32_t k, uint32_t n, const int64_t *axes, uint32_t n_axes)
{
    tn_dtype d;
    scalar init;
    const type *const in = shlo_in_type(c, k); /* asked for before anything can fail */
    const bool is_empty = in->count == 0;
    const shlo_combine body = shlo_body(c, &c->op->regions[0], k, n, &d);
    const shlo_combine how = is_empty ? SHLO_FIRST : body;
    const bool is_neutral =
        shlo_uniform(c, n + k, &init) && shlo_is_neutral(how, shlo_in_type(c, n + k)->dtype, init);
    tn_value x = shlo_convert(c, shlo_in(c, k), d);
    x = how == SHLO_FIRST ? tn_no_value() : shlo_reduced(c, how, x, (tn_ints){axes, n_axes});
    if (how == SHLO_FIRST || !is_neutral) {
        const tn_value z = shlo_convert(c, shlo_in(c, n + k), d);
        const tn_value wide = spread_without(c, z, in, axes, n_axes);
        x = how == SHLO_FIRST ? wide : shlo_combined(c, how, wide, x);
    }
    return shlo_give(c, k, shlo_convert(c, x, shlo_out_type(c, k)->dtype));
}

/* All inputs together, by the loop. */
static bool reduce_all(shlo_call *c, uint32_t n, const int64_t *axes, uint32_t n_axes)
{
    tn_value *xs = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)3 * n + 1);
    if (!xs)
        return shlo_no_memory(c->r);
    tn_value *init = xs + n, *out = init + n;
    const shlo_fold f = {.region = &c->op->regions[0], .n = n, .xs = xs, .init = init};
    if (!shlo_same_shape_of(c, 0, n))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        xs[k] = shlo_axes_in_front(c, shlo_in(c, k), axes, n_axes);
        init[k] = shlo_in(c, n + k);
    }
    bool ok = shlo_folded(c, &f, out);
    for (uint32_t k = 0; ok && k < n; k++)
        ok = shlo_give(c, k, shlo_convert(c, out[k], shlo_out_type(c, k)->dtype));
    return ok;
}

bool shlo_lower_reduce(shlo_call *c)
{
    const uint32_t n = c->op->n_in / 2;
    int64_t axes[TN_MAX_RANK];
    uint32_t n_axes;
    const type *t = shlo_in_type(c, 0);
    if (!t || !shlo_axes(c, "dimensions", t->rank, axes, &n_axes))
        return false;
    if (!shlo_takes_reducer(c, n))
        return false;
    bool done = false;
    if (n == 2 && !lower_arg(c, axes, n_axes, &done))
        return false;
    if (n == 2 && !done && !lower_own_arg_max(c, axes, n_axes, &done))
        return false;
    if (done)
        return true;
    if (!shlo_all_known(c, n))
        return reduce_all(c, n, axes, n_axes);
    for (uint32_t k = 0; k < n; k++)
        if (!reduce_one(c, k, n, axes, n_axes))
            return false;
    return true;
}

/* ---- map ---- */

/* Element by element, where the region does more than whole tensors can. */
static bool map_elements(shlo_call *c, const tn_value *in, const type *t, tn_value *out)
{
    tn_builder *b = c->b;
    const uint32_t n = c->op->n_in;
    shlo_captures s;
    tn_value *flat = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)n);
    if (!flat || !shlo_capture(c, &s))
        return flat || shlo_no_memory(c->r);
    tn_value *args = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)n);
    tn_value *all = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)3 * s.n + 2);
    if (!args || !all)
        return shlo_no_memory(c->r);
    tn_value *carry = all + s.n + 1, *results = carry + s.n;
    for (uint32_t k = 0; k < n; k++)
        flat[k] = tn_reshape(b, in[k], TN_INTS(t->count));
    for (uint32_t i = 0; i < s.n; i++)
        carry[i] = s.before[i].v;
    tn_region_begin(b, NULL);
    shlo_enter(c, &s, results);
    for (uint32_t k = 0; k < n; k++)
        args[k] = tn_param_slice(b, flat[k]);
    const bool ok = shlo_apply(c, &c->op->regions[0], args, (tn_ints){0}, results + s.n, 1);
    tn_region body = {0};
    if (ok)
        body = tn_region_end(b, (tn_values){results, s.n + 1});
    else
        tn_region_discard(b);
    shlo_leave(c, &s);
    if (!ok || b->status != TN_OK)
        return false;
    tn_scan(b, body, (tn_values){carry, s.n}, (tn_values){flat, n}, 1, all, s.n + 1);
    *out = tn_reshape(b, all[s.n], shlo_dims(t));
    return b->status == TN_OK;
}

bool shlo_lower_map(shlo_call *c)
{
    const uint32_t n = c->op->n_in;
    const mir_region *region = &c->op->regions[0];
    const type *t = shlo_in_type(c, 0);
    tn_value out, *in = ARENA_ARRAY(&c->r->memory, tn_value, n);
    if (!in)
        return shlo_no_memory(c->r);
    if (!t || !shlo_same_shape(c, 0))
        return false;
    if (!shlo_takes_each(c, region, 0, n, 1))
        return false;
    for (uint32_t k = 0; k < n; k++)
        in[k] = shlo_in(c, k);
    const bool whole = t->rank == 0 || shlo_can_lift(c, region);
    if (!whole && !type_is_static(t))
        return shlo_refuse_body(c, region);
    const bool ok =
        whole ? shlo_apply(c, region, in, shlo_dims(t), &out, 1) : map_elements(c, in, t, &out);
    return ok && shlo_give(c, 0, out);
}
